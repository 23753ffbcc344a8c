//! Searches before anybody asks.

use super::explorer::Explorer;
use super::jobs::{LONGEST, Visitor};
use super::pages::wanted;
use super::registry::Source;
use std::sync::Arc;
use tokio::runtime::Handle;

/// Searches the starts of games without tables once small games are solved.
///
/// Most clients begin there. Their questions go first if they cost less.
pub fn search_starts(explorer: &Arc<Explorer>) {
    let (own, runtime) = (Arc::clone(explorer), Handle::current());
    explorer.registry.later(move || {
        for entry in own.registry.entries() {
            if let Ok(Source {
                oracle,
                table: None,
            }) = entry.source()
            {
                let (own, entry) = (Arc::clone(&own), Arc::clone(entry));
                runtime.spawn(async move {
                    let (start, who) = (oracle.start(), (Visitor::default(), LONGEST));
                    let found = own.jobs.ask(&entry.id, &oracle, start, wanted(), who);
                    found.await
                });
            }
        }
    });
}
