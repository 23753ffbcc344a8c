//! What players of different kinds see in simple positions.

use crate::game::{Notation, best_moves};
use crate::search::{Algorithm, Search};

/// Searches that look ahead this number of moves, or fewer, must find the answers to questions
/// about special rules.
const FAIR_DEPTH: u32 = 5;

/// A position is simple if at most this number of positions come after it, so that any search sees
/// them all.
const SIMPLE_NODES: usize = 300;

/// A player that doesn't know a rule may look at this number of positions.
const UNAWARE_NODES: usize = 40 * SIMPLE_NODES;

/// Depths at which a player that doesn't know the rule may find a right move nevertheless.
const LUCKY_DEPTHS: usize = 3;

/// Whether nobody who misses one of these rules is misled: only right moves look best to them,
/// however many moves they look ahead.
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

/// The number of depths at which a player that doesn't know the rule of a topic has a right move
/// among those that look best to it, of those at which whoever knows the rules has only right ones;
/// nothing if they are too many, or no move is another one without the rule.
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

/// The moves that are best for a player that doesn't know the rule of a topic and looks this number
/// of moves ahead; nothing if the game can't say, or too many positions follow.
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

/// A move's score, seen from the mover, by rules without that of a topic; nothing if that takes
/// too many positions.
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
    Some(game.seen_from(game.side_to_move(position), &child, score))
}

/// Whether a search that knows the rules finds the best moves however many moves it looks ahead:
/// only then does another answer say something about the rules.
pub(super) fn any_depth_finds<G: Notation>(
    game: &G,
    position: &G::Position,
    is_best: &dyn Fn(G::Move) -> bool,
) -> bool {
    (1..=FAIR_DEPTH).all(|depth| {
        let mut search = Search::new(game).to_depth(depth, |_, _| 0);
        // Nothing asks it to stop.
        search
            .play_scores(Algorithm::AlphaBeta, position)
            .is_ok_and(|scores| best_moves(&scores).all(is_best))
    })
}

/// Whether any search sees all lines from a position: positions count as often as they come up.
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
