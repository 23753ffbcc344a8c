//! All game families, and games by their rules strings.

use super::game::Concrete;
use super::{AnyGame, Erased};
use crate::conformance::check_rules;
use crate::game::{Family, NoGame, Notation, Values};
use crate::games::connect4::Connect4Family;
use crate::games::dobutsu::Dobutsu;
use crate::games::dots::DotsFamily;
use crate::games::eight::Eight;
use crate::games::is_built_in;
use crate::games::kalah::KalahFamily;
use crate::games::lgame::LGame;
use crate::games::merels::Kind;
use crate::games::oware::OwareFamily;
use crate::games::reversi::Board;
use crate::games::tictactoe::TicTacToeFamily;
use crate::text::{harmless, listed};
use std::convert::identity;
use std::ops::Deref;

/// The families of the library's games.
///
/// A static, because every program that uses a constant would compile all of it again.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &Typed(KalahFamily),
    &TicTacToeFamily,
    &Typed(Board::FourByFour),
    &Typed(Board::Octagon),
    &Typed(Connect4Family),
    &Typed(DotsFamily),
    &LGame,
    &Kind::Morris,
    #[cfg(not(target_family = "wasm"))]
    &Typed(Kind::Teeko),
    #[cfg(not(target_family = "wasm"))]
    &Typed(Dobutsu),
    // Too large to be solved in a browser, so that speed doesn't matter there.
    #[cfg(target_family = "wasm")]
    &Kind::Teeko,
    #[cfg(target_family = "wasm")]
    &Dobutsu,
    &OwareFamily,
    &Eight,
];

/// A [`Family`] without the type of its games. Implemented for every family.
pub trait AnyFamily: Send + Sync + 'static {
    /// Returns the family, for its texts and parameters.
    fn as_family(&self) -> &dyn Family;

    /// Returns the game with these values ([`Family::game`]).
    ///
    /// # Errors
    /// If there is no such game, or its rules string is not read back
    /// ([`crate::conformance::check`]).
    fn game_with(&self, values: &Values) -> Result<Box<dyn AnyGame>, NoGame>;

    /// Returns the game with these parameters of a rules string ([`Family::read_rules`]).
    ///
    /// # Errors
    /// If there is no such game.
    fn game_of_words(&self, parameters: &str) -> Result<Box<dyn AnyGame>, NoGame>;
}

impl Deref for dyn AnyFamily + '_ {
    type Target = dyn Family;

    fn deref(&self) -> &dyn Family {
        self.as_family()
    }
}

impl<F: Family> AnyFamily for F {
    fn as_family(&self) -> &dyn Family {
        self
    }

    fn game_with(&self, values: &Values) -> Result<Box<dyn AnyGame>, NoGame> {
        erased(self, checked_game(self, values)?)
    }

    fn game_of_words(&self, parameters: &str) -> Result<Box<dyn AnyGame>, NoGame> {
        erased(self, self.read_rules(parameters)?)
    }
}

/// Returns a game without its type; an error if it has a ranking.
fn erased<F: Family>(family: &F, game: F::Game) -> Result<Box<dyn AnyGame>, NoGame> {
    match game.capabilities().solving.ranking() {
        None => Ok(Box::new(Concrete::of(family, game, Erased::new))),
        Some(_) => {
            Err("a family whose games number their positions is passed as any::Typed".into())
        }
    }
}

/// A family whose games retain their type.
///
/// Solvers, tables and proofs are compiled for them and need no calls by pointer, which speeds up
/// games with many millions of positions. A game's own [`crate::game::Ranking`],
/// [`crate::game::OwnSolver`] and [`crate::game::Searcher`] are used only for such families:
/// `&Typed(MyFamily)`.
#[derive(Clone, Copy, Debug)]
pub struct Typed<F>(pub F);

impl<F: Family> AnyFamily for Typed<F> {
    fn as_family(&self) -> &dyn Family {
        &self.0
    }

    fn game_with(&self, values: &Values) -> Result<Box<dyn AnyGame>, NoGame> {
        let game = checked_game(&self.0, values)?;
        Ok(Box::new(Concrete::of(&self.0, game, identity)))
    }

    fn game_of_words(&self, parameters: &str) -> Result<Box<dyn AnyGame>, NoGame> {
        let game = self.0.read_rules(parameters)?;
        Ok(Box::new(Concrete::of(&self.0, game, identity)))
    }
}

/// Returns the family's game with these values, with a check of its rules string.
fn checked_game<F: Family>(family: &F, values: &Values) -> Result<F::Game, NoGame> {
    let game = family.game(values)?;
    // A browser has only the library's games.
    #[cfg(not(target_family = "wasm"))]
    if !is_built_in(&game) {
        check_rules(family, &game).map_err(|broken| NoGame(broken.to_string()))?;
    }
    Ok(game)
}

/// Returns the families' names as a list in a sentence.
#[must_use]
pub fn family_list(families: &[&dyn AnyFamily]) -> String {
    let names: Vec<&str> = families.iter().map(|family| family.name()).collect();
    listed(&names, "and")
}

/// Returns the families that a name can mean.
///
/// Case, blanks and hyphens don't count. A name or an alias means one family, a common name perhaps
/// several.
pub(crate) fn families_called<'a>(
    name: &str,
    families: &[&'a dyn AnyFamily],
) -> Vec<&'a dyn AnyFamily> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_', ' '], "");
    let has = |names: &[&str]| names.iter().any(|of| plain(of) == plain(name));
    let known = families.iter().copied();
    let named = known
        .clone()
        .find(|family| has(&[family.name()]) || has(family.aliases()));
    match named {
        Some(family) => vec![family],
        None => known.filter(|family| has(family.common_names())).collect(),
    }
}

/// Returns advice on a name that several families have: "othello is reversi4 and reversi24 here".
pub(crate) fn several_called(name: &str, families: &[&dyn AnyFamily]) -> Option<String> {
    let called = families_called(name, families);
    (called.len() > 1).then(|| format!("{} is {} here", harmless(name), family_list(&called)))
}

/// Returns the game of a family, by any of its names, with these parameters ([`Values::of`]).
///
/// # Errors
/// If there is no such family or game.
pub fn game_named(
    name: &str,
    given: &[(&str, String)],
    families: &[&dyn AnyFamily],
) -> Result<Box<dyn AnyGame>, NoGame> {
    let family = match families_called(name, families)[..] {
        [family] => family,
        _ => return Err(unknown(name, families)),
    };
    let values = Values::of(family.parameters(), given);
    values
        .and_then(|values| family.game_with(&values))
        .map_err(|problem| NoGame(format!("{}: {problem}", family.name())))
}

/// Returns the error for a name that is not that of one family.
fn unknown(name: &str, families: &[&dyn AnyFamily]) -> NoGame {
    let verb = if families.len() == 1 { "is" } else { "are" };
    let known = several_called(name, families);
    let known = known.unwrap_or_else(|| format!("there {verb} {}", family_list(families)));
    NoGame(format!("there is no game \"{}\" ({known})", harmless(name)))
}

/// Returns the game with this rules string, among these families.
///
/// The inverse of [`crate::game::Notation::rules`].
///
/// # Errors
/// If `rules` is not exactly the rules string of a game.
pub fn game_of_rules(rules: &str, families: &[&dyn AnyFamily]) -> Result<Box<dyn AnyGame>, NoGame> {
    let fail = |NoGame(problem)| {
        NoGame(format!(
            "\"{}\" is not the rules string of a game that this program knows: {}",
            harmless(rules),
            harmless(&problem)
        ))
    };
    let (name, parameters) = rules.split_once(' ').unwrap_or((rules, ""));
    let family = families.iter().find(|family| family.name() == name);
    let family = family.ok_or_else(|| fail(unknown(name, families)))?;
    let game = family.game_of_words(parameters).map_err(fail)?;
    let exact = game.rules();
    // Each game needs a single string, or tables of the same rules would appear to differ.
    if exact != rules {
        return Err(fail(format!("it should read \"{exact}\"").into()));
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_strings_are_read_back() {
        for rules in [
            "kalah pits=6 seeds=4 capture=standard",
            "kalah pits=3 seeds=2 capture=empty",
            "kalah pits=5 up-to=20 capture=standard",
            "tictactoe scoring=shortest",
            "tictactoe scoring=outcome",
            "reversi4 start=cross",
            "reversi24 start=parallel",
            "connect4 columns=7 rows=6 connect=4",
            "connect4 columns=16 rows=3 connect=3",
            "connect4 columns=7 rows=6 connect=4 up-to=12",
            "lgame",
            "morris3 steps=lines",
            "teeko squares=all",
            "dobutsu",
            "oware pits=3 seeds=2",
            "eight",
        ] {
            let game = game_of_rules(rules, FAMILIES).unwrap();
            assert_eq!(game.rules(), rules);
        }
    }

    #[test]
    fn games_are_named_as_in_other_languages() {
        let rules = |name, given: &[(&str, &str)]| {
            let given: Vec<_> = given
                .iter()
                .map(|&(name, value)| (name, value.to_owned()))
                .collect();
            game_named(name, &given, FAMILIES).map(|game| game.rules())
        };
        for (name, given, expected) in [
            (
                "kalah",
                &[("seeds", "4")][..],
                "kalah pits=6 seeds=4 capture=standard",
            ),
            (
                "kalah",
                &[("up_to", "9"), ("pits", "3"), ("empty_capture", "yes")],
                "kalah pits=3 up-to=9 capture=empty",
            ),
            (
                "kalah",
                &[("seeds", "1"), ("empty-capture", "no")],
                "kalah pits=6 seeds=1 capture=standard",
            ),
            ("connect4", &[], "connect4 columns=7 rows=6 connect=4"),
            (
                "tictactoe",
                &[("scoring", "outcome")],
                "tictactoe scoring=outcome",
            ),
            ("eight", &[], "eight"),
            ("Tic-Tac-Toe", &[], "tictactoe scoring=shortest"),
            ("noughts_and_crosses", &[], "tictactoe scoring=shortest"),
            ("Connect Four", &[], "connect4 columns=7 rows=6 connect=4"),
            ("C4", &[], "connect4 columns=7 rows=6 connect=4"),
        ] {
            assert_eq!(rules(name, given).as_deref(), Ok(expected));
        }
        for (name, given, problem) in [
            ("chess", &[][..], "there is no game \"chess\""),
            ("Othello", &[], "(Othello is reversi4 and reversi24 here)"),
            ("kalah", &[], "give one of seeds and up-to, not none"),
            ("kalah", &[("seeds", "2"), ("up_to", "4")], "not more"),
            ("kalah", &[("seeds", "two")], "is no number of seeds"),
            (
                "kalah",
                &[("stones", "2")],
                "there is no parameter stones (there are",
            ),
            (
                "kalah",
                &[("seeds", "2"), ("empty_capture", "maybe")],
                "neither yes nor no",
            ),
            ("kalah", &[("seeds", "2"), ("pits", "9")], "9 pits"),
            (
                "tictactoe",
                &[("scoring", "long")],
                "neither shortest nor outcome",
            ),
            ("eight", &[("goal", "9")], "nor any other"),
        ] {
            let error = rules(name, given).unwrap_err().0;
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn other_rules_strings_are_refused_with_the_reason() {
        for (rules, reason) in [
            ("", "there is no game \"\""),
            ("chess", "there is no game \"chess\""),
            ("Eight", "there is no game \"Eight\""),
            ("eight limit=9", "nor any other"),
            ("eight ", "should read \"eight\""),
            ("tictactoe", "should read"),
            ("tictactoe scoring=longest", "neither shortest nor outcome"),
            ("tictactoe rules=outcome", "there is no parameter rules"),
            ("reversi4", "should read"),
            ("reversi8 start=cross", "there is no game \"reversi8\""),
            ("reversi24 start=star", "neither cross nor parallel"),
            ("connect4 columns=7 rows=6", "should read"),
            ("connect4 columns=9 rows=7 connect=4", "too large"),
            (
                "connect4 columns=4 rows=3 connect=4 up-to=12",
                "leaves a square free",
            ),
            (
                "connect4 columns=4 rows=3 connect=4 up-to=few",
                "leaves a square free",
            ),
            ("kalah pits=6 seeds=4", "should read"),
            ("kalah seeds=4 pits=6 capture=standard", "should read"),
            ("kalah pits=6  seeds=4 capture=standard", "should read"),
            ("kalah pits=06 seeds=4 capture=standard", "should read"),
            (
                "kalah pits=six seeds=4 capture=standard",
                "is no number of pits",
            ),
            ("kalah pits=7 seeds=4 capture=standard", "7 pits"),
            (
                "kalah pits=6 seeds=4 capture=never",
                "there is no parameter capture",
            ),
        ] {
            let Err(NoGame(error)) = game_of_rules(rules, FAMILIES) else {
                panic!("{rules:?} was read");
            };
            assert!(error.contains(reason), "{error}");
            assert!(error.contains(&format!("\"{rules}\"")), "{error}");
        }
    }
}
