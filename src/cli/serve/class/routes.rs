//! The lock, the teacher's page, and the forms of teacher and students.

use super::participant::{COOKIE, FORMS, Participant, TASKS, TEACHER};
use super::state::{Class, Student, Task};
use crate::check::html::table;
use crate::cli::serve::explorer::Explorer;
use crate::cli::serve::host::{blocking, timeout};
use crate::cli::serve::http::{Params, decode_part, set_cookie};
use crate::cli::serve::pages::framed;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::puzzles::{Choice, sample};
use crate::text::{capitalised, counted};
use axum::extract::{DefaultBodyLimit, FromRequest, MatchedPath, RawQuery, Request, State};
use axum::http::{HeaderValue, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use maud::{PreEscaped, html};
use std::sync::Arc;

/// Routes that show no scores while these are locked. All others are refused then.
///
/// Pages of positions, games and puzzles ask [`Participant::sees_scores`].
const OPEN: &str = "/ /boards /explore/{game} /embed/{game} /play/{game} /puzzles/{game} \
    /puzzles/{game}/{id} /puzzles/{game}/{id}/next /rules/{game} /assets/{file} /class /class/teacher /api/openapi.json \
    /api/{game}/board.svg /api/{game}/rules";
/// Maximum size of a form, in bytes.
const MOST_BYTES: usize = 64 << 10;
/// Seconds between two updates of the teacher's page, and of one without script.
const AGAIN: u64 = 3;
const AGAIN_WITHOUT_SCRIPT: u64 = 20;

/// Forms that set a task and remove students.
const SETTINGS: &str = include_str!("settings.html");

/// Returns all routes with those of class mode, behind the lock.
pub fn with_class(router: Router<Arc<Explorer>>, class: &Arc<Class>) -> Router<Arc<Explorer>> {
    router
        .route(TEACHER, get(page))
        .route(FORMS, post(change).layer(DefaultBodyLimit::max(MOST_BYTES)))
        .layer(from_fn_with_state(Arc::clone(class), check))
}

/// Notes in a request who sent it, and refuses it if its answer could contain locked scores.
async fn check(
    State(class): State<Arc<Class>>,
    route: Option<MatchedPath>,
    mut request: Request,
    next: Next,
) -> Response {
    let who = Participant::of(class, &request);
    let route = route.map(|route| route.as_str().replacen("/api/v1/", "/api/", 1));
    let is_asset = route.as_deref() == Some("/assets/{file}");
    let is_open = route.is_none_or(|route| OPEN.split(' ').any(|open| open == route));
    let checked = if is_open { Ok(()) } else { who.check() };
    request.extensions_mut().insert(who);
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    // Under a stricter policy, browsers hide where a form comes from, and the guard refuses it.
    let policy = HeaderValue::from_static("same-origin");
    let headers = response.headers_mut();
    headers.insert(header::REFERRER_POLICY, policy);
    if !is_asset {
        // Scores may be locked before a page is shown again.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Returns the teacher's page. The code in the address becomes a cookie, and leaves the address.
async fn page(
    Extension(who): Extension<Participant>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let (params, class) = (Params::read(query.as_deref())?, who.class.as_ref());
    let code = params.get("code");
    if let Some(code) = code.filter(|code| class.is_some_and(|class| class.is_code(code))) {
        let cookie = [(header::SET_COOKIE, set_cookie(COOKIE, code))];
        return Ok((cookie, Redirect::to(TEACHER)).into_response());
    }
    let (head, rows) = who.taught()?.table();
    let head: Vec<&str> = head.iter().map(|cell| &**cell).collect();
    let number = rows.len();
    let contents = html! {
        (who.bar())
        h1 { "The class" }
        div class="look" data-again=(AGAIN) {
            section id="students" aria-label="Students" {
                p { (counted(number, "student")) "." }
                @if number > 0 {
                    div class="scroll wide" tabindex="0" role="region" aria-label="Students and puzzles" { (table(&head, rows.into_iter())) }
                    p class="soft" { "\u{2713} means solved. A number says how many moves were tried." }
                }
            }
            section class="narrow" aria-label="Settings" { (PreEscaped(SETTINGS)) }
        }
    };
    Ok(framed("The class", None, Some(AGAIN_WITHOUT_SCRIPT), &contents).into_response())
}

/// Does what a form of a student or the teacher says, and leads back to its page.
async fn change(
    Extension(who): Extension<Participant>,
    State(explorer): State<Arc<Explorer>>,
    request: Request,
) -> Result<Redirect, Problem> {
    let text = timeout(explorer.limits.head, String::from_request(request, &())).await;
    let text = text.and_then(Result::ok);
    let text = text.ok_or_else(|| Problem::bad_request("the form is incomplete or malformed"))?;
    let form = Params::read(Some(&text))?;
    if let (Some(class), Some(client), Some(name)) = (&who.class, who.client, form.get("name")) {
        class.join(client, name)?;
        return Ok(Redirect::to("/"));
    }
    let class = Arc::clone(who.taught()?);
    blocking(move || {
        if let Some(scores) = form.get("scores") {
            class.state().is_open = scores == "open";
        }
        if form.get("task").is_some() {
            let task = form.filled("task").map(|address| task(&explorer, address));
            class.state().task = task.transpose()?;
        }
        if let Some(removed) = form.get("remove") {
            let is_all = removed == "all";
            let is_it = |student: &Student| is_all || removed == student.number.to_string();
            let students = &mut class.state().students;
            students.retain(|_, student| !is_it(student));
        }
        let back = local(form.get("back").unwrap_or(TEACHER))?;
        Ok(Redirect::to(&back))
    })
    .await
}

/// Returns the part of an address that follows the server's name.
fn local(address: &str) -> Result<String, Problem> {
    let uri: Option<Uri> = address.trim().parse().ok();
    let local = uri.and_then(|uri| Some(uri.path_and_query()?.to_string()));
    // Browsers take "/\\" for "//".
    let is_local = |local: &String| local.starts_with('/') && !local[1..].starts_with(['/', '\\']);
    let local = local.filter(is_local);
    local.ok_or_else(|| Problem::bad_request("this is not the address of a page"))
}

/// Returns the task of an address, if students can open it while scores are locked.
fn task(explorer: &Explorer, address: &str) -> Result<Task, Problem> {
    let address = local(address)?;
    let none = || Problem::bad_request("a task is a page to explore or play, puzzles, or rules");
    let (path, query) = address.split_once('?').unwrap_or((&address, ""));
    let mut parts = path.splitn(4, '/').skip(1);
    let mut next = || parts.next().unwrap_or_default();
    let (kind, game) = (next(), next());
    let entry = explorer.registry.find_or_open(&decode_part(game)?);
    let entry = entry.filter(|_| TASKS.contains(&kind)).ok_or_else(none)?;
    let source = entry.source().map_err(Problem::bad_request)?;
    let mut puzzles: Vec<String> = parts.map(str::to_owned).collect();
    let mut title = format!("{}: {}", capitalised(kind), source.oracle.title());
    if let (Some(table), "puzzles", true) = (&source.table, kind, puzzles.is_empty()) {
        let choice = Choice::of(&Params::read(Some(query))?)?;
        title.push_str(&format!(", {}, sheet {}", choice.level, choice.seed));
        let sampled = sample(&**table, choice, &|| true)?;
        puzzles.extend(sampled.into_iter().map(|puzzle| puzzle.id));
    }
    let puzzles = puzzles.iter().map(|id| format!("{}/{id}", entry.id));
    Ok(Task {
        title,
        puzzles: puzzles.collect(),
        address,
    })
}
