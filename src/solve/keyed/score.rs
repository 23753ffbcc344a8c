//! Finds the scores, from the last stage back to the first.
//!
//! Each process asks the owners of its classes' children. Children at later stages have scores
//! already; processes ask for them in blocks. For a move within a stage, the parent's owner
//! registers it with the child's owner, which sends the score once it is known (`propagate`).

use super::checkpoint::KeyCheckpoints;
use super::find::TASK;
use super::keys::{Key, Reader, owner};
use super::layers::{Layer, LayerOrder, Layers, bytes, classes, code_of, put_code};
use super::merge::merge_scores;
use super::parents::{Collected, Encoded, Parent};
use super::propagate::{Backward, Stage};
use super::solver::{BLOCK, KeySolver};
use crate::game::team::{MORE, broken, more};
use crate::game::{Broken, Followed, ScoreRange, SolveError, SolveTimes};
use crate::pool::{map_of, sort, try_map};
use crate::solve::solution::SortedScores;
use std::time::Instant;

/// A move to an unfinished position.
///
/// Sorted moves are in the order in which the owners of the children are asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Move<K> {
    owner: u32,
    stage: u32,
    child: K,
    /// Index of the parent in its layer.
    parent: u32,
    followed: Followed,
}

impl<K> Move<K> {
    /// Returns the parent in a move between classes of one process.
    fn as_parent(&self) -> Parent {
        Parent {
            owner: self.owner,
            index: self.parent,
            followed: self.followed,
        }
    }
}

/// Successive classes, and their moves to children of which the scores are looked up together.
#[derive(Default)]
struct Known<K> {
    /// The best score and the number of open moves of each class.
    best: Vec<(i32, usize)>,
    /// The stage of the children.
    stage: u32,
    children: Vec<K>,
    /// The number of each move's parent, and the move's effect.
    moves: Vec<(usize, Followed)>,
}

impl<K: Key> Known<K> {
    /// Most children, few enough for a processor's first cache.
    const MOST: usize = 512;

    /// Adds a move of the last class.
    fn add(&mut self, mv: &Move<K>, layers: &Layers<K>, scores: ScoreRange) {
        // Successive children are often at one stage.
        if mv.stage != self.stage || self.children.len() == Self::MOST {
            self.look_up(layers, scores);
            self.stage = mv.stage;
        }
        self.children.push(mv.child);
        self.moves.push((self.best.len() - 1, mv.followed));
    }

    /// Raises the best scores of the classes by those of the children, and removes the moves.
    fn look_up(&mut self, layers: &Layers<K>, scores: ScoreRange) {
        if self.children.is_empty() {
            return;
        }
        let (layer, size) = (&layers[&self.stage], scores.code_bytes());
        let indices = layer.find_all(&self.children).expect(REACHABLE);
        self.children.clear();
        for (index, (parent, followed)) in indices.into_iter().zip(self.moves.drain(..)) {
            let code = code_of(&layer.codes[index * size..], size);
            let best = &mut self.best[parent].0;
            *best = (*best).max(followed.score(scores.score(code)));
        }
    }
}

/// Why a child is found.
const REACHABLE: &str = "children of reachable classes are reachable";

/// The moves of successive classes: the best score and the number of open moves of each class, the
/// moves within the stage, and moves to classes of other processes.
type LookedUp<K> = (Vec<(i32, usize)>, Encoded, Vec<Move<K>>);

/// Bytes that a class of the current stage takes until it has its score.
///
/// Its best score, the number of its open moves, its code, and its number among those that pass
/// their scores on.
const WAITING: u64 = 11;

/// The classes of the current stage whose scores are being computed.
pub struct Waiting {
    /// Best score of the known moves; final once no move is waited for.
    pub best: Vec<i32>,
    /// Number of moves within the stage that have no score yet.
    pub open: Vec<u16>,
    /// Moves from any process's classes to classes of this process.
    moves: Collected,
}

impl<'a, K: Key> KeySolver<'a, K> {
    /// Finds all classes and their scores, resuming from a checkpoint.
    ///
    /// Only the first process returns the scores.
    ///
    /// # Errors
    /// In all processes, if the game can't be solved.
    pub(crate) fn solve(
        &self,
        mut checkpoints: KeyCheckpoints,
    ) -> Result<(Option<SortedScores<'a>>, SolveTimes), SolveError> {
        let started = Instant::now();
        let (mut found, order) = self.find_all(&mut checkpoints)?;
        let reach = started.elapsed();
        let layers = &found.layers;
        let scored: usize = layers.values().map(|layer| layer.codes.len()).sum();
        let scored = scored / self.code_bytes();
        let gathered = self.team.all_gather(Ok([classes(layers) as u64]))?;
        let all = gathered.iter().map(|numbers| numbers[0]).sum();
        self.team.progress().phase("solving", "classes", all);
        self.team.advance(scored as u64);
        loop {
            // Agree on the last stage without scores, and on whether a checkpoint is due.
            let unscored = found.layers.iter().rev();
            let mut unscored =
                unscored.filter(|(_, layer)| layer.codes.is_empty() && !layer.keys.is_empty());
            let mine = unscored.next().map(|(&stage, _)| u64::from(stage) + 1);
            let gathered = self.team.all_gather(Ok([
                mine.unwrap_or(0),
                u64::from(checkpoints.is_due(self.team)),
            ]))?;
            if gathered[0][1] == 1 {
                checkpoints.save(self, &found, order)?;
            }
            let last = gathered.iter().map(|numbers| numbers[0]).max().unwrap_or(0);
            let Some(stage) = last.checked_sub(1) else {
                break;
            };
            // Fits in 32 bits: 1 was added to a stage of 32 bits.
            let stage = stage as u32;
            let codes = self.score_stage(&found.layers, stage, order)?;
            found.layers.entry(stage).or_default().codes = codes;
        }
        let times = SolveTimes::of(started.elapsed(), reach);
        Ok((merge_scores(self, found.layers)?, times))
    }

    /// Returns the codes of the scores of all classes of this process at a stage.
    fn score_stage(
        &self,
        layers: &Layers<K>,
        stage: u32,
        order: LayerOrder,
    ) -> Result<Vec<u8>, SolveError> {
        let nothing = Layer::default();
        let layer = layers.get(&stage).unwrap_or(&nothing);
        let keys = &layer.keys;
        let count = u32::try_from(keys.len());
        let count = count.map_err(|_| SolveError::TooMany {
            game: self.rules.name(),
        });
        self.team
            .all_gather(count.map(|count| [u64::from(count)]))?;
        let mut waiting = Waiting {
            best: vec![i32::MIN; keys.len()],
            open: vec![0; keys.len()],
            moves: Collected::new(keys.len(), self.team.size(), self.counts_plies()),
        };
        // Ask the owners for the scores of the children of one block, and answer their questions.
        let size = self.large_block();
        let mut blocks = (0..keys.len()).step_by(size);
        let mut reported = 0;
        loop {
            let start = blocks.next().unwrap_or(keys.len());
            let block = &keys[start..keys.len().min(start + size)];
            let looked = self.look_up(block, start, layers, (stage, order), &mut waiting);
            let (asked, moves) = match looked {
                Ok(moves) => {
                    let block = moves.len() * (size_of::<Move<K>>() + 2 * size_of::<K>());
                    let fits = self.make_room(bytes(layers) + block as u64, &mut waiting);
                    (fits.map(|()| self.ask(&moves, stage)), moves)
                }
                Err(broken) => (Err(broken.into()), Vec::new()),
            };
            let asked = self.team.exchange(asked, more(blocks.len() > 0))?;
            let answers = asked.messages.iter().enumerate().map(|(from, message)| {
                self.answer(message, from as u32, layers, stage, &mut waiting.moves)
            });
            let answers: Option<Vec<Vec<u8>>> = answers.collect();
            let answers = self.team.exchange(answers.ok_or_else(broken), 0)?;
            self.hear(&moves, &answers.messages, stage, &mut waiting);
            // The other half is reported when the classes have their scores.
            let half = block.len() / 2;
            self.team.advance(half as u64);
            reported += half;
            if asked.flags & MORE == 0 {
                break;
            }
        }
        let stage = Stage {
            layer,
            stage,
            order,
        };
        let scored = self.within_stage(waiting, stage, bytes(layers), keys.len() - reported)?;
        let scores = self.rules.scores();
        let mut codes = Vec::with_capacity(keys.len() * self.code_bytes());
        for (key, &score) in keys.iter().zip(&scored) {
            let code = scores.code(score);
            let code = code.ok_or_else(|| self.rules.misfit(key.wide(), score))?;
            put_code(code, self.code_bytes(), &mut codes);
        }
        Ok(codes)
    }

    /// Returns the number of bytes of a score's code.
    pub(super) fn code_bytes(&self) -> usize {
        self.rules.scores().code_bytes()
    }

    /// Returns the scores of a stage's classes, given those of the moves out of it.
    ///
    /// `others` is the memory taken by all else, in bytes, and `units` the work to be reported.
    fn within_stage(
        &self,
        waiting: Waiting,
        stage: Stage<'_, K>,
        others: u64,
        units: usize,
    ) -> Result<Vec<i32>, SolveError> {
        let Waiting { best, open, moves } = waiting;
        let parents = moves.finish(best.len(), self.scratch.as_deref())?;
        let fits = self.check_memory(others + WAITING * best.len() as u64 + parents.bytes());
        let is_waiting = parents.count > 0 || self.is_backward && open.iter().any(|&open| open > 0);
        let gathered = fits.map(|()| [u64::from(is_waiting)]);
        let gathered = self.team.all_gather(gathered)?;
        if gathered.iter().any(|numbers| numbers[0] > 0) {
            return match self.is_backward {
                true => self.propagate(best, open, &Backward::new(self, stage), units),
                false => self.propagate(best, open, &parents, units),
            };
        }
        self.team.advance(units as u64);
        Ok(best)
    }

    /// Checks that the moves collected fit in memory beside `others` bytes, or writes them to disk.
    ///
    /// A part of the memory is left for what they take once they are compressed.
    fn make_room(&self, others: u64, waiting: &mut Waiting) -> Result<(), SolveError> {
        let others = others + WAITING * waiting.best.len() as u64;
        let needed = |moves: &Collected| others + moves.bytes();
        if let Some(scratch) = &self.scratch
            && needed(&waiting.moves) > self.options.memory / 2
        {
            waiting.moves.spill(scratch)?;
        }
        self.check_memory(needed(&waiting.moves))
    }

    /// Returns the number of classes whose moves are followed together, and of those that pass on
    /// their scores together.
    ///
    /// The more there are, the nearer to each other the classes at the other ends are, and the
    /// faster they are found.
    pub(super) fn large_block(&self) -> usize {
        const MOST: usize = 1 << 20;
        /// Estimated size of a class's moves, times a small share of the memory.
        const SHARE: u64 = 16 * 256;
        match self.block {
            BLOCK => (self.options.memory / SHARE).clamp(BLOCK as u64, MOST as u64) as usize,
            chosen => chosen,
        }
    }

    fn counts_plies(&self) -> bool {
        self.rules.scores().counts_plies()
    }

    /// Returns the sorted moves of some classes whose scores are not known in this process.
    ///
    /// It notes the other moves in `waiting` at once.
    fn look_up(
        &self,
        keys: &[K],
        start: usize,
        layers: &Layers<K>,
        (stage, order): (u32, LayerOrder),
        waiting: &mut Waiting,
    ) -> Result<Vec<Move<K>>, Broken> {
        let scores = self.rules.scores();
        let tasks: Vec<&[K]> = keys.chunks(TASK).collect();
        let format = waiting.moves.format();
        let (processes, rank) = (self.team.size(), self.team.rank());
        let looked = try_map(tasks.len(), |task| {
            let mut parents = (start + task * TASK) as u32..;
            let mut known = Known::default();
            let mut others = Vec::new();
            let mut within: Vec<(K, Parent)> = Vec::new();
            let mut siblings = Vec::new();
            let mut keys = tasks[task].iter().map(|key| key.wide());
            self.rules.expand(&mut keys, &mut |moves| {
                let parent = parents.next().expect("there is no end");
                let mut open = 0;
                known.best.push((moves.best, 0));
                siblings.clear();
                for step in &moves.steps {
                    let mv = Move {
                        owner: owner(step.key, processes) as u32,
                        stage: order.stage_of(step.layer),
                        child: K::of(step.key),
                        parent,
                        followed: step.followed,
                    };
                    if mv.stage == stage && self.is_backward {
                        siblings.push(mv.child);
                        continue;
                    }
                    open += usize::from(mv.stage == stage);
                    if mv.owner as usize != rank {
                        others.push(mv);
                        continue;
                    }
                    if mv.stage == stage {
                        within.push((mv.child, mv.as_parent()));
                        continue;
                    }
                    known.add(&mv, layers, scores);
                }
                // Moves backward lead from a child to a parent once, whatever the number of moves.
                siblings.sort_unstable();
                siblings.dedup();
                if let Some((_, all)) = known.best.last_mut() {
                    *all = open + siblings.len();
                }
            })?;
            known.look_up(layers, scores);
            within.sort_unstable_by_key(|mv| mv.0);
            let (children, parents): (Vec<K>, Vec<Parent>) = within.into_iter().unzip();
            let indices = layers[&stage].find_all(&children).expect(REACHABLE);
            let indices = indices.into_iter().map(|index| index as u32);
            let within = format.encode(&indices.zip(parents).collect::<Vec<_>>());
            Ok::<_, Broken>((known.best, within, others))
        })?;
        self.note(looked, keys, start, waiting)
    }

    /// Notes the moves of some classes that were looked up, and returns the others, sorted.
    fn note(
        &self,
        looked: Vec<LookedUp<K>>,
        keys: &[K],
        start: usize,
        waiting: &mut Waiting,
    ) -> Result<Vec<Move<K>>, Broken> {
        let mut at = start;
        let mut all_others = Vec::new();
        for (known, within, others) in looked {
            for (best, open) in known {
                let too_many = || self.rules.too_many_moves(keys[at - start].wide());
                waiting.best[at] = best;
                waiting.open[at] = u16::try_from(open).map_err(|_| too_many())?;
                at += 1;
            }
            waiting.moves.add(&within);
            all_others.push(others);
        }
        let mut others = all_others.concat();
        sort(&mut others);
        Ok(others)
    }

    /// Returns the questions to the owners of children.
    ///
    /// For each stage: its number, the number of keys, and the keys, without duplicates. For moves
    /// within the current stage, all moves instead.
    fn ask(&self, moves: &[Move<K>], stage: u32) -> Vec<Vec<u8>> {
        let mut messages = self.team.empty_messages();
        for group in moves.chunk_by(|a, b| (a.owner, a.stage) == (b.owner, b.stage)) {
            let message = &mut messages[group[0].owner as usize];
            message.extend(group[0].stage.to_le_bytes());
            if group[0].stage == stage {
                message.extend((group.len() as u32).to_le_bytes());
                for mv in group {
                    self.width.put(mv.child, message);
                }
                for mv in group {
                    message.extend(mv.parent.to_le_bytes());
                    message.extend(mv.followed.points.to_le_bytes());
                    message.push(u8::from(mv.followed.turns));
                }
                continue;
            }
            let children = || group.chunk_by(|a, b| a.child == b.child);
            message.extend((children().count() as u32).to_le_bytes());
            for same in children() {
                self.width.put(same[0].child, message);
            }
        }
        messages
    }

    /// Returns the codes for which another process asks; `None` if its message is malformed.
    ///
    /// Adds the moves within the stage that it registers to `moves`.
    fn answer(
        &self,
        message: &[u8],
        from: u32,
        layers: &Layers<K>,
        stage: u32,
        moves: &mut Collected,
    ) -> Option<Vec<u8>> {
        let mut reader = Reader(message);
        let mut answer = Vec::with_capacity(message.len() / self.width.0);
        while !reader.is_empty() {
            let (of, count) = (reader.u32()?, reader.u32()? as usize);
            let asked: Vec<K> = reader.keys(count, self.width)?;
            let layer = layers.get(&of)?;
            let tasks: Vec<&[K]> = asked.chunks(TASK).collect();
            let found = map_of(&tasks, |asked| layer.find_all(asked));
            let found = found.into_iter().collect::<Option<Vec<_>>>()?.concat();
            if of != stage {
                for index in found {
                    let mut codes = layer.codes.chunks_exact(self.code_bytes());
                    answer.extend(codes.nth(index)?);
                }
                continue;
            }
            let mut within = Vec::with_capacity(count);
            for child in found {
                let (index, points) = (reader.u32()?, reader.i32()?);
                let followed = Followed {
                    turns: reader.bytes(1)? == [1],
                    is_finished: false,
                    counts_plies: self.counts_plies(),
                    points,
                };
                let parent = Parent {
                    owner: from,
                    index,
                    followed,
                };
                within.push((child as u32, parent));
            }
            moves.add(&moves.format().encode(&within));
        }
        Some(answer)
    }

    /// Applies the answers, which are in the order of the moves.
    fn hear(&self, moves: &[Move<K>], answers: &[Vec<u8>], stage: u32, waiting: &mut Waiting) {
        let scores = self.rules.scores();
        let size = self.code_bytes();
        let answers = answers.iter().map(|answer| answer.chunks_exact(size));
        let mut answers: Vec<_> = answers.collect();
        let asked = moves.iter().filter(|mv| mv.stage != stage);
        let mut last = None;
        let mut score = 0;
        for mv in asked {
            let child = (mv.owner, mv.stage, mv.child);
            if last != Some(child) {
                last = Some(child);
                let code = answers[mv.owner as usize].next();
                score = scores.score(code_of(code.expect("an answer to each question"), size));
            }
            let best = &mut waiting.best[mv.parent as usize];
            *best = (*best).max(mv.followed.score(score));
        }
    }
}
