//! Boards and rules of Three Men's Morris and Teeko.

use crate::game::{Endless, Game, ScoreRange, Side, Solving, WON};
use crate::games::cells::{Cell, Cells, each, ones, pack, unpack};
use crate::games::grid::Grid;
use crate::games::pieces::{Pieces, symmetries_of_pieces};

/// A kind of game. It is a family on the command line, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Three Men's Morris.
    Morris,
    /// Teeko.
    Teeko,
}

/// A game with its option.
#[derive(Clone, Debug)]
pub struct Merels {
    pub(super) kind: Kind,
    /// Value of the kind's parameter.
    pub(super) option: String,
    pub(super) grid: Grid,
    /// Number of each player's pieces.
    pub(super) pieces: u32,
    /// The squares to which a piece can move, by the bit of its own.
    pub(super) steps: [Cells; 64],
    /// The goals by their lowest bit. 0 stands for none.
    pub(super) goals: [[Cells; 8]; 64],
}

/// A state of the game: both players' pieces and the side to move.
pub(super) type Position = Pieces<2>;

/// A move: the square of a new piece, or a piece's old and new square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    pub(super) from: Option<Cell>,
    pub(super) to: Cell,
}

/// The square in the middle of 3×3.
const MIDDLE: Cells = 1 << 9;

/// The squares to which a piece can move, with others beyond the edges.
fn steps(option: &str, cell: Cells) -> Cells {
    let near = cell << 1 | cell >> 1 | cell << 8 | cell >> 8;
    let diagonal = cell << 7 | cell >> 7 | cell << 9 | cell >> 9;
    match option {
        "any" => Cells::MAX,
        "orthogonal" => near,
        "lines" if cell != MIDDLE => near | diagonal & MIDDLE,
        _ => near | diagonal,
    }
}

impl Merels {
    /// Returns the game with this value of its kind's parameter.
    pub(super) fn new(kind: Kind, option: String) -> Merels {
        let (rows, pieces) = match kind {
            Kind::Morris => (3, 3),
            Kind::Teeko => (5, 4),
        };
        let largest = match &*option {
            "all" => 4,
            "small" => 1,
            _ => 0,
        };
        let grid = Grid::square(rows, ['X', 'O']);
        let line = |distance: u32| (0..pieces).map(|number| 1u64 << (distance * number)).sum();
        let squares = (1..=largest).map(|size| (1 | 1 << size) * (1 | 1 << (8 * size)));
        let patterns: Vec<Cells> = [1, 7, 8, 9].map(line).into_iter().chain(squares).collect();
        let mut game = Merels {
            kind,
            option,
            grid,
            pieces,
            steps: [0; 64],
            goals: [[0; 8]; 64],
        };
        for bit in ones(grid.cells) {
            let cell = 1 << bit;
            game.steps[bit] = steps(&game.option, cell) & grid.cells & !cell;
            let fits = |pattern: &&Cells| grid.cells >> bit & **pattern == **pattern;
            let fitting = patterns.iter().filter(fits);
            for (goal, pattern) in game.goals[bit].iter_mut().zip(fitting) {
                *goal = pattern << bit;
            }
        }
        game
    }

    /// Returns the number of squares.
    fn size(&self) -> u32 {
        self.grid.side * self.grid.side
    }

    /// Returns whether all pieces of a player make a goal.
    #[inline]
    pub(super) fn is_goal(&self, own: Cells) -> bool {
        let goals = self.goals.get(own.trailing_zeros() as usize);
        goals.is_some_and(|goals| goals.contains(&own))
    }

    /// What is wrong with a position, if anything is.
    pub(super) fn problem(&self, position: &Position) -> Option<String> {
        let seen = position.seen();
        let [own, other] = seen.map(Cells::count_ones);
        if other > self.pieces || !(own..=own + 1).contains(&other) {
            return Some(format!(
                "the side to move has {own} of its pieces on the board and the other {other}, which \
                 can't arise: each has up to {}, and they are placed in turn",
                self.pieces
            ));
        }
        let has_won = self.is_goal(seen[0]);
        has_won.then(|| "the side to move has won already".to_owned())
    }
}

impl Game for Merels {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        Pieces::of_mover([0, 0], Side::First)
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        moves.clear();
        let [own, other] = position.seen();
        let free = self.grid.cells & !(own | other);
        if self.is_goal(other) {
            return;
        }
        if own.count_ones() < self.pieces {
            moves.extend(each(free).map(|to| Move { from: None, to }));
            return;
        }
        for cell in each(own) {
            let from = Some(cell);
            let targets = each(self.steps[usize::from(cell.0)] & free);
            moves.extend(targets.map(|to| Move { from, to }));
        }
    }

    fn play(&self, position: &Position, mv: Move) -> Position {
        let [own, other] = position.seen();
        let own = own & !mv.from.map_or(0, Cell::alone) | mv.to.alone();
        Pieces::of_mover([other, own], position.side.other())
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        self.is_goal(position.seen()[1]).then_some(-WON)
    }

    fn score_range(&self) -> ScoreRange {
        ScoreRange::ALTERNATE_PLIES
    }

    fn endless(&self) -> Endless {
        Endless::Draw
    }

    fn canonical(&self, position: &Position) -> Position {
        position.canonical(self.grid.side)
    }

    fn key(&self, canonical: &Position) -> u128 {
        let [own, other] = canonical.seen().map(|set| pack(self.grid.side, set));
        u128::from(own << self.size() | other)
    }

    fn key_bits(&self) -> u32 {
        (2 * self.size()).next_multiple_of(8)
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let size = self.size();
        let key = u64::try_from(key)
            .ok()
            .filter(|key| key >> (2 * size) == 0)?;
        let sets = [key >> size, key].map(|set| unpack(self.grid.side, set));
        let position = Pieces::of_mover(sets, Side::First);
        let names_one = sets[0] & sets[1] == 0
            && self.problem(&position).is_none()
            && self.canonical(&position) == position
            && self.final_score(&position).is_none();
        names_one.then_some(position)
    }

    fn layer(&self, canonical: &Position) -> u32 {
        (canonical.sets[0] | canonical.sets[1]).count_ones()
    }
}

symmetries_of_pieces!(Merels, |game| game.grid.side);

impl Solving<Merels> for Merels {
    fn expected_classes(&self) -> Option<u64> {
        (self.kind == Kind::Teeko).then_some(12_000_000)
    }
}
