//! Blocks of keyed tables: ascending keys and their codes, compressed.
//!
//! A block is a form byte, the length of the keys part, the keys, and the codes. The first key is
//! in the index. Each later key is stored as the difference from the key before, in as many bytes
//! as a key. The lowest bytes of all differences come first, then the next bytes, and so on. Codes
//! of more than a byte are stored in the same order.

use super::deflate::{Decoder, Encoder};
use crate::game::code_bytes;
use crate::table::format::Difference;

/// Form bit: the keys are deflated.
const KEYS_DEFLATED: u8 = 2;
/// Form bit: the codes are deflated.
const CODES_DEFLATED: u8 = 4;

/// A decoded block.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
pub struct KeyedBlock {
    /// Keys of the entries, ascending.
    pub keys: Vec<u128>,
    /// Code of each key: all lowest bytes, then the next bytes, and so on ([`code_of`]).
    pub codes: Vec<u8>,
}

/// Returns the code at an index, from the bytes of `count` codes.
pub fn code_of(codes: &[u8], count: usize, index: usize) -> u32 {
    let bytes = codes[index..].iter().step_by(count);
    bytes
        .rev()
        .fold(0, |code, &byte| code << 8 | u32::from(byte))
}

/// Appends a block to `out`.
///
/// There is at least one key, and each fits into `key_bytes` bytes.
pub fn encode(
    keys: &[u128],
    codes: &[u8],
    key_bytes: usize,
    encoder: &mut Encoder,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    out.extend([0; 5]);
    let mut planes = Vec::with_capacity((keys.len() - 1) * key_bytes);
    for byte in 0..key_bytes {
        planes.extend(
            keys.windows(2)
                .map(|pair| ((pair[1] - pair[0]) >> (8 * byte)) as u8),
        );
    }
    let mut form = 0;
    if encoder.pack(&planes, out) {
        form |= KEYS_DEFLATED;
    }
    let length = (out.len() - start - 5) as u32;
    if encoder.pack(codes, out) {
        form |= CODES_DEFLATED;
    }
    out[start] = form;
    out[start + 1..start + 5].copy_from_slice(&length.to_le_bytes());
}

/// Decodes a block of `count` entries, which is at least 1.
pub fn decode(
    stored: &[u8],
    first_key: u128,
    count: usize,
    key_bytes: usize,
    codes: usize,
    decoder: &mut Decoder,
) -> Result<KeyedBlock, Difference> {
    let code_bytes = code_bytes(codes);
    // Split the block into its head, keys and codes.
    let parts = stored.split_first_chunk::<5>().and_then(|(head, rest)| {
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        Some((head[0], rest.split_at_checked(length as usize)?))
    });
    let Some((form, (packed_keys, packed_codes))) = parts else {
        return Err(Difference::new("keys", "an earlier end"));
    };
    if form & !(KEYS_DEFLATED | CODES_DEFLATED) != 0 {
        return Err(Difference::new("a form of 0, 2, 4 or 6", form));
    }
    // Add up the differences, whose bytes are apart.
    let steps = count - 1;
    let mut planes = vec![0; steps * key_bytes];
    decoder.unpack(packed_keys, form & KEYS_DEFLATED != 0, &mut planes)?;
    let mut block = KeyedBlock {
        keys: Vec::with_capacity(count),
        codes: vec![0; count * code_bytes],
    };
    let highest = u128::MAX >> (128 - 8 * key_bytes);
    let mut key = first_key;
    block.keys.push(key);
    for i in 0..steps {
        let difference = (0..key_bytes).fold(0, |sum, byte| {
            sum | u128::from(planes[byte * steps + i]) << (8 * byte)
        });
        key = match key.checked_add(difference) {
            Some(next) if difference > 0 && next <= highest => next,
            _ => {
                let expected = format!("ascending keys of {key_bytes} bytes");
                let found = format!("{key} followed by {key} + {difference}");
                return Err(Difference::new(expected, found));
            }
        };
        block.keys.push(key);
    }
    decoder.unpack(packed_codes, form & CODES_DEFLATED != 0, &mut block.codes)?;
    let highest = match code_bytes {
        1 => block.codes.iter().max().map(|&code| code.into()),
        _ => (0..count)
            .map(|index| code_of(&block.codes, count, index))
            .max(),
    };
    match highest {
        Some(highest) if highest as usize >= codes => {
            Err(Difference::new(format!("codes below {codes}"), highest))
        }
        _ => Ok(block),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a block, the size of its keys, and the number of codes.
    fn any_block() -> impl Strategy<Value = (KeyedBlock, usize, usize)> {
        let codes = prop::sample::select(vec![7, 256, 300, 1 << 16, 70_000, 1 << 29]);
        (1..=16usize, 1..300usize, codes).prop_flat_map(|(key_bytes, count, codes)| {
            let mask = u128::MAX >> (128 - 8 * key_bytes);
            (
                prop::collection::btree_set(
                    any::<u128>().prop_map(move |key| key & mask),
                    1..=count,
                ),
                any::<u64>(),
            )
                .prop_map(move |(keys, seed)| {
                    let code = |i: u64| (i.wrapping_mul(seed) % codes as u64) as usize;
                    let all: Vec<usize> = (0..keys.len() as u64).map(code).collect();
                    let byte = |at: usize| move |code: &usize| (code >> (8 * at)) as u8;
                    let bytes = (0..code_bytes(codes)).flat_map(|at| all.iter().map(byte(at)));
                    (
                        KeyedBlock {
                            keys: keys.into_iter().collect(),
                            codes: bytes.collect(),
                        },
                        key_bytes,
                        codes,
                    )
                })
        })
    }

    proptest! {
        #[test]
        fn blocks_come_back((block, key_bytes, codes) in any_block()) {
            let mut stored = Vec::new();
            encode(&block.keys, &block.codes, key_bytes, &mut Encoder::new(6), &mut stored);
            let back = decode(&stored, block.keys[0], block.keys.len(), key_bytes, codes, &mut Decoder::default());
            prop_assert_eq!(back.unwrap(), block);
        }

        #[test]
        fn damaged_blocks_never_panic((block, key_bytes, codes) in any_block(), at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
            let mut stored = Vec::new();
            encode(&block.keys, &block.codes, key_bytes, &mut Encoder::new(6), &mut stored);
            let at = at.index(stored.len());
            if cut { stored.truncate(at) } else { stored[at] = byte }
            if let Ok(back) = decode(&stored, block.keys[0], block.keys.len(), key_bytes, codes, &mut Decoder::default()) {
                prop_assert!(back.keys.is_sorted_by(|a, b| a < b));
                let code = |index| code_of(&back.codes, back.keys.len(), index) as usize;
                prop_assert!((0..back.keys.len()).all(|index| code(index) < codes));
            }
        }
    }

    #[test]
    fn keys_that_do_not_ascend_or_do_not_fit_are_errors() {
        let decode = |difference: u8| {
            decode(
                &[0, 1, 0, 0, 0, difference, 3, 3],
                250,
                2,
                1,
                7,
                &mut Decoder::default(),
            )
        };
        assert_eq!(decode(5).unwrap().keys, [250, 255]);
        assert!(decode(0).is_err());
        assert!(decode(6).is_err());
    }

    #[test]
    fn impossible_forms_lengths_and_codes_are_errors() {
        let decode = |block: &[u8]| decode(block, 250, 3, 1, 5, &mut Decoder::default());
        assert!(decode(&[0, 2, 0, 0, 0, 1, 1, 4, 4, 4]).is_ok());
        assert!(
            decode(&[0, 2, 0, 0, 0, 1, 1, 4, 5, 4]).is_err(),
            "a code too high"
        );
        assert!(
            decode(&[0, 2, 0, 0, 0, 1, 1, 4, 4]).is_err(),
            "too few codes"
        );
        assert!(
            decode(&[0, 2, 0, 0, 0, 1, 1, 4, 4, 4, 4]).is_err(),
            "too many codes"
        );
        assert!(
            decode(&[1, 2, 0, 0, 0, 1, 1, 4, 4, 4]).is_err(),
            "an unknown form"
        );
        assert!(
            decode(&[8, 2, 0, 0, 0, 1, 1, 4, 4, 4]).is_err(),
            "an unknown form"
        );
        assert!(
            decode(&[2, 2, 0, 0, 0, 1, 1, 4, 4, 4]).is_err(),
            "not deflated"
        );
        assert!(
            decode(&[0, 9, 0, 0, 0, 1, 1, 4, 4, 4]).is_err(),
            "keys longer than the block"
        );
        assert!(
            decode(&[0, 1, 0, 0, 0, 1, 1, 4, 4, 4]).is_err(),
            "too few keys"
        );
        assert!(decode(&[0, 2, 0]).is_err(), "half a length");
        assert!(decode(&[]).is_err(), "nothing");
    }
}
