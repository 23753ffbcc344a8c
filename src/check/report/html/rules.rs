//! Section on the game's rules and the meaning of its scores.

use super::Report;
use crate::check::options::Criterion;
use maud::{Markup, html};

pub(super) fn rules_and_scores(report: &Report) -> Markup {
    html! {
        div class="text" {
            (paragraphs(&report.game_rules))
            p {
                "A " b { "score" } " is the result if both sides play their best from there on, as the side to move sees it: "
                @if report.counts_plies {
                    "a win in as few plies as possible, a draw, or a loss in as many as possible."
                } @else {
                    "above 0 it wins, 0 is a draw, below 0 it loses."
                }
            }
            p {
                "A " b { "best move" } " loses nothing of the score. A move that " b { "preserves the outcome" } " keeps at least the "
                b { "outcome" } ": win, draw or loss. A " b { "mistake" }
                @if report.criterion == Criterion::Outcome {
                    " loses the outcome; moves that lose only " (report.unit()) " don't count as mistakes in this check. "
                } @else {
                    " is any other move than a best one. "
                }
                "The " b { "regret" } " is the score before the move minus the score after it"
                @if report.counts_plies { ", in plies, of moves that keep a win or a loss" }
                "."
            }
        }
    }
}

/// Renders text whose paragraphs are separated by empty lines.
///
/// Indented paragraphs are preformatted. Lines that begin with a star or a dash form a list.
pub(crate) fn paragraphs(text: &str) -> Markup {
    let paragraphs = text.split("\n\n").map(|text| text.trim_matches('\n'));
    html! {
        @for paragraph in paragraphs.filter(|text| !text.is_empty()) {
            (one_paragraph(paragraph.trim_end()))
        }
    }
}

fn one_paragraph(text: &str) -> Markup {
    let item = |line: &str| line.starts_with("* ") || line.starts_with("- ");
    html! {
        @if text.lines().all(|line| line.starts_with(' ')) {
            pre { (text) }
        } @else if item(text) {
            ul {
                @for line in items(text) { li { (line) } }
            }
        } @else {
            p { (text) }
        }
    }
}

/// Returns the items of a list, each joined to one line.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines() {
        let begun = line.strip_prefix("* ").or(line.strip_prefix("- "));
        match (begun, items.last_mut()) {
            (None, Some(last)) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => items.push(begun.unwrap_or(line).to_owned()),
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_and_drawings_stay_what_they_are() {
        let text = "One <b>.\nStill one.\n\n\n  4 3\n  1 2\n\n* first\n  goes on\n* second\n";
        assert_eq!(
            paragraphs(text).into_string(),
            "<p>One &lt;b&gt;.\nStill one.</p><pre>  4 3\n  1 2</pre>\
             <ul><li>first goes on</li><li>second</li></ul>"
        );
        assert_eq!(paragraphs("").into_string(), "");
    }
}
