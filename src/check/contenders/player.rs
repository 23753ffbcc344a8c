//! Who is asked: AIs in this process, and the face that the referee sees of all AIs.

use crate::check::CheckError;
use crate::game::Notation;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// An AI in this process: all it needs is a move for a position.
///
/// A closure `|game, position| move` is one.
pub trait Ai<G: Notation>: Send {
    /// The AI's move in an unfinished position. A panic counts as a crash, and the AI is made anew.
    fn choose(&mut self, game: &G, position: &G::Position) -> G::Move;
}

impl<G: Notation, F: FnMut(&G, &G::Position) -> G::Move + Send> Ai<G> for F {
    fn choose(&mut self, game: &G, position: &G::Position) -> G::Move {
        self(game, position)
    }
}

/// What an AI did wrong other than play badly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FaultKind {
    /// A move that the rules don't allow there.
    Illegal,
    /// No answer in time.
    Timeout,
    /// It ended, or closed its input or output.
    Crash,
    /// An answer that is not one move.
    Garbled,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Illegal => "illegal",
            FaultKind::Timeout => "timeout",
            FaultKind::Crash => "crash",
            FaultKind::Garbled => "garbled",
        })
    }
}

/// One thing that an AI did wrong other than play badly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Which kind.
    pub kind: FaultKind,
    /// What happened, as the end of a sentence that begins with "the AI".
    pub detail: String,
    /// The last of what it wrote to its standard error, at most 4 KB.
    pub stderr: String,
}

impl Fault {
    pub(super) fn new(kind: FaultKind, detail: impl Into<String>) -> Fault {
        Fault {
            kind,
            detail: detail.into(),
            stderr: String::new(),
        }
    }
}

/// What came back for one position.
#[derive(Clone, Debug)]
pub struct Reply<M> {
    /// A legal move, or what went wrong.
    pub answer: Result<M, Fault>,
    /// How long it took.
    pub time: Duration,
}

/// An AI can't be started, or not again.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The command line can't be split into words.
    #[error("--ai \"{command}\" can't be read as a command: {problem}")]
    Command {
        /// What was given.
        command: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The system refuses to start it.
    #[error("can't start the AI \"{command}\": {cause}")]
    Spawn {
        /// What was to be started.
        command: String,
        /// What the system says.
        cause: std::io::Error,
    },
    /// It was started but doesn't speak the protocol.
    #[error("the AI \"{command}\" {problem}")]
    Handshake {
        /// What was started.
        command: String,
        /// What went wrong.
        problem: String,
    },
}

/// Bounds of one round of questions.
pub struct Round<'a> {
    /// After so many faults no more is asked.
    pub faults: usize,
    /// Whether to stop at once.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// An AI at work, of whatever kind, that the referee asks.
pub trait Player<G: Notation>: Send {
    /// Asks for moves in unfinished positions. Pushes one reply for each, in their order, and
    /// recovers from faults by itself; fewer replies only if the round's bounds say so.
    ///
    /// # Errors
    /// If the AI can't be started again after a fault.
    fn ask(
        &mut self,
        positions: &[G::Position],
        round: &Round<'_>,
        replies: &mut Vec<Reply<G::Move>>,
    ) -> Result<(), StartError>;

    /// Asks for a move in the position that these moves lead to from the start. A player that can
    /// tell the moves to its AI does.
    ///
    /// # Errors
    /// As [`Player::ask`].
    fn ask_after(
        &mut self,
        _moves: &[G::Move],
        position: &G::Position,
        round: &Round<'_>,
        replies: &mut Vec<Reply<G::Move>>,
    ) -> Result<(), StartError> {
        self.ask(std::slice::from_ref(position), round, replies)
    }
}

/// Asks about one position, to which `way` leads from the start if that is known.
pub(in crate::check) fn ask_one<G: Notation>(
    player: &mut dyn Player<G>,
    way: Option<&[G::Move]>,
    position: &G::Position,
    round: &Round<'_>,
) -> Result<Reply<G::Move>, CheckError> {
    let mut replies = Vec::new();
    let asked = match way {
        Some(way) => player.ask_after(way, position, round, &mut replies),
        None => player.ask(std::slice::from_ref(position), round, &mut replies),
    };
    match (replies.pop(), asked) {
        (Some(reply), _) => Ok(reply),
        (None, Err(error)) => Ok(gone(&error)),
        (None, Ok(())) => Err(CheckError::Interrupted),
    }
}

/// The reply of an AI that worked before and can't be started again.
pub(in crate::check) fn gone<M>(error: &StartError) -> Reply<M> {
    let detail = format!("could not be started again after a fault: {error}");
    Reply {
        answer: Err(Fault::new(FaultKind::Crash, detail)),
        time: Duration::ZERO,
    }
}

/// Something that players can be made of, one for each job.
pub trait Contender<'a, G: Notation>: Sync {
    /// A player.
    ///
    /// # Errors
    /// If it can't be started.
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError>;
}

/// AIs in this process, made by a closure.
pub struct InProcess<F>(pub F);

impl<'a, G: Notation, A: Ai<G> + 'a, F: Fn() -> A + Sync> Contender<'a, G> for InProcess<F> {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        Ok(Box::new(InProcessPlayer {
            make: &self.0,
            ai: (self.0)(),
            game,
        }))
    }
}

struct InProcessPlayer<'a, G, A, F> {
    make: &'a F,
    ai: A,
    game: &'a G,
}

impl<G: Notation, A: Ai<G>, F: Fn() -> A + Sync> Player<G> for InProcessPlayer<'_, G, A, F> {
    fn ask(
        &mut self,
        positions: &[G::Position],
        round: &Round<'_>,
        replies: &mut Vec<Reply<G::Move>>,
    ) -> Result<(), StartError> {
        let mut faults = 0;
        let mut began = Instant::now();
        for position in positions {
            if faults >= round.faults || (round.stop)() {
                break;
            }
            let (ai, game) = (&mut self.ai, self.game);
            // What a panic leaves behind is thrown away.
            let chosen = catch_unwind(AssertUnwindSafe(|| ai.choose(game, position)));
            let answer = match chosen {
                Ok(mv) => legal(game, position, mv),
                Err(panic) => {
                    self.ai = (self.make)();
                    let message = panic
                        .downcast_ref::<String>()
                        .map(String::as_str)
                        .or_else(|| panic.downcast_ref::<&str>().copied())
                        .unwrap_or("something that is no text");
                    let detail = format!("panicked: {message}");
                    Err(Fault::new(FaultKind::Crash, detail))
                }
            };
            faults += usize::from(answer.is_err());
            let now = Instant::now();
            replies.push(Reply {
                answer,
                time: now - began,
            });
            began = now;
        }
        Ok(())
    }
}

/// The move, if the rules allow it.
pub(super) fn legal<G: Notation>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
) -> Result<G::Move, Fault> {
    if game.is_legal(position, mv) {
        return Ok(mv);
    }
    let names = |moves: &[G::Move]| -> Vec<String> {
        moves.iter().map(|&mv| game.format_move(mv)).collect()
    };
    let legal = names(&game.legal_moves(position));
    let (noun, mv) = (game.move_noun(), game.format_move(mv));
    let detail = match &legal[..] {
        [only] => format!("answered {mv}, but the only legal {noun} is {only}"),
        _ => format!(
            "answered {mv}, but the legal moves are {}",
            legal.join(", ")
        ),
    };
    Err(Fault::new(FaultKind::Illegal, detail))
}

/// What an AI's answer says.
pub(super) fn read_move<G: Notation>(
    game: &G,
    position: &G::Position,
    text: &str,
) -> Result<G::Move, Fault> {
    match game.parse_move(text) {
        Ok(mv) => legal(game, position, mv),
        Err(error) => Err(Fault::new(
            FaultKind::Garbled,
            format!(
                "answered {:?}; {}, such as {}",
                shorten(text, 60),
                error.problem,
                error.example
            ),
        )),
    }
}

/// At most so many letters of a text.
pub(super) fn shorten(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
