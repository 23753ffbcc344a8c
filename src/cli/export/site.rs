//! `export --web`: the explorer as a folder of files, which a browser runs without a server.

use crate::any::{FAMILIES, game_of_rules};
use crate::cli::program::{Program, say_note};
use crate::cli::table::open;
use crate::cli::table_files::{directory, find, tables_in};
use crate::games::connect4;
use crate::text::{bytes, counted};
use crate::work::DiskError;
use anyhow::{Context, bail};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// Answers the requests of pages, after a line that names the files beside it.
const WORKER: &str = include_str!("web/worker.js");
/// Starts the worker.
const LOADER: &str = include_str!("web/loader.html");
const README: &str = include_str!("web/README.txt");

/// Maximum size of tables that need not be named, in bytes.
const SMALL: u64 = 1 << 20;

/// Names of the files, for the worker.
#[derive(Serialize)]
struct Site {
    module: String,
    tables: Vec<SiteTable>,
    /// Opening books, whose ids are empty.
    books: Vec<SiteTable>,
    /// All of them.
    files: Vec<String>,
}

/// A table, loaded when somebody first asks about its game.
#[derive(Serialize)]
struct SiteTable {
    id: String,
    /// Id of the game that needs it.
    game: String,
    rules: String,
    file: String,
    bytes: usize,
}

/// Files of a folder.
struct Folder<'a> {
    path: &'a Path,
    written: usize,
}

impl Folder<'_> {
    fn put(&mut self, name: &str, contents: &[u8]) -> Result<(), DiskError> {
        let path = self.path.join(name);
        if let Some(above) = path.parent() {
            fs::create_dir_all(above).map_err(DiskError::of(above, "make the folder"))?;
        }
        self.written += contents.len();
        fs::write(&path, contents).map_err(DiskError::of(&path, "write it"))
    }

    /// Writes a file whose name changes with its contents; returns that name.
    fn put_named(&mut self, name: &str, contents: &[u8]) -> Result<String, DiskError> {
        let name = format!("{name}-{:08x}.bin", crc32fast::hash(contents));
        self.put(&name, contents)?;
        Ok(name)
    }

    fn table(&mut self, id: &str, game: &str, table: &[u8]) -> Result<SiteTable, DiskError> {
        Ok(SiteTable {
            id: id.to_owned(),
            game: game.to_owned(),
            rules: String::new(),
            file: self.put_named(&format!("tables/{game}"), table)?,
            bytes: table.len(),
        })
    }
}

/// Writes the explorer with these tables, and those in the tables' directory that are small.
///
/// Returns what to tell the user.
pub fn write(
    path: &Path,
    named: &[PathBuf],
    force: bool,
    program: &Program<'_>,
) -> anyhow::Result<String> {
    let Some(module) = program.web_module else {
        bail!(
            "this program was built without the explorer for browsers\ntip: `tools/web` in the \
             repository builds it with the explorer"
        );
    };
    let is_in_use = fs::read_dir(path).is_ok_and(|mut inside| inside.next().is_some());
    if is_in_use && !force {
        bail!(
            "{} has files already\ntip: choose another directory, or replace them with --force",
            path.display()
        );
    }
    let mut folder = Folder { path, written: 0 };
    let tables = tables(named, &mut folder)?;
    let opening = connect4::opening().unwrap_or_default();
    let module = folder.put_named("zermelo", module)?;
    let books = vec![folder.table("", "connect4", opening)?];
    let all = tables.iter().chain(&books);
    let files = all.map(|table| table.file.clone());
    let files = files.chain([module.clone(), "worker.js".to_owned()]);
    let files = files.collect();
    let names = tables.iter().map(|table| &*table.id);
    let names = names.chain(crate::cli::serve::SEARCHED.map(|searched| searched.0));
    for name in names.collect::<Vec<_>>() {
        for page in ["explore", "embed"] {
            folder.put(&format!("{page}/{name}/index.html"), LOADER.as_bytes())?;
        }
    }
    let number = tables.len();
    let site = Site {
        module,
        tables,
        books,
        files,
    };
    let site = serde_json::to_string(&site)?;
    folder.put("README.txt", README.as_bytes())?;
    folder.put("404.html", LOADER.as_bytes())?;
    folder.put(
        "worker.js",
        format!("const site = {site};\n{WORKER}").as_bytes(),
    )?;
    // The last one, so that what an interrupted run leaves is no site.
    folder.put("index.html", LOADER.as_bytes())?;
    Ok(format!(
        "{}: the explorer with {}, {}\nTo try it: python3 -m http.server --directory {}",
        path.display(),
        counted(number, "table"),
        bytes(folder.written as u64),
        path.display(),
    ))
}

/// Writes the tables of a site.
fn tables(named: &[PathBuf], folder: &mut Folder<'_>) -> anyhow::Result<Vec<SiteTable>> {
    let small = |path: &PathBuf| fs::metadata(path).is_ok_and(|of| of.len() <= SMALL);
    let others = tables_in(&directory()).unwrap_or_default();
    let others = others.into_iter().filter(small).map(|path| (path, false));
    let named = named.iter().map(|name| (find(name), true));
    let mut tables: Vec<SiteTable> = Vec::new();
    for (path, is_named) in named.chain(others) {
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        if tables.iter().any(|table| table.id == id) {
            continue;
        }
        let file = open(&path, false);
        let rules = file.and_then(|file| {
            let rules = file.rules().to_owned();
            game_of_rules(&rules, FAMILIES).with_context(|| {
                format!("{} is of a game that browsers don't have", path.display())
            })?;
            Ok(rules)
        });
        match rules {
            Ok(rules) => {
                let table = fs::read(&path).map_err(DiskError::of(&path, "read it"))?;
                let table = folder.table(&id, &id, &table)?;
                tables.push(SiteTable { rules, ..table });
            }
            Err(error) if is_named => return Err(error),
            Err(error) => say_note(&format!("left out: {error:#}")),
        }
    }
    Ok(tables)
}
