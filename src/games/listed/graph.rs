//! The explicit game graph: positions, moves and their targets.

use crate::game::{Endless, ScoreRange, Side, WON, one_move_before};
use std::ops::Range;
use std::sync::OnceLock;

/// Number of positions between two checks for cancellation.
pub(super) const LOOK_EVERY: u32 = 1 << 16;

/// Stands for the score of an unfinished position.
pub(super) const UNFINISHED: i32 = i32::MIN;

/// All positions of a game, numbered in order of distance from the start, number 0.
#[derive(Debug, Default)]
pub struct Graph {
    /// Name of the game, one word, for tables and rules strings.
    pub(super) name: String,
    /// The texts of all positions, one after the other, and the end of each.
    pub(super) texts: String,
    pub(super) ends: Vec<u64>,
    /// Side to move in each position, 0 or 1; `None` if the turn always passes.
    pub(super) sides: Option<Vec<u8>>,
    /// Score of each finished position, seen from its side to move.
    ///
    /// If the scores count plies, it is [`WON`](crate::game::WON) where the author says 1.
    pub(super) finals: Vec<i32>,
    /// Index of each position's first move; the last item is the number of moves.
    pub(super) firsts: Vec<u64>,
    /// For each move, its name's index in `names`, and the position to which it leads.
    pub(super) moves: Vec<u32>,
    pub(super) children: Vec<u32>,
    pub(super) names: Vec<String>,
    /// Number of positions within each distance from the start.
    pub(super) levels: Vec<u32>,
    /// The scores of unfinished positions.
    pub(super) scores: ScoreRange,
    /// Whether positions can repeat.
    pub(super) endless: Endless,
    /// SHA-256 digest of the graph, in hexadecimal.
    pub(super) digest: String,
    /// Position numbers sorted by text, built at the first look-up.
    pub(super) by_text: OnceLock<Vec<u32>>,
}

impl Graph {
    /// Name of the game.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 digest of the graph, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Number of positions.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.finals.len()
    }

    /// Number of moves over all positions.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.children.len()
    }

    pub(super) fn text(&self, node: u32) -> &str {
        let node = node as usize;
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[node] as usize]
    }

    pub(super) fn final_score(&self, node: u32) -> Option<i32> {
        let score = self.finals[node as usize];
        (score != UNFINISHED).then_some(score)
    }

    /// What 1 of the author's points is stored as.
    pub(super) fn unit(&self) -> i32 {
        match self.scores.counts_plies() {
            true => WON,
            false => 1,
        }
    }

    pub(super) fn side(&self, node: u32) -> Option<Side> {
        self.sides.as_ref().map(|sides| match sides[node as usize] {
            0 => Side::First,
            _ => Side::Second,
        })
    }

    /// The side to move; if the graph has no sides, the one that gets there on a shortest way.
    pub(super) fn turn(&self, node: u32) -> Side {
        self.side(node).unwrap_or(Side::after(self.level(node)))
    }

    /// Whether the side that moves from `parent` to `child` moves again.
    pub(super) fn moves_again(&self, parent: u32, child: u32) -> bool {
        // Without sides, the turn passes with every move.
        (self.side(parent)).is_some_and(|side| self.side(child) == Some(side))
    }

    /// Score of a move, seen from its side, given the child's score.
    pub(super) fn worth(&self, parent: u32, child: u32, score: i32) -> i32 {
        let score = match self.moves_again(parent, child) {
            true => score,
            false => -score,
        };
        one_move_before(score, self.scores.counts_plies())
    }

    pub(super) fn moves_of(&self, node: u32) -> Range<usize> {
        let node = node as usize;
        self.firsts[node] as usize..self.firsts[node + 1] as usize
    }

    /// Distance of a position from the start, in moves.
    pub(super) fn level(&self, node: u32) -> u32 {
        self.levels.partition_point(|&end| end <= node) as u32
    }

    /// The position with this text.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let by_text = self.by_text.get_or_init(|| {
            let mut numbers: Vec<u32> = (0..self.positions() as u32).collect();
            // On this thread: a pool's thread that waits for others may take up work that waits for
            // this list, and a forked process has none of the pool's threads.
            numbers.sort_unstable_by(|&one, &other| self.text(one).cmp(self.text(other)));
            numbers
        });
        let place = by_text.binary_search_by_key(&text, |&node| self.text(node));
        place.ok().map(|place| by_text[place])
    }
}
