//! Texts and pictures of Three Men's Morris and Teeko, and their families.

use super::{Kind, Merels, Move, Position};
use crate::game::{
    Capabilities, Drawing, Family, Game, NoGame, Notation, NotationError, Parameter, Picture,
    Piece, Side, Values, capabilities_of,
};
use crate::games::cells::{Cell, status, unread};
use crate::games::pieces::{Pieces, words};

impl Merels {
    fn read(&self, text: &str) -> Result<Position, String> {
        let ([rows], side) = words(text, "the rows of the board")?;
        let sets = self.grid.read(rows)?;
        let position = Pieces { sets, side };
        self.problem(&position).map_or(Ok(position), Err)
    }

    fn read_move(&self, text: &str) -> Option<Move> {
        let (from, to) = match Cell::path(text, self.grid.cells) {
            Some((from, to)) => (Some(from), to),
            None => (None, Cell::named(text, self.grid.cells)?),
        };
        Some(Move { from, to })
    }
}

impl Notation for Merels {
    fn rules(&self) -> String {
        let parameter = self.kind.parameters()[0].name;
        format!("{} {parameter}={}", self.kind.name(), self.option)
    }

    fn name(&self) -> String {
        format!("{}({})", self.kind.name(), self.option)
    }

    fn title(&self) -> String {
        let name = match self.kind {
            Kind::Morris => "Three Men's Morris",
            Kind::Teeko => "Teeko",
        };
        format!(
            "{name}, {}: {}",
            self.kind.parameters()[0].name,
            self.option
        )
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, solving, drawing)
    }

    fn format_position(&self, position: &Position) -> String {
        let rows = self.grid.diagram(position.sets).text();
        format!("{rows} {}", position.side)
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        self.read(text)
            .map_err(|problem| unread(self, text, problem))
    }

    fn format_move(&self, mv: Move) -> String {
        let from = mv.from.map(|from| format!("{from}-"));
        format!("{}{}", from.unwrap_or_default(), mv.to)
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let problem = "a move is a cell of the board, or a piece's old and new cell";
        let read = self.read_move(text.trim());
        read.ok_or_else(|| NotationError::new(text, problem, "a1-b1"))
    }

    fn board(&self, position: &Position) -> String {
        let score = self.final_score(position);
        let status = status(self.grid.letters, position.side, score);
        self.grid.diagram(position.sets).drawn(&[status])
    }

    fn layer_name(&self) -> &'static str {
        "pieces on the board"
    }
}

impl Drawing<Merels> for Merels {
    fn picture(&self, position: &Position) -> Option<Picture> {
        Some(self.grid.diagram(position.sets).picture(Piece::Letter))
    }

    fn places_of_move(&self, _: &Position, mv: Move) -> Option<Vec<String>> {
        Some(
            self.format_move(mv)
                .rsplit('-')
                .map(str::to_owned)
                .collect(),
        )
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(["X", "O"][side.index()])
    }
}

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

    fn game(&self, values: &Values) -> Result<Merels, NoGame> {
        let option = values.need(self.parameters()[0].name)?;
        Ok(Merels::new(*self, option))
    }
}
