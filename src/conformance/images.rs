//! Checks of a position's key and slot, and of what it shares with its canonical one and its images.

use super::{Checking, OF_KEY, slot_of};
use crate::game::{Broken, Notation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The effects of a position's moves: the class's key, points, and whether the turn passes.
///
/// With each, a move that has it and the canonical position after it.
type Outlook<M, P> = BTreeMap<(u128, i32, bool), (M, P)>;

impl<G: Notation> Checking<'_, G> {
    pub(super) fn canonical(&self, position: &G::Position) -> Result<(), Broken> {
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
        let [of, and] = [position, &canonical].map(|position| (position, self.outlook(position)));
        let difference = (self.difference(&of, &and)).or_else(|| self.difference(&and, &of));
        self.hold(
            difference.is_none(),
            "the moves of a position and of its canonical one lead to the same classes",
            || difference.unwrap_or_default(),
        )
    }

    fn outlook(&self, position: &G::Position) -> Outlook<G::Move, G::Position> {
        let game = self.game;
        let side = game.side_to_move(position);
        let moves = game.legal_moves(position).into_iter();
        let effect = |mv| {
            let child = game.play(position, mv);
            let seen = |points| game.seen_from(side, &child, points) - game.banked(position);
            // Finished positions need no key.
            match game.final_score(&child) {
                Some(score) => ((u128::MAX, seen(score), true), (mv, child)),
                None => {
                    let passes = game.side_to_move(&child) != side;
                    let class = game.canonical(&child);
                    let points = seen(game.banked(&child));
                    ((game.key(&class), points, passes), (mv, class))
                }
            }
        };
        moves.map(effect).collect()
    }

    /// Returns a move of one position whose effect no move of the other has, in words.
    #[allow(clippy::type_complexity)]
    fn difference(
        &self,
        (position, outlook): &(&G::Position, Outlook<G::Move, G::Position>),
        (other, theirs): &(&G::Position, Outlook<G::Move, G::Position>),
    ) -> Option<String> {
        let (effect, reached) = outlook.iter().find(|one| !theirs.contains_key(one.0))?;
        let shown = |position, &(_, points, passes): &_, (mv, class): &(G::Move, G::Position)| {
            let [mv, class] = [self.game.format_move(*mv), self.name(class)];
            let turn = if passes { "passes" } else { "keeps" };
            let position = self.name(position);
            format!("{mv:?} in {position} leads to {class}, scores {points} and {turn} the turn")
        };
        let nearest = theirs.iter().find(|one| one.0.0 == effect.0);
        let nearest = nearest.map_or_else(
            || format!("no move of {} leads there", self.name(other)),
            |(effect, reached)| shown(other, effect, reached),
        );
        Some(format!("{}; {nearest}", shown(position, effect, reached)))
    }

    /// Checks what a position shares with its symmetric images.
    pub(super) fn images(&mut self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let symmetry = game.capabilities().symmetry;
        let canonical = game.canonical(position);
        let worth = |position: &G::Position| {
            let score = game.final_score(position);
            let estimate = score.is_none().then(|| game.evaluate(position));
            (score, game.banked(position), estimate)
        };
        let images: Vec<G::Position> = (0..symmetry.order())
            .map(|number| symmetry.apply(number, position))
            .collect();
        for (number, image) in images.iter().enumerate() {
            let pair = || self.turned(number, position, image);
            self.hold(
                number > 0 || image == position,
                "symmetry 0 is the identity",
                pair,
            )?;
            if number == 0 {
                continue;
            }
            self.notation(image)?;
            let [found, expected] = [image, position].map(worth);
            self.hold(
                found == expected,
                "symmetric images have the same final_score, banked and evaluate, seen from the \
                 side to move",
                || format!("{}: {expected:?} becomes {found:?}", pair()),
            )?;
            let class = game.canonical(image);
            self.hold(
                class == canonical,
                "canonical gives the same position for all symmetric images",
                || {
                    let [one, other] = [&canonical, &class].map(|class| self.name(class));
                    format!("{}: {one} becomes {other}", pair())
                },
            )?;
            self.image_moves(number, position, image)?;
        }
        self.alike
            .retain(|&(one, other)| images[one] == images[other]);
        Ok(())
    }

    /// Checks that the moves of an image lead to the images of the positions after the moves.
    fn image_moves(
        &self,
        number: usize,
        position: &G::Position,
        image: &G::Position,
    ) -> Result<(), Broken> {
        let symmetry = self.game.capabilities().symmetry;
        let pair = || self.turned(number, position, image);
        let mut reached: FxHashMap<_, _> =
            self.children(image).map(|child| (child, false)).collect();
        for child in self.children(position) {
            let expected = symmetry.apply(number, &child);
            let is_reached = reached.get_mut(&expected).map(|known| *known = true);
            self.hold(is_reached.is_some(), OF_IMAGES, || {
                let child = self.turned(number, &child, &expected);
                format!("{}, and {child}, where no move leads", pair())
            })?;
        }
        let extra = reached.iter().find(|(_, is_expected)| !**is_expected);
        self.hold(extra.is_none(), OF_IMAGES, || {
            let extra = extra.map(|extra| self.name(extra.0)).unwrap_or_default();
            format!("{}, and a move from there leads to {extra}", pair())
        })
    }

    fn turned(&self, number: usize, from: &G::Position, to: &G::Position) -> String {
        let [from, to] = [from, to].map(|position| self.name(position));
        format!("symmetry {number} turns {from} into {to}")
    }

    /// Checks that symmetries differ, if all positions are known.
    pub(super) fn symmetries(&self) -> Result<(), Broken> {
        let is_complete = self.expanded == self.positions.len();
        let alike = self.alike.first().filter(|_| is_complete);
        self.hold(
            alike.is_none(),
            "any two symmetries differ in some position",
            || format!("these give the same images: {alike:?}"),
        )
    }
}

const OF_IMAGES: &str = "the moves of an image lead to the images of the positions after the moves";

/// Most positions with omitted scores from which one such score may be recomputed.
const DERIVED: usize = 1000;

impl<G: Notation> Checking<'_, G> {
    pub(super) fn key(&self, position: &G::Position) -> Result<(), Broken> {
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

    pub(super) fn slot(&self, position: &G::Position) -> Result<(), Broken> {
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

    /// Checks numbers near a position's key: each is refused, or a canonical position's key.
    pub(super) fn wrong_keys(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        if game.final_score(position).is_some() {
            return Ok(());
        }
        let key = game.key(&game.canonical(position));
        let near = (0..128).map(|bit| key ^ 1 << bit);
        let near = near.chain([0, u128::MAX, key.wrapping_add(1), key.wrapping_sub(1)]);
        for key in near {
            let read = catch_unwind(AssertUnwindSafe(|| {
                let read = game.position_of_key(key)?;
                let is_right = game.final_score(&read).is_none()
                    && game.canonical(&read) == read
                    && game.key(&read) == key;
                (!is_right).then(|| self.name(&read))
            }));
            let found = match read {
                Ok(None) => continue,
                Ok(Some(name)) => format!("{key:#x} gives {name}, which it doesn't name"),
                Err(_) => format!("{key:#x} makes it or a method with its position panic"),
            };
            let promise =
                "position_of_key refuses numbers that name no unfinished canonical position";
            return Err(Broken::new(game.rules(), promise, found));
        }
        Ok(())
    }
}
