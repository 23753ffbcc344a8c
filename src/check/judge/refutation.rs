//! Lines that show how mistakes are punished.

use super::grade::{best_moves, in_time};
use super::tally::Case;
use crate::check::contenders::{Player, ask_one};
use crate::check::error::CheckError;
use crate::game::{Notation, Progress, Side, shortest_through};
use crate::oracle::{Oracle, OracleError};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Line from some position to the end of the game, or to the first repetition of a position.
///
/// The moves of the side that makes the mistake are the AI's own. After the mistake, the opponent
/// makes best moves.
#[derive(Clone, Debug)]
pub(in crate::check) struct Line<G: Notation> {
    /// The position in which the line begins.
    pub from: G::Position,
    /// The moves.
    pub moves: Vec<G::Move>,
    /// The index of the mistake among the moves, from 0.
    pub mistake: usize,
    /// The side that makes the mistake.
    pub side: Side,
    /// The best moves in the position of the mistake.
    pub best: Vec<G::Move>,
    /// The score that this side could have had.
    pub target: i32,
    /// The final score of this side, 0 if a position repeats.
    ///
    /// If scores count plies, it is the score in the mistake's position that follows from this end.
    pub score: i32,
    /// The number of moves that lead to the position that the last one leads to again, if any.
    pub repeats: Option<usize>,
    /// The index of the mistake among the worst ones, from 0, if it is one of them.
    pub worst: Option<usize>,
    /// The reason why the line begins at the mistake and not at the start, if it does.
    pub why_not_from_start: Option<&'static str>,
    /// The number of questions that the AI was asked for this line.
    pub questions: u64,
}

/// Player of lines from mistakes to the end of the game.
pub(in crate::check) struct PlayOut<'a, G: Notation> {
    pub oracle: &'a dyn Oracle<G>,
    pub player: &'a mut dyn Player<G>,
    /// The oracle's time limit per move.
    pub budget: Option<Duration>,
    pub progress: &'a dyn Progress,
    /// The number of questions that the AI was asked so far.
    pub questions: u64,
}

impl<G: Notation> PlayOut<'_, G> {
    /// Plays on from a mistake: the AI as it answers, the opponent perfectly.
    ///
    /// `way` leads from the start to the mistake's position, if the line is to begin there. `known`
    /// returns the AI's earlier answers; in other positions the AI is asked now.
    ///
    /// Returns `None` if the AI has a fault on the way, or the oracle runs out of time.
    pub fn line(
        &mut self,
        case: &Case<G>,
        way: Option<Vec<G::Move>>,
        known: &dyn Fn(&G::Position) -> Option<G::Move>,
    ) -> Result<Option<Line<G>>, CheckError> {
        let game = self.oracle.game();
        let Ok(mv) = case.judged.answer else {
            return Ok(None);
        };
        let is_from_start = way.is_some();
        let from = match is_from_start {
            true => game.start(),
            false => case.position.clone(),
        };
        let side = game.side_to_move(&case.position);
        let mut given = way.unwrap_or_default();
        let mistake = given.len();
        match case.judged.repeats {
            true => given.extend(circle(game, &case.position, side, known)),
            false => given.push(mv),
        }
        let best = |oracle: &dyn Oracle<G>| case.best(oracle);
        let Some(best) = in_time(self.oracle, self.budget, self.progress, best)? else {
            return Ok(None);
        };
        let mut line = Line {
            from,
            moves: Vec::new(),
            mistake,
            side,
            best,
            target: case.judged.target,
            score: 0,
            repeats: None,
            worst: None,
            why_not_from_start: None,
            questions: 0,
        };
        let after = case.judged.after;
        let is_whole = self.play_on(&mut line, &given, after, is_from_start, known)?;
        line.questions = self.questions;
        Ok(is_whole.then_some(line))
    }

    /// Plays the given moves of a line, and then on to its end.
    ///
    /// `after` is the score of the mistake. Returns false if a move is missing.
    fn play_on(
        &mut self,
        line: &mut Line<G>,
        given: &[G::Move],
        after: i32,
        is_from_start: bool,
        known: &dyn Fn(&G::Position) -> Option<G::Move>,
    ) -> Result<bool, CheckError> {
        let game = self.oracle.game();
        let (mut position, mut met) = (line.from.clone(), FxHashMap::default());
        // The score of the position, if it is known.
        let mut score = None;
        loop {
            let made = line.moves.len();
            if let Some(end) = game.final_score(&position) {
                let plies = match game.score_range().counts_plies() {
                    true => (made - line.mistake) as i32,
                    false => 0,
                };
                let end = game.seen_from(line.side, &position, end);
                line.score = end - end.signum() * plies;
                return Ok(true);
            }
            line.repeats = met.insert(position.clone(), made);
            if line.repeats.is_some() {
                return Ok(true);
            }
            // After the given moves, use the AI's move on its turns, and else a best move.
            let mover = game.side_to_move(&position);
            let (mv, after) = if let Some(&mv) = given.get(made) {
                (Some(mv), (made == line.mistake).then_some(after))
            } else if mover == line.side {
                let way = is_from_start.then_some(&line.moves[..]);
                match known(&position) {
                    Some(mv) => (Some(mv), None),
                    None => (self.ask(way, &position)?, None),
                }
            } else {
                self.best_reply(&position, score)?.unzip()
            };
            let Some(mv) = mv else {
                return Ok(false);
            };
            position = game.play(&position, mv);
            score = after.map(|score| game.score_after_move(mover, &position, score));
            line.moves.push(mv);
        }
    }

    /// Returns the opponent's first best move and its score; `None` if time runs out.
    ///
    /// `known` is the score, if it is known.
    fn best_reply(
        &self,
        position: &G::Position,
        known: Option<i32>,
    ) -> Result<Option<(G::Move, i32)>, CheckError> {
        let found = in_time(self.oracle, self.budget, self.progress, |oracle| {
            let score = known.map_or_else(|| oracle.score(position), Ok)?;
            Ok((best_moves(oracle, position, score, 1)?, score))
        })?;
        let Some((best, score)) = found else {
            return Ok(None);
        };
        let contradiction =
            || OracleError::Contradiction(self.oracle.game().format_position(position));
        Ok(Some((*best.first().ok_or_else(contradiction)?, score)))
    }

    /// Asks the AI for its move; returns `None` for a fault.
    fn ask(
        &mut self,
        way: Option<&[G::Move]>,
        position: &G::Position,
    ) -> Result<Option<G::Move>, CheckError> {
        self.questions += 1;
        let reply = ask_one(self.player, way, position, self.progress);
        Ok(reply.ok_or(CheckError::Interrupted)?.ok())
    }
}

/// Returns the moves of a shortest way from a position back to itself.
///
/// Those of `side` are the AI's answers, the others any moves.
fn circle<G: Notation>(
    game: &G,
    position: &G::Position,
    side: Side,
    known: &dyn Fn(&G::Position) -> Option<G::Move>,
) -> Vec<G::Move> {
    let moves = |position: &G::Position| {
        let moves = match game.side_to_move(position) == side {
            true => known(position).into_iter().collect(),
            false => game.legal_moves(position),
        };
        let moves = moves.into_iter();
        moves.map(|mv| (mv, game.play(position, mv))).collect()
    };
    let circle = shortest_through(position, |_| true, moves).into_iter();
    circle.map(|(_, mv)| mv).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Criterion;
    use crate::check::contenders::{Contender, InProcess};
    use crate::check::judge::Judge;
    use crate::game::{Game, NoProgress};
    use crate::games::kalah::{Kalah, Move, Position};
    use crate::table::testing::{kalah, table_of};

    fn last(game: &Kalah, position: &Position) -> Move {
        *game.legal_moves(position).last().unwrap()
    }

    #[test]
    fn a_line_is_played_by_the_ai_and_its_perfect_opponent() {
        let game = kalah(3, 2);
        let table = table_of(&game);
        let oracle: &dyn Oracle<Kalah> = &table;
        let best_of = |position: &Position| -> Vec<Move> {
            let scores = oracle.move_scores(position).unwrap();
            let is_best = |mv: &Move| scores.contains(&(*mv, scores[0].1));
            game.legal_moves(position)
                .into_iter()
                .filter(is_best)
                .collect()
        };
        let judge = Judge::new(oracle);
        let mut position = game.start();
        let case = loop {
            let reply = Ok(last(&game, &position));
            let judged = judge.grade_one(&position, reply, &NoProgress).unwrap();
            let judged = judged.unwrap();
            if judged.is_mistake(Criterion::Score) {
                break Case {
                    position,
                    judged,
                    way: None,
                    equivalent: 1,
                };
            }
            position = game.play(&position, last(&game, &position));
        };
        let contender = InProcess(|| last);
        let mut player = contender.player(&game).unwrap();
        for is_known in [false, true] {
            let mut play_out = PlayOut {
                oracle,
                player: &mut *player,
                budget: None,
                progress: &NoProgress,
                questions: 0,
            };
            let known = |position: &Position| is_known.then(|| last(&game, position));
            let line = play_out.line(&case, None, &known).unwrap().unwrap();
            assert_eq!((&line.from, line.mistake), (&case.position, 0));
            assert_eq!(line.best, best_of(&case.position));
            let mut position = line.from;
            let mut answers = 0;
            for (number, &mv) in line.moves.iter().enumerate() {
                if game.side_to_move(&position) == line.side {
                    assert_eq!(mv, last(&game, &position));
                    answers += u64::from(number > 0);
                } else {
                    assert_eq!(mv, best_of(&position)[0]);
                }
                position = game.play(&position, mv);
            }
            let score = game.final_score(&position).unwrap();
            assert_eq!(game.seen_from(line.side, &position, score), line.score);
            assert!(line.score < line.target && answers > 0);
            assert_eq!(play_out.questions, if is_known { 0 } else { answers });
        }
    }
}
