//! AIs that the command line names, as opponents.
//!
//! ```text
//! requests ──► open questions ──► thread of an AI at a game ──► process of the AI
//! ```
//!
//! The processes run as those that `check-ai` starts, and end with the server.

use super::host::timeout;
use super::problem::Problem;
use crate::any::{AnyAi, AnyOracle, MoveQuestion, MoveReply};
use crate::check::builtin::Builtin;
use crate::cli::args::ai::{AiArgs, Entrant};
use crate::pool::lock;
use anyhow::bail;
use axum::http::StatusCode;
use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Time that a page waits for a move before it says that the AI is thinking.
const PATIENCE: Duration = Duration::from_millis(300);
/// Time that a question stays open after the last request for its answer.
const GRACE: Duration = Duration::from_secs(20);
/// Maximum number of open questions. Visitors with others may try again.
const MOST_OPEN: usize = 200;
/// Maximum number of processes. The one that was asked longest ago makes room for the next.
const MOST_PROCESSES: usize = 16;
/// Number of moves whose standard error is retained.
const MOST_NOTES: usize = 1000;

/// The AIs of a server.
#[derive(Default)]
pub struct Ais {
    named: Vec<(String, Arc<AnyAi>)>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The questions of each AI at each game, the one asked last at the end.
    queues: Vec<((String, String), Queue)>,
    open: HashMap<String, Arc<Question>>,
    /// Turns, moves and what the AI wrote to standard error, oldest first.
    notes: VecDeque<(String, String, String)>,
}

/// The questions to one process.
type Queue = Sender<Arc<Question>>;

/// A turn of an AI.
pub struct Turn {
    /// Identifies the turn: AI, game and moves.
    pub key: String,
    /// Id of the game.
    pub game: String,
    pub oracle: AnyOracle<'static>,
    pub position: String,
    /// The moves that lead to it from the start, if known.
    pub moves: Option<Vec<String>>,
}

/// A question whose answer nobody has received.
struct Question {
    turn: Turn,
    asked: Mutex<Instant>,
    reply: watch::Sender<Option<MoveReply>>,
}

impl Question {
    /// Returns whether somebody waits for the answer.
    fn is_wanted(&self) -> bool {
        lock(&self.asked).elapsed() < GRACE
    }
}

impl Ais {
    /// Returns the AIs that the command line names.
    ///
    /// # Errors
    /// If a command can't be read, or a name stands for something else.
    pub fn new(entrants: &[Entrant], args: &AiArgs) -> anyhow::Result<Ais> {
        Entrant::check_names(entrants)?;
        let commands: Vec<&str> = entrants.iter().map(|of| &*of.ai).collect();
        args.check(&commands)?;
        let mut ais = Ais::default();
        for Entrant { name, ai } in entrants {
            if name.bytes().all(|letter| letter.is_ascii_digit()) {
                bail!("an AI can't be called {name}, which is a level\ntip: give it another name");
            }
            let ai = args.contender(ai, Duration::MAX)?;
            if let AnyAi::Builtin(name) = &ai {
                name.parse::<Builtin>()?;
            }
            ais.named.push((name.clone(), Arc::new(ai)));
        }
        Ok(ais)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|of| &*of.0)
    }

    /// Returns an AI's move, or `None` if it needs more time.
    ///
    /// # Errors
    /// The AI's fault, after which it may be asked again; or too many questions are open.
    pub async fn ask(&self, ai: &str, turn: Turn) -> Result<Option<String>, Problem> {
        let key = turn.key.clone();
        let question = self.open(ai, turn)?;
        let mut changes = question.reply.subscribe();
        let _ = timeout(PATIENCE, changes.wait_for(Option::is_some)).await;
        let Some(reply) = changes.borrow().clone() else {
            return Ok(None);
        };
        let mut state = lock(&self.state);
        state.open.remove(&key);
        let (mv, stderr, answer) = match reply {
            Ok((mv, stderr)) => (mv.clone(), stderr, Ok(Some(mv))),
            Err(fault) => {
                let error = format!("{ai} {}", fault.detail);
                let problem = Problem::new(StatusCode::BAD_GATEWAY, error);
                (String::new(), fault.stderr, Err(problem))
            }
        };
        state.notes.push_back((key, mv, stderr));
        if state.notes.len() > MOST_NOTES {
            state.notes.pop_front();
        }
        answer
    }

    /// Returns the end of what an AI wrote to standard error before it made this move at its turn.
    ///
    /// An empty move stands for its last fault there.
    pub fn stderr(&self, turn: &str, mv: &str) -> Option<String> {
        let state = lock(&self.state);
        let mut notes = state.notes.iter().rev();
        let note = notes.find(|note| note.0 == turn && note.1 == mv)?;
        Some(note.2.clone()).filter(|text| !text.trim().is_empty())
    }

    /// Returns the question about a turn, after asking it unless somebody has.
    fn open(&self, ai: &str, turn: Turn) -> Result<Arc<Question>, Problem> {
        let mut state = lock(&self.state);
        // A thread that has ended, or skipped a question, has no copy of it.
        state.open.retain(|_, question| {
            let is_unanswered = question.reply.borrow().is_none();
            question.is_wanted() && !(is_unanswered && Arc::strong_count(question) == 1)
        });
        if let Some(question) = state.open.get(&turn.key) {
            *lock(&question.asked) = Instant::now();
            return Ok(Arc::clone(question));
        }
        let busy = |error: &str| Problem::new(StatusCode::SERVICE_UNAVAILABLE, error);
        if state.open.len() >= MOST_OPEN {
            return Err(busy("the AIs are busy with many games; try again"));
        }
        let named = self.named.iter().find(|of| of.0 == ai);
        let (_, program) = named.ok_or_else(Problem::internal)?;
        let question = Arc::new(Question {
            turn,
            asked: Mutex::new(Instant::now()),
            reply: watch::Sender::default(),
        });
        let place = (ai.to_owned(), question.turn.game.clone());
        let queues = &mut state.queues;
        let known = queues.iter().position(|queue| queue.0 == place);
        let known = known.map(|at| queues.remove(at).1);
        let running = known.filter(|queue| queue.send(Arc::clone(&question)).is_ok());
        let queue = match running {
            Some(queue) => queue,
            None => {
                let queue = start(program, &question.turn.oracle);
                let queue = queue.map_err(|_| busy("the AI can't be started now; try again"))?;
                // The new thread receives it.
                let _ = queue.send(Arc::clone(&question));
                queue
            }
        };
        queues.push((place, queue));
        if queues.len() > MOST_PROCESSES {
            queues.remove(0);
        }
        let key = question.turn.key.clone();
        state.open.insert(key, Arc::clone(&question));
        Ok(question)
    }
}

/// Refuses, because a browser can't start programs.
#[cfg(target_family = "wasm")]
fn start(_: &Arc<AnyAi>, _: &AnyOracle<'static>) -> std::io::Result<Queue> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Starts a thread that asks an AI one question after the other, until its queue is dropped.
#[cfg(not(target_family = "wasm"))]
fn start(ai: &Arc<AnyAi>, oracle: &AnyOracle<'static>) -> std::io::Result<Queue> {
    let (ai, oracle) = (Arc::clone(ai), oracle.clone());
    let (queue, questions) = channel::<Arc<Question>>();
    std::thread::Builder::new().spawn(move || {
        let wanted = questions
            .into_iter()
            .filter(|question| question.is_wanted());
        let mut asked = wanted.map(|question| MoveQuestion {
            position: question.turn.position.clone(),
            moves: question.turn.moves.clone(),
            reply: Box::new(move |reply| question.reply.send_modify(|known| *known = Some(reply))),
        });
        oracle.ask_ai(&ai, &mut asked);
    })?;
    Ok(queue)
}
