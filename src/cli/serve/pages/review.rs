//! A line of moves, with the scores along it: links to its positions, a chart, and the mistakes.

use super::parts::{self, Links, most_shown};
use super::scene::{PATIENCE, Scene};
use super::{why, words};
use crate::cli::serve::jobs::FoundAnswer;
use crate::cli::serve::problem::Problem;
use crate::draw::chart::{Point, along_game};
use crate::game::{InWords, Side, one_move_before};
use crate::oracle::Wanted;
use crate::text::{capitalised, counted};
use axum::http::StatusCode;
use maud::{Markup, html};

/// Maximum number of moves of a line that is analysed.
const MOST_MOVES: usize = 200;

/// Maximum number of better moves that a mistake names.
const MOST_BEST: usize = 4;

/// The scores along a line.
#[derive(Default)]
pub struct Review {
    /// The positions of the line, with `None` for scores that are not known.
    plies: Vec<Option<Ply>>,
    mistakes: Vec<Mistake>,
    /// Whether a score or a move is being searched.
    pub is_searching: bool,
}

/// A position of the line.
struct Ply {
    /// Its score, seen from the first player.
    score: InWords,
    /// Its best moves, at least one unless the game is over.
    best: Vec<String>,
}

/// A mistake in the line.
struct Mistake {
    /// Number of the move, from 1.
    number: usize,
    /// The scores of a best move and of this one, seen from the side that made them.
    due: InWords,
    after: InWords,
    best: Vec<String>,
}

impl Mistake {
    /// Returns whether best play afterwards shows what the mistake costs.
    ///
    /// A win that only takes longer is still a win.
    fn is_refuted(&self) -> bool {
        let Mistake { due, after, .. } = self;
        due.outcome() != after.outcome() || !due.counts_plies && due.pieces.is_none()
    }
}

/// Parts of a page of a position around the board and the line.
pub struct Around<'a> {
    /// The side to move, or the result.
    pub turn: &'a str,
    pub links: Links<'a>,
    /// Boards that lead to this one.
    pub before: Markup,
    /// Links to other pages.
    pub ways: Markup,
    pub verdict: Markup,
    pub more: Markup,
}

impl Review {
    /// Returns the scores that are known in time; none if they are hidden or the line is very long.
    ///
    /// The last position is searched first: it is the easiest, and its results help with those
    /// before.
    pub async fn of(scene: &Scene) -> Review {
        let (visit, end) = (&scene.visit, &scene.end);
        let mut review = Review::default();
        if end.played.len() > MOST_MOVES || !scene.shows_scores {
            return review;
        }
        // In a game, a position that repeats is a draw.
        let result = end.result.or_else(|| end.repeats().then_some(0));
        review.plies.extend(result.map(|score| {
            let (score, best) = (end.in_words(Side::First, score), Vec::new());
            Some(Ply { score, best })
        }));
        let before = end.played.iter().map(|played| &*played.before);
        let positions: Vec<&str> = before.chain([&*end.position]).collect();
        let unknown = positions.len() - review.plies.len();
        for (number, position) in positions[..unknown].iter().enumerate().rev() {
            let patience = PATIENCE.saturating_sub(scene.began.elapsed());
            let found = match &scene.known {
                Some(known) if number == scene.line.at => Ok(known.clone()),
                _ => {
                    visit
                        .find(Some(position), Wanted::default(), patience)
                        .await
                }
            };
            let Some(answer) = found.as_ref().ok().and_then(FoundAnswer::whole) else {
                let is_busy = |problem: &Problem| problem.status == StatusCode::SERVICE_UNAVAILABLE;
                review.is_searching = found.as_ref().err().is_none_or(is_busy);
                break;
            };
            let best = answer.known_best_moves().into_iter();
            review.plies.push(Some(Ply {
                score: answer.in_words_of(Side::First, answer.first_player_bounds().lower),
                best: best.map(str::to_owned).collect(),
            }));
        }
        review.plies.resize_with(positions.len(), || None);
        review.plies.reverse();
        review.mistakes = mistakes(scene, &review.plies);
        review
    }

    /// Returns seconds until the page should reload, if a search is running.
    pub fn again(&self, scene: &Scene) -> Option<u64> {
        scene.again().or_else(|| self.is_searching.then_some(1))
    }

    /// Returns the regret of a move, by its number from 1, in words; `None` if it is not known.
    pub fn regret(&self, number: usize) -> Option<String> {
        let pair = self.plies.get(number - 1..=number)?;
        if pair.iter().any(Option::is_none) {
            return None;
        }
        let mistake = self.mistakes.iter().find(|of| of.number == number);
        Some(
            mistake.map_or("regret 0".to_owned(), |Mistake { due, after, .. }| {
                let change = words::change(*due, *after);
                match due.counts_plies {
                    true => change,
                    false => format!("regret {}: {change}", due.score - after.score),
                }
            }),
        )
    }

    /// Returns the reason why the refuted move is a mistake, if the page shows a refutation.
    pub fn reason(&self, scene: &Scene) -> Result<Option<String>, Problem> {
        let begin = why::begin(scene);
        let ply = begin.and_then(|begin| self.plies.get(begin)?.as_ref());
        why::reason(scene, ply.map(|ply| ply.score))
    }

    /// Returns whether a move, by its number from 1, is a mistake.
    fn is_mistake(&self, number: usize) -> bool {
        self.mistakes.iter().any(|mistake| mistake.number == number)
    }

    /// Returns the number of moves before the next mistake after a position, or else before the
    /// first one.
    fn next_mistake(&self, at: usize) -> Option<usize> {
        let mut before = self.mistakes.iter().map(|mistake| mistake.number - 1);
        let next = before.clone().find(|&before| before > at);
        next.or_else(|| before.next())
            .filter(|&before| before != at)
    }

    /// Returns the contents of the page of a position.
    pub fn page(&self, scene: &Scene, around: &Around<'_>) -> Markup {
        let (view, links) = (&scene.view, &around.links);
        let long = if parts::is_long(view) { " long" } else { "" };
        let moves = match scene.players.name(view.to_move) {
            "you" => "Your moves".to_owned(),
            name => format!("Moves of {name}"),
        };
        html! {
            h1 class="unseen" { (scene.oracle().title()) ", " (scene.name()) }
            div class={ "look position" (long) } data-again=[self.again(scene)] {
                section class="stage" aria-label="Board" {
                    (parts::turn_in_words(view, around.turn))
                    (scene.last_moves_in_words())
                    div id="board" { (scene.board(links)) }
                    (around.before)
                    (links.beside_board())
                    (self.steps(scene))
                    nav class="steps" id="ways" aria-label="On from here" { (around.ways) (scene.switches()) }
                }
                section class="facts" aria-label="Scores" {
                    div id="verdict" { (around.verdict) }
                    div id="moves" {
                        @if !links.moves.is_empty() {
                            h2 { (moves) }
                            (links.list(scene.shows_scores))
                        }
                    }
                    (self.story(scene))
                    (around.more)
                }
            }
        }
    }

    /// Returns links to other positions of the line.
    fn steps(&self, scene: &Scene) -> Markup {
        let (at, all) = (scene.line.at, scene.line.played.len());
        let mistake = self.next_mistake(at);
        let step = |rel: Option<&str>, number: Option<usize>, sign: &str, words: &str| {
            html! {
                a class="button" rel=[rel] data-watch[number.is_some() && rel == Some("next") && why::begin(scene).is_some()] data-step=[rel.is_none().then_some("mistake")] aria-label=(words) title=(words)
                    href=[number.map(|number| scene.line.at(number).here())]
                    role=[number.is_none().then_some("link")] aria-disabled=[number.is_none().then_some("true")] { (sign) }
            }
        };
        let (back, on) = (at.checked_sub(1), (at < all).then_some(at + 1));
        html! {
            @if all > 0 {
                nav class="steps" id="steps" aria-label="Back and forth" {
                    (step(Some("first"), back.map(|_| 0), "\u{21e4}", "To the beginning"))
                    (step(Some("prev"), back, "\u{2190}", "Back"))
                    (step(Some("next"), on, "\u{2192}", "On"))
                    (step(Some("last"), on.map(|_| all), "\u{21e5}", "To the end"))
                    @if mistake.is_some() { (step(None, mistake, "Next mistake", "Next mistake")) }
                }
            }
        }
    }

    /// Returns the line, and the scores along it.
    fn story(&self, scene: &Scene) -> Markup {
        html! {
            div id="story" {
                (self.line(scene))
                @if self.plies.len() > 1 {
                    (self.chart(scene))
                    (self.list(scene))
                }
            }
        }
    }

    /// Returns the moves of the line, with links.
    fn line(&self, scene: &Scene) -> Markup {
        let (line, played) = (&scene.line, &scene.end.played);
        let shown = most_shown(line);
        let skipped = (line.at.saturating_sub(shown / 2)).min(played.len().saturating_sub(shown));
        let after = played.len().saturating_sub(skipped + shown);
        let first_times = scene.end.first_times();
        let words = |number: usize| {
            let mv = &played[number - 1];
            let (player, name) = (
                scene.players.name(mv.side),
                words::of_move(scene.oracle(), &mv.mv),
            );
            let mut words = capitalised(&format!("{player}: {name}"));
            if self.is_mistake(number) {
                words.push_str(", a mistake");
            }
            match first_times[number] {
                first if first == number => words,
                0 => words + ", repeats the first position",
                first => words + &format!(", repeats the position after move {first}"),
            }
        };
        let more = |moves: usize| html! { @if moves > 0 { li { "\u{2026} " (counted(moves, "move")) " \u{2026}" } } };
        let current = |number: usize| (number == line.at).then_some("step");
        html! {
            @if !played.is_empty() {
                h2 { "The line" }
                ol class="line" {
                    li {
                        a href=(line.at(0).here()) aria-current=[current(0)] {
                            @if line.from.is_some() { "Position" } @else { "Start" }
                        }
                    }
                    (more(skipped))
                    @for (number, mv) in (1..).zip(played).skip(skipped).take(shown) {
                        li class=(mv.side) {
                            a class=[self.is_mistake(number).then_some("mistake")] href=(line.at(number).here())
                                aria-current=[current(number)] title=[(first_times[number] < number).then(|| words(number))] aria-label=(words(number)) {
                                (mv.mv) @if self.is_mistake(number) { "?" } @if first_times[number] < number { " \u{21ba}" }
                            }
                        }
                    }
                    (more(after))
                }
            }
        }
    }

    /// Returns the chart of the scores.
    fn chart(&self, scene: &Scene) -> Markup {
        let points = self.plies.iter().enumerate().map(|(number, ply)| {
            let score = ply.as_ref()?.score;
            let what = match number.checked_sub(1) {
                None => "At the beginning".to_owned(),
                Some(before) => {
                    let played = &scene.end.played[before];
                    let mv = words::of_move(scene.oracle(), &played.mv);
                    format!("After {mv} of {}", scene.players.name(played.side))
                }
            };
            Some(Point {
                score: if score.counts_plies {
                    score.score.signum()
                } else {
                    score.score
                },
                words: format!("{what}: {}", scene.players.who_wins(score)),
                address: scene.line.at(number).here(),
                is_mistake: self.is_mistake(number),
                is_here: number == scene.line.at,
            })
        });
        let points: Vec<_> = points.collect();
        let unknown = points.iter().filter(|point| point.is_none()).count();
        let wins = [Side::First, Side::Second].map(|side| scene.players.says(side, "wins"));
        html! {
            h2 { "Scores of the line" }
            (along_game(&points, scene.end.words.counts_plies, &wins))
            @if self.is_searching && unknown > 0 {
                p class="thinking" { "Thinking about " (counted(unknown, "position")) "\u{2026}" }
            }
        }
    }

    /// Returns the list of mistakes, each with the best moves.
    fn list(&self, scene: &Scene) -> Markup {
        let players = &scene.players;
        let of = |side| {
            let own = self.mistakes.iter();
            let own = own.filter(|mistake| scene.end.played[mistake.number - 1].side == side);
            format!("{} {}", players.name(side), own.count())
        };
        html! {
            h2 { "Mistakes" }
            @if self.mistakes.is_empty() {
                p { @if self.plies.iter().all(Option::is_some) { "No mistakes: every move was a best move." } @else { "No mistake is known yet." } }
            } @else {
                p { (capitalised(&of(Side::First))) ", " (of(Side::Second)) "." }
            }
            ol class="mistakes" {
                @for mistake in &self.mistakes {
                    @let played = &scene.end.played[mistake.number - 1];
                    li {
                        p {
                            a href=(scene.line.at(mistake.number - 1).here()) {
                                "Move " (mistake.number) ": " (players.name(played.side)) " played " (words::of_move(scene.oracle(), &played.mv))
                            }
                        }
                        p {
                            (parts::pill(mistake.due)) " \u{2192} " (parts::pill(mistake.after)) " "
                            (words::change(mistake.due, mistake.after))
                            @let (some, others) = mistake.best.split_at(mistake.best.len().min(MOST_BEST));
                            @if !some.is_empty() { "; better: " (some.join(" or ")) }
                            @if !others.is_empty() { " or " (counted(others.len(), "other")) }
                            "."
                            @if mistake.is_refuted() {
                                " " a href=(why::address(&scene.line, mistake.number)) data-step="why" { "Why?" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the moves that lowered the score of the side that made them.
fn mistakes(scene: &Scene, plies: &[Option<Ply>]) -> Vec<Mistake> {
    let pairs = plies.windows(2).zip(&scene.end.played);
    let found = (1..).zip(pairs).filter_map(|(number, (pair, played))| {
        let (before, after) = (pair[0].as_ref()?, pair[1].as_ref()?);
        let seen = |score: i32| played.side.seen(score);
        let score = one_move_before(seen(after.score.score), before.score.counts_plies);
        let [due, after] =
            [seen(before.score.score), score].map(|score| before.score.like(played.side, score));
        // Scores that leave out points already won are lower after each of them.
        let is_best = before.best.contains(&played.mv);
        (after.score < due.score && !is_best).then(|| Mistake {
            number,
            due,
            after,
            best: before.best.clone(),
        })
    });
    found.collect()
}
