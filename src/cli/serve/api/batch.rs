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
use std::collections::VecDeque;
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

/// A part of the body, or why no more have come, and its share of what may be taken in ahead.
type Part = (Result<Bytes, String>, Option<OwnedSemaphorePermit>);

/// What answers the lines one after the other.
struct Batch {
    visit: Visit,
    wanted: Wanted,
    parts: mpsc::UnboundedReceiver<Part>,
    /// The lines that are to be answered, with the shares of the parts that they came in.
    lines: VecDeque<Line>,
    shares: Vec<Option<OwnedSemaphorePermit>>,
    /// The beginning of the line after them.
    rest: Growing,
    /// Why no more lines follow, if that is not because all have come.
    failure: Option<String>,
    /// Reads the parts; ends with the batch.
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
    let (send, parts) = mpsc::unbounded_channel();
    let mut reading = JoinSet::new();
    reading.spawn(read(body, visit.explorer.limits, send));
    let batch = Batch {
        visit,
        wanted,
        parts,
        lines: VecDeque::new(),
        shares: Vec::new(),
        rest: Growing::default(),
        failure: None,
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

/// Takes parts in as they come, as far ahead as may be, if neither one of them nor all of them take
/// longer than they may.
async fn read(mut body: Body, limits: Limits, send: mpsc::UnboundedSender<Part>) {
    let room = Arc::new(Semaphore::new(AHEAD));
    let mut time = limits.body;
    loop {
        let began = Instant::now();
        let frame = tokio::time::timeout(limits.part.min(time), body.frame()).await;
        time = time.saturating_sub(began.elapsed());
        let part = match frame {
            Ok(None) => return,
            Ok(Some(Ok(frame))) => Ok(frame.into_data().unwrap_or_default()),
            Ok(Some(Err(_))) => Err("the lines end in the midst of a broken body".to_owned()),
            Err(_) if time.is_zero() => {
                let limit = limits.body.as_secs_f64();
                Err(format!("the lines have taken longer than {limit} s"))
            }
            Err(_) => {
                let limit = limits.part.as_secs_f64();
                Err(format!("no more lines have come for {limit} s"))
            }
        };
        // A short part takes more than its bytes.
        let bytes = part.as_ref().map_or(0, Bytes::len) + 64;
        let share = Arc::clone(&room).acquire_many_owned(bytes.min(AHEAD) as u32);
        let (share, is_last) = (share.await.ok(), part.is_err());
        if send.send((part, share)).is_err() || is_last {
            return;
        }
    }
}

impl Batch {
    /// The next answers; none at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while self.lines.is_empty() && self.failure.is_none() {
            self.shares.clear();
            match self.parts.recv().await {
                Some(part) => self.take_in(part),
                None => self.lines.push_back(self.rest.end()?),
            }
        }
        let answers = match self.visit.asked.table.clone() {
            Some(table) => self.probe(table).await,
            None => self.search().await,
        };
        Some(answers.unwrap_or_else(|error| line_of(&error)).into())
    }

    fn take_in(&mut self, (part, share): Part) {
        match part {
            Ok(part) => self.lines.extend(self.rest.take_in(&part)),
            Err(error) => {
                self.failure = Some(error);
                self.rest = Growing::default();
            }
        }
        self.shares.push(share);
    }

    /// Those that a table has, of all lines that are there.
    async fn probe(&mut self, table: Arc<dyn AnyTable>) -> Result<Vec<u8>, Problem> {
        while self.lines.len() < TOGETHER
            && let Ok(part) = self.parts.try_recv()
        {
            self.take_in(part);
        }
        let lines = Vec::from(std::mem::take(&mut self.lines));
        let shares = std::mem::take(&mut self.shares);
        let failure = self.failure.take();
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
    async fn search(&mut self) -> Result<Vec<u8>, Problem> {
        let text = match self.lines.pop_front() {
            None => {
                let error = self.failure.take();
                return Err(Problem::bad_request(error.unwrap_or_default()));
            }
            Some(Line::TooLong(beginning, length)) => {
                return Err(Problem::bad_request(batch::too_long(length)).about(&beginning));
            }
            Some(Line::Position(text)) => text,
        };
        let position = text.trim();
        let patience = self.visit.explorer.patience;
        let found = self.visit.find(Some(position), self.wanted, patience).await;
        let found = found.map_err(|problem| problem.about(position))?;
        Ok(line_of(&FoundReport::new(&found)))
    }
}
