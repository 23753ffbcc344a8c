//! Engines that play Kalah(6,6) against each other, each at a fixed depth in turns.
//!
//! A cell is "first player's depth,second player's depth". Its figures are totals of the whole
//! game: the evaluations of both engines, the number of positions found in a table, and the stores
//! at the end. Seeds still in the pits when a store has more than half of all are not counted.
//!
//! Sources: M. Hiroi, "Algorithms with Python: ミニマックス法" and "置換表と MTD(f) 法" (2007-2022);
//! M. Hiroi, "お気楽 Scheme プログラミング入門, 思考ルーチン編: 置換表と MTD(f) 法" (2010-2020).

mod engine;

pub use engine::Engine;
use engine::{Search, game};

use crate::experiment::{Figure, Job, OutOfMemory, Value};
use std::ops::RangeInclusive;
use zermelo::game::Game;

/// The two engines of a match.
struct Match {
    name: &'static str,
    engines: [Engine; 2],
}

const fn alone(name: &'static str, engine: Engine) -> Match {
    Match {
        name,
        engines: [engine; 2],
    }
}

/// The matches, named as in the tables.
const MATCHES: [Match; 11] = [
    alone("minimax", Engine::Minimax),
    alone("minimax-simplified", Engine::MinimaxSimplified),
    Match {
        name: "minimax-vs-simplified",
        engines: [Engine::Minimax, Engine::MinimaxSimplified],
    },
    Match {
        name: "simplified-vs-minimax",
        engines: [Engine::MinimaxSimplified, Engine::Minimax],
    },
    alone("negamax", Engine::Negamax),
    alone("negamax-tt", Engine::NegamaxTt),
    alone("alphabeta", Engine::AlphaBeta),
    alone("alphabeta-tt", Engine::AlphaBetaTt),
    alone("negascout", Engine::NegaScout),
    alone("negascout-tt", Engine::NegaScoutTt),
    alone("mtdf", Engine::Mtdf),
];

/// The measurements of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameFigures {
    /// The contents of the first and the second player's store at the end.
    pub stones: [u8; 2],
    /// The positions that both engines evaluated.
    pub evaluations: u64,
    /// The positions that both engines found in their tables.
    pub hits: u64,
}

/// Plays a game; engines and depths are the first player's, then the second's.
pub fn play(
    engines: [Engine; 2],
    depths: [u32; 2],
    table_bytes: u64,
) -> Result<GameFigures, OutOfMemory> {
    let game = game();
    let mut position = game.start();
    let mut search = Search::new(game.clone(), table_bytes);
    let mut guesses = [0; 2];
    while !search.is_over(&mut position) {
        let side = position.side.index();
        let (value, turn) = search.choose(engines[side], position, depths[side], guesses[side])?;
        guesses[side] = value;
        for mv in turn {
            position = game.play(&position, mv);
        }
    }
    Ok(GameFigures {
        stones: position.stores,
        evaluations: search.evaluations,
        hits: search.hits,
    })
}

pub fn methods() -> [&'static str; MATCHES.len()] {
    MATCHES.each_ref().map(|known| known.name)
}

pub fn jobs(methods: &[String], depths: &RangeInclusive<u32>) -> Vec<Job> {
    let mut jobs = Vec::new();
    let is_selected = |one: &&Match| methods.iter().any(|name| name == one.name);
    for one in MATCHES.iter().filter(is_selected) {
        for second in depths.clone() {
            for first in depths.clone() {
                let (name, engines) = (one.name, one.engines);
                let cost = engines[0].cost(first) + engines[1].cost(second);
                let job = format!("kalah66/{name} at {first},{second}");
                jobs.push(Job::new(job, cost, move |table_bytes| {
                    let game = play(engines, [first, second], table_bytes)?;
                    let figure = |measure: &str, value| Figure {
                        table: format!("kalah66/{name}/{measure}"),
                        cell: format!("{first},{second}"),
                        value,
                    };
                    let stones = game.stones.map(i64::from);
                    let mut figures = vec![
                        figure("stones", Value::Pair(stones)),
                        figure("evaluations", Value::One(game.evaluations as i64)),
                    ];
                    if engines.iter().any(|engine| engine.has_table()) {
                        figures.push(figure("hits", Value::One(game.hits as i64)));
                    }
                    Ok(figures)
                }));
            }
        }
    }
    jobs
}
