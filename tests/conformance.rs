//! One test suite for all games: they must fulfil the contract of the `Game` trait.

use crate::common::{Random, all_positions, kalah, random_plays};
use rustc_hash::FxHashMap;
use zermelo::any::{FAMILIES, game_of_rules};
use zermelo::draw::{self, Marks};
use zermelo::game::{Family, Notation, Side, Slot, read_position};
use zermelo::games::connect4::{Connect4, Parameters};
use zermelo::games::dobutsu::Dobutsu;
use zermelo::games::dots::Dots;
use zermelo::games::eight::Eight;
use zermelo::games::lgame::LGame;
use zermelo::games::merels::Kind;
use zermelo::games::oware::OwareFamily;
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::games::tictactoe::{Scoring, TicTacToe};

/// Checks a game small enough to visit all positions and know the exact scores.
fn small_game_conforms<G: Notation>(game: &G) {
    let positions = all_positions(game);
    conforms(game, &positions);
    scores_conform(game, &positions);
}

/// Checks a game too large for all positions, by random games.
fn large_game_conforms<G: Notation>(game: &G, plays: usize) {
    conforms(game, &random_plays(game, plays));
}

#[test]
fn tictactoe() {
    for scoring in [Scoring::Outcome, Scoring::Shortest] {
        small_game_conforms(&TicTacToe { scoring });
    }
}

#[test]
fn eight() {
    small_game_conforms(&Eight);
}

#[test]
fn dots_and_boxes() {
    for (rows, columns) in [(1, 1), (1, 2), (2, 1)] {
        small_game_conforms(&Dots::new(rows, columns).unwrap());
    }
    for (rows, columns) in [(1, 7), (3, 3), (5, 5)] {
        large_game_conforms(&Dots::new(rows, columns).unwrap(), 10);
    }
}

#[test]
fn lgame_at_random() {
    large_game_conforms(&LGame, 1);
}

#[test]
fn morris() {
    for option in ["orthogonal", "lines", "neighbours", "any"] {
        let game = Kind::Morris.read_rules(&format!("steps={option}")).unwrap();
        conforms(&game, &all_positions(&game));
    }
}

#[test]
fn teeko_at_random() {
    for option in ["small", "all"] {
        let game = Kind::Teeko.read_rules(&format!("squares={option}"));
        large_game_conforms(&game.unwrap(), 10);
    }
}

#[test]
fn dobutsu_at_random() {
    large_game_conforms(&Dobutsu, 20);
}

#[test]
fn small_oware() {
    for rules in ["pits=1 seeds=3", "pits=2 seeds=2", "pits=3 seeds=1"] {
        let game = OwareFamily.read_rules(rules).unwrap();
        conforms(&game, &all_positions(&game));
    }
    let game = OwareFamily.read_rules("pits=6 seeds=4").unwrap();
    large_game_conforms(&game, 10);
}

#[test]
#[ignore = "exhaustive: 40 s"]
fn small_reversi() {
    for start in Start::ALL {
        let board = Board::FourByFour;
        small_game_conforms(&Reversi { board, start });
    }
}

#[test]
fn reversi_at_random() {
    for start in Start::ALL {
        let board = Board::FourByFour;
        large_game_conforms(&Reversi { board, start }, 30);
        let board = Board::Octagon;
        large_game_conforms(&Reversi { board, start }, 20);
    }
}

#[test]
#[ignore = "exhaustive: 1 s"]
fn large_reversi() {
    for start in Start::ALL {
        let board = Board::Octagon;
        large_game_conforms(&Reversi { board, start }, 100);
    }
}

#[test]
fn small_kalah() {
    for empty_capture in [false, true] {
        for (pits, seeds) in [(1, 1), (1, 5), (2, 1), (2, 2), (3, 1), (2, 3), (4, 1)] {
            small_game_conforms(&kalah(pits, seeds, empty_capture));
        }
    }
}

#[test]
fn kalah_at_random() {
    for empty_capture in [false, true] {
        large_game_conforms(&kalah(6, 4, empty_capture), 10);
        large_game_conforms(&kalah(5, 9, empty_capture), 3);
    }
}

#[test]
#[ignore = "exhaustive: 3 s"]
fn large_kalah() {
    for empty_capture in [false, true] {
        large_game_conforms(&kalah(6, 4, empty_capture), 100);
        large_game_conforms(&kalah(5, 9, empty_capture), 30);
    }
}

fn connect4(columns: usize, rows: usize, line: usize) -> Connect4 {
    let parameters = Parameters {
        columns,
        rows,
        line,
    };
    Connect4::new(parameters).unwrap()
}

#[test]
fn small_connect4() {
    for (columns, rows, line) in [(3, 3, 3), (4, 3, 4), (2, 4, 2), (1, 3, 2), (6, 1, 3)] {
        small_game_conforms(&connect4(columns, rows, line));
    }
}

const LARGE_BOARDS: [(usize, usize, usize); 5] =
    [(7, 6, 4), (8, 7, 4), (32, 1, 4), (1, 63, 2), (16, 3, 3)];

#[test]
fn connect4_at_random() {
    for (columns, rows, line) in LARGE_BOARDS {
        large_game_conforms(&connect4(columns, rows, line), 8);
    }
}

#[test]
#[ignore = "exhaustive: 1 s"]
fn large_connect4() {
    for (columns, rows, line) in LARGE_BOARDS {
        large_game_conforms(&connect4(columns, rows, line), 50);
    }
}

fn conforms<G: Notation>(game: &G, positions: &[G::Position]) {
    let moves = moves_of(game, positions);
    names_conform(game, &moves);
    for position in positions {
        moves_conform(game, &moves, position);
        notation_conforms(game, position);
        canonical_position_conforms(game, position);
        drawing_conforms(game, position);
    }
    wrong_notation_is_refused_or_read(game, positions);
    keys_conform(game, positions);
    symmetries_conform(game, positions);
    ranking_conforms(game, positions);
}

/// Returns every move that is legal in some of the positions.
fn moves_of<G: Notation>(game: &G, positions: &[G::Position]) -> Vec<G::Move> {
    let mut moves = Vec::new();
    for mv in positions
        .iter()
        .flat_map(|position| game.legal_moves(position))
    {
        if !moves.contains(&mv) {
            moves.push(mv);
        }
    }
    moves
}

fn names_conform<G: Notation>(game: &G, moves: &[G::Move]) {
    assert!(game.name().starts_with(&game.family()));
    assert!(game.rules().starts_with(&game.family()));
    let any = game_of_rules(&game.rules(), FAMILIES).unwrap();
    assert_eq!(any.rules(), game.rules());
    assert_eq!(any.name(), game.name());
    assert_eq!(any.family(), game.family());
    let start = game.start();
    assert_eq!(game.side_to_move(&start), Side::First);
    assert_eq!(game.final_score(&start), None);
    let range = game.score_range();
    assert!(range.codes() <= 256 || range.counts_plies());
    if !range.counts_plies() {
        assert!(range.step >= 1 && range.lowest <= range.highest);
        assert_eq!((range.highest - range.lowest) % range.step, 0);
    }
    for &mv in moves {
        assert_eq!(game.parse_move(&game.format_move(mv)), Ok(mv));
    }
    for wrong in ["", "?", "0 0", "-1", "99999999999999999999"] {
        let error = game.parse_move(wrong).unwrap_err();
        assert_eq!(error.input, wrong);
        assert!(game.parse_move(&error.example).is_ok(), "{error}");
        let error = game.parse_position(wrong).unwrap_err();
        assert_eq!(error.input, wrong);
        assert!(game.parse_position(&error.example).is_ok(), "{error}");
    }
}

fn moves_conform<G: Notation>(game: &G, all: &[G::Move], position: &G::Position) {
    // The list is not empty, to check that `moves` clears it.
    let mut listed = all.to_vec();
    game.moves(position, &mut listed);
    assert_eq!(listed, game.legal_moves(position));
    let finished = game.final_score(position).is_some();
    assert_eq!(listed.is_empty(), finished, "{position:?}");
    for (index, mv) in listed.iter().enumerate() {
        assert!(
            !listed[..index].contains(mv),
            "{mv:?} twice in {position:?}"
        );
    }
    for &mv in all {
        let legal = game.is_legal(position, mv);
        assert_eq!(listed.contains(&mv), legal, "{mv:?} in {position:?}");
        let child = legal.then(|| game.play(position, mv));
        assert_eq!(game.try_play(position, mv), child);
    }
}

fn notation_conforms<G: Notation>(game: &G, position: &G::Position) {
    for symmetry in 0..game.capabilities().symmetry.order() {
        let image = game.capabilities().symmetry.apply(symmetry, position);
        let text = game.format_position(&image);
        assert_eq!(game.parse_position(&text), Ok(image), "{text}");
    }
    let board = game.board(position);
    assert!(!board.ends_with('\n'), "{board}");
    // A finished board need not tell the side to move, and Eight has none.
    if game.final_score(position).is_none() && game.family() != "eight" {
        assert_eq!(read_position(game, &board), Ok(position.clone()), "{board}");
    }
}

/// Checks damaged notation.
///
/// It must be rejected, or read as a position that survives formatting and parsing.
fn wrong_notation_is_refused_or_read<G: Notation>(game: &G, positions: &[G::Position]) {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..2000 {
        let position = &positions[random.below(positions.len())];
        let mut letters: Vec<char> = game.format_position(position).chars().collect();
        let at = random.below(letters.len());
        match random.below(3) {
            0 => letters.truncate(at),
            1 => drop(letters.remove(at)),
            _ => letters[at] = ['X', 'O', '.', '0', '7', ',', '/', ':', ' ', 'ä'][random.below(10)],
        }
        let text: String = letters.into_iter().collect();
        match game.parse_position(&text) {
            Err(error) => assert_eq!(error.input, text),
            Ok(read) => {
                let written = game.format_position(&read);
                assert_eq!(game.parse_position(&written), Ok(read), "{text} {written}");
            }
        }
    }
}

/// Checks that a drawing is a self-contained SVG element and its topics have names.
fn drawing_conforms<G: Notation>(game: &G, position: &G::Position) {
    let moves = game.legal_moves(position);
    let marks = Marks {
        made: moves.first().map(|&mv| (mv, false)),
        best: moves.iter().copied().skip(1).collect(),
        last: None,
    };
    for marks in [marks, Marks::default()] {
        let drawing = draw::board(game, position, &marks);
        assert!(drawing.starts_with("<svg ") && drawing.ends_with("</svg>"));
        assert!(!drawing.contains('\n') && !drawing.contains("href"));
    }
}

fn canonical_position_conforms<G: Notation>(game: &G, position: &G::Position) {
    let canonical = game.canonical(position);
    assert_eq!(game.canonical(&canonical), canonical);
    assert_eq!(game.banked(&canonical), 0);
    assert_eq!(
        game.final_score(&canonical)
            .map(|score| score + game.banked(position)),
        game.final_score(position)
    );
    for symmetry in 0..game.capabilities().symmetry.order() {
        let image = game.capabilities().symmetry.apply(symmetry, position);
        assert_eq!(game.canonical(&image), canonical, "{position:?}");
        assert_eq!(game.banked(&image), game.banked(position));
        assert_eq!(game.final_score(&image), game.final_score(position));
    }
}

fn keys_conform<G: Notation>(game: &G, positions: &[G::Position]) {
    let bits = game.key_bits();
    assert!(bits > 0 && bits <= 128 && bits.is_multiple_of(8));
    let fits = |key: u128| bits == 128 || key >> bits == 0;
    let mut by_key: FxHashMap<u128, G::Position> = FxHashMap::default();
    for position in positions {
        let canonical = game.canonical(position);
        if game.final_score(&canonical).is_some() {
            continue;
        }
        let key = game.key(&canonical);
        assert!(fits(key), "{key:#x} of {canonical:?}");
        assert_eq!(game.position_of_key(key).as_ref(), Some(&canonical));
        let known = by_key.entry(key).or_insert_with(|| canonical.clone());
        assert_eq!(*known, canonical, "two with the key {key:#x}");
    }
    // Keys near used ones and far ones: each is refused or belongs to a canonical position.
    let near = by_key.keys().flat_map(|&key| {
        [
            key.wrapping_sub(1),
            key + 1,
            key ^ (1 << (bits - 1)),
            key << 1,
        ]
    });
    let far = (0..128).map(|bit| 1 << bit).chain([u128::MAX]);
    for key in near.chain(far) {
        if let Some(position) = game.position_of_key(key) {
            assert!(fits(key), "{key:#x} has too many bits");
            assert_eq!(game.key(&position), key, "{position:?}");
            assert_eq!(game.canonical(&position), position);
            assert_eq!(game.final_score(&position), None, "{position:?}");
        }
    }
}

fn symmetries_conform<G: Notation>(game: &G, positions: &[G::Position]) {
    let order = game.capabilities().symmetry.order();
    // The symmetries that may result from applying two in succession.
    let mut products = vec![vec![(0..order).collect::<Vec<usize>>(); order]; order];
    let mut same = vec![vec![true; order]; order];
    let image_of = |symmetry, position: &_| game.capabilities().symmetry.apply(symmetry, position);
    for position in positions {
        assert_eq!(image_of(0, position), *position);
        let images: Vec<G::Position> = (0..order).map(|s| image_of(s, position)).collect();
        for (first, image) in images.iter().enumerate() {
            for second in 0..order {
                let twice = image_of(second, image);
                products[first][second].retain(|&product| images[product] == twice);
                same[first][second] &= images[first] == images[second];
            }
            // The moves of the image lead to the images of the positions after the moves.
            let after = |position: &G::Position| -> Vec<G::Position> {
                let moves = game.legal_moves(position).into_iter();
                moves.map(|mv| game.play(position, mv)).collect()
            };
            let mut expected: Vec<G::Position> = after(position)
                .iter()
                .map(|child| image_of(first, child))
                .collect();
            for child in after(image) {
                let found = expected.iter().position(|other| *other == child);
                let found = found.unwrap_or_else(|| {
                    panic!("{child:?} after {image:?}, the image of {position:?} under {first}")
                });
                expected.swap_remove(found);
            }
            assert!(expected.is_empty(), "{position:?} under symmetry {first}");
        }
    }
    for first in 0..order {
        for second in 0..order {
            assert_eq!(same[first][second], first == second, "{first} {second}");
            let count = products[first][second].len();
            assert_eq!(count, 1, "symmetry {second} after {first} is no symmetry");
        }
        assert!(products[first].iter().any(|product| product[..] == [0]));
    }
}

fn ranking_conforms<G: Notation>(game: &G, positions: &[G::Position]) {
    let Some(ranking) = game.capabilities().solving.ranking() else {
        assert!(
            game.capabilities().solving.own_solver().is_none(),
            "a game with a solver of its own needs a ranking"
        );
        return;
    };
    let segments = ranking.segments();
    for segment in segments {
        assert!(segment.rows >= 1 && segment.columns >= 1);
        assert!((segment.scores.highest - segment.scores.lowest) / segment.scores.step <= 255);
    }
    let mut taken: FxHashMap<Slot, G::Position> = FxHashMap::default();
    for position in positions {
        let canonical = game.canonical(position);
        let slot = ranking.slot(&canonical);
        if game.final_score(&canonical).is_some() {
            assert_eq!(slot, None, "{canonical:?} is finished");
            continue;
        }
        let slot = slot.expect("an unfinished position has a slot");
        let segment = segments[slot.segment as usize];
        assert!(slot.row < segment.rows && slot.column < segment.columns);
        assert_eq!(segment.layer, game.layer(&canonical));
        assert_eq!(ranking.position(slot), canonical);
        let holder = taken.entry(slot).or_insert_with(|| canonical.clone());
        assert_eq!(*holder, canonical, "two in {slot:?}");
    }
    // Slots at the corners and at random: a slot with a position must be that position's slot.
    let mut random = Random(0xda94_2042_e4dd_58b5);
    for (index, segment) in segments.iter().enumerate() {
        let (rows, columns) = (segment.rows, segment.columns);
        let mut places = vec![
            (0, 0),
            (rows - 1, 0),
            (0, columns - 1),
            (rows - 1, columns - 1),
        ];
        places.extend((0..20).map(|_| {
            let row = random.below(rows as usize) as u32;
            (row, random.below(columns as usize) as u32)
        }));
        for (row, column) in places {
            let slot = Slot {
                segment: index as u32,
                row,
                column,
            };
            let back = ranking.slot(&ranking.position(slot));
            assert!(back.is_none() || back == Some(slot), "{slot:?} {back:?}");
        }
    }
}

/// Returns the exact score of a position by visiting all descendants.
///
/// It uses neither classes nor points already won.
fn score<G: Notation>(
    game: &G,
    position: &G::Position,
    known: &mut FxHashMap<G::Position, i32>,
) -> i32 {
    if let Some(score) = game.final_score(position) {
        return score;
    }
    if let Some(&score) = known.get(position) {
        return score;
    }
    let side = game.side_to_move(position);
    let mut best = i32::MIN;
    for mv in game.legal_moves(position) {
        let child = game.play(position, mv);
        let sign = if game.side_to_move(&child) == side {
            1
        } else {
            -1
        };
        best = best.max(sign * score(game, &child, known));
    }
    known.insert(position.clone(), best);
    best
}

fn scores_conform<G: Notation>(game: &G, positions: &[G::Position]) {
    let mut known = FxHashMap::default();
    let range = game.score_range();
    for position in positions {
        let exact = score(game, position, &mut known);
        let canonical = game.canonical(position);
        let to_come = score(game, &canonical, &mut known);
        assert_eq!(exact, game.banked(position) + to_come, "{position:?}");
        for symmetry in 1..game.capabilities().symmetry.order() {
            let image = game.capabilities().symmetry.apply(symmetry, position);
            assert_eq!(score(game, &image, &mut known), exact, "{position:?}");
        }
        if game.final_score(position).is_some() {
            continue;
        }
        let code = range.code(to_come).expect("scores are in the range");
        assert_eq!(range.score(code), to_come);
        if let Some(ranking) = game.capabilities().solving.ranking() {
            let slot = ranking.slot(&canonical).unwrap();
            let range = ranking.segments()[slot.segment as usize].scores;
            let code = range.code(to_come).expect("scores are in the range");
            assert_eq!(range.score(code), to_come);
        }
    }
}
