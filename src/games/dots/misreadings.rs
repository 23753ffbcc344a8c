//! Misunderstandings of the rules of Dots and Boxes.

use super::{Dots, Move, Position};
use crate::game::{Checking, Game, Misreading, boxed};

impl Checking<Dots> for Dots {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<Dots>>> {
        boxed([Rule::NoExtraTurn, Rule::FewestWin])
    }
}

/// A rule in place of the right one.
enum Rule {
    NoExtraTurn,
    FewestWin,
}

impl Misreading<Dots> for Rule {
    fn sentence(&self) -> String {
        match self {
            Rule::NoExtraTurn => "a completed box earned no other turn",
            Rule::FewestWin => "the side with fewer boxes won",
        }
        .to_owned()
    }

    fn play(&self, game: &Dots, position: &Position, mv: Move) -> Position {
        let mut after = game.play(position, mv);
        if matches!(self, Rule::NoExtraTurn) {
            after.side = position.side.other();
        }
        after
    }

    fn final_score(&self, game: &Dots, position: &Position) -> Option<i32> {
        let score = game.final_score(position);
        match self {
            Rule::FewestWin => score.map(|score| -score),
            _ => score,
        }
    }

    fn is_symmetric(&self) -> bool {
        // Owned boxes count the other way round in the last.
        !matches!(self, Rule::FewestWin)
    }
}
