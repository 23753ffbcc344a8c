//! What every byte of a table means, `docs/table-format.md` in code: the header, what a table says
//! about itself, and where everything is. All but the blocks, which are the coder's.

mod difference;
mod header;
mod metadata;
mod plan;

pub use difference::Difference;
pub use header::{
    FORMAT_VERSION, HEADER_LENGTH, Header, Section, Sections, block_crc, u32_at, u64_at, version_of,
};
pub use metadata::{
    GroupRecord, KeyedLayout, LayerRecord, Layout, METADATA_LIMIT, Metadata, RankedLayout,
    SegmentRecord, codes_for, group_ends, in_words,
};
pub use plan::{
    BLOCK_ENTRIES, CELL_COLUMNS, CellShape, Listing, MOST_CELLS, Plan, Spot, TILE_SIDE, TileShape,
};
