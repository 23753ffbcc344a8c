//! The explorer within a browser: functions for its JavaScript, `worker.js`.
//!
//! Both sides write into one buffer. A function takes its contents, and may leave others there, of
//! which it returns the length.

#![cfg(target_family = "wasm")]

use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use zermelo::cli::Worker;

static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static WORKER: OnceLock<Worker> = OnceLock::new();

fn buffer() -> MutexGuard<'static, Vec<u8>> {
    BUFFER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the contents of the buffer.
fn taken() -> Vec<u8> {
    std::mem::take(&mut *buffer())
}

/// Leaves contents in the buffer; returns their length.
fn left(contents: Vec<u8>) -> usize {
    let mut buffer = buffer();
    *buffer = contents;
    buffer.len()
}

unsafe extern "C" {
    fn __wasm_call_ctors();
}

/// Begins. Without this function the linker would begin and end the program with each call.
#[unsafe(no_mangle)]
pub extern "C" fn _initialize() {
    // SAFETY: the linker provides it, and this is the first call and the only one.
    unsafe { __wasm_call_ctors() }
}

/// Makes the buffer `length` bytes long, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    let mut buffer = buffer();
    buffer.resize(length, 0);
    buffer.as_mut_ptr()
}

/// A site: its place and its tables.
#[derive(Deserialize)]
struct Site {
    /// The part of all addresses before those of a server, such as `/zermelo`.
    prefix: String,
    /// Ids and rules of tables.
    tables: Vec<(String, String)>,
}

/// Creates the worker, for the site in the buffer; leaves an error, if there is one.
#[unsafe(no_mangle)]
pub extern "C" fn begin() -> usize {
    let made = serde_json::from_slice(&taken())
        .map_err(|error| error.to_string())
        .and_then(|Site { prefix, tables }| {
            Worker::new(&prefix, &tables).map_err(|error| format!("{error:#}"))
        });
    left(match made.map(|worker| WORKER.set(worker)) {
        Ok(_) => Vec::new(),
        Err(error) => error.into_bytes(),
    })
}

#[derive(Deserialize)]
struct Request {
    method: String,
    address: String,
    #[serde(default)]
    body: String,
}

#[derive(Serialize)]
struct Head<'a> {
    status: u16,
    headers: Vec<(&'a str, &'a str)>,
}

/// Answers the request in the buffer; leaves a line with the head of the response, and its body.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let Ok(request) = serde_json::from_slice::<Request>(&taken()) else {
        return left(Vec::new());
    };
    let Some(worker) = WORKER.get() else {
        return left(Vec::new());
    };
    let body = request.body.into_bytes();
    let response = worker.answer(&request.method, &request.address, body);
    let headers = response.headers.iter();
    let head = Head {
        status: response.status.as_u16(),
        headers: headers
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
            .collect(),
    };
    let mut contents = serde_json::to_vec(&head).unwrap_or_default();
    contents.push(b'\n');
    contents.extend(response.body);
    left(contents)
}

/// Takes the id of a table from the buffer, before its first newline.
fn id_and_rest() -> (String, Vec<u8>) {
    let mut contents = taken();
    let end = contents.iter().position(|&byte| byte == b'\n');
    let rest = contents.split_off(end.map_or(contents.len(), |end| end + 1));
    contents.pop();
    (String::from_utf8(contents).unwrap_or_default(), rest)
}

/// Adds the table in the buffer, after a line with its id; leaves an error, if there is one.
///
/// Without an id it is the opening book of Connect Four.
#[unsafe(no_mangle)]
pub extern "C" fn add_table() -> usize {
    let (id, table) = id_and_rest();
    let added = WORKER.get().map_or(Ok(()), |worker| match &*id {
        "" => worker.add_opening(table),
        id => worker.add_table(id, table),
    });
    left(added.map_or_else(|error| format!("{error:#}").into_bytes(), |()| Vec::new()))
}

/// Progress of a table: `[id, phase, unit, done, total]`.
type News = (String, String, String, u64, u64);

/// Notes the progress of a table that is in the buffer as [`News`].
#[unsafe(no_mangle)]
pub extern "C" fn note_progress() {
    if let (Some(worker), Ok((id, phase, unit, done, of))) =
        (WORKER.get(), serde_json::from_slice::<News>(&taken()))
    {
        worker.note_progress(&id, (&phase, &unit), done, of);
    }
}

/// Leaves the ids and rules of games to be solved by another instance of this module.
#[unsafe(no_mangle)]
pub extern "C" fn wanted() -> usize {
    let wanted = WORKER.get().map(Worker::take_wanted);
    left(serde_json::to_vec(&wanted.unwrap_or_default()).unwrap_or_default())
}

/// Solves the game whose rules are in the buffer; leaves its table, or nothing if that fails.
///
/// Prints progress in lines: phase, unit, done and total.
#[unsafe(no_mangle)]
pub extern "C" fn solve() -> usize {
    let rules = String::from_utf8(taken()).unwrap_or_default();
    let solved = zermelo::cli::solve(&rules, |phase, unit, done, total| {
        println!("{phase}\t{unit}\t{done}\t{total}");
    });
    left(solved.unwrap_or_else(|error| {
        eprintln!("{rules}: {error:#}");
        Vec::new()
    }))
}

/// Searches for at most 50 ms; returns 1 if there is more to do.
#[unsafe(no_mangle)]
pub extern "C" fn step() -> u32 {
    WORKER.get().is_some_and(Worker::step).into()
}
