//! The hypotheses, and the moves that each of them allows.

use super::answers::{MoveSet, Predictions, Scored};
use super::imagined::Imagined;
use crate::check::error::CheckError;
use crate::check::readings::Readings;
use crate::game::{Game, Misreading, Notation, Outcome, Side, best_moves};
use crate::oracle::Oracle;
use crate::search::{Algorithm, Search};
use crate::text::counted;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A player with a known error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hypothesis {
    /// No error.
    None,
    /// One of the game's misreadings, by its number, with a search to the end or to a depth.
    Rules(usize, Option<u32>),
    /// Only win, draw or loss counts.
    OutcomeOnly,
    /// The worst move, always or for a side.
    Worst(Option<Side>),
    /// A search to a depth, with the game's static evaluation.
    Depth(u32),
    /// A search to a depth that counts only [`crate::game::Checking::material`].
    Material(u32),
    /// The same, but all wins are equal, and all losses.
    Outcome(u32),
    /// A search to a number of turns that counts only material, in games with extra moves.
    Turns(u32),
    FirstMove,
    LastMove,
    /// A best move of the canonical position, which is an image of the one asked.
    UnturnedImage,
    /// A best move, written in another way, by its number among the readings.
    Written(usize),
}

/// The smallest share of the answers that a named hypothesis allows, and one that allows many moves
/// or describes the moves themselves.
const SHARE: f64 = 0.95;
pub(super) const FACT: f64 = 0.99;

/// The depths of searches that are compared, by the right rules and by misread ones.
const DEPTHS: u32 = 6;
const DEPTHS_OF_RULES: u32 = 4;

/// The numbers of turns of the searches that are compared.
const TURNS: u32 = 2;

/// The number of positions that the searches to a depth may visit.
const DEPTH_BUDGET: u64 = 400_000;

/// The number of answers after which a hypothesis may be given up.
const TRIED: u32 = 50;

/// The number of answers in a row that a search under misread rules may leave open.
const MOST_OPEN: usize = 20;

/// A game with its known misreadings, of rules and of texts.
pub(super) struct Known<'a, G: Notation> {
    pub game: &'a G,
    pub misreadings: Vec<Box<dyn Misreading<G>>>,
    pub readings: Readings<'a, G>,
}

/// Returns all hypotheses for a game; the first is that there is no error.
pub(super) fn hypotheses<G: Notation>(known: &Known<'_, G>) -> Vec<Hypothesis> {
    let mut all = vec![
        Hypothesis::None,
        Hypothesis::OutcomeOnly,
        Hypothesis::Worst(None),
        Hypothesis::Worst(Some(Side::First)),
        Hypothesis::Worst(Some(Side::Second)),
        Hypothesis::FirstMove,
        Hypothesis::LastMove,
    ];
    all.extend((1..=DEPTHS).map(Hypothesis::Depth));
    // Any player wins at once, so that says nothing.
    let material = material_name(known.game);
    let least = if material.is_some() { 1 } else { 2 };
    all.extend((least..=DEPTHS).map(Hypothesis::Material));
    // Within two moves each side wins at one depth only.
    let depths = (3..=DEPTHS).filter(|_| material.is_none());
    all.extend(depths.map(Hypothesis::Outcome));
    let turns = (1..=TURNS).filter(|_| known.game.banked_name().is_some());
    all.extend(turns.map(Hypothesis::Turns));
    if known.game.capabilities().symmetry.order() > 1 {
        all.push(Hypothesis::UnturnedImage);
    }
    all.extend((0..known.readings.all.len()).map(Hypothesis::Written));
    for misreading in 0..known.misreadings.len() {
        all.push(Hypothesis::Rules(misreading, None));
        let depths = least..=DEPTHS_OF_RULES;
        all.extend(depths.map(|depth| Hypothesis::Rules(misreading, Some(depth))));
    }
    all
}

impl Hypothesis {
    /// Returns whether it describes the moves themselves rather than reasons for them.
    pub fn is_fact(self) -> bool {
        matches!(self, Hypothesis::FirstMove | Hypothesis::LastMove)
    }

    /// Returns the number of the misread rule, if there is one.
    pub fn rule(self) -> Option<usize> {
        match self {
            Hypothesis::Rules(number, _) => Some(number),
            _ => None,
        }
    }

    /// Returns the smallest share of the answers that it must allow.
    pub fn least_share(self) -> f64 {
        match self {
            Hypothesis::OutcomeOnly | Hypothesis::Material(_) | Hypothesis::Outcome(_) => FACT,
            _ => SHARE,
        }
    }

    /// Returns the depth of its search with a misread rule, if it has one.
    pub fn depth(self) -> Option<u32> {
        match self {
            Hypothesis::Rules(_, depth) => depth,
            _ => None,
        }
    }

    /// Returns the end of a sentence that begins "It", without a full stop.
    ///
    /// `deepest` is the depth of the deepest search that explains as much, if it is known.
    pub fn sentence<G: Notation>(self, known: &Known<'_, G>, deepest: Option<u32>) -> String {
        let (game, misreadings) = (known.game, &known.misreadings);
        match self {
            Hypothesis::None => "plays well".to_owned(),
            Hypothesis::Rules(number, None) => {
                format!("plays as if {}", misreadings[number].sentence())
            }
            Hypothesis::Rules(number, Some(depth)) => {
                let depths = match deepest.filter(|&deepest| deepest > depth) {
                    Some(deepest) => format!("{depth} to {deepest} moves"),
                    None => counted(depth as usize, "move"),
                };
                let rule = misreadings[number].sentence();
                format!("plays like a search {depths} deep, as if {rule}")
            }
            Hypothesis::OutcomeOnly => {
                "plays for a win or a draw only, whatever the margin".to_owned()
            }
            Hypothesis::Worst(None) => "always plays a worst move".to_owned(),
            Hypothesis::Worst(Some(side)) => format!(
                "plays well as {} player, and worst as {side}: a score may have the wrong sign",
                side.other()
            ),
            Hypothesis::Depth(1) => {
                "looks at nothing but the position after its move (greedy)".to_owned()
            }
            Hypothesis::Depth(depth) => format!("plays like a search {depth} moves deep"),
            Hypothesis::Material(depth) => match material_name(game) {
                Some(name) => format!(
                    "plays like a search {} deep that counts only {name}",
                    counted(depth as usize, "move")
                ),
                None => format!("sees wins and losses {depth} moves ahead, and no further"),
            },
            Hypothesis::Outcome(depth) => format!(
                "sees wins and losses {depth} moves ahead, no further, and prefers no quick win"
            ),
            Hypothesis::Turns(1) => {
                "takes the most that its own turn gives, extra moves included, and looks no further"
                    .to_owned()
            }
            Hypothesis::Turns(turns) => format!("plays like a search {turns} whole turns deep"),
            Hypothesis::FirstMove => format!("always plays the first legal {}", game.move_noun()),
            Hypothesis::LastMove => format!("always plays the last legal {}", game.move_noun()),
            Hypothesis::UnturnedImage => {
                "plays well on a turned or reflected board, and doesn't turn its move back"
                    .to_owned()
            }
            Hypothesis::Written(number) => {
                format!("plays well, but {}", known.readings.all[number].sentence)
            }
        }
    }

    /// Returns the moves that the hypothesis allows for each answer.
    pub fn allowed<G: Notation>(
        self,
        oracle: &dyn Oracle<G>,
        known: &Known<'_, G>,
        answers: &[Scored<'_, G>],
    ) -> Result<Predictions, CheckError> {
        let game = known.game;
        let simple = |allowed: &dyn Fn(&Scored<'_, G>) -> MoveSet| {
            Ok(answers.iter().map(|answer| Some(allowed(answer))).collect())
        };
        match self {
            Hypothesis::None => simple(&|of| highest(&of.moves, |score| score)),
            Hypothesis::OutcomeOnly => {
                simple(&|of| highest(&of.moves, |score| Outcome::of(score) as i32))
            }
            Hypothesis::Worst(worst) => simple(&|of| {
                let side = game.side_to_move(&of.answer.position);
                let is_worst = worst.is_none_or(|worst| worst == side);
                highest(&of.moves, |score| if is_worst { -score } else { score })
            }),
            Hypothesis::FirstMove => simple(&|_| 1),
            Hypothesis::LastMove => simple(&|of| 1 << (of.moves.len() - 1)),
            Hypothesis::Depth(depth) => Ok(by_depth(game, depth, G::evaluate, false, answers)),
            Hypothesis::Material(depth) => {
                let is_same = |of: &Scored<'_, G>| {
                    let position = &of.answer.position;
                    material(game, position) == game.evaluate(position)
                };
                match answers.iter().all(is_same) {
                    true => Ok(vec![None; answers.len()]),
                    false => Ok(by_depth(game, depth, material, false, answers)),
                }
            }
            Hypothesis::Outcome(depth) => Ok(by_depth(game, depth, material, true, answers)),
            Hypothesis::Turns(turns) => Ok(by_turns(game, turns, answers)),
            Hypothesis::Rules(number, depth) => {
                let search = Imagined::new(game, &*known.misreadings[number], depth);
                Ok(by_rules(search, answers))
            }
            Hypothesis::UnturnedImage => {
                let best = |of: &Scored<'_, G>| {
                    let scores = oracle.move_scores(&game.canonical(&of.answer.position))?;
                    Ok(best_of(of, &scores))
                };
                answers.iter().map(best).collect()
            }
            Hypothesis::Written(number) => Ok(written(known, number, answers)),
        }
    }
}

/// Returns the moves with the highest value.
fn highest<M>(moves: &[(M, i32)], value: impl Fn(i32) -> i32) -> MoveSet {
    let values = || moves.iter().map(|&(_, score)| value(score));
    let most = values().max();
    let best = (0..)
        .zip(values())
        .filter(|&(_, value)| Some(value) == most);
    best.fold(0, |set, (index, _)| set | 1 << index)
}

/// Returns the best of the moves that are legal in an answer's position, given scores in descending
/// order.
///
/// `None` if none is legal: an answer with an illegal move is a fault, and not compared.
fn best_of<G: Game>(answer: &Scored<'_, G>, scores: &[(G::Move, i32)]) -> Option<MoveSet> {
    let is_legal = |of: &&(G::Move, i32)| answer.moves.iter().any(|(mv, _)| *mv == of.0);
    let legal: Vec<_> = scores.iter().filter(is_legal).copied().collect();
    let moves = (0..).zip(&answer.moves);
    let best = moves.filter(|(_, (mv, _))| best_moves(&legal).any(|best| best == *mv));
    best.map(|(index, _)| 1 << index)
        .reduce(|set, one| set | one)
}

/// Returns the moves that mean best moves if they are read in another way.
fn written<G: Notation>(
    known: &Known<'_, G>,
    number: usize,
    answers: &[Scored<'_, G>],
) -> Predictions {
    let readings = &known.readings;
    while_likely(answers, |answer| {
        let at = readings.at(&answer.answer.position);
        let meant = |mv: G::Move| at.meant(&readings.all[number], &known.game.format_move(mv));
        let best = answer.moves.iter().map(|of| of.1).max();
        let is_best = |mv: G::Move| {
            answer
                .moves
                .iter()
                .any(|of| of.0 == mv && Some(of.1) == best)
        };
        let allowed = (0..).zip(&answer.moves);
        let allowed = allowed.filter(|(_, (mv, _))| meant(*mv).is_some_and(is_best));
        Some(allowed.fold(0, |set, (index, _)| set | 1 << index))
    })
}

/// Returns the moves allowed for each answer, until the answers contradict the hypothesis.
fn while_likely<G: Game>(
    answers: &[Scored<'_, G>],
    mut allowed: impl FnMut(&Scored<'_, G>) -> Option<MoveSet>,
) -> Predictions {
    let (mut known, mut hits) = (0, 0);
    let one = |answer: &Scored<'_, G>| {
        if known >= TRIED && 10 * hits < 9 * known {
            return None;
        }
        let allowed = allowed(answer)?;
        known += 1;
        hits += u32::from(answer.is_in(allowed));
        Some(allowed)
    };
    answers.iter().map(one).collect()
}

fn material_name<G: Notation>(game: &G) -> Option<&'static str> {
    let own = game.capabilities().checking.material_name();
    own.or_else(|| game.banked_name())
}

fn material<G: Notation>(game: &G, position: &G::Position) -> i32 {
    game.capabilities().checking.material(game, position)
}

/// Returns the moves that look best by a search to a depth, by their outcome only or by their score.
fn by_depth<G: Notation>(
    game: &G,
    depth: u32,
    evaluate: fn(&G, &G::Position) -> i32,
    is_outcome: bool,
    answers: &[Scored<'_, G>],
) -> Predictions {
    let spent = AtomicU64::new(0);
    let stop = |nodes: u64| spent.fetch_add(nodes, Relaxed) + nodes >= DEPTH_BUDGET;
    while_likely(answers, |answer| {
        if stop(0) {
            return None;
        }
        let mut search = Search::new(game).to_depth(depth, evaluate).stop_when(&stop);
        let scores = search.play_scores(Algorithm::AlphaBeta, &answer.answer.position);
        stop(search.untold());
        let mut scores = scores.ok()?;
        if is_outcome {
            scores
                .iter_mut()
                .for_each(|of| of.1 = Outcome::of(of.1) as i32);
        }
        best_of(answer, &scores)
    })
}

/// Returns the moves that look best by a search to a number of turns, extra moves included.
///
/// `None` for each answer if the game has no extra moves.
fn by_turns<G: Notation>(game: &G, turns: u32, answers: &[Scored<'_, G>]) -> Predictions {
    let is_again = |of: &Scored<'_, G>| {
        let (side, position) = (game.side_to_move(&of.answer.position), &of.answer.position);
        let mut moves = of.moves.iter();
        moves.any(|&(mv, _)| game.side_to_move(&game.play(position, mv)) == side)
    };
    if !answers.iter().any(is_again) {
        return vec![None; answers.len()];
    }
    let mut left = DEPTH_BUDGET;
    while_likely(answers, |of| {
        let position = &of.answer.position;
        let moves = of.moves.iter();
        let scores =
            moves.map(|&(mv, _)| Some((mv, after_move(game, position, mv, turns, &mut left)?)));
        let scores: Vec<_> = scores.collect::<Option<_>>()?;
        Some(highest(&scores, |score| score))
    })
}

/// Returns the value of a move by a search to the end of a number of turns, seen from its side.
///
/// `None` if more than `left` positions would be visited.
fn after_move<G: Notation>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    turns: u32,
    left: &mut u64,
) -> Option<i32> {
    let (side, child) = (game.side_to_move(position), game.play(position, mv));
    let turns = turns - u32::from(game.side_to_move(&child) != side);
    *left = left.checked_sub(1)?;
    let score = match game.final_score(&child) {
        Some(score) => score,
        None if turns == 0 => material(game, &child),
        None => {
            let mut best = None;
            for next in game.legal_moves(&child) {
                best = best.max(Some(after_move(game, &child, next, turns, left)?));
            }
            best?
        }
    };
    Some(game.score_of_move(side, &child, score))
}

/// Returns the moves that are best under misread rules, where a search is short.
fn by_rules<G: Notation>(mut search: Imagined<'_, G>, answers: &[Scored<'_, G>]) -> Predictions {
    let mut open = 0;
    while_likely(answers, |answer| {
        if search.is_spent() || open == MOST_OPEN {
            return None;
        }
        let scores = search.move_scores(&answer.answer.position);
        open = if scores.is_some() { 0 } else { open + 1 };
        best_of(answer, &scores?)
    })
}
