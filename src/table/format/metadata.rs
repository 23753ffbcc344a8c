//! What a table says about itself.
//!
//! Header and metadata are written by `bincode`. The crate has been unmaintained since December 2025
//! (RUSTSEC-2025-0141); its encoding is simple and fixed (docs/table-format.md gives all of it that
//! is used), so that it could be replaced in this folder without a change of format. Decoding is
//! limited in size.

use super::difference::Difference;
use crate::game::{ScoreRange, Segment};
use bincode::{Decode, Encode};
use std::borrow::Cow;

/// The most bytes that metadata may take, in the file and in memory.
pub const METADATA_LIMIT: usize = 64 << 20;

/// The most bytes that a name or a rules string may take.
const TEXT_LIMIT: usize = 1000;

/// Segments are grouped until the group has so many slots: distributions of its own have to pay for
/// their place in the table, and for theirs in memory.
const GROUP_SLOTS: u64 = 1 << 22;

/// What a table says about itself. Same input, same bytes: nothing here depends on when or how a
/// table was made.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// The rules string of the game ([`crate::game::Notation::rules`]).
    pub rules: String,
    /// The game's name: `kalah(6,2)`.
    pub name: String,
    /// The game's family: `kalah`.
    pub family: String,
    /// What a layer counts.
    pub layer_name: String,
    /// How positions become places in the file.
    pub layout: Layout,
}

/// How positions become places in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// The rank of a position finds its block and slot.
    Ranked(RankedLayout),
    /// Entries are sorted by key.
    Keyed(KeyedLayout),
}

/// What stands before the fields of each layout. One byte would do; there are three because drafts
/// of the format had more layouts.
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
    /// The matrices, if the table has ranks.
    #[must_use]
    pub fn ranked(&self) -> Option<&RankedLayout> {
        match self {
            Layout::Ranked(ranked) => Some(ranked),
            Layout::Keyed(_) => None,
        }
    }

    /// The layer of all entries of a segment; nothing if they are listed, and of any layer.
    #[must_use]
    pub fn layer(&self, segment: u32) -> Option<u32> {
        Some(self.ranked()?.segments[segment as usize].layer)
    }

    /// How many entries of a segment have each code; the only segment of a table with keys is all
    /// of it.
    pub(in crate::table) fn counts(&self, segment: u32) -> Cow<'_, [u64]> {
        match self {
            Layout::Ranked(ranked) => (&ranked.segments[segment as usize].counts).into(),
            Layout::Keyed(keyed) => {
                let mut sums = vec![0; keyed.scores.codes()];
                for layer in &keyed.layers {
                    sums.iter_mut()
                        .zip(&layer.counts)
                        .for_each(|(sum, n)| *sum += n);
                }
                sums.into()
            }
        }
    }

    /// The numbers of the segments whose scores are left out, ascending.
    #[must_use]
    pub fn derived(&self) -> &[u32] {
        self.ranked().map_or(&[], |ranked| &ranked.derived)
    }
}

/// The matrices of a ranking, which of them are stored without scores, and the distributions that
/// they are coded with.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct RankedLayout {
    /// A tile has at most `tile_side * tile_side` slots.
    pub tile_side: u32,
    /// The matrices, in the order of the file.
    pub segments: Vec<SegmentRecord>,
    /// The numbers of the segments whose scores are left out, for they follow from others';
    /// ascending, and there may be none.
    pub derived: Vec<u32>,
    /// Segments that share their distributions, in order; together all of them.
    pub groups: Vec<GroupRecord>,
}

/// Neighbouring segments that are coded with the same distributions.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct GroupRecord {
    /// The number of the segment after its last.
    pub end: u32,
    /// The distributions, deflated.
    pub distributions: Vec<u8>,
}

/// One matrix of slots.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct SegmentRecord {
    /// How many rows.
    pub rows: u32,
    /// How many columns.
    pub columns: u32,
    /// The scores that its codes stand for.
    pub scores: ScoreRange,
    /// The layer of all of its positions.
    pub layer: u32,
    /// How many entries have each code.
    pub counts: Vec<u64>,
}

/// Entries sorted by key.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct KeyedLayout {
    /// How many bytes a key takes.
    pub key_bytes: u8,
    /// How many entries per block has; the last may have fewer.
    pub block_entries: u32,
    /// The scores that its codes stand for.
    pub scores: ScoreRange,
    /// The layers that have entries, ascending.
    pub layers: Vec<LayerRecord>,
}

/// The entries of one layer of a keyed table.
#[derive(Encode, Decode, Clone, PartialEq, Eq, Debug)]
pub struct LayerRecord {
    /// The layer.
    pub layer: u32,
    /// How many entries have each code.
    pub counts: Vec<u64>,
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

    /// The matrix that this describes; whether its scores are left out is said by
    /// [`Layout::derived`].
    #[must_use]
    pub fn segment(&self, derived: bool) -> Segment {
        Segment {
            derived,
            rows: self.rows,
            columns: self.columns,
            scores: self.scores,
            layer: self.layer,
        }
    }

    /// How many slots.
    #[must_use]
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

    /// Decodes and checks metadata, so that all that uses it can rely on it.
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
                // Also when there are no layers.
                codes_for(keyed.scores)?;
                for layer in &keyed.layers {
                    check_scores(keyed.scores, &layer.counts)?;
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

    /// How many entries there are; nothing if there are more than can be counted.
    pub(in crate::table) fn entries(&self) -> Option<u64> {
        let mut counts = self.parts().flat_map(|(_, _, counts)| counts);
        counts.try_fold(0u64, |sum, &count| sum.checked_add(count))
    }

    /// Layer, scores and counts of each code, of every part that has its own.
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
        check_scores(segment.scores, &segment.counts)?;
    }
    check_derived(ranked, &ranked.derived)?;
    let segments = ranked.segments.iter();
    let ends = group_ends(segments.map(|segment| (segment.slots(), segment.layer)));
    let groups = ranked.groups.iter().map(|group| group.end as usize);
    Difference::check(ends, groups.collect(), |ends| {
        format!("groups of segments up to {ends:?}")
    })
}

/// Where the groups of segments end, given the slots and the layer of each segment: each group has
/// segments of whole layers, and slots enough; the last takes what is left.
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

/// How many codes a table needs for these scores; an error if a byte can't hold them.
pub fn codes_for(scores: ScoreRange) -> Result<usize, Difference> {
    let width = i64::from(scores.highest) - i64::from(scores.lowest);
    let step = i64::from(scores.step);
    match step >= 1 && width >= 0 && width % step == 0 && width / step <= 255 {
        true => Ok((width / step) as usize + 1),
        false => {
            let found = in_words(scores);
            Err(Difference::new("1 to 256 different scores", found))
        }
    }
}

/// The bounds of scores, and the steps between them.
pub fn in_words(scores: ScoreRange) -> String {
    let (lowest, highest, step) = (scores.lowest, scores.highest, scores.step);
    format!("{lowest} to {highest} in steps of {step}")
}

fn check_scores(scores: ScoreRange, counts: &[u64]) -> Result<(), Difference> {
    let codes = codes_for(scores)?;
    Difference::check(codes, counts.len(), |count| {
        format!("{count} counts of codes")
    })
}

#[cfg(test)]
mod tests;
