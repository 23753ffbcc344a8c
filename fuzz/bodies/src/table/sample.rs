//! The tables that are changed: small ones of every game and layout.

use super::check::{Checked, check};
use super::file::Parts;
use super::lie::lie;
use arbitrary::{Result, Unstructured};
use std::collections::HashSet;
use std::sync::OnceLock;
use zermelo::game::{NoProgress, Notation, Slot, Solution, SolveOptions};
use zermelo::games::eight::Eight;
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::games::tictactoe::{Scoring, TicTacToe};
use zermelo::solve::{Method, solve};
use zermelo::table::{
    CheckedFile, LayerCount, Outcomes, Table, TableFile, WriteOptions, write_to_vec,
};

/// A table of a small game.
pub trait Sample: Send + Sync {
    fn bytes(&self) -> &[u8];
    fn parts(&self) -> &Parts;
    /// A table with right sums whose entries are not those of the game.
    fn lie(&self, u: &mut Unstructured<'_>) -> Result<Option<Vec<u8>>>;
    /// Holds what a changed table answers against the truth.
    fn check(&self, bytes: Vec<u8>, forged: bool, u: &mut Unstructured<'_>) -> Result<Checked>;
}

/// What the undamaged table says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statistics {
    pub name: String,
    pub family: String,
    pub layer_name: String,
    pub entries: u64,
    pub outcomes: Outcomes,
    pub histogram: Vec<(i32, u64)>,
    pub layers: Vec<LayerCount>,
    /// Unless the index can't be read.
    pub slots: Option<Vec<(u32, u64)>>,
}

impl Statistics {
    pub fn of(file: &CheckedFile) -> Statistics {
        let sizes = file.layer_sizes();
        let slots = sizes.map(|sizes| sizes.iter().map(|s| (s.layer, s.slots)).collect());
        Statistics {
            name: file.game_name().into(),
            family: file.family().into(),
            layer_name: file.metadata().layer_name.clone(),
            entries: file.entries(),
            outcomes: file.outcomes(),
            histogram: file.histogram(),
            layers: file.layers(),
            slots: slots.ok(),
        }
    }

    /// # Panics
    /// If what is said differs from the truth.
    pub fn agree(&self, truth: &Statistics) {
        assert_eq!(self.entries, truth.entries, "entries");
        assert_eq!(self.outcomes, truth.outcomes, "outcomes");
        assert_eq!(self.histogram, truth.histogram, "scores");
        if self.slots.is_some() {
            assert_eq!(self.slots, truth.slots, "slots");
        }
        assert_eq!(self.name, truth.name, "name");
        assert_eq!(self.family, truth.family, "family");
        assert_eq!(self.layer_name, truth.layer_name, "name of layers");
        assert_eq!(self.layers, truth.layers, "layers");
    }
}

/// A table whose game's type is known.
pub struct Of<G: Notation> {
    pub game: G,
    pub options: WriteOptions,
    pub solution: Solution,
    pub bytes: Vec<u8>,
    pub parts: Parts,
    pub statistics: Statistics,
    /// Canonical positions, with and without an entry, and what a probe answers.
    pub probes: Vec<(G::Position, Option<i32>)>,
    /// The codes of each segment that [`TableFile::codes_of_segment`] gives.
    pub codes: Vec<Option<Vec<u8>>>,
    /// Some tables that lie, written when they are first wanted.
    lies: [OnceLock<Option<Vec<u8>>>; 6],
    /// How seldom the whole table is verified: once in so many times.
    pub seldom: u32,
}

impl<G: Notation> Of<G> {
    pub fn boxed(game: G, side: u32, seldom: u32) -> Box<dyn Sample> {
        let threads = SolveOptions {
            threads: 1,
            memory: 1 << 28,
        };
        let solved = solve(&game, Method::Backward, threads, &NoProgress);
        let solution = solved.expect("a small game is solved").solution;
        let options = WriteOptions {
            tile_side: side,
            block_entries: side,
            ..WriteOptions::default()
        };
        let bytes = write_to_vec(&game, &solution, options, &NoProgress);
        let bytes = bytes.expect("a table is written to memory");
        let file = TableFile::from_bytes(bytes.clone()).expect("what was written is read");
        let table = Table::new(file, game.clone()).expect("a table fits its game");
        let statistics = Statistics::of(table.file());
        let mut codes = Vec::new();
        if let Some(ranking) = game.capabilities().solving.ranking() {
            for (number, segment) in (0..).zip(ranking.segments()) {
                let mut kept = vec![0; segment.slots() as usize];
                let found = table.file().codes_of_segment(number, &mut kept);
                codes.push(found.is_ok_and(|found| found).then_some(kept));
            }
        }
        let probes = probes(&game, &table);
        Box::new(Of {
            parts: Parts::of(&bytes),
            game,
            options,
            solution,
            bytes,
            statistics,
            probes,
            codes,
            lies: Default::default(),
            seldom,
        })
    }
}

/// All entries, and what has none: vacant slots and finished positions.
fn probes<G: Notation>(game: &G, table: &Table<G>) -> Vec<(G::Position, Option<i32>)> {
    let mut positions: Vec<G::Position> = Vec::new();
    if let Some(ranking) = game.capabilities().solving.ranking() {
        for (segment, shape) in (0..).zip(ranking.segments()) {
            let rows = (0..shape.rows).flat_map(|row| (0..shape.columns).map(move |c| (row, c)));
            positions.extend(rows.map(|(row, column)| {
                ranking.position(Slot {
                    segment,
                    row,
                    column,
                })
            }));
        }
    } else {
        let start = game.canonical(&game.start());
        let mut known = HashSet::from([start.clone()]);
        positions.push(start);
        let mut next = 0;
        while next < positions.len() {
            for mv in game.legal_moves(&positions[next]) {
                let child = game.canonical(&game.play(&positions[next], mv));
                if known.insert(child.clone()) {
                    positions.push(child);
                }
            }
            next += 1;
        }
    }
    let answer = |position: &G::Position| table.probe(position).expect("it is undamaged");
    let probes: Vec<_> = positions
        .into_iter()
        .map(|position| {
            let answer = answer(&position);
            (position, answer)
        })
        .collect();
    let entries = probes.iter().filter(|probe| probe.1.is_some()).count();
    assert_eq!(entries as u64, table.file().entries(), "{}", game.name());
    probes
}

impl<G: Notation> Sample for Of<G> {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn parts(&self) -> &Parts {
        &self.parts
    }

    fn lie(&self, u: &mut Unstructured<'_>) -> Result<Option<Vec<u8>>> {
        if matches!(self.solution, Solution::Keyed(_)) {
            return lie(self, u);
        }
        // To fit distributions takes much longer than all else.
        let number = u.choose_index(self.lies.len())?;
        let lied = self.lies[number].get_or_init(|| {
            let mut random = fastrand::Rng::with_seed(number as u64);
            let choices: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(64).collect();
            lie(self, &mut Unstructured::new(&choices)).unwrap_or_default()
        });
        Ok(lied.clone())
    }

    fn check(&self, bytes: Vec<u8>, forged: bool, u: &mut Unstructured<'_>) -> Result<Checked> {
        check(self, bytes, forged, u)
    }
}

fn kalah(pits: usize, seeds: usize, empty_capture: bool) -> Kalah {
    let rules = Rules {
        pits,
        seeds,
        empty_capture,
    };
    Kalah::new(rules).expect("there is such a game")
}

fn endgame(pits: usize, seeds: usize, empty_capture: bool) -> Kalah {
    Kalah::endgame(pits, seeds, empty_capture).expect("there is such a game")
}

/// All of them; made when first needed.
pub fn samples() -> &'static [Box<dyn Sample>] {
    static SAMPLES: OnceLock<Vec<Box<dyn Sample>>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let reversi = Reversi {
            board: Board::FourByFour,
            start: Start::Cross,
        };
        let [by_length, by_outcome] = [Scoring::Shortest, Scoring::Outcome];
        vec![
            Of::boxed(Eight, 8, 1),
            Of::boxed(kalah(1, 5, false), 8, 1),
            Of::boxed(kalah(2, 1, false), 8, 1),
            Of::boxed(kalah(2, 2, true), 8, 1),
            Of::boxed(kalah(3, 1, false), 8, 1),
            Of::boxed(endgame(1, 6, false), 8, 1),
            Of::boxed(endgame(2, 4, true), 8, 1),
            Of::boxed(endgame(3, 4, false), 8, 1),
            Of::boxed(Eight, 4096, 1),
            Of::boxed(kalah(3, 2, false), 8, 8),
            Of::boxed(kalah(2, 3, false), 128, 8),
            Of::boxed(endgame(4, 4, false), 128, 8),
            Of::boxed(TicTacToe { scoring: by_length }, 64, 16),
            Of::boxed(
                TicTacToe {
                    scoring: by_outcome,
                },
                4096,
                16,
            ),
            Of::boxed(endgame(6, 4, false), 16, 16),
            Of::boxed(reversi, 512, 64),
        ]
    })
}
