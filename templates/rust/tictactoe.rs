/// The nine cells, row by row from the top, and the mark to move.
///
/// A cell is 'X', 'O', or '.' if it is empty.
struct Position {
    cells: Vec<char>,
    mark: char,
}

/// Reads a position such as "X.O......". X moves first.
fn parse(line: &str) -> Position {
    let cells: Vec<char> = line.trim().chars().collect();
    let empty = cells.iter().filter(|&&cell| cell == '.').count();
    Position {
        cells,
        mark: if empty % 2 == 1 { 'X' } else { 'O' },
    }
}

/// Returns the names of the empty cells: a1 is top left, c3 bottom right.
fn legal_moves(position: &Position) -> Vec<String> {
    let names = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];
    let mut moves = Vec::new();
    for (name, cell) in names.iter().zip(&position.cells) {
        if *cell == '.' {
            moves.push(name.to_string());
        }
    }
    moves
}
