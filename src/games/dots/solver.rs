//! Dots and Boxes' retrograde solver: the scores of all classes, from the full board back.
//!
//! The score of a set of lines is the best of those with one line more. So the sets with equally many
//! lines, a layer, need only the layer before. A segment needs two segments of it: those with one inner
//! line more, and with one border line more. Once no other segment needs one of them and the table has
//! it, its memory is freed. So a board of 4×4 boxes, with 4.35 × 10¹⁰ classes, is solved in 7 GB.
//!
//! A row has all sets with the same inner lines. Another inner line leads from all of them to one other
//! row, perhaps by a symmetry that permutes the border lines.
//!
//! Two lines at a corner border only the same box. A set in which only the second one is drawn has
//! the score of the set with the first one instead, and is left out.

use super::Dots;
use super::board::{Board, Lines};
use super::layout::Layout;
use crate::game::{
    Checkpoints, Forecast, Notation, OwnSolver, Ranking, Scores, Segment, SolveError, SolveOptions,
    SolveTimes, Team, Tile, check_cancelled,
};
use crate::pool::try_map;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows that are computed by one task.
const ROWS: usize = 64;
/// Bytes for the program, the table's writer, and its buffers.
const OVERHEAD: u64 = 56 << 20;
/// The name of the checkpoint: the scores of the last layer.
const LAYER: &str = "layer";
/// The least time between checkpoints. It is at least ten times that to write one, too.
const PAUSE: Duration = Duration::from_secs(5);

impl OwnSolver for Dots {
    fn memory_needed(&self, _threads: usize) -> u64 {
        // Large boards have up to a thirty-second more slots. To count them, the classes would have to be
        // numbered, which takes a second for 4×4 boxes and is of no use to a search.
        let classes = self.board.classes();
        self.memory_with(classes + classes / 32)
    }

    fn forecast(&self, options: SolveOptions) -> Option<Forecast> {
        let (classes, layout) = (self.board.classes(), self.layout());
        let layers = layout
            .segments()
            .chunk_by(|one, next| one.layer == next.layer);
        let slots = layers.map(|layer| layer.iter().map(Segment::slots).sum::<u64>());
        Some(Forecast {
            classes,
            memory_bytes: self.memory_with(most_slots(&layout)),
            // A checkpoint, and the one that it replaces.
            files_bytes: 2 * slots.max().unwrap_or(0),
            // Measured on boards of 3×4 and 4×4 boxes.
            table_bytes: classes * 3 / 13,
            seconds: classes as f64 * 47e-9 / options.threads as f64,
        })
    }

    fn solve_together(
        &self,
        options: SolveOptions,
        checkpoints: &mut dyn Checkpoints,
        team: &Team<'_>,
    ) -> Result<(Box<dyn Scores>, SolveTimes), SolveError> {
        if !team.is_first() {
            // Nobody asks for the scores of another process.
            return Ok((Box::new(DotsScores::new(self)), SolveTimes::default()));
        }
        let needed = match checkpoints.written() {
            Some(_) => self.memory_with(most_slots(&self.layout())),
            None => self.memory_needed(options.threads),
        };
        options.check_memory(needed, true, || self.name())?;
        let (scores, times) = self.solve_layers(checkpoints, team, PAUSE)?;
        Ok((Box::new(scores), times))
    }
}

impl Dots {
    /// Estimates the memory with this number of slots at once. A part more has been measured.
    fn memory_with(&self, slots: u64) -> u64 {
        let numbering = 8 << (self.board.ends.len() as u32 - self.board.border);
        slots + slots / 64 + numbering + OVERHEAD
    }

    /// Solves all layers, with at least `pause` between checkpoints.
    fn solve_layers(
        &self,
        checkpoints: &mut dyn Checkpoints,
        team: &Team<'_>,
        pause: Duration,
    ) -> Result<(DotsScores, SolveTimes), SolveError> {
        let began = Instant::now();
        let (layout, mut scores) = (self.layout(), DotsScores::new(self));
        let first = scores.restore(checkpoints, team);
        let moves = Moves::new(&self.board, &layout);
        let left = layout.segments()[scores.of_layer(first).start..].iter();
        let slots = left.map(Segment::slots).sum();
        team.progress().phase("solving", "sets of lines", slots);
        let mut in_checkpoints = Duration::ZERO;
        let (mut saved, mut took) = (Instant::now(), Duration::ZERO);
        for layer in first..=self.board.ends.len() as u32 {
            let is_written = checkpoints.written() >= Some(layer);
            scores.solve(layer, &moves, is_written, team)?;
            let solved = Instant::now();
            checkpoints.solved(layer, &scores)?;
            if checkpoints.written() > Some(layer) && saved.elapsed() >= pause.max(10 * took) {
                let began = Instant::now();
                checkpoints.save(LAYER, &mut |out| scores.save(layer, out))?;
                (saved, took) = (Instant::now(), began.elapsed());
            }
            in_checkpoints += solved.elapsed();
        }
        let times = SolveTimes::of(began.elapsed() - in_checkpoints, Duration::ZERO);
        Ok((scores, times))
    }
}

/// Returns the segments that are needed for one with these numbers of inner and of border lines.
fn needed(layout: &Layout, [inner, border]: [usize; 2]) -> [Option<usize>; 2] {
    [[inner + 1, border], [inner, border + 1]].map(|counts| layout.segment(counts))
}

/// Returns the segments that are not needed any more after one with these numbers of lines.
fn spent(layout: &Layout, counts: [usize; 2]) -> impl Iterator<Item = usize> {
    // The next segment of the layer has an inner line less.
    let [inner, border] = needed(layout, counts);
    inner.into_iter().chain(border.filter(|_| counts[0] == 0))
}

/// Returns the most slots in memory at once, if those of layers in the table are freed.
fn most_slots(layout: &Layout) -> u64 {
    let segments = layout.segments();
    let (mut slots, mut most) = (0, 0);
    for (number, segment) in segments.iter().enumerate() {
        slots += segment.slots();
        most = slots.max(most);
        let spent = spent(layout, layout.counts(number));
        slots -= spent.map(|number| segments[number].slots()).sum::<u64>();
    }
    most
}

/// The scores of a segment: some rows in each part.
#[derive(Default)]
struct Matrix {
    columns: usize,
    parts: Vec<Box<[i8]>>,
}

impl Matrix {
    fn row(&self, row: usize) -> &[i8] {
        &self.parts[row / ROWS][row % ROWS * self.columns..][..self.columns]
    }
}

/// The moves between the columns, and the boxes that they complete.
///
/// Each has a vector of values by number of border lines.
struct Moves<'a> {
    board: &'a Board,
    layout: &'a Layout,
    /// The column of each column's image, by symmetry.
    images: Vec<Vec<Vec<u16>>>,
    /// The columns without a border line and then with it, by line.
    within: Vec<Vec<Vec<[u16; 2]>>>,
    /// By line and box: which columns have the other border lines of the box, 1 or 0.
    filled: Vec<[Vec<Vec<i8>>; 2]>,
}

impl<'a> Moves<'a> {
    fn new(board: &'a Board, layout: &'a Layout) -> Moves<'a> {
        fn of_columns<T>(layout: &Layout, of: impl Fn(&[Lines]) -> T) -> Vec<T> {
            layout.sets[1].iter().map(|sets| of(sets)).collect()
        }
        let images = (0..board.turns.len()).map(|symmetry| {
            let image = |set: &Lines| layout.column(board.folded_images(*set)[symmetry]);
            of_columns(layout, |sets| sets.iter().map(image).collect())
        });
        let within = (0..board.border).map(|line| {
            of_columns(layout, |sets| {
                let free = (0..).zip(sets).filter(|(_, set)| *set >> line & 1 == 0);
                let moves = free.map(|(column, set)| (column, set | 1 << line));
                let moves = moves.filter(|&(_, after)| board.folded(after) == after);
                moves
                    .map(|(column, after)| [column, layout.column(after)])
                    .collect()
            })
        });
        let filled = board.sides.iter().map(|sides| {
            sides.map(|(others, _)| {
                let others = others & ((1 << board.border) - 1);
                let is_filled = |set: &Lines| i8::from(set & others == others);
                of_columns(layout, |sets| sets.iter().map(is_filled).collect())
            })
        });
        Moves {
            board,
            layout,
            images: images.collect(),
            within: within.collect(),
            filled: filled.collect(),
        }
    }

    /// Computes a segment, given those that it needs.
    fn segment(
        &self,
        counts: [usize; 2],
        needed: [Option<&Matrix>; 2],
        team: &Team<'_>,
    ) -> Result<Matrix, SolveError> {
        let [rows, columns] = self.layout.sets_of(counts).map(<[Lines]>::len);
        let part = |part: usize| {
            check_cancelled(team.progress(), SolveError::Interrupted)?;
            let rows = part * ROWS..rows.min((part + 1) * ROWS);
            let mut scores = vec![i8::MIN; rows.len() * columns].into_boxed_slice();
            let mut images = Vec::new();
            for (row, scores) in rows.zip(scores.chunks_mut(columns)) {
                let inner = self.layout.sets[0][counts[0]][row];
                if let Some(from) = needed[0] {
                    self.draw_inner_lines(inner, counts[1], from, scores, &mut images);
                }
                if let Some(from) = needed[1] {
                    self.draw_border_lines(inner, counts[1], from.row(row), scores);
                }
            }
            team.progress().advance(scores.len() as u64);
            Ok::<_, SolveError>(scores)
        };
        let parts = try_map(rows.div_ceil(ROWS), part)?;
        Ok(Matrix { columns, parts })
    }

    /// Raises the scores of a row's sets to those of drawing an inner line.
    ///
    /// `inner` are the row's lines, and `count` is the number of border lines. `images` is a buffer.
    fn draw_inner_lines(
        &self,
        inner: Lines,
        count: usize,
        from: &Matrix,
        scores: &mut [i8],
        images: &mut Vec<i8>,
    ) {
        let undrawn = |line: &usize| inner >> line & 1 == 0;
        for line in (self.board.border as usize..self.board.ends.len()).filter(undrawn) {
            let (row, symmetry) = self.layout.row(inner | 1 << line);
            let mut after = from.row(row);
            if symmetry > 0 {
                let columns = self.images[symmetry][count].iter();
                images.clear();
                images.extend(columns.map(|&column| after[usize::from(column)]));
                after = images;
            }
            match self.filled(line, inner, count) {
                [None, None] => raise(scores, after, |_| 0),
                [Some(one), None] | [None, Some(one)] => raise(scores, after, |set| one[set]),
                [Some(one), Some(other)] => raise(scores, after, |set| one[set] + other[set]),
            }
        }
    }

    /// Raises the scores of a row's sets to those of drawing a border line.
    fn draw_border_lines(&self, inner: Lines, count: usize, after: &[i8], scores: &mut [i8]) {
        for (line, moves) in self.within.iter().enumerate() {
            let moves = &moves[count];
            match self.filled(line, inner, count)[0] {
                None => raise_each(scores, after, moves, |_| 0),
                Some(filled) => raise_each(scores, after, moves, |set| filled[set]),
            }
        }
    }

    /// Returns which columns fill the boxes of a line, for boxes with no other inner line undrawn.
    fn filled(&self, line: usize, inner: Lines, count: usize) -> [Option<&[i8]>; 2] {
        let drawn = inner | ((1 << self.board.border) - 1);
        [0, 1].map(|side| {
            let is_open = self.board.sides[line][side].0 & !drawn == 0;
            is_open.then(|| &self.filled[line][side][count][..])
        })
    }
}

#[inline(always)]
fn score_of_move(after: i8, completed: i8) -> i8 {
    match completed {
        0 => -after,
        _ => after + completed,
    }
}

/// Raises the scores of sets to those of a move from each.
#[inline(always)]
fn raise(scores: &mut [i8], after: &[i8], completed: impl Fn(usize) -> i8) {
    for (set, (score, &after)) in scores.iter_mut().zip(after).enumerate() {
        *score = (*score).max(score_of_move(after, completed(set)));
    }
}

/// Raises the scores of sets to those of moves, each from one column to another.
#[inline(always)]
fn raise_each(
    scores: &mut [i8],
    after: &[i8],
    moves: &[[u16; 2]],
    completed: impl Fn(usize) -> i8,
) {
    for [set, with] in moves.iter().map(|columns| columns.map(usize::from)) {
        scores[set] = scores[set].max(score_of_move(after[with], completed(set)));
    }
}

/// The scores of the segments that are solved and not freed.
struct DotsScores {
    game: Dots,
    layout: Arc<Layout>,
    segments: Vec<Matrix>,
}

impl DotsScores {
    fn new(game: &Dots) -> DotsScores {
        let layout = game.layout();
        let segments = layout.segments().iter().map(|_| Matrix::default());
        DotsScores {
            game: game.clone(),
            segments: segments.collect(),
            layout,
        }
    }

    /// Returns the numbers of a layer's segments.
    fn of_layer(&self, layer: u32) -> Range<usize> {
        let segments = self.layout.segments();
        let first = |layer| segments.partition_point(|segment| segment.layer < layer);
        first(layer)..first(layer + 1)
    }

    /// Solves a layer, and frees the one before if it is written.
    fn solve(
        &mut self,
        layer: u32,
        moves: &Moves<'_>,
        is_written: bool,
        team: &Team<'_>,
    ) -> Result<(), SolveError> {
        for segment in self.of_layer(layer) {
            let counts = self.layout.counts(segment);
            let needed = needed(&self.layout, counts);
            let needed = needed.map(|number| number.map(|number| &self.segments[number]));
            self.segments[segment] = moves.segment(counts, needed, team)?;
            if layer == 0 {
                // On the full board, no box is to come.
                self.segments[segment].parts[0][0] = 0;
            }
            for spent in spent(&self.layout, counts).filter(|_| is_written) {
                self.segments[spent] = Matrix::default();
            }
        }
        Ok(())
    }

    fn save(&self, layer: u32, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&layer.to_le_bytes())?;
        let mut parts = self.segments[self.of_layer(layer)]
            .iter()
            .flat_map(|of| &of.parts);
        parts.try_for_each(|part| out.write_all(bytemuck::cast_slice(part)))
    }

    /// Reads the layer that an earlier run has saved, and returns the next one, or 0.
    fn restore(&mut self, checkpoints: &mut dyn Checkpoints, team: &Team<'_>) -> u32 {
        let written = checkpoints.written();
        let saved = checkpoints.saved(LAYER);
        let read = saved.and_then(|mut saved| self.read(&mut *saved, written).ok());
        let Some(layer) = read else {
            self.segments.fill_with(Matrix::default);
            return 0;
        };
        let note = format!("layers up to {layer} undrawn lines: kept from an earlier run");
        team.progress().note(&note);
        layer + 1
    }

    /// Reads the scores of a layer below `written`, and returns its number.
    fn read(&mut self, from: &mut dyn Read, written: Option<u32>) -> io::Result<u32> {
        let mut layer = [0; 4];
        from.read_exact(&mut layer)?;
        let layer = u32::from_le_bytes(layer);
        if Some(layer) >= written {
            return Err(io::ErrorKind::InvalidData.into());
        }
        for number in self.of_layer(layer) {
            let Segment { rows, columns, .. } = self.layout.segments()[number];
            let (rows, columns) = (rows as usize, columns as usize);
            let mut matrix = Matrix {
                columns,
                parts: Vec::new(),
            };
            for first in (0..rows).step_by(ROWS) {
                let mut part = vec![0; ROWS.min(rows - first) * columns].into_boxed_slice();
                from.read_exact(bytemuck::cast_slice_mut(&mut part))?;
                matrix.parts.push(part);
            }
            self.segments[number] = matrix;
        }
        Ok(layer)
    }
}

impl Scores for DotsScores {
    fn count(&self) -> u64 {
        self.game.board.classes()
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        tile.reset(rows.len() as u32, columns.len() as u32);
        let board = &self.game.board;
        let matrix = &self.segments[segment as usize];
        let sets = self.layout.sets_of(self.layout.counts(segment as usize));
        let columns = columns.start as usize..columns.end as usize;
        let code = |score: i8| (score + board.boxes.len() as i8) as u8;
        for (number, row) in (rows.start as usize..rows.end as usize).enumerate() {
            let inner = sets[0][row];
            let scores = &matrix.row(row)[columns.clone()];
            let first = number * scores.len();
            if board.folded_images(inner)[1..board.turns.len()].contains(&inner) {
                // A symmetry maps the inner lines to themselves, but perhaps not the border lines.
                for (index, border) in (first..).zip(&sets[1][columns.clone()]) {
                    let lines = inner | border;
                    if lines != board.all() && board.canonical(lines) == lines {
                        tile.set(index, code(scores[index - first]));
                    }
                }
                continue;
            }
            let codes = &mut tile.codes[first..][..scores.len()];
            for (to, &score) in codes.iter_mut().zip(scores) {
                *to = code(score);
            }
            for at in (0..scores.len()).step_by(64) {
                tile.mark(first + at, !0 >> (64 - (scores.len() - at).min(64)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::NoProgress;

    /// Keeps the last checkpoint and the tiles of all layers, and fails at a layer.
    struct Kept {
        layer: Vec<u8>,
        tiles: Vec<(u32, Vec<Tile>)>,
        fails_at: u32,
    }

    impl Checkpoints for Kept {
        fn saved(&mut self, _: &str) -> Option<Box<dyn Read + Send + '_>> {
            Some(Box::new(&self.layer[..]))
        }

        fn save(
            &mut self,
            _: &str,
            write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
        ) -> Result<(), SolveError> {
            self.layer.clear();
            write(&mut self.layer).unwrap();
            Ok(())
        }

        fn solved(&mut self, layer: u32, scores: &dyn Scores) -> Result<(), SolveError> {
            if layer == self.fails_at {
                return Err(SolveError::Interrupted);
            }
            let layout = Dots::new(2, 3).unwrap().layout();
            let segments = (0..).zip(layout.segments());
            let of_layer = segments.filter(|(_, segment)| segment.layer == layer);
            let tile = |(number, segment): (u32, &Segment)| {
                let mut tile = Tile::default();
                scores.tile(number, 0..segment.rows, 0..segment.columns, &mut tile);
                tile
            };
            self.tiles.push((layer, of_layer.map(tile).collect()));
            Ok(())
        }

        fn written(&self) -> Option<u32> {
            Some(self.tiles.last().map_or(0, |(layer, _)| layer + 1))
        }
    }

    fn solve(kept: &mut Kept) -> Result<(), SolveError> {
        let team = Team::alone(&NoProgress);
        let game = Dots::new(2, 3).unwrap();
        game.solve_layers(kept, &team, Duration::ZERO).map(|_| ())
    }

    #[test]
    fn a_stopped_run_resumes_after_the_last_layer_that_it_saved() {
        let empty = || Kept {
            layer: Vec::new(),
            tiles: Vec::new(),
            fails_at: u32::MAX,
        };
        let mut whole = empty();
        solve(&mut whole).unwrap();
        assert_eq!(whole.tiles.len(), 18);
        for fails_at in [1, 9, 17] {
            let mut kept = Kept {
                fails_at,
                ..empty()
            };
            assert!(solve(&mut kept).is_err());
            kept.fails_at = u32::MAX;
            let first = kept.tiles.len();
            solve(&mut kept).unwrap();
            assert_eq!(kept.tiles[first].0, fails_at);
            assert!(kept.tiles == whole.tiles);
            // A checkpoint of a layer that isn't in the table, or a part of one, is of no use.
            kept.tiles.clear();
            solve(&mut kept).unwrap();
            kept.layer.pop();
            solve(&mut kept).unwrap();
            assert_eq!(kept.tiles.len(), 36);
            assert!(kept.tiles[18..] == whole.tiles);
        }
    }

    #[test]
    fn segments_are_freed_when_no_other_needs_them() {
        for (rows, columns) in [(1, 1), (1, 3), (2, 2), (3, 4)] {
            let layout = Dots::new(rows, columns).unwrap().layout();
            let mut freed = vec![false; layout.segments().len()];
            for number in 0..freed.len() {
                let counts = layout.counts(number);
                for needed in needed(&layout, counts).into_iter().flatten() {
                    assert!(needed < number && !freed[needed]);
                }
                spent(&layout, counts).for_each(|spent| freed[spent] = true);
            }
            // The last one is the empty board.
            assert!(!freed.pop().unwrap() && freed.iter().all(|&freed| freed));
        }
    }
}
