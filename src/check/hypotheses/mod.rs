//! Explanation of an AI's moves: the moves of players with a known error, compared with its own.
//!
//! A hypothesis is a sentence and the moves that it allows in a position: those that are best under
//! misread rules, with another aim, or by a search to some depth. An answer is one of the allowed
//! moves with probability `(1 - NOISE) / allowed`, or any legal move with `NOISE / legal`. A player
//! may also break ties always by the first or always by the last of the allowed moves. A hypothesis
//! is named if all of this holds:
//!
//! * It allows at least 95% of the answers, and 80% of the mistakes.
//! * It is at least a million times as likely as good play under the right rules, and as random play.
//!   Misread rules are also compared with good play for the outcome only, which isn't wrong where
//!   scores count plies.
//! * It is at least a thousand times as likely as every other hypothesis with these properties, apart
//!   from those that allow the same moves, and from searches to another depth with the same misread
//!   rule. A hypothesis without a misread rule need only not be beaten by one with a misread rule.
//!
//! Each hypothesis has a budget of positions, so that the result doesn't depend on time. At large
//! games it therefore covers only the answers nearest to the end, where searches are short.

mod allowed;
mod answers;
mod common;
mod imagined;
#[cfg(test)]
mod tests;

use crate::check::error::CheckError;
use crate::check::options::CheckOptions;
use crate::check::readings::Readings;
use crate::game::{Game, Notation, Progress, boxed};
use crate::oracle::Oracle;
use allowed::{FACT, Hypothesis, Known, hypotheses};
pub(in crate::check) use answers::Answer;
use answers::{MoveSet, Predictions, Scored};
use serde::Serialize;

/// Probability that a player with an error makes a move that the error doesn't explain.
const NOISE: f64 = 0.02;

/// The smallest odds against good and random play, and against every other hypothesis.
const AGAINST_NAMELESS: f64 = 1e6;
const AGAINST_OTHERS: f64 = 1e3;

/// The smallest share of the mistakes that a hypothesis explains.
const OF_MISTAKES: f64 = 0.8;

/// The number of answers that are compared, at most: with a table, and with a search.
const MOST: usize = 1 << 14;
const MOST_SEARCHED: usize = 200;

/// Explanation of an AI's mistakes, and their common properties.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The hypothesis that explains the answers, if there is one.
    pub explanation: Option<Explanation>,
    /// Up to two properties that nearly all mistakes share and few other answers have.
    ///
    /// Each is the end of a sentence, such as "as second player".
    pub in_common: Vec<String>,
    /// The position of a mistake that is nearest to the end, and the AI's move in it.
    pub smallest: Option<(String, String)>,
    /// The hypotheses that were compared, each as the end of a sentence that begins "It".
    ///
    /// A misread rule stands for searches to the end and to some depths. Empty without mistakes.
    pub compared: Vec<String>,
}

/// A hypothesis that explains the answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Explanation {
    /// The hypothesis, as the end of a sentence that begins "It", without a full stop.
    pub sentence: String,
    /// The number of mistakes compared.
    pub mistakes: usize,
    /// The number of these that the hypothesis allows.
    pub mistakes_explained: usize,
    /// The number of other answers compared.
    pub others: usize,
    /// The number of these that the hypothesis allows.
    pub others_explained: usize,
    /// Whether all answers were compared in whose positions there was a choice.
    #[serde(skip)]
    pub(in crate::check) is_whole: bool,
}

/// Compares the answers with all hypotheses.
///
/// # Errors
/// If the oracle fails, or the caller cancels.
pub(in crate::check) fn diagnose<G: Notation>(
    oracle: &dyn Oracle<G>,
    answers: &[Answer<G>],
    options: &CheckOptions,
    progress: &dyn Progress,
) -> Result<Diagnosis, CheckError> {
    if answers.iter().all(|answer| !answer.is_mistake) {
        return Ok(Diagnosis::default());
    }
    let scored = scored(oracle, answers, progress)?;
    let game = oracle.game();
    let mut misreadings = game.capabilities().checking.misreadings();
    misreadings.extend(boxed(options.misreadings.iter().cloned()));
    let known = Known {
        game,
        misreadings,
        readings: Readings::new(game),
    };
    let all = hypotheses(&known);
    let kinds = all[1..]
        .iter()
        .filter(|of| !matches!(of, Hypothesis::Rules(_, Some(_))));
    let compared = kinds.map(|of| of.sentence(&known, None)).collect();
    let mut predictions = Vec::new();
    for hypothesis in &all {
        if progress.cancelled() {
            return Err(CheckError::Interrupted);
        }
        predictions.push(hypothesis.allowed(oracle, &known, &scored)?);
    }
    let named = named(&scored, &all, &predictions);
    let explanation = named.map(|(number, deepest)| {
        let sentence = all[number].sentence(&known, deepest);
        explanation(sentence, &scored, &predictions[number])
    });
    let smallest = scored.iter().filter(|of| of.answer.is_mistake);
    let smallest = smallest.min_by_key(|of| (nearness(game, of.answer), of.moves.len()));
    Ok(Diagnosis {
        explanation,
        in_common: common::in_common(game, answers),
        smallest: smallest.map(|of| {
            let position = game.format_position(&of.answer.position);
            (position, game.format_move(of.answer.mv))
        }),
        compared,
    })
}

/// Returns a number that is less, the farther an answer's position is from the start.
fn nearness<G: Notation>(game: &G, answer: &Answer<G>) -> std::cmp::Reverse<u32> {
    let layer = |position: &G::Position| game.layer(&game.canonical(position));
    std::cmp::Reverse(layer(&answer.position).abs_diff(layer(&game.start())))
}

/// Returns the answers with the scores of all moves, those farthest from the start first.
///
/// Answers in positions with one move, or too many for a [`MoveSet`], show nothing.
fn scored<'a, G: Notation>(
    oracle: &dyn Oracle<G>,
    answers: &'a [Answer<G>],
    progress: &dyn Progress,
) -> Result<Vec<Scored<'a, G>>, CheckError> {
    let game = oracle.game();
    let mut order: Vec<&Answer<G>> = answers.iter().collect();
    order.sort_by_cached_key(|answer| nearness(game, answer));
    let most = match oracle.effort() {
        None => MOST,
        Some(_) => MOST_SEARCHED,
    };
    let mut scored = Vec::new();
    for answer in order {
        let legal = game.legal_moves(&answer.position);
        if !(2..=MoveSet::BITS as usize).contains(&legal.len()) {
            continue;
        }
        if scored.len() == most || progress.cancelled() {
            break;
        }
        let scores = oracle.move_scores(&answer.position)?;
        let score_of = |mv: &G::Move| scores.iter().find(|(other, _)| other == mv);
        let moves = legal.iter().filter_map(score_of).copied();
        let chosen = legal.iter().position(|mv| *mv == answer.mv);
        scored.extend(chosen.map(|chosen| Scored {
            answer,
            moves: moves.collect(),
            chosen,
        }));
    }
    Ok(scored)
}

/// Returns the logarithms of an answer's probability if ties are broken at random, by the first of
/// the allowed moves, and by the last.
fn log_likelihoods<G: Game>(scored: &Scored<'_, G>, allowed: MoveSet) -> [f64; 3] {
    let first = allowed & allowed.wrapping_neg();
    let last = 1 << allowed.checked_ilog2().unwrap_or(0) & allowed;
    let noise = NOISE / scored.moves.len() as f64;
    [allowed, first, last].map(|allowed| match scored.is_in(allowed) {
        true => ((1.0 - NOISE) / f64::from(allowed.count_ones()) + noise).ln(),
        false => noise.ln(),
    })
}

/// Returns the logarithm of the likelihood of the answers under a hypothesis.
///
/// Only answers count for which another one is known, too. Ties are broken as suits it best.
fn log_likelihood<G: Game>(
    scored: &[Scored<'_, G>],
    own: &Predictions,
    other: &Predictions,
) -> f64 {
    let mut sums = [0.0; 3];
    for ((own, other), scored) in own.iter().zip(other).zip(scored) {
        let terms = own.filter(|_| other.is_some());
        let terms = terms.map(|allowed| log_likelihoods(scored, allowed));
        for (sum, term) in sums.iter_mut().zip(terms.into_iter().flatten()) {
            *sum += term;
        }
    }
    sums.into_iter().fold(f64::MIN, f64::max)
}

/// Returns the logarithm of the odds of one hypothesis against another.
fn log_odds<G: Game>(scored: &[Scored<'_, G>], one: &Predictions, other: &Predictions) -> f64 {
    log_likelihood(scored, one, other) - log_likelihood(scored, other, one)
}

/// Returns the logarithm of the odds of a hypothesis against random play.
fn log_odds_against_random<G: Game>(scored: &[Scored<'_, G>], own: &Predictions) -> f64 {
    let known = own.iter().zip(scored).filter(|(own, _)| own.is_some());
    let random: f64 = known.map(|(_, of)| -(of.moves.len() as f64).ln()).sum();
    log_likelihood(scored, own, own) - random
}

/// Returns whether two hypotheses allow the same moves wherever both are known.
fn are_same(one: &Predictions, other: &Predictions) -> bool {
    let mut pairs = one.iter().zip(other);
    pairs.all(|pair| match pair {
        (Some(one), Some(other)) => one == other,
        _ => true,
    })
}

/// Returns the answers for which a hypothesis is known: whether each is a mistake, and allowed.
fn compared<'a, G: Game>(
    scored: &'a [Scored<'_, G>],
    own: &'a Predictions,
) -> impl Iterator<Item = (bool, bool)> + 'a {
    let pairs = own.iter().zip(scored);
    pairs.filter_map(|(own, of)| Some((of.answer.is_mistake, of.is_in((*own)?))))
}

/// Returns the share of the answers, or of the mistakes only, that a hypothesis allows.
fn share_of<G: Game>(scored: &[Scored<'_, G>], own: &Predictions, of_mistakes: bool) -> f64 {
    let hits = compared(scored, own).filter(|(is_mistake, _)| !of_mistakes || *is_mistake);
    let hits: Vec<bool> = hits.map(|(_, is_allowed)| is_allowed).collect();
    hits.iter().filter(|hit| **hit).count() as f64 / hits.len().max(1) as f64
}

/// Returns the number of the hypothesis that explains the answers.
///
/// The first is the truth, and the second plays for the outcome only. With a misread rule, also
/// returns the depth of the deepest search that explains as much.
fn named<G: Game>(
    scored: &[Scored<'_, G>],
    all: &[Hypothesis],
    predictions: &[Predictions],
) -> Option<(usize, Option<u32>)> {
    let candidates = (1..predictions.len()).filter(|&number| {
        let own = &predictions[number];
        let is_likelier = |than| log_odds(scored, own, than) >= AGAINST_NAMELESS.ln();
        share_of(scored, own, false) >= all[number].least_share()
            && share_of(scored, own, true) >= OF_MISTAKES
            && is_likelier(&predictions[0])
            && (all[number].rule().is_none() || is_likelier(&predictions[1]))
            && log_odds_against_random(scored, own) >= AGAINST_NAMELESS.ln()
    });
    let candidates: Vec<usize> = candidates.collect();
    let beats = |number: usize, other: usize| {
        log_odds(scored, &predictions[number], &predictions[other]) >= AGAINST_OTHERS.ln()
    };
    let stands_out = |&number: &usize| {
        let own = &predictions[number];
        // It is a fact that an AI plays the first legal move, whatever else would lead to it.
        let is_fact = all[number].is_fact() && share_of(scored, own, false) >= FACT;
        is_fact
            || candidates
                .iter()
                .all(|&other| match (all[number].rule(), all[other].rule()) {
                    (Some(one), Some(other)) if one == other => true,
                    // Misread rules are named only if no simpler reason will do.
                    (None, Some(_)) => !beats(other, number),
                    _ => are_same(own, &predictions[other]) || beats(number, other),
                })
    };
    // The simplest, unless a later one is far more likely.
    let named = candidates.iter().copied().filter(stands_out);
    let named = named.reduce(|simplest, number| match beats(number, simplest) {
        true => number,
        false => simplest,
    })?;
    let alike = candidates
        .iter()
        .filter(|&&other| all[other].rule() == all[named].rule() && !beats(named, other));
    Some((named, alike.filter_map(|&other| all[other].depth()).max()))
}

/// Counts the answers that a hypothesis allows.
fn explanation<G: Game>(
    sentence: String,
    scored: &[Scored<'_, G>],
    own: &Predictions,
) -> Explanation {
    let count = |is_mistake: bool, is_explained: bool| {
        let counts = |of: &(bool, bool)| of.0 == is_mistake && (of.1 || !is_explained);
        compared(scored, own).filter(counts).count()
    };
    Explanation {
        sentence,
        mistakes: count(true, false),
        mistakes_explained: count(true, true),
        others: count(false, false),
        others_explained: count(false, true),
        is_whole: own.iter().all(Option::is_some),
    }
}
