//! Graphs of the library's own games, and invalid graphs.

use super::*;
use crate::any::{AnyTable, Verified, VerifyBy, listed_game, open, solve_graph};
use crate::conformance;
use crate::game::{
    Endless, Game, NoProgress, Notation, ScoreRange, Side, Solution, SolveOptions, WON,
};
use crate::games::eight::Eight;
use crate::games::tictactoe::TicTacToe;
use crate::oracle::Wanted;
use crate::pool::map;
use crate::random::Random;
use crate::solve::{Method, solve as solve_any};
use crate::table::{Verdict, VerifyOptions, WriteOptions, write_table};
use crate::testing::tables::kalah;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::sync::{Arc, OnceLock};

/// Returns the graph of a game's positions; only canonical ones if sides aren't given.
fn list<G: Notation>(game: &G, with_sides: bool) -> Builder {
    let mut builder = Builder::default();
    let mut numbers: HashMap<G::Position, u32> = HashMap::new();
    let mut found = vec![game.start()];
    numbers.insert(game.start(), 0);
    let mut next = 0;
    while next < found.len() {
        let position = found[next].clone();
        next += 1;
        let side = with_sides.then(|| game.side_to_move(&position));
        let text = game.format_position(&position);
        builder
            .position(&text, side, game.final_score(&position))
            .unwrap();
        let mut moves = Vec::new();
        for mv in game.legal_moves(&position) {
            let child = game.play(&position, mv);
            let child = *numbers.entry(child.clone()).or_insert_with(|| {
                found.push(child);
                found.len() as u32 - 1
            });
            moves.push((builder.name(&game.format_move(mv)), child));
        }
        builder.moves(moves);
    }
    builder
}

/// Compares a graph's scores with the game's and with the generic solver's.
fn agrees<G: Notation>(game: &G, with_sides: bool) {
    let (graph, scores) = list(game, with_sides)
        .finish("a-game", &NoProgress)
        .unwrap();
    let options = SolveOptions {
        threads: 2,
        memory: 1 << 30,
    };
    let solved = solve_any(game, Method::Backward, options, &NoProgress).unwrap();
    let listed = Listed::new(graph);
    conformance::check(&listed, 5000).unwrap();
    let scores = scores.unwrap();
    for (node, &score) in (0u32..).zip(&scores) {
        let position = game.parse_position(listed.graph.text(node)).unwrap();
        let expected = crate::solve::score_of(game, &solved.solution, &position);
        assert_eq!(Some(score), expected, "{}", listed.graph.text(node));
    }
    let again = solve_any(&listed, Method::Backward, options, &NoProgress).unwrap();
    let Solution::Keyed(entries) = again.solution else {
        panic!("lists have keys");
    };
    assert_eq!(entries, listed.entries(&scores));
}

#[test]
fn a_list_has_the_scores_of_the_game_that_it_lists() {
    agrees(&TicTacToe::default(), true);
    agrees(&TicTacToe::default(), false);
    agrees(&Eight, true);
    // A game in which a player may move twice in a row.
    agrees(&kalah(3, 1), true);
}

#[test]
fn without_sides_positions_are_of_both_players() {
    let mut nim = Builder::default();
    for left in (0..=5).rev() {
        let text = format!("{left} left");
        nim.position(&text, None, (left == 0).then_some(-1))
            .unwrap();
        let taken = (1..=left.min(2)).map(|taken| (taken, (5 - left + taken) as u32));
        let taken: Vec<_> = taken
            .map(|(taken, child)| (nim.name(&taken.to_string()), child))
            .collect();
        nim.moves(taken);
    }
    let (graph, scores) = nim.finish("nim", &NoProgress).unwrap();
    assert_eq!(scores.unwrap(), [1, 1, -1, 1, 1, -1]);
    let nim = Listed::new(graph);
    conformance::check(&nim, 100).unwrap();
    // One move leads to 4 counters, and two or more to 2, so the first player may have either.
    for (text, side, after) in [
        ("4 left", Side::Second, "2 left"),
        ("4 left first", Side::First, "2 left second"),
        ("2 left", Side::First, "0 left"),
        ("2 left second", Side::Second, "0 left first"),
    ] {
        let position = nim.parse_position(text).unwrap();
        assert_eq!(nim.side_to_move(&position), side, "{text}");
        assert_eq!(nim.format_position(&position), text);
        let child = nim.play(&position, nim.parse_move("2").unwrap());
        assert_eq!(nim.format_position(&child), after);
    }
    assert_eq!(
        nim.side_to_move(&nim.parse_position("4 left second").unwrap()),
        Side::Second
    );
    // A position that isn't listed may still be one.
    assert!(nim.parse_position("7 left").unwrap_err().is_unlisted);
    assert!(!nim.parse_move("3").unwrap_err().is_unlisted);
}

#[test]
fn either_player_makes_the_first_move() {
    for side in [Side::First, Side::Second] {
        let mut one_move = Builder::default();
        one_move.position("start", Some(side), None).unwrap();
        let other = Some(side.other());
        one_move.position("end", other, Some(-1)).unwrap();
        let name = one_move.name("go");
        one_move.moves([(name, 1)]);
        one_move.moves([]);
        let (graph, scores) = one_move.finish("one-move", &NoProgress).unwrap();
        assert_eq!(scores.unwrap()[0], 1);
        let game = Listed::new(graph);
        assert_eq!(game.side_to_move(&game.start()), side);
        conformance::check(&game, 100).unwrap();
    }
}

#[test]
fn tables_find_their_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ttt.bin");
    let (graph, scores) = list(&TicTacToe::default(), true)
        .finish("ttt", &NoProgress)
        .unwrap();
    let game = Listed::new(graph);
    let solution = Solution::Keyed(game.entries(&scores.unwrap()));
    write_table(
        &game,
        &solution,
        &path,
        WriteOptions::default(),
        &NoProgress,
    )
    .unwrap();
    assert!(open(&path).err().unwrap().to_string().contains("beside it"));
    game.graph().write(&beside(&path)).unwrap();
    let table: Box<dyn AnyTable> = open(&path).unwrap();
    assert_eq!(table.file().entries(), 4520);
    let ask = |text| table.ask(Some(text), Wanted::default(), None).unwrap();
    assert_eq!(ask("X...O....").bounds.score(), Some(0));
    assert_eq!(ask("XX..OO...").moves.unwrap()[0], ("c1".into(), 3));
    let options = VerifyOptions::within(1, 1 << 30);
    let verified = table.verify(VerifyBy::Proof(&options), &NoProgress);
    assert!(matches!(
        verified.unwrap(),
        Verified::Compared(Verdict::Proved { entries: 4520, .. })
    ));
    // A table is not opened with another graph.
    let (other, _) = list(&TicTacToe::default(), false)
        .finish("ttt", &NoProgress)
        .unwrap();
    other.write(&beside(&path)).unwrap();
    assert!(
        open(&path)
            .err()
            .unwrap()
            .to_string()
            .contains("doesn't belong to")
    );
    assert_eq!(listed_game(Listed::new(other)).table_name(), "ttt.bin");
}

#[test]
fn a_list_made_to_fill_memory_is_not_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.game");
    let mut bytes = b"zermelo listed game 1\n".to_vec();
    bytes
        .extend(br#"{"name":"bomb","positions":1,"moves":0,"letters":67108864,"has_sides":false,"#);
    bytes.extend(br#""names":[],"levels":[1],"lowest":0,"highest":0,"step":1}"#);
    bytes.push(b'\n');
    let mut packed = flate2::write::ZlibEncoder::new(bytes, flate2::Compression::best());
    std::io::copy(&mut std::io::repeat(b'a').take(64 << 20), &mut packed).unwrap();
    fs::write(&path, packed.finish().unwrap()).unwrap();
    let error = Graph::read(&path).unwrap_err().to_string();
    assert!(error.contains("more than its size allows"), "{error}");
}

/// Writes and reads a graph with one move.
fn comes_back(position: &str, move_name: &str) {
    let mut builder = Builder::default();
    builder.position(position, None, None).unwrap();
    builder.position("end", None, Some(-1)).unwrap();
    let number = builder.name(move_name);
    builder.moves([(number, 1)]);
    builder.moves([]);
    let (graph, _) = builder.finish("long", &NoProgress).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.game");
    graph.write(&path).unwrap();
    assert_eq!(Graph::read(&path).unwrap().digest, graph.digest);
}

#[test]
fn lists_that_compress_too_well_can_be_read() {
    comes_back(&"x".repeat(2_000_000), "m");
}

#[test]
#[ignore = "exhaustive: 65 MB as JSON"]
fn names_of_any_length_can_be_read() {
    comes_back("x", &"m".repeat(65 << 20));
}

#[test]
fn no_two_tables_share_a_list() {
    let lists = ["v1.3", "v1.4", "v1.bin", "v1"].map(|table| beside(table.as_ref()));
    assert_eq!(lists[0].to_str(), Some("v1.3.game"));
    let distinct: std::collections::HashSet<_> = lists.iter().collect();
    assert_eq!(distinct.len(), lists.len());
}

/// A pipe would block, and a device or a file with a hole fill the memory.
#[cfg(target_os = "linux")]
#[test]
fn a_list_that_is_no_regular_file_or_has_a_hole_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.game");
    let refused = |words: &str| {
        let error = Graph::read(&path).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        fs::remove_file(&path).unwrap();
    };
    nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    refused("expected a regular file");
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    refused("expected a regular file");
    let header = br#"{"name":"a","positions":4000000000,"moves":0,"letters":0,"has_sides":false,
        "names":[],"levels":[1],"lowest":0,"highest":0,"step":1}"#;
    let header = String::from_utf8_lossy(header).replace('\n', "");
    for (text, words) in [
        ("zermelo listed game 1\n", "ends too soon"),
        (
            &*format!("zermelo listed game 1\n{header}\n"),
            "ends too soon",
        ),
        ("", "it doesn't begin like one"),
    ] {
        fs::write(&path, text).unwrap();
        let file = fs::File::options().append(true).open(&path).unwrap();
        // More than fits into memory.
        file.set_len(1 << 42).unwrap();
        refused(words);
    }
}

#[test]
fn a_damaged_list_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("eight.game");
    let (graph, _) = list(&Eight, true).finish("eight", &NoProgress).unwrap();
    graph.write(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let longer = [&bytes[..], b"more"].concat();
    fs::write(&path, longer).unwrap();
    let error = Graph::read(&path).unwrap_err().to_string();
    assert!(error.contains("more behind its end"), "{error}");
    fs::write(&path, &bytes).unwrap();
    let read = Graph::read(&path).unwrap();
    assert_eq!(read.digest, graph.digest);
    assert_eq!(
        (read.digest.clone(), read.positions()),
        (graph.digest, graph.finals.len())
    );
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        // Without the end of the stream, the rest may be a valid graph, but a different one.
        if let Ok(other) = Graph::read(&path) {
            assert_ne!(other.digest, read.digest, "{length} bytes");
        }
    }
    for place in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        fs::write(&path, &flipped).unwrap();
        if let Ok(other) = Graph::read(&path)
            && other.digest == read.digest
        {
            // Only the unused bits of the compressed data's last byte may change.
            assert_eq!(place + 5, bytes.len(), "byte {place}");
            assert_eq!(other.children, read.children);
        }
    }
}

#[test]
fn lists_that_are_no_games_are_refused() {
    let refused = |build: &dyn Fn(&mut Builder) -> Result<(), BuildError>| {
        let mut builder = Builder::default();
        let built = build(&mut builder).and_then(|()| builder.finish("game", &NoProgress));
        built.unwrap_err().to_string()
    };
    let circle = refused(&|list: &mut Builder| {
        let (to, back) = (list.name("to"), list.name("back"));
        for text in ["a", "b", "c"] {
            list.position(text, Some(Side::First), (text == "c").then_some(1))?;
        }
        list.moves([(to, 1)]);
        list.moves([(back, 0), (to, 2)]);
        list.moves([]);
        Ok(())
    });
    assert!(
        circle.ends_with("a -> (to) -> b -> (back) -> a"),
        "{circle}"
    );
    // A long cycle that contains shorter ones; and long texts.
    let long = refused(&|list: &mut Builder| {
        let (on, back) = (list.name("on"), list.name("back"));
        let letters = "x".repeat(3000);
        for place in 0..2000 {
            list.position(&format!("{place}{letters}"), None, None)?;
            let behind = (place >= 40).then(|| (back, place - 40));
            list.moves([(on, (place + 1) % 2000)].into_iter().chain(behind));
        }
        Ok(())
    });
    assert!(long.contains("\u{2026} (34 more) \u{2026}"), "{long}");
    assert!(long.contains("\u{2026} -> (back) -> "), "{long}");
    assert!(long.len() < 1000, "{long}");
    let two = |one: &'static str, other: &'static str, score, moves: usize| {
        move |list: &mut Builder| {
            let name = list.name("m");
            list.position(one, None, None)?;
            list.position(other, None, score)?;
            list.moves(vec![(name, 1); moves]);
            list.moves([]);
            Ok(())
        }
    };
    for (problem, error) in [
        (
            "have the same text \"a\"",
            refused(&two("a", "a", Some(1), 1)),
        ),
        (
            "can't be written \"a\\n\"",
            refused(&two("a\n", "b", Some(1), 1)),
        ),
        (
            "at the end names the player to move",
            refused(&two("a second", "b", Some(1), 1)),
        ),
        ("can't be written \"\"", refused(&two("a", "", Some(1), 1))),
        (
            "b is not finished, but has no moves",
            refused(&two("a", "b", None, 1)),
        ),
        (
            "a is not finished, but has no moves",
            refused(&two("a", "b", Some(1), 0)),
        ),
        ("c is listed in the wrong place", {
            let step = |list: &mut Builder, to: &[u32]| {
                let names: Vec<u32> = to.iter().map(|to| list.name(&format!("to {to}"))).collect();
                list.moves(names.into_iter().zip(to.iter().copied()));
            };
            refused(&|list: &mut Builder| {
                for text in ["a", "b", "c", "d"] {
                    list.position(text, None, (text == "d").then_some(1))?;
                }
                // The distance from the start doesn't match the order.
                step(list, &[1, 3]);
                step(list, &[2]);
                step(list, &[3]);
                step(list, &[]);
                Ok(())
            })
        }),
        ("c is listed in the wrong place, or nothing leads to it", {
            refused(&|list: &mut Builder| {
                let name = list.name("m");
                list.position("a", None, None)?;
                list.moves([(name, 1)]);
                for text in ["b", "c"] {
                    list.position(text, None, Some(1))?;
                    list.moves([]);
                }
                Ok(())
            })
        }),
        (
            "two moves are called m in a",
            refused(&two("a", "b", Some(1), 2)),
        ),
        (
            "b has the score 500000001, but scores are from -500000000 to 500000000",
            refused(&two("a", "b", Some(500_000_001), 1)),
        ),
    ] {
        assert!(error.contains(problem), "{error}");
    }
    let mut builder = Builder::default();
    two("a", "b", Some(1), 1)(&mut builder).unwrap();
    let wrong = builder.finish("Two Words", &NoProgress).unwrap_err();
    assert!(wrong.to_string().contains("is no name for a game"));
}

#[test]
fn scores_that_nobody_has_to_choose_may_be_as_many_as_they_like() {
    let mut list = Builder::default();
    let (win, resign) = (list.name("win"), list.name("resign"));
    list.position("start", None, None).unwrap();
    list.moves([(win, 1), (resign, 2)]);
    for (text, score) in [("won", -1), ("resigned", 1000)] {
        list.position(text, None, Some(score)).unwrap();
        list.moves([]);
    }
    let (_, scores) = list.finish("resigning", &NoProgress).unwrap();
    assert_eq!(scores.unwrap(), [1, -1, 1000]);
}

/// Checks the table of a game: what opens it says, its proof, and each score.
///
/// Returns the range of scores.
fn stored_scores_are(builder: Builder, expected: &[(&str, i32)]) -> ScoreRange {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.bin");
    let (options, write) = (SolveOptions::default(), WriteOptions::default());
    solve_graph(builder, "t", Some(&path), options, write, &NoProgress).unwrap();
    let table: Box<dyn AnyTable> = open(&path).unwrap();
    for &(position, score) in expected {
        let answer = table.ask(Some(position), Wanted::default(), None).unwrap();
        assert_eq!(answer.bounds.score(), Some(score), "{position}");
    }
    let proof = table.verify(
        VerifyBy::Proof(&VerifyOptions::within(1, 1 << 30)),
        &NoProgress,
    );
    let entries = table.file().entries();
    let is_proved = matches!(
        proof.unwrap(),
        Verified::Compared(Verdict::Proved { entries: found, .. }) if found == entries
    );
    assert!(is_proved);
    table.file().verify_checksums(&NoProgress).unwrap();
    let counted: u64 = table
        .file()
        .histogram()
        .iter()
        .map(|&(_, count)| count)
        .sum();
    assert_eq!(counted, entries);
    Graph::read(&beside(&path)).unwrap().scores
}

/// Returns a game in which the first player chooses one of these scores.
fn choices(scores: &[i32]) -> Builder {
    let (mut list, most) = (Builder::default(), scores.len() as u32);
    let end = list.name("end");
    list.position("start", None, None).unwrap();
    let choices = (1..=most).map(|child| (list.name(&format!("choose {child}")), child));
    let choices: Vec<_> = choices.collect();
    list.moves(choices);
    for place in 1..=most {
        list.position(&format!("at {place}"), None, None).unwrap();
        list.moves([(end, most + place)]);
    }
    for (place, score) in (1..).zip(scores) {
        let text = format!("end of {place}");
        list.position(&text, None, Some(-score)).unwrap();
        list.moves([]);
    }
    list
}

#[test]
fn any_number_of_scores_is_stored() {
    different_scores_are_stored(&[(254, 1), (255, 2), (300, 2)]);
    let large = [1, 40_000, -500_000_000, 500_000_000];
    let asked = [
        ("start", 500_000_000),
        ("at 2", 40_000),
        ("at 3", -500_000_000),
    ];
    assert_eq!(stored_scores_are(choices(&large), &asked).code_bytes(), 4);
}

#[test]
#[ignore = "exhaustive: 90 s"]
fn scores_of_three_bytes_are_stored() {
    different_scores_are_stored(&[(65_534, 2), (65_535, 3)]);
}

/// Checks tables with scores from 1 to a number, whose codes take a number of bytes.
fn different_scores_are_stored(cases: &[(i32, usize)]) {
    for &(most, bytes) in cases {
        let scores: Vec<i32> = (1..=most).collect();
        let asked = [
            ("start", -1),
            ("at 1", 1),
            ("at 2", 2),
            (&*format!("at {most}"), most),
        ];
        let range = stored_scores_are(choices(&scores), &asked);
        assert_eq!(
            (range.codes(), range.code_bytes()),
            (most as usize + 2, bytes)
        );
    }
}

/// Returns a corridor of squares, at whose end the second player has lost by `points`.
fn corridor(endless: Endless, squares: u32, points: i32) -> Builder {
    let mut list = Builder::of(endless, true);
    let on = list.name("on");
    for place in 0..=squares {
        let side = Side::after(place);
        let score = (place == squares).then_some(side.seen(points));
        list.position(&place.to_string(), Some(side), score)
            .unwrap();
        list.moves((place < squares).then_some((on, place + 1)));
    }
    list
}

#[test]
fn long_distances_are_stored() {
    for endless in [Endless::Impossible, Endless::Draw] {
        for (squares, points, expected) in [
            (126, 1, ScoreRange::PLIES),
            (253, 1, ScoreRange::ALTERNATE_PLIES),
            (128, 1, ScoreRange::long(1)),
            (255, 1, ScoreRange::long(1)),
            (998, 1, ScoreRange::long(1)),
            (3, 2, ScoreRange::long(2)),
            (998, 500_000, ScoreRange::long(500_000)),
        ] {
            let start = WON * points - squares as i32;
            let asked = [("0", start), ("1", -start - 1)];
            let found = stored_scores_are(corridor(endless, squares, points), &asked);
            assert_eq!(found, expected, "{squares} squares");
        }
    }
    let error = corridor(Endless::Impossible, 999, 1).finish("chain", &NoProgress);
    assert_eq!(
        error.unwrap_err().to_string(),
        "0 is 999 plies from the end, but a table holds a draw, or a win or loss in 1 to 998 plies"
    );
}

/// Scores by points and distance, compared with repeated looks one move ahead.
#[test]
fn more_points_are_better_than_fewer_plies() {
    let mut random = Random::new(3);
    for round in 0..40 {
        let endless = [Endless::Impossible, Endless::Draw][round % 2];
        let count = 12 + random.index(40);
        let is_over = |place: usize| place > count / 2;
        let sides: Vec<usize> = (0..count)
            .map(|place| if place == 0 { 0 } else { random.index(2) })
            .collect();
        let finals: Vec<i32> = (0..count).map(|_| random.index(7) as i32 - 3).collect();
        let mut children = Vec::new();
        for place in 0..count {
            let mut to: Vec<usize> = (0..3).map(|_| random.index(count)).collect();
            // Without cycles, moves lead to later places.
            to.iter_mut().for_each(|to| {
                if endless == Endless::Impossible && *to <= place {
                    *to = (place + 1 + *to % 3).min(count - 1);
                }
            });
            to.sort_unstable();
            to.dedup();
            children.push(if is_over(place) { Vec::new() } else { to });
        }
        // Number the places in the order of their distance from the start.
        let mut found = vec![0];
        let mut at = 0;
        while let Some(&place) = found.get(at) {
            let new = children[place].iter().filter(|to| !found.contains(to));
            let new: Vec<usize> = new.copied().collect();
            found.extend(new);
            at += 1;
        }
        let mut list = Builder::of(endless, true);
        for &place in &found {
            let side = [Side::First, Side::Second][sides[place]];
            let score = is_over(place).then_some(finals[place]);
            list.position(&place.to_string(), Some(side), score)
                .unwrap();
            let number = |to: &usize| found.iter().position(|place| place == to).unwrap() as u32;
            let moves = children[place]
                .iter()
                .map(|to| (list.name(&to.to_string()), number(to)));
            let moves: Vec<_> = moves.collect();
            list.moves(moves);
        }
        let mut scores: Vec<i32> = (0..count)
            .map(|place| {
                if is_over(place) {
                    finals[place] * WON
                } else {
                    0
                }
            })
            .collect();
        for _ in 0..4 * count {
            let before = scores.clone();
            for place in (0..count).filter(|&place| !is_over(place)) {
                let after = children[place].iter().map(|&to| {
                    let turns = sides[place] != sides[to];
                    let score = if turns { -before[to] } else { before[to] };
                    score - score.signum()
                });
                scores[place] = after.max().unwrap();
            }
        }
        let names: Vec<String> = (0..count).map(|place| place.to_string()).collect();
        let open = found.iter().filter(|&&place| !is_over(place));
        let expected: Vec<_> = open.map(|&place| (&*names[place], scores[place])).collect();
        stored_scores_are(list, &expected);
    }
}

#[test]
fn decimals_of_points_are_those_of_the_most_exact_score() {
    let mut list = Builder::default();
    let (left, right) = (list.name("left"), list.name("right"));
    list.position("start", None, None).unwrap();
    list.moves([(left, 1), (right, 2)]);
    list.position("left", None, Some(-1)).unwrap();
    list.add_decimals(1).unwrap();
    list.position("right", None, Some(-15)).unwrap();
    list.moves([]);
    list.moves([]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.bin");
    let (options, write) = (SolveOptions::default(), WriteOptions::default());
    solve_graph(list, "t", Some(&path), options, write, &NoProgress).unwrap();
    let table: Box<dyn AnyTable> = open(&path).unwrap();
    let answer = table.ask(None, Wanted::default(), None).unwrap();
    let words = answer.in_words(answer.bounds.lower);
    assert_eq!(
        (words.score, &*words.short(), &*words.effect()),
        (15, "+1.5", "wins by 1.5")
    );
    assert_eq!(table.decimals(), Some(1));
    let mut list = Builder::default();
    list.position("start", None, None).unwrap();
    list.position("end", None, Some(6)).unwrap();
    let many = list.add_decimals(9).unwrap_err().to_string();
    assert!(many.contains("more than 8 decimals"), "{many}");
    let mut list = Builder::default();
    list.position("end", None, Some(6)).unwrap();
    let large = list.add_decimals(8).unwrap_err().to_string();
    assert!(large.contains("too large"), "{large}");
}

#[test]
fn first_lookups_of_texts_by_many_threads_end() {
    let (graph, _) = list(&TicTacToe::default(), false)
        .finish("a-game", &NoProgress)
        .unwrap();
    let mut graph = Arc::new(graph);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(16);
    let pool = pool.build().unwrap();
    for _ in 0..300 {
        Arc::get_mut(&mut graph).unwrap().by_text = OnceLock::new();
        let found = pool.install(|| map(48, |_| graph.find(graph.text(0))));
        assert!(found.iter().all(|&node| node == Some(0)));
    }
}
