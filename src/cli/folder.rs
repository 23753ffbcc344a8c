//! Where tables are kept, and found by their names.

use anyhow::bail;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The environment variable with the folder of the tables.
const FOLDER: &str = "ZERMELO_TABLES";

/// Refuses what is no folder for scratch files.
pub fn check_scratch(folder: Option<&Path>) -> anyhow::Result<()> {
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let why = match folder.exists() {
            true => "that is a file; name a folder",
            false => "there is no such folder",
        };
        bail!("--scratch {}: {why}", folder.display());
    }
    Ok(())
}

/// Where tables are kept: ZERMELO_TABLES, or data/ in the present directory.
pub fn folder() -> PathBuf {
    let folder = env::var_os(FOLDER).filter(|folder| !folder.is_empty());
    PathBuf::from(folder.unwrap_or_else(|| OsString::from("data")))
}

/// The file that a table's name stands for; the name itself if no table of this name is found.
pub fn find(name: &Path) -> PathBuf {
    found(name).unwrap_or_else(|| name.to_owned())
}

/// The file that a table's name stands for, if there is one.
pub fn found(name: &Path) -> Option<PathBuf> {
    if name.exists() && !name.is_dir() {
        return Some(name.to_owned());
    }
    let mut ways = name.components();
    let (Some(Component::Normal(_)), None) = (ways.next(), ways.next()) else {
        return None;
    };
    let mut with_ending = name.as_os_str().to_owned();
    with_ending.push(".bin");
    let names = [name.as_os_str(), &with_ending];
    names
        .into_iter()
        .map(|name| folder().join(name))
        .find(|path| path.is_file())
}

/// Whether a word on the command line can't but mean a table, found or not.
pub fn is_table_name(word: &str) -> bool {
    word.contains(std::path::is_separator) || word.ends_with(".bin")
}

/// The table files in a folder, by name.
pub fn tables_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("bin")) && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The names that the tables in the folder go by.
pub fn known() -> Vec<String> {
    let tables = tables_in(&folder()).unwrap_or_default();
    let stems = tables.iter().filter_map(|path| path.file_stem()?.to_str());
    stems.map(str::to_owned).collect()
}
