/// The nine squares, row by row from the top, and the mark to move.
///
/// A square is 'X', 'O', or '.' if it is empty.
struct Position {
    squares: Vec<char>,
    mark: char,
}

/// Reads a position such as "X.O......". X moves first.
fn parse(line: &str) -> Position {
    let squares: Vec<char> = line.trim().chars().collect();
    let empty = squares.iter().filter(|&&square| square == '.').count();
    Position {
        squares,
        mark: if empty % 2 == 1 { 'X' } else { 'O' },
    }
}

/// Returns the names of the empty squares: a1 is top left, c3 bottom right.
fn legal_moves(position: &Position) -> Vec<String> {
    let names = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];
    let mut moves = Vec::new();
    for (name, square) in names.iter().zip(&position.squares) {
        if *square == '.' {
            moves.push(name.to_string());
        }
    }
    moves
}
