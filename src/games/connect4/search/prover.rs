//! The search itself: whether a score is reached, by alpha-beta with null windows.

use super::shape::wins;
use crate::games::cells::Cells;
use crate::games::connect4::board::Board;
use crate::games::transpositions::{self, Known};

/// What is remembered: scores, to which [`OFFSET`] is added, and a column.
pub type Transpositions = transpositions::Transpositions<6, 5, 4>;

/// So that no score is negative and no upper bound is 0.
const OFFSET: i32 = 32;

/// After so many nodes a search asks whether it should go on.
const NODES_BETWEEN_LOOKS: u64 = 1 << 12;

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

/// A search of one position on one thread, on a board of at most so many columns. Of common boards the
/// bits of a column and the stones of a line are known when this is compiled; of others they are 0.
pub struct Prover<'a, const STRIDE: u32, const LINE: u32, const COLUMNS: usize> {
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

/// Moves that don't lose at once, the most promising first, and how many they are.
type Tries<const COLUMNS: usize> = ([Try; COLUMNS], usize);

/// A move that doesn't lose at once.
#[derive(Clone, Copy, Default)]
struct Try {
    stone: Cells,
    /// Where it would then win.
    wins: Cells,
    merit: u32,
}

impl<'a, const STRIDE: u32, const LINE: u32, const COLUMNS: usize>
    Prover<'a, STRIDE, LINE, COLUMNS>
{
    /// One of several that search the same position and share the table; those with an odd `turn`
    /// begin with the other one of two columns that are alike.
    pub fn new(
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
        let line = if LINE == 0 { self.board.line } else { LINE };
        wins(stones, self.stride(), line) & self.board.full & !all
    }

    #[inline(always)]
    fn stride(&self) -> u32 {
        if STRIDE == 0 {
            self.board.stride()
        } else {
            STRIDE
        }
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

    /// Counts a position; now and then asks whether to go on.
    #[inline(always)]
    fn visit(&mut self) -> Option<()> {
        self.nodes += 1;
        if self.nodes - self.told >= NODES_BETWEEN_LOOKS {
            let new = self.nodes - self.told;
            self.told = self.nodes;
            return (self.go_on)(new).then_some(());
        }
        Some(())
    }

    /// Where the mover can put a stone without losing at once.
    #[inline(always)]
    fn moves(&self, node: &Node) -> Cells {
        let landing = (node.all + self.board.bottom) & self.board.full;
        debug_assert_eq!(landing & node.own_wins, 0);
        let threatened = landing & node.other_wins;
        // Who doesn't answer a threat, or puts a stone under one, loses.
        let moves = landing & !(node.other_wins >> 1);
        if threatened == 0 {
            moves
        } else if threatened & (threatened - 1) == 0 {
            moves & threatened
        } else {
            0
        }
    }

    /// A bound of the position's score, which has so many stones: a lower one if it is `wanted` or
    /// more, otherwise an upper one. None if the search was told to stop.
    pub fn bound(&mut self, node: Node, stones: u32, wanted: i32) -> Option<i32> {
        self.visit()?;
        let moves = self.moves(&node);
        let cells = self.board.cells();
        if moves == 0 {
            return Some(if stones + 1 < cells {
                -self.board.winners_score(stones + 2)
            } else {
                0
            });
        }
        if stones + 2 >= cells {
            return Some(0);
        }
        // Nobody can win with the next stone.
        let most = self.board.winners_score(stones + 3);
        let least = -self.board.winners_score(stones + 4);
        if wanted > most {
            return Some(most);
        }
        if wanted <= least {
            return Some(least);
        }
        if moves & (moves - 1) == 0 {
            // Nothing to choose.
            let wins = self.wins(node.own | moves, node.all | moves);
            let child = node.child(moves, wins);
            return Some(-self.bound(child, stones + 1, 1 - wanted)?);
        }
        self.choose(node, moves, stones, wanted, [least, most])
    }

    /// The same with several moves to choose from, and these bounds to begin with.
    #[inline(always)]
    fn choose(
        &mut self,
        node: Node,
        moves: Cells,
        stones: u32,
        wanted: i32,
        [mut lower, mut upper]: [i32; 2],
    ) -> Option<i32> {
        let (key, is_mirrored) = self.key(node.own, node.all, stones);
        let mut likely = 0;
        let mut best = lower;
        if let Some(known) = self.table.get(key) {
            let [known_lower, known_upper] = [known.lower, known.upper].map(score_of);
            if known_lower >= wanted {
                return Some(known_lower);
            }
            if known_upper < wanted {
                return Some(known_upper);
            }
            lower = lower.max(known_lower);
            upper = upper.min(known_upper);
            likely = self.board.column(self.seen(known.best, is_mirrored));
        }
        let begun = self.nodes;
        let (tries, count) = self.tries(&node, moves, likely);
        let tries = &tries[..count];
        if stones < self.cutoffs_below
            && let Some(bound) = self.cut_by_table(&node, tries, stones, wanted)
        {
            return Some(bound);
        }
        let mut best_stone = tries[0].stone;
        for &Try { stone, wins, .. } in tries {
            let score = -self.bound(node.child(stone, wins), stones + 1, 1 - wanted)?;
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
        let column = best_stone.trailing_zeros() / self.stride();
        let known = Known {
            lower: (lower + OFFSET) as u32,
            upper: (upper + OFFSET) as u32,
            best: self.seen(column, is_mirrored),
        };
        self.table.learn(key, known, self.nodes - begun);
        Some(best)
    }

    /// The column that this one is in the mirror, if it is looked at there.
    #[inline(always)]
    fn seen(&self, column: u32, is_mirrored: bool) -> u32 {
        if is_mirrored {
            self.board.columns - 1 - column
        } else {
            column
        }
    }

    /// These moves in order, those in the likely column first.
    #[inline(always)]
    fn tries(&self, node: &Node, moves: Cells, likely: Cells) -> Tries<COLUMNS> {
        let mut tries = [Try::default(); COLUMNS];
        let mut count = 0;
        for &column in &self.columns[..self.board.columns as usize] {
            let stone = moves & column;
            if stone == 0 {
                continue;
            }
            let wins = self.wins(node.own | stone, node.all | stone);
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
        (tries, count)
    }

    /// The bound that the table knows of a move that is good enough, if there is one.
    #[inline(always)]
    fn cut_by_table(&self, node: &Node, tries: &[Try], stones: u32, wanted: i32) -> Option<i32> {
        tries.iter().find_map(|&Try { stone, .. }| {
            let (key, _) = self.key(node.all ^ node.own, node.all | stone, stones + 1);
            let known = self.table.get(key)?;
            Some(-score_of(known.upper)).filter(|&bound| bound >= wanted)
        })
    }
}

impl Node {
    /// The position after a stone, with which the mover would win there.
    #[inline(always)]
    fn child(&self, stone: Cells, wins: Cells) -> Node {
        Node {
            own: self.all ^ self.own,
            all: self.all | stone,
            own_wins: self.other_wins & !stone,
            other_wins: wins,
        }
    }
}

#[inline(always)]
fn score_of(remembered: u32) -> i32 {
    remembered as i32 - OFFSET
}
