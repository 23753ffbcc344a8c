//! Which positions can come up, and about how many there are.

use super::{Connect4, Position};
use crate::game::Side;
use crate::games::cells::{Cells, ones};
use rustc_hash::FxHashSet;

/// Positions that are looked at on the way back to the empty board. No board of 7 columns and 6
/// rows takes as many.
const MOST_LOOKED_AT: usize = 1 << 21;

/// Unfinished classes that can come up, of boards with lines of 4, counted by a walk from the start:
/// columns, rows, classes.
const COUNTED: [(u32, u32, u64); 7] = [
    (3, 3, 391),
    (4, 3, 5_525),
    (4, 4, 67_163),
    (5, 4, 1_551_317),
    (4, 5, 674_263),
    (5, 5, 25_366_620),
    (6, 4, 34_820_331),
];

/// About how many unfinished classes can come up, or fewer.
pub(super) fn expected_classes(game: &Connect4) -> Option<u64> {
    let board = &game.board;
    let counted = COUNTED.iter().find(|&&(columns, rows, _)| {
        board.line == 4 && (columns, rows) == (board.columns, board.rows)
    });
    if let Some(&(_, _, classes)) = counted {
        return Some(classes);
    }
    if board.line != 4 {
        return None;
    }
    // Of the ways to fill columns with as many stones of either side, mirror images counted once,
    // the larger the board the fewer can come up: on 7 columns and 6 rows a thirtieth.
    const SHARE: f64 = 100.0;
    let cells = board.cells() as usize;
    // How many sets of heights have so many stones.
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
        // From C(n, n/2) to the next.
        let next = stones as f64 + 1.0;
        ways *= next / (next / 2.0).ceil();
    }
    Some((fillings / 2.0 / SHARE) as u64)
}

/// The highest stone of each column.
fn tops(all: Cells) -> Cells {
    all & !(all >> 1)
}

/// The cells of a set, each by itself.
fn each(cells: Cells) -> impl Iterator<Item = Cells> {
    ones(cells).map(|bit| 1 << bit)
}

/// Why no play can lead to a position of stones that rest on each other, if none can. The words
/// go before the position.
pub(super) fn impossibility(game: &Connect4, position: &Position) -> Option<String> {
    let (x, o) = (position.first.count_ones(), position.second.count_ones());
    if x != o && x != o + 1 {
        return Some(format!(
            "{x} X and {o} O can't arise: X moves first and the turns alternate, so X has as many \
             stones as O or one more, in"
        ));
    }
    let line = game.board.line;
    let [x_line, o_line] =
        [position.first, position.second].map(|stones| game.board.has_line(stones));
    match (x_line, o_line, position.side()) {
        (true, true, _) => return Some(format!("both X and O have {line} in line, in")),
        (true, false, Side::First) => {
            return Some(format!(
                "O has moved although X already had {line} in line, in"
            ));
        }
        (false, true, Side::Second) => {
            return Some(format!(
                "X has moved although O already had {line} in line, in"
            ));
        }
        _ => {}
    }
    let all = position.all();
    // Stones that may have come last: without them nobody has a line, as in all positions before.
    let last = position.own_and_other().1;
    let may_be_last = |&stone: &Cells| !game.board.has_line(last & !stone);
    let lasts: Vec<Cells> = each(tops(all) & last).filter(may_be_last).collect();
    if all != 0 && lasts.is_empty() {
        let who = match position.side() {
            Side::First => "O",
            Side::Second => "X",
        };
        return Some(if x_line || o_line {
            format!("no last move of {who} has made all of its lines, in")
        } else {
            format!("{who} has moved last, but none of its stones lies on top of a column, in")
        });
    }
    if all != 0 && !leads_back(position, &lasts) {
        return Some(
            "no order of alternating moves puts these stones on each other like that, in".into(),
        );
    }
    None
}

/// Whether the stones can be taken off in turn, beginning with one of `lasts`, until none is left.
/// Where that takes too long to tell, which no usual board does, it counts as so.
fn leads_back(position: &Position, lasts: &[Cells]) -> bool {
    let all = position.all();
    let mut seen = FxHashSet::default();
    let mut open: Vec<Cells> = lasts.iter().map(|stone| all & !stone).collect();
    while let Some(left) = open.pop() {
        if left == 0 || seen.len() >= MOST_LOOKED_AT {
            return true;
        }
        // The first player has put the last of an odd number of stones.
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

    /// Every filling of small boards: it is refused exactly if the walk from the start doesn't come
    /// to it.
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
        // 4,531,985,219,092 positions can come up, nearly all of them not their own mirror images.
        assert!((10_000_000_000..2_300_000_000_000).contains(&expected(7, 6)));
        assert!(expected(6, 6) < expected(7, 6) && expected(7, 6) < expected(8, 7));
        assert_eq!(expected_classes(&game(7, 6, 3)), None);
    }
}
