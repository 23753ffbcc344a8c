use super::*;
use crate::check::builtin::Builtin;
use crate::check::{CheckOptions, Coverage, InProcess, ListedPosition, Report, check};
use crate::game::{Endless, Family, Misreading, NoProgress, Outcome, SearchSetup, Side};
use crate::games::connect4::{Connect4, Parameters};
use crate::games::dobutsu::Dobutsu;
use crate::games::dots::Dots;
use crate::games::kalah::Kalah;
use crate::games::merels::Kind;
use crate::games::oware::OwareFamily;
use crate::games::reversi::{Board, Reversi, Start};
use crate::games::tictactoe::{Scoring, TicTacToe};
use crate::oracle::{BySearch, OracleError};
use crate::random::Random;
use crate::search::{Algorithm, Search};
use crate::table::Table;
use crate::testing::tables::{kalah, table_of};
use std::collections::HashMap;
use std::sync::Mutex;

type Choose<'a, G> = &'a (dyn Fn(&G, &<G as Game>::Position) -> <G as Game>::Move + Sync);

fn report<G: Notation>(oracle: &dyn Oracle<G>, ai: Choose<'_, G>) -> Report {
    let options = CheckOptions::default();
    check(oracle, &InProcess(|| ai), &options, &NoProgress).unwrap()
}

/// Returns the sentence that names an AI's error.
fn named<G: Notation>(table: &Table<G>, ai: Choose<'_, G>) -> Option<String> {
    let found = report(table, ai).diagnosis;
    found.explanation.map(|explanation| explanation.sentence)
}

fn small_connect4() -> Connect4 {
    Connect4::new(Parameters {
        columns: 4,
        rows: 4,
        line: 3,
    })
    .unwrap()
}

/// A depth without a limit.
const ALL: u32 = u32::MAX;

/// Plays by misread rules, by plain recursion to a depth.
struct Misreader<'a, G: Game> {
    game: &'a G,
    rules: &'a dyn Misreading<G>,
    depth: u32,
    known: Mutex<HashMap<(G::Position, u32), i32>>,
}

impl<G: Notation> Misreader<'_, G> {
    fn score(
        &self,
        position: &G::Position,
        depth: u32,
        known: &mut HashMap<(G::Position, u32), i32>,
    ) -> i32 {
        let (game, key) = (self.game, (position.clone(), depth));
        let score = self.rules.final_score(game, position);
        if let Some(score) = score.or(known.get(&key).copied()) {
            return score;
        } else if depth == 0 {
            return game.capabilities().checking.material(game, position);
        }
        let moves = self.rules.moves(game, position).into_iter();
        let best = moves
            .map(|mv| self.score_of(position, mv, depth, known))
            .max();
        known.insert(key, best.unwrap());
        best.unwrap()
    }

    fn score_of(
        &self,
        position: &G::Position,
        mv: G::Move,
        depth: u32,
        known: &mut HashMap<(G::Position, u32), i32>,
    ) -> i32 {
        let child = self.rules.play(self.game, position, mv);
        let next = if depth == ALL { ALL } else { depth - 1 };
        let (side, score) = (
            self.game.side_to_move(position),
            self.score(&child, next, known),
        );
        self.game.score_of_move(side, &child, score)
    }

    /// Returns the first or the last of the best moves among those that are legal.
    fn choose(&self, position: &G::Position, takes_last: bool) -> G::Move {
        let own = self.rules.moves(self.game, position);
        let mut moves = self.game.legal_moves(position);
        if moves.iter().any(|mv| own.contains(mv)) {
            moves.retain(|mv| own.contains(mv));
        }
        if !takes_last {
            moves.reverse();
        }
        let known = &mut *self.known.lock().unwrap();
        let worth = |mv: &G::Move| self.score_of(position, *mv, self.depth, known);
        moves.into_iter().max_by_key(worth).unwrap()
    }
}

/// Checks that each misreading is named by its sentence, or not at all, if it leads to mistakes.
///
/// Returns the number of players that are named, and of others that made mistakes.
fn misreadings_are_named<G: Notation>(game: &G) -> [usize; 2] {
    let table = table_of(game);
    let mut counts = [0; 2];
    for rules in game.capabilities().checking.misreadings() {
        let depth = match game.endless() {
            // Nothing takes longer.
            Endless::Draw => 24,
            // Seeds that are sown clockwise can go round for ever.
            Endless::Impossible if rules.sentence().contains("clockwise") => 3,
            Endless::Impossible => ALL,
        };
        for takes_last in [false, true] {
            let player = Misreader {
                game,
                rules: &*rules,
                depth,
                known: Mutex::new(HashMap::new()),
            };
            let found = report(&table, &|_, position| player.choose(position, takes_last));
            let sentence = found.diagnosis.explanation.as_ref();
            let sentence = sentence.map(|of| of.sentence.clone());
            let is_right = |found: &String| found.ends_with(&format!("as if {}", rules.sentence()));
            if found.mistakes.total > 0 {
                counts[usize::from(sentence.is_none())] += 1;
                let name = game.name();
                let expected = rules.sentence();
                println!(
                    "{name}, {expected}, {takes_last}: {sentence:?}; {:?}",
                    found.mistakes_in_words()
                );
                assert!(
                    sentence.as_ref().is_none_or(is_right),
                    "{name}, {expected}: {sentence:?}"
                );
            }
        }
    }
    println!("{}: {counts:?}", game.name());
    counts
}

#[test]
fn misread_rules_are_named() {
    let outcome = TicTacToe {
        scoring: Scoring::Outcome,
    };
    assert_eq!(misreadings_are_named(&outcome), [10, 0]);
    assert_eq!(misreadings_are_named(&kalah(3, 2)), [28, 0]);
    assert_eq!(misreadings_are_named(&Dots::new(2, 1).unwrap()), [2, 0]);
}

#[test]
fn misread_rules_are_named_where_positions_can_repeat() {
    let morris = Kind::Morris.read_rules("steps=orthogonal").unwrap();
    let oware = OwareFamily.read_rules("pits=3 seeds=1").unwrap();
    assert_eq!(misreadings_are_named(&morris), [8, 0]);
    assert_eq!(misreadings_are_named(&oware), [10, 0]);
}

#[test]
#[ignore = "exhaustive: a minute"]
fn misread_rules_are_named_where_many_positions_can_repeat() {
    for (steps, named) in [("lines", 10), ("neighbours", 8), ("any", 8)] {
        let morris = Kind::Morris.read_rules(&format!("steps={steps}"));
        assert_eq!(misreadings_are_named(&morris.unwrap()), [named, 0]);
    }
    for rules in ["pits=2 seeds=3", "pits=4 seeds=1", "pits=3 seeds=2"] {
        let oware = OwareFamily.read_rules(rules).unwrap();
        // With few seeds some rules seldom matter.
        let [named, silent] = misreadings_are_named(&oware);
        assert!(named >= 6 && named + silent == 10, "{rules}: {named}");
    }
}

/// The scores of a short search, in place of those of a large game.
struct Shallow<G>(G, u32);

impl<G: Notation> Oracle<G> for Shallow<G> {
    fn game(&self) -> &G {
        &self.0
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        let score = self.0.final_score(position);
        score.map_or_else(|| Ok(self.move_scores(position)?[0].1), Ok)
    }

    fn move_scores(&self, position: &G::Position) -> Result<MoveScores<G>, OracleError> {
        let mut search = Search::new(&self.0).to_depth(self.1, G::evaluate);
        Ok(search.play_scores(Algorithm::AlphaBeta, position).unwrap())
    }
}

type MoveScores<G> = Vec<(<G as Game>::Move, i32)>;

/// Checks that no other rule is named for players with a short view, by mistakes in random games.
fn short_misreadings_are_named<G: Notation>(game: &G) {
    let oracle = Shallow(game.clone(), 2);
    for rules in game.capabilities().checking.misreadings() {
        let player = Misreader {
            game,
            rules: &*rules,
            depth: 2,
            known: Mutex::new(HashMap::new()),
        };
        let (mut random, mut answers) = (Random::new(1), Vec::new());
        let mut mistakes = 0usize;
        let mut position = game.start();
        while mistakes < 20 {
            let moves = game.legal_moves(&position);
            if moves.is_empty() || random.index(100) == 0 {
                position = game.start();
                continue;
            }
            let mv = player.choose(&position, random.index(2) == 0);
            let scores = oracle.move_scores(&position).unwrap();
            let of_move = scores.iter().find(|of| of.0 == mv);
            let is_mistake = of_move.unwrap().1 < scores[0].1;
            mistakes += usize::from(is_mistake);
            // Other answers show something where one move is better than another.
            let is_choice = scores[0].1 != scores[scores.len() - 1].1;
            if is_mistake || is_choice && answers.len() < 5 * mistakes {
                answers.push(Answer {
                    position: position.clone(),
                    mv,
                    is_mistake,
                });
            }
            position = game.play(&position, moves[random.index(moves.len())]);
        }
        let found = diagnose(&oracle, &answers, &CheckOptions::default(), &NoProgress).unwrap();
        let sentence = found.explanation.map(|found| found.sentence);
        println!("{}, {}: {sentence:?}", game.name(), rules.sentence());
        // A simpler error, or several, can explain so few mistakes, but no other rule alone.
        let is_right = |found: &str| found.ends_with(&rules.sentence());
        let is_one = |found: &str| !found.contains("as if") || is_right(found);
        assert!(sentence.is_none_or(|found| is_one(&found)));
    }
}

#[test]
#[ignore = "takes minutes"]
fn huge_misread_rules_of_games_without_a_table_are_named() {
    short_misreadings_are_named(&Dobutsu);
    let teeko = Kind::Teeko.read_rules("squares=small").unwrap();
    short_misreadings_are_named(&teeko);
}

#[test]
#[ignore = "exhaustive: half a minute"]
fn misread_rules_of_connect_four_are_named() {
    assert_eq!(misreadings_are_named(&small_connect4()), [16, 0]);
}

#[test]
#[ignore = "takes minutes"]
fn huge_misread_rules_of_larger_games_are_named() {
    misreadings_are_named(&kalah(4, 2));
    misreadings_are_named(&Reversi {
        board: Board::FourByFour,
        start: Start::Cross,
    });
}

/// Checks that players with other aims are named.
fn aims_are_named<G: Notation>(game: &G) {
    let table = table_of(game);
    let scores = |position: &G::Position| Oracle::move_scores(&table, position).unwrap();
    let expect = |words: &str, ai: Choose<'_, G>| {
        let found = named(&table, ai);
        let is_right = found.as_ref().is_some_and(|found| found.contains(words));
        println!("{}, {words}: {found:?}", game.name());
        assert!(is_right, "{}, {words}: {found:?}", game.name());
    };
    expect("always plays a worst move", &|_, position| {
        scores(position).last().unwrap().0
    });
    for side in [Side::First, Side::Second] {
        expect(&format!("and worst as {side}"), &|game, position| {
            let scores = scores(position);
            match game.side_to_move(position) == side {
                true => scores.last().unwrap().0,
                false => scores[0].0,
            }
        });
    }
    expect("whatever the margin", &|_, position| {
        let scores = scores(position);
        let is_best = |score| Outcome::of(score) == Outcome::of(scores[0].1);
        scores.iter().rev().find(|of| is_best(of.1)).unwrap().0
    });
    expect("always plays the first legal", &|game, position| {
        game.legal_moves(position)[0]
    });
    expect("always plays the last legal", &|game, position| {
        *game.legal_moves(position).last().unwrap()
    });
    for depth in 1..=4 {
        let words = match depth {
            1 => "(greedy)".to_owned(),
            depth => format!("like a search {depth} moves deep"),
        };
        expect(&words, &|game, position| {
            let mut search = Search::new(game).to_depth(depth, G::evaluate);
            search.play_scores(Algorithm::AlphaBeta, position).unwrap()[0].0
        });
    }
}

/// Returns the points after the best continuation of a turn, seen from the side that has it.
fn points_of_turn(game: &Kalah, position: &<Kalah as Game>::Position, side: Side) -> i32 {
    if let Some(score) = game.final_score(position) {
        return if game.side_to_move(position) == side {
            score
        } else {
            -score
        };
    }
    let banked = game.banked(position);
    if game.side_to_move(position) != side {
        return -banked;
    }
    let moves = game.legal_moves(position).into_iter();
    let after = moves.map(|mv| points_of_turn(game, &game.play(position, mv), side));
    after.max().unwrap()
}

#[test]
fn players_that_look_to_the_end_of_their_turn_are_named() {
    let table = table_of(&kalah(3, 2));
    let found = named(&table, &|game, position| {
        let side = game.side_to_move(position);
        let value = |&mv: &_| points_of_turn(game, &game.play(position, mv), side);
        game.legal_moves(position)
            .into_iter()
            .max_by_key(value)
            .unwrap()
    });
    let found = found.unwrap_or_default();
    assert!(found.contains("extra moves included"), "{found}");
}

#[test]
fn searches_that_see_only_wins_and_losses_are_named() {
    let table = table_of(&small_connect4());
    for (depth, prefers_quick_wins) in [(2, true), (3, true), (3, false)] {
        let found = named(&table, &|game, position| {
            let mut search = Search::new(game).to_depth(depth, |_, _| 0);
            let scores = search.play_scores(Algorithm::AlphaBeta, position);
            let scores = scores.unwrap().into_iter();
            let value = |score| match prefers_quick_wins {
                true => score,
                false => Outcome::of(score) as i32,
            };
            scores.max_by_key(|of| value(of.1)).unwrap().0
        });
        let end = match prefers_quick_wins {
            true => "and no further",
            false => "no further, and prefers no quick win",
        };
        let sentence = format!("sees wins and losses {depth} moves ahead, {end}");
        assert_eq!(found.as_deref(), Some(&sentence[..]));
    }
}

#[test]
fn other_aims_and_short_views_are_named() {
    aims_are_named(&kalah(4, 2));
}

#[test]
fn moves_that_are_not_turned_back_are_named() {
    let parameters = Parameters {
        columns: 4,
        rows: 3,
        line: 3,
    };
    let table = table_of(&Connect4::new(parameters).unwrap());
    let found = named(&table, &|game, position| {
        let scores = table.move_scores(&game.canonical(position)).unwrap();
        let legal = game.legal_moves(position);
        let meant = scores.iter().map(|of| of.0).find(|mv| legal.contains(mv));
        meant.unwrap_or(legal[0])
    });
    let found = found.unwrap();
    assert!(found.contains("doesn't turn its move back"), "{found}");
}

/// Checks that errors are named at a game that is too large for a table.
///
/// The players look `depth` moves ahead, with the right rules and with those misread rules whose
/// sentence contains one of `words`. Mistakes only show a misread rule where it matters.
fn short_views_are_named_by_search<G: Notation>(game: &G, depth: u32, words: &[&str]) {
    let oracle = BySearch::new(game, &SearchSetup::new(2, 256 << 20), &NoProgress).unwrap();
    let options = CheckOptions {
        coverage: Coverage::Playouts {
            count: 60,
            seed: 1,
            kind: None,
        },
        ..CheckOptions::default()
    };
    let named = |ai: Choose<'_, G>| {
        let found = check(&oracle, &InProcess(|| ai), &options, &NoProgress).unwrap();
        assert!(found.mistakes.total > 0);
        let name = found.diagnosis.explanation.map(|of| of.sentence);
        println!("{}: {name:?}", game.name());
        name.unwrap_or_default()
    };
    let right = named(&|game, position| {
        let mut search = Search::new(game).to_depth(depth, G::evaluate);
        search.play_scores(Algorithm::AlphaBeta, position).unwrap()[0].0
    });
    assert_eq!(right, format!("plays like a search {depth} moves deep"));
    for rules in game.capabilities().checking.misreadings() {
        let sentence = rules.sentence();
        if words.iter().any(|words| sentence.contains(words)) {
            let player = Misreader {
                game,
                rules: &*rules,
                depth,
                known: Mutex::new(HashMap::new()),
            };
            let found = named(&|_, position| player.choose(position, false));
            assert!(found.contains(&sentence), "{sentence}: {found}");
        }
    }
    let random: Builtin = "random".parse().unwrap();
    let name = named(&|game, position| random.choose(&oracle, game, position));
    assert_eq!(name, "");
}

#[test]
#[ignore = "takes minutes"]
fn huge_errors_are_named_by_search() {
    short_views_are_named_by_search(&kalah(6, 2), 3, &["captured", "turn"]);
}

/// Returns options to ask about all positions of the first moves.
fn opening<G: Notation>(game: &G, moves: usize) -> CheckOptions {
    let (mut positions, mut last) = (Vec::new(), vec![game.start()]);
    for _ in 0..moves {
        let next = last.iter().flat_map(|position| {
            let moves = game.legal_moves(position).into_iter();
            moves.map(|mv| game.play(position, mv))
        });
        let next: Vec<_> = next.filter(|of| game.final_score(of).is_none()).collect();
        positions.append(&mut last);
        last = next;
    }
    let listed = positions.iter().zip(1..).map(|(of, line)| ListedPosition {
        line,
        text: game.format_position(of),
    });
    CheckOptions {
        coverage: Coverage::Listed(listed.collect()),
        ..CheckOptions::default()
    }
}

#[test]
fn random_moves_are_not_named_where_short_searches_allow_all() {
    let table = table_of(&small_connect4());
    for seed in 1..=20 {
        let random: Builtin = format!("random:{seed}").parse().unwrap();
        let ai = |game: &Connect4, position: &_| random.choose(&table, game, position);
        let options = opening(table.game(), 4);
        let found = check(&table, &InProcess(|| ai), &options, &NoProgress).unwrap();
        assert!(found.mistakes.total > 0);
        assert_eq!(found.diagnosis.explanation, None, "{seed}");
    }
}

#[test]
fn legal_moves_that_are_miswritten_are_named() {
    // In the opening no column is full, so that all answers are legal.
    let parameters = Parameters {
        columns: 5,
        rows: 4,
        line: 3,
    };
    let table = table_of(&Connect4::new(parameters).unwrap());
    let options = opening(table.game(), 4);
    let ai = |game: &Connect4, position: &_| {
        let best = table.move_scores(position).unwrap()[0].0;
        let number: u32 = game.format_move(best).parse().unwrap();
        game.parse_move(&(6 - number).to_string()).unwrap()
    };
    let found = check(&table, &InProcess(|| ai), &options, &NoProgress).unwrap();
    let sentence = found.diagnosis.explanation.map(|of| of.sentence);
    let words = "plays well, but counts from the other end";
    assert_eq!(sentence.as_deref(), Some(words));
}

/// Checks that no error is named for players without one.
fn players_without_a_pattern_are_not_named<G: Notation>(game: &G, seeds: u64) {
    let table = table_of(game);
    for seed in 1..=seeds {
        for kind in ["random", "perfect", "error:0.2", "softmax:0.5", "level:4"] {
            let name = format!("{kind}:{seed}");
            let ai: Builtin = name.parse().unwrap();
            let found = named(&table, &|game, position| ai.choose(&table, game, position));
            assert_eq!(found, None, "{name} at {}", game.name());
        }
    }
}

#[test]
fn players_without_a_pattern_have_no_error() {
    players_without_a_pattern_are_not_named(&kalah(3, 2), 4);
    players_without_a_pattern_are_not_named(&TicTacToe::default(), 1);
    players_without_a_pattern_are_not_named(&small_connect4(), 1);
    let oware = OwareFamily.read_rules("pits=3 seeds=1").unwrap();
    players_without_a_pattern_are_not_named(&oware, 2);
    let morris = Kind::Morris.read_rules("steps=orthogonal").unwrap();
    players_without_a_pattern_are_not_named(&morris, 1);
}

#[test]
#[ignore = "exhaustive: a minute"]
fn many_players_without_a_pattern_have_no_error() {
    players_without_a_pattern_are_not_named(&kalah(3, 2), 20);
    players_without_a_pattern_are_not_named(&TicTacToe::default(), 20);
    players_without_a_pattern_are_not_named(&small_connect4(), 20);
}

#[test]
#[ignore = "takes minutes"]
fn huge_many_players_of_larger_games_have_no_error() {
    players_without_a_pattern_are_not_named(&kalah(4, 2), 20);
    for steps in ["orthogonal", "any"] {
        let morris = Kind::Morris.read_rules(&format!("steps={steps}"));
        players_without_a_pattern_are_not_named(&morris.unwrap(), 20);
    }
    let oware = OwareFamily.read_rules("pits=3 seeds=1").unwrap();
    players_without_a_pattern_are_not_named(&oware, 20);
}

#[test]
fn mistakes_are_described_by_what_they_have_in_common() {
    let table = table_of(&kalah(3, 2));
    let best = |position: &_| table.move_scores(position).unwrap()[0].0;
    let worst = |position: &_| table.move_scores(position).unwrap().last().unwrap().0;
    let few = report(&table, &|game, position| match game.layer(position) {
        ..=4 => worst(position),
        _ => best(position),
    });
    assert_eq!(
        few.diagnosis.in_common,
        ["with at most 4 seeds on the board"]
    );
    let (position, _) = few.diagnosis.smallest.unwrap();
    let smallest = table.game().parse_position(&position).unwrap();
    assert_eq!(table.game().layer(&smallest), 3);
    let full = report(&table, &|_, position| {
        let row = position.pits[position.side.index()];
        match row.iter().any(|&seeds| seeds >= 4) {
            true => worst(position),
            false => best(position),
        }
    });
    assert_eq!(
        full.diagnosis.in_common,
        ["with at least 4 seeds in one of its pits"]
    );
    let both = report(
        &table,
        &|game, position| match game.side_to_move(position) {
            Side::Second if game.layer(position) >= 8 => worst(position),
            _ => best(position),
        },
    );
    assert!(
        both.diagnosis
            .in_common
            .contains(&"as second player".to_owned()),
        "{both:#?}"
    );
    let perfect = report(&table, &|_, position| best(position));
    assert_eq!(perfect.diagnosis, Diagnosis::default());
}

#[test]
fn mistakes_in_one_image_of_a_board_are_described() {
    let table = table_of(&TicTacToe::default());
    let symmetry = table.game().capabilities().symmetry;
    let found = report(&table, &|game, position| {
        let scores = table.move_scores(position).unwrap();
        match symmetry.apply(3, &game.canonical(position)) == *position {
            true => scores.last().unwrap().0,
            false => scores[0].0,
        }
    });
    assert_eq!(found.diagnosis.in_common, ["in 1 of 8 images of a board"]);
}
