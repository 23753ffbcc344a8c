//! An AI as a child process that exchanges lines with the checker.
//!
//! Ending the process ends everything that it started. Three threads serve its pipes, so neither
//! side ever waits for the other to read. Memory is bounded whatever the child does: lines have a
//! maximum length, unread output has a few buffers, and only the end of standard error is retained.

use super::player::{Fault, FaultKind, Trace};
#[cfg(unix)]
use super::supervisor::{Supervised, spawn};
use crate::game::Progress;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The maximum length of a line in bytes; a longer one is malformed.
const MAX_LINE: usize = 8192;

/// The number of bytes to retain from the end of standard error.
const STDERR_END: usize = 4096;

/// The number of unread buffers of output, and their size in bytes.
const QUEUED: usize = 2;
const BUFFER: usize = 1 << 16;

/// The interval between checks for the child's end and for cancellation.
const TICK: Duration = Duration::from_millis(25);

/// The time to wait for the last output of a child that has ended or closed a pipe.
const LAST_OUTPUT_WAIT: Duration = Duration::from_millis(300);

/// The time that a program may take to end after it has closed its output.
///
/// On a busy machine its end becomes known late.
const EXIT_WAIT: Duration = Duration::from_secs(1);

/// Clock that times the AI's answers: the system's, or one that a test supplies.
pub(super) type TimeSource = Arc<dyn Fn() -> Instant + Send + Sync>;

/// Line without its end, or a fault; `None` if the caller cancels.
pub(super) type LineResult = Result<Vec<u8>, Option<Fault>>;

/// Child process and all processes that it starts, in one Windows job.
///
/// Windows ends them when the job is closed: on purpose, or because the checker dies.
#[cfg(windows)]
struct Supervised {
    child: std::process::Child,
    job: Option<win32job::Job>,
}

/// Starts a program without a console, so that it can't write to the checker's.
#[cfg(windows)]
fn spawn(mut command: Command) -> io::Result<Supervised> {
    use std::os::windows::{io::AsRawHandle, process::CommandExt};
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    let mut limits = win32job::ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = win32job::Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
    let mut child = command.creation_flags(CREATE_NO_WINDOW).spawn()?;
    if let Err(error) = job.assign_process(child.as_raw_handle() as isize) {
        let _ = child.kill();
        return Err(io::Error::other(error));
    }
    let job = Some(job);
    Ok(Supervised { child, job })
}

#[cfg(windows)]
impl Supervised {
    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    fn end(&mut self) {
        self.job = None;
        let _ = self.child.wait();
    }
}

/// Child process where there are none, such as in a browser.
#[cfg(not(any(unix, windows)))]
enum Supervised {}

#[cfg(not(any(unix, windows)))]
fn spawn(_: Command) -> io::Result<Supervised> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(unix, windows)))]
impl Supervised {
    fn status(&mut self) -> Option<ExitStatus> {
        match *self {}
    }

    fn end(&mut self) {}
}

/// Running child process.
pub(super) struct Process {
    child: Supervised,
    time: TimeSource,
    input: Option<Sender<Vec<u8>>>,
    /// The thread that writes to the child. It ends early if the child closes its input.
    writer: JoinHandle<()>,
    output: Option<Receiver<Vec<u8>>>,
    /// The output received but not yet returned as lines.
    buffer: VecDeque<u8>,
    /// The number of lines returned, without those that the caller discounts.
    pub lines: u64,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    /// Disconnected when all of standard error has been read.
    stderr_ended: Receiver<()>,
    /// Receives each line in both directions.
    pub trace: Option<Trace>,
}

impl Process {
    /// Starts a program with arguments and environment variables.
    ///
    /// # Errors
    /// If a pipe, a thread or the process can't be created.
    pub fn start(
        words: &[String],
        environment: &[(&str, String)],
        time: &TimeSource,
    ) -> io::Result<Process> {
        let (its_input, mut input_pipe) = io::pipe()?;
        let (output_pipe, its_output) = io::pipe()?;
        let (error_pipe, its_errors) = io::pipe()?;
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(its_input)
            .stdout(its_output)
            .stderr(its_errors);
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        // One thread each for standard output, standard input and standard error.
        let (output_sender, output) = sync_channel(QUEUED);
        let (input, input_receiver) = channel();
        let (ended, stderr_ended) = channel();
        let thread = thread::Builder::new;
        thread().spawn(move || {
            read_chunks(output_pipe, BUFFER, |chunk| {
                output_sender.send(chunk.to_vec()).is_ok()
            });
        })?;
        // It ends when the program closes its input, or when nothing more is to be sent.
        let writer = thread().spawn(move || {
            let send = |bytes: Vec<u8>| {
                input_pipe
                    .write_all(&bytes)
                    .and_then(|()| input_pipe.flush())
            };
            let _ = input_receiver.into_iter().try_for_each(send);
        })?;
        let end = Arc::clone(&stderr);
        thread().spawn(move || {
            retain_end(error_pipe, &end);
            drop(ended);
        })?;
        // Spawning drops the command, which closes this process's copies of the child's ends. If
        // anything fails before, dropping it ends the threads.
        let child = spawn(command)?;
        Ok(Process {
            child,
            time: time.clone(),
            input: Some(input),
            writer,
            output: Some(output),
            buffer: VecDeque::new(),
            lines: 0,
            stderr,
            stderr_ended,
            trace: None,
        })
    }

    /// Returns the current time of the clock that times its answers.
    pub fn now(&self) -> Instant {
        (self.time)()
    }

    /// Sends bytes to the child, without waiting for it to read them.
    pub fn send(&mut self, bytes: Vec<u8>) {
        if let Some(trace) = &self.trace {
            let lines = String::from_utf8_lossy(&bytes);
            lines.lines().for_each(|line| trace('>', line));
        }
        if let Some(input) = &self.input {
            // The writer thread ends if the child closes its input. That shows when no answer
            // comes.
            let _ = input.send(bytes);
        }
    }

    /// Returns the next line, if it comes within `limit` from `since`.
    ///
    /// # Errors
    /// The fault of a child that writes no line, or `None` if the caller cancels first.
    pub fn line(&mut self, since: Instant, limit: Duration, progress: &dyn Progress) -> LineResult {
        let fault = |kind, detail| Err(Some(Fault::new(kind, detail)));
        let deadline = since + limit;
        // The time since which the child is known to have ended or closed its input.
        let mut ended_since: Option<Instant> = None;
        loop {
            if let Some(line) = self.take_line() {
                return line;
            }
            let Some(output) = &self.output else {
                return fault(FaultKind::Crash, self.describe_end());
            };
            let now = self.now();
            if now >= deadline {
                let seconds = limit.as_secs_f64();
                let detail = format!("gave no answer within {seconds} s");
                return fault(FaultKind::Timeout, detail);
            }
            match output.recv_timeout(TICK.min(deadline - now)) {
                Ok(chunk) => self.buffer.extend(chunk),
                Err(RecvTimeoutError::Disconnected) => self.output = None,
                Err(RecvTimeoutError::Timeout) => {
                    if progress.cancelled() {
                        return Err(None);
                    }
                    // A child of the child may still hold the pipe open.
                    let has_ended = self.writer.is_finished() || self.child.status().is_some();
                    if has_ended {
                        let since = *ended_since.get_or_insert(now);
                        if self.now().saturating_duration_since(since) > LAST_OUTPUT_WAIT {
                            return fault(FaultKind::Crash, self.describe_end());
                        }
                    }
                }
            }
        }
    }

    /// Returns the first line of unread output, if any output comes within `wait`.
    pub fn unrequested_line(&mut self, wait: Duration) -> Option<String> {
        if self.buffer.is_empty() {
            let chunk = within(self.output.as_ref()?, wait, &self.time)?;
            self.buffer.extend(chunk);
        }
        let text = String::from_utf8_lossy(self.buffer.make_contiguous());
        Some(text.lines().next().unwrap_or_default().to_owned())
    }

    /// Returns the beginning of a line that has not ended, if there is any.
    pub fn unfinished_line(&mut self) -> Option<String> {
        if let Some(output) = &self.output {
            self.buffer.extend(output.try_recv().into_iter().flatten());
        }
        let text = self.buffer.make_contiguous();
        (!text.is_empty()).then(|| String::from_utf8_lossy(text).into_owned())
    }

    /// Closes the child's input and returns whether it then writes this number of lines.
    pub fn writes_when_input_ends(&mut self, lines: usize) -> bool {
        self.input = None;
        loop {
            if self.buffer.iter().filter(|&&byte| byte == b'\n').count() >= lines {
                return true;
            }
            let output = self.output.as_ref();
            match output.and_then(|output| within(output, LAST_OUTPUT_WAIT, &self.time)) {
                Some(chunk) if self.buffer.len() < BUFFER => self.buffer.extend(chunk),
                _ => return false,
            }
        }
    }

    /// Takes the next complete line from the buffer; too long a line is a fault.
    fn take_line(&mut self) -> Option<LineResult> {
        let end = self.buffer.iter().position(|&byte| byte == b'\n');
        if let Some(end) = end {
            self.lines += 1;
            if end <= MAX_LINE {
                let line: Vec<u8> = self.buffer.drain(..=end).take(end).collect();
                if let Some(trace) = &self.trace {
                    trace('<', &String::from_utf8_lossy(&line));
                }
                return Some(Ok(line));
            }
        }
        (self.buffer.len() > MAX_LINE).then(|| {
            let detail = format!("wrote a line of more than {MAX_LINE} bytes");
            Err(Some(Fault::new(FaultKind::Malformed, detail)))
        })
    }

    /// Describes the end of the child, which may still be about to end.
    fn describe_end(&mut self) -> String {
        let began = self.now();
        loop {
            if let Some(status) = self.child.status() {
                return describe(status);
            }
            if self.now().saturating_duration_since(began) > EXIT_WAIT {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let pipe = if self.output.is_none() {
            "output"
        } else {
            "input"
        };
        format!("closed its {pipe}")
    }

    /// Returns the end of standard error since the last call.
    ///
    /// The last lines may still be in the pipe; then the next call returns them.
    pub fn take_stderr(&mut self) -> String {
        let mut end = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(std::mem::take(&mut *end).make_contiguous()).into_owned()
    }

    /// Ends the child and all that it started; returns the end of standard error.
    pub fn end(mut self) -> String {
        self.kill();
        // A traceback may still be in the pipe.
        let _ = within(&self.stderr_ended, LAST_OUTPUT_WAIT, &self.time);
        self.take_stderr()
    }

    fn kill(&mut self) {
        // Closing the channels ends the writer and reader threads, too.
        self.input = None;
        self.child.end();
        self.output = None;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the next item if one comes within `wait`.
fn within<T>(from: &Receiver<T>, wait: Duration, time: &TimeSource) -> Option<T> {
    if wait.is_zero() {
        return from.try_recv().ok();
    }
    let deadline = time() + wait;
    let mut remaining = wait;
    loop {
        match from.recv_timeout(TICK.min(remaining)) {
            Ok(item) => return Some(item),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        remaining = deadline.saturating_duration_since(time());
        if remaining.is_zero() {
            return None;
        }
    }
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = nix::sys::signal::Signal::try_from(signal)
            .map_or_else(|_| signal.to_string(), |signal| signal.to_string());
        return format!("was ended by the signal {name}");
    }
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        None => "exited".to_owned(),
    }
}

/// Reads the pipe until it ends, and retains the last bytes.
fn retain_end(pipe: impl Read, end: &Mutex<VecDeque<u8>>) {
    read_chunks(pipe, STDERR_END, |chunk| {
        let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
        end.extend(chunk);
        let excess = end.len().saturating_sub(STDERR_END);
        end.drain(..excess);
        true
    });
}

/// Reads the pipe in chunks of at most `size` bytes, until it ends or `take` returns false.
fn read_chunks(mut pipe: impl Read, size: usize, mut take: impl FnMut(&[u8]) -> bool) {
    let mut chunk = vec![0; size];
    loop {
        match pipe.read(&mut chunk) {
            Ok(length @ 1..) if take(&chunk[..length]) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => return,
        }
    }
}
