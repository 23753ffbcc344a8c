/// The option --steps: orthogonal, lines, neighbours or any.
const STEPS: &str = "orthogonal";

/// The nine cells, row by row from the top, and the mark to move.
///
/// A cell is 'X', 'O', or '.' if it is empty.
struct Position {
    cells: Vec<char>,
    mark: char,
}

/// Reads a position such as "X.O/.../... first". The first player is X.
fn parse(line: &str) -> Position {
    let (board, side) = line.trim().split_once(' ').expect("a side");
    let cells = board.chars().filter(|&cell| cell != '/').collect();
    Position {
        cells,
        mark: if side == "first" { 'X' } else { 'O' },
    }
}

/// Returns the name of a cell: a1 is top left.
fn name(cell: usize) -> String {
    format!("{}{}", ["a", "b", "c"][cell % 3], cell / 3 + 1)
}

/// Returns whether a piece may move between two cells, if the new one is empty.
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

/// Returns the empty cells, or moves such as a1-b1 once the three pieces are placed.
fn legal_moves(position: &Position) -> Vec<String> {
    let with = |mark: char| (0..9).filter(move |&cell| position.cells[cell] == mark);
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
