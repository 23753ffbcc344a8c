//! Positions per second of Kalah's retrograde solver.
//!
//! It solves all positions with 6 pits per side and up to 16, 20 or 22 seeds.
//!
//! `cargo bench -p zermelo-benches --bench solver`; the throughput is in the column `thrpt`.

#![allow(missing_docs)] // The macro's items have no docs.

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use std::time::Duration;
use zermelo::game::NoProgress;
use zermelo::games::kalah::endgame::Endgame;

fn solver(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solver");
    group.sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    group.measurement_time(Duration::from_secs(20));
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        for seeds in [16, 20, 22] {
            let solve = || Endgame::new(6, seeds, false, &NoProgress).expect("no interruption");
            let positions = pool.install(solve).positions;
            group.throughput(Throughput::Elements(positions));
            let id = BenchmarkId::new(format!("{threads} threads"), format!("{seeds} seeds"));
            group.bench_function(id, |bencher| bencher.iter(|| pool.install(solve)));
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default();
    targets = solver
}
criterion_main!(benches);
