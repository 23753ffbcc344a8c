//! Interface between the checker and every kind of AI, the faults of AIs, and AIs in this process.
//!
//! An AI in this process is a function of a game's own type, or one that reads and writes text.

use crate::game::{Game, Notation, Progress};
use crate::text::{display_as_serialized, harmless, legal_moves, panic_message};
use bincode::{Decode, Encode};
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Kind of fault. Bad play is not a fault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Encode, Decode)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FaultKind {
    /// A move that is not legal in the position.
    Illegal,
    /// No answer in time.
    Timeout,
    /// The AI ended, or closed its input or output.
    Crash,
    /// An answer that is not one move.
    Malformed,
}

display_as_serialized!(FaultKind);

/// Fault of an AI: anything wrong other than bad play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fault {
    /// The kind by which reports count faults.
    pub kind: FaultKind,
    /// A description that completes a sentence beginning with "the AI".
    pub detail: String,
    /// The text sent to the program, if it was more than the position.
    pub sent: Option<String>,
    /// The end of its standard error, at most 4 KB.
    pub stderr: String,
    /// Observations from which the cause may be found; not part of reports.
    #[serde(skip)]
    pub(in crate::check) noticed: Box<Noticed>,
}

/// Observations around a fault, from which its cause may be found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::check) struct Noticed {
    /// The trimmed answer where a move was expected, at most 200 characters.
    pub answer: Option<String>,
    /// The result of asking again, as the end of the fault's detail.
    pub again: String,
    /// An unrequested line.
    pub extra: Option<String>,
    /// The number of earlier lines from the program since its start.
    pub lines_before: u64,
    /// Whether the line after the wrong one was a legal move.
    pub move_followed: bool,
    /// The unfinished line when its time was up.
    pub unended: Option<String>,
    /// Whether one answer came each time that the same position was sent again.
    pub answered_at_next: bool,
    /// Whether the answers came only after the program's input was closed.
    pub answered_at_end: bool,
}

impl Fault {
    /// Creates a fault without standard error.
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

    /// Adds the AI's answer to the fault.
    #[must_use]
    pub(super) fn with_answer(mut self, answer: &str) -> Fault {
        self.noticed.answer = Some(answer.chars().take(200).collect());
        self
    }

    /// Adds a line that the AI wrote without a request.
    #[must_use]
    pub(super) fn with_extra_line(mut self, extra: &str) -> Fault {
        self.noticed.extra = Some(extra.trim().chars().take(200).collect());
        self
    }
}

/// Returns the move if it is legal, and otherwise a fault.
pub(super) fn legal<G: Notation>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
) -> Result<G::Move, Fault> {
    // Solvers rely on the list, so a wrong `is_legal` must not decide.
    let legal = game.legal_moves(position);
    if legal.contains(&mv) {
        return Ok(mv);
    }
    let legal: Vec<String> = legal.into_iter().map(|mv| game.format_move(mv)).collect();
    let mv = game.format_move(mv);
    let legal = legal_moves(&legal, game.move_noun());
    let detail = format!("answered {mv}, but {legal}");
    Err(Fault::new(FaultKind::Illegal, detail).with_answer(&mv))
}

/// Parses an answer as a legal move, or returns a fault.
pub(super) fn read_move<G: Notation>(
    game: &G,
    position: &G::Position,
    text: &str,
) -> Result<G::Move, Fault> {
    match game.parse_move(text) {
        Ok(mv) => legal(game, position, mv),
        Err(error) => Err(Fault::new(
            FaultKind::Malformed,
            format!(
                "answered {:?}; {}, such as {}",
                shorten(text, 60),
                error.problem,
                error.example
            ),
        )
        .with_answer(text)),
    }
}

/// Returns the end of standard error as harmless text, to follow a description; empty if there is
/// none.
pub(in crate::check) fn stderr_note(text: &str) -> String {
    let lines: Vec<String> = text.trim().lines().map(harmless).collect();
    match &lines[..] {
        [] => String::new(),
        lines => format!("; its standard error ends with: {}", lines.join("\n")),
    }
}

/// Returns the text, cut off after this number of characters.
pub(super) fn shorten(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

/// Reply to a question about a position: a legal move, or a fault.
pub(crate) type Reply<M> = Result<M, Fault>;

/// Replies to questions about several positions, in their order.
pub(crate) type Replies<G> = Vec<Reply<<G as Game>::Move>>;

/// Reason why an AI can't be started, or not again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The command line can't be split into words.
    #[error("\"{command}\" can't be read as a command: {problem}")]
    Command {
        /// The command as given.
        command: String,
        /// The problem with it.
        problem: &'static str,
    },
    /// The command has a sign that only a shell understands, outside of quotation marks.
    #[error("no shell runs \"{command}\", so the program would get {sign} as an argument")]
    Shell {
        /// The command as given.
        command: String,
        /// The first such sign, for example `|`.
        sign: char,
    },
    /// The name is not that of a builtin AI.
    #[error(
        "there is no builtin AI \"{0}\": there are level:1 to level:10, perfect, random, softmax:TEMPERATURE (0.001 to 1000000), error:PROBABILITY (0 to 1), first, greedy, minimax:DEPTH, negamax:DEPTH, alphabeta:DEPTH, negascout:DEPTH and mtdf:DEPTH (1 to 99); a seed may follow all but first, as in alphabeta:4:7"
    )]
    Builtin(String),
    /// The operating system can't start the program.
    #[error("can't start the AI \"{command}\": {cause}")]
    Spawn {
        /// The command line that was to start the AI.
        command: String,
        /// The operating system's error.
        cause: std::io::Error,
    },
    /// The program was started but doesn't speak the protocol.
    #[error("the AI \"{command}\" {problem}")]
    Handshake {
        /// The command line that was to start the AI.
        command: String,
        /// The problem, as the end of a sentence that begins with the command.
        problem: String,
    },
}

/// Round of questions, with its limits.
pub(crate) struct Round<'a, G: Notation> {
    /// The positions to ask about, all unfinished.
    pub positions: &'a [G::Position],
    /// Returns the moves from the start to the position of this index, if known.
    pub ways: &'a dyn Fn(usize) -> Option<Vec<G::Move>>,
    /// The number of faults after which the round ends.
    pub faults: usize,
    /// May cancel the round.
    pub progress: &'a dyn Progress,
}

impl<G: Notation> Round<'_, G> {
    /// Returns whether to ask another question after this number of faults.
    #[must_use]
    pub fn may_continue(&self, faults: usize) -> bool {
        faults < self.faults && !self.progress.cancelled()
    }

    /// Asks a player; also returns whether its AI could not be restarted, which is then a reply.
    pub fn put_to(&self, player: &mut dyn Player<G>) -> (Replies<G>, bool) {
        let mut replies = Vec::new();
        let asked = player.ask(self, &mut replies);
        let failure = asked.err().filter(|_| replies.len() < self.positions.len());
        let cannot_restart = failure.is_some();
        replies.extend(failure.map(|error| Err(restart_failure(&error))));
        (replies, cannot_restart)
    }
}

/// Running AI of any kind that can be asked for moves.
pub(crate) trait Player<G: Notation>: Send {
    /// Asks for moves and pushes one reply per position, in order.
    ///
    /// It recovers from faults by itself. There are fewer replies only if the round's limits
    /// require it. A player passes the moves that lead to a position to its AI if the protocol
    /// allows it.
    ///
    /// # Errors
    /// If the AI can't be restarted after a fault.
    fn ask(&mut self, round: &Round<'_, G>, replies: &mut Replies<G>) -> Result<(), StartError>;

    /// Returns a fault if the AI has written more answers than it was asked for.
    ///
    /// It is called after the last question. Such an AI's answers may have been assigned to the
    /// wrong questions. The fault comes with the last position asked.
    fn finish(&mut self) -> Option<(G::Position, Fault)> {
        None
    }

    /// Returns the time per move of a program when it was asked last, if it has answered.
    fn pace(&self) -> Option<Duration> {
        None
    }

    /// Returns the end of a program's standard error since the last call.
    fn take_stderr(&mut self) -> String {
        String::new()
    }
}

/// Receiver of each line that an AI is sent, with the sign `>`, and that it writes, with `<`.
pub type Trace = Arc<dyn Fn(char, &str) + Send + Sync>;

/// Asks about one position; returns `None` if the caller cancels first.
///
/// `way` leads to it from the start, if known.
pub(crate) fn ask_one<G: Notation>(
    player: &mut dyn Player<G>,
    way: Option<&[G::Move]>,
    position: &G::Position,
    progress: &dyn Progress,
) -> Option<Reply<G::Move>> {
    let round = Round {
        positions: std::slice::from_ref(position),
        ways: &|_| way.map(<[_]>::to_vec),
        faults: 1,
        progress,
    };
    round.put_to(player).0.pop()
}

/// Returns the fault of an AI that can't be restarted.
fn restart_failure(error: &StartError) -> Fault {
    let detail = format!("could not be started again after a fault: {error}");
    Fault::new(FaultKind::Crash, detail)
}

/// AI of any kind that can be checked: [`InProcess`], [`External`](super::External) or [`InText`].
#[expect(private_bounds, reason = "sealed")]
pub trait Contender<'a, G: Notation>: StartPlayer<'a, G> {}

impl<'a, G: Notation, C: StartPlayer<'a, G>> Contender<'a, G> for C {}

/// Factory of players, one for each job.
pub(crate) trait StartPlayer<'a, G: Notation>: Sync {
    /// Starts a player.
    ///
    /// # Errors
    /// If the AI can't be started.
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError>;

    /// Returns the command that starts the AI, if it is a program.
    fn command(&self) -> Option<&str> {
        None
    }

    /// Announces questions that repeat earlier ones ([`TextAi::begin_again`]).
    fn begin_again(&self) {}
}

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

/// Contender for AIs that a closure creates: `f()` returns an [`Ai`], for each copy and after a panic.
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
            let answer = match unless_it_panics(|| ai.choose(game, position)) {
                Ok(mv) => legal(game, position, mv),
                Err(fault) => {
                    self.ai = (self.make)();
                    Err(fault)
                }
            };
            faults += usize::from(answer.is_err());
            replies.push(answer);
        }
        Ok(())
    }
}

/// Returns a panic of an AI as a fault.
fn unless_it_panics<T>(ask: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(ask)).map_err(|panic| {
        let message = panic_message(&*panic).unwrap_or("something that is not text");
        Fault::new(FaultKind::Crash, format!("panicked: {message}"))
    })
}

/// AI in this process that reads positions and writes moves, many at a time.
///
/// Positions are written as [`Notation::format_position`] does. Pass the AI to a check as
/// `AnyAi::Text(InText(Arc::new(ai)))`.
pub trait TextAi: Send + Sync {
    /// Returns the AI's moves in unfinished positions, or its faults, in their order.
    ///
    /// It may return fewer only if the caller of the check is cancelling.
    fn moves(&self, positions: &[String]) -> Vec<Result<String, Fault>>;

    /// Announces that all further questions repeat earlier ones, to compare the answers.
    ///
    /// An AI that saves its answers should then choose anew.
    fn begin_again(&self) {}
}

/// Contender for an AI that reads and writes text.
pub struct InText(pub Arc<dyn TextAi>);

impl<'a, G: Notation> StartPlayer<'a, G> for InText {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        Ok(Box::new(TextPlayer { ai: &*self.0, game }))
    }

    fn begin_again(&self) {
        self.0.begin_again();
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
        let answers = unless_it_panics(|| self.ai.moves(&texts));
        // After a panic, each position is asked alone, to find out which ones cause it.
        let alone = |text: &String| {
            let asked = unless_it_panics(|| self.ai.moves(std::slice::from_ref(text)));
            asked.unwrap_or_else(|fault| vec![Err(fault)])
        };
        let answers = answers.unwrap_or_else(|_| texts.iter().flat_map(alone).collect());
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
