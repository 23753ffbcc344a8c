//! Passes scores within a stage from children to parents.
//!
//! In most games a class has its score once all of its moves have one. In a game with endless play
//! that would not suffice: classes wait for each other in a circle. But its scores count plies, and
//! classes get theirs in the order of the distance to the end:
//!
//! - A class has a win in `d` plies as soon as it has a move with that score, and all shorter wins
//!   are known: no other move can be better.
//! - A class is lost in `d` plies once all of its moves lose, the last of them in `d` plies.
//! - All that remain are draws. Each has a move to another draw, and none that wins.
//!
//! Where a win may be by more points, a higher win comes before a lower one, in any number of plies.

use super::keys::{Key, Reader};
use super::parents::Parents;
use super::solver::KeySolver;
use crate::game::team::{MORE, broken, more};
use crate::game::{Endless, SolveError};
use std::collections::BTreeMap;

/// The classes of a stage.
struct Propagation {
    /// Whether classes that wait for each other are drawn.
    may_repeat: bool,
    /// The greatest score.
    highest: i32,
    best: Vec<i32>,
    open: Vec<u16>,
    /// Classes that have their scores but whose parents don't know, by their turns.
    ///
    /// All turns are 0 in games without repetition. A class for which a better score was found
    /// is there twice; only the entry of its score counts.
    ready: BTreeMap<u32, Vec<u32>>,
    /// Number of classes that have passed on their scores.
    scored: usize,
    /// The work to be reported when all have.
    units: usize,
}

impl Propagation {
    /// Returns the turn in which a class's score is passed on, or `None` if it isn't known yet.
    fn turn(&self, class: u32) -> Option<u32> {
        let (best, open) = (self.best[class as usize], self.open[class as usize]);
        match self.may_repeat {
            false => (open == 0).then_some(0),
            true if best > 0 || best < 0 && open == 0 && best > i32::MIN => {
                Some(self.highest.abs_diff(best.abs()))
            }
            true => None,
        }
    }

    fn get_ready(&mut self, class: u32) {
        if let Some(turn) = self.turn(class) {
            self.ready.entry(turn).or_default().push(class);
        }
    }

    /// Notes the score of a move.
    fn hear(&mut self, class: u32, score: i32) {
        let (best, open) = (
            &mut self.best[class as usize],
            &mut self.open[class as usize],
        );
        let is_better = score > *best;
        *best = score.max(*best);
        *open -= 1;
        // A win is known with its first move, anything else with the last.
        if *open == 0 && (*best <= 0 || !self.may_repeat)
            || self.may_repeat && is_better && score > 0
        {
            self.get_ready(class);
        }
    }

    /// Takes some of the classes whose turn it is.
    fn take(&mut self, turn: u32, most: usize) -> Vec<u32> {
        let Some(ready) = self.ready.get_mut(&turn) else {
            return Vec::new();
        };
        let mut taken = ready.split_off(ready.len().saturating_sub(most));
        if ready.is_empty() {
            self.ready.remove(&turn);
        }
        taken.retain(|&class| self.turn(class) == Some(turn));
        taken
    }

    /// Notes that more classes have passed on their scores, and returns the work to be reported.
    fn pass(&mut self, more: usize) -> u64 {
        let share = |scored| (self.units as u64 * scored as u64) / self.best.len().max(1) as u64;
        let before = share(self.scored);
        self.scored += more;
        share(self.scored) - before
    }
}

impl<K: Key> KeySolver<'_, K> {
    /// Returns the scores of all classes of this process at a stage.
    ///
    /// `best` has the best score of each class's moves out of the stage, and `open` the number of
    /// its other moves. `units` is the work to be reported.
    pub(super) fn propagate(
        &self,
        best: Vec<i32>,
        open: Vec<u16>,
        parents: &Parents,
        units: usize,
    ) -> Result<Vec<i32>, SolveError> {
        let count = best.len();
        let mut propagation = Propagation {
            may_repeat: self.rules.endless() == Endless::Draw,
            highest: self.rules.scores().highest,
            best,
            open,
            ready: BTreeMap::new(),
            scored: 0,
            units,
        };
        (0..count as u32).for_each(|class| propagation.get_ready(class));
        loop {
            // Agree on whose turn it is.
            let mine = propagation.ready.first_key_value();
            let mine = mine.map_or(u64::MAX, |(&turn, _)| u64::from(turn));
            let gathered = self.team.all_gather(Ok([mine]))?;
            let next = gathered
                .iter()
                .map(|numbers| numbers[0])
                .min()
                .unwrap_or(u64::MAX);
            let Ok(turn) = u32::try_from(next) else {
                break;
            };
            self.pass_on(turn, &mut propagation, parents)?;
        }
        let drawn = count - propagation.scored;
        match propagation.may_repeat {
            false => {
                // Classes that remain wait for each other: they form a cycle.
                let all = (drawn == 0).then_some([]);
                self.team
                    .all_gather(all.ok_or_else(|| self.rules.repetition()))?;
            }
            true => {
                self.team.advance(propagation.pass(drawn));
                for class in 0..count as u32 {
                    if propagation.turn(class).is_none() {
                        propagation.best[class as usize] = 0;
                    }
                }
            }
        }
        Ok(propagation.best)
    }

    /// Passes on the scores of the classes whose turn it is.
    fn pass_on(
        &self,
        turn: u32,
        propagation: &mut Propagation,
        parents: &Parents,
    ) -> Result<(), SolveError> {
        loop {
            let settled = propagation.take(turn, self.block);
            let mut outgoing = self.team.empty_messages();
            for &child in &settled {
                let score = propagation.best[child as usize];
                parents.of(child, |parent| {
                    let message = &mut outgoing[parent.owner as usize];
                    message.extend(parent.index.to_le_bytes());
                    message.extend(parent.followed.score(score).to_le_bytes());
                });
            }
            self.team.advance(propagation.pass(settled.len()));
            let has_more = propagation.ready.contains_key(&turn);
            let incoming = self.team.exchange(Ok(outgoing), more(has_more))?;
            for message in &incoming.messages {
                let mut reader = Reader(message);
                while !reader.is_empty() {
                    let heard = reader.u32().zip(reader.i32());
                    let (class, score) = heard.ok_or_else(broken)?;
                    propagation.hear(class, score);
                }
            }
            if incoming.flags & MORE == 0 {
                return Ok(());
            }
        }
    }
}
