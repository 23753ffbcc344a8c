//! One block of a ranked table: a tile, compressed.
//!
//! A block is a byte that says how (`FORM_…`), the length of the membership part (only if there is
//! one), the membership bitmap, and the codes of the present slots. An empty tile is an empty
//! block. Decoding checks everything.

use super::error::Fault;
use super::filter::Filter;
use crate::game::Tile;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// There is a bitmap; without it, all slots are present.
pub(super) const FORM_BITMAP: u8 = 1;
/// The first part (bitmap or keys) is deflated.
pub(super) const FORM_FIRST_DEFLATED: u8 = 2;
/// The codes are deflated.
pub(super) const FORM_CODES_DEFLATED: u8 = 4;

/// Compresses, with buffers that are used again.
pub(super) struct Encoder {
    compress: Compress,
    packed: Vec<u8>,
    raw: Vec<u8>,
    scratch: Vec<u8>,
}

impl Encoder {
    /// `level` is deflate's, 0 to 9.
    pub fn new(level: u32) -> Encoder {
        Encoder {
            compress: Compress::new(Compression::new(level.min(9)), false),
            packed: Vec::new(),
            raw: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Appends `raw` to `out`, deflated if that is shorter, and says whether it was.
    pub fn pack(&mut self, raw: &[u8], out: &mut Vec<u8>) -> bool {
        self.packed.clear();
        self.packed.resize(raw.len().saturating_sub(1), 0);
        self.compress.reset();
        let status = self
            .compress
            .compress(raw, &mut self.packed, FlushCompress::Finish);
        let deflated = matches!(status, Ok(Status::StreamEnd));
        if deflated {
            out.extend_from_slice(&self.packed[..self.compress.total_out() as usize]);
        } else {
            out.extend_from_slice(raw);
        }
        deflated
    }

    /// Appends the block of a tile to `out`; without a filter its codes are left out.
    pub fn tile(&mut self, tile: &Tile, codes: usize, filter: Option<Filter>, out: &mut Vec<u8>) {
        let slots = tile.codes.len();
        let count = tile.count();
        if count == 0 {
            return;
        }
        let start = out.len();
        let mut form = 0;
        out.push(0);
        let mut raw = std::mem::take(&mut self.raw);
        if count < slots as u64 {
            form |= FORM_BITMAP;
            out.extend([0, 0]);
            raw.clear();
            raw.extend(tile.present.iter().flat_map(|word| word.to_le_bytes()));
            raw.truncate(slots.div_ceil(8));
            if self.pack(&raw, out) {
                form |= FORM_FIRST_DEFLATED;
            }
            // At most 65,536 slots, so at most 8,192 bytes.
            let length = (out.len() - start - 3) as u16;
            out[start + 1..start + 3].copy_from_slice(&length.to_le_bytes());
        }
        if let Some(filter) = filter {
            filter.apply(tile, codes, &mut self.scratch, &mut raw);
            if self.pack(&raw, out) {
                form |= FORM_CODES_DEFLATED;
            }
        }
        out[start] = form;
        self.raw = raw;
    }
}

/// Room behind what a block inflates to: within the longest match of the end, inflating takes a
/// slow path.
const SLACK: usize = 320;

/// Decompresses, with buffers that are used again.
pub(super) struct Decoder {
    inflate: Decompress,
    inflated: Vec<u8>,
    raw: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder {
            inflate: Decompress::new(false),
            inflated: Vec::new(),
            raw: Vec::new(),
        }
    }
}

impl Decoder {
    /// Unpacks `stored` into exactly the whole of `out`.
    pub fn unpack(&mut self, stored: &[u8], deflated: bool, out: &mut [u8]) -> Result<(), Fault> {
        if !deflated {
            if stored.len() != out.len() {
                return Err(Fault::new(
                    "block",
                    format!("{} bytes", out.len()),
                    stored.len(),
                ));
            }
            out.copy_from_slice(stored);
            return Ok(());
        }
        self.inflate.reset(false);
        self.inflated.resize(out.len() + SLACK, 0);
        let status = self
            .inflate
            .decompress(stored, &mut self.inflated, FlushDecompress::Finish)
            .map_err(|cause| Fault::new("block", "deflated data", cause))?;
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        if status != Status::StreamEnd || read != stored.len() as u64 || written != out.len() as u64
        {
            let end = if status == Status::StreamEnd {
                "ended"
            } else {
                "not ended"
            };
            return Err(Fault::new(
                "block",
                format!("{} bytes that inflate to {}", stored.len(), out.len()),
                format!("{read} that inflate to {written}, {end}"),
            ));
        }
        out.copy_from_slice(&self.inflated[..out.len()]);
        Ok(())
    }

    /// Unpacks codes, each of which must be below `codes`, into a buffer that belongs to the
    /// decoder.
    fn codes(
        &mut self,
        stored: &[u8],
        deflated: bool,
        count: usize,
        codes: usize,
    ) -> Result<Vec<u8>, Fault> {
        let mut raw = std::mem::take(&mut self.raw);
        raw.resize(count, 0);
        self.unpack(stored, deflated, &mut raw)?;
        check_codes(&raw, codes)?;
        Ok(raw)
    }

    /// Decodes the block of a tile of this shape; without a filter its codes were left out.
    pub fn tile(
        &mut self,
        stored: &[u8],
        rows: u32,
        columns: u32,
        codes: usize,
        filter: Option<Filter>,
        tile: &mut Tile,
    ) -> Result<(), Fault> {
        tile.reset(rows, columns);
        let Some((&form, mut rest)) = stored.split_first() else {
            return Ok(());
        };
        let slots = tile.codes.len();
        let mut count = slots;
        let mut known = if form & FORM_BITMAP == 0 {
            FORM_CODES_DEFLATED
        } else {
            FORM_BITMAP | FORM_FIRST_DEFLATED | FORM_CODES_DEFLATED
        };
        if filter.is_none() {
            known &= !FORM_CODES_DEFLATED;
        }
        if form & !known != 0 {
            return Err(Fault::new("block", "a form of 0, 1, 3, 4, 5 or 7", form));
        }
        if form & FORM_BITMAP == 0 {
            tile.present.fill(!0);
            if let (used @ 1.., Some(last)) = (slots % 64, tile.present.last_mut()) {
                *last = !0 >> (64 - used);
            }
        } else {
            let parts = rest.split_first_chunk::<2>().and_then(|(length, rest)| {
                rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))
            });
            let Some((bitmap, after)) = parts else {
                return Err(Fault::new("block", "a membership bitmap", "an earlier end"));
            };
            rest = after;
            count = self.bitmap(
                bitmap,
                form & FORM_FIRST_DEFLATED != 0,
                slots,
                &mut tile.present,
            )?;
        }
        let Some(filter) = filter else {
            return match rest {
                [] => Ok(()),
                more => Err(Fault::new(
                    "block",
                    "no codes",
                    format!("{} bytes", more.len()),
                )),
            };
        };
        let residues = self.codes(rest, form & FORM_CODES_DEFLATED != 0, count, codes)?;
        filter.undo(tile, codes, &residues);
        self.raw = residues;
        Ok(())
    }

    /// Reads which slots are present and returns how many.
    fn bitmap(
        &mut self,
        stored: &[u8],
        deflated: bool,
        slots: usize,
        present: &mut [u64],
    ) -> Result<usize, Fault> {
        let mut raw = std::mem::take(&mut self.raw);
        raw.resize(slots.div_ceil(8), 0);
        self.unpack(stored, deflated, &mut raw)?;
        let mut count = 0;
        for (word, bytes) in present.iter_mut().zip(raw.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(padded);
            count += word.count_ones() as usize;
        }
        let beyond = !slots.is_multiple_of(64)
            && present.last().is_some_and(|last| last >> (slots % 64) != 0);
        // A tile without entries is an empty block, and a full one has no bitmap.
        if beyond || count == 0 || count == slots {
            return Err(Fault::new(
                "block",
                format!("a bitmap with some but not all of {slots} bits"),
                format!(
                    "{count} bits{}",
                    if beyond { ", some beyond the end" } else { "" }
                ),
            ));
        }
        self.raw = raw;
        Ok(count)
    }
}

/// An error unless all codes are below `codes`.
pub(super) fn check_codes(raw: &[u8], codes: usize) -> Result<(), Fault> {
    match raw.iter().copied().max() {
        Some(highest) if usize::from(highest) >= codes => {
            Err(Fault::new("block", format!("codes below {codes}"), highest))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILTERS: [Filter; 2] = [Filter::None, Filter::Gradient];

    fn tile(rows: u32, columns: u32, fill: impl Fn(usize) -> Option<u8>) -> Tile {
        let mut tile = Tile::default();
        tile.reset(rows, columns);
        for index in 0..tile.codes.len() {
            if let Some(code) = fill(index) {
                tile.set(index, code);
            }
        }
        tile
    }

    fn any_tile() -> impl Strategy<Value = (Tile, usize)> {
        (1..40u32, 1..40u32, 1..=256usize, 0..=4u32).prop_flat_map(
            |(rows, columns, codes, holes)| {
                let slots = (rows * columns) as usize;
                // Few, some, most or all slots present; codes at random or smooth.
                let slot = (0..4u32, 0..codes, 0..3usize);
                (prop::collection::vec(slot, slots), any::<bool>()).prop_map(
                    move |(values, smooth)| {
                        let tile = tile(rows, columns, |i| {
                            let (hole, code, wobble) = values[i];
                            let code = if smooth {
                                (i / 7 + wobble) % codes
                            } else {
                                code
                            };
                            (hole >= holes).then_some(code as u8)
                        });
                        (tile, codes)
                    },
                )
            },
        )
    }

    proptest! {
        #[test]
        fn tiles_come_back((tile, codes) in any_tile(), level in 0..=9u32) {
            for filter in FILTERS {
                let mut block = Vec::new();
                Encoder::new(level).tile(&tile, codes, Some(filter), &mut block);
                let mut back = Tile::default();
                Decoder::default().tile(&block, tile.rows, tile.columns, codes, Some(filter), &mut back).unwrap();
                prop_assert_eq!(&back, &tile);
            }
        }

        #[test]
        fn used_buffers_make_no_difference(tiles in prop::collection::vec(any_tile(), 1..4)) {
            let (mut encoder, mut decoder) = (Encoder::new(6), Decoder::default());
            for (tile, codes) in tiles {
                for filter in FILTERS {
                    let (mut block, mut fresh) = (Vec::new(), Vec::new());
                    encoder.tile(&tile, codes, Some(filter), &mut block);
                    Encoder::new(6).tile(&tile, codes, Some(filter), &mut fresh);
                    prop_assert_eq!(&block, &fresh);
                    let mut back = Tile::default();
                    decoder.tile(&block, tile.rows, tile.columns, codes, Some(filter), &mut back).unwrap();
                    prop_assert_eq!(&back, &tile);
                }
            }
        }

        /// Without the CRC before it, a decoder may read damage as another tile, but must not panic
        /// or leave impossible codes.
        #[test]
        fn damaged_blocks_never_panic((tile, codes) in any_tile(), at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
            for filter in FILTERS {
                let mut block = Vec::new();
                Encoder::new(6).tile(&tile, codes, Some(filter), &mut block);
                if block.is_empty() {
                    continue;
                }
                let at = at.index(block.len());
                if cut { block.truncate(at) } else { block[at] = byte }
                let mut back = Tile::default();
                let mut decoder = Decoder::default();
                if decoder.tile(&block, tile.rows, tile.columns, codes, Some(filter), &mut back).is_ok() {
                    prop_assert!(back.codes.iter().all(|&code| usize::from(code) < codes));
                    prop_assert_eq!(back.codes.len(), tile.codes.len());
                }
            }
        }

        #[test]
        fn noise_never_panics(noise: Vec<u8>) {
            let _ = Decoder::default().tile(&noise, 9, 11, 5, Some(Filter::Gradient), &mut Tile::default());
        }
    }

    #[test]
    fn a_full_tile_spends_a_byte_on_membership_and_an_empty_one_nothing() {
        let mut block = Vec::new();
        Encoder::new(6).tile(&tile(128, 128, |_| None), 5, Some(Filter::None), &mut block);
        assert!(block.is_empty());
        Encoder::new(6).tile(
            &tile(1, 3, |i| Some(i as u8)),
            5,
            Some(Filter::None),
            &mut block,
        );
        assert_eq!(block, [0, 0, 1, 2]);
    }

    #[test]
    fn a_stream_that_is_longer_or_shorter_than_it_should_be_is_an_error() {
        for length in [0usize, 1, 99, 101, 100_000] {
            let mut stored = vec![FORM_CODES_DEFLATED];
            let mut compress = Compress::new(Compression::new(6), false);
            stored.reserve(200_000);
            compress
                .compress_vec(&vec![1; length], &mut stored, FlushCompress::Finish)
                .unwrap();
            let result = Decoder::default().tile(
                &stored,
                10,
                10,
                5,
                Some(Filter::None),
                &mut Tile::default(),
            );
            assert!(result.is_err(), "{length}");
        }
        let mut trailing = Vec::new();
        Encoder::new(6).tile(
            &tile(10, 10, |_| Some(1)),
            5,
            Some(Filter::None),
            &mut trailing,
        );
        assert_eq!(trailing[0], FORM_CODES_DEFLATED);
        for end in 1..trailing.len() {
            let cut = &trailing[..end];
            let result =
                Decoder::default().tile(cut, 10, 10, 5, Some(Filter::None), &mut Tile::default());
            assert!(result.is_err(), "cut off after {end} bytes");
        }
        trailing.push(0);
        assert!(
            Decoder::default()
                .tile(
                    &trailing,
                    10,
                    10,
                    5,
                    Some(Filter::None),
                    &mut Tile::default()
                )
                .is_err()
        );
    }

    #[test]
    fn impossible_codes_and_bitmaps_are_errors() {
        let decode = |block: &[u8]| {
            Decoder::default().tile(block, 1, 3, 5, Some(Filter::None), &mut Tile::default())
        };
        assert!(decode(&[0, 4, 4, 4]).is_ok());
        assert!(decode(&[0, 4, 5, 4]).is_err(), "a code too high");
        assert!(decode(&[0, 4, 4]).is_err(), "too few codes");
        assert!(decode(&[0, 4, 4, 4, 4]).is_err(), "too many codes");
        assert!(decode(&[8, 4, 4, 4]).is_err(), "an unknown form");
        assert!(
            decode(&[2, 4, 4, 4]).is_err(),
            "a deflated bitmap that isn't there"
        );
        assert!(decode(&[1, 1, 0, 0b101, 4, 4]).is_ok());
        assert!(
            decode(&[1, 1, 0, 0b1001, 4, 4]).is_err(),
            "a bit beyond the end"
        );
        assert!(decode(&[1, 1, 0, 0]).is_err(), "no bits");
        assert!(decode(&[1, 1, 0, 0b111, 4, 4, 4]).is_err(), "all bits");
        assert!(
            decode(&[1, 9, 0, 0b101, 4, 4]).is_err(),
            "a bitmap longer than the block"
        );
        assert!(decode(&[1, 1]).is_err(), "half a length");
    }
}
