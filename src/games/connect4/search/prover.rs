//! The search itself: whether a score is reached, by alpha-beta with null windows.

use super::shape::Shape;
use super::transposition::{Known, Transpositions};
use crate::games::connect4::board::{Board, Cells};

/// After so many nodes a search asks whether it should go on.
const NODES_BETWEEN_LOOKS: u64 = 1 << 12;

/// The search was told to stop.
#[derive(Clone, Copy, Debug)]
pub struct Stopped;

/// An unfinished position whose mover can't win at once.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The mover's stones.
    pub own: Cells,
    /// All stones.
    pub all: Cells,
    /// Free cells where the mover would have a line.
    pub own_wins: Cells,
    /// Free cells where the opponent would have one.
    pub other_wins: Cells,
}

/// A search of one position on one thread, on a board of at most so many columns.
pub struct Prover<'a, S, const COLUMNS: usize> {
    shape: S,
    board: &'a Board,
    table: &'a Transpositions,
    /// The columns, those in the middle first.
    columns: [Cells; COLUMNS],
    /// With fewer stones a position is the same as its mirror image.
    mirrored_below: u32,
    /// With fewer stones the table is asked about all children before any is searched.
    cutoffs_below: u32,
    /// Is told now and then how many nodes there were since the last time, and says whether to go
    /// on.
    go_on: &'a dyn Fn(u64) -> bool,
    /// Positions visited.
    pub nodes: u64,
    /// As many as `go_on` has heard of.
    told: u64,
}

/// A move that doesn't lose at once.
#[derive(Clone, Copy, Default)]
struct Try {
    stone: Cells,
    /// Where it would then win.
    wins: Cells,
    merit: u32,
}

impl<'a, S: Shape, const COLUMNS: usize> Prover<'a, S, COLUMNS> {
    /// One of several that search the same position and share the table; those with an odd `turn`
    /// begin with the other one of two columns that are alike.
    pub fn new(
        shape: S,
        board: &'a Board,
        table: &'a Transpositions,
        turn: usize,
        go_on: &'a dyn Fn(u64) -> bool,
    ) -> Self {
        let middle = (board.columns - 1) / 2;
        let mut columns = [0; COLUMNS];
        for (place, cells) in (0..board.columns).zip(&mut columns) {
            let distance = place.div_ceil(2);
            let is_left = place % 2 != turn as u32 % 2 && distance <= middle;
            *cells = board.column(match is_left {
                true => middle - distance,
                false => middle + distance,
            });
        }
        Prover {
            shape,
            board,
            table,
            columns,
            // There are most transpositions in the midst of a game; near its end looking for them
            // takes longer than it saves.
            mirrored_below: board.cells() * 3 / 8,
            cutoffs_below: board.cells() * 5 / 8,
            go_on,
            nodes: 0,
            told: 0,
        }
    }

    /// The cells where a player with these stones would have a line.
    #[inline(always)]
    pub fn wins(&self, stones: Cells, all: Cells) -> Cells {
        self.shape.wins(stones) & self.board.full & !all
    }

    /// The score of who wins with so many stones on the board.
    #[inline(always)]
    fn winners_score(&self, stones: u32) -> i32 {
        (self.board.cells() as i32 + 2 - stones as i32) / 2
    }

    /// The scrambled key of a position, and whether it is that of the mirror image.
    #[inline(always)]
    fn key(&self, own: Cells, all: Cells, stones: u32) -> (u64, bool) {
        let key = own | (all + self.board.bottom);
        if stones < self.mirrored_below {
            // A mark on top of a column may lie in its spare bit, which is mirrored, too.
            let mirrored = self.board.mirrored(key);
            if mirrored < key {
                return (self.table.scrambled(mirrored), true);
            }
        }
        (self.table.scrambled(key), false)
    }

    /// A bound of the position's score, which has so many stones: a lower one if it is `wanted` or
    /// more, otherwise an upper one.
    pub fn bound(&mut self, node: Node, stones: u32, wanted: i32) -> Result<i32, Stopped> {
        self.nodes += 1;
        if self.nodes - self.told >= NODES_BETWEEN_LOOKS {
            let new = self.nodes - self.told;
            self.told = self.nodes;
            if !(self.go_on)(new) {
                return Err(Stopped);
            }
        }
        let Node {
            own,
            all,
            own_wins,
            other_wins,
        } = node;
        let landing = (all + self.board.bottom) & self.board.full;
        debug_assert_eq!(landing & own_wins, 0);
        let threatened = landing & other_wins;
        // Who doesn't answer a threat, or puts a stone under one, loses.
        let mut moves = landing & !(other_wins >> 1);
        if threatened != 0 {
            moves = if threatened & (threatened - 1) == 0 {
                moves & threatened
            } else {
                0
            };
        }
        let cells = self.board.cells();
        if moves == 0 {
            return Ok(if stones + 1 < cells {
                -self.winners_score(stones + 2)
            } else {
                0
            });
        }
        if stones + 2 >= cells {
            return Ok(0);
        }
        // Nobody can win with the next stone.
        let most = self.winners_score(stones + 3);
        let least = -self.winners_score(stones + 4);
        if wanted > most {
            return Ok(most);
        }
        if wanted <= least {
            return Ok(least);
        }
        if moves & (moves - 1) == 0 {
            // Nothing to choose.
            let child = self.child(own, all, moves, other_wins);
            return Ok(-self.bound(child, stones + 1, 1 - wanted)?);
        }
        let (key, is_mirrored) = self.key(own, all, stones);
        let mut likely = 0;
        let (mut lower, mut upper) = (least, most);
        if let Some(known) = self.table.get(key) {
            if known.lower >= wanted {
                return Ok(known.lower);
            }
            if known.upper < wanted {
                return Ok(known.upper);
            }
            lower = lower.max(known.lower);
            upper = upper.min(known.upper);
            let column = if is_mirrored {
                self.board.columns - 1 - known.column
            } else {
                known.column
            };
            likely = self.board.column(column);
        }
        let begun = self.nodes;
        let mut tries = [Try::default(); COLUMNS];
        let mut count = 0;
        for &column in &self.columns[..self.board.columns as usize] {
            let stone = moves & column;
            if stone == 0 {
                continue;
            }
            let wins = self.wins(own | stone, all | stone);
            // Two threats, one on the other, can't both be answered.
            let merit = if stone & likely != 0 {
                u32::MAX
            } else {
                2 * wins.count_ones() + (wins & (wins << 1 | wins >> 1)).count_ones()
            };
            let mut place = count;
            while place > 0 && tries[place - 1].merit < merit {
                tries[place] = tries[place - 1];
                place -= 1;
            }
            tries[place] = Try { stone, wins, merit };
            count += 1;
        }
        if stones < self.cutoffs_below {
            // The table may know of a move that is good enough.
            for &Try { stone, .. } in &tries[..count] {
                let (key, _) = self.key(all ^ own, all | stone, stones + 1);
                let known = self.table.get(key);
                if let Some(known) = known.filter(|known| -known.upper >= wanted) {
                    return Ok(-known.upper);
                }
            }
        }
        let mut best = least;
        let mut best_stone = tries[0].stone;
        for &Try { stone, wins, .. } in &tries[..count] {
            let child = Node {
                own: all ^ own,
                all: all | stone,
                own_wins: other_wins & !stone,
                other_wins: wins,
            };
            let score = -self.bound(child, stones + 1, 1 - wanted)?;
            if score > best {
                best = score;
                best_stone = stone;
                if score >= wanted {
                    break;
                }
            }
        }
        if best >= wanted {
            lower = lower.max(best);
        } else {
            upper = upper.min(best);
        }
        let column = best_stone.trailing_zeros() / self.shape.stride();
        let known = Known {
            lower,
            upper,
            column: if is_mirrored {
                self.board.columns - 1 - column
            } else {
                column
            },
        };
        self.table.learn(key, known, self.nodes - begun);
        Ok(best)
    }

    #[inline(always)]
    fn child(&self, own: Cells, all: Cells, stone: Cells, other_wins: Cells) -> Node {
        Node {
            own: all ^ own,
            all: all | stone,
            own_wins: other_wins & !stone,
            other_wins: self.wins(own | stone, all | stone),
        }
    }
}
