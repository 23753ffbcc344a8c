//! AIs in this process that read and write text, for any game.

use super::answer::read_move;
use super::player::{Contender, Fault, Player, Replies, Round, StartError};
use crate::game::Notation;
use std::sync::Arc;

/// AI in this process that reads positions and writes moves, many at a time.
pub trait TextAi: Send + Sync {
    /// Returns the AI's moves in unfinished positions, or its faults, in their order.
    ///
    /// It may return fewer only if the caller of the check is cancelling.
    fn moves(&self, positions: &[String]) -> Vec<Result<String, Fault>>;
}

/// Contender for an AI that reads and writes text.
pub struct InText(pub Arc<dyn TextAi>);

impl<'a, G: Notation> Contender<'a, G> for InText {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        Ok(Box::new(TextPlayer { ai: &*self.0, game }))
    }
}

struct TextPlayer<'a, G> {
    ai: &'a dyn TextAi,
    game: &'a G,
}

impl<G: Notation> Player<G> for TextPlayer<'_, G> {
    fn ask(&mut self, round: &Round<'_, G>, replies: &mut Replies<G>) -> Result<(), StartError> {
        if !round.may_go_on(0) {
            return Ok(());
        }
        let texts = round
            .positions
            .iter()
            .map(|position| self.game.format_position(position));
        let texts: Vec<String> = texts.collect();
        let answers = self.ai.moves(&texts);
        let mut faults = 0;
        for (position, answer) in round.positions.iter().zip(answers) {
            if faults >= round.faults {
                break;
            }
            let answer = answer.and_then(|answer| read_move(self.game, position, &answer));
            faults += usize::from(answer.is_err());
            replies.push(answer);
        }
        Ok(())
    }
}
