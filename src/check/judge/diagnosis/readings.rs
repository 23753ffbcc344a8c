//! Answers that would be legal if positions or moves were written in another way.

use crate::check::contenders::{Fault, FaultKind};
use crate::check::readings::Readings;
use crate::game::Notation;
use std::collections::BTreeSet;

/// Evidence for or against a cause.
pub(in crate::check) struct Evidence<'a, G: Notation> {
    pub game: &'a G,
    /// The faults, with their positions.
    pub faults: &'a [(G::Position, Fault)],
    /// Legal answers with their positions, perhaps not all.
    pub right: Vec<(G::Position, G::Move)>,
    /// The command that starts the AI, if it is a program.
    pub command: Option<&'a str>,
}

impl<G: Notation> Evidence<'_, G> {
    pub(in crate::check) fn all(&self, holds: impl Fn(&Fault) -> bool) -> bool {
        self.faults.iter().all(|(_, fault)| holds(fault))
    }

    pub(in crate::check) fn is_python(&self) -> bool {
        let command = self.command.unwrap_or_default();
        command.contains("python") || command.contains(".py")
    }
}

/// The number of faults below which there is no evidence.
const FEWEST: usize = 3;

/// The highest probability, by chance, of a fit that counts as evidence.
const UNLIKELY: f64 = 1e-4;

/// The probability that chance turns a malformed answer into a move.
const BECOMES_A_MOVE: f64 = 0.1;

/// Returns the notation in which all answers would be legal moves.
pub(super) fn misreading<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    let game = evidence.game;
    let answers = Answers::of(evidence)?;
    let readings = Readings::new(game);
    let positions = || answers.all.iter().map(|(position, _)| *position);
    let at: Vec<_> = positions().map(|position| readings.at(position)).collect();
    let is_legal = |position: &G::Position, text: &str| {
        let read = game.parse_move(text);
        read.is_ok_and(|mv| game.is_legal(position, mv))
    };
    let ways = readings.all.iter().map(|way| {
        let chance = answers.chance(|number, text| at[number].meant(way, text).is_some());
        (chance, Some(way))
    });
    // The last word of a position says whose turn it is.
    let start = game.format_position(&game.start());
    let of_first = |position: &G::Position| {
        let text = game.format_position(position);
        let (board, first) = (text.rsplit_once(' ')?.0, start.rsplit_once(' ')?.1);
        game.parse_position(&format!("{board} {first}")).ok()
    };
    let of_first: Vec<_> = positions().map(of_first).collect();
    let as_first = answers.chance(|number, text| {
        let position = of_first[number].as_ref();
        position.is_some_and(|position| is_legal(position, text))
    });
    let likely = ways
        .chain([(as_first, None)])
        .filter(|&(chance, _)| chance <= UNLIKELY);
    let (_, way) = likely.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let Some(way) = way else {
        let first = "it plays as if the first player were always to move: the last word of a \
                     position says whose turn it is";
        return Some(first.into());
    };
    let example = at.iter().zip(&answers.all).find_map(|(at, (_, answer))| {
        let meant = game.format_move(at.meant(way, answer)?);
        (meant != *answer).then(|| format!(": {answer:?} where it means {meant}"))
    });
    Some(format!(
        "it {}{}",
        way.sentence,
        example.unwrap_or_default()
    ))
}

/// Answers, with their positions.
struct Answers<'a, G: Notation> {
    game: &'a G,
    all: Vec<(&'a G::Position, String)>,
    distinct: BTreeSet<String>,
}

impl<'a, G: Notation> Answers<'a, G> {
    /// Collects the answers; `None` if there are too few, or a fault of another kind.
    fn of(evidence: &'a Evidence<'a, G>) -> Option<Answers<'a, G>> {
        let game = evidence.game;
        let faulty = evidence.faults.iter().map(|(position, fault)| {
            let is_answer = matches!(fault.kind, FaultKind::Illegal | FaultKind::Malformed)
                && fault.noticed.extra.is_none();
            let answer = fault.noticed.answer.clone().filter(|_| is_answer)?;
            Some((position, answer))
        });
        let mut all: Vec<(&G::Position, String)> = faulty.collect::<Option<_>>()?;
        let positions = all
            .iter()
            .map(|(position, _)| game.format_position(position));
        if positions.collect::<BTreeSet<_>>().len() < FEWEST {
            return None;
        }
        let right = evidence.right.iter();
        all.extend(right.map(|(position, mv)| (position, game.format_move(*mv))));
        let distinct = all.iter().map(|(_, answer)| answer.clone()).collect();
        Some(Answers {
            game,
            all,
            distinct,
        })
    }

    /// Returns the probability that all answers fit by chance.
    ///
    /// `fits` says whether an answer fits the position of this number.
    /// The model is an AI that gives the same answers in another order. The result is 1 if not all
    /// of them fit.
    fn chance(&self, fits: impl Fn(usize, &str) -> bool) -> f64 {
        let mut fitting = self.all.iter().enumerate();
        if !fitting.all(|(number, (_, answer))| fits(number, answer)) {
            return 1.0;
        }
        let chances = self.all.iter().enumerate().map(|(number, (_, answer))| {
            let answers = self.distinct.iter();
            let fitting = answers.filter(|answer| fits(number, answer)).count();
            let share = fitting as f64 / self.distinct.len() as f64;
            match self.game.parse_move(answer) {
                Ok(_) => share,
                Err(_) => share * BECOMES_A_MOVE,
            }
        });
        chances.product()
    }
}
