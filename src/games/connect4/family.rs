//! Connect Four on the command line and in rules strings.

use super::{Connect4, Parameters};
use crate::game::{Family, Parameter, Takes, Values};

/// Connect Four on any board that fits in 64 bits with a spare row.
#[derive(Clone, Copy, Debug)]
pub struct Connect4Family;

const COLUMNS: usize = 7;
const ROWS: usize = 6;
const LINE: usize = 4;

/// What an opening book adds to the rules string.
const UP_TO: &str = " up-to=";
/// The opening book of the usual board; `data/openings/README.md` says where it comes from.
static OPENING: &[u8] = include_bytes!("../../../data/openings/connect4-7-6.bin");

impl Family for Connect4Family {
    type Game = Connect4;

    fn name(&self) -> &'static str {
        "connect4"
    }

    fn about(&self) -> &'static str {
        "Connect Four: discs fall into columns; four in line win"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("connect4.txt")
    }

    fn details(&self) -> &'static str {
        "Solving 5 columns and 5 rows takes 0.4 GB of memory, 6 columns and 4 rows 0.5 GB. The usual \
         board is too large to be solved, but any of its positions can be searched: `query \
         connect4`."
    }

    fn search_details(&self) -> &'static str {
        "Searches any position. The usual board has an opening book, which answers at once up to 12 \
         stones; later positions take a second or two. On other boards openings take longest."
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 3] = [
            Parameter::number(
                "columns",
                COLUMNS,
                "Columns of the board; columns × (rows + 1) can be 64 at most",
            ),
            Parameter::number("rows", ROWS, "Rows of the board"),
            Parameter::number("connect", LINE, "How many stones in line win, at least 2")
                .of("stones"),
        ];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Connect4, String> {
        let parameters = Parameters {
            columns: values.number("columns")?.unwrap_or(COLUMNS),
            rows: values.number("rows")?.unwrap_or(ROWS),
            line: values.number("connect")?.unwrap_or(LINE),
        };
        Connect4::new(parameters)
    }

    fn read_rules(&self, parameters: &str) -> Result<Connect4, String> {
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

    fn own_opening(&self, game: &Connect4) -> Option<(Connect4, &'static [u8])> {
        let book = Connect4::new(Parameters::default())
            .ok()?
            .opening(12)
            .ok()?;
        (game.parameters() == book.parameters()).then_some((book, OPENING))
    }
}
