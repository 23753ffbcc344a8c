//! Rules and positions of Reversi.

use super::board::{self, FOUR_BY_FOUR, LETTERS, OCTAGON, Shape};
use crate::game::{Game, ScoreRange, Side, Solving};
use crate::games::cells::{Cell, Cells, Pieces, changed, each, symmetries_of_pieces};
use crate::games::grid::Grid;

/// A board of Reversi.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Board {
    /// Four rows of four squares.
    FourByFour,
    /// Rows of 2, 4, 6, 6, 4 and 2 squares, centred.
    Octagon,
}

impl Board {
    /// Boards, smallest first.
    pub const ALL: [Board; 2] = [Board::FourByFour, Board::Octagon];

    /// Returns the number of squares.
    #[must_use]
    pub fn size(self) -> u32 {
        self.shape().cells.count_ones()
    }

    pub(super) fn shape(self) -> &'static Shape {
        match self {
            Board::FourByFour => &FOUR_BY_FOUR,
            Board::Octagon => &OCTAGON,
        }
    }
}

/// The four discs in the centre at the start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// White and black above black and white.
    #[default]
    Cross,
    /// White and black above white and black.
    Parallel,
}

impl Start {
    /// Starts, the default first.
    pub const ALL: [Start; 2] = [Start::Cross, Start::Parallel];
}

crate::text::display_as_serialized!(Start);

/// The game with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reversi {
    /// Size and shape of the board.
    pub board: Board,
    /// The four discs in the centre at the start.
    pub start: Start,
}

/// A move of Reversi.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// Placing a disc on a square.
    Place(Cell),
    /// Passing, legal only if no disc can be placed and the game isn't over.
    Pass,
}

/// A state of the game: both players' discs and the side to move.
pub type Position = Pieces<2>;

impl Position {
    /// Returns the number of a player's discs.
    #[must_use]
    pub fn discs(&self, side: Side) -> u32 {
        self.sets[side.index()].count_ones()
    }

    /// Returns the number of discs of the side to move minus those of the other side.
    #[must_use]
    pub fn disc_difference(&self) -> i32 {
        let [own, other] = self.seen().map(Cells::count_ones);
        own as i32 - other as i32
    }
}

impl Reversi {
    /// Returns the number of empty squares.
    #[must_use]
    pub fn empty_cells(&self, position: &Position) -> u32 {
        self.board.size() - position.discs(Side::First) - position.discs(Side::Second)
    }

    pub(super) fn shape(&self) -> &'static Shape {
        self.board.shape()
    }

    pub(super) fn grid(&self) -> Grid {
        Grid {
            side: self.shape().side,
            cells: self.shape().cells,
            letters: LETTERS,
        }
    }

    /// Returns the squares where the side to move may place a disc.
    pub(super) fn placings(&self, position: &Position) -> Cells {
        let [own, other] = position.seen();
        self.shape().placings(own, other)
    }

    /// Returns whether the side to move may pass, if it can't place a disc.
    fn may_pass(&self, position: &Position) -> bool {
        let [own, other] = position.seen();
        self.shape().placings(other, own) != 0
    }
}

impl Game for Reversi {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        let centre = self.shape().centre;
        let top_left = centre & centre.wrapping_neg();
        let (top_right, bottom_left, bottom_right) = (top_left << 1, top_left << 8, top_left << 9);
        let black = match self.start {
            Start::Cross => top_right | bottom_left,
            Start::Parallel => top_right | bottom_right,
        };
        Pieces::of_mover([black, centre & !black], Side::First)
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let placings = self.placings(position);
        if placings == 0 {
            moves.extend(self.may_pass(position).then_some(Move::Pass));
            return;
        }
        for group in self.shape().by_neighbours {
            for cell in each(placings & group) {
                moves.push(Move::Place(cell));
            }
        }
    }

    fn play(&self, position: &Position, mv: Move) -> Position {
        let [own, other] = position.seen();
        let (own, other) = match mv {
            Move::Place(cell) => {
                let flipped = board::flipped(own, other, cell.alone());
                debug_assert!(flipped != 0);
                (own | cell.alone() | flipped, other & !flipped)
            }
            Move::Pass => (own, other),
        };
        Pieces::of_mover([other, own], position.side.other())
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        let is_over = self.placings(position) == 0 && !self.may_pass(position);
        is_over.then(|| position.disc_difference())
    }

    fn score_range(&self) -> ScoreRange {
        // A game can end with any number of empty squares.
        ScoreRange::up_to(self.board.size() as i32, 1)
    }

    fn canonical(&self, position: &Position) -> Position {
        position.canonical(self.shape().side)
    }

    fn key(&self, canonical: &Position) -> u128 {
        let [own, other] = changed(canonical.seen(), |discs| self.shape().pack(discs));
        u128::from(own << self.board.size() | other)
    }

    fn key_bits(&self) -> u32 {
        2 * self.board.size()
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        if key >> self.key_bits() != 0 {
            return None;
        }
        let (shape, size) = (self.shape(), self.board.size());
        let own = shape.unpack(key as u64 >> size);
        let other = shape.unpack(key as u64 & ((1 << size) - 1));
        let position = Pieces::of_mover([own, other], Side::First);
        let names_one = own & other == 0
            && (own | other) & shape.centre == shape.centre
            && self.canonical(&position) == position
            && self.final_score(&position).is_none();
        names_one.then_some(position)
    }

    /// Counts the squares where each side can place a disc, and their corners thrice.
    ///
    /// Discs gain weight as the board fills up.
    fn evaluate(&self, position: &Position) -> i32 {
        let [own, other] = position.seen();
        let shape = self.shape();
        let worth = |own: Cells, other: Cells| {
            let corners = own & shape.by_neighbours[0];
            (shape.placings(own, other).count_ones() + 3 * corners.count_ones()) as i32
        };
        let discs = position.disc_difference() * self.layer(position) as i32;
        worth(own, other) - worth(other, own) + discs / self.board.size() as i32
    }

    fn layer(&self, canonical: &Position) -> u32 {
        canonical.discs(Side::First) + canonical.discs(Side::Second)
    }
}

symmetries_of_pieces!(Reversi, |game| game.shape().side);

impl Solving<Reversi> for Reversi {
    fn expected_classes(&self) -> Option<u64> {
        // Counted by a walk from the start. The small board has too few classes to matter.
        match (self.board, self.start) {
            (Board::FourByFour, _) => None,
            (Board::Octagon, Start::Cross) => Some(80_185_289),
            (Board::Octagon, Start::Parallel) => Some(99_348_384),
        }
    }
}
