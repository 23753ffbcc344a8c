use super::*;
use crate::game::{Game, NoProgress, NotationError, ScoreRange};
use crate::games::tictactoe::TicTacToe;

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
        match position % 2 {
            0 => Side::First,
            _ => Side::Second,
        }
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
    }
}

#[test]
fn names_are_read_back_and_others_refused() {
    for method in Method::all() {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    for (written, name) in [
        ("Minimax", "minimax"),
        ("MTD(f)", "mtdf"),
        ("Alpha-Beta-TT", "alphabeta-tt"),
    ] {
        let method: Method = written.parse().unwrap();
        assert_eq!(method.to_string(), name);
    }
    for wrong in ["", "tt", "minimax-t", "mtd", "alpha"] {
        let error = wrong.parse::<Method>().unwrap_err().to_string();
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
            Outcome::Found {
                value: 1,
                best_move
            },
            "{}",
            run.method
        );
    }
    assert!(matches!(
        play(10_000_000),
        Err(CompareError::Endless(SolveError::TooLong { .. }))
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
fn what_takes_too_long_is_given_up_and_not_tried_deeper() {
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
            let found = matches!(run.outcome, Outcome::Found { .. });
            (
                run.method.to_string(),
                found,
                run.outcome == Outcome::NotTried,
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
fn what_is_told_to_stop_says_so() {
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
            .all(|run| run.outcome == Outcome::NotTried)
    );
}
