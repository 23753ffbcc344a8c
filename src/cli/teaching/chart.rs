//! The chart of visited nodes.

use super::print::Report;
use crate::draw::plot::{LOOKS, Look, Series, Words, bars, lines};
use crate::oracle::SearchMethod;
use crate::search::Algorithm;

/// Draws lines over several depths, and otherwise bars.
///
/// Returns `None` if no search is finished.
pub fn of(report: &Report<'_>) -> Option<String> {
    let finished = || report.compared.runs.iter().filter(|run| run.is_finished());
    let series = |&method: &SearchMethod| Series {
        name: method.to_string(),
        look: look(method),
        points: finished()
            .filter(|run| run.method == method)
            .map(|run| (run.depth.unwrap_or(0), run.counts.nodes))
            .collect(),
    };
    let all = report.comparison.methods.iter().map(series);
    let all: Vec<Series> = all.filter(|series| !series.points.is_empty()).collect();
    if all.is_empty() {
        return None;
    }
    let (how_far, draw): (_, fn(&Words, &[Series]) -> String) = match report.comparison.depths[..] {
        [] => (", to the end of the game".to_owned(), bars),
        [depth] => (format!(", depth {depth}"), bars),
        _ => (" and depth".to_owned(), lines),
    };
    let words = Words {
        title: format!("{}: nodes by method{how_far}", report.game.name()),
        subtitle: report.compared.position.clone(),
        across: "moves ahead",
        counted: "nodes (logarithmic scale)",
    };
    Some(draw(&words, &all))
}

/// Returns the look of a method: a colour for each algorithm, hollow with a table.
fn look(method: SearchMethod) -> Look {
    let kind = Algorithm::ALL
        .iter()
        .position(|&algorithm| algorithm == method.algorithm);
    Look {
        kind: kind.unwrap_or(0) % LOOKS,
        is_hollow: method.has_table,
    }
}
