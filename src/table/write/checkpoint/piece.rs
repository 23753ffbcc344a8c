//! What the solver has kept, each piece with its digest.

use super::folder::{NEW_PIECE, PIECE};
use crate::table::write::disk::{self, File};
use crate::table::write::growing::{Growing, hash};
use sha2::{Digest, Sha256};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The bytes of the digest at the end of a piece.
const DIGEST: u64 = 32;

/// Where a piece is that is kept under a name in a folder.
pub fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).with_extension(PIECE)
}

/// Keeps what `write` writes under a name in a folder, in place of what was there: all of it, or
/// nothing.
pub fn keep(
    folder: &Path,
    name: &str,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<File> {
    let new = folder.join(name).with_extension(NEW_PIECE);
    let result = write_piece(&new, write).and_then(|file| {
        disk::rename(&new, &path(folder, name))?;
        Ok(file)
    });
    result.inspect_err(|_| {
        // It takes room that may just have run out.
        let _ = disk::remove_file(&new);
    })
}

/// What was kept under a name in a folder, if anything was; an error if it is damaged.
pub fn kept(folder: &Path, name: &str) -> io::Result<Option<impl Read + Send + use<>>> {
    let mut file = match File::open(&path(folder, name)) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
    let length = file.length()?.checked_sub(DIGEST).ok_or_else(damaged)?;
    let mut hasher = Sha256::new();
    hash(&mut (&mut file).take(length), &mut hasher)?;
    let mut digest = Vec::new();
    file.read_to_end(&mut digest)?;
    if digest[..] != hasher.finalize()[..] {
        return Err(damaged());
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(Some(BufReader::with_capacity(1 << 20, file.take(length))))
}

fn write_piece(
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
