use super::*;
use crate::game::{Game, NoProgress, NotationError, ScoreRange};
use crate::games::tictactoe::TicTacToe;
use crate::search::End;
use crate::testing::tables::kalah;

/// A countdown to 0, one at a time, so a game of any length.
///
/// With `liar`, a position gets another score each time it is evaluated, and keys are as long as
/// possible.
#[derive(Clone, Debug)]
struct Countdown {
    from: u32,
    liar: bool,
}

static LIES: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(0);

impl Game for Countdown {
    type Position = u32;
    type Move = ();

    fn start(&self) -> u32 {
        self.from
    }
    fn side_to_move(&self, position: &u32) -> Side {
        Side::after(*position)
    }
    fn moves(&self, position: &u32, moves: &mut Vec<()>) {
        moves.clear();
        if *position > 0 {
            moves.push(());
        }
    }
    fn play(&self, position: &u32, (): ()) -> u32 {
        position - 1
    }
    fn final_score(&self, position: &u32) -> Option<i32> {
        let score = match self.liar {
            true => LIES.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
            false => 1,
        };
        (*position == 0).then_some(score)
    }
    fn score_range(&self) -> ScoreRange {
        ScoreRange {
            lowest: -100,
            highest: 100,
            step: 1,
        }
    }
    fn key(&self, canonical: &u32) -> u128 {
        u128::from(*canonical)
    }
    fn key_bits(&self) -> u32 {
        if self.liar { 128 } else { 32 }
    }
    fn position_of_key(&self, key: u128) -> Option<u32> {
        u32::try_from(key).ok()
    }
    fn layer(&self, canonical: &u32) -> u32 {
        *canonical
    }
}

impl Notation for Countdown {
    fn rules(&self) -> String {
        format!("countdown from={}", self.from)
    }
    fn format_position(&self, position: &u32) -> String {
        position.to_string()
    }
    fn parse_position(&self, text: &str) -> Result<u32, NotationError> {
        text.parse()
            .map_err(|_| NotationError::new(text, "no number", "3"))
    }
    fn format_move(&self, (): ()) -> String {
        "down".to_owned()
    }
    fn parse_move(&self, _text: &str) -> Result<(), NotationError> {
        Ok(())
    }
}

fn comparison(methods: &str) -> Comparison {
    Comparison {
        methods: methods
            .split(',')
            .map(|name| name.parse().unwrap())
            .collect(),
        depths: Vec::new(),
        limit: None,
        table_bytes: 1 << 20,
        ..Comparison::default()
    }
}

#[test]
fn method_names_are_read_back_and_others_refused() {
    for method in SearchMethod::all() {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    for (written, name) in [
        ("Minimax", "minimax"),
        ("MTD(f)", "mtdf"),
        ("Alpha-Beta-TT", "alphabeta-tt"),
    ] {
        let method: SearchMethod = written.parse().unwrap();
        assert_eq!(method.to_string(), name);
    }
    for wrong in ["", "tt", "minimax-t", "mtd", "alpha"] {
        let error = wrong.parse::<SearchMethod>().unwrap_err().to_string();
        assert!(
            error.contains("negascout") && error.contains("minimax-tt"),
            "{error}"
        );
    }
}

#[test]
fn long_plays_are_searched_and_endless_ones_refused() {
    let play = |from| {
        let game = Countdown { from, liar: false };
        compare(
            &game,
            &from,
            &comparison("minimax,negascout-tt,mtdf"),
            &NoProgress,
        )
    };
    let found = play(40_000).unwrap();
    for run in found.runs {
        let best_move = Some("down".to_owned());
        assert_eq!(
            run.outcome,
            RunResult::Found {
                value: 1,
                best_move
            },
            "{}",
            run.method
        );
    }
    assert!(matches!(
        play(10_000_000),
        Err(CompareError::Solve(SolveError::TooLong { .. }))
    ));
}

#[test]
fn a_contradiction_is_an_error() {
    let game = Countdown {
        from: 3,
        liar: true,
    };
    let found = compare(&game, &3, &comparison("minimax,negamax"), &NoProgress);
    let error = found.unwrap_err();
    assert!(
        matches!(error, CompareError::Disagreement { .. }),
        "{error:?}"
    );
    let text = error.to_string();
    assert!(
        text.contains("minimax") && text.contains("negamax"),
        "{text}"
    );
}

#[test]
fn a_table_has_room_for_the_depth_or_is_refused() {
    let game = Countdown {
        from: 3,
        liar: true,
    };
    let mut with_depth = comparison("mtdf-tt");
    with_depth.depths = vec![1];
    let refused = compare(&game, &3, &with_depth, &NoProgress);
    assert!(matches!(
        refused,
        Err(CompareError::KeyBits {
            bits: 128,
            allowed: 96
        })
    ));
}

#[test]
fn slow_methods_are_not_tried_deeper() {
    let game = TicTacToe::default();
    let mut hurried = comparison("minimax,mtdf-tt");
    hurried.depths = vec![1, 8, 9];
    hurried.limit = Some(Duration::ZERO);
    let found = compare(&game, &game.start(), &hurried, &NoProgress).unwrap();
    assert!(!found.is_interrupted);
    let outcomes: Vec<(String, bool, bool)> = found
        .runs
        .iter()
        .map(|run| {
            (
                run.method.to_string(),
                run.is_finished(),
                run.outcome == RunResult::NotTried,
            )
        })
        .collect();
    let expected = [
        ("minimax", true, false),
        ("mtdf-tt", true, false),
        ("minimax", false, false),
        ("mtdf-tt", true, false),
        ("minimax", false, true),
        ("mtdf-tt", true, false),
    ];
    let expected = expected.map(|(name, found, skipped)| (name.to_owned(), found, skipped));
    assert_eq!(outcomes, expected);
}

#[test]
fn cancelled_comparisons_are_marked() {
    struct Stop;
    impl Progress for Stop {
        fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
        fn advance(&self, _units: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let game = TicTacToe::default();
    let found = compare(&game, &game.start(), &comparison("minimax,mtdf"), &Stop).unwrap();
    assert!(found.is_interrupted);
    assert!(
        found
            .runs
            .iter()
            .all(|run| run.outcome == RunResult::NotTried)
    );
}

/// Returns the search of Kalah's start to depth 5 by one method.
fn one_run(wanted: Comparison) -> Run {
    let wanted = Comparison {
        depths: vec![5],
        ..wanted
    };
    let game = kalah(3, 3);
    let compared = compare(&game, &game.start(), &wanted, &NoProgress);
    compared.unwrap().runs.remove(0)
}

#[test]
fn a_tree_has_every_visit_and_the_moves_never_visited() {
    let game = kalah(3, 3);
    for method in SearchMethod::all() {
        let run = one_run(Comparison {
            tree_depth: Some(5),
            ..comparison(&method.to_string())
        });
        let tree = run.tree.unwrap();
        let ended = |end| tree.iter().filter(|visit| visit.end == end).count() as u64;
        assert_eq!(tree.len() as u64, run.counts.nodes, "{method}");
        assert_eq!(ended(End::Leaf), run.counts.evaluations, "{method}");
        assert_eq!(ended(End::Cut), run.counts.cutoffs, "{method}");
        assert_eq!(ended(End::Table), run.counts.table_cutoffs, "{method}");
        let again = tree.iter().any(|visit| visit.again);
        let repeats = matches!(method.algorithm, Algorithm::NegaScout | Algorithm::Mtdf);
        assert_eq!(again, repeats, "{method}");
        for (number, visit) in tree.iter().enumerate() {
            let position = game.parse_position(&visit.position).unwrap();
            if let Some(parent) = visit.parent {
                let (parent, mv) = (&tree[parent], visit.mv.as_ref().unwrap());
                let before = game.parse_position(&parent.position).unwrap();
                let mv = game.parse_move(mv).unwrap();
                assert_eq!(game.play(&before, mv), position);
                assert_eq!(parent.depth + 1, visit.depth);
            }
            if matches!(visit.end, End::Leaf | End::Table) {
                assert!(visit.searched.is_empty() && visit.skipped.is_empty());
                continue;
            }
            let legal = game.legal_moves(&position).into_iter();
            let legal: Vec<String> = legal.map(|mv| game.format_move(mv)).collect();
            assert_eq!([&visit.searched[..], &visit.skipped].concat(), legal);
            let is_cut = visit.end == End::Cut;
            assert_eq!(is_cut, !visit.skipped.is_empty());
            assert!(!is_cut || visit.value >= visit.entry.beta, "{visit:?}");
            assert!(visit.exit.alpha >= visit.entry.alpha);
            // The value is that of the best move.
            let children = tree.iter().filter(|child| child.parent == Some(number));
            let values = children.map(|child| match child.to_move == visit.to_move {
                true => child.value,
                false => -child.value,
            });
            assert_eq!(values.max(), Some(visit.value), "{method} {visit:?}");
        }
    }
}

#[test]
fn a_tree_ends_at_its_depth() {
    let run = one_run(Comparison {
        tree_depth: Some(1),
        ..comparison("alphabeta")
    });
    let tree = run.tree.unwrap();
    assert_eq!(tree.len(), 4);
    assert_eq!(tree[0].searched, ["1", "2", "3"]);
    assert!(one_run(comparison("alphabeta")).tree.is_none());
}

#[test]
fn the_order_of_moves_changes_the_effort_and_not_the_value() {
    let found = |order| {
        let run = one_run(Comparison {
            order,
            ..comparison("alphabeta")
        });
        let RunResult::Found { value, .. } = run.outcome else {
            panic!("{run:?}");
        };
        (value, run.counts.nodes)
    };
    let (value, own) = found(Order::Own);
    let (best, worst) = (found(Order::Best), found(Order::Worst));
    assert!(best.1 < own && own < worst.1, "{best:?} {own} {worst:?}");
    let random: Vec<(i32, u64)> = (0..4).map(|seed| found(Order::Random(seed))).collect();
    assert!(random.iter().any(|one| one.1 != random[0].1));
    assert_eq!(random[1], found(Order::Random(1)));
    for other in [&[best, worst, found(Order::Static)], &random[..]].concat() {
        assert_eq!(other.0, value);
        assert!(other.1 >= best.1);
    }
}

#[test]
fn a_line_leads_to_the_value() {
    let game = kalah(3, 3);
    let wanted = Comparison {
        depths: (1..=6).collect(),
        lines: true,
        ..comparison("negamax,mtdf-tt")
    };
    let runs = compare(&game, &game.start(), &wanted, &NoProgress);
    for run in runs.unwrap().runs {
        assert_eq!(run.line.is_some(), run.method.has_table);
        let (Some(line), RunResult::Found { value, best_move }) = (run.line, run.outcome) else {
            continue;
        };
        assert_eq!(line.first(), best_move.as_ref());
        let mut position = game.start();
        for mv in &line {
            position = game.play(&position, game.parse_move(mv).unwrap());
        }
        let end = game.final_score(&position);
        assert!(end.is_some() || line.len() as u32 == run.depth.unwrap());
        let end = end.unwrap_or_else(|| game.evaluate(&position));
        assert_eq!(game.seen_from(Side::First, &position, end), value);
    }
}
