//! Random games in which positions repeat, for tests, and a naive solver to compare others with.

use super::{Method, solve};
use crate::game::{
    Endless, Family, Game, NoProgress, Notation, NotationError, ScoreRange, Side, Solution,
    SolveError, SolveOptions, WON, distance,
};
use crate::games::lgame::LGame;
use crate::games::merels::Kind;
use crate::games::oware::OwareFamily;
use crate::random::Random;
use crate::table::{Table, TableFile, Verdict, VerifyOptions, WriteOptions, verify, write_to_vec};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A random graph of rooms. Some doors lead to a later floor, the others to a room of the same.
#[derive(Clone, Debug)]
pub(crate) struct Maze {
    rooms: Arc<Vec<Room>>,
    floor: u32,
    pub endless: Endless,
}

#[derive(Debug)]
struct Room {
    side: Side,
    doors: Vec<u32>,
    score: Option<i32>,
}

impl Maze {
    /// A maze with `floors` floors of `floor` rooms.
    pub fn random(seed: u64, floors: u32, floor: u32) -> Maze {
        let mut random = Random::new(seed);
        let rooms = (0..floors * floor).map(|number| {
            let next = (number / floor + 1) * floor;
            let is_last = next == floors * floor;
            let side = [Side::First, Side::Second][random.index(2)];
            let score = [-WON, 0, WON - 1, -WON][random.index(4)];
            if number > 0 && random.below(8) == 0 {
                return Room {
                    side,
                    doors: Vec::new(),
                    score: Some(score),
                };
            }
            let doors = 1 + random.index(4);
            let doors = (0..doors).map(|_| match random.below(6) {
                0 if !is_last => next + random.below(floor.into()) as u32,
                _ => next - floor + random.below(floor.into()) as u32,
            });
            let mut doors: Vec<u32> = doors.collect();
            doors.sort_unstable();
            doors.dedup();
            let side = if number == 0 { Side::First } else { side };
            Room {
                side,
                doors,
                score: None,
            }
        });
        Maze {
            rooms: Arc::new(rooms.collect()),
            floor,
            endless: Endless::Draw,
        }
    }

    fn room(&self, number: u32) -> &Room {
        &self.rooms[number as usize]
    }
}

impl Game for Maze {
    type Position = u32;
    type Move = u32;

    fn start(&self) -> u32 {
        0
    }
    fn side_to_move(&self, &room: &u32) -> Side {
        self.room(room).side
    }
    fn moves(&self, &room: &u32, moves: &mut Vec<u32>) {
        moves.clone_from(&self.room(room).doors);
    }
    fn play(&self, _: &u32, door: u32) -> u32 {
        door
    }
    fn final_score(&self, &room: &u32) -> Option<i32> {
        self.room(room).score
    }
    fn score_range(&self) -> ScoreRange {
        ScoreRange::PLIES
    }
    fn endless(&self) -> Endless {
        self.endless
    }
    fn key(&self, &room: &u32) -> u128 {
        room.into()
    }
    fn key_bits(&self) -> u32 {
        24
    }
    fn position_of_key(&self, key: u128) -> Option<u32> {
        let room = self.rooms.get(usize::try_from(key).ok()?)?;
        room.score.is_none().then_some(key as u32)
    }
    fn layer(&self, &room: &u32) -> u32 {
        room / self.floor
    }
}

impl Notation for Maze {
    fn rules(&self) -> String {
        "maze".into()
    }
    fn format_position(&self, room: &u32) -> String {
        room.to_string()
    }
    fn parse_position(&self, text: &str) -> Result<u32, NotationError> {
        let read = text.parse().ok();
        let room = read.filter(|&room| room < self.rooms.len() as u32);
        room.ok_or_else(|| NotationError::new(text, "no room", "0"))
    }
    fn format_move(&self, door: u32) -> String {
        door.to_string()
    }
    fn parse_move(&self, text: &str) -> Result<u32, NotationError> {
        self.parse_position(text)
    }
}

/// The score of every reachable class by value iteration: the best within more and more plies.
///
/// It shares nothing with the solvers and the proof but [`Game::follow`]'s default parts.
pub(crate) fn by_value_iteration<G: Game>(game: &G) -> FxHashMap<u128, i32> {
    let start = game.canonical(&game.start());
    let mut positions = vec![start.clone()];
    let mut numbers = FxHashMap::from_iter([(game.key(&start), 0)]);
    // Each move's target, or the score there if it ends the game, and whether the turn passes.
    let mut moves: Vec<Vec<(Result<usize, i32>, bool)>> = Vec::new();
    while let Some(position) = positions.get(moves.len()).cloned() {
        let children = game.legal_moves(&position).into_iter().map(|mv| {
            let child = game.play(&position, mv);
            let turns = game.side_to_move(&child) != game.side_to_move(&position);
            if let Some(score) = game.final_score(&child) {
                return (Err(score), turns);
            }
            let child = game.canonical(&child);
            let number = *numbers.entry(game.key(&child)).or_insert_with(|| {
                positions.push(child);
                positions.len() - 1
            });
            (Ok(number), turns)
        });
        moves.push(children.collect());
    }
    let mut scores = vec![0; positions.len()];
    loop {
        let best = moves.iter().map(|moves| {
            let worth = |&(to, turns): &(Result<usize, i32>, bool)| {
                let score = to.map_or_else(|score| score, |child| scores[child]);
                let score = if turns { -score } else { score };
                score - score.signum()
            };
            moves.iter().map(worth).max().unwrap()
        });
        let next: Vec<i32> = best.collect();
        if next == scores {
            break;
        }
        scores = next;
    }
    numbers
        .into_iter()
        .map(|(key, number)| (key, scores[number]))
        .collect()
}

const OPTIONS: SolveOptions = SolveOptions {
    threads: 1,
    memory: 1 << 28,
};

fn entries<G: Notation>(game: &G) -> Vec<(u128, i32)> {
    let solved = solve(game, Method::Backward, OPTIONS, &NoProgress).unwrap();
    let Solution::Keyed(entries) = solved.solution else {
        panic!("the game has no ranking");
    };
    entries
}

/// Checks that the solver and value iteration agree, and that the proof accepts their scores only.
pub(crate) fn agrees_with_value_iteration<G: Notation>(game: &G) -> Vec<(u128, i32)> {
    let entries = entries(game);
    let mut expected: Vec<(u128, i32)> = by_value_iteration(game).into_iter().collect();
    expected.sort_unstable();
    assert!(entries == expected, "{}", game.rules());
    assert!(matches!(verdict(game, &entries), Verdict::Proved { .. }));
    entries
}

fn verdict<G: Notation>(game: &G, entries: &[(u128, i32)]) -> Verdict {
    let solution = Solution::Keyed(entries.to_vec());
    let bytes = write_to_vec(game, &solution, WriteOptions::default(), &NoProgress).unwrap();
    let table = Table::new(TableFile::from_bytes(bytes).unwrap(), game.clone()).unwrap();
    verify(&table, &VerifyOptions::within(1, 1 << 28), &NoProgress).unwrap()
}

#[test]
fn games_with_repetition_are_solved_and_proved() {
    let mut outcomes = [0; 3];
    let mut longest = 0;
    for seed in 0..60 {
        let maze = Maze::random(seed, 1 + seed as u32 % 3, 40);
        for (_, score) in agrees_with_value_iteration(&maze) {
            outcomes[(1 + score.signum()) as usize] += 1;
            longest = longest.max(distance(score).unwrap_or(0));
        }
    }
    assert!(outcomes.iter().all(|&count| count > 100), "{outcomes:?}");
    assert!(longest > 15, "{longest}");
}

#[test]
fn games_that_people_play_are_solved_and_proved() {
    let mut solved = vec![agrees_with_value_iteration(&LGame)];
    for steps in ["any", "neighbours", "orthogonal", "lines"] {
        let morris = Kind::Morris.read_rules(&format!("steps={steps}")).unwrap();
        solved.push(agrees_with_value_iteration(&morris));
    }
    for rules in ["pits=2 seeds=2", "pits=2 seeds=4"] {
        let oware = OwareFamily.read_rules(rules).unwrap();
        solved.push(agrees_with_value_iteration(&oware));
    }
    let longest = solved.iter().map(|entries| {
        let distances = entries.iter().filter_map(|entry| distance(entry.1));
        distances.max().unwrap()
    });
    assert_eq!(longest.take(5).collect::<Vec<_>>(), [9, 5, 7, 9, 10]);
}

#[test]
fn every_wrong_score_and_every_wrong_set_of_positions_is_refuted() {
    let mut tried = 0;
    for seed in 0..8 {
        let maze = Maze::random(seed, 2, 12);
        let right = entries(&maze);
        for place in 0..right.len() {
            let others = [
                0,
                WON - 1,
                2 - WON,
                right[place].1 + 1,
                right[place].1 - 1,
                -right[place].1,
            ];
            for score in others {
                let mut wrong = right.clone();
                wrong[place].1 = score;
                if score == right[place].1 || ScoreRange::PLIES.code(score).is_none() {
                    continue;
                }
                assert!(
                    matches!(verdict(&maze, &wrong), Verdict::Refuted(_)),
                    "{seed} {place}"
                );
                tried += 1;
            }
            let mut missing = right.clone();
            missing.remove(place);
            if !missing.is_empty() {
                assert!(matches!(verdict(&maze, &missing), Verdict::Refuted(_)));
            }
        }
        // Rooms that no way leads to, with the scores that they would have: even in a circle they are
        // refuted, although each follows another.
        let known: Vec<u128> = right.iter().map(|entry| entry.0).collect();
        let unknown: Vec<u32> = (0..24)
            .filter(|&room| maze.room(room).score.is_none())
            .collect();
        let unknown = unknown
            .into_iter()
            .filter(|&room| !known.contains(&room.into()));
        let mut more = right.clone();
        more.extend(unknown.map(|room| (room.into(), 0)));
        more.sort_unstable();
        if more.len() > right.len() {
            assert!(matches!(verdict(&maze, &more), Verdict::Refuted(_)));
        }
    }
    assert!(tried > 200, "{tried}");
}

/// Two rooms that lead to each other and that nothing leads to.
#[test]
fn a_circle_that_nothing_leads_to_is_refuted() {
    let room = |doors: &[u32], score| Room {
        side: Side::First,
        doors: doors.to_vec(),
        score,
    };
    let rooms = vec![
        room(&[1], None),
        room(&[], Some(0)),
        room(&[3], None),
        room(&[2], None),
    ];
    let maze = Maze {
        rooms: Arc::new(rooms),
        floor: 4,
        endless: Endless::Draw,
    };
    assert!(matches!(verdict(&maze, &[(0, 0)]), Verdict::Proved { .. }));
    let found = verdict(&maze, &[(0, 0), (2, 0), (3, 0)]);
    assert!(matches!(found, Verdict::Refuted(_)), "{found:?}");
}

#[test]
fn a_cycle_that_was_not_promised_is_an_error() {
    let maze = Maze {
        endless: Endless::Impossible,
        ..Maze::random(0, 2, 40)
    };
    let error = super::solve_unchecked(&maze, Method::Backward, OPTIONS, &NoProgress);
    let error = error.err().unwrap();
    assert!(matches!(error, SolveError::Repetition { .. }), "{error}");
}

#[test]
fn a_single_position_is_not_searched() {
    let error = solve(
        &Maze::random(0, 1, 20),
        Method::Search,
        OPTIONS,
        &NoProgress,
    );
    let error = error.err().unwrap();
    assert!(matches!(error, SolveError::OnlyBySolving { .. }), "{error}");
}
