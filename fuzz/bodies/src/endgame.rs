//! Fuzzes searches of Kalah with endgame tables that were modified.

use crate::table::{Changed, Parts, change};
use arbitrary::{Result, Unstructured};
use std::sync::OnceLock;
use zermelo::any::{FAMILIES, open_file};
use zermelo::game::{Game, NoProgress, Notation, SearchSetup, SolveOptions};
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::oracle::{BySearch, Oracle};
use zermelo::solve::{Method, score_of, solve};
use zermelo::table::{
    Table, TableFile, Verdict, VerifyOptions, WriteOptions, verify, write_to_vec,
};

/// A game, an endgame table for it, and true scores.
struct Sample {
    game: Kalah,
    endgame: Kalah,
    bytes: Vec<u8>,
    parts: Parts,
    /// Reachable positions with their scores.
    scores: Vec<(<Kalah as Game>::Position, i32)>,
}

/// The search's memory limit in bytes, which also limits the endgame table.
const MEMORY: u64 = 48 << 20;

const ONE_THREAD: SolveOptions = SolveOptions {
    threads: 1,
    memory: 1 << 28,
};

fn sample(pits: usize, seeds: usize, up_to: usize, empty_capture: bool) -> Sample {
    let rules = Rules {
        pits,
        seeds,
        empty_capture,
    };
    let game = Kalah::new(rules).expect("there is such a game");
    let endgame = Kalah::endgame(pits, up_to, empty_capture).expect("there is such an endgame");
    let solve = |game: &Kalah| {
        let solved = solve(game, Method::Backward, ONE_THREAD, &NoProgress);
        solved.expect("a small game is solved").solution
    };
    let options = WriteOptions {
        tile_side: 8,
        ..WriteOptions::default()
    };
    let bytes = write_to_vec(&endgame, &solve(&endgame), options, &NoProgress);
    let bytes = bytes.expect("a table is written to memory");
    let solution = solve(&game);
    let mut positions = vec![game.start()];
    let mut next = 0;
    while next < positions.len() && positions.len() < 500 {
        for mv in game.legal_moves(&positions[next]) {
            let child = game.play(&positions[next], mv);
            if game.final_score(&child).is_none() && !positions.contains(&child) {
                positions.push(child);
            }
        }
        next += 1;
    }
    let score = |position: &_| score_of(&game, &solution, position).expect("it is reachable");
    let scores = positions
        .into_iter()
        .map(|position| (position, score(&position)))
        .collect();
    Sample {
        parts: Parts::of(&bytes),
        game,
        endgame,
        bytes,
        scores,
    }
}

fn samples() -> &'static [Sample] {
    static SAMPLES: OnceLock<Vec<Sample>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        vec![
            sample(1, 3, 4, false),
            sample(2, 2, 5, false),
            sample(2, 2, 4, true),
            sample(3, 1, 4, false),
            sample(3, 2, 6, false),
        ]
    })
}

/// Prepares the samples.
pub fn prepare() {
    samples();
}

/// Searches a game with a modified endgame table.
///
/// # Errors
/// If the input is too short.
///
/// # Panics
/// If a score is wrong or impossible.
pub fn run(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let samples = samples();
    let sample = u.choose(samples)?;
    let other = u.choose(samples)?;
    let (bytes, forged) = if u.ratio(1, 8)? {
        let mut bytes = sample.bytes.clone();
        for _ in 0..u.int_in_range(0..=3)? {
            let at = u.choose_index(bytes.len())?;
            bytes[at] ^= 1 << u.int_in_range(0..=7)?;
        }
        (bytes, false)
    } else {
        let Changed { bytes, forged } = change(u, sample.parts.clone(), &other.parts)?;
        (bytes, forged)
    };
    let file = TableFile::from_bytes(bytes.clone()).ok();
    let Some(table) = file.and_then(|file| open_file(file, FAMILIES).ok()) else {
        return Ok("refused");
    };
    let mut setup = SearchSetup::new(1, MEMORY);
    setup.known = Some(table.into_known_scores());
    let Ok(search) = BySearch::new(&sample.game, &setup, &NoProgress) else {
        return Ok("unsuitable");
    };
    let is_proved = || {
        let file = TableFile::from_bytes(bytes.clone()).ok()?;
        let table = Table::new(file, sample.endgame.clone()).ok()?;
        let verdict = verify(&table, &VerifyOptions::within(0, MEMORY), &NoProgress).ok()?;
        Some(matches!(verdict, Verdict::Proved { .. }))
    };
    let is_true = !forged || is_proved() == Some(true);
    let mut came = "searched";
    let range = sample.game.score_range();
    for _ in 0..3 {
        let (position, truth) = u.choose(&sample.scores)?;
        let Ok(score) = search.score(position) else {
            came = "failed";
            continue;
        };
        let text = sample.game.format_position(position);
        if is_true {
            assert_eq!(score, *truth, "{text}");
        }
        assert!(
            (range.lowest..=range.highest).contains(&score),
            "{score} for {text}"
        );
    }
    Ok(came)
}
