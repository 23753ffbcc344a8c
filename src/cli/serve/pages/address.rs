//! Where positions are found: each has an address that can be kept and sent on.

use crate::cli::serve::http::{Params, decode_part, encode, encode_part};
use crate::cli::serve::problem::Problem;

/// A line of play of a game: from a position, or from the start, and these moves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    pub game: String,
    /// None for the start.
    pub from: Option<String>,
    pub played: Vec<String>,
}

impl Line {
    /// The line that an address names.
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

    /// Its moves as one value, of which [`Line::of`] makes moves again, whatever their names: each is
    /// encoded for itself, so that no blank is left in it.
    pub fn as_value(&self) -> String {
        let moves = self.played.iter().map(|mv| encode_part(mv));
        moves.collect::<Vec<_>>().join(" ")
    }

    /// One move further.
    pub fn then(&self, mv: &str) -> Line {
        let mut line = self.clone();
        line.played.push(mv.to_owned());
        line
    }

    /// Only its first moves.
    pub fn up_to(&self, moves: usize) -> Line {
        let mut line = self.clone();
        line.played.truncate(moves);
        line
    }

    /// The page about its end.
    pub fn explore(&self) -> String {
        self.to("explore", &[])
    }

    /// A page about it, with these other parameters.
    pub fn to(&self, page: &str, more: &[(&'static str, String)]) -> String {
        let from = self.from.clone().map(|from| ("position", from));
        let played = (!self.played.is_empty()).then(|| ("played", self.as_value()));
        let query: Vec<_> = from.into_iter().chain(played).collect();
        address(page, &self.game, &[&query, more].concat())
    }
}

/// The address of a page of a game.
pub fn address(page: &str, game: &str, query: &[(&'static str, String)]) -> String {
    let mut address = format!("/{page}/{}", encode_part(game));
    for (number, (name, value)) in query.iter().enumerate() {
        address.push(if number == 0 { '?' } else { '&' });
        address.push_str(&format!("{name}={}", encode(value)));
    }
    address
}
