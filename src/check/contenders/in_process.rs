//! AIs in this process: functions of a game's own type, and those that read and write text.

use super::player::{
    Fault, FaultKind, Player, Replies, Round, StartError, StartPlayer, legal, read_move,
};
use crate::game::Notation;
use crate::text::panic_message;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// AI in this process: it chooses a move in a position.
///
/// A closure `|game, position| move` is an AI.
pub trait Ai<G: Notation>: Send {
    /// Returns the AI's move in an unfinished position.
    ///
    /// A panic counts as a crash. The check then creates the AI again.
    fn choose(&mut self, game: &G, position: &G::Position) -> G::Move;
}

impl<G: Notation, F: FnMut(&G, &G::Position) -> G::Move + Send> Ai<G> for F {
    fn choose(&mut self, game: &G, position: &G::Position) -> G::Move {
        self(game, position)
    }
}

/// Contender for AIs that a closure creates.
pub struct InProcess<F>(pub F);

impl<'a, G: Notation, A: Ai<G> + 'a, F: Fn() -> A + Sync> StartPlayer<'a, G> for InProcess<F> {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        Ok(in_process(&self.0, game))
    }
}

/// Creates a player whose AI a closure creates.
pub(crate) fn in_process<'a, G: Notation, A: Ai<G> + 'a>(
    make: impl Fn() -> A + Send + 'a,
    game: &'a G,
) -> Box<dyn Player<G> + 'a> {
    let ai = make();
    Box::new(InProcessPlayer { make, ai, game })
}

struct InProcessPlayer<'a, G, A, F> {
    make: F,
    ai: A,
    game: &'a G,
}

impl<G: Notation, A: Ai<G>, F: Fn() -> A + Send> Player<G> for InProcessPlayer<'_, G, A, F> {
    fn ask(&mut self, round: &Round<'_, G>, replies: &mut Replies<G>) -> Result<(), StartError> {
        let mut faults = 0;
        for position in round.positions {
            if !round.may_continue(faults) {
                break;
            }
            let (ai, game) = (&mut self.ai, self.game);
            // After a panic the AI is replaced, so no broken state remains.
            let chosen = catch_unwind(AssertUnwindSafe(|| ai.choose(game, position)));
            let answer = match chosen {
                Ok(mv) => legal(game, position, mv),
                Err(panic) => {
                    self.ai = (self.make)();
                    let message = panic_message(&*panic).unwrap_or("something that is not text");
                    let detail = format!("panicked: {message}");
                    Err(Fault::new(FaultKind::Crash, detail))
                }
            };
            faults += usize::from(answer.is_err());
            replies.push(answer);
        }
        Ok(())
    }
}

/// AI in this process that reads positions and writes moves, many at a time.
pub trait TextAi: Send + Sync {
    /// Returns the AI's moves in unfinished positions, or its faults, in their order.
    ///
    /// It may return fewer only if the caller of the check is cancelling.
    fn moves(&self, positions: &[String]) -> Vec<Result<String, Fault>>;
}

/// Contender for an AI that reads and writes text.
pub struct InText(pub Arc<dyn TextAi>);

impl<'a, G: Notation> StartPlayer<'a, G> for InText {
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
        if !round.may_continue(0) {
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
