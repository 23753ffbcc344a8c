//! The original tables: small ones of every game and layout.

use super::check::{Checked, check};
use super::file::Parts;
use super::lie::lie;
use super::of::{Of, Statistics, probes};
use arbitrary::{Result, Unstructured};
use std::sync::OnceLock;
use zermelo::game::{Endless, KnownScores, NoProgress, Notation, Solution, SolveOptions};
use zermelo::games::eight::Eight;
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::games::listed::{Builder, Listed};
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::games::tictactoe::{Scoring, TicTacToe};
use zermelo::solve::{Method, solve};
use zermelo::table::{Table, TableFile, WriteOptions, write_to_vec};

/// A table of a small game.
pub trait Sample: Send + Sync {
    fn bytes(&self) -> &[u8];
    fn parts(&self) -> &Parts;
    /// Returns a table with valid checksums but false entries.
    fn lie(&self, u: &mut Unstructured<'_>) -> Result<Option<Vec<u8>>>;
    /// Compares the answers of a changed table with the truth.
    fn check(&self, bytes: Vec<u8>, forged: bool, u: &mut Unstructured<'_>) -> Result<Checked>;
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
                let found = table.codes_of_segment(number, &mut kept);
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
        // Fitting distributions takes much longer than everything else.
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

/// Returns a game whose scores have codes of two or three bytes: walk along squares, or take the
/// prize beside one.
fn prizes(distance: bool) -> Listed {
    const SQUARES: u32 = 20;
    let mut list = Builder::of(Endless::Impossible, distance);
    let (on, take) = (list.name("on"), list.name("take"));
    // By distance from the start: the next square and the prize of the last one.
    for node in 0..2 * SQUARES {
        let square = node.div_ceil(2);
        if node == 0 || node % 2 == 1 && square < SQUARES {
            list.position(&format!("square {square}"), None, None)
        } else {
            let prize = (node as i32 * 7919) % 400 - 200;
            list.position(&format!("prize {node}"), None, Some(prize))
        }
        .expect("it can be written so");
        match square + 1 {
            _ if node > 0 && (node % 2 == 0 || square == SQUARES) => list.moves([]),
            SQUARES => list.moves([(take, 2 * SQUARES - 1)]),
            next => list.moves([(on, 2 * next - 1), (take, 2 * next)]),
        }
    }
    let (graph, _) = list
        .finish("prizes", &NoProgress)
        .expect("it is a game that ends");
    Listed::new(graph)
}

/// Returns all samples, made when first needed.
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
            Of::boxed(prizes(false), 8, 1),
            Of::boxed(prizes(true), 4, 1),
        ]
    })
}
