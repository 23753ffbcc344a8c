//! The tree of a search as JSON and as a picture.

use crate::cli::output;
use crate::draw::tenths;
use crate::search::{End, INFINITY, Visit, Window};
use crate::text::signed;
use anyhow::bail;
use maud::{Markup, PreEscaped, html};
use std::ffi::OsStr;
use std::path::Path;

/// The default number of moves from the root.
pub const USUAL_DEPTH: u32 = 3;
/// Maximum number of visits in a picture.
const MOST_DRAWN: usize = 3000;

/// Width and height of a visit's box, and the distances between the corners of two boxes.
const BOX: (f64, f64) = (178.0, 38.0);
const STEP: (f64, f64) = (206.0, 46.0);

const STYLE: &str = include_str!("tree.css");

/// Checks that a tree can be written to this path.
pub fn check(path: &Path) -> anyhow::Result<()> {
    let is_another: fn(&[u8]) -> bool = match path.extension().and_then(OsStr::to_str) {
        Some("json") => |text| text.starts_with(b"{\"game\":"),
        Some("svg") => |text| text.starts_with(b"<svg "),
        _ => bail!(
            "--tree {}: name a file that ends in .json or .svg, such as tree.svg",
            path.display()
        ),
    };
    output::writable(path, "tree", is_another)
}

/// Writes the picture of a tree, or its JSON.
pub fn write(path: &Path, title: &str, json: &str, visits: &[Visit]) -> anyhow::Result<()> {
    if path.extension() == Some(OsStr::new("json")) {
        return output::write(path, "tree", json);
    }
    if visits.len() > MOST_DRAWN {
        bail!(
            "the tree has {} visits, and a picture at most {MOST_DRAWN}\ntip: a smaller --tree-depth, or a file that \
             ends in .json",
            visits.len()
        );
    }
    output::write(path, "tree", &svg(title, visits))
}

/// Returns the score or bound that a visit found: "≥ +2". The value of a leaf is exact.
pub fn value(visit: &Visit) -> String {
    let may_be_bound = visit.end != End::Leaf;
    let sign = if may_be_bound && visit.value <= visit.entry.alpha {
        "\u{2264} "
    } else if may_be_bound && visit.value >= visit.entry.beta {
        "\u{2265} "
    } else {
        ""
    };
    format!("{sign}{}", signed(visit.value))
}

/// Returns a window as an interval: "(-1, ∞)".
pub fn interval(window: Window) -> String {
    format!("({}, {})", bound(window.alpha), bound(window.beta))
}

/// Returns an end of a window: "-1" or "∞".
pub fn bound(score: i32) -> String {
    match score {
        score if score <= -INFINITY_SEEN => "\u{2212}\u{221e}".to_owned(),
        score if score >= INFINITY_SEEN => "\u{221e}".to_owned(),
        score => signed(score),
    }
}

/// A limit that no finite score reaches, and every infinite one does, whatever is added to it.
const INFINITY_SEEN: i32 = INFINITY / 2;

/// Returns the name of a visit.
fn named(visit: &Visit) -> String {
    let again = if visit.again { "again " } else { "" };
    format!("{again}{}", visit.mv.as_deref().unwrap_or("root"))
}

/// Returns the two lines of text about a visit.
fn lines(visit: &Visit) -> [String; 2] {
    let window = match (interval(visit.entry), interval(visit.exit)) {
        (entry, exit) if entry == exit => entry,
        (entry, exit) => format!("{entry} \u{2192} {exit}"),
    };
    [
        format!("{}  {}  {}", named(visit), value(visit), visit.end),
        window,
    ]
}

/// Returns the moves that were never visited.
fn skipped(visit: &Visit) -> String {
    format!("never visited: {}", visit.skipped.join(" "))
}

/// Returns a text that fits in a box.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(25) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns a row for each visit and for the moves that it never visited, and the number of rows.
///
/// A visit's first move is in its own row.
fn rows(visits: &[Visit]) -> (Vec<(usize, Option<usize>)>, usize) {
    let mut rows: Vec<(usize, Option<usize>)> = Vec::new();
    let (mut next, mut open): (usize, Vec<usize>) = (0, Vec::new());
    // The moves never visited follow the last visit below the same position.
    let close = |rows: &mut Vec<(usize, Option<usize>)>, next: &mut usize, number: usize| {
        let visit: &Visit = &visits[number];
        if !visit.skipped.is_empty() {
            let has_child = rows.len() > number + 1;
            rows[number].1 = Some(if has_child { *next } else { rows[number].0 });
            *next += usize::from(has_child);
        }
    };
    for (number, visit) in visits.iter().enumerate() {
        while open.len() > visit.depth as usize {
            close(&mut rows, &mut next, open.pop().unwrap_or_default());
        }
        let is_first = visit.parent.is_some_and(|parent| parent + 1 == number);
        rows.push((next - usize::from(is_first), None));
        next += usize::from(!is_first);
        open.push(number);
    }
    while let Some(number) = open.pop() {
        close(&mut rows, &mut next, number);
    }
    (rows, next)
}

/// Draws the tree from left to right. Open visits have no value yet.
///
/// The visit `now` has the id "now", so that an address can scroll to it.
pub fn drawn(
    visits: &[Visit],
    is_open: &dyn Fn(usize) -> bool,
    link: &dyn Fn(usize) -> Option<String>,
    now: Option<usize>,
    label: &str,
) -> Markup {
    let (rows, count) = rows(visits);
    let deepest = visits.iter().map(|visit| visit.depth).max().unwrap_or(0);
    let at = |depth: u32, row: usize| (f64::from(depth) * STEP.0 + 8.0, row as f64 * STEP.1 + 8.0);
    let (width, height) = at(deepest + 2, count);
    let edge = |depth: u32, from: usize, to: usize| {
        let ((x, y), (_, down)) = (at(depth, from), at(depth, to));
        let (right, middle) = (tenths(x + BOX.0), BOX.1 / 2.0);
        html! { path class="edge" d={ "M" (right) " " (tenths(y + middle)) "h14V" (tenths(down + middle)) "h14" } {} }
    };
    let framed = |depth: u32, row: usize, class: &str, texts: [&str; 2], title: &str| {
        let (x, y) = at(depth, row);
        html! {
            g class={ "visit " (class) } transform={ "translate(" (tenths(x)) " " (tenths(y)) ")" } {
                title { (title) }
                rect width=(BOX.0) height=(BOX.1) rx="5" {}
                text x="8" y="16" font-weight="600" { (texts[0]) }
                text x="8" y="32" { (texts[1]) }
            }
        }
    };
    html! {
        svg xmlns="http://www.w3.org/2000/svg" class="search-tree" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
            role="group" aria-label=(label) font-family="system-ui, sans-serif" font-size="12.5" {
            @for (number, visit) in visits.iter().enumerate() {
                @if let Some(parent) = visit.parent { (edge(visit.depth - 1, rows[parent].0, rows[number].0)) }
                @let (class, [first, second]) = match is_open(number) {
                    true => ("open".to_owned(), [named(visit), interval(visit.entry)]),
                    false => (visit.end.to_string(), lines(visit)),
                };
                @let shown = framed(visit.depth, rows[number].0, &class, [&first, &second], &visit.position);
                @match link(number) {
                    Some(address) => { a href=(address) id=[(now == Some(number)).then_some("now")] aria-current=[(now == Some(number)).then_some("step")] { (shown) } },
                    None => { (shown) },
                }
                @if let Some(row) = rows[number].1 {
                    @let (moves, all) = (shortened(&visit.skipped.join(" ")), skipped(visit));
                    (edge(visit.depth, rows[number].0, row))
                    (framed(visit.depth + 1, row, "skipped", ["never visited", &moves], &all))
                }
            }
        }
    }
}

fn svg(title: &str, visits: &[Visit]) -> String {
    let drawing = drawn(visits, &|_| false, &|_| None, None, title).into_string();
    let style =
        html! { style { (PreEscaped(STYLE)) } rect class="page" width="100%" height="100%" {} };
    drawing.replacen('>', &format!(">{}", style.into_string()), 1) + "\n"
}
