//! Alpha-beta with null windows, which proves whether a score is reached.

use crate::games::cells::{Cells, singles};
use crate::games::connect4::board::{Board, wins};
use crate::games::transpositions::{self, KnownBounds};

/// The transposition table of scores, stored plus [`OFFSET`], and columns.
pub type Transpositions = transpositions::Transpositions<6, 5, 4>;

/// Added to stored scores, so that no score is negative and no upper bound is 0.
const OFFSET: i32 = 32;

/// Number of nodes between two checks for cancellation.
const NODES_BETWEEN_CHECKS: u64 = 1 << 12;

/// An unfinished position in which the side to move can't win at once.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Stones of the side to move.
    pub own: Cells,
    /// Stones of both players.
    pub all: Cells,
    /// Free squares where the side to move would make a line.
    pub own_wins: Cells,
    /// Free squares where the opponent would make a line.
    pub other_wins: Cells,
}

/// A search of one position on one thread, on a board of at most `COLUMNS` columns.
///
/// `COLUMNS` is a power of 2, at most 32.
///
/// For common boards, `STRIDE` (bits per column) and `LINE` (stones in a line) are known at compile
/// time. They are 0 for other boards.
pub struct Prover<'a, const STRIDE: u32, const LINE: u32, const COLUMNS: usize> {
    board: &'a Board,
    table: &'a Transpositions,
    /// For each square, how early its column is tried: from the middle outwards.
    ranks: [u8; 64],
    /// With fewer stones, a position and its mirror image share an entry.
    mirrored_below: u32,
    /// With fewer stones, the table is asked about all children before any is searched.
    cutoffs_below: u32,
    /// The lower square of each pair, if all columns are divided into pairs from the top.
    lower: Cells,
    /// Receives the number of nodes since the last call; returns whether to continue.
    go_on: &'a dyn Fn(u64) -> bool,
    /// Number of positions visited.
    pub nodes: u64,
    /// Number of positions already reported to `go_on`.
    told: u64,
}

/// A position's scrambled key, and whether it is the mirror image's.
type Key = (u64, bool);

/// The moves that don't lose at once, with one item per move in each array.
struct Tries<const COLUMNS: usize> {
    count: usize,
    stones: [Cells; COLUMNS],
    /// Keys of the positions after the moves.
    keys: [Key; COLUMNS],
    /// Squares where the player would then make a line.
    wins: [Cells; COLUMNS],
    /// Whatever is higher is tried first; the lowest bits are the move's number. 0 once tried.
    merits: [u32; COLUMNS],
    /// The moves to which there are several answers, one bit each.
    open: u32,
    /// Whether one of the moves makes two threats, which wins.
    is_won: bool,
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
        let mut ranks = [0; 64];
        for place in 0..board.columns {
            let distance = place.div_ceil(2);
            let column = match place % 2 != turn as u32 % 2 && distance <= middle {
                true => middle - distance,
                false => middle + distance,
            };
            let first = (board.stride() * column) as usize;
            ranks[first..][..board.stride() as usize].fill((board.columns - place) as u8);
        }
        let lower = (0..board.rows).filter(|row| row % 2 == board.rows % 2);
        Prover {
            board,
            table,
            ranks,
            lower: lower.fold(0, |cells, row| cells | board.bottom << row),
            // Most transpositions occur in the middle of a game. Near its end, looking for them
            // takes longer than it saves.
            mirrored_below: board.cells() * 3 / 8,
            cutoffs_below: board.cells() * 3 / 4,
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

    #[inline(always)]
    fn key(&self, own: Cells, all: Cells, stones: u32) -> Key {
        let key = own | (all + self.board.bottom);
        if stones < self.mirrored_below {
            // The mark on top of a full column is in its spare bit, which is mirrored, too.
            let [mirrored] = self.board.mirrored([key]);
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
        if self.nodes - self.told >= NODES_BETWEEN_CHECKS {
            let new = self.nodes - self.told;
            self.told = self.nodes;
            return (self.go_on)(new).then_some(());
        }
        Some(())
    }

    /// Returns the squares where a stone of the side to move doesn't lose at once.
    ///
    /// Its opponent would make a line on `other_wins`.
    #[inline(always)]
    fn moves(&self, all: Cells, other_wins: Cells) -> Cells {
        let landing = (all + self.board.bottom) & self.board.full;
        let threatened = landing & other_wins;
        // Not answering a threat loses, and so does putting a stone just below one.
        let moves = landing & !(other_wins >> 1);
        let all_answered = if is_several(threatened) {
            0
        } else {
            threatened
        };
        moves & if threatened == 0 { !0 } else { all_answered }
    }

    /// Returns a lower bound of the score if it is `wanted` or more, else an upper one.
    ///
    /// The position has `stones` stones. `None` if the search was stopped.
    pub fn bound(&mut self, node: Node, stones: u32, wanted: i32) -> Option<i32> {
        self.bound_of(node, self.key(node.own, node.all, stones), stones, wanted)
    }

    /// Finds the bound of [`Self::bound`] of the position with this key.
    fn bound_of(&mut self, node: Node, key: Key, stones: u32, wanted: i32) -> Option<i32> {
        self.visit()?;
        let moves = self.moves(node.all, node.other_wins);
        debug_assert_eq!(self.moves(node.all, 0) & node.own_wins, 0);
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
        if !is_several(moves) {
            // A single move is forced: search it without using the table.
            let wins = self.wins(node.own | moves, node.all | moves);
            let child = node.child(moves, wins);
            return Some(-self.bound(child, stones + 1, 1 - wanted)?);
        }
        if let Some(bound) = self.bound_by_follow_up(&node)
            && bound < wanted
        {
            return Some(bound);
        }
        self.choose((node, key), moves, stones, wanted, [least, most])
    }

    /// Returns an upper bound of the score, if the opponent has a simple strategy that reaches it.
    ///
    /// The opponent answers every stone with one on top of it, so that the side to move gets the
    /// lower square of each pair, up to a square where the opponent wins. Nothing can be put on top
    /// of the last stone of a column with an odd number of free squares. The opponent answers it in
    /// another such column, so either side may get any square of these columns, and their number
    /// must be even.
    #[inline(always)]
    fn bound_by_follow_up(&self, node: &Node) -> Option<i32> {
        let board = self.board;
        let free = board.full & !node.all;
        let odd = self.upwards(board.landings(node.all) & !self.lower);
        let mut theirs = free & (self.lower ^ odd);
        let mut won = self.upwards(node.other_wins & free & !theirs);
        let tops = odd & !won & board.bottom << (board.rows - 1);
        if tops.count_ones().is_multiple_of(2) {
            theirs |= free & ((tops << 1) - (tops >> (board.rows - 1)));
        } else {
            // There is no strategy, but perhaps no line is possible.
            (theirs, won) = (free, 0);
        }
        let has_line = board.has_line(node.own | theirs & !won);
        (!has_line).then(|| match won {
            0 => -i32::from(board.has_line(node.own ^ node.all | free & !theirs)),
            // The opponent wins no later than when all other squares are full.
            _ => -board.winners_score(board.cells() + 1 - won.count_ones()),
        })
    }

    /// Returns these free squares and those above them.
    #[inline(always)]
    fn upwards(&self, cells: Cells) -> Cells {
        // In each column, `x | -x` has the lowest bit of `x` and all bits above it. The spare bits
        // keep the columns apart.
        (cells | ((self.board.bottom << self.board.rows) - cells)) & self.board.full
    }

    /// Finds the bound of [`Self::bound`] with several moves to choose from.
    #[inline(always)]
    fn choose(
        &mut self,
        (node, (key, is_mirrored)): (Node, Key),
        moves: Cells,
        stones: u32,
        wanted: i32,
        [mut lower, mut upper]: [i32; 2],
    ) -> Option<i32> {
        // Look the position up: its bounds may suffice, and its column is likely to be good.
        let mut likely = 0;
        let best = lower;
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
        let mut tries = Tries::new();
        self.fill(&mut tries, &node, moves, likely, stones);
        if tries.is_won {
            return Some(self.board.winners_score(stones + 3));
        }
        // Look the children up before searching any of them.
        if stones < self.cutoffs_below
            && let Some(bound) = self.cut_by_table(&tries, wanted)
        {
            return Some(bound);
        }
        let (best, stone) = self.search(&mut tries, &node, stones, wanted, best)?;
        // Save the tighter bounds.
        if best >= wanted {
            lower = lower.max(best);
        } else {
            upper = upper.min(best);
        }
        let column = stone.trailing_zeros() / self.stride();
        let known = KnownBounds {
            lower: (lower + OFFSET) as u32,
            upper: (upper + OFFSET) as u32,
            best: self.seen(column, is_mirrored),
        };
        self.table.learn(key, known, self.nodes - begun);
        Some(best)
    }

    /// Searches the moves until one reaches `wanted`; returns the best bound and its stone.
    ///
    /// The bound is at least `best`.
    #[inline(always)]
    fn search(
        &mut self,
        tries: &mut Tries<COLUMNS>,
        node: &Node,
        stones: u32,
        wanted: i32,
        mut best: i32,
    ) -> Option<(i32, Cells)> {
        let mut best_stone = 0;
        while let Some(at) = tries.next() {
            let (stone, key) = (tries.stones[at], tries.keys[at]);
            let child = node.child(stone, tries.wins[at]);
            let score = -self.bound_of(child, key, stones + 1, 1 - wanted)?;
            if best_stone == 0 || score > best {
                best_stone = stone;
            }
            best = best.max(score);
            if best >= wanted {
                break;
            }
        }
        Some((best, best_stone))
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

    /// Adds these moves, none of which loses at once.
    #[inline(always)]
    fn fill(
        &self,
        tries: &mut Tries<COLUMNS>,
        node: &Node,
        moves: Cells,
        likely: Cells,
        stones: u32,
    ) {
        // The table's lines arrive in the cache while everything else is computed.
        for stone in singles(moves) {
            let at = tries.count % COLUMNS;
            let key = self.key(node.all ^ node.own, node.all | stone, stones + 1);
            self.table.prefetch(key.0);
            (tries.stones[at], tries.keys[at]) = (stone, key);
            tries.count += 1;
        }
        // A remainder that changes nothing: it tells the compiler that all numbers are in the arrays.
        for at in 0..tries.count % (COLUMNS + 1) {
            let stone = tries.stones[at];
            let all = node.all | stone;
            let wins = self.wins(node.own | stone, all);
            let answers = self.moves(all, wins);
            tries.is_won |= answers == 0;
            tries.open |= u32::from(is_several(answers)) << at;
            tries.wins[at] = wins;
            let rank = self.ranks[stone.trailing_zeros() as usize % 64];
            let is_likely = u32::from(stone & likely != 0);
            // Two threats, one above the other, can't both be answered.
            let threats = wins.count_ones() + (wins & wins << 1).count_ones();
            let merit = is_likely << 24 | threats << 16 | u32::from(rank) << 8;
            tries.merits[at] = merit | at as u32;
        }
    }

    /// Returns the table's bound of a move that is good enough, if there is one.
    #[inline(always)]
    fn cut_by_table(&self, tries: &Tries<COLUMNS>, wanted: i32) -> Option<i32> {
        // A position with a forced answer isn't in the table.
        let mut open = tries.open;
        while open != 0 {
            let at = open.trailing_zeros() as usize % COLUMNS;
            open &= open - 1;
            if let Some(known) = self.table.get(tries.keys[at].0) {
                let bound = -score_of(known.upper);
                if bound >= wanted {
                    return Some(bound);
                }
            }
        }
        None
    }
}

impl<const COLUMNS: usize> Tries<COLUMNS> {
    fn new() -> Self {
        Tries {
            count: 0,
            stones: [0; COLUMNS],
            keys: [(0, false); COLUMNS],
            wins: [0; COLUMNS],
            merits: [0; COLUMNS],
            open: 0,
            is_won: false,
        }
    }

    /// Returns the number of the best move that wasn't tried.
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        // The largest number is found without branches.
        let most = self.merits.iter().fold(0, |most, &merit| most.max(merit));
        let at = most as usize % COLUMNS;
        self.merits[at] = 0;
        (most != 0).then_some(at)
    }
}

#[inline(always)]
fn is_several(cells: Cells) -> bool {
    cells & cells.wrapping_sub(1) != 0
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::connect4::{Connect4, Parameters, Position};
    use crate::random::Random;

    /// Tries all moves.
    fn score(game: &Connect4, position: &Position) -> i32 {
        let after = |mv| -score(game, &game.play(position, mv));
        let moves = || game.legal_moves(position).into_iter().map(after).max();
        game.final_score(position)
            .unwrap_or_else(|| moves().expect("an unfinished position has moves"))
    }

    /// Plays at random until at most `free` squares are free, or the game is over.
    fn random_position(game: &Connect4, free: u32, random: &mut Random) -> Position {
        let mut position = game.start();
        while game.board.cells() - position.stones() > free {
            let moves = game.legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            position = game.play(&position, moves[random.below(moves.len() as u64) as usize]);
        }
        position
    }

    #[test]
    fn no_score_is_above_the_bound_by_follow_up() {
        let mut random = Random::new(5);
        // Numbers of bounds by early wins, by wins with the last stone, and by draws.
        let mut found = [0; 3];
        for (columns, rows, line) in [(4, 4, 3), (4, 5, 4), (5, 4, 4), (3, 6, 4), (6, 5, 4)] {
            let game = Connect4::new(Parameters {
                columns,
                rows,
                line,
            });
            let game = game.unwrap();
            let key_bits = game.board.columns * game.board.stride();
            let table = Transpositions::new(key_bits, 1 << 20).unwrap();
            let prover = Prover::<0, 0, 32>::new(&game.board, &table, 0, &|_| true);
            for number in 0..2000 {
                let position = random_position(&game, 3 + number % 6, &mut random);
                let [own, other] = position.own_and_other();
                let all = own | other;
                let node = Node {
                    own,
                    all,
                    own_wins: prover.wins(own, all),
                    other_wins: prover.wins(other, all),
                };
                if game.final_score(&position).is_none()
                    && let Some(bound) = prover.bound_by_follow_up(&node)
                {
                    assert!(score(&game, &position) <= bound, "{position:?}: {bound}");
                    found[(bound + 2).clamp(0, 2) as usize] += 1;
                }
            }
        }
        assert!(found.iter().all(|&count| count > 30), "{found:?}");
    }
}
