//! A game of any length, for tests: the player who reaches the end of a road wins.

use crate::game::{
    Backward, Capabilities, Endless, Family, Game, NoGame, Notation, NotationError, ScoreRange,
    Side, Solving, Values, WON, capabilities_of,
};

/// A road of `length` places; each move is one step.
#[derive(Clone, Debug)]
pub(crate) struct LinearGame {
    /// The game's name in rules strings.
    pub called: &'static str,
    pub length: u32,
    /// A place from which a move back to an earlier place is legal.
    pub back: Option<(u32, u32)>,
    pub endless: Endless,
    /// By how many places the moves backward lead that it lists, if it lists any: 1 is right.
    pub backward: Option<&'static [u32]>,
}

/// Returns a road of this length without a way back.
pub(crate) fn linear_game(length: u32) -> LinearGame {
    LinearGame {
        called: "road",
        length,
        back: None,
        endless: Endless::Impossible,
        backward: None,
    }
}

/// Returns a road with a loop far from its start.
pub(crate) fn circular() -> LinearGame {
    LinearGame {
        length: 9_000,
        back: Some((3_000, 2_000)),
        ..linear_game(0)
    }
}

/// Returns a short road with a loop on which endless play is a draw.
pub(crate) fn endless(called: &'static str, back: (u32, u32)) -> LinearGame {
    LinearGame {
        called,
        back: Some(back),
        endless: Endless::Draw,
        ..linear_game(11)
    }
}

/// The family of one road.
pub(crate) struct LinearFamily(pub LinearGame);

impl Family for LinearFamily {
    type Game = LinearGame;

    fn name(&self) -> &'static str {
        self.0.called
    }
    fn about(&self) -> &'static str {
        "Walk along a road"
    }
    fn game(&self, _: &Values) -> Result<LinearGame, NoGame> {
        Ok(self.0.clone())
    }
    fn table_name(&self, _: &LinearGame) -> String {
        format!("{}.bin", self.0.called)
    }
}

impl Game for LinearGame {
    type Position = (u32, Side);
    /// Whether the move goes back.
    type Move = bool;

    fn start(&self) -> (u32, Side) {
        (0, Side::First)
    }
    fn side_to_move(&self, position: &(u32, Side)) -> Side {
        position.1
    }
    fn moves(&self, &(place, _): &(u32, Side), moves: &mut Vec<bool>) {
        moves.clear();
        if place < self.length {
            let goes_back = self.back.is_some_and(|back| back.0 == place);
            moves.extend(goes_back.then_some(true));
            moves.push(false);
        }
    }
    fn play(&self, &(place, side): &(u32, Side), goes_back: bool) -> (u32, Side) {
        let place = match self.back {
            Some((_, to)) if goes_back => to,
            _ => place + 1,
        };
        (place, side.other())
    }
    fn final_score(&self, position: &(u32, Side)) -> Option<i32> {
        let lost = match self.endless {
            Endless::Impossible => -1,
            Endless::Draw => -WON,
        };
        (position.0 == self.length).then_some(lost)
    }
    fn score_range(&self) -> ScoreRange {
        match self.endless {
            Endless::Impossible => ScoreRange {
                lowest: -1,
                highest: 1,
                step: 2,
            },
            Endless::Draw => ScoreRange::ALTERNATE_PLIES,
        }
    }
    fn endless(&self) -> Endless {
        self.endless
    }
    fn canonical(&self, position: &(u32, Side)) -> (u32, Side) {
        (position.0, Side::First)
    }
    fn key(&self, canonical: &(u32, Side)) -> u128 {
        canonical.0.into()
    }
    fn key_bits(&self) -> u32 {
        32
    }
    fn position_of_key(&self, key: u128) -> Option<(u32, Side)> {
        let place = u32::try_from(key).ok()?;
        (place < self.length).then_some((place, Side::First))
    }
    fn layer(&self, canonical: &(u32, Side)) -> u32 {
        canonical.0
    }
}

impl Solving<LinearGame> for LinearGame {
    fn backward(&self) -> Option<&dyn Backward<LinearGame>> {
        self.backward.is_some().then_some(self)
    }
}

impl Backward<LinearGame> for LinearGame {
    fn add_parents(&self, &(place, side): &(u32, Side), parents: &mut Vec<(u32, Side)>) {
        let before = self.backward.unwrap_or_default().iter();
        let before = before.filter_map(|places| place.checked_sub(*places));
        let from = self.back.filter(|back| back.1 == place).map(|back| back.0);
        let places = before.chain(from);
        parents.extend(places.map(|place| (place, side.other())));
    }
}

impl Notation for LinearGame {
    fn capabilities(&self) -> Capabilities<'_, LinearGame> {
        capabilities_of!(self: solving)
    }
    fn rules(&self) -> String {
        self.called.to_owned()
    }
    fn name(&self) -> String {
        format!("{}({})", self.called, self.length)
    }
    fn format_position(&self, position: &(u32, Side)) -> String {
        format!("{} {}", position.0, position.1)
    }
    fn parse_position(&self, text: &str) -> Result<(u32, Side), NotationError> {
        let read = |text: &str| {
            let (place, side) = text.split_once(' ')?;
            Some((place.parse().ok()?, side.parse().ok()?))
        };
        read(text).ok_or_else(|| NotationError::new(text, "no place of the road", "0 first"))
    }
    fn format_move(&self, goes_back: bool) -> String {
        if goes_back { "back" } else { "on" }.to_owned()
    }
    fn parse_move(&self, text: &str) -> Result<bool, NotationError> {
        match text {
            "on" => Ok(false),
            "back" => Ok(true),
            _ => Err(NotationError::new(text, "no move", "on")),
        }
    }
    fn layer_name(&self) -> &'static str {
        "places passed"
    }
}
