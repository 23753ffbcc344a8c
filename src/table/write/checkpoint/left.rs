//! What an earlier run has left, and how far it holds.

use super::log::Log;
use crate::table::format::{FORMAT_VERSION, HEADER_LENGTH};
use crate::table::write::growing::{Growing, Prefix};
use crate::table::write::output::Output;
use crate::work::disk::File;
use crate::work::folder::{INDEX, LOG, TABLE, has_pieces};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The version of what is in the folder; to be raised with every change of it, or of the bytes of
/// blocks.
const VERSION: u32 = 1;

/// What makes the bytes of a table: only a run with all of it the same can go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    rules: String,
    options: String,
    program: String,
    format: u32,
    folder: u32,
}

impl Identity {
    /// `options` says what else than the rules makes the bytes.
    pub fn new(rules: &str, options: &str) -> Identity {
        Identity {
            rules: rules.into(),
            options: options.into(),
            program: env!("CARGO_PKG_VERSION").into(),
            format: FORMAT_VERSION,
            folder: VERSION,
        }
    }

    /// What differs first, for people.
    pub fn difference(&self, found: &Identity) -> [String; 2] {
        let of = |part: fn(&Identity) -> String| [part(self), part(found)];
        if self.rules != found.rules {
            return of(|identity| identity.rules.clone());
        }
        if self.options != found.options {
            return of(|identity| identity.options.clone());
        }
        of(|identity| {
            let Identity {
                program,
                format,
                folder,
                ..
            } = identity;
            format!("version {program} (formats {format} and {folder})")
        })
    }
}

/// A record of the log but the first.
#[derive(Debug, Serialize, Deserialize)]
pub struct Checkpoint<S> {
    pub table: Prefix,
    pub index: Prefix,
    pub state: S,
}

/// The files that grow.
pub struct Files {
    pub output: Output<File, File>,
    pub log: Log,
}

/// The files of an empty folder.
pub fn begin(folder: &Path, identity: &Identity) -> io::Result<Files> {
    let output = blank(folder)?;
    let mut log = Log::create(&folder.join(LOG))?;
    log.append(identity)?;
    Ok(Files { output, log })
}

fn blank(folder: &Path) -> io::Result<Output<File, File>> {
    Ok(Output {
        table: Growing::create(&folder.join(TABLE), HEADER_LENGTH as u64)?,
        index: Growing::create(&folder.join(INDEX), 0)?,
    })
}

/// What was found of an earlier run.
#[derive(Debug)]
pub struct Found<S> {
    /// The states of the checkpoints to go on from, in their order.
    pub states: Vec<S>,
    /// What can't be continued, for people.
    pub discarded: Option<String>,
}

/// Files cut back to the last checkpoint that holds, if there are any to go on with, and what was
/// found in them; or what else they are the beginnings of.
type Left<S> = Result<(Option<Files>, Found<S>), Identity>;

/// That there is nothing to go on with, and perhaps why.
fn nothing<S>(discarded: Option<&str>) -> Left<S> {
    let found = Found {
        states: Vec::new(),
        discarded: discarded.map(str::to_owned),
    };
    Ok((None, found))
}

pub fn look<S: DeserializeOwned>(
    folder: &Path,
    identity: &Identity,
    fits: impl Fn(usize, &S) -> bool,
) -> io::Result<Left<S>> {
    let (mut log, records) = match Log::reopen(&folder.join(LOG)) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            return Ok(nothing(has_pieces(folder).then_some("its log is missing")));
        }
        other => other?,
    };
    let first = records.first();
    let Some(theirs) = first.and_then(|first| serde_json::from_str(&first.json).ok()) else {
        let is_some = has_pieces(folder) || log.has_more();
        return Ok(nothing(is_some.then_some("its log is damaged")));
    };
    if theirs != *identity {
        return Ok(match has_pieces(folder) || records.len() > 1 {
            true => Err(theirs),
            false => nothing(None),
        });
    }
    let checkpoints: Vec<Checkpoint<S>> = (0..)
        .zip(&records[1..])
        .map_while(|(number, record)| {
            let checkpoint: Checkpoint<S> = serde_json::from_str(&record.json).ok()?;
            fits(number, &checkpoint.state).then_some(checkpoint)
        })
        .collect();
    let table_points: Vec<&Prefix> = checkpoints.iter().map(|point| &point.table).collect();
    let index_points: Vec<&Prefix> = checkpoints.iter().map(|point| &point.index).collect();
    let table = Growing::reopen(&folder.join(TABLE), HEADER_LENGTH as u64, &table_points);
    let index = Growing::reopen(&folder.join(INDEX), 0, &index_points);
    let (last, output) = match (table, index) {
        (Ok(table), Ok(index)) => {
            let holds = |&point: &usize| table.holds(point) && index.holds(point);
            let last = (0..checkpoints.len()).rfind(holds);
            let output = Output {
                table: table.cut_back(last)?,
                index: index.cut_back(last)?,
            };
            (last, output)
        }
        _ => (None, blank(folder)?),
    };
    let held = last.map_or(0, |last| last + 1);
    let discarded = if held < records.len() - 1 {
        let all = records.len() - 1;
        Some(format!("only {held} of {all} checkpoints hold"))
    } else if log.has_more() {
        Some("the end of its log is damaged".into())
    } else {
        None
    };
    log.cut_back(&records[held])?;
    let states = checkpoints.into_iter().take(held).map(|point| point.state);
    let states = states.collect();
    let found = Found { states, discarded };
    Ok(Ok((Some(Files { output, log }), found)))
}
