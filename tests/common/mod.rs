//! Published values of the games, for tests to compare with.
#![allow(dead_code, missing_docs)] // No test uses all of it.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use zermelo::game::{Endless, Game, Notation, Solution};
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

/// Reads a file of published values: its rows, by column name.
///
/// Lines that begin with # are comments; only the last column may contain a comma.
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

/// Returns the rows of a file about Kalah with the wanted pits and seeds.
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

/// Compares the scores of starts with the file; returns the number of games.
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

/// Compares the numbers of classes with the file; returns the number of games.
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

/// Returns every reachable position, the start first.
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

/// Returns the positions of `plays` random games, without duplicates.
///
/// Where games can be endless, each is cut after 100 moves.
pub fn random_plays<G: Notation>(game: &G, plays: usize) -> Vec<G::Position> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut known = FxHashSet::default();
    let most = match game.endless() {
        Endless::Impossible => usize::MAX,
        Endless::Draw => 100,
    };
    for _ in 0..plays {
        let mut position = game.start();
        for _ in 0..most {
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

/// Xorshift random numbers, the same in each run.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}
