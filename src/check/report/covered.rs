//! What was asked of what could have been.

use super::{Estimates, StoppedBy};
use crate::check::judge::statistics::{Stratum, stratified, wilson};
use crate::check::judge::{LayerTally, Tally};
use crate::check::options::{CheckOptions, Coverage, Scope};
use crate::game::{Notation, Roots, Side};
use crate::oracle::{LayerTotal, Oracle};
use crate::text::count;

/// What was asked of what could have been, in numbers.
pub(in crate::check) struct Covered {
    /// The number of positions of the kind that was asked, if known.
    pub total: Option<u64>,
    /// The number of positions that were met and not asked.
    pub left_out: u64,
    /// What has ended the check before everything was asked.
    pub stopped_by: Option<StoppedBy>,
}

/// The same as the report has it.
pub(super) struct Described {
    pub share: f64,
    pub sentence: String,
    pub estimates: Option<Estimates>,
    /// The number of classes, and of reachable positions, where they are known.
    pub classes: Option<u64>,
    pub positions: Option<u64>,
}

const WILSON: &str = "Wilson's score interval, 95%";
const STRATIFIED: &str = "rates of the layers weighted by their classes, Wilson's score intervals combined by MOVER, 95%";

pub(super) fn describe<G: Notation>(
    oracle: &dyn Oracle<G>,
    options: &CheckOptions,
    covered: &Covered,
    tally: &Tally<G>,
) -> Described {
    let game = oracle.game();
    let roots = game.capabilities().solving.roots();
    let share = |of: u64| (tally.asked as f64 / of.max(1) as f64).min(1.0);
    let total = covered.total.unwrap_or(0);
    let all = if covered.stopped_by.is_some() {
        "a part of all"
    } else {
        "all"
    };
    let classes = oracle.inventory().map(|of| of.entries());
    let mut positions = None;
    let mut estimates = None;
    let (share, sentence) = match (options.scope, options.coverage, roots) {
        (Scope::Play, _, _) => (
            share(tally.asked + covered.left_out),
            lines_of_play(options.side, covered),
        ),
        (Scope::All, Coverage::Every, Roots::Start) => {
            positions = Some(total);
            let of = classes.map_or_else(String::new, |classes| {
                format!(" ({} classes)", count(classes))
            });
            let sentence = format!("{all} {} reachable positions{of}", count(total));
            (share(total), sentence)
        }
        (Scope::All, Coverage::Sample { seed, by_layer, .. }, _) => {
            let layers = oracle.inventory().map(|of| of.layers()).unwrap_or_default();
            let classes: u64 = layers.iter().map(|layer| layer.entries).sum();
            estimates = estimate(tally, &layers, by_layer);
            let how = if by_layer {
                format!("even over the {}", game.layer_name())
            } else {
                format!("uniform over {} classes", count(classes))
            };
            // Draws are with replacement.
            let missed = (-1.0 / classes.max(1) as f64).ln_1p() * tally.asked as f64;
            let sentence = format!("a random sample of reachable positions, {how} (seed {seed})");
            (-missed.exp_m1(), sentence)
        }
        (Scope::All, Coverage::Every | Coverage::Canonical, _) => (
            share(total),
            format!(
                "{all} canonical positions, one of each of {} classes",
                count(total)
            ),
        ),
    };
    Described {
        share,
        sentence,
        estimates,
        classes,
        positions,
    }
}

fn lines_of_play(side: Option<Side>, covered: &Covered) -> String {
    let who = side.map_or("either side".to_owned(), |side| format!("the {side} side"));
    let rest = match covered.left_out {
        0 => String::new(),
        left => {
            let left = count(left);
            format!("; {left} more came up but were left out, with everything that follows them")
        }
    };
    let every = if covered.stopped_by.is_some() {
        "the first lines"
    } else {
        "every line"
    };
    format!("{every} with the AI playing {who}{rest}")
}

fn estimate<G: Notation>(
    tally: &Tally<G>,
    layers: &[LayerTotal],
    by_layer: bool,
) -> Option<Estimates> {
    if tally.asked == 0 {
        return None;
    }
    Some(if by_layer {
        Estimates {
            perfect_moves: stratified(&strata(layers, tally, |layer| layer.perfect_moves))?,
            good_moves: stratified(&strata(layers, tally, |layer| layer.good_moves))?,
            method: STRATIFIED,
        }
    } else {
        Estimates {
            perfect_moves: wilson(tally.perfect_moves, tally.asked),
            good_moves: wilson(tally.good_moves, tally.asked),
            method: WILSON,
        }
    })
}

/// The layers as strata of a sample.
fn strata<G: Notation>(
    layers: &[LayerTotal],
    tally: &Tally<G>,
    hits: impl Fn(&LayerTally) -> u64,
) -> Vec<Stratum> {
    layers
        .iter()
        .map(|of| {
            let seen = tally.layers.get(&of.layer);
            Stratum {
                size: of.entries,
                asked: seen.map_or(0, |layer| layer.asked),
                hits: seen.map_or(0, &hits),
            }
        })
        .collect()
}
