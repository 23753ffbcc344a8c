//! The directory of the tables, and finding tables in it by name.

use anyhow::bail;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Environment variable with the directory of the tables.
const VARIABLE: &str = "ZERMELO_TABLES";

/// Fails unless `--scratch`, if given, is a directory.
pub fn check_scratch(directory: Option<&Path>) -> anyhow::Result<()> {
    if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
        let why = match directory.exists() {
            true => "that is a file; name a directory",
            false => "there is no such directory",
        };
        bail!("--scratch {}: {why}", directory.display());
    }
    Ok(())
}

/// Returns the directory of the tables: `ZERMELO_TABLES`, or `data` in the working directory.
pub fn directory() -> PathBuf {
    let directory = env::var_os(VARIABLE).filter(|directory| !directory.is_empty());
    PathBuf::from(directory.unwrap_or_else(|| OsString::from("data")))
}

/// Returns the path of the table with this name, or the name itself if there is no such table.
pub fn find(name: &Path) -> PathBuf {
    found(name).unwrap_or_else(|| name.to_owned())
}

/// Returns the path of the table with this name, if there is one.
///
/// An existing file comes first, then a file in the tables' directory, with or without `.bin`.
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
    let paths = [name.as_os_str(), &with_ending].map(|name| directory().join(name));
    paths.into_iter().find(|path| path.is_file())
}

/// Returns whether a word can only be the path of a table, which may not exist.
pub fn is_table_name(word: &str) -> bool {
    word.contains(std::path::is_separator) || word.ends_with(".bin")
}

/// Returns the table files in a directory, sorted by name.
pub fn tables_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("bin")) && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Returns the names of the tables in the tables' directory.
pub fn known() -> Vec<String> {
    let tables = tables_in(&directory()).unwrap_or_default();
    let stems = tables.iter().filter_map(|path| path.file_stem()?.to_str());
    stems.map(str::to_owned).collect()
}
