//! Changes to a table file, large and small, aimed at its readers' assumptions.

use super::file::{HEADER, Parts, Sums};
use super::metadata::{Group, Layout, Metadata};
use arbitrary::{Result, Unstructured};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{Read, Write};

/// A changed file, and whether any checksum was recomputed after the change.
pub struct Changed {
    pub bytes: Vec<u8>,
    pub forged: bool,
}

/// Changes a table; `other` is a source of parts.
pub fn change(u: &mut Unstructured<'_>, mut parts: Parts, other: &Parts) -> Result<Changed> {
    let changes = u.int_in_range(0..=4)?;
    for _ in 0..changes {
        change_parts(u, &mut parts, other)?;
    }
    let mut file = parts.assemble();
    // Change raw bytes anywhere, after the file is assembled.
    let raw = match u.int_in_range(0..=3)? {
        0 => u.int_in_range(1..=6)?,
        _ => 0,
    };
    for _ in 0..raw {
        let sections = [0, HEADER, file.index, file.metadata];
        let start = *u.choose(&sections)?;
        if start < file.bytes.len() {
            let end = if start == 0 { HEADER } else { file.bytes.len() };
            let at = u.int_in_range(start..=end - 1)?;
            file.bytes[at] = byte(u, file.bytes[at])?;
        }
    }
    let sums = match u.int_in_range(0..=15)? {
        0 => None,
        1 => Some(Sums {
            blocks: u.arbitrary()?,
            metadata: u.arbitrary()?,
            digest: u.arbitrary()?,
            header: u.arbitrary()?,
        }),
        _ => Some(Sums::ALL),
    };
    if let Some(sums) = sums {
        file.fix(sums);
    }
    if u.ratio(1, 32)? {
        let end = u.int_in_range(0..=file.bytes.len())?;
        file.bytes.truncate(end);
    }
    Ok(Changed {
        bytes: file.bytes,
        forged: sums.is_some(),
    })
}

/// Returns a replacement of a byte.
fn byte(u: &mut Unstructured<'_>, old: u8) -> Result<u8> {
    Ok(match u.int_in_range(0..=3)? {
        0 => old ^ 1 << u.int_in_range(0..=7)?,
        1 => old.wrapping_add(1),
        2 => *u.choose(&[0, 1, 127, 128, 250, 251, 252, 253, 254, 255])?,
        _ => u.arbitrary()?,
    })
}

/// Returns a replacement of a number.
fn number(u: &mut Unstructured<'_>, old: u64) -> Result<u64> {
    const LARGE: [u64; 12] = [
        250,
        251,
        255,
        256,
        65_535,
        65_536,
        1 << 24,
        (1 << 31) - 1,
        u32::MAX as u64,
        1 << 40,
        1 << 63,
        u64::MAX,
    ];
    Ok(match u.int_in_range(0..=5)? {
        0 => old.wrapping_add(1),
        1 => old.wrapping_sub(1),
        2 => u.int_in_range(0..=20)?,
        3 => *u.choose(&LARGE)?,
        4 => old ^ 1u64 << u.int_in_range(0..=63)?,
        _ => old.wrapping_mul(2),
    })
}

fn bytes(u: &mut Unstructured<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    if bytes.is_empty() {
        let length = u.int_in_range(0..=9)?;
        bytes.extend_from_slice(u.bytes(length.min(u.len()))?);
        return Ok(());
    }
    let at = u.choose_index(bytes.len())?;
    match u.int_in_range(0..=5)? {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, u.arbitrary()?),
        2 => {
            bytes.remove(at);
        }
        3 => {
            let end = bytes.len().min(at + u.int_in_range(1..=16)?);
            bytes.extend_from_within(at..end);
        }
        _ => bytes[at] = byte(u, bytes[at])?,
    }
    Ok(())
}

/// Removes, doubles, swaps or takes over elements of a list.
fn list<T: Clone>(u: &mut Unstructured<'_>, list: &mut Vec<T>, other: &[T]) -> Result<()> {
    if list.is_empty() {
        list.extend(other.first().cloned());
        return Ok(());
    }
    let at = u.choose_index(list.len())?;
    match u.int_in_range(0..=4)? {
        0 => {
            list.remove(at);
        }
        1 => list.insert(at, list[at].clone()),
        2 => {
            let with = u.choose_index(list.len())?;
            list.swap(at, with);
        }
        3 => list.truncate(at),
        _ => {
            if !other.is_empty() {
                list[at] = u.choose(other)?.clone();
            }
        }
    }
    Ok(())
}

fn change_parts(u: &mut Unstructured<'_>, parts: &mut Parts, other: &Parts) -> Result<()> {
    match u.int_in_range(0..=17)? {
        0..=2 => {
            let mut numbers = parts.metadata.numbers();
            let at = u.choose_index(numbers.len())?;
            *numbers[at] = number(u, *numbers[at])?;
        }
        3 | 4 => move_counts(u, &mut parts.metadata)?,
        5 => texts(u, &mut parts.metadata, &other.metadata)?,
        6 | 7 => records(u, &mut parts.metadata, &other.metadata)?,
        8 | 9 => distributions(u, &mut parts.metadata)?,
        10 | 11 if !parts.blocks.is_empty() => {
            let at = u.choose_index(parts.blocks.len())?;
            if u.ratio(1, 2)? && matches!(parts.metadata.layout, Layout::Keyed { .. }) {
                keyed_block(u, &mut parts.blocks[at].bytes)?;
            } else {
                for _ in 0..u.int_in_range(1..=4)? {
                    bytes(u, &mut parts.blocks[at].bytes)?;
                }
            }
        }
        12 => list(u, &mut parts.blocks, &other.blocks)?,
        13 if !parts.blocks.is_empty() => {
            let at = u.choose_index(parts.blocks.len())?;
            let head = &mut parts.blocks[at].head;
            if !head.is_empty() {
                let i = u.choose_index(head.len())?;
                head[i] = byte(u, head[i])?;
            }
        }
        14 => {
            let block = u.int_in_range(0..=parts.blocks.len())?;
            let length: usize = parts.blocks.iter().map(|block| block.bytes.len()).sum();
            let start = match u.int_in_range(0..=2)? {
                0 => u.int_in_range(0..=2 * length as u64 + 256)?,
                1 => number(u, 128 + length as u64)?,
                _ => 1u64 << u.int_in_range(0..=63)?,
            };
            parts.index_lies.push((block, start));
        }
        15 => {
            let at = 16 + 8 * u.int_in_range(0..=8)?;
            let old = u.int_in_range(0..=5000)?;
            parts.header_lies.push((at, number(u, old)?));
        }
        16 => match u.int_in_range(0..=2)? {
            0 => parts.metadata = other.metadata.clone(),
            1 => parts.blocks.clone_from(&other.blocks),
            _ => parts.metadata.mark = *u.choose(&[[2, 0, 3], [1, 0, 1], [0; 3], [2, 0, 2]])?,
        },
        // Some changes are only plausible together: tile side and number of blocks.
        _ => {
            let blocks = parts.blocks.len();
            let wanted = u.int_in_range(0..=2 * blocks)?;
            if let Some(block) = parts.blocks.last().cloned() {
                parts.blocks.resize(wanted, block);
            }
        }
    }
    Ok(())
}

/// Changes counts but preserves their sum.
fn move_counts(u: &mut Unstructured<'_>, metadata: &mut Metadata) -> Result<()> {
    let mut counts = metadata.counts();
    if counts.is_empty() {
        return Ok(());
    }
    let [from, to] = [u.choose_index(counts.len())?, u.choose_index(counts.len())?];
    if counts[from].is_empty() || counts[to].is_empty() {
        return Ok(());
    }
    let [code, target] = [
        u.choose_index(counts[from].len())?,
        u.choose_index(counts[to].len())?,
    ];
    let count = counts[from][code];
    let moved = if u.arbitrary()? { count } else { count.min(1) };
    counts[from][code] -= moved;
    counts[to][target] = counts[to][target].wrapping_add(moved);
    Ok(())
}

const TEXTS: [&[u8]; 12] = [
    b"",
    b"kalah",
    b"eight",
    b"\x1b[31mred\x1b]0;title\x07",
    b"\xff\xfe",
    b"kalah pits=6 seeds=42 capture=standard",
    b"kalah pits=6 up-to=250 capture=standard",
    b"kalah pits=0 seeds=0 capture=empty",
    b"kalah pits=2 seeds=18446744073709551615 capture=standard",
    b"kalah pits=2 up-to=3 capture=standard",
    b"reversi24 start=cross",
    "\u{202e}\n\u{0}".as_bytes(),
];

fn texts(u: &mut Unstructured<'_>, metadata: &mut Metadata, other: &Metadata) -> Result<()> {
    let at = u.choose_index(4)?;
    match u.int_in_range(0..=2)? {
        0 => metadata.texts[at].clone_from(&other.texts[u.choose_index(4)?]),
        1 => metadata.texts[at] = u.choose(&TEXTS)?.to_vec(),
        _ => bytes(u, &mut metadata.texts[at])?,
    }
    Ok(())
}

fn records(u: &mut Unstructured<'_>, metadata: &mut Metadata, other: &Metadata) -> Result<()> {
    match (&mut metadata.layout, &other.layout) {
        (
            Layout::Ranked {
                segments,
                derived,
                groups,
                ..
            },
            other,
        ) => {
            let (others, their_groups) = match other {
                Layout::Ranked {
                    segments, groups, ..
                } => (&segments[..], &groups[..]),
                Layout::Keyed { .. } => Default::default(),
            };
            match u.int_in_range(0..=5)? {
                0 => list(u, segments, others)?,
                1 => {
                    let at = u.choose_index(segments.len().max(1))?;
                    if let Some(segment) = segments.get_mut(at) {
                        list(u, &mut segment.counts, &[0, 1])?;
                    }
                }
                2 => *derived = (0..segments.len() as u64).collect(),
                3 => derived.clear(),
                4 => {
                    let segment = u.int_in_range(0..=segments.len() as u64)?;
                    match derived.binary_search(&segment) {
                        Ok(at) => {
                            derived.remove(at);
                        }
                        Err(at) => derived.insert(at, segment),
                    }
                }
                _ => list(u, groups, their_groups)?,
            }
        }
        (
            Layout::Keyed {
                key_bytes, layers, ..
            },
            other,
        ) => {
            let others = match other {
                Layout::Keyed { layers, .. } => &layers[..],
                Layout::Ranked { .. } => &[],
            };
            match u.int_in_range(0..=3)? {
                0 => *key_bytes = byte(u, *key_bytes)?,
                1 => {
                    let at = u.choose_index(layers.len().max(1))?;
                    if let Some(layer) = layers.get_mut(at) {
                        list(u, &mut layer.counts, &[0, 1])?;
                    }
                }
                _ => list(u, layers, others)?,
            }
        }
    }
    Ok(())
}

fn inflate(bytes: &[u8]) -> Vec<u8> {
    let mut inflated = Vec::new();
    // Damaged data is inflated as far as possible.
    let _ = DeflateDecoder::new(bytes)
        .take(1 << 20)
        .read_to_end(&mut inflated);
    inflated
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("memory takes everything")
}

/// Changes the distributions of a group, or replaces them by a decompression bomb.
fn distributions(u: &mut Unstructured<'_>, metadata: &mut Metadata) -> Result<()> {
    let Layout::Ranked {
        groups, segments, ..
    } = &mut metadata.layout
    else {
        return Ok(());
    };
    if u.ratio(1, 16)? {
        // Make a group for each segment.
        let model = groups.first().map(|group| group.distributions.clone());
        let distributions = model.unwrap_or_default();
        let ends = 1..=segments.len() as u64;
        *groups = ends
            .map(|end| Group {
                end,
                distributions: distributions.clone(),
            })
            .collect();
        return Ok(());
    }
    if groups.is_empty() {
        return Ok(());
    }
    let at = u.choose_index(groups.len())?;
    let group = &mut groups[at];
    if u.ratio(1, 64)? {
        // Far more than the size of any distributions.
        let zeros = vec![0; 1 << u.int_in_range(20..=26)?];
        group.distributions = deflate(&zeros);
        return Ok(());
    }
    if u.ratio(1, 4)? {
        return bytes(u, &mut group.distributions);
    }
    let mut inflated = inflate(&group.distributions);
    if u.arbitrary()? {
        move_share(u, &mut inflated)?;
        group.distributions = deflate(&inflated);
        return Ok(());
    }
    for _ in 0..u.int_in_range(1..=3)? {
        bytes(u, &mut inflated)?;
    }
    group.distributions = deflate(&inflated);
    Ok(())
}

/// The number of nodes that can have their own distributions.
const NODES: usize = 29_331;

/// Moves frequency from one symbol to another and preserves their sum.
fn move_share(u: &mut Unstructured<'_>, inflated: &mut [u8]) -> Result<()> {
    let Some((_, frequencies)) = inflated.split_at_mut_checked(NODES.div_ceil(8)) else {
        return Ok(());
    };
    let count = frequencies.len() / 32;
    if count == 0 {
        return Ok(());
    }
    let (low, high) = frequencies.split_at_mut(16 * count);
    // The nodes near the roots are used most.
    let node = match u.arbitrary()? {
        true => u.int_in_range(0..=count.min(4) - 1)?,
        false => u.choose_index(count)?,
    };
    let from = 16 * node + u.int_in_range(0..=15)?;
    let to = 16 * node + u.int_in_range(0..=15)?;
    let get = |low: &[u8], high: &[u8], at: usize| u16::from_le_bytes([low[at], high[at]]);
    let most = get(low, high, from);
    let part = if u.arbitrary()? { most } else { most.min(1) };
    for (at, added) in [(from, part.wrapping_neg()), (to, part)] {
        let [l, h] = get(low, high, at).wrapping_add(added).to_le_bytes();
        (low[at], high[at]) = (l, h);
    }
    Ok(())
}

/// Changes the inflated content of a keyed table's block.
fn keyed_block(u: &mut Unstructured<'_>, block: &mut Vec<u8>) -> Result<()> {
    let Some((&form, rest)) = block.split_first() else {
        return Ok(());
    };
    let Some((length, rest)) = rest.split_first_chunk::<4>() else {
        return Ok(());
    };
    let length = u32::from_le_bytes(*length) as usize;
    let Some((keys, codes)) = rest.split_at_checked(length) else {
        return Ok(());
    };
    let plain = |bit: u8, bytes: &[u8]| match form & bit {
        0 => bytes.to_vec(),
        _ => inflate(bytes),
    };
    let (mut keys, mut codes) = (plain(2, keys), plain(4, codes));
    for _ in 0..u.int_in_range(1..=3)? {
        let part = if u.arbitrary()? {
            &mut keys
        } else {
            &mut codes
        };
        bytes(u, part)?;
    }
    *block = vec![0];
    block.extend((keys.len() as u32).to_le_bytes());
    block.extend(keys);
    block.extend(codes);
    Ok(())
}
