//! Findings of a check, and a description of the positions that it covered.

use super::Estimates;
use crate::check::again::AskedAgain;
use crate::check::contenders::Fault;
use crate::check::judge::statistics::wilson;
use crate::check::judge::{Line, RulesReport, Tally};
use crate::check::options::{CheckOptions, Coverage, Playouts, Scope, StoppedBy};
use crate::game::{Notation, Roots, Side};
use crate::oracle::Oracle;
use crate::text::{count, counted};

/// Findings of a check.
pub(in crate::check) struct Findings<'a, G: Notation> {
    pub tally: &'a Tally<G>,
    pub rules: &'a RulesReport<G>,
    /// The faults, in the order in which they occurred.
    pub faults: &'a [(G::Position, Fault)],
    /// The AI's average time per move in seconds.
    pub seconds_per_move: Option<f64>,
    /// The line that shows how a mistake is punished.
    pub line: Option<&'a Line<G>>,
    /// The result of asking again.
    pub again: AskedAgain,
    /// The number of positions in the plan, if known.
    pub total: Option<u64>,
    /// The cause of an early end, if there was one.
    pub stopped_by: Option<StoppedBy>,
    /// The command that starts the AI, if it is a program.
    pub command: Option<&'a str>,
}

/// Description of the positions that a check covered.
pub(super) struct Described {
    /// The description in words.
    pub sentence: String,
    /// For a sample, the population that its rates estimate: "over all classes".
    pub over: Option<&'static str>,
    /// The number of reachable positions, if it is known.
    pub positions: Option<u64>,
}

const WILSON: &str = "Wilson's score interval, 95%; of regret Student's, mean ± t·s/√n";

pub(super) fn describe<G: Notation>(
    oracle: &dyn Oracle<G>,
    options: &CheckOptions,
    findings: &Findings<'_, G>,
    classes: Option<u64>,
) -> Described {
    let roots = oracle.game().capabilities().solving.roots();
    let total = findings.total.unwrap_or(0);
    let is_cut = findings.stopped_by.is_some();
    let number = count(total);
    let all = if is_cut { "a part of all" } else { "all" };
    let mut over = None;
    let mut positions = None;
    let sentence = match (options.scope, &options.coverage, roots) {
        (Scope::Play, _, _) => lines_of_play(options.side, is_cut),
        (Scope::All, Coverage::Every, Roots::Start) => {
            positions = Some(total);
            let of = classes.map(|classes| format!(" ({} classes)", count(classes)));
            let of = of.unwrap_or_default();
            format!("{all} {number} reachable positions{of}")
        }
        (Scope::All, &Coverage::Playouts { seed, plays, .. }, _) => {
            over = Some("over all positions so drawn");
            from_plays(oracle.game(), plays, seed, is_cut)
        }
        (Scope::All, Coverage::Listed(_), _) => {
            format!("{all} {} listed", counted(total as usize, "position"))
        }
        (Scope::All, &Coverage::Sample { seed, .. }, _) => {
            over = Some("over all classes");
            let classes = count(classes.unwrap_or_default());
            format!("a random sample of positions, uniform over {classes} classes (seed {seed})")
        }
        (Scope::All, Coverage::Every | Coverage::Canonical, _) => {
            format!("{all} canonical positions, one of each of {number} classes")
        }
    };
    Described {
        sentence,
        over,
        positions,
    }
}

fn from_plays<G: Notation>(game: &G, plays: Option<Playouts>, seed: u64, is_cut: bool) -> String {
    let plays = match plays {
        Some(Playouts::Random) => "random games",
        Some(Playouts::OwnPlay) => "games of the AI against itself",
        None => "games of the AI against itself and from random games, half each",
    };
    let part = if is_cut { "the first of those " } else { "" };
    let layers = game.layer_name();
    format!("{part}from {plays}; none twice, even over the {layers} (seed {seed})")
}

fn lines_of_play(side: Option<Side>, is_cut: bool) -> String {
    let who = side.map_or("either side".to_owned(), |side| format!("the {side} side"));
    let every = if is_cut {
        "the first lines"
    } else {
        "every line"
    };
    format!("{every} with the AI playing {who}")
}

/// Estimates the true rates of the population `over` from a sample.
pub(super) fn estimate<G: Notation>(tally: &Tally<G>, over: &'static str) -> Option<Estimates> {
    let all = &tally.all;
    (all.asked > 0).then(|| Estimates {
        best_moves: wilson(all.best_moves, all.asked),
        outcome_preserved: wilson(all.outcome_preserved, all.asked),
        method: WILSON,
        over,
    })
}
