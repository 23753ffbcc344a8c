//! Reachable positions: an estimate of their number, and a check of one position.

use super::{Connect4, Position};
use crate::game::Side;
use crate::games::cells::{Cells, impossible_turns, ones};
use rustc_hash::FxHashSet;

/// Maximum number of positions visited on the way back to the empty board.
///
/// No board of 7 columns and 6 rows needs as many.
const MOST_LOOKED_AT: usize = 1 << 21;

/// Columns, rows and reachable unfinished classes of boards with lines of 4.
///
/// Counted by a walk from the start.
const COUNTED: [(u32, u32, u64); 7] = [
    (3, 3, 391),
    (4, 3, 5_525),
    (4, 4, 67_163),
    (5, 4, 1_551_317),
    (4, 5, 674_263),
    (5, 5, 25_366_620),
    (6, 4, 34_820_331),
];

/// Estimates the number of reachable unfinished classes.
///
/// The estimate is rather too low than too high.
pub(super) fn expected_classes(game: &Connect4) -> Option<u64> {
    let board = &game.board;
    if board.line != 4 {
        return None;
    }
    let size = (board.columns, board.rows);
    let counted = COUNTED
        .iter()
        .find(|counted| (counted.0, counted.1) == size);
    if let Some(&(_, _, classes)) = counted {
        return Some(classes);
    }
    // A filling stacks the stones of both sides in columns, as many of each side as in a game.
    // Mirror images count once. Only a share of the fillings is reachable, and a smaller one on
    // larger boards: a thirtieth on 7 columns and 6 rows.
    const SHARE: f64 = 100.0;
    let cells = board.cells() as usize;
    // Number of sets of column heights, by the number of stones.
    let mut heights = vec![0.0f64; cells + 1];
    heights[0] = 1.0;
    for column in 0..board.columns as usize {
        for stones in (0..=(column + 1) * board.rows as usize).rev() {
            let fewer = stones.saturating_sub(board.rows as usize);
            heights[stones] = heights[fewer..=stones].iter().sum();
        }
    }
    let mut ways = 1.0;
    let mut fillings = 0.0;
    for (stones, sets) in heights.iter().enumerate() {
        fillings += ways * sets;
        // Step from C(n, n/2), the ways to choose the first player's stones, to the next n.
        let next = stones as f64 + 1.0;
        ways *= next / (next / 2.0).ceil();
    }
    Some((fillings / 2.0 / SHARE) as u64)
}

/// Returns the highest stone of each column.
fn tops(all: Cells) -> Cells {
    all & !(all >> 1)
}

/// Returns the squares of a set, one at a time.
fn each(cells: Cells) -> impl Iterator<Item = Cells> {
    ones(cells).map(|bit| 1 << bit)
}

/// Explains why a position is unreachable; `None` if it is reachable.
///
/// Every stone must rest on another or on the bottom.
pub(super) fn impossibility(game: &Connect4, position: &Position) -> Option<String> {
    let sets = [position.first, position.second];
    let lines = sets.map(|stones| game.board.has_line(stones));
    let line = format_args!("{} in line", game.board.line);
    let turns = impossible_turns(sets.map(Cells::count_ones), lines, "stones", line);
    if turns.is_some() {
        return turns;
    }
    let all = position.all();
    // Candidates for the last stone: before it was placed, nobody had a line.
    let last = position.own_and_other().1;
    let may_be_last = |&stone: &Cells| !game.board.has_line(last & !stone);
    let lasts: Vec<Cells> = each(tops(all) & last).filter(may_be_last).collect();
    if all != 0 && lasts.is_empty() {
        let who = match position.side() {
            Side::First => "O",
            Side::Second => "X",
        };
        return Some(if lines.contains(&true) {
            format!("no last move of {who} has made all of its lines")
        } else {
            format!("{who} has moved last, but none of its stones lies on top of a column")
        });
    }
    if all != 0 && !leads_back(position, &lasts) {
        return Some(
            "no order of alternating moves puts these stones on each other like that".into(),
        );
    }
    None
}

/// Whether the stones can be removed in turn, starting with one of `lasts`.
///
/// None may remain. If that takes too long to find out, which happens on no usual board, the answer
/// is true.
fn leads_back(position: &Position, lasts: &[Cells]) -> bool {
    let all = position.all();
    let mut seen = FxHashSet::default();
    let mut open: Vec<Cells> = lasts.iter().map(|stone| all & !stone).collect();
    while let Some(left) = open.pop() {
        if left == 0 || seen.len() >= MOST_LOOKED_AT {
            return true;
        }
        // The first player placed the last of an odd number of stones.
        let last = match left.count_ones() % 2 {
            1 => position.first,
            _ => position.second,
        };
        for stone in each(tops(left) & last) {
            let before = left & !stone;
            if seen.insert(before) {
                open.push(before);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};
    use crate::games::connect4::Parameters;

    fn game(columns: usize, rows: usize, line: usize) -> Connect4 {
        let parameters = Parameters {
            columns,
            rows,
            line,
        };
        Connect4::new(parameters).unwrap()
    }

    /// Checks every filling of small boards.
    ///
    /// A filling must be refused exactly if a walk from the start doesn't reach it.
    #[test]
    fn exactly_what_play_leads_to_can_arise() {
        for (columns, rows, line) in [(3, 3, 3), (4, 2, 2), (2, 4, 3), (4, 3, 4), (3, 3, 2)] {
            let game = game(columns, rows, line);
            let mut reached = FxHashSet::from_iter([game.start()]);
            let mut open = vec![game.start()];
            while let Some(position) = open.pop() {
                for mv in game.legal_moves(&position) {
                    let child = game.play(&position, mv);
                    if reached.insert(child) {
                        open.push(child);
                    }
                }
            }
            let cells = (columns * rows) as u32;
            let mut alike = 0;
            for filling in 0..3u32.pow(cells) {
                let mut position = Position::default();
                let mut digits = filling;
                for bit in (0..64).filter(|bit| game.board.full >> bit & 1 == 1) {
                    match digits % 3 {
                        1 => position.first |= 1 << bit,
                        2 => position.second |= 1 << bit,
                        _ => {}
                    }
                    digits /= 3;
                }
                let text = game.format_position(&position);
                let read = game.parse_position(&text);
                let can_arise = reached.contains(&position);
                assert_eq!(read.is_ok(), can_arise, "{text} {read:?}");
                alike += u32::from(can_arise);
            }
            assert_eq!(alike as usize, reached.len());
        }
    }

    #[test]
    fn more_is_expected_of_larger_boards() {
        let expected = |columns, rows| expected_classes(&game(columns, rows, 4)).unwrap();
        assert_eq!(expected(5, 5), 25_366_620);
        // 4,531,985,219,092 positions are reachable; few of them are their own mirror images.
        assert!((10_000_000_000..2_300_000_000_000).contains(&expected(7, 6)));
        assert!(expected(6, 6) < expected(7, 6) && expected(7, 6) < expected(8, 7));
        assert_eq!(expected_classes(&game(7, 6, 3)), None);
    }
}
