//! Many positions in one request: a line each, answered in their order as they come.

use super::asking::{ASKING, aside, asked, entry, problem, wanted};
use crate::cli::answer::AnswerReport;
use crate::cli::batch::{self, Growing, Line};
use crate::cli::serve::catalogue::Asked;
use crate::cli::serve::explorer::Explorer;
use crate::cli::serve::http::{Limits, Params};
use crate::cli::serve::problem::Problem;
use crate::cli::serve::thinking::Found;
use crate::oracle::Wanted;
use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http_body_util::BodyExt;
use std::io;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;

/// So many batches at once.
pub const MOST_BATCHES: usize = 8;
/// So many bytes of lines are taken in before they are answered: who sends all lines first and then
/// reads the answers can send as many.
const AHEAD: usize = 16 << 20;
/// At most so many lines of a table are answered together.
const TOGETHER: usize = 2048;

/// A line, and its share of what may be taken in ahead.
struct Taken {
    line: Result<Line, String>,
    share: Option<OwnedSemaphorePermit>,
}

/// What answers the lines one after the other.
struct Batch {
    explorer: Arc<Explorer>,
    id: String,
    asked: Asked,
    wanted: Wanted,
    lines: mpsc::UnboundedReceiver<Taken>,
    /// Reads them; ends with the batch.
    _reading: JoinSet<()>,
    /// Ends with the batch, too.
    _place: OwnedSemaphorePermit,
}

pub async fn batch(
    State(explorer): State<Arc<Explorer>>,
    game: Result<Path<String>, axum::extract::rejection::PathRejection>,
    RawQuery(query): RawQuery,
    body: Body,
) -> Response {
    let begun = async {
        let entry = entry(&explorer, &super::name(game)?)?.clone();
        let params = Params::only(query.as_deref(), &ASKING)?;
        let wanted = wanted(&params)?;
        let asked = asked(&entry).await?;
        let place = Arc::clone(&explorer.batches).try_acquire_owned();
        let place = place.map_err(|_| {
            Problem::busy(format!(
                "{MOST_BATCHES} batches are being answered; wait for one to end"
            ))
        })?;
        let (send, lines) = mpsc::unbounded_channel();
        let mut reading = JoinSet::new();
        reading.spawn(read(body, explorer.limits, send));
        Ok(Batch {
            explorer: Arc::clone(&explorer),
            id: entry.id.clone(),
            asked,
            wanted,
            lines,
            _reading: reading,
            _place: place,
        })
    };
    let batch = match begun.await {
        Ok(batch) => batch,
        Err(error) => return problem(&error),
    };
    let answers = stream::unfold(batch, async |mut batch| {
        let answers = batch.next().await?;
        Some((Ok::<Bytes, io::Error>(answers), batch))
    });
    let kind = HeaderValue::from_static("application/x-ndjson");
    ([(header::CONTENT_TYPE, kind)], Body::from_stream(answers)).into_response()
}

/// Takes lines in as they come, as far ahead as may be, if neither one part of them nor all of them
/// take longer than they may.
async fn read(mut body: Body, limits: Limits, send: mpsc::UnboundedSender<Taken>) {
    let room = Arc::new(Semaphore::new(AHEAD));
    let mut rest = limits.body;
    let mut line = Growing::default();
    let give = |line: Result<Line, String>, share| send.send(Taken { line, share }).is_ok();
    loop {
        let began = Instant::now();
        let frame = match tokio::time::timeout(limits.part.min(rest), body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => break,
            failed => {
                let (what, limit) = if rest < limits.part {
                    ("the lines have taken longer than", limits.body)
                } else {
                    ("no more lines have come for", limits.part)
                };
                let error = match failed {
                    Ok(_) => "the lines end in the midst of a broken body".to_owned(),
                    Err(_) => format!("{what} {} s", limit.as_secs_f64()),
                };
                give(Err(error), None);
                return;
            }
        };
        rest = rest.saturating_sub(began.elapsed());
        let Ok(part) = frame.into_data() else {
            continue;
        };
        let mut bytes = &part[..];
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            line.grow(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let Ok(share) = share_of(&room, &line).await else {
                return;
            };
            if !give(Ok(line.finish()), Some(share)) {
                return;
            }
        }
        line.grow(bytes);
    }
    if !line.is_empty()
        && let Ok(share) = share_of(&room, &line).await
    {
        give(Ok(line.finish()), Some(share));
    }
}

async fn share_of(
    room: &Arc<Semaphore>,
    line: &Growing,
) -> Result<OwnedSemaphorePermit, tokio::sync::AcquireError> {
    // A short line takes more than its bytes.
    let bytes = line.kept() + 64;
    Arc::clone(room).acquire_many_owned(bytes as u32).await
}

impl Batch {
    /// The next answers; none at the end.
    async fn next(&mut self) -> Option<Bytes> {
        let first = self.lines.recv().await?;
        let answers = match self.asked {
            Asked::Table(_) => self.probe(first).await,
            Asked::Search(_) => self.search(first.line).await,
        };
        Some(answers.unwrap_or_else(|error| line_of(&super::asking::error_of(&error))))
    }

    /// Those that a table has, of all lines that are there.
    async fn probe(&mut self, first: Taken) -> Result<Bytes, Problem> {
        let Asked::Table(table) = &self.asked else {
            return Err(Problem::internal());
        };
        let mut lines = Vec::new();
        let mut shares = Vec::new();
        let mut failure = None;
        let mut next = Some(first);
        while let Some(taken) = next {
            match taken.line {
                Ok(line) => lines.push(line),
                Err(error) => failure = Some(error),
            }
            shares.push(taken.share);
            next = if lines.len() < TOGETHER {
                self.lines.try_recv().ok()
            } else {
                None
            };
        }
        let (table, wanted) = (Arc::clone(table), self.wanted);
        let explorer = Arc::clone(&self.explorer);
        aside(move || {
            let positions = batch::positions_of(&lines);
            let answers = explorer.pool.install(|| table.ask_many(&positions, wanted));
            let mut out = Vec::new();
            batch::print_answers(&lines, answers, true, &mut out)
                .map_err(|_| Problem::internal())?;
            if let Some(error) = failure {
                let problem = Problem::bad_request(error);
                out.extend_from_slice(&line_of(&super::asking::error_of(&problem)));
            }
            drop(shares);
            Ok(out.into())
        })
        .await
    }

    /// That of a search: one line at a time, for each may take long.
    async fn search(&self, line: Result<Line, String>) -> Result<Bytes, Problem> {
        let text = match line {
            Err(error) => return Err(Problem::bad_request(error)),
            Ok(Line::TooLong(beginning, length)) => {
                return Err(Problem::bad_request(batch::too_long(length)).about(&beginning));
            }
            Ok(Line::Position(text)) => text,
        };
        let position = text.trim();
        let found = super::find(
            &self.explorer,
            &self.id,
            &self.asked,
            Some(position),
            self.wanted,
            self.explorer.patience,
        );
        Ok(
            match found.await.map_err(|problem| problem.about(position))? {
                Found::All(answer) => line_of(&AnswerReport::new(&answer)),
                so_far => line_of(&super::so_far_of(&so_far)),
            },
        )
    }
}

fn line_of(report: &impl serde::Serialize) -> Bytes {
    let mut line = serde_json::to_vec(report).unwrap_or_default();
    line.push(b'\n');
    line.into()
}
