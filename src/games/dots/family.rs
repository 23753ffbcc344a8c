//! Dots and Boxes on the command line and in rules strings.

use super::Dots;
use crate::game::{Family, Parameter, Values};

/// Rows, and columns, of boxes by default.
const SIDE: usize = 3;

/// Dots and Boxes on boards of any size.
#[derive(Clone, Copy, Debug)]
pub struct DotsFamily;

impl Family for DotsFamily {
    type Game = Dots;

    fn name(&self) -> &'static str {
        "dots-and-boxes"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["dots"]
    }

    fn about(&self) -> &'static str {
        "Dots and Boxes: draw lines, complete boxes"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("dots.txt")
    }

    fn details(&self) -> &'static str {
        "Solving takes a byte of memory for each set of lines: 43 MB in all for 3×3 boxes, 2.2 GB for 3×4. \
         Larger boards can be searched: `query dots-and-boxes --rows 4 --columns 4`."
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 2] = [
            Parameter::number(
                "rows",
                SIDE,
                "Rows of boxes, 1 to 7; a board has at most 60 lines",
            ),
            Parameter::number("columns", SIDE, "Columns of boxes, 1 to 7"),
        ];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Dots, String> {
        let side = |name| Ok::<usize, String>(values.number(name)?.unwrap_or(SIDE));
        Dots::new(side("rows")?, side("columns")?)
    }

    fn search_memory(&self) -> Option<u64> {
        Some(1 << 30)
    }
}
