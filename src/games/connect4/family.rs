//! Connect Four on the command line, and its optional methods: symmetry, searching and solving.

use super::search::Connect4Searcher;
use super::{Connect4, Parameters, Position};
use crate::game::{
    Family, NoGame, OpeningTable, OwnSearcher, Parameter, Roots, SearchSetup, Searching, Solving,
    Symmetry, Takes, Values,
};

/// Connect Four on any board that fits in 64 bits with a spare row.
#[derive(Clone, Copy, Debug)]
pub struct Connect4Family;

const COLUMNS: usize = 7;
const ROWS: usize = 6;
const LINE: usize = 4;

/// Text that an opening book adds to the rules string.
const UP_TO: &str = " up-to=";

/// Returns the opening book of the usual board; `data/openings/README.md` says where it comes from.
#[cfg(not(target_family = "wasm"))]
#[must_use]
pub fn opening() -> Option<&'static [u8]> {
    // A static, because a constant may be copied to where it is used.
    static BOOK: &[u8] = include_bytes!("../../../data/openings/connect4-7-6.bin");
    Some(BOOK)
}

/// Returns the same book, if a browser has loaded it.
#[cfg(target_family = "wasm")]
#[must_use]
pub fn opening() -> Option<&'static [u8]> {
    OPENING.get().map(|bytes| &**bytes)
}

#[cfg(target_family = "wasm")]
static OPENING: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();

/// Sets the opening book, once.
///
/// # Errors
/// If it is there already.
#[cfg(target_family = "wasm")]
pub fn set_opening(bytes: Vec<u8>) -> Result<(), Vec<u8>> {
    OPENING.set(bytes)
}

impl Family for Connect4Family {
    type Game = Connect4;

    fn name(&self) -> &'static str {
        "connect4"
    }

    fn common_names(&self) -> &'static [&'static str] {
        &["c4", "connect four", "four in a row"]
    }

    fn about(&self) -> &'static str {
        "Connect Four: discs fall into columns; four in line win"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("connect4.txt")
    }

    fn details(&self) -> &'static str {
        "Solving 5 columns and 5 rows, or 6 and 4, takes 0.5 GB of memory. The usual board is too \
         large to be solved, but any of its positions can be searched: `query connect4`."
    }

    fn search_details(&self) -> &'static str {
        "Searches any position. The usual board has an opening book, which answers at once up to 12 \
         discs; later positions take a second or two. On other boards openings take longest."
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 3] = [
            Parameter::number(
                "columns",
                COLUMNS,
                "Columns of the board; columns × (rows + 1) can be 64 at most",
            ),
            Parameter::number("rows", ROWS, "Rows of the board"),
            Parameter::number("connect", LINE, "How many discs in line win, at least 2")
                .of("stones"),
        ];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Connect4, NoGame> {
        let parameters = Parameters {
            columns: values.number("columns")?.unwrap_or(COLUMNS),
            rows: values.number("rows")?.unwrap_or(ROWS),
            line: values.number("connect")?.unwrap_or(LINE),
        };
        Connect4::new(parameters)
    }

    fn read_rules(&self, parameters: &str) -> Result<Connect4, NoGame> {
        let (board, up_to) = parameters.split_once(UP_TO).unzip();
        let values = Values::of_words(self.parameters(), board.unwrap_or(parameters))?;
        let game = self.game(&values)?;
        match up_to {
            Some(up_to) => game.opening(up_to.parse().unwrap_or(0)),
            None => Ok(game),
        }
    }

    fn takes(&self) -> Takes {
        Takes::Openings
    }

    fn own_opening(&self, game: &Connect4) -> Option<(Connect4, OpeningTable)> {
        let book = Connect4::new(Parameters::default())
            .ok()?
            .opening(12)
            .ok()?;
        (game.parameters() == book.parameters()).then_some((book, opening))
    }
}

impl Symmetry<Connect4> for Connect4 {
    fn order(&self) -> usize {
        // A single column is its own mirror image.
        self.board.columns.min(2) as usize
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        [*position, self.image(position)][symmetry]
    }
}

impl Searching<Connect4> for Connect4 {
    fn searcher(&self, setup: &SearchSetup) -> OwnSearcher<Connect4> {
        let searcher = Connect4Searcher::new(self, setup);
        Some(searcher.map(|searcher| Box::new(searcher) as _))
    }
}

impl Solving<Connect4> for Connect4 {
    fn roots(&self) -> Roots {
        match self.up_to() {
            Some(_) => Roots::Opening,
            None => Roots::Start,
        }
    }

    /// Estimates the number rather too low than too high.
    fn expected_classes(&self) -> Option<u64> {
        let board = &self.board;
        if board.line != 4 {
            return None;
        }
        let size = (board.columns, board.rows);
        let counted = COUNTED
            .iter()
            .find(|counted| (counted.0, counted.1) == size);
        if let Some(&(_, _, classes)) = counted {
            return Some(classes);
        }
        // A filling stacks the stones of both sides in columns, as many of each side as in a game.
        // Mirror images count once. Only a share of the fillings is reachable, and a smaller one on
        // larger boards: a thirtieth on 7 columns and 6 rows.
        const SHARE: f64 = 100.0;
        let cells = board.cells() as usize;
        // Number of sets of column heights, by the number of stones.
        let mut heights = vec![0.0f64; cells + 1];
        heights[0] = 1.0;
        for column in 0..board.columns as usize {
            for stones in (0..=(column + 1) * board.rows as usize).rev() {
                let fewer = stones.saturating_sub(board.rows as usize);
                heights[stones] = heights[fewer..=stones].iter().sum();
            }
        }
        let mut ways = 1.0;
        let mut fillings = 0.0;
        for (stones, sets) in heights.iter().enumerate() {
            fillings += ways * sets;
            // Step from C(n, n/2), the ways to choose the first player's stones, to the next n.
            let next = stones as f64 + 1.0;
            ways *= next / (next / 2.0).ceil();
        }
        Some((fillings / 2.0 / SHARE) as u64)
    }
}

/// Columns, rows and reachable unfinished classes of boards with lines of 4.
///
/// Counted by a walk from the start.
const COUNTED: [(u32, u32, u64); 7] = [
    (3, 3, 391),
    (4, 3, 5_525),
    (4, 4, 67_163),
    (5, 4, 1_551_317),
    (4, 5, 674_263),
    (5, 5, 25_366_620),
    (6, 4, 34_820_331),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::connect4::tests::game;

    #[test]
    fn more_is_expected_of_larger_boards() {
        let expected = |columns, rows| game(columns, rows, 4).expected_classes().unwrap();
        assert_eq!(expected(5, 5), 25_366_620);
        // 4,531,985,219,092 positions are reachable; few of them are their own mirror images.
        assert!((10_000_000_000..2_300_000_000_000).contains(&expected(7, 6)));
        assert!(expected(6, 6) < expected(7, 6) && expected(7, 6) < expected(8, 7));
        assert_eq!(game(7, 6, 3).expected_classes(), None);
    }
}
