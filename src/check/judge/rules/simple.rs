//! Simple positions, as players with different knowledge see them.

use crate::game::{Notation, best_moves};
use crate::search::{Algorithm, Search};

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
