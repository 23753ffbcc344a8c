//! Tests with forged tables, which have false contents but right checksums.

use super::format::{
    Difference, HEADER_LENGTH, Header, KeyedLayout, Layout, Metadata, RankedLayout, block_crc,
    u64_at,
};
use super::read::{ReadError, TableFile};
use super::{
    LayerEntries, Refutation, Sample, Table, Verdict, VerifyError, VerifyOptions, WriteOptions,
    verify, write_to_vec,
};
use crate::game::{Game, NoProgress, Notation, Solution, SolveOptions};
use crate::games::listed::{Builder, Listed};
use crate::games::tictactoe::TicTacToe;
use crate::random::Random;
use crate::solve::{Method, Searched, solve, verify_by_search};
use crate::testing::tables::{bytes_of, kalah};
use sha2::{Digest, Sha256};

const OPTIONS: SolveOptions = SolveOptions {
    threads: 1,
    memory: 1 << 28,
};

/// Returns a table with changed metadata and right checksums.
fn forge(bytes: &[u8], lie: impl FnOnce(&mut Metadata)) -> Vec<u8> {
    let mut header = Header::decode(bytes, bytes.len() as u64).unwrap();
    let (before, metadata) = bytes.split_at(header.metadata.offset as usize);
    let mut metadata = Metadata::decode(metadata).unwrap();
    lie(&mut metadata);
    let encoded = metadata.encode().unwrap();
    header.entries = metadata.entries().unwrap_or(u64::MAX);
    header.metadata.length = encoded.len() as u64;
    header.file_length = (before.len() + encoded.len()) as u64;
    header.metadata_crc = crc32fast::hash(&encoded);
    let rest = [&before[HEADER_LENGTH..], &encoded].concat();
    header.digest = Sha256::digest(&rest).into();
    [&header.encode()[..], &rest].concat()
}

fn ranked(metadata: &mut Metadata) -> &mut RankedLayout {
    match &mut metadata.layout {
        Layout::Ranked(ranked) => ranked,
        Layout::Keyed(_) => panic!("not ranked"),
    }
}

fn keyed(metadata: &mut Metadata) -> &mut KeyedLayout {
    match &mut metadata.layout {
        Layout::Keyed(keyed) => keyed,
        Layout::Ranked(_) => panic!("not keyed"),
    }
}

fn open<G: Notation>(game: &G, bytes: Vec<u8>) -> Result<Table<G>, ReadError> {
    Table::new(TableFile::from_bytes(bytes)?, game.clone())
}

#[test]
fn a_table_whose_sums_are_made_anew_is_the_same() {
    let game = kalah(3, 2);
    let bytes = bytes_of(&game);
    assert_eq!(forge(&bytes, |_| ()), bytes);
}

#[test]
fn names_are_the_games() {
    let game = kalah(3, 2);
    let bytes = bytes_of(&game);
    let lies: [fn(&mut Metadata); 3] = [
        |metadata| metadata.name = "kalah(3,\u{1b}[31m2)".into(),
        |metadata| metadata.family = "eight".into(),
        |metadata| metadata.layer_name = "stones".into(),
    ];
    for lie in lies {
        let error = open(&game, forge(&bytes, lie)).unwrap_err();
        let is_named = match &error {
            ReadError::OtherGame { difference, .. } => difference.expected.starts_with("the "),
            _ => false,
        };
        assert!(is_named, "{error}");
        assert!(!error.to_string().contains('\u{1b}'), "{error}");
    }
    let long = forge(&bytes, |metadata| metadata.rules = "x".repeat(1001));
    assert!(TableFile::from_bytes(long).is_err());
}

#[test]
fn segments_are_the_games() {
    let game = kalah(3, 2);
    let bytes = bytes_of(&game);
    let lies: [fn(&mut RankedLayout); 7] = [
        |layout| layout.derived.clear(),
        |layout| layout.derived = (0..layout.segments.len() as u32).collect(),
        |layout| {
            let segment = &mut layout.segments[9];
            segment.scores.lowest += 388;
            segment.scores.highest += 388;
        },
        |layout| layout.segments[9].layer += 1,
        // The same numbers of slots and blocks.
        |layout| {
            let mut segments = layout.segments.iter_mut();
            let segment = segments.find(|segment| segment.rows != segment.columns);
            let segment = segment.unwrap();
            (segment.rows, segment.columns) = (segment.columns, segment.rows);
        },
        |layout| layout.segments[0].counts[0] += 1 << 40,
        |layout| {
            let last = layout.segments.pop().unwrap();
            layout.segments.extend([last.clone(), last]);
            layout.groups[0].end += 1;
        },
    ];
    for (number, lie) in lies.into_iter().enumerate() {
        let bytes = forge(&bytes, |metadata| lie(ranked(metadata)));
        assert!(open(&game, bytes).is_err(), "lie {number}");
    }
}

/// Checks that a file can't have more groups than its segments make.
///
/// Each group has distributions that take a megabyte in memory and hardly any bytes in the file.
#[test]
fn groups_are_those_that_the_segments_make() {
    let bytes = forge(&bytes_of(&kalah(3, 2)), |metadata| {
        let layout = ranked(metadata);
        let group = layout.groups.remove(0);
        layout.groups = (1..=group.end)
            .map(|end| super::format::GroupRecord {
                end,
                ..group.clone()
            })
            .collect();
    });
    let error = TableFile::from_bytes(bytes).unwrap_err().to_string();
    assert!(error.contains("groups of segments"), "{error}");
}

/// Assigns the counts of the last layer to a layer without positions.
fn of_layer_1004(metadata: &mut Metadata) {
    keyed(metadata).layers.last_mut().unwrap().layer = 1004;
}

#[test]
fn false_counts_by_layer_are_refuted() {
    let game = TicTacToe::default();
    let honest = bytes_of(&game);
    let verdict = |bytes: &[u8]| {
        let table = open(&game, bytes.to_vec()).unwrap();
        verify(&table, &VerifyOptions::within(0, 1 << 30), &NoProgress).unwrap()
    };
    assert!(matches!(verdict(&honest), Verdict::Proved { .. }));
    let swap_of_counts = |metadata: &mut Metadata| {
        let layers = &mut keyed(metadata).layers;
        let (a, b) = layers.split_at_mut(4);
        std::mem::swap(&mut a[3].counts, &mut b[0].counts);
    };
    for forged in [
        forge(&honest, of_layer_1004),
        forge(&honest, swap_of_counts),
    ] {
        let found = verdict(&forged);
        let is_refuted = matches!(
            found,
            Verdict::Refuted(Refutation::Miscounted { stored, found, .. }) if stored != found
        );
        assert!(is_refuted, "{found:?}");
    }
}

/// Returns a game whose codes take two bytes: a choice between many ends.
fn choices() -> Listed {
    let mut list = Builder::default();
    let end = list.name("end");
    list.position("start", None, None).unwrap();
    let names: Vec<_> = (1..=300)
        .map(|to| (list.name(&to.to_string()), to))
        .collect();
    list.moves(names);
    for place in 1..=300 {
        list.position(&place.to_string(), None, None).unwrap();
        list.moves([(end, 300 + place)]);
    }
    for score in 1..=300 {
        list.position(&format!("end {score}"), None, Some(-score))
            .unwrap();
        list.moves([]);
    }
    Listed::new(list.finish("choices", &NoProgress).unwrap().0)
}

#[test]
fn false_wide_codes_are_damage_or_refuted() {
    let game = choices();
    let honest = bytes_of(&game);
    let verdict = |bytes: &[u8]| {
        let table = open(&game, bytes.to_vec()).unwrap();
        verify(&table, &VerifyOptions::within(0, 1 << 30), &NoProgress).unwrap()
    };
    assert!(matches!(
        verdict(&honest),
        Verdict::Proved { entries: 301, .. }
    ));
    // Counts that are pairs of other codes.
    let shifted = forge(&honest, |metadata| keyed(metadata).layers[1].counts[0] -= 1);
    let found = verdict(&shifted);
    let is_refuted = matches!(found, Verdict::Refuted(Refutation::Miscounted { .. }));
    assert!(is_refuted, "{found:?}");
    // Counts that no table has.
    let lies: [fn(&mut Vec<u64>); 5] = [
        |counts| counts.swap(0, 2),
        |counts| counts[0] = 302,
        |counts| *counts.last_mut().unwrap() = 0,
        |counts| counts.push(7),
        |counts| counts.clear(),
    ];
    for (number, lie) in lies.into_iter().enumerate() {
        let forged = forge(&honest, |metadata| {
            lie(&mut keyed(metadata).layers[1].counts)
        });
        let error = open(&game, forged).unwrap_err();
        assert!(
            matches!(error, ReadError::Damaged { .. }),
            "{number}: {error}"
        );
    }
    // Any false byte with right checksums is an error or refuted.
    let solution = Solution::Keyed(
        open(&game, honest)
            .unwrap()
            .entries()
            .map(|entry| {
                let (position, score) = entry.unwrap();
                let key = game.key(&position);
                (key, if key == 7 { score + 256 } else { score })
            })
            .collect(),
    );
    let forged = write_to_vec(&game, &solution, WriteOptions::default(), &NoProgress).unwrap();
    let found = verdict(&forged);
    let is_refuted = matches!(
        found,
        Verdict::Refuted(Refutation::Wrong {
            stored: 263,
            found: 7,
            ..
        })
    );
    assert!(is_refuted, "{found:?}");
}

#[test]
fn searches_notice_false_counts() {
    let game = kalah(3, 2);
    let honest = bytes_of(&game);
    let found = |bytes: Vec<u8>| -> Result<Searched, VerifyError> {
        let all = Sample {
            count: u64::MAX,
            seed: 1,
        };
        verify_by_search(&open(&game, bytes)?, Some(all), OPTIONS, &NoProgress)
    };
    let is_damage = |result: Result<Searched, VerifyError>| {
        let is_damage = matches!(
            &result,
            Err(VerifyError::Read(ReadError::Damaged {
                part,
                ..
            })) if part == "metadata"
        );
        assert!(is_damage, "{result:?}");
    };
    // One entry more or less, in a segment with about half of its slots occupied.
    for more in [true, false] {
        let bytes = forge(&honest, |metadata| {
            let ranked = ranked(metadata);
            let derived = &ranked.derived;
            let (_, segment) = (0..)
                .zip(&mut ranked.segments)
                .find(|(number, segment)| {
                    let entries = segment.counts.iter().sum::<u64>();
                    !derived.contains(number) && (1..segment.slots()).contains(&entries)
                })
                .unwrap();
            let mut counts = segment.counts.iter_mut();
            match more {
                true => segment.counts[0] += 1,
                false => *counts.find(|count| **count > 0).unwrap() -= 1,
            }
        });
        is_damage(found(bytes));
    }
    assert!(found(honest.clone()).is_ok_and(|found| found.wrong == 0));
}

#[test]
fn a_key_in_two_blocks_is_damage() {
    let game = TicTacToe::default();
    let solved = solve(&game, Method::Backward, OPTIONS, &NoProgress).unwrap();
    let options = WriteOptions {
        block_entries: 200,
        ..WriteOptions::default()
    };
    let mut bytes = write_to_vec(&game, &solved.solution, options, &NoProgress).unwrap();
    let table = open(&game, bytes.clone()).unwrap();
    let twice = *table.file().block(0).unwrap().keys.last().unwrap();
    // Let the second block begin with the same key, in its index entry and in both blocks'
    // checksums.
    let header = Header::decode(&bytes, bytes.len() as u64).unwrap();
    let (index, entry) = (header.index.offset as usize, 12 + 2);
    bytes[index + entry + 12..][..2].copy_from_slice(&twice.to_le_bytes()[..2]);
    for block in 0..2 {
        let at = index + block * entry;
        let range = u64_at(&bytes, at) as usize..u64_at(&bytes, at + entry) as usize;
        let heads = [&bytes[at + 12..][..2], &bytes[at + entry + 12..][..2]].concat();
        let crc = block_crc(block as u64, &heads, &bytes[range]);
        bytes[at + 8..at + 12].copy_from_slice(&crc.to_le_bytes());
    }
    let table = open(&game, forge(&bytes, |_| ())).unwrap();
    let error = table.file().verify_checksums(&NoProgress).unwrap_err();
    let is_named = matches!(
        &error,
        VerifyError::Read(ReadError::Damaged {
            part,
            damage,
            ..
        }) if part == "block 1" && *damage == Difference::of_keys(twice, twice)
    );
    assert!(is_named, "{error}");
}

#[test]
fn layers_without_entries_are_none() {
    let game = TicTacToe::default();
    let bytes = forge(&bytes_of(&game), |metadata| {
        let layers = &mut keyed(metadata).layers;
        let mut empty = layers[0].clone();
        empty.layer = 1004;
        empty.counts.fill(0);
        layers.push(empty);
    });
    assert!(TableFile::from_bytes(bytes).is_err());
}

#[test]
fn drawing_from_places_without_entries_ends() {
    let game = TicTacToe::default();
    let table = open(&game, forge(&bytes_of(&game), of_layer_1004)).unwrap();
    let error = LayerEntries::new(&table, &[1004]).map(drop).unwrap_err();
    let is_named = matches!(
        &error,
        ReadError::Damaged {
            part,
            ..
        } if part == "counts of layers [1004]"
    );
    assert!(is_named, "{error}");

    // All entries are claimed to be in one segment, which has none in fact.
    let game = kalah(3, 2);
    let bytes = forge(&bytes_of(&game), |metadata| {
        let segments = &mut ranked(metadata).segments;
        let empty = segments
            .iter()
            .position(|segment| {
                segment.slots() > 8 && segment.counts.iter().all(|&count| count == 0)
            })
            .unwrap();
        for segment in segments.iter_mut() {
            segment.counts.fill(0);
        }
        segments[empty].counts[0] = 8;
    });
    let table = open(&game, bytes).unwrap();
    let (layer, _) = table.file().layers().pop_first().unwrap();
    let mut random = Random::new(1);
    let chosen = LayerEntries::new(&table, &[layer])
        .and_then(|entries| entries.choose(|below| random.below(below)));
    assert!(
        matches!(chosen, Err(ReadError::Damaged { .. })),
        "{chosen:?}"
    );
    // Other segments have entries, so a choice from all of them succeeds.
    let chosen = LayerEntries::all(&table).choose(|below| random.below(below));
    assert!(table.probe(&chosen.unwrap().unwrap()).is_ok());
}

/// Checks that a block's end is trusted only if the block's checksum covers it.
#[test]
fn sizes_of_layers_are_right_or_an_error() {
    let game = kalah(3, 2);
    let good = bytes_of(&game);
    let header = Header::decode(&good, good.len() as u64).unwrap();
    let sizes = open(&game, good.clone()).unwrap().file().layer_sizes();
    let sizes = sizes.unwrap();
    let (start, end) = (header.index.offset, header.metadata.offset);
    let mut opened = 0;
    for bit in 8 * start as usize..8 * end as usize {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(table) = open(&game, bytes)
            && let Ok(found) = table.file().layer_sizes()
        {
            assert_eq!(found, sizes, "bit {bit}");
            opened += 1;
        }
    }
    // Only checksums of blocks within a segment go unnoticed; readers of these blocks check them.
    assert!(opened < 4 * (end - start), "{opened} flips unnoticed");
}
