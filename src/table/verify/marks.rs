//! Marks of the entries that moves reach, for layers that are not in memory.

use crate::table::codec::deflate::{Decoder, Encoder};
use bincode::{Decode, Encode};

/// The deflated bits of a layer, set for each entry without a mark.
#[derive(Encode, Decode)]
pub struct Marks(Vec<u8>);

impl Marks {
    /// Returns the largest size of the marks of this many entries, in bytes.
    pub fn most_bytes(entries: u64) -> u64 {
        entries / 8 + 64
    }

    /// Deflates the bits of the entries without a mark.
    pub fn new(clear: &[u64]) -> Marks {
        let mut packed = Vec::new();
        Encoder::new(1).pack(bytemuck::cast_slice(clear), &mut packed);
        packed.shrink_to_fit();
        Marks(packed)
    }

    /// Returns the bits of the entries without a mark, or `None` if the size is wrong.
    pub fn clear_bits(&self, entries: u64) -> Option<Vec<u64>> {
        let mut clear = vec![0; entries.div_ceil(64) as usize];
        let bytes = bytemuck::cast_slice_mut(&mut clear);
        // Bytes that don't shrink are stored without deflating.
        let is_deflated = self.0.len() < bytes.len();
        let unpacked = Decoder::default().unpack(&self.0, is_deflated, bytes);
        unpacked.ok().map(|()| clear)
    }

    pub fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}
