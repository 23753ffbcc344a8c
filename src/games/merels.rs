//! Three Men's Morris and Teeko: pieces are placed, then moved, until some make a goal.
//!
//! Each player has the same number of pieces. In turn, the players place one on any empty square.
//! When all are placed, they in turn move one of their own to an empty square. A player whose
//! pieces make a goal wins at once, also while placing. Otherwise the opponent can always move.
//! Endless play is a draw.
//!
//! [`Kind::Morris`] has three pieces on 3×3 squares, and a line of three is a goal.
//! [`Kind::Teeko`] has four on 5×5 squares. Its goals are four in a line and squares of four.
//!
//! A position is written as its rows from the top, with `X`, `O` or `.` for each square, and the
//! side to move: `X.O/.../... first`. A move is a square, `b2`, or a piece's way, `b2-c2`.
//!
//! Positions are in one class if a symmetry of the board or swapping the players turns them into
//! each other.

mod misreadings;

use crate::game::{
    Backward, Capabilities, Drawing, Endless, Family, Game, NoGame, Notation, NotationError,
    Parameter, Picture, Piece, ScoreRange, Side, Solving, Values, WON, capabilities_of,
};
use crate::games::cells::{
    Cell, Cells, Pieces, changed, each, ones, pack, singles, status, symmetries_of_pieces, unpack,
    unread, words,
};
use crate::games::grid::Grid;

/// A kind of game. It is a family on the command line, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Three Men's Morris.
    Morris,
    /// Teeko: four pieces each on 5×5 squares.
    Teeko,
}

/// A game with its option.
#[derive(Clone, Debug)]
pub struct Merels {
    kind: Kind,
    /// Value of the kind's parameter.
    option: String,
    grid: Grid,
    /// Number of each player's pieces.
    pieces: u32,
    /// The squares to which a piece can move, by the bit of its own.
    steps: [Cells; 64],
    /// The goals by their lowest bit. 0 stands for none.
    goals: [[Cells; 8]; 64],
    /// The score of a goal for its owner.
    of_goal: i32,
    /// Whether a rule is another one. Then a player may have no move, and loses.
    is_misread: bool,
}

/// A state of the game: both players' pieces and the side to move.
pub type Position = Pieces<2>;

/// A move: the square of a new piece, or a piece's old and new square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    from: Option<Cell>,
    to: Cell,
}

/// The square in the middle of 3×3.
const MIDDLE: Cells = 1 << 9;

/// Returns the squares to which a piece can move, with others beyond the edges.
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

/// The directions of lines: along a row, both diagonals and a column, as distances.
const DISTANCES: [u32; 4] = [1, 7, 8, 9];

/// Returns the size of the largest squares that are goals; 0 for none.
fn largest_square(option: &str) -> u32 {
    match option {
        "all" => 4,
        "small" => 1,
        _ => 0,
    }
}

impl Merels {
    /// Returns the game with this value of its kind's parameter.
    fn new(kind: Kind, option: String) -> Merels {
        let largest = largest_square(&option);
        Merels::with(kind, option.clone(), &option, &DISTANCES, largest)
    }

    /// Returns the game with these steps, directions of lines and sizes of squares.
    fn with(
        kind: Kind,
        option: String,
        steps_option: &str,
        distances: &[u32],
        largest: u32,
    ) -> Merels {
        let (rows, pieces) = match kind {
            Kind::Morris => (3, 3),
            Kind::Teeko => (5, 4),
        };
        let grid = Grid::square(rows, ['X', 'O']);
        let line = |distance: &u32| (0..pieces).map(|number| 1u64 << (distance * number)).sum();
        let squares = (1..=largest).map(|size| (1 | 1 << size) * (1 | 1 << (8 * size)));
        let patterns: Vec<Cells> = distances.iter().map(line).chain(squares).collect();
        let mut game = Merels {
            kind,
            option,
            grid,
            pieces,
            steps: [0; 64],
            goals: [[0; 8]; 64],
            of_goal: WON,
            is_misread: false,
        };
        for bit in ones(grid.cells) {
            let cell = 1 << bit;
            game.steps[bit] = steps(steps_option, cell) & grid.cells & !cell;
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
    fn is_goal(&self, own: Cells) -> bool {
        let goals = self.goals.get(own.trailing_zeros() as usize);
        goals.is_some_and(|goals| goals.contains(&own))
    }

    /// Returns the first fault of a position, if it has any.
    fn problem(&self, position: &Position) -> Option<String> {
        let seen = position.seen();
        let (own, other) = (seen[0].count_ones(), seen[1].count_ones());
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
        let mut add = |from, mut targets: Cells| {
            while targets != 0 {
                let to = Cell(targets.trailing_zeros() as u8);
                targets &= targets - 1;
                moves.push(Move { from, to });
            }
        };
        if own.count_ones() < self.pieces {
            return add(None, free);
        }
        for cell in each(own) {
            add(Some(cell), self.steps[usize::from(cell.0)] & free);
        }
    }

    fn play(&self, position: &Position, mv: Move) -> Position {
        let [own, other] = position.seen();
        let own = own & !mv.from.map_or(0, Cell::alone) | mv.to.alone();
        Pieces::of_mover([other, own], position.side.other())
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        if self.is_goal(position.seen()[1]) {
            return Some(-self.of_goal);
        }
        (self.is_misread && self.legal_moves(position).is_empty()).then_some(-WON)
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
        let [own, other] = changed(canonical.seen(), |set| pack(self.grid.side, set));
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
        let sets = changed([key >> size, key], |set| unpack(self.grid.side, set));
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

    fn backward(&self) -> Option<&dyn Backward<Merels>> {
        (!self.is_misread).then_some(self)
    }
}

impl Backward<Merels> for Merels {
    fn add_parents(&self, position: &Position, parents: &mut Vec<Position>) {
        let [own, other] = position.seen();
        if self.is_goal(own) {
            return;
        }
        let free = self.grid.cells & !(own | other);
        let mut add = |before| {
            parents.push(Pieces::of_mover([before, own], position.side.other()));
        };
        for cell in singles(other) {
            let rest = other ^ cell;
            // The last move placed this piece, or moved it here.
            add(rest);
            if own.count_ones() == self.pieces {
                let from = self.steps[cell.trailing_zeros() as usize] & free;
                singles(from).for_each(|from| add(rest | from));
            }
        }
    }
}

impl Merels {
    fn read(&self, text: &str) -> Result<Position, String> {
        let ([rows], side) = words(text, "the rows of the board")?;
        let sets = self.grid.read(rows)?;
        let position = Pieces { sets, side };
        self.problem(&position).map_or(Ok(position), Err)
    }

    fn read_move(&self, text: &str) -> Option<Move> {
        let (from, to) = match Cell::path(text, self.grid.cells) {
            Some((from, to)) => (Some(from), to),
            None => (None, Cell::named(text, self.grid.cells)?),
        };
        Some(Move { from, to })
    }
}

impl Notation for Merels {
    const IS_TESTED: bool = true;

    fn rules(&self) -> String {
        let parameter = self.kind.parameters()[0].name;
        format!("{} {parameter}={}", self.kind.name(), self.option)
    }

    fn name(&self) -> String {
        format!("{}({})", self.kind.name(), self.option)
    }

    fn title(&self) -> String {
        let name = match self.kind {
            Kind::Morris => "Three Men's Morris",
            Kind::Teeko => "Teeko",
        };
        format!(
            "{name}, {}: {}",
            self.kind.parameters()[0].name,
            self.option
        )
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, solving, checking, drawing)
    }

    fn format_position(&self, position: &Position) -> String {
        let rows = self.grid.diagram(position.sets).text();
        format!("{rows} {}", position.side)
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        self.read(text)
            .map_err(|problem| unread(self, text, problem))
    }

    fn format_move(&self, mv: Move) -> String {
        let from = mv.from.map(|from| format!("{from}-"));
        format!("{}{}", from.unwrap_or_default(), mv.to)
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let problem = "a move is a square of the board, or a piece's old and new square";
        let read = self.read_move(text.trim());
        read.ok_or_else(|| NotationError::new(text, problem, "a1-b1"))
    }

    fn board(&self, position: &Position) -> String {
        let score = self.final_score(position);
        let status = status(self.grid.letters, position.side, score);
        self.grid.diagram(position.sets).drawn(&[status])
    }

    fn layer_name(&self) -> &'static str {
        "pieces on the board"
    }
}

impl Drawing<Merels> for Merels {
    fn picture(&self, position: &Position) -> Option<Picture> {
        Some(self.grid.diagram(position.sets).picture(Piece::Letter))
    }

    fn places_of_move(&self, _: &Position, mv: Move) -> Option<Vec<String>> {
        Some(self.format_move(mv).split('-').map(str::to_owned).collect())
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(["X", "O"][side.index()])
    }
}

impl Family for Kind {
    type Game = Merels;

    fn name(&self) -> &'static str {
        match self {
            Kind::Morris => "morris3",
            Kind::Teeko => "teeko",
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Kind::Morris => "Three Men's Morris: place and move three pieces into a line",
            Kind::Teeko => "Teeko: place and move four pieces into a line or a square",
        }
    }

    fn rules_in_words(&self) -> &'static str {
        match self {
            Kind::Morris => include_str!("morris3.txt"),
            Kind::Teeko => include_str!("teeko.txt"),
        }
    }

    fn parameters(&self) -> &'static [Parameter] {
        const STEPS: Parameter = Parameter::choice(
            "steps",
            &[
                ("orthogonal", "One step along a row or a column"),
                ("lines", "One step along a line of three"),
                ("neighbours", "One step in any direction"),
                ("any", "To any empty square"),
            ],
            "Where a piece can move",
        );
        const SQUARES: Parameter = Parameter::choice(
            "squares",
            &[
                ("small", "Four neighbouring squares"),
                ("all", "The corners of any upright square"),
            ],
            "Which squares of four pieces win",
        );
        match self {
            Kind::Morris => &[STEPS],
            Kind::Teeko => &[SQUARES],
        }
    }

    fn game(&self, values: &Values) -> Result<Merels, NoGame> {
        let option = values.need(self.parameters()[0].name)?;
        Ok(Merels::new(*self, option))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Checking, Game, Notation, WON};
    use crate::games::cells::{Cells, SYMMETRIES, image, ones, unpack};
    use rustc_hash::FxHashSet;

    const STEPS: [&str; 4] = ["orthogonal", "lines", "neighbours", "any"];

    /// Returns the game with this value of its option.
    fn game(kind: Kind, option: &str) -> Merels {
        Merels::new(kind, option.to_owned())
    }

    fn after(game: &Merels, position: &str, mv: &str) -> Option<String> {
        let position = game.parse_position(position).unwrap();
        let after = game.try_play(&position, game.parse_move(mv).unwrap());
        after.map(|after| game.format_position(&after))
    }

    #[test]
    fn goals_are_as_many_as_published() {
        for (kind, option, count) in [
            (Kind::Morris, "any", 8),
            (Kind::Teeko, "small", 44),
            (Kind::Teeko, "all", 58),
        ] {
            let game = game(kind, option);
            let goals = game.goals.as_flattened().iter().copied();
            let goals: FxHashSet<Cells> = goals.filter(|&goal| goal != 0).collect();
            assert_eq!(goals.len(), count, "{}", game.name());
            for goal in goals {
                assert_eq!(goal.count_ones(), game.pieces);
                let rows = game.grid.side;
                assert!((0..SYMMETRIES).all(|of| game.is_goal(image(rows, of, goal))));
            }
        }
    }

    /// Returns all sets of as many squares as each player has pieces.
    fn sets(board: &Merels) -> impl Iterator<Item = Cells> {
        let rows = board.grid.side;
        // The next number with as many ones.
        let next = |&set: &u64| {
            let above = set + (set & set.wrapping_neg());
            Some(above | ((set ^ above) >> set.trailing_zeros()) >> 2)
        };
        let all = std::iter::successors(Some((1 << board.pieces) - 1), next);
        let all = all.take_while(move |set| set >> (rows * rows) == 0);
        all.map(move |set| unpack(rows, set))
    }

    #[test]
    fn players_can_move_until_they_have_lost() {
        for (kind, option) in [(Kind::Morris, "orthogonal"), (Kind::Teeko, "small")] {
            let board = game(kind, option);
            for own in sets(&board) {
                let near = ones(own).fold(0, |near, bit| near | board.steps[bit]) & !own;
                let can_enclose = near.count_ones() <= board.pieces;
                let is_over = board.is_goal(own) || board.is_goal(near);
                assert!(!can_enclose || is_over, "{own:x}");
            }
        }
    }

    #[test]
    fn positions_of_each_morris_are_as_many_as_published() {
        for option in STEPS {
            let game = game(Kind::Morris, option);
            let mut known = FxHashSet::from_iter([game.start()]);
            let mut open = vec![game.start()];
            while let Some(position) = open.pop() {
                for mv in game.legal_moves(&position) {
                    let child = game.play(&position, mv);
                    if known.insert(child) {
                        open.push(child);
                    }
                }
            }
            assert_eq!(known.len(), 5390, "{option}");
        }
    }

    #[test]
    fn pieces_step_as_the_option_says() {
        // Along a row, to the middle, from edge to edge, across the board.
        let ways = ["a2-b2", "c1-b2", "a2-b3", "a2-c3"];
        for (number, option) in (1..).zip(STEPS) {
            let game = game(Kind::Morris, option);
            let legal = ways.map(|mv| after(&game, "OXX/X.O/O.. first", mv).is_some());
            assert_eq!(legal, [0, 1, 2, 3].map(|way| way < number), "{option}");
        }
        let teeko = game(Kind::Teeko, "small");
        let start = teeko.format_position(&teeko.start());
        let one = after(&teeko, &start, "c3").unwrap();
        assert_eq!(one, "...../...../..X../...../..... second");
        assert_eq!(after(&teeko, &one, "c3"), None);
        let placed = "XXX../..O../..X../..O../..OO. first";
        let diagonal = after(&teeko, placed, "c3-d2").unwrap();
        assert_eq!(diagonal, "XXX../..OX./...../..O../..OO. second");
        // Over another piece, and two steps.
        assert_eq!(after(&teeko, placed, "c3-c4"), None);
        assert_eq!(after(&teeko, placed, "c3-e3"), None);
    }

    #[test]
    fn goals_win() {
        let [small, all] = ["small", "all"].map(|squares| game(Kind::Teeko, squares));
        let is_over = |game: &Merels, position| {
            game.final_score(&game.parse_position(position).unwrap()) == Some(-WON)
        };
        for (position, by_small) in [
            ("XX.../XX.../OOO../O..../..... second", true),
            ("...X./..X../.X.../....X/OOOO. first", true),
            ("X...X/.OO../..O../..O../X...X second", false),
        ] {
            assert_eq!(is_over(&small, position), by_small, "{position}");
            assert!(is_over(&all, position), "{position}");
        }
        assert!(small.board(&small.start()).contains("X to move"));
    }

    #[test]
    fn misreadings_have_other_steps_and_goals() {
        let (morris, teeko) = (Kind::Morris, Kind::Teeko);
        let square = "XX.../XX.../OOO../O..../..... second";
        let corners = "X...X/.OO../..O../..O../X...X second";
        for (kind, option, sentence, position, moves, score) in [
            (
                morris,
                "any",
                "diagonals were no lines",
                "X.O/.XO/..X second",
                4,
                None,
            ),
            (
                morris,
                "any",
                "whoever makes a line lost",
                "X.O/.XO/..X second",
                0,
                Some(WON),
            ),
            (
                morris,
                "any",
                "pieces moved only along rows and columns",
                "OXX/X.O/O.. first",
                2,
                None,
            ),
            (
                morris,
                "any",
                "pieces moved to any neighbouring square",
                "OXX/X.O/O.. first",
                4,
                None,
            ),
            (
                morris,
                "lines",
                "pieces moved to any empty square",
                "OXX/X.O/O.. first",
                9,
                None,
            ),
            // No way out, where a diagonal is no line.
            (
                morris,
                "orthogonal",
                "diagonals were no lines",
                "XXO/XO./O.. first",
                0,
                Some(-WON),
            ),
            (teeko, "small", "squares didn't win", square, 13, None),
            (
                teeko,
                "small",
                "larger squares won, too",
                corners,
                0,
                Some(-WON),
            ),
            (
                teeko,
                "all",
                "only the smallest squares won",
                square,
                0,
                Some(-WON),
            ),
        ] {
            let game = game(kind, option);
            let position = game.parse_position(position).unwrap();
            let mut all = game.misreadings().into_iter();
            let rules = all.find(|of| of.sentence() == sentence).unwrap();
            let found = rules.moves(&game, &position).len();
            assert_eq!(rules.final_score(&game, &position), score, "{sentence}");
            assert_eq!(found, moves, "{sentence}");
        }
    }

    #[test]
    fn wrong_texts_are_refused_with_the_reason() {
        let game = game(Kind::Morris, "any");
        for (text, reason) in [
            ("X../.../...", "the side to move"),
            ("X../... second", "2 rows"),
            (
                "X../.Z./... second",
                "square b2 is \"X\", \"O\" or \".\", not \"Z\"",
            ),
            (
                "X../.../... first",
                "the side to move has 1 of its pieces on the board and the other 0",
            ),
            ("XXO/OXO/OX. second", "can't arise"),
            ("XXX/OO./... first", "can't arise"),
            ("XXX/OO./O.. first", "has won already"),
        ] {
            let error = game.parse_position(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        for text in ["d1", "a1-", "a1-b2-c3", "a1-a4", "1a"] {
            assert!(game.parse_move(text).is_err(), "{text}");
        }
    }
}
