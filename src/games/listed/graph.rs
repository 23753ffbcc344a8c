//! The explicit game graph: positions, moves and their targets, its encoding and its digest.

use super::look::Look;
use crate::game::{Endless, Progress, ScoreRange, Side, WON, one_move_before};
use crate::text::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::OnceLock;

/// Number of positions between two checks for cancellation.
pub(super) const CHECK_EVERY: u32 = 1 << 16;

/// Stands for the score of an unfinished position.
pub(super) const UNFINISHED: i32 = i32::MIN;

/// All positions of a game, numbered in order of distance from the start, number 0.
#[derive(Debug, Default)]
pub struct Graph {
    /// Name of the game, one word, for tables and rules strings.
    pub(super) name: String,
    /// The texts of all positions, one after the other, and the end of each.
    pub(super) texts: String,
    pub(super) ends: Vec<u64>,
    /// Side to move in each position, 0 or 1; `None` if the turn always passes.
    pub(super) sides: Option<Vec<u8>>,
    /// Score of each finished position, seen from its side to move.
    ///
    /// If the scores count plies, it is [`WON`](crate::game::WON) for each of the author's points.
    pub(super) finals: Vec<i32>,
    /// Their greatest absolute value.
    pub(super) greatest: i32,
    /// Number of decimals of the author's points, of whose last the scores are multiples.
    pub(super) decimals: u32,
    /// Index of each position's first move; the last item is the number of moves.
    pub(super) firsts: Vec<u64>,
    /// For each move, its name's index in `names`, and the position to which it leads.
    pub(super) moves: Vec<u32>,
    pub(super) children: Vec<u32>,
    pub(super) names: Vec<String>,
    /// Number of positions within each distance from the start.
    pub(super) levels: Vec<u32>,
    /// The scores of unfinished positions.
    pub(super) scores: ScoreRange,
    /// Whether positions can repeat.
    pub(super) endless: Endless,
    /// Pictures and rules in words, which are not part of the digest.
    pub(super) look: Look,
    /// SHA-256 digest of the graph, in hexadecimal.
    pub(super) digest: String,
    /// Position numbers sorted by text, built at the first look-up.
    pub(super) by_text: OnceLock<Vec<u32>>,
}

/// The most decimals of points.
pub(super) const MOST_DECIMALS: u32 = 8;

/// Returns the greatest absolute value of scores.
pub(super) fn greatest(finals: &[i32]) -> i32 {
    let finals = finals.iter().filter(|&&score| score != UNFINISHED);
    finals
        .map(|score| score.saturating_abs())
        .max()
        .unwrap_or(0)
}

impl Graph {
    /// Returns the name of the game.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the SHA-256 digest of the graph, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the rules in words, or an empty text.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.look.about
    }

    /// Returns the number of positions.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.finals.len()
    }

    /// Returns the number of moves over all positions.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.children.len()
    }

    pub(super) fn text(&self, node: u32) -> &str {
        let node = node as usize;
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[node] as usize]
    }

    pub(super) fn final_score(&self, node: u32) -> Option<i32> {
        let score = self.finals[node as usize];
        (score != UNFINISHED).then_some(score)
    }

    /// Returns the score for a unit of the last decimal of points.
    pub(super) fn unit(&self) -> i32 {
        match self.scores.counts_plies() {
            true => WON,
            false => 1,
        }
    }

    pub(super) fn side(&self, node: u32) -> Option<Side> {
        self.sides.as_ref().map(|sides| match sides[node as usize] {
            0 => Side::First,
            _ => Side::Second,
        })
    }

    /// Returns the side to move; if the graph has no sides, the one that gets there on a shortest
    /// way.
    pub(super) fn turn(&self, node: u32) -> Side {
        self.side(node).unwrap_or(Side::after(self.level(node)))
    }

    /// Returns whether the side that moves from `parent` to `child` moves again.
    pub(super) fn moves_again(&self, parent: u32, child: u32) -> bool {
        // Without sides, the turn passes with every move.
        (self.side(parent)).is_some_and(|side| self.side(child) == Some(side))
    }

    /// Returns the score of a move, seen from its side, given the child's score.
    pub(super) fn worth(&self, parent: u32, child: u32, score: i32) -> i32 {
        let score = match self.moves_again(parent, child) {
            true => score,
            false => -score,
        };
        one_move_before(score, self.scores.counts_plies())
    }

    pub(super) fn moves_of(&self, node: u32) -> Range<usize> {
        let node = node as usize;
        self.firsts[node] as usize..self.firsts[node + 1] as usize
    }

    /// Returns the distance of a position from the start, in moves.
    pub(super) fn level(&self, node: u32) -> u32 {
        self.levels.partition_point(|&end| end <= node) as u32
    }

    /// Returns the position with this text.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let by_text = self.by_text.get_or_init(|| {
            let mut numbers: Vec<u32> = (0..self.positions() as u32).collect();
            // On this thread: a pool's thread that waits for others may take up work that waits for
            // this list, and a forked process has none of the pool's threads.
            numbers.sort_unstable_by(|&one, &other| self.text(one).cmp(self.text(other)));
            numbers
        });
        let place = by_text.binary_search_by_key(&text, |&node| self.text(node));
        place.ok().map(|place| by_text[place])
    }
}

/// First line of the file.
pub(super) const FIRST_LINE: &str = "zermelo listed game 1\n";

/// The header: name and counts.
#[derive(Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) positions: u32,
    pub(super) moves: u64,
    pub(super) letters: u64,
    pub(super) has_sides: bool,
    pub(super) names: Vec<String>,
    pub(super) levels: Vec<u32>,
    pub(super) lowest: i32,
    pub(super) highest: i32,
    pub(super) step: i32,
    /// Whether endless play is a draw.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) endless: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) decimals: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Serde passes a reference.
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Returns the first two lines of the file.
pub(super) fn lines(graph: &Graph) -> io::Result<Vec<u8>> {
    let mut lines = FIRST_LINE.as_bytes().to_vec();
    let header = Header {
        name: graph.name.clone(),
        positions: graph.positions() as u32,
        moves: graph.edges() as u64,
        letters: graph.texts.len() as u64,
        has_sides: graph.sides.is_some(),
        names: graph.names.clone(),
        levels: graph.levels.clone(),
        lowest: graph.scores.lowest,
        highest: graph.scores.highest,
        step: graph.scores.step,
        endless: graph.endless == Endless::Draw,
        decimals: graph.decimals,
    };
    serde_json::to_writer(&mut lines, &header)?;
    lines.push(b'\n');
    Ok(lines)
}

/// Writes the data after these lines, not compressed.
pub(super) fn write_numbers(graph: &Graph, to: &mut impl Write) -> io::Result<()> {
    for node in 0..graph.positions() as u32 {
        to.write_all(&(graph.text(node).len() as u32).to_le_bytes())?;
    }
    to.write_all(graph.texts.as_bytes())?;
    if let Some(sides) = &graph.sides {
        to.write_all(sides)?;
    }
    for score in &graph.finals {
        to.write_all(&score.to_le_bytes())?;
    }
    for node in 0..graph.positions() as u32 {
        to.write_all(&(graph.moves_of(node).len() as u32).to_le_bytes())?;
    }
    for number in graph.moves.iter().chain(&graph.children) {
        to.write_all(&number.to_le_bytes())?;
    }
    Ok(())
}

/// Number of bytes written at once.
pub(super) const BUFFER_BYTES: usize = 1 << 16;

/// Writer that passes on the bytes, and fails when the caller cancels.
pub(super) struct CancellableWriter<'a, F>(pub(super) F, pub(super) &'a dyn Progress);

impl<F: FnMut(&[u8]) -> io::Result<()>> Write for CancellableWriter<'_, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.1.cancelled() {
            return Err(io::Error::other("interrupted"));
        }
        (self.0)(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the digest of the output of [`Graph::write`] before compression.
///
/// A graph without a file has one, too. `None` on cancellation.
pub(super) fn digest(graph: &Graph, progress: &dyn Progress) -> Option<String> {
    let mut digest = Sha256::new();
    let take = |bytes: &[u8]| {
        digest.update(bytes);
        Ok(())
    };
    let mut to = io::BufWriter::with_capacity(BUFFER_BYTES, CancellableWriter(take, progress));
    // Nothing else can fail, since nothing is kept.
    to.write_all(&lines(graph).ok()?).ok()?;
    write_numbers(graph, &mut to).ok()?;
    to.flush().ok()?;
    drop(to);
    Some(hex(digest.finalize()))
}

/// Why a graph can't be built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The game can't be solved. The message says why, without a full stop.
    #[error("{0}")]
    Rules(String),
    /// A position can repeat, and the game promises that none can.
    ///
    /// Positions and moves in turn, from a position back to itself.
    #[error("a position can come up twice in one game{}", crate::text::cycle(.0))]
    Repetition(Vec<String>),
    /// The caller cancelled the work.
    #[error("interrupted")]
    Interrupted,
}

impl BuildError {
    /// Returns the error for a position without moves and without a score.
    #[must_use]
    pub fn stuck(position: &str) -> BuildError {
        BuildError::Rules(format!("{position} is not finished, but has no moves"))
    }
}

pub(super) fn refused<T>(problem: impl Into<String>) -> Result<T, BuildError> {
    Err(BuildError::Rules(problem.into()))
}
