//! Bitboards of Reversi: legal squares, flipped discs and symmetries.
//!
//! A set of squares has bit `8 * row + column` for each square. Boards are at most 6 columns wide,
//! so at least two unused columns follow each row. No run of discs can wrap around an edge.

use crate::games::cells::{Cells, Letters};

/// Letters of black and white discs.
pub(super) const LETTERS: Letters = ['B', 'W'];

/// The shape of a board.
#[derive(Debug)]
pub(super) struct Shape {
    /// Number of rows, and of columns in the longest row.
    pub side: u32,
    /// Squares that are on the board.
    pub cells: Cells,
    /// The four squares in the centre.
    pub centre: Cells,
    /// Squares with the same number of neighbours, fewest first.
    pub by_neighbours: [Cells; 4],
    rows: [Row; MOST_ROWS],
}

const MOST_ROWS: usize = 6;

/// A row of a board, which may be empty.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Bit of its first square.
    first: u32,
    /// Its squares, of which bit 0 is the first.
    squares: u64,
    /// Number of squares in the rows before it.
    before: u32,
}

pub(super) static FOUR_BY_FOUR: Shape = Shape::new(&[4, 4, 4, 4]);
pub(super) static OCTAGON: Shape = Shape::new(&[2, 4, 6, 6, 4, 2]);

impl Shape {
    /// Returns a board whose centred rows have these widths, as high as it is wide.
    const fn new(widths: &[u32]) -> Shape {
        let side = widths.len() as u32;
        let mut rows = [Row {
            first: 0,
            squares: 0,
            before: 0,
        }; MOST_ROWS];
        let (mut cells, mut before, mut row) = (0, 0, 0);
        while row < side {
            let width = widths[row as usize];
            let first = 8 * row + (side - width) / 2;
            let squares = (1 << width) - 1;
            rows[row as usize] = Row {
                first,
                squares,
                before,
            };
            cells |= squares << first;
            before += width;
            row += 1;
        }
        let middle = side / 2 - 1;
        let centre = 0x0303 << (9 * middle);
        Shape {
            side,
            cells,
            centre,
            by_neighbours: by_neighbours(cells),
            rows,
        }
    }

    /// Packs a set of squares into as many bits as the board has squares, row by row.
    ///
    /// The first square is the lowest bit.
    pub fn pack(&self, cells: Cells) -> u64 {
        let row = |row: &Row| (cells >> row.first & row.squares) << row.before;
        self.rows.iter().fold(0, |packed, it| packed | row(it))
    }

    /// Returns the inverse of [`Shape::pack`].
    pub fn unpack(&self, packed: u64) -> Cells {
        let row = |row: &Row| (packed >> row.before & row.squares) << row.first;
        self.rows.iter().fold(0, |cells, it| cells | row(it))
    }

    /// Returns the squares where a disc may be placed.
    ///
    /// From each, a line of the other player's discs leads to an own disc.
    pub fn placings(&self, own: Cells, other: Cells) -> Cells {
        self.placings_along(own, other, &DISTANCES)
    }

    /// The squares where a disc may be placed if only lines in these directions count.
    #[inline(always)]
    pub fn placings_along(&self, own: Cells, other: Cells, distances: &[u32]) -> Cells {
        let mut found = 0;
        for &distance in distances {
            let up = run(other, own, |cells| cells << distance);
            let down = run(other, own, |cells| cells >> distance);
            found |= up << distance | down >> distance;
        }
        found & self.cells & !(own | other)
    }
}

/// Distances in bits to neighbouring squares: in the same row and the row below.
const DISTANCES: [u32; 4] = [1, 7, 8, 9];

/// Returns the other player's discs in a gapless line from some of the squares.
fn run(other: Cells, from: Cells, step: impl Fn(Cells) -> Cells) -> Cells {
    let mut run = step(from) & other;
    // At most four lie between two discs in a line of six.
    for _ in 0..3 {
        run |= step(run) & other;
    }
    run
}

/// Returns the other player's discs that are flipped if one is placed here.
pub(super) fn flipped(own: Cells, other: Cells, placed: Cells) -> Cells {
    flipped_along(own, other, placed, &DISTANCES)
}

/// The discs that are flipped if only lines in these directions count.
#[inline(always)]
pub(super) fn flipped_along(own: Cells, other: Cells, placed: Cells, distances: &[u32]) -> Cells {
    let mut flipped = 0;
    for &distance in distances {
        let up = run(other, placed, |cells| cells << distance);
        if up << distance & own != 0 {
            flipped |= up;
        }
        let down = run(other, placed, |cells| cells >> distance);
        if down >> distance & own != 0 {
            flipped |= down;
        }
    }
    flipped
}

const fn by_neighbours(cells: Cells) -> [Cells; 4] {
    let mut groups = [0; 4];
    let mut group = 0;
    let mut neighbours = 0;
    while neighbours <= 8 {
        let mut bit = 0;
        while bit < 64 {
            let cell = 1 << bit;
            let around = cell << 1 | cell << 7 | cell << 8 | cell << 9;
            let around = around | cell >> 1 | cell >> 7 | cell >> 8 | cell >> 9;
            if cells & cell != 0 && (around & cells).count_ones() == neighbours {
                groups[group] |= cell;
            }
            bit += 1;
        }
        if groups[group] != 0 {
            group += 1;
        }
        neighbours += 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::cells::{self, SYMMETRIES};
    use crate::random::Random;

    const SHAPES: [&Shape; 2] = [&FOUR_BY_FOUR, &OCTAGON];

    /// Returns a sample of sets of squares on a board.
    fn sets(shape: &Shape) -> impl Iterator<Item = Cells> {
        let mut random = Random::new(1);
        std::iter::repeat_with(move || random.bits() & shape.cells).take(500)
    }

    #[test]
    fn boards_have_their_cells() {
        assert_eq!(FOUR_BY_FOUR.cells, 0x0f0f_0f0f);
        assert_eq!(FOUR_BY_FOUR.centre, 0x0006_0600);
        let octagon = [0b001100, 0b011110, 0b111111, 0b111111, 0b011110, 0b001100];
        let cells = octagon.iter().rev().fold(0, |cells, row| cells << 8 | row);
        assert_eq!(OCTAGON.cells, cells);
        assert_eq!(OCTAGON.centre, 0x0c0c_0000);
        for shape in SHAPES {
            let groups = shape.by_neighbours;
            assert_eq!(groups.iter().sum::<Cells>(), shape.cells);
            let last = groups.iter().rfind(|&&group| group != 0);
            assert_eq!(last, Some(&shape.centre));
        }
    }

    #[test]
    fn packed_sets_fill_their_bits_and_keep_their_order() {
        for shape in SHAPES {
            let count = shape.cells.count_ones();
            assert_eq!(shape.pack(shape.cells), (1 << count) - 1);
            let sets: Vec<Cells> = sets(shape).collect();
            for pair in sets.windows(2) {
                assert_eq!(shape.unpack(shape.pack(pair[0])), pair[0]);
                let packed = shape.pack(pair[0]).cmp(&shape.pack(pair[1]));
                assert_eq!(packed, pair[0].cmp(&pair[1]));
            }
        }
    }

    #[test]
    fn symmetries_take_each_cell_where_they_say() {
        for shape in SHAPES {
            for symmetry in 0..SYMMETRIES {
                for set in sets(shape) {
                    let mut image = 0;
                    for bit in (0..64).filter(|bit| set >> bit & 1 == 1) {
                        let (mut row, mut column) = (bit / 8, bit % 8);
                        if symmetry & 4 != 0 {
                            (row, column) = (column, row);
                        }
                        if symmetry & 1 != 0 {
                            column = shape.side - 1 - column;
                        }
                        if symmetry & 2 != 0 {
                            row = shape.side - 1 - row;
                        }
                        image |= 1 << (8 * row + column);
                    }
                    assert_eq!(cells::image(shape.side, symmetry, set), image);
                }
            }
        }
    }

    /// Returns the flipped discs, found square by square and direction by direction.
    fn flipped_slowly(shape: &Shape, own: Cells, other: Cells, cell: u32) -> Cells {
        let mut flipped = 0;
        for (down, right) in (-1..=1).flat_map(|down| (-1..=1).map(move |right| (down, right))) {
            let (mut row, mut column) = (cell as i32 / 8, cell as i32 % 8);
            let mut passed = 0;
            loop {
                (row, column) = (row + down, column + right);
                let on_board = (0..8).contains(&row) && (0..8).contains(&column);
                let here = if on_board { 1 << (8 * row + column) } else { 0 };
                if here & shape.cells & own != 0 {
                    flipped |= passed;
                }
                if here & shape.cells & other == 0 || (down, right) == (0, 0) {
                    break;
                }
                passed |= here;
            }
        }
        flipped
    }

    #[test]
    fn discs_are_flipped_as_a_walk_along_each_line_says() {
        for shape in SHAPES {
            let mut enclosing = 0;
            for (one, two) in sets(shape).zip(sets(shape).skip(1)) {
                let (own, other) = (one & !two, two & !one);
                let placings = shape.placings(own, other);
                for cell in (0..64).filter(|cell| shape.cells & !(own | other) & 1 << cell != 0) {
                    let slowly = flipped_slowly(shape, own, other, cell);
                    assert_eq!(flipped(own, other, 1 << cell), slowly);
                    assert_eq!(placings >> cell & 1 == 1, slowly != 0);
                    enclosing += u32::from(slowly != 0);
                }
            }
            assert!(enclosing > 100, "{enclosing}");
        }
    }
}
