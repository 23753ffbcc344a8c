//! The programs that play: built-in levels, and AIs that the command line names.

use super::scene::Scene;
use crate::check::builtin::LEVELS;
use crate::cli::serve::ais::Ais;
use crate::cli::serve::http::Params;
use crate::cli::serve::problem::Problem;
use crate::text::harmless;
use maud::{Markup, html};

/// The level that the page for a new game offers first.
const FIRST_OFFER: usize = 4;
/// Number of last lines of standard error that a page shows, and of characters of each.
const MOST_LINES: usize = 8;
const MOST_LETTERS: usize = 200;

/// A program that plays a side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opponent {
    /// The program itself, at one of [`LEVELS`], counted from 1.
    Level(usize),
    /// An AI, by its name.
    Ai(String),
}

impl Opponent {
    /// Returns the program that a parameter names: a level, or an AI of the server.
    pub fn of(params: &Params, name: &str, ais: &Ais) -> Result<Option<Opponent>, Problem> {
        let Some(given) = params.filled(name) else {
            return Ok(None);
        };
        if ais.names().any(|known| known == given) {
            return Ok(Some(Opponent::Ai(given.to_owned())));
        }
        if given.bytes().all(|letter| letter.is_ascii_digit()) {
            let most = LEVELS.len() as u64;
            let level = params.number(name, most, most)?.max(1);
            return Ok(Some(Opponent::Level(level as usize)));
        }
        let known: Vec<&str> = ais.names().collect();
        let known = match known[..] {
            [] => "`zermelo serve --ai` has AIs".to_owned(),
            _ => format!("the AIs are {}", known.join(", ")),
        };
        Err(Problem::bad_request(format!(
            "there is no AI called \"{given}\" here; {known}"
        )))
    }

    /// Returns the name, as part of a sentence.
    pub fn name(&self) -> &str {
        match self {
            Opponent::Level(_) => "the program",
            Opponent::Ai(name) => name,
        }
    }

    /// Returns "level 4, improver", or the AI's name.
    pub fn described(&self) -> String {
        match self {
            Opponent::Level(level) => format!("level {level}, {}", LEVELS[level - 1].0),
            Opponent::Ai(name) => name.clone(),
        }
    }
}

/// Returns the options of a list of opponents.
pub fn options(ais: &Ais) -> Markup {
    html! {
        @for number in 1..=LEVELS.len() {
            option value=(number) selected[number == FIRST_OFFER] { (Opponent::Level(number).described()) }
        }
        @for name in ais.names() { option value=(name) { (name) } }
    }
}

/// Returns the last lines that an AI wrote to standard error at its turn, if there are any.
pub fn stderr(scene: &Scene, turn: &str, mv: &str) -> Markup {
    let text = scene.visit.explorer.ais.stderr(turn, mv);
    let text = text.as_deref().unwrap_or_default().trim_end();
    let mut lines: Vec<String> = text.lines().rev().take(MOST_LINES).map(harmless).collect();
    for line in &mut lines {
        *line = line.chars().take(MOST_LETTERS).collect();
    }
    lines.reverse();
    html! {
        @if !text.is_empty() {
            pre class="stderr" tabindex="0" aria-label="Standard error" { (lines.join("\n")) }
        }
    }
}
