//! `export --web`: the explorer as a folder of files, which a browser runs without a server.

use crate::any::{FAMILIES, game_of_rules};
use crate::cli::program::{Program, say_note};
use crate::cli::serve::{SEARCHED, id_of};
use crate::cli::table::open;
use crate::cli::table_files::{find, tables_in};
use crate::game::NoProgress;
use crate::games::connect4;
use crate::text::{bytes, counted};
use crate::work::DiskError;
use anyhow::{anyhow, bail};
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

    fn table(
        &mut self,
        id: &str,
        game: &str,
        rules: String,
        table: &[u8],
    ) -> Result<SiteTable, DiskError> {
        // Addresses would encode other characters.
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let name = game.replace(|letter| !plain(letter), "-");
        Ok(SiteTable {
            id: id.to_owned(),
            game: game.to_owned(),
            rules,
            file: self.put_named(&format!("tables/{name}"), table)?,
            bytes: table.len(),
        })
    }

    /// Writes a table with the contents of its file.
    fn copy(&mut self, Chosen { id, rules, path }: Chosen) -> Result<SiteTable, DiskError> {
        let contents = fs::read(&path).map_err(DiskError::of(&path, "read it"))?;
        self.table(&id, &id, rules, &contents)
    }
}

/// Writes the explorer with the tables named and the small ones in a directory; returns a message
/// for the user.
pub fn write(
    path: &Path,
    named: &[PathBuf],
    directory: &Path,
    force: bool,
    program: &Program<'_>,
) -> anyhow::Result<String> {
    let Some(module) = program.web_module else {
        bail!(
            "this program doesn't contain the explorer for browsers\ntip: the published programs \
             contain it; in a copy of the repository, `tools/web` builds target/release/zermelo, \
             which contains it, too"
        );
    };
    let is_in_use = fs::read_dir(path).is_ok_and(|mut inside| inside.next().is_some());
    if is_in_use && !force {
        bail!(
            "{} has files already\ntip: choose another directory, or write beside them with --force",
            path.display()
        );
    }
    let chosen = choose(named, directory)?;
    let mut folder = Folder { path, written: 0 };
    let tables = chosen.into_iter().map(|table| folder.copy(table));
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    let opening = connect4::opening().unwrap_or_default();
    let module = folder.put_named("zermelo", module)?;
    let books = vec![folder.table("", "connect4", String::new(), opening)?];
    let all = tables.iter().chain(&books);
    let files = all.map(|table| table.file.clone());
    let files = files.chain([module.clone(), "worker.js".to_owned()]);
    let files = files.collect();
    let names = tables.iter().map(|table| &*table.id);
    let names = names.chain(SEARCHED.map(|searched| searched.0));
    for name in names {
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

/// A table for a site.
struct Chosen {
    id: String,
    rules: String,
    path: PathBuf,
}

/// Returns the tables named and the small ones in a directory, each id once.
fn choose(named: &[PathBuf], directory: &Path) -> anyhow::Result<Vec<Chosen>> {
    let others = small_tables(directory).map(|path| (path, false));
    let named = named.iter().map(|name| (find(name), true));
    let mut chosen: Vec<Chosen> = Vec::new();
    for (path, is_named) in named.chain(others) {
        let (id, rules) = match id_and_rules(&path) {
            Ok(found) => found,
            Err(error) if is_named => return Err(error),
            Err(error) => {
                say_note(&format!("left out: {error:#}"));
                continue;
            }
        };
        let is_same = |other: &Chosen| same_file::is_same_file(&other.path, &path).unwrap_or(false);
        match chosen.iter().find(|other| other.id == id) {
            None => chosen.push(Chosen { id, rules, path }),
            Some(other) if is_named && !is_same(other) => bail!(
                "{} and {} would both be called {id}\ntip: rename one of them, or leave it out",
                other.path.display(),
                path.display()
            ),
            Some(_) => {}
        }
    }
    Ok(chosen)
}

/// Returns the small tables in a directory.
fn small_tables(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let small = |path: &PathBuf| fs::metadata(path).is_ok_and(|of| of.len() <= SMALL);
    let tables = tables_in(directory).unwrap_or_default();
    tables.into_iter().filter(small)
}

/// Returns a table's id and rules.
fn id_and_rules(path: &Path) -> anyhow::Result<(String, String)> {
    let file = open(path, false)?;
    let game = game_of_rules(file.rules(), FAMILIES).map_err(|_| {
        let path = path.display();
        anyhow!("{path} is of a game of your own, which only `zermelo serve` shows")
    })?;
    game.open(file)?.file().check_digest(&NoProgress)?;
    Ok((id_of(path)?, game.rules()))
}

#[cfg(test)]
mod tests {
    use super::{SMALL, small_tables, write};
    use crate::any::solve_graph;
    use crate::cli::program::Program;
    use crate::game::{NoProgress, SolveOptions};
    use crate::games::listed::Builder;
    use crate::table::WriteOptions;
    use std::fs;
    use std::path::{Path, PathBuf};

    const TTT: &[u8] = include_bytes!("../../../data/ttt.bin");

    /// Runs a program whose module is `module`; returns its message or its error.
    fn written(
        module: &'static [u8],
        named: &[PathBuf],
        force: bool,
        home: &Path,
    ) -> Result<String, String> {
        let program = Program::of_library().with_web_module(module);
        let (site, data) = (home.join("site"), home.join("data"));
        write(&site, named, &data, force, &program).map_err(|error| format!("{error:#}"))
    }

    /// Returns a directory with an empty directory of tables.
    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("data")).unwrap();
        home
    }

    /// Returns the paths of all files below a directory, in order.
    fn files(below: &Path) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![below.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let ways = path.strip_prefix(below).unwrap().iter();
                files.push(
                    ways.map(|way| way.to_str().unwrap())
                        .collect::<Vec<_>>()
                        .join("/"),
                );
            }
        }
        files.sort();
        files
    }

    /// Returns the names that the worker reads.
    fn names(site: &Path) -> serde_json::Value {
        let worker = fs::read_to_string(site.join("worker.js")).unwrap();
        let first = worker.lines().next().unwrap();
        let names = first.strip_prefix("const site = ").unwrap();
        serde_json::from_str(names.strip_suffix(';').unwrap()).unwrap()
    }

    fn named_by_checksum(name: &str, contents: &[u8]) -> String {
        format!("{name}-{:08x}.bin", crc32fast::hash(contents))
    }

    #[test]
    fn a_site_has_pages_of_all_games_and_files_named_by_their_checksums() {
        let home = home();
        let data = home.path().join("data");
        fs::write(data.join("my game #1.bin"), TTT).unwrap();
        let said = written(b"module", &[], false, home.path()).unwrap();
        assert!(said.contains("the explorer with 1 table, "), "{said}");

        let site = home.path().join("site");
        let module = named_by_checksum("zermelo", b"module");
        let table = named_by_checksum("tables/my-game--1", TTT);
        let opening = crate::games::connect4::opening().unwrap();
        let opening = named_by_checksum("tables/connect4", opening);
        let mut expected: Vec<String> = ["README.txt", "404.html", "index.html", "worker.js"]
            .map(str::to_owned)
            .to_vec();
        expected.extend([module.clone(), table.clone(), opening.clone()]);
        let searched = [
            "ttt",
            "connect4-5-4",
            "kalah-6-2",
            "kalah-6-3",
            "kalah-6-4",
            "connect4",
        ];
        for game in searched.iter().chain(&["my game #1"]) {
            expected.extend(["explore", "embed"].map(|page| format!("{page}/{game}/index.html")));
        }
        expected.sort();
        assert_eq!(files(&site), expected);
        assert_eq!(fs::read(site.join(&module)).unwrap(), b"module");
        assert_eq!(fs::read(site.join(&table)).unwrap(), TTT);

        let names = names(&site);
        assert_eq!(names["module"], *module);
        let listed = names["files"].as_array().unwrap();
        for file in [&module, &table, &opening] {
            assert!(listed.iter().any(|name| name == file), "{file}");
        }
        let known = &names["tables"][0];
        assert_eq!(known["id"], "my game #1");
        assert_eq!(known["game"], "my game #1");
        assert_eq!(known["rules"], "tictactoe scoring=shortest");
        assert_eq!(known["file"], *table);
        assert_eq!(known["bytes"], TTT.len());
        assert_eq!(names["books"][0]["game"], "connect4");
    }

    #[test]
    fn a_site_is_replaced_only_by_force() {
        let home = home();
        written(b"old", &[], false, home.path()).unwrap();
        let error = written(b"new", &[], false, home.path()).unwrap_err();
        assert!(error.contains("has files already\ntip: "), "{error}");
        let site = home.path().join("site");
        assert_eq!(
            names(&site)["module"],
            *named_by_checksum("zermelo", b"old")
        );
        written(b"new", &[], true, home.path()).unwrap();
        assert_eq!(
            names(&site)["module"],
            *named_by_checksum("zermelo", b"new")
        );
    }

    #[test]
    fn tables_of_up_to_a_megabyte_need_no_name() {
        let home = home();
        let data = home.path().join("data");
        for (name, length) in [("large.bin", SMALL + 1), ("small.bin", SMALL)] {
            let file = fs::File::create(data.join(name)).unwrap();
            file.set_len(length).unwrap();
        }
        assert!(small_tables(&data).eq([data.join("small.bin")]));
    }

    #[test]
    fn a_table_named_twice_is_written_once_and_two_of_one_name_are_an_error() {
        let home = home();
        let named = ["ttt.bin", "other/ttt.bin"].map(|name| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, TTT).unwrap();
            path
        });
        let same = [named[0].clone(), named[0].clone()];
        let said = written(b"module", &same, false, home.path()).unwrap();
        assert!(said.contains("the explorer with 1 table, "), "{said}");
        let error = written(b"module", &named, true, home.path()).unwrap_err();
        assert!(error.contains("would both be called ttt\ntip: "), "{error}");
    }

    #[test]
    fn tables_that_browsers_cannot_read_are_errors_if_named_and_else_left_out() {
        let home = home();
        let data = home.path().join("data");
        let mut counters = Builder::default();
        counters.position("one left", None, None).unwrap();
        let take = counters.name("take one");
        counters.moves([(take, 1)]);
        counters.position("none left", None, Some(-1)).unwrap();
        counters.moves([]);
        let options = SolveOptions {
            threads: 1,
            memory: 1 << 26,
        };
        let good = home.path().join("ttt.bin");
        fs::write(&good, TTT).unwrap();
        let (own, damaged) = (data.join("own.bin"), data.join("damaged.bin"));
        let write = WriteOptions::default();
        solve_graph(
            counters,
            "counters",
            Some(&own),
            options,
            write,
            &NoProgress,
        )
        .unwrap();
        fs::write(&damaged, &TTT[..100]).unwrap();
        // Blocks follow the header, and opening a table checks none of them.
        let (altered, mut bytes) = (data.join("altered.bin"), TTT.to_vec());
        bytes[200] ^= 1;
        fs::write(&altered, bytes).unwrap();
        fs::write(data.join("games.bin"), TTT).unwrap();
        for (path, problem) in [
            (own, "own.bin is of a game of your own"),
            (damaged, "damaged.bin"),
            (altered, "altered.bin is damaged"),
            (data.join("games.bin"), "the name games is reserved"),
            (data.join("none.bin"), "there is no table"),
        ] {
            let named = [good.clone(), path];
            let error = written(b"module", &named, false, home.path()).unwrap_err();
            assert!(error.contains(problem), "{error}");
            assert!(!home.path().join("site").exists());
        }
        let said = written(b"module", &[], false, home.path()).unwrap();
        assert!(said.contains("the explorer with 0 tables, "), "{said}");
    }

    #[test]
    fn a_site_that_was_not_finished_has_no_first_page() {
        // Each file that is written before the first page, or a directory above it.
        for name in [
            "404.html",
            "worker.js",
            "README.txt",
            "embed",
            "explore",
            "tables",
        ] {
            let home = home();
            let site = home.path().join("site");
            match name.contains('.') {
                true => fs::create_dir_all(site.join(name)).unwrap(),
                false => {
                    fs::create_dir(&site).unwrap();
                    fs::write(site.join(name), "").unwrap();
                }
            }
            let error = written(b"module", &[], true, home.path()).unwrap_err();
            assert!(error.contains(name), "{error}");
            assert!(!site.join("index.html").exists(), "{name}");
        }
    }
}
