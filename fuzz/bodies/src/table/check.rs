//! Requirements on the answers of a modified table.
//!
//! No bytes may cause a panic or an endless loop, and the numbers must be consistent. If the
//! checksums weren't recomputed, the table must answer with errors or truthfully. With recomputed
//! checksums it may lie, but once it is proved, all its answers must be true.

use super::of::{Of, Statistics};
use arbitrary::{Result, Unstructured};
use zermelo::any::{FAMILIES, open_file};
use zermelo::game::{KnownScores, NoProgress, Notation};
use zermelo::oracle::Wanted;
use zermelo::table::{
    CheckedFile, LayerEntries, Outcomes, Sample, Table, TableFile, Verdict, VerifyOptions, verify,
    verify_sample,
};

/// The last step that a table passed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Checked {
    /// It was not opened.
    Refused,
    /// It was opened.
    Opened,
    /// It was joined with its game.
    Joined,
    /// It was verified, and is wrong or damaged.
    Refuted,
    /// It was verified, and is correct.
    Proved,
}

impl Checked {
    /// Returns a word for the result.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Checked::Refused => "refused",
            Checked::Opened => "opened",
            Checked::Joined => "joined",
            Checked::Refuted => "refuted",
            Checked::Proved => "proved",
        }
    }
}

/// The memory limit of verifying, in bytes.
pub const MEMORY: u64 = 8 << 20;

/// The number of entries that are probed one by one.
const PROBES: usize = 48;

pub fn check<G: Notation>(
    of: &Of<G>,
    bytes: Vec<u8>,
    forged: bool,
    u: &mut Unstructured<'_>,
) -> Result<Checked> {
    if u.ratio(1, 4)? {
        in_text(of, bytes.clone(), forged, u)?;
    }
    let file = match TableFile::from_bytes(bytes) {
        Ok(file) => file,
        Err(error) => {
            let _ = error.to_string();
            return Ok(Checked::Refused);
        }
    };
    let table = match Table::new(file, of.game.clone()) {
        Ok(table) => table.with_cache(1 << u.int_in_range(0..=20)?),
        Err(error) => {
            let _ = error.to_string();
            return Ok(Checked::Opened);
        }
    };
    let statistics = numbers(table.file());
    segments(of, &table, forged);
    if !forged {
        statistics.agree(&of.statistics);
    }
    for _ in 0..PROBES.min(of.probes.len()) {
        probe(of, &table, u.choose_index(of.probes.len())?, forged);
    }
    sample(of, &table, u)?;
    if !u.ratio(1, of.seldom)? {
        return Ok(Checked::Joined);
    }
    let verdict = verify(&table, &VerifyOptions::within(0, MEMORY), &NoProgress);
    if !matches!(verdict, Ok(Verdict::Proved { .. })) {
        return Ok(Checked::Refuted);
    }
    // All answers of a proved table must be true.
    statistics.agree(&of.statistics);
    for number in 0..of.probes.len() {
        probe(of, &table, number, false);
    }
    segments(of, &table, false);
    let entries: Vec<_> = table
        .entries()
        .map(|entry| entry.expect("proved"))
        .collect();
    assert_eq!(entries.len() as u64, of.statistics.entries);
    Ok(Checked::Proved)
}

/// Returns the numbers that `info` shows, which must be consistent, true or not.
fn numbers(file: &CheckedFile) -> Statistics {
    let statistics = Statistics::of(file);
    let entries = file.entries();
    assert_eq!(statistics.outcomes.total(), entries);
    let sum: u64 = statistics.histogram.iter().map(|score| score.1).sum();
    assert_eq!(sum, entries);
    let layers = statistics.layers.values();
    assert_eq!(layers.map(Outcomes::total).sum::<u64>(), entries);
    if let Ok(sizes) = file.layer_sizes()
        && !sizes.is_empty()
    {
        let bytes: u128 = sizes.values().map(|size| u128::from(size.bytes)).sum();
        let all = u128::from(file.sections().blocks);
        assert_eq!(bytes, all, "bytes of layers");
    }
    statistics
}

/// Reads whole segments, as a search does.
fn segments<G: Notation>(of: &Of<G>, table: &Table<G>, forged: bool) {
    let Some(ranking) = table.game().capabilities().solving.ranking() else {
        return;
    };
    for (number, segment) in (0..).zip(ranking.segments()).take(64) {
        let slots = segment.slots();
        if slots > 1 << 16 {
            continue;
        }
        let mut codes = vec![0; slots as usize];
        let found = table.codes_of_segment(number, &mut codes);
        if let (false, Ok(true)) = (forged, found) {
            assert_eq!(of.codes[number as usize].as_ref(), Some(&codes));
        }
    }
}

fn probe<G: Notation>(of: &Of<G>, table: &Table<G>, number: usize, forged: bool) {
    let (position, truth) = &of.probes[number];
    let found = table.probe(position);
    match found {
        Ok(found) if !forged => {
            assert_eq!(found, *truth, "{}", of.game.format_position(position));
        }
        Ok(Some(score)) => {
            let range = of.game.score_range();
            assert!(
                range.code(score).is_some(),
                "{score} for {}",
                of.game.format_position(position)
            );
        }
        Ok(None) => {}
        Err(error) => {
            let _ = error.to_string();
        }
    }
    let _ = table.contains(position);
}

/// Verifies samples of entries, and draws some of all and of a layer.
fn sample<G: Notation>(of: &Of<G>, table: &Table<G>, u: &mut Unstructured<'_>) -> Result<()> {
    match u.int_in_range(0..=7)? {
        0 | 1 => {
            let seed = u.arbitrary()?;
            let count = u.int_in_range(0..=20)?;
            let _ = verify_sample(table, Sample { count, seed }, &NoProgress);
        }
        2 => {
            let mut random = fastrand::Rng::with_seed(u.arbitrary()?);
            let entries = LayerEntries::all(table);
            for _ in 0..8 {
                if let Ok(Some(position)) = entries.choose(|below| random.u64(..below)) {
                    let _ = table.probe(&position);
                }
            }
        }
        3 => {
            let mut random = fastrand::Rng::with_seed(u.arbitrary()?);
            let layer = *u.choose_iter(of.statistics.layers.keys())?;
            if let Ok(entries) = LayerEntries::new(table, &[layer]) {
                for _ in 0..8 {
                    let _ = entries.choose(|below| random.u64(..below));
                }
            }
        }
        4 => {
            let _ = table.file().verify_checksums(&NoProgress);
        }
        5 => table.entries().for_each(drop),
        _ => {}
    }
    Ok(())
}

/// Reads the table like the commands: rules and questions are text.
fn in_text<G: Notation>(
    of: &Of<G>,
    bytes: Vec<u8>,
    forged: bool,
    u: &mut Unstructured<'_>,
) -> Result<()> {
    let Ok(file) = TableFile::from_bytes(bytes) else {
        return Ok(());
    };
    let table = match open_file(file, FAMILIES) {
        Ok(table) => table.with_cache(1 << 16),
        Err(error) => {
            let _ = error.to_string();
            return Ok(());
        }
    };
    let wanted = Wanted {
        moves: u.arbitrary()?,
        line: u.int_in_range(0..=1000)?,
        ..Wanted::default()
    };
    let _ = table.ask(None, wanted, None);
    for _ in 0..4 {
        let (position, truth) = u.choose(&of.probes)?;
        let text = of.game.format_position(position);
        if let (Ok(answer), Some(truth), false) =
            (table.ask(Some(&text), wanted, None), truth, forged)
        {
            assert_eq!(answer.bounds.score(), Some(*truth), "{text}");
        }
    }
    Ok(())
}
