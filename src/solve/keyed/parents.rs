//! The moves within a stage, ordered by the class that they lead to.
//!
//! While moves are collected, they are in buckets of neighbouring children, in runs that are sorted
//! by child. When they take too much memory, all buckets are written to a scratch file. Finally, the
//! moves of each bucket are sorted and compressed: parents are stored as differences.

use super::keys::{Reader, put_number, starts_of};
use crate::game::team::broken;
use crate::game::{Followed, SolveError};
use crate::pool::try_map;
use crate::work::{Scratch, ScratchFile};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Base-2 logarithm of the number of children in a bucket.
const BUCKET: u32 = 18;
/// Number of children whose moves have one entry in the index.
const GROUP: u32 = 8;
/// Fewest bytes that are worth a scratch file.
const LEAST: u64 = if cfg!(test) { 64 } else { 64 << 20 };

/// The parent of a move within a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parent {
    /// The process that owns it.
    pub owner: u32,
    /// Its index there.
    pub index: u32,
    pub followed: Followed,
}

/// Encoding of moves.
#[derive(Clone, Copy)]
pub struct MoveFormat {
    processes: u64,
    counts_plies: bool,
}

/// Encoded moves, bucket by bucket.
pub struct Encoded {
    bytes: Vec<u8>,
    /// Each bucket that has moves, with the end of its bytes.
    ends: Vec<(usize, usize)>,
    count: u64,
}

impl MoveFormat {
    /// Encodes moves, which are sorted by child.
    ///
    /// The moves of a bucket are a run: the number of moves, the least number of a parent, and for
    /// each move the differences of its child from the one before and of its parent from the least.
    pub fn encode(self, moves: &[(u32, Parent)]) -> Encoded {
        let mut bytes = Vec::with_capacity(5 * moves.len());
        let run = |run: &[(u32, Parent)]| {
            let bucket = run[0].0 >> BUCKET;
            let number = |mv: &(u32, Parent)| self.number(&mv.1);
            let least = run.iter().map(number).min().unwrap_or(0);
            put_number(run.len() as u64, &mut bytes);
            put_number(least, &mut bytes);
            let mut before = bucket << BUCKET;
            for mv in run {
                put_number(u64::from(mv.0 - before), &mut bytes);
                put_number(number(mv) - least, &mut bytes);
                self.put_points(mv.1.followed.points, &mut bytes);
                before = mv.0;
            }
            (bucket as usize, bytes.len())
        };
        let runs = moves.chunk_by(|a, b| a.0 >> BUCKET == b.0 >> BUCKET);
        let ends = runs.map(run).collect();
        Encoded {
            bytes,
            ends,
            count: moves.len() as u64,
        }
    }

    /// Calls `each` with the child in the bucket, the parent's number and the points of each move.
    fn decode(self, bytes: &[u8], mut each: impl FnMut(u32, u64, i32)) -> Option<()> {
        let mut reader = Reader(bytes);
        while !reader.is_empty() {
            let (count, least) = (reader.number()?, reader.number()?);
            let mut child = 0;
            for _ in 0..count {
                child += reader.number()? as u32;
                let number = least + reader.number()?;
                each(child, number, self.points(&mut reader)?);
            }
        }
        Some(())
    }

    /// Returns one number for a parent's owner and index, and for whether the turn passes.
    fn number(self, parent: &Parent) -> u64 {
        let parent_number = u64::from(parent.index) * self.processes + u64::from(parent.owner);
        parent_number << 1 | u64::from(parent.followed.turns)
    }

    fn parent(self, number: u64, points: i32) -> Parent {
        let parent_number = number >> 1;
        Parent {
            owner: (parent_number % self.processes) as u32,
            index: (parent_number / self.processes) as u32,
            followed: Followed {
                turns: number & 1 == 1,
                is_finished: false,
                counts_plies: self.counts_plies,
                points,
            },
        }
    }

    /// Points are 0 in a game that counts plies.
    fn put_points(self, points: i32, out: &mut Vec<u8>) {
        if !self.counts_plies {
            put_number(u64::from(points.cast_unsigned()), out);
        }
    }

    fn points(self, reader: &mut Reader<'_>) -> Option<i32> {
        if self.counts_plies {
            return Some(0);
        }
        Some((reader.number()? as u32).cast_signed())
    }
}

/// A scratch file and the range of each bucket in it.
type Spilled = (Arc<ScratchFile>, Vec<Range<usize>>);

/// The moves collected so far.
pub struct Collected {
    format: MoveFormat,
    buckets: Vec<Vec<u8>>,
    count: u64,
    /// Number of bytes in `buckets`.
    bytes: u64,
    spilled: Vec<Spilled>,
}

impl Collected {
    /// Collects moves to `children` classes.
    pub fn new(children: usize, processes: usize, counts_plies: bool) -> Collected {
        Collected {
            format: MoveFormat {
                processes: processes as u64,
                counts_plies,
            },
            buckets: vec![Vec::new(); children.div_ceil(1 << BUCKET)],
            count: 0,
            bytes: 0,
            spilled: Vec::new(),
        }
    }

    pub fn format(&self) -> MoveFormat {
        self.format
    }

    pub fn add(&mut self, moves: &Encoded) {
        let mut start = 0;
        for &(bucket, end) in &moves.ends {
            self.buckets[bucket].extend_from_slice(&moves.bytes[start..end]);
            start = end;
        }
        self.bytes += moves.bytes.len() as u64;
        self.count += moves.count;
    }

    /// Returns the greatest number of bytes in memory, now and while the moves are compressed.
    pub fn bytes(&self) -> u64 {
        self.bytes + self.bytes / 2
    }

    /// Writes the moves in memory to a scratch file, unless they are few.
    pub fn spill(&mut self, scratch: &Scratch) -> Result<(), SolveError> {
        if self.bytes < LEAST {
            return Ok(());
        }
        let name = format!("moves-{}", self.spilled.len());
        let mut end = 0;
        let part = |bucket: &Vec<u8>| {
            let start = end;
            end += bucket.len();
            start..end
        };
        let parts = self.buckets.iter().map(part).collect();
        let piece = scratch.write_by(&name, "", &mut |out| {
            self.buckets.iter().try_for_each(|it| out.write_all(it))
        })?;
        self.buckets.fill_with(Vec::new);
        self.bytes = 0;
        self.spilled.push((piece, parts));
        Ok(())
    }

    /// Sorts and compresses the moves to `children` classes.
    ///
    /// `scratch` has the files.
    pub fn finish(self, children: usize, scratch: Option<&Scratch>) -> Result<Parents, SolveError> {
        let buckets: Vec<_> = self.buckets.into_iter().map(Mutex::new).collect();
        let packed = try_map(buckets.len(), |number| {
            let bucket = std::mem::take(&mut *buckets[number].lock().expect("one task"));
            let children = (children - (number << BUCKET)).min(1 << BUCKET);
            let spilled = self.spilled.iter();
            let spilled = spilled.map(|(piece, parts)| &piece[parts[number].clone()]);
            let pieces: Vec<&[u8]> = spilled.chain([&bucket[..]]).collect();
            let sorted = sort(self.format, &pieces, children).ok_or_else(broken)?;
            drop(bucket);
            // The part of the files that was read takes memory until it is given back.
            scratch.inspect(|scratch| scratch.evict_if_needed());
            Ok::<_, SolveError>(pack(self.format, &sorted))
        });
        self.spilled.iter().try_for_each(|file| file.0.check())?;
        Ok(Parents {
            format: self.format,
            count: self.count,
            buckets: packed?,
        })
    }
}

/// Moves of a bucket by child.
struct SortedMoves {
    /// The parent's number and the points of each move.
    moves: Vec<(u64, i32)>,
    /// The end of each child's moves.
    ends: Vec<u32>,
}

/// Sorts the moves of a bucket, which are in these pieces; `None` if they are malformed.
fn sort(format: MoveFormat, pieces: &[&[u8]], children: usize) -> Option<SortedMoves> {
    let decode = |each: &mut dyn FnMut(u32, u64, i32)| {
        let mut pieces = pieces.iter();
        pieces.try_for_each(|bytes| format.decode(bytes, &mut *each))
    };
    // Count the moves to each child, then place each where those to earlier children end.
    let mut ends = vec![0; children];
    decode(&mut |child, _, _| ends[child as usize] += 1)?;
    let mut moves = vec![(0, 0); starts_of(&mut ends)];
    decode(&mut |child, number, points| {
        let end = &mut ends[child as usize];
        moves[*end as usize] = (number, points);
        *end += 1;
    })?;
    let mut start = 0;
    for &end in &ends {
        // Fast, because they are in order already unless several processes send them.
        moves[start as usize..end as usize].sort_unstable();
        start = end;
    }
    Some(SortedMoves { moves, ends })
}

/// Compresses the sorted moves to some children.
///
/// For each child: the number of moves, and for each move the difference of its parent's number
/// from that of the move before, and points.
fn pack(format: MoveFormat, sorted: &SortedMoves) -> Bucket {
    let mut bucket = Bucket {
        starts: Vec::with_capacity(sorted.ends.len().div_ceil(GROUP as usize)),
        bytes: Vec::with_capacity(4 * sorted.moves.len()),
    };
    let mut start = 0;
    for (child, &end) in sorted.ends.iter().enumerate() {
        if child % GROUP as usize == 0 {
            bucket.starts.push(bucket.bytes.len() as u32);
        }
        let moves = &sorted.moves[start as usize..end as usize];
        put_number(moves.len() as u64, &mut bucket.bytes);
        let mut before = 0;
        for &(number, points) in moves {
            put_number(number - before, &mut bucket.bytes);
            format.put_points(points, &mut bucket.bytes);
            before = number;
        }
        start = end;
    }
    bucket.bytes.shrink_to_fit();
    bucket
}

/// The compressed moves to neighbouring children.
struct Bucket {
    /// Start of each group of children in `bytes`.
    starts: Vec<u32>,
    bytes: Vec<u8>,
}

/// All moves within a stage.
pub struct Parents {
    format: MoveFormat,
    /// Number of moves.
    pub count: u64,
    buckets: Vec<Bucket>,
}

impl Parents {
    pub fn bytes(&self) -> u64 {
        let sizes = self.buckets.iter();
        let sizes = sizes.map(|bucket| bucket.bytes.len() + 4 * bucket.starts.len());
        sizes.sum::<usize>() as u64
    }

    /// Calls `each` with the parent of each move to a child.
    pub fn of(&self, child: u32, mut each: impl FnMut(Parent)) {
        let bucket = &self.buckets[(child >> BUCKET) as usize];
        let child = child & ((1 << BUCKET) - 1);
        let start = bucket.starts[(child / GROUP) as usize];
        let mut reader = Reader(&bucket.bytes[start as usize..]);
        let mut read = || {
            for _ in 0..child % GROUP {
                self.list(&mut reader, &mut |_| ())?;
            }
            self.list(&mut reader, &mut each)
        };
        read().expect("what was written can be read");
    }

    #[inline]
    fn list(&self, reader: &mut Reader<'_>, each: &mut impl FnMut(Parent)) -> Option<()> {
        let mut number = 0;
        for _ in 0..reader.number()? {
            number += reader.number()?;
            each(self.format.parent(number, self.format.points(reader)?));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn moves_come_back_by_child(
            moves in prop::collection::vec((0..600_000u32, 0..3u32, any::<u32>(), any::<bool>(), any::<i32>()), 0..200),
            counts_plies: bool,
            spill in 1..50usize,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let scratch = Scratch::new(folder.path());
            let mut collected = Collected::new(600_000, 3, counts_plies);
            let mut expected: Vec<(u32, Parent)> = Vec::new();
            for (count, &(child, owner, index, turns, points)) in moves.iter().enumerate() {
                let points = if counts_plies { 0 } else { points };
                let followed = Followed { turns, is_finished: false, counts_plies, points };
                let parent = Parent { owner, index, followed };
                collected.add(&collected.format().encode(&[(child, parent)]));
                expected.push((child, parent));
                if count % spill == 0 {
                    collected.spill(&scratch).unwrap();
                }
            }
            let parents = collected.finish(600_000, Some(&scratch)).unwrap();
            let mut found = Vec::new();
            let mut children: Vec<u32> = moves.iter().map(|mv| mv.0).collect();
            children.extend([0, 599_999]);
            children.sort_unstable();
            children.dedup();
            for child in children {
                parents.of(child, |parent| found.push((child, parent)));
            }
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
