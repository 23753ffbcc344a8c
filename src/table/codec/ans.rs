//! The entropy coder: asymmetric numeral systems (J. Duda, arXiv:1311.2540).
//!
//! The coder is a stack of 16-bit words under a 32-bit state. It writes the same words as
//! `AnsCoder<u16, u32, _>` of the crate `constriction`, which wrote the first tables but has ten
//! further dependencies.

use super::model::{Distribution, PRECISION};

/// Least state while words remain, which leaves enough bits for the next symbol.
const LEAST: u32 = 1 << 16;

/// Encodes symbols in reverse: the last one encoded is decoded first.
///
/// It owns its words: behind a reference, their number would be stored with every word.
pub struct Encoder {
    words: Vec<u16>,
    state: u32,
}

impl Encoder {
    /// Starts an empty stream in the memory of the vector.
    pub fn new(mut words: Vec<u16>) -> Encoder {
        words.clear();
        Encoder { words, state: 0 }
    }

    /// Encodes a symbol, whose frequency must not be 0.
    #[inline]
    pub fn push(&mut self, symbol: u8, distribution: &Distribution) {
        let (below, frequency) = distribution.share(usize::from(symbol));
        debug_assert!(frequency > 0, "symbol {symbol} can't come up");
        let (below, frequency) = (u32::from(below), u32::from(frequency.max(1)));
        if self.state >> (32 - PRECISION) >= frequency {
            self.words.push(self.state as u16);
            self.state >>= 16;
        }
        self.state = (self.state / frequency) << PRECISION | (below + self.state % frequency);
    }

    /// Returns the words with the remaining state. A decoder reads the last word first; it is never 0.
    pub fn finish(mut self) -> Vec<u16> {
        while self.state > 0 {
            self.words.push(self.state as u16);
            self.state >>= 16;
        }
        self.words
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
        let mut coder = Encoder::new(vec![1, 2, 3]);
        for &symbol in symbols.iter().rev() {
            coder.push(symbol, distribution);
        }
        let words = coder.finish();
        words
            .iter()
            .rev()
            .flat_map(|word| word.to_le_bytes())
            .collect()
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
