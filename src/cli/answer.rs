//! Answers about positions, as text and JSON.

use super::ui::style;
use crate::any::AnyOracle;
use crate::game::{Outcome, Points, Side};
use crate::oracle::{Answer, Bounds};
use crate::text::{capitalised, count, counted, listed, signed};
use serde::Serialize;
use std::io::{self, Write};

/// An answer in JSON, which is a public interface.
///
/// Scores are seen from the side to move, unless the name says otherwise. Games that count plies
/// have `outcome` and `distance` in their place, or beside them if they count points, too.
#[derive(Serialize)]
pub struct AnswerReport<'a> {
    position: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Points>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_at_least: Option<Points>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_at_most: Option<Points>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    /// Plies to the end; not for draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_player_score: Option<Points>,
    /// All best moves, or only one if a search has not found every move's score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    best_moves: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveReport<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<&'a [String]>,
    /// Whether the line ends because the next move would repeat a position.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    line_repeats: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// Only for searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    /// Only for searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

#[derive(Default, Serialize)]
struct MoveReport<'a> {
    #[serde(rename = "move")]
    mv: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Points>,
    /// Only if scores count plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
    /// The position after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    /// Whether the same side moves again.
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<bool>,
    /// Names of its places in the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<Vec<String>>,
}

impl<'a> AnswerReport<'a> {
    pub fn new(answer: &'a Answer) -> AnswerReport<'a> {
        let Bounds { lower, upper } = answer.bounds;
        let score = answer.bounds.score();
        let counts_plies = answer.words.counts_plies;
        let points = |score: Option<i32>| answer.in_words(score?).points();
        let bound = |bound| points(score.is_none().then_some(bound));
        let distance = |score| answer.in_words(score).distance();
        let report = |(mv, score): &'a (String, i32)| MoveReport {
            mv,
            score: points(Some(*score)),
            outcome: counts_plies.then(|| Outcome::of(*score).to_string()),
            distance: distance(*score),
            ..MoveReport::default()
        };
        let moves = answer.moves.as_ref();
        AnswerReport {
            position: &answer.position,
            score: points(score),
            score_at_least: bound(lower),
            score_at_most: bound(upper),
            outcome: answer.bounds.outcome().map(|outcome| outcome.to_string()),
            distance: score.and_then(distance),
            first_player_score: points(answer.first_player_bounds().score()),
            best_moves: answer.known_best_moves(),
            moves: moves.map(|moves| moves.iter().map(report).collect()),
            line: answer.line.as_deref(),
            line_repeats: answer.line_repeats,
            answer: answer.yes,
            error: answer.is_interrupted.then_some("interrupted"),
            nodes: answer.effort.map(|effort| effort.nodes),
            seconds: answer.effort.map(|effort| effort.seconds),
        }
    }
}

impl AnswerReport<'_> {
    /// Adds the places of moves and the positions after them, and whether the `side` moves again
    /// because the game isn't over there.
    #[cfg(feature = "serve")]
    pub fn look_ahead(&mut self, oracle: &AnyOracle<'_>, side: Side) {
        for mv in self.moves.iter_mut().flatten() {
            if let Ok(next) = oracle.view(Some(self.position), &[mv.mv]) {
                mv.again = Some(next.result.is_none() && next.to_move == side);
                mv.position = Some(next.position);
                mv.places = next.played.into_iter().next().map(|played| played.places);
            }
        }
    }
}

/// Returns the proven bounds in words: "the first player wins by 2 or more".
pub fn proven(answer: &Answer) -> String {
    let Bounds { lower, upper } = answer.first_player_bounds();
    let words = |score| answer.in_words_of(Side::First, score);
    let wins = |score: i32| format!("the {}", words(score).who_wins());
    let or_better = |score: i32| match (words(score).distance(), answer.words.pieces) {
        (Some(_), _) => wins(score) + " or fewer",
        (None, Some(_)) => wins(score) + " or sooner",
        (None, None) if answer.words.counts_plies => wins(score),
        (None, None) => wins(score) + " or more",
    };
    match (lower, upper) {
        (0, 0) => words(0).who_wins(),
        _ if lower == upper => wins(lower),
        (1.., _) => or_better(lower),
        (_, ..=-1) => or_better(upper),
        (0, _) => "the first player gets a draw or better".to_owned(),
        (_, 0) => "the second player gets a draw or better".to_owned(),
        _ if answer.words.counts_plies || answer.words.pieces.is_some() => {
            "either player may win".to_owned()
        }
        _ => format!(
            "the first player's score is from {} to {}",
            words(lower).short(),
            words(upper).short()
        ),
    }
}

/// Returns the proven bounds and the known scores of moves, for an interrupted search.
pub fn all_proven(answer: &Answer, move_noun: &str) -> String {
    let mut text = proven(answer);
    for (mv, score) in answer.moves.iter().flatten() {
        let (mv, score) = (any_of(&[mv], move_noun), answer.in_words(*score));
        let verb = if score.counts_plies { "" } else { "scores " };
        text.push_str(&format!("; {mv} {verb}{}", score.short()));
    }
    text
}

/// Returns the winner and the best moves: "the first player wins by 6; pit 5 is the only winning
/// move".
pub fn who_wins_how(answer: &Answer, move_noun: &str) -> String {
    let who = proven(answer);
    let mover = format!("the {} player", answer.to_move);
    match (how(answer, &mover, move_noun), &answer.best_move) {
        (Some(how), _) => format!("{who}; {how}"),
        (None, Some(mv)) if answer.bounds.lower >= 0 => {
            format!("{who}, with {}", any_of(&[mv], move_noun))
        }
        (None, Some(mv)) => format!(
            "{who}; {mover} loses least with {}",
            any_of(&[mv], move_noun)
        ),
        (None, None) => who,
    }
}

/// Returns the best moves in a clause: "pit 5 is the only winning move". `None` if they are not
/// known.
///
/// `mover` is the side to move: "the first player".
pub fn how(answer: &Answer, mover: &str, move_noun: &str) -> Option<String> {
    let best: Vec<&str> = answer.best_moves().collect();
    if best.is_empty() {
        return None;
    }
    let all = answer.moves.as_deref().unwrap_or_default();
    let (are_all_best, is_single) = (best.len() == all.len(), best.len() == 1);
    let outcome = Outcome::of(answer.bounds.lower);
    // Whether all other moves have a worse outcome, rather than only a worse score.
    let decides = is_single && all[1..].iter().all(|mv| Outcome::of(mv.1) != outcome);
    let moves = any_of(&best, move_noun);
    let (same, most, least) = match (answer.words.counts_plies, answer.words.pieces) {
        (true, _) => ("in the same number of plies", "soonest", "latest"),
        (_, Some(_)) => ("in the same number of moves", "soonest", "latest"),
        (_, None) => ("by the same margin", "most", "least"),
    };
    Some(match outcome {
        _ if all.len() == 1 => format!("the only legal move is {}", best[0]),
        Outcome::Win if are_all_best => format!("every move wins {same}"),
        Outcome::Draw if are_all_best => "any move draws".to_owned(),
        Outcome::Draw if best.len() > 12 => format!("{} of {} moves draw", best.len(), all.len()),
        Outcome::Loss if are_all_best => format!("every move loses {same}"),
        Outcome::Win if decides => format!("{moves} is the only winning move"),
        Outcome::Draw if is_single => format!("{moves} is the only move that draws"),
        Outcome::Win => format!("{mover} wins {most} with {moves}"),
        Outcome::Draw => format!("{moves} draws"),
        Outcome::Loss => format!("{mover} loses {least} with {moves}"),
    })
}

/// Returns moves in words: "pit 5", "cell a1, b1 or c1". Omits a noun that is only "move".
pub fn any_of(moves: &[&str], noun: &str) -> String {
    let moves = listed(moves, "or");
    match noun {
        "move" => moves,
        noun => format!("{noun} {moves}"),
    }
}

/// Returns the reason for an answer to a question, in one sentence.
pub fn reason(answer: &Answer, move_noun: &str) -> String {
    let part = if answer.is_whole {
        ""
    } else {
        ", counting only the rest of the game,"
    };
    format!("with best play{part} {}.", who_wins_how(answer, move_noun))
}

/// Prints the answer to a question in a sentence, and the moves and the line if wanted.
pub fn print_in_short(
    answer: &Answer,
    move_noun: &str,
    wants_moves: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let reason = reason(answer, move_noun);
    match answer.yes {
        None => writeln!(out, "{}", capitalised(&reason))?,
        Some(yes) => {
            let style = if yes { style::GOOD } else { style::BAD };
            let word = if yes { "yes" } else { "no" };
            writeln!(out, "{style}{word}{style:#}: {reason}")?;
        }
    }
    if wants_moves {
        print_moves(answer, out)?;
    }
    print_line(answer, out)
}

/// Prints everything known about a position.
pub fn print(answer: &Answer, oracle: &AnyOracle<'_>, out: &mut impl Write) -> anyhow::Result<()> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    let (position, game) = (&answer.position, oracle.name());
    writeln!(out, "{strong}{position}{strong:#}  {faint}{game}{faint:#}")?;
    writeln!(out, "\n{}\n", oracle.view(Some(position), &[])?.board)?;
    let score = answer.bounds.lower;
    let style = style::style_of(score);
    let part = if answer.is_whole {
        ""
    } else {
        ", counting only the rest of the game"
    };
    let who = answer.in_words(score).who_wins();
    writeln!(out, "With best play{part}: {style}{who}{style:#}.")?;
    print_moves(answer, out)?;
    print_line(answer, out)?;
    if let Some(effort) = answer.effort {
        writeln!(
            out,
            "{faint}{} nodes searched in {:.1} s ({}).{faint:#}",
            count(effort.nodes),
            effort.seconds,
            counted(effort.threads, "thread"),
        )?;
    }
    Ok(())
}

/// Prints the moves with their scores, one per line.
fn print_moves(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    let Some(moves) = &answer.moves else {
        return Ok(());
    };
    writeln!(out, "Moves of the {} player, best first:", answer.to_move)?;
    let width = moves.iter().map(|mv| mv.0.len()).max().unwrap_or(0);
    for (name, score) in moves {
        let style = style::style_of(*score);
        let score = answer.in_words(*score).short();
        writeln!(out, "  {name:<width$}  {style}{score:>4}{style:#}")?;
    }
    Ok(())
}

fn print_line(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    let Some(line) = &answer.line else {
        return Ok(());
    };
    let end = match answer.line_repeats {
        true => " \u{2026} and so on: the position repeats",
        false => "",
    };
    writeln!(out, "Best play: {}{end}", joined(line))
}

/// Prints the answer of a batch in one line: score, outcome and best moves, or yes or no.
///
/// In games that count plies, the distance takes the place of the score, or follows the points, and
/// `-` stands for a draw.
pub fn print_short(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    if let Some(yes) = answer.yes {
        return out.write_all(if yes { b"yes" } else { b"no" });
    }
    let score = answer.bounds.lower;
    let words = answer.in_words(score);
    let points = words.points().filter(|_| words.counts_plies);
    let number = match (words.counts_plies, words.distance()) {
        (false, _) => words.short(),
        (true, Some(plies)) => match points {
            Some(points) => format!("{} in {plies}", signed(points.value())),
            None => plies.to_string(),
        },
        (true, None) => "-".to_owned(),
    };
    let best = joined(&answer.known_best_moves());
    write!(out, "{number}\t{}\t{best}", Outcome::of(score))
}

/// Joins moves by blanks, or by commas if a move contains a blank.
fn joined<M: AsRef<str>>(moves: &[M]) -> String {
    let names: Vec<&str> = moves.iter().map(AsRef::as_ref).collect();
    let has_blank = names.iter().any(|name| name.contains(' '));
    names.join(if has_blank { ", " } else { " " })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{InWords, WON};

    #[test]
    fn moves_in_a_row_are_told_apart() {
        assert_eq!(joined(&["b1", "c1"]), "b1 c1");
        assert_eq!(joined(&["(0, 1)", "pass"]), "(0, 1), pass");
        assert_eq!(joined::<&str>(&[]), "");
    }

    #[test]
    fn words_about_moves_fit_their_scores() {
        let fast = WON - 3;
        for (moves, text) in [
            (&[6, 0, -8][..], "6; pit 1 is the only winning move"),
            (&[6, 4, -8], "6; the first player wins most with pit 1"),
            (&[6, 6, -8], "6; the first player wins most with pit 1 or 2"),
            (&[6, 6], "6; every move wins by the same margin"),
            (&[6], "6; the only legal move is 1"),
            (&[0, -1], "draw; pit 1 is the only move that draws"),
            (&[0, 0, -1], "draw; pit 1 or 2 draws"),
            (&[0, 0], "draw; any move draws"),
            (&[-2, -4], "2; the first player loses least with pit 1"),
            (
                &[-2, -2, -4],
                "2; the first player loses least with pit 1 or 2",
            ),
            (&[-2, -2], "2; every move loses by the same margin"),
            (
                &[fast, fast - 2],
                "in 3 plies; the first player wins soonest with pit 1",
            ),
            (
                &[fast, fast],
                "3 plies; every move wins in the same number of plies",
            ),
            (&[WON - 1, 0], "in 1 ply; pit 1 is the only winning move"),
            (
                &[-fast, -fast - 2],
                "in 3 plies; the first player loses latest with pit 1",
            ),
        ] {
            let answer = Answer {
                position: String::new(),
                to_move: Side::First,
                is_whole: true,
                words: InWords::new(0, moves[0].abs() > WON - 10),
                bounds: Bounds::exactly(moves[0]),
                best_move: None,
                moves: Some(
                    (1..)
                        .zip(moves)
                        .map(|(pit, &score)| (pit.to_string(), score))
                        .collect(),
                ),
                line: None,
                line_repeats: false,
                yes: None,
                is_interrupted: false,
                effort: None,
            };
            let found = who_wins_how(&answer, "pit");
            assert!(found.ends_with(text), "{found}, not {text}");
        }
    }
}
