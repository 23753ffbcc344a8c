//! Positions per second visited by the searches, with and without a table.
//!
//! They search Reversi on 24 squares from the start.
//!
//! `cargo bench -p zermelo-benches --bench search`; the throughput is in the column `thrpt`. A
//! search with more positions per second may still take longer than one that visits fewer
//! positions: compare the times.

#![allow(missing_docs)] // The macro's items have no docs.

use criterion::{BatchSize, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use zermelo::game::Game;
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::search::{Algorithm, Counts, Search, TranspositionTable};

const GAME: Reversi = Reversi {
    board: Board::Octagon,
    start: Start::Cross,
};

const TABLE_BYTES: u64 = 1 << 26;

fn run(algorithm: Algorithm, table: Option<TranspositionTable>) -> Counts {
    let mut search = Search::new(&GAME);
    if let Some(table) = &table {
        search = search.with_table(table);
    }
    assert_eq!(search.score(algorithm, &GAME.start()), Ok(0));
    search.counts()
}

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    // Negamax alone would take hours.
    for algorithm in [Algorithm::AlphaBeta, Algorithm::NegaScout, Algorithm::Mtdf] {
        for tabled in [false, true] {
            let table = || tabled.then(|| TranspositionTable::new(TABLE_BYTES));
            let counts = run(algorithm, table());
            group.throughput(Throughput::Elements(counts.nodes));
            let name = format!("{algorithm}{}", if tabled { " with a table" } else { "" });
            group.bench_function(name, |bencher| {
                let run = |table| run(algorithm, table);
                bencher.iter_batched(table, run, BatchSize::PerIteration);
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default();
    targets = search
}
criterion_main!(benches);
