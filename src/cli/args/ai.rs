//! AIs on the command line: how to start them and talk to them.

use super::numbers::{parse_milliseconds, parse_seconds};
use super::resources;
use crate::any::AnyAi;
use crate::check::{External, Protocol, StartError};
use crate::text::harmless;
use anyhow::{anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// How to talk to AIs, and how long to wait for them.
#[derive(Clone, Debug, Args)]
pub struct AiArgs {
    /// How to talk to programs: line, or ugi
    ///
    /// `line`: the AI reads one position per line and writes one move per line. `ugi`: the
    /// Universal Game Interface.
    #[arg(long, value_name = "NAME", default_value = "line", value_parser = protocols(), help_heading = "AI", hide_short_help = true, hide_possible_values = true)]
    pub protocol: Protocol,

    /// Thinking time sent to a UGI engine, in milliseconds [default: 100]
    #[arg(long, value_name = "MS", value_parser = parse_milliseconds, allow_negative_numbers = true, help_heading = "AI", hide_short_help = true)]
    pub movetime: Option<u64>,

    /// Seconds per move
    #[arg(long, value_name = "S", default_value = "10", value_parser = parse_seconds, allow_negative_numbers = true, help_heading = "AI")]
    pub timeout: Duration,

    /// Additional seconds for the first answer after a start
    #[arg(long, value_name = "S", default_value = "10", value_parser = parse_seconds, allow_negative_numbers = true, help_heading = "AI", hide_short_help = true)]
    pub startup: Duration,
}

/// How many copies of an AI to run.
#[derive(Clone, Debug, Args)]
pub struct JobsArgs {
    /// AI processes to run in parallel
    ///
    /// The report doesn't depend on it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = resources::parse_threads, help_heading = "AI")]
    pub jobs: usize,
}

/// An AI with its name.
#[derive(Clone, Debug)]
pub struct Entrant {
    pub name: String,
    pub ai: String,
}

impl Entrant {
    /// Reads `NAME=COMMAND`.
    pub fn parse(text: &str) -> Result<Entrant, String> {
        match text.split_once('=').map(|(name, ai)| (name.trim(), ai)) {
            Some((name, ai)) if !name.is_empty() => Ok(Entrant {
                name: harmless(name),
                ai: ai.to_owned(),
            }),
            _ => Err("write a name, = and a command, such as ann=\"python3 ann.py\"".to_owned()),
        }
    }

    /// Checks that no two AIs have the same name.
    pub fn check_names(entrants: &[Entrant]) -> anyhow::Result<()> {
        let mut names = FxHashSet::default();
        if let Some(double) = entrants.iter().find(|of| !names.insert(&of.name)) {
            bail!(
                "two AIs are called {}\ntip: give each its own name",
                double.name
            );
        }
        Ok(())
    }
}

/// The Universal Game Interface, with the default time per move.
const UGI: Protocol = Protocol::Ugi {
    movetime: Duration::from_millis(100),
};

/// Beginning of a command that starts a UGI engine, whatever `--protocol` says.
const ENGINE: &str = "ugi:";

fn protocols() -> impl TypedValueParser<Value = Protocol> {
    let protocol = |name: String| if name == "ugi" { UGI } else { Protocol::Line };
    PossibleValuesParser::new(["line", "ugi"]).map(protocol)
}

impl AiArgs {
    /// Checks that the options fit these AIs.
    pub fn check(&self, ais: &[&str]) -> anyhow::Result<()> {
        if self.protocol != Protocol::Line && ais.iter().all(|ai| ai.starts_with("builtin:")) {
            bail!(
                "--protocol works only with AIs that are programs, but {} is built in",
                ais.join(", ")
            );
        }
        let speaks_ugi = |ai: &&str| ai.starts_with(ENGINE);
        if self.movetime.is_some() && self.protocol == Protocol::Line && !ais.iter().any(speaks_ugi)
        {
            bail!(
                "--movetime works only with --protocol ugi; with the line protocol, --timeout limits \
                 the time per move"
            );
        }
        Ok(())
    }

    /// Returns the AI that `builtin:NAME`, `ugi:COMMAND` or a command names. No wait for it is
    /// longer than `most`.
    pub fn contender(&self, ai: &str, most: Duration) -> anyhow::Result<AnyAi> {
        if let Some(name) = ai.strip_prefix("builtin:") {
            return Ok(AnyAi::Builtin(name.to_owned()));
        }
        let movetime = self.movetime.map(Duration::from_millis);
        let (protocol, command) = match ai.strip_prefix(ENGINE) {
            Some(command) => (UGI, command),
            None => (self.protocol, ai),
        };
        let protocol = match (protocol, movetime) {
            (Protocol::Ugi { .. }, Some(movetime)) => Protocol::Ugi { movetime },
            _ => protocol,
        };
        let program = External::new(command, protocol, most.min(self.timeout));
        let program = program.map_err(|error| match error {
            StartError::Command { .. } => anyhow!("--ai {error}"),
            error => error.into(),
        })?;
        Ok(AnyAi::Program(program.with_startup(most.min(self.startup))))
    }
}
