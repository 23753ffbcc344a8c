//! Choice of the questions about the rules, and of simple positions.
//!
//! Questions come from games with random and with lopsided moves, and are the same for every AI.
//! A position is simple if players with different knowledge see it alike.

use crate::check::error::{CheckError, inventory_of};
use crate::game::{Game, Notation, Progress, Roots, best_moves};
use crate::oracle::{Oracle, OracleError};
use crate::random::Random;
use crate::search::{Algorithm, Search};
use crate::table::LayerEntries;
use rustc_hash::FxHashMap;
use std::cell::LazyCell;

/// Position with the moves from the start to it, if there is a start.
type Probe<G> = (Option<Vec<<G as Game>::Move>>, <G as Game>::Position);

/// Candidate for a question, with its rank. Candidates with the lowest rank are the hardest.
pub(super) type Candidate<G> = (i32, Probe<G>);

/// Questions about the rules, chosen from games.
pub(super) struct Questions<G: Notation> {
    /// Positions with a single legal move, all of the same rank.
    pub forced: Vec<Candidate<G>>,
    /// Simple positions in which ignorance of a rule doesn't mislead.
    pub simple: Vec<Candidate<G>>,
    /// For each topic, positions that mislead a player who doesn't know the rule.
    pub topics: Vec<Vec<Candidate<G>>>,
}

/// The number of questions of each kind, at most.
const FORCED: usize = 16;
const SIMPLE: usize = 24;
const A_TOPIC: usize = 16;

/// The number of candidates per question, from which the best are chosen.
const CHOICE: usize = 4;

/// The number of games from which candidates are taken, at most.
const PLAYOUTS: usize = 20_000;

/// The number of positions of these games, at most.
const POSITIONS: u32 = 1_000_000;

/// The number of positions between checks for cancellation, a power of two.
const LOOK_EVERY: u32 = 1 << 10;

/// The number of games in a row without a new candidate after which no more follow.
const STALE: usize = 3000;

impl<G: Notation> Questions<G> {
    /// Plays games of several kinds and chooses positions from them.
    ///
    /// Every AI gets the same questions, fewer if `progress` is cancelled. Games from the start rarely
    /// reach the positions in which some rules decide. With `from_table`, further games therefore begin
    /// at random entries of the oracle's table.
    ///
    /// # Errors
    /// If the oracle fails, or the game has no start and the oracle no list of positions.
    pub fn choose(
        oracle: &dyn Oracle<G>,
        from_table: bool,
        progress: &dyn Progress,
    ) -> Result<Questions<G>, CheckError> {
        let game = oracle.game();
        let topics = game.capabilities().checking.rule_topics().len();
        let has_start = game.capabilities().solving.roots() == Roots::Start;
        let table = match has_start {
            true => oracle.inventory().filter(|_| from_table && topics > 0),
            false => Some(inventory_of(oracle, "positions to begin with")?),
        };
        let (entries, mut in_table) = (table.map(LayerEntries::all), !has_start);
        let mut questions = Questions::none(topics);
        let mut random = Random::new(0x5EED);
        // The positions met, with the number of the last game in which they were.
        let mut known = FxHashMap::default();
        let (mut found, mut found_at) = (0, 0);
        let mut positions = 0u32;
        'games: for playout in 0..PLAYOUTS {
            if questions.total() > found {
                (found, found_at) = (questions.total(), playout);
            }
            let is_stale = playout > found_at + STALE;
            if (is_stale || playout == PLAYOUTS / 2) && !in_table && entries.is_some() {
                (in_table, found_at) = (true, playout);
            } else if is_stale || questions.are_complete() {
                break;
            }
            let begins_in = entries.as_ref().filter(|_| in_table);
            let Some(mut position) = beginning(game, begins_in, &mut random)? else {
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
                let met = known.insert(position.clone(), playout);
                if met == Some(playout) {
                    break; // The position repeats, so the game is drawn.
                } else if met.is_none() {
                    let way = begins_in.is_none().then(|| line.clone());
                    questions.consider(oracle, &position, &moves, way)?;
                }
                let mv = random_move(game, &position, &moves, playout, &mut random);
                line.push(mv);
                position = game.play(&position, mv);
            }
        }
        // Retain the hardest candidates.
        closest(&mut questions.simple, SIMPLE);
        for candidates in &mut questions.topics {
            closest(candidates, A_TOPIC);
        }
        Ok(questions)
    }

    fn none(topics: usize) -> Questions<G> {
        Questions {
            forced: Vec::new(),
            simple: Vec::new(),
            topics: vec![Vec::new(); topics],
        }
    }

    /// Returns the number of questions.
    pub fn total(&self) -> usize {
        let topics = self.topics.iter().map(Vec::len);
        self.forced.len() + self.simple.len() + topics.sum::<usize>()
    }

    /// Returns whether there are enough candidates of every kind.
    fn are_complete(&self) -> bool {
        self.forced.len() == FORCED
            && self.simple.len() == CHOICE * SIMPLE
            && (0..self.topics.len()).all(|topic| self.is_full(topic))
    }

    /// Returns whether there are enough candidates for a topic.
    fn is_full(&self, topic: usize) -> bool {
        self.topics[topic].len() >= CHOICE * A_TOPIC
    }

    /// Adds a position to the candidates for each kind of question that it suits.
    ///
    /// `way` leads to it from the start.
    fn consider(
        &mut self,
        oracle: &dyn Oracle<G>,
        position: &G::Position,
        moves: &[G::Move],
        way: Option<Vec<G::Move>>,
    ) -> Result<(), CheckError> {
        let game = oracle.game();
        if let [only] = moves {
            // Allow at most three with the same move.
            let is_alike = |(_, (_, other)): &&Candidate<G>| game.legal_moves(other)[0] == *only;
            let alike = self.forced.iter().filter(is_alike).count();
            if self.forced.len() < FORCED && alike < 3 {
                self.forced.push((0, (way, position.clone())));
            }
            return Ok(());
        }
        let is_simple = is_simple(game, position);
        let as_simple = is_simple && self.simple.len() < CHOICE * SIMPLE;
        // If the oracle searches, only simple positions have their scores at once.
        let is_known = is_simple || oracle.effort().is_none();
        let topics = 0..self.topics.len();
        let open = topics.filter(|&topic| is_known && !self.is_full(topic));
        let open: Vec<usize> = open.collect();
        if !as_simple && open.is_empty() {
            return Ok(());
        }
        let scores = oracle.move_scores(position)?;
        let is_best = |mv| best_moves(&scores).any(|best| best == mv);
        let is_fair = LazyCell::new(|| any_depth_finds(game, position, &is_best));
        let gap = gap(&scores);
        let probe = || (way.clone(), position.clone());
        let topics = self.topics.len();
        if as_simple
            && let Some(gap) = gap
            && (topics == 0 || *is_fair)
            && misleads_nobody(game, position, moves, 0..topics, &is_best)
        {
            // Prefer hard positions, because the questions about rules are hard, too.
            let best = best_moves(&scores).count() * 1000 / moves.len();
            self.simple.push((100 * best as i32 + gap, probe()));
        }
        for topic in open {
            if let Some(lucky) = lucky_depths(game, position, moves, topic, &is_best)
                && *is_fair
            {
                let points = 1000 * lucky as i32 + gap.unwrap_or(0);
                self.topics[topic].push((points, probe()));
            }
        }
        Ok(())
    }
}

/// Returns a random position of a table, if there is any, or the start if there is no table.
fn beginning<G: Notation>(
    game: &G,
    table: Option<&LayerEntries<'_, G>>,
    random: &mut Random,
) -> Result<Option<G::Position>, OracleError> {
    match table {
        None => Ok(Some(game.start())),
        Some(entries) => Ok(entries.choose(|below| random.below(below))?),
    }
}

/// Returns a move of a playout: mostly of the kind it prefers, sometimes random.
///
/// Plain random moves rarely lead to crowded pits and lopsided boards.
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
        // The move that gains least leaves the most on the board.
        2 if random.below(8) > 0 => {
            let side = game.side_to_move(position);
            let gain = |&&mv: &&G::Move| {
                let after = game.play(position, mv);
                game.seen_from(side, &after, game.banked(&after))
            };
            *moves.iter().min_by_key(gain).unwrap_or(&moves[0])
        }
        _ => moves[random.index(moves.len())],
    }
}

/// Retains the candidates with the lowest ranks; among equals, the first ones.
fn closest<T>(candidates: &mut Vec<(i32, T)>, count: usize) {
    candidates.sort_by_key(|candidate| candidate.0);
    candidates.truncate(count);
}

/// Returns the points between the best and the second-best score.
///
/// `scores` begins with the best move. `None` if all moves are best.
fn gap<M>(scores: &[(M, i32)]) -> Option<i32> {
    let top = scores[0].1;
    let mut gaps = scores.iter().map(|&(_, score)| top - score);
    gaps.find(|&gap| gap != 0)
}

/// The search depth up to which every search must find the answers to questions.
const FAIR_DEPTH: u32 = 5;

/// The number of positions that may follow a simple one.
///
/// Any search sees all of them.
const SIMPLE_NODES: usize = 300;

/// The number of positions that a player who doesn't know a rule may visit.
const UNAWARE_NODES: usize = 40 * SIMPLE_NODES;

/// The number of depths at which such a player may find a best move nevertheless.
const LUCKY_DEPTHS: usize = 3;

/// Returns whether a position misleads no player who doesn't know one of these rules.
///
/// At every depth, only best moves look best to such a player.
pub(super) fn misleads_nobody<G: Notation>(
    game: &G,
    position: &G::Position,
    moves: &[G::Move],
    mut topics: impl Iterator<Item = usize>,
    is_best: &dyn Fn(G::Move) -> bool,
) -> bool {
    topics.all(|topic| {
        (1..=FAIR_DEPTH).chain([u32::MAX]).all(|depth| {
            let thought = unaware_best(game, position, moves, topic, depth);
            thought.is_some_and(|moves| moves.into_iter().all(is_best))
        })
    })
}

/// Returns the number of depths at which ignorance of a rule doesn't mislead.
///
/// At these depths, a best move is among those that look best to a player who doesn't know the
/// rule. `None` if there are too many such depths, or the rule changes no move.
pub(super) fn lucky_depths<G: Notation>(
    game: &G,
    position: &G::Position,
    moves: &[G::Move],
    topic: usize,
    is_best: &dyn Fn(G::Move) -> bool,
) -> Option<usize> {
    let checking = game.capabilities().checking;
    let differs = |&mv: &G::Move| {
        let unaware = checking.play_unaware(position, mv, topic);
        unaware.is_some_and(|after| after != game.play(position, mv))
    };
    if !moves.iter().any(differs) {
        return None;
    }
    let mut lucky = 0;
    for depth in 1..=FAIR_DEPTH {
        let thought = unaware_best(game, position, moves, topic, depth);
        let misleads = thought.is_some_and(|moves| !moves.into_iter().any(is_best));
        lucky += usize::from(!misleads);
        if lucky > LUCKY_DEPTHS {
            return None;
        }
    }
    Some(lucky)
}

/// Returns the best moves for a player who doesn't know a rule.
///
/// The player looks `depth` moves ahead. `None` if the game doesn't support it, or too many
/// positions follow.
pub(super) fn unaware_best<G: Notation>(
    game: &G,
    position: &G::Position,
    moves: &[G::Move],
    topic: usize,
    depth: u32,
) -> Option<Vec<G::Move>> {
    let mut left = UNAWARE_NODES;
    let scores: Vec<i32> = moves
        .iter()
        .map(|&mv| unaware_score(game, position, mv, topic, depth, &mut left))
        .collect::<Option<_>>()?;
    let most = scores.iter().max();
    let pairs = moves.iter().zip(&scores);
    Some(
        pairs
            .filter(|&(_, score)| Some(score) == most)
            .map(|(&mv, _)| mv)
            .collect(),
    )
}

/// Returns a move's score under rules without that of a topic.
///
/// The score is seen from the side to move. `None` if too many positions follow; `left` is the
/// number that remain.
fn unaware_score<G: Notation>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    topic: usize,
    depth: u32,
    left: &mut usize,
) -> Option<i32> {
    *left = left.checked_sub(1)?;
    let child = game
        .capabilities()
        .checking
        .play_unaware(position, mv, topic)?;
    let score = match game.final_score(&child) {
        Some(score) => score,
        None if depth <= 1 => game.banked(&child),
        None => {
            let mut best = i32::MIN;
            for reply in game.legal_moves(&child) {
                best = best.max(unaware_score(game, &child, reply, topic, depth - 1, left)?);
            }
            best
        }
    };
    Some(game.score_of_move(game.side_to_move(position), &child, score))
}

/// Returns whether a search that knows the rules finds only best moves at every depth.
///
/// Only then does a different answer indicate wrong rules.
pub(super) fn any_depth_finds<G: Notation>(
    game: &G,
    position: &G::Position,
    is_best: &dyn Fn(G::Move) -> bool,
) -> bool {
    (1..=FAIR_DEPTH).all(|depth| {
        let mut search = Search::new(game).to_depth(depth, G::banked);
        // Nothing cancels this search.
        search
            .play_scores(Algorithm::AlphaBeta, position)
            .is_ok_and(|scores| best_moves(&scores).all(is_best))
    })
}

/// Returns whether any search sees all lines from a position.
///
/// Positions count as often as lines reach them.
pub(super) fn is_simple<G: Notation>(game: &G, position: &G::Position) -> bool {
    fn count<G: Notation>(game: &G, position: &G::Position, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        game.legal_moves(position)
            .into_iter()
            .all(|mv| count(game, &game.play(position, mv), left))
    }
    count(game, position, &mut { SIMPLE_NODES })
}
