//! Files of M. Thill's opening databases.
//!
//! An entry is a position and its value. The position is a string of bits, the first in the highest
//! bit: column by column from the left, each from the bottom up, `10` for a stone of the first
//! player and `11` for one of the second, and `0` after each column. Of a position and its mirror
//! image, only one is there, and none in which the side to move wins at once.

use anyhow::ensure;
use rustc_hash::FxHashMap;
use zermelo::game::{Game, Notation};
use zermelo::games::connect4::{Connect4, Position};

/// The scores of a layer's classes, by their keys.
pub type Scores = FxHashMap<u128, i32>;

/// Reads the file of positions with 12 stones and distances.
///
/// An entry has 4 bytes for the position. A signed byte is the value: 0 for a draw, otherwise 100
/// less the number of plies to the end, negative if the second player wins.
pub fn distances(game: &Connect4, file: &[u8]) -> anyhow::Result<Scores> {
    let (entries, rest) = file.as_chunks::<5>();
    ensure!(rest.is_empty(), "the entries don't have 5 bytes each");
    let mut scores = Scores::default();
    for &[a, b, c, d, value] in entries {
        let position = position(game, u32::from_be_bytes([a, b, c, d]))?;
        let value = i32::from(value.cast_signed());
        let stones = position.stones() as i32;
        let cells = (game.parameters().columns * game.parameters().rows) as i32;
        let score = (cells + 2 - (stones + 100 - value.abs())) / 2;
        let score = if value == 0 {
            0
        } else {
            score * value.signum()
        };
        scores.insert(game.key(&game.canonical(&position)), score);
    }
    Ok(scores)
}

/// Compares the file of positions with 8 stones and outcomes with scores; returns their number.
///
/// An entry has 3 bytes. The last two bits are 1 if the second player wins, and 0 for a draw. The
/// first player wins in all other positions.
pub fn compare(game: &Connect4, file: &[u8], scores: &Scores) -> anyhow::Result<usize> {
    let (entries, rest) = file.as_chunks::<3>();
    ensure!(rest.is_empty(), "the entries don't have 3 bytes each");
    let mut outcomes = Scores::default();
    for &[a, b, c] in entries {
        let position = position(game, u32::from_be_bytes([a, b, c & !3, 0]))?;
        outcomes.insert(game.key(&game.canonical(&position)), -i32::from(c & 3));
    }
    for (key, score) in scores {
        let outcome = outcomes.remove(key).unwrap_or(1);
        let position = game.position_of_key(*key);
        let position = position.map(|position| game.format_position(&position));
        ensure!(
            score.signum() == outcome,
            "{position:?} scores {score}, not {outcome}"
        );
    }
    ensure!(
        outcomes.is_empty(),
        "{} aren't positions with 8 stones",
        outcomes.len()
    );
    Ok(scores.len())
}

/// Returns the position that a string of bits means.
fn position(game: &Connect4, bits: u32) -> anyhow::Result<Position> {
    let mut at = 32;
    let mut next = || {
        at -= 1;
        bits >> at & 1
    };
    let mut columns = vec![String::new(); game.parameters().columns];
    for column in &mut columns {
        while next() == 1 {
            column.push(if next() == 1 { 'O' } else { 'X' });
        }
    }
    let letter = |column: &String, row| column.chars().nth(row).unwrap_or('.');
    let rows = (0..game.parameters().rows).rev();
    let rows: Vec<String> = rows
        .map(|row| columns.iter().map(|column| letter(column, row)).collect())
        .collect();
    Ok(game.parse_position(&rows.join("/"))?)
}
