//! Games that break one promise each.

use super::*;
use crate::game::{
    Capabilities, Family, Followed, Game, NoGame, NotationError, ScoreRange, Segment, Side, Slot,
    Solving, Symmetry, Values, follow_by_playing,
};
use crate::games::connect4::{Connect4, Parameters};
use crate::games::dobutsu::Dobutsu;
use crate::games::dots::Dots;
use crate::games::kalah::{Kalah, Rules};
use crate::games::lgame::LGame;
use crate::games::merels::Kind;
use crate::games::oware::OwareFamily;
use crate::games::reversi::{Board, Reversi, Start};
use crate::games::tictactoe::TicTacToe;
use crate::testing::linear_game::{LinearGame, endless, linear_game};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn the_librarys_games_conform() {
    check(&Connect4::new(Parameters::default()).unwrap(), 2000).unwrap();
    check(&TicTacToe::default(), 10_000).unwrap();
    check(&Dots::new(3, 3).unwrap(), 2000).unwrap();
    for (pits, seeds) in [(3, 2), (6, 4)] {
        for empty_capture in [false, true] {
            let rules = Rules {
                pits,
                seeds,
                empty_capture,
            };
            check(&Kalah::new(rules).unwrap(), 3000).unwrap();
        }
    }
    for board in [Board::FourByFour, Board::Octagon] {
        let start = Start::Cross;
        check(&Reversi { board, start }, 2000).unwrap();
    }
}

#[test]
fn the_librarys_games_with_cycles_conform() {
    check(&LGame, 1000).unwrap();
    check(&Dobutsu, 2000).unwrap();
    for kind in [Kind::Morris, Kind::Teeko] {
        let values = Values::of(kind.parameters(), &[]).unwrap();
        check(&kind.game(&values).unwrap(), 2000).unwrap();
    }
    for rules in ["pits=3 seeds=2", "pits=6 seeds=4", "pits=1 seeds=127"] {
        check(&OwareFamily.read_rules(rules).unwrap(), 2000).unwrap();
    }
}

/// Number of calls that list the moves of a game with the fault "turning".
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Take 1 or 2 of some stones; taking the last wins. Each fault breaks it in one way.
#[derive(Clone, Debug)]
pub(crate) struct Stones {
    pub fault: &'static str,
    pub stones: u16,
    /// Whether the game has a ranking.
    pub ranked: bool,
}

/// Returns the game with 7 stones.
pub(crate) fn stones(fault: &'static str) -> Stones {
    Stones {
        fault,
        stones: 7,
        ranked: false,
    }
}

impl Stones {
    fn is(&self, fault: &str) -> bool {
        self.fault == fault
    }
}

impl Game for Stones {
    type Position = (u16, Side);
    type Move = u16;

    fn start(&self) -> (u16, Side) {
        let is_finished = self.is("finished");
        (if is_finished { 0 } else { self.stones }, Side::First)
    }

    fn side_to_move(&self, position: &(u16, Side)) -> Side {
        position.1
    }

    fn moves(&self, position: &(u16, Side), moves: &mut Vec<u16>) {
        moves.clear();
        moves.extend((1..=2).filter(|&taken| taken <= position.0));
        match self.fault {
            "twice" => moves.extend(moves.clone()),
            "stuck" if position.0 == 2 => moves.clear(),
            "cycle" if position.0 == 3 => moves.push(0),
            "turning" if moves.len() == 2 => moves.rotate_left(CALLS.fetch_add(1, Relaxed) % 2),
            _ => {}
        }
    }

    fn play(&self, position: &(u16, Side), taken: u16) -> (u16, Side) {
        // A move of 0 puts two stones back.
        let left = if taken == 0 {
            position.0 + 2
        } else {
            position.0 - taken
        };
        (left, position.1.other())
    }

    fn is_legal(&self, position: &(u16, Side), taken: u16) -> bool {
        let most = if self.is("illegal") { 2 } else { position.0 };
        (1..=2.min(most)).contains(&taken) || self.legal_moves(position).contains(&taken)
    }

    fn final_score(&self, position: &(u16, Side)) -> Option<i32> {
        let last = if self.is("both") { 1 } else { 0 };
        (position.0 <= last).then_some(-1)
    }

    fn endless(&self) -> Endless {
        match self.is("endless") {
            true => Endless::Draw,
            false => Endless::Impossible,
        }
    }

    fn banked(&self, position: &(u16, Side)) -> i32 {
        i32::from(self.is("lead") && *position == (0, Side::Second))
    }

    fn score_range(&self) -> ScoreRange {
        ScoreRange {
            lowest: if self.is("low") { 1 } else { -1 },
            highest: match self.fault {
                "narrow" => -1,
                "many" => 2_000_000_003,
                _ => 1,
            },
            step: if self.is("steps") { 3 } else { 2 },
        }
    }

    fn canonical(&self, position: &(u16, Side)) -> (u16, Side) {
        match self.fault {
            "merged" => (position.0.min(4), Side::First),
            "unstable" => (position.0, position.1.other()),
            _ => (position.0, Side::First),
        }
    }

    fn key(&self, canonical: &(u16, Side)) -> u128 {
        match self.fault {
            "long" => 1 << 20 | u128::from(canonical.0),
            "same key" if canonical.0 == 5 => 4,
            _ => canonical.0.into(),
        }
    }

    fn key_bits(&self) -> u32 {
        if self.is("bits") { 20 } else { 16 }
    }

    fn position_of_key(&self, key: u128) -> Option<(u16, Side)> {
        let stones = match self.fault {
            "low bits" => key as u16,
            "unwrapped" => u16::try_from(key).unwrap(),
            _ => u16::try_from(key).ok()?,
        };
        let is_finished = self.final_score(&(stones, Side::First)).is_some();
        let refused = match self.fault {
            "refused" if stones == 5 => true,
            "finished key" => false,
            _ => is_finished,
        };
        (!refused).then_some((stones, Side::First))
    }

    fn layer(&self, canonical: &(u16, Side)) -> u32 {
        canonical.0.into()
    }

    fn lowest_layer_after(&self, canonical: &(u16, Side)) -> u32 {
        let most = if self.is("near") { 1 } else { 2 };
        u32::from(canonical.0).saturating_sub(most)
    }

    fn follow(&self, position: &(u16, Side), taken: u16, class: &mut (u16, Side)) -> Followed {
        let followed = follow_by_playing(self, position, taken, class);
        match self.fault {
            "wrong class" => class.0 = 1,
            "wrong points" => {
                return Followed {
                    points: 1,
                    ..followed
                };
            }
            _ => {}
        }
        followed
    }
}

impl Solving<Stones> for Stones {
    fn ranking(&self) -> Option<Arc<dyn Ranking<(u16, Side)>>> {
        let segment = |layer| Segment {
            rows: 1,
            columns: if self.is("bounds") && layer == 5 {
                0
            } else {
                1
            },
            scores: match self.fault {
                "segment" if layer == 1 => ScoreRange {
                    lowest: -1,
                    highest: -1,
                    step: 1,
                },
                "gaps" if layer == 3 => ScoreRange::up_to(2, 2),
                "chaotic" => ScoreRange {
                    lowest: 1,
                    highest: -1,
                    step: 1,
                },
                _ => self.score_range(),
            },
            layer: if self.is("layer") { 7 } else { layer },
            derived: self.is("derived"),
        };
        let segments = (0..=u32::from(self.stones)).map(segment).collect();
        let ranking = StonesRanking(segments, self.fault);
        self.ranked.then(|| Arc::new(ranking) as _)
    }
}

/// A ranking with one segment per number of stones.
struct StonesRanking(Vec<Segment>, &'static str);

impl Ranking<(u16, Side)> for StonesRanking {
    fn segments(&self) -> &[Segment] {
        &self.0
    }

    fn slot(&self, canonical: &(u16, Side)) -> Option<Slot> {
        let (segment, row) = match (self.1, canonical.0) {
            ("slotless", 5) => return None,
            ("shared", 5) => (4, 0),
            ("outside", 5) => (5, 1),
            ("nowhere", 5) => (99, 0),
            (fault, 0) if fault != "ended" => return None,
            (_, stones) => (stones.into(), 0),
        };
        Some(Slot {
            segment,
            row,
            column: 0,
        })
    }

    fn position(&self, slot: Slot) -> (u16, Side) {
        let off = u32::from(self.1 == "inverse" && slot.segment == 5);
        ((slot.segment + off) as u16, Side::First)
    }
}

impl Notation for Stones {
    fn rules(&self) -> String {
        format!("stones number={}", self.stones)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            solving: self,
            ..Capabilities::default()
        }
    }

    fn name(&self) -> String {
        let name = if self.is("name") { "rocks" } else { "stones" };
        name.to_owned()
    }

    fn format_position(&self, position: &(u16, Side)) -> String {
        let end = if self.is("line") { "\n" } else { "" };
        format!("{} {}{end}", position.0, position.1)
    }

    fn parse_position(&self, text: &str) -> Result<(u16, Side), NotationError> {
        let fail = || NotationError::new(text, "no position", "7 first");
        let (stones, side) = match self.fault {
            // Splits beyond the end, or inside a letter.
            "panics" => text.split_at(1),
            _ => text.split_once(' ').ok_or_else(fail)?,
        };
        let stones: u16 = stones.parse().map_err(|_| fail())?;
        let off = match self.fault {
            "misread" if stones == 3 => 1,
            "sloppy" if stones > 7 => 1,
            _ => 0,
        };
        let stones = stones.saturating_add(off);
        Ok((stones, side.trim().parse().map_err(|_| fail())?))
    }

    fn format_move(&self, taken: u16) -> String {
        let taken = if self.is("mute") { 1 } else { taken };
        taken.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<u16, NotationError> {
        text.parse()
            .map_err(|_| NotationError::new(text, "no move", "1"))
    }
}

#[test]
fn each_broken_promise_is_named() {
    check(&stones("none"), 100).unwrap();
    for (fault, promise) in [
        ("name", "begins with the family's"),
        ("finished", "the start is not finished"),
        ("bits", "a multiple of 8"),
        ("steps", "in steps"),
        ("endless", "scores count plies if endless play is a draw"),
        ("many", "at most a billion different scores"),
        ("line", "in one line"),
        ("misread", "position that is written"),
        ("panics", "\"\" makes them panic"),
        ("sloppy", "can't be written and read back"),
        ("stuck", "\"2 second\" has neither"),
        ("both", "has both"),
        ("twice", "listed once"),
        ("turning", "it lists 1 2, then 2 1"),
        ("illegal", "not \"2\" in \"1 "),
        ("narrow", "within score_range"),
        ("low", "second\" scores -1: ScoreRange"),
        ("mute", "move that is written"),
        ("wrong class", "what playing it says"),
        ("wrong points", "what playing it says"),
        ("near", "a layer below lowest_layer_after"),
        ("unstable", "stands for itself"),
        ("lead", "final_score is that of the canonical position plus"),
        (
            "merged",
            "leads to \"4 first\", scores 0 and passes the turn; no move of \"4 first\"",
        ),
        ("long", "no more than key_bits"),
        ("same key", "it gives \"4 first\" for \"5 first\""),
        ("refused", "it gives nothing for \"5 first\""),
        ("low bits", "gives \"7 first\", which it doesn't name"),
        ("finished key", "0x0 gives \"0 first\""),
        ("unwrapped", "panic"),
        ("cycle", "again after 2 moves, from \""),
    ] {
        let broken = check(&stones(fault), 100).unwrap_err().to_string();
        assert!(broken.contains(promise), "{fault}: {broken}");
    }
}

/// Faults of the ranking, and the expected messages.
pub(crate) const WRONG_RANKINGS: [(&str, &str); 11] = [
    ("gaps", "score"),
    ("slotless", "\"5 first\" has none"),
    ("shared", "that of \"5 first\" gives \"4 first\""),
    ("outside", "a slot lies within its segment"),
    ("nowhere", "a slot lies within its segment"),
    ("bounds", "a slot lies within its segment"),
    ("inverse", "that of \"5 first\" gives \"6 first\""),
    ("layer", "a segment has the layer of its positions"),
    ("segment", "score"),
    ("chaotic", "score"),
    ("ended", "a finished position has no slot"),
];

#[test]
fn a_wrong_ranking_is_named() {
    let ranked = |fault| Stones {
        ranked: true,
        ..stones(fault)
    };
    check(&ranked("none"), 100).unwrap();
    for (fault, promise) in WRONG_RANKINGS {
        let broken = check(&ranked(fault), 100).unwrap_err().to_string();
        assert!(broken.contains(promise), "{fault}: {broken}");
    }
    // Harmless if games are short.
    check(&ranked("derived"), 100).unwrap();
    let long = Stones {
        stones: 2000,
        ..ranked("derived")
    };
    let broken = check(&long, 100).unwrap_err().to_string();
    assert!(broken.contains("follows in few steps"), "{broken}");
}

#[test]
fn mistakes_far_from_the_start_are_found() {
    for (fault, promise) in [
        ("misread", "position that is written"),
        ("refused", "it gives nothing"),
        ("cycle", "comes up again"),
    ] {
        let far = Stones {
            stones: 3000,
            ..stones(fault)
        };
        let broken = check(&far, BEFORE_SOLVING).unwrap_err().to_string();
        assert!(broken.contains(promise), "{fault}: {broken}");
    }
}

/// Take 1 or 2 from one of two piles; each stone taken beyond the first scores a point.
///
/// The piles and the players may be swapped. Each fault breaks it in one way.
#[derive(Clone, Debug)]
struct Piles(&'static str);

/// The piles, the first player's lead, and the side to move.
type Stacks = ([u8; 2], i8, Side);

impl Game for Piles {
    type Position = Stacks;
    type Move = (usize, u8);

    fn start(&self) -> Stacks {
        ([4, 4], 0, Side::First)
    }

    fn side_to_move(&self, position: &Stacks) -> Side {
        position.2
    }

    fn moves(&self, &(piles, ..): &Stacks, moves: &mut Vec<(usize, u8)>) {
        moves.clear();
        let most = |pile: usize| if self.0 == "moves" { [1, 2][pile] } else { 2 };
        let of_pile =
            |pile: usize| (1..=piles[pile].min(most(pile))).map(move |taken| (pile, taken));
        moves.extend((0..2).flat_map(of_pile));
    }

    fn play(&self, &(mut piles, lead, side): &Stacks, (pile, taken): (usize, u8)) -> Stacks {
        piles[pile] -= taken;
        let points = i32::from(taken == 2 && (self.0 != "points" || side == Side::First));
        (piles, lead + side.seen(points) as i8, side.other())
    }

    fn final_score(&self, position: &Stacks) -> Option<i32> {
        (position.0 == [0, 0]).then(|| self.banked(position))
    }

    fn score_range(&self) -> ScoreRange {
        ScoreRange::up_to(4, 1)
    }

    fn key(&self, &(piles, _, side): &Stacks) -> u128 {
        let [one, other] = piles.map(u128::from);
        one | other << 3 | (side.index() as u128) << 6
    }

    fn key_bits(&self) -> u32 {
        8
    }

    fn position_of_key(&self, key: u128) -> Option<Stacks> {
        let piles = [key & 7, key >> 3 & 7].map(|pile| pile as u8);
        let position = (
            piles,
            0,
            [Side::First, Side::Second][(key >> 6 & 1) as usize],
        );
        let is_class = key < 128 && piles != [0, 0] && self.canonical(&position) == position;
        is_class.then_some(position)
    }

    fn canonical(&self, &(mut piles, _, side): &Stacks) -> Stacks {
        if self.0 != "unsorted" {
            piles.sort_unstable();
        }
        let is_swapped = self.0 != "sides";
        (piles, 0, if is_swapped { Side::First } else { side })
    }

    fn banked(&self, &(_, lead, side): &Stacks) -> i32 {
        side.seen(lead.into())
    }
}

impl Symmetry<Piles> for Piles {
    fn order(&self) -> usize {
        match self.0 {
            "no order" => 0,
            "points" => 1,
            _ => 4,
        }
    }

    fn apply(&self, symmetry: usize, position: &Stacks) -> Stacks {
        let (mut piles, mut lead, mut side) = *position;
        if symmetry % 2 == 1 && (self.0 != "sometimes" || piles != [3, 4]) {
            piles.reverse();
        }
        let is_swapped = match self.0 {
            "identity" => symmetry < 2,
            "alike" => false,
            _ => symmetry >= 2,
        };
        if is_swapped {
            side = side.other();
            lead *= if self.0 == "lead" { 1 } else { -1 };
        }
        (piles, lead, side)
    }
}

impl Notation for Piles {
    fn rules(&self) -> String {
        "piles".to_owned()
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            symmetry: self,
            ..Capabilities::default()
        }
    }

    fn format_position(&self, &([one, other], lead, side): &Stacks) -> String {
        format!("{one} {other} {lead} {side}")
    }

    fn parse_position(&self, text: &str) -> Result<Stacks, NotationError> {
        let words: Vec<&str> = text.split(' ').collect();
        let read = || {
            let [one, other, lead, side] = words[..] else {
                return None;
            };
            let [one, other] = [one, other].map(|pile| pile.parse().ok().filter(|&pile| pile < 5));
            Some(([one?, other?], lead.parse().ok()?, side.parse().ok()?))
        };
        read().ok_or_else(|| NotationError::new(text, "no position", "4 4 0 first"))
    }

    fn format_move(&self, (pile, taken): (usize, u8)) -> String {
        format!("{pile}-{taken}")
    }

    fn parse_move(&self, text: &str) -> Result<(usize, u8), NotationError> {
        let read = text.split_once('-').and_then(|(pile, taken)| {
            let [pile, taken] = [pile, taken].map(|word| word.parse::<u8>().ok());
            Some((pile?.into(), taken?))
        });
        read.ok_or_else(|| NotationError::new(text, "no move", "0-1"))
    }
}

#[test]
fn wrong_symmetries_are_named() {
    check(&Piles("none"), 1000).unwrap();
    for (fault, problem) in [
        ("no order", "the order of the symmetries"),
        ("identity", "symmetry 0 is the identity"),
        (
            "lead",
            "symmetry 2 turns \"2 4 1 second\" into \"2 4 1 first\", where no move leads",
        ),
        (
            "unsorted",
            "canonical gives the same position for all symmetric images, but symmetry 1",
        ),
        (
            "sides",
            "canonical gives the same position for all symmetric images, but symmetry 2",
        ),
        ("sometimes", "the moves of an image lead to the images"),
        ("alike", "these give the same images: Some((0, 2))"),
        ("moves", "where no move leads"),
        (
            "points",
            "scores 0 and passes the turn; \"1-2\" in \"3 4 0 first\" leads",
        ),
    ] {
        let broken = check(&Piles(fault), 1000).unwrap_err().to_string();
        assert!(broken.contains(problem), "{fault}: {broken}");
    }
}

#[test]
fn wrong_moves_backward_are_named() {
    let road = endless("road", (6, 3));
    let backward = |places| LinearGame {
        backward: Some(places),
        ..road.clone()
    };
    check(&backward(&[1]), 100).unwrap();
    let of_plies = LinearGame {
        backward: Some(&[1]),
        ..linear_game(4)
    };
    let problem = |game| check(&game, 100).unwrap_err().to_string();
    for (game, expected) in [
        (of_plies, "has the scores ScoreRange::ALTERNATE_PLIES"),
        (backward(&[1, 2]), "not from \"0 second\" to \"2 first\""),
        (backward(&[]), "not from \"0 first\" to \"1 second\""),
    ] {
        assert!(
            problem(game.clone()).contains(expected),
            "{}",
            problem(game)
        );
    }
}

/// A family that reads rules strings in one of several ways.
struct Heap(&'static str);

impl Family for Heap {
    type Game = Stones;

    fn name(&self) -> &'static str {
        if self.0 == "name" { "heap" } else { "stones" }
    }

    fn about(&self) -> &'static str {
        "Stones"
    }

    fn game(&self, _: &Values) -> Result<Stones, NoGame> {
        Ok(stones("none"))
    }

    fn read_rules(&self, parameters: &str) -> Result<Stones, NoGame> {
        match (self.0, parameters) {
            ("refuses", _) => Err("no such game".into()),
            ("forgets", _) => Ok(stones("none")),
            (_, "number=9") => Ok(Stones {
                stones: 9,
                ..stones("none")
            }),
            _ => Err(NoGame(format!("\"{parameters}\""))),
        }
    }
}

#[test]
fn rules_strings_name_one_game() {
    let nine = Stones {
        stones: 9,
        ..stones("none")
    };
    check_rules(&Heap("none"), &nine).unwrap();
    for (fault, problem) in [
        ("name", "begin with the name \"heap\""),
        ("refuses", "it says: no such game"),
        ("forgets", "number=7"),
    ] {
        let broken = check_rules(&Heap(fault), &nine).unwrap_err().to_string();
        assert!(broken.contains(problem), "{fault}: {broken}");
    }
}
