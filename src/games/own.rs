//! Games defined by their bare rules.
//!
//! An author gives the start, the side to move, the moves, the final scores and the text of
//! positions.
//!
//! ```
//! use zermelo::game::{Family, NoGame, Side, Values};
//! use zermelo::games::own::{Own, Rules};
//! use zermelo::oracle::Wanted;
//!
//! /// Take one or two of five matches; who takes the last one wins.
//! struct Matches;
//!
//! impl Rules for Matches {
//!     type Position = (u32, Side);
//!
//!     const NAME: &'static str = "matches";
//!     const ABOUT: &'static str = "Take one or two of five matches; who takes the last one wins";
//!
//!     fn new(_: &Values) -> Result<Matches, NoGame> {
//!         Ok(Matches)
//!     }
//!
//!     fn start(&self) -> (u32, Side) {
//!         (5, Side::First)
//!     }
//!
//!     fn side_to_move(&self, &(_, side): &(u32, Side)) -> Side {
//!         side
//!     }
//!
//!     fn moves(&self, &(left, side): &(u32, Side)) -> Vec<(String, (u32, Side))> {
//!         let after = |taken| (format!("take{taken}"), (left - taken, side.other()));
//!         (1..=left.min(2)).map(after).collect()
//!     }
//!
//!     fn final_score(&self, &(left, _): &(u32, Side)) -> Option<i32> {
//!         // The other player has just taken the last match.
//!         (left == 0).then_some(-1)
//!     }
//!
//!     fn format_position(&self, &(left, side): &(u32, Side)) -> String {
//!         format!("{left} {side}")
//!     }
//! }
//!
//! let table = zermelo::solve_in_memory(&Matches)?;
//! let answer = table.ask(Some("4 second"), Wanted::default(), None)?;
//! assert_eq!(answer.best_move.as_deref(), Some("take1"));
//! // `zermelo::cli::main(&[&Own::<Matches>::FAMILY])` is the whole command line for it.
//! assert_eq!(Own::<Matches>::FAMILY.game(&Values::default())?.graph().positions(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`crate::open`] opens tables of the library's games. For a table of your own game, pass its family
//! to [`crate::any::open_file`].
//!
//! Every command first explores the whole game and stores it in memory, at about a million
//! positions per second. A larger game should implement [`crate::game::Game`] itself, with keys for
//! positions.

use super::listed::{BuildError, Builder, Graph, Listed, Misreadings};
use crate::game::{
    Endless, Family, NoGame, NoProgress, Notation, Parameter, ParameterKind, Side, Values,
    table_name_of,
};
use crate::text::count;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::marker::PhantomData;

/// Greatest number of positions to explore.
const MOST_POSITIONS: usize = 10_000_000;

/// Greatest number of positions of a game whose misread rules are explored, too.
const MOST_MISREAD: usize = 1_000_000;

/// The rules of a two-player game without chance or hidden information.
pub trait Rules: Sized + 'static {
    /// Everything on which the rest of the game depends, including the side to move.
    type Position: Clone + Eq + Hash;

    /// Name on the command line: lower-case letters, digits and hyphens.
    const NAME: &'static str;

    /// The kind of game, in one line without a full stop.
    const ABOUT: &'static str;

    /// The rules in short, for long help: see [`Family::rules_in_words`].
    const RULES_IN_WORDS: &'static str = "";

    /// The game's options on the command line.
    ///
    /// Names of other options are taken: see [`Parameter::name`].
    const PARAMETERS: &'static [Parameter] = &[];

    /// Whether positions can repeat, and what endless play is worth.
    ///
    /// If it is a draw, the game counts plies, as with [`Rules::DISTANCE`], and has the same limit.
    const ENDLESS: Endless = Endless::Impossible;

    /// Whether the winner hurries and the loser delays.
    ///
    /// Scores are then points with distances in plies: a higher win is better than a quicker one.
    /// Wins take at most 998 plies. If play can be endless and all final scores are 1, 0 or -1, they
    /// take at most 127, or 254 if the sides always move in turn and no finished position is won by
    /// the side to move. The game can't be solved if a win takes longer. Such scores are written as
    /// [`WON`](crate::game::WON) says; [`crate::game::distance`] and [`crate::game::margin`] read
    /// them.
    const DISTANCE: bool = false;

    /// Returns the game with these values of its options.
    ///
    /// # Errors
    /// If there is no such game. The message says what is wrong, without a full stop.
    fn new(values: &Values) -> Result<Self, NoGame>;

    /// Returns the start of the game, with the first player to move.
    fn start(&self) -> Self::Position;

    /// Returns the side to move. In a finished position, the side that would be to move.
    fn side_to_move(&self, position: &Self::Position) -> Side;

    /// Returns the texts of an unfinished position's legal moves, and the positions after them.
    fn moves(&self, position: &Self::Position) -> Vec<(String, Self::Position)>;

    /// Returns the score of a finished position, seen from the side to move; `None` if unfinished.
    fn final_score(&self, position: &Self::Position) -> Option<i32>;

    /// Returns a position in one line of text. Different positions must have different texts.
    fn format_position(&self, position: &Self::Position) -> String;

    /// Returns plausible misunderstandings of the rules, which `check-ai` compares with an AI.
    ///
    /// Each is the end of a sentence that begins "It plays as if", without a full stop, and the
    /// rules as they would be then, with the same texts of positions and moves. They are compared
    /// if the game has a million positions or fewer.
    fn misreadings(&self) -> Vec<(String, Self)> {
        Vec::new()
    }
}

/// The [`Family`] of the games with these rules.
#[derive(Debug)]
pub struct Own<R>(PhantomData<fn() -> R>);

impl<R> Own<R> {
    /// The family, to be passed to `zermelo::cli::main`.
    pub const FAMILY: Own<R> = Own(PhantomData);
}

/// Word of a rules string that distinguishes changed rules with the same name.
const LIST: &str = " list=";

impl<R: Rules> Family for Own<R> {
    type Game = Listed;

    fn name(&self) -> &'static str {
        R::NAME
    }

    fn about(&self) -> &'static str {
        R::ABOUT
    }

    fn rules_in_words(&self) -> &'static str {
        R::RULES_IN_WORDS
    }

    fn parameters(&self) -> &'static [Parameter] {
        R::PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Listed, NoGame> {
        let built = explored(&R::new(values)?).and_then(|it| it.finish(R::NAME, &NoProgress));
        let (graph, _) = built.map_err(|error| match error {
            BuildError::Repetition(_) => format!(
                "{error}; if endless play is a draw, add to the rules: \
                 const ENDLESS: Endless = Endless::Draw;"
            ),
            _ => error.to_string(),
        })?;
        let title = title(R::NAME, R::PARAMETERS, values);
        let rules = format!("{title}{LIST}{}", &graph.digest()[..16]);
        let values = values.clone();
        let misread: Misreadings = Box::new(move || misread::<R>(&values).unwrap_or_default());
        Ok(Listed::with_rules(graph, title, rules, misread))
    }

    fn read_rules(&self, parameters: &str) -> Result<Listed, NoGame> {
        let whole = format!("{} {parameters}", R::NAME);
        let title = whole.split(LIST).next().unwrap_or_default();
        let known = title.strip_prefix(R::NAME).unwrap_or_default();
        let game = self.game(&Values::of_words(R::PARAMETERS, known)?)?;
        match game.rules() == whole {
            true => Ok(game),
            false => Err(NoGame(format!(
                "the rules of {title} have changed since, solve it again: now it would be \"{}\"",
                game.rules()
            ))),
        }
    }

    fn table_name(&self, game: &Listed) -> String {
        table_name_of(&game.title())
    }
}

/// Returns the name with the values of all parameters.
fn title(name: &str, parameters: &[Parameter], values: &Values) -> String {
    let words = parameters.iter().map(|parameter| {
        let absent = ["", "no"][usize::from(parameter.kind == ParameterKind::Flag)];
        let value = values.get(parameter.name).unwrap_or(absent);
        format!(" {}={value}", parameter.name)
    });
    format!("{name}{}", words.collect::<String>())
}

/// Explores all positions, breadth first.
///
/// # Errors
/// If there are too many, or a text or score is not allowed.
pub fn explored<R: Rules>(rules: &R) -> Result<Builder, BuildError> {
    let start = rules.start();
    if rules.final_score(&start).is_some() {
        let text = rules.format_position(&start);
        return Err(BuildError::Rules(format!("the start, {text}, is finished")));
    }
    let builder = Builder::of(R::ENDLESS, R::DISTANCE);
    Ok(explored_from(rules, vec![start], builder)?.0)
}

/// Adds some positions and all that can follow them, breadth first, and returns them all.
fn explored_from<R: Rules>(
    rules: &R,
    mut waiting: Vec<R::Position>,
    mut builder: Builder,
) -> Result<(Builder, Vec<R::Position>), BuildError> {
    let mut numbers: FxHashMap<_, u32> = waiting.iter().cloned().zip(0..).collect();
    let mut next = 0;
    while let Some(position) = waiting.get(next).cloned() {
        let text = rules.format_position(&position);
        let score = rules.final_score(&position);
        let side = rules.side_to_move(&position);
        builder.position(&text, Some(side), score)?;
        let mut moves = Vec::new();
        if score.is_none() {
            for (name, child) in rules.moves(&position) {
                let checked = Builder::check_name(&name);
                checked.map_err(|error| BuildError::Rules(format!("{error}, in {text}")))?;
                let next_number = waiting.len() as u32;
                let number = *numbers.entry(child).or_insert_with_key(|child| {
                    waiting.push(child.clone());
                    next_number
                });
                moves.push((builder.name(&name), number));
            }
        }
        builder.moves(moves);
        if waiting.len() > MOST_POSITIONS {
            let last = rules.format_position(&waiting[MOST_POSITIONS]);
            return Err(BuildError::Rules(too_many(R::PARAMETERS, &last)));
        }
        next += 1;
    }
    Ok((builder, waiting))
}

/// Returns the misread rules with the graphs of all positions, first those of the right rules.
///
/// Rules that can't be explored are left out. `None` if the right ones can't, or there are too many
/// positions.
fn misread<R: Rules>(values: &Values) -> Option<Vec<(String, Graph)>> {
    let rules = R::new(values).ok()?;
    let misreadings = rules.misreadings();
    if misreadings.is_empty() {
        return None;
    }
    let builder = Builder::of(R::ENDLESS, R::DISTANCE);
    let (right, positions) = explored_from(&rules, vec![rules.start()], builder).ok()?;
    (positions.len() <= MOST_MISREAD).then(|| {
        let explored = misreadings.into_iter().filter_map(|(sentence, rules)| {
            let found = explored_from(&rules, positions.clone(), right.with_names());
            Some((sentence, found.ok()?.0.unchecked()))
        });
        explored.collect()
    })
}

/// Returns advice if there are too many positions.
fn too_many(parameters: &[Parameter], last: &str) -> String {
    let options = parameters.iter().map(|parameter| parameter.name);
    let options: Vec<String> = options.map(|name| format!("--{name}")).collect();
    let smaller = match &options[..] {
        [] => String::new(),
        options => format!("pass a smaller value of {}, or ", options.join(" or ")),
    };
    format!(
        "more than {} positions can come up, the last of them {last}: look whether every play comes \
         to an end; if so, {smaller}implement the trait Game, whose games are not explored by each \
         command",
        count(MOST_POSITIONS as u64)
    )
}

#[cfg(test)]
mod tests;
