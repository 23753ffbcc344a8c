//! What was asked of what could have been.

use super::Estimates;
use crate::check::judge::statistics::{Mean, Stratum, Sums, stratified, stratified_mean, wilson};
use crate::check::judge::{LayerTally, Tally};
use crate::check::options::{CheckOptions, Coverage, Plays, Scope, StoppedBy};
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
    /// The mean of what a move loses.
    pub regret: Option<Mean>,
    /// Whether what was asked is a sample, so that means have intervals.
    pub is_sample: bool,
    /// The number of classes, and of reachable positions, where they are known.
    pub classes: Option<u64>,
    pub positions: Option<u64>,
}

const WILSON: &str = "Wilson's score interval, 95%; of regret Student's, mean ± t·s/√n";
const STRATIFIED: &str = "rates of the layers weighted by their classes, Wilson's score intervals combined by MOVER, 95%; of regret the normal one of the weighted mean";
const ALL_CLASSES: &str = "over all classes";
const ALL_PLAYS: &str = "over all positions so drawn";

pub(super) fn describe<G: Notation>(
    oracle: &dyn Oracle<G>,
    options: &CheckOptions,
    covered: &Covered,
    tally: &Tally<G>,
) -> Described {
    let game = oracle.game();
    let roots = game.capabilities().solving.roots();
    let share = |of: u64| (tally.all.asked as f64 / of.max(1) as f64).min(1.0);
    let sums = tally.all.regret;
    let mut regret = sums.exact();
    let mut is_sample = false;
    let total = covered.total.unwrap_or(0);
    let all = if covered.stopped_by.is_some() {
        "a part of all"
    } else {
        "all"
    };
    let classes = oracle.inventory().map(|of| of.entries());
    let mut positions = None;
    let mut estimates = None;
    let (share, sentence) = match (options.scope, &options.coverage, roots) {
        (Scope::Play, _, _) => (
            share(tally.all.asked + covered.left_out),
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
        (Scope::All, &Coverage::Plays { seed, plays, .. }, _) => {
            is_sample = true;
            regret = sums.student();
            estimates = estimate(tally, &[], false, ALL_PLAYS);
            let sentence = from_plays(game, plays, seed, covered.stopped_by.is_some());
            (share(total), sentence)
        }
        (Scope::All, Coverage::Listed(_), _) => {
            let noun = if total == 1 { "position" } else { "positions" };
            let sentence = format!("{all} {} {noun} listed", count(total));
            (share(total), sentence)
        }
        (Scope::All, &Coverage::Sample { seed, by_layer, .. }, _) => {
            is_sample = true;
            let layers = oracle.inventory().map(|of| of.layers()).unwrap_or_default();
            let classes: u64 = layers.iter().map(|layer| layer.entries).sum();
            estimates = estimate(tally, &layers, by_layer, ALL_CLASSES);
            regret = if by_layer {
                stratified_mean(&sums_of(&layers, tally))
            } else {
                sums.student()
            };
            let how = if by_layer {
                format!("even over the {}", game.layer_name())
            } else {
                format!("uniform over {} classes", count(classes))
            };
            // Draws are with replacement.
            let missed = (-1.0 / classes.max(1) as f64).ln_1p() * tally.all.asked as f64;
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
        regret,
        is_sample,
        classes,
        positions,
    }
}

/// The mean of what moves lost, as it is known from all of them or estimated from a sample.
pub(super) fn regret_of(sums: Sums, is_sample: bool) -> Option<Mean> {
    if is_sample {
        sums.student()
    } else {
        sums.exact()
    }
}

fn from_plays<G: Notation>(game: &G, plays: Option<Plays>, seed: u64, is_cut: bool) -> String {
    let plays = match plays {
        Some(Plays::Random) => "random plays",
        Some(Plays::OwnPlay) => "plays of the AI against itself",
        Some(Plays::VersusRandom) => "plays of the AI against random moves",
        Some(Plays::VersusPerfect) => "plays of the AI against perfect moves",
        None => {
            "plays of the AI against perfect moves, random moves and itself and from random plays, a \
             quarter each"
        }
    };
    let part = if is_cut { "the first of those " } else { "" };
    let layers = game.layer_name();
    format!("{part}from {plays}; none twice, even over the {layers} (seed {seed})")
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
    over: &'static str,
) -> Option<Estimates> {
    let LayerTally {
        asked,
        perfect_moves,
        good_moves,
        ..
    } = tally.all;
    if asked == 0 {
        return None;
    }
    Some(if by_layer {
        Estimates {
            perfect_moves: stratified(&strata(layers, tally, |layer| layer.perfect_moves))?,
            good_moves: stratified(&strata(layers, tally, |layer| layer.good_moves))?,
            method: STRATIFIED,
            over,
        }
    } else {
        Estimates {
            perfect_moves: wilson(perfect_moves, asked),
            good_moves: wilson(good_moves, asked),
            method: WILSON,
            over,
        }
    })
}

/// The layers, each with its size and what moves lost in what was drawn from it.
fn sums_of<G: Notation>(layers: &[LayerTotal], tally: &Tally<G>) -> Vec<(u64, Sums)> {
    let of = |layer: &LayerTotal| {
        let seen = tally.layers.get(&layer.layer);
        (
            layer.entries,
            seen.map_or_else(Sums::default, |seen| seen.regret),
        )
    };
    layers.iter().map(of).collect()
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
