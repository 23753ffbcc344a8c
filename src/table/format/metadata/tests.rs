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
