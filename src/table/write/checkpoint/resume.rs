//! Reading an earlier run's files, up to the last usable checkpoint.

use crate::table::format::FORMAT_VERSION;
use crate::table::write::output::{Extent, GroupState, Output};
use crate::work::folder::{Folder, LOG, TABLE, read_through};
use crate::work::{DiskError, disk};
use bincode::{Decode, Encode};
use sha2::Digest;
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

/// Version of the directory's contents.
///
/// It must be raised with every change of them. `FORMAT_VERSION`, which changes with the bytes of
/// blocks, is compared, too.
const VERSION: u32 = 4;

/// The inputs that determine a table's bytes. A run resumes only if they agree.
#[derive(PartialEq, Eq, Debug, Encode, Decode)]
pub struct Identity {
    rules: String,
    options: String,
    program: String,
}

/// Name of the identity's file.
const NAME: &str = "checkpoints";

impl Identity {
    /// Creates the identity.
    ///
    /// `options` describes all inputs that determine the bytes, except the rules.
    pub fn new(rules: String, options: String) -> Identity {
        let program = env!("CARGO_PKG_VERSION");
        Identity {
            rules,
            options,
            program: format!("version {program} (formats {FORMAT_VERSION} and {VERSION})"),
        }
    }

    fn parts(&self) -> [&str; 3] {
        [&self.rules, &self.options, &self.program]
    }

    /// Returns the first difference from another identity, for messages.
    pub fn difference<'a>(&'a self, found: &'a Identity) -> Option<(&'a str, &'a str)> {
        let mut pairs = self.parts().into_iter().zip(found.parts());
        pairs.find(|(ours, theirs)| ours != theirs)
    }

    /// Returns the title of all checksummed files of such a run.
    ///
    /// A power cut while files were being removed may leave files of other runs.
    pub fn title(&self) -> String {
        self.parts().join("\n")
    }

    /// Writes the identity to disk.
    pub fn write(&self, folder: &Path) -> Result<(), DiskError> {
        let mut log = Folder::at(folder, LOG);
        log.is_durable = true;
        log.put_value(NAME, "", self)
    }

    /// Reads the identity, if there is an undamaged one.
    pub fn read(folder: &Path) -> Option<Identity> {
        Folder::at(folder, LOG).get_value(NAME, "").ok()?
    }
}

/// A checkpoint, from which a run can resume if the ones before it are usable, too.
#[derive(Encode, Decode)]
pub struct Checkpoint {
    /// Length of the table in bytes.
    pub length: u64,
    /// Digest of everything after the header.
    pub digest: [u8; 32],
    /// Number of blocks in the table.
    pub blocks: u64,
    /// Part of the index since the checkpoint before.
    pub index: Vec<u8>,
    pub state: GroupState,
}

/// Prefix of the names of checkpoints.
pub const GROUP: &str = "group-";

/// Returns the name of the checkpoint with this number.
pub fn checkpoint_name(number: usize) -> String {
    format!("{GROUP}{number}")
}

/// Opens the unfinished table and truncates it to the last usable checkpoint.
///
/// Also returns the states of all checkpoints up to there. `fits` returns whether a state can be
/// that of the checkpoint with this number.
pub fn reopen(
    folder: &Folder,
    title: &str,
    fits: &dyn Fn(usize, &GroupState) -> bool,
) -> io::Result<(Output<'static>, Vec<GroupState>)> {
    let path = folder.path().join(TABLE);
    let file = disk::reopen(&path).or_else(|_| disk::create(&path))?;
    let (mut extent, mut states) = (Extent::nothing(), Vec::new());
    let mut input = BufReader::with_capacity(1 << 20, file);
    input.seek(SeekFrom::Start(extent.length))?;
    // Read the table from checkpoint to checkpoint, for as long as the digest is right.
    while let Ok(Some(point)) =
        folder.get_value::<Checkpoint>(&checkpoint_name(states.len()), title)
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
    // Clear the header: the table is not finished.
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&vec![0; Extent::nothing().length as usize])?;
    file.seek(SeekFrom::Start(extent.length))?;
    Ok((Output::after(file, extent), states))
}
