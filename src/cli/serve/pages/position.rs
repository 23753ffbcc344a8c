//! A position: the board with the score of each move, who wins by how much, and best play.

use super::address::{Line, address, visited};
use super::assets::PREVIEWS;
use super::frame::{Tab, page as framed};
use super::{board, chart, parts, puzzles, words};
use crate::any::{AnyOracle, Look, View};
use crate::cli::answer;
use crate::cli::serve::http::Params;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::thinking::Found;
use crate::cli::serve::visit::{Visit, aside};
use crate::game::{Outcome, Side};
use crate::oracle::Wanted;
use crate::text::capitalised;
use axum::response::Response;
use maud::{Markup, html};
use std::time::Duration;

/// A page shows what is known after so long at most, and looks again.
const PATIENCE: Duration = Duration::from_millis(700);

/// What is known of a position at once; none if the game is over.
pub async fn known(visit: &Visit, view: &View) -> Result<Option<Found>, Problem> {
    if view.result.is_some() {
        return Ok(None);
    }
    known_at(visit, &view.position).await.map(Some)
}

/// The same of a position where the game is not over.
async fn known_at(visit: &Visit, position: &str) -> Result<Found, Problem> {
    let wanted = Wanted {
        moves: true,
        line: parts::MOST_SHOWN + 1,
        ..Wanted::default()
    };
    visit.find(Some(position), wanted, PATIENCE).await
}

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let (line, look) = visited(&visit).await?;
    let known = known(&visit, &look.view).await?;
    let tried = match tried(&visit.params, &line) {
        Some((seed, from, mv)) => {
            let score = parts::score_of(&known_at(&visit, from).await?, mv);
            let (id, oracle) = (&visit.entry.id, &*visit.asked.oracle);
            score.map(|score| puzzles::verdict(id, seed, oracle, mv, score))
        }
        None => None,
    };
    let shown = Shown {
        visit,
        line,
        look,
        known,
        tried,
    };
    aside(move || Ok(shown.page())).await
}

/// "the first player has won by 6", "it is drawn"
fn result_in_words(first_player_score: i32) -> String {
    let winner = match Outcome::of(first_player_score) {
        Outcome::Draw => return "it is drawn".to_owned(),
        Outcome::Win => Side::First,
        Outcome::Loss => Side::Second,
    };
    format!(
        "the {winner} player has won by {}",
        first_player_score.abs()
    )
}

/// The puzzle that somebody has tried a move in: what it was drawn with, its position, and the move.
fn tried<'a>(params: &Params, line: &'a Line) -> Option<(u64, &'a str, &'a str)> {
    let seed = params.filled("puzzle")?.parse().ok()?;
    match (&line.from, &line.played[..]) {
        (Some(from), [mv]) => Some((seed, from, mv)),
        _ => None,
    }
}

/// Which position it is, for titles.
fn what(look: &Look) -> String {
    match look.played.len() {
        0 => return "position".to_owned(),
        moves if moves > parts::MOST_SHOWN => return format!("after {moves} moves"),
        _ => {}
    }
    let moves: Vec<&str> = look.played.iter().map(|played| &*played.mv).collect();
    moves.join(" ")
}

/// A position, and what is known of it.
struct Shown {
    visit: Visit,
    line: Line,
    look: Look,
    /// None if the game is over.
    known: Option<Found>,
    /// What there is to say of a move that was tried in a puzzle.
    tried: Option<Markup>,
}

impl Shown {
    fn page(&self) -> Response {
        let title = format!("{}: {}", self.oracle().title(), what(&self.look));
        let again = self.known.as_ref().and_then(parts::again);
        framed(
            &self.visit,
            Tab::Explore,
            &title,
            again,
            &self.contents(again),
        )
    }

    fn oracle(&self) -> &dyn AnyOracle {
        &*self.visit.asked.oracle
    }

    fn contents(&self, again: Option<u64>) -> Markup {
        let to = |mv: &str| self.line.then(mv).explore();
        let links = parts::links(self.oracle(), &self.look, self.known.as_ref(), &to);
        let is_long = parts::is_long(&self.look.view);
        html! {
            h1 class="unseen" { (self.oracle().title()) ", " (what(&self.look)) }
            div class={ "look position" (if is_long { " long" } else { "" }) } data-again=[again] {
                section class="stage" aria-label="Board" {
                    (parts::turn(&self.look.view))
                    div class="table" {
                        div id="board" { (board::board(&self.look.view, &links)) }
                        (self.previews())
                    }
                    (parts::beside_board(&links))
                    (self.steps())
                    (self.line_here())
                }
                section class="facts" aria-label="Scores" {
                    div id="verdict" aria-live="polite" {
                        @if let Some(tried) = &self.tried { (tried) }
                        (self.verdict())
                    }
                    @if !links.is_empty() {
                        div id="moves" {
                            h2 { "Moves of the " (self.look.view.to_move) " player" }
                            (parts::list_of_moves(&links))
                        }
                    }
                    div id="best-play" { (self.best_play()) }
                    (self.about())
                }
            }
        }
    }

    /// The board after each move, shown while somebody points at it.
    fn previews(&self) -> Markup {
        html! {
            @if !self.look.moves.is_empty() {
                div class="previews" aria-hidden="true" {
                    p class="soft idle" { "Point at a move to see the board after it." }
                    @for (number, mv) in self.look.moves.iter().enumerate().take(PREVIEWS) {
                        div class={ "preview after" (number) } {
                            p { "After " (words::of_move(self.oracle(), &mv.name)) ": " (mv.after.status) }
                            (board::still(&mv.after))
                        }
                    }
                }
            }
        }
    }

    /// To the start, back, and on with the best move.
    fn steps(&self) -> Markup {
        let answer = self.known.as_ref().and_then(Found::whole);
        let best = answer.and_then(|answer| answer.best_moves().next());
        let back = self.line.played.len().checked_sub(1);
        html! {
            nav class="steps" aria-label="Back and forth" {
                @if let Some(back) = back {
                    a class="button" rel="first" href=(self.line.up_to(0).explore()) { "\u{21e4} Start" }
                    a class="button" rel="prev" href=(self.line.up_to(back).explore()) { "\u{2190} Back" }
                }
                @if let Some(best) = best {
                    a class="button strong" rel="next" href=(self.line.then(best).explore()) {
                        "Best move: " (best) " \u{2192}"
                    }
                }
                @if self.look.view.result.is_none() {
                    a class="button" href=(self.line.play(&[])) { "Play from here" }
                }
                @if !self.look.played.is_empty() {
                    a class="button" href=(self.line.page("review")) { "Review the line" }
                }
            }
        }
    }

    /// The moves that led here.
    fn line_here(&self) -> Markup {
        html! {
            @if !self.look.played.is_empty() {
                h2 { "The line so far" }
                ol class="line" {
                    li { a href=(self.line.up_to(0).explore()) { @if self.line.from.is_some() { "Position" } @else { "Start" } } }
                    (parts::line_so_far(self.oracle(), &self.line, &self.look.played))
                }
            }
        }
    }

    /// Who wins by how much, in a sentence.
    fn verdict(&self) -> Markup {
        let Some(found) = &self.known else {
            let result = self.look.view.result.unwrap_or_default();
            return html! {
                p class="verdict" { (parts::first_pill(result)) " The game is over: " (result_in_words(result)) "." }
            };
        };
        let Some(answer) = found.whole() else {
            return self.thinking(found);
        };
        let reason = answer::reason(answer, self.oracle().move_noun());
        let score = answer.first_player_bounds().lower;
        html! {
            p class="verdict" { (parts::first_pill(score)) " " (capitalised(&reason)) }
            (chart::balance(score))
            @if let Some(effort) = answer.effort {
                p class="soft" { "Searched in " (crate::text::time(effort.seconds)) "." }
            }
        }
    }

    fn thinking(&self, found: &Found) -> Markup {
        let searching = found.searching.as_ref();
        let searched = searching.map_or(Duration::ZERO, |search| search.searched);
        let is_waiting = searching.is_some_and(|search| search.is_waiting);
        let what = match (is_waiting, searched < self.visit.explorer.patience) {
            (true, _) => "Other searches come first.".to_owned(),
            (false, true) => "Thinking\u{2026}".to_owned(),
            (false, false) => format!(
                "Still thinking, after {} s; the search goes on in the background.",
                searched.as_secs()
            ),
        };
        html! {
            p class="verdict thinking" { (what) }
            @match &found.answer {
                Some(answer) => { p { "Proven so far: " (answer::proven(answer).replace('-', "\u{2212}")) "." } },
                None => { p { "Nothing is proven yet." } },
            }
            p class="soft" { "This page looks again by itself." }
        }
    }

    /// The principal variation, each of its moves a link.
    fn best_play(&self) -> Markup {
        let answer = self.known.as_ref().and_then(|found| found.answer.as_ref());
        let line = answer.and_then(|answer| answer.line.as_ref());
        let most = parts::most_shown(&self.line);
        let mut ahead = self.line.clone();
        let mut to = |mv: &str| {
            ahead.played.push(mv.to_owned());
            ahead.explore()
        };
        html! {
            @if let Some(line) = line {
                h2 { "Best play from here" }
                ol class="line" {
                    @for mv in line.iter().take(most) {
                        li { a href=(to(mv)) aria-label={ "on to " (words::of_move(self.oracle(), mv)) } { (mv) } }
                    }
                    @if line.len() > most { li { "\u{2026} and so on" } }
                }
            }
        }
    }

    /// Counts, the notation, and how to ask for the same elsewhere.
    fn about(&self) -> Markup {
        let view = &self.look.view;
        let position = ("position", view.position.clone());
        let api = [position, ("line", "true".to_owned())];
        let api = address("api", &self.line.game, &api);
        html! {
            @if let Some((name, number)) = self.look.layer {
                p class="soft" {
                    (number) " " (name)
                    @if let (true, Some((banked, points))) = (view.is_whole, self.look.banked) {
                        "; " (banked) " is " (words::signed(points)) " for the side to move"
                    }
                    "."
                }
            }
            @if !view.is_whole {
                p class="soft" { "This position leaves out what was won before, so scores count only what is still to come." }
            }
            details {
                summary { "Position and other positions" }
                form action=(address("explore", &self.line.game, &[])) {
                    label for="position" { "Position" }
                    div class="field" {
                        input id="position" name="position" value=(view.position) autocomplete="off" spellcheck="false";
                        button { "Show" }
                    }
                }
                @if view.result.is_none() {
                    p { a href=(api) { "The same as JSON" } }
                }
            }
        }
    }
}
