//! The L game of Edward de Bono, on 4×4 squares.
//!
//! Each player has an L of four squares, and there are two neutral pieces of one square. In turn,
//! the players move their L to another place, rotated and reflected as they like; then they may
//! move a neutral piece to any free square. A player who can't move the L loses. Endless play is a
//! draw.
//!
//! A position is written as its rows from the top, with `1`, `2`, `N` or `.` for each square, and
//! the side to move: `N11./.21./.21./.22N first`. A move is the four squares of the L, row by row,
//! and where a neutral piece goes, if one does: `b1c1d1d2` or `b1c1d1d2+a1-c2`.
//!
//! Positions are in one class if a symmetry of the board or swapping the players turns them into
//! each other.

use super::cells::{
    Cell, Cells, Pieces, SYMMETRIES, changed, each, image, pack, status, symmetries_of_pieces,
    unpack, words,
};
use super::grid::Diagram;
use crate::game::{
    Capabilities, Drawing, Endless, Family, Game, NoGame, Notation, NotationError, Picture, Piece,
    ScoreRange, Side, Values, WON, capabilities_of,
};

/// Number of rows and of columns.
const ROWS: u32 = 4;
const BOARD: Cells = 0x0f0f_0f0f;

/// An L in the top left corner: three squares down, one to the right.
const CORNER: Cells = 0x3_0101;

/// The letters of each set, in the order of [`Position`]'s sets.
const LETTERS: [char; 3] = ['1', '2', 'N'];
const EXAMPLE: &str = "N11./.21./.21./.22N first";

/// The game; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LGame;

/// A state of the game: both players' squares, the neutral pieces' squares, the side to move.
type Position = Pieces<3>;

/// A move: the new squares of the L, and a neutral piece's old and new square if one moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    shape: Cells,
    neutral: Option<(Cell, Cell)>,
}

/// Returns all places of an L.
fn shapes() -> impl Iterator<Item = Cells> {
    (0..SYMMETRIES).flat_map(|symmetry| {
        let corners = (0..6).map(|place| CORNER << (8 * (place / 3) + place % 3));
        corners.map(move |shape| image(ROWS, symmetry, shape))
    })
}

/// Returns the places to which an L can move.
fn targets([own, other, neutral]: [Cells; 3]) -> impl Iterator<Item = Cells> {
    shapes().filter(move |shape| *shape != own && shape & (other | neutral) == 0)
}

/// Returns the position with these sets, if they are two L's and two neutral pieces.
fn position(sets: [Cells; 3], side: Side) -> Option<Position> {
    let has_shapes = sets[..2]
        .iter()
        .all(|set| shapes().any(|shape| shape == *set));
    (has_shapes && sets[2].count_ones() == 2).then_some(Pieces { sets, side })
}

fn read(text: &str) -> Result<Position, String> {
    let ([rows], side) = words(text, "the rows of the board")?;
    let diagram = Diagram::read(rows, ROWS, ROWS, "12N.")?;
    let position = position(LETTERS.map(|letter| diagram.set(letter)), side);
    position
        .ok_or_else(|| "there are two squares of N, and 1 and 2 each have the shape of an L".into())
}

fn diagram(position: &Position) -> Diagram {
    Diagram::of(ROWS, ROWS, |cell| {
        let mut sets = position.sets.iter().zip(LETTERS);
        let set = sets.find(|(set, _)| *set & cell.alone() != 0);
        set.map_or('.', |(_, letter)| letter)
    })
}

fn name(shape: Cells) -> String {
    each(shape).map(|cell| cell.to_string()).collect()
}

fn read_move(text: &str) -> Option<Move> {
    let (shape, neutral) = match text.split_once('+') {
        None => (text, None),
        Some((shape, way)) => (shape, Some(Cell::path(way, BOARD)?)),
    };
    let shape = shapes().find(|&known| name(known) == shape)?;
    Some(Move { shape, neutral })
}

impl Game for LGame {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        Pieces::of_mover([0x04_0406, 0x0602_0200, 0x0800_0001], Side::First)
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let sets @ [_, other, neutral] = position.seen();
        for shape in targets(sets) {
            let free = BOARD & !(shape | other | neutral);
            let pairs = each(neutral).flat_map(|from| each(free).map(move |to| Some((from, to))));
            moves.extend(
                [None]
                    .into_iter()
                    .chain(pairs)
                    .map(|neutral| Move { shape, neutral }),
            );
        }
    }

    fn play(&self, position: &Position, mv: Move) -> Position {
        let [_, other, mut neutral] = position.seen();
        if let Some((from, to)) = mv.neutral {
            neutral ^= from.alone() | to.alone();
        }
        Pieces::of_mover([other, mv.shape, neutral], position.side.other())
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        targets(position.seen()).next().is_none().then_some(-WON)
    }

    fn score_range(&self) -> ScoreRange {
        ScoreRange::ALTERNATE_PLIES
    }

    fn endless(&self) -> Endless {
        Endless::Draw
    }

    fn canonical(&self, position: &Position) -> Position {
        position.canonical(ROWS)
    }

    fn key(&self, canonical: &Position) -> u128 {
        // A neutral piece has the bits of both players.
        let [own, other, neutral] = changed(canonical.seen(), |set| pack(ROWS, set));
        u128::from((own | neutral) << 16 | other | neutral)
    }

    fn key_bits(&self) -> u32 {
        32
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let key = u32::try_from(key).ok()?;
        let [own, other] = [key >> 16, key & 0xffff].map(|half| unpack(ROWS, half.into()));
        let position = position([own & !other, other & !own, own & other], Side::First)?;
        let is_class = self.canonical(&position) == position;
        (is_class && self.final_score(&position).is_none()).then_some(position)
    }
}

impl Notation for LGame {
    fn rules(&self) -> String {
        "lgame".into()
    }

    fn title(&self) -> String {
        "The L game".into()
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, drawing)
    }

    fn format_position(&self, position: &Position) -> String {
        format!("{} {}", diagram(position).text(), position.side)
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        read(text).map_err(|problem| NotationError::new(text, problem, EXAMPLE))
    }

    fn format_move(&self, mv: Move) -> String {
        let shape = name(mv.shape);
        match mv.neutral {
            None => shape,
            Some((from, to)) => format!("{shape}+{from}-{to}"),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let problem = "a move is the four squares of the L, row by row, and a neutral piece's way if \
                       one moves";
        let read = read_move(text.trim());
        read.ok_or_else(|| NotationError::new(text, problem, "b1c1d1d2+a1-c2"))
    }

    fn board(&self, position: &Position) -> String {
        let status = status(
            [Side::First, Side::Second],
            position.side,
            self.final_score(position),
        );
        diagram(position).drawn(&[status])
    }
}

symmetries_of_pieces!(LGame, |_game| ROWS);

impl Drawing<LGame> for LGame {
    fn picture(&self, position: &Position) -> Option<Picture> {
        Some(diagram(position).picture(|letter| match letter {
            '1' => Piece::Disc(Side::First),
            '2' => Piece::Disc(Side::Second),
            _ => Piece::Block,
        }))
    }

    fn places_of_move(&self, _: &Position, mv: Move) -> Option<Vec<String>> {
        let neutral = mv.neutral.into_iter().flat_map(|(from, to)| [from, to]);
        Some(
            each(mv.shape)
                .chain(neutral)
                .map(|cell| cell.to_string())
                .collect(),
        )
    }

    fn unordered_places(&self) -> usize {
        4
    }
}

impl Family for LGame {
    type Game = LGame;

    fn name(&self) -> &'static str {
        "lgame"
    }

    fn about(&self) -> &'static str {
        "The L game: who can't move the L loses"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("lgame.txt")
    }

    fn game(&self, _: &Values) -> Result<LGame, NoGame> {
        Ok(LGame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    /// Returns the classes of all placements, found by trying all of them.
    fn classes() -> (usize, FxHashSet<Position>) {
        let mut placements = 0;
        let mut classes = FxHashSet::default();
        for own in shapes() {
            for other in shapes().filter(|other| own & other == 0) {
                let free: Vec<Cell> = each(BOARD & !(own | other)).collect();
                for (number, one) in free.iter().enumerate() {
                    for two in &free[..number] {
                        let sets = [own, other, one.alone() | two.alone()];
                        classes.insert(LGame.canonical(&Pieces::of_mover(sets, Side::Second)));
                        placements += 1;
                    }
                }
            }
        }
        (placements, classes)
    }

    #[test]
    fn placements_and_classes_are_as_many_as_published() {
        let distinct: FxHashSet<Cells> = shapes().collect();
        assert_eq!(distinct.len(), 48);
        let (placements, classes) = classes();
        assert_eq!((placements, classes.len()), (18_368, 2296));
        let lost = classes
            .iter()
            .filter(|it| LGame.final_score(it) == Some(-WON));
        assert_eq!(lost.count(), 15);
        for class in classes {
            let named = LGame.position_of_key(LGame.key(&class));
            let is_open = LGame.final_score(&class).is_none();
            assert_eq!(named, is_open.then_some(class));
        }
    }

    #[test]
    fn an_l_moves_and_then_a_neutral_piece_may() {
        let start = LGame.start();
        assert_eq!(LGame.format_position(&start), EXAMPLE);
        // The L has five other places, and each leaves six cells for either neutral piece.
        let moves = LGame.legal_moves(&start);
        assert_eq!(moves.len(), 5 * 13);
        let after = |mv| {
            let after = LGame.try_play(&start, LGame.parse_move(mv).unwrap());
            after.map(|after| LGame.format_position(&after))
        };
        assert_eq!(
            after("b1c1d1d2").as_deref(),
            Some("N111/.2.1/.2../.22N second")
        );
        let both = after("b1c1d1d2+a1-c2");
        assert_eq!(both.as_deref(), Some(".111/.2N1/.2../.22N second"));
        // Staying, going over another piece, and moving a neutral piece onto the new place.
        for illegal in ["b1c1c2c3", "a1b1c1c2", "b1c1d1d2+a1-d2", "b1c1d1d2+b1-a1"] {
            assert_eq!(after(illegal), None, "{illegal}");
        }
    }

    #[test]
    fn wrong_texts_are_refused_with_the_reason() {
        for (text, reason) in [
            ("N11./.21./.21./.22N", "the side to move"),
            ("N11./.21./.21. first", "3 rows"),
            (
                "N11./.21./.21./.22X first",
                "square d4 is one of \"12N.\", not \"X\"",
            ),
            ("N11./.21./.21./.22. first", "two squares of N"),
            ("N1.1/.21./.21./.22N first", "shape of an L"),
        ] {
            let error = LGame.parse_position(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        for text in [
            "a1b1c1",
            "b1a1c1c2",
            "a1b1c1c2+",
            "a1b1c1c2+a1",
            "a1b1c1c2+a5-a1",
        ] {
            assert!(LGame.parse_move(text).is_err(), "{text}");
        }
    }
}
