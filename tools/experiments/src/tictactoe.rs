//! Alpha-beta compared with MTD(f) on the positions of tic-tac-toe.
//!
//! The value of a cell is the number of nodes visited, summed over a set of positions; the cell
//! names the setting:
//!
//! * `sv=1` scores by the shortest win, `sv=0` by outcome;
//! * `init_ab=1` starts with the range of scores as window (MTD(f): as bounds), `init_ab=0` with an
//!   infinite one;
//! * `tt=1` stores bounds, in a table that is cleared for each position of the set.
//!
//! `tictactoe627` is the set of all unfinished classes, `tictactoe431` the set of those in which
//! not every move is best.
//!
//! Source: a series of articles on tic-tac-toe AIs in Python, on alpha-beta against MTD(f).

use crate::experiment::{Figure, Job, Value};
use crate::shared::{learnt, mtdf, narrow, sign};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;
use zermelo::game::Game;
use zermelo::games::Cell;
use zermelo::games::tictactoe::{Position, Scoring, TicTacToe};
use zermelo::search::{Bounds, Window};

/// A value beyond every score.
const INFINITY: i32 = i32::MAX / 4;

/// The options of a search.
#[derive(Clone, Copy)]
struct Setting {
    scoring: Scoring,
    init_ab: bool,
    tt: bool,
}

/// The settings in the order of the articles.
const SETTINGS: [Setting; 8] = {
    let mut settings = [Setting {
        scoring: Scoring::Outcome,
        init_ab: false,
        tt: false,
    }; 8];
    let mut index = 0;
    while index < settings.len() {
        settings[index].init_ab = index & 1 != 0;
        settings[index].tt = index & 2 != 0;
        if index & 4 != 0 {
            settings[index].scoring = Scoring::Shortest;
        }
        index += 1;
    }
    settings
};

impl Setting {
    fn cell(self) -> String {
        format!(
            "sv={},init_ab={},tt={}",
            u8::from(self.scoring == Scoring::Shortest),
            u8::from(self.init_ab),
            u8::from(self.tt)
        )
    }

    /// Returns the range of final scores, seen from X.
    fn range(self) -> Bounds {
        let (lower, upper) = match self.scoring {
            Scoring::Outcome => (-1, 1),
            // O's third mark is the sixth in all, so O can't win as early as X can.
            Scoring::Shortest => (-2, 3),
        };
        Bounds { lower, upper }
    }

    fn initial(self) -> Bounds {
        if self.init_ab {
            self.range()
        } else {
            Bounds {
                lower: -INFINITY,
                upper: INFINITY,
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    AlphaBeta,
    Mtdf,
}

const METHODS: [Method; 2] = [Method::AlphaBeta, Method::Mtdf];

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::AlphaBeta => "alphabeta",
            Method::Mtdf => "mtdf",
        }
    }
}

/// A search of one position: X maximises the score, O minimises it.
struct Search {
    game: TicTacToe,
    setting: Setting,
    /// Bounds by class; the published program stores them for all images of a board.
    table: FxHashMap<Position, Bounds>,
    nodes: u64,
}

impl Search {
    fn new(setting: Setting) -> Search {
        Search {
            game: TicTacToe {
                scoring: setting.scoring,
            },
            setting,
            table: FxHashMap::default(),
            nodes: 0,
        }
    }

    /// Returns the score, seen from X, and the number of nodes of each search.
    fn run(&mut self, method: Method, position: &Position) -> (i32, Vec<u64>) {
        let initial = self.setting.initial();
        let mut trace = Vec::new();
        let mut search = |window| {
            let before = self.nodes;
            let score = self.search(position, window);
            trace.push(self.nodes - before);
            Ok::<_, std::convert::Infallible>(score)
        };
        let Ok(score) = match method {
            Method::AlphaBeta => search(Window {
                alpha: initial.lower,
                beta: initial.upper,
            }),
            Method::Mtdf => mtdf(0, initial, search),
        };
        (score, trace)
    }

    fn search(&mut self, position: &Position, mut window: Window) -> i32 {
        self.nodes += 1;
        let sign = sign(self.game.side_to_move(position));
        if let Some(score) = self.game.final_score(position) {
            return sign * score;
        }
        // The table may decide the search or narrow the window.
        let class = self.setting.tt.then(|| self.game.canonical(position));
        let mut known = self.setting.range();
        if let Some(entry) = class.and_then(|class| self.table.get(&class)) {
            known = *entry;
            if let Some(score) = narrow(&mut window, known) {
                return score;
            }
        }
        // X raises alpha, O lowers beta.
        let mut best = -sign * INFINITY;
        let mut inner = window;
        for mv in self.game.legal_moves(position) {
            let score = self.search(&self.game.play(position, mv), inner);
            if sign > 0 {
                best = best.max(score);
                inner.alpha = inner.alpha.max(best);
                if best >= window.beta {
                    break;
                }
            } else {
                best = best.min(score);
                inner.beta = inner.beta.min(best);
                if best <= window.alpha {
                    break;
                }
            }
        }
        if let Some(class) = class {
            self.table.insert(class, learnt(window, known, best));
        }
        best
    }
}

/// Returns all unfinished classes, each as its first position in breadth-first order.
///
/// Moves are played row by row.
fn classes() -> &'static [Position] {
    static CLASSES: OnceLock<Vec<Position>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let game = TicTacToe::default();
        let mut classes = vec![game.start()];
        let mut seen = FxHashSet::default();
        let mut next = 0;
        while let Some(&position) = classes.get(next) {
            next += 1;
            for mv in game.legal_moves(&position) {
                let child = game.play(&position, mv);
                if game.final_score(&child).is_none() && seen.insert(game.canonical(&child)) {
                    classes.push(child);
                }
            }
        }
        classes
    })
}

/// Returns whether the moves of a position differ in outcome.
fn has_worse_move(position: &Position) -> bool {
    let setting = Setting {
        scoring: Scoring::Outcome,
        init_ab: false,
        tt: true,
    };
    let mut search = Search::new(setting);
    let game = search.game.clone();
    let mut scores = game.legal_moves(position).into_iter().map(|mv| {
        let child = game.play(position, mv);
        search.run(Method::AlphaBeta, &child).0
    });
    let first = scores.next();
    scores.any(|score| Some(score) != first)
}

/// Returns the number of nodes visited for all positions of the set.
fn nodes(set: &[Position], method: Method, setting: Setting) -> i64 {
    let nodes = set.iter().map(|position| {
        let mut search = Search::new(setting);
        search.run(method, position);
        search.nodes as i64
    });
    nodes.sum()
}

pub fn methods() -> [&'static str; 2] {
    METHODS.map(Method::name)
}

/// The rough number of positions that a job visits.
const COST: f64 = 4e4;

pub fn jobs(methods: &[String]) -> Vec<Job> {
    let is_selected = |method: &Method| methods.iter().any(|name| name == method.name());
    let methods: Vec<Method> = METHODS.into_iter().filter(is_selected).collect();
    let mut jobs = Vec::new();
    for set in ["tictactoe431", "tictactoe627"] {
        for &method in &methods {
            for setting in SETTINGS {
                let job = format!("{set}/{} with {}", method.name(), setting.cell());
                jobs.push(Job::new(job, COST, move |_| {
                    let positions: Vec<Position> = (classes().iter().copied())
                        .filter(|position| set == "tictactoe627" || has_worse_move(position))
                        .collect();
                    Ok(vec![Figure {
                        table: format!("{set}/{}/nodes", method.name()),
                        cell: setting.cell(),
                        value: Value::One(nodes(&positions, method, setting)),
                    }])
                }));
            }
        }
    }
    if methods.contains(&Method::Mtdf) {
        let job = "tictactoe/mtdf-trace".to_owned();
        jobs.push(Job::new(job, COST, |_| Ok(traces())));
    }
    if methods.len() == 2 {
        let job = "tictactoe627/by-depth".to_owned();
        jobs.push(Job::new(job, COST, |_| Ok(by_depth())));
    }
    jobs
}

/// Returns the nodes of each null-window search of MTD(f), at the start and after X on a1.
///
/// The articles call the latter position `00`.
fn traces() -> Vec<Figure> {
    let game = TicTacToe::default();
    let start = game.start();
    let mut figures = Vec::new();
    for (name, position) in [("start", start), ("00", game.play(&start, Cell(0)))] {
        for tt in [false, true] {
            let mut search = Search::new(Setting {
                scoring: Scoring::Outcome,
                init_ab: false,
                tt,
            });
            let (_, trace) = search.run(Method::Mtdf, &position);
            // The first guess is 0, the true score, so MTD(f) needs one search for each bound.
            let &[first, second] = &trace[..] else {
                unreachable!("a draw, guessed at once, takes two searches");
            };
            figures.push(Figure {
                table: "tictactoe/mtdf-trace".to_owned(),
                cell: format!("{name},tt={}", u8::from(tt)),
                value: Value::Pair([first as i64, second as i64]),
            });
        }
    }
    figures
}

/// Returns the nodes of alpha-beta and MTD(f) by number of marks, in the plainest setting.
fn by_depth() -> Vec<Figure> {
    let setting = SETTINGS[0];
    let game = TicTacToe::default();
    let mut figures = Vec::new();
    for depth in 0..9 {
        let set: Vec<Position> = (classes().iter().copied())
            .filter(|position| game.layer(position) == depth)
            .collect();
        figures.push(Figure {
            table: format!("tictactoe627/by-depth {} [alphabeta, mtdf]", setting.cell()),
            cell: depth.to_string(),
            value: Value::Pair(METHODS.map(|method| nodes(&set, method, setting))),
        });
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo::search::{Algorithm, Search as LibrarySearch};

    #[test]
    fn both_methods_find_negamaxs_scores_in_every_setting() {
        for setting in SETTINGS {
            // Positions with fewer marks are left out, because negamax visits every line of play.
            for position in classes()
                .iter()
                .filter(|position| TicTacToe::default().layer(position) >= 2)
            {
                let mut search = Search::new(setting);
                let sign = sign(search.game.side_to_move(position));
                let game = search.game.clone();
                let negamax = LibrarySearch::new(&game).score(Algorithm::Negamax, position);
                let score = sign * negamax.unwrap();
                for method in [Method::AlphaBeta, Method::Mtdf] {
                    search.table.clear();
                    assert_eq!(search.run(method, position).0, score, "{position:?}");
                }
            }
        }
    }

    #[test]
    fn sets_have_as_many_positions_as_their_names_say() {
        assert_eq!(classes().len(), 627);
        let with_worse_moves = classes().iter().filter(|position| has_worse_move(position));
        assert_eq!(with_worse_moves.count(), 431);
    }
}
