//! Requests about a game.

use super::class::Participant;
use super::explorer::Explorer;
use super::host::blocking;
use super::http::{Params, decode_part};
use super::jobs::{FoundAnswer, Visitor};
use super::problem::Problem;
use super::registry::{Entry, Source};
use crate::any::{AnyTable, View};
use crate::oracle::Wanted;
use crate::text::encode_part;
use axum::extract::{FromRequestParts, OriginalUri, Path};
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri};
use std::sync::Arc;
use std::time::Duration;

/// Likeness, in thousandths, of a name that a wrong one may stand for.
const LEAST_LIKENESS: u32 = 750;

/// A request about the game in its address.
#[derive(Clone)]
pub struct Visit {
    pub explorer: Arc<Explorer>,
    pub entry: Arc<Entry>,
    pub source: Source,
    pub params: Params,
    pub visitor: Visitor,
    /// The sender, who may not see scores.
    pub who: Participant,
}

impl FromRequestParts<Arc<Explorer>> for Visit {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        explorer: &Arc<Explorer>,
    ) -> Result<Visit, Problem> {
        // A puzzle's address has another part.
        let names = Path::<Vec<(String, String)>>::from_request_parts(parts, explorer).await;
        let Path(names) = names
            .map_err(|_| Problem::bad_request("the address is not UTF-8 in percent-encoding"))?;
        let name = names.first().map_or("", |(_, name)| name);
        let Some(entry) = explorer.registry.find_or_open(name) else {
            let entries = explorer.registry.entries.iter();
            let known: Vec<&str> = entries.map(|entry| &*entry.id).collect();
            let likeness = |id: &&&str| (1000.0 * strsim::jaro_winkler(name, id)) as u32;
            let nearest = known.iter().max_by_key(likeness);
            let tip = nearest.filter(|id| likeness(id) > LEAST_LIKENESS);
            let tip = tip.map(|id| format!("did you mean {id}? "));
            return Err(Problem::not_found(format!(
                "there is no game \"{name}\"; the games are {}\ntip: {}The first page opens other boards",
                known.join(", "),
                tip.unwrap_or_default()
            ))
            .with_code("no_such_game"));
        };
        if entry.id != name {
            let address = parts.extensions.get::<OriginalUri>();
            let address = address.map_or(&parts.uri, |original| &original.0);
            return Err(Problem::moved(renamed(address, name, &entry.id)));
        }
        let params = Params::read(parts.uri.query())?;
        let visitor = parts.extensions.get().copied().unwrap_or_default();
        let own = Arc::clone(&entry);
        let status = match entry.is_searched() {
            true => StatusCode::UNPROCESSABLE_ENTITY,
            false => StatusCode::SERVICE_UNAVAILABLE,
        };
        let source = blocking(move || own.source().map_err(|error| Problem::new(status, error)));
        Ok(Visit {
            explorer: Arc::clone(explorer),
            entry,
            source: source.await?,
            params,
            visitor,
            who: parts.extensions.get().cloned().unwrap_or_default(),
        })
    }
}

/// Returns the same address with another id of the game.
fn renamed(address: &Uri, name: &str, id: &str) -> String {
    // The first part is empty, the second one the kind of page.
    let parts = address.path().split('/').enumerate().map(|(number, part)| {
        let is_name = number > 1 && decode_part(part).is_ok_and(|part| part == name);
        if is_name {
            encode_part(id)
        } else {
            part.to_owned()
        }
    });
    let path = parts.collect::<Vec<_>>().join("/");
    match address.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}

impl Visit {
    /// Returns the table; for a searched game, a problem whose message ends with `needed`.
    pub fn table(&self, needed: &str) -> Result<&Arc<dyn AnyTable>, Problem> {
        let why = || {
            let reason = self.entry.why_searched();
            let error = format!("{} is {reason}; {needed}", self.entry.id);
            Problem::not_found(error).with_code("needs_table")
        };
        self.source.table.as_ref().ok_or_else(why)
    }

    /// Returns the position after these moves from a position, or from the start.
    pub async fn view(&self, from: Option<&str>, moves: &[String]) -> Result<View, Problem> {
        let oracle = self.source.oracle.clone();
        let (from, moves) = (from.map(str::to_owned), moves.to_vec());
        blocking(move || {
            let moves: Vec<&str> = moves.iter().map(|mv| &**mv).collect();
            Ok(oracle.view(from.as_deref(), &moves)?)
        })
        .await
    }

    /// Returns the answer about a position, or what a search knows after `patience`.
    ///
    /// # Errors
    /// If the sender may not see scores.
    pub async fn find(
        &self,
        position: Option<&str>,
        wanted: Wanted,
        patience: Duration,
    ) -> Result<FoundAnswer, Problem> {
        self.who.check()?;
        if let Some(table) = &self.source.table {
            let (table, position) = (Arc::clone(table), position.map(str::to_owned));
            let answer = blocking(move || Ok(table.ask(position.as_deref(), wanted, None)?));
            return answer.await.map(FoundAnswer::from);
        }
        // The same position may have several notations.
        let name = self.view(position, &[]).await?.position;
        let (id, oracle) = (&self.entry.id, &self.source.oracle);
        let patience = patience.min(self.explorer.patience);
        let jobs = &self.explorer.jobs;
        jobs.ask(id, oracle, name, wanted, (self.visitor, patience))
            .await
    }
}
