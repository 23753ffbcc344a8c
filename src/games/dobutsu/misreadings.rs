//! Misunderstandings of the rules of Dōbutsu shōgi.

use super::rules::{
    AHEAD, BESIDE, CHICK, Dobutsu, Move, Position, SQUARES, add_moves, can_capture, code, is_home,
    outcome, seen_square,
};
use crate::game::{Checking, Game, Misreading, WON, boxed};
use crate::games::cells::Pieces;

impl Checking<Dobutsu> for Dobutsu {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<Dobutsu>>> {
        boxed([Rule::NoHen, Rule::NoDrops, Rule::NoHome, Rule::HomeAtOnce])
    }
}

/// A rule in place of the right one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    NoHen,
    NoDrops,
    NoHome,
    HomeAtOnce,
}

impl Misreading<Dobutsu> for Rule {
    fn sentence(&self) -> String {
        match self {
            Rule::NoHen => "a chick stayed a chick on the last row",
            Rule::NoDrops => "captured pieces could not be dropped",
            Rule::NoHome => "a lion on the last row didn't win",
            Rule::HomeAtOnce => "a lion on the last row won even where it can be captured",
        }
        .to_owned()
    }

    fn moves(&self, game: &Dobutsu, position: &Position) -> Vec<Move> {
        let mut moves = Vec::new();
        if self.final_score(game, position).is_none() {
            add_moves(position, &mut moves);
        }
        moves.retain(|mv| *self != Rule::NoDrops || usize::from(mv.from) < SQUARES);
        moves
    }

    fn play(&self, game: &Dobutsu, position: &Position, mv: Move) -> Position {
        let after = game.play(position, mv);
        let [from, to] = [mv.from, mv.to].map(|square| seen_square(position.side, square.into()));
        let [other, mut own] = after.seen();
        let is_chick = from < SQUARES && code(position.seen()[0], from) == CHICK;
        if *self == Rule::NoHen && is_chick {
            own &= !((AHEAD | BESIDE) << (4 * to));
        }
        Pieces::of_mover([other, own], after.side)
    }

    fn final_score(&self, _: &Dobutsu, position: &Position) -> Option<i32> {
        let seen = position.seen();
        match self {
            Rule::NoHome => can_capture(seen).then_some(WON - 1),
            Rule::HomeAtOnce if is_home(seen[1]) => Some(-WON),
            _ => outcome(seen),
        }
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;

    #[test]
    fn misreadings_lead_to_other_positions_and_scores() {
        for (rule, position, mv, expected, [score, right]) in [
            (
                Rule::NoHen,
                "..l/C../.../.L. CEEGG first",
                "a2-a1",
                "C.l/.../.../.L. CEEGG second",
                [None, None],
            ),
            (
                Rule::NoHome,
                "..l/L../.../... CCEEGG first",
                "a2-a1",
                "L.l/.../.../... CCEEGG second",
                [None, Some(-WON)],
            ),
            (
                Rule::HomeAtOnce,
                ".gl/L../.../... CCEEG first",
                "a2-a1",
                "Lgl/.../.../... CCEEG second",
                [Some(-WON), Some(WON - 1)],
            ),
        ] {
            let position = Dobutsu.parse_position(position).unwrap();
            let after = rule.play(&Dobutsu, &position, Dobutsu.parse_move(mv).unwrap());
            assert_eq!(Dobutsu.format_position(&after), expected, "{rule:?}");
            assert_eq!(rule.final_score(&Dobutsu, &after), score, "{rule:?}");
            assert_eq!(Dobutsu.final_score(&after), right, "{rule:?}");
        }
        let held = Dobutsu.parse_position("..l/C../.../.L. CEEGG first");
        let moves = Rule::NoDrops.moves(&Dobutsu, &held.unwrap());
        assert_eq!(moves.len(), 6);
    }
}
