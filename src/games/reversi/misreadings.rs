//! Misunderstandings of Reversi's rules.

use super::board;
use super::{Move, Position, Reversi};
use crate::game::{Checking, Game, Misreading, boxed};
use crate::games::cells::Pieces;
use crate::games::cells::each;

impl Checking<Reversi> for Reversi {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<Reversi>>> {
        boxed([
            Rule::NoPass,
            Rule::FewestWin,
            Rule::Along("diagonals flipped no discs", &[1, 8]),
            Rule::Along("only diagonals flipped discs", &[7, 9]),
            Rule::Along("columns flipped no discs", &[1, 7, 9]),
            Rule::Along("rows flipped no discs", &[8, 7, 9]),
        ])
    }

    fn material(&self, _: &Reversi, position: &Position) -> i32 {
        position.disc_difference()
    }

    fn material_name(&self) -> Option<&'static str> {
        Some("discs")
    }
}

/// A rule in place of the right one.
enum Rule {
    /// The game ends when the side to move can't place a disc.
    NoPass,
    /// The side with fewer discs wins.
    FewestWin,
    /// Only lines in directions with these distances between squares flip discs; a sentence.
    Along(&'static str, &'static [u32]),
}

impl Misreading<Reversi> for Rule {
    fn sentence(&self) -> String {
        match self {
            Rule::NoPass => "the game ended when the side to move can't place a disc",
            Rule::FewestWin => "the side with fewer discs won",
            Rule::Along(sentence, _) => sentence,
        }
        .to_owned()
    }

    fn moves(&self, game: &Reversi, position: &Position) -> Vec<Move> {
        let [own, other] = position.seen();
        match self {
            Rule::NoPass => each(game.placings(position)).map(Move::Place).collect(),
            Rule::FewestWin => game.legal_moves(position),
            Rule::Along(_, distances) => {
                let of = |own, other| game.shape().placings_along(own, other, distances);
                match (of(own, other), of(other, own)) {
                    (0, 0) => Vec::new(),
                    (0, _) => vec![Move::Pass],
                    (placings, _) => each(placings).map(Move::Place).collect(),
                }
            }
        }
    }

    fn play(&self, game: &Reversi, position: &Position, mv: Move) -> Position {
        let [own, other] = position.seen();
        match (self, mv) {
            (Rule::Along(_, distances), Move::Place(cell)) => {
                let flipped = board::flipped_along(own, other, cell.alone(), distances);
                let own = own | cell.alone() | flipped;
                Pieces::of_mover([other & !flipped, own], position.side.other())
            }
            _ => game.play(position, mv),
        }
    }

    fn final_score(&self, game: &Reversi, position: &Position) -> Option<i32> {
        let is_over = self.moves(game, position).is_empty();
        let score = position.disc_difference();
        is_over.then_some(match self {
            Rule::FewestWin => -score,
            _ => score,
        })
    }

    fn is_symmetric(&self) -> bool {
        !matches!(self, Rule::Along(..))
    }
}
