//! Well-formed tables with false content.
//!
//! The table writer writes them from entries that are not the game's.

use super::of::Of;
use arbitrary::{Result, Unstructured};
use std::ops::Range;
use zermelo::game::{NoProgress, Notation, Scores, Segment, Solution, Tile};
use zermelo::table::write_to_vec;

/// Scores by rank, in a tile per segment.
struct Tiles(Vec<Tile>);

impl Scores for Tiles {
    fn count(&self) -> u64 {
        self.0.iter().map(Tile::count).sum()
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        let from = &self.0[segment as usize];
        tile.reset(rows.end - rows.start, columns.end - columns.start);
        for row in rows.clone() {
            for column in columns.clone() {
                if let Some(code) = from.get(from.index(row, column)) {
                    tile.set(tile.index(row - rows.start, column - columns.start), code);
                }
            }
        }
    }
}

fn remove(tile: &mut Tile, index: usize) {
    tile.present[index / 64] &= !(1 << (index % 64));
    tile.codes[index] = 0;
}

/// Writes a table with some of the game's entries, added ones and wrong scores.
///
/// Returns `None` if the writer rejects it.
pub fn lie<G: Notation>(of: &Of<G>, u: &mut Unstructured<'_>) -> Result<Option<Vec<u8>>> {
    let changes = u.int_in_range(1..=4)?;
    let solution = match &of.solution {
        Solution::Keyed(entries) => {
            let mut entries = entries.clone();
            for _ in 0..changes {
                change_entry(of, u, &mut entries)?;
            }
            Solution::Keyed(entries)
        }
        Solution::Ranked(scores) => {
            let ranking = of.game.capabilities().solving.ranking();
            let segments: Vec<Segment> = ranking.map_or(Vec::new(), |r| r.segments().to_vec());
            let mut tiles = Vec::new();
            for (number, segment) in (0..).zip(&segments) {
                let mut tile = Tile::default();
                scores.tile(number, 0..segment.rows, 0..segment.columns, &mut tile);
                tiles.push(tile);
            }
            for _ in 0..changes {
                let number = u.choose_index(segments.len())?;
                let (segment, tile) = (&segments[number], &mut tiles[number]);
                let index = u.choose_index(segment.slots() as usize)?;
                let codes = segment.scores.codes() as u8;
                match u.int_in_range(0..=2)? {
                    0 => remove(tile, index),
                    1 => tile.set(index, u.int_in_range(0..=codes - 1)?),
                    _ => {
                        // Change all entries of a segment, not only one.
                        for index in 0..tile.codes.len() {
                            if tile.get(index).is_some() {
                                tile.codes[index] = codes - 1 - tile.codes[index];
                            }
                        }
                    }
                }
            }
            Solution::Ranked(Box::new(Tiles(tiles)))
        }
    };
    let written = write_to_vec(&of.game, &solution, of.options, &NoProgress);
    Ok(written.ok())
}

fn change_entry<G: Notation>(
    of: &Of<G>,
    u: &mut Unstructured<'_>,
    entries: &mut Vec<(u128, i32)>,
) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let at = u.choose_index(entries.len())?;
    let range = of.game.score_range();
    match u.int_in_range(0..=4)? {
        0 => {
            entries.remove(at);
        }
        1 | 2 => entries[at].1 = range.score(u.int_in_range(0..=range.codes() as u32 - 1)?),
        3 => {
            entries[at].0 ^= 1 << u.int_in_range(0..=of.game.key_bits() - 1)?;
            entries.sort_unstable();
        }
        _ => entries.truncate(at),
    }
    Ok(())
}
