//! Games against the program.
//!
//! The address of a page contains the whole game, so that it can be taken back, saved and shared.

use super::address::{Line, address};
use super::board;
use super::frame::page as framed;
use super::scene::{PATIENCE, Scene};
use super::{parts, words};
use crate::any::View;
use crate::cli::serve::aside::aside;
use crate::cli::serve::http::Params;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::game::Side;
use crate::oracle::{Answer, Wanted};
use crate::random::Random;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use std::hash::{BuildHasher, Hasher, RandomState};

/// Maximum number of moves that the program makes in a row before the page is shown.
const MOST_REPLIES: usize = 100;
/// The available opponents: shares of mistakes, in percent of moves.
const OPPONENTS: [u64; 4] = [0, 10, 30, 60];

/// The settings of a game against the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Setup {
    /// The side that the person plays.
    person: Side,
    /// Percentage of moves in which the program makes a mistake if it can.
    mistakes: u64,
    /// Seed of the program's random choices.
    seed: u64,
}

impl Setup {
    /// The settings in an address, or `None` if the game has not been set up yet.
    fn of(params: &Params) -> Result<Option<Setup>, Problem> {
        let Some(person) = params.get("as") else {
            return Ok(None);
        };
        let person = person.parse().map_err(|_| {
            Problem::bad_request(format!("\"as={person}\": write as=first or as=second"))
        })?;
        Ok(Some(Setup {
            person,
            mistakes: params.number("mistakes", 0, 100)?,
            seed: params.number("seed", 1, u64::MAX)?,
        }))
    }

    /// Address of the page that continues a line with these settings.
    fn address(&self, line: &Line) -> String {
        let query = [
            ("as", self.person.to_string()),
            ("mistakes", self.mistakes.to_string()),
            ("seed", self.seed.to_string()),
        ];
        line.to("play", &query)
    }
}

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let scene = Scene::of(visit).await?.in_play();
    let title = format!("Play {}", scene.oracle().title());
    let Some(setup) = Setup::of(&scene.visit.params)? else {
        let contents = begin(&scene.line, &scene.view);
        return Ok(framed(&scene.visit, "play", &title, None, &contents));
    };
    let reached = reply(&scene.visit, &setup, &scene.line).await?;
    if let Some(line) = reached.as_ref().filter(|reached| **reached != scene.line) {
        return Ok(Redirect::to(&setup.address(line)).into_response());
    }
    aside(move || {
        let again = reached.is_none().then_some(1);
        let contents = contents(&scene, &setup, again);
        Ok(framed(&scene.visit, "play", &title, again, &contents))
    })
    .await
}

/// Makes the program's moves and returns the line with them.
///
/// It stops on the person's turn, at the end of the game, or at a move that takes long. `None` if
/// the program is still searching for its first move.
async fn reply(visit: &Visit, setup: &Setup, line: &Line) -> Result<Option<Line>, Problem> {
    let mut now = line.clone();
    for _ in 0..MOST_REPLIES {
        let view = visit.view(now.from.as_deref(), &now.played).await?;
        if view.result.is_some() || view.repeats() || view.to_move == setup.person {
            break;
        }
        match choose(visit, setup, &view).await? {
            Some(mv) => now = now.then(&mv),
            None if now == *line => return Ok(None),
            None => break,
        }
    }
    Ok(Some(now))
}

/// The program's move, or `None` if it needs more time.
async fn choose(visit: &Visit, setup: &Setup, view: &View) -> Result<Option<String>, Problem> {
    let position = view.position.clone();
    let mut random = Random::new(setup.seed ^ u64::from(crc32fast::hash(position.as_bytes())));
    let errs = random.below(100) < setup.mistakes;
    // A mistake requires the scores of all moves, good play only a best move.
    let wanted = Wanted {
        moves: errs,
        ..Wanted::default()
    };
    let found = visit.find(Some(&position), wanted, PATIENCE).await?;
    let chosen = found.whole().map(|answer| pick(answer, errs, &mut random));
    chosen.transpose()
}

/// A random best move or, with `errs`, a random other move if there is one.
fn pick(answer: &Answer, errs: bool, random: &mut Random) -> Result<String, Problem> {
    let all = answer.moves.as_deref().unwrap_or_default();
    let (best, others) = all.split_at(answer.best_moves().count());
    let from = match others {
        [_, ..] if errs => others,
        _ => best,
    };
    match from {
        // A search without moves' scores returns only one best move.
        [] => answer.best_move.clone().ok_or_else(Problem::internal),
        from => Ok(from[random.index(from.len())].0.clone()),
    }
}

/// The opponent with this share of mistakes, as the object of a sentence.
fn opponent(mistakes: u64) -> String {
    match mistakes {
        0 => "a perfect player".to_owned(),
        share => format!("a player who errs in {share}% of the moves"),
    }
}

/// The page on which a game is set up.
fn begin(line: &Line, view: &View) -> Markup {
    // A new seed for each game, which doesn't have to be unpredictable.
    let seed = RandomState::new().build_hasher().finish() % 1_000_000;
    html! {
        div class="look" {
            section class="stage" aria-label="Board" {
                (parts::turn(view))
                (board::board(view, &[]))
            }
            section class="facts" {
                h1 { "Play against the program" }
                form class="setup" action=(address("play", &line.game, &[])) {
                    @if let Some(from) = &line.from { input type="hidden" name="position" value=(from); }
                    @if !line.played.is_empty() { input type="hidden" name="played" value=(line.as_value()); }
                    input type="hidden" name="seed" value=(seed);
                    fieldset {
                        legend { "You play" }
                        @for (side, is_checked) in [(Side::First, true), (Side::Second, false)] {
                            label {
                                input type="radio" name="as" value=(side) checked[is_checked];
                                " the " (side) " player"
                            }
                        }
                    }
                    label for="against" { "Against" }
                    select id="against" name="mistakes" {
                        @for mistakes in OPPONENTS { option value=(mistakes) { (opponent(mistakes)) } }
                    }
                    p { button class="strong" { "Begin" } }
                }
            }
        }
    }
}

/// The page of a game; `again` while the program is searching.
fn contents(scene: &Scene, setup: &Setup, again: Option<u64>) -> Markup {
    let view = &scene.view;
    let mut links = scene.links(|mv| setup.address(&scene.line.then(mv)));
    links.retain(|_| again.is_none());
    let long = if parts::is_long(view) { " long" } else { "" };
    html! {
        h1 class="unseen" { "A game of " (scene.oracle().title()) }
        div class={ "look" (long) } data-again=[again] {
            section class="stage" aria-label="Board" {
                (parts::turn(view))
                div id="board" { (board::board(view, &links)) }
                (parts::beside_board(&links))
                (steps(scene, setup))
            }
            section class="facts" aria-label="The game" {
                div id="verdict" aria-live="polite" { (status(scene, setup, again.is_some())) }
                div id="moves" {
                    @if !links.is_empty() {
                        h2 { "Your moves" }
                        ol class="line" {
                            @for link in links {
                                li { a href=(link.address) data-key=(link.mv.name) aria-label=(link.words) { (link.mv.name) } }
                            }
                        }
                    }
                }
                (scene.line_so_far("The game so far", |_| false))
                p class="soft" {
                    "You play the " (setup.person) " player, against " (opponent(setup.mistakes)) "."
                }
            }
        }
    }
}

fn status(scene: &Scene, setup: &Setup, is_thinking: bool) -> Markup {
    if let Some(result) = scene.view.result {
        let own = scene.view.in_words(setup.person.seen(result));
        let text = match own.score {
            0 => scene.view.status.clone() + ".",
            1.. if own.counts_plies => "You have won.".to_owned(),
            score @ 1.. => format!("You have won by {score}."),
            _ if own.counts_plies => "You have lost.".to_owned(),
            score => format!("You have lost by {}.", -score),
        };
        return html! {
            p class="verdict" { (parts::pill(own)) " " (text) }
            p { a class="button strong" href=(scene.line.to("review", &[])) { "Look at the game again" } }
        };
    }
    html! {
        @if is_thinking {
            p class="verdict thinking" { "The program is thinking\u{2026}" }
            p class="soft" { "This page updates itself." }
        } @else {
            p class="verdict" { "It is your turn." }
            @if let Some(last) = scene.view.played.last().filter(|last| last.side != setup.person) {
                p { "The program has played " b { (words::of_move(scene.oracle(), &last.mv)) } "." }
            }
        }
    }
}

/// Links to the person's last move, a new game, and all scores.
fn steps(scene: &Scene, setup: &Setup) -> Markup {
    let mut played = scene.view.played.iter();
    let last = played.rposition(|played| played.side == setup.person);
    html! {
        nav class="steps" aria-label="The game" {
            @if let Some(last) = last {
                a class="button" rel="prev" href=(setup.address(&scene.line.up_to(last))) { "\u{2190} Take back" }
            }
            a class="button" href=(scene.line.up_to(0).to("play", &[])) { "New game" }
            a class="button" href=(scene.line.explore()) { "Explore this position" }
        }
    }
}
