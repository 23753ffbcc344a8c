//! The rules of the games.

pub mod eight;
pub mod kalah;
pub mod reversi;
pub mod tictactoe;

use crate::game::Notation;
use eight::Eight;
use kalah::Kalah;
use reversi::{Board, Reversi};
use tictactoe::{Scoring, TicTacToe};

/// The families of all games, as a list in a sentence.
pub(crate) const FAMILIES: &str = "kalah, tictactoe, reversi4, reversi24 and eight";

/// Any of the games, for code that learns only at run time which one it is.
///
/// Generic code is reached with [`with_game!`](crate::with_game).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyGame {
    /// Kalah.
    Kalah(Kalah),
    /// Tic-tac-toe.
    TicTacToe(TicTacToe),
    /// Reversi on one of the small boards.
    Reversi(Reversi),
    /// Eight, the worked example.
    Eight(Eight),
}

/// Runs generic code on the game that an [`AnyGame`](crate::games::AnyGame) holds.
///
/// ```
/// use zermelo::game::{Game, Notation};
/// use zermelo::games::AnyGame;
/// use zermelo::with_game;
///
/// let any = AnyGame::from_rules("tictactoe scoring=outcome")?;
/// let start = with_game!(&any, game => game.format_position(&game.start()));
/// assert_eq!(start, ".........");
/// # Ok::<(), zermelo::games::RulesStringError>(())
/// ```
#[macro_export]
macro_rules! with_game {
    ($any:expr, $game:pat => $body:expr) => {
        match $any {
            $crate::games::AnyGame::Kalah($game) => $body,
            $crate::games::AnyGame::TicTacToe($game) => $body,
            $crate::games::AnyGame::Reversi($game) => $body,
            $crate::games::AnyGame::Eight($game) => $body,
        }
    };
}

/// A rules string that is not one of a game known here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{rules}\" are not the rules of a game that this version knows: {problem}")]
pub struct RulesStringError {
    /// What was given.
    pub rules: String,
    /// What is wrong with it.
    pub problem: String,
}

impl AnyGame {
    /// The game that has this rules string: the inverse of [`Game::rules`].
    ///
    /// # Errors
    /// If it isn't exactly what some game's `rules` returns.
    pub fn from_rules(rules: &str) -> Result<AnyGame, RulesStringError> {
        let fail = |problem: String| RulesStringError {
            rules: rules.to_owned(),
            problem,
        };
        let (family, parameters) = rules.split_once(' ').unwrap_or((rules, ""));
        let game = match family {
            "kalah" => kalah_from(parameters).map(AnyGame::Kalah),
            "tictactoe" => tictactoe_from(parameters).map(AnyGame::TicTacToe),
            "reversi4" => reversi_from(Board::FourByFour, parameters),
            "reversi24" => reversi_from(Board::Octagon, parameters),
            "eight" => Ok(AnyGame::Eight(Eight)),
            _ => Err(format!(
                "there is no game \"{family}\" (there are {FAMILIES})"
            )),
        }
        .map_err(fail)?;
        let exact = game.rules();
        // One string for one game, or tables of the same rules would look different.
        if exact != rules {
            return Err(fail(format!("it should read \"{exact}\"")));
        }
        Ok(game)
    }

    /// [`Game::rules`] of the game.
    #[must_use]
    pub fn rules(&self) -> String {
        with_game!(self, game => game.rules())
    }

    /// [`Game::name`] of the game.
    #[must_use]
    pub fn name(&self) -> String {
        with_game!(self, game => game.name())
    }

    /// [`Game::family`] of the game.
    #[must_use]
    pub fn family(&self) -> String {
        with_game!(self, game => game.family())
    }
}

impl From<Kalah> for AnyGame {
    fn from(game: Kalah) -> AnyGame {
        AnyGame::Kalah(game)
    }
}

impl From<TicTacToe> for AnyGame {
    fn from(game: TicTacToe) -> AnyGame {
        AnyGame::TicTacToe(game)
    }
}

impl From<Reversi> for AnyGame {
    fn from(game: Reversi) -> AnyGame {
        AnyGame::Reversi(game)
    }
}

impl From<Eight> for AnyGame {
    fn from(game: Eight) -> AnyGame {
        AnyGame::Eight(game)
    }
}

/// The values of `name=value` words, which must be these names in this order.
fn values<'a, const N: usize>(
    parameters: &'a str,
    names: [&str; N],
    example: &str,
) -> Result<[&'a str; N], String> {
    let words: Vec<&str> = parameters.split_whitespace().collect();
    let mut values = [""; N];
    if words.len() != N {
        return Err(format!("it should look like \"{example}\""));
    }
    for ((value, name), word) in values.iter_mut().zip(names).zip(words) {
        *value = word
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('='))
            .ok_or_else(|| format!("\"{word}\" should be \"{name}=...\", as in \"{example}\""))?;
    }
    Ok(values)
}

fn kalah_from(parameters: &str) -> Result<Kalah, String> {
    let example = "kalah pits=6 seeds=4 capture=standard";
    let is_endgame = parameters.contains(" up-to=");
    let size = if is_endgame { "up-to" } else { "seeds" };
    let [pits, seeds, capture] = values(parameters, ["pits", size, "capture"], example)?;
    let number = |name: &str, text: &str| {
        text.parse()
            .map_err(|_| format!("{name}={text} is not a whole number"))
    };
    let rules = kalah::Rules {
        pits: number("pits", pits)?,
        seeds: number(size, seeds)?,
        empty_capture: match capture {
            "standard" => false,
            "empty" => true,
            _ => return Err(format!("capture={capture} is neither standard nor empty")),
        },
    };
    let game = if is_endgame {
        Kalah::endgame(rules.pits, rules.seeds, rules.empty_capture)
    } else {
        Kalah::new(rules)
    };
    game.map_err(|error| error.to_string())
}

fn tictactoe_from(parameters: &str) -> Result<TicTacToe, String> {
    let [scoring] = values(parameters, ["scoring"], "tictactoe scoring=shortest")?;
    [Scoring::Outcome, Scoring::Shortest]
        .into_iter()
        .find(|known| known.name() == scoring)
        .map(|scoring| TicTacToe { scoring })
        .ok_or_else(|| format!("scoring={scoring} is neither outcome nor shortest"))
}

fn reversi_from(board: Board, parameters: &str) -> Result<AnyGame, String> {
    let [start] = values(parameters, ["start"], "reversi4 start=cross")?;
    reversi::Start::ALL
        .into_iter()
        .find(|known| known.name() == start)
        .map(|start| AnyGame::Reversi(Reversi { board, start }))
        .ok_or_else(|| format!("start={start} is neither cross nor parallel"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_strings_are_read_back() {
        for rules in [
            "kalah pits=6 seeds=4 capture=standard",
            "kalah pits=3 seeds=2 capture=empty",
            "tictactoe scoring=shortest",
            "tictactoe scoring=outcome",
            "reversi4 start=cross",
            "reversi24 start=parallel",
            "eight",
        ] {
            assert_eq!(AnyGame::from_rules(rules).unwrap().rules(), rules);
        }
    }

    #[test]
    fn other_rules_strings_are_refused_with_the_reason() {
        for (rules, reason) in [
            ("", "there is no game \"\""),
            ("chess", "there is no game \"chess\""),
            ("Eight", "there is no game \"Eight\""),
            ("eight limit=9", "should read \"eight\""),
            ("eight ", "should read \"eight\""),
            ("tictactoe", "should look like"),
            ("tictactoe scoring=longest", "neither outcome nor shortest"),
            ("tictactoe rules=outcome", "should be \"scoring=...\""),
            ("reversi4", "should look like"),
            ("reversi8 start=cross", "there is no game \"reversi8\""),
            ("reversi24 start=star", "neither cross nor parallel"),
            ("kalah pits=6 seeds=4", "should look like"),
            (
                "kalah seeds=4 pits=6 capture=standard",
                "should be \"pits=...\"",
            ),
            ("kalah pits=6  seeds=4 capture=standard", "should read"),
            ("kalah pits=06 seeds=4 capture=standard", "should read"),
            (
                "kalah pits=six seeds=4 capture=standard",
                "not a whole number",
            ),
            ("kalah pits=7 seeds=4 capture=standard", "7 pits"),
            (
                "kalah pits=6 seeds=4 capture=never",
                "neither standard nor empty",
            ),
        ] {
            let error = AnyGame::from_rules(rules).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
            assert!(error.contains(&format!("\"{rules}\"")), "{error}");
        }
    }
}
