//! Writing a table to memory, or to any writer that can seek.

use super::error::WriteError;
use super::error::write_error;
use super::options::{WriteOptions, Written};
use super::output::Output;
use super::ranked::RankedWriter;
use super::writer::TableWriter;
use crate::game::{Notation, Progress, Solution};
use std::io::{Cursor, Seek, Write};
use std::path::Path;

/// Name of the table in errors.
const NAME: &str = "(writer)";

/// Writes a solved game to a writer, from its current offset.
///
/// The bytes are those of [`write_table`]; the header is written last. Meanwhile the index is in
/// memory, with 12 bytes per block, or up to 28 with keys. After an error, the writer has a partial
/// table without a header, which can't be read.
///
/// # Errors
/// If the writer fails, the scores don't fit the game, or the caller cancels.
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

/// Returns the bytes of a solved game's table, for [`TableFile::from_bytes`].
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
    let mut bytes = Cursor::new(Vec::new());
    write_to(game, solution, &mut bytes, options, progress)?;
    Ok(bytes.into_inner())
}
