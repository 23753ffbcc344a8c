//! The tree of the next moves, with their scores.

use super::address::Line;
use super::scene::Scene;
use super::{parts, words};
use crate::any::AnyTable;
use crate::cli::serve::problem::Problem;
use crate::game::InWords;
use crate::oracle::Wanted;
use crate::text::capitalised;
use maud::{Markup, html};
use rustc_hash::FxHashMap;

/// Maximum number of moves in a tree. Those of a further ply are left out.
const MOST_MOVES: usize = 600;

/// A move in the tree.
struct Node {
    line: Line,
    score: InWords,
    is_best: bool,
    /// The moves that lead to the same position, or a symmetric one, and are in the tree before.
    same: Option<String>,
    next: Vec<Node>,
}

/// The nodes so far.
struct Growing<'a> {
    table: &'a dyn AnyTable,
    /// Number of moves before the position of the page.
    at: usize,
    moves: usize,
    /// The first way to each position.
    ways: FxHashMap<String, String>,
}

/// The tree of a position of a table, if the address asks for it, or else a link to it.
pub fn tree(scene: &Scene, plies: u64) -> Result<Markup, Problem> {
    let (Some(table), true) = (&scene.visit.asked.table, scene.known.is_some()) else {
        return Ok(html! {});
    };
    let link = |plies: Option<&str>, words: &str| html! { a class="button" href=(scene.line.with("tree", plies).here()) { (words) } };
    let mut growing = Growing {
        table: &**table,
        at: scene.line.at,
        moves: 0,
        ways: FxHashMap::default(),
    };
    let nodes = growing.grow(&scene.view.position, &scene.line, plies)?;
    Ok(html! {
        h2 { "Tree of the next moves" }
        (shown(scene, &nodes))
        p class="buttons" {
            @if plies != 2 { (link(Some("2"), "Show two plies")) }
            @if plies != 3 { (link(Some("3"), "Show three plies")) }
            @if plies > 0 { (link(None, "Close")) }
        }
    })
}

impl Growing<'_> {
    /// The moves of an unfinished position, which is on a line, and those after them.
    fn grow(&mut self, position: &str, line: &Line, plies: u64) -> Result<Vec<Node>, Problem> {
        if plies == 0 || self.moves > MOST_MOVES {
            return Ok(Vec::new());
        }
        let wanted = Wanted {
            moves: true,
            ..Wanted::default()
        };
        let answer = self.table.ask(Some(position), wanted)?;
        let moves = answer.moves.as_deref().unwrap_or_default();
        self.moves += moves.len();
        let best = moves.first().map(|best| best.1);
        let nodes = moves.iter().map(|(mv, score)| {
            let line = line.up_to(line.at).then(mv);
            let after = self.table.view(Some(position), &[mv.as_str()])?;
            let images = self.table.symmetries(&after.position)?;
            let class = images.into_iter().min().unwrap_or_default();
            let way = line.played[self.at..].join(" ");
            let same = self.ways.get(&class).cloned();
            let next = match (&same, after.result) {
                (None, None) => self.grow(&after.position, &line, plies - 1)?,
                _ => Vec::new(),
            };
            self.ways.entry(class).or_insert(way);
            Ok(Node {
                score: answer.in_words(*score),
                is_best: Some(*score) == best,
                line,
                same,
                next,
            })
        });
        nodes.collect()
    }
}

/// Nodes, each with those after it.
fn shown(scene: &Scene, nodes: &[Node]) -> Markup {
    html! {
        @if !nodes.is_empty() {
            ul class="tree" {
                @for node in nodes {
                    @let mv = node.line.played.last().map_or("", |mv| mv);
                    @let row = html! {
                        kbd { (mv) } " " (parts::pill(node.score)) " " (node.score.effect())
                        @if node.is_best { " \u{2605}" }
                        @if let Some(same) = &node.same { span class="soft" { " \u{2194} same as after " (same) } }
                    };
                    li {
                        @if node.next.is_empty() {
                            a href=(node.line.here()) { (row) }
                        } @else {
                            details {
                                summary { (row) }
                                p { a href=(node.line.here()) { (capitalised(&words::of_move(scene.oracle(), mv))) ": to the position" } }
                                (shown(scene, &node.next))
                            }
                        }
                    }
                }
            }
        }
    }
}
