//! Dots and Boxes' retrograde solver: the scores of all sets of lines, from the full board back.
//!
//! Scores are bytes in an array, indexed by the set of lines. It is divided into blocks, in which the
//! higher lines are the same. The score of a set is the best of those with one line more, so blocks
//! with the same number of higher lines can be computed at the same time, and each needs only
//! blocks with one more. Within a block, the half with its highest line comes first, and then gives
//! its scores to the other half.

use super::Dots;
use super::board::{Board, Lines};
use crate::game::{
    Checkpoints, Forecast, Notation, OwnSolver, Scores, SolveError, SolveOptions, SolveTimes, Team,
    Tile, check_cancelled,
};
use crate::pool::try_map_of;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Lines that differ within a block, at most.
const BLOCK_LINES: u32 = 16;
/// Sets that are computed at once.
const CHUNK: usize = 64;
/// The byte of a score of 0: greater bytes are greater scores, and `0 - byte` is the other side's.
const ZERO: u8 = 128;
/// Bytes for the program, the table's writer, and its buffers.
const OVERHEAD: u64 = 24 << 20;

/// For a chunk and each box of a line, which of the chunk's sets have the box's other lines, as far as they
/// differ within the chunk: 1 or 0.
type Lanes = [[u8; CHUNK]; 2];

/// The computation of blocks.
struct Blocks<'a> {
    board: &'a Board,
    lanes: Vec<Lanes>,
    /// Number of lines that differ within a block.
    lines: u32,
}

impl OwnSolver for Dots {
    fn memory_needed(&self, _threads: usize) -> u64 {
        (1 << self.board.ends.len()) + OVERHEAD
    }

    fn forecast(&self, options: SolveOptions) -> Option<Forecast> {
        let classes = self.board.classes();
        let sets = (1_u64 << self.board.ends.len()) as f64;
        Some(Forecast {
            classes,
            memory_bytes: self.memory_needed(options.threads),
            files_bytes: 0,
            // Measured on boards of 3×3 and 3×4 boxes.
            table_bytes: classes / 8 * 3,
            seconds: sets * 20e-9 / options.threads as f64,
        })
    }

    fn solve_together(
        &self,
        options: SolveOptions,
        _checkpoints: &mut dyn Checkpoints,
        team: &Team<'_>,
    ) -> Result<(Box<dyn Scores>, SolveTimes), SolveError> {
        let (began, progress) = (Instant::now(), team.progress());
        let board = &self.board;
        options.check_memory(self.memory_needed(options.threads), true, || self.name())?;
        let lines = BLOCK_LINES.min(board.ends.len() as u32);
        let blocks = Blocks::new(board, lines);
        let high = board.ends.len() as u32 - lines;
        let mut bytes = vec![Box::default(); 1 << high];
        progress.phase("solving", "sets of lines", 1 << board.ends.len());
        for count in (0..=high).rev() {
            let of_layer = (0..1_usize << high).filter(|block| block.count_ones() == count);
            let of_layer: Vec<usize> = of_layer.collect();
            let solved = try_map_of(&of_layer, |&block| {
                check_cancelled(progress, SolveError::Interrupted)?;
                let solved = blocks.solve(block, &bytes);
                progress.advance(1 << lines);
                Ok::<_, SolveError>(solved)
            });
            for (block, solved) in of_layer.into_iter().zip(solved?) {
                bytes[block] = solved;
            }
        }
        let scores = DotsScores {
            game: self.clone(),
            bytes,
            lines,
        };
        Ok((
            Box::new(scores),
            SolveTimes::of(began.elapsed(), Duration::ZERO),
        ))
    }
}

impl<'a> Blocks<'a> {
    fn new(board: &'a Board, lines: u32) -> Blocks<'a> {
        let lane = |others: Lines| {
            let within = others & (CHUNK as Lines - 1);
            std::array::from_fn(|set| u8::from(set as Lines & within == within))
        };
        let lanes = board
            .sides
            .iter()
            .map(|sides| sides.map(|(others, _)| lane(others)));
        Blocks {
            board,
            lanes: lanes.collect(),
            lines,
        }
    }

    /// Computes a block, given those with one higher line more.
    fn solve(&self, block: usize, solved: &[Box<[u8]>]) -> Box<[u8]> {
        let mut bytes = vec![0; 1 << self.lines].into_boxed_slice();
        let higher = (block as Lines) << self.lines;
        for line in self.lines as usize..self.board.ends.len() {
            if higher >> line & 1 == 0 {
                let from = &solved[block | 1 << (line - self.lines as usize)];
                self.give(line, from, &mut bytes, higher);
            }
        }
        if block + 1 == solved.len() {
            bytes[(1 << self.lines) - 1] = ZERO;
        }
        self.score_subsets(&mut bytes, higher);
        bytes
    }

    /// Completes the scores of sets that have the lines `higher`, and differ in the lower ones.
    fn score_subsets(&self, bytes: &mut [u8], higher: Lines) {
        if bytes.len() <= CHUNK {
            return self.score_chunk(bytes, higher);
        }
        let half = bytes.len() / 2;
        let (without, with) = bytes.split_at_mut(half);
        self.score_subsets(with, higher | half as Lines);
        self.give(half.ilog2() as usize, with, without, higher);
        self.score_subsets(without, higher);
    }

    fn score_chunk(&self, bytes: &mut [u8], higher: Lines) {
        let lines = bytes.len().ilog2() as usize;
        // Which boxes of the chunk's lines lack no line outside the chunk.
        let mut open = [[0; 2]; CHUNK.ilog2() as usize];
        for (open, sides) in open.iter_mut().zip(&self.board.sides) {
            *open = sides.map(|(others, _)| {
                let outside = others & !(CHUNK as Lines - 1);
                u8::from(higher & outside == outside)
            });
        }
        for set in (0..bytes.len()).rev() {
            let mut best = bytes[set];
            for (line, open) in open[..lines].iter().enumerate() {
                if set >> line & 1 == 0 {
                    let [one, other] = &self.lanes[line];
                    let completed = open[0] & one[set] | (open[1] & other[set]) << 1;
                    let after = bytes[set | 1 << line];
                    best = best.max(score_of_move(after, completed.count_ones() as u8));
                }
            }
            bytes[set] = best;
        }
    }

    /// Raises the scores of sets to those of drawing `line`, given the scores with that line.
    ///
    /// The sets have the lines `higher`, and differ in the lower ones.
    fn give(&self, line: usize, with: &[u8], without: &mut [u8], higher: Lines) {
        let ([one, other], sides) = (&self.lanes[line], &self.board.sides[line]);
        let outside = sides.map(|(others, _)| others & !(CHUNK as Lines - 1));
        let chunks = with
            .as_chunks::<CHUNK>()
            .0
            .iter()
            .zip(without.as_chunks_mut::<CHUNK>().0);
        for (chunk, (with, without)) in (0..).zip(chunks) {
            let lines = higher | (CHUNK as Lines * chunk);
            match outside.map(|outside| lines & outside == outside) {
                [false, false] => give(with, without, |_| 0),
                [true, false] => give(with, without, |set| one[set]),
                [false, true] => give(with, without, |set| other[set]),
                [true, true] => give(with, without, |set| one[set] + other[set]),
            }
        }
    }
}

#[inline(always)]
fn score_of_move(after: u8, completed: u8) -> u8 {
    match completed {
        0 => after.wrapping_neg(),
        _ => after.wrapping_add(completed),
    }
}

#[inline(always)]
fn give(with: &[u8; CHUNK], without: &mut [u8; CHUNK], completed: impl Fn(usize) -> u8) {
    for (set, (&after, before)) in with.iter().zip(without).enumerate() {
        *before = (*before).max(score_of_move(after, completed(set)));
    }
}

/// The scores of all sets of lines.
struct DotsScores {
    game: Dots,
    bytes: Vec<Box<[u8]>>,
    lines: u32,
}

impl Scores for DotsScores {
    fn count(&self) -> u64 {
        self.game.board.classes()
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        tile.reset(rows.len() as u32, columns.len() as u32);
        let (board, layout) = (&self.game.board, self.game.layout());
        let ([left, right], cut) = layout.sets(segment);
        let slots = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
        for (index, (row, column)) in slots.enumerate() {
            let lines = left[row as usize] | right[column as usize] | cut;
            if lines != board.all() && board.is_canonical(lines) {
                let within = lines as usize & ((1 << self.lines) - 1);
                let byte = self.bytes[(lines >> self.lines) as usize][within];
                let boxes = board.boxes.len() as u8;
                tile.set(index, byte - ZERO.wrapping_sub(boxes));
            }
        }
    }
}
