//! The keeper: a process between the checker and an AI that leaves nothing of the AI behind.
//!
//! ```text
//! checker ── keeper ── AI ── whatever it starts
//! ```
//!
//! The keeper is a fork of the checker and the parent of the AI. It leads a session of its own,
//! which has no terminal. When the AI ends, or when the checker's end of the socket between them
//! closes, because it wants no more answers or because it has died, however it died, the keeper
//! kills its children until there are none, and ends.
//!
//! On Linux it is a *subreaper*: whatever of the AI loses its parent becomes its child, in whatever
//! session and with whatever environment. Elsewhere it ends the AI's process group.
//!
//! Nobody is signalled whose number could have gone to another process meanwhile: only the keeper's
//! own children, which nobody else reaps, and process groups while one of these is in them. All
//! groups of its session, and of those that its descendants begin, are theirs alone.
//!
//! An AI runs as the user who checks it, and so can kill its keeper. Then the kernel kills the AI, and
//! what that has started is nobody's.

// Between fork and exec, and in the keeper, which never calls exec, only functions are called that
// are safe after a fork of several threads: nothing there allocates or locks.
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

/// How long a keeper tries to end what is left of the AI, and how long the checker waits for it.
const KEEPERS_PATIENCE: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_secs(5);

/// How often to look whether the AI or the checker has ended, in milliseconds, and for more children
/// while not all have.
const A_LITTLE: u8 = 10;
const SOON: Duration = Duration::from_millis(1);

/// An AI with its keeper.
pub(super) struct Supervised {
    keeper: Child,
    line: UnixStream,
    status: Option<ExitStatus>,
    is_over: bool,
}

/// Starts an AI under a keeper.
pub(super) fn spawn(mut command: Command) -> io::Result<Supervised> {
    let (line, far) = UnixStream::pair()?;
    line.set_nonblocking(true)?;
    let far_number = far.as_raw_fd();
    // SAFETY: `begin` keeps to what is safe after a fork of several threads, as said above.
    unsafe { command.pre_exec(move || begin(far_number)) };
    Ok(Supervised {
        keeper: command.spawn()?,
        line,
        status: None,
        is_over: false,
    })
}

impl Supervised {
    /// How the AI has ended, if it has.
    pub fn status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            let mut status = [0; 4];
            self.status = match self.line.read(&mut status) {
                Ok(4) => Some(ExitStatus::from_raw(i32::from_ne_bytes(status))),
                // The keeper is gone without a word.
                Ok(_) => self.keeper.wait().ok(),
                Err(_) => None,
            };
        }
        self.status
    }

    /// Ends the AI and whatever it has started.
    pub fn end(&mut self) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        self.status();
        let _ = self.line.shutdown(Shutdown::Write);
        if matches!(self.keeper.try_wait(), Ok(None)) {
            // It may have been stopped. It is not reaped, so its number is its own.
            let _ = kill(Pid::from_raw(self.keeper.id() as i32), Signal::SIGCONT);
            if !self.line_closes() {
                // It has been stopped again and again.
                let _ = self.keeper.kill();
            }
        }
        let _ = self.keeper.wait();
    }

    /// Waits until the keeper closes its end of the line, which it does when it ends; false if that
    /// takes too long.
    fn line_closes(&mut self) -> bool {
        let ended = Instant::now() + PATIENCE;
        let _ = self.line.set_nonblocking(false);
        loop {
            let left = ended.saturating_duration_since(Instant::now());
            if left.is_zero() || self.line.set_read_timeout(Some(left)).is_err() {
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

/// In the process that the checker has forked: goes on as the keeper, and returns in another one,
/// which becomes the AI.
fn begin(line: RawFd) -> io::Result<()> {
    setsid()?;
    // SAFETY: no handler is set. If the checker ignores its children, exec would pass that on.
    unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl)? };
    #[cfg(target_os = "linux")]
    {
        use nix::sys::prctl;
        prctl::set_child_subreaper(true)?;
        // Should the AI have stopped its keeper, this lets it go on to see that the checker has
        // died; it does no harm if it comes for another reason.
        prctl::set_pdeathsig(Signal::SIGCONT)?;
    }
    let keeper = getpid();
    // SAFETY: both processes keep to what is safe after a fork, as said above.
    match unsafe { fork()? } {
        ForkResult::Parent { child } => Keeper::new(child, line).keep(),
        ForkResult::Child => {
            // So that a signal to its own group doesn't reach the keeper.
            setpgid(Pid::from_raw(0), Pid::from_raw(0))?;
            #[cfg(target_os = "linux")]
            {
                nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
                if nix::unistd::getppid() != keeper {
                    return Err(Errno::ESRCH.into());
                }
            }
            #[cfg(not(target_os = "linux"))]
            let _ = keeper;
            Ok(())
        }
    }
}

struct Keeper {
    ai: Pid,
    itself: Pid,
    is_reaped: bool,
    is_ending: bool,
}

/// The keeper's end of the line to the checker.
const LINE: RawFd = 0;

impl Keeper {
    fn new(ai: Pid, line: RawFd) -> Keeper {
        // Only its children and its line are to be heard. If it can't be done, the AI can disturb
        // it, and its death is the AI's.
        let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), None);
        // The AI's pipes have to close when the AI closes them, and a table when the checker does.
        // SAFETY: this process has one thread, which uses no other file from here on.
        unsafe {
            libc::dup2(line, LINE);
            close_others();
        }
        Keeper {
            ai,
            itself: getpid(),
            is_reaped: false,
            is_ending: false,
        }
    }

    /// Waits for the end of the AI or of the checker, and ends all that is left of the AI.
    fn keep(mut self) -> ! {
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
            if !self.reap() || began.elapsed() > KEEPERS_PATIENCE {
                // SAFETY: nothing of the checker's, whose memory this is a copy of, is to be run at
                // its end.
                unsafe { libc::_exit(0) }
            }
            std::thread::sleep(SOON);
        }
    }

    /// Reaps what has ended; whether there are children left. When the AI has ended, all is to be.
    fn reap(&mut self) -> bool {
        loop {
            let pid = match ended_child() {
                Ok(None) => return true,
                Ok(Some(pid)) => pid,
                Err(_) => return false,
            };
            if pid == self.ai && !self.is_ending {
                // Not before its group has been ended.
                self.is_ending = true;
                return true;
            }
            if self.is_ending
                && let Ok(group) = getpgid(Some(pid))
                && group != getpgid(None).unwrap_or(self.itself)
            {
                // As long as the child is not reaped, the group's number is no other's.
                let _ = killpg(group, Signal::SIGKILL);
            }
            let mut status = 0;
            // SAFETY: it writes to a number of its own.
            let reaped = unsafe { libc::waitpid(pid.as_raw(), &raw mut status, 0) };
            if pid == self.ai && reaped == pid.as_raw() {
                self.is_reaped = true;
                let status = status.to_ne_bytes();
                // SAFETY: it reads from a number of its own. Nobody may be there to hear it.
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
        // Elsewhere there is only the AI.
        #[cfg(target_os = "linux")]
        each_child(|pid| {
            let _ = kill(pid, Signal::SIGKILL);
        });
    }
}

/// Waits a little; whether the line is closed.
fn is_line_closed() -> bool {
    // SAFETY: it stays open to the end.
    let line = unsafe { BorrowedFd::borrow_raw(LINE) };
    // The checker never says anything: what there is to read is the end.
    let mut files = [PollFd::new(line, PollFlags::POLLIN)];
    matches!(poll(&mut files, A_LITTLE), Ok(1..))
}

/// A child that has ended and is not yet reaped, if there is one; an error if there are no
/// children.
fn ended_child() -> Result<Option<Pid>, Errno> {
    loop {
        // SAFETY: all zeros is a value of this plain struct, and it outlives the call.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: as above.
        let result = unsafe { libc::waitid(libc::P_ALL, 0, &raw mut info, flags) };
        match Errno::result(result) {
            Ok(_) => {
                // SAFETY: waitid has filled it, or left its zeros.
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
        // SAFETY: the caller promises that nobody uses them.
        if unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) } == 0 {
            return;
        }
    }
    let most = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE);
    let most = most.map_or(1024, |(now, _)| now.min(1 << 16));
    for number in 1..most {
        // SAFETY: the caller promises that nobody uses it.
        unsafe { libc::close(number as RawFd) };
    }
}

/// Calls this for each child of the calling process, which has one thread. Those that come or go
/// meanwhile may be left out.
#[cfg(target_os = "linux")]
fn each_child(mut each: impl FnMut(Pid)) {
    use nix::fcntl::{OFlag, open};
    use nix::sys::stat::Mode;
    use nix::unistd::read;
    let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC;
    let Ok(file) = open(c"/proc/thread-self/children", flags, Mode::empty()) else {
        return;
    };
    let mut piece = [0_u8; 4096];
    let mut number = 0;
    while let Ok(length @ 1..) = read(&file, &mut piece) {
        for &byte in &piece[..length] {
            if byte.is_ascii_digit() {
                number = 10 * number + i32::from(byte - b'0');
            } else if number > 0 {
                each(Pid::from_raw(number));
                number = 0;
            }
        }
    }
}
