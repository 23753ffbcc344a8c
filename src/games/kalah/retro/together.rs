//! The work of a layer shared among processes, a split to each, and what they have found passed on
//! in pieces: codes in four bits each, bits without words of zeros.

use super::bits::{ReachedLayer, ReachedSplit};
use super::packed::PackedRow;
use super::steps::Steps;
use crate::game::SolveError;
use crate::game::peers::{Peers, broken, deal, pass, tell};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use rayon::prelude::*;
use std::sync::atomic::Ordering::Relaxed;

/// About so many bytes are passed to all others at once.
const PIECE: usize = 4 << 20;

/// Every so many rows there is a look at what has been read of files, if they are there.
const ROWS_A_LOOK: usize = 16;

/// A matrix of codes that can be passed on by rows.
pub trait Travels: Default + Send + Sync {
    /// Appends a row as [`PackedRow`] has it.
    fn put_row(&self, row: usize, out: &mut Vec<u8>);
}

/// Such a matrix that is coming from another process.
pub trait Arrives: Send {
    /// What it will be.
    type Matrix: Travels;

    /// How many codes the next row has.
    fn codes(&self) -> usize;

    /// Adds the next row.
    fn push(&mut self, row: PackedRow<'_>);

    /// The matrix, when all rows are there.
    ///
    /// # Errors
    /// If there is no memory, or no room for it.
    fn finish(self) -> Result<Self::Matrix, SolveError>;
}

/// The number of a split, and its codes.
type Complete<M> = (usize, ByMover<M>);

fn take_number(rest: &mut &[u8]) -> Option<usize> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_le_bytes(*number) as usize)
}

fn put_number(number: usize, out: &mut Vec<u8>) {
    out.extend((number as u32).to_le_bytes());
}

/// The sides to move of which a split has matrices.
fn movers(split: Split) -> &'static [Mover] {
    match split.is_even() {
        true => &[Mover::Rich],
        false => &[Mover::Rich, Mover::Poor],
    }
}

/// How many rows that are.
fn rows_of(arrangements: &Arrangements, split: Split) -> u64 {
    (arrangements.count(split.rich) * movers(split).len()) as u64
}

/// How many positions a split has, reachable or not.
pub fn slots_of(arrangements: &Arrangements, split: Split) -> u64 {
    rows_of(arrangements, split) * arrangements.count(split.poor) as u64
}

/// Who does what of a layer.
pub struct Dealt<'a> {
    peers: &'a dyn Peers,
    /// The process that has, or is to compute, each split.
    owners: Vec<usize>,
    /// The splits that are to be computed here, by number.
    pub mine: Vec<usize>,
    /// By process, whether it lacks each split.
    lack: Vec<Vec<bool>>,
}

/// Deals a layer's splits to the processes: to those who have them from an earlier run, and the
/// others evenly by their `work`. `has` says which this process has; `busy` is what the first
/// process has to do beside.
///
/// # Errors
/// As [`Peers::exchange`].
pub fn share<'a>(
    peers: &'a dyn Peers,
    has: &[bool],
    work: &[u64],
    busy: u64,
) -> Result<Dealt<'a>, SolveError> {
    let message: Vec<u8> = has.iter().copied().map(u8::from).collect();
    let told = tell(peers, &message)?;
    if told.iter().any(|told| told.len() != message.len()) {
        return Err(broken());
    }
    Ok(dealt(peers, &told, work, busy))
}

/// The same if nobody has any, which all know: nobody waits for others.
pub fn share_all<'a>(peers: &'a dyn Peers, work: &[u64], busy: u64) -> Dealt<'a> {
    dealt(peers, &vec![vec![0; work.len()]; peers.size()], work, busy)
}

/// `told` is a byte by process and split: 1 if the process has it.
fn dealt<'a>(peers: &'a dyn Peers, told: &[Vec<u8>], work: &[u64], busy: u64) -> Dealt<'a> {
    let holder = |split: usize| told.iter().position(|told| told[split] == 1);
    let holders: Vec<Option<usize>> = (0..work.len()).map(holder).collect();
    let left = work.iter().zip(&holders);
    let left: Vec<u64> = left
        .map(|(&work, holder)| if holder.is_none() { work } else { 0 })
        .collect();
    let mut load = vec![0; peers.size()];
    load[0] = busy;
    let owners = holders.iter().zip(deal(&left, load));
    let owners: Vec<usize> = owners
        .map(|(holder, dealt)| holder.unwrap_or(dealt))
        .collect();
    let is_mine = |&split: &usize| holders[split].is_none() && owners[split] == peers.rank();
    let lacks = |process: usize| {
        let lacks = |split: usize| told[process][split] == 0 && owners[split] != process;
        (0..work.len()).map(lacks).collect()
    };
    Dealt {
        peers,
        mine: (0..work.len()).filter(is_mine).collect(),
        lack: (0..peers.size()).map(lacks).collect(),
        owners,
    }
}

impl Dealt<'_> {
    /// Passes the codes of splits from those who have them to those who lack them; gives the whole
    /// layer. `here` has those of this process, by number; `begin` makes room for others, `came` is
    /// called when one has come, and `look` after some rows.
    ///
    /// # Errors
    /// As [`Peers::exchange`], and if there is no room for what comes.
    pub fn pass_on<A: Arrives>(
        &self,
        steps: &Steps,
        splits: &[Split],
        mut here: Vec<Option<ByMover<A::Matrix>>>,
        begin: impl Fn(usize, Mover) -> Result<A, SolveError> + Sync,
        came: impl Fn(Split) + Sync,
        look: impl Fn(),
    ) -> Result<Vec<ByMover<A::Matrix>>, SolveError> {
        let (peers, rank) = (self.peers, self.peers.rank());
        let is_lacked = |split: usize| self.lack.iter().any(|lacks| lacks[split]);
        let mut going = Going {
            matrices: (0..splits.len())
                .filter(|&split| self.owners[split] == rank && is_lacked(split))
                .flat_map(|split| {
                    movers(splits[split])
                        .iter()
                        .map(move |&mover| (split, mover))
                })
                .collect(),
            row: 0,
        };
        going.matrices.reverse();
        let mut coming: Vec<Coming<A>> = (0..peers.size()).map(|_| Coming::default()).collect();
        let mut there: Vec<Complete<A::Matrix>> = Vec::new();
        let rows = |split: usize| steps.arrangements.count(splits[split].rich);
        let next = || going.next(self, &here, &rows, &look);
        let take = |messages: Vec<Vec<u8>>| {
            let taken = coming
                .par_iter_mut()
                .zip(messages)
                .map(|(coming, message)| coming.take(&message, splits, &rows, &begin, &came));
            let taken: Result<Vec<_>, SolveError> = taken.collect();
            there.extend(taken?.into_iter().flatten());
            Ok(())
        };
        pass(peers, next, take)?;
        for (split, matrices) in there {
            here[split] = Some(matrices);
        }
        let all: Option<Vec<_>> = here.into_iter().collect();
        all.ok_or_else(broken)
    }
}

/// What this process still has to pass on.
struct Going {
    /// Splits by number, and sides; the next one last.
    matrices: Vec<(usize, Mover)>,
    /// The next row.
    row: usize,
}

impl Going {
    /// The next rows for each process: after each other the number of a split, 0 or 1 for the side to
    /// move, the number of rows, and these.
    fn next<M: Travels>(
        &mut self,
        dealt: &Dealt<'_>,
        here: &[Option<ByMover<M>>],
        rows: &impl Fn(usize) -> usize,
        look: &impl Fn(),
    ) -> Vec<Vec<u8>> {
        let mut pieces = vec![Vec::new(); dealt.lack.len()];
        let mut size = 0;
        while size < PIECE
            && let Some(&(split, mover)) = self.matrices.last()
            && let Some(matrices) = &here[split]
        {
            let mut piece = Vec::new();
            let (begin, all) = (self.row, rows(split));
            while self.row < all && size + piece.len() < PIECE {
                matrices[mover].put_row(self.row, &mut piece);
                self.row += 1;
                if self.row.is_multiple_of(ROWS_A_LOOK) {
                    look();
                }
            }
            size += piece.len();
            for (to, lacks) in pieces.iter_mut().zip(&dealt.lack) {
                if lacks[split] {
                    put_number(split, to);
                    to.push(u8::from(mover == Mover::Poor));
                    put_number(self.row - begin, to);
                    to.extend(&piece);
                }
            }
            if self.row == all {
                self.matrices.pop();
                self.row = 0;
            }
        }
        pieces
    }
}

/// What is coming from one process.
struct Coming<A: Arrives> {
    /// The matrix that is not complete, and how many rows it has.
    matrix: Option<(A, usize)>,
    /// The rich side's, while the poor side's is coming.
    rich: Option<A::Matrix>,
}

impl<A: Arrives> Default for Coming<A> {
    fn default() -> Self {
        Coming {
            matrix: None,
            rich: None,
        }
    }
}

impl<A: Arrives> Coming<A> {
    /// Takes what [`Going::next`] has made; gives the splits that are complete with it.
    fn take(
        &mut self,
        message: &[u8],
        splits: &[Split],
        rows: &impl Fn(usize) -> usize,
        begin: &impl Fn(usize, Mover) -> Result<A, SolveError>,
        came: &impl Fn(Split),
    ) -> Result<Vec<Complete<A::Matrix>>, SolveError> {
        let mut complete = Vec::new();
        let mut rest = message;
        while !rest.is_empty() {
            let head = |rest: &mut &[u8]| {
                let split = take_number(rest).filter(|&split| split < splits.len())?;
                let (&mover, after) = rest.split_first()?;
                *rest = after;
                let mover = if mover == 0 { Mover::Rich } else { Mover::Poor };
                Some((split, mover, take_number(rest)?))
            };
            let (split, mover, count) = head(&mut rest).ok_or_else(broken)?;
            let (mut matrix, mut there) = match self.matrix.take() {
                Some(matrix) => matrix,
                None => (begin(split, mover)?, 0),
            };
            for _ in 0..count {
                let row = PackedRow::take(&mut rest, matrix.codes()).ok_or_else(broken)?;
                matrix.push(row);
                there += 1;
            }
            if there < rows(split) {
                self.matrix = Some((matrix, there));
                continue;
            }
            let matrix = matrix.finish()?;
            let matrices = match (mover, splits[split].is_even()) {
                (Mover::Rich, false) => {
                    self.rich = Some(matrix);
                    continue;
                }
                (Mover::Rich, true) => ByMover {
                    rich: matrix,
                    poor: A::Matrix::default(),
                },
                (Mover::Poor, _) => ByMover {
                    rich: self.rich.take().ok_or_else(broken)?,
                    poor: matrix,
                },
            };
            came(splits[split]);
            complete.push((split, matrices));
        }
        Ok(complete)
    }
}

/// Deals the splits of a layer that is to be gone through, the owner of each.
pub fn owners(peers: &dyn Peers, arrangements: &Arrangements, layer: &ReachedLayer) -> Vec<usize> {
    let work = layer
        .splits
        .iter()
        .map(|split| slots_of(arrangements, split.split));
    deal(&work.collect::<Vec<_>>(), vec![0; peers.size()])
}

/// Brings together what all processes have marked: every split's owner has all of its bits then.
///
/// # Errors
/// As [`Peers::exchange`].
pub fn gather(peers: &dyn Peers, layer: &ReachedLayer, owners: &[usize]) -> Result<(), SolveError> {
    let rank = peers.rank();
    let mut marked: Vec<Marked> = (0..peers.size())
        .map(|to| Marked::of(layer, |split| to != rank && owners[split] == to))
        .collect();
    let most = PIECE / peers.size();
    let next = || {
        marked
            .iter_mut()
            .map(|marked| marked.next(layer, most))
            .collect()
    };
    pass(peers, next, |messages| mark_all(layer, messages))
}

/// Gives everybody the bits that the splits' owners have.
///
/// # Errors
/// As [`Peers::exchange`].
pub fn spread(peers: &dyn Peers, layer: &ReachedLayer, owners: &[usize]) -> Result<(), SolveError> {
    let rank = peers.rank();
    let mut marked = Marked::of(layer, |split| owners[split] == rank);
    let next = || {
        let piece = match peers.size() {
            1 => Vec::new(),
            _ => marked.next(layer, PIECE),
        };
        let to = |to| {
            if to == rank {
                Vec::new()
            } else {
                piece.clone()
            }
        };
        (0..peers.size()).map(to).collect()
    };
    pass(peers, next, |messages| mark_all(layer, messages))
}

/// Rows of bits that are to be passed on.
struct Marked {
    /// Splits by number, and sides; the next one last.
    matrices: Vec<(usize, Mover)>,
    row: usize,
}

impl Marked {
    fn of(layer: &ReachedLayer, is_wanted: impl Fn(usize) -> bool) -> Marked {
        let splits = layer.splits.iter().enumerate();
        let splits = splits.filter(|&(number, _)| is_wanted(number));
        Marked {
            matrices: splits
                .flat_map(|(number, split)| {
                    movers(split.split)
                        .iter()
                        .map(move |&mover| (number, mover))
                })
                .collect(),
            row: 0,
        }
    }

    /// Some rows more, each with its place, which of its words are not 0, and these.
    fn next(&mut self, layer: &ReachedLayer, most: usize) -> Vec<u8> {
        let mut piece = Vec::new();
        while piece.len() < most
            && let Some(&(number, mover)) = self.matrices.last()
        {
            let bits = &layer.splits[number].bits[mover];
            while self.row < bits.rows() && piece.len() < most {
                let words = bits.row(self.row);
                if words.iter().any(|word| word.load(Relaxed) != 0) {
                    put_number(number, &mut piece);
                    piece.push(u8::from(mover == Mover::Poor));
                    put_number(self.row, &mut piece);
                    for words in words.chunks(8) {
                        let mask = (0..).zip(words).fold(0, |mask, (bit, word)| {
                            mask | u8::from(word.load(Relaxed) != 0) << bit
                        });
                        piece.push(mask);
                        let words = words.iter().map(|word| word.load(Relaxed));
                        let words = words.filter(|&word| word != 0);
                        piece.extend(words.flat_map(u64::to_le_bytes));
                    }
                }
                self.row += 1;
            }
            if self.row == bits.rows() {
                self.matrices.pop();
                self.row = 0;
            }
        }
        piece
    }
}

/// Marks what has come from each process.
fn mark_all(layer: &ReachedLayer, messages: Vec<Vec<u8>>) -> Result<(), SolveError> {
    messages.par_iter().try_for_each(|message| {
        let mut rest = &message[..];
        while !rest.is_empty() {
            mark_row(&layer.splits, &mut rest).ok_or_else(broken)?;
        }
        Ok(())
    })
}

/// Marks the next row; nothing if it can't be understood.
fn mark_row(splits: &[ReachedSplit], rest: &mut &[u8]) -> Option<()> {
    let split = splits.get(take_number(rest)?)?;
    let (&mover, after) = rest.split_first()?;
    *rest = after;
    let mover = if mover == 0 { Mover::Rich } else { Mover::Poor };
    let bits = &split.bits[mover];
    let row = take_number(rest).filter(|&row| row < bits.rows())?;
    for words in bits.row(row).chunks(8) {
        let (&mask, after) = rest.split_first()?;
        *rest = after;
        for (bit, word) in (0..).zip(words) {
            if mask >> bit & 1 == 1 {
                let (ones, after) = rest.split_first_chunk()?;
                *rest = after;
                super::bits::or(word, u64::from_le_bytes(*ones));
            }
        }
    }
    Some(())
}
