//! `info`: what a table holds.

use super::{Answer, output, query};
use crate::game::Game;
use crate::with_game;
use std::io::Write;
use std::path::PathBuf;

/// Show what a table holds: rules, counts, sizes, outcomes and scores
#[derive(Debug, clap::Args)]
#[command(
    max_term_width = 100,
    after_help = "\
Example:
  zermelo info --table data/ttt.bin"
)]
pub struct InfoArgs {
    /// The table
    #[arg(long, value_name = "FILE")]
    table: PathBuf,

    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,
}
