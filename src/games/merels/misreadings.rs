//! Misunderstandings of the rules of Three Men's Morris and Teeko: other steps and goals.

use super::{DISTANCES, Kind, Merels, largest_square};
use crate::game::{Checking, Misreading, OtherRules, WON, boxed};

/// Other steps, as values of the game's option.
const STEPS: [(&str, &str); 3] = [
    ("orthogonal", "pieces moved only along rows and columns"),
    ("neighbours", "pieces moved to any neighbouring square"),
    ("any", "pieces moved to any empty square"),
];

impl Checking<Merels> for Merels {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<Merels>>> {
        let largest = largest_square(&self.option);
        let own = match self.kind {
            Kind::Morris => &*self.option,
            Kind::Teeko => "neighbours",
        };
        let with = |steps, distances, largest| {
            let option = self.option.clone();
            let mut other = Merels::with(self.kind, option, steps, distances, largest);
            other.is_misread = true;
            other
        };
        let mut all = vec![("diagonals were no lines", with(own, &[1, 8], largest))];
        let others = STEPS.iter().filter(|of| of.0 != own);
        all.extend(others.map(|&(steps, words)| (words, with(steps, &DISTANCES, largest))));
        if self.kind == Kind::Morris {
            let mut other = with(own, &DISTANCES, largest);
            other.of_goal = -WON;
            all.push(("whoever makes a line lost", other));
        } else {
            let words = match largest {
                1 => "larger squares won, too",
                _ => "only the smallest squares won",
            };
            all.push(("squares didn't win", with(own, &DISTANCES, 0)));
            all.push((words, with(own, &DISTANCES, 5 - largest)));
        }
        boxed(all.into_iter().map(|(sentence, game)| OtherRules {
            sentence: sentence.to_owned(),
            game,
            is_symmetric: true,
        }))
    }
}
