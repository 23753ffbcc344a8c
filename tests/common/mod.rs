//! What is known of the games from elsewhere, for tests to compare with.
#![allow(dead_code, missing_docs)] // No test uses all of it.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use zermelo::game::{Game, Notation, Solution};
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::solve::score_of;

pub fn kalah(pits: usize, seeds: usize, empty_capture: bool) -> Kalah {
    Kalah::new(Rules {
        pits,
        seeds,
        empty_capture,
    })
    .unwrap()
}

/// The rows of a file of known values, by column name. Lines that begin with # are remarks; only
/// the last column may hold a comma.
pub fn known(text: &'static str) -> Vec<BTreeMap<&'static str, &'static str>> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let values: Vec<&str> = line.splitn(names.len(), ',').collect();
            assert_eq!(values.len(), names.len(), "{line}");
            names.iter().copied().zip(values).collect()
        })
        .collect()
}

/// The rows of a file about Kalah, each with its game, for games with these pits and seeds.
pub fn known_of_kalah(
    text: &'static str,
    wanted: impl Fn(usize, usize) -> bool,
) -> Vec<(Kalah, BTreeMap<&'static str, &'static str>)> {
    known(text)
        .into_iter()
        .filter_map(|row| {
            let (pits, seeds) = (row["pits"].parse().unwrap(), row["seeds"].parse().unwrap());
            let empty_capture = match row["capture"] {
                "standard" => false,
                "empty" => true,
                other => panic!("{other} is no way to capture"),
            };
            wanted(pits, seeds).then(|| (kalah(pits, seeds, empty_capture), row))
        })
        .collect()
}

/// Holds the start's score against the file; says how many games there were.
pub fn kalah_values_hold(
    wanted: impl Fn(usize, usize) -> bool,
    solution: impl Fn(&Kalah) -> Solution,
) -> usize {
    let rows = known_of_kalah(include_str!("../data/kalah_values.csv"), wanted);
    for (game, row) in &rows {
        let margin = score_of(game, &solution(game), &game.start());
        assert_eq!(margin, row["margin"].parse().ok(), "{}", game.name());
    }
    rows.len()
}

/// Holds the number of classes against the file; says how many games there were.
pub fn kalah_counts_hold(
    wanted: impl Fn(usize, usize) -> bool,
    solution: impl Fn(&Kalah) -> Solution,
) -> usize {
    let rows = known_of_kalah(include_str!("../data/kalah_counts.csv"), wanted);
    for (game, row) in &rows {
        let count = solution(game).count();
        assert_eq!(count.to_string(), row["classes"], "{}", game.name());
    }
    rows.len()
}

/// Every position that can come up in the game, the start first.
pub fn all_positions<G: Notation>(game: &G) -> Vec<G::Position> {
    let mut positions = vec![game.start()];
    let mut known: FxHashSet<G::Position> = positions.iter().cloned().collect();
    let mut next = 0;
    while next < positions.len() {
        for mv in game.legal_moves(&positions[next]) {
            let child = game.play(&positions[next], mv);
            if known.insert(child.clone()) {
                positions.push(child);
            }
        }
        next += 1;
    }
    positions
}

/// Every position that comes up in so many random plays, each once.
pub fn random_plays<G: Notation>(game: &G, plays: usize) -> Vec<G::Position> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut known = FxHashSet::default();
    for _ in 0..plays {
        let mut position = game.start();
        loop {
            known.insert(position.clone());
            let moves = game.legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            position = game.play(&position, moves[random.below(moves.len())]);
        }
    }
    known.into_iter().collect()
}

/// Xorshift, so that each run sees the same.
pub struct Random(pub u64);

impl Random {
    /// From 0 to the limit, which is excluded.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}
