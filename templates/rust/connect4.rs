/// The rows from the top, and the player to move, 'X' or 'O'.
struct Position {
    rows: Vec<Vec<char>>,
    player: char,
}

/// Reads a position such as ".../.O./.X.". X moves first.
fn parse(line: &str) -> Position {
    let rows = line
        .trim()
        .split('/')
        .map(|row| row.chars().collect())
        .collect();
    let discs = line.chars().filter(|square| "XO".contains(*square)).count();
    Position {
        rows,
        player: if discs % 2 == 0 { 'X' } else { 'O' },
    }
}

/// Returns the numbers of the columns that aren't full. The leftmost column is 1.
fn legal_moves(position: &Position) -> Vec<String> {
    let mut moves = Vec::new();
    for (column, &square) in position.rows[0].iter().enumerate() {
        if square == '.' {
            moves.push((column + 1).to_string());
        }
    }
    moves
}
