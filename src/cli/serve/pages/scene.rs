//! The position of a page, on a line of moves, with its answer.

use super::parts::{self, Link, Links, MOST_SHOWN, Shown};
use super::words::{self, Players};
use crate::any::{AnyOracle, Played, View};
use crate::cli::serve::address::GameLine;
use crate::cli::serve::host::blocking;
use crate::cli::serve::jobs::FoundAnswer;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::game::{InWords, Surface};
use crate::oracle::Wanted;
use crate::text::capitalised;
use maud::{Markup, html};
use std::time::{Duration, Instant};

/// Maximum time until a page shows a partial answer; the page then reloads.
pub const PATIENCE: Duration = Duration::from_millis(60);

/// Maximum number of boards that show the last moves.
const MOST_BEFORE: usize = 5;

/// The position of a page.
pub struct Scene {
    pub visit: Visit,
    pub line: GameLine,
    pub players: Players,
    /// The end of the line.
    pub end: View,
    /// The position on the board.
    pub view: View,
    /// Whether the page shows scores.
    pub shows_scores: bool,
    /// Whether the board is shown as the second player sees it.
    pub is_turned: bool,
    /// The answer to show, perhaps a partial one; `None` if the game is over or scores are hidden.
    pub known: Option<FoundAnswer>,
    /// Time when the page was asked for.
    pub began: Instant,
    /// Whether discs have letters.
    has_letters: bool,
    /// The position before the last moves, which one side made.
    before: Option<View>,
}

impl Scene {
    /// Returns the position of a page on a line of moves.
    pub async fn of(visit: Visit, mut line: GameLine) -> Result<Scene, Problem> {
        let began = Instant::now();
        let end = visit.view(line.from.as_deref(), &line.played).await?;
        line.played = end.played.iter().map(|played| played.mv.clone()).collect();
        let mut view = end.clone();
        if let Some(next) = end.played.get(line.at) {
            view = visit.view(Some(&next.before), &[]).await?;
            view.played = end.played[..line.at].to_vec();
        }
        let mut before = None;
        if let [first, ..] = last_moves(&view) {
            before = Some(visit.view(Some(&first.before), &[]).await?);
        }
        Ok(Scene {
            began,
            players: Players::of(&visit.source.oracle),
            shows_scores: visit.who.sees_scores() && !visit.params.flag("hide")?,
            is_turned: visit.params.flag("flip")?,
            has_letters: visit.params.flag("letters")?,
            visit,
            line,
            end,
            view,
            known: None,
            before,
        })
    }

    /// Returns the position of a page, or else of the longest legal part of its line, and what is
    /// wrong.
    ///
    /// # Errors
    /// If not even the game's start can be shown.
    pub async fn of_legal_part(
        visit: Visit,
        line: GameLine,
    ) -> Result<(Scene, Option<Problem>), Problem> {
        match Scene::of(visit.clone(), line.clone()).await {
            Ok(scene) => Ok((scene, None)),
            Err(problem) => {
                let legal = legal_part(&visit, line).await;
                let legal = legal.ok_or_else(|| problem.clone())?;
                Ok((Scene::of(visit, legal).await?, Some(problem)))
            }
        }
    }

    /// Returns the same position in a game: drawn if it came up before.
    pub fn in_play(mut self) -> Scene {
        for view in [&mut self.view, &mut self.end] {
            if view.repeats() {
                view.result = Some(0);
                view.status = "The game is drawn, because the position repeats".to_owned();
                view.moves.clear();
            }
        }
        self
    }

    /// Returns whether each player has a side of the board.
    fn has_sides(&self) -> bool {
        let picture = self.view.picture.as_ref();
        picture.is_some_and(|picture| picture.has_sides)
    }

    /// Finds the answer that is known in time, unless scores are hidden.
    ///
    /// # Errors
    /// If there is none, so that the page shows no scores.
    pub async fn find_scores(&mut self) -> Result<(), Problem> {
        if self.shows_scores && self.view.result.is_none() {
            let position = Some(&*self.view.position);
            let known = self.visit.find(position, wanted(), PATIENCE).await;
            self.shows_scores = known.is_ok();
            self.known = Some(known?);
        }
        Ok(())
    }

    pub fn oracle(&self) -> &AnyOracle<'_> {
        &self.visit.source.oracle
    }

    /// Returns the answer, if it is complete.
    pub fn answer(&self) -> Option<&crate::oracle::Answer> {
        self.known.as_ref().and_then(FoundAnswer::whole)
    }

    /// Returns the position's name in titles.
    pub fn name(&self) -> String {
        match &self.view.played[..] {
            [] => "position".to_owned(),
            played if played.len() > MOST_SHOWN => format!("after {} moves", played.len()),
            played => {
                let moves: Vec<&str> = played.iter().map(|played| &*played.mv).collect();
                moves.join(" ")
            }
        }
    }

    /// Returns seconds until the page should reload, if a search is running.
    pub fn again(&self) -> Option<u64> {
        let since = self.known.as_ref()?.searching?;
        Some((since.as_secs() / 4).clamp(1, 8))
    }

    /// Returns the links of the moves through the chosen places.
    pub fn links(&self) -> Links<'_> {
        let to = |mv: &str| self.line.then(mv).here();
        let mut links = links(self.oracle(), &self.view, self.known.as_ref(), to);
        let next = self.line.played.get(self.line.at);
        for link in &mut links {
            link.is_played = Some(&link.mv.name) == next;
        }
        let through = |chosen: &[String]| self.line.through(chosen).here();
        Links::through(&self.view, links, &self.line.chosen, through)
    }

    /// Returns the board with these links, and with marks of the last moves.
    pub fn board(&self, links: &Links<'_>) -> Markup {
        let last = last_moves(&self.view).iter();
        let before = self.before.as_ref();
        let shown = Shown {
            last: last.flat_map(|played| &played.places).collect(),
            before: before.and_then(|before| before.picture.as_ref()),
            ..self.shown(&self.view)
        };
        parts::painted(&self.view, links, shown)
    }

    /// Returns the boards before each of the last moves, which the script shows one after the other.
    pub fn boards_before(&self) -> Result<Markup, Problem> {
        let board = |view: &View| parts::painted(view, &Links::default(), self.shown(view));
        let mut boards: Vec<Markup> = self.before.iter().map(board).collect();
        for played in last_moves(&self.view).iter().take(MOST_BEFORE).skip(1) {
            boards.push(board(&self.oracle().view(Some(&played.before), &[])?));
        }
        Ok(html! { template id="before" { @for board in boards { (board) } } })
    }

    fn shown<'a>(&self, view: &'a View) -> Shown<'a> {
        Shown {
            is_turned: self.is_turned && self.has_sides(),
            has_letters: self.has_letters,
            ..parts::shown(view, "board")
        }
    }

    /// Returns the last moves, which one side made, in a sentence: "The program played 5, then 3."
    pub fn last_moves_in_words(&self) -> Markup {
        let last = last_moves(&self.view);
        let names: Vec<&str> = last.iter().map(|played| &*played.mv).collect();
        html! {
            @if let [first, ..] = last {
                p id="happened" class="soft" {
                    (capitalised(self.players.name(first.side))) " played "
                    b { (words::of_move(self.oracle(), &names.join(", then "))) } "."
                    @if let Some(remark) = &self.view.remark { " " (capitalised(remark)) "." }
                }
            }
        }
    }

    /// Returns links that change what the page shows, and to copy its address.
    pub fn switches(&self) -> Markup {
        let switch = |name, value: bool, words: &str| {
            let value = if value { "1" } else { "0" };
            html! { a class="button" href=(self.line.with(name, Some(value)).here()) { (words) } }
        };
        let scores = if self.shows_scores {
            "Hide scores"
        } else {
            "Show scores"
        };
        html! {
            @if self.visit.who.sees_scores() { (switch("hide", self.shows_scores, scores)) }
            @if self.has_sides() { (switch("flip", !self.is_turned, "Turn the board")) }
            @if self.view.surface() == Some(Surface::Rack) {
                (switch("letters", !self.has_letters, if self.has_letters { "No letters" } else { "Letters on discs" }))
            }
            // Shown by the script.
            button type="button" class="copy" hidden { "Copy link" }
        }
    }
}

/// Returns the longest part of a line that is legal, from its position or else from the start.
async fn legal_part(visit: &Visit, line: GameLine) -> Option<GameLine> {
    let oracle = visit.source.oracle.clone();
    let start = (!visit.entry.game.has_start()).then(|| oracle.start());
    let found = blocking(move || {
        let moves: Vec<&str> = line.played.iter().map(|mv| &**mv).collect();
        let is_legal =
            |from: &Option<String>, moves: &[&str]| oracle.view(from.as_deref(), moves).is_ok();
        let from = [&line.from, &start]
            .into_iter()
            .find(|from| is_legal(from, &[]));
        Ok(from.map(|from| {
            let lengths: Vec<usize> = (1..=moves.len()).collect();
            let legal = lengths.partition_point(|&length| is_legal(from, &moves[..length]));
            line.restarted(from.clone(), line.played[..legal].to_vec())
        }))
    });
    found.await.ok().flatten()
}

/// Returns the moves that one side made in a row before a position.
fn last_moves(view: &View) -> &[Played] {
    let last = view
        .played
        .chunk_by(|one, next| one.side == next.side)
        .next_back();
    last.unwrap_or_default()
}

/// Returns the parts of an answer that pages show of a position.
pub fn wanted() -> Wanted {
    Wanted {
        moves: true,
        line: MOST_SHOWN + 1,
        ..Wanted::default()
    }
}

/// Returns the score of a move, if it is known.
fn score_of(found: &FoundAnswer, mv: &str) -> Option<InWords> {
    let answer = found.answer.as_ref()?;
    let mut moves = answer.moves.iter().flatten();
    let scored = moves.find(|scored| scored.0 == mv)?;
    Some(answer.in_words(scored.1))
}

/// Returns the legal moves of a position with their scores, linked to addresses from `to`.
pub fn links<'a>(
    oracle: &AnyOracle<'_>,
    view: &'a View,
    known: Option<&FoundAnswer>,
    to: impl Fn(&str) -> String,
) -> Vec<Link<'a>> {
    let answer = known.and_then(FoundAnswer::whole);
    let best: Vec<&str> = answer.map_or(Vec::new(), |answer| answer.best_moves().collect());
    let links = view.moves.iter().map(|mv| {
        let score = known.and_then(|found| score_of(found, &mv.name));
        let is_best = best.len() < view.moves.len() && best.contains(&&*mv.name);
        let mut words = capitalised(&words::of_move(oracle, &mv.name));
        if let Some(score) = score {
            // The board shows the sign, so it belongs to the link's name.
            words.push_str(&format!(": {}, {}", words::sign(score), score.effect()));
        }
        if is_best {
            words.push_str(", a best move");
        }
        Link {
            mv,
            address: to(&mv.name),
            score,
            is_best,
            is_played: false,
            words,
        }
    });
    links.collect()
}
