//! What an earlier run has left, and how far it holds.

use crate::table::format::FORMAT_VERSION;
use crate::table::write::output::{Extent, GroupState, Output};
use crate::work::DiskError;
use crate::work::disk;
use crate::work::folder::{Folder, LOG, TABLE, read_through};
use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use bincode::{Decode, Encode};
use serde::{Deserialize, Serialize};
use sha2::Digest;
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

/// The version of what is in the folder; to be raised with every change of it, or of the bytes of
/// blocks.
const VERSION: u32 = 3;

/// What makes the bytes of a table: only a run with all of it the same can go on.
#[derive(PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    rules: String,
    options: String,
    program: String,
}

/// The name of the file that has it.
const NAME: &str = "checkpoints";

impl Identity {
    /// `options` says what else than the rules makes the bytes.
    pub fn new(rules: String, options: String) -> Identity {
        let program = env!("CARGO_PKG_VERSION");
        Identity {
            rules,
            options,
            program: format!("version {program} (formats {FORMAT_VERSION} and {VERSION})"),
        }
    }

    /// What differs first, for people.
    pub fn difference<'a>(&'a self, found: &'a Identity) -> Option<[&'a str; 2]> {
        let parts = [
            [&self.rules, &found.rules],
            [&self.options, &found.options],
            [&self.program, &found.program],
        ];
        let differing = parts.into_iter().find(|[ours, theirs]| ours != theirs);
        differing.map(|both| both.map(String::as_str))
    }

    /// What the pieces of such a run are called: others may be left if the power failed when they were
    /// being removed.
    pub fn title(&self) -> String {
        let Identity {
            rules,
            options,
            program,
        } = self;
        format!("{rules}\n{options}\n{program}")
    }

    /// Brings it to disk.
    pub fn write(&self, folder: &Path) -> Result<(), DiskError> {
        Folder::at(folder, LOG).put_durably(NAME, "", &mut |out| {
            serde_json::to_writer(out, self).map_err(io::Error::from)
        })
    }

    /// Nothing if there is none that is whole.
    pub fn read(folder: &Path) -> Option<Identity> {
        let stored = Folder::at(folder, LOG).get(NAME, "").ok()??;
        serde_json::from_reader(stored.read().ok()?).ok()
    }
}

/// From here a run can go on, if the checkpoints before hold, too.
#[derive(Encode, Decode)]
pub struct Checkpoint {
    /// How long the table is, and the digest of all that follows its header.
    length: u64,
    digest: [u8; 32],
    /// How many blocks it has, and what the index has of those after the last checkpoint.
    blocks: u64,
    index: Vec<u8>,
    state: GroupState,
}

/// How checkpoints are written.
const FORM: Configuration<LittleEndian, Varint, Limit<{ 1 << 30 }>> =
    bincode::config::standard().with_limit();

/// How the names of checkpoints begin.
pub const GROUP: &str = "group-";

impl Checkpoint {
    /// At the end of a table whose last checkpoint had so many bytes of the index.
    pub fn new(extent: &Extent, indexed: usize, state: GroupState) -> Checkpoint {
        Checkpoint {
            length: extent.length,
            digest: extent.hasher.clone().finalize().into(),
            blocks: extent.blocks,
            index: extent.index[indexed..].to_vec(),
            state,
        }
    }

    /// Keeps it under its number.
    pub fn write(&self, folder: &Folder, title: &str, number: usize) -> Result<(), DiskError> {
        let stored = folder.put(&format!("{GROUP}{number}"), title, &mut |mut out| {
            bincode::encode_into_std_write(self, &mut out, FORM)
                .map(drop)
                .map_err(io::Error::other)
        });
        stored.map(drop)
    }

    /// Nothing if there is none of this number that is whole.
    fn read(folder: &Folder, title: &str, number: usize) -> Option<Checkpoint> {
        let stored = folder.get(&format!("{GROUP}{number}"), title).ok()??;
        bincode::decode_from_std_read(&mut stored.read().ok()?, FORM).ok()
    }
}

/// The table that grows in a folder, cut back to the last checkpoint that holds, and the states of
/// all checkpoints up to there. `fits` says whether a state can be that of the checkpoint with a
/// number.
pub fn reopen(
    folder: &Folder,
    title: &str,
    fits: impl Fn(usize, &GroupState) -> bool,
) -> io::Result<(Output<'static>, Vec<GroupState>)> {
    let path = folder.path().join(TABLE);
    let file = disk::reopen(&path).or_else(|_| disk::create(&path))?;
    let (mut extent, mut states) = (Extent::nothing(), Vec::new());
    let mut input = BufReader::with_capacity(1 << 20, file);
    input.seek(SeekFrom::Start(extent.length))?;
    while let Some(point) = Checkpoint::read(folder, title, states.len())
        && fits(states.len(), &point.state)
        && let Some(more) = point.length.checked_sub(extent.length)
    {
        let mut hasher = extent.hasher.clone();
        let read = read_through(&mut input, more, |bytes| hasher.update(bytes));
        if read.is_err() || hasher.clone().finalize()[..] != point.digest {
            break;
        }
        extent.index.extend(point.index);
        extent = Extent {
            length: point.length,
            hasher,
            blocks: point.blocks,
            ..extent
        };
        states.push(point.state);
    }
    let mut file = input.into_inner();
    file.set_len(extent.length)?;
    // What is not its header yet.
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&vec![0; Extent::nothing().length as usize])?;
    file.seek(SeekFrom::Start(extent.length))?;
    Ok((Output::after(file, extent), states))
}
