//! Alpha-beta with null windows, which proves whether a score is reached.

use super::shape::wins;
use crate::games::cells::Cells;
use crate::games::connect4::board::Board;
use crate::games::transpositions::{self, Known};

/// The transposition table of scores, stored plus [`OFFSET`], and columns.
pub type Transpositions = transpositions::Transpositions<6, 5, 4>;

/// Added to stored scores, so that no score is negative and no upper bound is 0.
const OFFSET: i32 = 32;

/// Number of nodes between two checks for cancellation.
const NODES_BETWEEN_LOOKS: u64 = 1 << 12;

/// An unfinished position in which the side to move can't win at once.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Stones of the side to move.
    pub own: Cells,
    /// All stones.
    pub all: Cells,
    /// Free squares where the side to move would make a line.
    pub own_wins: Cells,
    /// Free squares where the opponent would make a line.
    pub other_wins: Cells,
}

/// A search of one position on one thread, on a board of at most `COLUMNS` columns.
///
/// For common boards, `STRIDE` (bits per column) and `LINE` (stones in a line) are known at compile
/// time. They are 0 for other boards.
pub struct Prover<'a, const STRIDE: u32, const LINE: u32, const COLUMNS: usize> {
    board: &'a Board,
    table: &'a Transpositions,
    /// The columns, from the middle outwards.
    columns: [Cells; COLUMNS],
    /// With fewer stones, a position and its mirror image share an entry.
    mirrored_below: u32,
    /// With fewer stones, the table is asked about all children before any is searched.
    cutoffs_below: u32,
    /// Receives the number of nodes since the last call; returns whether to continue.
    go_on: &'a dyn Fn(u64) -> bool,
    /// Number of positions visited.
    pub nodes: u64,
    /// Number of positions already reported to `go_on`.
    told: u64,
}

/// Moves that don't lose at once, most promising first, and their number.
type Tries<const COLUMNS: usize> = ([Try; COLUMNS], usize);

/// A move that doesn't lose at once.
#[derive(Clone, Copy, Default)]
struct Try {
    stone: Cells,
    /// Squares where the player would then make a line.
    wins: Cells,
    merit: u32,
}

impl<'a, const STRIDE: u32, const LINE: u32, const COLUMNS: usize>
    Prover<'a, STRIDE, LINE, COLUMNS>
{
    /// Returns one of several provers that search one position and share the table.
    ///
    /// Provers with an odd `turn` try the other one of two symmetric columns first.
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
            // Most transpositions occur in the middle of a game. Near its end, looking for them
            // takes longer than it saves.
            mirrored_below: board.cells() * 3 / 8,
            cutoffs_below: board.cells() * 5 / 8,
            go_on,
            nodes: 0,
            told: 0,
        }
    }

    /// Returns the free squares where a player with these stones would make a line.
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

    /// Returns a position's scrambled key, and whether it is the mirror image's.
    #[inline(always)]
    fn key(&self, own: Cells, all: Cells, stones: u32) -> (u64, bool) {
        let key = own | (all + self.board.bottom);
        if stones < self.mirrored_below {
            // The mark on top of a full column is in its spare bit, which is mirrored, too.
            let mirrored = self.board.mirrored(key);
            if mirrored < key {
                return (self.table.scrambled(mirrored), true);
            }
        }
        (self.table.scrambled(key), false)
    }

    /// Counts a position; returns `None` if the search is to stop.
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

    /// Returns the squares where a stone of the side to move doesn't lose at once.
    #[inline(always)]
    fn moves(&self, node: &Node) -> Cells {
        let landing = (node.all + self.board.bottom) & self.board.full;
        debug_assert_eq!(landing & node.own_wins, 0);
        let threatened = landing & node.other_wins;
        // Not answering a threat loses, and so does putting a stone just below one.
        let moves = landing & !(node.other_wins >> 1);
        if threatened == 0 {
            moves
        } else if threatened & (threatened - 1) == 0 {
            moves & threatened
        } else {
            0
        }
    }

    /// Returns a lower bound of the score if it is `wanted` or more, else an upper one.
    ///
    /// The position has `stones` stones. `None` if the search was stopped.
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
        // Nobody can win with the next stone, so the next ones bound the score.
        let most = self.board.winners_score(stones + 3);
        let least = -self.board.winners_score(stones + 4);
        if wanted > most {
            return Some(most);
        }
        if wanted <= least {
            return Some(least);
        }
        if moves & (moves - 1) == 0 {
            // A single move is forced: search it without using the table.
            let wins = self.wins(node.own | moves, node.all | moves);
            let child = node.child(moves, wins);
            return Some(-self.bound(child, stones + 1, 1 - wanted)?);
        }
        self.choose(node, moves, stones, wanted, [least, most])
    }

    /// Finds the bound of [`Self::bound`] with several moves to choose from.
    #[inline(always)]
    fn choose(
        &mut self,
        node: Node,
        moves: Cells,
        stones: u32,
        wanted: i32,
        [mut lower, mut upper]: [i32; 2],
    ) -> Option<i32> {
        // Look the position up: its bounds may suffice, and its column is likely to be good.
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
        // Look the children up before searching any of them.
        let tries = &tries[..count];
        if stones < self.cutoffs_below
            && let Some(bound) = self.cut_by_table(&node, tries, stones, wanted)
        {
            return Some(bound);
        }
        // Search the moves until one reaches `wanted`.
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
        // Save the tighter bounds.
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

    /// Returns the column in the table's entry, which may be of the mirror image.
    #[inline(always)]
    fn seen(&self, column: u32, is_mirrored: bool) -> u32 {
        if is_mirrored {
            self.board.columns - 1 - column
        } else {
            column
        }
    }

    /// Returns these moves in search order, those in the likely column first.
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
            // Two threats, one above the other, can't both be answered.
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

    /// Returns the table's bound of a move that is good enough, if there is one.
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
    /// Returns the position after a stone, with which its player wins on `wins`.
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
