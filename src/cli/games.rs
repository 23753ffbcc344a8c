//! `games`: the games that the program knows.

use super::program::{Answer, Program};
use super::stdout::results;
use clap::{ArgMatches, Command};
use std::io::Write;

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    let name = &program.name;
    command
        .about("List the games, with their short names")
        .visible_alias("list")
        .after_help(format!(
            "`{name} solve GAME --help` explains a game's rules and options."
        ))
}

pub fn run(_: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let names = program.families.iter().map(|family| {
        let names = [&[family.name()], family.aliases()].concat();
        names.join(", ")
    });
    let names: Vec<String> = names.collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut out = results();
    for (names, family) in names.iter().zip(program.families) {
        writeln!(out, "{names:<width$}  {}", family.about())?;
    }
    Ok(Answer::Yes)
}
