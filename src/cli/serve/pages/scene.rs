//! The position of a page, with the moves that led to it and its answer.

use super::address::Line;
use super::board::{self, Link};
use super::parts::{MOST_SHOWN, most_shown};
use super::words;
use crate::any::{AnyOracle, View};
use crate::cli::serve::jobs::Found;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::game::InWords;
use crate::oracle::Wanted;
use crate::text::{capitalised, counted};
use maud::{Markup, html};
use std::time::Duration;

/// Maximum time until a page shows a partial answer; the page then reloads.
pub const PATIENCE: Duration = Duration::from_millis(700);

/// The position of a page.
pub struct Scene {
    pub visit: Visit,
    /// The moves that led to it, in the game's notation.
    pub line: Line,
    pub view: View,
    /// The answer to show, perhaps a partial one; `None` if the game is over.
    pub known: Option<Found>,
}

impl Scene {
    /// The position at the end of the line in the address.
    pub async fn of(visit: Visit) -> Result<Scene, Problem> {
        let mut line = Line::of(&visit.entry.id, &visit.params)?;
        let view = visit.view(line.from.as_deref(), &line.played).await?;
        line.played = view.played.iter().map(|played| played.mv.clone()).collect();
        Ok(Scene {
            visit,
            line,
            view,
            known: None,
        })
    }

    /// The same position at the end of a play: drawn if it came up before.
    pub fn in_play(mut self) -> Scene {
        if self.view.repeats() {
            self.view.result = Some(0);
            self.view.status = "The game is drawn, because the position repeats".to_owned();
            self.view.moves.clear();
        }
        self
    }

    /// The same position with the answer that is known in time.
    pub async fn with_scores(mut self) -> Result<Scene, Problem> {
        if self.view.result.is_none() {
            self.known = Some(known(&self.visit, &self.view.position).await?);
        }
        Ok(self)
    }

    pub fn oracle(&self) -> &dyn AnyOracle {
        &*self.visit.asked.oracle
    }

    /// The answer, if it is complete.
    pub fn answer(&self) -> Option<&crate::oracle::Answer> {
        self.known.as_ref().and_then(Found::whole)
    }

    /// Seconds until the page should reload, if a search is running.
    pub fn again(&self) -> Option<u64> {
        let since = self.known.as_ref()?.searching?;
        Some((since.as_secs() / 4).clamp(1, 8))
    }

    /// The legal moves with their scores, each with the address that `to` returns.
    pub fn links(&self, to: impl Fn(&str) -> String) -> Vec<Link<'_>> {
        links(self.oracle(), &self.view, self.known.as_ref(), to)
    }

    /// The last moves that led to the position, with links.
    ///
    /// `is_mistake` says whether a move was a mistake, by its number from 1.
    pub fn line_so_far(&self, heading: &str, is_mistake: impl Fn(usize) -> bool) -> Markup {
        let (line, played) = (&self.line, &self.view.played);
        let hidden = played.len().saturating_sub(most_shown(line));
        let first_times = self.view.first_times();
        let words = |number: usize| {
            let mv = &played[number - 1];
            let (side, name) = (mv.side, words::of_move(self.oracle(), &mv.mv));
            let mut words = capitalised(&format!("{side} player: {name}"));
            if is_mistake(number) {
                words.push_str(", a mistake");
            }
            match first_times[number] {
                first if first == number => words,
                0 => words + ", repeats the first position",
                first => words + &format!(", repeats the position after move {first}"),
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
                                aria-current=[(number == played.len()).then_some("step")] title=[(first_times[number] < number).then(|| words(number))] aria-label=(words(number)) {
                                (mv.mv) @if is_mistake(number) { "?" } @if first_times[number] < number { " \u{21ba}" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The answer about an unfinished position that is known in time.
pub async fn known(visit: &Visit, position: &str) -> Result<Found, Problem> {
    let wanted = Wanted {
        moves: true,
        line: MOST_SHOWN + 1,
        ..Wanted::default()
    };
    visit.find(Some(position), wanted, PATIENCE).await
}

/// The score of a move, if it is known.
pub fn score_of(found: &Found, mv: &str) -> Option<InWords> {
    let answer = found.answer.as_ref()?;
    let mut moves = answer.moves.iter().flatten();
    let scored = moves.find(|scored| scored.0 == mv)?;
    Some(answer.in_words(scored.1))
}

/// The legal moves of a position with their scores, linked to addresses from `to`.
pub fn links<'a>(
    oracle: &dyn AnyOracle,
    view: &'a View,
    known: Option<&Found>,
    to: impl Fn(&str) -> String,
) -> Vec<Link<'a>> {
    let answer = known.and_then(Found::whole);
    let links = view.moves.iter().map(|mv| {
        let score = known.and_then(|found| score_of(found, &mv.name));
        let is_best = answer.is_some_and(|answer| answer.best_moves().any(|best| best == mv.name));
        let mut words = capitalised(&words::of_move(oracle, &mv.name));
        if let Some(score) = score {
            let points = (!score.counts_plies).then(|| words::signed(score.score) + ", ");
            words.push_str(&format!(
                ": {}{}",
                points.unwrap_or_default(),
                score.effect()
            ));
        }
        if is_best {
            words.push_str(", a best move");
        }
        Link {
            mv,
            place: board::place_of(view, mv, &view.moves),
            address: to(&mv.name),
            score,
            is_best,
            words,
        }
    });
    links.collect()
}
