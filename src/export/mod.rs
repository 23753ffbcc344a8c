//! The entries of a table as files that other programs read: arrays of NumPy, CSV, JSON lines.
//!
//! One *shard* a layer, so that no more than a few blocks are in memory at once, and a manifest that
//! says what is in them. A shard gets its name when it is complete, and the manifest names it then:
//! a run that was stopped goes on with the shards that are missing, or don't have the digest that
//! the manifest says.
//!
//! ```text
//! mod ◄─ export: which shards ◄─┬─ shard: rows to bytes
//!                               └─ manifest
//! ```

mod error;
mod format;
mod manifest;
mod shard;
#[cfg(test)]
mod tests;

pub use error::ExportError;
pub use format::Format;
pub use manifest::{FileRecord, MANIFEST, Manifest, Sample, ShardRecord};

use crate::any::{AnyTable, ArrayShape, LabelError, Labeller, LabelsWanted, each_in_order};
use crate::game::Progress;
use error::io_error;
use shard::Shard;
use std::fs;
use std::path::Path;

/// What is exported, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportOptions {
    /// How it is written.
    pub format: Format,
    /// Only these layers.
    pub layers: Option<Vec<u32>>,
    /// Only so many entries, each drawn at random from all that are wanted, in one shard.
    pub sample: Option<Sample>,
    /// Also the score of every move.
    pub moves: bool,
    /// If the table takes no more than so many bytes it is loaded first, which is much faster.
    pub memory: u64,
    /// Replace what another export has left in the folder.
    pub force: bool,
}

/// What was exported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// All of it.
    pub manifest: Manifest,
    /// How many of its shards an earlier run had made.
    pub found: usize,
}

/// Writes the entries of a table into a folder, on the threads of the pool that the caller is in.
///
/// # Errors
/// If the table can't be read, the folder has something else or can't be written, or the caller
/// wants it to stop.
pub fn export(
    table: &dyn AnyTable,
    folder: &Path,
    options: &ExportOptions,
    progress: &dyn Progress,
) -> Result<Exported, ExportError> {
    let job = Job {
        table,
        folder,
        options,
        progress,
    };
    let counts = job.layers()?;
    let shape = table.array_shape();
    let has_rows = shape
        .as_ref()
        .is_some_and(|shape| !shape.columns.is_empty());
    if options.format == Format::Npy && !has_rows {
        return Err(ExportError::NoArrays {
            game: table.file().game_name().to_owned(),
        });
    }
    let mut manifest = job.manifest(shape.as_ref());
    fs::create_dir_all(folder).map_err(io_error(folder, "make the folder"))?;
    let place = folder.join(MANIFEST);
    if let Some(earlier) = Manifest::read(&place)? {
        match earlier.difference(&manifest) {
            None => manifest.shards = earlier.shards,
            Some(_) if options.force => {}
            Some(difference) => {
                return Err(ExportError::Other {
                    path: place,
                    difference,
                });
            }
        }
    }
    if options.force {
        manifest.shards.clear();
    }
    manifest.keep_whole_shards(folder, progress)?;
    let found = manifest.shards.len();
    let is_done = |layer| manifest.shards.iter().any(|shard| shard.layer == layer);
    let missing: Vec<(Option<u32>, u64)> = counts
        .into_iter()
        .filter(|&(layer, _)| !is_done(layer))
        .collect();
    if !missing.is_empty() {
        // A sample's probes are few.
        let memory = if options.sample.is_some() {
            0
        } else {
            options.memory
        };
        let wanted = LabelsWanted {
            texts: options.format != Format::Npy,
            moves: options.moves,
            best: true,
        };
        let labeller = table.labeller(wanted, memory, progress)?;
        progress.phase(
            "exporting",
            "entries",
            missing.iter().map(|shard| shard.1).sum(),
        );
        for (layer, entries) in missing {
            manifest
                .shards
                .push(job.shard(&*labeller, shape.as_ref(), layer, entries)?);
            manifest.shards.sort_by_key(|shard| shard.layer);
            manifest.write(&place)?;
        }
    }
    manifest.write(&place)?;
    Ok(Exported { manifest, found })
}

struct Job<'a> {
    table: &'a dyn AnyTable,
    folder: &'a Path,
    options: &'a ExportOptions,
    progress: &'a dyn Progress,
}

impl Job<'_> {
    /// The shards, each with its entries: the layers, or a sample.
    fn layers(&self) -> Result<Vec<(Option<u32>, u64)>, ExportError> {
        let all = self.table.file().layers();
        for &layer in self.options.layers.iter().flatten() {
            if !all.iter().any(|known| known.layer == layer) {
                let ends = (all.first(), all.last());
                let (lowest, highest) = match ends {
                    (Some(first), Some(last)) => (first.layer, last.layer),
                    _ => (0, 0),
                };
                return Err(ExportError::NoLayer {
                    layer,
                    lowest,
                    highest,
                });
            }
        }
        if let Some(sample) = &self.options.sample {
            return Ok(vec![(None, sample.count)]);
        }
        let wanted = self.options.layers.as_deref();
        let is_wanted = |layer| wanted.is_none_or(|wanted: &[u32]| wanted.contains(&layer));
        let layers = all.into_iter().filter(|known| is_wanted(known.layer));
        Ok(layers
            .map(|known| (Some(known.layer), known.outcomes.total()))
            .collect())
    }

    fn manifest(&self, shape: Option<&ArrayShape>) -> Manifest {
        let file = self.table.file();
        let digest = file.digest().into_iter().map(|byte| format!("{byte:02x}"));
        Manifest {
            format: self.options.format.name().to_owned(),
            game: file.game_name().to_owned(),
            rules: file.rules().to_owned(),
            table: digest.collect(),
            columns: shape
                .map(|shape| shape.columns.clone())
                .filter(|columns| !columns.is_empty()),
            moves: shape.map(|shape| shape.moves.clone()),
            move_scores: self.options.moves && shape.is_some(),
            no_score: crate::any::NO_SCORE,
            layers: file.metadata().layer_name.clone(),
            sample: self.options.sample,
            shards: Vec::new(),
        }
    }

    fn shard(
        &self,
        labeller: &dyn Labeller,
        shape: Option<&ArrayShape>,
        layer: Option<u32>,
        entries: u64,
    ) -> Result<ShardRecord, ExportError> {
        let name = layer.map_or_else(|| "sample".to_owned(), |layer| format!("layer-{layer:03}"));
        let (format, moves) = (self.options.format, self.options.moves);
        let mut shard = Shard::begin(self.folder, &name, format, shape, moves, entries)?;
        let Some(only) = layer else {
            let Sample { count, seed } = self.options.sample.unwrap_or_default();
            let layers = self.options.layers.as_deref();
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let labels = labeller.sample(count, seed, layers, self.progress)?;
            if self.progress.cancelled() {
                return Err(ExportError::Interrupted);
            }
            shard.add(&labels)?;
            return shard.finish(None);
        };
        let layers = [only];
        let blocks = labeller.blocks(Some(&layers))?;
        let take = &mut |_: u64, labels| shard.add(&labels);
        let done = each_in_order(labeller, &blocks, Some(&layers), self.progress, take);
        done.map_err(|error| match error {
            LabelError::Ask(error) => error.into(),
            LabelError::Taker(error) => error,
            LabelError::Interrupted => ExportError::Interrupted,
        })?;
        if shard.entries() != entries {
            return Err(ExportError::Count {
                layer: only,
                expected: entries,
                found: shard.entries(),
            });
        }
        shard.finish(layer)
    }
}
