//! The explorer within a browser: a worker that answers the requests of its pages.

use super::ais::Ais;
use super::explorer::{Explorer, Limits};
use super::http::{COOKIE, Names};
use super::registry::Registry;
use super::{api, host, router};
use crate::any::{FAMILIES, game_of_rules};
use crate::cli::program::Program;
use crate::game::{Progress, SolveOptions};
use crate::games::connect4::set_opening;
use anyhow::Context;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use futures_util::FutureExt;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tower_service::Service;

/// Memory of all searches together, and of a board that is solved, in bytes.
const MEMORY: u64 = 512 << 20;

/// A response to a request.
#[derive(Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// The explorer within a browser.
pub struct Worker {
    explorer: Arc<Explorer>,
    router: Router,
    /// The part of all addresses before those of a server, such as `/zermelo`.
    prefix: String,
}

impl Worker {
    /// Returns a worker whose addresses begin with `prefix`.
    ///
    /// `tables` are the ids and rules of tables that [`add_table`](Worker::add_table) may bring.
    ///
    /// # Errors
    /// If the rules are those of no game.
    pub fn new(prefix: &str, tables: &[(String, String)]) -> anyhow::Result<Worker> {
        let explorer = Arc::new(Explorer {
            registry: Registry::awaiting(tables, MEMORY, &Program::of_library())?,
            jobs: Arc::default(),
            patience: Duration::MAX,
            allow_origin: Vec::new(),
            embedding: super::http::embedding(&["*".to_owned()]),
            pool: host::Pool,
            batches: Arc::new(Semaphore::new(api::MOST_BATCHES)),
            names: Names::new(Ipv4Addr::LOCALHOST.into(), &[]),
            class: None,
            ais: Ais::default(),
            limits: Limits::default(),
        });
        Ok(Worker {
            router: router(Arc::clone(&explorer)),
            explorer,
            prefix: prefix.to_owned(),
        })
    }

    /// Answers a request. `address` begins with the prefix.
    pub fn answer(&self, method: &str, address: &str, body: Vec<u8>) -> Response {
        let local = address.strip_prefix(&*self.prefix).unwrap_or(address);
        let request = Request::builder()
            .method(method)
            .uri(local)
            .header(header::HOST, "localhost")
            // All pages are of one client, so that the next one ends the search for the last.
            .header(header::COOKIE, format!("{COOKIE}=1"))
            .body(Body::from(body));
        let answer = async {
            let Ok(request) = request else {
                return StatusCode::BAD_REQUEST.into_response();
            };
            let Ok(response) = self.router.clone().call(request).await;
            response
        };
        let whole = async {
            let (head, body) = answer.await.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
            (head, Vec::from(body))
        };
        // Nothing waits for another thread, so that there is an answer at once.
        let (mut head, body) = whole.now_or_never().unwrap_or_else(|| {
            let busy = StatusCode::SERVICE_UNAVAILABLE.into_response();
            (busy.into_parts().0, Vec::new())
        });
        let place = head.headers.get_mut(header::LOCATION);
        if let Some(place) = place
            && let Some(local) = place.to_str().ok().filter(|local| local.starts_with('/'))
            && let Ok(whole) = HeaderValue::try_from(format!("{}{local}", self.prefix))
        {
            *place = whole;
        }
        let kind = head.headers.get(header::CONTENT_TYPE);
        let is_page = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
        Response {
            status: head.status,
            headers: head.headers,
            body: match String::from_utf8(body) {
                Ok(page) if is_page => self.moved(&page).into_bytes(),
                Ok(text) => text.into_bytes(),
                Err(other) => other.into_bytes(),
            },
        }
    }

    /// Returns a page whose addresses begin with the prefix.
    ///
    /// Quotation marks in texts are encoded, so that these begin the addresses of elements.
    fn moved(&self, page: &str) -> String {
        page.replace("=\"/", &format!("=\"{}/", self.prefix))
    }

    /// Adds a table that the worker was created for.
    ///
    /// # Errors
    /// If these are not the bytes of that table.
    pub fn add_table(&self, id: &str, bytes: Vec<u8>) -> anyhow::Result<()> {
        let entry = self.explorer.registry.find_or_open(id);
        entry.context("there is no such game")?.add(bytes)
    }

    /// Adds the opening book of Connect Four.
    ///
    /// # Errors
    /// If it has been added before.
    pub fn add_opening(&self, bytes: Vec<u8>) -> anyhow::Result<()> {
        let set = set_opening(bytes).ok();
        set.context("there is an opening book already")?;
        let entry = self.explorer.registry.find("connect4");
        entry.iter().for_each(|entry| entry.forget_search());
        Ok(())
    }

    /// Notes how much of a table has arrived or has been computed: id, phase, unit, amount and total.
    pub fn note_progress(&self, id: &str, phase: (&str, &str), done: u64, of: u64) {
        if let Some(entry) = self.explorer.registry.find(id) {
            entry.note_progress(phase, done, of);
        }
    }

    /// Returns the ids and rules of games for [`solve`], each once.
    pub fn take_wanted(&self) -> Vec<(String, String)> {
        self.explorer.registry.take_wanted()
    }

    /// Works for at most 50 ms on searches that pages wait for; returns whether there is more.
    pub fn step(&self) -> bool {
        host::step()
    }
}

/// Solves a game and returns the bytes of its table.
///
/// Meanwhile `report` receives phase, unit, amount done and total.
///
/// # Errors
/// If there is no such game, or not enough memory.
pub fn solve(rules: &str, report: impl Fn(&str, &str, u64, u64) + Sync) -> anyhow::Result<Vec<u8>> {
    let options = SolveOptions {
        threads: 1,
        memory: MEMORY,
    };
    let reports = Reports {
        report,
        phase: Mutex::default(),
    };
    let game = game_of_rules(rules, FAMILIES)?;
    Ok(game.solve_to_bytes(options, &reports)?)
}

/// Progress that is reported at most ten times a second.
struct Reports<R> {
    report: R,
    phase: Mutex<Option<Phase>>,
}

struct Phase {
    name: String,
    unit: String,
    done: u64,
    total: u64,
    reported: Instant,
}

impl<R: Fn(&str, &str, u64, u64) + Sync> Progress for Reports<R> {
    fn phase(&self, name: &str, unit: &str, total: u64) {
        (self.report)(name, unit, 0, total);
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = Some(Phase {
            name: name.to_owned(),
            unit: unit.to_owned(),
            done: 0,
            total,
            reported: Instant::now(),
        });
    }

    fn advance(&self, units: u64) {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(phase) = &mut *phase {
            phase.done += units;
            if phase.reported.elapsed() > Duration::from_millis(100) {
                phase.reported = Instant::now();
                (self.report)(&phase.name, &phase.unit, phase.done, phase.total);
            }
        }
    }
}
