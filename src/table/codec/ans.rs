//! The entropy coder: asymmetric numeral systems (J. Duda, arXiv:1311.2540).
//!
//! The coder is a stack of 16-bit words under a 32-bit state. It writes the same words as
//! `AnsCoder<u16, u32, _>` of the crate `constriction`, which wrote the first tables but has ten
//! further dependencies.

use super::model::{Distribution, PRECISION};

/// Least state while words remain, which leaves enough bits for the next symbol.
const LEAST: u32 = 1 << 16;

/// A power of two above the number of words in any stream of a cell.
const MOST_WORDS: usize = 1 << 11;

/// Encodes symbols in reverse: the last one encoded is decoded first.
pub struct Encoder {
    /// The words, of which a decoder reads the last one first.
    words: Box<[u16; MOST_WORDS]>,
    length: usize,
    state: u32,
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder {
            words: Box::new([0; MOST_WORDS]),
            length: 0,
            state: 0,
        }
    }
}

impl Encoder {
    /// Encodes a symbol with the sum of the frequencies below it and its own, which is not 0.
    #[inline(always)]
    pub fn push(&mut self, (below, frequency): (u16, u16)) {
        debug_assert!(frequency > 0, "a symbol that can't come up");
        let (below, frequency) = (u32::from(below), u32::from(frequency.max(1)));
        // Branches would be mispredicted often: always store the word, but keep it only if needed.
        let spilled = self.state >> (32 - PRECISION) >= frequency;
        self.words[self.length % MOST_WORDS] = self.state as u16;
        self.length += usize::from(spilled);
        self.state >>= 16 * u32::from(spilled);
        self.state = (self.state / frequency) << PRECISION | (below + self.state % frequency);
    }

    /// Ends the stream, appends its words to `out` in decoding order and returns their number.
    ///
    /// The first of them is never 0.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> usize {
        while self.state > 0 {
            self.words[self.length % MOST_WORDS] = self.state as u16;
            self.length += 1;
            self.state >>= 16;
        }
        let words = &self.words[..std::mem::take(&mut self.length)];
        out.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
        words.len()
    }
}

/// Decodes a stream of words in decoding order, each of two bytes, low byte first.
pub struct Decoder<'a> {
    words: &'a [u8],
    state: u32,
}

impl<'a> Decoder<'a> {
    /// Starts decoding.
    ///
    /// Returns `None` if the first word is 0, which no encoder writes.
    pub fn new(words: &'a [u8]) -> Option<Decoder<'a>> {
        let mut decoder = Decoder { words, state: 0 };
        decoder.refill();
        if decoder.state == 0 && words.len() > 1 {
            return None;
        }
        decoder.refill();
        Some(decoder)
    }

    #[inline(always)]
    pub fn pop(&mut self, distribution: &Distribution) -> u8 {
        let quantile = (self.state & ((1 << PRECISION) - 1)) as u16;
        let (symbol, below, frequency) = distribution.find(quantile);
        self.state = (self.state >> PRECISION) * u32::from(frequency) + u32::from(quantile - below);
        self.refill();
        symbol
    }

    /// Returns whether the stream is decoded completely.
    pub fn is_at_end(&self) -> bool {
        self.state == 0 && self.words.is_empty()
    }

    #[inline(always)]
    fn refill(&mut self) {
        if self.state < LEAST
            && let Some((word, rest)) = self.words.split_first_chunk::<2>()
        {
            self.words = rest;
            self.state = self.state << 16 | u32::from(u16::from_le_bytes(*word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encode(symbols: &[u8], distribution: &Distribution) -> Vec<u8> {
        let mut coder = Encoder::default();
        for &symbol in symbols.iter().rev() {
            coder.push(distribution.share(usize::from(symbol)));
        }
        let mut bytes = Vec::new();
        assert_eq!(2 * coder.finish(&mut bytes), bytes.len());
        bytes
    }

    /// Returns the distribution of one very frequent symbol and two others.
    ///
    /// The symbols between them are impossible.
    fn lopsided() -> Distribution {
        let mut frequencies = [0; 16];
        (frequencies[0], frequencies[2], frequencies[15]) = (16_000, 1, 383);
        Distribution::new(&frequencies)
    }

    /// Expects words computed by the paper's formulas with Python's integers.
    #[test]
    fn words_stay_as_they_are() {
        let symbols = [0, 0, 15, 0, 2, 0, 0, 0, 15, 2, 2, 0];
        let words: Vec<u16> = encode(&symbols, &lopsided())
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&word| u16::from_le_bytes(word))
            .collect();
        assert_eq!(words, [0x21, 0xd030, 0x1880, 0x3e80]);
        assert!(encode(&[], &lopsided()).is_empty());
    }

    #[test]
    fn a_first_word_of_0_is_refused() {
        assert!(Decoder::new(&[0, 0, 1, 0]).is_none());
        assert!(Decoder::new(&[]).unwrap().is_at_end());
    }

    proptest! {
        #[test]
        fn symbols_come_back(picks in prop::collection::vec(0..30_usize, 0..500)) {
            let distribution = lopsided();
            // Most symbols are the likely one.
            let symbols: Vec<u8> = picks.iter().map(|&pick| *[2, 15].get(pick).unwrap_or(&0)).collect();
            let words = encode(&symbols, &distribution);
            let mut decoder = Decoder::new(&words).unwrap();
            for symbol in symbols {
                prop_assert_eq!(decoder.pop(&distribution), symbol);
            }
            prop_assert!(decoder.is_at_end());
        }
    }
}
