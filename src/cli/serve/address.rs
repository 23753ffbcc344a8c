//! Addresses of pages: each position has one that can be saved and shared.

use crate::cli::serve::http::{Params, decode_part, encode};
use crate::cli::serve::problem::Problem;
use crate::text::encode_part;

/// Parameters that links along a line keep: settings of pages, and those of a game.
const RETAINED: [&str; 9] = [
    "flip", "hide", "letters", "tree", "as", "level", "other", "seed", "why",
];
/// Those that matter only on the page of a game against the program.
const OF_A_GAME: [&str; 4] = ["as", "level", "other", "seed"];

/// A line of moves from a position, or from the start, and a position on it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameLine {
    /// The page that shows it: "explore" or "play".
    pub page: &'static str,
    pub game: String,
    /// `None` for the start.
    pub from: Option<String>,
    /// All moves of the line.
    pub played: Vec<String>,
    /// Number of moves before the position on the board.
    pub at: usize,
    /// Names of places that the next move is to go through.
    pub chosen: Vec<String>,
    /// Parameters that links keep, with their values.
    retained: Vec<(&'static str, String)>,
}

impl GameLine {
    /// Returns the line in the address of a page.
    ///
    /// # Errors
    /// If its moves are not UTF-8.
    pub fn of(page: &'static str, game: &str, params: &Params) -> Result<GameLine, Problem> {
        let [played, chosen] = ["played", "through"].map(|name| names(params, name));
        let played = played?;
        let retained = RETAINED.into_iter();
        let retained = retained.filter_map(|name| Some((name, params.filled(name)?.to_owned())));
        Ok(GameLine {
            page,
            game: game.to_owned(),
            from: params.filled("position").map(str::to_owned),
            at: params.clamped("at", usize::MAX, played.len())?,
            played,
            chosen: chosen?,
            retained: retained.collect(),
        })
    }

    /// Returns an explored line without moves.
    pub fn new(game: &str, from: Option<String>) -> GameLine {
        GameLine {
            page: "explore",
            game: game.to_owned(),
            from,
            ..GameLine::default()
        }
    }

    /// Returns the moves as one value, which [`GameLine::of`] reads back whatever their names.
    pub fn as_value(&self) -> String {
        value_of(&self.played)
    }

    /// Returns the line with a move at the position. Later moves stay if this is the line's own
    /// move.
    pub fn then(&self, mv: &str) -> GameLine {
        let mut line = self.clone();
        if line.played.get(line.at).map(|next| &**next) != Some(mv) {
            // Another line has no refutation yet.
            line = line.with("why", None).up_to(line.at);
            line.played.push(mv.to_owned());
        }
        line.at += 1;
        line.chosen.clear();
        line
    }

    /// Returns the line with these places chosen for the next move.
    pub fn through(&self, chosen: &[String]) -> GameLine {
        GameLine {
            chosen: chosen.to_vec(),
            ..self.clone()
        }
    }

    /// Returns a line with these moves instead, shown at its end.
    pub fn restarted(&self, from: Option<String>, played: Vec<String>) -> GameLine {
        GameLine {
            from,
            at: played.len(),
            played,
            chosen: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns the line's first `moves` moves.
    pub fn up_to(&self, moves: usize) -> GameLine {
        let mut line = self.at(moves);
        line.played.truncate(moves);
        line
    }

    /// Returns the same line at the position after `moves` moves.
    pub fn at(&self, moves: usize) -> GameLine {
        GameLine {
            at: moves,
            chosen: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns whether the position is the last one.
    pub fn is_at_end(&self) -> bool {
        self.at == self.played.len()
    }

    /// Returns the same line with another value of a parameter that links keep; `None` removes it.
    pub fn with(&self, name: &'static str, value: Option<&str>) -> GameLine {
        let mut line = self.clone();
        line.retained.retain(|retained| retained.0 != name);
        line.retained
            .extend(value.map(|value| (name, value.to_owned())));
        line
    }

    /// Returns the address of the position on the page of the line.
    pub fn here(&self) -> String {
        self.to(self.page, &[])
    }

    /// Returns the address of the page that explores the position.
    pub fn explore(&self) -> String {
        self.to("explore", &[])
    }

    /// Returns the address of a page about the line, with more parameters.
    pub fn to(&self, page: &str, more: &[(&'static str, String)]) -> String {
        let from = self.from.clone().map(|from| ("position", from));
        let played = (!self.played.is_empty()).then(|| ("played", self.as_value()));
        let at = (self.at < self.played.len()).then(|| ("at", self.at.to_string()));
        let through = (!self.chosen.is_empty()).then(|| ("through", value_of(&self.chosen)));
        let retained = self.retained.iter().cloned();
        let retained = retained.filter(|retained| match page {
            "play" => retained.0 != "why",
            _ => !OF_A_GAME.contains(&retained.0),
        });
        let query: Vec<_> = from
            .into_iter()
            .chain(played)
            .chain(at)
            .chain(through)
            .chain(retained)
            .collect();
        address(page, &self.game, &[&query, more].concat())
    }
}

/// Returns the names in a parameter's value.
///
/// # Errors
/// If one is not UTF-8.
pub fn names(params: &Params, name: &str) -> Result<Vec<String>, Problem> {
    let names = params.get(name).unwrap_or_default();
    names.split_whitespace().map(decode_part).collect()
}

/// Returns names as one value, which [`names`] reads back whatever they are.
///
/// Each is encoded separately, so that it has no blank.
pub fn value_of(names: &[String]) -> String {
    let names = names.iter().map(|name| encode_part(name));
    names.collect::<Vec<_>>().join(" ")
}

/// Returns the address of a page of a game.
pub fn address(page: &str, game: &str, query: &[(&'static str, String)]) -> String {
    let mut address = format!("/{page}/{}", encode_part(game));
    for (number, (name, value)) in query.iter().enumerate() {
        address.push(if number == 0 { '?' } else { '&' });
        address.push_str(&format!("{name}={}", encode(value)));
    }
    address
}
