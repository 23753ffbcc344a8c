//! Addresses of pages: each position has one that can be saved and shared.

use crate::cli::serve::http::{Params, decode_part, encode, encode_part};
use crate::cli::serve::problem::Problem;

/// A line of moves from a position, or from the start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    pub game: String,
    /// `None` for the start.
    pub from: Option<String>,
    pub played: Vec<String>,
}

impl Line {
    /// The line in an address.
    ///
    /// # Errors
    /// If its moves are not UTF-8.
    pub fn of(game: &str, params: &Params) -> Result<Line, Problem> {
        let played = params.get("played").unwrap_or_default();
        let moves = played.split_whitespace().map(decode_part);
        Ok(Line {
            game: game.to_owned(),
            from: params.filled("position").map(str::to_owned),
            played: moves.collect::<Result<_, _>>()?,
        })
    }

    /// Its moves as one value, which [`Line::of`] reads back whatever their names.
    ///
    /// Each move is encoded separately, so that it has no blank.
    pub fn as_value(&self) -> String {
        let moves = self.played.iter().map(|mv| encode_part(mv));
        moves.collect::<Vec<_>>().join(" ")
    }

    /// The line with one more move.
    pub fn then(&self, mv: &str) -> Line {
        let mut line = self.clone();
        line.played.push(mv.to_owned());
        line
    }

    /// The line's first `moves` moves.
    pub fn up_to(&self, moves: usize) -> Line {
        let mut line = self.clone();
        line.played.truncate(moves);
        line
    }

    /// Address of the page about the position at its end.
    pub fn explore(&self) -> String {
        self.to("explore", &[])
    }

    /// Address of a page about the line, with more parameters.
    pub fn to(&self, page: &str, more: &[(&'static str, String)]) -> String {
        let from = self.from.clone().map(|from| ("position", from));
        let played = (!self.played.is_empty()).then(|| ("played", self.as_value()));
        let query: Vec<_> = from.into_iter().chain(played).collect();
        address(page, &self.game, &[&query, more].concat())
    }
}

/// Address of a page of a game.
pub fn address(page: &str, game: &str, query: &[(&'static str, String)]) -> String {
    let mut address = format!("/{page}/{}", encode_part(game));
    for (number, (name, value)) in query.iter().enumerate() {
        address.push(if number == 0 { '?' } else { '&' });
        address.push_str(&format!("{name}={}", encode(value)));
    }
    address
}
