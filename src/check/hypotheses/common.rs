//! Common properties of the positions in which an AI makes mistakes.

use super::answers::Answer;
use crate::game::{Game, Notation, Side};
use std::collections::BTreeSet;

/// A property of positions, as the end of a sentence about mistakes: "as second player".
struct Feature {
    phrase: String,
    /// Whether each answer's position has it.
    held: Vec<bool>,
}

/// The smallest share of the mistakes for which a feature holds.
const SHARE: f64 = 0.95;

/// The smallest odds against so many mistakes with a feature by chance.
const ODDS: f64 = 1e6;

/// The largest share of the other answers for which it holds.
const OTHERS: f64 = 0.6;

/// Returns up to two properties that nearly all mistakes have, and few other answers.
///
/// Only answers in positions with a choice count.
pub(super) fn in_common<G: Notation>(game: &G, answers: &[Answer<G>]) -> Vec<String> {
    let answers = answers
        .iter()
        .filter(|of| game.legal_moves(&of.position).len() > 1);
    let answers: Vec<&Answer<G>> = answers.collect();
    let features = features(game, &answers);
    let mistakes = answers.iter().filter(|answer| answer.is_mistake).count() as f64;
    let mut left: Vec<usize> = (0..answers.len()).collect();
    let mut phrases = Vec::new();
    while phrases.len() < 2 {
        let rate = |feature: &Feature| {
            let held = left.iter().filter(|&&at| feature.held[at]);
            let wrong = held.clone().filter(|&&at| answers[at].is_mistake).count() as f64;
            let held = held.count() as f64;
            let (rate, others) = (held / left.len() as f64, left.len() as f64 - mistakes);
            let is_common = wrong >= SHARE * mistakes
                && held - wrong <= OTHERS * others
                && -rate.ln() * wrong >= ODDS.ln();
            is_common.then_some(rate)
        };
        let rates = features
            .iter()
            .filter_map(|feature| Some((rate(feature)?, feature)));
        let Some((_, best)) = rates.min_by(|one, other| one.0.total_cmp(&other.0)) else {
            break;
        };
        left.retain(|&at| best.held[at]);
        phrases.push(best.phrase.clone());
    }
    phrases
}

/// Returns the properties that are compared.
fn features<G: Notation>(game: &G, answers: &[&Answer<G>]) -> Vec<Feature> {
    let of = |phrase: String, holds: &dyn Fn(&G::Position) -> bool| Feature {
        phrase,
        held: answers
            .iter()
            .map(|answer| holds(&answer.position))
            .collect(),
    };
    let banked =
        |position: &G::Position, side| game.seen_from(side, position, game.banked(position));
    let can = |position: &G::Position, reaches: &dyn Fn(Side, &G::Position) -> bool| {
        let side = game.side_to_move(position);
        let mut moves = game.legal_moves(position).into_iter();
        moves.any(|mv| reaches(side, &game.play(position, mv)))
    };
    let mut features = vec![
        of("as first player".to_owned(), &|position| {
            game.side_to_move(position) == Side::First
        }),
        of("as second player".to_owned(), &|position| {
            game.side_to_move(position) == Side::Second
        }),
        of(
            "on boards that are turned or reflected".to_owned(),
            &|position| game.canonical(position) != *position,
        ),
        of("where a move wins at once".to_owned(), &|position| {
            can(position, &|side, after| {
                let score = game.final_score(after);
                score.is_some_and(|score| game.seen_from(side, after, score) > 0)
            })
        }),
        of(
            "where a move gains points at once".to_owned(),
            &|position| {
                can(position, &|side, after| {
                    banked(after, side) > banked(position, side)
                })
            },
        ),
        of("where a move earns another turn".to_owned(), &|position| {
            can(position, &|side, after| game.side_to_move(after) == side)
        }),
    ];
    let symmetry = game.capabilities().symmetry;
    let order = symmetry.order();
    // Of two images, one is the canonical position.
    let images = (0..order).filter(|_| order > 2);
    features.extend(images.map(|image| {
        of(format!("in 1 of {order} images of a board"), &|position| {
            symmetry.apply(image, &game.canonical(position)) == *position
        })
    }));
    features.extend(numbers(game, answers));
    features
}

/// Returns the properties that a number of a position is at most, or at least, some limit.
fn numbers<G: Notation>(game: &G, answers: &[&Answer<G>]) -> Vec<Feature> {
    let mut features = Vec::new();
    let mut limit = |name: &str, number: &dyn Fn(&G::Position) -> u32| {
        let numbers = answers.iter().map(|answer| number(&answer.position));
        features.extend(limits(answers, &numbers.collect::<Vec<_>>(), name));
    };
    limit(game.layer_name(), &|position| {
        game.layer(&game.canonical(position))
    });
    limit(&format!("legal {}s", game.move_noun()), &|position| {
        game.legal_moves(position).len() as u32
    });
    let own = |position: &G::Position| game.capabilities().checking.numbers(position);
    let names = answers.first().map(|answer| own(&answer.position));
    for (index, (name, _)) in names.into_iter().flatten().enumerate() {
        limit(name, &|position| own(position)[index].1);
    }
    features
}

/// Returns the properties that a number is at most, or at least, one that a mistake has.
fn limits<G: Game>(answers: &[&Answer<G>], numbers: &[u32], name: &str) -> Vec<Feature> {
    let wrong = answers
        .iter()
        .zip(numbers)
        .filter(|(answer, _)| answer.is_mistake);
    let limits: BTreeSet<u32> = wrong.map(|(_, &number)| number).collect();
    let both = |limit| {
        let at_most = numbers.iter().map(|&number| number <= limit);
        let at_least = numbers.iter().map(|&number| number >= limit);
        let held = [("most", at_most.collect()), ("least", at_least.collect())];
        held.map(|(word, held)| Feature {
            phrase: format!("with at {word} {limit} {name}"),
            held,
        })
    };
    limits.into_iter().flat_map(both).collect()
}
