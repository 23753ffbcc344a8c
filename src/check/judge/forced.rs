//! First questions of a check: positions with a single legal move.
//!
//! Any other answer shows wrong rules at once, or a misunderstanding of the notation. The positions
//! come from games with random and with lopsided moves, and are the same for every AI.

use super::diagnosis::{Evidence, is_mute};
use crate::check::contenders::{Fault, Player, ask_one};
use crate::check::error::{CheckError, inventory_of};
use crate::game::{CancelScope, Game, Notation, Progress, Roots};
use crate::oracle::{Inventory, Oracle, OracleError};
use crate::pool::share;
use crate::random::Random;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The answers to the first questions, in the order of these.
pub(in crate::check) struct ForcedAnswers<G: Notation> {
    /// The faults, with their positions.
    pub faults: Vec<(G::Position, Fault)>,
    /// The legal answers, with their positions.
    pub right: Vec<(G::Position, G::Move)>,
    /// Whether timeouts with one cause keep coming, so that nothing more is asked.
    pub is_mute: bool,
}

/// Position with the moves from the start to it, if there is a start.
type Question<G> = (Option<Vec<<G as Game>::Move>>, <G as Game>::Position);

/// The number of questions, and of those with the same move, at most.
const QUESTIONS: usize = 16;
const ALIKE: usize = 3;

/// The number of games from which they are taken, at most, and of their positions.
const PLAYOUTS: usize = 3000;
const POSITIONS: u32 = 200_000;

/// The number of positions between checks for cancellation, a power of two.
const LOOK_EVERY: u32 = 1 << 10;

/// Asks the questions; it stops after `most_faults` faults, or when it is cancelled.
///
/// All players are asked at once, but only one if `command` starts the AI: the causes of a program's
/// faults show in the order of its answers.
///
/// # Errors
/// If the oracle fails, or the game has no start and the oracle no list of positions.
pub(in crate::check) fn ask_forced<G: Notation>(
    oracle: &dyn Oracle<G>,
    players: &mut [Box<dyn Player<G> + '_>],
    command: Option<&str>,
    most_faults: usize,
    clock: &CancelScope<'_>,
) -> Result<ForcedAnswers<G>, CheckError> {
    let questions = match most_faults {
        0 => Vec::new(),
        _ => questions(oracle, clock)?,
    };
    let count = questions.len();
    clock.phase("asking where one move is legal", "positions", count as u64);
    let answers = ForcedAnswers {
        faults: Vec::new(),
        right: Vec::new(),
        is_mute: false,
    };
    // With the answers that came before those to earlier questions.
    let answers = Mutex::new((answers, BTreeMap::new()));
    let most = command.map_or(players.len(), |_| 1);
    share(&mut players[..most], count, |player, number| {
        let (line, position) = &questions[number];
        let reply = ask_one(&mut **player, line.as_deref(), position, clock);
        let is_answered = reply.is_some();
        let (answers, early) = &mut *answers.lock().unwrap_or_else(PoisonError::into_inner);
        early.extend(reply.map(|reply| (number, reply)));
        // Count the answers in the order of the questions.
        while answers.faults.len() < most_faults
            && !answers.is_mute
            && let Some(reply) = early.remove(&(answers.faults.len() + answers.right.len()))
        {
            let number = answers.faults.len() + answers.right.len();
            let position = questions[number].1.clone();
            match reply {
                Err(fault) => answers.faults.push((position, fault)),
                Ok(mv) => answers.right.push((position, mv)),
            }
            clock.advance(1);
            // More questions to an AI that only times out would waste time.
            answers.is_mute = is_mute(&Evidence {
                game: oracle.game(),
                faults: &answers.faults,
                right: answers.right.clone(),
                command,
            });
        }
        let continues = answers.faults.len() < most_faults && !answers.is_mute;
        ((), is_answered && continues)
    });
    let answers = answers.into_inner();
    Ok(answers.unwrap_or_else(PoisonError::into_inner).0)
}

/// Plays games of several kinds, and returns positions with a single legal move.
///
/// There are fewer if `progress` is cancelled.
fn questions<G: Notation>(
    oracle: &dyn Oracle<G>,
    progress: &dyn Progress,
) -> Result<Vec<Question<G>>, CheckError> {
    let game = oracle.game();
    let table = match game.capabilities().solving.roots() == Roots::Start {
        true => None,
        false => Some(inventory_of(oracle, "positions to begin with")?),
    };
    let mut random = Random::new(0x5EED);
    let mut questions: Vec<Question<G>> = Vec::new();
    let mut positions = 0;
    'games: for playout in 0..PLAYOUTS {
        let Some(mut position) = beginning(game, table.as_deref(), &mut random)? else {
            break;
        };
        let mut line = Vec::new();
        let mut met = FxHashSet::default();
        // A game whose position repeats is drawn.
        while game.final_score(&position).is_none() && met.insert(position.clone()) {
            positions += 1;
            let is_cancelled = positions % LOOK_EVERY == 0 && progress.cancelled();
            if questions.len() == QUESTIONS || positions > POSITIONS || is_cancelled {
                break 'games;
            }
            let moves = game.legal_moves(&position);
            if let [only] = moves[..] {
                let alike = questions
                    .iter()
                    .filter(|(_, other)| game.legal_moves(other)[0] == only);
                let is_new = questions.iter().all(|(_, other)| *other != position);
                if alike.count() < ALIKE && is_new {
                    let way = table.is_none().then(|| line.clone());
                    questions.push((way, position.clone()));
                }
            }
            let mv = random_move(game, &position, &moves, playout, &mut random);
            line.push(mv);
            position = game.play(&position, mv);
        }
    }
    Ok(questions)
}

/// Returns a random position of a table, if there is any, or the start if there is no table.
fn beginning<G: Notation>(
    game: &G,
    table: Option<&dyn Inventory<G>>,
    random: &mut Random,
) -> Result<Option<G::Position>, OracleError> {
    match table {
        None => Ok(Some(game.start())),
        Some(table) => Ok(table.choose(&mut |below| random.below(below))?),
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
