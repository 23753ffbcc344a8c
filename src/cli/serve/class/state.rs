//! The lock, the task and the students of a class, in memory only.

use crate::cli::serve::problem::Problem;
use crate::cli::serve::puzzles::Puzzle;
use crate::text::{harmless, hex};
use anyhow::Context;
use axum::http::StatusCode;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::iter::once;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of students.
const MOST_STUDENTS: usize = 200;
/// Maximum number of characters in a student's name.
const LONGEST_NAME: usize = 40;
/// Maximum number of puzzles that are counted for a student.
const MOST_PUZZLES: usize = 500;

/// The class of a server: the teacher's code, the lock, the task and the students.
pub struct Class {
    /// The teacher's secret, in hexadecimal digits.
    pub code: String,
    state: Mutex<State>,
}

/// The state of a class. Scores are locked at first.
#[derive(Default)]
pub struct State {
    pub is_open: bool,
    pub task: Option<Task>,
    /// By the numbers in their cookies.
    pub students: BTreeMap<u64, Student>,
    /// The number of the last student, which is not used again.
    last: u32,
}

/// A page that students are asked to open.
#[derive(Clone)]
pub struct Task {
    pub address: String,
    pub title: String,
    /// The puzzles of the page, each as its game's id and its own, such as `ttt/2f`.
    pub puzzles: Vec<String>,
}

#[derive(Default)]
pub struct Student {
    pub number: u32,
    pub name: String,
    /// The moves tried in each puzzle: bit n stands for the n-th best move, bit 0 for the right one.
    tried: BTreeMap<String, u128>,
}

impl Class {
    /// Returns a class with a new code.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn new() -> anyhow::Result<Class> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).context("the system has no random numbers")?;
        let (code, state) = (hex(bytes), Mutex::default());
        Ok(Class { code, state })
    }

    /// Returns whether this is the code.
    ///
    /// The time that this takes depends only on digests, so it tells nothing about the code.
    pub fn is_code(&self, given: &str) -> bool {
        Sha256::digest(given) == Sha256::digest(&self.code)
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a student, or changes a student's name.
    ///
    /// The name is shortened, loses characters that could manipulate a page, and gets a number if
    /// another student has it.
    ///
    /// # Errors
    /// If no character is left of the name, or the class is full.
    pub fn join(&self, client: u64, name: &str) -> Result<(), Problem> {
        let mut name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        name.retain(|c| harmless(c.encode_utf8(&mut [0; 4])).chars().eq([c]));
        let name: String = name.trim().chars().take(LONGEST_NAME).collect();
        if name.is_empty() {
            return Err(Problem::bad_request("this name has no letter"));
        }
        let state = &mut *self.state();
        let students = &mut state.students;
        if students.len() >= MOST_STUDENTS && !students.contains_key(&client) {
            let error = format!("a class has at most {MOST_STUDENTS} students");
            return Err(Problem::new(StatusCode::CONFLICT, error));
        }
        let others = students.iter().filter(|(other, _)| **other != client);
        let taken: Vec<String> = others.map(|it| it.1.name.to_lowercase()).collect();
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let mut names = once(name.clone()).chain(numbered);
        let free = names.find(|name| !taken.contains(&name.to_lowercase()));
        let student = students.entry(client).or_default();
        student.name = free.unwrap_or_default();
        if student.number == 0 {
            state.last += 1;
            student.number = state.last;
        }
        Ok(())
    }

    /// Counts a legal move that a client has tried in a puzzle, if the client is a student.
    ///
    /// A move counts once, and moves after the right one don't count.
    pub fn count_try(&self, client: u64, game: &str, puzzle: &Puzzle, tried: &str) {
        let mut moves = puzzle.answer.moves.iter().flatten();
        let (place, mut state) = (moves.position(|(mv, _)| mv == tried), self.state());
        let (Some(place), Some(student)) = (place, state.students.get_mut(&client)) else {
            return;
        };
        let name = format!("{game}/{}", puzzle.id);
        if student.tried.len() < MOST_PUZZLES || student.tried.contains_key(&name) {
            let moves = student.tried.entry(name).or_default();
            if !is_solved(*moves) {
                *moves |= 1 << place.min(127);
            }
        }
    }

    /// Returns the table of students: its head, and for each student the name and the other cells.
    pub fn table(&self) -> (Vec<String>, Vec<(String, Vec<String>)>) {
        let state = self.state();
        let puzzles: &[String] = state.task.as_ref().map_or(&[], |task| &task.puzzles);
        let head = ["Name", "Number", "Solved", "Tries"].map(str::to_owned);
        let numbered = (1..=puzzles.len()).map(|number| format!("Puzzle {number}"));
        let mut students: Vec<&Student> = state.students.values().collect();
        students.sort_by_key(|student| student.number);
        let rows = students.into_iter().map(|student| {
            let tried = &student.tried;
            let solved = tried.values().filter(|moves| is_solved(**moves)).count();
            let tries: u32 = tried.values().map(|moves| moves.count_ones()).sum();
            let counts = [student.number, solved as u32, tries].map(|count| count.to_string());
            let puzzles = puzzles.iter().map(|puzzle| match tried.get(puzzle) {
                Some(moves) if is_solved(*moves) => format!("\u{2713} {}", moves.count_ones()),
                Some(moves) => moves.count_ones().to_string(),
                None => String::new(),
            });
            (
                student.name.clone(),
                counts.into_iter().chain(puzzles).collect(),
            )
        });
        let rows = rows.collect();
        (head.into_iter().chain(numbered).collect(), rows)
    }
}

fn is_solved(tried: u128) -> bool {
    tried & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_visible_and_different() {
        let class = Class::new().unwrap();
        for (client, given, name) in [
            (1, " Ada  Lovelace\n", "Ada Lovelace"),
            (2, "ada lovelace", "ada lovelace (2)"),
            (3, "A\u{202e}\0\u{200b}da", "Ada"),
            (1, "Ada", "Ada (2)"),
            (4, &"\u{e4}".repeat(100), &"\u{e4}".repeat(LONGEST_NAME)),
        ] {
            class.join(client, given).unwrap();
            assert_eq!(class.state().students[&client].name, name);
        }
        for empty in ["", " \t", "\u{202e}\u{7}"] {
            assert!(class.join(5, empty).is_err(), "{empty:?}");
        }
        assert_eq!(class.table().1.len(), 4);
    }

    #[test]
    fn classes_are_bounded_and_removed_students_make_room() {
        let class = Class::new().unwrap();
        for client in 0..MOST_STUDENTS as u64 {
            class.join(client, "Ada").unwrap();
        }
        assert!(class.join(1000, "Alan").is_err());
        class.join(0, "Alan").unwrap();
        class.state().students.remove(&1);
        class.join(1000, "Alan").unwrap();
        let rows = class.table().1;
        assert_eq!(rows.len(), MOST_STUDENTS);
        // Numbers are not used again.
        let last = rows.last().unwrap();
        assert_eq!((&*last.0, &*last.1[0]), ("Alan (2)", "201"));
    }

    #[test]
    fn codes_are_random_and_only_the_whole_code_is_accepted() {
        let [one, other] = [(); 2].map(|()| Class::new().unwrap());
        assert_ne!(one.code, other.code);
        assert_eq!(one.code.len(), 16);
        assert!(one.is_code(&one.code) && !one.is_code(&other.code));
        assert!(!one.is_code("") && !one.is_code(&one.code[..15]));
    }
}
