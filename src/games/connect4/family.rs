//! Connect Four on the command line and in rules strings.

use super::{Connect4, Parameters};
use crate::game::{Family, Parameter, Values};

/// Connect Four on any board that fits in 64 bits with a spare row.
#[derive(Clone, Copy, Debug)]
pub struct Connect4Family;

const COLUMNS: usize = 7;
const ROWS: usize = 6;
const LINE: usize = 4;

impl Family for Connect4Family {
    type Game = Connect4;

    fn name(&self) -> &'static str {
        "connect4"
    }

    fn about(&self) -> &'static str {
        "Connect Four: discs fall into columns; four in line win"
    }

    fn rules_in_words(&self) -> &'static str {
        "The players in turn drop a stone into a column that isn't full, X first. It falls to the \
         lowest free cell. Whoever first has four stones in a row, a column or a diagonal wins. A \
         full board without such a line is a draw. The usual board has 7 columns and 6 rows; \
         --columns and --rows choose another, and --connect how many stones make a line.\n\n\
         A score is seen from the side to move, under best play. A draw scores 0. A win scores 1, \
         and 1 more for each stone that the winner has left: on the usual board each player has 21, \
         so a win with the fourth stone scores 18, and one with the last stone 1. On a board with \
         an odd number of cells the first player has one stone more. A loss scores the same below \
         0.\n\n\
         A position is the rows from the top with / between them, X, O or a dot for each cell: \
         ..../.O../.X.. on 4 columns and 3 rows. Whose turn it is follows from the stones. Or it is \
         the columns played from the empty board: \"44\" is two stones in column 4, and \"-\" is \
         the empty board. With more than 9 columns, there are commas between them. A move is the \
         number of a column, from 1 at the left."
    }

    fn details(&self) -> &'static str {
        "Solving 5 columns and 5 rows takes 0.4 GB of memory, 6 columns and 4 rows 0.5 GB. The usual \
         board is too large to be solved, but any of its positions can be searched: `query \
         connect4`."
    }

    fn search_details(&self) -> &'static str {
        "Searches any position. Openings take longest: the empty board of 7 columns and 6 rows \
         minutes, a position with 12 stones seconds."
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
        Connect4::new(parameters).map_err(|error| error.to_string())
    }
}
