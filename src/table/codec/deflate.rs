//! Deflate compression of the keys and codes in keyed tables.

use crate::table::format::Difference;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// A compressor that reuses its buffers.
pub struct Encoder {
    compress: Compress,
    packed: Vec<u8>,
}

impl Encoder {
    /// Creates a compressor with a deflate level of 0 to 9.
    pub fn new(level: u32) -> Encoder {
        Encoder {
            compress: Compress::new(Compression::new(level.min(9)), false),
            packed: Vec::new(),
        }
    }

    /// Appends `raw` to `out`, deflated if that is shorter, and returns whether it was.
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
}

/// Extra bytes behind the output.
///
/// Inflating is slow when fewer bytes than the longest match remain in the buffer.
const SLACK: usize = 320;

/// A decompressor that reuses its buffers.
pub struct Decoder {
    inflate: Decompress,
    inflated: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder {
            inflate: Decompress::new(false),
            inflated: Vec::new(),
        }
    }
}

impl Decoder {
    /// Unpacks `stored` into `out`, which it must fill exactly.
    pub fn unpack(
        &mut self,
        stored: &[u8],
        deflated: bool,
        out: &mut [u8],
    ) -> Result<(), Difference> {
        if !deflated {
            Difference::check(out.len(), stored.len(), |length| format!("{length} bytes"))?;
            out.copy_from_slice(stored);
            return Ok(());
        }
        self.inflate.reset(false);
        self.inflated.resize(out.len() + SLACK, 0);
        let status = self
            .inflate
            .decompress(stored, &mut self.inflated, FlushDecompress::Finish)
            .map_err(|cause| Difference::new("deflated data", cause))?;
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        if status != Status::StreamEnd || read != stored.len() as u64 || written != out.len() as u64
        {
            return Err(Difference::new(
                format!("{} bytes that inflate to {}", stored.len(), out.len()),
                format!("{read} that inflate to {written}, {status:?}"),
            ));
        }
        out.copy_from_slice(&self.inflated[..out.len()]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(raw: &[u8], level: u32) -> (Vec<u8>, bool) {
        let mut out = Vec::new();
        let deflated = Encoder::new(level).pack(raw, &mut out);
        (out, deflated)
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in prop::collection::vec(0..9u8, 0..3000), level in 0..=9u32) {
            let (stored, deflated) = packed(&bytes, level);
            prop_assert!(stored.len() <= bytes.len());
            let mut back = vec![0; bytes.len()];
            Decoder::default().unpack(&stored, deflated, &mut back).unwrap();
            prop_assert_eq!(back, bytes);
        }

        #[test]
        fn used_buffers_make_no_difference(all in prop::collection::vec(prop::collection::vec(0..9u8, 0..3000), 1..4)) {
            let (mut encoder, mut decoder) = (Encoder::new(6), Decoder::default());
            for bytes in all {
                let mut stored = Vec::new();
                let deflated = encoder.pack(&bytes, &mut stored);
                prop_assert_eq!((&stored, deflated), (&packed(&bytes, 6).0, packed(&bytes, 6).1));
                let mut back = vec![0; bytes.len()];
                decoder.unpack(&stored, deflated, &mut back).unwrap();
                prop_assert_eq!(back, bytes);
            }
        }

        #[test]
        fn noise_never_panics(noise: Vec<u8>, deflated: bool) {
            let _ = Decoder::default().unpack(&noise, deflated, &mut [0; 99]);
        }
    }

    #[test]
    fn a_stream_that_is_longer_or_shorter_than_it_should_be_is_an_error() {
        let unpack =
            |stored: &[u8], deflated| Decoder::default().unpack(stored, deflated, &mut [0; 100]);
        for length in [0usize, 1, 99, 101, 100_000] {
            let mut stored = Vec::with_capacity(200_000);
            Compress::new(Compression::new(6), false)
                .compress_vec(&vec![1; length], &mut stored, FlushCompress::Finish)
                .unwrap();
            assert!(unpack(&stored, true).is_err(), "{length}");
            assert!(unpack(&vec![1; length], false).is_err(), "{length}");
        }
        let (mut stored, deflated) = packed(&[1; 100], 6);
        assert!(deflated && unpack(&stored, true).is_ok());
        for end in 0..stored.len() {
            assert!(
                unpack(&stored[..end], true).is_err(),
                "cut off after {end} bytes"
            );
        }
        stored.push(0);
        assert!(unpack(&stored, true).is_err());
    }

    #[test]
    fn bytes_that_would_grow_are_stored_as_they_are() {
        assert_eq!(packed(&[0, 1, 2], 6), (vec![0, 1, 2], false));
    }
}
