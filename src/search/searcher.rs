//! The generic searcher, which uses what earlier searches have learnt.

use super::{Algorithm, STACK, Search, TranspositionTable, Window, deepest_on};
use crate::game::{
    Bounds, Endless, Game, Notation, Progress, SearchError, SearchSetup, Searcher, SolveError,
    too_long,
};
use crate::pool::{OWN_STACK, on_large_stack};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Returns the game's own searcher if it has one, and otherwise the generic one.
///
/// # Errors
/// If the searcher can't use the setup's endgame, or the system has too little memory.
///
/// ```
/// use zermelo::game::{Game, NoProgress, SearchSetup};
/// use zermelo::games::tictactoe::TicTacToe;
///
/// let game = TicTacToe::default();
/// let setup = SearchSetup::new(1, 1 << 20);
/// let searcher = zermelo::search::searcher(&game, &setup)?;
/// let draw = searcher.score(&game.start(), 0, &NoProgress, &mut |_| ())?;
/// assert_eq!(draw.score(), Some(0));
/// # Ok::<(), zermelo::game::SearchError>(())
/// ```
pub fn searcher<G: Notation>(
    game: &G,
    setup: &SearchSetup,
) -> Result<Box<dyn Searcher<G>>, SearchError> {
    check_searchable(game)?;
    if let Some(own) = game.capabilities().searching.searcher(setup) {
        return own;
    }
    setup.refuse_endgame(|| game.name())?;
    Ok(Box::new(GenericSearcher::new(game, setup.memory)?))
}

/// Checks that single positions of a game can be searched.
///
/// # Errors
/// If positions can repeat: the score of one then depends on all the others.
pub(crate) fn check_searchable<G: Notation>(game: &G) -> Result<(), SolveError> {
    match game.endless() {
        Endless::Impossible => Ok(()),
        Endless::Draw => Err(SolveError::OnlyBySolving { game: game.name() }),
    }
}

/// A searcher for any game: MTD(f) over alpha-beta.
///
/// All questions share one transposition table. A search runs on the calling thread, or on one with
/// a larger stack if games are long.
pub struct GenericSearcher<G> {
    game: G,
    table: TranspositionTable,
    nodes: AtomicU64,
    /// Whether games were too long for the calling thread's stack.
    is_deep: AtomicBool,
}

impl<G: Game> GenericSearcher<G> {
    /// Returns a searcher with a transposition table of `memory` bytes.
    ///
    /// The system provides the memory only as it is used.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system can't promise the memory.
    pub fn new(game: &G, memory: u64) -> Result<Self, SearchError> {
        Ok(GenericSearcher {
            game: game.clone(),
            table: TranspositionTable::try_new(memory)?,
            nodes: AtomicU64::new(0),
            is_deep: AtomicBool::new(false),
        })
    }
}

impl<G: Notation> Searcher<G> for GenericSearcher<G> {
    fn bounds(&self, position: &G::Position) -> Bounds {
        if let Some(score) = self.game.final_score(position) {
            return Bounds::exactly(score);
        }
        Bounds::of_range(&self.game, position)
    }

    fn bound(
        &self,
        position: &G::Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, SearchError> {
        // A small search ends before its first check for cancellation, so check here.
        if progress.cancelled() {
            return Ok(None);
        }
        let visited = |nodes| {
            self.nodes.fetch_add(nodes, Relaxed);
            progress.advance(nodes);
        };
        let stop = |nodes| {
            visited(nodes);
            progress.cancelled()
        };
        // Searches on a stack of this size; an error is the depth if that was too deep.
        let search = |stack| {
            let deepest = deepest_on::<G>(stack);
            let mut search = Search::new(&self.game)
                .with_table(&self.table)
                .no_deeper_than(deepest)
                .stop_when(&stop);
            let window = Window::at_least(wanted);
            let found = search.in_window(Algorithm::AlphaBeta, position, window);
            visited(search.untold());
            match search.went_too_deep {
                true => Err(deepest),
                false => Ok(found.ok()),
            }
        };
        if !self.is_deep.load(Relaxed) {
            match search(OWN_STACK) {
                Err(_) => self.is_deep.store(true, Relaxed),
                Ok(found) => return Ok(found),
            }
        }
        let found = on_large_stack(STACK, search);
        found.map_err(|moves| SearchError::Solve(too_long(&self.game, position, moves)))
    }

    fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{EndgameError, NoProgress, SolveError};
    use crate::games::eight::Eight;
    use crate::games::kalah::{Kalah, Rules};
    use crate::games::reversi::{Board, Reversi, Start};
    use crate::games::tictactoe::TicTacToe;
    use crate::random::Random;
    use crate::testing::linear_game::{LinearGame, circular, linear_game};
    use crate::testing::tables::kalah;

    fn setup(memory: u64) -> SearchSetup {
        SearchSetup::new(1, memory)
    }

    /// Returns shuffled positions of random games, at any number of moves.
    fn positions<G: Game>(game: &G, plays: usize) -> Vec<G::Position> {
        let mut random = Random::new(3);
        let mut positions = Vec::new();
        for _ in 0..plays {
            let mut position = game.start();
            while game.final_score(&position).is_none() {
                let moves = game.legal_moves(&position);
                position = game.play(&position, moves[random.index(moves.len())]);
                if random.below(4) == 0 {
                    positions.push(position.clone());
                }
            }
        }
        for last in (1..positions.len()).rev() {
            positions.swap(last, random.index(last + 1));
        }
        positions
    }

    /// Compares a searcher's answers about many positions with a plain search.
    fn agrees<G: Notation>(game: &G, searcher: &dyn Searcher<G>, plays: usize) {
        let table = TranspositionTable::new(1 << 24);
        let mut plain = Search::new(game).with_table(&table);
        for position in positions(game, plays) {
            let wanted = plain.score(Algorithm::AlphaBeta, &position).unwrap();
            let known = searcher.bounds(&position);
            assert!(known.lower <= wanted && wanted <= known.upper);
            let mut last = known;
            let found = searcher.score(&position, wanted / 2, &NoProgress, &mut |bounds| {
                assert!(bounds.lower <= wanted && wanted <= bounds.upper);
                last = bounds;
            });
            assert_eq!(found.unwrap(), Bounds::exactly(wanted), "{position:?}");
            for question in [wanted, wanted + 1] {
                let bound = searcher.bound(&position, question, &NoProgress).unwrap();
                assert_eq!(bound.unwrap() >= question, wanted >= question);
            }
        }
    }

    #[test]
    fn searchers_agree_with_plain_search() {
        let board = Board::FourByFour;
        let reversi = Reversi {
            board,
            start: Start::Cross,
        };
        for memory in [1 << 10, 1 << 24] {
            let own = |game: &Kalah| {
                let more = setup(memory + (40 << 20));
                let searcher = searcher(game, &more).unwrap();
                agrees(game, searcher.as_ref(), 12);
            };
            for (pits, seeds, empty_capture) in [(2, 5, false), (3, 3, true), (4, 2, false)] {
                let game = Kalah::new(Rules {
                    pits,
                    seeds,
                    empty_capture,
                })
                .unwrap();
                agrees(&game, &GenericSearcher::new(&game, memory).unwrap(), 12);
                own(&game);
            }
            agrees(&Eight, &GenericSearcher::new(&Eight, memory).unwrap(), 30);
            let game = TicTacToe::default();
            agrees(&game, searcher(&game, &setup(memory)).unwrap().as_ref(), 30);
            let searcher = searcher(&reversi, &setup(1 << 24)).unwrap();
            agrees(&reversi, searcher.as_ref(), 2);
        }
    }

    #[test]
    fn bounds_of_a_stopped_search_are_correct() {
        struct Stop;
        impl Progress for Stop {
            fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
            fn advance(&self, _units: u64) {}
            fn cancelled(&self) -> bool {
                true
            }
        }
        let game = kalah(4, 3);
        let searcher = GenericSearcher::new(&game, 1 << 24).unwrap();
        let stopped = searcher.score(&game.start(), 0, &Stop, &mut |_| ());
        let stopped = stopped.unwrap();
        assert_eq!(stopped.score(), None);
        let exact = searcher.score(&game.start(), 0, &NoProgress, &mut |_| ());
        let exact = exact.unwrap().score().unwrap();
        assert!(stopped.lower <= exact && exact <= stopped.upper);
        assert_eq!(searcher.bound(&game.start(), 99, &Stop).unwrap(), None);
    }

    /// Runs on what remains of the test thread's own stack.
    #[test]
    fn plays_of_any_length_end_in_a_score_or_an_error() {
        let ask = |game: &LinearGame| {
            let searcher = GenericSearcher::new(game, 1 << 20).unwrap();
            searcher.bound(&game.start(), 1, &NoProgress)
        };
        for length in [1, 2, 999, 1000, 20_000, 20_001] {
            let wins = length % 2 == 1;
            assert_eq!(
                ask(&linear_game(length)).unwrap(),
                Some(if wins { 1 } else { -1 })
            );
        }
        let error = ask(&linear_game(1_000_000)).unwrap_err();
        let expected = deepest_on::<LinearGame>(STACK);
        assert!(
            matches!(error, SearchError::Solve(SolveError::TooLong { moves, .. }) if moves == expected),
            "{error}"
        );
        let text = ask(&circular()).unwrap_err().to_string();
        for part in [
            "can be solved: 2000 first -> (on) -> 2001 first",
            "\u{2026} (994 more) \u{2026}",
            "2999 first -> (on) -> 3000 first -> (back) -> 2000 first",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(text.len() < 500, "{text}");
    }

    #[test]
    fn an_endgame_is_not_taken_in_silence() {
        struct Any;
        impl crate::game::KnownScores for Any {
            fn rules(&self) -> &str {
                "eight"
            }
            fn name(&self) -> &str {
                "eight"
            }
        }
        let setup = SearchSetup {
            known: Some(std::sync::Arc::new(Any)),
            ..setup(1 << 20)
        };
        assert!(matches!(
            searcher(&Eight, &setup).err(),
            Some(SearchError::Endgame(EndgameError::NotTaken { .. }))
        ));
    }
}
