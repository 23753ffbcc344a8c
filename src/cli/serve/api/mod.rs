//! The API: JSON for programs.
//!
//! It has the same answers as `query --json` and `info --json`, over HTTP. `openapi.json` describes it
//! for programs, and docs/reference/http-api.md for people.

mod asking;
mod batch;

use asking::{ASKING, FoundReport, LINE, about, lasting, over, to_json, to_lasting_json, wanted};
pub use asking::{problem, report};
pub use batch::MOST_BATCHES;

use super::address::GameLine;
use super::explorer::Explorer;
use super::host::{blocking, blocking_while_awaited};
use super::http::Params;
use super::problem::Problem;
use super::puzzles::{Choice, sample};
use super::registry::Entry;
use super::visit::Visit;
use crate::any::View;
use crate::cli::advice;
use crate::game::{InWords, Side};
use crate::oracle::{AskError, Wanted};
use axum::Router;
use axum::extract::{DefaultBodyLimit, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::sync::Arc;

/// The description of the API for programs.
const DOCUMENT: &str = include_str!("openapi.json");

/// Version of the API. The keys and addresses of a version don't change.
pub const VERSION: u32 = 1;

/// Reason why a searched game has no statistics.
pub const ONLY_TABLES: &str = "only tables have statistics";

pub fn router() -> Router<Arc<Explorer>> {
    Router::new()
        .route("/games", get(games))
        .route(
            "/openapi.json",
            get(([(header::CONTENT_TYPE, "application/json")], DOCUMENT)),
        )
        .route("/{game}", get(position))
        .route(
            "/{game}/batch",
            post(batch::batch).layer(DefaultBodyLimit::max(batch::MOST_BYTES)),
        )
        .route("/{game}/board.svg", get(board))
        .route("/{game}/rules", get(rules))
        .route("/{game}/statistics", get(statistics))
        .route("/{game}/puzzles", get(puzzles))
}

async fn games(
    State(explorer): State<Arc<Explorer>>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    Params::read(query.as_deref())?.only(&[])?;
    blocking(move || {
        let games: Vec<Value> = explorer.registry.entries.iter().map(game).collect();
        let report = json!({ "api_version": VERSION, "games": games });
        Ok(to_json(StatusCode::OK, &report))
    })
    .await
}

/// Returns one of the games, as JSON.
fn game(entry: &Arc<Entry>) -> Value {
    let game = &entry.game;
    let mut report = json!({
        "id": entry.id,
        "game": game.family(),
        "name": game.name(),
        "rules": game.rules(),
        "source": if entry.is_searched() { "search" } else { "table" },
    });
    let source = match entry.without_search() {
        Ok(source) => source,
        Err(error) => {
            report["error"] = advice::parts(&error).0.into();
            return report;
        }
    };
    report["title"] = source.oracle.title().into();
    if game.has_start() {
        report["start"] = source.oracle.start().into();
    }
    report["move_noun"] = source.oracle.move_noun().into();
    if let Some(table) = &source.table {
        report["classes"] = table.file().entries().into();
        report["bytes"] = table.file().bytes().into();
        let score = match table.ask(None, Wanted::default(), None) {
            Ok(start) => {
                let score = start.first_player_bounds().score();
                score.map(|score| start.in_words_of(Side::First, score))
            }
            Err(AskError::NoStart { .. }) => None,
            Err(error) => {
                report["error"] = error.to_string().into();
                None
            }
        };
        if table.counts_plies() {
            report["first_player_outcome"] = score.map(|it| it.outcome().to_string()).into();
            report["distance"] = score.and_then(InWords::distance).into();
        }
        if let Some(points) = score.and_then(InWords::points) {
            report["first_player_score"] = serde_json::json!(points);
        }
    }
    report
}

/// Returns the position at the end of the line that the parameters name.
async fn view(visit: &Visit) -> Result<View, Problem> {
    let line = GameLine::of("explore", &visit.entry.id, &visit.params)?;
    let from = line.from.as_deref();
    let view = visit.view(from, &line.played).await;
    view.map_err(|problem| match from {
        Some(from) => problem.about(from),
        None => problem,
    })
}

async fn position(visit: Visit) -> Result<Response, Problem> {
    visit.params.only(&[LINE.as_slice(), &ASKING].concat())?;
    let wanted = wanted(&visit.params, &visit.source.oracle)?;
    let view = view(&visit).await?;
    if view.result.is_some() {
        let report = over(&visit.source.oracle, &view, wanted.question);
        return Ok(to_lasting_json(&report));
    }
    let patience = visit.explorer.patience;
    let found = visit.find(Some(&view.position), wanted, patience).await;
    let found = found.map_err(|problem| problem.about(&view.position))?;
    blocking(move || {
        let mut report = FoundReport::new(&found);
        report.about = Some(about(&visit.source.oracle, &view));
        if let Some(answer) = &mut report.answer {
            answer.look_ahead(&visit.source.oracle, view.to_move);
        }
        Ok(match found.searching {
            None if visit.source.table.is_some() => to_lasting_json(&report),
            None => to_json(StatusCode::OK, &report),
            Some(_) => {
                let again = [
                    (header::RETRY_AFTER, "1"),
                    (header::CACHE_CONTROL, "no-store"),
                ];
                (again, to_json(StatusCode::ACCEPTED, &report)).into_response()
            }
        })
    })
    .await
}

/// Returns a drawing of a position, with its style.
async fn board(visit: Visit) -> Result<Response, Problem> {
    visit.params.only(&LINE)?;
    let view = view(&visit).await?;
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        // The style is in the drawing.
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'",
        ),
    ];
    let drawing = view.svg();
    Ok((headers, lasting(drawing.as_bytes()), drawing).into_response())
}

async fn rules(visit: Visit) -> Result<Response, Problem> {
    visit.params.only(&[])?;
    let game = &visit.entry.game;
    let report = json!({
        "name": game.name(),
        "rules": game.rules(),
        "text": game.rules_in_words(),
    });
    Ok(to_lasting_json(&report))
}

async fn puzzles(visit: Visit) -> Result<Response, Problem> {
    visit.params.only(&["level", "seed"])?;
    let choice = Choice::of(&visit.params)?;
    let table = Arc::clone(visit.table("puzzles need a table")?);
    blocking_while_awaited(move |is_awaited| {
        let puzzles = sample(&*table, choice, is_awaited)?
            .into_iter()
            .map(|puzzle| {
                json!({
                    "id": puzzle.id,
                    "position": puzzle.answer.position,
                    "to_move": puzzle.answer.to_move,
                    "level": puzzle.level,
                    "depth": puzzle.depth,
                    "runner_up_loss": puzzle.loss,
                    "solution": puzzle.answer.best_moves().next(),
                    "score": puzzle.answer.bounds.lower,
                })
            });
        let puzzles: Vec<Value> = puzzles.collect();
        let Choice { level, seed } = choice;
        let report = json!({ "level": level, "seed": seed, "puzzles": puzzles });
        Ok(to_lasting_json(&report))
    })
    .await
}

async fn statistics(visit: Visit) -> Result<Response, Problem> {
    visit.params.only(&[])?;
    let table = Arc::clone(visit.table(ONLY_TABLES)?);
    blocking(move || {
        let mut report = report(&*table)?;
        // The table's directory is not disclosed.
        let name = table.file().path().file_name().unwrap_or_default();
        report.path = name.to_string_lossy().into_owned();
        Ok(to_lasting_json(&report))
    })
    .await
}
