//! Tables on the command line.

use super::args::game::{Families, example, game_of_table};
use super::args::resources::can_be_solved;
use super::program::Program;
use super::table_files::{directory, find, found, is_table_name, known};
use crate::any::{AnyTable, family_list, game_of_file, open_file, several_called};
use crate::game::Endless;
use crate::guard::survive_cut_off_files;
use crate::table::{Access, TableFile};
use anyhow::{Context, bail};
use clap::Command;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Paragraph in the help of every command that reads a table.
pub const DIRECTORY_HELP: &str = "\
A table is a file, or the name of one in data/ (or in the directory ZERMELO_TABLES, if it is set).";

/// The table that a command reads, and how.
#[derive(Debug, clap::Args)]
pub struct TableArgs {
    /// Table: a file, or the name of one in data/, such as kalah-6-2
    #[arg(
        value_name = "TABLE",
        required_unless_present = "table",
        conflicts_with = "table"
    )]
    place: Option<PathBuf>,

    /// The same table, as an option
    #[arg(long, value_name = "TABLE", hide_short_help = true)]
    table: Option<PathBuf>,

    /// Read the file in pieces instead of mapping it
    #[arg(long, help_heading = "Resources", hide_short_help = true)]
    pub no_mmap: bool,
}

impl TableArgs {
    /// Returns the name of the table, if one is given.
    pub fn given(&self) -> Option<&PathBuf> {
        self.place.as_ref().or(self.table.as_ref())
    }

    /// Returns the path of the table.
    pub fn path(&self) -> PathBuf {
        find(self.given().expect("clap demands one of them"))
    }
}

/// The table that a command reads, unless the word names a game.
#[derive(Debug, clap::Args)]
pub struct TableOrGameArgs {
    /// Table: a file, or the name of one in data/, such as kalah-6-2
    #[arg(value_name = "TABLE", conflicts_with = "table", hide_short_help = true)]
    place: Option<OsString>,

    /// The same table, as an option
    #[arg(long, value_name = "TABLE", hide_short_help = true)]
    table: Option<PathBuf>,
}

impl TableOrGameArgs {
    /// Returns the path of the table.
    pub fn path(&self, program: &Program<'_>) -> anyhow::Result<PathBuf> {
        match &self.table {
            Some(table) => Ok(find(table)),
            None => table_or_game(self.place.as_deref(), program),
        }
    }
}

/// Removes a short name of a game if it is given and names a table, so that the table answers.
pub fn prefer_tables(command: Command) -> Command {
    command.mut_subcommands(|game| {
        let is_given = |name: &str| std::env::args_os().any(|word| word == name);
        let is_table = |name: &str| is_given(name) && found(Path::new(name)).is_some();
        let names_table = game.get_visible_aliases().any(is_table);
        if names_table {
            game.visible_alias(None)
        } else {
            game
        }
    })
}

/// Maximum number of tables that an error lists.
const LISTED: usize = 10;

/// Opens a table file.
pub fn open(path: &Path, no_mmap: bool) -> anyhow::Result<TableFile> {
    if !path.exists() {
        let (directory, known) = (directory(), known());
        let more = if known.len() > LISTED { ", ..." } else { "" };
        let tip = match &known[..known.len().min(LISTED)] {
            [] => "`solve GAME` makes tables".to_owned(),
            names => format!("{} has {}{more}", directory.display(), names.join(", ")),
        };
        bail!("there is no table {}\ntip: {tip}", path.display());
    }
    let access = if no_mmap {
        Access::Plain
    } else {
        survive_cut_off_files().context("can't catch SIGBUS")?;
        Access::Mmap
    };
    Ok(TableFile::open(path, access)?)
}

/// Opens a table together with its game's rules.
pub fn open_any(
    path: &Path,
    no_mmap: bool,
    families: Families<'_>,
) -> anyhow::Result<Box<dyn AnyTable>> {
    let file = open(path, no_mmap)?;
    Ok(open_file(file, families)?)
}

/// Opens a table as [`open_any`] does, or an opening book.
pub fn open_book(
    path: &Path,
    no_mmap: bool,
    families: Families<'_>,
) -> anyhow::Result<Box<dyn AnyTable>> {
    let file = open(path, no_mmap)?;
    Ok(game_of_file(&file, families)?.open(file)?)
}

/// Returns the path of the table that a word names, where the word could also name a game.
pub fn table_or_game(word: Option<&OsStr>, program: &Program<'_>) -> anyhow::Result<PathBuf> {
    let what = match word {
        Some(word) => {
            if let Some(path) = found(Path::new(word)) {
                return Ok(path);
            }
            let place = word;
            let word = &*word.to_string_lossy();
            if is_table_name(word) {
                return Ok(place.into());
            }
            if let Some((words, game)) = game_of_table(word, program.families) {
                let (directory, name) = (directory(), &program.name);
                let mut tips = Vec::new();
                if game.endless() == Endless::Impossible {
                    tips.push(format!("`{name} query {words}` searches"));
                }
                if can_be_solved(&*game) {
                    tips.push(format!("`{name} solve {words}` makes the table"));
                }
                let tip = match &tips[..] {
                    [] => "it is too large to be solved here: choose a smaller board".to_owned(),
                    tips => tips.join(", "),
                };
                bail!(
                    "there is no table {word} in {}\ntip: {tip}",
                    directory.display()
                );
            }
            if let Some(several) = several_called(word, program.families) {
                bail!("\"{word}\" is neither a table nor a game\ntip: {several}");
            }
            format!("\"{word}\" is neither a table nor a game")
        }
        None => "no table is given".to_owned(),
    };
    let (game, table) = example(program.families);
    bail!(
        "{what}\ntip: name a table, such as {table}, or a game, such as {game}; the games are {}",
        family_list(program.families)
    )
}
