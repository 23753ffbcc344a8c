//! What an earlier run has left, and how far it holds.

use crate::table::format::{FORMAT_VERSION, HEADER_LENGTH};
use crate::table::write::growing::{Growing, Prefix};
use crate::table::write::output::{GroupState, Output};
use crate::work::DiskError;
use crate::work::disk::File;
use crate::work::folder::{Folder, INDEX, LOG, TABLE, clear, has_pieces};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The version of what is in the folder; to be raised with every change of it, or of the bytes of
/// blocks.
const VERSION: u32 = 2;

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

/// From here a run can go on.
#[derive(Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    pub table: Prefix,
    pub index: Prefix,
    pub state: GroupState,
}

/// All checkpoints, a piece that each of them replaces.
#[derive(Debug, Serialize, Deserialize)]
pub struct Log {
    identity: Identity,
    pub checkpoints: Vec<Checkpoint>,
}

const NAME: &str = "checkpoints";

impl Log {
    /// Brings it to disk.
    pub fn write(&self, folder: &Path) -> Result<(), DiskError> {
        Folder::at(folder, LOG).put_durably(NAME, "", &mut |out| {
            serde_json::to_writer(out, self).map_err(io::Error::from)
        })
    }

    /// Nothing if there is none that is whole.
    fn read(folder: &Path) -> Option<Log> {
        let log = Folder::at(folder, LOG).get(NAME, "").ok()??;
        serde_json::from_reader(log.read().ok()?).ok()
    }
}

/// The files that grow.
pub struct Files {
    pub output: Output<File, File>,
    pub log: Log,
}

/// What was found of an earlier run.
#[derive(Debug, Default)]
pub struct Found {
    /// The states of the checkpoints to go on from, in their order.
    pub states: Vec<GroupState>,
    /// What can't be continued, for people.
    pub discarded: Option<String>,
}

/// The files in a folder that is locked, cut back to the last checkpoint that holds, and what was
/// found in them; or what else they are the beginnings of. `fits` says whether a state can be that of
/// the checkpoint with a number.
pub fn open(
    folder: &Path,
    identity: Identity,
    fits: impl Fn(usize, &GroupState) -> bool,
) -> Result<Result<(Files, Found), Identity>, DiskError> {
    let has_pieces = has_pieces(folder);
    let error = DiskError::of(folder, "use the folder for unfinished work");
    let opened = match Log::read(folder) {
        Some(log) if log.identity == identity => go_on(folder, log, fits),
        Some(log) if has_pieces || !log.checkpoints.is_empty() => return Ok(Err(log.identity)),
        other => begin(folder, identity).map(|files| {
            let is_lost = other.is_none() && has_pieces;
            let discarded = is_lost.then(|| "its log is missing or damaged".to_owned());
            let found = Found {
                discarded,
                ..Found::default()
            };
            (files, found)
        }),
    };
    opened.map(Ok).map_err(error)
}

/// The files of a folder that is emptied.
fn begin(folder: &Path, identity: Identity) -> io::Result<Files> {
    clear(folder);
    let log = Log {
        identity,
        checkpoints: Vec::new(),
    };
    let begun = blank(folder).and_then(|output| {
        log.write(folder).map_err(|error| error.cause)?;
        Ok(output)
    });
    let output = begun.inspect_err(|_| crate::work::folder::remove(folder))?;
    Ok(Files { output, log })
}

fn blank(folder: &Path) -> io::Result<Output<File, File>> {
    Ok(Output {
        table: Growing::create(&folder.join(TABLE), HEADER_LENGTH as u64)?,
        index: Growing::create(&folder.join(INDEX), 0)?,
    })
}

fn go_on(
    folder: &Path,
    mut log: Log,
    fits: impl Fn(usize, &GroupState) -> bool,
) -> io::Result<(Files, Found)> {
    let all = log.checkpoints.len();
    let points = (0..).zip(&log.checkpoints);
    let points = points.take_while(|(number, point)| fits(*number, &point.state));
    let table = Growing::reopen(&folder.join(TABLE), HEADER_LENGTH as u64);
    let index = Growing::reopen(&folder.join(INDEX), 0);
    let mut held = 0;
    let output = match (table, index) {
        (Ok(mut table), Ok(mut index)) => {
            let mut last = (None, None);
            for (number, point) in points {
                let here = (table.reach(&point.table)?, index.reach(&point.index)?);
                if let (Some(_), Some(_)) = here {
                    (held, last) = (number + 1, here);
                }
            }
            Output {
                table: table.cut_back(last.0)?,
                index: index.cut_back(last.1)?,
            }
        }
        _ => blank(folder)?,
    };
    log.checkpoints.truncate(held);
    let states = log.checkpoints.iter().map(|point| point.state.clone());
    let found = Found {
        states: states.collect(),
        discarded: (held < all).then(|| format!("only {held} of {all} checkpoints hold")),
    };
    Ok((Files { output, log }, found))
}
