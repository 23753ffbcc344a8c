use super::super::endgame::Endgame;
use super::*;
use crate::game::{EndgameError, KnownScores, NoProgress};
use crate::games::kalah::index::layout::segment_seeds;
use crate::random::Random;
use crate::testing::tables::kalah;
use std::error::Error;
use std::sync::atomic::AtomicU64;

fn setup(threads: usize, endgame: Option<Arc<dyn KnownScores>>) -> SearchSetup {
    SearchSetup {
        known: endgame,
        ..SearchSetup::new(threads, 100 << 20)
    }
}

/// An endgame with any rules string, and only the segments that `is_there` allows.
struct Offer {
    rules: String,
    endgame: Endgame,
    is_there: fn(usize, usize) -> bool,
}

impl KnownScores for Offer {
    fn rules(&self) -> &str {
        &self.rules
    }
    fn name(&self) -> &str {
        "an offer"
    }
    fn codes_of_segment(
        &self,
        segment: u32,
        codes: &mut [u8],
    ) -> Result<bool, Box<dyn Error + Send + Sync>> {
        let (mover, opponent) = segment_seeds(segment as usize);
        let is_there = (self.is_there)(mover, opponent);
        if is_there {
            codes.copy_from_slice(&self.endgame.codes(mover, opponent));
        }
        Ok(is_there)
    }
}

fn offer(rules: &str, is_there: fn(usize, usize) -> bool) -> Arc<Offer> {
    Arc::new(Offer {
        rules: rules.to_owned(),
        endgame: Endgame::new(4, 10, false, &NoProgress).unwrap(),
        is_there,
    })
}

fn random_position(random: &mut Random, pits: usize, seeds: usize) -> Position {
    let mut position = Position::bare([0; 6], [0; 6]);
    for _ in 0..seeds {
        position.pits[random.index(2)][random.index(pits)] += 1;
    }
    position.stores = [random.below(9) as u8, random.below(9) as u8];
    if random.below(2) == 1 {
        position.side = position.side.other();
    }
    position
}

/// Asks one searcher about rising, falling and mixed numbers of seeds.
#[test]
fn many_questions_in_a_row_are_answered_as_by_the_endgame_table() {
    let (pits, most) = (4, 20);
    let solver = Endgame::new(pits, most, false, &NoProgress).unwrap();
    let game = kalah(pits, 6);
    let kept = offer("kalah pits=4 up-to=10 capture=standard", |mover, other| {
        mover >= other
    });
    for setup in [setup(1, None), setup(2, None), setup(1, Some(kept))] {
        let searcher = KalahSearcher::new(&game, &setup).unwrap();
        let mut random = Random::new(8);
        let rising = 4..=most;
        let falling = (4..=most).rev();
        let mixed = (0..40).map(|step| 4 + step * 5 % (most - 3));
        let mut nodes = 0;
        for seeds in rising.chain(falling).chain(mixed) {
            let position = random_position(&mut random, pits, seeds);
            let (mover, opponent) = position.mover_and_opponent();
            let wanted = game
                .final_score(&position)
                .unwrap_or_else(|| game.banked(&position) + solver.score(mover, opponent).unwrap());
            let known = searcher.bounds(&position);
            assert!(known.lower <= wanted && wanted <= known.upper);
            let guess = random.below(40) as i32 - 20;
            let found = searcher.score(&position, guess, &NoProgress, &mut |_| ());
            assert_eq!(found.unwrap().score(), Some(wanted), "{position:?}");
            assert!(searcher.nodes() >= nodes);
            nodes = searcher.nodes();
        }
        assert!(nodes > 0 && searcher.depth() > Some(0));
    }
}

#[test]
fn it_is_planned_for_what_is_asked_and_keeps_the_endgame() {
    let game = kalah(4, 6);
    let searcher = KalahSearcher::new(&game, &setup(1, None)).unwrap();
    assert!(searcher.existing(0).is_none());
    let few = random_position(&mut Random::new(1), 4, 9);
    searcher.prepare(&[few], false, &NoProgress).unwrap();
    assert_eq!(searcher.existing(0).unwrap().seeds, 9);
    assert!(searcher.existing(10).is_none());
    searcher
        .prepare(&[game.start(), few], false, &NoProgress)
        .unwrap();
    let large = searcher.existing(48).unwrap();
    searcher.prepare(&[few], false, &NoProgress).unwrap();
    assert!(Arc::ptr_eq(&large, &searcher.existing(48).unwrap()));
}

#[test]
fn a_large_endgame_serves_for_more_seeds() {
    let game = kalah(4, 6);
    // With so little memory, more seeds get no larger endgame.
    let setup = SearchSetup {
        memory: 36 << 20,
        ..setup(1, None)
    };
    let searcher = KalahSearcher::new(&game, &setup).unwrap();
    let first = searcher.search_for(40, &NoProgress).unwrap();
    let second = searcher.search_for(48, &NoProgress).unwrap();
    assert_eq!(second.seeds, 48);
    assert!(Arc::ptr_eq(&first.state.endgame, &second.state.endgame));
}

#[test]
fn unsuitable_endgames_are_refused() {
    let with = |rules: &str| {
        let setup = setup(1, Some(offer(rules, |_, _| false)));
        KalahSearcher::new(&kalah(4, 6), &setup)
    };
    assert!(with("kalah pits=4 up-to=10 capture=standard").is_ok());
    let refused = |rules: &str| match with(rules).err() {
        Some(SearchError::Endgame(EndgameError::Unsuitable { problem, .. })) => problem,
        other => panic!("{rules}: {other:?}"),
    };
    for other in ["tictactoe scoring=outcome", "eight", ""] {
        assert!(refused(other).starts_with("it is a table of"));
    }
    for other in [
        "kalah pits=4 up-to=10 capture=empty",
        "kalah pits=5 up-to=10 capture=standard",
    ] {
        assert!(refused(other).contains("has other rules than kalah(4,6)"));
    }
    let start = refused("kalah pits=4 seeds=3 capture=standard");
    assert!(start.ends_with("holds only what can come up from its start"));
}

#[test]
fn positions_too_large_to_search_are_refused_with_numbers() {
    let game = kalah(6, 21);
    let searcher = KalahSearcher::new(&game, &setup(1, None)).unwrap();
    let error = searcher.bound(&game.start(), 0, &NoProgress).unwrap_err();
    assert!(matches!(&error, SearchError::TooMany { .. }));
    assert!(error.to_string().contains("252 seeds"), "{error}");
    let setup = SearchSetup {
        memory: 1000,
        ..setup(1, None)
    };
    let searcher = KalahSearcher::new(&game, &setup).unwrap();
    let position = random_position(&mut Random::new(1), 6, 30);
    let error = searcher.bound(&position, 0, &NoProgress).unwrap_err();
    assert!(matches!(error, SearchError::Memory { allowed: 1000, .. }));
}

/// An easy question needs no large endgame.
///
/// A hard one gets it, with the same score.
#[test]
fn a_look_comes_before_a_large_endgame() {
    let setup = SearchSetup {
        memory: 1 << 30,
        ..setup(2, None)
    };
    let easy = kalah(2, 63);
    let searcher = KalahSearcher::new(&easy, &setup).unwrap();
    let found = searcher.score(&easy.start(), 0, &NoProgress, &mut |_| ());
    assert_eq!(found.unwrap().score(), Some(28));
    let is_small = || {
        let current = lock(&searcher.searches).current.clone();
        current.map(|search| search.is_small())
    };
    assert_eq!(is_small(), Some(true), "an endgame was made");
    assert!(searcher.likely_best(&easy.start()).is_some());

    let hard = kalah(6, 3);
    let searcher = KalahSearcher::new(&hard, &setup).unwrap();
    searcher
        .prepare(&[hard.start()], false, &NoProgress)
        .unwrap();
    let is_small = || {
        let current = lock(&searcher.searches).current.clone();
        current.map(|search| search.is_small())
    };
    assert_eq!(is_small(), Some(true));
    for (wanted, is_so) in [(2, true), (4, false)] {
        let bound = searcher.bound(&hard.start(), wanted, &NoProgress);
        assert_eq!(bound.unwrap().map(|bound| bound >= wanted), Some(is_so));
    }
    assert_eq!(is_small(), Some(false));
}

/// Cancels after this many units of work.
struct Patience(AtomicU64);

impl Progress for Patience {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
    fn advance(&self, units: u64) {
        let left = self.0.load(Relaxed);
        self.0.store(left.saturating_sub(units), Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

#[test]
fn stopped_it_says_what_is_proven() {
    let game = kalah(6, 3);
    let setup = SearchSetup {
        memory: 40 << 20,
        ..setup(2, None)
    };
    let searcher = KalahSearcher::new(&game, &setup).unwrap();
    let score = |patience: u64| {
        let patience = Patience(AtomicU64::new(patience));
        searcher.score(&game.start(), 0, &patience, &mut |_| ())
    };
    // Cancel while the endgame is made.
    for patience in [0, 1 << 10] {
        assert!(matches!(score(patience), Err(SearchError::Interrupted)));
    }
    searcher
        .prepare(&[game.start()], false, &NoProgress)
        .unwrap();
    for patience in [0, 1, 1 << 14] {
        let Bounds { lower, upper } = score(patience).unwrap();
        assert!(lower < upper && lower <= 2 && 2 <= upper);
    }
    assert_eq!(score(u64::MAX).unwrap().score(), Some(2));
}

/// A search that is stopped again and again, and resumed with other resources.
#[test]
fn a_saved_search_is_resumed() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("search");
    let game = kalah(6, 3);
    let resumed = |threads, memory, patience| {
        let saved = SavedSearch::open(&path).unwrap().at_once();
        let setup = SearchSetup {
            saved: Some(Arc::new(saved)),
            ..SearchSetup::new(threads, memory)
        };
        let searcher = KalahSearcher::new(&game, &setup).unwrap();
        searcher
            .prepare(&[game.start()], true, &NoProgress)
            .unwrap();
        let patience = Patience(AtomicU64::new(patience));
        let found = searcher.score(&game.start(), 2, &patience, &mut |_| ());
        (found.unwrap(), searcher.nodes())
    };
    let mut last = (
        Bounds {
            lower: -36,
            upper: 36,
        },
        0,
    );
    for (threads, memory) in [(1, 40 << 20), (2, 38 << 20), (2, 40 << 20)] {
        last = resumed(threads, memory, 1 << 17);
        assert!(last.0.lower <= 2 && 2 <= last.0.upper);
    }
    while last.0.score().is_none() {
        last = resumed(1, 40 << 20, 1 << 17);
    }
    assert_eq!(last.0.score(), Some(2));
    // Everything is known now.
    let (found, nodes) = resumed(1, 40 << 20, u64::MAX);
    assert_eq!((found.score(), nodes), (Some(2), 0));

    let setup = SearchSetup {
        saved: Some(Arc::new(SavedSearch::open(&path).unwrap())),
        ..setup(1, None)
    };
    let other = kalah(6, 2);
    let searcher = KalahSearcher::new(&other, &setup).unwrap();
    let refused = searcher.prepare(&[other.start()], true, &NoProgress);
    assert!(matches!(refused, Err(SearchError::Saved(_))), "{refused:?}");
}
