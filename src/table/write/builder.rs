//! From a solution to the bytes of its table, whatever they are written to.

use super::error::{Misfit, WriteError};
use super::job::{Job, write_error};
use super::keyed::{self, SortedEntries};
use super::options::{WriteOptions, Written};
use super::output::Sink;
use super::ranked::RankedWriter;
use crate::game::{Notation, Progress, Solution};
use crate::pool::{STACK, in_pool};
use crate::table::format::{Layout, Metadata};
use std::path::Path;

/// A table on its way to a sink.
pub struct Builder<'a, G, S> {
    pub game: &'a G,
    pub job: Job<'a, S>,
    /// What writes it if it has ranks.
    pub ranked: Option<RankedWriter<'a>>,
    /// What has been written if it has keys.
    layout: Option<Layout>,
}

impl<'a, G: Notation, S: Sink> Builder<'a, G, S> {
    /// `path` names the table in errors; `ranked` is what [`RankedWriter::new`] gives.
    pub fn new(
        game: &'a G,
        path: &'a Path,
        options: WriteOptions,
        progress: &'a dyn Progress,
        ranked: Option<RankedWriter<'a>>,
        sink: S,
    ) -> Builder<'a, G, S> {
        let job = Job {
            path,
            progress,
            options,
            sink,
            blocks: 0,
            checkpoints: false,
        };
        Builder {
            game,
            job,
            ranked,
            layout: None,
        }
    }

    /// Whether all scores are written.
    pub fn is_complete(&self) -> bool {
        self.layout.is_some() || self.ranked.as_ref().is_some_and(RankedWriter::is_complete)
    }

    /// Writes all of the solution that is not written yet.
    pub fn write(&mut self, solution: &Solution) -> Result<(), WriteError> {
        let threads = self.job.options.threads;
        let written = in_pool(threads, STACK, || match (solution, &mut self.ranked) {
            (Solution::Ranked(scores), Some(ranked)) => {
                self.job.checkpoints = false;
                let blocks = ranked.plan.blocks - self.job.blocks;
                self.job
                    .progress
                    .phase("writing the table", "blocks", blocks);
                ranked.write(usize::MAX, &**scores, &mut self.job)?;
                Ok(ranked.entries())
            }
            (Solution::Ranked(_), None) => Err(self.job.misfit(Misfit::ByRank)),
            (Solution::Keyed(_), _) if self.job.blocks > 0 => Err(self.job.misfit(Misfit::ByKey)),
            (Solution::Keyed(entries), _) => {
                let entries = &mut &entries[..];
                self.layout = Some(keyed::write(&mut self.job, self.game, entries)?);
                Ok(entries.len() as u64)
            }
        });
        let written = written.and_then(|entries| match solution.count() {
            count if count == entries => Ok(()),
            expected => Err(self.job.misfit(Misfit::Count {
                expected,
                found: entries,
            })),
        });
        self.job.or_discard(written)
    }

    /// Writes all entries of a table with keys.
    pub fn write_sorted(&mut self, entries: &mut dyn SortedEntries) -> Result<(), WriteError> {
        let threads = self.job.options.threads;
        let written = in_pool(threads, STACK, || {
            if self.ranked.is_some() || self.job.blocks > 0 {
                return Err(self.job.misfit(Misfit::ByKey));
            }
            keyed::write(&mut self.job, self.game, entries)
        });
        self.layout = Some(self.job.or_discard(written)?);
        Ok(())
    }

    /// Describes all that has been written; then all is done.
    pub fn finish(&mut self) -> Result<Written, WriteError> {
        let layout = match (self.layout.take(), self.ranked.take()) {
            (Some(layout), _) => layout,
            (None, Some(ranked)) if ranked.is_complete() => Layout::Ranked(ranked.layout),
            _ => {
                return Err(self.job.misfit(Misfit::Incomplete));
            }
        };
        let metadata = Metadata {
            rules: self.game.rules(),
            name: self.game.name(),
            family: self.game.family(),
            layer_name: self.game.layer_name().into(),
            layout,
        };
        let entries = metadata.entries().unwrap_or(u64::MAX);
        let metadata = metadata
            .encode()
            .map_err(|found| self.job.misfit(Misfit::Description { found }));
        let metadata = self.job.or_discard(metadata)?;
        let Job { sink, blocks, .. } = &mut self.job;
        let header = sink.output().describe(*blocks, &metadata, entries);
        let header = header.map_err(|cause| write_error(self.job.path, cause))?;
        if self.job.progress.cancelled() {
            return Err(self.job.interrupted());
        }
        self.job.sink.finish(&header.encode())?;
        Ok(Written {
            bytes: header.file_length,
            entries,
            blocks: header.block_count,
            sections: header.sections(),
            digest: header.digest,
        })
    }
}
