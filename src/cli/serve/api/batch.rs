//! Many positions in one request: one per line, answered in order.

use super::asking::{ASKING, FoundReport, line_of, wanted};
use crate::any::AnyTable;
use crate::cli::batch::{self, InputLine, LineBuilder};
use crate::cli::serve::host::{blocking, timeout};
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::oracle::Wanted;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// Maximum number of batches that are answered at once. Others wait for their turn.
pub const MOST_BATCHES: usize = 8;
/// Maximum size of the lines in one request, in bytes.
pub(super) const MOST_BYTES: usize = 16 << 20;
/// Size of the part of the lines that a table answers together, in bytes.
const TOGETHER: usize = 32 << 10;

/// A batch, answered line by line.
struct Batch {
    visit: Visit,
    wanted: Wanted,
    /// The lines to answer next.
    lines: VecDeque<InputLine>,
    /// The beginning of the line after those.
    rest: LineBuilder,
    /// The text after that.
    text: Bytes,
    /// The batch's share of the limit, released at its end.
    _permit: OwnedSemaphorePermit,
}

pub async fn batch(visit: Visit, request: Request) -> Result<Response, Problem> {
    visit.params.only(&ASKING)?;
    let wanted = wanted(&visit.params, &visit.source.oracle)?;
    // The lines of a batch that waits are not received yet, and so take no memory.
    let permit = Arc::clone(&visit.explorer.batches).acquire_owned().await;
    let permit = permit.map_err(|_| Problem::internal())?;
    let text = text(request, visit.explorer.limits.body).await?;
    let batch = Batch {
        visit,
        wanted,
        lines: VecDeque::new(),
        rest: LineBuilder::default(),
        text,
        _permit: permit,
    };
    let answers = stream::unfold(batch, async |mut batch| {
        let answers = batch.next().await?;
        Some((Ok::<Bytes, io::Error>(answers), batch))
    });
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, Body::from_stream(answers)).into_response())
}

/// Returns the whole body, or a problem if it takes longer than `limit`.
async fn text(request: Request, limit: Duration) -> Result<Bytes, Problem> {
    let Some(text) = timeout(limit, Bytes::from_request(request, &())).await else {
        let limit = limit.as_secs_f64();
        let error = format!("the lines took longer than {limit} s to arrive");
        return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, error));
    };
    text.map_err(|refused| match refused.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a batch has at most {MOST_BYTES} bytes; split the lines into several batches"),
        ),
        _ => Problem::bad_request("the body of the request is incomplete or malformed"),
    })
}

impl Batch {
    /// Returns the next answers, or `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while self.lines.is_empty() {
            let part = self.text.split_to(self.text.len().min(TOGETHER));
            match part.is_empty() {
                true => self.lines.push_back(self.rest.end()?),
                false => self.lines.extend(self.rest.add(&part)),
            }
        }
        let answers = match self.visit.source.table.clone() {
            Some(table) => self.probe(table).await,
            None => {
                let line = self.lines.pop_front()?;
                self.search(line).await
            }
        };
        Some(answers.unwrap_or_else(|error| line_of(&error)).into())
    }

    /// Returns the answers of a table to all lines that are there.
    async fn probe(&mut self, table: Arc<dyn AnyTable>) -> Result<Vec<u8>, Problem> {
        // Scores may have been locked since the request came.
        self.visit.who.check()?;
        let lines = Vec::from(std::mem::take(&mut self.lines));
        let (wanted, explorer) = (self.wanted, Arc::clone(&self.visit.explorer));
        blocking(move || {
            let mut out = Vec::new();
            let answer = || batch::answer(&lines, &table, wanted, true, &mut out);
            match explorer.pool.install(answer) {
                Ok(_) => Ok(out),
                Err(_) => Err(Problem::internal()),
            }
        })
        .await
    }

    /// Returns the answer of a search to one line, because each may take long.
    async fn search(&self, line: InputLine) -> Result<Vec<u8>, Problem> {
        let text = match line {
            InputLine::Position(text) => text,
            InputLine::TooLong(beginning, length) => {
                return Err(Problem::bad_request(batch::too_long(length)).about(&beginning));
            }
        };
        let position = text.trim();
        let patience = self.visit.explorer.patience;
        let found = self.visit.find(Some(position), self.wanted, patience).await;
        let found = found.map_err(|problem| problem.about(position))?;
        Ok(line_of(&FoundReport::new(&found)))
    }
}
