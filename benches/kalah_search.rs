//! Positions per second of Kalah's search.
//!
//! It searches (6,3) above an endgame of 12 seeds, with an initially empty transposition table.
//!
//! `cargo bench -p zermelo-benches --bench kalah_search`; the throughput is in the column `thrpt`.

#![allow(missing_docs)] // The macro's items have no docs.

use criterion::{BatchSize, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use zermelo::game::{Game, NoProgress, Searcher};
use zermelo::games::kalah::endgame::Form;
use zermelo::games::kalah::search::{KalahSearch, MemoryPlan};
use zermelo::games::kalah::{Kalah, Rules};

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kalah_search");
    group.sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    group.measurement_time(Duration::from_secs(10));
    let game = Kalah::new(Rules {
        pits: 6,
        seeds: 3,
        empty_capture: false,
    })
    .expect("a game");
    let plan = MemoryPlan {
        endgame_seeds: 12,
        form: Form::Bytes,
        table_bytes: 1 << 27,
    };
    let new = |threads| KalahSearch::new(&game, 36, plan, threads, &NoProgress).expect("a search");
    let score = |search: KalahSearch| {
        let score = search.score(&game.start(), 0, &NoProgress, &mut |_| ());
        let score = score.expect("it can be searched").score();
        assert_eq!(score, Some(2));
        search
    };
    for threads in [1, 2] {
        // With several threads the number of nodes varies a little from run to run.
        let nodes = score(new(threads)).nodes();
        group.throughput(Throughput::Elements(nodes));
        group.bench_function(format!("{threads} threads"), |bencher| {
            bencher.iter_batched(|| new(threads), score, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default();
    targets = search
}
criterion_main!(benches);
