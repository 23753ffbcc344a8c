/// The rows from the top, and whether the first player moves.
struct Position {
    rows: Vec<Vec<char>>,
    is_first: bool,
}

/// Reads a position such as "--/|2|../-./...../.. first".
///
/// The rows are in turn horizontal lines ('-' or '.'), and vertical lines ('|' or '.') with the
/// owners of the boxes between them.
fn parse(line: &str) -> Position {
    let (board, side) = line.trim().split_once(' ').expect("a side");
    let rows = board.split('/').map(|row| row.chars().collect()).collect();
    Position {
        rows,
        is_first: side == "first",
    }
}

/// Returns the name of a dot: a1 is top left.
fn dot(x: usize, y: usize) -> String {
    format!("{}{}", (b'a' + x as u8) as char, y + 1)
}

/// Returns the lines that aren't drawn, each by its two dots, such as a1-b1.
fn legal_moves(position: &Position) -> Vec<String> {
    let mut moves = Vec::new();
    for (number, row) in position.rows.iter().enumerate() {
        let y = number / 2;
        let is_horizontal = number % 2 == 0;
        // In a row of vertical lines, every second letter is a box.
        let letters = row.iter().step_by(if is_horizontal { 1 } else { 2 });
        for (x, &letter) in letters.enumerate() {
            if letter == '.' {
                let end = if is_horizontal {
                    dot(x + 1, y)
                } else {
                    dot(x, y + 1)
                };
                moves.push(format!("{}-{}", dot(x, y), end));
            }
        }
    }
    moves
}
