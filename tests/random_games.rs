//! Random games with random symmetries, each solved and compared with recursion.
//!
//! The recursion uses neither classes nor points already won.

use crate::check::table_of;
use crate::common::{Random, all_positions};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use zermelo::check::{CheckOptions, Coverage, InProcess, check};
use zermelo::conformance;
use zermelo::game::{
    Capabilities, Family, Game, NoGame, NoProgress, Notation, NotationError, Parameter, Ranking,
    ScoreRange, SearchSetup, Segment, Side, Slot, SolveOptions, Solving, Values,
};
use zermelo::games::own::{Own, Rules};
use zermelo::oracle::{BySearch, Oracle, Wanted, ask};
use zermelo::solve::{Method, score_of, solve};
use zermelo::table::{Table, TableFile, WriteOptions, write_to_vec};

const FEW: SolveOptions = SolveOptions {
    threads: 1,
    memory: 1 << 28,
};

/// The number of moves' names, a multiple of the order of each symmetry group.
const NAMES: u8 = 12;

/// An acyclic graph whose nodes are classes of positions.
///
/// The positions of a class are images under a group of symmetries, with either side to move and
/// any points already won.
#[derive(Clone, Debug)]
struct Web {
    number: u64,
    nodes: Arc<[Node]>,
    /// The order of the cyclic group, which rotates images and the names of moves.
    order: u8,
    /// Whether all moves lead to the next layer.
    layered: bool,
    ranked: bool,
}

#[derive(Clone, Debug)]
struct Node {
    layer: u32,
    /// Sorted by name; empty at the end of the game.
    edges: Vec<Edge>,
    /// The score at the end of the game, without points already won.
    score: i32,
}

#[derive(Clone, Debug)]
struct Edge {
    name: u8,
    to: usize,
    /// The rotation of the image.
    twist: u8,
    passes: bool,
    points: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Position {
    node: usize,
    image: u8,
    side: Side,
    /// The first player's points minus the second's.
    lead: i32,
}

impl Web {
    fn new(number: u64) -> Web {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (layered, ranked) = (number.is_multiple_of(3), number % 4 > 1);
        let count = 6 + random.below(9);
        let width = 1 + random.below(3);
        let has_points = random.below(2) == 0;
        let order = [1, 2, 3, 4][random.below(4)];
        let last = (count - 1) / width;
        let nodes = (0..count).map(|node| {
            let layer = node / width;
            // Games end in the last layer, and now and then before it, but never at the start.
            let ends = layer == last || node > 0 && random.below(5) == 0;
            let later = if layered {
                (layer + 1) * width..count.min((layer + 2) * width)
            } else {
                node + 1..count
            };
            let mut edges: Vec<Edge> = Vec::new();
            for _ in 0..if ends { 0 } else { 1 + random.below(4) } {
                let name = random.below(NAMES.into()) as u8;
                if edges.iter().all(|edge| edge.name != name) {
                    edges.push(Edge {
                        name,
                        to: later.start + random.below(later.len()),
                        twist: random.below(order.into()) as u8,
                        passes: random.below(4) > 0,
                        points: if has_points {
                            random.below(3) as i32
                        } else {
                            0
                        },
                    });
                }
            }
            Node {
                layer: layer as u32,
                edges,
                score: random.below(7) as i32 - 3,
            }
        });
        Web {
            number,
            nodes: nodes.collect(),
            order,
            layered,
            ranked,
        }
    }

    fn name_seen(&self, name: u8, image: u8) -> u8 {
        (name + image * (NAMES / self.order)) % NAMES
    }
}

impl Game for Web {
    type Position = Position;
    type Move = u8;

    fn start(&self) -> Position {
        Position {
            node: 0,
            image: 0,
            side: Side::First,
            lead: 0,
        }
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<u8>) {
        moves.clear();
        let edges = &self.nodes[position.node].edges;
        let names = edges.iter();
        moves.extend(names.map(|edge| self.name_seen(edge.name, position.image)));
        moves.sort_unstable();
    }

    fn play(&self, position: &Position, mv: u8) -> Position {
        let mut edges = self.nodes[position.node].edges.iter();
        let edge = edges.find(|edge| self.name_seen(edge.name, position.image) == mv);
        let edge = edge.expect("a legal move");
        let (side, won) = match position.side {
            Side::First => (Side::Second, edge.points),
            Side::Second => (Side::First, -edge.points),
        };
        Position {
            node: edge.to,
            image: (position.image + edge.twist) % self.order,
            side: if edge.passes { side } else { position.side },
            lead: position.lead + won,
        }
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        let node = &self.nodes[position.node];
        let is_over = node.edges.is_empty();
        is_over.then(|| node.score + self.banked(position))
    }

    fn banked(&self, position: &Position) -> i32 {
        match position.side {
            Side::First => position.lead,
            Side::Second => -position.lead,
        }
    }

    fn score_range(&self) -> ScoreRange {
        ScoreRange {
            lowest: -40,
            highest: 40,
            step: 1,
        }
    }

    fn canonical(&self, position: &Position) -> Position {
        Position {
            node: position.node,
            ..self.start()
        }
    }

    fn key(&self, canonical: &Position) -> u128 {
        canonical.node as u128
    }

    fn key_bits(&self) -> u32 {
        // 128 is the default, for games that don't need short keys.
        if self.layered { 8 } else { 128 }
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let node = usize::try_from(key).ok()?;
        let is_open = !self.nodes.get(node)?.edges.is_empty();
        is_open.then(|| Position {
            node,
            ..self.start()
        })
    }

    fn layer(&self, canonical: &Position) -> u32 {
        self.nodes[canonical.node].layer
    }
}

impl Solving<Web> for Web {
    fn ranking(&self) -> Option<Arc<dyn Ranking<Position>>> {
        let last = self.nodes[self.nodes.len() - 1].layer;
        let segments = (0..=last).map(|layer| Segment {
            rows: 1,
            columns: self.nodes.len() as u32,
            scores: self.score_range(),
            layer,
            derived: layer % 2 == 1,
        });
        let ranking = Layers(segments.collect(), self.clone());
        self.ranked.then(|| Arc::new(ranking) as _)
    }
}

/// A ranking with a segment for each layer and a column for each node.
struct Layers(Vec<Segment>, Web);

impl Ranking<Position> for Layers {
    fn segments(&self) -> &[Segment] {
        &self.0
    }

    fn slot(&self, canonical: &Position) -> Option<Slot> {
        let node = &self.1.nodes[canonical.node];
        (!node.edges.is_empty()).then_some(Slot {
            segment: node.layer,
            row: 0,
            column: canonical.node as u32,
        })
    }

    fn position(&self, slot: Slot) -> Position {
        Position {
            node: slot.column as usize,
            ..self.1.start()
        }
    }
}

impl Notation for Web {
    fn rules(&self) -> String {
        format!("web number={}", self.number)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            solving: self,
            ..Capabilities::default()
        }
    }

    fn format_position(&self, position: &Position) -> String {
        let Position {
            node,
            image,
            side,
            lead,
        } = position;
        format!("{node} {image} {side} {lead}")
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let read = || {
            let words: Vec<&str> = text.split(' ').collect();
            let &[node, image, side, lead] = &words[..] else {
                return None;
            };
            let position = Position {
                node: node.parse().ok()?,
                image: image.parse().ok()?,
                side: side.parse().ok()?,
                lead: lead.parse::<i16>().ok()?.into(),
            };
            let is_one = position.node < self.nodes.len() && position.image < self.order;
            is_one.then_some(position)
        };
        read().ok_or_else(|| NotationError::new(text, "no position", "0 0 first 0"))
    }

    fn format_move(&self, mv: u8) -> String {
        mv.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<u8, NotationError> {
        let named = (0..NAMES).find(|name| name.to_string() == text);
        named.ok_or_else(|| NotationError::new(text, "no move", "0"))
    }
}

/// Returns the score for the side to move, by plain recursion.
fn score(game: &Web, position: &Position, known: &mut HashMap<Position, i32>) -> i32 {
    if let Some(score) = game.final_score(position) {
        return score;
    }
    if let Some(&score) = known.get(position) {
        return score;
    }
    let best = move_scores(game, position, known).into_iter().max();
    let best = best.expect("an unfinished position has moves");
    known.insert(*position, best);
    best
}

/// Returns the scores of the moves for the side to move, in the game's order.
fn move_scores(game: &Web, position: &Position, known: &mut HashMap<Position, i32>) -> Vec<i32> {
    let moves = game.legal_moves(position).into_iter();
    let played = moves.map(|mv| game.play(position, mv));
    let seen = played.map(|child| {
        let score = score(game, &child, known);
        if child.side == position.side {
            score
        } else {
            -score
        }
    });
    seen.collect()
}

/// Returns a move that depends only on the position, and is often wrong.
fn some_move(game: &Web, position: &Position) -> u8 {
    let moves = game.legal_moves(position);
    let lead = position.lead.unsigned_abs() as usize;
    moves[(7 * position.node + usize::from(position.image) + lead) % moves.len()]
}

fn is_solved_as_by_recursion(game: &Web) {
    conformance::check(game, 300).unwrap();
    let options = SolveOptions {
        threads: 2,
        memory: 1 << 28,
    };
    let mut known = HashMap::new();
    let positions = all_positions(game);
    for method in [Method::Backward, Method::Search] {
        let solution = solve(game, method, options, &NoProgress).unwrap().solution;
        for position in &positions {
            let expected = score(game, position, &mut known);
            let found = score_of(game, &solution, position);
            assert_eq!(found, Some(expected), "{method} {position:?} in {game:?}");
        }
    }
    let table = table_of(game);
    let setup = SearchSetup::new(1, 1 << 16);
    let search = BySearch::new(game, &setup, &NoProgress).unwrap();
    let (mut asked, mut mistakes, mut lost) = (0, 0, 0);
    for position in &positions {
        if game.final_score(position).is_some() {
            continue;
        }
        for oracle in [&table as &dyn Oracle<Web>, &search] {
            is_answered_as_by_recursion(game, oracle, position, &mut known);
        }
        let best = score(game, position, &mut known);
        let chosen = game.legal_moves(position).into_iter();
        let chosen = chosen.zip(move_scores(game, position, &mut known));
        let wanted = some_move(game, position);
        let (_, score) = { chosen }.find(|&(mv, _)| mv == wanted).unwrap();
        asked += 1;
        mistakes += u64::from(score < best);
        lost += (best - score) as u64;
    }
    let ai = InProcess(|| some_move);
    let report = check(&table, &ai, &CheckOptions::default(), &NoProgress).unwrap();
    let found = (report.asked, report.mistakes.total, report.total_regret);
    assert_eq!(found, (asked, mistakes, lost), "{game:?}");
    let classes: HashSet<usize> = positions.iter().map(|position| position.node).collect();
    let unfinished = |&&node: &&usize| !game.nodes[node].edges.is_empty();
    let canonical = CheckOptions {
        coverage: Coverage::Canonical,
        ..CheckOptions::default()
    };
    let report = check(&table, &ai, &canonical, &NoProgress).unwrap();
    let classes = classes.iter().filter(unfinished).count() as u64;
    assert_eq!((report.asked, report.classes), (classes, Some(classes)));
}

fn is_answered_as_by_recursion(
    game: &Web,
    oracle: &dyn Oracle<Web>,
    position: &Position,
    known: &mut HashMap<Position, i32>,
) {
    let wanted = Wanted {
        moves: true,
        line: 1000,
        ..Wanted::default()
    };
    let answer = ask(oracle, position, wanted, &mut |_| ()).unwrap();
    let best = score(game, position, known);
    assert_eq!((answer.bounds.lower, answer.bounds.upper), (best, best));
    let names = game.legal_moves(position).into_iter();
    let names = names.map(|mv| game.format_move(mv));
    let mut moves: Vec<(String, i32)> = names.zip(move_scores(game, position, known)).collect();
    moves.sort_by_key(|&(_, score)| -score);
    assert_eq!(
        answer.moves.as_ref(),
        Some(&moves),
        "{position:?} in {game:?}"
    );
    let expected = moves.iter().filter(|&&(_, score)| score == best);
    assert!(answer.best_moves().eq(expected.map(|(name, _)| name)));
    let mut at = *position;
    for name in answer.line.unwrap() {
        at = game.play(&at, game.parse_move(&name).unwrap());
        let seen = game.seen_from(position.side, &at, score(game, &at, known));
        assert_eq!(seen, best, "{at:?} after {position:?} in {game:?}");
    }
    assert!(game.final_score(&at).is_some());
}

#[test]
fn random_games_are_solved_as_by_recursion() {
    for number in 1..=25 {
        is_solved_as_by_recursion(&Web::new(number));
    }
}

#[test]
#[ignore = "exhaustive: more of the same"]
fn many_random_games_are_solved_as_by_recursion() {
    for number in 26..=1000 {
        is_solved_as_by_recursion(&Web::new(number));
    }
}

/// A game with the rules of [`Web`] and nothing else.
struct Bare(Web);

impl Rules for Bare {
    type Position = Position;

    const NAME: &'static str = "bare";
    const ABOUT: &'static str = "A random game";
    const PARAMETERS: &'static [Parameter] = &[Parameter::number("number", 1, "Which one")];

    fn new(values: &Values) -> Result<Bare, NoGame> {
        Ok(Bare(Web::new(values.need("number")?)))
    }

    fn start(&self) -> Position {
        self.0.start()
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position) -> Vec<(String, Position)> {
        let moves = self.0.legal_moves(position).into_iter();
        let moves = moves.map(|mv| (self.0.format_move(mv), self.0.play(position, mv)));
        moves.collect()
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        self.0.final_score(position)
    }

    fn format_position(&self, position: &Position) -> String {
        self.0.format_position(position)
    }
}

#[test]
fn bare_rules_give_the_same_game() {
    const FAMILY: Own<Bare> = Own::FAMILY;
    for number in 1..=25 {
        let web = Web::new(number);
        let mut values = Values::default();
        values.set("number", number.to_string());
        let game = FAMILY.game(&values).unwrap();
        assert_eq!(game.title(), format!("bare number={number}"));
        assert_eq!(FAMILY.table_name(&game), format!("bare-{number}.bin"));
        let solved = solve(&game, Method::Backward, FEW, &NoProgress).unwrap();
        let mut known = HashMap::new();
        let positions = all_positions(&web);
        for position in &positions {
            let same = game.parse_position(&web.format_position(position)).unwrap();
            let found = score_of(&game, &solved.solution, &same);
            assert_eq!(found, Some(score(&web, position, &mut known)), "{web:?}");
            let names = |moves: Vec<String>| moves.into_iter().collect::<HashSet<_>>();
            let moves = game.legal_moves(&same).into_iter();
            let moves = moves.map(|mv| game.format_move(mv)).collect();
            let expected = web.legal_moves(position).into_iter();
            let expected = expected.map(|mv| web.format_move(mv)).collect();
            assert_eq!(names(moves), names(expected));
        }
        assert_eq!(game.graph().positions(), positions.len());
        let rules = game.rules();
        let (_, words) = rules.split_once(' ').unwrap();
        assert_eq!(FAMILY.read_rules(words).unwrap().rules(), rules);
        // A table of the same name but with other rules.
        let changed = words.replacen("list=", "list=0", 1);
        let refused = FAMILY.read_rules(&changed).map(|game| game.rules());
        assert!(refused.unwrap_err().0.contains("have changed since"));
    }
}

/// A game of taking one or two of four matches, with a fault of this number.
struct Wrong(u32);

impl Rules for Wrong {
    type Position = (u32, Side);

    const NAME: &'static str = "wrong";
    const ABOUT: &'static str = "A game that is wrong";
    const PARAMETERS: &'static [Parameter] = &[Parameter::number("way", 1, "In which way")];

    fn new(values: &Values) -> Result<Wrong, NoGame> {
        Ok(Wrong(values.need("way")?))
    }

    fn start(&self) -> (u32, Side) {
        match self.0 {
            2 => (0, Side::First),
            _ => (4, Side::First),
        }
    }

    fn side_to_move(&self, position: &(u32, Side)) -> Side {
        position.1
    }

    fn moves(&self, &(left, side): &(u32, Side)) -> Vec<(String, (u32, Side))> {
        let other = side.other();
        match self.0 {
            3 if left == 1 => Vec::new(),
            4 if left == 1 => vec![("back".into(), (4, side))],
            5 => vec![("x".into(), (left - 1, other)), ("x".into(), (0, other))],
            6 => vec![("two\nlines".into(), (left - 1, other))],
            _ => vec![("one".into(), (left - 1, other))],
        }
    }

    fn final_score(&self, &(left, _): &(u32, Side)) -> Option<i32> {
        let score = if self.0 == 7 { 600_000_000 } else { -1 };
        (left == 0).then_some(score)
    }

    fn format_position(&self, &(left, side): &(u32, Side)) -> String {
        match self.0 {
            8 => side.to_string(),
            9 => format!(" {left} {side}"),
            _ => format!("{left} {side}"),
        }
    }
}

#[test]
fn bare_rules_that_are_wrong_are_refused_with_the_place() {
    for (way, words) in [
        (2, &["the start, 0 first, is finished"][..]),
        (3, &["1 second is not finished, but has no moves"]),
        (4, &["can come up twice", "(back)"]),
        (5, &["two moves are called x in 4 first"]),
        (6, &["two\\nlines", "in 4 first"]),
        (7, &["0 first has the score 600000000"]),
        (8, &["have the same text \"first\""]),
        (9, &["\" 4 first\"", "without spaces at its ends"]),
    ] {
        let mut values = Values::default();
        values.set("way", way.to_string());
        let refused = Own::<Wrong>::FAMILY.game(&values).map(|game| game.rules());
        let error = refused.unwrap_err().0;
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
}

/// A table of rules that have changed since, under the same name.
#[test]
fn a_table_of_other_rules_is_an_error_and_no_panic() {
    let is_noticed = |number: u64| {
        let game = Web::new(number);
        let solved = solve(&game, Method::Backward, FEW, &NoProgress).unwrap();
        let write = WriteOptions::default();
        let bytes = write_to_vec(&game, &solved.solution, write, &NoProgress).unwrap();
        let mut nodes = game.nodes.to_vec();
        nodes.iter_mut().for_each(|node| node.score += 1);
        let changed = Web {
            nodes: nodes.into(),
            ..game
        };
        let table = Table::new(TableFile::from_bytes(bytes).unwrap(), changed).unwrap();
        let ai = InProcess(|| some_move);
        let report = check(&table, &ai, &CheckOptions::default(), &NoProgress);
        report.is_err_and(|error| error.to_string().contains("that of none of its moves"))
    };
    assert!((1..=50).filter(|&number| is_noticed(number)).count() > 3);
}
