/// The 16 squares, row by row from the top, and the digit of the side to move.
///
/// A square is '1', '2', 'N' for a neutral piece, or '.' if it is free.
struct Position {
    squares: Vec<char>,
    own: char,
}

/// Reads a position such as "N11./.21./.21./.22N first".
fn parse(line: &str) -> Position {
    let (board, side) = line.trim().split_once(' ').expect("a side");
    let squares = board.chars().filter(|&square| square != '/').collect();
    Position {
        squares,
        own: if side == "first" { '1' } else { '2' },
    }
}

/// Returns the name of a square: a1 is top left.
fn name(square: usize) -> String {
    format!("{}{}", ["a", "b", "c", "d"][square % 4], square / 4 + 1)
}

/// Returns all places of an L: a corner, two squares from it in one direction, one across.
fn all_shapes() -> Vec<Vec<usize>> {
    let mut shapes = Vec::new();
    for corner in 0..16i32 {
        let (x, y) = (corner % 4, corner / 4);
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            for across in [1, -1] {
                let side = (x + across * dy, y + across * dx);
                let squares = [(x, y), (x + dx, y + dy), (x + 2 * dx, y + 2 * dy), side];
                if squares
                    .iter()
                    .all(|(x, y)| (0..4).contains(x) && (0..4).contains(y))
                {
                    let mut shape: Vec<usize> =
                        squares.iter().map(|(x, y)| (4 * y + x) as usize).collect();
                    shape.sort();
                    shapes.push(shape);
                }
            }
        }
    }
    shapes
}

/// Returns the moves: the L's new squares, and perhaps a neutral piece's old and new square.
fn legal_moves(position: &Position) -> Vec<String> {
    let (squares, own) = (&position.squares, position.own);
    let is_free = |square: usize| squares[square] == '.' || squares[square] == own;
    let mut moves = Vec::new();
    for shape in all_shapes() {
        let is_old = shape.iter().all(|&square| squares[square] == own);
        if is_old || !shape.iter().all(|&square| is_free(square)) {
            continue;
        }
        let places: String = shape.iter().map(|&square| name(square)).collect();
        for old in (0..16).filter(|&square| squares[square] == 'N') {
            for new in (0..16).filter(|&square| is_free(square) && !shape.contains(&square)) {
                moves.push(format!("{places}+{}-{}", name(old), name(new)));
            }
        }
        moves.push(places);
    }
    moves
}
