//! Tests of Kalah's retrograde solver with checkpoints, intact or damaged.
//!
//! It must resume from them and find the same scores.

use crate::common::kalah;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::time::Duration;
use zermelo::game::{
    Checkpoints, NoCheckpoints, NoProgress, Notation, OwnSolver, Progress, Scores, SolveError,
    SolveOptions, Tile,
};
use zermelo::games::kalah::Kalah;
use zermelo::games::kalah::solver::{Forms, KalahSolver};

const OPTIONS: SolveOptions = SolveOptions {
    threads: 2,
    memory: 1 << 30,
};

/// A checkpoints in memory that stops the work after a number of events.
#[derive(Default)]
struct Memory {
    pieces: BTreeMap<String, Vec<u8>>,
    events: Vec<String>,
    /// The number of the event that fails.
    stop_at: Option<usize>,
}

impl Memory {
    fn event(&mut self, event: String) -> Result<(), SolveError> {
        self.events.push(event);
        match self.stop_at {
            Some(number) if number == self.events.len() => {
                Err(SolveError::Checkpoints("full".into()))
            }
            _ => Ok(()),
        }
    }
}

impl Checkpoints for Memory {
    fn saved(&mut self, name: &str) -> Option<Box<dyn Read + Send + '_>> {
        let piece = self.pieces.get(name)?;
        Some(Box::new(&piece[..]))
    }

    fn save(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SolveError> {
        self.event(format!("keep {name}"))?;
        let mut piece = Vec::new();
        write(&mut piece).unwrap();
        self.pieces.insert(name.into(), piece);
        Ok(())
    }

    fn solved(&mut self, layer: u32, scores: &dyn Scores) -> Result<(), SolveError> {
        assert!(scores.count() > 0);
        self.event(format!("solved {layer}"))
    }
}

/// A record of the solver's progress.
#[derive(Default)]
struct Log {
    /// The layers with their units of work.
    layers: Mutex<Vec<(String, u64)>>,
    notes: Mutex<Vec<String>>,
}

impl Progress for Log {
    fn phase(&self, name: &str, _unit: &str, total: u64) {
        self.layers.lock().unwrap().push((name.into(), total));
    }
    fn advance(&self, _units: u64) {}
    fn note(&self, text: &str) {
        self.notes.lock().unwrap().push(text.into());
    }
}

impl Log {
    fn rows(&self) -> u64 {
        let layers = self.layers.lock().unwrap();
        let finding = "finding reachable positions";
        layers.iter().find(|layer| layer.0 == finding).unwrap().1
    }
}

/// Returns a solver with sparse, dense and fully retained layers that saves all its work.
fn solver(game: &Kalah) -> KalahSolver {
    let mut solver = KalahSolver::new(game);
    solver.forms = Some(Forms {
        packed: true,
        saved_up_to: game.total_seeds() / 3,
        dense_up_to: game.total_seeds() / 2,
        in_files: false,
    });
    solver.checkpoint_after = Duration::ZERO;
    solver.checkpoint_pause = 0;
    solver
}

/// Returns all scores, segment by segment.
fn all_scores(game: &Kalah, scores: &dyn Scores) -> Vec<Vec<Option<u8>>> {
    let ranking = game.capabilities().solving.ranking().unwrap();
    let mut tile = Tile::default();
    (0..)
        .zip(ranking.segments())
        .map(|(number, segment)| {
            scores.tile(number, 0..segment.rows, 0..segment.columns, &mut tile);
            (0..segment.slots() as usize)
                .map(|index| tile.get(index))
                .collect()
        })
        .collect()
}

fn undisturbed(game: &Kalah) -> Vec<Vec<Option<u8>>> {
    let (scores, _) = KalahSolver::new(game)
        .solve(OPTIONS, &NoProgress, &mut NoCheckpoints)
        .unwrap();
    all_scores(game, &*scores)
}

/// Returns the checkpoints of a finished run.
fn finished(game: &Kalah) -> Memory {
    let mut checkpoints = Memory::default();
    solver(game)
        .solve(OPTIONS, &NoProgress, &mut checkpoints)
        .unwrap();
    checkpoints
}

fn resume(game: &Kalah, pieces: BTreeMap<String, Vec<u8>>) -> (Vec<Vec<Option<u8>>>, Log) {
    let (log, mut checkpoints) = (
        Log::default(),
        Memory {
            pieces,
            ..Memory::default()
        },
    );
    let (scores, _) = solver(game).solve(OPTIONS, &log, &mut checkpoints).unwrap();
    (all_scores(game, &*scores), log)
}

#[test]
fn checkpoints_receive_each_layer_in_order() {
    let game = kalah(4, 2, false);
    let events = finished(&game).events;
    let solved: Vec<&String> = events.iter().filter(|e| e.starts_with("solved")).collect();
    let layers: Vec<String> = (2..=16).map(|layer| format!("solved {layer}")).collect();
    assert_eq!(solved, layers.iter().collect::<Vec<_>>());
    let first = events.iter().position(|e| e.starts_with("solved")).unwrap();
    assert!(first > 0 && events[..first].iter().all(|e| e == "keep reachable"));
}

#[test]
fn a_solver_stopped_at_any_event_resumes_to_the_same_scores() {
    stopped_solvers_resume(&[kalah(3, 2, false), kalah(2, 3, true)]);
}

#[test]
#[ignore = "exhaustive: 15 s"]
fn a_solver_of_a_larger_game_stopped_at_any_event_resumes_to_the_same_scores() {
    stopped_solvers_resume(&[kalah(4, 2, false), kalah(3, 3, true)]);
}

fn stopped_solvers_resume(games: &[Kalah]) {
    for game in games {
        let wanted = undisturbed(game);
        let all = finished(game).events.len();
        let mut rows = Vec::new();
        for stop_at in 1..=all {
            let mut checkpoints = Memory {
                stop_at: Some(stop_at),
                ..Memory::default()
            };
            let stopped = solver(game).solve(OPTIONS, &NoProgress, &mut checkpoints);
            assert!(matches!(stopped, Err(SolveError::Checkpoints(_))));
            let (found, log) = resume(game, checkpoints.pieces);
            assert!(found == wanted, "{} stopped at {stop_at}", game.name());
            rows.push(log.rows());
        }
        // The later the run was stopped, the less work remained.
        assert!(rows.is_sorted_by(|a, b| a >= b), "{rows:?}");
        assert!(rows[0] > 0 && rows[all - 1] == 0);
    }
}

#[test]
fn checkpoints_are_used() {
    let game = kalah(4, 2, false);
    let (_, log) = resume(&game, finished(&game).pieces);
    assert_eq!(log.rows(), 0);
    let notes = log.notes.into_inner().unwrap();
    assert_eq!(notes, ["reachable positions: kept from an earlier run"]);
}

#[test]
fn damaged_pieces_are_not_used() {
    damage_is_not_used(&kalah(3, 2, false), 12);
}

#[test]
#[ignore = "exhaustive: 20 s"]
fn damaged_pieces_of_a_larger_game_are_not_used() {
    damage_is_not_used(&kalah(4, 2, false), 60);
}

/// Checks that reachable positions that are truncated or changed are not used.
fn damage_is_not_used(game: &Kalah, places: usize) {
    let wanted = undisturbed(game);
    let pieces = finished(game).pieces;
    let whole = &pieces["reachable"];
    let mut damages: Vec<Vec<u8>> = vec![Vec::new(), [&whole[..], b"x"].concat()];
    for i in 0..places {
        let at = i * whole.len() / places;
        damages.push(whole[..at].to_vec());
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (i % 8);
        damages.push(flipped);
    }
    let mut noticed = 0;
    for damaged in damages {
        let mut pieces = pieces.clone();
        pieces.insert("reachable".into(), damaged);
        let (found, log) = resume(game, pieces);
        assert!(found == wanted);
        let notes = log.notes.into_inner().unwrap();
        noticed += usize::from(notes.iter().any(|note| note.contains("can't be used")));
    }
    // Only a few bytes don't matter, such as the time in a gzip header.
    let all = 2 + 2 * places;
    assert!(10 * noticed > 9 * all + 2, "{noticed} of {all} noticed");
}

#[test]
fn pieces_of_other_games_are_not_used() {
    let game = kalah(4, 2, false);
    let wanted = undisturbed(&game);
    for other in [kalah(4, 2, true), kalah(2, 4, false), kalah(4, 1, false)] {
        let (found, log) = resume(&game, finished(&other).pieces);
        assert!(found == wanted, "{}", other.name());
        let notes = log.notes.into_inner().unwrap();
        assert!(!notes.is_empty());
        assert!(
            notes.iter().all(|note| note.contains("can't be used")),
            "{notes:?}"
        );
    }
}
