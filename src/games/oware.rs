//! Oware on boards of 1 to 6 pits a side.
//!
//! # Rules
//!
//! A player takes all seeds of one of their own pits and sows them one by one, anticlockwise, into
//! the following pits of both players. Sowing skips the pit that the seeds came from.
//!
//! - If the last seed makes two or three seeds in one of the opponent's pits, they are captured,
//!   and so are those of the pits before it in the opponent's row, back to the first pit that
//!   doesn't have two or three.
//! - A move that would capture all of the opponent's seeds captures none.
//! - If the opponent has no seeds, a player must make a move that gives them some.
//! - A player with more than half of all seeds has won. If a player has no legal move, the game is
//!   over, and each player gets the seeds on their own side.
//! - Endless play is a draw.
//!
//! These are the rules of `OpenSpiel`'s game `oware`, except for the last. There, the game ends as
//! soon as a position repeats, and each player gets the seeds on their own side.
//!
//! # Classes
//!
//! The player with more seeds wins, by any number. So the score depends on the stores, and a class
//! contains them: a position and the same one with the players swapped. The canonical position has
//! the first player to move.

use super::cells::unread;
use super::kalah::notation::{drawn, picture, pit_name, read, read_move, rewritten, written};
use super::kalah::{MAX_PITS, MAX_TOTAL_SEEDS, Move, Position, sum};
use crate::game::{
    Capabilities, Checking, Drawing, Endless, Family, Game, Misreading, NoGame, Notation,
    NotationError, OtherRules, Parameter, Picture, ScoreRange, Side, Solving, Symmetry, Values,
    WON, boxed, capabilities_of,
};
use crate::text::counted;

const PITS: usize = 3;
const SEEDS: usize = 2;

/// The game with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oware {
    pits: usize,
    seeds: usize,
    /// A rule in place of the right one, for a player who misreads it.
    misread: Option<Misread>,
}

/// A misread rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Misread {
    OnlyTwos,
    OnlyThrees,
    OnePit,
    All,
    NoFeeding,
}

/// All misread rules, as ends of sentences.
const MISREAD: [(Misread, &str); 5] = [
    (Misread::OnlyTwos, "only twos were captured"),
    (Misread::OnlyThrees, "only threes were captured"),
    (Misread::OnePit, "a capture took only one pit"),
    (Misread::All, "all the opponent's seeds could be captured"),
    (Misread::NoFeeding, "nobody had to feed the opponent"),
];

impl Checking<Oware> for Oware {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<Oware>>> {
        let other = |(misread, sentence): (_, &str)| OtherRules {
            sentence: sentence.to_owned(),
            game: Oware {
                misread: Some(misread),
                ..*self
            },
            is_symmetric: true,
        };
        boxed(MISREAD.map(other))
    }
}

impl Oware {
    fn total_seeds(&self) -> usize {
        2 * self.pits * self.seeds
    }

    /// Returns the legal moves, unless a player has more than half of all seeds.
    fn open_moves(&self, position: &Position) -> impl Iterator<Item = Move> {
        let (own, other) = position.mover_and_opponent();
        let is_won = |&store: &u8| 2 * usize::from(store) > self.total_seeds();
        let pits = if position.stores.iter().any(is_won) {
            0
        } else {
            self.pits
        };
        // An opponent without seeds must get some.
        let is_far = sum(other) == 0 && self.misread != Some(Misread::NoFeeding);
        let least = move |pit: usize| if is_far { self.pits - pit } else { 1 };
        let legal = (0..pits).filter(move |&pit| usize::from(own[pit]) >= least(pit));
        legal.map(|pit| Move(pit as u8))
    }

    /// Returns the number of bits for a number of seeds in keys.
    fn seed_bits(&self) -> u32 {
        usize::BITS - self.total_seeds().leading_zeros()
    }

    /// Returns the numbers that a key contains, from its highest bits.
    fn fields<'a>(&self, class: &'a mut Position) -> impl DoubleEndedIterator<Item = &'a mut u8> {
        let pits = self.pits;
        let fields = class.pits.iter_mut().flat_map(move |own| &mut own[..pits]);
        fields.chain([&mut class.stores[0]])
    }

    fn read(&self, text: &str) -> Result<Position, String> {
        let (mut position, stores) = read(text, self.pits, &self.name())?;
        let [Some(first), Some(second)] = stores else {
            return Err("both stores must be given".into());
        };
        position.stores = [first, second];
        let (found, total, name) = (all_seeds(&position), self.total_seeds(), self.name());
        let has_all = (found == total).then_some(position);
        has_all.ok_or_else(|| format!("{found} seeds in all, but {name} has {total}"))
    }
}

/// Returns the number of seeds in the pits and stores.
fn all_seeds(position: &Position) -> usize {
    let stores: usize = position.stores.into_iter().map(usize::from).sum();
    position.seeds_on_board() + stores
}

impl Game for Oware {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        let mut pits = [0; MAX_PITS];
        pits[..self.pits].fill(self.seeds as u8);
        Position::bare(pits, pits)
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        moves.extend(self.open_moves(position));
    }

    fn play(&self, position: &Position, Move(pit): Move) -> Position {
        let (mut after, origin) = (*position, usize::from(pit));
        let (mover, opponent) = (position.side.index(), position.side.other().index());
        let mut seeds = std::mem::take(&mut after.pits[mover][origin]);
        let mut place = origin;
        while seeds > 0 {
            place = (place + 1) % (2 * self.pits);
            if place != origin {
                let owner = [mover, opponent][place / self.pits];
                after.pits[owner][place % self.pits] += 1;
                seeds -= 1;
            }
        }
        if let Some(last) = place.checked_sub(self.pits) {
            let row = &mut after.pits[opponent];
            let all = sum(row);
            let is_taken = |seeds: &&u8| match self.misread {
                Some(Misread::OnlyTwos) => **seeds == 2,
                Some(Misread::OnlyThrees) => **seeds == 3,
                _ => (2..=3).contains(*seeds),
            };
            let mut count = row[..=last].iter().rev().take_while(is_taken).count();
            if self.misread == Some(Misread::OnePit) {
                count = count.min(1);
            }
            let taken = &mut row[last + 1 - count..=last];
            let captured: u8 = taken.iter().sum();
            if usize::from(captured) < all || self.misread == Some(Misread::All) {
                taken.fill(0);
                after.stores[mover] += captured;
            }
        }
        after.side = position.side.other();
        after
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        if self.open_moves(position).next().is_some() {
            return None;
        }
        let seeds =
            |side: usize| i32::from(position.stores[side]) + sum(&position.pits[side]) as i32;
        let mover = position.side.index();
        Some(WON * (seeds(mover) - seeds(1 - mover)).signum())
    }

    fn score_range(&self) -> ScoreRange {
        match (self.pits, self.seeds) {
            // No win takes more than 127 plies, as solving them has shown.
            (1, _) | (2, ..=9) | (3, ..=4) | (4, ..=2) | (5, 1) => ScoreRange::PLIES,
            _ => ScoreRange::long(1),
        }
    }

    fn endless(&self) -> Endless {
        Endless::Draw
    }

    fn canonical(&self, position: &Position) -> Position {
        match position.side {
            Side::First => *position,
            Side::Second => position.swapped(),
        }
    }

    fn key(&self, canonical: &Position) -> u128 {
        let (mut class, bits) = (*canonical, self.seed_bits());
        let fields = self.fields(&mut class);
        fields.fold(0, |key, seeds| key << bits | u128::from(*seeds))
    }

    fn key_bits(&self) -> u32 {
        ((2 * self.pits as u32 + 1) * self.seed_bits()).next_multiple_of(8)
    }

    fn position_of_key(&self, mut key: u128) -> Option<Position> {
        let mut position = Position::bare([0; MAX_PITS], [0; MAX_PITS]);
        for seeds in self.fields(&mut position).rev() {
            *seeds = (key & ((1 << self.seed_bits()) - 1)) as u8;
            key >>= self.seed_bits();
        }
        let others = self.total_seeds().checked_sub(all_seeds(&position))?;
        position.stores[1] = others as u8;
        (key == 0 && self.final_score(&position).is_none()).then_some(position)
    }

    fn layer(&self, canonical: &Position) -> u32 {
        canonical.seeds_on_board() as u32
    }
}

impl Notation for Oware {
    fn rules(&self) -> String {
        format!("oware pits={} seeds={}", self.pits, self.seeds)
    }

    fn name(&self) -> String {
        format!("oware({},{})", self.pits, self.seeds)
    }

    fn title(&self) -> String {
        let (pits, seeds) = (counted(self.pits, "pit"), counted(self.seeds, "seed"));
        format!("Oware with {pits} a side and {seeds} in each")
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, solving, checking, drawing)
    }

    fn format_position(&self, position: &Position) -> String {
        written(position, self.pits, true)
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        self.read(text)
            .map_err(|problem| unread(self, text, problem))
    }

    fn rewrite_position(&self, text: &str) -> Result<Option<String>, NotationError> {
        Ok(rewritten(text, self.pits))
    }

    fn format_move(&self, mv: Move) -> String {
        (mv.0 + 1).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        read_move(text, self.pits)
    }

    fn move_noun(&self) -> &'static str {
        "pit"
    }

    fn layer_name(&self) -> &'static str {
        "seeds on the board"
    }

    fn board(&self, position: &Position) -> String {
        drawn(position, self.pits)
    }
}

impl Symmetry<Oware> for Oware {
    fn order(&self) -> usize {
        2
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        [*position, position.swapped()][symmetry]
    }
}

impl Solving<Oware> for Oware {
    /// Returns the number of ways to distribute the seeds over the pits and stores.
    fn expected_classes(&self) -> Option<u64> {
        let (places, seeds) = (2 * self.pits as u128 + 2, self.total_seeds() as u128);
        let ways = (1..places).try_fold(1u128, |ways, place| {
            Some(ways.checked_mul(seeds + place)? / place)
        });
        Some(
            ways.and_then(|ways| ways.try_into().ok())
                .unwrap_or(u64::MAX),
        )
    }
}

impl Drawing<Oware> for Oware {
    fn picture(&self, position: &Position) -> Option<Picture> {
        Some(picture(position, self.pits, true))
    }

    fn places_of_move(&self, position: &Position, mv: Move) -> Option<Vec<String>> {
        Some(vec![pit_name(position.side, mv.0.into())])
    }
}

/// Oware with any number of pits and seeds that bytes can count.
#[derive(Clone, Copy, Debug)]
pub struct OwareFamily;

impl Family for OwareFamily {
    type Game = Oware;

    fn name(&self) -> &'static str {
        "oware"
    }

    fn common_names(&self) -> &'static [&'static str] {
        &["mancala", "awari"]
    }

    fn about(&self) -> &'static str {
        "Oware on small boards: sow seeds and capture twos and threes"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("oware.txt")
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 2] = [
            Parameter::number("pits", PITS, "Pits per side, 1 to 6"),
            Parameter::number("seeds", SEEDS, "Seeds in each pit at the start"),
        ];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Oware, NoGame> {
        let (pits, seeds) = (values.need("pits")?, values.need("seeds")?);
        if !(1..=MAX_PITS).contains(&pits) {
            return Err(NoGame(format!(
                "{pits} pits per side are not possible: they are 1 to {MAX_PITS}"
            )));
        }
        match MAX_TOTAL_SEEDS / (2 * pits) {
            most if (1..=most).contains(&seeds) => Ok(Oware {
                pits,
                seeds,
                misread: None,
            }),
            most => Err(NoGame(format!(
                "{seeds} seeds in each of {pits} pits are not possible: they are 1 to {most}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(pits: usize, seeds: usize) -> Oware {
        let misread = None;
        Oware {
            pits,
            seeds,
            misread,
        }
    }

    fn after(game: Oware, position: &str, mv: &str) -> Option<String> {
        let position = game.parse_position(position).unwrap();
        let after = game.try_play(&position, game.parse_move(mv).unwrap());
        after.map(|after| game.format_position(&after))
    }

    #[test]
    fn seeds_are_sown_and_captured_as_in_open_spiel() {
        let game = game(6, 4);
        for (position, mv, expected) in [
            // A lap skips the origin.
            (
                "13,0,0,0,0,0:10/1,0,0,0,0,0:24 first",
                "1",
                "0,2,2,1,1,1:10/2,1,1,1,1,1:24 second",
            ),
            // Back to the beginning of the row, and as far as twos and threes go.
            (
                "0,0,8,0,0,1:15/1,1,1,1,2,3:15 first",
                "3",
                "0,0,0,1,1,2:26/0,0,0,0,0,3:15 second",
            ),
            (
                "0,0,8,0,0,1:10/3,1,1,1,2,0:21 first",
                "3",
                "0,0,0,1,1,2:19/4,0,0,0,0,0:21 second",
            ),
            (
                "0,0,8,0,0,1:10/3,1,1,1,3,0:20 first",
                "3",
                "0,0,0,1,1,2:10/4,2,2,2,4,0:20 second",
            ),
            // All of the opponent's seeds would be captured.
            (
                "1,1,1,1,1,0:10/0,0,8,0,0,1:24 second",
                "3",
                "2,2,2,2,2,0:10/0,0,0,1,1,2:24 first",
            ),
        ] {
            assert_eq!(after(game, position, mv).as_deref(), Some(expected));
        }
    }

    #[test]
    fn misreadings_capture_others() {
        let game = game(6, 4);
        for (misread, position, expected) in [
            (
                Misread::OnlyTwos,
                "0,0,8,0,0,1:15/1,1,1,1,2,3:15 first",
                "0,0,0,1,1,2:15/2,2,2,2,3,3:15 second",
            ),
            (
                Misread::OnlyThrees,
                "0,0,8,0,0,1:15/1,1,1,1,2,3:15 first",
                "0,0,0,1,1,2:18/2,2,2,2,0,3:15 second",
            ),
            (
                Misread::OnePit,
                "0,0,8,0,0,1:15/1,1,1,1,2,3:15 first",
                "0,0,0,1,1,2:18/2,2,2,2,0,3:15 second",
            ),
            (
                Misread::All,
                "0,0,8,0,0,1:24/1,1,1,1,1,0:10 first",
                "0,0,0,1,1,2:34/0,0,0,0,0,0:10 second",
            ),
        ] {
            let position = game.parse_position(position).unwrap();
            let other = Oware {
                misread: Some(misread),
                ..game
            };
            let after = other.play(&position, Move(2));
            assert_eq!(game.format_position(&after), expected, "{misread:?}");
        }
    }

    #[test]
    fn an_opponent_without_seeds_gets_some_or_the_game_ends() {
        let game = game(3, 2);
        for (position, moves, score) in [
            ("1,0,2:4/1,0,0:4 first", &["1", "3"][..], None),
            ("1,0,2:5/0,0,0:4 first", &["3"], None),
            ("1,3,0:4/0,0,0:4 first", &["2"], None),
            // The first player can't give the other any seeds, and gets their own.
            ("2,0,0:4/0,0,0:6 first", &[], Some(0)),
            ("1,1,0:4/0,0,0:6 second", &[], Some(0)),
            ("0,0,0:6/1,0,0:5 first", &[], Some(0)),
            ("0,0,0:5/2,0,0:5 first", &[], Some(-WON)),
            ("2,0,0:5/0,0,0:5 first", &[], Some(WON)),
            // More than half.
            ("1,1,1:7/1,0,0:1 second", &[], Some(-WON)),
            ("1,1,1:6/1,0,1:1 second", &["1", "3"], None),
        ] {
            let position = game.parse_position(position).unwrap();
            let legal = game.legal_moves(&position).into_iter();
            let legal: Vec<String> = legal.map(|mv| game.format_move(mv)).collect();
            assert_eq!(legal, moves);
            assert_eq!(game.final_score(&position), score);
        }
    }

    #[test]
    fn wrong_parameters_and_texts_are_refused_with_the_reason() {
        for (rules, reason) in [
            ("pits=7 seeds=1", "they are 1 to 6"),
            ("pits=0 seeds=1", "they are 1 to 6"),
            ("pits=6 seeds=22", "they are 1 to 21"),
            ("pits=1 seeds=0", "they are 1 to 127"),
        ] {
            let error = OwareFamily.read_rules(rules).unwrap_err().0;
            assert!(error.contains(reason), "{error}");
        }
        let game = OwareFamily.read_rules("pits=3 seeds=2").unwrap();
        for (text, reason) in [
            ("2,2,2/2,2,2:0 first", "both stores"),
            ("2,2,2/2,2,2 first", "both stores"),
            ("2,2,2:0/2,2,2:1 first", "13 seeds in all"),
            ("2,2:4/2,2:4 first", "oware(3,2) has 3 per side"),
        ] {
            let error = game.parse_position(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let key = game.key(&game.start());
        assert_eq!(game.position_of_key(key), Some(game.start()));
        for key in [(key + 1) << 24, u128::MAX, key << 1] {
            assert_eq!(game.position_of_key(key), None);
        }
    }
}
