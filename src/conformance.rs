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

mod images;
mod moves;

pub use crate::game::Broken;

use crate::game::{
    Endless, Family, Game, MOST_CODES, NO_REPETITION, Notation, Ranking, Slot, shortest_through,
};
use crate::games::is_built_in;
use crate::random::Random;
use crate::text::counted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Number of positions to check before a game is solved.
pub(crate) const BEFORE_SOLVING: usize = 1000;

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

/// Checks at most `limit` positions, unless the game is one of the library's, which have tests.
pub(crate) fn check_untested<G: Notation>(game: &G, limit: usize) -> Result<(), Broken> {
    match G::IS_TESTED || is_built_in(game) {
        true => Ok(()),
        false => check(game, limit),
    }
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
        self.moves_backward(&position)?;
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

    /// Returns the positions after each legal move.
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
            self.ranking.is_some() || range.codes() <= MOST_CODES,
            "there are at most a billion different scores",
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
                || "score_range is none of those that do".into(),
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

    /// Returns the error for a line of positions whose first and last are the same class.
    fn repeated(&self, cycle: &[G::Position]) -> Broken {
        let moves = counted(cycle.len() - 1, "move");
        let first = cycle.iter().take(6).map(|position| self.name(position));
        let names = first.collect::<Vec<_>>().join(", ");
        let found = format!("one comes up again after {moves}, from {names}");
        Broken::new(self.game.rules(), NO_REPETITION, found)
    }
}

/// Checks that damaged positions and moves are refused or read as something usable.
fn hostile_texts<G: Notation>(game: &G, position: &G::Position) -> Result<(), Broken> {
    let moves = game.legal_moves(position).into_iter().take(1);
    let texts = moves.map(|mv| game.format_move(mv));
    for text in texts.chain([game.format_position(position)]) {
        let mut damaged = vec![String::new(), "-1".to_owned(), "9".repeat(40)];
        damaged.extend([" ", ",", "\0", "\u{e4}"].map(|end| format!("{text}{end}{text}")));
        damaged.push(text.repeat(1000));
        for (at, letter) in text.char_indices().take(100) {
            let (begin, rest) = (&text[..at], &text[at + letter.len_utf8()..]);
            damaged.push(begin.to_owned());
            damaged.extend(["", "9", "\u{e4}"].map(|other| [begin, other, rest].concat()));
        }
        for text in damaged {
            let read = catch_unwind(AssertUnwindSafe(|| {
                let _ = game.parse_move(&text);
                let Ok(read) = game.parse_position(&text) else {
                    return true;
                };
                let canonical = game.canonical(&read);
                let _ = (game.final_score(&canonical), game.legal_moves(&read));
                game.parse_position(&game.format_position(&read)) == Ok(read)
            }));
            let text: String = text.chars().take(200).collect();
            let found = match read {
                Ok(true) => continue,
                Ok(false) => format!("what is read of {text:?} can't be written and read back"),
                Err(_) => format!("{text:?} makes them panic"),
            };
            let promise = "parse_position and parse_move refuse what they can't read";
            return Err(Broken::new(game.rules(), promise, found));
        }
    }
    Ok(())
}

/// Checks that a family reads a game's rules string as that game.
///
/// Otherwise the table of one game could be used for another.
///
/// # Errors
/// If it doesn't.
pub(crate) fn check_rules<F: Family>(family: &F, game: &F::Game) -> Result<(), Broken> {
    let rules = game.rules();
    let parameters = rules.strip_prefix(family.name());
    let parameters = parameters.filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let broken = |found| {
        Broken::new(
            game.rules(),
            "read_rules reads the game that rules names",
            found,
        )
    };
    let Some(parameters) = parameters else {
        let name = family.name();
        return Err(broken(format!(
            "rules doesn't begin with the name \"{name}\""
        )));
    };
    let read = family.read_rules(parameters.trim_start());
    let read = read.map_err(|problem| broken(format!("it says: {problem}")))?;
    let shown = |game: &F::Game| {
        let start = game.start();
        let moves = game.legal_moves(&start).into_iter();
        let moves: Vec<String> = moves.map(|mv| game.format_move(mv)).collect();
        let start = game.format_position(&start);
        (game.rules(), game.name(), game.score_range(), start, moves)
    };
    let (expected, found) = (shown(game), shown(&read));
    if expected != found {
        return Err(broken(format!("it reads {found:?}, not {expected:?}")));
    }
    Ok(())
}

/// Returns the slot of an unfinished canonical position.
///
/// # Errors
/// If the ranking breaks a promise about it.
pub(crate) fn slot_of<G: Notation>(
    game: &G,
    ranking: &dyn Ranking<G::Position>,
    canonical: &G::Position,
) -> Result<Slot, Broken> {
    let name = || name_of(game, canonical);
    let broken = |promise, found| Err(Broken::new(game.rules(), promise, found));
    let Some(slot) = ranking.slot(canonical) else {
        let promise = "every unfinished canonical position has a slot";
        return broken(promise, format!("{} has none", name()));
    };
    let segment = ranking.segments().get(slot.segment as usize);
    let segment = segment.filter(|shape| slot.row < shape.rows && slot.column < shape.columns);
    let Some(segment) = segment else {
        let promise = "a slot lies within its segment";
        return broken(promise, format!("not the {slot:?} of {}", name()));
    };
    let found = ranking.position(slot);
    if found != *canonical {
        let found = format!("that of {} gives {}", name(), name_of(game, &found));
        return broken("a slot gives the canonical position that it is of", found);
    }
    let layer = game.layer(canonical);
    if segment.layer != layer {
        let found = format!("that of {} says {}, not {layer}", name(), segment.layer);
        return broken("a segment has the layer of its positions", found);
    }
    Ok(slot)
}

/// Returns the canonical position of a key, and its moves.
///
/// # Errors
/// If the game breaks a promise about it.
pub(crate) fn position_of<G: Notation>(
    game: &G,
    key: u128,
    moves: &mut Vec<G::Move>,
) -> Result<G::Position, Broken> {
    let position = game.position_of_key(key);
    let Some(position) = position.filter(|position| game.key(position) == key) else {
        let found = format!("it gives another or nothing for {key:#x}");
        return Err(Broken::new(game.rules(), OF_KEY, found));
    };
    game.moves(&position, moves);
    if moves.is_empty() {
        let found = format!("{} has no moves", name_of(game, &position));
        return Err(Broken::new(game.rules(), MOVES_OR_SCORE, found));
    }
    Ok(position)
}

const OF_KEY: &str = "position_of_key gives the canonical position that a key names";
const MOVES_OR_SCORE: &str = "a position has moves or a final score, and not both";

fn name_of<G: Notation>(game: &G, position: &G::Position) -> String {
    format!("\"{}\"", game.format_position(position))
}

#[cfg(test)]
pub(crate) mod tests;
