//! The format of table files: header, metadata, and the places of blocks and slots.
//!
//! It implements `docs/reference/table-format.md`, except the contents of blocks, which are in `codec`.

mod header;
mod metadata;
mod plan;

pub use header::Difference;
pub use header::{
    FORMAT_VERSION, HEADER_LENGTH, Header, Section, Sections, block_crc, u32_at, u64_at, version_of,
};
pub use metadata::{
    GroupRecord, KeyedLayout, LayerRecord, Layout, METADATA_LIMIT, Metadata, RankedLayout,
    SegmentRecord, codes_for, group_ends, pairs,
};
pub use plan::{
    BLOCK_ENTRIES, CELL_COLUMNS, CellShape, Listing, MOST_CELLS, Plan, Spot, TILE_SIDE, TileShape,
    for_each_present,
};
