//! King and rook against king on a chessboard: a game whose positions repeat.
//!
//! The first player has a king and a rook, and wins by mate. Stalemate, the loss of the rook and
//! endless play are draws. A position is the pieces and the side to move: `Ka1 Rb1 kh8 first`. A
//! move is the piece's new place: `Rb7`.

use zermelo::game::{Endless, NoGame, Parameter, Side, Values};
use zermelo::games::own::Rules;

/// Column and row, from 0.
type Square = (i8, i8);

/// The number of rows and columns.
pub struct Rook(i8);

/// The squares of the three pieces, and the side to move. The rook may be captured.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    king: Square,
    rook: Option<Square>,
    other_king: Square,
    side: Side,
}

fn name((column, row): Square) -> String {
    format!("{}{}", char::from(b'a' + column as u8), row + 1)
}

/// Returns whether two squares touch or are the same.
fn are_near(one: Square, other: Square) -> bool {
    (one.0 - other.0).abs() <= 1 && (one.1 - other.1).abs() <= 1
}

/// Returns whether the rook moves to a square, unless its own king is in the way.
fn attacks(rook: Square, king: Square, square: Square) -> bool {
    let is_between = |from: i8, to: i8, place: i8| (place - from) * (place - to) <= 0;
    match (rook.0 == square.0, rook.1 == square.1) {
        (true, false) => king.0 != rook.0 || !is_between(rook.1, square.1, king.1),
        (false, true) => king.1 != rook.1 || !is_between(rook.0, square.0, king.0),
        _ => false,
    }
}

impl Rook {
    fn squares(&self) -> impl Iterator<Item = Square> {
        let size = self.0;
        (0..size).flat_map(move |row| (0..size).map(move |column| (column, row)))
    }

    /// Returns the squares to which a king moves that stays away from the other king.
    fn steps(&self, king: Square, other: Square) -> impl Iterator<Item = Square> {
        let squares = self.squares();
        squares.filter(move |&to| to != king && are_near(to, king) && !are_near(to, other))
    }
}

impl Rules for Rook {
    type Position = Position;

    const NAME: &'static str = "rook";
    const ABOUT: &'static str = "King and rook against king: the first player mates";
    const PARAMETERS: &'static [Parameter] = &[Parameter::number(
        "size",
        8,
        "Rows and columns of the board, 4 to 8",
    )];
    // Pieces can move to and fro.
    const ENDLESS: Endless = Endless::Draw;

    fn new(values: &Values) -> Result<Rook, NoGame> {
        match values.need("size")? {
            size @ 4..=8 => Ok(Rook(size)),
            size => Err(NoGame(format!(
                "a board of {size} rows is not one of 4 to 8"
            ))),
        }
    }

    fn start(&self) -> Position {
        Position {
            king: (0, 0),
            rook: Some((1, 0)),
            other_king: (self.0 - 1, self.0 - 1),
            side: Side::First,
        }
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position) -> Vec<(String, Position)> {
        let Position {
            king,
            rook: Some(rook),
            other_king,
            side,
        } = *position
        else {
            return Vec::new();
        };
        let after = Position {
            side: side.other(),
            ..*position
        };
        if side == Side::Second {
            // The king doesn't hide the squares behind it from the rook.
            let steps = self.steps(other_king, king);
            let steps = steps.filter(|&to| !attacks(rook, king, to));
            let step = |to| Position {
                other_king: to,
                rook: (to != rook).then_some(rook),
                ..after
            };
            return steps
                .map(|to| (format!("k{}", name(to)), step(to)))
                .collect();
        }
        let steps = self.steps(king, other_king).filter(|&to| to != rook);
        let steps = steps.map(|king| (format!("K{}", name(king)), Position { king, ..after }));
        let places = self.squares().filter(|&to| attacks(rook, king, to));
        let place = |to| Position {
            rook: Some(to),
            ..after
        };
        let places = places.map(|to| (format!("R{}", name(to)), place(to)));
        steps.chain(places).collect()
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        let is_over = self.moves(position).is_empty();
        let is_check = |rook| attacks(rook, position.king, position.other_king);
        let is_mate = position.side == Side::Second && position.rook.is_some_and(is_check);
        is_over.then(|| -i32::from(is_mate))
    }

    fn format_position(&self, position: &Position) -> String {
        let rook = position.rook.map(|rook| format!(" R{}", name(rook)));
        format!(
            "K{}{} k{} {}",
            name(position.king),
            rook.unwrap_or_default(),
            name(position.other_king),
            position.side
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo::game::{Family, Game, NoProgress, Solution, SolveOptions, distance};
    use zermelo::games::own::Own;
    use zermelo::solve::{Method, solve};

    #[test]
    fn mate_takes_sixteen_moves_at_most() {
        let values = Values::of(Rook::PARAMETERS, &[]).unwrap();
        let game = Own::<Rook>::FAMILY.game(&values).unwrap();
        let options = SolveOptions {
            threads: 2,
            memory: 1 << 30,
        };
        let solved = solve(&game, Method::Backward, options, &NoProgress).unwrap();
        let Solution::Keyed(entries) = solved.solution else {
            panic!("it has keys");
        };
        let to_move = |key| game.side_to_move(&game.position_of_key(key).unwrap());
        let of_first = entries
            .iter()
            .filter(|entry| to_move(entry.0) == Side::First);
        let scores: Vec<i32> = of_first.map(|entry| entry.1).collect();
        // The number of positions is published, too.
        assert_eq!(scores.len(), 175_168);
        assert!(scores.iter().all(|&score| score > 0));
        let longest = scores.iter().filter_map(|&score| distance(score)).max();
        assert_eq!(longest, Some(2 * 16 - 1));
    }
}
