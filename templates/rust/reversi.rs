const DIRECTIONS: [(i32, i32); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

/// The rows from the top and the side to move, 'B' or 'W'.
///
/// A square is 'B', 'W', '.' if it is empty, or ' ' outside of the board.
struct Position {
    rows: Vec<Vec<char>>,
    side: char,
}

/// Reads a position such as "..../.WB./.BW./.... B". Shorter rows are centred.
fn parse(line: &str) -> Position {
    let (board, side) = line.trim().split_once(' ').expect("a side");
    let width = board.split('/').map(str::len).max().unwrap_or(0);
    let rows = board
        .split('/')
        .map(|row| format!("{row:^width$}").chars().collect());
    Position {
        rows: rows.collect(),
        side: if side == "B" { 'B' } else { 'W' },
    }
}

impl Position {
    /// Returns the letter of a square, and ' ' outside of the board.
    fn square(&self, x: i32, y: i32) -> char {
        let row = self.rows.get(y as usize);
        *row.and_then(|row| row.get(x as usize)).unwrap_or(&' ')
    }

    /// Returns the opponent's discs that a new disc would enclose.
    fn enclosed(&self, x: i32, y: i32) -> Vec<(i32, i32)> {
        let other = if self.side == 'B' { 'W' } else { 'B' };
        let mut discs = Vec::new();
        for (dx, dy) in DIRECTIONS {
            let mut line = Vec::new();
            let (mut to_x, mut to_y) = (x + dx, y + dy);
            while self.square(to_x, to_y) == other {
                line.push((to_x, to_y));
                to_x += dx;
                to_y += dy;
            }
            if self.square(to_x, to_y) == self.side {
                discs.extend(line);
            }
        }
        discs
    }
}

/// Returns the squares where a disc would enclose others, such as b1, or "pass".
fn legal_moves(position: &Position) -> Vec<String> {
    let mut moves = Vec::new();
    for y in 0..position.rows.len() as i32 {
        for (x, letter) in (0..).zip("abcdef".chars()) {
            if position.square(x, y) == '.' && !position.enclosed(x, y).is_empty() {
                moves.push(format!("{letter}{}", y + 1));
            }
        }
    }
    if moves.is_empty() {
        moves.push("pass".to_string());
    }
    moves
}
