//! All positions with few seeds, reachable from some start or not, in memory.

use crate::game::{Progress, SolveError};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Split};
use crate::games::kalah::retro::dense::{self, Codes, DenseLayer};
use crate::games::kalah::retro::lines::Line;
use crate::games::kalah::retro::plane::Plane;
use crate::games::kalah::retro::steps::Steps;
use crate::games::kalah::{Pits, sum};
use rayon::prelude::*;
use std::sync::Arc;

/// The scores to come of all positions with at most some number of seeds on the board.
#[derive(Debug)]
pub struct Endgame {
    arrangements: Arc<Arrangements>,
    layers: Vec<DenseLayer>,
}

/// Where scores come from that are there already; see [`Endgame::from_kept`].
pub type Kept<'a, E> = dyn Fn(usize, usize, &mut [u8]) -> Result<bool, E> + Sync + 'a;

impl Endgame {
    /// Solves all positions with `pits` pits per side (1 to 6) and at most `seeds` seeds on the
    /// board, on the threads of the current pool.
    ///
    /// Takes a byte per position: 226 MB for 6 pits and 20 seeds, 1.25 GB for 24.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`].
    pub fn new(
        pits: usize,
        seeds: usize,
        empty_capture: bool,
        progress: &dyn Progress,
    ) -> Result<Endgame, SolveError> {
        let arrangements = Arc::new(Arrangements::new(pits, seeds));
        let steps = Steps::new(Arc::clone(&arrangements), empty_capture);
        let mut layers = Vec::with_capacity(seeds + 1);
        for layer in 0..=seeds {
            let layer = dense::solve_layer(&steps, &layers, layer, progress)?;
            layers.push(layer);
        }
        Ok(Endgame {
            arrangements,
            layers,
        })
    }

    /// The same, where some scores are there already, such as a table's: `kept` puts the seeds that
    /// the mover will get in the positions with so many seeds of the mover's and of the opponent's
    /// into a matrix, or says that they are not there. Rows are the arrangements of the side with
    /// more seeds, columns those of the other; if both have the same number, rows are the mover's.
    /// What is not there is computed.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`], and what `kept` returns.
    pub fn from_kept<E: From<SolveError> + Send>(
        pits: usize,
        seeds: usize,
        empty_capture: bool,
        progress: &dyn Progress,
        kept: &Kept<E>,
    ) -> Result<Endgame, E> {
        let arrangements = Arc::new(Arrangements::new(pits, seeds));
        let steps = Steps::new(Arc::clone(&arrangements), empty_capture);
        let mut layers = Vec::with_capacity(seeds + 1);
        for layer in 0..=seeds {
            let matrices = Split::of_layer(layer)
                .collect::<Vec<_>>()
                .into_par_iter()
                .map(|split| {
                    let slots = arrangements.count(split.rich) * arrangements.count(split.poor);
                    let get = |mover, opponent| -> Result<Option<Plane>, E> {
                        let mut codes = Plane::new(slots)?;
                        Ok(kept(mover, opponent, &mut codes)?.then_some(codes))
                    };
                    Ok(ByMover {
                        rich: get(split.rich, split.poor)?,
                        poor: if split.is_even() {
                            None
                        } else {
                            get(split.poor, split.rich)?
                        },
                    })
                })
                .collect::<Result<Vec<_>, E>>()?;
            let layer = dense::complete_layer(&steps, &layers, layer, matrices, progress)?;
            layers.push(layer);
        }
        Ok(Endgame {
            arrangements,
            layers,
        })
    }

    /// How many positions it holds, those with an empty side not counted.
    #[must_use]
    pub fn positions(&self) -> u64 {
        let splits = self.layers.iter().flat_map(|layer| &layer.splits);
        splits
            .flat_map(|split| split.codes.both())
            .map(|codes| codes.len() as u64)
            .sum()
    }

    /// The most seeds on the board.
    #[must_use]
    pub fn seeds(&self) -> usize {
        self.layers.len() - 1
    }

    /// The seeds that the mover will get in the positions with so many seeds on each side, at least
    /// one: a matrix, and the distances in it from one arrangement of the mover's and of the
    /// opponent's to the next.
    pub(in crate::games::kalah) fn codes(
        &self,
        mover: usize,
        opponent: usize,
    ) -> (&[u8], [u32; 2]) {
        let split = &self.layers[mover + opponent].splits[mover.min(opponent) - 1];
        let columns = self.arrangements.count(mover.min(opponent)) as u32;
        if mover >= opponent {
            (&split.codes.rich, [columns, 1])
        } else {
            (&split.codes.poor, [1, columns])
        }
    }

    /// The score to come, seen from the mover, or nothing if there are more seeds on the board than
    /// it holds.
    #[must_use]
    pub fn score(&self, mover: &Pits, opponent: &Pits) -> Option<i32> {
        let (mover_seeds, opponent_seeds) = (sum(mover), sum(opponent));
        let seeds = mover_seeds + opponent_seeds;
        if seeds >= self.layers.len() {
            return None;
        }
        let line = Line {
            fixed_seeds: mover_seeds,
            fixed: self.arrangements.index(mover, mover_seeds),
            free_seeds: opponent_seeds,
            fixed_moves: true,
        };
        let opponent_index = self.arrangements.index(opponent, opponent_seeds);
        let code = Codes::find(&self.layers, line).get(opponent_index);
        Some(2 * i32::from(code) - seeds as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, NoProgress};
    use crate::games::kalah::{Kalah, Position, Rules};

    #[test]
    fn some_of_the_scores_give_the_rest() {
        for (pits, seeds, empty_capture) in [(1, 20, false), (3, 12, true), (6, 9, false)] {
            let whole = Endgame::new(pits, seeds, empty_capture, &NoProgress).unwrap();
            // Either half, nothing, everything, and now this, now that.
            let choices: [fn(usize, usize) -> bool; 5] = [
                |mover, opponent| mover <= opponent,
                |mover, opponent| mover >= opponent,
                |_, _| false,
                |_, _| true,
                |mover, opponent| (mover + 2 * opponent) % 3 == 0,
            ];
            for is_kept in choices {
                let kept = |mover: usize, opponent: usize, codes: &mut [u8]| {
                    if is_kept(mover, opponent) {
                        codes.copy_from_slice(whole.codes(mover, opponent).0);
                    }
                    Ok::<bool, SolveError>(is_kept(mover, opponent))
                };
                let again =
                    Endgame::from_kept(pits, seeds, empty_capture, &NoProgress, &kept).unwrap();
                for mover in 1..seeds {
                    for opponent in 1..=seeds - mover {
                        assert_eq!(again.codes(mover, opponent), whole.codes(mover, opponent));
                    }
                }
            }
        }
    }

    /// Every position is the best of its moves by the rules, one move at a time.
    #[test]
    fn every_score_is_the_best_of_its_moves() {
        let mut checked = 0;
        for (pits, seeds) in [(1, 40), (2, 30), (3, 14), (4, 10), (6, 9)] {
            for empty_capture in [false, true] {
                let endgame = Endgame::new(pits, seeds, empty_capture, &NoProgress).unwrap();
                // Enough seeds in the game for every position to be one of its.
                let game = Kalah::new(Rules {
                    pits,
                    seeds: seeds.div_ceil(2 * pits),
                    empty_capture,
                })
                .unwrap();
                let value = |position: &Position| {
                    game.final_score(position).unwrap_or_else(|| {
                        let (mover, opponent) = position.mover_and_opponent();
                        game.banked(position) + endgame.score(mover, opponent).unwrap()
                    })
                };
                let numbering = Arrangements::new(pits, seeds);
                for mover_seeds in 1..seeds {
                    for opponent_seeds in 1..=seeds - mover_seeds {
                        for mover in numbering.all(mover_seeds) {
                            for opponent in numbering.all(opponent_seeds) {
                                let position = Position::bare(mover, opponent);
                                let best = game
                                    .legal_moves(&position)
                                    .into_iter()
                                    .map(|mv| {
                                        let child = game.play(&position, mv);
                                        let sign = if child.side == position.side { 1 } else { -1 };
                                        sign * value(&child)
                                    })
                                    .max();
                                assert_eq!(best, Some(value(&position)), "{position:?}");
                                checked += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(checked > 500_000, "{checked} positions checked");
    }
}
