//! Metadata: a table's description of itself.
//!
//! `bincode` encodes the header and the metadata. The crate has been unmaintained since December
//! 2025 (RUSTSEC-2025-0141). But its encoding is simple and fixed, and docs/reference/table-format.md
//! describes the part that is used here. So the crate could be replaced in this module without
//! changing the format. Decoding has a size limit.

use super::header::Difference;
use crate::game::{MOST_CODES, ScoreRange, Segment};
use bincode::{Decode, Encode};
use std::borrow::Cow;

/// Largest size of metadata in bytes, in the file and in memory.
pub const METADATA_LIMIT: usize = 64 << 20;

/// Largest size of a name or a rules string in bytes.
const TEXT_LIMIT: usize = 1000;

/// Number of slots up to which segments are added to a group.
///
/// A smaller group would not be worth the space of its distributions in the table and in memory.
const GROUP_SLOTS: u64 = 1 << 22;

/// A table's description of itself.
///
/// Nothing here depends on when or how a table was made: the same input gives the same bytes.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// Rules string of the game ([`crate::game::Notation::rules`]).
    pub rules: String,
    /// Name of the game, such as `kalah(6,2)`.
    pub name: String,
    /// Family of the game, such as `kalah`.
    pub family: String,
    /// Unit that layers count, such as seeds.
    pub layer_name: String,
    /// Layout of the entries.
    pub layout: Layout,
}

/// Layout of the entries: how a position's entry is found in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// The rank of a position determines its block and slot.
    Ranked(RankedLayout),
    /// Entries are sorted by key.
    Keyed(KeyedLayout),
}

/// Bytes before the fields of each layout.
///
/// One byte would be enough. There are three because drafts of the format had more layouts.
mod mark {
    pub const RANKED: [u8; 3] = [2, 0, 3];
    pub const KEYED: [u8; 3] = [1, 0, 1];
}

impl Encode for Layout {
    fn encode<E: bincode::enc::Encoder>(
        &self,
        encoder: &mut E,
    ) -> Result<(), bincode::error::EncodeError> {
        match self {
            Layout::Ranked(ranked) => {
                mark::RANKED.encode(encoder)?;
                ranked.encode(encoder)
            }
            Layout::Keyed(keyed) => {
                mark::KEYED.encode(encoder)?;
                keyed.encode(encoder)
            }
        }
    }
}

impl<Context> Decode<Context> for Layout {
    fn decode<D: bincode::de::Decoder<Context = Context>>(
        decoder: &mut D,
    ) -> Result<Layout, bincode::error::DecodeError> {
        match <[u8; 3]>::decode(decoder)? {
            mark::RANKED => RankedLayout::decode(decoder).map(Layout::Ranked),
            mark::KEYED => KeyedLayout::decode(decoder).map(Layout::Keyed),
            other => Err(bincode::error::DecodeError::OtherString(format!(
                "{other:?} is the mark of no layout"
            ))),
        }
    }
}

bincode::impl_borrow_decode!(Layout);

impl Layout {
    /// Returns the ranked layout, if the table has ranks.
    pub fn ranked(&self) -> Option<&RankedLayout> {
        match self {
            Layout::Ranked(ranked) => Some(ranked),
            Layout::Keyed(_) => None,
        }
    }

    /// Returns the layer of a segment's entries; `None` in a table with keys.
    pub fn layer(&self, segment: u32) -> Option<u32> {
        Some(self.ranked()?.segments[segment as usize].layer)
    }

    /// Returns the number of entries of a segment with each code; of all if codes take more than a
    /// byte.
    ///
    /// A table with keys has a single segment.
    pub(in crate::table) fn counts(&self, segment: u32) -> Cow<'_, [u64]> {
        match self {
            Layout::Ranked(ranked) => (&ranked.segments[segment as usize].counts).into(),
            Layout::Keyed(keyed) => {
                let is_wide = keyed.scores.code_bytes() > 1;
                let mut sums = vec![0; if is_wide { 1 } else { keyed.scores.codes() }];
                for layer in &keyed.layers {
                    for (code, count) in pairs(keyed.scores, &layer.counts) {
                        sums[if is_wide { 0 } else { code as usize }] += count;
                    }
                }
                sums.into()
            }
        }
    }

    /// Returns the groups of segments; none in a table with keys.
    pub(in crate::table) fn groups(&self) -> &[GroupRecord] {
        self.ranked().map_or(&[], |ranked| &ranked.groups)
    }

    /// Returns the numbers of the segments without stored scores, ascending.
    pub fn derived(&self) -> &[u32] {
        self.ranked().map_or(&[], |ranked| &ranked.derived)
    }
}

/// The layout of a table with ranks: matrices of slots, and their distributions.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct RankedLayout {
    /// Largest side of a tile: it has at most `tile_side * tile_side` slots.
    pub tile_side: u32,
    /// The matrices in the order of the file.
    pub segments: Vec<SegmentRecord>,
    /// Numbers of the segments whose scores are omitted, ascending.
    ///
    /// Their scores follow from those of other segments. There may be no such segments.
    pub derived: Vec<u32>,
    /// Groups of segments with the same distributions, in order, covering all.
    pub groups: Vec<GroupRecord>,
}

/// A group of neighbouring segments that are coded with the same distributions.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct GroupRecord {
    /// Number of the segment after the group's last.
    pub end: u32,
    /// Distributions of the group's contexts, deflated.
    pub distributions: Vec<u8>,
}

/// One matrix of slots.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct SegmentRecord {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// Scores for which the codes stand.
    #[bincode(with_serde)]
    pub scores: ScoreRange,
    /// Layer of all positions in the segment.
    pub layer: u32,
    /// Number of entries with each code.
    pub counts: Vec<u64>,
}

/// The layout of a table with keys: entries sorted by key.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct KeyedLayout {
    /// Size of a key in bytes.
    pub key_bytes: u8,
    /// Number of entries per block; the last block may have fewer.
    pub block_entries: u32,
    /// Scores for which the codes stand.
    #[bincode(with_serde)]
    pub scores: ScoreRange,
    /// Layers with entries, ascending.
    pub layers: Vec<LayerRecord>,
}

/// The entries of one layer of a keyed table.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct LayerRecord {
    /// Number of the layer.
    pub layer: u32,
    /// Number of entries with each code. If codes take more than a byte: the codes that occur,
    /// ascending, each followed by its number of entries.
    pub counts: Vec<u64>,
}

/// Returns the codes that occur, with the number of entries of each ([`LayerRecord::counts`]).
pub fn pairs(scores: ScoreRange, counts: &[u64]) -> Box<dyn Iterator<Item = (u32, u64)> + '_> {
    if scores.code_bytes() > 1 {
        let pairs = counts.as_chunks().0.iter();
        return Box::new(pairs.map(|&[code, count]| (code as u32, count)));
    }
    let all = (0..).zip(counts.iter().copied());
    Box::new(all.filter(|&(_, count)| count > 0))
}

impl SegmentRecord {
    pub(in crate::table) fn new(segment: &Segment) -> SegmentRecord {
        SegmentRecord {
            rows: segment.rows,
            columns: segment.columns,
            scores: segment.scores,
            layer: segment.layer,
            counts: vec![0; segment.scores.codes()],
        }
    }

    /// Returns the described matrix.
    ///
    /// [`Layout::derived`] tells if its scores are omitted.
    pub fn segment(&self, derived: bool) -> Segment {
        Segment {
            derived,
            rows: self.rows,
            columns: self.columns,
            scores: self.scores,
            layer: self.layer,
        }
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> u64 {
        self.segment(false).slots()
    }
}

impl Metadata {
    pub(in crate::table) fn encode(&self) -> Result<Vec<u8>, Difference> {
        let found = match bincode::encode_to_vec(self, bincode::config::standard()) {
            Ok(bytes) if bytes.len() <= METADATA_LIMIT => return Ok(bytes),
            Ok(bytes) => format!("{} bytes of metadata", bytes.len()),
            Err(cause) => cause.to_string(),
        };
        let expected = "a table that can be described in 64 MiB";
        Err(Difference::new(expected, found))
    }

    /// Decodes metadata and checks everything that later code relies on.
    pub(in crate::table) fn decode(bytes: &[u8]) -> Result<Metadata, Difference> {
        let config = bincode::config::standard().with_limit::<METADATA_LIMIT>();
        let (metadata, read) = bincode::decode_from_slice::<Metadata, _>(bytes, config)
            .map_err(|cause| Difference::new("the description of a table", cause))?;
        Difference::check(read, bytes.len(), |length| format!("{length} bytes"))?;
        metadata.check()?;
        Ok(metadata)
    }

    fn check(&self) -> Result<(), Difference> {
        let fault = |expected: &'static str, found: String| Err(Difference::new(expected, found));
        let texts = [&self.rules, &self.name, &self.family, &self.layer_name];
        if let Some(text) = texts.iter().find(|text| text.len() > TEXT_LIMIT) {
            return fault(
                "names of at most 1000 bytes",
                format!("{} bytes", text.len()),
            );
        }
        match &self.layout {
            Layout::Ranked(ranked) => check_ranked(ranked)?,
            Layout::Keyed(keyed) => {
                if !(1..=16).contains(&keyed.key_bytes)
                    || !(1..=1 << 16).contains(&keyed.block_entries)
                {
                    return fault(
                        "keys of 1 to 16 bytes and blocks of 1 to 65536 entries",
                        format!("{} bytes, {} entries", keyed.key_bytes, keyed.block_entries),
                    );
                }
                // Check the scores here, too: there may be no layers.
                codes_for(keyed.scores, MOST_CODES)?;
                for layer in &keyed.layers {
                    check_scores(keyed.scores, MOST_CODES, &layer.counts)?;
                    if layer.counts.iter().all(|&count| count == 0) {
                        return fault("layers with entries", format!("none in {}", layer.layer));
                    }
                }
                if !keyed.layers.is_sorted_by(|a, b| a.layer < b.layer) {
                    return fault("ascending layers", "layers out of order".into());
                }
            }
        }
        Ok(())
    }

    /// Returns the number of entries, or `None` if it doesn't fit into 64 bits.
    pub(in crate::table) fn entries(&self) -> Option<u64> {
        let mut counts = self
            .parts()
            .flat_map(|(_, scores, counts)| pairs(scores, counts));
        counts.try_fold(0u64, |sum, (_, count)| sum.checked_add(count))
    }

    /// Returns the layer, scores and counts per code of each segment or layer.
    pub(in crate::table) fn parts(
        &self,
    ) -> Box<dyn Iterator<Item = (u32, ScoreRange, &[u64])> + '_> {
        match &self.layout {
            Layout::Ranked(ranked) => {
                let segments = ranked.segments.iter();
                Box::new(segments.map(|it| (it.layer, it.scores, &it.counts[..])))
            }
            Layout::Keyed(keyed) => {
                let layers = keyed.layers.iter();
                Box::new(layers.map(|it| (it.layer, keyed.scores, &it.counts[..])))
            }
        }
    }
}

fn check_ranked(ranked: &RankedLayout) -> Result<(), Difference> {
    if !(8..=256).contains(&ranked.tile_side) {
        return Err(Difference::new(
            "tiles with a side of 8 to 256",
            ranked.tile_side.to_string(),
        ));
    }
    for segment in &ranked.segments {
        if segment.rows == 0 || segment.columns == 0 {
            return Err(Difference::new(
                "segments with rows and columns",
                format!("{} rows and {} columns", segment.rows, segment.columns),
            ));
        }
        check_scores(segment.scores, 256, &segment.counts)?;
    }
    check_derived(ranked, &ranked.derived)?;
    let segments = ranked.segments.iter();
    let ends = group_ends(segments.map(|segment| (segment.slots(), segment.layer)));
    let groups = ranked.groups.iter().map(|group| group.end as usize);
    Difference::check(ends, groups.collect(), |ends| {
        format!("groups of segments up to {ends:?}")
    })
}

/// Returns the ends of the groups, given the slots and the layer of each segment.
///
/// A group consists of whole layers and has at least [`GROUP_SLOTS`] slots; the last one takes the
/// remaining segments.
pub fn group_ends(segments: impl IntoIterator<Item = (u64, u32)>) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut slots = 0u64;
    let mut count = 0;
    let mut segments = segments.into_iter().peekable();
    while let Some((more, layer)) = segments.next() {
        slots = slots.saturating_add(more);
        count += 1;
        let next = segments.peek();
        if slots >= GROUP_SLOTS && next.is_none_or(|&(_, next)| next != layer) {
            ends.push(count);
            slots = 0;
        }
    }
    if slots > 0 {
        ends.pop();
        ends.push(count);
    }
    ends
}

fn check_derived(ranked: &RankedLayout, derived: &[u32]) -> Result<(), Difference> {
    let count = ranked.segments.len();
    let known = derived.last().is_none_or(|&last| (last as usize) < count);
    if !known || !derived.is_sorted_by(|a, b| a < b) {
        return Err(Difference::new(
            format!("ascending numbers of derived segments below {count}"),
            "others",
        ));
    }
    let counts = |&&segment: &&u32| ranked.segments[segment as usize].counts.len();
    match derived.iter().find(|segment| counts(segment) > 255) {
        None => Ok(()),
        Some(segment) => Err(Difference::new(
            "at most 255 scores in a derived segment",
            segment,
        )),
    }
}

/// Returns the number of codes for these scores.
///
/// It is an error if there are more than `most`.
pub fn codes_for(scores: ScoreRange, most: usize) -> Result<usize, Difference> {
    match scores.is_sound() && scores.codes() <= most {
        true => Ok(scores.codes()),
        false => Err(Difference::new(
            format!("1 to {most} different scores"),
            scores,
        )),
    }
}

fn check_scores(scores: ScoreRange, most: usize, counts: &[u64]) -> Result<(), Difference> {
    let codes = codes_for(scores, most)?;
    if scores.code_bytes() > 1 {
        let (pairs, rest) = counts.as_chunks::<2>();
        let is_right = rest.is_empty()
            && pairs.is_sorted_by(|one, next| one[0] < next[0])
            && pairs
                .iter()
                .all(|pair| pair[0] < codes as u64 && pair[1] > 0);
        let fault = || Difference::new("ascending codes with counts", format!("{counts:?}"));
        return is_right.then_some(()).ok_or_else(fault);
    }
    Difference::check(codes, counts.len(), |count| {
        format!("{count} counts of codes")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Metadata {
        Metadata {
            rules: "nim heaps=3".into(),
            name: "nim(3)".into(),
            family: "nim".into(),
            layer_name: "stones".into(),
            layout: Layout::Ranked(RankedLayout {
                tile_side: 128,
                segments: vec![SegmentRecord {
                    rows: 300,
                    columns: 2,
                    scores: ScoreRange {
                        lowest: -3,
                        step: 2,
                        highest: 3,
                    },
                    layer: 9,
                    counts: vec![1, 300, 70_000, 0],
                }],
                derived: vec![0],
                groups: vec![GroupRecord {
                    end: 1,
                    distributions: vec![7, 8],
                }],
            }),
        }
    }

    /// Expects the bytes that docs/reference/table-format.md describes, written by hand.
    #[test]
    fn the_encoding_is_the_documented_one() {
        let mut expected = Vec::new();
        for text in ["nim heaps=3", "nim(3)", "nim", "stones"] {
            expected.push(text.len() as u8);
            expected.extend(text.bytes());
        }
        expected.extend([2, 0, 3]);
        expected.extend([128, 1]);
        expected.extend([251, 44, 1, 2, 5, 4, 6, 9]);
        expected.extend([4, 1, 251, 44, 1, 252, 0x70, 0x11, 1, 0, 0]);
        expected.extend([1, 0]);
        expected.extend([1, 1, 2, 7, 8]);
        assert_eq!(metadata().encode().unwrap(), expected);
        assert_eq!(Metadata::decode(&expected).unwrap(), metadata());
    }

    #[test]
    fn lengths_that_lie_are_errors_and_take_no_memory() {
        let good = metadata().encode().unwrap();
        let mut lying = vec![253];
        lying.extend((1u64 << 60).to_le_bytes());
        // The false length replaces the first string's length, then the number of segments.
        assert!(Metadata::decode(&[&lying[..], &good[1..]].concat()).is_err());
        let segments = 30 + 3 + 1;
        assert_eq!(good[segments], 1);
        let bad = [&good[..segments], &lying[..], &good[segments + 1..]].concat();
        assert!(Metadata::decode(&bad).is_err());
        for end in 0..good.len() {
            assert!(Metadata::decode(&good[..end]).is_err());
        }
        assert!(Metadata::decode(&[&good[..], &[0]].concat()).is_err());
    }

    #[test]
    fn impossible_values_are_errors() {
        let broken: [fn(&mut Metadata); 13] = [
            |m| ranked(m).derived = vec![1],
            |m| ranked(m).derived = vec![0, 0],
            |m| ranked(m).groups.clear(),
            |m| ranked(m).groups[0].end = 2,
            |m| {
                let group = ranked(m).groups[0].clone();
                ranked(m).groups.push(group);
            },
            |m| ranked(m).tile_side = 0,
            |m| ranked(m).segments[0].rows = 0,
            |m| ranked(m).segments[0].columns = 0,
            |m| ranked(m).segments[0].scores.step = 0,
            |m| ranked(m).segments[0].scores.lowest = i32::MIN,
            |m| ranked(m).segments[0].scores.highest = i32::MAX,
            |m| ranked(m).segments[0].scores.step = -2,
            |m| ranked(m).segments[0].counts.push(0),
        ];
        for (i, breaks) in broken.iter().enumerate() {
            let mut bad = metadata();
            breaks(&mut bad);
            assert!(Metadata::decode(&bad.encode().unwrap()).is_err(), "{i}");
        }
    }

    fn ranked(metadata: &mut Metadata) -> &mut RankedLayout {
        match &mut metadata.layout {
            Layout::Ranked(ranked) => ranked,
            Layout::Keyed(_) => unreachable!(),
        }
    }

    #[test]
    fn a_layout_of_no_known_mark_is_an_error() {
        let good = metadata().encode().unwrap();
        for (at, byte) in [(30, 1), (31, 1), (32, 0), (32, 1), (32, 2)] {
            let mut bad = good.clone();
            assert_ne!(bad[at], byte);
            bad[at] = byte;
            assert!(Metadata::decode(&bad).is_err(), "{at} {byte}");
        }
    }
}
