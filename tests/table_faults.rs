//! Tests of damaged, foreign and impossible files.
//!
//! They cause errors that name the fault, and never a wrong score or a panic.

use crate::table_toy::{Position, Toy};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use zermelo::game::{Game, NoProgress};
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::table::{
    Access, ReadError, Refutation, Table, TableFile, Verdict, VerifyOptions, WriteOptions, verify,
    write_table,
};

struct Sample {
    game: Toy,
    /// Positions with the results of a probe; some have no entry.
    answers: Vec<(Position, Option<i32>)>,
    bytes: Vec<u8>,
}

/// Returns the table of a game, with many small blocks.
fn sample(game: Toy) -> Sample {
    let scores: BTreeMap<u128, i32> = game.solve();
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("toy.bin");
    let options = WriteOptions {
        tile_side: 8,
        block_entries: 32,
        ..WriteOptions::default()
    };
    write_table(&game, &game.solution(&scores), &path, options, &NoProgress).unwrap();
    let [most, _, third] = game.piles;
    let positions =
        (0..=third).flat_map(|c| (0..=most).flat_map(move |a| (0..=a).map(move |b| [a, b, c])));
    let answers = positions.map(|piles| game.position(piles)).map(|position| {
        let score = scores.get(&game.key(&position)).copied();
        (position, score)
    });
    let answers: Vec<_> = answers.collect();
    assert!(answers.iter().any(|(_, answer)| answer.is_none()));
    Sample {
        answers,
        bytes: std::fs::read(path).unwrap(),
        game,
    }
}

/// Samples of one game: ranked, keyed, and ranked with omitted scores.
fn samples() -> &'static [Sample; 3] {
    static SAMPLES: OnceLock<[Sample; 3]> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        [Toy::new(true), Toy::new(false), Toy::derived()].map(|game| {
            sample(Toy {
                piles: [15, 14, 6],
                ..game
            })
        })
    })
}

/// Opens the table with these bytes.
fn open(sample: &Sample, bytes: Vec<u8>) -> Result<Table<Toy>, ReadError> {
    Table::new(TableFile::from_bytes(bytes)?, sample.game.clone())
}

/// Returns the number of answers that differ; errors don't count.
fn wrong_answers(sample: &Sample, table: &Table<Toy>) -> usize {
    let wrong = |(position, answer): &&(Position, Option<i32>)| {
        table.probe(position).is_ok_and(|found| found != *answer)
    };
    sample.answers.iter().filter(wrong).count()
}

#[test]
fn the_samples_themselves_are_right() {
    for sample in samples() {
        let table = open(sample, sample.bytes.clone()).unwrap();
        assert_eq!(wrong_answers(sample, &table), 0);
        assert!(
            sample
                .answers
                .iter()
                .all(|(position, _)| table.probe(position).is_ok())
        );
        table.file().verify_checksums(&NoProgress).unwrap();
    }
}

/// Checks that a flipped bit changes no answer, and that reading everything fails.
fn check_flip(sample: &Sample, bit: usize) {
    let mut bytes = sample.bytes.clone();
    bytes[bit / 8] ^= 1 << (bit % 8);
    if let Ok(table) = open(sample, bytes) {
        assert_eq!(wrong_answers(sample, &table), 0, "bit {bit}");
        assert!(
            table.file().verify_checksums(&NoProgress).is_err(),
            "bit {bit}"
        );
        assert!(
            verify(&table, &VerifyOptions::within(0, 1 << 30), &NoProgress).is_err(),
            "bit {bit}"
        );
        if let Some(Ok(_)) = table.entries().find(Result::is_err) {
            unreachable!();
        }
    }
}

proptest! {
    #[test]
    fn a_flipped_bit_never_makes_a_wrong_answer(bit in any::<prop::sample::Index>()) {
        for sample in samples() {
            check_flip(sample, bit.index(8 * sample.bytes.len()));
        }
    }
}

proptest! {
    /// Changes several bytes at once, most often in the index.
    #[test]
    fn several_changed_bytes_never_make_a_wrong_answer(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        index_only: bool,
    ) {
        for sample in samples() {
            let number = |at: usize| u64::from_le_bytes(sample.bytes[at..at + 8].try_into().unwrap()) as usize;
            let (start, length) = if index_only { (number(40), number(48)) } else { (0, sample.bytes.len()) };
            let mut bytes = sample.bytes.clone();
            for (at, byte) in &changes {
                bytes[start + at.index(length)] = *byte;
            }
            if let Ok(table) = open(sample, bytes) {
                prop_assert_eq!(wrong_answers(sample, &table), 0);
            }
        }
    }

    /// Forged metadata with recomputed checksums must not cause panics.
    ///
    /// Any error is right, and any answer that the metadata allow, but no allocation that a small
    /// file can't need.
    #[test]
    fn forged_metadata_never_panics(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        for sample in samples() {
            let mut bytes = sample.bytes.clone();
            let start = u64::from_le_bytes(bytes[56..64].try_into().unwrap()) as usize;
            let length = bytes.len() - start;
            for (at, byte) in &changes {
                bytes[start + at.index(length)] = *byte;
            }
            let sum = crc32fast::hash(&bytes[start..]).to_le_bytes();
            bytes[88..92].copy_from_slice(&sum);
            fix_header(&mut bytes);
            if let Ok(table) = open(sample, bytes) {
                wrong_answers(sample, &table);
                let _ = table.file().verify_checksums(&NoProgress);
                let _ = table.file().histogram();
            }
        }
    }
}

#[test]
fn a_flipped_bit_of_the_index_and_the_metadata_is_noticed() {
    flipped_bits_are_noticed(53);
}

#[test]
#[ignore = "exhaustive: 8 s"]
fn every_flipped_bit_of_the_index_and_the_metadata_is_noticed() {
    flipped_bits_are_noticed(1);
}

fn flipped_bits_are_noticed(step: usize) {
    for sample in samples() {
        let index = u64::from_le_bytes(sample.bytes[40..48].try_into().unwrap()) as usize;
        for bit in (8 * index..8 * sample.bytes.len()).step_by(step) {
            check_flip(sample, bit);
        }
    }
}

#[test]
fn a_table_that_is_cut_off_anywhere_is_an_error() {
    for sample in samples() {
        let number =
            |at: usize| u64::from_le_bytes(sample.bytes[at..at + 8].try_into().unwrap()) as usize;
        let sections = [
            0,
            8,
            12,
            127,
            128,
            number(40),
            number(56),
            sample.bytes.len() - 1,
        ];
        let length = sample.bytes.len();
        for end in sections
            .into_iter()
            .chain((0..100).map(|i| i * 7919 % length))
        {
            let error = TableFile::from_bytes(sample.bytes[..end].to_vec()).unwrap_err();
            if end >= 128 {
                let message = error.to_string();
                assert!(
                    message.contains(&length.to_string()) && message.contains(&end.to_string()),
                    "{message}"
                );
            }
        }
        let longer = [&sample.bytes[..], &[0]].concat();
        assert!(TableFile::from_bytes(longer).is_err());
    }
}

#[test]
fn swapped_blocks_are_noticed() {
    // Large enough to have two neighbouring blocks of the same length.
    let sample = &sample(Toy::new(true));
    let number =
        |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let index = number(&sample.bytes, 40) as usize;
    let blocks = number(&sample.bytes, 72) as usize;
    let place = |i: usize| {
        (
            number(&sample.bytes, index + 12 * i),
            number(&sample.bytes, index + 12 * (i + 1)),
        )
    };
    // Swap two neighbours of the same length, both not empty, together with their CRCs.
    let pair = (0..blocks - 1).find(|&i| {
        let (start, middle, end) = (place(i).0, place(i).1, place(i + 1).1);
        let [one, other] = [start..middle, middle..end]
            .map(|bytes| &sample.bytes[bytes.start as usize..bytes.end as usize]);
        !one.is_empty() && one.len() == other.len() && one != other
    });
    let pair = pair.unwrap_or_else(|| panic!("a sample with such neighbours is needed"));
    let mut bytes = sample.bytes.clone();
    let (start, middle, end) = (
        place(pair).0 as usize,
        place(pair).1 as usize,
        place(pair + 1).1 as usize,
    );
    assert_ne!(bytes[start..middle], bytes[middle..end]);
    bytes[start..end].rotate_left(middle - start);
    for byte in 8..12 {
        bytes.swap(index + 12 * pair + byte, index + 12 * (pair + 1) + byte);
    }
    let table = open(sample, bytes).unwrap();
    assert_eq!(wrong_answers(sample, &table), 0);
    assert!(
        sample
            .answers
            .iter()
            .any(|(position, _)| table.probe(position).is_err())
    );
}

/// Recomputes the header's CRC.
pub fn fix_header(bytes: &mut [u8]) {
    let sum = crc32fast::hash(&bytes[..124]).to_le_bytes();
    bytes[124..128].copy_from_slice(&sum);
}

#[test]
fn a_header_that_lies_is_an_error_and_takes_no_memory() {
    for sample in samples() {
        for at in (16..88).step_by(8) {
            for lie in [0, 1, 1 << 40, 1 << 60, u64::MAX, u64::MAX - 127] {
                let mut bytes = sample.bytes.clone();
                bytes[at..at + 8].copy_from_slice(&lie.to_le_bytes());
                fix_header(&mut bytes);
                let result = TableFile::from_bytes(bytes);
                assert!(
                    matches!(result, Err(ReadError::Damaged { .. })),
                    "{at} {lie}: {result:?}"
                );
            }
        }
    }
}

/// Reads a number of the metadata.
fn read_number(bytes: &mut &[u8]) -> usize {
    let length = match bytes[0] {
        251 => 3,
        252 => 5,
        _ => 1,
    };
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    let digits = if length == 1 { number } else { &number[1..] };
    (digits.iter().rev()).fold(0, |number, &digit| number << 8 | usize::from(digit))
}

/// Returns the place after the last count of codes.
fn end_of_counts(table: &[u8]) -> usize {
    let start = u64::from_le_bytes(table[56..64].try_into().unwrap()) as usize;
    let mut bytes = &table[start..];
    let skip = |bytes: &mut &[u8], numbers| {
        for _ in 0..numbers {
            read_number(bytes);
        }
    };
    for _ in 0..4 {
        let length = read_number(&mut bytes);
        bytes = &bytes[length..];
    }
    // The numbers before the list of segments or layers, and before the counts of each.
    let (first, of_each) = if bytes[0] == 2 { (1, 6) } else { (5, 1) };
    bytes = &bytes[3..];
    skip(&mut bytes, first);
    for _ in 0..read_number(&mut bytes) {
        skip(&mut bytes, of_each);
        let counts = read_number(&mut bytes);
        skip(&mut bytes, counts);
    }
    table.len() - bytes.len()
}

/// A thorough check covers what opening doesn't read.
#[test]
fn a_wrong_digest_and_wrong_counts_are_noticed() {
    for sample in samples() {
        let mut bytes = sample.bytes.clone();
        bytes[100] ^= 1;
        fix_header(&mut bytes);
        let table = open(sample, bytes).unwrap();
        let error = table.file().verify_checksums(&NoProgress).unwrap_err();
        assert!(error.to_string().contains("digest"), "{error}");

        // Two counts of codes swapped, with all checksums recomputed.
        let mut bytes = sample.bytes.clone();
        let end = end_of_counts(&bytes);
        let at = (end - 40..end)
            .find(|&at| bytes[at - 1] != bytes[at])
            .unwrap();
        bytes.swap(at - 1, at);
        let start = u64::from_le_bytes(bytes[56..64].try_into().unwrap()) as usize;
        let sum = crc32fast::hash(&bytes[start..]).to_le_bytes();
        bytes[88..92].copy_from_slice(&sum);
        let digest = Sha256::digest(&bytes[128..]);
        bytes[92..124].copy_from_slice(&digest);
        fix_header(&mut bytes);
        let table = open(sample, bytes).unwrap();
        if sample.game.derived {
            // These counts are of omitted scores, so only the proof finds the error.
            let verdict = verify(&table, &VerifyOptions::within(0, 1 << 30), &NoProgress).unwrap();
            let miscounted = matches!(verdict, Verdict::Refuted(Refutation::Miscounted { .. }));
            assert!(miscounted, "{verdict:?}");
            continue;
        }
        let of_sums = table.file().verify_checksums(&NoProgress).unwrap_err();
        // A proof counts a layer when it reaches it.
        let of_proof = verify(&table, &VerifyOptions::within(0, 1 << 30), &NoProgress).unwrap_err();
        for error in [of_sums, of_proof] {
            assert!(error.to_string().contains("counts"), "{error}");
        }
    }
}

fn message_of(path: &Path) -> String {
    let [mapped, plain] = [Access::Mmap, Access::Plain]
        .map(|access| TableFile::open(path, access).unwrap_err().to_string());
    assert_eq!(mapped, plain);
    assert!(mapped.contains(&path.display().to_string()), "{mapped}");
    mapped
}

#[test]
fn files_that_are_no_table_are_described() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = home.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        message_of(&path)
    };
    assert!(file("empty", b"").contains("an empty file"));
    assert!(file("text", b"Once upon a time").contains("\"Once upo\""));
    assert!(file("short", b"Hi").contains("\"Hi\""));
    assert!(file("unfinished", &[0; 5000]).contains("never finished"));
    let mut translated = samples()[0].bytes.clone();
    translated.insert(7, b'\r');
    assert!(file("translated", &translated).contains("is not a table"));
    assert!(message_of(home.path()).contains("a directory"));
    assert!(message_of(&home.path().join("missing")).contains("No such file"));
    if cfg!(target_os = "linux") {
        assert!(message_of(Path::new("/dev/null")).contains("not a regular file"));
    }
}

#[test]
fn a_newer_version_says_what_to_do() {
    let mut bytes = samples()[0].bytes.clone();
    let version = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
    bytes[8..12].copy_from_slice(&(version + 1).to_le_bytes());
    let error = TableFile::from_bytes(bytes.clone()).unwrap_err();
    assert!(matches!(error, ReadError::Version { found, .. } if found == version + 1));
    assert!(error.to_string().contains("update this program"), "{error}");
    bytes[8..12].copy_from_slice(&0u32.to_le_bytes());
    fix_header(&mut bytes);
    assert!(TableFile::from_bytes(bytes).is_err());
}

#[test]
fn a_file_that_is_cut_off_while_open_is_an_error_for_plain_reads() {
    let sample = &samples()[0];
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("toy.bin");
    std::fs::write(&path, &sample.bytes).unwrap();
    let table = Table::new(
        TableFile::open(&path, Access::Plain).unwrap(),
        sample.game.clone(),
    )
    .unwrap();
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(200)
        .unwrap();
    assert!(matches!(
        table.probe(&sample.game.start()),
        Err(ReadError::Disk(_))
    ));
    assert_eq!(wrong_answers(sample, &table), 0);
}

/// A table of kalah(4,2) that an earlier build wrote.
///
/// It is never written again, and must be readable as long as the version of the format stays.
#[test]
fn a_table_of_an_earlier_build_is_still_read() {
    let game = Kalah::new(Rules {
        pits: 4,
        seeds: 2,
        empty_capture: false,
    });
    let bytes = include_bytes!("data/table.bin").to_vec();
    let table = Table::new(TableFile::from_bytes(bytes).unwrap(), game.unwrap()).unwrap();
    assert!(!table.file().layer_sizes().unwrap().is_empty());
    assert_eq!(table.score(&table.game().start()).unwrap(), 6);
    let proof = verify(&table, &VerifyOptions::within(0, 1 << 30), &NoProgress).unwrap();
    assert!(matches!(
        proof,
        Verdict::Proved {
            entries: 66_265,
            ..
        }
    ));
    table.file().verify_checksums(&NoProgress).unwrap();
}
