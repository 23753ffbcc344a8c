//! Export of a table's entries to NumPy arrays, CSV or JSON lines.
//!
//! Each layer is written as one *shard*, so only a few blocks are in memory at once. A manifest
//! describes the shards. Each file gets its name when it is complete, and the manifest is written
//! last: a directory without a manifest has no complete export.
//!
//! ```text
//! shard: rows to bytes ──► files: shards and the manifest
//! ```

mod files;
mod options;
mod shard;
#[cfg(test)]
mod tests;

pub use crate::table::Sample;
pub(crate) use files::MANIFEST;
pub use files::Manifest;
pub use options::{ExportError, ExportOptions, Format};

use crate::any::{AnyTable, LabelsWanted, memory_for_sample};
use crate::game::Progress;
use crate::work::DiskError;
use shard::ExportJob;
pub(crate) use shard::{csv, json_lines};
use std::fs;
use std::path::Path;

/// Exports the entries of a table to a directory, on the caller's thread pool.
///
/// # Errors
/// If the table can't be read, the directory has another export or can't be written, the options
/// ask for something that the table doesn't have, or the caller cancels.
#[cfg(not(target_family = "wasm"))]
pub fn export(
    table: &dyn AnyTable,
    directory: &Path,
    options: &ExportOptions,
    progress: &dyn Progress,
) -> Result<Manifest, ExportError> {
    let job = ExportJob {
        table,
        directory,
        options,
        progress,
        shape: table.array_shape(),
    };
    let shards = job.shards()?;
    let mut manifest = job.manifest();
    if options.format == Format::Npy && manifest.columns.is_none() {
        return Err(ExportError::Wanted(format!(
            "{} has no positions as rows of numbers, so there are no arrays of it: write csv or jsonl",
            manifest.game
        )));
    }
    if options.moves && job.shape.is_none() {
        return Err(ExportError::Wanted(format!(
            "{} has no list of all its moves, so there is no column for the score of each",
            manifest.game
        )));
    }
    prepare(directory, options.force)?;
    let wanted = LabelsWanted {
        texts: options.format != Format::Npy,
        moves: options.moves,
        best: true,
    };
    let entries = table.file().entries();
    let memory = options.sample.map_or(options.memory, |sample| {
        memory_for_sample(sample.count, entries, options.memory)
    });
    let labeller = table.labeller(wanted, memory, progress)?;
    let total = shards.iter().map(|shard| shard.1).sum();
    progress.phase("exporting", "entries", total);
    for (layer, entries) in shards {
        let shard = job.shard(&*labeller, layer, entries)?;
        manifest.shards.push(shard);
    }
    manifest.write(directory)?;
    Ok(manifest)
}

/// Makes the directory, or removes the export in it if `force`.
fn prepare(directory: &Path, force: bool) -> Result<(), ExportError> {
    fs::create_dir_all(directory).map_err(DiskError::of(directory, "make the folder"))?;
    if let Some(path) = files::foreign(directory).filter(|_| !force) {
        return Err(ExportError::Mixed { path });
    }
    let path = directory.join(MANIFEST);
    if path.exists() {
        if !force {
            return Err(ExportError::Exists { path });
        }
        // Without its manifest the old export is incomplete, so it goes first.
        let old = files::exported(&path);
        for path in [path].into_iter().chain(old) {
            fs::remove_file(&path).map_err(DiskError::of(&path, "remove it"))?;
        }
    }
    Ok(())
}
