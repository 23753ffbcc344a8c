//! Winning squares, with distances known at compile time for speed.

use crate::games::cells::Cells;

/// Returns the squares where a stone would complete a line of `line` stones.
///
/// A column has `stride` bits. Bits of occupied squares and off the board are undefined.
#[inline(always)]
pub fn wins(stones: Cells, stride: u32, line: u32) -> Cells {
    // In a column, a stone can only complete a line on top.
    let mut wins = stones << 1;
    for distance in 2..line {
        wins &= stones << distance;
    }
    for step in [stride - 1, stride, stride + 1] {
        wins |= wins_at(stones, step, line);
    }
    wins
}

/// Returns the squares that complete `line` stones in a row at this distance.
#[inline(always)]
fn wins_at(stones: Cells, step: u32, line: u32) -> Cells {
    let mut wins = 0;
    for before in 0..line {
        let mut cells = Cells::MAX;
        for distance in 1..=before {
            cells &= stones.unbounded_shl(distance * step);
        }
        for distance in 1..line - before {
            cells &= stones.unbounded_shr(distance * step);
        }
        wins |= cells;
    }
    wins
}

#[cfg(test)]
mod tests {
    use super::wins;
    use crate::games::connect4::board::Board;
    use crate::random::Random;

    /// Checks that a square is found exactly if a stone there makes a new line.
    fn finds_wins(columns: u32, rows: u32, line: u32) {
        let board = Board::new(columns, rows, line);
        let mut random = Random::new(3);
        let mut found = 0;
        for _ in 0..3000 {
            let stones = random.bits() & random.bits() & board.full;
            if board.has_line(stones) {
                continue;
            }
            let wins = wins(stones, board.stride(), line);
            for bit in (0..64).filter(|bit| board.full & !stones & 1 << bit != 0) {
                // Skip squares below a stone: nothing lies above a free square in its column.
                let column = board.column(bit / board.stride());
                if stones & column & !((1 << bit) - 1) != 0 {
                    continue;
                }
                let is_win = board.has_line(stones | 1 << bit);
                assert_eq!(wins >> bit & 1 == 1, is_win, "{board:?} {stones:#x} {bit}");
                found += u32::from(is_win);
            }
        }
        assert!(found > 0, "{board:?}");
    }

    #[test]
    fn wins_are_where_a_stone_makes_a_line() {
        for (columns, rows, line) in [
            (7, 6, 4),
            (8, 7, 4),
            (8, 7, 3),
            (32, 1, 2),
            (3, 16, 5),
            (1, 63, 2),
        ] {
            finds_wins(columns, rows, line);
        }
    }
}
