//! Own games with cycles and distances, compared with plain value iteration.

use super::*;
use crate::check::{CheckOptions, InProcess, check};
use crate::conformance;
use crate::game::{Game, NoGame, Outcome, ScoreRange, Solution, SolveOptions, WON, distance};
use crate::games::listed::{Graph, beside};
use crate::oracle::Oracle;
use crate::random::Random;
use crate::solve::{Method, solve};
use crate::testing::tables::table_of;

/// A place of a random game, which is a position.
struct Place {
    side: Side,
    result: Option<i32>,
    exits: Vec<usize>,
}

/// A random game; if it isn't endless, every exit leads to a higher number.
///
/// With an odd seed, the turn always passes and nobody is to move who has won.
struct Maze<const ENDLESS: bool>(Vec<Place>);

impl<const ENDLESS: bool> Maze<ENDLESS> {
    fn random(seed: u64) -> Maze<ENDLESS> {
        let mut random = Random::new(seed);
        let count = 2 + random.index(40);
        let sides = [Side::First, Side::Second];
        let alternates = seed % 2 == 1;
        let mut places = Vec::new();
        for number in 0..count {
            let turned = if alternates { number } else { random.index(2) };
            let side = sides[if number == 0 { 0 } else { turned % 2 }];
            let is_end = number + 1 == count || number > 0 && random.index(5) == 0;
            let result = is_end.then(|| random.index(if alternates { 2 } else { 3 }) as i32 - 1);
            let mut exits: Vec<usize> = match ENDLESS {
                true => (0..1 + random.index(4))
                    .map(|_| random.index(count))
                    .collect(),
                false => vec![number + 1, number + 1 + random.index(count)],
            };
            exits.retain(|&exit| exit < count && (!alternates || (exit + number) % 2 == 1));
            exits.sort_unstable();
            exits.dedup();
            if exits.is_empty() {
                exits.push(number + 1);
            }
            places.push(Place {
                side,
                result,
                exits,
            });
        }
        Maze(places)
    }
}

impl<const ENDLESS: bool> Rules for Maze<ENDLESS> {
    type Position = usize;

    const NAME: &'static str = "maze";
    const ABOUT: &'static str = "A random game";
    const PARAMETERS: &'static [Parameter] = &[Parameter::number("seed", 0, "Its number")];
    const ENDLESS: Endless = [Endless::Impossible, Endless::Draw][ENDLESS as usize];
    const DISTANCE: bool = !ENDLESS;

    fn new(values: &Values) -> Result<Maze<ENDLESS>, NoGame> {
        Ok(Maze::random(values.need("seed")?))
    }

    fn start(&self) -> usize {
        0
    }

    fn side_to_move(&self, &place: &usize) -> Side {
        self.0[place].side
    }

    fn moves(&self, &place: &usize) -> Vec<(String, usize)> {
        let exits = self.0[place].exits.iter();
        exits.map(|&exit| (format!("to {exit}"), exit)).collect()
    }

    fn final_score(&self, &place: &usize) -> Option<i32> {
        self.0[place].result
    }

    fn format_position(&self, place: &usize) -> String {
        place.to_string()
    }
}

/// Returns the outcome and distance of every place: won is a million, less one for every move.
///
/// The values are improved until nothing changes.
fn truth(places: &[Place]) -> Vec<(Outcome, Option<u32>)> {
    let won = 1_000_000;
    let of = |place: &Place| place.result.map(|result| result * won);
    let mut values: Vec<i32> = places.iter().map(|it| of(it).unwrap_or(0)).collect();
    loop {
        let worth = |place: &Place, exit: usize| {
            let same = places[exit].side == place.side;
            let value = if same { values[exit] } else { -values[exit] };
            value - value.signum()
        };
        let best = |place: &Place| place.exits.iter().map(|&exit| worth(place, exit)).max();
        let better = |place: &Place| of(place).or_else(|| best(place)).unwrap();
        let next: Vec<i32> = places.iter().map(better).collect();
        if next == values {
            break;
        }
        values = next;
    }
    let moves = |value: i32| (value != 0).then(|| (won - value.abs()).unsigned_abs());
    let seen = values.into_iter();
    seen.map(|value| (Outcome::of(value), moves(value)))
        .collect()
}

fn game<R: Rules>(seed: u64) -> Result<Listed, NoGame> {
    let mut values = Values::default();
    values.set("seed", seed.to_string());
    Own::<R>::FAMILY.game(&values)
}

fn solved(game: &Listed) -> Vec<(u128, i32)> {
    let options = SolveOptions {
        threads: 1,
        memory: 1 << 26,
    };
    let solved = solve(game, Method::Backward, options, &NoProgress).unwrap();
    match solved.solution {
        Solution::Keyed(entries) => entries,
        _ => panic!("lists have keys"),
    }
}

/// Compares the scores of a random game with [`truth`], and returns them.
fn agrees<const ENDLESS: bool>(seed: u64) -> Vec<(Outcome, Option<u32>)> {
    let maze = Maze::<ENDLESS>::random(seed);
    let truth = truth(&maze.0);
    let game = game::<Maze<ENDLESS>>(seed).unwrap();
    conformance::check(&game, 100).unwrap();
    assert_eq!(game.endless(), Maze::<ENDLESS>::ENDLESS);
    let alternates = seed % 2 == 1;
    let range = [ScoreRange::PLIES, ScoreRange::ALTERNATE_PLIES][usize::from(alternates)];
    assert!([range, ScoreRange::ALTERNATE_PLIES].contains(&game.score_range()));
    let entries = solved(&game);
    let keys = 0..game.graph().positions() as u128;
    let unfinished = keys.filter(|&key| game.position_of_key(key).is_some());
    assert_eq!(entries.len(), unfinished.count());
    let place = |position: &_| game.format_position(position).parse::<usize>().unwrap();
    let mut found = Vec::new();
    for (key, score) in entries {
        let position = game.position_of_key(key).unwrap();
        let number = place(&position);
        let side = game.side_to_move(&position);
        assert_eq!((Outcome::of(score), distance(score)), truth[number]);
        assert_eq!(side, maze.0[number].side);
        let mut moves = Vec::new();
        game.moves(&position, &mut moves);
        let ends = moves.iter().map(|&mv| game.play(&position, mv));
        let ends = ends.filter_map(|child| Some((place(&child), game.final_score(&child)?)));
        for (child, score) in ends {
            assert_eq!(maze.0[child].result.map(|result| result * WON), Some(score));
        }
        found.push(truth[number]);
    }
    found
}

#[test]
fn own_games_with_cycles_have_the_scores_of_value_iteration() {
    let found: Vec<_> = (0..150).flat_map(agrees::<true>).collect();
    for outcome in [Outcome::Win, Outcome::Loss] {
        let far = |&(which, plies): &(_, Option<u32>)| which == outcome && plies > Some(6);
        assert!(found.iter().filter(|it| far(it)).count() > 10);
    }
    let draws = found.iter().filter(|it| it.0 == Outcome::Draw).count();
    assert!(found.len() / 10 < draws && draws < found.len() / 10 * 9);
}

#[test]
fn own_games_with_distances_have_the_scores_of_value_iteration() {
    let found: Vec<_> = (0..150).flat_map(agrees::<false>).collect();
    assert!(found.iter().filter(|it| it.1 > Some(9)).count() > 10);
}

#[test]
fn lists_say_whether_play_can_be_endless() {
    let folder = tempfile::tempdir().unwrap();
    let path = beside(&folder.path().join("maze.bin"));
    for seed in 0..30 {
        let one = game::<Maze<true>>(seed).unwrap();
        one.graph().write(&path).unwrap();
        let read = Listed::new(Graph::read(&path).unwrap());
        assert_eq!(read.graph().digest(), one.graph().digest());
        let what = |game: &Listed| (game.endless(), game.score_range(), solved(game));
        assert_eq!(what(&read), what(&one));
    }
}

/// Two places between which play goes on until somebody takes the exit, with this result.
struct Swing<const RESULT: i32, const DISTANCE: bool>;

impl<const RESULT: i32, const DISTANCE: bool> Rules for Swing<RESULT, DISTANCE> {
    type Position = u32;

    const NAME: &'static str = "swing";
    const ABOUT: &'static str = "Swing or leave";
    const PARAMETERS: &'static [Parameter] = &[Parameter::number("seed", 0, "Unused")];
    const DISTANCE: bool = DISTANCE;

    fn new(_: &Values) -> Result<Self, NoGame> {
        Ok(Swing)
    }

    fn start(&self) -> u32 {
        0
    }

    fn side_to_move(&self, &place: &u32) -> Side {
        [Side::First, Side::Second, Side::First][place as usize]
    }

    fn moves(&self, &place: &u32) -> Vec<(String, u32)> {
        let on = ("swing".to_owned(), 1 - place);
        [on, ("leave".to_owned(), 2)].into()
    }

    fn final_score(&self, &place: &u32) -> Option<i32> {
        (place == 2).then_some(RESULT)
    }

    fn format_position(&self, &place: &u32) -> String {
        ["left", "right", "out"][place as usize].to_owned()
    }
}

#[test]
fn cycles_and_long_wins_are_refused_with_the_reason() {
    for error in [
        game::<Swing<1, false>>(0).unwrap_err(),
        game::<Swing<1, true>>(0).unwrap_err(),
        game::<Swing<2, true>>(0).unwrap_err(),
    ] {
        assert_eq!(
            error.0,
            "a position can come up twice in one game: left -> (swing) -> right -> (swing) -> left; if \
             endless play is a draw, add to the rules: const ENDLESS: Endless = Endless::Draw;"
        );
    }
}

/// Two heaps: take one or two from one; the last wins, or loses if it is misread.
struct Heaps {
    last_wins: bool,
}

impl Rules for Heaps {
    type Position = ([u32; 2], Side);

    const NAME: &'static str = "heaps";
    const ABOUT: &'static str = "Take one or two counters from a heap; the last one wins";

    fn new(_: &Values) -> Result<Heaps, NoGame> {
        Ok(Heaps { last_wins: true })
    }

    fn start(&self) -> Self::Position {
        ([7, 7], Side::First)
    }

    fn side_to_move(&self, position: &Self::Position) -> Side {
        position.1
    }

    fn moves(&self, &(heaps, side): &Self::Position) -> Vec<(String, Self::Position)> {
        let all = (0..2).flat_map(|heap| (1..=heaps[heap].min(2)).map(move |taken| (heap, taken)));
        let all = all.map(|(heap, taken)| {
            let mut after = heaps;
            after[heap] -= taken;
            (format!("{heap}-{taken}"), (after, side.other()))
        });
        all.collect()
    }

    fn final_score(&self, (heaps, _): &Self::Position) -> Option<i32> {
        let score = if self.last_wins { -1 } else { 1 };
        (*heaps == [0, 0]).then_some(score)
    }

    fn format_position(&self, ([one, two], side): &Self::Position) -> String {
        format!("{one},{two} {side}")
    }

    fn misreadings(&self) -> Vec<(String, Heaps)> {
        let last_wins = false;
        vec![(
            "whoever takes the last one lost".into(),
            Heaps { last_wins },
        )]
    }
}

#[test]
fn misread_rules_of_own_games_are_named() {
    let game = Own::<Heaps>::FAMILY.game(&Values::default()).unwrap();
    let table = table_of(&game);
    let named = |last_wins| {
        let rules = Heaps { last_wins };
        // The texts are the only link between both games.
        let graph = explored(&rules).unwrap().finish("heaps", &NoProgress);
        let other = table_of(&Listed::new(graph.unwrap().0));
        let ai = |game: &Listed, position: &_| {
            let text = game.format_position(position);
            let position = other.game().parse_position(&text).unwrap();
            let best = Oracle::move_scores(&other, &position).unwrap()[0].0;
            game.parse_move(&other.game().format_move(best)).unwrap()
        };
        let options = CheckOptions::default();
        let report = check(&table, &InProcess(|| &ai), &options, &NoProgress).unwrap();
        report.diagnosis.explanation.map(|found| found.sentence)
    };
    assert_eq!(named(true), None);
    let misread = "plays as if whoever takes the last one lost";
    assert_eq!(named(false).as_deref(), Some(misread));
}
