//! What the solver has kept, each piece with its digest.

use crate::table::write::disk::File;
use crate::table::write::growing::Growing;
use std::io::{self, Write};
use std::path::Path;

/// The bytes of the digest at the end of a piece.
pub const DIGEST: u64 = 32;

pub fn write_piece(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<File> {
    let mut piece = Growing::create(path, 0)?;
    write(&mut piece)?;
    let digest = piece.digest();
    piece.write_all(&digest)?;
    piece.prefix()?;
    piece.handle()
}
