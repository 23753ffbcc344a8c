//! Answers about positions, as text and JSON.

use super::ui::style;
use crate::any::AnyOracle;
use crate::game::Outcome;
use crate::oracle::{Answer, Bounds};
use crate::text::{count, counted, listed, signed, who_wins};
use serde::Serialize;
use std::io::{self, Write};

/// An answer in JSON, which is a public interface.
///
/// Scores are seen from the side to move, unless the name says otherwise.
#[derive(Serialize)]
pub struct AnswerReport<'a> {
    position: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_at_least: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_at_most: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_player_score: Option<i32>,
    /// All best moves, or only one if a search has not found every move's score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    best_moves: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveReport<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<&'a [String]>,
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

#[derive(Serialize)]
struct MoveReport<'a> {
    #[serde(rename = "move")]
    mv: &'a str,
    score: i32,
}

impl<'a> AnswerReport<'a> {
    pub fn new(answer: &'a Answer) -> AnswerReport<'a> {
        let Bounds { lower, upper } = answer.bounds;
        let score = answer.bounds.score();
        let moves = answer.moves.as_ref().map(|moves| {
            let moves = moves.iter();
            let moves = moves.map(|(mv, score)| MoveReport { mv, score: *score });
            moves.collect()
        });
        AnswerReport {
            position: &answer.position,
            score,
            score_at_least: score.is_none().then_some(lower),
            score_at_most: score.is_none().then_some(upper),
            outcome: answer.bounds.outcome().map(|outcome| outcome.to_string()),
            first_player_score: answer.first_player_bounds().score(),
            best_moves: answer.known_best_moves(),
            moves,
            line: answer.line.as_deref(),
            answer: answer.yes,
            error: answer.is_interrupted.then_some("interrupted"),
            nodes: answer.effort.map(|effort| effort.nodes),
            seconds: answer.effort.map(|effort| effort.seconds),
        }
    }
}

/// The proven bounds in words: "the first player wins by 2 or more".
pub fn proven(answer: &Answer) -> String {
    let Bounds { lower, upper } = answer.first_player_bounds();
    match (lower, upper) {
        _ if lower == upper && lower != 0 => format!("the {}", who_wins(lower)),
        _ if lower == upper => who_wins(lower),
        (1.., _) => format!("the first player wins by {lower} or more"),
        (_, ..=-1) => format!("the second player wins by {} or more", -upper),
        (0, _) => "the first player gets a draw or better".to_owned(),
        (_, 0) => "the second player gets a draw or better".to_owned(),
        _ => format!(
            "the first player's score is from {} to {}",
            signed(lower),
            signed(upper)
        ),
    }
}

/// The proven bounds and the known scores of moves, for an interrupted search.
pub fn all_proven(answer: &Answer, move_noun: &str) -> String {
    let mut text = proven(answer);
    for (mv, score) in answer.moves.iter().flatten() {
        let mv = any_of(&[mv], move_noun);
        text.push_str(&format!("; {mv} scores {}", signed(*score)));
    }
    text
}

/// The winner and the best moves: "first player wins by 6; pit 5 is the only winning move".
pub fn who_wins_how(answer: &Answer, move_noun: &str) -> String {
    let who = proven(answer);
    let best: Vec<&str> = answer.best_moves().collect();
    if best.is_empty() {
        return match &answer.best_move {
            Some(mv) if answer.bounds.lower >= 0 => {
                format!("{who}, with {}", any_of(&[mv], move_noun))
            }
            _ => who,
        };
    }
    let all = answer.moves.as_deref().unwrap_or_default();
    let (are_all_best, is_single) = (best.len() == all.len(), best.len() == 1);
    let outcome = Outcome::of(answer.bounds.lower);
    // Whether all other moves have a worse outcome, rather than only a worse score.
    let decides = is_single && all[1..].iter().all(|mv| Outcome::of(mv.1) != outcome);
    let (mover, moves) = (answer.to_move, any_of(&best, move_noun));
    let how = match outcome {
        _ if all.len() == 1 => format!("the only legal move is {}", best[0]),
        Outcome::Win if are_all_best => "every move wins by the same margin".to_owned(),
        Outcome::Draw if are_all_best => "any move draws".to_owned(),
        Outcome::Loss if are_all_best => "every move loses by the same margin".to_owned(),
        Outcome::Win if decides => format!("{moves} is the only winning move"),
        Outcome::Draw if is_single => format!("{moves} is the only move that draws"),
        Outcome::Win => format!("the {mover} player wins most with {moves}"),
        Outcome::Draw => format!("{moves} draws"),
        Outcome::Loss => format!("the {mover} player loses least with {moves}"),
    };
    format!("{who}; {how}")
}

/// Moves in words: "pit 5", "cell a1, b1 or c1". Omits a noun that is only "move".
pub fn any_of(moves: &[&str], noun: &str) -> String {
    let moves = listed(moves, "or");
    match noun {
        "move" => moves,
        noun => format!("{noun} {moves}"),
    }
}

/// The reason for an answer to a question, in one sentence.
pub fn reason(answer: &Answer, move_noun: &str) -> String {
    let part = if answer.is_whole {
        ""
    } else {
        ", counting only the rest of the game,"
    };
    format!("with best play{part} {}.", who_wins_how(answer, move_noun))
}

/// Prints the answer to a question, and the moves and the line if wanted.
pub fn print_yes_or_no(
    answer: &Answer,
    yes: bool,
    move_noun: &str,
    wants_moves: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let style = if yes { style::GOOD } else { style::BAD };
    let word = if yes { "yes" } else { "no" };
    writeln!(out, "{style}{word}{style:#}: {}", reason(answer, move_noun))?;
    if wants_moves {
        print_moves(answer, out)?;
    }
    print_line(answer, out)
}

/// Prints everything known about a position.
pub fn print(answer: &Answer, oracle: &dyn AnyOracle, out: &mut impl Write) -> anyhow::Result<()> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    let (position, game) = (&answer.position, oracle.name());
    writeln!(out, "{strong}{position}{strong:#}  {faint}{game}{faint:#}")?;
    writeln!(out, "\n{}\n", oracle.board(position)?)?;
    let score = answer.bounds.lower;
    let style = style::style_of(score);
    let part = if answer.is_whole {
        ""
    } else {
        ", counting only the rest of the game"
    };
    let who = who_wins(answer.to_move.seen(score));
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
        let score = signed(*score);
        writeln!(out, "  {name:<width$}  {style}{score:>4}{style:#}")?;
    }
    Ok(())
}

fn print_line(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    match &answer.line {
        Some(line) => writeln!(out, "Best play: {}", joined(line)),
        None => Ok(()),
    }
}

/// Prints the answer of a batch in one line: score, outcome and best moves, or yes or no.
pub fn print_short(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    if let Some(yes) = answer.yes {
        return out.write_all(if yes { b"yes" } else { b"no" });
    }
    let score = answer.bounds.lower;
    let best = answer.known_best_moves();
    write!(
        out,
        "{}\t{}\t{}",
        signed(score),
        Outcome::of(score),
        joined(&best)
    )
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
    use crate::game::Side;

    #[test]
    fn moves_in_a_row_are_told_apart() {
        assert_eq!(joined(&["b1", "c1"]), "b1 c1");
        assert_eq!(joined(&["(0, 1)", "pass"]), "(0, 1), pass");
        assert_eq!(joined::<&str>(&[]), "");
    }

    #[test]
    fn what_is_said_of_the_moves_fits_their_scores() {
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
        ] {
            let answer = Answer {
                position: String::new(),
                to_move: Side::First,
                is_whole: true,
                bounds: Bounds::exactly(moves[0]),
                best_move: None,
                moves: Some(
                    (1..)
                        .zip(moves)
                        .map(|(pit, &score)| (pit.to_string(), score))
                        .collect(),
                ),
                line: None,
                yes: None,
                is_interrupted: false,
                effort: None,
            };
            let found = who_wins_how(&answer, "pit");
            assert!(found.ends_with(text), "{found}, not {text}");
        }
    }
}
