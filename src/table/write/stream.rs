//! Writing a table to memory, or to any writer that can seek.

use super::error::WriteError;
use super::job::write_error;
use super::options::{WriteOptions, Written};
use super::output::Output;
use super::ranked::RankedWriter;
use super::writer::TableWriter;
use crate::game::{Notation, Progress, Solution};
use std::io::{Cursor, Seek, Write};
use std::path::Path;

/// What errors call a table that has no name.
const NAME: &str = "(writer)";

/// Writes a solved game to a writer, from where that stands: the same bytes as [`write_table`]
/// writes to a file, header last.
///
/// The index is kept in memory meanwhile, 12 bytes per block, or with keys up to 28. After an error
/// the writer has a part of a table without a header, which can't be read.
///
/// # Errors
/// If the writer fails, if the scores don't fit the game, or the caller wants it to stop.
///
/// [`write_table`]: super::write_table
pub fn write_to<G: Notation>(
    game: &G,
    solution: &Solution,
    writer: impl Write + Seek + Send,
    options: WriteOptions,
    progress: &dyn Progress,
) -> Result<Written, WriteError> {
    let name = Path::new(NAME);
    let options = options.within_limits();
    let ranked = RankedWriter::new(game, name, options)?;
    let output = Output::begin(writer).map_err(|cause| write_error(name, cause))?;
    let mut writer = TableWriter::new(game, name, options, progress, ranked, output, None);
    writer.write(solution)?;
    writer.finish()
}

/// The bytes of the table of a solved game, as [`TableFile::from_bytes`] takes them.
///
/// # Errors
/// If the scores don't fit the game, or the caller wants it to stop.
///
/// [`TableFile::from_bytes`]: crate::table::TableFile::from_bytes
pub fn write_to_vec<G: Notation>(
    game: &G,
    solution: &Solution,
    options: WriteOptions,
    progress: &dyn Progress,
) -> Result<Vec<u8>, WriteError> {
    let mut bytes = Cursor::new(Vec::new());
    write_to(game, solution, &mut bytes, options, progress)?;
    Ok(bytes.into_inner())
}
