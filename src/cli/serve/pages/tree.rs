//! The tree of the next moves, with their scores.

use super::parts;
use super::scene::Scene;
use crate::any::AnyTable;
use crate::cli::serve::address::GameLine;
use crate::cli::serve::problem::Problem;
use crate::oracle::Wanted;
use maud::{Markup, html};
use rustc_hash::FxHashMap;

/// Maximum number of moves in a tree. Those of a further ply are left out.
const MOST_MOVES: usize = 600;

/// Returns the tree of a position of a table, if the address asks for it, and links to other
/// depths.
pub fn tree(scene: &Scene, plies: u64) -> Result<Markup, Problem> {
    let (Some(table), true) = (&scene.visit.source.table, scene.known.is_some()) else {
        return Ok(html! {});
    };
    let mut tree = TreeBuilder {
        table: &**table,
        at: scene.line.at,
        moves: 0,
        ways: FxHashMap::default(),
    };
    let depths = [
        ("2", "Show two plies"),
        ("3", "Show three plies"),
        ("0", "Close"),
    ];
    let others = depths.iter().filter(|depth| depth.0 != plies.to_string());
    Ok(html! {
        h2 { "Tree of the next moves" }
        @if plies > 0 { (tree.grow(&scene.view.position, &scene.line, plies)?) }
        p class="buttons" {
            @for (depth, words) in others {
                a class="button" href=(scene.line.with("tree", Some(depth)).here()) { (words) }
            }
        }
    })
}

/// State of the construction of a tree.
struct TreeBuilder<'a> {
    table: &'a dyn AnyTable,
    /// Number of moves before the position of the page.
    at: usize,
    /// Number of moves in the tree so far.
    moves: usize,
    /// The first way to each position, or one symmetric to it.
    ways: FxHashMap<String, String>,
}

impl TreeBuilder<'_> {
    /// Returns the moves of an unfinished position, which is on a line, each with those after it.
    fn grow(&mut self, position: &str, line: &GameLine, plies: u64) -> Result<Markup, Problem> {
        let wanted = Wanted {
            moves: true,
            ..Wanted::default()
        };
        let answer = self.table.ask(Some(position), wanted, None)?;
        let moves = answer.moves.as_deref().unwrap_or_default();
        self.moves += moves.len();
        let mut rows = Vec::new();
        for (mv, score) in moves {
            let line = line.up_to(line.at).then(mv);
            let after = self.table.view(Some(position), &[mv.as_str()])?;
            let class = self.table.symmetries(&after.position)?.into_iter().min();
            let class = class.unwrap_or_default();
            let same = self.ways.get(&class).cloned();
            let is_leaf = plies == 1 || same.is_some() || after.result.is_some();
            let next = match is_leaf || self.moves > MOST_MOVES {
                true => None,
                false => Some(self.grow(&after.position, &line, plies - 1)?),
            };
            let way = line.played[self.at..].join(" ");
            self.ways.entry(class).or_insert(way);
            let score = answer.in_words(*score);
            let row = html! {
                kbd { (mv) } " " (parts::pill(score)) " " (score.effect())
                @if score.score == moves[0].1 { " \u{2605}" }
                @if let Some(same) = same { span class="soft" { " \u{2194} same as after " (same) } }
            };
            rows.push(html! {
                @match next {
                    None => { a href=(line.here()) { (row) } },
                    Some(next) => {
                        details {
                            summary { (row) }
                            p { a href=(line.here()) { "To the position after " (mv) } }
                            (next)
                        }
                    },
                }
            });
        }
        Ok(html! { ul class="tree" { @for row in rows { li { (row) } } } })
    }
}
