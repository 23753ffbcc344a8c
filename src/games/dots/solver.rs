//! Dots and Boxes' retrograde solver: the scores of all sets of lines, from the full board back.
//!
//! Scores are bytes in an array, indexed by the set of lines. It is divided into blocks, in which the
//! higher lines are the same. The score of a set is the best of those with one line more, so blocks
//! with the same number of higher lines can be computed at the same time, and each needs only
//! blocks with one more. Within a block, the half with its highest line comes first, and then gives
//! its scores to the other half.
//!
//! Two lines at a corner border only the same box. A set in which only the second one is drawn has
//! the score of the set with the first one instead. So nearly half of the blocks are left out.

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
/// Sets whose scores are raised at once.
const CHUNK: usize = 64;
/// Sets that are computed one by one, in a block that has as many.
const FEW: usize = 16;
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
    /// The moves between `FEW` sets, those from the largest sets first: the set and the line.
    moves: Vec<(usize, usize)>,
}

/// Returns the number of lines that differ within a block.
fn block_lines(board: &Board) -> u32 {
    // With all lines to the right of the cut, no corner is divided.
    let lines = board.parts[0].clamp(CHUNK.ilog2(), BLOCK_LINES);
    lines.min(board.ends.len() as u32)
}

impl OwnSolver for Dots {
    fn memory_needed(&self, _threads: usize) -> u64 {
        let lines = block_lines(&self.board);
        // Both lines of a corner are within a block or outside it: three of four cases remain.
        let corners = (self.board.pairs >> lines).count_ones();
        (3_u64.pow(corners) << (self.board.ends.len() as u32 - 2 * corners)) + OVERHEAD
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
            seconds: sets * 12e-9 / options.threads as f64,
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
        let lines = block_lines(board);
        let blocks = Blocks::new(board, lines);
        let high = board.ends.len() as u32 - lines;
        let mut bytes = vec![Box::default(); 1 << high];
        // Blocks in which no second line of a corner is drawn alone. The lowest line may belong to a
        // corner of which the other line is within the block.
        let alone = |block: usize| board.seconds_alone((block as Lines) << lines) >> (lines + 1);
        let folded: Vec<usize> = (0..1 << high).filter(|&block| alone(block) == 0).collect();
        progress.phase("solving", "sets of lines", (folded.len() as u64) << lines);
        for count in (0..=high).rev() {
            let of_layer = folded.iter().filter(|block| block.count_ones() == count);
            let of_layer: Vec<usize> = of_layer.copied().collect();
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
        let is_folded = |set: usize| board.seconds_alone(set as Lines) == 0;
        let moves = (0..FEW)
            .rev()
            .filter(|&set| is_folded(set))
            .flat_map(|set| {
                let free = (0..FEW.ilog2() as usize).filter(move |line| set >> line & 1 == 0);
                free.filter(move |line| is_folded(set | 1 << line))
                    .map(move |line| (set, line))
            });
        Blocks {
            board,
            lanes: lanes.collect(),
            lines,
            moves: moves.collect(),
        }
    }

    /// Computes a block, given those with one higher line more.
    fn solve(&self, block: usize, solved: &[Box<[u8]>]) -> Box<[u8]> {
        let mut bytes = vec![0; 1 << self.lines].into_boxed_slice();
        let higher = (block as Lines) << self.lines;
        for line in self.lines as usize..self.board.ends.len() {
            if higher >> line & 1 == 0 {
                // A second line of a corner alone is left out: the first line has the same score.
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
        if bytes.len() == FEW
            && let Some(few) = bytes.first_chunk_mut()
        {
            return self.score_few(few, higher);
        }
        let half = bytes.len() / 2;
        let (without, with) = bytes.split_at_mut(half);
        self.score_subsets(with, higher | half as Lines);
        self.give(half.ilog2() as usize, with, without, higher);
        self.score_subsets(without, higher);
    }

    fn score_few(&self, bytes: &mut [u8; FEW], higher: Lines) {
        let first = higher as usize % CHUNK;
        // Which boxes of the lines lack no line outside the chunk.
        let mut open = [[0; 2]; FEW.ilog2() as usize];
        for (line, open) in open.iter_mut().enumerate() {
            *open = self.open(line, higher).map(u8::from);
        }
        for &(set, line) in &self.moves {
            let ([one, other], open) = (&self.lanes[line], open[line]);
            let completed = (open[0] & one[first + set]) + (open[1] & other[first + set]);
            let score = score_of_move(bytes[set | 1 << line], completed);
            bytes[set] = bytes[set].max(score);
        }
    }

    /// Returns which boxes of a line lack no line outside the chunk, in sets with the lines `higher`.
    #[inline(always)]
    fn open(&self, line: usize, higher: Lines) -> [bool; 2] {
        let [(one, _), (other, _)] = self.board.sides[line];
        let is_open = |others: Lines| others & !(higher | (CHUNK as Lines - 1)) == 0;
        [is_open(one), is_open(other)]
    }

    /// Raises the scores of sets to those of drawing `line`, given the scores with that line.
    ///
    /// The sets have the lines `higher`, and differ in the lower ones.
    fn give(&self, line: usize, with: &[u8], without: &mut [u8], higher: Lines) {
        let [one, other] = &self.lanes[line];
        if without.len() < CHUNK {
            let [open, other_open] = self.open(line, higher).map(u8::from);
            let sets = higher as usize % CHUNK..higher as usize % CHUNK + without.len();
            let (with, one, other) = (&with[..sets.len()], &one[sets.clone()], &other[sets]);
            for set in 0..without.len() {
                let completed = (open & one[set]) + (other_open & other[set]);
                without[set] = without[set].max(score_of_move(with[set], completed));
            }
            return;
        }
        let chunks = with
            .as_chunks::<CHUNK>()
            .0
            .iter()
            .zip(without.as_chunks_mut::<CHUNK>().0);
        for (chunk, (with, without)) in (0..).zip(chunks) {
            match self.open(line, higher | (CHUNK as Lines * chunk)) {
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
    for set in 0..CHUNK {
        without[set] = without[set].max(score_of_move(with[set], completed(set)));
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
        let columns = columns.start as usize..columns.end as usize;
        let right: Vec<_> = right[columns]
            .iter()
            .map(|&right| (right, board.folded_images(right)))
            .collect();
        let mut index = 0;
        for row in rows {
            let left = left[row as usize] | cut;
            let images = board.folded_images(left);
            for (right, of_right) in &right {
                let lines = left | right;
                if lines != board.all() && board.is_least(lines, &images, of_right) {
                    let within = lines as usize & ((1 << self.lines) - 1);
                    let byte = self.bytes[(lines >> self.lines) as usize][within];
                    let boxes = board.boxes.len() as u8;
                    tile.set(index, byte - ZERO.wrapping_sub(boxes));
                }
                index += 1;
            }
        }
    }
}
