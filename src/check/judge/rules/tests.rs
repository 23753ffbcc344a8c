use super::choose::{Candidate, Questions, any_depth_finds, is_simple, lucky_depths, unaware_best};
use super::*;
use crate::check::contenders::{InProcess, StartPlayer};
use crate::game::{CancelScope, Game, NoProgress};
use crate::games::kalah::Kalah;
use crate::games::tictactoe::TicTacToe;
use crate::testing::tables::{kalah, table_of};
use rustc_hash::FxHashSet;
use std::time::Instant;

/// Asserts the properties that questions about any topic share.
fn are_good<G: Notation>(game: &G, questions: &[Candidate<G>], most: usize) {
    assert!(questions.len() <= most);
    assert!(questions.is_sorted_by_key(|question| question.0));
    let different: FxHashSet<_> = questions
        .iter()
        .map(|(_, (_, position))| position)
        .collect();
    assert_eq!(different.len(), questions.len());
    for (_, (way, position)) in questions {
        let way = way.iter().flatten();
        let end = way.fold(game.start(), |position, &mv| game.play(&position, mv));
        assert_eq!(end, *position);
    }
}

/// Asserts properties of a game's questions, `least` of which exist for each topic.
fn questions_are_good<G: Notation>(game: &G, least: &[usize]) {
    let table = table_of(game);
    let oracle: &dyn Oracle<G> = &table;
    let questions = Questions::choose(oracle, false, &NoProgress).unwrap();

    for (at, (_, (_, position))) in questions.forced.iter().enumerate() {
        let moves = game.legal_moves(position);
        assert_eq!(moves.len(), 1);
        let before = questions.forced[..at].iter();
        let alike = before.filter(|(_, (_, other))| game.legal_moves(other) == moves);
        assert!(alike.count() < 3);
    }
    assert!((1..=16).contains(&questions.forced.len()));

    are_good(game, &questions.simple, 24);
    assert!(questions.simple.len() >= 8, "{}", questions.simple.len());
    for (gap, (_, position)) in &questions.simple {
        assert!(is_simple(game, position));
        let scores = oracle.move_scores(position).unwrap();
        let second = scores
            .iter()
            .map(|&(_, score)| score)
            .find(|&score| score < scores[0].1);
        let best = scores.iter().filter(|&&(_, score)| score == scores[0].1);
        let share = (best.count() * 1000 / scores.len()) as i32;
        assert_eq!(Some(scores[0].1 - (gap - 100 * share)), second);
        // Even to a player who doesn't know one of the rules, no worse move looks best.
        for topic in 0..questions.topics.len() {
            let moves = game.legal_moves(position);
            let thought = unaware_best(game, position, &moves, topic, u32::MAX).unwrap_or_default();
            assert!(
                thought
                    .iter()
                    .all(|mv| scores.contains(&(*mv, scores[0].1)))
            );
        }
    }

    let mut total = questions.forced.len() + questions.simple.len();
    for (topic, asked) in questions.topics.iter().enumerate() {
        assert!(asked.len() >= least[topic], "{topic}: {}", asked.len());
        total += asked.len();
        are_good(game, asked, 16);
        for (gap, (_, position)) in asked {
            let scores = oracle.move_scores(position).unwrap();
            let top = scores[0].1;
            assert!(any_depth_finds(game, position, &|mv| scores.contains(&(mv, top))));
            let moves = game.legal_moves(position);
            let is_best = |mv| scores.contains(&(mv, top));
            let lucky = lucky_depths(game, position, &moves, topic, &is_best).unwrap();
            let (_, second) = scores.iter().find(|&&(mv, _)| !is_best(mv)).unwrap();
            assert_eq!(*gap, 1000 * lucky as i32 + top - second);
        }
    }
    assert_eq!(questions.total(), total);
}

#[test]
fn questions_about_kalah_tell_who_knows_its_rules() {
    // On a board this small, three of the rules hardly ever mislead.
    let least = [8, 8, 0, 0, 4];
    questions_are_good(&kalah(3, 2), &least);
}

/// Counts the questions about each rule of Kalah with 4 pits and 2 seeds.
fn asked_about_rules(from_table: bool) -> Vec<usize> {
    let game = kalah(4, 2);
    let table = table_of(&game);
    let questions = Questions::choose(&table, from_table, &NoProgress).unwrap();
    for (_, (way, position)) in questions.topics.iter().flatten() {
        let from_start = way.as_ref().map(|way| {
            let moves = way.iter();
            moves.fold(game.start(), |position, &mv| game.play(&position, mv))
        });
        assert!(from_start.map_or(from_table, |end| end == *position));
        assert!(table.contains(&game.canonical(position)).unwrap());
    }
    questions.topics.iter().map(Vec::len).collect()
}

#[test]
fn a_table_has_positions_about_rules_that_games_rarely_reach() {
    let (from_games, from_table) = (asked_about_rules(false), asked_about_rules(true));
    assert_eq!(from_table, [16; 5]);
    assert!(
        from_games[2..].iter().all(|&asked| asked < 16),
        "{from_games:?}"
    );
}

#[test]
fn questions_about_tic_tac_toe_are_simple() {
    questions_are_good(&TicTacToe::default(), &[]);
}

#[test]
fn simple_positions_have_few_lines() {
    let game = TicTacToe::default();
    let is_simple = |text: &str| is_simple(&game, &game.parse_position(text).unwrap());
    // 5 free cells have up to 326 positions after them, 4 have up to 65.
    assert!(is_simple("XOXOX.O..") && is_simple("XOXO.X..O"));
    assert!(!is_simple("........."));
}

#[test]
fn fair_is_what_any_search_finds() {
    let game = TicTacToe::default();
    let table = table_of(&game);
    let is_fair = |text: &str| {
        let position = game.parse_position(text).unwrap();
        let scores = Oracle::move_scores(&table, &position).unwrap();
        any_depth_finds(&game, &position, &|mv| scores.contains(&(mv, scores[0].1)))
    };
    // The first position has an immediate win. In the second, only a deep search finds the one move
    // that doesn't lose.
    assert!(is_fair("XX.OO...."));
    assert!(!is_fair("X........"));
}

fn topic(asked: usize, best: usize) -> TopicReport {
    TopicReport {
        topic: "a rule".to_owned(),
        asked,
        best,
        suspect: false,
        example: None,
    }
}

#[test]
fn a_rule_is_suspect_if_only_its_questions_go_wrong() {
    let good = topic(24, 24);
    for (simple, topic, suspect) in [
        (&good, topic(8, 0), true),
        // Fewer than five questions show nothing.
        (&good, topic(5, 0), true),
        (&good, topic(4, 0), false),
        // At most a third is suspect.
        (&good, topic(16, 5), true),
        (&good, topic(16, 6), false),
        (&good, topic(12, 5), false),
        (&good, topic(8, 8), false),
        (&good, topic(0, 0), false),
        // No AI is judged that plays simple positions badly or was asked too few of them.
        (&topic(24, 18), topic(16, 0), true),
        (&topic(24, 17), topic(16, 0), false),
        (&topic(24, 12), topic(16, 0), false),
        (&topic(8, 8), topic(16, 0), true),
        (&topic(7, 7), topic(16, 0), false),
    ] {
        assert_eq!(is_suspect(&topic, simple), suspect, "{topic:?}");
    }
    // An AI that finds all rules hard is only weak, unless no other rule can be compared.
    let suspects = |all: &[(usize, usize)]| {
        let mut topics: Vec<_> = all
            .iter()
            .map(|&(asked, best)| {
                let mut topic = topic(asked, best);
                topic.suspect = is_suspect(&topic, &good);
                topic
            })
            .collect();
        let is_weak = keep_worst(&mut topics, &good);
        let suspects = topics.iter().map(|topic| topic.suspect);
        (is_weak, suspects.collect::<Vec<_>>())
    };
    assert_eq!(suspects(&[(16, 0), (16, 15)]), (true, vec![true, false]));
    assert_eq!(suspects(&[(16, 0), (16, 4)]), (true, vec![false, false]));
    assert_eq!(suspects(&[(16, 0), (0, 0)]), (true, vec![true, false]));
    assert_eq!(suspects(&[(16, 16), (16, 15)]), (false, vec![false, false]));
    // The AI finds too many best moves for a suspicion, and too few to be cleared.
    assert_eq!(suspects(&[(16, 6), (16, 16)]), (true, vec![false, false]));
}

fn report(ai: impl Fn(&Kalah, &<Kalah as Game>::Position) -> u8 + Sync) -> RulesReport<Kalah> {
    report_until(None, ai)
}

fn report_until(
    deadline: Option<Instant>,
    ai: impl Fn(&Kalah, &<Kalah as Game>::Position) -> u8 + Sync,
) -> RulesReport<Kalah> {
    let game = kalah(3, 2);
    let table = table_of(&game);
    let contender = InProcess(|| {
        |game: &Kalah, position: &<Kalah as Game>::Position| {
            crate::games::kalah::Move(ai(game, position))
        }
    });
    let mut player = contender.player(&game).unwrap();
    ask_rules(
        &table,
        &mut *player,
        false,
        3,
        &CancelScope::with_deadline(&NoProgress, deadline),
    )
    .unwrap()
}

#[test]
fn a_player_that_plays_best_moves_follows_the_rules() {
    let game = kalah(3, 2);
    let table = table_of(&game);
    let report = report(|_, position| {
        let oracle: &dyn Oracle<Kalah> = &table;
        oracle.move_scores(position).unwrap()[0].0.0
    });
    let summary = &report.summary;
    assert_eq!(summary.verdict, RulesVerdict::Followed);
    assert!(!summary.is_cut && report.faults.is_empty());
    let all = [&summary.forced, &summary.simple]
        .into_iter()
        .chain(&summary.topics);
    let asked = all.map(|topic| {
        assert_eq!(
            (topic.best, topic.suspect),
            (topic.asked, false),
            "{}",
            topic.topic
        );
        assert_eq!(topic.example, None);
        topic.asked
    });
    assert_eq!(asked.sum::<usize>(), summary.asked);
    assert_eq!(report.right.len(), summary.asked);
}

#[test]
fn after_some_faults_no_more_is_asked() {
    let report = report(|_, _| 7);
    assert_eq!(report.summary.verdict, RulesVerdict::Broken);
    assert_eq!((report.summary.asked, report.faults.len()), (3, 3));
}

#[test]
fn unfinished_rule_checks_give_no_verdict() {
    let report = report_until(Some(Instant::now()), |_, _| 0);
    assert_eq!(report.summary.verdict, RulesVerdict::Unclear);
    assert_eq!((report.summary.asked, report.summary.is_cut), (0, true));
}
