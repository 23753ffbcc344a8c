//! Rules and positions of Dōbutsu shōgi: both players' pieces as words, and how they move.
//!
//! A piece's code is the set of steps that it can make: [`FORWARD`] and so on. Each player's pieces
//! are one word of 12 codes, as seen from that player, with forward at the low end. So the turn
//! passes without a change, and a single `&` finds whether any piece attacks a square. The bits
//! from [`HAND`] count the pieces in hand, two bits per kind.

use crate::game::{Backward, Endless, Game, ScoreRange, Side, Solving, Symmetry, WON};
use crate::games::cells::{Pieces, changed, ones};

/// The game; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dobutsu;

/// A state of the game: each player's pieces as a word, and the side to move.
pub(super) type Position = Pieces<2>;

/// A move: the old and the new square, numbered row by row from the top.
///
/// For a drop, the old square is that of the kind in hand, from `SQUARES` on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    pub(super) from: u8,
    pub(super) to: u8,
}

/// Bits in which the other side's codes are changed in keys: then each code has one owner.
const CHANGE: u64 = 3;

impl Game for Dobutsu {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        Pieces::of_mover([START; 2], Side::First)
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    #[inline]
    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        if outcome(position.seen()).is_none() {
            add_moves(position, moves);
        }
    }

    #[inline]
    fn play(&self, position: &Position, mv: Move) -> Position {
        let seen = |square: u8| seen_square(position.side, square.into());
        let [own, other] = moved(position.seen(), seen(mv.from), seen(mv.to));
        Pieces::of_mover([other, own], position.side.other())
    }

    #[inline]
    fn final_score(&self, position: &Position) -> Option<i32> {
        outcome(position.seen())
    }

    fn score_range(&self) -> ScoreRange {
        ScoreRange::ALTERNATE_PLIES
    }

    fn endless(&self) -> Endless {
        Endless::Draw
    }

    #[inline]
    fn canonical(&self, position: &Position) -> Position {
        let seen = position.seen();
        let image = changed(seen, mirrored);
        let is_less = (image[0], image[1]) < (seen[0], seen[1]);
        Pieces::of_mover(if is_less { image } else { seen }, Side::First)
    }

    /// Returns the codes of the side to move and, changed, those of the other side; then the hand.
    ///
    /// The pieces in the other side's hand are those that are nowhere else.
    #[inline]
    fn key(&self, canonical: &Position) -> u128 {
        let [own, other] = canonical.seen();
        let theirs = turned(other);
        u128::from(own | (theirs ^ (CHANGE * occupied(theirs))))
    }

    fn key_bits(&self) -> u32 {
        56
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let key = u64::try_from(key).ok()?;
        let mut seen = [key & !BOARD, 0];
        let mut left = occupied(key);
        while left != 0 {
            let square = left.trailing_zeros() as usize / 4;
            left &= left - 1;
            let code = code(key, square);
            if is_piece(code) {
                seen[0] |= code << (4 * square);
            } else if is_piece(code ^ CHANGE) {
                seen[1] |= (code ^ CHANGE) << (4 * (SQUARES - 1 - square));
            } else {
                return None;
            }
        }
        let missing = missing(seen)?;
        for (kind, count) in missing.iter().enumerate() {
            seen[1] += count * in_hand(kind);
        }
        let position = Pieces::of_mover(seen, Side::First);
        let is_class = key >> (HAND + 6) == 0 && self.canonical(&position) == position;
        (is_class && outcome(seen).is_none()).then_some(position)
    }
}

/// Adds the steps and drops of the side to move, also where the game is over.
#[inline]
pub(super) fn add_moves(position: &Position, moves: &mut Vec<Move>) {
    let [own, other] = position.seen();
    let square = |square| seen_square(position.side, square) as u8;
    let mut add = |from, mut targets: u64| {
        let from = square(from);
        while targets != 0 {
            let to = square(targets.trailing_zeros() as usize / 4);
            targets &= targets - 1;
            moves.push(Move { from, to });
        }
    };
    let mine = occupied(own);
    let mut left = mine;
    while left != 0 {
        let from = left.trailing_zeros() as usize / 4;
        left &= left - 1;
        let steps = STEPS_FROM[from] & (code(own, from) * ONES);
        add(from, occupied(steps) & !mine);
    }
    let free = ONES & !(mine | turned(occupied(other)));
    for kind in 0..3 {
        if held(own, kind) > 0 {
            add(SQUARES + kind, free);
        }
    }
}

impl Symmetry<Dobutsu> for Dobutsu {
    fn order(&self) -> usize {
        4
    }

    /// Bit 0 of the symmetry is the mirror, bit 1 swaps the players.
    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        let [position, image] = [*position, position.mapped(mirrored)];
        let image = [position, image][symmetry & 1];
        [image, image.swapped()][symmetry >> 1]
    }
}

impl Solving<Dobutsu> for Dobutsu {
    fn expected_classes(&self) -> Option<u64> {
        Some(100_000_000)
    }

    fn backward(&self) -> Option<&dyn Backward<Dobutsu>> {
        Some(self)
    }
}

impl Backward<Dobutsu> for Dobutsu {
    fn add_parents(&self, position: &Position, parents: &mut Vec<Position>) {
        let [waiting, mover] = position.seen();
        let mut add = |before: [u64; 2]| {
            if outcome(before).is_none() {
                parents.push(Pieces::of_mover(before, position.side.other()));
            }
        };
        let mine = occupied(mover);
        let free = ONES & !(mine | turned(occupied(waiting)));
        for to in ones(mine).map(|bit| bit / 4) {
            let piece = code(mover, to);
            let rest = mover ^ piece << (4 * to);
            // The piece was dropped here: not a hen, and not the lion.
            if let Some(kind) = KINDS.iter().position(|&kind| kind == piece) {
                add([rest + in_hand(kind), waiting]);
            }
            // It moved here, perhaps became a hen by that, and perhaps captured a piece.
            let before = match piece {
                HEN if to < COLUMNS => &[HEN, CHICK][..],
                CHICK if to < COLUMNS => &[],
                _ => &[piece],
            };
            for &piece in before {
                let from = occupied(STEPS_TO[to] & (piece * ONES)) & free;
                for from in ones(from) {
                    let own = rest | piece << from;
                    add([own, waiting]);
                    for (kind, taken) in CAPTURED {
                        if held(own, kind) > 0 {
                            let there = taken << (4 * (SQUARES - 1 - to));
                            add([own - in_hand(kind), waiting | there]);
                        }
                    }
                }
            }
        }
    }
}

pub(super) const COLUMNS: usize = 3;
pub(super) const ROWS: usize = 4;
pub(super) const SQUARES: usize = COLUMNS * ROWS;

/// Steps, as bits of codes: forward, diagonally forward, sideways or back, diagonally back.
const FORWARD: u64 = 8;
pub(super) const AHEAD: u64 = 4;
pub(super) const BESIDE: u64 = 2;
const BEHIND: u64 = 1;

/// The steps to the row before, in the same row, and to the row behind.
const STEPS: [[u64; 3]; 3] = [
    [AHEAD, FORWARD, AHEAD],
    [BESIDE, 0, BESIDE],
    [BEHIND, BESIDE, BEHIND],
];

const LION: u64 = FORWARD | AHEAD | BESIDE | BEHIND;
const GIRAFFE: u64 = FORWARD | BESIDE;
const ELEPHANT: u64 = AHEAD | BEHIND;
pub(super) const CHICK: u64 = FORWARD;
const HEN: u64 = FORWARD | AHEAD | BESIDE;

/// Letters of codes; a space stands for no piece.
pub(super) const LETTERS: &[u8; 16] = b".    E  C G   HL";

/// The kinds of pieces that can be in hand, in the order of their bits.
pub(super) const KINDS: [u64; 3] = [CHICK, ELEPHANT, GIRAFFE];

/// The kinds in hand, and the pieces that were captured for them.
const CAPTURED: [(usize, u64); 4] = [(0, CHICK), (0, HEN), (1, ELEPHANT), (2, GIRAFFE)];

/// The lowest bit of each code.
pub(super) const ONES: u64 = 0x1111_1111_1111;
/// First bit of the counts of pieces in hand.
pub(super) const HAND: u32 = 48;
/// The bits of all codes.
pub(super) const BOARD: u64 = (1 << HAND) - 1;

/// Both players' pieces at the start: elephant, lion and giraffe on the first row, and a chick.
pub(super) const START: u64 = CHICK << 28 | ELEPHANT << 36 | LION << 40 | GIRAFFE << 44;

/// By square: the steps from it, at the squares to which they lead.
pub(super) static STEPS_FROM: [u64; SQUARES] = STEPS_BETWEEN[0];
/// By square: the steps to it, at the squares from which they lead.
static STEPS_TO: [u64; SQUARES] = STEPS_BETWEEN[1];

const STEPS_BETWEEN: [[u64; SQUARES]; 2] = {
    let mut steps = [[0; SQUARES]; 2];
    let mut pair = 0;
    while pair < SQUARES * SQUARES {
        let (from, to) = (pair / SQUARES, pair % SQUARES);
        let row = (to / COLUMNS + 1).wrapping_sub(from / COLUMNS);
        let column = (to % COLUMNS + 1).wrapping_sub(from % COLUMNS);
        if row < 3 && column < 3 {
            steps[0][from] |= STEPS[row][column] << (4 * to);
            steps[1][to] |= STEPS[row][column] << (4 * from);
        }
        pair += 1;
    }
    steps
};

/// Returns the lowest bits of the codes that aren't 0.
#[inline]
pub(super) fn occupied(codes: u64) -> u64 {
    (codes | codes >> 1 | codes >> 2 | codes >> 3) & ONES
}

/// Returns the lowest bits of the codes that have all bits: only the lion's has.
#[inline]
fn lions(pieces: u64) -> u64 {
    let pairs = pieces & pieces >> 1;
    pairs & pairs >> 2 & ONES
}

/// Returns the codes as the other player sees them.
#[inline]
pub(super) fn turned(pieces: u64) -> u64 {
    const LOW: u64 = 0x0f0f_0f0f_0f0f;
    let bytes = (pieces & BOARD).swap_bytes() >> (u64::BITS - HAND);
    bytes >> 4 & LOW | (bytes & LOW) << 4
}

/// Returns the mirror image, in which the first and the last column are swapped.
#[inline]
pub(super) fn mirrored(pieces: u64) -> u64 {
    const LEFT: u64 = 0x00f0_0f00_f00f;
    let middle = pieces & !(LEFT | LEFT << 8);
    middle | (pieces & LEFT) << 8 | pieces >> 8 & LEFT
}

#[inline]
pub(super) fn code(pieces: u64, square: usize) -> u64 {
    pieces >> (4 * square) & 15
}

/// Returns the index of a piece's kind in [`KINDS`]; `None` for the lion.
#[inline]
fn kind(code: u64) -> Option<usize> {
    match code {
        CHICK | HEN => Some(0),
        ELEPHANT => Some(1),
        GIRAFFE => Some(2),
        _ => None,
    }
}

pub(super) fn is_piece(code: u64) -> bool {
    code == LION || kind(code).is_some()
}

/// Returns one piece of a kind in hand.
#[inline]
pub(super) fn in_hand(kind: usize) -> u64 {
    1 << (HAND as usize + 2 * kind)
}

/// Returns the number of a kind's pieces in hand.
#[inline]
pub(super) fn held(pieces: u64, kind: usize) -> u64 {
    pieces >> (HAND as usize + 2 * kind) & 3
}

/// Returns the final score for the side to move, if the game is over.
#[inline]
pub(super) fn outcome([own, other]: [u64; 2]) -> Option<i32> {
    match can_capture([own, other]) {
        true => Some(WON - 1),
        false => is_home(other).then_some(-WON),
    }
}

/// Returns whether the side to move can capture the lion.
#[inline]
pub(super) fn can_capture([own, other]: [u64; 2]) -> bool {
    let lion = lions(other).trailing_zeros() as usize / 4;
    own & STEPS_TO[SQUARES - 1 - lion] != 0
}

/// Returns whether a player's lion is on the last row.
#[inline]
pub(super) fn is_home(own: u64) -> bool {
    (lions(own).trailing_zeros() as usize) < 4 * COLUMNS
}

/// Returns both players' pieces after a move between squares as the side to move sees them.
#[inline]
pub(super) fn moved([mut own, mut other]: [u64; 2], from: usize, to: usize) -> [u64; 2] {
    let piece = match from.checked_sub(SQUARES) {
        Some(kind) => {
            own -= in_hand(kind);
            KINDS[kind]
        }
        None => {
            let piece = code(own, from);
            own ^= piece << (4 * from);
            let is_promoted = piece == CHICK && to < COLUMNS;
            if is_promoted { HEN } else { piece }
        }
    };
    let there = SQUARES - 1 - to;
    let taken = code(other, there);
    other ^= taken << (4 * there);
    own += kind(taken).map_or(0, in_hand);
    [own | piece << (4 * to), other]
}

/// Returns the numbers of pieces of each kind that both players lack.
///
/// `None` if they have too many, or not one lion each.
#[inline]
pub(super) fn missing([own, other]: [u64; 2]) -> Option<[u64; 3]> {
    let mut missing = [2; 3];
    let mut are_few = true;
    for (kind, missing) in missing.iter_mut().enumerate() {
        let used =
            on_board(own, kind) + on_board(other, kind) + held(own, kind) + held(other, kind);
        are_few &= used <= 2;
        *missing -= used.min(2);
    }
    let have_lions = lions(own).is_power_of_two() && lions(other).is_power_of_two();
    (have_lions && are_few).then_some(missing)
}

/// Returns the number of a kind's pieces on the board, all codes of which must be pieces.
#[inline]
fn on_board(pieces: u64, kind: usize) -> u64 {
    let [behind, beside, ahead, forward] = [pieces, pieces >> 1, pieces >> 2, pieces >> 3];
    let of_kind = match KINDS[kind] {
        ELEPHANT => behind & !forward,
        GIRAFFE => beside & !ahead,
        // A chick, or a hen.
        _ => forward & !behind & !(beside & !ahead),
    };
    u64::from((of_kind & ONES).count_ones())
}

/// Returns a square as a side sees it, from the square on the board and vice versa.
///
/// From [`SQUARES`] on, the numbers stand for kinds in hand, which don't change.
#[inline]
pub(super) fn seen_square(side: Side, square: usize) -> usize {
    match side {
        Side::Second if square < SQUARES => SQUARES - 1 - square,
        _ => square,
    }
}
