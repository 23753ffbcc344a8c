//! Many positions in one request: a line each, answered in their order as they come.

use super::asking::{ASKING, FoundReport, line_of, wanted};
use crate::any::AnyTable;
use crate::cli::batch::{self, Growing, Line};
use crate::cli::serve::http::Limits;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::{Visit, aside};
use crate::oracle::Wanted;
use axum::body::{Body, Bytes};
use axum::http::header;
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
    visit: Visit,
    wanted: Wanted,
    lines: mpsc::UnboundedReceiver<Taken>,
    /// Reads them; ends with the batch.
    _reading: JoinSet<()>,
    /// Ends with the batch, too.
    _place: OwnedSemaphorePermit,
}

pub async fn batch(visit: Visit, body: Body) -> Result<Response, Problem> {
    visit.params.only(&ASKING)?;
    let wanted = wanted(&visit.params)?;
    let place = Arc::clone(&visit.explorer.batches).try_acquire_owned();
    let place = place.map_err(|_| {
        Problem::busy(format!(
            "{MOST_BATCHES} batches are being answered; wait for one to end"
        ))
    })?;
    let (send, lines) = mpsc::unbounded_channel();
    let mut reading = JoinSet::new();
    reading.spawn(read(body, visit.explorer.limits, send));
    let batch = Batch {
        visit,
        wanted,
        lines,
        _reading: reading,
        _place: place,
    };
    let answers = stream::unfold(batch, async |mut batch| {
        let answers = batch.next().await?;
        Some((Ok::<Bytes, io::Error>(answers), batch))
    });
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, Body::from_stream(answers)).into_response())
}

/// Takes lines in as they come, as far ahead as may be, if neither one part of them nor all of them
/// take longer than they may.
async fn read(mut body: Body, limits: Limits, send: mpsc::UnboundedSender<Taken>) {
    let room = Arc::new(Semaphore::new(AHEAD));
    let mut time = limits.body;
    let mut rest = Growing::default();
    let give = |line: Result<Line, String>, share| send.send(Taken { line, share }).is_ok();
    loop {
        let began = Instant::now();
        let frame = match tokio::time::timeout(limits.part.min(time), body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => break,
            failed => {
                let (what, limit) = if time < limits.part {
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
        time = time.saturating_sub(began.elapsed());
        let Ok(part) = frame.into_data() else {
            continue;
        };
        for line in rest.take_in(&part) {
            let Ok(share) = share_of(&room, &line).await else {
                return;
            };
            if !give(Ok(line), Some(share)) {
                return;
            }
        }
    }
    if let Some(line) = rest.end()
        && let Ok(share) = share_of(&room, &line).await
    {
        give(Ok(line), Some(share));
    }
}

async fn share_of(
    room: &Arc<Semaphore>,
    line: &Line,
) -> Result<OwnedSemaphorePermit, tokio::sync::AcquireError> {
    // A short line takes more than its bytes.
    let bytes = line.kept() + 64;
    Arc::clone(room).acquire_many_owned(bytes as u32).await
}

impl Batch {
    /// The next answers; none at the end.
    async fn next(&mut self) -> Option<Bytes> {
        let first = self.lines.recv().await?;
        let answers = match self.visit.asked.table.clone() {
            Some(table) => self.probe(table, first).await,
            None => self.search(first.line).await,
        };
        Some(answers.unwrap_or_else(|error| line_of(&error)).into())
    }

    /// Those that a table has, of all lines that are there.
    async fn probe(&mut self, table: Arc<dyn AnyTable>, first: Taken) -> Result<Vec<u8>, Problem> {
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
        let (wanted, explorer) = (self.wanted, Arc::clone(&self.visit.explorer));
        aside(move || {
            let mut out = Vec::new();
            let answer = || batch::answer(&lines, &*table, wanted, true, &mut out);
            explorer
                .pool
                .install(answer)
                .map_err(|_| Problem::internal())?;
            if let Some(error) = failure {
                out.extend(line_of(&Problem::bad_request(error)));
            }
            drop(shares);
            Ok(out)
        })
        .await
    }

    /// That of a search: one line at a time, for each may take long.
    async fn search(&self, line: Result<Line, String>) -> Result<Vec<u8>, Problem> {
        let text = match line {
            Err(error) => return Err(Problem::bad_request(error)),
            Ok(Line::TooLong(beginning, length)) => {
                return Err(Problem::bad_request(batch::too_long(length)).about(&beginning));
            }
            Ok(Line::Position(text)) => text,
        };
        let position = text.trim();
        let patience = self.visit.explorer.patience;
        let found = self.visit.find(Some(position), self.wanted, patience).await;
        let found = found.map_err(|problem| problem.about(position))?;
        Ok(line_of(&FoundReport::new(&found)))
    }
}
