//! A proof shared among processes.

use super::error::VerifyError;
use super::marks::Marks;
use super::state::Proof;
use super::sweep::{Done, Firsts};
use super::tile::{Entry, LayerTile};
use crate::game::Notation;
use crate::game::peers::{Peers, pass, tell};
use std::sync::atomic::Ordering::Relaxed;

/// So many bytes go to all others at once.
const PIECE: usize = 4 << 20;

/// The least memory of all processes: what is in memory when has to be the same in all.
pub fn agreed(peers: &dyn Peers, memory: u64) -> Result<u64, VerifyError> {
    let told = tell(peers, &memory.to_le_bytes())?;
    let told = told.iter().filter_map(|told| told.first_chunk());
    Ok(told
        .map(|&told| u64::from_le_bytes(told))
        .min()
        .unwrap_or(memory))
}

impl<G: Notation, E: Entry> Proof<'_, G, E> {
    /// Whether this process looks at the entries of a block.
    pub fn is_mine(&self, block: u64) -> bool {
        self.owner(block) == self.peers.rank()
    }

    fn owner(&self, block: u64) -> usize {
        (block % self.peers.size() as u64) as usize
    }

    /// What the first process says.
    pub fn first_says(&self, says: bool) -> Result<bool, VerifyError> {
        Ok(tell(self.peers, &[u8::from(says)])?[0] == [1])
    }

    /// Whether any says so.
    fn any_says(&self, says: bool) -> Result<bool, VerifyError> {
        Ok(tell(self.peers, &[u8::from(says)])?.contains(&vec![1]))
    }

    /// Whether another process, too, has come to the end of what several can do: it has found
    /// something wrong. Never if there is only one.
    pub fn is_stopped(&self, firsts: &Firsts, done: &Done) -> Result<bool, VerifyError> {
        let is_wrong =
            firsts.derived.is_some() || firsts.kept.is_some() || done.is_unsuited.load(Relaxed);
        Ok(self.peers.size() > 1 && self.any_says(is_wrong)?)
    }

    /// Adds what the other processes have done since the last time.
    pub fn share_counts(&self, done: &Done) -> Result<(), VerifyError> {
        let own = [&done.new_entries, &done.new_moves].map(|count| count.swap(0, Relaxed));
        done.moves.fetch_add(own[1], Relaxed);
        let told = tell(self.peers, bytemuck::cast_slice(&own))?;
        let others = (told.iter().enumerate()).filter(|&(process, _)| process != self.peers.rank());
        for (_, told) in others {
            if let &[entries, moves] = told.as_chunks().0 {
                self.progress.advance(u64::from_ne_bytes(entries));
                done.moves.fetch_add(u64::from_ne_bytes(moves), Relaxed);
            }
        }
        Ok(())
    }

    /// Gives all processes the codes of a layer in memory that the table leaves out, as far as each
    /// has derived those of its blocks.
    pub fn share_codes(&self, layer: usize) -> Result<(), VerifyError> {
        if self.peers.size() == 1 || !self.view.held.leaves_out(layer) {
            return Ok(());
        }
        let segments = self.view.held.outlines[layer].segments.iter();
        let blocks = segments
            .filter(|&&segment| self.view.held.plan.is_derived(segment))
            .flat_map(|&segment| self.view.held.tiles_of(segment));
        let mut tiles: Vec<Vec<_>> = (0..self.peers.size()).map(|_| Vec::new()).collect();
        for (block, tile) in blocks {
            tiles[self.owner(block)].push(tile);
        }
        let rank = self.peers.rank();
        let mut mine = entries_of(std::mem::take(&mut tiles[rank]));
        let mut entries: Vec<_> = tiles.into_iter().map(entries_of).collect();
        let next = || {
            let codes = mine
                .by_ref()
                .take(PIECE)
                .map(|entry| entry.load() & !E::MARK);
            let bytes = codes.flat_map(|code| code.to_le_bytes().into_iter().take(size_of::<E>()));
            let piece: Vec<u8> = bytes.collect();
            let to = |to| {
                if to == rank {
                    Vec::new()
                } else {
                    piece.clone()
                }
            };
            (0..self.peers.size()).map(to).collect()
        };
        pass(self.peers, next, |pieces| {
            for (piece, entries) in pieces.iter().zip(&mut entries) {
                for (code, entry) in piece.chunks_exact(size_of::<E>()).zip(entries) {
                    let code = code
                        .iter()
                        .rev()
                        .fold(0, |all, &byte| all << 8 | u16::from(byte));
                    entry.put_alone(code);
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Whether every entry has a mark of some process.
    pub fn is_all_reachable(&self) -> Result<bool, VerifyError> {
        for layer in 0..self.view.held.outlines.len() {
            let own;
            let marks = match self.view.held.is_there(layer) {
                true => {
                    own = self.view.held.marks_of(layer);
                    &own
                }
                false => &self.view.held.marks[layer],
            };
            if !self.any_says(marks.first_clear().is_none())? && !self.is_reached(layer, marks)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The same for the entries of a layer.
    fn is_reached(&self, layer: usize, marks: &Marks) -> Result<bool, VerifyError> {
        if self.peers.size() == 1 {
            return Ok(false);
        }
        let entries = self.view.held.outlines[layer].entries;
        for first in (0..entries).step_by(8 * PIECE) {
            let end = entries.min(first + 8 * PIECE as u64);
            let clear = clear_bits(marks, first, end);
            let all = tell(self.peers, bytemuck::cast_slice(&clear))?;
            let is_clear_in_all = |at: usize| {
                let byte = |clear: &Vec<u8>| clear.get(at).copied().unwrap_or(u8::MAX);
                all.iter().map(byte).fold(u8::MAX, |all, clear| all & clear) != 0
            };
            if (0..8 * clear.len()).any(is_clear_in_all) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all processes have come equally far.
    pub fn is_same_everywhere(&self) -> Result<bool, VerifyError> {
        let told = tell(self.peers, &(self.view.held.finished as u64).to_le_bytes())?;
        Ok(told.iter().all(|other| *other == told[0]))
    }
}

fn entries_of<E: Entry>(tiles: Vec<&LayerTile<E>>) -> impl Iterator<Item = &E> {
    tiles.into_iter().flat_map(LayerTile::entries)
}

/// A bit for each entry from one on, which is at a multiple of 64, to another that has no mark.
fn clear_bits(marks: &Marks, first: u64, end: u64) -> Vec<u64> {
    let words = (end - first).div_ceil(64) as usize;
    match marks {
        Marks::Unknown => {
            let mut bits = vec![u64::MAX; words];
            let rest = (end - first) % 64;
            if rest > 0 {
                bits[words - 1] = (1 << rest) - 1;
            }
            bits
        }
        Marks::Clear(bits) => bits[(first / 64) as usize..][..words].to_vec(),
        Marks::AllBut(list) => {
            let mut bits = vec![0; words];
            let from = list.partition_point(|&entry| entry < first);
            for entry in list[from..].iter().take_while(|&&entry| entry < end) {
                bits[((entry - first) / 64) as usize] |= 1u64 << (entry % 64);
            }
            bits
        }
    }
}
