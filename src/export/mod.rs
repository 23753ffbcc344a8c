//! Export of a table's entries to NumPy arrays, CSV or JSON lines.
//!
//! Each layer is written as one *shard*, so only a few blocks are in memory at once. A manifest
//! describes the shards. Each file gets its name when it is complete, and the manifest is written
//! last: a directory without a manifest has no complete export.
//!
//! ```text
//! mod: shards ──► shard: rows to bytes ──► files: shards and the manifest
//! ```

mod files;
mod options;
mod shard;
#[cfg(test)]
mod tests;

use crate::table::Difference;
pub use crate::table::Sample;
pub use files::{FileRecord, MANIFEST, Manifest, ShardRecord};
pub use options::{ExportError, ExportOptions, Format};

use crate::any::{
    AnyTable, ArrayShape, Labeller, LabelsWanted, NO_SCORE, each_in_order, memory_for_sample,
};
use crate::game::{Progress, check_cancelled};
use crate::text::hex;
use crate::work::DiskError;
use shard::Shard;
pub(crate) use shard::{csv, json_lines};
use std::fs;
use std::path::Path;

/// Exports the entries of a table to a directory, on the caller's thread pool.
///
/// # Errors
/// If the table can't be read, the directory has another export or can't be written, the options
/// ask for something that the table doesn't have, or the caller cancels.
pub fn export(
    table: &dyn AnyTable,
    directory: &Path,
    options: &ExportOptions,
    progress: &dyn Progress,
) -> Result<Manifest, ExportError> {
    let job = Job {
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

struct Job<'a> {
    table: &'a dyn AnyTable,
    directory: &'a Path,
    options: &'a ExportOptions,
    progress: &'a dyn Progress,
    shape: Option<ArrayShape>,
}

impl Job<'_> {
    /// Returns the shards and their numbers of entries.
    ///
    /// They are the layers in ascending order, or one sample.
    fn shards(&self) -> Result<Vec<(Option<u32>, u64)>, ExportError> {
        let all = self.table.file().layers();
        let mut wanted = self.options.layers.iter().flatten();
        if let Some(layer) = wanted.find(|layer| !all.contains_key(layer)) {
            let ends = [all.first_key_value(), all.last_key_value()];
            let [lowest, highest] = ends.map(|end| end.map_or(0, |(layer, _)| *layer));
            return Err(ExportError::Wanted(format!(
                "the table has no layer {layer}; it has {lowest} to {highest}"
            )));
        }
        if let Some(sample) = &self.options.sample {
            return Ok(vec![(None, sample.count)]);
        }
        let wanted = self.options.layers.as_deref();
        let is_wanted = |layer| wanted.is_none_or(|wanted: &[u32]| wanted.contains(&layer));
        let layers = all.into_iter().filter(|&(layer, _)| is_wanted(layer));
        Ok(layers
            .map(|(layer, outcomes)| (Some(layer), outcomes.total()))
            .collect())
    }

    /// Returns a manifest without shards.
    fn manifest(&self) -> Manifest {
        let (file, shape) = (self.table.file(), self.shape.as_ref());
        let columns = shape.map(|shape| shape.columns.clone());
        Manifest {
            format: self.options.format,
            game: file.game_name().to_owned(),
            rules: file.rules().to_owned(),
            table: hex(file.digest()),
            columns: columns.filter(|columns| !columns.is_empty()),
            moves: shape.map(|shape| shape.moves.clone()),
            move_scores: self.options.moves && shape.is_some(),
            no_score: NO_SCORE,
            layers: file.metadata().layer_name.clone(),
            sample: self.options.sample,
            shards: Vec::new(),
        }
    }

    fn shard(
        &self,
        labeller: &dyn Labeller,
        layer: Option<u32>,
        entries: u64,
    ) -> Result<ShardRecord, ExportError> {
        let mut shard = Shard::begin(
            self.directory,
            self.options,
            self.shape.as_ref(),
            layer,
            entries,
        )?;
        if let Some(only) = layer {
            let take = &mut |_: u64, labels| shard.add(&labels);
            let of = (self.table.file(), labeller);
            each_in_order(of, Some(&[only]), self.progress, take)?;
        } else {
            let Sample { count, seed } = self.options.sample.unwrap_or_default();
            let layers = self.options.layers.as_deref();
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            shard.add(&labeller.sample(count, seed, layers, self.progress)?)?;
        }
        check_cancelled(self.progress, ExportError::Interrupted)?;
        if let Some(layer) = layer
            && shard.entries != entries
        {
            let damage = Difference::new(entries, shard.entries);
            let file = self.table.file();
            return Err(file
                .damaged(format!("entries of layer {layer}"), damage)
                .into());
        }
        shard.finish(layer)
    }
}
