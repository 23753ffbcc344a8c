use zermelo::games::kalah::*;
use zermelo::games::kalah::search::{board::*, numbers::*, probe::*, prover::*, transposition::*};
use zermelo::games::kalah::endgame::Endgame;
use zermelo::game::*;
use std::time::Instant;
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let [pits, seeds, n, mb, threads, empty, ..] = a[..] else { panic!() };
    let game = Kalah::new(Rules{pits: pits as usize, seeds: seeds as usize, empty_capture: empty==1}).unwrap();
    let t0 = Instant::now();
    rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global().unwrap();
    let endgame = Endgame::new(pits as usize, n as usize, empty==1, &NoProgress).unwrap();
    let t1 = t0.elapsed().as_secs_f64();
    let total = (2*pits*seeds) as usize;
    let numbers = Numbers::new(pits as usize, total).unwrap();
    let table = Transpositions::new(numbers.count(), mb << 20).unwrap();
    let mut shared = Shared { sower: Sower::new(pits as usize, empty==1), numbers, table, probe: Probe::new(pits as usize, &endgame), pits: pits as usize,
        pruning: Pruning{table:true,transposition_cutoffs:true,futility:true,table_move:true,extra_turns_first:true,captures_first:true,x:a.get(6).map_or(0,|x|*x as u32)},
        stop: false.into(), nodes: 0.into(), searching: (0..4096).map(|_| 0.into()).collect(), defer: threads > 1 };
    let start = game.start();
    let board = Board::new(pits as usize, &start.pits[0], &start.pits[1]);
    let key = shared.table.key(shared.numbers.of(board));
    let (mut lower, mut upper) = (0i32, total as i32);
    let mut guess = total as i32 / 2 + 1;
    while lower < upper {
        let wanted = if guess == lower { guess + 1 } else { guess };
        let nodes = std::sync::atomic::AtomicU64::new(0);
        let shared_ref = &shared;
        let results: Vec<_> = std::thread::scope(|s| {
            let handles: Vec<_> = (0..threads).map(|_| s.spawn(|| {
                let mut p = Prover { shared: shared_ref, nodes: 0, probes: 0 };
                let r = p.search(board, key, total as u32, wanted);
                shared_ref.stop.store(true, std::sync::atomic::Ordering::Relaxed);
                nodes.fetch_add(p.nodes, std::sync::atomic::Ordering::Relaxed);
                (r, p.probes)
            })).collect();
            handles.into_iter().map(|h| h.join().unwrap()).collect()
        });
        shared.stop = false.into();
        shared.searching.iter().for_each(|x| x.store(0, std::sync::atomic::Ordering::Relaxed));
        let v = results.iter().find_map(|(r,_)| r.ok()).unwrap();
        if v >= wanted { lower = v } else { upper = v }
        guess = v;
        eprintln!("wanted {wanted}: got {v}; [{lower},{upper}] nodes {:?} probes {} {:.2}s", nodes, results.iter().map(|x|x.1).sum::<u64>(), t0.elapsed().as_secs_f64());
    }
    if a.get(7) == Some(&1) { for round in 0..2 {
        shared.table.forget();
        shared.stop = false.into();
        let mut p = Prover { shared: &shared, nodes: 0, probes: 0 };
        let r = p.search(board, key, total as u32, upper + 1);
        eprintln!("again {round}: {r:?} nodes {}", p.nodes);
    }}
    println!("({pits},{seeds}) score {} endgame {t1:.2}s total {:.2}s", 2*lower - total as i32, t0.elapsed().as_secs_f64());
}
