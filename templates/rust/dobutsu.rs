/// The rows from the top, the pieces in hand, and whether the first player moves.
///
/// The first player's pieces are upper-case.
struct Position {
    rows: Vec<Vec<char>>,
    hand: String,
    is_first: bool,
}

/// Reads a position such as "gle/.c./.C./ELG - first".
fn parse(line: &str) -> Position {
    let words: Vec<&str> = line.split_whitespace().collect();
    Position {
        rows: words[0]
            .split('/')
            .map(|row| row.chars().collect())
            .collect(),
        hand: words[1].replace('-', ""),
        is_first: words[2] == "first",
    }
}

/// Returns whether a piece can step so many columns to the side and rows forward.
fn can_step(piece: char, aside: i32, ahead: i32) -> bool {
    match (aside.abs(), ahead) {
        (0, 1) => "LGHC".contains(piece),
        (0, -1) | (1, 0) => "LGH".contains(piece),
        (1, 1) => "LEH".contains(piece),
        (1, -1) => "LE".contains(piece),
        _ => false,
    }
}

impl Position {
    /// Returns whether a piece is one of the side to move.
    fn is_own(&self, piece: char) -> bool {
        piece != '.' && piece.is_uppercase() == self.is_first
    }
}

/// Returns the name of a square: a1 is top left.
fn name(x: i32, y: i32) -> String {
    format!("{}{}", ["a", "b", "c"][x as usize], y + 1)
}

/// Returns the moves: a piece's old and new square, b3-b2, or a drop, C*b3.
fn legal_moves(position: &Position) -> Vec<String> {
    let forward = if position.is_first { -1 } else { 1 }; // The first player moves up.
    let squares = || (0..4).flat_map(|y| (0..3).map(move |x| (x, y)));
    let piece = |x: i32, y: i32| position.rows[y as usize][x as usize];
    let mut moves = Vec::new();
    for (x, y) in squares().filter(|&(x, y)| position.is_own(piece(x, y))) {
        let kind = piece(x, y).to_ascii_uppercase();
        for (to_x, to_y) in squares().filter(|&(x, y)| !position.is_own(piece(x, y))) {
            if can_step(kind, to_x - x, (to_y - y) * forward) {
                moves.push(format!("{}-{}", name(x, y), name(to_x, to_y)));
            }
        }
    }
    let mut kinds: Vec<char> = position
        .hand
        .chars()
        .filter(|&kind| position.is_own(kind))
        .collect();
    kinds.dedup();
    for kind in kinds {
        for (x, y) in squares().filter(|&(x, y)| piece(x, y) == '.') {
            moves.push(format!("{}*{}", kind.to_ascii_uppercase(), name(x, y)));
        }
    }
    moves
}
