//! The chart of visited nodes.

use crate::draw::plot::{Bar, LOOKS, Line, Look, Words, bars, lines};
use super::print::Report;
use crate::search::{Algorithm, Method};

/// Draws lines over several depths, and otherwise bars.
///
/// Returns `None` if no search is finished.
pub fn of(report: &Report<'_>) -> Option<String> {
    let methods = &report.comparison.methods;
    let runs = report.compared.runs.iter();
    let finished: Vec<_> = runs.filter(|run| run.is_finished()).collect();
    if finished.is_empty() {
        return None;
    }
    let words = |how_far: &str| Words {
        title: format!("{}: nodes by method{how_far}", report.game.name()),
        subtitle: report.compared.position.clone(),
        across: "moves ahead",
        counted: "nodes (logarithmic scale)",
    };
    if report.comparison.depths.len() > 1 {
        let line = |&method: &Method| Line {
            name: method.to_string(),
            look: look(method),
            points: finished
                .iter()
                .filter(|run| run.method == method)
                .filter_map(|run| Some((run.depth?, run.counts.nodes)))
                .collect(),
        };
        let all: Vec<Line> = methods.iter().map(line).collect();
        let drawn: Vec<Line> = all
            .into_iter()
            .filter(|line| !line.points.is_empty())
            .collect();
        return Some(lines(&words(" and depth"), &drawn));
    }
    let all: Vec<Bar> = finished
        .iter()
        .map(|run| Bar {
            name: run.method.to_string(),
            look: look(run.method),
            value: run.counts.nodes,
        })
        .collect();
    let how_far = match report.comparison.depths[..] {
        [depth] => format!(", depth {depth}"),
        _ => ", to the end of the game".to_owned(),
    };
    Some(bars(&words(&how_far), &all))
}

/// Returns the look of a method: a colour for each algorithm, hollow with a table.
fn look(method: Method) -> Look {
    let kind = Algorithm::ALL
        .iter()
        .position(|&algorithm| algorithm == method.algorithm);
    Look {
        kind: kind.unwrap_or(0) % LOOKS,
        is_hollow: method.has_table,
    }
}
