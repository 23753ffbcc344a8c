//! The Universal Game Interface: commands like those of chess's UCI, for any game.

use super::player::{
    Fault, FaultKind, Player, Replies, Reply, Round, StartError, shorten, stderr_note,
};
use super::process::{LineResult, Process};
use super::program::{External, ProgramQuestions, read_line};
use crate::game::{NoProgress, Notation, Progress};
use std::time::Duration;

/// The extra time to wait for another answer after an illegal one.
///
/// It is added to the time per move.
const EXTRA_ANSWER_WAIT: Duration = Duration::from_secs(1);

/// Limits for the time to wait for unrequested answers after the last question.
///
/// Between them, it is twice the time per move.
const SHORTEST_FINAL_WAIT: Duration = Duration::from_millis(100);
const LONGEST_FINAL_WAIT: Duration = Duration::from_secs(1);

/// Fault that an early `bestmove` shows, if any.
type Unwanted = Option<&'static str>;
const BEFORE: Unwanted = Some("answered before it was asked");
const AFTER: Unwanted = Some("answered more than once");

/// The number of lines without the expected one after which the wait ends.
const MOST_LINES: usize = 100_000;

/// Player that speaks UGI with a program.
pub(super) struct UgiPlayer<'a, G: Notation> {
    asked: ProgramQuestions<'a, G>,
    movetime: Duration,
    /// Whether the divergence of the engine's own rules has been searched for.
    has_located: bool,
}

impl<'a, G: Notation> UgiPlayer<'a, G> {
    pub fn new(program: &'a External, game: &'a G, movetime: Duration) -> Result<Self, StartError> {
        let asked = ProgramQuestions::new(program, game);
        let mut player = UgiPlayer {
            asked,
            movetime,
            has_located: false,
        };
        player.ready(&NoProgress)?;
        Ok(player)
    }

    /// Returns a process that has completed the handshake; `None` on cancellation.
    ///
    /// # Errors
    /// If the program can't be started or doesn't speak UGI.
    fn ready(&mut self, progress: &dyn Progress) -> Result<Option<&mut Process>, StartError> {
        let ProgramQuestions { program, game, .. } = self.asked;
        let mut process = match self.asked.process.take() {
            Some(process) => return Ok(Some(self.asked.process.insert(process))),
            None => program.start(game)?,
        };
        // Shake hands; a failure ends the process and includes its standard error.
        for (command, expect) in [("ugi\n", "ugiok"), ("uginewgame\nisready\n", "readyok")] {
            process.send(command.into());
            let time_limit = program.time_limit(&process);
            let fault = match wait_for(&mut process, expect, BEFORE, time_limit, progress) {
                Ok(_) => continue,
                Err(None) => return Ok(None),
                Err(Some(fault)) => fault,
            };
            let is_late = fault.kind == FaultKind::Timeout && process.writes_when_input_ends(1);
            let remedy = match is_late {
                true => "; it answers only when its input ends: it has to flush its output",
                false => "",
            };
            let verb = command.trim_end().rsplit('\n').next().unwrap_or(command);
            let stderr = stderr_note(&process.end());
            return Err(StartError::Handshake {
                command: program.command.clone(),
                problem: format!(
                    "doesn't speak UGI: it should answer \"{verb}\" with \"{expect}\", but it {}{remedy}{stderr}",
                    fault.detail
                ),
            });
        }
        process.lines = 0;
        Ok(Some(self.asked.process.insert(process)))
    }

    /// Asks about a position; returns `None` if the caller cancels.
    ///
    /// `way` leads to the position from the start, if known.
    fn question(
        &mut self,
        way: Option<&[G::Move]>,
        position: &G::Position,
        progress: &dyn Progress,
    ) -> Result<Option<Reply<G::Move>>, StartError> {
        let ProgramQuestions { program, game, .. } = self.asked;
        let described = position_command(game, position, way);
        let movetime = self.movetime;
        let Some(process) = self.ready(progress)? else {
            return Ok(None);
        };
        let times = (movetime, program.timeout);
        let began = process.now();
        let reply = exchange(process, game, &described, position, times, progress);
        self.asked.pace = Some(process.now() - began);
        self.asked.last = Some(position.clone());
        Ok(match reply {
            Ok(mv) => Some(Ok(mv)),
            // Its answer must not be taken for that to the next question.
            Err(None) => {
                self.asked.process = None;
                None
            }
            Err(Some(mut fault)) => {
                fault.sent = Some(format!("position {described}"));
                Some(Err(self.asked.end(fault)))
            }
        })
    }

    /// Asks a fresh process again after a fault and adds the result to the fault.
    ///
    /// Timeouts are not asked again, since they would take their time again.
    fn ask_again(
        &mut self,
        fault: &mut Fault,
        position: &G::Position,
        way: Option<&[G::Move]>,
        progress: &dyn Progress,
    ) -> Result<(), StartError> {
        if fault.kind == FaultKind::Timeout {
            return Ok(());
        }
        let Some(again) = self.question(way, position, progress)? else {
            return Ok(());
        };
        // If it fails again, the engine may be wrong about the position: send it as FEN.
        let mut result = String::new();
        if again.is_ok() {
            result.push_str(" (but not when asked again)");
        } else if fault.kind == FaultKind::Illegal
            && let Some(way @ [_, ..]) = way
            && let Some(by_fen) = self.question(None, position, progress)?
            && let Ok(mv) = by_fen
        {
            let answer = self.asked.game.format_move(mv);
            result = format!("; given the position by fen, it answers {answer}");
            // The search takes two questions per move, so do it only once.
            if !std::mem::replace(&mut self.has_located, true)
                && let Some(number) = self.first_wrong_move(way, progress)?
            {
                result += &format!(": its own rules lead elsewhere after move {number}");
            }
        }
        fault.detail.push_str(&result);
        fault.noticed.again = result;
        Ok(())
    }

    /// Returns the number of moves after which the engine's own position goes wrong.
    ///
    /// From there on, its answer after the moves differs from its answer to the position as FEN.
    fn first_wrong_move(
        &mut self,
        way: &[G::Move],
        progress: &dyn Progress,
    ) -> Result<Option<usize>, StartError> {
        let mut position = self.asked.game.start();
        for (number, &mv) in (1..).zip(way) {
            position = self.asked.game.play(&position, mv);
            let Some(by_moves) = self.question(Some(&way[..number]), &position, progress)? else {
                return Ok(None);
            };
            let Some(by_fen) = self.question(None, &position, progress)? else {
                return Ok(None);
            };
            if by_moves.ok() != by_fen.ok() {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}

/// Describes a position by the moves that lead to it, or if unknown, as FEN.
///
/// Moves are preferred: the engine makes them by its own rules and needs no other way to set up a
/// position.
fn position_command<G: Notation>(
    game: &G,
    position: &G::Position,
    way: Option<&[G::Move]>,
) -> String {
    match way {
        None if *position != game.start() => format!("fen {}", game.format_for_ai(position)),
        None | Some([]) => "startpos".to_owned(),
        Some(moves) => moves
            .iter()
            .fold("startpos moves".to_owned(), |described, &mv| {
                described + " " + &game.format_move(mv)
            }),
    }
}

/// Asks a process about a described position.
///
/// The pair is the time per move and the extra time that the answer may take.
///
/// # Errors
/// A fault, or `None` if the caller cancels.
fn exchange<G: Notation>(
    process: &mut Process,
    game: &G,
    described: &str,
    position: &G::Position,
    (movetime, time_limit): (Duration, Duration),
    progress: &dyn Progress,
) -> Result<G::Move, Option<Fault>> {
    let millis = movetime.as_millis();
    let sent = format!("position {described}\nisready\ngo movetime {millis}\n");
    process.send(sent.into_bytes());
    // A line before `readyok` was written before the question.
    let timeout = time_limit + movetime;
    wait_for(process, "readyok", BEFORE, timeout, progress)?;
    process.lines -= 1;
    let line = wait_for(process, "bestmove", None, timeout, progress)?;
    let words = line.split(u8::is_ascii_whitespace);
    let word = words.filter(|word| !word.is_empty()).nth(1);
    match read_line(game, position, word.unwrap_or_default().to_vec()) {
        Ok(mv) => {
            // A second answer must not be taken for that to the next question.
            process.send(b"isready\n".to_vec());
            wait_for(process, "readyok", AFTER, time_limit, progress)?;
            Ok(mv)
        }
        Err(mut fault) => {
            if fault.kind == FaultKind::Illegal
                && let Some(next) = next_answer(process, timeout.min(movetime + EXTRA_ANSWER_WAIT))
            {
                // It is unknown which of the two is the answer.
                fault.kind = FaultKind::Malformed;
                fault.detail = format!(
                    "wrote {:?} before it was asked, or answered more than once: then {:?}",
                    shorten(String::from_utf8_lossy(&line).trim(), 60),
                    shorten(&next, 60)
                );
                fault.noticed.extra = Some(next);
            }
            Err(Some(fault))
        }
    }
}

/// Waits for a line that begins with `word` and returns it.
///
/// It skips other lines, such as `info`. A `bestmove` is a fault if it is unwanted.
fn wait_for(
    process: &mut Process,
    word: &str,
    unwanted: Unwanted,
    timeout: Duration,
    progress: &dyn Progress,
) -> LineResult {
    let began = process.now();
    for _ in 0..MOST_LINES {
        let line = process.line(began, timeout, progress)?;
        let mut words = line.split(u8::is_ascii_whitespace);
        let first = words.find(|word| !word.is_empty()).unwrap_or_default();
        if first == word.as_bytes() {
            return Ok(line);
        }
        if let Some(what) = unwanted.filter(|_| first == b"bestmove") {
            let text = String::from_utf8_lossy(&line);
            let detail = format!("{what}, with {:?}", shorten(text.trim(), 60));
            let fault = Fault::new(FaultKind::Malformed, detail);
            return Err(Some(fault.with_extra_line(&text)));
        }
    }
    let detail = format!("wrote {MOST_LINES} lines, none of which begins with \"{word}\"");
    Err(Some(Fault::new(FaultKind::Malformed, detail)))
}

/// Returns the next `bestmove` line if one comes within `wait`.
fn next_answer(process: &mut Process, wait: Duration) -> Option<String> {
    let line = wait_for(process, "bestmove", None, wait, &NoProgress).ok()?;
    process.lines -= 1;
    Some(String::from_utf8_lossy(&line).trim().to_owned())
}

impl<G: Notation> Player<G> for UgiPlayer<'_, G> {
    fn ask(&mut self, round: &Round<'_, G>, replies: &mut Replies<G>) -> Result<(), StartError> {
        let mut faults = 0;
        for (index, position) in round.positions.iter().enumerate() {
            if !round.may_continue(faults) {
                break;
            }
            let way = (round.ways)(index);
            let Some(reply) = self.question(way.as_deref(), position, round.progress)? else {
                break;
            };
            replies.push(reply);
            if let Some(Err(fault)) = replies.last_mut() {
                faults += 1;
                self.ask_again(fault, position, way.as_deref(), round.progress)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Option<(G::Position, Fault)> {
        let wait = (2 * self.movetime).clamp(SHORTEST_FINAL_WAIT, LONGEST_FINAL_WAIT);
        let extra = next_answer(self.asked.process.as_mut()?, wait)?;
        let problem = "answered once more than it was asked, so that another answer may have been \
                       taken for that to the next question:";
        let fault = self.asked.end_after_extra(&extra, problem);
        Some((self.asked.last.take()?, fault))
    }

    fn pace(&self) -> Option<Duration> {
        self.asked.pace
    }

    fn take_stderr(&mut self) -> String {
        self.asked.take_stderr()
    }
}
