//! Misunderstandings of Connect Four's rules: other lines.

use super::board::Board;
use super::{Column, Connect4, Position};
use crate::game::{Checking, Misreading, boxed};
use crate::games::cells::Cells;

impl Checking<Connect4> for Connect4 {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<Connect4>>> {
        let line = self.board.line;
        let [column, row, falling, rising] = self.board.distances();
        let excluded: [(&str, &[u32]); 5] = [
            ("diagonals", &[column, row]),
            ("diagonals that rise to the right", &[column, row, falling]),
            ("diagonals that fall to the right", &[column, row, rising]),
            ("columns", &[row, falling, rising]),
            ("rows", &[column, falling, rising]),
        ];
        let no_lines = |of: &(&str, _)| self.lines(&format!("{} were no lines", of.0), of.1);
        let mut all: Vec<OtherLines> = excluded.iter().map(no_lines).collect();
        for (length, word) in [(line - 1, "fewer"), (line + 1, "more")] {
            let mut other = self.lines(
                &format!("a line were {length} discs, one {word} than it is"),
                &self.board.distances(),
            );
            other.board.line = length;
            all.extend((length >= 3).then_some(other));
        }
        let wraps = OtherLines {
            wraps: true,
            ..self.lines("rows went on at the other edge", &self.board.distances())
        };
        let loses = OtherLines {
            wins: false,
            ..self.lines("whoever makes a line lost", &self.board.distances())
        };
        boxed(all.into_iter().chain([wraps, loses]))
    }
}

/// Rules in which other lines count, or a line loses.
struct OtherLines {
    sentence: String,
    board: Board,
    /// The directions of lines, as distances between neighbours.
    distances: Vec<u32>,
    /// Whether rows go on at the other edge.
    wraps: bool,
    wins: bool,
}

impl Connect4 {
    fn lines(&self, sentence: &str, distances: &[u32]) -> OtherLines {
        OtherLines {
            sentence: sentence.to_owned(),
            board: self.board,
            distances: distances.to_vec(),
            wraps: false,
            wins: true,
        }
    }
}

impl OtherLines {
    /// Returns whether one of the players has a line.
    fn has_line(&self, position: &Position) -> bool {
        let (board, stride) = (&self.board, self.board.stride());
        // The board that begins with another column.
        let turned = |stones: Cells, column: u32| {
            stones >> (stride * column) | stones << (stride * (board.columns - column))
        };
        let in_rows = |stones: Cells, column| {
            let stones = turned(stones, column) & board.full;
            board.runs(stones, [stride]) != [0]
        };
        let mut sets = position.sets.into_iter();
        sets.any(|stones| {
            let wrapped = || (1..board.columns).any(|column| in_rows(stones, column));
            let mut distances = self.distances.iter();
            distances.any(|&distance| board.runs(stones, [distance]) != [0])
                || self.wraps && wrapped()
        })
    }
}

impl Misreading<Connect4> for OtherLines {
    fn sentence(&self) -> String {
        self.sentence.clone()
    }

    fn moves(&self, game: &Connect4, position: &Position) -> Vec<Column> {
        match self.has_line(position) {
            true => Vec::new(),
            false => game.open_columns(position).collect(),
        }
    }

    fn final_score(&self, game: &Connect4, position: &Position) -> Option<i32> {
        if self.has_line(position) {
            let score = game.board.winners_score(position.stones());
            return Some(if self.wins { -score } else { score });
        }
        (position.all() == self.board.full).then_some(0)
    }
}
