//! Finds out whether a position can arise.

use super::board::Board;
use crate::games::cells::{Cells, check_turns, singles};
use rustc_hash::FxHashSet;

/// Maximum number of positions visited on the way back to the empty board.
///
/// No board of 7 columns and 6 rows needs as many.
const MOST_VISITED: usize = 1 << 21;

/// Returns the highest stone of each column.
fn tops(all: Cells) -> Cells {
    all & !(all >> 1)
}

/// Checks that moves from the empty board lead to these stones of both sides.
///
/// Every stone must rest on another or on the bottom.
///
/// # Errors
/// If none do. The message says why.
pub(super) fn check(board: &Board, sets: [Cells; 2]) -> Result<(), String> {
    let lines = sets.map(|stones| board.has_line(stones));
    let line = format_args!("{} in line", board.line);
    check_turns(sets.map(Cells::count_ones), lines, "stones", line)?;
    let all = sets[0] | sets[1];
    let last = last_mover(all);
    // Candidates for the last stone: before it was placed, nobody had a line.
    let may_be_last = |&stone: &Cells| !board.has_line(sets[last] & !stone);
    let lasts: Vec<Cells> = singles(tops(all) & sets[last])
        .filter(may_be_last)
        .collect();
    if all == 0 || leads_back(sets, &lasts) {
        return Ok(());
    }
    let who = ["X", "O"][last];
    Err(if !lasts.is_empty() {
        "no order of alternating moves puts these discs on each other like that".into()
    } else if lines.contains(&true) {
        format!("no last move of {who} has made all of its lines")
    } else {
        format!("{who} has moved last, but none of its discs lies on top of a column")
    })
}

/// Returns the index of the side that placed the last of these stones.
fn last_mover(all: Cells) -> usize {
    (all.count_ones() as usize + 1) % 2
}

/// Returns whether the stones can be removed in turn, starting with one of `lasts`.
///
/// None may remain. If that takes too long to find out, which happens on no usual board, the answer
/// is true.
fn leads_back(sets: [Cells; 2], lasts: &[Cells]) -> bool {
    let all = sets[0] | sets[1];
    let mut seen = FxHashSet::default();
    let mut open: Vec<Cells> = lasts.iter().map(|stone| all & !stone).collect();
    while let Some(left) = open.pop() {
        if left == 0 || seen.len() >= MOST_VISITED {
            return true;
        }
        for stone in singles(tops(left) & sets[last_mover(left)]) {
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
    use crate::games::connect4::Position;
    use crate::games::connect4::tests::game;

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
                        1 => position.sets[0] |= 1 << bit,
                        2 => position.sets[1] |= 1 << bit,
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
}
