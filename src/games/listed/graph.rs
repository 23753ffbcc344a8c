//! The list: positions, moves, and where they lead.

use crate::game::{ScoreRange, Side};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;

/// So many positions are checked between two looks whether to stop.
pub(super) const LOOK_EVERY: u32 = 1 << 16;

/// Stands for the score of a position that is not finished.
pub(super) const UNFINISHED: i32 = i32::MIN;

/// All positions of a game, numbered in the order of their distance from the start, which is 0.
#[derive(Debug, Default)]
pub struct Graph {
    /// The name, a word: of tables, and in rules strings.
    pub(super) name: String,
    /// The texts of all positions, one after the other, and where each ends.
    pub(super) texts: String,
    pub(super) ends: Vec<u64>,
    /// Whose turn it is in each: 0 or 1; nothing if the turn passes with every move.
    pub(super) sides: Option<Vec<u8>>,
    /// The score of each that is finished, seen from its side to move.
    pub(super) finals: Vec<i32>,
    /// The number of the first move of each, and that of all at the end.
    pub(super) firsts: Vec<u64>,
    /// What each move is called, by number in `names`, and the position that it leads to.
    pub(super) moves: Vec<u32>,
    pub(super) children: Vec<u32>,
    pub(super) names: Vec<String>,
    /// How many positions are at most so many moves from the start.
    pub(super) levels: Vec<u32>,
    /// The scores that occur.
    pub(super) scores: ScoreRange,
    /// The SHA-256 digest of the list, in hexadecimal digits.
    pub(super) digest: String,
    /// The numbers in the order of the texts, once somebody looks for one.
    pub(super) by_text: OnceLock<Vec<u32>>,
}

impl Graph {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The SHA-256 digest of the list, in hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// How many positions.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.finals.len()
    }

    /// How many moves, in all positions together.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.children.len()
    }

    /// How many positions are not finished.
    #[must_use]
    pub fn unfinished(&self) -> usize {
        self.finals
            .iter()
            .filter(|&&score| score == UNFINISHED)
            .count()
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

    pub(super) fn side(&self, node: u32) -> Option<Side> {
        self.sides.as_ref().map(|sides| match sides[node as usize] {
            0 => Side::First,
            _ => Side::Second,
        })
    }

    /// What a move to a child with this score is worth to the side to move of its parent.
    pub(super) fn worth(&self, parent: u32, child: u32, score: i32) -> i32 {
        // Without sides the turn passes with every move.
        match self.side(parent) {
            Some(side) if self.side(child) == Some(side) => score,
            _ => -score,
        }
    }

    pub(super) fn moves_of(&self, node: u32) -> Range<usize> {
        let node = node as usize;
        self.firsts[node] as usize..self.firsts[node + 1] as usize
    }

    /// How many moves a position is from the start.
    pub(super) fn level(&self, node: u32) -> u32 {
        self.levels.partition_point(|&end| end <= node) as u32
    }

    /// The position that is written so.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let by_text = self.by_text.get_or_init(|| {
            let mut numbers: Vec<u32> = (0..self.positions() as u32).collect();
            numbers.par_sort_unstable_by(|&one, &other| self.text(one).cmp(self.text(other)));
            numbers
        });
        let place = by_text.binary_search_by(|&node| {
            let order: Ordering = self.text(node).cmp(text);
            order
        });
        place.ok().map(|place| by_text[place])
    }
}
