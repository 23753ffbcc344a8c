use super::judge::{self, Ruling, Stop};
use super::pass::{Fault, FirstFault, PassResults};
use super::state::Proof;
use super::tile::{ByWidth, EntryPlace, MARK, NONE};
use super::view::View;
use super::{Refutation, Verdict, VerifyError, VerifyOptions, verify};
use crate::game::{
    Game, NoProgress, Notation, Progress, Ranking, ScoreRange, Scores, Segment, Slot, Solution,
    SolveOptions, Tile,
};
use crate::games::connect4::{Connect4, Parameters};
use crate::games::kalah::Kalah;
use crate::games::tictactoe::TicTacToe;
use crate::random::Random;
use crate::solve::{Method, solve, verify_by_search};
use crate::table::read::ReadError;
use crate::table::{Table, TableFile, WriteOptions, write_to_vec};
use crate::testing::tables::{kalah, table_of};
use crate::testing::walk::{Walk, walk};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const OPTIONS: SolveOptions = SolveOptions {
    threads: 1,
    memory: 1 << 28,
};

/// Returns the places of all entries of a table in memory, in order.
fn places<G: Notation>(view: &View<'_, G>) -> Vec<EntryPlace> {
    let mut places = Vec::new();
    for segment in 0..view.plan.segments.len() as u32 {
        for (block, tile) in view.tiles_of(segment) {
            tile.for_each(|index, entry| {
                let place = EntryPlace::new(segment, block, index);
                let found = view.entry_at(place).unwrap();
                let (ByWidth::One(found), ByWidth::One(entry)) = (found, entry) else {
                    panic!("few codes");
                };
                assert!(std::ptr::eq(found, entry));
                places.push(place);
            });
        }
    }
    places
}

/// Checks that every entry is found at its place and nowhere else, with its score.
fn places_are_found<G: Notation>(game: &G) {
    let table = table_of(game);
    let view = View::load_all(&table, 1 << 30, &NoProgress).unwrap();
    let places = places(&view);
    let entries = table.entries().map(Result::unwrap);
    for (&place, (position, score)) in places.iter().zip(entries) {
        assert_eq!(view.position(place).as_ref(), Some(&position));
        assert_eq!(view.place(&position), Some(place));
        let code = view.entry_at(place).unwrap().code();
        if !view.plan.is_derived(place.segment) {
            assert_eq!(view.scores(place).score(code.unwrap()), score);
        }
    }
    assert_eq!(places.len() as u64, table.file().entries());
    for &place in &places {
        assert_eq!(view.first_unmarked(0), Some(place));
        view.entry_at(place).unwrap().set(MARK);
    }
    assert_eq!(view.first_unmarked(0), None);
    if let Some(ranking) = table.ranking() {
        let mut found = 0;
        for (segment, shape) in (0..).zip(ranking.segments()) {
            for row in 0..shape.rows {
                for column in 0..shape.columns {
                    let slot = Slot {
                        segment,
                        row,
                        column,
                    };
                    let (block, index) = view.plan.locate(slot).unwrap();
                    let place = EntryPlace::new(segment, block, index);
                    found += u64::from(view.entry_at(place).is_some());
                }
            }
        }
        assert_eq!(found, table.file().entries());
    }
}

#[test]
fn entries_are_found_at_their_places() {
    places_are_found(&kalah(3, 2));
    places_are_found(&TicTacToe::default());
    // Tiles of more than one group.
    places_are_found(&Kalah::endgame(4, 7, false).unwrap());
}

/// Returns a keyed table of positions from random playouts, and its keys.
///
/// The scores are arbitrary, so many entries take little time.
fn large_table() -> (Table<Connect4>, Vec<u128>) {
    let game = Connect4::new(Parameters::default()).unwrap();
    let mut random = Random::new(1);
    let mut keys = BTreeSet::new();
    while keys.len() < 24_000 {
        let mut position = game.start();
        while game.final_score(&position).is_none() {
            keys.insert(game.key(&game.canonical(&position)));
            let moves = game.legal_moves(&position);
            position = game.play(&position, moves[random.index(moves.len())]);
        }
    }
    let entries = keys.iter().copied().zip((-1..=1).cycle()).collect();
    let options = WriteOptions {
        block_entries: 500,
        ..WriteOptions::default()
    };
    let bytes = write_to_vec(&game, &Solution::Keyed(entries), options, &NoProgress).unwrap();
    let file = TableFile::from_bytes(bytes).unwrap();
    (Table::new(file, game).unwrap(), keys.into_iter().collect())
}

#[test]
fn checksums_are_of_the_whole_file() {
    let (table, keys) = large_table();
    let file = table.file();
    assert!(file.bytes() > 1 << 16, "{}", file.bytes());
    let entries = file.verify_checksums(&NoProgress).unwrap();
    assert_eq!(entries, keys.len() as u64);
}

#[test]
fn many_keys_are_gone_through_in_their_order() {
    let (table, keys) = large_table();
    let view = View::load_all(&table, 1 << 30, &NoProgress).unwrap();
    assert!(table.file().blocks() > 2);
    let places = places(&view);
    let found = places.iter().map(|&place| {
        let position = view.position(place).unwrap();
        assert_eq!(view.place(&position), Some(place));
        table.game().key(&position)
    });
    assert_eq!(found.collect::<Vec<u128>>(), keys);
}

/// Scores without that of one slot.
struct Without(Box<dyn Scores>, Slot);

impl Scores for Without {
    fn count(&self) -> u64 {
        self.0.count() - 1
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        self.0.tile(segment, rows.clone(), columns.clone(), tile);
        let Slot { row, column, .. } = self.1;
        if segment == self.1.segment && rows.contains(&row) && columns.contains(&column) {
            let index = tile.index(row - rows.start, column - columns.start);
            tile.codes[index] = 0;
            tile.present[index / 64] &= !(1 << (index % 64));
        }
    }
}

#[test]
fn an_endgame_lacks_no_position() {
    let game = Kalah::endgame(2, 4, false).unwrap();
    let solved = solve(&game, Method::Backward, OPTIONS, &NoProgress).unwrap();
    let Solution::Ranked(scores) = solved.solution else {
        panic!("not ranked");
    };
    let slot = Slot {
        segment: 1,
        row: 0,
        column: 1,
    };
    let solution = Solution::Ranked(Box::new(Without(scores, slot)));
    let options = WriteOptions::default();
    let bytes = write_to_vec(&game, &solution, options, &NoProgress).unwrap();
    let refused = Table::new(TableFile::from_bytes(bytes).unwrap(), game);
    let part = format!("counts of part {}", slot.segment);
    assert!(matches!(
        refused,
        Err(ReadError::Damaged { part: of, .. }) if of == part
    ));
}

/// A ranking that exchanges the positions of the first two slots in each row.
struct Exchanged<'a, P>(&'a dyn Ranking<P>);

impl<P> Ranking<P> for Exchanged<'_, P> {
    fn segments(&self) -> &[Segment] {
        self.0.segments()
    }

    fn slot(&self, canonical: &P) -> Option<Slot> {
        self.0.slot(canonical)
    }

    fn position(&self, slot: Slot) -> P {
        let columns = self.segments()[slot.segment as usize].columns;
        let other = if columns > 1 && slot.column < 2 { 1 } else { 0 };
        self.0.position(Slot {
            column: slot.column ^ other,
            ..slot
        })
    }
}

#[test]
fn a_position_at_the_place_of_another_is_misnumbered() {
    let table = table_of(&Kalah::endgame(2, 4, false).unwrap());
    let ranking = table.ranking().unwrap().clone();
    let exchanged = Exchanged(&*ranking);
    let fault_with = |ranking| {
        let mut proof = Proof::new(&table, true, &NoProgress);
        proof.view.loaded.load(0, &NoProgress).unwrap();
        (proof.wanted, proof.view.ranking) = (0..1, Some(ranking));
        let first = FirstFault::new();
        proof.run_pass(0, false, &first, &PassResults::default());
        first.into_inner()
    };
    assert!(fault_with(&*ranking).is_none());
    let fault = fault_with(&exchanged);
    assert!(
        matches!(fault, Some(Fault::Named(named)) if matches!(*named, Refutation::Misnumbered { .. }))
    );
}

#[test]
fn entries_without_a_code_are_faults() {
    // The table omits the codes of some segments.
    let table = table_of(&Kalah::endgame(2, 4, true).unwrap());
    let view = View::load_all(&table, 1 << 30, &NoProgress).unwrap();
    for place in places(&view) {
        let mut proof = Proof::new(&table, true, &NoProgress);
        proof.view.loaded.load(0, &NoProgress).unwrap();
        proof.wanted = 0..1;
        let entry = proof.view.entry_at(place).unwrap();
        entry.put(NONE);
        let first = FirstFault::new();
        proof.run_pass(0, false, &first, &PassResults::default());
        // Nothing needs the score of an entry that no move leads to.
        assert!(first.into_inner().is_some() || entry.load() & MARK == 0);
    }
}

#[test]
fn a_hundred_wrong_scores_are_shown() {
    let game = TicTacToe::default();
    let solved = solve(&game, Method::Backward, OPTIONS, &NoProgress).unwrap();
    let Solution::Keyed(mut entries) = solved.solution else {
        panic!("not keyed");
    };
    let wrong = |score: i32| if score > 0 { score - 1 } else { score + 1 };
    entries
        .iter_mut()
        .for_each(|(_, score)| *score = wrong(*score));
    let (count, solution) = (entries.len() as u64, Solution::Keyed(entries));
    let options = WriteOptions::default();
    let bytes = write_to_vec(&game, &solution, options, &NoProgress).unwrap();
    let table = Table::new(TableFile::from_bytes(bytes).unwrap(), game).unwrap();
    let found = verify_by_search(&table, None, OPTIONS, &NoProgress).unwrap();
    assert_eq!((found.entries, found.wrong), (count, count));
    assert_eq!(found.examples.len(), 100);
}

/// Progress that cancels as soon as the first search has begun.
#[derive(Default)]
struct StopInSearch {
    is_searching: AtomicBool,
    looks: AtomicU64,
}

impl Progress for StopInSearch {
    fn phase(&self, name: &str, _unit: &str, _total: u64) {
        let is_searching = name == "searching";
        self.is_searching.store(is_searching, Ordering::Relaxed);
    }

    fn advance(&self, _units: u64) {}

    fn cancelled(&self) -> bool {
        // The first two calls come before the first search, which is of the start.
        self.is_searching.load(Ordering::Relaxed) && self.looks.fetch_add(1, Ordering::Relaxed) > 1
    }
}

#[test]
fn a_search_that_goes_on_is_stopped() {
    let table = table_of(&TicTacToe::default());
    let stop = StopInSearch::default();
    let stopped = verify_by_search(&table, None, OPTIONS, &stop);
    assert!(matches!(stopped, Err(VerifyError::Interrupted { .. })));
    let found = verify_by_search(&table, None, OPTIONS, &NoProgress).unwrap();
    assert_eq!(found.entries, table.file().entries());
}

/// Checks that a proof tries each move once; returns the number of its steps.
fn counts_every_move_once<G: Notation>(game: &G) -> u32 {
    let table = table_of(game);
    let blocks = 0..table.file().blocks();
    let entries = blocks.flat_map(|block| table.block_entries(block).unwrap());
    let expected: u64 = entries
        .map(|(position, _)| game.legal_moves(&position).len() as u64)
        .sum();
    let verdict = verify(&table, &VerifyOptions::within(1, 1 << 30), &NoProgress).unwrap();
    let Verdict::Proved { moves, steps, .. } = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(moves, expected);
    steps
}

#[test]
fn a_proof_looks_at_every_move_of_every_entry_once() {
    // Layers of 2 to 12 seeds, of no to eight marks, and of 2 to 7 seeds.
    assert_eq!(counts_every_move_once(&kalah(3, 2)), 11);
    assert_eq!(counts_every_move_once(&TicTacToe::default()), 9);
    let endgame = Kalah::endgame(4, 7, false).unwrap();
    assert_eq!(counts_every_move_once(&endgame), 6);
}

/// Checks that the judge passes entries with their right scores only.
///
/// It must pass no entry if a class after a move is missing, or has a score that would change the
/// best one.
fn judge_passes_right_scores_only<G: Notation>(game: &G) {
    let table = table_of(game);
    for (position, score) in table.entries().map(Result::unwrap) {
        let probe = |class: &G::Position| table.probe(class);
        let is_wrong = |result| match result {
            Err(Stop::Refuted(refutation)) => matches!(*refutation, Refutation::Wrong { .. }),
            _ => false,
        };
        assert!(judge::entry(game, &position, score, probe).is_ok());
        for wrong in [score - 1, score + 1, -score - 1, i32::MIN, i32::MAX] {
            assert_eq!(
                is_wrong(judge::entry(game, &position, wrong, probe)),
                wrong != score
            );
        }
        for mv in game.legal_moves(&position) {
            let child = game.play(&position, mv);
            if game.final_score(&child).is_some() {
                continue;
            }
            let child = game.canonical(&child);
            let without = |class: &G::Position| match *class == child {
                true => Ok(None),
                false => table.probe(class),
            };
            let Err(Stop::Refuted(missing)) = judge::entry(game, &position, score, without) else {
                panic!("{child:?} is missing, and nobody notices");
            };
            assert!(matches!(*missing, Refutation::Missing { .. }));
            // A score so good or bad that the move is the best one.
            let side = game.side_to_move(&position);
            let best = match game.side_to_move(&game.play(&position, mv)) == side {
                true => 1000,
                false => -1000,
            };
            let better = |class: &G::Position| match *class == child {
                true => Ok(Some(best)),
                false => table.probe(class),
            };
            assert!(is_wrong(judge::entry(game, &position, score, better)));
        }
    }
}

#[test]
fn the_judge_passes_right_scores_only() {
    judge_passes_right_scores_only(&TicTacToe::default());
    judge_passes_right_scores_only(&kalah(3, 2));
}

#[test]
fn stored_scores_must_be_those_of_the_best_move() {
    use Ruling::{Right, Undecided, Wrong};
    for stored in [-3, 0, 3, i32::MIN] {
        let better = Some(stored.saturating_add(1));
        let worse = [None, stored.checked_sub(1)];
        for (is_attained, is_last) in [(false, false), (false, true), (true, false), (true, true)] {
            let judge = |best| judge::stored(stored, best, is_attained, is_last);
            assert_eq!(judge(better), Wrong);
            assert_eq!(judge(Some(stored)), Right);
            let expected = match (is_attained, is_last) {
                (true, _) => Right,
                (false, true) => Wrong,
                (false, false) => Undecided,
            };
            // No score is below the lowest.
            let worse = worse.into_iter().filter(|&best| best < Some(stored));
            worse.for_each(|best| assert_eq!(judge(best), expected, "{best:?} {stored}"));
        }
        assert!(judge::is_best(stored, Some(stored)));
        assert!(!judge::is_best(stored, better) && !judge::is_best(stored, None));
    }
}

#[test]
fn omitted_scores_must_be_scores_of_the_table() {
    use Ruling::{Right, Undecided, Wrong};
    let scores = ScoreRange {
        lowest: -4,
        step: 2,
        highest: 4,
    };
    // Each best score, with the rulings of the last pass and of others.
    for (best, last, other) in [
        (None, Wrong, Undecided),
        (Some(-5), Wrong, Undecided),
        (Some(-4), Right, Right),
        (Some(1), Wrong, Undecided),
        (Some(4), Right, Right),
        (Some(5), Wrong, Wrong),
        (Some(6), Wrong, Wrong),
    ] {
        assert_eq!(judge::omitted(scores, best, true), last, "{best:?}");
        assert_eq!(judge::omitted(scores, best, false), other, "{best:?}");
    }
}

/// Counts the entries that were compared.
#[derive(Default)]
struct Compared {
    entries: AtomicU64,
    is_verifying: AtomicBool,
}

impl Progress for Compared {
    fn phase(&self, name: &str, _: &str, _: u64) {
        let is_verifying = name == "verifying";
        self.is_verifying.store(is_verifying, Ordering::Relaxed);
    }

    fn advance(&self, units: u64) {
        if self.is_verifying.load(Ordering::Relaxed) {
            self.entries.fetch_add(units, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_proof_by_layers_ends_at_the_first_move_to_a_higher_layer() {
    let ranked = true;
    let table = table_of(&Walk {
        ranked,
        ..walk(2000)
    });
    let compared = Compared::default();
    let verdict = verify(&table, &VerifyOptions::within(1, 1 << 28), &compared).unwrap();
    let Verdict::Proved { entries, .. } = verdict else {
        panic!("{verdict:?}");
    };
    let compared = compared.entries.into_inner();
    let expected = entries..entries + entries / 10;
    assert!(expected.contains(&compared), "{compared} of {entries}");
}
