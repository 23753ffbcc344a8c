//! Engines: the ways in which the published programs choose the moves of a turn.

use crate::experiment::OutOfMemory;
use crate::shared::{check_table, children, learnt, mtdf, narrow, sign, sum};
use rustc_hash::FxHashMap;
use zermelo::game::Game;
use zermelo::games::kalah::{Kalah, Move, Position, Rules};
use zermelo::search::{Bounds, Window};

/// The moves of one turn, including those of extra turns.
pub type Turn = Vec<Move>;

/// A way to choose the moves of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The first player maximises and the second minimises the value, without cutoffs.
    Minimax,
    /// Minimax that doesn't search further after a move that earns an extra turn. It completes the
    /// turn by a search of depth 1.
    MinimaxSimplified,
    /// Minimax with values seen from the side to move.
    Negamax,
    /// Negamax with a table of values.
    NegamaxTt,
    /// Fail-soft alpha-beta.
    AlphaBeta,
    /// Alpha-beta with a table of bounds.
    AlphaBetaTt,
    /// NegaScout that uses the null window even for a node's first child.
    NegaScout,
    /// NegaScout with a table of bounds that both engines share during the whole game.
    NegaScoutTt,
    /// MTD(f) over alpha-beta with a table of bounds.
    Mtdf,
}

impl Engine {
    /// Returns whether it stores positions in a table.
    pub fn has_table(self) -> bool {
        matches!(
            self,
            Engine::NegamaxTt | Engine::AlphaBetaTt | Engine::NegaScoutTt | Engine::Mtdf
        )
    }

    /// Returns a rough number of positions evaluated in a game at this depth.
    pub(super) fn cost(self, depth: u32) -> f64 {
        let branching: f64 = match self {
            Engine::Minimax | Engine::Negamax | Engine::NegamaxTt => 5.2,
            _ => 3.1,
        };
        500.0 * branching.powi(depth as i32)
    }
}

/// Returns the rules of the game that all engines play.
#[must_use]
pub fn game() -> Kalah {
    Kalah::new(Rules {
        pits: 6,
        seeds: 6,
        empty_capture: false,
    })
    .expect("six pits with six seeds each are a game")
}

/// Ends the game if all pits of a side are empty, and returns whether it did.
///
/// The remaining seeds go to the store of the side they lie on. The rules of
/// [`zermelo::games::kalah`] count them without moving them.
fn sweep(position: &mut Position) -> bool {
    for side in [0, 1] {
        if sum(&position.pits[side]) == 0 {
            position.stores[1 - side] += sum(&position.pits[1 - side]) as u8;
            position.pits[1 - side].fill(0);
            return true;
        }
    }
    false
}

/// Half of all seeds; a store with more has won.
const HALF: u8 = 36;
/// The value of a won game.
const WON: i32 = 99;
/// The initial best value of a node, below every value.
const WORST: i32 = -WON - 1;
const FULL: Window = Window {
    alpha: WORST,
    beta: -WORST,
};
/// The bounds of an unknown value.
const UNKNOWN: Bounds = Bounds {
    lower: WORST,
    upper: -WORST,
};

/// Returns the value of a position, seen from the first player.
fn value(position: &Position) -> i32 {
    match position.stores {
        [first, _] if first > HALF => WON,
        [_, second] if second > HALF => -WON,
        [first, second] => i32::from(first) - i32::from(second),
    }
}

/// The table entry of a position at a depth.
struct Entry {
    bounds: Bounds,
    turn: Turn,
}

/// The heap memory of an entry's moves, in bytes.
const TURN_BYTES: usize = 32;

/// The state shared by both engines' searches in one game.
///
/// Entries that one engine leaves in the table are visible to the other.
pub struct Search {
    game: Kalah,
    /// The limit of the table, in bytes.
    table_bytes: u64,
    table: FxHashMap<u128, Entry>,
    /// The number of evaluations.
    pub evaluations: u64,
    /// The number of positions found in the table, whether or not that saved a search.
    pub hits: u64,
    uses_table: bool,
}

type Found = Result<(i32, Turn), OutOfMemory>;

impl Search {
    pub fn new(game: Kalah, table_bytes: u64) -> Search {
        Search {
            game,
            table_bytes,
            table: FxHashMap::default(),
            evaluations: 0,
            hits: 0,
            uses_table: false,
        }
    }

    /// Returns whether the game is over; if a side has no seeds, collects the rest.
    ///
    /// Unlike the real rules, these programs also stop when a store has more than half of all
    /// seeds. They don't collect the remaining seeds then.
    pub fn is_over(&self, position: &mut Position) -> bool {
        sweep(position) || position.stores.iter().any(|&store| store > HALF)
    }

    /// Chooses a turn in an unfinished position, and returns its value and moves.
    ///
    /// The value is seen from the side to move, but from the first player for both forms of
    /// minimax. `guess` is the first guess of MTD(f); the other engines ignore it.
    pub fn choose(&mut self, engine: Engine, position: Position, depth: u32, guess: i32) -> Found {
        self.uses_table = engine.has_table();
        if engine != Engine::NegaScoutTt {
            self.table.clear();
        }
        match engine {
            Engine::Minimax => self.minimax(position, depth, false),
            Engine::MinimaxSimplified => self.minimax(position, depth, true),
            Engine::Negamax | Engine::NegamaxTt => self.negamax(position, depth),
            Engine::AlphaBeta | Engine::AlphaBetaTt => self.alphabeta(position, depth, FULL, false),
            Engine::NegaScout | Engine::NegaScoutTt => self.alphabeta(position, depth, FULL, true),
            Engine::Mtdf => {
                let mut last = Turn::new();
                let value = mtdf(guess, UNKNOWN, |window| {
                    let (value, turn) = self.alphabeta(position, depth, window, false)?;
                    last = turn;
                    Ok(value)
                })?;
                Ok((value, last))
            }
        }
    }

    /// Returns the value of a position, seen from its side to move.
    fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluations += 1;
        sign(position.side) * value(position)
    }

    fn minimax(&mut self, mut position: Position, depth: u32, simplified: bool) -> Found {
        if self.is_over(&mut position) || depth == 0 {
            return Ok((sign(position.side) * self.evaluate(&position), Turn::new()));
        }
        let sign = sign(position.side);
        let mut best = (sign * WORST, Turn::new());
        for (mv, mut child) in children(&self.game, &position) {
            let extra_turn = child.side == position.side;
            let mut turn = vec![mv];
            let value = if extra_turn && !simplified {
                // An extra turn doesn't reduce the depth.
                let (value, rest) = self.minimax(child, depth, false)?;
                turn.extend(rest);
                value
            } else {
                if extra_turn {
                    // Complete the turn by a search of depth 1, and play it.
                    let (_, rest) = self.minimax(child, 1, true)?;
                    for &mv in &rest {
                        child = self.game.play(&child, mv);
                    }
                    turn.extend(rest);
                    // Even if the extra turn ended the game, the published program passes the turn.
                    child.side = position.side.other();
                }
                self.minimax(child, depth - 1, simplified)?.0
            };
            if sign * value > sign * best.0 {
                best = (value, turn);
            }
        }
        Ok(best)
    }

    fn negamax(&mut self, mut position: Position, depth: u32) -> Found {
        if self.is_over(&mut position) || depth == 0 {
            return Ok((self.evaluate(&position), Turn::new()));
        }
        if let Some(entry) = self.look_up(&position, depth) {
            return Ok((entry.bounds.lower, entry.turn.clone()));
        }
        let mut best = (WORST, Turn::new());
        for (mv, child) in children(&self.game, &position) {
            let mut turn = vec![mv];
            let value = if child.side == position.side {
                // An extra turn neither changes the side nor reduces the depth.
                let (value, rest) = self.negamax(child, depth)?;
                turn.extend(rest);
                value
            } else {
                -self.negamax(child, depth - 1)?.0
            };
            if value > best.0 {
                best = (value, turn);
            }
        }
        let exact = Bounds {
            lower: best.0,
            upper: best.0,
        };
        self.store(&position, depth, exact, &best.1)?;
        Ok(best)
    }

    /// Searches by fail-soft alpha-beta, or by NegaScout if `scouts` is set.
    fn alphabeta(
        &mut self,
        mut position: Position,
        depth: u32,
        mut window: Window,
        scouts: bool,
    ) -> Found {
        if self.is_over(&mut position) || depth == 0 {
            return Ok((self.evaluate(&position), Turn::new()));
        }
        // A stored value may decide the search or narrow the window.
        let mut known = UNKNOWN;
        if let Some(entry) = self.look_up(&position, depth) {
            known = entry.bounds;
            if let Some(value) = narrow(&mut window, known) {
                return Ok((value, entry.turn.clone()));
            }
        }
        let mut best = (WORST, Turn::new());
        for (mv, child) in children(&self.game, &position) {
            // Fail-soft: the window starts at the best value so far.
            let rest_of_window = window.above(best.0);
            let mut turn = vec![mv];
            let value = if child.side == position.side {
                // An extra turn neither changes the side nor reduces the depth.
                let (value, rest) = self.alphabeta(child, depth, rest_of_window, scouts)?;
                turn.extend(rest);
                value
            } else if scouts {
                self.scout(child, depth - 1, rest_of_window)?
            } else {
                -self
                    .alphabeta(child, depth - 1, rest_of_window.negated(), false)?
                    .0
            };
            if value > best.0 {
                best = (value, turn);
                if value >= window.beta {
                    break;
                }
            }
        }
        self.store(&position, depth, learnt(window, known, best.0), &best.1)?;
        Ok(best)
    }

    /// Tests a child with a null window; searches it again if it beats the best so far.
    ///
    /// The other side must be to move in the child.
    fn scout(&mut self, child: Position, depth: u32, window: Window) -> Result<i32, OutOfMemory> {
        let null = Window::at_least(window.alpha + 1);
        let value = -self.alphabeta(child, depth, null.negated(), true)?.0;
        if !(window.alpha < value && value < window.beta) {
            return Ok(value);
        }
        let again = window.above(value);
        Ok(-self.alphabeta(child, depth, again.negated(), true)?.0)
    }

    /// Returns the table key: depth, side to move, pits and stores.
    fn key(position: &Position, depth: u32) -> u128 {
        let [first, second] = position.pits;
        let holes = [&first[..], &second[..], &position.stores[..]];
        let head = u128::from(depth) << 1 | position.side.index() as u128;
        (holes.into_iter().flatten()).fold(head, |key, &seeds| key << 8 | u128::from(seeds))
    }

    fn look_up(&mut self, position: &Position, depth: u32) -> Option<&Entry> {
        if !self.uses_table {
            return None;
        }
        let entry = self.table.get(&Self::key(position, depth))?;
        self.hits += 1;
        Some(entry)
    }

    fn store(
        &mut self,
        position: &Position,
        depth: u32,
        bounds: Bounds,
        turn: &Turn,
    ) -> Result<(), OutOfMemory> {
        if self.uses_table {
            check_table(&self.table, TURN_BYTES, self.table_bytes)?;
            let turn = turn.clone();
            self.table
                .insert(Self::key(position, depth), Entry { bounds, turn });
        }
        Ok(())
    }
}
