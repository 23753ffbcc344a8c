//! Supervisor between the checker and an AI that ends all of the AI's processes.
//!
//! ```text
//! checker ── supervisor ── AI ── whatever it starts
//! ```
//!
//! The supervisor is a fork of the checker and the parent of the AI. It leads a session of its own
//! without a terminal. It waits until the AI ends, or until the checker closes its end of the
//! socket between them, on purpose or by dying in any way. Then it kills its children until none
//! remain, and exits.
//!
//! On Linux the supervisor is a *subreaper*: every process of the AI that loses its parent becomes
//! a child of the supervisor, whatever its session and environment. On other systems the supervisor
//! ends the AI's process group.
//!
//! The supervisor never signals a PID that may have been reused meanwhile. It signals only its own
//! children, which no other process reaps, and process groups while one of its children is in them.
//! All groups in its session, and in sessions that its descendants create, contain only its
//! descendants.
//!
//! An AI runs as the same user as the checker, so it can kill its supervisor. Then the kernel kills
//! the AI, but processes that the AI has started may remain.

// Between fork and exec, the code calls only functions that are safe after a fork of a process with
// several threads: it neither allocates nor locks. The same holds for the supervisor, which never
// calls exec.
#![allow(unsafe_code)]

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, kill, killpg, signal, sigprocmask};
use nix::unistd::{ForkResult, Pid, fork, getpgid, getpid, setpgid, setsid};
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// The time that a supervisor tries to end the AI's remaining processes.
const KILL_TIME: Duration = Duration::from_secs(3);
/// The time that the checker waits for the supervisor to end.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Milliseconds between checks for the end of the AI or the checker.
const POLL_MILLIS: u8 = 10;
/// The interval between rounds of killing the remaining children.
const KILL_INTERVAL: Duration = Duration::from_millis(1);

/// AI with its supervisor.
pub(super) struct Supervised {
    supervisor: Child,
    line: UnixStream,
    status: Option<ExitStatus>,
    is_over: bool,
}

/// Starts an AI under a supervisor.
///
/// # Errors
/// If the supervisor or the AI can't be started.
pub(super) fn spawn(mut command: Command) -> io::Result<Supervised> {
    let (line, far) = UnixStream::pair()?;
    line.set_nonblocking(true)?;
    let far_number = far.as_raw_fd();
    // SAFETY: `begin` calls only what is safe after a fork of several threads, as said above.
    unsafe { command.pre_exec(move || begin(far_number)) };
    Ok(Supervised {
        supervisor: command.spawn()?,
        line,
        status: None,
        is_over: false,
    })
}

impl Supervised {
    /// Returns the exit status of the AI, if it has ended.
    pub fn status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            let mut status = [0; 4];
            self.status = match self.line.read(&mut status) {
                Ok(4) => Some(ExitStatus::from_raw(i32::from_ne_bytes(status))),
                // The supervisor has ended without a report.
                Ok(_) => self.supervisor.wait().ok(),
                Err(_) => None,
            };
        }
        self.status
    }

    /// Ends the AI and all processes that it has started.
    pub fn end(&mut self) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        self.status();
        let _ = self.line.shutdown(Shutdown::Write);
        if matches!(self.supervisor.try_wait(), Ok(None)) {
            // The AI may have stopped the supervisor. The PID is valid, because the supervisor is
            // not reaped yet.
            let _ = kill(Pid::from_raw(self.supervisor.id() as i32), Signal::SIGCONT);
            if !self.waits_for_close() {
                // The AI stops the supervisor again and again.
                let _ = self.supervisor.kill();
            }
        }
        let _ = self.supervisor.wait();
    }

    /// Waits until the supervisor ends, which closes its end of the socket.
    ///
    /// Returns false if that takes longer than `EXIT_TIMEOUT`.
    fn waits_for_close(&mut self) -> bool {
        let ended = Instant::now() + EXIT_TIMEOUT;
        let _ = self.line.set_nonblocking(false);
        loop {
            let remaining = ended.saturating_duration_since(Instant::now());
            if remaining.is_zero() || self.line.set_read_timeout(Some(remaining)).is_err() {
                return false;
            }
            match self.line.read(&mut [0; 4]) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
    }
}

/// Becomes the supervisor in the forked process; returns only in the AI's process.
///
/// The AI's process is forked from the supervisor and then calls exec.
fn begin(line: RawFd) -> io::Result<()> {
    setsid()?;
    // SAFETY: this sets no handler. If the checker ignores SIGCHLD, exec would pass that on.
    unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl)? };
    #[cfg(target_os = "linux")]
    {
        use nix::sys::prctl;
        prctl::set_child_subreaper(true)?;
        // If the AI has stopped its supervisor, this signal at the checker's death lets the
        // supervisor continue and notice it. Otherwise the signal is harmless.
        prctl::set_pdeathsig(Signal::SIGCONT)?;
    }
    let supervisor = getpid();
    // SAFETY: both processes call only what is safe after a fork, as said above.
    match unsafe { fork()? } {
        ForkResult::Parent { child } => Supervisor::new(child, line).run(),
        ForkResult::Child => {
            // A signal of the AI to its own group must not reach the supervisor.
            setpgid(Pid::from_raw(0), Pid::from_raw(0))?;
            #[cfg(target_os = "linux")]
            {
                nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
                if nix::unistd::getppid() != supervisor {
                    return Err(Errno::ESRCH.into());
                }
            }
            #[cfg(not(target_os = "linux"))]
            let _ = supervisor;
            Ok(())
        }
    }
}

/// State of the supervisor process.
struct Supervisor {
    ai: Pid,
    itself: Pid,
    is_reaped: bool,
    is_ending: bool,
}

/// The supervisor's end of the socket to the checker.
const LINE: RawFd = 0;

impl Supervisor {
    fn new(ai: Pid, line: RawFd) -> Supervisor {
        // Block all signals: the supervisor reacts only to its children and its socket. If that
        // fails, the AI can disturb the supervisor, and if the supervisor dies, so does the AI.
        let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), None);
        // The AI's pipes must close when the AI closes them, and the checker's files when the
        // checker closes them, so no copy may stay open here.
        // SAFETY: this process has one thread, which uses no other file from here on.
        unsafe {
            libc::dup2(line, LINE);
            close_others();
        }
        Supervisor {
            ai,
            itself: getpid(),
            is_reaped: false,
            is_ending: false,
        }
    }

    /// Waits for the end of the AI or the checker, then ends all remaining processes.
    fn run(mut self) -> ! {
        loop {
            self.reap();
            if self.is_ending || is_line_closed() {
                break;
            }
        }
        self.is_ending = true;
        let began = Instant::now();
        loop {
            self.kill();
            if !self.reap() || began.elapsed() > KILL_TIME {
                // SAFETY: `_exit` runs no exit handlers, which belong to the checker, whose memory
                // is copied here.
                unsafe { libc::_exit(0) }
            }
            std::thread::sleep(KILL_INTERVAL);
        }
    }

    /// Reaps ended children and returns whether any children remain.
    ///
    /// The end of the AI sets `is_ending`, after which everything else is ended.
    fn reap(&mut self) -> bool {
        loop {
            let pid = match ended_child() {
                Ok(None) => return true,
                Ok(Some(pid)) => pid,
                Err(_) => return false,
            };
            if pid == self.ai && !self.is_ending {
                // Reap the AI only after its group has been killed.
                self.is_ending = true;
                return true;
            }
            if self.is_ending
                && let Ok(group) = getpgid(Some(pid))
                && group != getpgid(None).unwrap_or(self.itself)
            {
                // No other process group can have this number until the child is reaped.
                let _ = killpg(group, Signal::SIGKILL);
            }
            let mut status = 0;
            // SAFETY: `waitpid` writes only to `status`.
            let reaped = unsafe { libc::waitpid(pid.as_raw(), &raw mut status, 0) };
            if pid == self.ai && reaped == pid.as_raw() {
                self.is_reaped = true;
                let status = status.to_ne_bytes();
                // SAFETY: `write` reads only from `status`. It may fail if the checker has ended.
                unsafe { libc::write(LINE, status.as_ptr().cast(), status.len()) };
            }
        }
    }

    /// Kills the children.
    fn kill(&self) {
        if !self.is_reaped {
            let _ = killpg(self.ai, Signal::SIGKILL);
            let _ = kill(self.ai, Signal::SIGKILL);
        }
        // On other systems, the AI and its group are all that can be found.
        #[cfg(target_os = "linux")]
        each_child(|pid| {
            let _ = kill(pid, Signal::SIGKILL);
        });
    }
}

/// Waits up to `POLL_MILLIS` and returns whether the checker has closed the socket.
fn is_line_closed() -> bool {
    // SAFETY: the socket stays open to the end.
    let line = unsafe { BorrowedFd::borrow_raw(LINE) };
    // The checker never writes, so a readable socket is a closed one.
    let mut files = [PollFd::new(line, PollFlags::POLLIN)];
    matches!(poll(&mut files, POLL_MILLIS), Ok(1..))
}

/// Returns a child that has ended but is not reaped, if there is one.
///
/// # Errors
/// `ECHILD` if there are no children.
fn ended_child() -> Result<Option<Pid>, Errno> {
    loop {
        // SAFETY: all zeros is a valid value of this plain struct, which outlives the call.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: as above.
        let result = unsafe { libc::waitid(libc::P_ALL, 0, &raw mut info, flags) };
        match Errno::result(result) {
            Ok(_) => {
                // SAFETY: `waitid` has filled the struct or left its zeros.
                let pid = unsafe { info.si_pid() };
                return Ok((pid != 0).then(|| Pid::from_raw(pid)));
            }
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Closes all files but the first.
///
/// # Safety
/// No other file may be in use.
unsafe fn close_others() {
    #[cfg(target_os = "linux")]
    {
        let first = libc::c_uint::from(1_u8);
        // SAFETY: the caller promises that these files are not in use.
        if unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) } == 0 {
            return;
        }
    }
    let limit = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE);
    let limit = limit.map_or(1024, |(now, _)| now.min(1 << 16));
    for number in 1..limit {
        // SAFETY: the caller promises that this file is not in use.
        unsafe { libc::close(number as RawFd) };
    }
}

/// Calls `each` for every child of the calling process, which must have one thread.
///
/// Children that appear or end meanwhile may be missed.
#[cfg(target_os = "linux")]
fn each_child(mut each: impl FnMut(Pid)) {
    use nix::fcntl::{OFlag, open};
    use nix::sys::stat::Mode;
    use nix::unistd::read;
    let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC;
    let Ok(file) = open(c"/proc/thread-self/children", flags, Mode::empty()) else {
        return;
    };
    let mut chunk = [0_u8; 4096];
    let mut number = 0;
    while let Ok(length @ 1..) = read(&file, &mut chunk) {
        for &byte in &chunk[..length] {
            if byte.is_ascii_digit() {
                number = 10 * number + i32::from(byte - b'0');
            } else if number > 0 {
                each(Pid::from_raw(number));
                number = 0;
            }
        }
    }
}
