//! A small game for the tests of tables, solved here by plain recursion.
//!
//! There are three piles. A move takes 2 or 3 from one of the first two piles, or 2 from the third.
//! Taking 3 scores a point, and leaving a pile of 5 or 10 earns another turn. The game ends when
//! nothing can be taken. The first two piles may be swapped, and points already won add to the
//! score. Not every slot is reachable: the third pile stays even.
#![allow(missing_docs, dead_code)] // No test uses all of it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use zermelo::game::{
    Capabilities, Game, Notation, NotationError, Ranking, ScoreRange, Scores, Segment, Side, Slot,
    Solution, Solving, Symmetry, Tile,
};

#[derive(Clone, Debug)]
pub struct Toy {
    pub piles: [u8; 3],
    pub ranked: bool,
    /// Whether tables omit the scores of some segments.
    pub derived: bool,
    /// If set, a move may take 6 from the third pile, but the game claims this maximum.
    pub leaps: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub piles: [u8; 3],
    pub points: [u8; 2],
    pub side: Side,
}

pub type Move = (u8, u8);

impl Toy {
    pub fn new(ranked: bool) -> Toy {
        Toy {
            piles: [30, 29, 8],
            ranked,
            derived: false,
            leaps: None,
        }
    }

    /// Returns the game with ranks, some of whose scores tables omit.
    pub fn derived() -> Toy {
        Toy {
            derived: true,
            ..Toy::new(true)
        }
    }

    /// Returns whether a table omits the score of the class with this key.
    pub fn leaves_out(&self, key: u128) -> bool {
        let position = self.position_of_key(key).unwrap();
        self.ranking().is_some_and(|ranking| {
            let segment = ranking.slot(&position).unwrap().segment;
            ranking.segments()[segment as usize].derived
        })
    }

    pub fn all_moves(&self) -> Vec<Move> {
        let mut moves = vec![(0, 2), (0, 3), (1, 2), (1, 3), (2, 2)];
        moves.extend(self.leaps.map(|_| (2, 6)));
        moves
    }

    pub fn position(&self, piles: [u8; 3]) -> Position {
        Position {
            piles,
            points: [0, 0],
            side: Side::First,
        }
    }

    /// Returns the score of every reachable class, by key.
    pub fn solve(&self) -> BTreeMap<u128, i32> {
        fn solve(game: &Toy, position: &Position, known: &mut BTreeMap<u128, i32>) -> i32 {
            if let Some(score) = game.final_score(position) {
                return score;
            }
            let canonical = game.canonical(position);
            let key = game.key(&canonical);
            if !known.contains_key(&key) {
                let scores = game.legal_moves(&canonical).into_iter().map(|mv| {
                    let child = game.play(&canonical, mv);
                    let score = solve(game, &child, known);
                    if child.side == canonical.side {
                        score
                    } else {
                        -score
                    }
                });
                let best = scores.max().unwrap();
                known.insert(key, best);
            }
            game.banked(position) + known[&key]
        }
        let mut known = BTreeMap::new();
        solve(self, &self.start(), &mut known);
        known
    }

    /// Returns the solution that a solver would return for these scores.
    pub fn solution(&self, scores: &BTreeMap<u128, i32>) -> Solution {
        if !self.ranked {
            return Solution::Keyed(scores.iter().map(|(&key, &score)| (key, score)).collect());
        }
        let ranking = self.ranking().unwrap();
        let codes = scores.iter().map(|(&key, &score)| {
            let slot = ranking.slot(&self.position_of_key(key).unwrap()).unwrap();
            (slot, self.score_range().code(score).unwrap() as u8)
        });
        Solution::Ranked(Box::new(ToyScores(codes.collect())))
    }
}

impl Game for Toy {
    type Position = Position;
    type Move = Move;

    fn start(&self) -> Position {
        self.position(self.piles)
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Move>) {
        *moves = self.all_moves();
        moves.retain(|&mv| self.is_legal(position, mv));
    }

    fn is_legal(&self, position: &Position, (pile, taken): Move) -> bool {
        position.piles[usize::from(pile)] >= taken
    }

    fn play(&self, position: &Position, (pile, taken): Move) -> Position {
        let mut after = position.clone();
        let left = &mut after.piles[usize::from(pile)];
        *left -= taken;
        if ![5, 10].contains(left) {
            after.side = position.side.other();
        }
        if taken == 3 {
            after.points[position.side.index()] += 1;
        }
        after
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        (position.piles.iter().all(|&pile| pile < 2)).then(|| self.banked(position))
    }

    fn score_range(&self) -> ScoreRange {
        // More values than a byte can hold, for games with large piles.
        let most = if self.piles[0] < 100 { 20 } else { 200 };
        ScoreRange {
            lowest: -most,
            highest: most,
            step: 1,
        }
    }

    fn banked(&self, position: &Position) -> i32 {
        let me = position.side.index();
        i32::from(position.points[me]) - i32::from(position.points[1 - me])
    }

    fn canonical(&self, position: &Position) -> Position {
        let [a, b, c] = position.piles;
        self.position([a.max(b), a.min(b), c])
    }

    fn key(&self, canonical: &Position) -> u128 {
        let [a, b, c] = canonical.piles.map(u128::from);
        c << 16 | a << 8 | b
    }

    fn key_bits(&self) -> u32 {
        24
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let piles = [key >> 8, key, key >> 16].map(|pile| (pile & 0xff) as u8);
        let position = self.position(piles);
        let possible = key >> 24 == 0
            && piles[0] >= piles[1]
            && piles[0] <= self.piles[0]
            && piles[2] <= self.piles[2];
        (possible && self.final_score(&position).is_none()).then_some(position)
    }

    fn layer(&self, canonical: &Position) -> u32 {
        u32::from(canonical.piles[2])
    }

    fn lowest_layer_after(&self, canonical: &Position) -> u32 {
        let taken = self.leaps.unwrap_or(u32::MAX);
        self.layer(canonical).saturating_sub(taken)
    }
}

impl Notation for Toy {
    fn name(&self) -> String {
        let [a, b, c] = self.piles;
        format!("toy({a},{b},{c})")
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            symmetry: self,
            solving: self,
            ..Capabilities::default()
        }
    }

    fn rules(&self) -> String {
        format!("toy piles={:?}", self.piles)
    }

    fn format_position(&self, position: &Position) -> String {
        let piles = format!("{:?}", position.piles);
        match (position.side, position.points) {
            (Side::First, [0, 0]) => piles,
            (side, [first, second]) => format!("{piles} {side} {first} {second}"),
        }
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let read = || {
            let (piles, rest) = text.strip_prefix('[')?.split_once(']')?;
            let piles: Result<Vec<u8>, _> = piles.split(", ").map(str::parse::<u8>).collect();
            let mut position = self.position(piles.ok()?.try_into().ok()?);
            if let Some(rest) = rest.strip_prefix(' ') {
                let words: Vec<&str> = rest.split(' ').collect();
                let &[side, first, second] = &words[..] else {
                    return None;
                };
                position.side = side.parse().ok()?;
                position.points = [first.parse().ok()?, second.parse().ok()?];
            }
            Some(position)
        };
        read().ok_or_else(|| NotationError::new(text, "no position", "[3, 2, 1]"))
    }

    fn format_move(&self, mv: Move) -> String {
        format!("{mv:?}")
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let mut moves = self.all_moves().into_iter();
        let named = moves.find(|&mv| self.format_move(mv) == text);
        named.ok_or_else(|| NotationError::new(text, "no move", "(0, 2)"))
    }

    fn board(&self, position: &Position) -> String {
        self.format_position(position)
    }

    fn layer_name(&self) -> &'static str {
        "the third pile"
    }
}

impl Symmetry<Toy> for Toy {
    fn order(&self) -> usize {
        2
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        let mut image = position.clone();
        image.piles[..2].rotate_left(symmetry);
        image
    }
}

impl Solving<Toy> for Toy {
    fn ranking(&self) -> Option<Arc<dyn Ranking<Position>>> {
        let side = u32::from(self.piles[0]) + 1;
        let segments = (0..=u32::from(self.piles[2])).map(|layer| Segment {
            derived: self.derived && layer % 4 == 2,
            rows: side,
            columns: side,
            scores: self.score_range(),
            layer,
        });
        self.ranked.then(|| {
            let ranking = ToyRanking(segments.collect(), self.clone());
            Arc::new(ranking) as Arc<dyn Ranking<Position>>
        })
    }
}

struct ToyRanking(Vec<Segment>, Toy);

impl Ranking<Position> for ToyRanking {
    fn segments(&self) -> &[Segment] {
        &self.0
    }

    fn slot(&self, canonical: &Position) -> Option<Slot> {
        let [row, column, segment] = canonical.piles.map(u32::from);
        let finished = self.1.final_score(canonical).is_some();
        (!finished && row < self.0[0].rows && (segment as usize) < self.0.len()).then_some(Slot {
            segment,
            row,
            column,
        })
    }

    fn position(&self, slot: Slot) -> Position {
        self.1
            .position([slot.row, slot.column, slot.segment].map(|pile| pile as u8))
    }
}

struct ToyScores(BTreeMap<Slot, u8>);

impl Scores for ToyScores {
    fn count(&self) -> u64 {
        self.0.len() as u64
    }

    fn is_vacant(&self, segment: u32, _rows: Range<u32>, _columns: Range<u32>) -> bool {
        segment == 1
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        tile.reset(rows.end - rows.start, columns.end - columns.start);
        for row in rows.clone() {
            for column in columns.clone() {
                if let Some(&code) = self.0.get(&Slot {
                    segment,
                    row,
                    column,
                }) {
                    let index = tile.index(row - rows.start, column - columns.start);
                    tile.set(index, code);
                }
            }
        }
    }
}
