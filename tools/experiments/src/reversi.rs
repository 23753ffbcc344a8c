//! Full-depth searches of Reversi on small boards from both starts.
//!
//! A cell is a start; its value is the effort to search the whole game. The published programs
//! order the squares as [`zermelo::games::reversi`] does.
//!
//! Sources: those of [`crate::kalah66`].

use crate::experiment::{Figure, Job, OutOfMemory, Value};
use crate::shared::{check_table, learnt, mtdf, narrow};
use rustc_hash::FxHashMap;
use zermelo::game::{Game, Notation};
use zermelo::games::reversi::{Board, Move, Position, Reversi, Start};
use zermelo::search::{Bounds, Window};

/// The initial best score of a node, below every score.
const WORST: i32 = -50;
const FULL: Window = Window {
    alpha: WORST,
    beta: -WORST,
};
const UNKNOWN: Bounds = Bounds {
    lower: WORST,
    upper: -WORST,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Negamax,
    AlphaBeta,
    NegaScout,
    Mtdf,
}

/// A search method, with or without a table of bounds.
#[derive(Clone, Copy, Debug)]
struct Method {
    name: &'static str,
    kind: Kind,
    tt: bool,
}

const fn method(name: &'static str, kind: Kind, tt: bool) -> Method {
    Method { name, kind, tt }
}

const METHODS: [Method; 7] = [
    method("negamax", Kind::Negamax, false),
    method("negamax-tt", Kind::Negamax, true),
    method("alphabeta", Kind::AlphaBeta, false),
    method("alphabeta-tt", Kind::AlphaBeta, true),
    method("negascout", Kind::NegaScout, false),
    method("negascout-tt", Kind::NegaScout, true),
    method("mtdf", Kind::Mtdf, true),
];

struct Search {
    game: Reversi,
    method: Method,
    /// The limit of the table, in bytes.
    table_bytes: u64,
    /// Bounds by board and side to move, whether or not the other side has just passed.
    table: FxHashMap<Position, Bounds>,
    /// The least number of empty squares at which the table is used.
    least_empty: u32,
    evaluations: u64,
    hits: u64,
}

type Score = Result<i32, OutOfMemory>;

impl Search {
    fn new(game: Reversi, method: Method, table_bytes: u64) -> Search {
        Search {
            game,
            method,
            table_bytes,
            table: FxHashMap::default(),
            least_empty: match game.board {
                Board::FourByFour => 2,
                Board::Octagon => 5,
            },
            evaluations: 0,
            hits: 0,
        }
    }

    fn run(&mut self) -> Score {
        let start = self.game.start();
        match self.method.kind {
            Kind::Mtdf => mtdf(0, UNKNOWN, |window| self.search(&start, false, window)),
            _ => self.search(&start, false, FULL),
        }
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluations += 1;
        position.disc_difference()
    }

    /// Returns the score, seen from the side to move.
    ///
    /// `passed` says whether the other side has just passed.
    fn search(&mut self, position: &Position, passed: bool, mut window: Window) -> Score {
        let empty = self.game.empty_cells(position);
        if empty == 0 {
            return Ok(self.evaluate(position));
        }
        // The table may decide the search or narrow the window.
        let uses_table = self.method.tt && empty >= self.least_empty;
        let mut known = UNKNOWN;
        if uses_table && let Some(&entry) = self.table.get(position) {
            known = entry;
            if let Some(score) = narrow(&mut window, known) {
                self.hits += 1;
                return Ok(score);
            }
        }
        let moves = self.game.legal_moves(position);
        let best = match moves.first() {
            Some(Move::Place(_)) => self.best_of(position, &moves, window)?,
            // Neither side can move.
            None if passed => self.evaluate(position),
            // A side without moves passes, even where the rules end the game because the other side
            // has none either.
            _ => {
                let passed = self.game.play(position, Move::Pass);
                -self.search(&passed, true, window.negated())?
            }
        };
        if uses_table {
            check_table(&self.table, 0, self.table_bytes)?;
            self.table.insert(*position, learnt(window, known, best));
        }
        Ok(best)
    }

    fn best_of(&mut self, position: &Position, moves: &[Move], window: Window) -> Score {
        let mut best = WORST;
        for &mv in moves {
            let child = self.game.play(position, mv);
            let rest = window.above(best);
            let score = match self.method.kind {
                Kind::Negamax => -self.search(&child, false, FULL)?,
                Kind::AlphaBeta | Kind::Mtdf => -self.search(&child, false, rest.negated())?,
                Kind::NegaScout => self.scout(&child, rest)?,
            };
            best = best.max(score);
            if best >= window.beta && self.method.kind != Kind::Negamax {
                break;
            }
        }
        Ok(best)
    }

    /// Tests a child with a null window; searches it again if it beats the best so far.
    fn scout(&mut self, child: &Position, window: Window) -> Score {
        let null = Window::at_least(window.alpha + 1);
        let score = -self.search(child, false, null.negated())?;
        if !(window.alpha < score && score < window.beta) {
            return Ok(score);
        }
        let again = window.above(score);
        Ok(-self.search(child, false, again.negated())?)
    }
}

pub fn methods() -> [&'static str; METHODS.len()] {
    METHODS.map(|method| method.name)
}

pub fn jobs(methods: &[String]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for board in Board::ALL {
        for method in METHODS {
            // Without cutoffs the game tree of the larger board is too large.
            let too_large = board == Board::Octagon && method.kind == Kind::Negamax;
            if too_large || !methods.iter().any(|name| name == method.name) {
                continue;
            }
            for start in Start::ALL {
                let game = Reversi { board, start };
                let cost = match board {
                    Board::FourByFour => 3e4,
                    Board::Octagon => 8e5,
                };
                let job = format!("{} by {}", game.name(), method.name);
                jobs.push(Job::new(job, cost, move |table_bytes| {
                    figures(game, method, table_bytes)
                }));
            }
        }
    }
    jobs
}

fn figures(game: Reversi, method: Method, table_bytes: u64) -> Result<Vec<Figure>, OutOfMemory> {
    let mut search = Search::new(game, method, table_bytes);
    let score = search.run()?;
    let figure = |measure: &str, value| Figure {
        table: format!("{}/{}/{measure}", game.family(), method.name),
        cell: game.start.to_string(),
        value: Value::One(value),
    };
    let mut figures = vec![
        figure("score", i64::from(score)),
        figure("evaluations", search.evaluations as i64),
    ];
    if method.tt {
        figures.push(figure("hits", search.hits as i64));
    }
    Ok(figures)
}
