use super::board::{Board, Lines};
use super::search::DotsSearcher;
use super::*;
use crate::game::{
    Arrays, Bounds, Game, NoCheckpoints, NoProgress, Notation, SearchSetup, Searcher, Side, Slot,
    SolveOptions, Tile,
};
use crate::random::Random;

const OPTIONS: SolveOptions = SolveOptions {
    threads: 2,
    memory: 1 << 30,
};

fn game(rows: usize, columns: usize) -> Dots {
    Dots::new(rows, columns).unwrap()
}

/// Returns the scores of all sets of lines, by plain recursion over positions with owners.
fn by_recursion(game: &Dots) -> Vec<i32> {
    let all = game.board.all();
    let mut scores = vec![0; all as usize + 1];
    for lines in (0..all).rev() {
        let position = Position::bare(lines);
        let of_move = |mv| {
            let after = game.play(&position, mv);
            let to_come = scores[after.lines as usize] + game.banked(&after);
            game.seen_from(Side::First, &after, to_come)
        };
        scores[lines as usize] = game
            .legal_moves(&position)
            .into_iter()
            .map(of_move)
            .max()
            .unwrap();
    }
    scores
}

/// Counts won, drawn and lost unfinished sets of lines.
fn has_outcomes(rows: usize, columns: usize, score: i32, counts: [usize; 3]) {
    let game = game(rows, columns);
    let mut scores = by_recursion(&game);
    scores.pop();
    let count = |sign| scores.iter().filter(|score| score.signum() == sign).count();
    assert_eq!([1, 0, -1].map(count), counts, "{game:?}");
    assert_eq!(scores[0], score);
}

#[test]
fn outcomes_are_those_counted_by_others() {
    has_outcomes(1, 1, -1, [8, 0, 7]);
    has_outcomes(1, 2, 0, [56, 50, 21]);
    has_outcomes(2, 2, 2, [2511, 895, 689]);
    has_outcomes(2, 3, -2, [94_695, 16_182, 20_194]);
}

#[test]
#[ignore = "exhaustive: 40 s"]
fn outcomes_of_larger_boards_are_those_counted_by_others() {
    has_outcomes(2, 4, 2, [3_274_305, 416_151, 503_847]);
    has_outcomes(3, 3, -3, [13_894_652, 547_559, 2_335_004]);
}

#[test]
fn taking_and_drawing_are_best() {
    for (rows, columns) in [(1, 1), (1, 7), (2, 2), (2, 3)] {
        checks_chains(&game(rows, columns));
    }
}

#[test]
#[ignore = "exhaustive: a minute"]
fn taking_and_drawing_are_best_on_larger_boards() {
    for (rows, columns) in [(2, 4), (3, 3)] {
        checks_chains(&game(rows, columns));
    }
}

/// Compares [`chains`] with the scores of all sets of lines.
fn checks_chains(game: &Dots) {
    let board = &game.board;
    let scores = by_recursion(game);
    let score = |lines: Lines| scores[lines as usize];
    let (mut left, mut chosen) = (0, 0);
    for lines in 0..board.all() {
        let taken = board.take(lines);
        assert_eq!(taken.score(score(taken.lines)), score(lines), "{lines:#x}");
        left += u32::from(taken.leaving.is_some());
        if taken.boxes == 0 {
            let worth = crate::games::cells::ones(board.worth_drawing(lines).lines);
            let replies = worth.map(|line| board.take(lines | 1 << line));
            let best = replies.map(|taken| -taken.score(score(taken.lines))).max();
            assert_eq!(best, Some(score(lines)), "{lines:#x}");
            chosen +=
                (board.all() & !lines).count_ones() - board.worth_drawing(lines).lines.count_ones();
        }
    }
    assert!(board.rows + board.columns < 3 || left > 0 && chosen > 0);
}

#[test]
fn bounds_of_what_is_taken_hold() {
    for leaving in [None, Some(4), Some(8)] {
        let taken = chains::Taken {
            lines: 0,
            boxes: 3,
            leaving,
        };
        for lower in -9..9 {
            for upper in lower..9 {
                let scores = (lower..=upper).map(|rest| taken.score(rest));
                let bounds = taken.bounds(Bounds { lower, upper });
                assert_eq!(scores.clone().min(), Some(bounds.lower));
                assert_eq!(scores.max(), Some(bounds.upper));
            }
        }
    }
}

/// Returns the solver's scores of all canonical sets of lines.
fn by_own_solver(game: &Dots) -> Vec<(Lines, i32)> {
    let solving = game.capabilities().solving;
    let (solver, ranking) = (solving.own_solver().unwrap(), solving.ranking().unwrap());
    let (scores, _) = solver
        .solve(OPTIONS, &NoProgress, &mut NoCheckpoints)
        .unwrap();
    let mut all = Vec::new();
    let mut tile = Tile::default();
    for (segment, shape) in (0..).zip(ranking.segments()) {
        scores.tile(segment, 0..shape.rows, 0..shape.columns, &mut tile);
        for row in 0..shape.rows {
            for column in 0..shape.columns {
                if let Some(code) = tile.get(tile.index(row, column)) {
                    let slot = Slot {
                        segment,
                        row,
                        column,
                    };
                    let position = ranking.position(slot);
                    assert_eq!(ranking.slot(&position), Some(slot));
                    let score = shape.scores.lowest + i32::from(code) * shape.scores.step;
                    all.push((position.lines, score));
                }
            }
        }
    }
    assert_eq!(all.len() as u64, scores.count());
    all
}

#[test]
fn the_solver_finds_every_class_and_its_score() {
    for (rows, columns) in [
        (1, 1),
        (1, 2),
        (2, 1),
        (1, 4),
        (4, 1),
        (2, 2),
        (2, 3),
        (3, 2),
    ] {
        let game = game(rows, columns);
        let scores = by_recursion(&game);
        let mut solved = by_own_solver(&game);
        solved.sort_unstable();
        let canonical = (0..game.board.all()).filter(|&lines| game.board.canonical(lines) == lines);
        let expected: Vec<(Lines, i32)> = canonical
            .map(|lines| (lines, scores[lines as usize]))
            .collect();
        assert_eq!(solved, expected, "{game:?}");
        assert_eq!(game.board.classes(), expected.len() as u64);
    }
}

#[test]
fn classes_are_orbits() {
    for (rows, columns) in [(1, 1), (1, 3), (2, 2), (3, 2)] {
        let board = Board::new(rows, columns);
        let mut classes = std::collections::HashSet::new();
        for lines in 0..=board.all() {
            let canonical = board.canonical(lines);
            assert_eq!(board.canonical(canonical), canonical);
            assert_eq!(canonical.count_ones(), lines.count_ones());
            classes.insert(canonical);
        }
        assert_eq!(board.classes(), classes.len() as u64 - 1);
    }
    for (rows, columns) in (1..=7).flat_map(|rows| (1..=7).map(move |columns| (rows, columns))) {
        if let Ok(game) = Dots::new(rows, columns) {
            let mut alike = game.board.alike.iter();
            assert!(alike.all(|lines| lines.trailing_zeros() / 8 == lines.ilog2() / 8));
        }
    }
    // About 2^40 sets, of which the corners leave (3/4)^4, and the symmetries an eighth.
    assert_eq!(Board::new(4, 4).classes() / 100_000_000, 434);
}

#[test]
fn the_search_finds_the_scores_of_all_positions() {
    let mut random = Random::new(1);
    for (rows, columns) in [(1, 4), (2, 2), (2, 3)] {
        let game = game(rows, columns);
        let scores = by_recursion(&game);
        for threads in [1, 2] {
            let searcher = DotsSearcher::new(&game, &SearchSetup::new(threads, 1 << 20)).unwrap();
            for _ in 0..300 {
                let mut position = game.start();
                while game.final_score(&position).is_none() {
                    let moves = game.legal_moves(&position);
                    let mv = moves[random.index(moves.len())];
                    let score = scores[position.lines as usize] + game.banked(&position);
                    let guess = score - 2 + random.index(5) as i32;
                    let found = searcher.score(&position, guess, &NoProgress, &mut |bounds| {
                        assert!(bounds.lower <= score && score <= bounds.upper);
                    });
                    assert_eq!(found.unwrap().score(), Some(score));
                    position = game.play(&position, mv);
                }
            }
        }
    }
}

#[test]
fn positions_are_read_as_written_and_as_drawn() {
    let game = game(2, 2);
    let drawn = "┌───┬───┐\n│ 2 │   │\n├───┼╴ ╶┤\n         \n└───┴╴ ╶┘\n first";
    let position = game.parse_position(drawn).unwrap();
    assert_eq!(game.parse_position(&drawn.replace('\n', "/")), Ok(position));
    let text = "--/|2|.|/-./...../-. first";
    assert_eq!(game.format_position(&position), text);
    assert_eq!(game.parse_position(text), Ok(position));
    assert_eq!(position.boxes, [0, 1]);
    assert!(game.is_whole(&position));
    // Without owners, it is the score to come that counts.
    let bare = game.parse_position("--/|.|.|/-./...../-. first").unwrap();
    assert!(!game.is_whole(&bare));
    let board = [
        "    a   b   c",
        "  1 +---+---+   first to move",
        "    | 2 |   |   boxes 0 to 1",
        "  2 +---+   +",
        "",
        "  3 +---+   +",
    ];
    assert_eq!(game.board(&position), board.join("\n"));
    // Boxes taken after some without owners don't show.
    let after = game.play(&bare, game.parse_move("b2-c2").unwrap());
    let text = game.format_position(&after);
    assert_eq!(text, "--/|.|.|/--/...../-. first");
    assert!(game.parse_position(&text).is_ok() && game.board(&bare).contains("owners left out"));
    for (wrong, problem) in [
        ("--/|2|.|/-./..... first", "rows"),
        (
            "--/|2|.|/-/...../-. first",
            "row 3 has 1 square instead of 2",
        ),
        (
            "--/|2|.|/-./.1.../-. first",
            "the box below a2-b2 has an owner",
        ),
        ("--/|2|.|/|./...../-. first", "row 3, column 2 is \"-\" or"),
        ("--/|2-.|/-./...../-. first", "row 2, column 3 is \"|\" or"),
        (
            "--/|2|1|/-./...../-. first",
            "the box below b1-c1 has an owner",
        ),
        (
            "--/|-|.|/-./...../-. first",
            "row 2, column 2 is \"1\", \"2\" or",
        ),
        ("--/|x|.|/-./...../-. first", "not \"x\""),
        ("--/|2|.|/-./...../-. third", "\"third\""),
        ("--/|2|2|/--/...../..", "and the side to move"),
        (
            "┌───┬───┐\n│ 2 │   │\n├───┼╴ ╶┤ first",
            "the drawing has 3 rows instead of 5",
        ),
        (
            "┌───┐\n│ 2 │\n├───┤\n\n└───┘ first",
            "row 1 of the drawing has 5 columns instead of 9",
        ),
        (
            "\n┌───┬───┬───┐\n\n\n\n└───┴───┴───┘ first",
            "has 13 columns instead of 9",
        ),
        (
            "--/|2|.|/--/|.|../-. first",
            "has no owner, but others have",
        ),
    ] {
        let error = game.parse_position(wrong).unwrap_err().to_string();
        assert!(error.contains(problem), "{wrong}: {error}");
    }
    assert_eq!(game.format_move(game.all_moves()[0]), "a1-b1");
    assert!(game.parse_move("b1-a1").is_err());
}

#[test]
fn boards_have_limits() {
    assert!(Dots::new(5, 5).is_ok() && Dots::new(7, 3).is_ok());
    for (rows, columns, problem) in [
        (0, 3, "from 1 to 7"),
        (1, 8, "from 1 to 7"),
        (5, 6, "71 lines"),
    ] {
        assert!(Dots::new(rows, columns).unwrap_err().0.contains(problem));
    }
}
