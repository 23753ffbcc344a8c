//! A game looked at from its end: the score after each move, and which of them were mistakes.

use super::address::{Line, visited};
use super::chart::{self, Point};
use super::frame::{Tab, page as framed};
use super::{parts, words};
use crate::any::Look;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::{Visit, aside};
use crate::game::Side;
use crate::oracle::Wanted;
use crate::text::{capitalised, counted};
use axum::response::Response;
use maud::{Markup, html};
use std::time::{Duration, Instant};

/// A page shows what is known after so long, and looks again.
const PATIENCE: Duration = Duration::from_millis(900);
/// At most so many moves are looked at.
const MOST_MOVES: usize = 500;

/// A position of the game.
struct Ply {
    /// Its score, seen from the first player.
    score: i32,
    /// The best moves in it; one of them at least unless the game is over.
    best: Vec<String>,
}

/// A mistake.
struct Mistake<'a> {
    /// Which move it was, from 1.
    number: usize,
    side: Side,
    mv: &'a str,
    /// The scores before and after it, seen from who made it.
    due: i32,
    after: i32,
    best: &'a [String],
}

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let (line, look) = visited(&visit).await?;
    if line.played.len() > MOST_MOVES {
        return Err(Problem::bad_request(format!(
            "the line has {} moves, and {MOST_MOVES} are the most that can be reviewed",
            line.played.len()
        )));
    }
    let plies = plies(&visit, &look).await?;
    let review = Review {
        visit,
        line,
        look,
        plies,
    };
    aside(move || Ok(review.page())).await
}

/// The positions of the game, the last one first asked about: it is the easiest, and what is learnt
/// from it serves those before. Those that take long are left out.
async fn plies(visit: &Visit, look: &Look) -> Result<Vec<Option<Ply>>, Problem> {
    let began = Instant::now();
    let patience = PATIENCE.min(visit.explorer.patience);
    let before = look.played.iter();
    let mut positions: Vec<_> = before
        .map(|played| (&*played.before, played.side, None))
        .collect();
    let last = &look.view;
    positions.push((&*last.position, last.to_move, last.result));
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
        let mut best: Vec<String> = answer.best_moves().map(str::to_owned).collect();
        if best.is_empty() {
            best.extend(answer.best_move.clone());
        }
        plies.push(Some(Ply {
            score: side.seen(score),
            best,
        }));
    }
    plies.resize_with(positions.len(), || None);
    plies.reverse();
    Ok(plies)
}

/// A game that is over or not, and what is known of its positions.
struct Review {
    visit: Visit,
    line: Line,
    look: Look,
    plies: Vec<Option<Ply>>,
}

impl Review {
    fn page(&self) -> Response {
        let title = format!("Review: {}", self.visit.asked.oracle.title());
        let again = self.plies.iter().any(Option::is_none).then_some(2);
        let mistakes = self.mistakes();
        let contents = html! {
            h1 { "The game again" }
            div class="look wide" data-again=[again] {
                section class="stage" aria-label="Scores" {
                    div id="verdict" { (self.summary(&mistakes)) }
                    div id="board" { (self.graph(&mistakes)) }
                    (self.steps())
                }
                section class="facts" aria-label="Mistakes" {
                    div id="moves" { (self.list(&mistakes)) }
                }
            }
        };
        framed(&self.visit, Tab::Play, &title, again, &contents)
    }

    /// The moves after which the score was worse for who made them.
    fn mistakes(&self) -> Vec<Mistake<'_>> {
        let pairs = self.plies.windows(2).zip(&self.look.played);
        let found = (1..).zip(pairs).filter_map(|(number, (pair, played))| {
            let (before, after) = (pair[0].as_ref()?, pair[1].as_ref()?);
            let side = played.side;
            let (due, after) = (side.seen(before.score), side.seen(after.score));
            (after < due).then_some(Mistake {
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

    fn summary(&self, mistakes: &[Mistake<'_>]) -> Markup {
        let unknown = self.plies.iter().filter(|ply| ply.is_none()).count();
        let of = |side| {
            let own = mistakes.iter().filter(|mistake| mistake.side == side);
            counted(own.count(), "mistake")
        };
        html! {
            p class="verdict" { (self.look.view.status) "." }
            @if unknown > 0 {
                p class="thinking" { "Thinking about " (counted(unknown, "position")) "\u{2026}" }
            } @else {
                p {
                    "The first player has made " (of(Side::First))
                    ", the second player " (of(Side::Second)) "."
                }
            }
        }
    }

    fn graph(&self, mistakes: &[Mistake<'_>]) -> Markup {
        let oracle = &*self.visit.asked.oracle;
        let points = self.plies.iter().enumerate().map(|(number, ply)| {
            let what = match number.checked_sub(1) {
                None => "At the beginning".to_owned(),
                Some(before) => {
                    let played = &self.look.played[before];
                    let mv = words::of_move(oracle, &played.mv);
                    format!("After {mv} of the {} player", played.side)
                }
            };
            ply.as_ref().map(|ply| Point {
                score: ply.score,
                words: format!("{what}: {}", crate::text::who_wins(ply.score)),
                address: self.line.up_to(number).explore(),
                is_mistake: mistakes.iter().any(|mistake| mistake.number == number),
            })
        });
        chart::game(&points.collect::<Vec<_>>())
    }

    fn steps(&self) -> Markup {
        html! {
            nav class="steps" aria-label="On from here" {
                a class="button" rel="first" href=(self.line.up_to(0).explore()) { "Explore from the beginning" }
                a class="button" rel="prev" href=(self.line.explore()) { "Explore the end" }
                a class="button" href=(self.line.up_to(0).play(&[])) { "New game" }
            }
        }
    }

    /// The mistakes, each with what would have been better, and all moves.
    fn list(&self, mistakes: &[Mistake<'_>]) -> Markup {
        let oracle = &*self.visit.asked.oracle;
        html! {
            h2 { "Mistakes" }
            @if mistakes.is_empty() {
                p { @if self.look.played.is_empty() { "No move has been made." } @else if self.plies.iter().all(Option::is_some) { "There are none: every move was a best one." } @else { "None is known yet." } }
            }
            ol class="mistakes" {
                @for mistake in mistakes {
                    li {
                        p {
                            a href=(self.line.up_to(mistake.number - 1).explore()) {
                                "Move " (mistake.number) ": " (capitalised(&words::of_move(oracle, mistake.mv))) " of the " (mistake.side) " player"
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
            h2 { "All moves" }
            ol class="line" {
                li { a href=(self.line.up_to(0).explore()) { "Start" } }
                @for (number, played) in (1..).zip(&self.look.played) {
                    @let is_mistake = mistakes.iter().any(|mistake| mistake.number == number);
                    li class=(played.side) {
                        a class=[is_mistake.then_some("mistake")] href=(self.line.up_to(number).explore())
                            aria-label={ (capitalised(&played.side.to_string())) " player: " (words::of_move(oracle, &played.mv)) (if is_mistake { ", a mistake" } else { "" }) } {
                            (played.mv) @if is_mistake { "?" }
                        }
                    }
                }
            }
        }
    }
}
