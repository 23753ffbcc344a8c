//! Checks that a game fulfils the promises of [`Game`] and [`Notation`].
//!
//! Use it in the tests of your own games. Zermelo also runs it before it solves a game and before a
//! command line uses one.
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
//! [`Notation`]: crate::game::Notation

mod classes;
mod family;
mod images;
mod keys;
mod moves;
mod texts;

pub use crate::game::Broken;
pub(crate) use classes::{position_of, slot_of};
pub use family::check_rules;

use crate::game::{Endless, NO_REPETITION, Notation, Ranking, Side, shortest_through};
use crate::games;
use crate::random::Random;
use crate::text::counted;
use classes::name_of;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;
use texts::hostile_texts;

/// Number of positions to check before a game is solved.
const BEFORE_SOLVING: usize = 1000;

/// Most random games to play, and most moves of each; fewer where games can be endless.
const PLAYS: usize = 200;
const MOVES: usize = 1 << 14;
const ENDLESS_MOVES: usize = 1 << 9;

/// Most classes near the start from which to look for repetition.
const NEAR: usize = 500;

/// Checks at most `limit` positions of a game.
///
/// Half of them are the nearest to the start, the others come from random games that are played to
/// the end. Only these positions, their symmetric images and their moves are checked. Elsewhere,
/// promises may be broken unnoticed.
///
/// # Errors
/// The first broken promise.
pub fn check<G: Notation>(game: &G, limit: usize) -> Result<(), Broken> {
    let mut checking = Checking {
        game,
        ranking: game.capabilities().solving.ranking(),
        positions: Vec::new(),
        known: FxHashSet::default(),
        expanded: 0,
        moves: VecDeque::new(),
        scores: FxHashMap::default(),
        alike: (0..game.capabilities().symmetry.order())
            .flat_map(|other| (0..other).map(move |one| (one, other)))
            .collect(),
    };
    checking.names()?;
    checking.segments()?;
    checking.position(game.start())?;
    checking.near_the_start(limit / 2)?;
    checking.repetition()?;
    checking.in_random_games(limit)?;
    // If the game is small, check all of it.
    checking.near_the_start(limit)?;
    checking.foreign_moves()?;
    let every = checking.positions.len().div_ceil(8);
    for position in checking.positions.iter().step_by(every) {
        checking.wrong_keys(position)?;
    }
    checking.symmetries()
}

/// Checks some positions of a game before it is solved.
///
/// Skips the library's own games, which have tests.
pub(crate) fn check_before_solving<G: Notation>(game: &G) -> Result<(), Broken> {
    if games::is_built_in(game) {
        return Ok(());
    }
    check(game, BEFORE_SOLVING)
}

struct Checking<'a, G: Notation> {
    game: &'a G,
    ranking: Option<Arc<dyn Ranking<G::Position>>>,
    /// The positions checked so far.
    positions: Vec<G::Position>,
    known: FxHashSet<G::Position>,
    /// Number of these positions whose moves have been followed.
    expanded: usize,
    /// Different moves of the positions, the last ones found.
    moves: VecDeque<G::Move>,
    /// Exact scores of positions.
    scores: FxHashMap<G::Position, i32>,
    /// Pairs of symmetries with the same images of the positions.
    alike: Vec<(usize, usize)>,
}

impl<G: Notation> Checking<'_, G> {
    /// Checks positions one move from others, until `limit` are checked.
    fn near_the_start(&mut self, limit: usize) -> Result<(), Broken> {
        while let Some(position) = self.positions.get(self.expanded).cloned() {
            for mv in self.game.legal_moves(&position) {
                if self.positions.len() >= limit {
                    return Ok(());
                }
                self.position(self.game.play(&position, mv))?;
            }
            self.expanded += 1;
        }
        Ok(())
    }

    /// Checks positions of several random games, until `limit` are checked.
    fn in_random_games(&mut self, limit: usize) -> Result<(), Broken> {
        let game = self.game;
        let mut random = Random::new(0);
        let share = limit.div_ceil(64).max(1);
        for _ in 0..PLAYS {
            let mut line = vec![game.start()];
            let mut classes = FxHashMap::default();
            let most = match game.endless() {
                Endless::Impossible => MOVES,
                Endless::Draw => ENDLESS_MOVES,
            };
            while line.len() <= most {
                let position = &line[line.len() - 1];
                let first = classes.insert(game.canonical(position), line.len() - 1);
                if let Some(first) = first
                    && game.endless() == Endless::Impossible
                {
                    return Err(self.repeated(&line[first..]));
                }
                let moves = game.legal_moves(position);
                if moves.is_empty() {
                    break;
                }
                line.push(game.play(position, moves[random.index(moves.len())]));
            }
            // Half at the end of a game, where mistakes show; the others are spread over the game.
            let end = line.split_off(line.len().saturating_sub(share));
            let step = line.len().div_ceil(share).max(1);
            for position in end.into_iter().chain(line.into_iter().step_by(step)) {
                if self.positions.len() >= limit {
                    return Ok(());
                }
                self.position(position)?;
            }
        }
        Ok(())
    }

    /// Checks a position, unless it was checked before.
    fn position(&mut self, position: G::Position) -> Result<(), Broken> {
        if !self.known.insert(position.clone()) {
            return Ok(());
        }
        self.notation(&position)?;
        self.moves(&position)?;
        self.canonical(&position)?;
        self.images(&position)?;
        self.score(&position)?;
        self.key(&position)?;
        self.slot(&position)?;
        self.positions.push(position);
        // Rarely, because it takes long.
        if self.positions.len().is_power_of_two()
            && let Some(position) = self.positions.last()
        {
            hostile_texts(self.game, position)?;
        }
        Ok(())
    }

    fn hold(
        &self,
        holds: bool,
        promise: &'static str,
        found: impl FnOnce() -> String,
    ) -> Result<(), Broken> {
        if holds {
            return Ok(());
        }
        Err(Broken::new(self.game.rules(), promise, found()))
    }

    fn name(&self, position: &G::Position) -> String {
        name_of(self.game, position)
    }

    /// The positions after each legal move.
    fn children(&self, position: &G::Position) -> impl Iterator<Item = G::Position> {
        let moves = self.game.legal_moves(position).into_iter();
        moves.map(|mv| self.game.play(position, mv))
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
        self.hold(
            game.capabilities().symmetry.order() >= 1,
            "the order of the symmetries is at least 1",
            || "it is 0".to_owned(),
        )?;
        let range = game.score_range();
        self.hold(
            range.is_sound(),
            "score_range goes from lowest to highest in steps",
            || format!("it is {range:?}"),
        )?;
        self.hold(
            self.ranking.is_some() || range.codes() <= 256,
            "there are at most 256 different scores",
            || format!("score_range has {}", range.codes()),
        )
    }

    fn segments(&self) -> Result<(), Broken> {
        let segments = self.ranking.iter().flat_map(|ranking| ranking.segments());
        for (number, segment) in segments.enumerate() {
            let most = if segment.derived { 255 } else { 256 };
            self.hold(
                segment.scores.is_sound() && segment.scores.codes() <= most,
                "a segment has at most 256 different scores in steps, 255 if they are derived",
                || format!("segment {number} has {:?}", segment.scores),
            )?;
        }
        Ok(())
    }

    fn notation(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        for text in [game.format_position(position), game.format_for_ai(position)] {
            self.hold(
                !text.contains(['\n', '\r']) && text.trim() == text,
                "a position is written in one line, without spaces around it",
                || format!("one is written {text:?}"),
            )?;
        }
        let text = game.format_position(position);
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

    /// Checks that no class repeats after moves between the positions checked so far.
    fn repetition(&self) -> Result<(), Broken> {
        let game = self.game;
        if game.endless() == Endless::Draw {
            self.hold(
                game.score_range().counts_plies(),
                "scores count plies if endless play is a draw",
                || "score_range is neither PLIES nor ALTERNATE_PLIES".into(),
            )?;
            return self.hold(
                self.ranking.is_none(),
                "a game in which positions repeat has no ranking",
                || "it has one".into(),
            );
        }
        let (mut numbers, mut classes) = (FxHashMap::default(), Vec::new());
        for position in &self.positions {
            numbers.entry(game.canonical(position)).or_insert_with(|| {
                classes.push(position.clone());
                classes.len() - 1
            });
        }
        let children = |position| -> Vec<usize> {
            let played = self.children(position).map(|child| game.canonical(&child));
            let known = played.filter_map(|class| numbers.get(&class));
            known.copied().collect()
        };
        let children: Vec<Vec<usize>> = classes.iter().map(children).collect();
        let moves = |&class: &usize| children[class].iter().map(|&child| ((), child)).collect();
        let near = 0..classes.len().min(NEAR);
        let cycles = near.map(|class| shortest_through(&class, |_| true, moves));
        let shortest = cycles
            .filter(|cycle| !cycle.is_empty())
            .min_by_key(Vec::len);
        shortest.map_or(Ok(()), |cycle| {
            let back = cycle.iter().chain(cycle.first());
            let back = back.map(|&(class, ())| classes[class].clone());
            Err(self.repeated(&back.collect::<Vec<_>>()))
        })
    }

    /// The error for a line of positions whose first and last are the same class.
    fn repeated(&self, cycle: &[G::Position]) -> Broken {
        let moves = counted(cycle.len() - 1, "move");
        let first = cycle.iter().take(6).map(|position| self.name(position));
        let names = first.collect::<Vec<_>>().join(", ");
        let found = format!("one comes up again after {moves}, from {names}");
        Broken::new(self.game.rules(), NO_REPETITION, found)
    }
}

#[cfg(test)]
pub(crate) mod tests;
