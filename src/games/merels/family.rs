//! Three Men's Morris and Teeko on the command line and in rules strings.

use super::{Kind, Merels};
use crate::game::{Family, Parameter, Values};

impl Family for Kind {
    type Game = Merels;

    fn name(&self) -> &'static str {
        match self {
            Kind::Morris => "morris3",
            Kind::Teeko => "teeko",
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Kind::Morris => "Three Men's Morris: place and move three pieces into a line",
            Kind::Teeko => "Teeko: place and move four pieces into a line or a square",
        }
    }

    fn rules_in_words(&self) -> &'static str {
        match self {
            Kind::Morris => include_str!("morris3.txt"),
            Kind::Teeko => include_str!("teeko.txt"),
        }
    }

    fn parameters(&self) -> &'static [Parameter] {
        const STEPS: Parameter = Parameter::choice(
            "steps",
            &[
                ("orthogonal", "One step along a row or a column"),
                ("lines", "One step along a line of three"),
                ("neighbours", "One step in any direction"),
                ("any", "To any empty cell"),
            ],
            "Where a piece can move",
        );
        const SQUARES: Parameter = Parameter::choice(
            "squares",
            &[
                ("small", "Four neighbouring cells"),
                ("all", "The corners of any upright square"),
            ],
            "Which squares of four pieces win",
        );
        match self {
            Kind::Morris => &[STEPS],
            Kind::Teeko => &[SQUARES],
        }
    }

    fn game(&self, values: &Values) -> Result<Merels, String> {
        let option = values.need(self.parameters()[0].name)?;
        Ok(Merels::new(*self, option))
    }
}
