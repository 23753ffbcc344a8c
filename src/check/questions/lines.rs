//! Lines that can arise when the AI plays one side: its moves and every reply.
//!
//! Where positions repeat, an AI can keep a win for ever without winning: play then goes round in a
//! circle of won positions, which is a draw. Somewhere in each circle is an answer that lets the
//! win take longer, because all other moves come nearer to its end. Such answers are counted last,
//! when all lines are known: as a draw if they are part of a circle that the opponent can choose.

use super::source::{Listed, Source, Walk};
use super::team::{Interview, count};
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Origin};
use crate::check::options::{CheckOptions, Criterion};
use crate::game::{Endless, Game, Notation, Side};
use crate::oracle::Oracle;
use rustc_hash::{FxHashMap, FxHashSet};

/// The AI's answers, with the numbers of their positions in the walk.
pub(super) type Answers<G> = Vec<(usize, <G as Game>::Move)>;

/// All lines that can arise, followed together one move at a time from the start.
pub(in crate::check) struct LinesOfPlay<'a, G: Notation> {
    game: &'a G,
    side: Side,
    pub walk: Walk<G>,
}

impl<'a, G: Notation> LinesOfPlay<'a, G> {
    /// Begins the lines at the start; the list of positions may take `memory` bytes.
    pub fn new(game: &'a G, side: Side, memory: u64) -> LinesOfPlay<'a, G> {
        LinesOfPlay {
            game,
            side,
            walk: Walk::new(game, memory),
        }
    }

    /// Follows the lines, a move at a time, and returns whether it reached their ends.
    ///
    /// `answer` receives the positions in which it is the AI's turn. It returns the AI's moves
    /// there, and whether to continue.
    pub fn follow(
        &mut self,
        mut answer: impl FnMut(&Self, Vec<usize>) -> Result<(Answers<G>, bool), CheckError>,
    ) -> Result<bool, CheckError> {
        // The numbers of the positions reached last.
        let mut level = vec![0];
        while !level.is_empty() {
            let side_at = |at: usize| self.game.side_to_move(&self.walk.positions[at]);
            let is_ais_turn = |&at: &usize| side_at(at) == self.side;
            let (turns, others): (_, Vec<_>) = level.into_iter().partition(is_ais_turn);
            let (answers, continues) = answer(self, turns)?;
            for &(number, mv) in &answers {
                self.walk.save_answer(number, mv);
            }
            if !continues {
                return Ok(false);
            }
            level = self.extend(answers, &others)?;
        }
        Ok(true)
    }

    /// Extends the lines by the AI's answers on its turns and by every other move.
    ///
    /// Returns the new positions.
    fn extend(&mut self, answers: Answers<G>, others: &[usize]) -> Result<Vec<usize>, CheckError> {
        let mut steps = answers;
        let mut level = Vec::new();
        let mut moves = Vec::new();
        for &number in others {
            self.game.moves(&self.walk.positions[number], &mut moves);
            steps.extend(moves.iter().map(|&mv| (number, mv)));
        }
        for (parent, mv) in steps {
            let child = self.game.play(&self.walk.positions[parent], mv);
            if self.game.final_score(&child).is_none() {
                level.extend(self.walk.add(parent, child)?);
            }
        }
        Ok(level)
    }

    /// Returns positions that the AI has won, and to which the opponent can lead play back again.
    ///
    /// They are those that follow positions of `from` while the AI's answers preserve the win.
    /// Source: R. E. Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on
    /// Computing 1 (1972).
    pub(super) fn cycles(
        &self,
        oracle: &dyn Oracle<G>,
        from: impl Iterator<Item = usize>,
    ) -> Result<FxHashSet<usize>, CheckError> {
        // Number of an imagined position before all of `from`, and place of a position that leads
        // back to none of the open ones.
        const ROOT: usize = usize::MAX;
        const CLOSED: usize = usize::MAX;
        let mut cycles = FxHashSet::default();
        // Open positions lead to the current one or are led to from it. The path to the current one
        // has their places, with the positions still to follow from each.
        let (mut open, mut path) = (vec![ROOT], vec![(0, from.collect::<Vec<_>>())]);
        // The lowest place that each known position leads to, as far as known.
        let mut lowest = FxHashMap::from_iter([(ROOT, 0)]);
        while let Some((place, next)) = path.last_mut() {
            let (place, number) = (*place, open[*place]);
            let own = lowest[&number];
            if let Some(&child) = next.last() {
                if let Some(&found) = lowest.get(&child) {
                    next.pop();
                    lowest.insert(number, own.min(found));
                    cycles.extend((child == number).then_some(number));
                } else {
                    lowest.insert(child, open.len());
                    path.push((open.len(), self.after(oracle, child)?));
                    open.push(child);
                }
                continue;
            }
            path.pop();
            if own == place {
                let component = open.split_off(place);
                lowest.extend(component.iter().map(|&number| (number, CLOSED)));
                if component.len() > 1 {
                    cycles.extend(component);
                }
            }
        }
        Ok(cycles)
    }

    /// Returns the known positions after the AI's answer, if it preserves a win, or any other move.
    fn after(&self, oracle: &dyn Oracle<G>, number: usize) -> Result<Vec<usize>, CheckError> {
        let position = &self.walk.positions[number];
        let mut moves = Vec::new();
        if self.game.side_to_move(position) != self.side {
            self.game.moves(position, &mut moves);
        } else if let Some(mv) = self.walk.answer(position)
            && oracle.score_after(position, mv)? > 0
        {
            moves.push(mv);
        }
        let children = moves.iter().map(|&mv| self.game.play(position, mv));
        Ok(children
            .filter_map(|child| self.walk.number(&child))
            .collect())
    }

    /// Returns the positions that have these numbers in the walk.
    pub(super) fn positions(&self, numbers: &[usize]) -> Vec<G::Position> {
        let positions = numbers.iter().map(|&at| self.walk.positions[at].clone());
        positions.collect()
    }
}

/// Plays every line of one side or both: the AI's moves and every reply.
///
/// Returns the positions met, a walk for each side that the AI played.
pub(super) fn ask_lines<G: Notation>(
    oracle: &dyn Oracle<G>,
    interview: &mut Interview<'_, '_, '_, G>,
    options: &CheckOptions,
) -> Result<Vec<Walk<G>>, CheckError> {
    let game = oracle.game();
    let may_repeat = game.endless() == Endless::Draw;
    let mut judge = Judge::of_the_game(oracle)?;
    judge.lists_best = interview.lists_best().map(|criterion| match may_repeat {
        // Each slow win may turn out to be a mistake.
        true => Criterion::Score,
        false => criterion,
    });
    let mut sides = vec![Side::First, Side::Second];
    sides.retain(|&side| options.side.is_none_or(|only| only == side));
    // The search for cycles takes half.
    let memory = options.memory / (sides.len() as u64 * (1 + u64::from(may_repeat)));
    let origin = Origin {
        games: None,
        is_own: true,
    };
    let mut walks = Vec::new();
    for side in sides {
        let mut lines = LinesOfPlay::new(game, side, memory);
        let mut slow = Vec::new();
        lines.follow(|lines, numbers| {
            interview.slow = may_repeat.then(Vec::new);
            let asked = Listed {
                positions: &lines.positions(&numbers),
                way: &|at| Some(lines.walk.line_to(game, numbers[at])),
                origin: &|_| origin,
            };
            let answers = interview.ask_all(&Source::Listed(asked), &judge, true)?;
            let found = interview.slow.take().into_iter().flatten();
            slow.extend(found.map(|(at, judged)| (numbers[at as usize], judged)));
            let answers = numbers.into_iter().zip(answers);
            let moves = answers.filter_map(|(number, answer)| Some((number, answer?)));
            Ok((moves.collect(), !interview.has_ended()))
        })?;
        let cycles = lines.cycles(oracle, slow.iter().map(|of| of.0))?;
        for (number, mut judged) in slow {
            judged.repeats = cycles.contains(&number);
            let way = || Some(lines.walk.line_to(game, number));
            let position = &lines.walk.positions[number];
            let (tally, list) = (&mut *interview.tally, &mut interview.list);
            count(tally, list, position, judged, origin, &way);
        }
        walks.push(lines.walk);
        if interview.has_ended() {
            break;
        }
    }
    Ok(walks)
}
