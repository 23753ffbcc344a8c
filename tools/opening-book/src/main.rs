//! Makes an opening book of Connect Four: a table of the positions with few stones.
//!
//! The scores of the last layer are searched, or come from a file of M. Thill's opening databases
//! (`book_12ply_distances.dat` of the Python package `bitbully-databases`, MIT licence). Those of
//! the layers above follow from them.
//!
//! ```text
//! opening-book --columns 6 --rows 5 --up-to 8 --out book.bin
//! opening-book --distances book_12ply_distances.dat --outcomes book_8ply.dat --out book.bin
//! ```
//!
//! Searched scores are appended to `book.bin.scores`, from which the same command resumes.

mod database;

use anyhow::{Context, ensure};
use clap::Parser;
use database::Scores;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use zermelo::game::{Game, NoProgress, Notation, SearchSetup, Searcher, Solution};
use zermelo::games::connect4::search::Connect4Searcher;
use zermelo::games::connect4::{Connect4, Parameters, Position};
use zermelo::table::{WriteOptions, write_table};

/// Number of positions that are searched before their scores are saved.
const CHUNK: usize = 16;

/// Makes an opening book of Connect Four
#[derive(Parser)]
struct Args {
    #[arg(long, default_value_t = 7)]
    columns: usize,
    #[arg(long, default_value_t = 6)]
    rows: usize,
    /// How many stones in line win
    #[arg(long, default_value_t = 4)]
    connect: usize,
    /// The most stones on the board
    #[arg(long, default_value_t = 12)]
    up_to: u32,
    /// The book
    #[arg(long)]
    out: PathBuf,
    /// Scores of the last layer, from this file instead of searches
    #[arg(long)]
    distances: Option<PathBuf>,
    /// Outcomes of positions with 8 stones, to compare with the book
    #[arg(long)]
    outcomes: Option<PathBuf>,
    /// Entries per block: more make a smaller book, and slower answers
    #[arg(long, default_value_t = 1 << 14)]
    block_entries: u32,
    /// Memory of a search, in megabytes
    #[arg(long, default_value_t = 1024)]
    memory: u64,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let game = Connect4::new(Parameters {
        columns: args.columns,
        rows: args.rows,
        line: args.connect,
    })
    .map_err(anyhow::Error::msg)?;
    let book = game.opening(args.up_to).map_err(anyhow::Error::msg)?;
    let layers = layers(&game, args.up_to);
    let last = layers.last().expect("there is the start");
    let unknown = last.values().filter(|leaf| game.at_once(leaf).is_none());
    let unknown: Vec<Position> = unknown.copied().collect();
    eprintln!(
        "{} classes, {} without a win at once",
        last.len(),
        unknown.len()
    );
    let known = match &args.distances {
        Some(file) => database::distances(&game, &fs::read(file)?)?,
        None => searched(&game, &unknown, &args)?,
    };
    let scores = scores(&game, &layers, &known)?;
    if let Some(file) = &args.outcomes {
        let eighth = scores.get(8).context("the book has no layer of 8 stones")?;
        let compared = database::compare(&game, &fs::read(file)?, eighth)?;
        eprintln!("{compared} outcomes of positions with 8 stones agree");
    }
    let mut entries = Vec::new();
    for (layer, scores) in layers.iter().zip(&scores) {
        let kept = layer
            .iter()
            .filter(|(_, position)| book.has_in_book(position));
        entries.extend(kept.map(|(key, _)| (*key, scores[key])));
    }
    entries.sort_unstable();
    let options = WriteOptions {
        force: true,
        block_entries: args.block_entries,
        ..WriteOptions::default()
    };
    let solution = Solution::Keyed(entries);
    let written = write_table(&book, &solution, &args.out, options, &NoProgress)?;
    let start = scores[0].values().next();
    eprintln!(
        "{} entries, {} bytes; the start scores {start:?}",
        written.entries, written.bytes
    );
    Ok(())
}

/// Returns the unfinished classes with 0 to `up_to` stones, by their keys.
fn layers(game: &Connect4, up_to: u32) -> Vec<FxHashMap<u128, Position>> {
    let start = game.start();
    let mut layers = vec![FxHashMap::from_iter([(game.key(&start), start)])];
    for _ in 0..up_to {
        let mut next = FxHashMap::default();
        for position in layers.last().expect("there is the start").values() {
            for mv in game.legal_moves(position) {
                let child = game.canonical(&game.play(position, mv));
                if game.final_score(&child).is_none() {
                    next.insert(game.key(&child), child);
                }
            }
        }
        layers.push(next);
    }
    layers
}

/// Returns the scores of all layers, from those of the last that aren't wins at once.
fn scores(
    game: &Connect4,
    layers: &[FxHashMap<u128, Position>],
    known: &Scores,
) -> anyhow::Result<Vec<Scores>> {
    let mut all: Vec<Scores> = Vec::new();
    for layer in layers.iter().rev() {
        let score = |(&key, position): (&u128, &Position)| {
            let score = match (game.at_once(position), all.last()) {
                (Some(score), _) => Some(score),
                (None, None) => known.get(&key).copied(),
                (None, Some(below)) => {
                    let moves = game.legal_moves(position).into_iter();
                    let score = |mv| {
                        let child = game.canonical(&game.play(position, mv));
                        game.final_score(&child)
                            .unwrap_or_else(|| below[&game.key(&child)])
                    };
                    moves.map(|mv| -score(mv)).max()
                }
            };
            let position = || format!("no score of {}", game.format_position(position));
            Ok((key, score.with_context(position)?))
        };
        let scores = layer
            .iter()
            .map(score)
            .collect::<anyhow::Result<Scores>>()?;
        all.push(scores);
    }
    all.reverse();
    Ok(all)
}

/// Searches positions, resuming from the file of scores.
fn searched(game: &Connect4, positions: &[Position], args: &Args) -> anyhow::Result<Scores> {
    let mut path = args.out.clone().into_os_string();
    path.push(".scores");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let mut scores = Scores::default();
    for line in text.lines().filter(|line| line.ends_with(';')) {
        let words = line.trim_end_matches(';').split_once(' ');
        let (key, score) = words.context("a line is a key and a score")?;
        scores.insert(key.parse()?, score.parse()?);
    }
    let open = positions
        .iter()
        .filter(|position| !scores.contains_key(&game.key(position)));
    let open: Vec<&Position> = open.collect();
    let searcher = Connect4Searcher::new(game, &SearchSetup::new(1, args.memory << 20))?;
    let out = File::options().create(true).append(true).open(&path)?;
    let mut out = BufWriter::new(out);
    // An earlier run may have been killed in the middle of a line.
    writeln!(out)?;
    for (number, some) in open.chunks(CHUNK).enumerate() {
        let score = |&position: &&Position| {
            let bounds = searcher.score(position, 0, &NoProgress, &mut |_| ())?;
            let score = bounds.score().context("the search was cancelled")?;
            Ok((game.key(position), score))
        };
        let found = some
            .par_iter()
            .map(score)
            .collect::<anyhow::Result<Vec<_>>>()?;
        for (key, score) in found {
            writeln!(out, "{key} {score};")?;
            scores.insert(key, score);
        }
        out.flush()?;
        eprintln!("{} of {} searched", number * CHUNK, open.len());
    }
    ensure!(
        scores.len() >= positions.len(),
        "{} has scores of other positions",
        args.out.display()
    );
    Ok(scores)
}
