//! A search, step by step: each step is the beginning of a visit to a position, and the last is the
//! end of the search. A step shows only what the search knows then.

use super::frame::page as framed;
use super::parts;
use crate::any::View;
use crate::cli::serve::address::address;
use crate::cli::serve::blocking::blocking;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::cli::teaching::search::{ORDERS, parse_order};
use crate::cli::teaching::tree::{drawn, interval, value};
use crate::game::{NoProgress, UnknownName};
use crate::oracle::{CompareError, Comparison, Run, SearchMethod};
use crate::search::{End, Visit as Step};
use crate::text::{capitalised, counted};
use axum::response::Response;
use maud::{Markup, html};
use std::sync::Arc;
use std::time::Duration;

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = &visit.params;
    params.only(&["position", "method", "depth", "order", "step"])?;
    let method = params.filled("method").unwrap_or("alphabeta").parse();
    let view = visit.view(params.filled("position"), &[]).await?;
    let depth = params.number("depth", 2, 4)?.max(1) as u32;
    let order = params.filled("order").unwrap_or("own");
    let comparison = Comparison {
        methods: vec![
            method.map_err(|error: UnknownName| Problem::bad_request(error.to_string()))?,
        ],
        depths: vec![depth],
        tree_depth: Some(depth),
        limit: Some(Duration::from_secs(2)),
        table_bytes: 1 << 20,
        order: parse_order(order).map_err(Problem::bad_request)?,
        ..Comparison::default()
    };
    let asked = [
        ("position", view.position),
        ("method", comparison.methods[0].to_string()),
        ("depth", depth.to_string()),
        ("order", order.to_owned()),
    ];
    let (entry, position) = (Arc::clone(&visit.entry), asked[0].1.clone());
    let steps = blocking(move || {
        let found = entry
            .game
            .compare_searches(Some(&position), &comparison, &NoProgress);
        let mut found = found.map_err(|error| match error {
            CompareError::Ask(error) => error.into(),
            error => Problem::bad_request(error.to_string()),
        })?;
        let run = found.runs.pop().filter(Run::is_finished);
        let tree = run.and_then(|run| run.tree);
        tree.ok_or_else(|| {
            Problem::bad_request("the tree is too large for a page\ntip: choose a smaller depth")
        })
    });
    let steps = steps.await?;
    let step = params.clamped("step", 0, steps.len())?;
    let shown = steps.get(step).unwrap_or(&steps[0]);
    let view = visit.view(Some(&shown.position), &[]).await?;
    let title = format!("Search of {}", visit.source.oracle.title());
    let contents = contents(&visit, &asked, &steps, step, &view);
    Ok(framed(&visit, "search", &title, None, &contents))
}

/// `asked` has the values of the form.
fn contents(
    visit: &Visit,
    asked: &[(&'static str, String)],
    steps: &[Step],
    step: usize,
    view: &View,
) -> Markup {
    let to = |step: usize| {
        let step = [("step", step.to_string())];
        address("search", &visit.entry.id, &[asked, &step].concat())
    };
    let (last, shown) = (steps.len(), shown(steps, step));
    let cuts = (0..last).filter(|&visit| steps[visit].end == End::Cut);
    let cut = cuts
        .map(|visit| end_of(steps, visit))
        .filter(|&end| end > step)
        .min();
    let methods = SearchMethod::all()
        .iter()
        .map(ToString::to_string)
        .collect();
    let choices: [Vec<String>; 3] = [
        methods,
        (1..=4).map(|depth| depth.to_string()).collect(),
        ORDERS.map(str::to_owned).to_vec(),
    ];
    html! {
        h1 { "A search, step by step" }
        form class="buttons" action=(address("search", &visit.entry.id, &[])) {
            input type="hidden" name="position" value=(asked[0].1);
            @for ((name, chosen), all) in asked[1..].iter().zip(&choices) {
                label class="choice" { (capitalised(name)) " "
                    select name=(name) { @for one in all { option selected[one == chosen] { (one) } } }
                }
            }
            button { "Search" }
        }
        div class={ "look" (if parts::is_long(view) { " long" } else { "" }) } {
            section class="stage" aria-label="Board" { (parts::turn(view)) (parts::still(view)) }
            section class="facts" aria-label="Step" {
                (facts(steps, step, view))
                nav class="steps" aria-label="Steps" {
                    @if step > 0 {
                        a class="button" rel="first" href=(to(0)) { "\u{21e4} First" }
                        a class="button" rel="prev" href=(to(step - 1)) { "\u{2190} Back" }
                    }
                    @if step < last {
                        a class="button strong" rel="next" href=(to(step + 1)) { "Next \u{2192}" }
                        a class="button" rel="last" href=(to(last)) { "Last \u{21e5}" }
                    }
                    @if let Some(cut) = cut { a class="button" href=(to(cut)) { "Next cut" } }
                }
                p class="soft" { "Windows and values are those of the side to move at each position." }
            }
        }
        div class="scroll wide" tabindex="0" role="region" aria-label="Tree" {
            @let visits: Vec<_> = shown.iter().map(|shown| shown.1.clone()).collect();
            (drawn(&visits, &|number| is_open(steps, shown[number].0, step), &|number| Some(to(shown[number].0)), "The tree so far"))
        }
    }
}

/// Returns the visits that end at a step, and the one that begins.
fn facts(steps: &[Step], step: usize, view: &View) -> Markup {
    let (now, last) = (steps.get(step), steps.len());
    let ended: Vec<usize> = (0..step.min(last))
        .rev()
        .filter(|&visit| has_children(steps, visit) && end_of(steps, visit) == step)
        .collect();
    html! {
        @for &number in &ended {
            p { "Back at " (named(&steps[number])) ": the value is " b { (value(&steps[number])) } ". " (reason(&steps[number], view)) }
        }
        @match now {
            None => { p class="verdict" { "The search ends after " (counted(last, "visit")) "." } },
            Some(now) => {
                p class="verdict" { "Visit " (step + 1) " of " (last) ": " (named(now)) @if now.again { ", again" } }
                p { "The window is " b { (interval(now.entry)) } "." }
                @if !has_children(steps, step) { p { "The value is " b { (value(now)) } ". " (reason(now, view)) } }
            },
        }
    }
}

/// Returns why a visit ended, in a sentence.
fn reason(now: &Step, view: &View) -> String {
    match now.end {
        End::Leaf if view.result.is_some() => {
            "The visit ends at once: the game is over.".to_owned()
        }
        End::Leaf => {
            "The visit ends at once: the depth is reached, so the value is an estimate.".to_owned()
        }
        End::Table => {
            "The table knows enough about this position, so it isn't searched.".to_owned()
        }
        End::Cut => format!(
            "The visit ends after {}: the value reaches beta, so {} can't change the result.",
            now.searched.last().map_or("", String::as_str),
            now.skipped.join(", ")
        ),
        End::Searched => format!(
            "The visit ends when all its moves are searched: {}.",
            now.searched.join(", ")
        ),
    }
}

/// Returns the name of a visit.
fn named(visit: &Step) -> &str {
    visit.mv.as_deref().unwrap_or("the root")
}

/// Returns the step at which a visit has ended: that of the next visit that isn't below it.
fn end_of(steps: &[Step], visit: usize) -> usize {
    let is_beside = |&next: &usize| steps[next].depth <= steps[visit].depth;
    (visit + 1..steps.len())
        .find(is_beside)
        .unwrap_or(steps.len())
}

fn has_children(steps: &[Step], visit: usize) -> bool {
    let next = steps.get(visit + 1);
    next.is_some_and(|next| next.depth > steps[visit].depth)
}

/// Returns whether a visit that has begun has no value yet.
fn is_open(steps: &[Step], visit: usize, step: usize) -> bool {
    has_children(steps, visit) && end_of(steps, visit) > step
}

/// Returns the visits until a step that are on the way to it or next to that way, with their
/// numbers.
fn shown(steps: &[Step], step: usize) -> Vec<(usize, Step)> {
    let root = || steps.iter().rposition(|visit| visit.parent.is_none());
    let now = (step < steps.len()).then_some(step).or_else(root);
    let way: Vec<usize> = std::iter::successors(now, |&step| steps[step].parent).collect();
    let is_near = |parent: Option<usize>| parent.is_none_or(|parent| way.contains(&parent));
    let near: Vec<usize> = (0..steps.len().min(step + 1))
        .filter(|&number| is_near(steps[number].parent))
        .collect();
    let place = |number: usize| near.iter().position(|&near| near == number);
    let all = near.iter().map(|&number| {
        let mut visit = steps[number].clone();
        visit.parent = visit.parent.and_then(place);
        if is_open(steps, number, step) {
            visit.skipped.clear();
        }
        (number, visit)
    });
    all.collect()
}
