//! A table's metadata as freely modifiable numbers and lists.
//!
//! It is read and written as `docs/reference/table-format.md` describes, without any checks, so the result
//! may be invalid.

/// The metadata; varints are raw numbers, signed ones in zigzag form.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// Rules, name, family, layer name.
    pub texts: [Vec<u8>; 4],
    pub mark: [u8; 3],
    pub layout: Layout,
}

#[derive(Clone, Debug)]
pub enum Layout {
    Ranked {
        tile_side: u64,
        segments: Vec<Segment>,
        derived: Vec<u64>,
        groups: Vec<Group>,
    },
    Keyed {
        key_bytes: u8,
        /// Block entries, lowest, step, highest.
        numbers: [u64; 4],
        layers: Vec<Layer>,
    },
}

#[derive(Clone, Debug)]
pub struct Segment {
    /// Rows, columns, lowest, step, highest, layer.
    pub numbers: [u64; 6],
    pub counts: Vec<u64>,
}

#[derive(Clone, Debug)]
pub struct Group {
    pub end: u64,
    pub distributions: Vec<u8>,
}

#[derive(Clone, Debug)]
pub struct Layer {
    pub layer: u64,
    pub counts: Vec<u64>,
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes.to_vec()
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1)[0]
    }

    fn number(&mut self) -> u64 {
        let length = match self.byte() {
            small @ 0..251 => return u64::from(small),
            251 => 2,
            252 => 4,
            _ => 8,
        };
        let bytes = self.bytes(length);
        bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let length = self.number();
        (0..length).map(|_| one(self)).collect()
    }

    fn text(&mut self) -> Vec<u8> {
        let length = self.number();
        self.bytes(length as usize)
    }
}

impl Metadata {
    /// Reads the metadata of an undamaged table.
    pub fn read(bytes: &[u8]) -> Metadata {
        let mut from = Reader(bytes);
        let texts = [(); 4].map(|()| from.text());
        let mark = [(); 3].map(|()| from.byte());
        let layout = match mark {
            [2, 0, 3] => Layout::Ranked {
                tile_side: from.number(),
                segments: from.list(|from| Segment {
                    numbers: [(); 6].map(|()| from.number()),
                    counts: from.list(Reader::number),
                }),
                derived: from.list(Reader::number),
                groups: from.list(|from| Group {
                    end: from.number(),
                    distributions: from.text(),
                }),
            },
            _ => Layout::Keyed {
                key_bytes: from.byte(),
                numbers: [(); 4].map(|()| from.number()),
                layers: from.list(|from| Layer {
                    layer: from.number(),
                    counts: from.list(Reader::number),
                }),
            },
        };
        assert!(from.0.is_empty(), "metadata are read to their end");
        Metadata {
            texts,
            mark,
            layout,
        }
    }

    pub fn write(&self) -> Vec<u8> {
        let mut to = Vec::new();
        for part in &self.texts {
            text(&mut to, part);
        }
        to.extend(self.mark);
        match &self.layout {
            Layout::Ranked {
                tile_side,
                segments,
                derived,
                groups,
            } => {
                number(&mut to, *tile_side);
                number(&mut to, segments.len() as u64);
                for segment in segments {
                    segment.numbers.iter().for_each(|&n| number(&mut to, n));
                    numbers(&mut to, &segment.counts);
                }
                numbers(&mut to, derived);
                number(&mut to, groups.len() as u64);
                for group in groups {
                    number(&mut to, group.end);
                    text(&mut to, &group.distributions);
                }
            }
            Layout::Keyed {
                key_bytes,
                numbers: fixed,
                layers,
            } => {
                to.push(*key_bytes);
                fixed.iter().for_each(|&n| number(&mut to, n));
                number(&mut to, layers.len() as u64);
                for layer in layers {
                    number(&mut to, layer.layer);
                    numbers(&mut to, &layer.counts);
                }
            }
        }
        to
    }

    /// Returns the wrapping sum of all counts.
    pub fn entries(&self) -> u64 {
        let sum = |counts: &Vec<u64>| {
            counts
                .iter()
                .fold(0u64, |sum, &count| sum.wrapping_add(count))
        };
        let sums: Vec<u64> = match &self.layout {
            Layout::Ranked { segments, .. } => segments.iter().map(|s| sum(&s.counts)).collect(),
            Layout::Keyed {
                numbers, layers, ..
            } => {
                // Of wide codes, there are pairs of a code and a count.
                let step = if is_wide(numbers) { 2 } else { 1 };
                let of_layer = |l: &Layer| {
                    let counts = l.counts.iter().skip(step - 1).step_by(step);
                    sum(&counts.copied().collect())
                };
                layers.iter().map(of_layer).collect()
            }
        };
        sum(&sums)
    }

    /// Returns every number except the lengths of lists.
    pub fn numbers(&mut self) -> Vec<&mut u64> {
        match &mut self.layout {
            Layout::Ranked {
                tile_side,
                segments,
                derived,
                groups,
            } => {
                let segments = segments
                    .iter_mut()
                    .flat_map(|s| s.numbers.iter_mut().chain(&mut s.counts));
                let ends = groups.iter_mut().map(|group| &mut group.end);
                std::iter::once(tile_side)
                    .chain(segments)
                    .chain(derived)
                    .chain(ends)
                    .collect()
            }
            Layout::Keyed {
                numbers, layers, ..
            } => {
                let layers = layers
                    .iter_mut()
                    .flat_map(|l| std::iter::once(&mut l.layer).chain(&mut l.counts));
                numbers.iter_mut().chain(layers).collect()
            }
        }
    }

    /// Returns the counts of each segment or layer.
    pub fn counts(&mut self) -> Vec<&mut Vec<u64>> {
        match &mut self.layout {
            Layout::Ranked { segments, .. } => segments.iter_mut().map(|s| &mut s.counts).collect(),
            Layout::Keyed { layers, .. } => layers.iter_mut().map(|l| &mut l.counts).collect(),
        }
    }
}

/// Returns whether codes take more than a byte, given block entries, lowest, step and highest.
fn is_wide(numbers: &[u64; 4]) -> bool {
    let signed = |number: u64| i128::from(number >> 1) ^ -i128::from(number & 1);
    let [lowest, step, highest] = [1, 2, 3].map(|at| signed(numbers[at]));
    match step {
        -1000 => true,
        ..=0 => false,
        _ => (highest - lowest) / step > 255,
    }
}

fn number(to: &mut Vec<u8>, number: u64) {
    match number {
        0..251 => to.push(number as u8),
        251..=0xffff => {
            to.push(251);
            to.extend((number as u16).to_le_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            to.push(252);
            to.extend((number as u32).to_le_bytes());
        }
        _ => {
            to.push(253);
            to.extend(number.to_le_bytes());
        }
    }
}

fn numbers(to: &mut Vec<u8>, list: &[u64]) {
    number(to, list.len() as u64);
    list.iter().for_each(|&n| number(to, n));
}

fn text(to: &mut Vec<u8>, bytes: &[u8]) {
    number(to, bytes.len() as u64);
    to.extend(bytes);
}
