//! Which entries of a layer are known to be reached, while the layer is not in memory.

use crate::table::codec::deflate::{Decoder, Encoder};

/// A bit for each entry of a layer that has no mark, deflated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marks(pub Vec<u8>);

impl Marks {
    /// At most the bytes that the marks of so many entries take.
    pub fn most_bytes(entries: u64) -> u64 {
        entries / 8 + 64
    }

    /// From the bits of the entries without a mark.
    pub fn new(clear: &[u64]) -> Marks {
        let mut packed = Vec::new();
        Encoder::new(1).pack(bytemuck::cast_slice(clear), &mut packed);
        packed.shrink_to_fit();
        Marks(packed)
    }

    /// The bits of the entries without a mark; nothing if these are not marks of so many entries.
    pub fn clear_bits(&self, entries: u64) -> Option<Vec<u64>> {
        let mut clear = vec![0; entries.div_ceil(64) as usize];
        let bytes = bytemuck::cast_slice_mut(&mut clear);
        // Bytes that don't shrink are kept as they are.
        let is_deflated = self.0.len() < bytes.len();
        let unpacked = Decoder::default().unpack(&self.0, is_deflated, bytes);
        unpacked.ok().map(|()| clear)
    }

    pub fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}
