use super::*;
use crate::table::format::metadata::SegmentRecord;

fn plan(shapes: &[(u32, u32)], tile_side: u32) -> Plan {
    let segments = shapes
        .iter()
        .map(|&(rows, columns)| SegmentRecord {
            rows,
            columns,
            scores: ScoreRange::default(),
            layer: 0,
            counts: vec![0],
        })
        .collect();
    let layout = RankedLayout {
        tile_side,
        segments,
        derived: Vec::new(),
        groups: Vec::new(),
    };
    Plan::numbered(&layout).unwrap()
}

#[test]
fn tiles_are_of_equal_size_and_longer_in_narrow_segments() {
    assert_eq!(tile_size(1000, 1000, 128), (125, 125));
    assert_eq!(tile_size(129, 128, 128), (65, 128));
    assert_eq!(tile_size(1, 1_000_000, 128), (1, 512));
    assert_eq!(tile_size(6, 42_504, 128), (6, 506));
    assert_eq!(tile_size(42_504, 6, 128), (2_657, 6));
    assert_eq!(tile_size(1, 1, 128), (1, 1));
    assert_eq!(tile_size(u32::MAX, u32::MAX, 128), (128, 128));
}

#[test]
fn every_slot_is_in_one_block_at_one_index() {
    let plan = plan(&[(1, 1), (20, 33), (3, 700), (65, 2), (8, 8)], 8);
    let mut block_of_slot = std::collections::HashMap::new();
    for block in 0..plan.blocks {
        let shape = plan.tile(block);
        assert!(shape.slots() <= 64 && shape.slots() > 0);
        for index in 0..shape.slots() {
            let slot = shape.slot(index);
            assert_eq!(plan.locate(slot), Some((block, index)));
            assert!(block_of_slot.insert(slot, block).is_none());
        }
    }
    assert_eq!(block_of_slot.len(), 1 + 20 * 33 + 3 * 700 + 65 * 2 + 8 * 8);
    let none = |segment, row, column| {
        assert_eq!(
            plan.locate(Slot {
                segment,
                row,
                column
            }),
            None
        )
    };
    none(5, 0, 0);
    none(1, 20, 0);
    none(1, 0, 33);
}

#[test]
fn every_slot_is_in_one_cell_of_its_tile() {
    let shapes = [
        (1, 1),
        (300, 70),
        (3, 5000),
        (5000, 3),
        (40, 33),
        (1, 70_000),
    ];
    for tile_side in [8, 128, 256] {
        let plan = plan(&shapes, tile_side);
        let mut slots = 0;
        for block in 0..plan.blocks {
            let tile = plan.tile(block);
            let cells = plan.cells(&tile);
            assert!(cells.len() <= MOST_CELLS, "{tile:?}: {} cells", cells.len());
            for (number, shape) in cells.enumerate() {
                assert!(shape.columns <= CELL_COLUMNS && shape.slots() <= 512);
                for (row, column) in (0..shape.rows)
                    .flat_map(|row| (0..shape.columns).map(move |column| (row, column)))
                {
                    let slot = Slot {
                        segment: tile.segment,
                        row: tile.rows.start + shape.top + row,
                        column: tile.columns.start + shape.left + column,
                    };
                    let spot = Spot {
                        block,
                        cell: number as u32,
                        shape,
                        row,
                        index: (row * shape.columns + column) as usize,
                    };
                    assert_eq!(plan.spot(slot), Some(spot));
                    slots += 1;
                }
            }
        }
        let all = shapes
            .iter()
            .map(|&(rows, columns)| rows * columns)
            .sum::<u32>();
        assert_eq!(slots, all);
        let none = |segment, row, column| {
            let slot = Slot {
                segment,
                row,
                column,
            };
            assert_eq!(plan.spot(slot), None);
        };
        none(6, 0, 0);
        none(1, 300, 0);
        none(1, 0, 70);
    }
}
