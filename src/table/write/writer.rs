//! Writing a table to its place, while the game is being solved if need be.

use super::builder::Builder;
use super::checkpoint::Workspace;
use super::error::{Misfit, WriteError};
use super::job::DEFLATE_LEVEL;
use super::keyed::SortedEntries;
use super::options::{WriteOptions, Written};
use super::output::GroupState;
use super::ranked::RankedWriter;
use crate::game::scratch::Scratch;
use crate::game::{Journal, Notation, Progress, Scores, Solution, SolveError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Writes a solved game to a file: either all of it, or nothing.
///
/// Goes on from what an earlier run has left that wrote the same table by way of a [`TableWriter`].
///
/// # Errors
/// If the file can't be written or is there already, if the scores don't fit the game, or the
/// caller wants it to stop.
pub fn write_table<G: Notation>(
    game: &G,
    solution: &Solution,
    path: &Path,
    options: WriteOptions,
    progress: &dyn Progress,
) -> Result<Written, WriteError> {
    let mut writer = TableWriter::begin(game, path, options, progress)?;
    writer.write(solution)?;
    writer.finish()
}

/// A table on its way to its file.
///
/// It grows in a folder beside the file, `.NAME.partial`, which no other run can use at the same
/// time. As a [`Journal`] it writes each layer as soon as that is solved, and when the same is
/// begun again after a stop, goes on from there. Whatever happens, there is never an unfinished
/// file of the table's name; dropped before it is finished, it leaves the folder if there is
/// something in it to go on from, and nothing otherwise.
pub struct TableWriter<'a, G> {
    builder: Builder<'a, G, Workspace>,
}

impl<'a, G: Notation> TableWriter<'a, G> {
    /// Opens the folder, and sees what there is to go on from.
    ///
    /// # Errors
    /// If the file is there already or can't be written, if another run is writing it, if an
    /// earlier run has left the beginnings of another table of this name, or if a table can't hold
    /// the game.
    pub fn begin(
        game: &'a G,
        path: &'a Path,
        options: WriteOptions,
        progress: &'a dyn Progress,
    ) -> Result<TableWriter<'a, G>, WriteError> {
        let options = options.within_limits();
        let mut ranked = RankedWriter::new(game, path, options)?;
        let how = match &ranked {
            Some(ranked) => ranked.how(),
            None => format!("deflate {DEFLATE_LEVEL}, {} entries", options.block_entries),
        };
        let fits = |number: usize, state: &GroupState| match &ranked {
            Some(ranked) => ranked.fits(number, state),
            None => false,
        };
        let (workspace, found) = Workspace::open(
            path,
            options.force,
            options.restart,
            &game.rules(),
            &how,
            fits,
        )?;
        if let Some(discarded) = found.discarded {
            progress.note(&format!(
                "what an earlier run has left in {} can't all be used: {discarded}",
                workspace.folder().display()
            ));
        }
        let mut blocks = 0;
        if let Some(ranked) = &mut ranked
            && !found.states.is_empty()
        {
            found
                .states
                .into_iter()
                .for_each(|state| ranked.restore(state));
            let end = ranked.written_segments();
            blocks = ranked.plan.first_block(end);
            let segments = &ranked.layout.segments;
            progress.note(&format!(
                "table: written by an earlier run up to {} of {} {}",
                segments[end - 1].layer,
                segments[segments.len() - 1].layer,
                game.layer_name()
            ));
        }
        let mut builder = Builder::new(game, path, options, progress, ranked, workspace);
        builder.job.blocks = blocks;
        Ok(TableWriter { builder })
    }

    /// What the solver has no memory for goes to a folder of its own in another one than the
    /// table's.
    ///
    /// # Errors
    /// If that can't be made or used.
    pub fn set_scratch(&mut self, place: &Path) -> Result<(), WriteError> {
        let restart = self.builder.job.options.restart;
        self.builder.job.sink.set_scratch(place, restart)
    }

    /// Whether all scores are written, so that it can be finished without solving anything.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.builder.is_complete()
    }

    /// The folder, if there is something in it that a later run can go on from.
    #[must_use]
    pub fn kept_in(&self) -> Option<&Path> {
        self.builder.job.sink.kept_in()
    }

    /// Writes all of the solution that is not written yet.
    ///
    /// # Errors
    /// If the scores don't fit the game, the file can't be written, or the caller wants it to stop.
    pub fn write(&mut self, solution: &Solution) -> Result<(), WriteError> {
        self.builder.write(solution)
    }

    /// Writes all entries of a game without ranks, which need not all be in memory at once.
    ///
    /// # Errors
    /// As [`TableWriter::write`], and [`WriteError::Entries`] if they don't come.
    pub fn write_sorted(&mut self, entries: &mut dyn SortedEntries) -> Result<(), WriteError> {
        self.builder.write_sorted(entries)
    }

    /// Describes all that has been written, and gives the file its name; then all is done.
    ///
    /// # Errors
    /// If not all is written, if that can't be done, or the caller wants it to stop.
    pub fn finish(&mut self) -> Result<Written, WriteError> {
        self.builder.finish()
    }
}

impl<G: Notation> Journal for TableWriter<'_, G> {
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        Some(self.builder.job.sink.scratch())
    }

    fn kept(&mut self, name: &str) -> Option<Box<dyn Read + Send + '_>> {
        match self.builder.job.sink.kept(name) {
            Ok(piece) => Some(Box::new(piece?)),
            Err(cause) => {
                let folder = self.builder.job.sink.folder().display();
                self.builder.job.progress.note(&format!(
                    "what an earlier run has left in {folder} can't all be used: {name}: {cause}"
                ));
                None
            }
        }
    }

    fn keep(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SolveError> {
        self.builder.job.sink.keep(name, write).map_err(|cause| {
            let folder = self.builder.job.sink.folder();
            in_solve(WriteError::Io {
                path: folder.to_owned(),
                action: "keep what has been found",
                cause,
            })
        })
    }

    /// Compares what an earlier run has written with what has been found now.
    fn found(&mut self, classes: &[u64]) -> Result<(), SolveError> {
        let Some(ranked) = &self.builder.ranked else {
            return Ok(());
        };
        let mut written = vec![0; classes.len()];
        let segments = &ranked.layout.segments[..ranked.written_segments()];
        for segment in segments {
            let entries: u64 = segment.counts.iter().sum();
            if let Some(sum) = written.get_mut(segment.layer as usize) {
                *sum += entries;
            }
        }
        let layers = segments.last().map_or(0, |last| last.layer as usize + 1);
        let differ = |&layer: &usize| written[layer] != classes[layer];
        let fits = match (0..layers.min(classes.len())).find(differ) {
            None => Ok(()),
            Some(layer) => Err(self.builder.job.misfit(Misfit::Layer {
                layer,
                expected: classes[layer],
                found: written[layer],
            })),
        };
        self.builder.job.or_discard(fits).map_err(in_solve)
    }

    fn solved(&mut self, layer: u32, scores: &dyn Scores) -> Result<(), SolveError> {
        let Builder { ranked, job, .. } = &mut self.builder;
        let Some(ranked) = ranked else {
            return Ok(());
        };
        job.checkpoints = true;
        let segments = &ranked.layout.segments;
        let end = segments.partition_point(|segment| segment.layer <= layer);
        let written = ranked.write(end, scores, job);
        job.or_discard(written).map_err(in_solve)
    }

    fn written(&self) -> Option<u32> {
        let ranked = self.builder.ranked.as_ref()?;
        // Small layers are written together with those that follow.
        let next = ranked.layout.segments.get(ranked.written_segments());
        Some(next.map_or(u32::MAX, |segment| segment.layer))
    }
}

/// What a solver says of an error in writing.
pub(crate) fn in_solve(error: WriteError) -> SolveError {
    match error {
        WriteError::Interrupted { .. } => SolveError::Interrupted,
        WriteError::Entries(error) => error,
        other => SolveError::Journal(Box::new(other)),
    }
}
