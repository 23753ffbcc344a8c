//! A search, moment by moment. Before a branch is searched or cut, the page asks which it will be.
//!
//! A page shows only what the search knows then.

use super::frame::page as framed;
use super::lesson::Lesson;
use super::parts;
use crate::any::View;
use crate::cli::serve::address::address;
use crate::cli::serve::host::blocking;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::cli::teaching::search::{ORDERS, parse_order};
use crate::cli::teaching::tree::{drawn, interval, value};
use crate::game::{NoProgress, UnknownName};
use crate::oracle::{CompareError, Comparison, Run, SearchMethod};
use crate::search::End;
use crate::text::{capitalised, counted};
use axum::response::Response;
use maud::{Markup, html};
use std::sync::Arc;
use std::time::Duration;

/// Predictions of a reader so far.
struct Predictions {
    /// The answer to the question of the moment before: whether the branch is cut.
    last: Option<bool>,
    right: usize,
    asked: usize,
}

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = &visit.params;
    let known = [
        "position", "method", "depth", "order", "step", "cut", "right", "asked",
    ];
    params.only(&known)?;
    let method = params.filled("method").unwrap_or("alphabeta").parse();
    let method = method.map_err(|error: UnknownName| Problem::bad_request(error.to_string()))?;
    let view = visit.view(params.filled("position"), &[]).await?;
    let depth = params.number("depth", 2, 4)?.max(1) as u32;
    let order = params.filled("order").unwrap_or("own");
    let comparison = Comparison {
        methods: vec![method, SearchMethod::all()[0]],
        depths: vec![depth],
        tree_depth: Some(depth),
        limit: Some(Duration::from_secs(2)),
        table_bytes: 1 << 20,
        order: parse_order(order).map_err(Problem::bad_request)?,
        ..Comparison::default()
    };
    let asked = [
        ("position", view.position),
        ("method", method.to_string()),
        ("depth", depth.to_string()),
        ("order", order.to_owned()),
    ];
    let lesson = search(&visit, asked[0].1.clone(), comparison).await?;
    let step = params.clamped("step", 0, lesson.moments.len() - 1)?;
    let mut made = Predictions {
        last: params
            .filled("cut")
            .map(|_| params.flag("cut"))
            .transpose()?,
        right: params.clamped("right", 0, 9999)?,
        asked: params.clamped("asked", 0, 9999)?,
    };
    if let (Some(last), Some((is_cut, _))) = (made.last, lesson.answer(step)) {
        made.right += usize::from(last == is_cut);
        made.asked += 1;
    }
    let shown = &lesson.visits[lesson.moments[step].visit];
    let view = visit.view(Some(&shown.position), &[]).await?;
    let title = format!("Search of {}", visit.source.oracle.title());
    let contents = contents(&visit, &asked, &lesson, step, &made, &view);
    Ok(framed(&visit, "search", &title, None, &contents))
}

/// Runs the first search of the comparison, and minimax beside it.
async fn search(visit: &Visit, position: String, all: Comparison) -> Result<Lesson, Problem> {
    let (source, entry) = (visit.source.clone(), Arc::clone(&visit.entry));
    blocking(move || {
        let found = entry
            .game
            .compare_searches(Some(&position), &all, &NoProgress);
        let found = found.map_err(|error| match error {
            CompareError::Ask(error) => error.into(),
            error => Problem::bad_request(error.to_string()),
        })?;
        let mut runs = found.runs.into_iter();
        let run = runs.next().filter(Run::is_finished);
        let visits = run.and_then(|run| run.tree).ok_or_else(|| {
            Problem::bad_request("the tree is too large for a page\ntip: choose a smaller depth")
        })?;
        Ok(Lesson::new(source.oracle, visits, runs.next()))
    })
    .await
}

/// `asked` has the values of the form.
fn contents(
    visit: &Visit,
    asked: &[(&'static str, String)],
    lesson: &Lesson,
    step: usize,
    made: &Predictions,
    view: &View,
) -> Markup {
    let with = |step: usize, more: &[(&'static str, String)]| {
        let mut query = [asked, &[("step", step.to_string())], more].concat();
        if made.asked > 0 {
            query.push(("right", made.right.to_string()));
            query.push(("asked", made.asked.to_string()));
        }
        address("search", &visit.entry.id, &query) + "#now"
    };
    let to = |step| with(step, &[]);
    let last = lesson.moments.len() - 1;
    let is_cut = |&at: &usize| {
        let moment = lesson.moments[at];
        moment.ends && lesson.visits[moment.visit].end == End::Cut
    };
    // The link is there even if no cut follows, which the search doesn't know.
    let cut = (step + 1..last).find(is_cut).unwrap_or(last);
    html! {
        h1 { "A search, step by step" }
        (form(visit, asked))
        p class="soft" { "Windows and values are those of the side to move at each position." }
        div class={ "look lesson" (if parts::is_long(view) { " long" } else { "" }) } {
            section class="stage" aria-label="Board" { (parts::turn(view)) (parts::still(view)) }
            section class="facts" aria-label="Step" {
                (facts(lesson, step, made, view))
                @if let Some((parent, next)) = lesson.next_branch(step) {
                    (question(lesson, step, (parent, next), &|cut| with(step + 1, &[("cut", cut.to_owned())])))
                }
                nav class="steps" aria-label="Steps" {
                    @if step > 0 {
                        a class="button" rel="first" href=(to(0)) { "\u{21e4} First" }
                        a class="button" rel="prev" href=(to(step - 1)) { "\u{2190} Back" }
                    }
                    @if step < last {
                        a class={ "button" @if lesson.next_branch(step).is_none() { " strong" } } rel="next" href=(to(step + 1)) { "Next \u{2192}" }
                        a class="button" href=(to(cut)) { "Next cut" }
                        a class="button" rel="last" href=(to(last)) { "Last \u{21e5}" }
                    }
                }
                (effort(lesson, step, made))
            }
        }
        @let known = lesson.known(step);
        @let visits: Vec<_> = known.iter().map(|known| known.1.clone()).collect();
        @let now = known.iter().position(|known| known.0 == lesson.moments[step].visit);
        @let begins = |number: usize| lesson.moments.iter().position(|moment| moment.visit == known[number].0);
        div class="scroll wide tree-so-far" tabindex="0" role="region" aria-label="Tree" {
            (drawn(&visits, &|number| known[number].2, &|number| begins(number).map(to), now, "The tree so far"))
        }
    }
}

/// Returns the form for the method, the depth and the order of moves.
fn form(visit: &Visit, asked: &[(&'static str, String)]) -> Markup {
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
        form class="buttons" action=(address("search", &visit.entry.id, &[])) {
            input type="hidden" name="position" value=(asked[0].1);
            @for ((name, chosen), all) in asked[1..].iter().zip(&choices) {
                label class="choice" { (capitalised(name)) " "
                    select name=(name) { @for one in all { option selected[one == chosen] { (one) } } }
                }
            }
            button { "Search" }
        }
    }
}

/// Returns the answer to the question of the moment before, and what happens now.
fn facts(lesson: &Lesson, step: usize, made: &Predictions, view: &View) -> Markup {
    let moment = lesson.moments[step];
    let (now, name) = (&lesson.visits[moment.visit], lesson.named(moment.visit));
    html! {
        @if let Some((is_cut, why)) = lesson.answer(step) {
            @match made.last {
                Some(last) if last == is_cut => { p class="tried" { b { "Right. " } (why) } },
                Some(_) => { p class="tried wrong" { b { "Not this time. " } (why) } },
                None => { p { (why) } },
            }
        }
        @if moment.begins {
            p class="verdict" { "Visit " (moment.visit + 1) ": " (name) @if now.again { ", again" } }
            p { "The window is " b { (interval(now.entry)) } "." }
        } @else {
            p class="verdict" { "Back at " (name) }
        }
        @if moment.ends { p { "The value is " b { (value(now)) } ". " (lesson.reason(moment.visit, view)) } }
    }
}

/// Returns the question whether the next branch is searched, with a link for each answer.
fn question(
    lesson: &Lesson,
    step: usize,
    (parent, next): (usize, &str),
    answered: &dyn Fn(&str) -> String,
) -> Markup {
    let window = lesson.window(parent, lesson.moments[step].visit);
    html! {
        p {
            "The value goes back to " (lesson.named(parent)) " as " (lesson.returned(parent, lesson.moments[step].visit)) ", where the window was " b { (interval(window)) } ". "
            "The next branch there is " (super::words::of_move(&lesson.oracle, next)) "."
        }
        p { b { "Is the next branch searched, or is it cut?" } }
        p class="buttons" {
            a class="button strong" href=(answered("0")) { "It is searched" }
            a class="button strong" href=(answered("1")) { "It is cut" }
        }
    }
}

/// Returns the numbers of positions visited by this search and by minimax, and at the end a summary.
fn effort(lesson: &Lesson, step: usize, made: &Predictions) -> Markup {
    let (visits, cuts) = lesson.counts(step);
    let is_last = step + 1 == lesson.moments.len();
    let visited = counted(visits, "visit");
    let predictions = html! {
        @if made.asked > 0 { " " (made.right) " of " (counted(made.asked, "prediction")) " right." }
    };
    html! {
        @if is_last {
            p { b { "The search ends after " (visited) " and " (counted(cuts, "cut")) "." }
                @if let Some(all) = lesson.minimax_in_all() { " Minimax makes " (counted(all as usize, "visit")) "." }
                (predictions)
            }
        } @else {
            p { (capitalised(&visited)) " so far"
                @if let Some(all) = lesson.minimax_at(step) { ". Minimax makes " (all) " in the same part of the tree" } "." (predictions)
            }
        }
    }
}
