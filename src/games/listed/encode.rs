//! The bytes of a list, and their digest.

use super::graph::Graph;
use crate::game::Progress;
use crate::text::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// Their first line.
pub(super) const FIRST_LINE: &str = "zermelo listed game 1\n";

/// What there is of everything.
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
}

/// The first two lines.
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
    };
    serde_json::to_writer(&mut lines, &header)?;
    lines.push(b'\n');
    Ok(lines)
}

/// Writes what stands behind the lines, not deflated yet.
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

/// So much is written at once, in bytes.
pub(super) const PIECE: usize = 1 << 16;

/// Takes the digest of what is written, and keeps nothing else. Fails when it should stop.
pub(super) struct Digesting<'a>(Sha256, &'a dyn Progress);

impl Write for Digesting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.1.cancelled() {
            return Err(stopped());
        }
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What writing fails with that should stop. It is told from other failures by asking again.
pub(super) fn stopped() -> io::Error {
    io::Error::other("interrupted")
}

/// The digest of what [`Graph::write`] writes, before it is deflated: a list that is in no file need
/// not be. None if it should stop.
pub(super) fn digest(graph: &Graph, progress: &dyn Progress) -> Option<String> {
    let mut digest = io::BufWriter::with_capacity(PIECE, Digesting(Sha256::new(), progress));
    // Nothing else can fail that keeps nothing.
    digest.write_all(&lines(graph).ok()?).ok()?;
    write_numbers(graph, &mut digest).ok()?;
    let Digesting(digest, _) = digest.into_inner().ok()?;
    Some(hex(digest.finalize()))
}
