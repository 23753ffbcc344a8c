//! A proof shared among processes.

use super::error::VerifyError;
use super::state::Proof;
use super::sweep::{Done, First};
use super::tile::{Entry, LayerTile};
use crate::game::Notation;
use crate::game::peers::{Peers, pass, tell};
use std::sync::atomic::Ordering::Relaxed;

/// So many bytes go to all others at once.
const PIECE: usize = 4 << 20;

/// The same in words.
const WORDS: usize = PIECE / 8;

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
    pub fn is_stopped(&self, first: &First, done: &Done) -> Result<bool, VerifyError> {
        let is_wrong = first.is_before(u64::MAX) || done.is_unsuited.load(Relaxed);
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
        if self.peers.size() == 1 || !self.view.leaves_out(layer) {
            return Ok(());
        }
        let mut tiles: Vec<Vec<_>> = (0..self.peers.size()).map(|_| Vec::new()).collect();
        for (block, tile) in self.view.derived_tiles(layer) {
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

    /// The first entry that has no mark of any process, by its layer and its number there.
    pub fn first_unmarked(&self) -> Result<Option<(usize, u64)>, VerifyError> {
        for layer in 0..self.view.layers.len() {
            let clear = self.view.clear_bits(layer);
            if self.any_says(clear.iter().all(|&bits| bits == 0))? {
                continue;
            }
            for (first, piece) in (0..).step_by(WORDS).zip(clear.chunks(WORDS)) {
                let told = tell(self.peers, bytemuck::cast_slice(piece))?;
                let word = |told: &[u8], at: usize| {
                    let word = told.as_chunks().0.get(at);
                    word.map_or(u64::MAX, |&word| u64::from_ne_bytes(word))
                };
                for at in 0..piece.len() {
                    let clear = told
                        .iter()
                        .fold(u64::MAX, |clear, told| clear & word(told, at));
                    if clear != 0 {
                        let bit = u64::from(clear.trailing_zeros());
                        return Ok(Some((layer, 64 * (first + at as u64) + bit)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether all processes have come equally far.
    pub fn is_same_everywhere(&self) -> Result<bool, VerifyError> {
        let told = tell(self.peers, &(self.view.finished as u64).to_le_bytes())?;
        Ok(told.iter().all(|other| *other == told[0]))
    }
}

fn entries_of<E: Entry>(tiles: Vec<&LayerTile<E>>) -> impl Iterator<Item = &E> {
    tiles.into_iter().flat_map(LayerTile::entries)
}
