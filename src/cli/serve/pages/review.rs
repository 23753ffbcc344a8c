//! The page that analyses a game, from its end: scores and mistakes.

use super::chart::{self, Point};
use super::frame::page as framed;
use super::scene::Scene;
use super::{parts, words};
use crate::any::View;
use crate::cli::serve::aside::aside;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::game::{InWords, Side, one_move_before};
use crate::oracle::Wanted;
use crate::text::{capitalised, counted};
use axum::response::Response;
use maud::{Markup, html};
use std::time::{Duration, Instant};

/// Time after which the page shows the scores known so far; the page then reloads.
const PATIENCE: Duration = Duration::from_millis(900);
/// Maximum number of moves that are analysed.
const MOST_MOVES: usize = 500;

/// A position of the game.
struct Ply {
    /// Its score, seen from the first player.
    score: i32,
    /// Its best moves, at least one unless the game is over.
    best: Vec<String>,
}

/// A mistake in the game.
struct Mistake<'a> {
    /// Number of the move, from 1.
    number: usize,
    side: Side,
    mv: &'a str,
    /// The scores of a best move and of this one, seen from the side that made them.
    due: InWords,
    after: InWords,
    best: &'a [String],
}

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let scene = Scene::of(visit).await?.in_play();
    let moves = scene.line.played.len();
    if moves > MOST_MOVES {
        return Err(Problem::bad_request(format!(
            "the line has {moves} moves, but at most {MOST_MOVES} can be reviewed"
        )));
    }
    let plies = plies(&scene.visit, &scene.view).await?;
    aside(move || {
        let title = format!("Review: {}", scene.oracle().title());
        let again = plies.iter().any(Option::is_none).then_some(2);
        let contents = contents(&scene, &plies, again);
        Ok(framed(&scene.visit, "play", &title, again, &contents))
    })
    .await
}

/// The positions of the game, with `None` for scores not known in time.
///
/// The last position is searched first: it is the easiest, and its results help with those before.
async fn plies(visit: &Visit, view: &View) -> Result<Vec<Option<Ply>>, Problem> {
    let began = Instant::now();
    let patience = PATIENCE.min(visit.explorer.patience);
    let before = view.played.iter();
    let mut positions: Vec<_> = before
        .map(|played| (&*played.before, played.side, None))
        .collect();
    positions.push((&*view.position, view.to_move, view.result));
    let mut plies = Vec::with_capacity(positions.len());
    for &(position, side, result) in positions.iter().rev() {
        if let Some(score) = result {
            let best = Vec::new();
            plies.push(Some(Ply { score, best }));
            continue;
        }
        let patience = patience.saturating_sub(began.elapsed());
        let found = visit.find(Some(position), Wanted::default(), patience);
        let found = found.await?;
        let Some(answer) = found.whole() else {
            break;
        };
        let score = answer.bounds.lower;
        let best = answer.known_best_moves();
        let best = best.into_iter().map(str::to_owned).collect();
        plies.push(Some(Ply {
            score: side.seen(score),
            best,
        }));
    }
    plies.resize_with(positions.len(), || None);
    plies.reverse();
    Ok(plies)
}

fn contents(scene: &Scene, plies: &[Option<Ply>], again: Option<u64>) -> Markup {
    let mistakes = mistakes(scene, plies);
    let is_mistake = |number| mistakes.iter().any(|mistake| mistake.number == number);
    html! {
        h1 { "Review of the game" }
        div class="look wide" data-again=[again] {
            section class="stage" aria-label="Scores" {
                div id="verdict" { (summary(scene, plies, &mistakes)) }
                div id="board" { (graph(scene, plies, is_mistake)) }
                nav class="steps" aria-label="On from here" {
                    a class="button" rel="first" href=(scene.line.up_to(0).explore()) { "Explore from the beginning" }
                    a class="button" rel="prev" href=(scene.line.explore()) { "Explore the end" }
                    a class="button" href=(scene.line.up_to(0).to("play", &[])) { "New game" }
                }
            }
            section class="facts" aria-label="Mistakes" {
                div id="moves" {
                    (list(scene, plies, &mistakes))
                    (scene.line_so_far("All moves", is_mistake))
                }
            }
        }
    }
}

/// The moves that lowered the score of the side that made them.
fn mistakes<'a>(scene: &'a Scene, plies: &'a [Option<Ply>]) -> Vec<Mistake<'a>> {
    let pairs = plies.windows(2).zip(&scene.view.played);
    let found = (1..).zip(pairs).filter_map(|(number, (pair, played))| {
        let (before, after) = (pair[0].as_ref()?, pair[1].as_ref()?);
        let side = played.side;
        let after = one_move_before(side.seen(after.score), scene.view.counts_plies);
        let [due, after] = [side.seen(before.score), after].map(|score| scene.view.in_words(score));
        (after.score < due.score).then_some(Mistake {
            number,
            side,
            mv: &played.mv,
            due,
            after,
            best: &before.best,
        })
    });
    found.collect()
}

fn summary(scene: &Scene, plies: &[Option<Ply>], mistakes: &[Mistake<'_>]) -> Markup {
    let unknown = plies.iter().filter(|ply| ply.is_none()).count();
    let of = |side| {
        let own = mistakes.iter().filter(|mistake| mistake.side == side);
        counted(own.count(), "mistake")
    };
    html! {
        p class="verdict" { (scene.view.status) "." }
        @if unknown > 0 {
            p class="thinking" { "Thinking about " (counted(unknown, "position")) "\u{2026}" }
        } @else {
            p {
                "The first player has made " (of(Side::First)) ", the second player " (of(Side::Second)) "."
            }
        }
    }
}

fn graph(scene: &Scene, plies: &[Option<Ply>], is_mistake: impl Fn(usize) -> bool) -> Markup {
    let points = plies.iter().enumerate().map(|(number, ply)| {
        let score = ply.as_ref()?.score;
        let what = match number.checked_sub(1) {
            None => "At the beginning".to_owned(),
            Some(before) => {
                let played = &scene.view.played[before];
                let mv = words::of_move(scene.oracle(), &played.mv);
                format!("After {mv} of the {} player", played.side)
            }
        };
        let who = scene.view.in_words(score).who_wins();
        Some(Point {
            score: if scene.view.counts_plies {
                score.signum()
            } else {
                score
            },
            words: format!("{what}: {who}"),
            address: scene.line.up_to(number).explore(),
            is_mistake: is_mistake(number),
        })
    });
    chart::game(&points.collect::<Vec<_>>(), scene.view.counts_plies)
}

/// The list of mistakes, each with the best moves.
fn list(scene: &Scene, plies: &[Option<Ply>], mistakes: &[Mistake<'_>]) -> Markup {
    html! {
        h2 { "Mistakes" }
        @if mistakes.is_empty() {
            p { @if plies.len() == 1 { "No move has been made." } @else if plies.iter().all(Option::is_some) { "No mistakes: every move was a best move." } @else { "No mistake is known yet." } }
        }
        ol class="mistakes" {
            @for mistake in mistakes {
                li {
                    p {
                        a href=(scene.line.up_to(mistake.number - 1).explore()) {
                            "Move " (mistake.number) ": " (capitalised(&words::of_move(scene.oracle(), mistake.mv))) " of the " (mistake.side) " player"
                        }
                    }
                    p {
                        (parts::pill(mistake.due)) " \u{2192} " (parts::pill(mistake.after)) " "
                        (words::change(mistake.due, mistake.after))
                        @if !mistake.best.is_empty() { "; better: " (mistake.best.join(" or ")) }
                        "."
                    }
                }
            }
        }
    }
}
