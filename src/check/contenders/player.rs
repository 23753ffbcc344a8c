//! The face that the referee sees of every AI, and what AIs can do wrong.

use crate::game::Notation;
use serde::Serialize;
use std::fmt;

/// What an AI did wrong other than play badly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FaultKind {
    /// A move that the rules don't allow there.
    Illegal,
    /// No answer in time.
    Timeout,
    /// It ended, or closed its input or output.
    Crash,
    /// An answer that is not one move.
    Malformed,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Illegal => "illegal",
            FaultKind::Timeout => "timeout",
            FaultKind::Crash => "crash",
            FaultKind::Malformed => "malformed",
        })
    }
}

/// One thing that an AI did wrong other than play badly.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fault {
    /// Which kind.
    pub kind: FaultKind,
    /// What happened, as the end of a sentence that begins with "the AI".
    pub detail: String,
    /// What the program was sent, where that isn't the position alone.
    pub sent: Option<String>,
    /// The last of what it wrote to its standard error, at most 4 KB.
    pub stderr: String,
    /// What else was noticed.
    #[serde(skip)]
    pub noticed: Box<Noticed>,
}

/// What was noticed around a fault, from which its cause may be guessed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Noticed {
    /// What it answered where a move was expected, without spaces around it; cut off after 200
    /// letters.
    pub answer: Option<String>,
    /// What came of asking again, as the end of the fault's detail.
    pub again: String,
    /// A line that nobody had asked for.
    pub extra: Option<String>,
    /// The number of lines that the program had written before, since it was started.
    pub lines_before: u64,
    /// The line after the wrong one was a legal move.
    pub move_followed: bool,
    /// What it had written of a line that it had not ended when its time was up.
    pub unended: Option<String>,
    /// The answer came only when the next position had been sent.
    pub answered_at_next: bool,
    /// The answer came only when the program's input had been closed.
    pub answered_at_end: bool,
}

impl Fault {
    /// A fault of an AI that wrote nothing to its standard error.
    #[must_use]
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Fault {
        Fault {
            kind,
            detail: detail.into(),
            sent: None,
            stderr: String::new(),
            noticed: Box::default(),
        }
    }

    /// The same fault of an AI that answered this.
    #[must_use]
    pub(super) fn answering(mut self, answer: &str) -> Fault {
        self.noticed.answer = Some(answer.chars().take(200).collect());
        self
    }

    /// The same fault of an AI that wrote this line without being asked.
    #[must_use]
    pub(super) fn writing_also(mut self, extra: &str) -> Fault {
        self.noticed.extra = Some(extra.trim().chars().take(200).collect());
        self
    }
}

/// What came back for one position: a legal move, or what went wrong.
pub type Reply<M> = Result<M, Fault>;

/// Why an AI can't be started, or not again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The command line can't be split into words.
    #[error("\"{command}\" can't be read as a command: {problem}")]
    Command {
        /// What was given.
        command: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A name that is none of those that are built in.
    #[error(
        "there is no builtin AI \"{0}\": there are perfect, random, random:SEED, first, greedy, minimax:DEPTH, negamax:DEPTH, alphabeta:DEPTH, negascout:DEPTH and mtdf:DEPTH, such as alphabeta:4"
    )]
    Builtin(String),
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

/// One round of questions and its bounds.
pub struct Round<'a, G: Notation> {
    /// The unfinished positions that are asked about.
    pub positions: &'a [G::Position],
    /// The moves that lead from the start to the position of this index, if they are known.
    pub ways: &'a dyn Fn(usize) -> Option<Vec<G::Move>>,
    /// The round ends after this number of faults.
    pub faults: usize,
    /// Whether to stop at once.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl<G: Notation> Round<'_, G> {
    /// Whether another question may be asked after this number of faults.
    #[must_use]
    pub fn may_go_on(&self, faults: usize) -> bool {
        faults < self.faults && !(self.stop)()
    }
}

/// An AI at work, of whatever kind, that the referee asks.
pub trait Player<G: Notation>: Send {
    /// Asks for moves. Pushes one reply for each position, in their order, and recovers from faults by
    /// itself; fewer replies only if the round's bounds say so. A player that can tell its AI the
    /// moves that lead to a position does.
    ///
    /// # Errors
    /// If the AI can't be started again after a fault.
    fn ask(
        &mut self,
        round: &Round<'_, G>,
        replies: &mut Vec<Reply<G::Move>>,
    ) -> Result<(), StartError>;

    /// Looks, after the last question, whether the AI has said more than it was asked for: then some
    /// of its answers may have been taken for those to other questions. The fault, with the position
    /// that was asked about last.
    fn finish(&mut self) -> Option<(G::Position, Fault)> {
        None
    }
}

/// Asks about one position, to which `way` leads from the start if that is known. Nothing if the
/// caller wants to stop.
pub(in crate::check) fn ask_one<G: Notation>(
    player: &mut dyn Player<G>,
    way: Option<&[G::Move]>,
    position: &G::Position,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Reply<G::Move>> {
    let round = Round {
        positions: std::slice::from_ref(position),
        ways: &|_| way.map(<[_]>::to_vec),
        faults: 1,
        stop,
    };
    let mut replies = Vec::new();
    let asked = player.ask(&round, &mut replies);
    replies
        .pop()
        .or_else(|| asked.err().map(|error| Err(gone(&error))))
}

/// The fault of an AI that worked before and can't be started again.
pub(in crate::check) fn gone(error: &StartError) -> Fault {
    let detail = format!("could not be started again after a fault: {error}");
    Fault::new(FaultKind::Crash, detail)
}

/// Makes players, one for each job.
pub trait Contender<'a, G: Notation>: Sync {
    /// A player.
    ///
    /// # Errors
    /// If it can't be started.
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError>;

    /// The command that starts it, if it is a program.
    fn command(&self) -> Option<&str> {
        None
    }
}
