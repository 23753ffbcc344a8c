//! Which questions about the rules are asked: picked, always the same ones, from lines of random
//! and of lopsided play.

use super::simple::{any_depth_finds, is_simple, lucky_depths, misleads_nobody};
use crate::check::contenders::builtin::best_of;
use crate::check::error::{CheckError, inventory_of};
use crate::game::{Game, Notation, Progress, Roots, best_moves};
use crate::oracle::{Oracle, OracleError};
use crate::random::Random;
use crate::table::random_entry;
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

/// A position with the moves that lead to it from the start, if there is a start.
pub(super) type Probe<G> = (Option<Vec<<G as Game>::Move>>, <G as Game>::Position);

/// A candidate, and the points between right and wrong: the fewer, the more it takes to know.
pub(super) type Candidate<G> = (i32, Probe<G>);

/// The questions, chosen from the game's own lines of play.
pub(super) struct Questions<G: Notation> {
    /// Positions with a single legal move.
    pub forced: Vec<Probe<G>>,
    /// Simple positions that have nothing to do with any topic.
    pub simple: Vec<Candidate<G>>,
    /// For each topic: positions in which the moves that have to do with it are right; or, where
    /// the game says what a player expects that doesn't know the rule, in which that misleads.
    pub topics: Vec<Vec<Candidate<G>>>,
    /// Of which topics the game says what a player expects that doesn't know the rule.
    misleading: Vec<bool>,
}

/// The questions of each kind, at most.
const FORCED: usize = 16;
const SIMPLE: usize = 24;
const A_TOPIC: usize = 16;

/// The questions are the best of this multiple of candidates.
const CHOICE: usize = 4;

/// Games from which candidates are taken, at most.
const PLAYOUTS: usize = 20_000;

/// The most positions of these games.
const POSITIONS: u32 = 1_000_000;

/// How many positions pass before the caller's wish to stop is looked at, a power of two.
const LOOK_EVERY: u32 = 1 << 10;

/// Games in a row without a new candidate after which no more are expected.
const STALE: usize = 3000;

impl<G: Notation> Questions<G> {
    /// Plays games of several kinds and picks positions from them; fewer if `progress` is cancelled.
    pub fn choose(
        oracle: &dyn Oracle<G>,
        progress: &dyn Progress,
    ) -> Result<Questions<G>, CheckError> {
        let game = oracle.game();
        let table = match game.capabilities().solving.roots() {
            Roots::Start => None,
            Roots::Everywhere => Some(inventory_of(oracle, "positions to begin with")?),
        };
        let mut questions = Questions::none(game);
        // The same questions for every AI.
        let mut random = Random::new(0x5EED);
        let mut known = FxHashSet::default();
        let (mut found, mut found_at) = (0, 0);
        let mut positions = 0u32;
        'games: for playout in 0..PLAYOUTS {
            if questions.total() > found {
                (found, found_at) = (questions.total(), playout);
            }
            if questions.are_complete() || playout > found_at + STALE {
                break;
            }
            let begin = match table {
                None => Some(game.start()),
                Some(table) => random_entry(table, |below| random.below(below))
                    .map_err(OracleError::from)?
                    .map(|(position, _)| position),
            };
            let Some(mut position) = begin else {
                break;
            };
            let mut line = Vec::new();
            while game.final_score(&position).is_none() {
                positions += 1;
                let is_cancelled = positions.is_multiple_of(LOOK_EVERY) && progress.cancelled();
                if positions > POSITIONS || is_cancelled {
                    break 'games;
                }
                let moves = game.legal_moves(&position);
                if known.insert(position.clone()) {
                    let way = table.is_none().then(|| line.clone());
                    questions.consider(oracle, &position, &moves, way)?;
                }
                let mv = random_move(game, &position, &moves, playout, &mut random);
                line.push(mv);
                position = game.play(&position, mv);
            }
        }
        closest(&mut questions.simple, SIMPLE);
        for candidates in &mut questions.topics {
            closest(candidates, A_TOPIC);
        }
        Ok(questions)
    }

    fn none(game: &G) -> Questions<G> {
        let checking = game.capabilities().checking;
        let start = game.start();
        let first = game.legal_moves(&start).first().copied();
        let says =
            |topic| first.is_some_and(|mv| checking.play_unaware(&start, mv, topic).is_some());
        let topics = checking.rule_topics().len();
        Questions {
            forced: Vec::new(),
            simple: Vec::new(),
            topics: vec![Vec::new(); topics],
            misleading: (0..topics).map(says).collect(),
        }
    }

    /// The number of questions.
    pub fn total(&self) -> usize {
        let topics = self.topics.iter().map(Vec::len);
        self.forced.len() + self.simple.len() + topics.sum::<usize>()
    }

    fn are_complete(&self) -> bool {
        self.forced.len() == FORCED
            && self.simple.len() == CHOICE * SIMPLE
            && (0..self.topics.len()).all(|topic| self.is_full(topic))
    }

    fn is_full(&self, topic: usize) -> bool {
        self.topics[topic].len() >= CHOICE * A_TOPIC
    }

    /// Adds a position to the candidates of each kind that it is good for. `way` leads there.
    fn consider(
        &mut self,
        oracle: &dyn Oracle<G>,
        position: &G::Position,
        moves: &[G::Move],
        way: Option<Vec<G::Move>>,
    ) -> Result<(), CheckError> {
        let game = oracle.game();
        if let [only] = moves {
            self.consider_forced(game, (way, position.clone()), *only);
            return Ok(());
        }
        let topics: Vec<u32> = moves
            .iter()
            .map(|&mv| game.capabilities().checking.topics_of_move(position, mv))
            .collect();
        let compares = (0..self.topics.len()).filter(|&topic| !self.misleading[topic]);
        let compares = compares.fold(0, |bits, topic| bits | 1 << topic);
        let has_topics = topics.iter().any(|&topics| topics & compares != 0);
        let is_simple = is_simple(game, position);
        let as_simple = is_simple && !has_topics && self.simple.len() < CHOICE * SIMPLE;
        // Where scores are searched, only simple positions have them at once.
        let is_known = is_simple || oracle.effort().is_none();
        let compared = if is_simple {
            self.compared(&topics)
        } else {
            Vec::new()
        };
        let misleading: Vec<usize> = (0..self.topics.len())
            .filter(|&topic| is_known && self.misleading[topic] && !self.is_full(topic))
            .collect();
        if compared.is_empty() && misleading.is_empty() && !as_simple {
            return Ok(());
        }
        let scene = Scene {
            game,
            position,
            moves,
            way,
            topics,
            scores: oracle.move_scores(position)?,
            is_fair: OnceCell::new(),
        };
        if as_simple {
            self.consider_simple(&scene);
        }
        for topic in misleading {
            self.consider_misleading(&scene, topic);
        }
        for topic in compared {
            self.consider_compared(&scene, topic);
        }
        Ok(())
    }

    /// The topics that some of the moves have to do with and others don't, and of which more
    /// positions are wanted. Those that mislead are found in another way.
    fn compared(&self, topics: &[u32]) -> Vec<usize> {
        let any = topics.iter().fold(0, |any, topics| any | topics);
        let all = topics.iter().fold(!0, |all, topics| all & topics);
        let differing = any & !all;
        (0..self.topics.len())
            .filter(|&topic| !self.misleading[topic])
            .filter(|&topic| differing >> topic & 1 == 1)
            .filter(|&topic| !self.is_full(topic))
            .collect()
    }

    fn consider_forced(&mut self, game: &G, probe: Probe<G>, only: G::Move) {
        // Not all of them with the same move.
        let alike = self
            .forced
            .iter()
            .filter(|(_, other)| game.legal_moves(other).first() == Some(&only))
            .count();
        if self.forced.len() < FORCED && alike < 3 {
            self.forced.push(probe);
        }
    }

    /// A position in which being wrong about a rule misleads nobody.
    fn consider_simple(&mut self, scene: &Scene<'_, G>) {
        let (game, position, moves) = (scene.game, scene.position, scene.moves);
        let misleading = (0..self.topics.len()).filter(|&topic| self.misleading[topic]);
        if let Some(gap) = scene.gap()
            && (scene.is_fair() || !self.misleading.contains(&true))
            && misleads_nobody(game, position, moves, misleading, &|mv| scene.is_best(mv))
        {
            // As hard as can be: the topics' questions are hard, too.
            let best = best_moves(&scene.scores).count() * 1000 / moves.len();
            self.simple.push((100 * best as i32 + gap, scene.probe()));
        }
    }

    /// A position in which the moves that look best without the rule are mistakes, however far a
    /// player looks ahead.
    fn consider_misleading(&mut self, scene: &Scene<'_, G>, topic: usize) {
        let (game, position, moves) = (scene.game, scene.position, scene.moves);
        let is_best = |mv| scene.is_best(mv);
        if let Some(lucky) = lucky_depths(game, position, moves, topic, &is_best)
            && scene.is_fair()
        {
            let gap = scene.gap().unwrap_or(0);
            self.topics[topic].push((1000 * lucky as i32 + gap, scene.probe()));
        }
    }

    /// A position in which the best move that has to do with the topic is better than the best of
    /// the others.
    fn consider_compared(&mut self, scene: &Scene<'_, G>, topic: usize) {
        let best = |with: bool| {
            let moves = scene.moves.iter().zip(&scene.topics);
            let of_kind = moves.filter(|(_, topics)| (*topics >> topic & 1 == 1) == with);
            of_kind.map(|(&mv, _)| scene.score_of(mv)).max()
        };
        if let (Some(with), Some(without)) = (best(true), best(false))
            && with > without
            && scene.is_fair()
        {
            self.topics[topic].push((with - without, scene.probe()));
        }
    }
}

/// A move of a playout: a random one, or most of the time one of a kind that the playout prefers.
/// Plain random play seldom comes to crowded pits and lopsided boards.
fn random_move<G: Notation>(
    game: &G,
    position: &G::Position,
    moves: &[G::Move],
    playout: usize,
    random: &mut Random,
) -> G::Move {
    match playout % 4 {
        0 if random.below(8) > 0 => moves[moves.len() - 1],
        1 if random.below(8) > 0 => moves[0],
        // The move that gains least: what is on the board stays there.
        2 if random.below(8) > 0 => best_of(game, position, |after, side| {
            -game.seen_from(side, after, game.banked(after))
        }),
        _ => moves[random.index(moves.len())],
    }
}

/// Keeps the candidates with the fewest points between right and wrong; of equals those that came
/// first.
fn closest<T>(candidates: &mut Vec<(i32, T)>, count: usize) {
    candidates.sort_by_key(|candidate| candidate.0);
    candidates.truncate(count);
}

/// A position that may be worth asking about.
struct Scene<'a, G: Notation> {
    game: &'a G,
    position: &'a G::Position,
    moves: &'a [G::Move],
    way: Option<Vec<G::Move>>,
    /// Of each move, what it has to do with.
    topics: Vec<u32>,
    /// Best first.
    scores: Vec<(G::Move, i32)>,
    is_fair: OnceCell<bool>,
}

impl<G: Notation> Scene<'_, G> {
    /// The points between the best moves and the others; nothing if all are best.
    fn gap(&self) -> Option<i32> {
        let top = self.scores[0].1;
        let mut gaps = self.scores.iter().map(|&(_, score)| top - score);
        gaps.find(|&gap| gap != 0)
    }

    fn score_of(&self, mv: G::Move) -> i32 {
        let found = self.scores.iter().find(|(other, _)| *other == mv);
        found.map_or(0, |&(_, score)| score)
    }

    fn is_best(&self, mv: G::Move) -> bool {
        best_moves(&self.scores).any(|best| best == mv)
    }

    fn is_fair(&self) -> bool {
        let all_find = || any_depth_finds(self.game, self.position, &|mv| self.is_best(mv));
        *self.is_fair.get_or_init(all_find)
    }

    fn probe(&self) -> Probe<G> {
        (self.way.clone(), self.position.clone())
    }
}
