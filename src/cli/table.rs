//! Tables on the command line.

use super::args::game::Families;
use crate::any::{AnyTable, open_file};
use crate::table::{Access, TableFile};
use std::path::{Path, PathBuf};

/// The table that a command reads, and how.
#[derive(Debug, clap::Args)]
pub struct TableArgs {
    /// The table
    #[arg(long, value_name = "FILE")]
    pub table: PathBuf,

    /// Read the file piece by piece instead of mapping it into memory
    #[arg(long)]
    pub no_mmap: bool,
}

/// Opens a table file.
pub fn open(path: &Path, no_mmap: bool) -> anyhow::Result<TableFile> {
    let access = if no_mmap { Access::Plain } else { Access::Mmap };
    Ok(TableFile::open(path, access)?)
}

/// Opens a table and joins it with its game.
pub fn open_any(
    path: &Path,
    no_mmap: bool,
    families: Families<'_>,
) -> anyhow::Result<Box<dyn AnyTable>> {
    let file = open(path, no_mmap)?;
    Ok(open_file(file, families)?)
}
