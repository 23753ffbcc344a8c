/// The 25 squares, row by row from the top, and the mark to move.
///
/// A square is 'X', 'O', or '.' if it is empty.
struct Position {
    squares: Vec<char>,
    mark: char,
}

/// Reads a position such as "X.O../...../...../...../..... first". The first player is X.
fn parse(line: &str) -> Position {
    let (board, side) = line.trim().split_once(' ').expect("a side");
    let squares = board.chars().filter(|&square| square != '/').collect();
    Position {
        squares,
        mark: if side == "first" { 'X' } else { 'O' },
    }
}

/// Returns the name of a square: a1 is top left.
fn name(square: usize) -> String {
    format!("{}{}", ["a", "b", "c", "d", "e"][square % 5], square / 5 + 1)
}

/// Returns whether two squares touch, also at a corner.
fn are_neighbours(old: usize, new: usize) -> bool {
    (old % 5).abs_diff(new % 5) <= 1 && (old / 5).abs_diff(new / 5) <= 1
}

/// Returns the empty squares, or moves such as a1-b1 once the four pieces are placed.
fn legal_moves(position: &Position) -> Vec<String> {
    let with = |mark: char| (0..25).filter(move |&square| position.squares[square] == mark);
    if with(position.mark).count() < 4 {
        return with('.').map(name).collect();
    }
    let mut moves = Vec::new();
    for old in with(position.mark) {
        for new in with('.').filter(|&new| are_neighbours(old, new)) {
            moves.push(format!("{}-{}", name(old), name(new)));
        }
    }
    moves
}
