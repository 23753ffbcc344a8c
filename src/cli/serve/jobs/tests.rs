//! Tests of the order of searches, and of their ends.

use super::*;
use crate::any::{FAMILIES, game_of_rules};
use crate::game::{NoProgress, SearchSetup};
use tokio::runtime::{Builder, Runtime};

const KALAH: &str = "kalah pits=6 seeds=4 capture=standard";
const TICTACTOE: &str = "tictactoe scoring=shortest";

fn oracle(rules: &str) -> AnyOracle<'static> {
    let game = game_of_rules(rules, FAMILIES).unwrap();
    let setup = SearchSetup::new(1, 64 << 20);
    game.search(&setup, &NoProgress).unwrap()
}

fn visitor(client: u64, page: u32) -> Visitor {
    Visitor {
        client: Some(client),
        page,
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// Returns the answer about a game's start, or what is known at once.
fn ask(jobs: &Arc<SearchJobs>, rules: &str, visitor: Visitor, patience: Duration) -> FoundAnswer {
    let (runtime, oracle) = (runtime(), oracle(rules));
    let wanted = Wanted {
        moves: true,
        ..Wanted::default()
    };
    let start = oracle.start();
    let asking = jobs.ask(rules, &oracle, start, wanted, (visitor, patience));
    runtime.block_on(asking).unwrap()
}

/// Waits until a game's question is no longer open.
fn is_closed(jobs: &Arc<SearchJobs>, rules: &str) {
    let is_open = || {
        let mut all = lock(&jobs.0);
        all.forget_unwanted();
        all.open.keys().any(|key| key.game == rules)
    };
    while is_open() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn searches_end_when_their_client_opens_another_page() {
    let jobs = Arc::<SearchJobs>::default();
    let first = ask(&jobs, KALAH, visitor(1, 1), Duration::ZERO);
    assert!(first.whole().is_none());
    // The same page again, and pages of others, end nothing.
    ask(&jobs, KALAH, visitor(1, 1), Duration::ZERO);
    for other in [visitor(2, 2), Visitor::default()] {
        ask(&jobs, TICTACTOE, other, Duration::from_secs(3600));
    }
    assert!(lock(&jobs.0).open.keys().any(|key| key.game == KALAH));
    ask(&jobs, TICTACTOE, visitor(1, 2), Duration::from_secs(3600));
    is_closed(&jobs, KALAH);
}

/// A hard question comes first, but the easy ones have their answers long before.
#[test]
fn cheap_questions_do_not_wait_behind_expensive_ones() {
    let jobs = Arc::<SearchJobs>::default();
    ask(&jobs, KALAH, visitor(1, 1), Duration::ZERO);
    let cheap = ask(&jobs, TICTACTOE, visitor(2, 2), Duration::from_secs(3600));
    assert!(cheap.whole().is_some());
    assert!(lock(&jobs.0).open.keys().any(|key| key.game == KALAH));
}

#[test]
fn the_search_that_cost_least_per_client_goes_first() {
    let open = |milliseconds: u64, clients: u64| {
        let key = JobKey {
            game: TICTACTOE.to_owned(),
            position: milliseconds.to_string(),
            wanted: Wanted::default(),
        };
        let mut open = OpenQuestion::new(&key, &oracle(TICTACTOE));
        open.served = Duration::from_millis(milliseconds);
        let until = Instant::now() + LONGEST;
        open.visitors = (0..clients)
            .map(|client| (visitor(client, 0), until))
            .collect();
        open
    };
    let level =
        |milliseconds, clients| open(milliseconds, clients).level(Duration::ZERO, Instant::now());
    let levels = [(49, 1), (50, 1), (149, 1), (150, 1), (350, 1), (1000, 25)];
    let levels = levels.map(|(milliseconds, clients)| level(milliseconds, clients));
    assert_eq!(levels, [0, 1, 1, 2, 3, 0]);
    let mut jobs = Jobs::default();
    for open in [open(400, 1), open(10, 1), open(60, 2), open(5, 0)] {
        jobs.open.insert(open.job.key.clone(), open);
    }
    jobs.forget_unwanted();
    let mut order: Vec<&OpenQuestion> = jobs.of_game(TICTACTOE).collect();
    order.sort_by_key(|open| open.order());
    let order: Vec<&str> = order.iter().map(|open| &*open.job.key.position).collect();
    assert_eq!(order, ["10", "60", "400"]);
    // A search gives way to a cheaper one as soon as it has cost more.
    let mut all = jobs.open.values();
    let job = all.find(|open| open.job.key.position == "10");
    let job = Arc::clone(&job.unwrap().job);
    assert!(!jobs.is_over(&job, Duration::from_millis(20)));
    assert!(jobs.is_over(&job, Duration::from_millis(60)));
}

#[test]
fn clients_are_asked_to_wait_if_too_many_questions_are_open() {
    let jobs = Arc::<SearchJobs>::default();
    let (runtime, oracle) = (runtime(), oracle(KALAH));
    let mut last = None;
    for number in 0..=MOST_OPEN {
        let wanted = Wanted {
            line: number,
            moves: true,
            ..Wanted::default()
        };
        let patience = (Visitor::default(), Duration::ZERO);
        let asking = jobs.ask("kalah", &oracle, oracle.start(), wanted, patience);
        last = Some(runtime.block_on(asking).unwrap());
    }
    let last = last.unwrap();
    assert!(last.searching.is_some() && last.answer.is_none());
    assert!(last.delay.unwrap().contains("busy"));
}
