//! Tests of checks at games in which positions repeat.
//!
//! The grades are compared with sets of rooms found by naive iteration.

use super::{
    CheckOptions, Coverage, Criterion, InProcess, LineReport, Report, Scope, Verdict, check,
};
use crate::conformance::tests::{Stones, stones};
use crate::game::{Game, NoProgress, Outcome, SearchSetup, Side, distance, one_ply_later};
use crate::oracle::{BySearch, Oracle};
use crate::table::Table;
use crate::testing::random_graph::{RandomGraph, by_value_iteration};
use crate::testing::tables::table_of;
use rustc_hash::FxHashSet;

/// Returns an AI that plays a fixed move in each room: any move, one that preserves the outcome, or
/// a best one.
fn answer(table: &Table<RandomGraph>, skill: u64, room: u32) -> u32 {
    let moves = table.move_scores(&room).unwrap();
    let best = moves[0].1;
    let suits = |score: i32| match skill % 3 {
        0 => true,
        1 => Outcome::of(score) == Outcome::of(best),
        _ => score == best,
    };
    let moves: Vec<_> = moves.iter().filter(|of| suits(of.1)).collect();
    let number = (u64::from(room) + 7) * (skill + 3) % 11 % moves.len() as u64;
    moves[number as usize].0
}

fn report(table: &Table<RandomGraph>, skill: u64, options: &CheckOptions) -> Report {
    let ai = || move |_: &RandomGraph, &room: &u32| answer(table, skill, room);
    check(table, &InProcess(ai), options, &NoProgress).unwrap()
}

fn play(side: Side) -> CheckOptions {
    CheckOptions {
        scope: Scope::Play,
        side: Some(side),
        ..CheckOptions::default()
    }
}

/// The rooms that play can come to while the AI plays one side.
struct Arising<'a> {
    table: &'a Table<RandomGraph>,
    skill: u64,
    side: Side,
}

impl Arising<'_> {
    fn is_ais(&self, room: u32) -> bool {
        self.table.game().side_to_move(&room) == self.side
    }

    fn after(&self, room: u32) -> Vec<u32> {
        match self.table.game().final_score(&room) {
            Some(_) => Vec::new(),
            None if self.is_ais(room) => vec![answer(self.table, self.skill, room)],
            None => self.table.game().legal_moves(&room),
        }
    }

    /// Returns the rooms that can follow `room` while `stays` holds.
    fn following(&self, room: u32, stays: impl Fn(u32) -> bool) -> FxHashSet<u32> {
        let (mut found, mut open) = (FxHashSet::default(), vec![room]);
        while let Some(room) = open.pop() {
            let after = self.after(room).into_iter().filter(|&after| stays(after));
            open.extend(after.filter(|&after| found.insert(after)));
        }
        found
    }

    /// Returns the score of a room for the AI.
    fn score(&self, room: u32) -> i32 {
        let score = self.table.score(&room).unwrap();
        self.table.game().seen_from(self.side, &room, score)
    }

    /// Returns the outcome of the game if the AI plays so and the opponent does its best.
    fn outcome(&self) -> Outcome {
        let rooms: Vec<u32> = self.following(0, |_| true).into_iter().chain([0]).collect();
        // The rooms from which a side reaches its goal within more and more moves.
        let surely = |goal: Outcome, chooses: bool| {
            let mut sure = FxHashSet::default();
            let is_over = |room| self.table.game().final_score(&room).is_some();
            loop {
                let is_sure = |&&room: &&u32| match (is_over(room), chooses) {
                    (true, _) => Outcome::of(self.score(room)) == goal,
                    (_, true) => self.after(room).iter().any(|room| sure.contains(room)),
                    (_, false) => self.after(room).iter().all(|room| sure.contains(room)),
                };
                let next: FxHashSet<u32> = rooms.iter().filter(is_sure).copied().collect();
                if next.len() == sure.len() {
                    break sure.contains(&0);
                }
                sure = next;
            }
        };
        match () {
            () if surely(Outcome::Win, false) => Outcome::Win,
            () if surely(Outcome::Loss, true) => Outcome::Loss,
            () => Outcome::Draw,
        }
    }
}

#[test]
fn play_is_perfect_exactly_if_the_value_of_the_game_is_preserved() {
    let (mut counts, mut repetitions) = ([0; 2], 0);
    for seed in 0..40 {
        let table = table_of(&RandomGraph::random(seed, 2, 12));
        for (skill, side) in (0..9).flat_map(|skill| [(skill, Side::First), (skill, Side::Second)])
        {
            let arising = Arising {
                table: &table,
                skill,
                side,
            };
            let value = arising.score(0);
            let report = report(&table, skill, &play(side));
            let is_kept = arising.outcome() >= Outcome::of(value);
            assert_eq!(
                report.verdict == Verdict::Perfect,
                is_kept,
                "{seed} {skill} {side}"
            );
            counts[usize::from(is_kept)] += 1;
            // Answers that win too slowly, and after which the opponent can lead play back.
            let mut rooms = arising.following(0, |_| true);
            rooms.insert(0);
            let is_won = |room| arising.score(room) > 0;
            let repeats = |&room: &u32| {
                let next = arising.after(room).first().copied();
                let is_slow = |next| arising.score(next) < one_ply_later(arising.score(room));
                let keeps = |&next: &u32| is_won(room) && is_won(next) && is_slow(next);
                let is_slow_win = arising.is_ais(room) && next.filter(keeps).is_some();
                is_slow_win && value > 0 && arising.following(room, is_won).contains(&room)
            };
            let expected = rooms.iter().filter(|room| repeats(room)).count();
            let told = report.worst.iter().filter(|of| {
                let outcomes = of.mistake.outcomes.as_deref();
                outcomes == Some("win to draw by repetition")
            });
            let told: u64 = told.map(|of| of.equivalent).sum();
            if report.worst.len() < 10 {
                assert_eq!(told, expected as u64, "{seed} {skill} {side}");
            }
            repetitions += told;
            line_is_play(&arising, &report);
        }
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
    assert!(repetitions > 20, "{repetitions}");
}

/// Checks that the moves of a refutation are legal, the AI's its own, and end as reported.
fn line_is_play(arising: &Arising<'_>, report: &Report) {
    let Some(line) = &report.refutation_line else {
        return;
    };
    let LineReport { steps, mistake, .. } = line;
    let mut rooms: Vec<u32> = Vec::new();
    for step in steps {
        let (room, mv): (u32, u32) = (step.position.parse().unwrap(), step.mv.parse().unwrap());
        assert!(arising.after(room).contains(&mv));
        assert!(rooms.last().is_none_or(|_| !rooms.contains(&room)));
        rooms.push(room);
    }
    let end: u32 = line.end.parse().unwrap();
    assert_eq!(line.repeats, rooms.iter().position(|&room| room == end));
    let score = arising.score(end) * i32::from(line.repeats.is_none());
    assert_eq!(Outcome::of(line.score), Outcome::of(score));
    if let Some(plies) = distance(line.score) {
        let made = (steps.len() - mistake) as u32;
        assert_eq!(plies, made + distance(score).unwrap());
    }
    assert!(line.from_start && line.score < line.target, "{line:?}");
    assert_eq!(line.repetition().is_empty(), line.repeats.is_none());
}

/// `is_legal` allows everything; the list of moves doesn't.
#[test]
fn a_wrong_is_legal_makes_no_move_legal() {
    // Solving would refuse the game.
    let setup = SearchSetup::new(1, 1 << 20);
    let oracle = BySearch::new(&stones("illegal"), &setup, &NoProgress).unwrap();
    let ai = || |_: &Stones, _: &(u16, Side)| 2;
    let options = CheckOptions::default();
    let report = check(&oracle, &InProcess(ai), &options, &NoProgress).unwrap();
    assert_eq!(report.verdict, Verdict::Faulty);
    assert_eq!(report.faults.illegal, 2);
}

#[test]
fn plies_and_outcomes_are_distinguished() {
    let (mut slow, mut mistakes) = (0, 0);
    for seed in 0..60 {
        let game = RandomGraph::random(seed, 3, 20);
        let (table, scores) = (table_of(&game), by_value_iteration(&game));
        let (mut lost, mut kept, mut preserved, mut plies) = (0, 0, 0, 0);
        for (&key, &before) in &scores {
            let room = key as u32;
            let door = answer(&table, seed, room);
            let child = game.final_score(&door);
            let after = child.unwrap_or_else(|| scores[&u128::from(door)]);
            let after = game.score_of_move(game.side_to_move(&room), &door, after);
            let is_preserved = Outcome::of(before) == Outcome::of(after);
            lost += u64::from(!is_preserved);
            preserved += u64::from(is_preserved);
            if is_preserved && before != 0 {
                kept += 1;
                plies += (before - after) as u64;
                slow += u64::from(before > after);
            }
        }
        let all = report(&table, seed, &CheckOptions::default());
        assert_eq!(
            (all.criterion, all.counts_plies),
            (Criterion::Outcome, true)
        );
        assert_eq!((all.mistakes.total, all.mistakes.score_only), (lost, 0));
        assert_eq!(
            (all.outcome_preserved, all.total_regret),
            (preserved, plies)
        );
        let regret = all.regret.map_or(0.0, |regret| regret.mean);
        assert!((regret * f64::from(kept) - plies as f64).abs() < 1e-6);
        let options = CheckOptions {
            criterion: Some(Criterion::Score),
            ..CheckOptions::default()
        };
        let all = report(&table, seed, &options);
        assert_eq!(all.mistakes.total - all.mistakes.score_only, lost);
        for worst in &all.worst {
            let of = &worst.mistake;
            let cost = all.cost(worst);
            match (of.regret, distance(of.target)) {
                (Some(regret), Some(plies)) => {
                    assert!(of.outcomes.is_none());
                    assert_eq!((of.target - of.after, regret > 0), (regret, true));
                    let instead = format!("{} instead of {plies} pl", all.said(of.after));
                    assert!(cost.starts_with(&instead), "{cost}");
                }
                _ => assert!(cost.starts_with(of.outcomes.as_deref().unwrap()), "{cost}"),
            }
        }
        mistakes += lost;
    }
    assert!(slow > 20 && mistakes > 20, "{slow} {mistakes}");
}

#[test]
fn games_end_at_the_first_repetition() {
    let graphs = (0..40).map(|seed| (seed, RandomGraph::random(seed, 2, 40)));
    let large: Vec<_> = graphs
        .filter(|(_, graph)| by_value_iteration(graph).len() > 40)
        .collect();
    assert!(large.len() > 10, "{}", large.len());
    for (seed, graph) in large {
        let options = CheckOptions {
            coverage: Coverage::Playouts {
                count: 4,
                seed: 1,
                kind: None,
            },
            ..CheckOptions::default()
        };
        assert_eq!(report(&table_of(&graph), seed, &options).asked, 4);
    }
}
