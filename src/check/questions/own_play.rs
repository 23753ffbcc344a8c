//! Mistakes that come up in the AI's own play: it makes its moves, the other side any.

use super::walk::Walk;
use crate::check::contenders::{Player, Reply, Round};
use crate::check::error::CheckError;
use crate::check::judge::{Case, Judge, Judged, Tally};
use crate::game::{Game, Notation, Progress, Side};

/// How much may be done to find a mistake in the AI's own play.
pub(in crate::check) struct Effort {
    /// The questions that the AI may still be asked.
    pub questions: u64,
    /// The faults that it may still have.
    pub faults: usize,
    /// The positions that may still be looked at, those included in which its answer is known.
    pub positions: u64,
    /// The bytes that the list of positions may take.
    pub memory: u64,
}

/// How good a mistake is to be shown: one of the worst, by its number; one that changes the
/// outcome; one that costs only score.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::check) enum Rank {
    Worst(usize),
    OfOutcome,
    OfScore,
}

/// What was found with the AI playing one side.
pub(in crate::check) struct OwnPlay<G: Notation> {
    walk: Walk<G>,
    /// The first mistake of each rank and the number of its position.
    found: Vec<(Rank, usize, Case<G>)>,
    /// Whether nothing was left out.
    pub is_complete: bool,
}

impl<G: Notation> OwnPlay<G> {
    /// The mistakes with the moves that lead to them, those that are best to be shown first.
    pub fn mistakes(&self, game: &G) -> Vec<(Rank, Case<G>, Vec<G::Move>)> {
        let found = self.found.iter();
        let mut mistakes: Vec<_> = found
            .map(|(rank, number, case)| (*rank, case.clone(), self.walk.line_to(game, *number)))
            .collect();
        mistakes.sort_by_key(|&(rank, ..)| rank);
        mistakes
    }

    /// What the AI answered in a position, if it came up.
    pub fn answer(&self, game: &G, position: &G::Position) -> Option<G::Move> {
        self.walk.answer(game, position)
    }
}

/// Follows the AI's own play, move by move from the start, until the worst mistake of all comes up,
/// nothing more does, or the effort is used up. `known` is what the AI has answered before.
pub(in crate::check) fn own_play<G: Notation>(
    judge: &Judge<'_, G>,
    tally: &Tally<G>,
    side: Side,
    known: &dyn Fn(&G::Position) -> Option<G::Move>,
    player: &mut dyn Player<G>,
    effort: &mut Effort,
    progress: &dyn Progress,
) -> Result<OwnPlay<G>, CheckError> {
    let game = tally.game();
    let mut own = OwnPlay {
        walk: Walk::new(game, effort.memory),
        found: Vec::new(),
        is_complete: true,
    };
    let mut level = vec![0];
    while !level.is_empty() && own.is_complete {
        if progress.cancelled() {
            return Err(CheckError::Interrupted);
        }
        let (mut turns, others): (Vec<usize>, Vec<usize>) = level
            .into_iter()
            .partition(|&number| game.side_to_move(&own.walk.positions[number]) == side);
        let allowed = usize::try_from(effort.positions).unwrap_or(usize::MAX);
        own.is_complete &= turns.len() <= allowed;
        turns.truncate(allowed);
        effort.positions -= turns.len() as u64;
        let answers = answers(&mut own, &turns, known, player, effort, progress)?;
        let (numbers, replies): (Vec<usize>, Vec<Reply<G::Move>>) = answers.into_iter().unzip();
        let positions: Vec<G::Position> = numbers
            .iter()
            .map(|&number| own.walk.positions[number].clone())
            .collect();
        let mut steps = Vec::new();
        let judged = judge.weigh(&positions, replies, &|| progress.cancelled())?;
        for ((&number, position), judged) in numbers.iter().zip(&positions).zip(judged) {
            if let Ok(mv) = judged.answer {
                own.walk.keep_answer(game, number, mv);
                steps.push((number, mv));
            }
            own.add(number, position, judged, tally);
        }
        if own.found.iter().any(|&(rank, ..)| rank == Rank::Worst(0)) {
            break;
        }
        let mut moves = Vec::new();
        for number in others {
            game.moves(&own.walk.positions[number], &mut moves);
            steps.extend(moves.iter().map(|&mv| (number, mv)));
        }
        level = Vec::new();
        for (parent, mv) in steps {
            let child = game.play(&own.walk.positions[parent], mv);
            if game.final_score(&child).is_none() {
                match own.walk.add(parent, child) {
                    Ok(new) => level.extend(new),
                    Err(CheckError::TooMany { .. }) => own.is_complete = false,
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(own)
}

/// Replies with the numbers of their positions.
type Replies<G> = Vec<(usize, Reply<<G as Game>::Move>)>;

/// What the AI answers in some positions of the walk, of which it is asked only about those that
/// are new to it, and only as the effort allows.
fn answers<G: Notation>(
    own: &mut OwnPlay<G>,
    turns: &[usize],
    known: &dyn Fn(&G::Position) -> Option<G::Move>,
    player: &mut dyn Player<G>,
    effort: &mut Effort,
    progress: &dyn Progress,
) -> Result<Replies<G>, CheckError> {
    let mut answers = Vec::with_capacity(turns.len());
    let mut unknown = Vec::new();
    for &number in turns {
        match known(&own.walk.positions[number]) {
            Some(mv) => answers.push((
                number,
                Reply {
                    answer: Ok(mv),
                    time: None,
                },
            )),
            None => unknown.push(number),
        }
    }
    let allowed = usize::try_from(effort.questions).unwrap_or(usize::MAX);
    own.is_complete &= unknown.len() <= allowed;
    unknown.truncate(allowed);
    if effort.faults == 0 || unknown.is_empty() {
        own.is_complete &= unknown.is_empty();
        return Ok(answers);
    }
    let positions: Vec<G::Position> = unknown
        .iter()
        .map(|&number| own.walk.positions[number].clone())
        .collect();
    let round = Round {
        faults: effort.faults,
        stop: &|| progress.cancelled(),
    };
    let mut replies = Vec::with_capacity(positions.len());
    // One that can't be started again has not answered.
    let is_lost = player.ask(&positions, &round, &mut replies).is_err();
    if progress.cancelled() {
        return Err(CheckError::Interrupted);
    }
    own.is_complete &= replies.len() == positions.len();
    effort.questions -= replies.len() as u64;
    let faults = replies.iter().filter(|reply| reply.answer.is_err()).count();
    effort.faults = if is_lost {
        0
    } else {
        effort.faults.saturating_sub(faults)
    };
    answers.extend(unknown.into_iter().zip(replies));
    Ok(answers)
}

impl<G: Notation> OwnPlay<G> {
    /// Keeps a mistake if it is the first of its rank.
    fn add(
        &mut self,
        number: usize,
        position: &G::Position,
        judged: Judged<G::Move>,
        tally: &Tally<G>,
    ) {
        if judged.answer.is_err() || !judged.is_mistake(tally.standard()) {
            return;
        }
        let rank = match (tally.rank_of(position, &judged), judged.outcome_lost()) {
            (Some(worst), _) => Rank::Worst(worst),
            (None, Some(_)) => Rank::OfOutcome,
            (None, None) => Rank::OfScore,
        };
        if self.found.iter().all(|&(other, ..)| other != rank) {
            let case = Case {
                index: 0,
                position: position.clone(),
                judged,
                alike: 1,
            };
            self.found.push((rank, number, case));
        }
    }
}
