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
mod texts;

pub use crate::game::Broken;
pub(crate) use classes::{position_of, slot_of};
pub use family::check_rules;

use crate::game::{
    Endless, NO_REPETITION, Notation, Ranking, Side, follow_by_playing, shortest_through,
};
use crate::games;
use crate::random::Random;
use crate::text::counted;
use classes::{MOVES_OR_SCORE, OF_KEY, name_of};
use rustc_hash::{FxHashMap, FxHashSet};
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

/// Most positions with omitted scores from which one such score may be recomputed.
const DERIVED: usize = 1000;

/// Checks at most `limit` positions of a game.
///
/// Half of them are the nearest to the start, the others come from random games that are played to
/// the end. Only these positions and their moves are checked. Two promises may therefore be broken
/// unnoticed: that symmetric positions have the same score beyond the next move, and that positions
/// don't repeat elsewhere.
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
    };
    checking.names()?;
    checking.segments()?;
    checking.position(game.start())?;
    checking.near_the_start(limit / 2)?;
    checking.repetition()?;
    checking.in_random_games(limit)?;
    // If the game is small, check all of it.
    checking.near_the_start(limit)
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
        self.score(&position)?;
        self.canonical(&position)?;
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

    fn moves(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let moves = game.legal_moves(position);
        let finished = game.final_score(position).is_some();
        self.hold(moves.is_empty() == finished, MOVES_OR_SCORE, || {
            let what = if finished { "both" } else { "neither" };
            format!("{} has {what}", self.name(position))
        })?;
        let canonical = game.canonical(position);
        let lowest = game.lowest_layer_after(&canonical);
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

    /// Checks a position's score as far as moves that end the game determine it.
    fn score(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let side = game.side_to_move(position);
        let end = |child| {
            let score = game.final_score(&child)?;
            Some(game.score_of_move(side, &child, score) - game.banked(position))
        };
        let ends: Vec<Option<i32>> = self.children(position).map(end).collect();
        let Some(best) = ends.iter().flatten().max().copied() else {
            return Ok(());
        };
        let slot = self.ranking.as_ref().and_then(|ranking| {
            let slot = ranking.slot(&game.canonical(position))?;
            ranking.segments().get(slot.segment as usize)
        });
        let range = slot.map_or_else(|| game.score_range(), |segment| segment.scores);
        // Unless all moves end the game, another move may be better: only the upper limit holds.
        let is_exact = ends.iter().all(Option::is_some);
        let is_too_low = match range.counts_plies() {
            true => range.code(best).is_none(),
            false => best < range.lowest || (best - range.lowest) % range.step != 0,
        };
        self.hold(
            best <= range.highest && !(is_exact && is_too_low),
            "scores lie within score_range, and within that of their segment",
            || format!("a move in {} scores {best}: {range:?}", self.name(position)),
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
        let banked = game.banked(position);
        let to_come = game.final_score(&canonical);
        let found = game.final_score(position);
        self.hold(
            to_come.map(|score| score + banked) == found,
            "final_score is that of the canonical position plus what is banked, both seen from the \
             side to move",
            || format!("{to_come:?} plus {banked} is not {found:?} for {}", pair()),
        )?;
        let [estimate, rest] = [position, &canonical].map(|position| game.evaluate(position));
        self.hold(
            found.is_some() || estimate == rest + banked,
            "evaluate is that of the canonical position plus what is banked",
            || format!("{rest} plus {banked} is not {estimate} for {}", pair()),
        )?;
        self.hold(
            self.outlook(position) == self.outlook(&canonical),
            "the moves of a position and of its canonical one lead to the same classes",
            || format!("not those of {}", pair()),
        )
    }

    /// The children's classes by key, with each move's points and change of turn.
    fn outlook(&self, position: &G::Position) -> Vec<(u128, i32, bool)> {
        let game = self.game;
        let side = game.side_to_move(position);
        let class = |child| {
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
        };
        let mut outlook: Vec<_> = self.children(position).map(class).collect();
        outlook.sort_unstable();
        outlook.dedup();
        outlook
    }

    fn key(&self, position: &G::Position) -> Result<(), Broken> {
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
        // This also shows that no two positions have the same key.
        let read = game.position_of_key(key);
        self.hold(read.as_ref() == Some(&canonical), OF_KEY, || {
            let read = read.as_ref().map(|read| self.name(read));
            let read = read.unwrap_or_else(|| "nothing".to_owned());
            format!("it gives {read} for {}", self.name(&canonical))
        })
    }

    fn slot(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let canonical = game.canonical(position);
        let Some(ranking) = self.ranking.as_deref() else {
            return Ok(());
        };
        if game.final_score(&canonical).is_some() {
            return self.hold(
                ranking.slot(&canonical).is_none(),
                "a finished position has no slot",
                || format!("{} has one", self.name(&canonical)),
            );
        }
        let is_derived = |class: &G::Position| {
            let slot = slot_of(game, ranking, class)?;
            Ok(ranking.segments()[slot.segment as usize].derived)
        };
        // Positions with omitted scores from which this one's is recomputed.
        let mut open = vec![canonical];
        let mut derived = FxHashSet::default();
        while let Some(class) = open.pop() {
            if !is_derived(&class)? || !derived.insert(class.clone()) {
                continue;
            }
            self.hold(
                derived.len() <= DERIVED,
                "a score that is derived follows in few steps from scores that are kept",
                || format!("not that of {}", self.name(position)),
            )?;
            let children = self.children(&class);
            let unfinished = children.filter(|child| game.final_score(child).is_none());
            open.extend(unfinished.map(|child| game.canonical(&child)));
        }
        Ok(())
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
