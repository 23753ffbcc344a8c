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

use super::find::TASK;
use super::keys::{GallopingSearch, Key, Reader, merge, owner, starts_of};
use super::layers::{Layer, LayerOrder};
use super::parents::Parents;
use super::solver::{BLOCK, KeySolver};
use crate::game::team::{MORE, broken, more};
use crate::game::{Endless, Followed, SolveError};
use crate::pool::{map, map_of};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Number of classes that one task updates: their data fits in a processor's cache.
const PART: usize = if cfg!(test) { 1 << 5 } else { 1 << 16 };
/// Number of messages that one task sorts by part.
const SORTED: usize = if cfg!(test) { 1 << 5 } else { 1 << 17 };
/// Number of classes that pass on their scores between two exchanges.
const SETTLED: usize = 1 << 18;
/// Size of a message: a class and the score of one of its moves.
const MESSAGE: usize = 8;

/// Says when a class gets its score.
#[derive(Clone, Copy)]
struct Schedule {
    /// Whether classes that wait for each other are drawn.
    may_repeat: bool,
    /// The greatest score.
    highest: i32,
}

impl Schedule {
    /// Returns the turn in which a class's score is passed on, or `None` if it isn't known yet.
    ///
    /// `best` is the best score of its known moves, and `open` the number of the others.
    fn turn(self, best: i32, open: u16) -> Option<u32> {
        match self.may_repeat {
            false => (open == 0).then_some(0),
            true if best > 0 || best < 0 && open == 0 && best > i32::MIN => {
                Some(self.highest.abs_diff(best.abs()))
            }
            true => None,
        }
    }

    /// Notes the score of a move, and returns the class's turn if it gets its score by that.
    fn hear(self, best: &mut i32, open: &mut u16, score: i32) -> Option<u32> {
        let is_better = score > *best;
        *best = score.max(*best);
        *open -= 1;
        // A win is known with its first move, anything else with the last.
        let is_known = *open == 0 && (*best <= 0 || !self.may_repeat)
            || self.may_repeat && is_better && score > 0;
        is_known.then(|| self.turn(*best, *open)).flatten()
    }
}

/// A stage, and the place of its layers among all.
pub struct Stage<'a, K> {
    pub layer: &'a Layer<K>,
    pub stage: u32,
    pub order: LayerOrder,
}

/// The moves by which scores are passed on.
pub enum Upward<'a, K> {
    /// They were stored.
    Moves(Parents),
    /// The rules list them.
    Rules(Stage<'a, K>),
}

/// The effect of a move that the rules list backward.
const BACKWARD: Followed = Followed {
    turns: true,
    is_finished: false,
    counts_plies: true,
    points: 0,
};

/// The classes of a stage.
struct Propagation {
    schedule: Schedule,
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
    fn turn(&self, class: u32) -> Option<u32> {
        let class = class as usize;
        self.schedule.turn(self.best[class], self.open[class])
    }

    fn parts(&self) -> usize {
        self.best.len().div_ceil(PART)
    }

    /// Adds classes that have got their scores, in ascending order by part.
    fn get_ready(&mut self, found: Vec<Vec<(u32, u32)>>) {
        for (turn, class) in found.into_iter().flatten() {
            self.ready.entry(turn).or_default().push(class);
        }
    }

    /// Finds the classes that have their scores from the beginning.
    fn begin(&mut self) {
        let found = map(self.parts(), |part| {
            let first = part * PART;
            let classes = first as u32..self.best.len().min(first + PART) as u32;
            classes
                .filter_map(|class| Some((self.turn(class)?, class)))
                .collect()
        });
        self.get_ready(found);
    }

    /// Notes the scores of moves in messages, in parallel by parts; `None` if one is malformed.
    fn hear(&mut self, messages: &[Vec<u8>]) -> Option<()> {
        let (schedule, parts) = (self.schedule, self.parts());
        let pieces = messages
            .iter()
            .flat_map(|bytes| bytes.chunks(MESSAGE * SORTED));
        let pieces: Vec<&[u8]> = pieces.collect();
        let sorted = map_of(&pieces, |bytes| ByPart::of(bytes, parts));
        let sorted: Vec<ByPart> = sorted.into_iter().collect::<Option<_>>()?;
        let classes = self.best.chunks_mut(PART).zip(self.open.chunks_mut(PART));
        let classes: Vec<_> = classes.map(Mutex::new).collect();
        let found = map(parts, |part| {
            let (best, open) = &mut *classes[part].lock().expect("one task");
            let mut found = Vec::new();
            for &(class, score) in sorted.iter().flat_map(|sorted| sorted.of_part(part)) {
                let at = class as usize % PART;
                let turn = schedule.hear(&mut best[at], &mut open[at], score);
                found.extend(turn.map(|turn| (turn, class)));
            }
            found
        });
        drop(classes);
        self.get_ready(found);
        Some(())
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

/// Messages, sorted by the parts of their classes.
struct ByPart {
    messages: Vec<(u32, i32)>,
    /// The end of each part's messages.
    ends: Vec<u32>,
}

impl ByPart {
    /// Sorts messages; `None` if they are malformed.
    fn of(bytes: &[u8], parts: usize) -> Option<ByPart> {
        let read = || {
            let mut reader = Reader(bytes);
            std::iter::from_fn(move || reader.u32().zip(reader.i32()))
        };
        // Count the messages of each part, then place each where those of earlier parts end.
        let mut ends = vec![0; parts];
        for (class, _) in read() {
            *ends.get_mut(class as usize / PART)? += 1;
        }
        let mut messages = vec![(0, 0); starts_of(&mut ends)];
        for (class, score) in read() {
            let end = &mut ends[class as usize / PART];
            messages[*end as usize] = (class, score);
            *end += 1;
        }
        (bytes.len() == messages.len() * MESSAGE).then_some(ByPart { messages, ends })
    }

    fn of_part(&self, part: usize) -> &[(u32, i32)] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.messages[start as usize..self.ends[part] as usize]
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
        upward: &Upward<'_, K>,
        units: usize,
    ) -> Result<Vec<i32>, SolveError> {
        let count = best.len();
        let mut propagation = Propagation {
            schedule: Schedule {
                may_repeat: self.rules.endless() == Endless::Draw,
                highest: self.rules.scores().highest,
            },
            best,
            open,
            ready: BTreeMap::new(),
            scored: 0,
            units,
        };
        propagation.begin();
        loop {
            // Agree on whose turn it is.
            let mine = propagation.ready.first_key_value();
            let mine = mine.map_or(u64::MAX, |(&turn, _)| u64::from(turn));
            let gathered = self.team.all_gather(Ok([mine]))?;
            let next = gathered.iter().min().map_or(u64::MAX, |numbers| numbers[0]);
            let Ok(turn) = u32::try_from(next) else {
                break;
            };
            self.pass_on(turn, &mut propagation, upward)?;
        }
        let drawn = count - propagation.scored;
        match propagation.schedule.may_repeat {
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
        upward: &Upward<'_, K>,
    ) -> Result<(), SolveError> {
        let most = match self.block {
            BLOCK => SETTLED,
            chosen => chosen,
        };
        loop {
            let settled = propagation.take(turn, most);
            let outgoing = match upward {
                Upward::Moves(parents) => self.tell(&settled, &propagation.best, parents),
                Upward::Rules(stage) => self.tell_keys(&settled, &propagation.best, stage),
            };
            self.team.advance(propagation.pass(settled.len()));
            let has_more = propagation.ready.contains_key(&turn);
            let incoming = self.team.exchange(Ok(outgoing), more(has_more))?;
            let messages = match upward {
                Upward::Moves(_) => Some(incoming.messages),
                Upward::Rules(stage) => self.find_parents(&incoming.messages, stage.layer),
            };
            let heard = messages.and_then(|messages| propagation.hear(&messages));
            heard.ok_or_else(broken)?;
            if incoming.flags & MORE == 0 {
                return Ok(());
            }
        }
    }

    /// Returns the messages of classes that have their scores to their parents.
    fn tell(&self, settled: &[u32], best: &[i32], parents: &Parents) -> Vec<Vec<u8>> {
        let tasks: Vec<&[u32]> = settled.chunks(TASK).collect();
        let told = map_of(&tasks, |classes| {
            let mut messages = self.team.empty_messages();
            for &class in *classes {
                let score = best[class as usize];
                parents.of(class, |parent| {
                    let message = &mut messages[parent.owner as usize];
                    message.extend(parent.index.to_le_bytes());
                    message.extend(parent.followed.score(score).to_le_bytes());
                });
            }
            messages
        });
        let all = (0..self.team.size()).map(|process| {
            let of_process = told.iter().map(|messages| &messages[process][..]);
            of_process.collect::<Vec<_>>().concat()
        });
        all.collect()
    }

    /// Returns the same messages, by the parents' keys, in ascending order.
    fn tell_keys(&self, settled: &[u32], best: &[i32], of: &Stage<'_, K>) -> Vec<Vec<u8>> {
        let tasks: Vec<&[u32]> = settled.chunks(TASK).collect();
        let told = map_of(&tasks, |classes| {
            let mut keys = classes
                .iter()
                .map(|&class| of.layer.keys[class as usize].wide());
            let mut scores = classes.iter().map(|&class| best[class as usize]);
            let mut told = Vec::with_capacity(8 * classes.len());
            self.rules.expand_backward(&mut keys, &mut |parents| {
                let score = BACKWARD.score(scores.next().expect("one for each class"));
                let parents = parents.iter();
                let parents = parents.filter(|parent| of.order.stage_of(parent.1) == of.stage);
                told.extend(parents.map(|parent| {
                    let owner = owner(parent.0, self.team.size()) as u32;
                    (owner, K::of(parent.0), score)
                }));
            });
            told.sort_unstable();
            told
        });
        let told = merge(told);
        let mut messages = self.team.empty_messages();
        for (owner, key, score) in told {
            let message = &mut messages[owner as usize];
            self.width.put(key, message);
            message.extend(score.to_le_bytes());
        }
        messages
    }

    /// Returns messages by the parents' keys as messages by their indices, if they are well-formed.
    ///
    /// Parents that can't be reached have no index.
    fn find_parents(&self, messages: &[Vec<u8>], layer: &Layer<K>) -> Option<Vec<Vec<u8>>> {
        let size = self.width.0 + size_of::<i32>();
        let pieces = messages
            .iter()
            .flat_map(|bytes| bytes.chunks(size * SORTED));
        let pieces: Vec<&[u8]> = pieces.collect();
        let found = map_of(&pieces, |bytes| {
            let (mut reader, keys) = (Reader(bytes), &layer.keys[..]);
            let mut search = GallopingSearch { keys, at: 0 };
            let mut found = Vec::with_capacity(MESSAGE * bytes.len() / size);
            while !reader.is_empty() {
                let key = self.width.take(reader.bytes(self.width.0)?);
                let score = reader.bytes(4)?;
                if let Some(index) = search.find(key) {
                    found.extend((index as u32).to_le_bytes());
                    found.extend(score);
                }
            }
            Some(found)
        });
        found.into_iter().collect()
    }
}
