//! Pictures of the board.

use super::rules::sum;
use super::{Kalah, Move, Position};
use crate::game::{BoardPlace, Drawing, Label, Notation, Picture, Piece, Side, Surface};
use crate::text::counted;

/// Distance between the centres of neighbouring pits.
const STEP: f64 = 52.0;
const PIT: (f64, f64) = (46.0, 46.0);
const STORE: (f64, f64) = (50.0, 98.0);
/// Distance from an edge to the centre of a store, and to that of the first pit.
const MARGINS: (f64, f64) = (44.0, 104.0);
/// Heights of the two rows' centres.
const SECOND_ROW: f64 = 63.0;
const FIRST_ROW: f64 = SECOND_ROW + STEP;

impl Drawing<Kalah> for Kalah {
    fn picture(&self, position: &Position) -> Option<Picture> {
        Some(picture(position, self.pits(), self.is_whole(position)))
    }

    fn places_of_move(&self, position: &Position, mv: Move) -> Option<Vec<String>> {
        Some(vec![name(position.side, mv.0.into())])
    }

    /// Who gets the seeds that remain in the pits.
    fn remark(&self, position: &Position) -> Option<String> {
        let seeds = position.seeds_on_board();
        let owner = match sum(&position.pits[0]) {
            0 => Side::Second,
            _ => Side::First,
        };
        (seeds > 0).then(|| {
            let rest = counted(seeds, "seed");
            format!("the {owner} player gets the {rest} left in the {owner} player's pits")
        })
    }
}

/// Returns a picture of the board, whose stores have a question mark unless they are known.
pub(in crate::games) fn picture(position: &Position, pits: usize, has_stores: bool) -> Picture {
    let left = MARGINS.1;
    let right = left + STEP * (pits - 1) as f64;
    let width = left + right;
    let mut picture = Picture::default();
    // The second player sits on the far side, so that player's row runs from right to left.
    for (side, store, first_pit, step, row, numbers) in [
        (Side::Second, MARGINS.0, right, -STEP, SECOND_ROW, 30.0),
        (Side::First, width - MARGINS.0, left, STEP, FIRST_ROW, 156.0),
    ] {
        for pit in 0..pits {
            let x = first_pit + step * pit as f64;
            let seeds = Piece::Number(position.pits[side.index()][pit].into());
            let place = BoardPlace::new(name(side, pit), (x, row), seeds).rounded(PIT, 17.0);
            picture.places.push(place);
            let number = Label::new((pit + 1).to_string(), (x, numbers));
            picture.labels.push(number);
        }
        let seeds = if has_stores {
            Piece::Number(position.stores[side.index()].into())
        } else {
            Piece::Letter('?')
        };
        let middle = (store, (SECOND_ROW + FIRST_ROW) / 2.0);
        let place = BoardPlace::new(format!("{side}'s store"), middle, seeds);
        picture.places.push(place.rounded(STORE, 22.0));
        // Each player's store is labelled on that player's side of the board.
        let words = [166.0, 18.0][side.index()];
        let name = Label::new(format!("{side}'s store"), (store, words));
        picture.labels.push(name);
    }
    picture.surface = Surface::Wood;
    picture.has_sides = true;
    picture
}

/// Returns the name of a pit's place.
pub(in crate::games) fn name(side: Side, pit: usize) -> String {
    format!("{side}'s pit {}", pit + 1)
}
