//! Every line that can arise with the AI playing one side.

use super::team::Listed;
use super::walk::Walk;
use crate::check::judge::Judge;
use crate::check::{Asking, CheckError, CheckOptions};
use crate::game::{Notation, Side};
use crate::table::Table;

/// What was come to.
pub(in crate::check) struct Played<G: Notation> {
    /// One walk for each side that the AI played.
    walks: Vec<Walk<G>>,
    /// For each question its walk and its number there.
    asked: Vec<(u8, u32)>,
    /// Positions that were come to and not asked.
    pub left_out: u64,
}

impl<G: Notation> Played<G> {
    /// The moves that lead to the position of a question.
    pub fn line_to(&self, game: &G, index: u64) -> Vec<G::Move> {
        let (walk, number) = self.asked[index as usize];
        self.walks[usize::from(walk)].line_to(game, number as usize)
    }
}

/// Plays the side or sides; in the AI's turn its move, in the opponent's all of them, move by move
/// from the start.
pub(in crate::check) fn play<G: Notation>(
    table: &Table<G>,
    asking: &mut Asking<'_, '_, G>,
    options: &CheckOptions,
) -> Result<Played<G>, CheckError> {
    let judge = Judge::of_the_game(table)?;
    let both = [Side::First, Side::Second];
    let sides: Vec<Side> = both
        .into_iter()
        .filter(|&side| options.side.is_none_or(|only| only == side))
        .collect();
    let mut played = Played {
        walks: Vec::new(),
        asked: Vec::new(),
        left_out: 0,
    };
    asking.progress.phase("asking", "positions", 0);
    let mut quota = options.max_positions.unwrap_or(u64::MAX);
    for (number, &side) in sides.iter().enumerate() {
        let rest = (sides.len() - number) as u64;
        // What the first side doesn't need is the second's.
        let mut own_quota = quota / rest;
        quota -= own_quota;
        let mut walk = Walk::new(table.game(), options.memory / sides.len() as u64);
        play_side(
            table,
            asking,
            &judge,
            side,
            &mut walk,
            &mut own_quota,
            &mut played,
        )?;
        quota += own_quota;
        played.walks.push(walk);
        if asking.has_ended() {
            break;
        }
    }
    Ok(played)
}

fn play_side<G: Notation>(
    table: &Table<G>,
    asking: &mut Asking<'_, '_, G>,
    judge: &Judge<'_, G>,
    side: Side,
    walk: &mut Walk<G>,
    quota: &mut u64,
    played: &mut Played<G>,
) -> Result<(), CheckError> {
    let game = table.game();
    let mut level = vec![0];
    let mut moves = Vec::new();
    while !level.is_empty() {
        let (mut own, others): (Vec<usize>, Vec<usize>) = level
            .into_iter()
            .partition(|&number| game.side_to_move(&walk.positions[number]) == side);
        let met = own.len();
        let allowed = usize::try_from(*quota).unwrap_or(usize::MAX).min(met);
        played.left_out += (met - allowed) as u64;
        own.truncate(allowed);
        *quota -= allowed as u64;
        let positions: Vec<G::Position> = own
            .iter()
            .map(|&number| walk.positions[number].clone())
            .collect();
        let first = played.asked.len() as u64;
        let mut answers = Vec::with_capacity(own.len());
        let tally = &mut *asking.tally;
        let left = asking.faults.saturating_sub(tally.faults.len());
        let mut each =
            |index: u64, position: &G::Position, judged: crate::check::Judged<G::Move>| {
                answers.push(judged.answer.as_ref().ok().copied());
                tally.add(first + index, position, judged);
            };
        let source = Listed(&positions);
        asking
            .team
            .ask(&source, judge, left, asking.progress, &mut each)?;
        let walk_number = played.walks.len() as u8;
        let asked = own.iter().map(|&number| (walk_number, number as u32));
        played.asked.extend(asked.take(answers.len()));
        let is_cut = allowed < met;
        if asking.has_ended() {
            played.left_out += (allowed - answers.len()) as u64;
        }
        if is_cut || asking.has_ended() {
            return Ok(());
        }
        let answered = own.iter().zip(&answers);
        let mut steps: Vec<(usize, G::Move)> = answered
            .filter_map(|(&number, answer)| answer.map(|mv| (number, mv)))
            .collect();
        for number in others {
            game.moves(&walk.positions[number], &mut moves);
            steps.extend(moves.iter().map(|&mv| (number, mv)));
        }
        let mut next = Vec::new();
        for (parent, mv) in steps {
            let child = game.play(&walk.positions[parent], mv);
            if game.final_score(&child).is_none() {
                next.extend(walk.add(parent, child)?);
            }
        }
        level = next;
    }
    Ok(())
}
