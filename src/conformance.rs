//! Whether a game keeps the promises of [`Game`] and [`Notation`]: for the tests of games of your
//! own, and before a command line works with one.
//!
//! ```
//! use zermelo::conformance::check;
//! use zermelo::games::eight::Eight;
//!
//! check(&Eight, 1000)?;
//! # Ok::<(), zermelo::conformance::Broken>(())
//! ```
//!
//! [`Game`]: crate::game::Game

use crate::game::{Notation, Side, follow_by_playing};
use rustc_hash::{FxHashMap, FxHashSet};

/// A promise that a game breaks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the rules of {game} contradict themselves: {promise}, but {found}")]
pub struct Broken {
    /// The game's rules string.
    pub game: String,
    /// What should hold.
    pub promise: &'static str,
    /// What was found instead, and where.
    pub found: String,
}

/// Looks at no more than this many positions, in the order of their distance from the start.
///
/// What can't be seen at single positions and their moves is left out: that no position comes up
/// twice in one play, and that symmetric positions have the same score beyond the next move.
///
/// # Errors
/// The first promise that is broken.
pub fn check<G: Notation>(game: &G, limit: usize) -> Result<(), Broken> {
    let checking = Checking { game };
    checking.names()?;
    let start = game.start();
    let mut known = FxHashSet::from_iter([start.clone()]);
    let mut positions = vec![start];
    let mut by_key = FxHashMap::default();
    let mut next = 0;
    while next < positions.len() {
        let position = positions[next].clone();
        next += 1;
        checking.notation(&position)?;
        checking.moves(&position)?;
        checking.score(&position)?;
        checking.canonical(&position)?;
        checking.key(&position, &mut by_key)?;
        for mv in game.legal_moves(&position) {
            if positions.len() >= limit {
                break;
            }
            let child = game.play(&position, mv);
            if known.insert(child.clone()) {
                positions.push(child);
            }
        }
    }
    Ok(())
}

struct Checking<'a, G> {
    game: &'a G,
}

impl<G: Notation> Checking<'_, G> {
    fn hold(
        &self,
        holds: bool,
        promise: &'static str,
        found: impl FnOnce() -> String,
    ) -> Result<(), Broken> {
        if holds {
            return Ok(());
        }
        Err(Broken {
            game: self.game.rules(),
            promise,
            found: found(),
        })
    }

    fn name(&self, position: &G::Position) -> String {
        format!("\"{}\"", self.game.format_position(position))
    }

    fn names(&self) -> Result<(), Broken> {
        let game = self.game;
        let (name, family) = (game.name(), game.family());
        let start = game.start();
        self.hold(
            name.starts_with(&family),
            "the name begins with the family's",
            || format!("the name is \"{name}\" and the family \"{family}\""),
        )?;
        self.hold(
            game.side_to_move(&start) == Side::First,
            "the first player makes the first move",
            || "at the start it is the second player's turn".to_owned(),
        )?;
        self.hold(
            game.final_score(&start).is_none(),
            "the start is not finished",
            || "it has a final score".to_owned(),
        )?;
        let bits = game.key_bits();
        self.hold(
            (8..=128).contains(&bits) && bits.is_multiple_of(8),
            "key_bits is a multiple of 8 from 8 to 128",
            || format!("it is {bits}"),
        )?;
        let range = game.score_range();
        self.hold(
            range.step >= 1
                && range.lowest <= range.highest
                && (range.highest - range.lowest) % range.step == 0,
            "score_range goes from lowest to highest in steps",
            || format!("it is {range:?}"),
        )
    }

    fn notation(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let text = game.format_position(position);
        self.hold(
            !text.contains(['\n', '\r']) && text.trim() == text,
            "a position is written in one line, without spaces around it",
            || format!("one is written {text:?}"),
        )?;
        let read = game.parse_position(&text);
        self.hold(
            read.as_ref() == Ok(position),
            "a position that is written can be read back",
            || match read {
                Ok(other) => format!("{text:?} is read as {other:?}, not {position:?}"),
                Err(error) => format!("{text:?} is refused: {error}"),
            },
        )
    }

    fn moves(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let moves = game.legal_moves(position);
        let finished = game.final_score(position).is_some();
        self.hold(
            moves.is_empty() == finished,
            "a position has moves or a final score, and not both",
            || {
                let what = if finished { "both" } else { "neither" };
                format!("{} has {what}", self.name(position))
            },
        )?;
        let lowest = game.lowest_layer_after(&game.canonical(position));
        for (index, &mv) in moves.iter().enumerate() {
            let text = game.format_move(mv);
            let at = || format!("{text:?} in {}", self.name(position));
            let others = &moves[..index];
            self.hold(!others.contains(&mv), "each move is listed once", || {
                format!("{} is there twice", at())
            })?;
            self.hold(
                game.parse_move(&text) == Ok(mv),
                "a move that is written can be read back",
                || format!("{} is not", at()),
            )?;
            self.hold(
                game.is_legal(position, mv),
                "what moves lists, is_legal allows",
                || format!("not {}", at()),
            )?;
            let (mut class, mut played) = (position.clone(), position.clone());
            let followed = game.follow(position, mv, &mut class);
            self.hold(
                followed == follow_by_playing(game, position, mv, &mut played) && class == played,
                "follow says of a move what playing it says",
                || format!("not of {}", at()),
            )?;
            self.hold(
                followed.is_finished || game.layer(&class) >= lowest,
                "no move leads to a layer below lowest_layer_after",
                || format!("one does: {}", at()),
            )?;
        }
        Ok(())
    }

    /// What the moves that end the game say of the position's score.
    fn score(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let side = game.side_to_move(position);
        let ends: Vec<Option<i32>> = game
            .legal_moves(position)
            .into_iter()
            .map(|mv| {
                let child = game.play(position, mv);
                let score = game.final_score(&child)?;
                Some(game.seen_from(side, &child, score) - game.banked(position))
            })
            .collect();
        let Some(best) = ends.iter().flatten().max().copied() else {
            return Ok(());
        };
        let range = game.score_range();
        // As long as another move may be better, it only can't be less than that.
        let is_exact = ends.iter().all(Option::is_some);
        let is_too_low = best < range.lowest || (best - range.lowest) % range.step != 0;
        self.hold(
            best <= range.highest && !(is_exact && is_too_low),
            "scores lie within score_range",
            || format!("a move in {} scores {best}", self.name(position)),
        )
    }

    fn canonical(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let canonical = game.canonical(position);
        let pair = || format!("{} and {}", self.name(position), self.name(&canonical));
        self.hold(
            game.canonical(&canonical) == canonical && game.banked(&canonical) == 0,
            "a canonical position stands for itself and has nothing banked",
            || format!("not that of {}", pair()),
        )?;
        let to_come = game.final_score(&canonical);
        let whole = to_come.map(|score| score + game.banked(position));
        self.hold(
            whole == game.final_score(position),
            "a position and its canonical one end alike",
            || format!("not {}", pair()),
        )?;
        self.hold(
            self.outlook(position) == self.outlook(&canonical),
            "the moves of a position and of its canonical one lead to the same classes",
            || format!("not those of {}", pair()),
        )
    }

    /// The classes that the moves lead to, by their keys, and what each move gains at once.
    fn outlook(&self, position: &G::Position) -> Vec<(u128, i32, bool)> {
        let game = self.game;
        let side = game.side_to_move(position);
        let mut outlook: Vec<(u128, i32, bool)> = game
            .legal_moves(position)
            .into_iter()
            .map(|mv| {
                let child = game.play(position, mv);
                let seen = |points| game.seen_from(side, &child, points) - game.banked(position);
                // Finished positions need no key.
                match game.final_score(&child) {
                    Some(score) => (u128::MAX, seen(score), true),
                    None => {
                        let passes = game.side_to_move(&child) != side;
                        let key = game.key(&game.canonical(&child));
                        (key, seen(game.banked(&child)), passes)
                    }
                }
            })
            .collect();
        outlook.sort_unstable();
        outlook.dedup();
        outlook
    }

    fn key(
        &self,
        position: &G::Position,
        by_key: &mut FxHashMap<u128, G::Position>,
    ) -> Result<(), Broken> {
        let game = self.game;
        let canonical = game.canonical(position);
        if game.final_score(&canonical).is_some() {
            return Ok(());
        }
        let key = game.key(&canonical);
        let bits = game.key_bits();
        self.hold(
            bits >= 128 || key >> bits == 0,
            "a key has no more than key_bits bits",
            || format!("{key:#x} of {} has", self.name(&canonical)),
        )?;
        let other = by_key.entry(key).or_insert_with(|| canonical.clone());
        self.hold(
            *other == canonical,
            "no two canonical positions have the same key",
            || format!("{} and {} have", self.name(other), self.name(&canonical)),
        )?;
        let read = game.position_of_key(key);
        self.hold(
            read.as_ref() == Some(&canonical),
            "position_of_key gives the canonical position that a key names",
            || {
                let read = read.as_ref().map(|read| self.name(read));
                let read = read.unwrap_or_else(|| "nothing".to_owned());
                format!("it gives {read} for {}", self.name(&canonical))
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Followed, Game, NotationError, ScoreRange};
    use crate::games::connect4::{Connect4, Parameters};
    use crate::games::kalah::{Kalah, Rules};
    use crate::games::reversi::{Board, Reversi, Start};
    use crate::games::tictactoe::TicTacToe;

    #[test]
    fn the_librarys_games_conform() {
        check(&Connect4::new(Parameters::default()).unwrap(), 2000).unwrap();
        check(&TicTacToe::default(), 10_000).unwrap();
        for (pits, seeds) in [(3, 2), (6, 4)] {
            for empty_capture in [false, true] {
                let rules = Rules {
                    pits,
                    seeds,
                    empty_capture,
                };
                check(&Kalah::new(rules).unwrap(), 3000).unwrap();
            }
        }
        for board in [Board::FourByFour, Board::Octagon] {
            let start = Start::Cross;
            check(&Reversi { board, start }, 2000).unwrap();
        }
    }

    /// Take 1 or 2 of some stones; who takes the last wins. Wrong in one of many ways.
    #[derive(Clone, Debug)]
    struct Stones(&'static str);

    impl Stones {
        fn is(&self, fault: &str) -> bool {
            self.0 == fault
        }
    }

    impl Game for Stones {
        type Position = (u8, Side);
        type Move = u8;

        fn start(&self) -> (u8, Side) {
            (if self.is("finished") { 0 } else { 7 }, Side::First)
        }

        fn side_to_move(&self, position: &(u8, Side)) -> Side {
            position.1
        }

        fn moves(&self, position: &(u8, Side), moves: &mut Vec<u8>) {
            moves.clear();
            moves.extend((1..=2).filter(|&taken| taken <= position.0));
            match self.0 {
                "twice" => moves.extend(moves.clone()),
                "stuck" if position.0 == 2 => moves.clear(),
                _ => {}
            }
        }

        fn play(&self, position: &(u8, Side), taken: u8) -> (u8, Side) {
            (position.0 - taken, position.1.other())
        }

        fn final_score(&self, position: &(u8, Side)) -> Option<i32> {
            let last = if self.is("both") { 1 } else { 0 };
            (position.0 <= last).then_some(-1)
        }

        fn score_range(&self) -> ScoreRange {
            ScoreRange {
                lowest: -1,
                highest: if self.is("narrow") { -1 } else { 1 },
                step: if self.is("steps") { 3 } else { 2 },
            }
        }

        fn canonical(&self, position: &(u8, Side)) -> (u8, Side) {
            match self.0 {
                "merged" => (position.0.min(4), Side::First),
                "unstable" => (position.0, position.1.other()),
                _ => (position.0, Side::First),
            }
        }

        fn key(&self, canonical: &(u8, Side)) -> u128 {
            match self.0 {
                "long" => 1000 + u128::from(canonical.0),
                _ => canonical.0.into(),
            }
        }

        fn key_bits(&self) -> u32 {
            if self.is("bits") { 20 } else { 8 }
        }

        fn position_of_key(&self, key: u128) -> Option<(u8, Side)> {
            let stones = u8::try_from(key).ok()?;
            let refused = self.is("refused") && stones == 5;
            (!refused).then_some((stones, Side::First))
        }

        fn layer(&self, canonical: &(u8, Side)) -> u32 {
            canonical.0.into()
        }

        fn lowest_layer_after(&self, canonical: &(u8, Side)) -> u32 {
            let most = if self.is("near") { 1 } else { 2 };
            u32::from(canonical.0).saturating_sub(most)
        }

        fn follow(&self, position: &(u8, Side), taken: u8, class: &mut (u8, Side)) -> Followed {
            let followed = follow_by_playing(self, position, taken, class);
            match self.0 {
                "wrong class" => class.0 = 1,
                "wrong points" => {
                    return Followed {
                        points: 1,
                        ..followed
                    };
                }
                _ => {}
            }
            followed
        }
    }

    impl Notation for Stones {
        fn rules(&self) -> String {
            "stones".to_owned()
        }

        fn name(&self) -> String {
            let name = if self.is("name") { "rocks" } else { "stones" };
            name.to_owned()
        }

        fn format_position(&self, position: &(u8, Side)) -> String {
            let end = if self.is("line") { "\n" } else { "" };
            format!("{} {}{end}", position.0, position.1)
        }

        fn parse_position(&self, text: &str) -> Result<(u8, Side), NotationError> {
            let fail = || NotationError::new(text, "no position", "7 first");
            let (stones, side) = text.split_once(' ').ok_or_else(fail)?;
            let stones: u8 = stones.parse().map_err(|_| fail())?;
            let off = u8::from(self.is("misread") && stones == 3);
            Ok((stones + off, side.parse().map_err(|_| fail())?))
        }

        fn format_move(&self, taken: u8) -> String {
            let taken = if self.is("mute") { 1 } else { taken };
            taken.to_string()
        }

        fn parse_move(&self, text: &str) -> Result<u8, NotationError> {
            text.parse()
                .map_err(|_| NotationError::new(text, "no move", "1"))
        }
    }

    #[test]
    fn each_broken_promise_is_named() {
        check(&Stones("none"), 100).unwrap();
        for (fault, promise) in [
            ("name", "begins with the family's"),
            ("finished", "the start is not finished"),
            ("bits", "a multiple of 8"),
            ("steps", "in steps"),
            ("line", "in one line"),
            ("misread", "position that is written"),
            ("stuck", "\"2 second\" has neither"),
            ("both", "has both"),
            ("twice", "listed once"),
            ("narrow", "within score_range"),
            ("mute", "move that is written"),
            ("wrong class", "what playing it says"),
            ("wrong points", "what playing it says"),
            ("near", "a layer below lowest_layer_after"),
            ("unstable", "stands for itself"),
            ("merged", "lead to the same classes"),
            ("long", "no more than key_bits"),
            ("refused", "it gives nothing for \"5 first\""),
        ] {
            let broken = check(&Stones(fault), 100).unwrap_err().to_string();
            assert!(broken.contains(promise), "{fault}: {broken}");
        }
    }
}
