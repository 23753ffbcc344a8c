use super::numbering::Numbering;
use super::{Verdict, verify};
use crate::game::{NoProgress, Notation};
use crate::games::kalah::{Kalah, Rules};
use crate::games::tictactoe::TicTacToe;
use crate::table::testing::table_of;

fn kalah() -> Kalah {
    Kalah::new(Rules {
        pits: 3,
        seeds: 2,
        empty_capture: false,
    })
    .unwrap()
}

/// A table in which every entry is found at the place that it says it has.
fn places_are_found<G: Notation>(game: &G) {
    let table = table_of(game);
    let numbering = Numbering::load(table.file(), 1 << 30, &NoProgress).unwrap();
    let places = (0..numbering.entries()).map(|entry| numbering.place(entry).unwrap());
    for (entry, place) in (0..).zip(places) {
        assert_eq!(numbering.find(place), Some(entry));
    }
    assert_eq!(numbering.place(numbering.entries()), None);
}

#[test]
fn entries_are_found_at_their_places() {
    places_are_found(&kalah());
    places_are_found(&TicTacToe::default());
}

fn counts_every_move_once<G: Notation>(game: &G) {
    let table = table_of(game);
    let blocks = 0..table.file().blocks();
    let entries = blocks.flat_map(|block| table.block_entries(block).unwrap());
    let expected: u64 = entries
        .map(|(position, _)| game.legal_moves(&position).len() as u64)
        .sum();
    let verdict = verify(&table, 1, 1 << 30, &NoProgress).unwrap();
    let Verdict::Proved { moves, .. } = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(moves, expected);
}

#[test]
fn a_proof_looks_at_every_move_of_every_entry_once() {
    counts_every_move_once(&kalah());
    counts_every_move_once(&TicTacToe::default());
}
