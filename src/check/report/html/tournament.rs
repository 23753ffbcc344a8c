//! Page about a tournament.

use super::{Section, framed, table};
use crate::check::tournament::{PlayedGame, Tournament};
use crate::game::InWords;
use crate::text::capitalised;
use maud::{Markup, html};

/// Renders a tournament as a self-contained HTML page.
#[must_use]
pub fn tournament_page(tournament: &Tournament) -> String {
    let title = format!("Tournament at {}", tournament.title);
    let head = html! {
        h1 { (title) }
        p class="soft" { (tournament.game) ", seed " (tournament.seed) ": " (tournament.summary()) }
    };
    let sections = [
        ("standings", "Standings", standings(tournament)),
        ("games", "Games", games(tournament)),
        ("openings", "Openings", openings(tournament)),
    ];
    let sections =
        sections.map(|(id, heading, section)| -> Section { (id, heading.to_owned(), section) });
    framed(&title, &head, &sections)
}

fn standings(tournament: &Tournament) -> Markup {
    let columns = tournament.columns();
    let head: Vec<&str> = ["AI"]
        .into_iter()
        .chain(columns.iter().map(String::as_str))
        .collect();
    html! {
        div class="card" { (table(&head, tournament.rows().into_iter())) }
        div class="text" {
            p {
                b { "Elo" } " compares with the average of these AIs, which is 0: 100 points more are expected to score 64% against "
                "it, 200 points 76%. The 95% interval says how far luck may have moved the rating. The last columns have the points "
                "against each AI, by its place."
            }
            p {
                b { "Regret" } " is what a move loses on average against exact scores"
                @if tournament.counts_plies { ", in plies, while it keeps a win or a loss" } ". A " b { "mistake" }
                " gives a win or a draw away. The " b { "score" } " is the mean result of games without a forfeit."
            }
        }
    }
}

fn games(tournament: &Tournament) -> Markup {
    let names: Vec<&str> = tournament.standings.iter().map(|of| &*of.ai).collect();
    let head = [
        "opening",
        "first",
        "second",
        "winner",
        "result",
        "regret",
        "turning point",
    ];
    html! {
        p {
            "The " b { "turning point" } " is the last move that gave a win or a draw away. Its link opens the game there in the "
            "explorer, which " code { "zermelo serve" } " starts. The regret is that of all moves of the first player and of the second."
        }
        @for (place, one) in names.iter().enumerate() {
            @for other in &names[place + 1..] {
                @let is_meant = |of: &&PlayedGame| [one, other].iter().all(|ai| of.sides.iter().any(|side| side.ai == **ai));
                @let own = tournament.games.iter().filter(is_meant);
                details {
                    summary { (one) " against " (other) }
                    div class="card games" {
                        (table(&head, own.map(|played| ((played.opening + 1).to_string(), cells(tournament, played)))))
                    }
                }
            }
        }
    }
}

fn cells(tournament: &Tournament, played: &PlayedGame) -> [Markup; 6] {
    let [first, second] = &played.sides;
    let winner = [&*second.ai, "a draw", &*first.ai][(played.result + 1) as usize];
    let result = html! {
        @if let Some(forfeit) = &played.forfeit { span class="bad" { (forfeit.kind) } ": the AI " (forfeit.detail) }
        @else if played.repeats { "repetition" }
        @else if let Some(score) = played.score { (InWords::new(score, tournament.counts_plies).short()) }
    };
    let regret = html! {
        @if first.graded + second.graded > 0 { (first.regret) " / " (second.regret) }
    };
    let turning_point = html! { a href=(played.replay) { (played.turning_point_in_words()) } };
    [
        html! { (first.ai) },
        html! { (second.ai) },
        html! { (winner) },
        result,
        regret,
        turning_point,
    ]
}

fn openings(tournament: &Tournament) -> Markup {
    let openings = (1..).zip(&tournament.openings).map(|(number, opening)| {
        let score = opening
            .score
            .map(|score| InWords::new(score, tournament.counts_plies));
        let score = score.map_or("unknown".to_owned(), |score| capitalised(&score.who_wins()));
        (
            i32::to_string(&number),
            [opening.moves.join(" "), opening.position.clone(), score],
        )
    });
    html! {
        div class="card" { (table(&["opening", "moves", "position", "exact score"], openings)) }
    }
}
