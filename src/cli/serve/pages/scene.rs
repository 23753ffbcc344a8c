//! A position that a page is about, with the way there and what is known of it.

use super::address::Line;
use super::board::{self, Link};
use super::parts::{MOST_SHOWN, most_shown};
use super::words;
use crate::any::{AnyOracle, Look};
use crate::cli::serve::problem::Problem;
use crate::cli::serve::thinking::Found;
use crate::cli::serve::visit::Visit;
use crate::oracle::Wanted;
use crate::text::{capitalised, counted};
use maud::{Markup, html};
use std::time::Duration;

/// A page shows what is known after so long at most, and looks again.
pub const PATIENCE: Duration = Duration::from_millis(700);

/// A position that a page is about.
pub struct Scene {
    pub visit: Visit,
    /// The way there, its moves as the game writes them.
    pub line: Line,
    pub look: Look,
    /// What is known of it and to be shown; none if the game is over.
    pub known: Option<Found>,
}

impl Scene {
    /// That at the end of the line that a page is asked about.
    pub async fn of(visit: Visit) -> Result<Scene, Problem> {
        let mut line = Line::of(&visit.entry.id, &visit.params)?;
        let look = visit.look(line.from.as_deref(), &line.played).await?;
        line.played = look.played.iter().map(|played| played.mv.clone()).collect();
        Ok(Scene {
            visit,
            line,
            look,
            known: None,
        })
    }

    /// The same with what is known of it at once.
    pub async fn with_scores(mut self) -> Result<Scene, Problem> {
        if self.look.view.result.is_none() {
            self.known = Some(known(&self.visit, &self.look.view.position).await?);
        }
        Ok(self)
    }

    pub fn oracle(&self) -> &dyn AnyOracle {
        &*self.visit.asked.oracle
    }

    /// The answer, if all that was wanted is known.
    pub fn answer(&self) -> Option<&crate::oracle::Answer> {
        self.known.as_ref().and_then(Found::whole)
    }

    /// When to look again for what is searched, in seconds.
    pub fn again(&self) -> Option<u64> {
        let since = self.known.as_ref()?.searching?;
        Some((since.as_secs() / 4).clamp(1, 8))
    }

    /// The legal moves, each leading where `to` says, with what is known and to be shown of them.
    pub fn links(&self, to: impl Fn(&str) -> String) -> Vec<Link<'_>> {
        links(self.oracle(), &self.look, self.known.as_ref(), to)
    }

    /// The moves that led here, the last ones of many, each leading to the position after it. Whether
    /// one was a mistake is asked by its number, from 1.
    pub fn line_so_far(&self, heading: &str, is_mistake: impl Fn(usize) -> bool) -> Markup {
        let (line, played) = (&self.line, &self.look.played);
        let hidden = played.len().saturating_sub(most_shown(line));
        let words = |number: usize| {
            let mv = &played[number - 1];
            let (side, name) = (mv.side, words::of_move(self.oracle(), &mv.mv));
            let words = capitalised(&format!("{side} player: {name}"));
            match is_mistake(number) {
                true => words + ", a mistake",
                false => words,
            }
        };
        html! {
            @if !played.is_empty() {
                h2 { (heading) }
                ol class="line" {
                    li { a href=(line.up_to(0).explore()) { @if line.from.is_some() { "Position" } @else { "Start" } } }
                    @if hidden > 0 { li { "\u{2026} " (counted(hidden, "move")) " \u{2026}" } }
                    @for (number, mv) in (1..).zip(played).skip(hidden) {
                        li class=(mv.side) {
                            a class=[is_mistake(number).then_some("mistake")] href=(line.up_to(number).explore())
                                aria-current=[(number == played.len()).then_some("step")] aria-label=(words(number)) {
                                (mv.mv) @if is_mistake(number) { "?" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What is known at once of a position where the game is not over.
pub async fn known(visit: &Visit, position: &str) -> Result<Found, Problem> {
    let wanted = Wanted {
        moves: true,
        line: MOST_SHOWN + 1,
        ..Wanted::default()
    };
    visit.find(Some(position), wanted, PATIENCE).await
}

/// The score of a move, whether or not all are known.
pub fn score_of(found: &Found, mv: &str) -> Option<i32> {
    let moves = found.answer.as_ref()?.moves.as_ref()?;
    let scored = moves.iter().find(|scored| scored.0 == mv);
    scored.map(|scored| scored.1)
}

/// The legal moves of a position, each leading where `to` says, with what is known of them.
pub fn links<'a>(
    oracle: &dyn AnyOracle,
    look: &'a Look,
    known: Option<&Found>,
    to: impl Fn(&str) -> String,
) -> Vec<Link<'a>> {
    let answer = known.and_then(Found::whole);
    let links = look.moves.iter().map(|mv| {
        let score = known.and_then(|found| score_of(found, &mv.name));
        let is_best = answer.is_some_and(|answer| answer.best_moves().any(|best| best == mv.name));
        let mut words = capitalised(&words::of_move(oracle, &mv.name));
        if let Some(score) = score {
            let (signed, outcome) = (words::signed(score), words::outcome(score));
            words.push_str(&format!(": {signed}, {outcome}"));
        }
        if is_best {
            words.push_str(", a best move");
        }
        Link {
            mv,
            place: board::place_of(&look.view, mv, &look.moves),
            address: to(&mv.name),
            score,
            is_best,
            words,
        }
    });
    links.collect()
}
