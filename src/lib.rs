//! Zermelo strongly solves small two-player games.
//!
//! Zermelo's theorem (1913): in a finite two-player game of perfect information, either the first
//! player can force a win, or the second can, or both can force a draw. This library says which,
//! for every reachable position, and by how much.
//!
//! Open a table, and ask about a position:
//!
//! ```
//! use zermelo::oracle::Wanted;
//!
//! let table = zermelo::open("data/ttt.bin")?;
//! let answer = table.ask(Some("X...O...."), Wanted::default(), None)?;
//! assert_eq!(answer.bounds.score(), Some(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Solve your own rules in memory, and ask:
//!
//! ```
//! # use zermelo::game::{NoGame, Side, Values};
//! # use zermelo::games::own::Rules;
//! # use zermelo::oracle::Wanted;
//! # struct Matches;
//! # impl Rules for Matches {
//! #     type Position = (u32, Side);
//! #     const NAME: &'static str = "matches";
//! #     const ABOUT: &'static str = "Take one or two of five matches; who takes the last one wins";
//! #     fn new(_: &Values) -> Result<Matches, NoGame> {
//! #         Ok(Matches)
//! #     }
//! #     fn start(&self) -> (u32, Side) {
//! #         (5, Side::First)
//! #     }
//! #     fn side_to_move(&self, &(_, side): &(u32, Side)) -> Side {
//! #         side
//! #     }
//! #     fn moves(&self, &(left, side): &(u32, Side)) -> Vec<(String, (u32, Side))> {
//! #         let after = |taken| (format!("take{taken}"), (left - taken, side.other()));
//! #         (1..=left.min(2)).map(after).collect()
//! #     }
//! #     fn final_score(&self, &(left, _): &(u32, Side)) -> Option<i32> {
//! #         (left == 0).then_some(-1)
//! #     }
//! #     fn format_position(&self, &(left, side): &(u32, Side)) -> String {
//! #         format!("{left} {side}")
//! #     }
//! # }
//! // `Matches` implements `zermelo::games::own::Rules`, which has a complete example.
//! let table = zermelo::solve_in_memory(&Matches)?;
//! let answer = table.ask(None, Wanted::default(), None)?;
//! assert_eq!(answer.best_move.as_deref(), Some("take2"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Solve a game into a file. The same call resumes a job that was stopped:
//!
//! ```
//! # use zermelo::game::{NoProgress, SolveOptions};
//! # use zermelo::games::eight::Eight;
//! # let directory = tempfile::tempdir()?;
//! # let path = &directory.path().join("eight.bin");
//! let options = SolveOptions::default();
//! zermelo::solve::solve_to_file(&Eight, path, options, &NoProgress)?;
//! assert_eq!(zermelo::open(path)?.file().entries(), 17);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Check an AI, here one that is built in, move by move:
//!
//! ```
//! # use zermelo::any::AnyAi;
//! # use zermelo::check::{CheckOptions, Verdict};
//! # use zermelo::game::NoProgress;
//! let table = zermelo::open("data/ttt.bin")?;
//! let ai = AnyAi::Builtin("first".to_owned());
//! let report = table.check(&ai, &CheckOptions::default(), None, &NoProgress)?;
//! assert_eq!(report.verdict, Verdict::Imperfect);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A first game
//!
//! Two players in turn name a number from 1 to 3, but never the one that the opponent has just
//! named. The player who brings the total to exactly 8 wins; a player who exceeds 8 loses. That is
//! [`games::eight::Eight`], the library's worked example; its rules fit on two screens. Positions
//! and moves have their own notation:
//!
//! ```
//! use zermelo::game::{Game, Notation};
//! use zermelo::games::eight::Eight;
//!
//! let start = Eight.start();
//! assert_eq!(Eight.format_position(&start), "0 first");
//!
//! // A total of 3 by naming 3: the other player may name 1 or 2.
//! let position = Eight.play(&start, Eight.parse_move("3")?);
//! assert_eq!(Eight.format_position(&position), "3,3 second");
//! assert_eq!(Eight.legal_moves(&position), [1, 2]);
//! # Ok::<(), zermelo::game::NotationError>(())
//! ```
//!
//! To *solve* a game is to compute the score of every reachable position. A score is the exact
//! result under best play, seen from the side to move: here 1 for a win, -1 for a loss.
//!
//! ```
//! use zermelo::game::{Game, NoProgress, Notation, Outcome, SolveOptions};
//! use zermelo::games::eight::Eight;
//! use zermelo::solve::{Method, score_of, solve};
//!
//! let solved = solve(&Eight, Method::Backward, SolveOptions::default(), &NoProgress)?;
//!
//! // Positions that differ only in the players' names are one class: 17 of them are not finished.
//! assert_eq!(solved.solution.count(), 17);
//!
//! // Who wins? The first player is to move, and loses.
//! let score = |position: &_| score_of(&Eight, &solved.solution, position).unwrap();
//! assert_eq!(Outcome::of(score(&Eight.start())), Outcome::Loss);
//!
//! // With which number does the second player answer a 3?
//! let position = Eight.parse_position("3,3 second")?;
//! assert_eq!(Outcome::of(score(&position)), Outcome::Win);
//! let mut moves = Eight.legal_moves(&position);
//! // In Eight the turn always passes, so a child that the opponent loses is a win.
//! moves.retain(|&mv| Outcome::of(score(&Eight.play(&position, mv))) == Outcome::Loss);
//! assert_eq!(moves, [1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Options
//!
//! Structs of options implement `Default`, or have a function `new` for what has no default: assign
//! the fields that you need, because later versions may add fields.
//!
//! # Modules
//!
//! * [`any`]: games, tables and searches whose type is known only at run time, with text as interface.
//! * `cli`: the command line, also for your own games.
//! * [`game`]: the traits of a game. Read this and [`games::eight`] to add your own.
//! * [`games`]: the rules of the games.
//! * [`search`]: the score of one position.
//! * [`solve`]: the score of every reachable position.
//! * [`oracle`]: questions about positions, and the tables and searches that answer them.
//! * [`table`]: the file of solved scores.
//! * `export`: the entries of a table, in file formats that other programs read.
//! * `draw`: boards and charts as SVG.
//! * [`conformance`]: checks that a game fulfils the contracts of its traits.
//! * [`check`]: an AI's moves, compared with exact scores.
//! * [`work`]: the directories in which long jobs save their checkpoints.
//! * [`guard`]: protection from truncation of mapped files.
//!
//! # Features
//!
//! None of them is on by default.
//!
//! * `cli`: the command line, with the modules `cli`, `draw` and `export`.
//! * `serve`: also the explorer and the HTTP API, which are the command `serve`.
//! * `mpi`: solving by several processes. Needs an MPI library and libclang.

// Only commands and pages use some functions.
#![cfg_attr(
    any(not(feature = "serve"), target_family = "wasm"),
    allow(dead_code, unused_imports)
)]
// Tests may be longer.
#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod any;
mod bisection;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod conformance;
#[cfg(feature = "cli")]
pub mod draw;
#[cfg(feature = "cli")]
pub mod export;
pub mod game;
pub mod games;
pub mod guard;
pub mod oracle;
mod pool;
mod random;
pub mod search;
pub mod solve;
pub mod table;
// Only tests of commands use some of the games.
#[cfg(test)]
#[cfg_attr(not(feature = "cli"), allow(dead_code))]
mod testing;
mod text;
pub mod work;

pub use any::{open, solve_in_memory};
