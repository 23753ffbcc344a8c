/// The option --steps: orthogonal, lines, neighbours or any.
const STEPS: &str = "orthogonal";

/// The nine squares, row by row from the top, and the mark to move.
///
/// A square is 'X', 'O', or '.' if it is empty.
struct Position {
    squares: Vec<char>,
    mark: char,
}

/// Reads a position such as "X.O/.../... first". The first player is X.
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
    format!("{}{}", ["a", "b", "c"][square % 3], square / 3 + 1)
}

/// Returns whether a piece may move between two squares, if the new one is empty.
fn can_step(old: usize, new: usize) -> bool {
    let dx = (old % 3).abs_diff(new % 3);
    let dy = (old / 3).abs_diff(new / 3);
    let is_diagonal = dx == 1 && dy == 1;
    let is_by_middle = old == 4 || new == 4;
    dx + dy == 1
        || STEPS == "any"
        || STEPS == "neighbours" && is_diagonal
        || STEPS == "lines" && is_diagonal && is_by_middle
}

/// Returns the empty squares, or moves such as a1-b1 once the three pieces are placed.
fn legal_moves(position: &Position) -> Vec<String> {
    let with = |mark: char| (0..9).filter(move |&square| position.squares[square] == mark);
    if with(position.mark).count() < 3 {
        return with('.').map(name).collect();
    }
    let mut moves = Vec::new();
    for old in with(position.mark) {
        for new in with('.').filter(|&new| can_step(old, new)) {
            moves.push(format!("{}-{}", name(old), name(new)));
        }
    }
    moves
}
