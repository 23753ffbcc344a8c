use super::*;
use crate::check::contenders::InProcess;
use crate::check::{FaultKind, StartError, StartPlayer, builtin::Builtin};
use crate::game::{Game, NoProgress, Side};
use crate::games::tictactoe::TicTacToe;
use crate::table::Table;
use crate::testing::tables::{kalah, table_of};
use std::collections::HashMap;

fn options(names: &[&str], openings: usize) -> TournamentOptions {
    TournamentOptions {
        names: names.iter().map(|&name| name.to_owned()).collect(),
        commands: names.iter().map(|&name| name.to_owned()).collect(),
        openings,
        seed: 1,
        jobs: 1,
        is_scored: true,
        budget: None,
        save: None,
    }
}

/// Plays with AIs by their built-in names; "faulty" never answers.
fn of<G: Notation>(table: &Table<G>, options: &TournamentOptions) -> Tournament {
    let ais: Vec<Named> = options.names.iter().map(|name| Named(name)).collect();
    let ais: Vec<_> = ais.iter().map(|ai| (ai, table as &dyn Oracle<G>)).collect();
    play(table, &ais, options, &NoProgress).unwrap()
}

struct Named<'a>(&'a str);

impl<'a, 'n: 'a, 'o: 'a, G: Notation> StartPlayer<'a, G> for (&'n Named<'n>, &'o dyn Oracle<G>) {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        let (name, oracle) = (self.0.0, self.1);
        if name == "faulty" {
            let choose = |_: &G, _: &G::Position| -> G::Move { panic!("no idea") };
            return Ok(crate::check::in_process(move || choose, game));
        }
        let builtin: Builtin = name.parse()?;
        Ok(crate::check::in_process(move || builtin.make(oracle), game))
    }
}

#[test]
fn each_pair_plays_both_sides_of_each_opening() {
    let mut times = HashMap::new();
    let games = schedule(3, 4);
    for pairing in &games {
        *times.entry((pairing.opening, pairing.ais)).or_insert(0) += 1;
    }
    assert_eq!(games.len(), 3 * 4 * 3);
    assert!(times.len() == games.len() && times.values().all(|&times| times == 1));
    assert!(games.iter().all(|pairing| pairing.ais[0] != pairing.ais[1]));
    // Whole openings come first, so that a part of a tournament is fair.
    assert!(games[..12].iter().all(|pairing| pairing.opening == 0));
    assert!(schedule(3, 1).is_empty());
}

#[test]
fn results_regret_and_turning_points_are_exact() {
    let game = kalah(3, 2);
    let table = table_of(&game);
    let options = options(&["perfect", "first", "random:3"], 6);
    let played = of(&table, &options);
    assert_eq!((played.games.len(), played.planned), (36, 36));
    // The start is a draw or isn't among those nearest to one.
    let scores: Vec<i32> = played
        .openings
        .iter()
        .map(|of| of.score.unwrap().abs())
        .collect();
    assert!(scores.is_sorted(), "{scores:?}");
    let mut turned = 0;
    for of in &played.games {
        let (mut position, mut outcomes) = (game.start(), Vec::new());
        let outcome = |position: &_| {
            let score = table.score(position).unwrap();
            game.seen_from(Side::First, position, score).signum()
        };
        for mv in &of.moves {
            outcomes.push(outcome(&position));
            position = game.play(&position, game.parse_move(mv).unwrap());
        }
        let end = game.final_score(&position).unwrap();
        assert_eq!(of.score, Some(game.seen_from(Side::First, &position, end)));
        outcomes.push(of.result);
        // From the move after the turning point on, the outcome is the result.
        let opening = played.openings[of.opening].moves.len();
        let from = of.turning_point.map_or(opening, |at| at + 1);
        assert!(outcomes[from..].iter().all(|&outcome| outcome == of.result));
        if let Some(at) = of.turning_point {
            assert_ne!(outcomes[at], of.result);
            turned += 1;
        }
        for side in of.sides.iter().filter(|side| side.ai == "perfect") {
            assert_eq!((side.regret, side.mistakes), (0, 0));
        }
        // The last score is the result; the opening has none.
        assert_eq!(of.scores.len(), of.moves.len() + 1);
        assert_eq!(of.scores.last(), Some(&of.score));
        assert!(of.scores[..opening].iter().all(Option::is_none));
    }
    assert!(turned > 3);
    let perfect = &played.standings[0];
    assert_eq!(
        (&*perfect.ai, perfect.regret, perfect.mistakes),
        ("perfect", Some(0.0), 0)
    );
    assert_eq!(perfect.won + perfect.drawn + perfect.lost, 24);
    let points: f64 = played.standings.iter().map(|of| of.points).sum();
    assert_eq!(points, 36.0);
    // Any number of jobs gives the same result.
    let parallel = of(&table, &TournamentOptions { jobs: 3, ..options });
    assert_eq!(parallel.games, played.games);
}

#[test]
fn a_fault_forfeits_the_game_and_is_its_turning_point() {
    let table = table_of(&TicTacToe::default());
    let played = of(&table, &options(&["faulty", "perfect"], 2));
    for of in &played.games {
        let forfeit = of.forfeit.as_ref().unwrap();
        assert_eq!(of.sides[forfeit.side.index()].ai, "faulty");
        assert_eq!(
            (forfeit.kind, &*forfeit.detail),
            (FaultKind::Crash, "panicked: no idea")
        );
        assert_eq!((of.score, forfeit.side.seen(of.result)), (None, -1));
        assert_eq!(of.turning_point, Some(of.moves.len()));
        assert_eq!(of.turning_point_in_words(), "forfeit by faulty");
    }
    let faulty = played.standings.last().unwrap();
    assert_eq!(
        (faulty.forfeits, faulty.lost, faulty.mean_score),
        (4, 4, None)
    );
    // Openings are draws where there are enough of them.
    assert!(played.openings.iter().all(|of| of.score == Some(0)));
    assert_eq!(played.openings[0].moves.len(), 0);
}

#[test]
fn finished_games_are_saved_and_not_played_again() {
    let table = table_of(&kalah(3, 2));
    let home = tempfile::tempdir().unwrap();
    let mut options = options(&["first", "random:3"], 3);
    options.save = Some(home.path().join("games"));
    let played = of(&table, &options);
    // The same commands under the same names, but nobody answers any more.
    let mute = InProcess(|| |_: &_, _: &_| panic!("asked again"));
    let again = play(&table, &[&mute, &mute].map(Again), &options, &NoProgress).unwrap();
    assert_eq!(again.games, played.games);
    // Another seed has other openings, and with them other games.
    options.seed = 2;
    let other = play(&table, &[&mute, &mute].map(Again), &options, &NoProgress).unwrap();
    assert!(other.games.iter().any(|of| of.forfeit.is_some()));
}

/// Passes questions on.
struct Again<'c, C>(&'c C);

impl<'a, 'c: 'a, G: Notation, C: Contender<'a, G>> StartPlayer<'a, G> for Again<'c, C> {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        self.0.player(game)
    }
}

/// In this game of tic-tac-toe, O gives the draw away, and X then plays on perfectly.
#[test]
fn a_turning_point_is_the_last_move_that_gave_its_side_s_outcome_away() {
    let game = TicTacToe::default();
    let table = table_of(&game);
    let options = options(&["a", "b"], 1);
    let playing = GameRunner {
        oracle: &table as &dyn Oracle<TicTacToe>,
        options: &options,
        openings: &[],
        folder: None,
        progress: &NoProgress,
        first_replies: Vec::new(),
    };
    let graded = |moves: &[&str], from, result, forfeit: Option<Side>, repeats| {
        let mut positions = vec![game.start()];
        for mv in moves {
            let mv = game.parse_move(mv).unwrap();
            positions.push(game.play(positions.last().unwrap(), mv));
        }
        let mut played = PlayedGame {
            result,
            repeats,
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
            forfeit: forfeit.map(|side| game::Forfeit {
                side,
                kind: FaultKind::Timeout,
                detail: "did not answer".to_owned(),
            }),
            ..PlayedGame::default()
        };
        playing.grade(&mut played, &positions, from).unwrap();
        let mistakes = played.sides.map(|side| side.mistakes);
        (played.turning_point, mistakes)
    };
    let moves = ["a1", "b1", "a3", "a2", "c3", "b3", "b2"];
    assert_eq!(graded(&moves, 0, 1, None, false), (Some(1), [0, 1]));
    // After an opening that has decided the game, there is no turning point.
    assert_eq!(graded(&moves, 2, 1, None, false), (None, [0, 0]));
    // A forfeit in a lost position changes nothing, and in a drawn one decides.
    let second = Some(Side::Second);
    assert_eq!(graded(&moves[..3], 0, 1, second, false), (Some(1), [0, 1]));
    assert_eq!(graded(&moves[..1], 0, 1, second, false), (Some(1), [0, 0]));
    // Whoever was winning when a position came up again gave the win away by the last own move.
    assert_eq!(graded(&moves[..4], 0, 0, None, true).0, Some(2));
}
