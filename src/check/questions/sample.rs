//! Reachable positions at random.
//!
//! First a class is drawn, each as likely as any other. Then a position of the class, stores and sides included, that really can be reached:
//!
//! * Where the game can go backwards ([`predecessors`]), by a way back: from class to class, each
//!   time to one of those that are listed and from which a move leads here, all as likely, until the
//!   start is reached. The moves of this way, played from the start, lead to a position of the
//!   class, with the stores and the side to move that the way gave it. A class that is listed has
//!   such a way.
//! * Elsewhere all positions are walked to first, and one of the class is drawn, each as likely.
//! * In endgame tables, which have no start, the position is the canonical position: its stores are
//!   left out.
//!
//! [`predecessors`]: crate::game::Checking::predecessors

use super::source::Source;
use super::walk::Walk;
use crate::check::error::CheckError;
use crate::game::{Game, Notation, Roots};
use crate::oracle::{Draw, Inventory};
use crate::random::Random;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Draws positions; the n-th is always the same, whoever draws it and when.
pub(super) struct Sampler<'a, G: Notation> {
    game: &'a G,
    inventory: &'a dyn Inventory<G>,
    count: u64,
    seed: u64,
    draw_class: Draw<'a, G::Position>,
    context: Context<G>,
}

/// A position and, if there is a way to it from the start, the moves of one.
type Drawn<G> = (<G as Game>::Position, Option<Vec<<G as Game>::Move>>);

enum Context<G: Notation> {
    /// Ways back to the start.
    Backwards,
    /// All positions, and which of them each class has.
    Grouped(Walk<G>, FxHashMap<u128, Vec<u32>>),
    /// Canonical positions.
    None,
}

impl<'a, G: Notation> Sampler<'a, G> {
    /// Draws `count` positions; `walk` makes a walk to all positions if that is needed.
    pub fn new(
        game: &'a G,
        inventory: &'a dyn Inventory<G>,
        count: u64,
        seed: u64,
        walk: impl FnOnce() -> Result<Walk<G>, CheckError>,
    ) -> Result<Sampler<'a, G>, CheckError> {
        let offered = game.capabilities();
        let start = game.canonical(&game.start());
        let context = if offered.solving.roots() == Roots::Everywhere {
            Context::None
        } else if offered.checking.predecessors(&start, &mut Vec::new()) {
            Context::Backwards
        } else {
            grouped(game, walk()?)
        };
        Ok(Sampler {
            game,
            inventory,
            count: if inventory.entries() == 0 { 0 } else { count },
            seed,
            draw_class: inventory.draw_from(None)?,
            context,
        })
    }

    /// The n-th position and, if there is a way to it from the start, the moves of one.
    pub fn draw(&self, number: u64) -> Result<Drawn<G>, CheckError> {
        // Neighbouring numbers must not give similar sequences.
        let seed = self.seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
        let mut random = Random::new(seed);
        let game = self.game;
        let class = (self.draw_class)(&mut |below| random.below(below))?;
        // There is none to draw only where there are no entries.
        let class = class.unwrap_or_else(|| game.canonical(&game.start()));
        match &self.context {
            Context::None => Ok((class, None)),
            Context::Backwards => {
                let line = self.way_to(&class, &mut random)?;
                let position = line
                    .iter()
                    .fold(game.start(), |position, &mv| game.play(&position, mv));
                debug_assert_eq!(game.canonical(&position), class);
                Ok((position, Some(line)))
            }
            Context::Grouped(walk, groups) => {
                let Some(group) = groups.get(&game.key(&class)) else {
                    return Err(self.unreachable(&class));
                };
                let number = group[random.index(group.len())] as usize;
                let line = walk.line_to(game, number);
                Ok((walk.positions[number].clone(), Some(line)))
            }
        }
    }

    /// The moves of a way from the start to a class.
    fn way_to(&self, class: &G::Position, random: &mut Random) -> Result<Vec<G::Move>, CheckError> {
        let game = self.game;
        let start = game.canonical(&game.start());
        let mut line = Vec::new();
        let mut here = class.clone();
        let mut before = Vec::new();
        'way: while here != start {
            game.capabilities()
                .checking
                .predecessors(&here, &mut before);
            while !before.is_empty() {
                let (class, mv) = before.swap_remove(random.index(before.len()));
                if self.inventory.contains(&class)? {
                    line.push(mv);
                    here = class;
                    continue 'way;
                }
            }
            return Err(self.unreachable(&here));
        }
        line.reverse();
        Ok(line)
    }

    fn unreachable(&self, class: &G::Position) -> CheckError {
        CheckError::Unreachable {
            position: self.game.format_position(class),
        }
    }
}

fn grouped<G: Notation>(game: &G, walk: Walk<G>) -> Context<G> {
    let mut groups: FxHashMap<u128, Vec<u32>> = FxHashMap::default();
    for (number, position) in (0..).zip(&walk.positions) {
        let key = game.key(&game.canonical(position));
        groups.entry(key).or_default().push(number);
    }
    Context::Grouped(walk, groups)
}

impl<G: Notation> Source<G> for Sampler<'_, G> {
    fn units(&self) -> u64 {
        self.count
    }

    fn total(&self) -> Option<u64> {
        None
    }

    fn positions(&self, units: Range<u64>, into: &mut Vec<G::Position>) -> Result<(), CheckError> {
        for number in units {
            into.push(self.draw(number)?.0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::questions::walk::walk_all;
    use crate::game::NoProgress;
    use crate::games::eight::Eight;
    use crate::games::kalah::{Kalah, Rules};
    use crate::games::tictactoe::TicTacToe;
    use crate::table::testing::table_of;
    use rustc_hash::FxHashSet;

    /// Every position drawn can really be reached, by the line that comes with it; every class
    /// comes up, about equally often.
    fn draws_are_reachable_and_uniform<G: Notation>(game: &G) {
        let table = table_of(game);
        let walk = || walk_all(game, Some(&table), 1 << 30, &NoProgress);
        let all: FxHashSet<G::Position> = walk().unwrap().positions.into_iter().collect();
        let classes = table.file().entries();
        let sampler = Sampler::new(game, &table, 100 * classes, 1, walk).unwrap();
        let mut times: FxHashMap<u128, u64> = FxHashMap::default();
        for number in 0..100 * classes {
            let (position, line) = sampler.draw(number).unwrap();
            assert!(
                all.contains(&position),
                "{}",
                game.format_position(&position)
            );
            let line = line.unwrap();
            let end = line.iter().fold(game.start(), |here, &mv| {
                assert!(game.is_legal(&here, mv));
                game.play(&here, mv)
            });
            assert_eq!(end, position);
            let key = game.key(&game.canonical(&position));
            *times.entry(key).or_default() += 1;
        }
        assert_eq!(times.len() as u64, classes);
        // Six standard deviations of a count of 100 on average.
        assert!(times.values().all(|&times| (41..=165).contains(&times)));
    }

    fn kalah(pits: usize, seeds: usize, empty_capture: bool) -> Kalah {
        let rules = Rules {
            pits,
            seeds,
            empty_capture,
        };
        Kalah::new(rules).unwrap()
    }

    #[test]
    fn samples_are_reachable_and_uniform() {
        draws_are_reachable_and_uniform(&Eight);
        draws_are_reachable_and_uniform(&kalah(2, 2, false));
        draws_are_reachable_and_uniform(&kalah(3, 1, true));
    }

    #[test]
    #[ignore = "exhaustive: 10 s"]
    fn samples_of_larger_games_are_reachable_and_uniform() {
        draws_are_reachable_and_uniform(&TicTacToe::default());
        draws_are_reachable_and_uniform(&kalah(3, 2, false));
    }
}
