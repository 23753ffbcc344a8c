//! Writing a table to a file, also while the game is being solved, or in memory.

use super::block_writer::{BlockWriter, DEFLATE_LEVEL};
use super::checkpoint::{Identity, ScratchFolder, Workspace};
use super::options::{WRITE, WriteError, WriteOptions, Written};
use super::output::{GroupState, Output};
use super::ranked::RankedWriter;
use crate::game::{Checkpoints, Notation, Progress, Scores, Solution, SolveError, check_cancelled};
use crate::pool::{STACK, in_pool};
use crate::table::format::{Difference, Layout, Metadata};
use crate::work::{DiskError, Scratch};
use std::io::{self, Cursor, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// Writes a solved game to a file, completely or not at all.
///
/// It resumes a table that an earlier run has started to write with a [`TableWriter`].
///
/// # Errors
/// If the file can't be written or exists already, the scores don't fit the game, or the caller
/// cancels.
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

/// Returns the bytes of a solved game's table, for [`TableFile::from_bytes`].
///
/// They are those of [`write_table`].
///
/// # Errors
/// If the scores don't fit the game, or the caller cancels.
///
/// [`TableFile::from_bytes`]: crate::table::TableFile::from_bytes
pub fn write_to_vec<G: Notation>(
    game: &G,
    solution: &Solution,
    options: WriteOptions,
    progress: &dyn Progress,
) -> Result<Vec<u8>, WriteError> {
    // The name in errors.
    let name = Path::new("(memory)");
    let options = options.within_limits();
    let ranked = RankedWriter::new(game, options)?;
    let mut bytes = Cursor::new(Vec::new());
    let output = Output::begin(&mut bytes).map_err(DiskError::of(name, WRITE))?;
    let mut writer = TableWriter::new(game, name, options, progress, ranked, output, None);
    writer.write(solution)?;
    writer.finish()?;
    drop(writer);
    Ok(bytes.into_inner())
}

/// A table that is being written to a file, or in memory.
///
/// A file is first written in a directory next to it, `.NAME.partial`, which only one run can use
/// at a time. As a [`Checkpoints`], the writer writes each layer as soon as it is solved. If the run is
/// stopped, the next run with the same table resumes from there.
///
/// No unfinished file ever has the table's name. Dropping an unfinished writer leaves the directory
/// if a run can resume from it, and nothing otherwise.
pub struct TableWriter<'a, G> {
    pub(super) game: &'a G,
    pub(super) out: BlockWriter<'a>,
    /// Writer of the blocks, if the table has ranks.
    ranked: Option<RankedWriter>,
    /// Layout after writing the blocks, if the table has keys.
    pub(super) layout: Option<Layout>,
}

impl<'a, G: Notation> TableWriter<'a, G> {
    /// Opens the directory and reads an earlier run's checkpoints.
    ///
    /// # Errors
    /// If the file exists already, can't be written, or is being written by another run, if an
    /// earlier run has left another unfinished table of this name, or if a table can't hold the
    /// game.
    pub fn begin(
        game: &'a G,
        path: &'a Path,
        options: WriteOptions,
        progress: &'a dyn Progress,
    ) -> Result<TableWriter<'a, G>, WriteError> {
        let options = options.within_limits();
        let mut ranked = RankedWriter::new(game, options)?;
        let how = match &ranked {
            Some(ranked) => ranked.how(),
            None => format!("deflate {DEFLATE_LEVEL}, {} entries", options.block_entries),
        };
        let fits = |number: usize, state: &GroupState| {
            ranked.as_ref().is_some_and(|it| it.fits(number, state))
        };
        let (workspace, output, found) = Workspace::open(
            path,
            (options.force, options.restart),
            &Identity::new(game.rules(), how),
            &fits,
        )?;
        if let Some(discarded) = found.discarded {
            progress.note(&format!(
                "what an earlier run has left in {} can't all be used: {discarded}",
                workspace.folder.path().display()
            ));
        }
        if let Some(ranked) = &mut ranked
            && !found.states.is_empty()
        {
            found
                .states
                .into_iter()
                .for_each(|state| ranked.restore(state));
            let segments = &ranked.layout.segments;
            progress.note(&format!(
                "table: written by an earlier run up to {} of {} {}",
                segments[ranked.written_segments() - 1].layer,
                segments[segments.len() - 1].layer,
                game.layer_name()
            ));
        }
        let workspace = Some(workspace);
        Ok(TableWriter::new(
            game, path, options, progress, ranked, output, workspace,
        ))
    }

    /// Creates a writer.
    ///
    /// `path` names the table in errors; `ranked` is from [`RankedWriter::new`].
    pub(super) fn new(
        game: &'a G,
        path: &'a Path,
        options: WriteOptions,
        progress: &'a dyn Progress,
        ranked: Option<RankedWriter>,
        output: Output<'a>,
        workspace: Option<Workspace>,
    ) -> TableWriter<'a, G> {
        let out = BlockWriter {
            path,
            progress,
            options,
            output,
            workspace,
            checkpoints: false,
        };
        TableWriter {
            game,
            out,
            ranked,
            layout: None,
        }
    }

    /// Sets another directory in which the solver's scratch directory is created.
    ///
    /// # Errors
    /// If the scratch directory can't be created or used.
    pub fn set_scratch(&mut self, place: &Path) -> Result<(), WriteError> {
        let (path, restart) = (self.out.path, self.out.options.restart);
        if let Some(workspace) = &mut self.out.workspace {
            workspace.elsewhere = Some(ScratchFolder::open(path, Some(place), 0, restart)?);
        }
        Ok(())
    }

    /// Returns the directory, if a later run can resume from it.
    #[must_use]
    pub fn saved_in(&self) -> Option<&Path> {
        self.out.workspace.as_ref()?.saved_in()
    }

    /// Removes what is written so far, from which no later run should resume.
    pub fn discard(&mut self) {
        if let Some(workspace) = &mut self.out.workspace {
            workspace.is_over = true;
        }
    }

    /// Returns whether all scores are written, so that [`TableWriter::finish`] can follow.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.layout.is_some() || self.ranked.as_ref().is_some_and(RankedWriter::is_complete)
    }

    /// Writes the scores that are not written yet.
    ///
    /// # Errors
    /// If the scores don't fit the game, the file can't be written, or the caller cancels.
    pub fn write(&mut self, solution: &Solution) -> Result<(), WriteError> {
        let scores = match solution {
            Solution::Ranked(scores) => scores,
            Solution::Keyed(entries) => {
                let mut all = entries.iter().map(|&entry| Ok(entry));
                return self.write_sorted(entries.len() as u64, &mut all);
            }
        };
        let TableWriter { out, ranked, .. } = self;
        let written = in_pool(out.options.threads, STACK, || {
            let Some(ranked) = ranked else {
                return Err(Difference::new("(key, score) pairs", "scores by rank").into());
            };
            out.checkpoints = false;
            let blocks = ranked.plan.blocks - out.output.extent.blocks;
            out.progress.phase("writing the table", "blocks", blocks);
            ranked.write(usize::MAX, &**scores, out)?;
            let classes = |count| format!("{count} classes");
            Ok(Difference::check(
                scores.count(),
                ranked.entries(),
                classes,
            )?)
        });
        self.out.or_discard(written)
    }

    /// Writes index, metadata and header, and gives the file its name.
    ///
    /// # Errors
    /// If scores are missing, the file can't be written, or the caller cancels.
    pub fn finish(&mut self) -> Result<Written, WriteError> {
        let layout = match (self.layout.take(), self.ranked.take()) {
            (Some(layout), _) => layout,
            (None, Some(ranked)) if ranked.is_complete() => Layout::Ranked(ranked.layout),
            _ => {
                return Err(Difference::new("all scores", "a part of them").into());
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
        let metadata = self.out.or_discard(metadata.encode().map_err(Into::into))?;
        check_cancelled(self.out.progress, self.out.interrupted())?;
        let header = self.out.output.finish(&metadata, entries);
        let header = header.map_err(DiskError::of(self.out.path, WRITE))?;
        if let Some(workspace) = &mut self.out.workspace {
            workspace.finish()?;
        }
        Ok(Written {
            bytes: header.file_length,
            entries,
        })
    }
}

impl<G: Notation> Checkpoints for TableWriter<'_, G> {
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        Some(self.out.workspace.as_ref()?.scratch())
    }

    fn saved(&mut self, name: &str) -> Option<Box<dyn Read + Send + '_>> {
        let workspace = self.out.workspace.as_ref()?;
        let kept = workspace.folder.get(name, &workspace.title);
        let kept = kept.map_err(|error| {
            self.out.progress.note(&format!(
                "what an earlier run has left can't all be used: {error}"
            ));
        });
        Some(Box::new(kept.ok()??.read().ok()?))
    }

    fn save(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SolveError> {
        if let Some(workspace) = &self.out.workspace {
            workspace.folder.put(name, &workspace.title, write)?;
        }
        Ok(())
    }

    fn solved(&mut self, layer: u32, scores: &dyn Scores) -> Result<(), SolveError> {
        let TableWriter { ranked, out, .. } = self;
        let Some(ranked) = ranked else {
            return Ok(());
        };
        out.checkpoints = true;
        let segments = &ranked.layout.segments;
        let end = segments.partition_point(|segment| segment.layer <= layer);
        let written = ranked.write(end, scores, out);
        Ok(out.or_discard(written)?)
    }

    fn written(&self) -> Option<u32> {
        let ranked = self.ranked.as_ref()?;
        // Small layers are written together with the following ones.
        let next = ranked.layout.segments.get(ranked.written_segments());
        Some(next.map_or(u32::MAX, |segment| segment.layer))
    }
}
