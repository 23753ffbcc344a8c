//! Fuzzes explicit game graphs made by other programs, with untrusted changes.

use arbitrary::{Result, Unstructured};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use zermelo::any::{open, solve_graph};
use zermelo::conformance;
use zermelo::game::{Endless, Game, NoProgress, Notation, Side, Solution, SolveOptions};
use zermelo::games::listed::{self, Builder, Graph, Listed, beside};
use zermelo::solve::{Method, solve};
use zermelo::table::{
    Table, TableFile, Verdict, VerifyOptions, WriteOptions, verify, write_to_vec,
};

/// The parts of an explicit game graph's file.
#[derive(Clone)]
struct Parts {
    first_line: Vec<u8>,
    header: Value,
    /// The inflated content of the file's body.
    body: Vec<u8>,
}

struct Sample {
    bytes: Vec<u8>,
    parts: Parts,
}

struct Samples {
    /// The path of the first sample's table; modified graphs are written next to it.
    table: PathBuf,
    all: Vec<Sample>,
}

/// Returns a game of taking counters.
///
/// With sides, taking an even number doesn't pass the turn. If play can be endless, a counter may be
/// put back.
fn counters(most: u32, with_sides: bool, endless: Endless) -> Builder {
    let mut builder = Builder::of(endless, false);
    let lost = [-2, -1][usize::from(endless == Endless::Draw)];
    let mut found = vec![(most, 0)];
    let mut next = 0;
    while let Some(&(left, side)) = found.get(next) {
        next += 1;
        let named = with_sides.then_some([Side::First, Side::Second][side]);
        let text = format!("{left} left{}", ["", ", turned"][side]);
        let added = builder.position(&text, named, (left == 0).then_some(lost));
        added.expect("it can be written so");
        let mut moves = Vec::new();
        let may_put = endless == Endless::Draw && (1..most).contains(&left);
        for after in (left.saturating_sub(3)..left).chain(may_put.then_some(left + 1)) {
            let taken = left.abs_diff(after);
            let turned = usize::from(with_sides && taken % 2 == 1) ^ side;
            let child = (after, turned);
            let number = found.iter().position(|known| *known == child);
            let number = number.unwrap_or_else(|| {
                found.push(child);
                found.len() - 1
            });
            let verb = ["take", "put"][usize::from(after > left)];
            moves.push((builder.name(&format!("{verb} {taken}")), number as u32));
        }
        builder.moves(moves);
    }
    builder
}

const OPTIONS: SolveOptions = SolveOptions {
    threads: 1,
    memory: 1 << 26,
};

fn taken_apart(bytes: &[u8]) -> Parts {
    let lines: Vec<&[u8]> = bytes.splitn(3, |&byte| byte == b'\n').collect();
    let mut body = Vec::new();
    let unpacked = ZlibDecoder::new(lines[2]).read_to_end(&mut body);
    unpacked.expect("what was packed is unpacked");
    Parts {
        first_line: lines[0].to_vec(),
        header: serde_json::from_slice(lines[1]).expect("it is JSON"),
        body,
    }
}

fn put_together(parts: &Parts) -> Vec<u8> {
    let mut bytes = parts.first_line.clone();
    bytes.push(b'\n');
    bytes.extend(parts.header.to_string().into_bytes());
    bytes.push(b'\n');
    let mut packed = ZlibEncoder::new(bytes, Compression::fast());
    let written = packed.write_all(&parts.body);
    written.expect("memory takes all");
    packed.finish().expect("memory takes all")
}

fn samples() -> &'static Samples {
    static SAMPLES: OnceLock<Samples> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        // The directory must exist as long as the program runs.
        let folder = folder.keep();
        let mut all = Vec::new();
        let mut first = None;
        for (name, most, with_sides, endless) in [
            ("few", 4, false, Endless::Impossible),
            ("more", 9, true, Endless::Impossible),
            ("many", 30, true, Endless::Impossible),
            ("back", 6, false, Endless::Draw),
            ("turns", 8, true, Endless::Draw),
        ] {
            let builder = counters(most, with_sides, endless);
            let table = folder.join(format!("{name}.bin"));
            let (path, write) = (Some(&*table), WriteOptions::default());
            let solved = solve_graph(builder, name, path, OPTIONS, write, &NoProgress);
            assert!(solved.is_ok(), "it is a game that ends, and there is room");
            let bytes = fs::read(beside(&table)).expect("it was written");
            all.push(Sample {
                parts: taken_apart(&bytes),
                bytes,
            });
            first.get_or_insert(table);
        }
        Samples {
            table: first.expect("there is one"),
            all,
        }
    })
}

/// Prepares the samples.
pub fn prepare() {
    samples();
}

/// Reads a modified explicit game graph.
///
/// # Errors
/// If the input is too short.
///
/// # Panics
/// If the graph that was read violates the rules of games, has other scores than by its rules, or
/// is accepted for a table of another graph.
pub fn run(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let samples = samples();
    let sample = u.choose(&samples.all)?;
    let bytes = match u.int_in_range(0..=7)? {
        0 => damaged(u, sample.bytes.clone())?,
        _ => {
            let mut parts = sample.parts.clone();
            for _ in 0..u.int_in_range(0..=3)? {
                let other = &u.choose(&samples.all)?.parts;
                change(u, &mut parts, other)?;
            }
            put_together(&parts)
        }
    };
    let list = beside(&samples.table);
    fs::write(&list, &bytes).expect("there is room");
    let opened = open(&samples.table).is_ok();
    assert_eq!(
        opened,
        bytes == samples.all[0].bytes,
        "a table has its own list and no other"
    );
    let Ok(graph) = Graph::read(&list) else {
        return Ok("refused");
    };
    is_a_game(graph, &list);
    Ok("a game")
}

/// Checks that a graph is a game: its file, contract, scores and table.
///
/// # Panics
/// If it isn't a game.
fn is_a_game(graph: Graph, list: &Path) {
    let copy = list.with_extension("copy");
    graph.write(&copy).expect("there is room");
    let again = Graph::read(&copy).expect("what was read and written is read");
    assert_eq!(
        (again.name(), again.positions(), again.edges()),
        (graph.name(), graph.positions(), graph.edges())
    );
    let game = Listed::new(graph);
    conformance::check(&game, 300).expect("what is read keeps the promises of a game");
    let solution = match game.endless() {
        Endless::Impossible => {
            let scores = listed::solve(game.graph(), &NoProgress);
            Solution::Keyed(game.entries(&scores.expect("what is read was solved before")))
        }
        Endless::Draw => {
            let solved = solve(&game, Method::Backward, OPTIONS, &NoProgress);
            solved.expect("there is memory enough").solution
        }
    };
    let Solution::Keyed(entries) = &solution else {
        panic!("lists have keys");
    };
    for &(key, score) in entries {
        let position = game
            .position_of_key(key)
            .expect("each entry has a position");
        let text = game.format_position(&position);
        assert_eq!(game.parse_position(&text).ok(), Some(position), "{text}");
        let side = game.side_to_move(&position);
        let worth = game.legal_moves(&position).into_iter().map(|mv| {
            let child = game.play(&position, mv);
            let score = game.final_score(&child).unwrap_or_else(|| {
                let key = game.key(&game.canonical(&child));
                let place = entries.binary_search_by_key(&key, |entry| entry.0);
                entries[place.expect("where a move leads to there is a position")].1
            });
            game.score_of_move(side, &child, score)
        });
        assert_eq!(worth.max(), Some(score), "{text}");
    }
    let table = write_to_vec(&game, &solution, WriteOptions::default(), &NoProgress);
    let table = table.expect("what is read fits into a table");
    let file = TableFile::from_bytes(table).expect("what was written is read");
    let table = Table::new(file, game).expect("it is of this game");
    let verdict = verify(&table, &VerifyOptions::within(1, 1 << 26), &NoProgress);
    let verdict = verdict.expect("there is memory enough");
    // Unreachable positions are no part of the game and must not be in the table.
    assert!(matches!(verdict, Verdict::Proved { .. }), "{verdict:?}");
}

fn damaged(u: &mut Unstructured<'_>, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
    for _ in 0..u.int_in_range(0..=3)? {
        let at = u.choose_index(bytes.len())?;
        match u.int_in_range(0..=3)? {
            0 => bytes.truncate(at.max(1)),
            1 => bytes.push(u.arbitrary()?),
            _ => bytes[at] ^= 1 << u.int_in_range(0..=7)?,
        }
    }
    Ok(bytes)
}

fn change(u: &mut Unstructured<'_>, parts: &mut Parts, other: &Parts) -> Result<()> {
    const NUMBERS: [&str; 6] = ["positions", "moves", "letters", "lowest", "highest", "step"];
    let small = |u: &mut Unstructured<'_>| -> Result<i64> {
        Ok(match u.int_in_range(0..=3)? {
            0 => u.int_in_range(-3..=40)?,
            1 => *u.choose(&[i64::from(u32::MAX), i64::from(i32::MIN), i64::MAX, 1 << 32])?,
            2 => i64::from(u.arbitrary::<i32>()?),
            _ => i64::from(u.arbitrary::<u8>()?),
        })
    };
    match u.int_in_range(0..=9)? {
        0 => parts.header[*u.choose(&NUMBERS)?] = json!(small(u)?),
        1 => {
            let flag = *u.choose(&["has_sides", "endless"])?;
            parts.header[flag] = json!(u.arbitrary::<bool>()?);
        }
        2 => {
            let name = *u.choose(&["", "x", "a b", "A", "take 1", "few", "\n", "é"])?;
            match u.arbitrary()? {
                true => parts.header["name"] = json!(name),
                false => parts.header["names"][0] = json!(name),
            }
        }
        3 => {
            let level = u.int_in_range(0..=4)?;
            if let Some(place) = parts.header["levels"].get_mut(level) {
                *place = json!(small(u)?);
            }
        }
        4 => {
            let part = *u.choose(&["levels", "names", "name"])?;
            parts.header[part] = other.header[part].clone();
        }
        5 => parts.body.clone_from(&other.body),
        6 => {
            let at = u.choose_index(parts.body.len().max(1))?;
            parts.body.truncate(at);
        }
        7 => {
            let more = u.int_in_range(1..=9)?;
            parts.body.extend(std::iter::repeat_n(0, more));
        }
        // Replaces a number of four bytes, the size of most numbers.
        8 if parts.body.len() >= 4 => {
            let at = u.choose_index(parts.body.len() - 3)?;
            let number = small(u)? as u32;
            parts.body[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        _ if !parts.body.is_empty() => {
            let at = u.choose_index(parts.body.len())?;
            parts.body[at] = u.int_in_range(0..=12)?;
        }
        _ => {}
    }
    Ok(())
}
