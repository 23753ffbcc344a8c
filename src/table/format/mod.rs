//! What every byte of a table means, `docs/table-format.md` in code: the header, what a table says
//! about itself, and where everything is. All but the blocks, which are the coder's.

mod header;
mod metadata;
mod plan;

pub use header::{FORMAT_VERSION, HEADER_LENGTH, Header, Section, block_crc, u32_at, u64_at};
pub use metadata::{
    GroupRecord, KeyedLayout, LayerRecord, Layout, METADATA_LIMIT, Metadata, RankedLayout,
    SegmentRecord, check_range,
};
pub use plan::{
    BLOCK_ENTRIES, CELL_COLUMNS, CellShape, KeyedPlan, MOST_CELLS, Plan, RankedPlan, Spot,
    TILE_SIDE,
};
