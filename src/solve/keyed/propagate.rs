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

use super::keys::{ByPart, Key, Reader, owner};
use super::layers::{Layer, LayerOrder};
use super::parents::Parents;
use super::solver::KeySolver;
use crate::bisection::{TOGETHER, places_in, together};
use crate::game::team::{MORE, broken, more};
use crate::game::{Endless, Followed, SolveError};
use crate::pool::{map, map_of};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Number of classes that one task updates: their data fits in a processor's cache.
const PART: usize = if cfg!(test) { 1 << 5 } else { 1 << 16 };
/// Number of classes of which one task passes on the scores: a part has many of their messages.
const TASK: usize = 1 << 14;
/// Number of messages that one task reads and sorts by part.
const SORTED: usize = if cfg!(test) { 1 << 5 } else { 1 << 17 };

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

/// The moves by which scores are passed on, from children to parents.
///
/// A message is a parent and the score of its move.
pub trait Upward: Sync {
    /// A parent as messages name it.
    type Parent: Copy + Default + Send + Sync;

    /// Calls `each` with the owner and the message of each move to some classes.
    fn tell(&self, classes: &[u32], best: &[i32], each: impl FnMut(usize, (Self::Parent, i32)));

    fn put(&self, parent: Self::Parent, out: &mut Vec<u8>);

    fn take(&self, reader: &mut Reader<'_>) -> Option<Self::Parent>;

    /// Returns the part of the classes that each message's parent belongs to if it is a class.
    fn parts(&self, messages: &[(Self::Parent, i32)]) -> Vec<u32>;

    /// Calls `each` with the class of each message's parent and its score, for messages to a part.
    ///
    /// Parents that can't be reached have no class.
    fn find(&self, part: usize, messages: &[(Self::Parent, i32)], each: impl FnMut(u32, i32));
}

/// Moves that were stored.
impl Upward for Parents {
    type Parent = u32;

    fn tell(&self, classes: &[u32], best: &[i32], mut each: impl FnMut(usize, (u32, i32))) {
        for &class in classes {
            let score = best[class as usize];
            self.of(class, |parent| {
                let message = (parent.index, parent.followed.score(score));
                each(parent.owner as usize, message);
            });
        }
    }

    fn put(&self, parent: u32, out: &mut Vec<u8>) {
        out.extend(parent.to_le_bytes());
    }

    fn take(&self, reader: &mut Reader<'_>) -> Option<u32> {
        reader.u32()
    }

    fn parts(&self, messages: &[(u32, i32)]) -> Vec<u32> {
        let parts = messages.iter().map(|message| message.0 / PART as u32);
        parts.collect()
    }

    fn find(&self, _: usize, messages: &[(u32, i32)], mut each: impl FnMut(u32, i32)) {
        for &(class, score) in messages {
            each(class, score);
        }
    }
}

/// A stage, and the place of its layers among all.
pub struct Stage<'a, K> {
    pub layer: &'a Layer<K>,
    pub stage: u32,
    pub order: LayerOrder,
}

/// The moves within a stage that the rules list backward.
pub struct Backward<'a, K> {
    solver: &'a KeySolver<'a, K>,
    stage: Stage<'a, K>,
    /// The first key of each part.
    firsts: Vec<K>,
}

impl<'a, K: Key> Backward<'a, K> {
    pub fn new(solver: &'a KeySolver<'a, K>, stage: Stage<'a, K>) -> Self {
        Backward {
            firsts: stage.layer.keys.iter().step_by(PART).copied().collect(),
            solver,
            stage,
        }
    }
}

impl<K: Key> Upward for Backward<'_, K> {
    type Parent = K;

    fn tell(&self, classes: &[u32], best: &[i32], mut each: impl FnMut(usize, (K, i32))) {
        let (of, rules) = (&self.stage, &self.solver.rules);
        let processes = self.solver.team.size();
        let keys = classes.iter().map(|&class| of.layer.keys[class as usize]);
        let mut keys = keys.map(Key::wide);
        let mut scores = classes.iter().map(|&class| best[class as usize]);
        rules.expand_backward(&mut keys, &mut |parents| {
            let score = BACKWARD.score(scores.next().expect("one for each class"));
            for &(key, layer) in parents {
                if of.order.stage_of(layer) == of.stage {
                    each(owner(key, processes), (K::of(key), score));
                }
            }
        });
    }

    fn put(&self, parent: K, out: &mut Vec<u8>) {
        self.solver.width.put(parent, out);
    }

    fn take(&self, reader: &mut Reader<'_>) -> Option<K> {
        let width = self.solver.width;
        Some(width.take(reader.bytes(width.0)?))
    }

    fn parts(&self, messages: &[(K, i32)]) -> Vec<u32> {
        let mut parts = Vec::with_capacity(messages.len());
        find_all(&self.firsts, messages, |part, _| parts.push(part as u32));
        parts
    }

    fn find(&self, part: usize, messages: &[(K, i32)], mut each: impl FnMut(u32, i32)) {
        let (keys, first) = (&self.stage.layer.keys, part * PART);
        let keys = &keys[first..keys.len().min(first + PART)];
        find_all(keys, messages, |at, (key, score)| {
            if keys[at] == key {
                each((first + at) as u32, score);
            }
        });
    }
}

/// Calls `each` with the place of the last of ascending keys that isn't greater than a message's.
///
/// The place is 0 if all are greater.
#[inline]
fn find_all<K: Key>(keys: &[K], messages: &[(K, i32)], mut each: impl FnMut(usize, (K, i32))) {
    for messages in messages.chunks(TOGETHER) {
        let places = places_in(keys, &together(messages.iter().map(|message| message.0)));
        for (place, &message) in places.into_iter().zip(messages) {
            each(place, message);
        }
    }
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

    /// Notes the scores of moves in messages, in parallel by parts.
    fn hear<U: Upward>(&mut self, upward: &U, messages: &[ByPart<(U::Parent, i32)>]) {
        let (schedule, parts) = (self.schedule, self.parts());
        let classes = self.best.chunks_mut(PART).zip(self.open.chunks_mut(PART));
        let classes: Vec<_> = classes.map(Mutex::new).collect();
        let found = map(parts, |part| {
            let (best, open) = &mut *classes[part].lock().expect("one task");
            let mut found = Vec::new();
            for messages in messages {
                upward.find(part, messages.of_part(part), |class, score| {
                    let at = class as usize % PART;
                    let turn = schedule.hear(&mut best[at], &mut open[at], score);
                    found.extend(turn.map(|turn| (turn, class)));
                });
            }
            found
        });
        drop(classes);
        self.get_ready(found);
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

/// Messages by the parts of the classes that they go to.
type Messages<P> = Vec<ByPart<(P, i32)>>;

/// Messages to classes of this process, and the bytes of those to each other process.
type Told<P> = (Messages<P>, Vec<Vec<u8>>);

impl<K: Key> KeySolver<'_, K> {
    /// Returns the scores of all classes of this process at a stage.
    ///
    /// `best` has the best score of each class's moves out of the stage, and `open` the number of
    /// its other moves. `units` is the work to be reported.
    pub(super) fn propagate<U: Upward>(
        &self,
        best: Vec<i32>,
        open: Vec<u16>,
        upward: &U,
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
    fn pass_on<U: Upward>(
        &self,
        turn: u32,
        propagation: &mut Propagation,
        upward: &U,
    ) -> Result<(), SolveError> {
        // Others may name parents even if there are no classes here.
        let (most, parts) = (self.large_block(), propagation.parts().max(1));
        loop {
            let settled = propagation.take(turn, most);
            let (mut messages, outgoing) = self.tell(&settled, &propagation.best, upward, parts);
            self.team.advance(propagation.pass(settled.len()));
            let has_more = propagation.ready.contains_key(&turn);
            let incoming = self.team.exchange(Ok(outgoing), more(has_more))?;
            let received = read(&incoming.messages, upward, parts);
            messages.extend(received.ok_or_else(broken)?);
            propagation.hear(upward, &messages);
            if incoming.flags & MORE == 0 {
                return Ok(());
            }
        }
    }

    /// Returns the messages of classes that have their scores to their parents.
    fn tell<U: Upward>(
        &self,
        settled: &[u32],
        best: &[i32],
        upward: &U,
        parts: usize,
    ) -> Told<U::Parent> {
        let tasks: Vec<&[u32]> = settled.chunks(TASK).collect();
        let rank = self.team.rank();
        let told = map_of(&tasks, |classes| {
            let mut own = Vec::with_capacity(8 * classes.len());
            let mut outgoing = self.team.empty_messages();
            upward.tell(classes, best, |owner, message| {
                if owner == rank {
                    own.push(message);
                    return;
                }
                let bytes = &mut outgoing[owner];
                upward.put(message.0, bytes);
                bytes.extend(message.1.to_le_bytes());
            });
            let own = ByPart::of(&own, &upward.parts(&own), parts);
            (own.expect("parents are classes"), outgoing)
        });
        let (own, told): (_, Vec<Vec<Vec<u8>>>) = told.into_iter().unzip();
        let outgoing = (0..self.team.size()).map(|process| {
            let of_process = told.iter().map(|messages| &messages[process][..]);
            of_process.collect::<Vec<_>>().concat()
        });
        (own, outgoing.collect())
    }
}

/// Reads and sorts messages from other processes; `None` if they are malformed.
fn read<U: Upward>(incoming: &[Vec<u8>], upward: &U, parts: usize) -> Option<Messages<U::Parent>> {
    let mut size = Vec::new();
    upward.put(U::Parent::default(), &mut size);
    let size = size.len() + size_of::<i32>();
    let pieces = incoming
        .iter()
        .flat_map(|bytes| bytes.chunks(size * SORTED));
    let pieces: Vec<&[u8]> = pieces.collect();
    let read = map_of(&pieces, |bytes| {
        let mut reader = Reader(bytes);
        let mut messages = Vec::with_capacity(bytes.len() / size);
        while !reader.is_empty() {
            messages.push((upward.take(&mut reader)?, reader.i32()?));
        }
        ByPart::of(&messages, &upward.parts(&messages), parts)
    });
    read.into_iter().collect()
}
