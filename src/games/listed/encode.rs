//! Encodes an explicit game graph, and computes its digest.

use super::graph::Graph;
use crate::game::{Endless, Progress};
use crate::text::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};

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
}

/// The first two lines of the file.
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
pub(super) const PIECE: usize = 1 << 16;

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

/// Digest of the output of [`Graph::write`] before compression.
///
/// A graph without a file has one, too. `None` on cancellation.
pub(super) fn digest(graph: &Graph, progress: &dyn Progress) -> Option<String> {
    let mut digest = Sha256::new();
    let take = |bytes: &[u8]| {
        digest.update(bytes);
        Ok(())
    };
    let mut to = io::BufWriter::with_capacity(PIECE, CancellableWriter(take, progress));
    // Nothing else can fail, since nothing is kept.
    to.write_all(&lines(graph).ok()?).ok()?;
    write_numbers(graph, &mut to).ok()?;
    to.flush().ok()?;
    drop(to);
    Some(hex(digest.finalize()))
}
