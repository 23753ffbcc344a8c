/// The 16 cells, row by row from the top, and the digit of the side to move.
///
/// A cell is '1', '2', 'N' for a neutral piece, or '.' if it is free.
struct Position {
    cells: Vec<char>,
    own: char,
}

/// Reads a position such as "N11./.21./.21./.22N first".
fn parse(line: &str) -> Position {
    let (board, side) = line.trim().split_once(' ').expect("a side");
    let cells = board.chars().filter(|&cell| cell != '/').collect();
    Position {
        cells,
        own: if side == "first" { '1' } else { '2' },
    }
}

/// Returns the name of a cell: a1 is top left.
fn name(cell: usize) -> String {
    format!("{}{}", ["a", "b", "c", "d"][cell % 4], cell / 4 + 1)
}

/// Returns all places of an L: a corner, two cells from it in one direction, one across.
fn all_shapes() -> Vec<Vec<usize>> {
    let mut shapes = Vec::new();
    for corner in 0..16i32 {
        let (x, y) = (corner % 4, corner / 4);
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            for across in [1, -1] {
                let side = (x + across * dy, y + across * dx);
                let cells = [(x, y), (x + dx, y + dy), (x + 2 * dx, y + 2 * dy), side];
                if cells
                    .iter()
                    .all(|(x, y)| (0..4).contains(x) && (0..4).contains(y))
                {
                    let mut shape: Vec<usize> =
                        cells.iter().map(|(x, y)| (4 * y + x) as usize).collect();
                    shape.sort();
                    shapes.push(shape);
                }
            }
        }
    }
    shapes
}

/// Returns the moves: the L's new cells, and perhaps a neutral piece's old and new cell.
fn legal_moves(position: &Position) -> Vec<String> {
    let (cells, own) = (&position.cells, position.own);
    let is_free = |cell: usize| cells[cell] == '.' || cells[cell] == own;
    let mut moves = Vec::new();
    for shape in all_shapes() {
        let is_old = shape.iter().all(|&cell| cells[cell] == own);
        if is_old || !shape.iter().all(|&cell| is_free(cell)) {
            continue;
        }
        let places: String = shape.iter().map(|&cell| name(cell)).collect();
        for old in (0..16).filter(|&cell| cells[cell] == 'N') {
            for new in (0..16).filter(|&cell| is_free(cell) && !shape.contains(&cell)) {
                moves.push(format!("{places}+{}-{}", name(old), name(new)));
            }
        }
        moves.push(places);
    }
    moves
}
