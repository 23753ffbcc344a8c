//! What solving will take, by a model.
//!
//! How many positions of a layer can be reached is nearly a function of how many seeds have left it, in
//! multiples of the seeds a pit: Kalah(6,2) and Kalah(6,3) have 0.43 and 0.44 of all at 2 of them, 0.88
//! and 0.87 at 3, 0.96 and 0.94 at 4. So the shares of solved games are those of larger ones.

use super::layer::saturate;
use super::memory::{self, LayerMemory, between};
use super::needs::Needs;
use crate::game::{Forecast, SolveOptions};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::{Kalah, Rules};

/// Points of a line: multiples of the seeds a pit that have left the board, and shares.
type Points = &'static [(f64, f64)];

/// Of Kalah(6,3).
const SIX: Points = &[
    (0.67, 0.0),
    (1.0, 0.001),
    (1.33, 0.018),
    (1.67, 0.145),
    (2.0, 0.44),
    (2.33, 0.693),
    (2.67, 0.817),
    (3.0, 0.874),
    (3.33, 0.906),
    (4.0, 0.941),
    (5.0, 0.97),
    (6.0, 0.987),
    (8.0, 1.0),
];

/// Of Kalah(6,2) with empty captures.
const SIX_EMPTY: Points = &[
    (1.0, 0.001),
    (1.5, 0.019),
    (2.0, 0.176),
    (2.5, 0.524),
    (3.0, 0.767),
    (3.5, 0.876),
    (4.0, 0.923),
    (5.0, 0.958),
    (6.0, 0.974),
    (8.0, 1.0),
];

/// Of Kalah(5,4).
const FIVE: Points = &[
    (1.0, 0.0),
    (1.25, 0.001),
    (1.5, 0.01),
    (1.75, 0.07),
    (2.0, 0.245),
    (2.25, 0.486),
    (2.5, 0.665),
    (2.75, 0.773),
    (3.0, 0.842),
    (3.5, 0.924),
    (4.0, 0.965),
    (5.0, 0.996),
    (6.0, 1.0),
];

/// Of Kalah(4,4).
const FOUR: Points = &[
    (1.25, 0.001),
    (1.5, 0.006),
    (1.75, 0.037),
    (2.0, 0.138),
    (2.25, 0.331),
    (2.5, 0.548),
    (2.75, 0.703),
    (3.0, 0.805),
    (3.5, 0.923),
    (4.0, 0.975),
    (5.0, 0.999),
    (6.0, 1.0),
];

/// The expected share of a layer's positions that can be reached, and the bits that a table takes
/// for each of them.
fn shares(rules: Rules) -> (Points, f64) {
    match (rules.pits, rules.empty_capture) {
        (6.., false) => (SIX, 2.07),
        (6.., true) => (SIX_EMPTY, 2.2),
        (5, _) => (FIVE, 2.38),
        (..=4, _) => (FOUR, 3.0),
    }
}

/// The nanoseconds that one core of an Intel Xeon of 2024 takes to find a class, for a unit of the cost
/// of solving, and to write a class, in Kalah(6,3).
const FIND: f64 = 18.5;
const SOLVE: f64 = 8.3;
const WRITE: f64 = 16.8;

/// About how many positions of each layer can be reached from the start, so many times as many as the
/// model says.
#[must_use]
pub fn expected(layers: &[LayerMemory], rules: Rules, times: f64) -> Vec<u64> {
    let (points, _) = shares(rules);
    let total = layers.len() - 1;
    let layers = layers.iter().enumerate().map(|(seeds, layer)| {
        let gone = (total - seeds) as f64 / rules.seeds as f64;
        let classes = layer.slots as f64 * between(points, gone);
        (classes * times).min(layer.slots as f64) as u64
    });
    layers.collect()
}

/// As far as the model is off, in solved games.
pub const AT_MOST: f64 = 1.1;

/// What solving a game is expected to need, with so many times as many positions as the model says.
#[must_use]
pub fn needs(game: &Kalah, threads: usize, times: f64) -> Needs {
    let arrangements = Arrangements::new(game.pits(), game.total_seeds());
    let layers = LayerMemory::of_all(&arrangements);
    let rules = game.parameters();
    let (reached, bits) = match game.up_to() {
        Some(_) => {
            let of_all = layers.iter();
            let of_all = of_all.map(|layer| (saturate(layer.slots), saturate(layer.bits)));
            of_all.unzip()
        }
        None => (
            expected(&layers, rules, times),
            memory::most_bits(&layers, rules),
        ),
    };
    Needs {
        layers,
        reached,
        bits,
        frees_bits: true,
        fixed: memory::fixed(&arrangements, threads),
        has_files: true,
        threads,
        others: 0,
    }
}

/// What solving a game from its start will take.
#[must_use]
pub fn forecast(game: &Kalah, options: SolveOptions) -> Forecast {
    let needs = needs(game, options.threads, 1.0);
    let plan = match needs.plan(options.memory) {
        Ok(plan) | Err(plan) => plan,
    };
    let classes: u64 = needs.reached.iter().sum();
    let (_, table_bits) = shares(game.parameters());
    let seconds = |work: f64, nanoseconds: f64| work * nanoseconds / 1e9 / options.threads as f64;
    Forecast {
        classes,
        memory: plan.bytes,
        least_memory: needs.least().bytes,
        files: plan.files,
        table: (classes as f64 * table_bits / 8.0) as u64,
        reach: seconds(classes as f64, FIND),
        solve: seconds(needs.of(plan.forms).0, SOLVE),
        write: seconds(classes as f64, WRITE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, NoProgress, Notation, Sweep};
    use crate::games::kalah::retro::KalahSweep;
    use crate::games::kalah::retro::bits::ReachedLayer;
    use crate::games::kalah::retro::reach;
    use crate::games::kalah::retro::steps::Steps;
    use std::sync::Arc;

    #[test]
    fn solved_games_have_about_as_many_positions_as_the_model_says() {
        let options = SolveOptions {
            threads: 2,
            memory: 24 << 30,
        };
        let of = |pits, seeds, empty_capture| {
            let rules = Rules {
                pits,
                seeds,
                empty_capture,
            };
            forecast(&Kalah::new(rules).unwrap(), options)
        };
        for (pits, seeds, empty_capture, solved) in [
            (4, 4, false, 5_641_244u64),
            (5, 3, false, 86_877_076),
            (5, 3, true, 78_251_780),
            (5, 4, false, 954_535_299),
            (6, 2, false, 169_562_786),
            (6, 2, true, 119_946_420),
            (6, 3, false, 8_672_693_966),
        ] {
            let classes = of(pits, seeds, empty_capture).classes;
            let off = classes as f64 / solved as f64 - 1.0;
            assert!(off.abs() < 0.12, "kalah({pits},{seeds}): {classes}, {off}");
        }
    }

    #[test]
    fn with_less_memory_there_are_files_and_then_it_is_too_little() {
        let rules = Rules {
            pits: 6,
            seeds: 3,
            empty_capture: false,
        };
        let game = Kalah::new(rules).unwrap();
        let with = |memory| forecast(&game, SolveOptions { threads: 2, memory });
        let (roomy, packed, files) = (with(24 << 30), with(10 << 30), with(4 << 30));
        assert!(roomy.files == 0 && packed.files == 0 && files.files > 5 << 30);
        assert!(roomy.solve < packed.solve && packed.solve < files.solve);
        assert!(files.memory <= 4 << 30);
        let too_little = with(2 << 30);
        assert!(too_little.memory > 2 << 30 && too_little.memory == too_little.least_memory);
        assert!(files.least_memory == too_little.memory && roomy.least_memory < roomy.memory);
    }

    /// What solving takes is known before its positions are found: up to a twentieth more than will
    /// turn out, and not less.
    fn the_least_memory_is_known_beforehand(games: &[(usize, usize)]) {
        for &(pits, seeds) in games {
            for empty_capture in [false, true] {
                let rules = Rules {
                    pits,
                    seeds,
                    empty_capture,
                };
                let game = Kalah::new(rules).unwrap();
                let arrangements = Arc::new(Arrangements::new(pits, game.total_seeds()));
                let steps = Steps::new(Arc::clone(&arrangements), empty_capture);
                let layers = reach::blank(&steps).unwrap();
                let [mover, opponent] = game.start().pits;
                reach::mark(&steps, &layers, &mover, &opponent);
                let done = |_| Ok(());
                let top = game.total_seeds();
                reach::reach(&steps, &layers, top, &NoProgress, done).unwrap();
                let needs = Needs {
                    layers: LayerMemory::of_all(&arrangements),
                    reached: layers.iter().map(ReachedLayer::count).collect(),
                    bits: layers.iter().map(memory::of_bits).collect(),
                    frees_bits: true,
                    fixed: memory::fixed(&arrangements, 2),
                    has_files: true,
                    threads: 2,
                    others: 0,
                };
                let known = KalahSweep::new(&game).memory_needed(2);
                let off = known as f64 / needs.least().bytes as f64;
                assert!((1.0..1.05).contains(&off), "{}: {off}", game.name());
            }
        }
    }

    #[test]
    #[cfg_attr(
        not(target_os = "linux"),
        ignore = "pages are of another size elsewhere"
    )]
    fn the_least_memory_of_small_games_is_known_beforehand() {
        the_least_memory_is_known_beforehand(&[(2, 8), (3, 4), (4, 3), (5, 1), (6, 1)]);
    }

    #[test]
    #[ignore = "exhaustive: 12 s"]
    fn the_least_memory_of_larger_games_is_known_beforehand() {
        the_least_memory_is_known_beforehand(&[(4, 4), (5, 2), (3, 6), (4, 5), (5, 3), (6, 2)]);
    }
}
