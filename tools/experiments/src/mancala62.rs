//! A depth-limited search of Kalah(6,2) that takes the first leaf it reaches.
//!
//! A cell is the depth limit. Its value is the score of the start, seen from the first player, and
//! the move found. The article doesn't give `evaluations`.
//!
//! Source: an article on a mancala with two seeds per pit and its alpha-beta search in Dart.

use crate::experiment::{Figure, Job, Value};
use crate::shared::{children, sign, sum};
use std::ops::RangeInclusive;
use zermelo::game::Game;
use zermelo::games::kalah::{Kalah, Move, Position, Rules};

/// The score of a won game for the first player, above any difference of stores.
const WON: i32 = 999;

/// The search, with or without its single cutoff rule.
struct Search {
    game: Kalah,
    cutoffs: bool,
    evaluations: u64,
}

impl Search {
    fn evaluate(&mut self, position: &Position, is_over: bool) -> i32 {
        self.evaluations += 1;
        let seeds = |side: usize| {
            let left = if is_over {
                sum(&position.pits[side])
            } else {
                0
            };
            i32::from(position.stores[side]) + left as i32
        };
        let lead = seeds(0) - seeds(1);
        if is_over { WON * lead.signum() } else { lead }
    }

    /// Returns the score, seen from the first player, and the move.
    ///
    /// `threshold` is the best score so far of the parent node, and `turn_changed` says whether the
    /// other side is to move there.
    ///
    /// At the depth limit the search takes the first move without evaluating the others. It also
    /// takes the first move that ends the game, however bad, so a deeper search is not always
    /// better.
    fn think(
        &mut self,
        position: &Position,
        limit: u32,
        threshold: i32,
        turn_changed: bool,
    ) -> (i32, Option<Move>) {
        let sign = sign(position.side);
        let mut best = (-sign * WON, None);
        for (mv, child) in children(&self.game, position) {
            let is_over = self.game.final_score(&child).is_some();
            if is_over || limit == 0 {
                return (self.evaluate(&child, is_over), Some(mv));
            }
            let passes = child.side != position.side;
            let (score, _) = self.think(&child, limit - 1, best.0, passes);
            // The last of several equal moves is chosen.
            if sign * score >= sign * best.0 {
                best = (score, Some(mv));
            }
            // The other side, which is to move in the parent, already has a better move.
            if self.cutoffs && turn_changed && sign * score > sign * threshold {
                break;
            }
        }
        best
    }
}

pub const METHODS: [&str; 2] = ["with-cutoffs", "without-cutoffs"];

pub fn jobs(methods: &[String], depths: &RangeInclusive<u32>) -> Vec<Job> {
    let mut jobs = Vec::new();
    let is_selected = |method: &&str| methods.iter().any(|name| name == method);
    for method in METHODS.into_iter().filter(is_selected) {
        let cutoffs = method == "with-cutoffs";
        for depth in depths.clone() {
            // Measured: the evaluations at depth 12, and the growth per level.
            let (at_12, growth): (f64, f64) = if cutoffs { (7e6, 3.0) } else { (40e6, 3.6) };
            let cost = at_12 * growth.powi(depth as i32 - 12);
            let job = format!("mancala62/{method} at depth {depth}");
            jobs.push(Job::new(job, cost, move |_| {
                Ok(run(method, depth, cutoffs))
            }));
        }
    }
    jobs
}

fn run(method: &str, depth: u32, cutoffs: bool) -> Vec<Figure> {
    let game = Kalah::new(Rules {
        pits: 6,
        seeds: 2,
        empty_capture: false,
    })
    .expect("six pits with two seeds each are a game");
    let start = game.start();
    let mut search = Search {
        game,
        cutoffs,
        evaluations: 0,
    };
    let (score, mv) = search.think(&start, depth, WON, false);
    let number = mv.map_or(0, |mv| i64::from(mv.0) + 1);
    let figure = |table: String, value| Figure {
        table,
        cell: depth.to_string(),
        value,
    };
    let answer = Value::Pair([i64::from(score), number]);
    let evaluations = Value::One(search.evaluations as i64);
    vec![
        figure(format!("mancala62/{method}"), answer),
        figure(format!("mancala62/{method}/evaluations"), evaluations),
    ]
}
