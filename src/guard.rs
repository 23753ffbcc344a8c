//! Mapped files that another program cuts off: an error in place of the end of this program.
//!
//! Reading a page of a mapping that the file no longer has raises `SIGBUS`, which ends the program
//! with all that it has not written yet. The handler here puts a page of zeros in the place of the
//! one that is gone and notes that; whoever was reading finds the note and returns an error.

use std::io;
#[cfg(unix)]
pub(crate) use watch::Watch;

/// Makes it an error when another program cuts off a file that is mapped, in place of the signal
/// `SIGBUS` that ends the process: a table that is open by
/// [`Access::Mmap`](crate::table::Access::Mmap), or a scratch file of a solver. It holds for files
/// opened afterwards. Elsewhere than on Unix nothing needs to be done: what is mapped can't be cut
/// off.
///
/// That takes the process's handler of `SIGBUS`. So only a program may ask for it; the library never
/// does. A `SIGBUS` that is about anything but such a file ends the process as it would without.
///
/// # Errors
/// If the system refuses.
pub fn survive_cut_off_files() -> io::Result<()> {
    #[cfg(unix)]
    watch::install()?;
    Ok(())
}

#[cfg(unix)]
mod watch {
    use std::io;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, compiler_fence};

    /// So many mappings can be watched at once. Tables beyond that are read plainly; scratch files, of
    /// which the largest games have fewer, would be mapped as without.
    const MOST: usize = 1 << 13;

    /// A mapping, for the handler, which may neither lock nor allocate.
    #[derive(Debug)]
    struct Watched {
        /// Its first byte; 0 if this place is free.
        start: AtomicUsize,
        /// The byte after its last.
        end: AtomicUsize,
        is_cut_off: AtomicBool,
    }

    static WATCHED: [Watched; MOST] = [const {
        Watched {
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            is_cut_off: AtomicBool::new(false),
        }
    }; MOST];

    /// The size of a page, once the handler is in place.
    static PAGE: OnceLock<usize> = OnceLock::new();

    /// Puts the handler in its place.
    #[allow(unsafe_code)]
    pub fn install() -> io::Result<()> {
        use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
        use nix::unistd::{SysconfVar, sysconf};
        if PAGE.get().is_some() {
            return Ok(());
        }
        let page = sysconf(SysconfVar::PAGE_SIZE)?;
        let page = page.and_then(|page| usize::try_from(page).ok());
        let page = page.ok_or(io::ErrorKind::Unsupported)?;
        PAGE.get_or_init(|| page);
        let handler = SigHandler::SigAction(replace_page);
        // On the alternative stack if there is one: nothing is wrong with a stack that overflows.
        let flags = SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK;
        let action = SigAction::new(handler, flags, SigSet::empty());
        // SAFETY: the handler calls nothing but what a handler may call: atomics, mmap and sigaction,
        // which are system calls and no more.
        unsafe { sigaction(Signal::SIGBUS, &action) }?;
        Ok(())
    }

    #[allow(unsafe_code)]
    extern "C" fn replace_page(
        signal: nix::libc::c_int,
        info: *mut nix::libc::siginfo_t,
        _: *mut nix::libc::c_void,
    ) {
        use nix::libc;
        // SAFETY: the system hands the handler of a SIGBUS a valid description with an address.
        let address = unsafe { (*info).si_addr() } as usize;
        let watched = WATCHED.iter().find(|watched| {
            let start = watched.start.load(Ordering::Acquire);
            start > 0 && (start..watched.end.load(Ordering::Acquire)).contains(&address)
        });
        if let (Some(watched), Some(&page)) = (watched, PAGE.get()) {
            watched.is_cut_off.store(true, Ordering::SeqCst);
            let place = (address & !(page - 1)) as *mut libc::c_void;
            // SAFETY: the page belongs to a mapping of ours, which nobody can read from just now but by
            // this very fault, and stays mapped, readable and ours.
            let mapped = unsafe {
                libc::mmap(
                    place,
                    page,
                    libc::PROT_READ,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                    -1,
                    0,
                )
            };
            if mapped != libc::MAP_FAILED {
                return;
            }
        }
        // Not ours: what happens again when this returns ends the process.
        // SAFETY: zeros are a valid sigaction, and SIG_DFL a valid handler.
        unsafe {
            let mut default: libc::sigaction = std::mem::zeroed();
            default.sa_sigaction = libc::SIG_DFL;
            libc::sigaction(signal, &raw const default, std::ptr::null_mut());
        }
    }

    /// The place of one mapping among those that are watched.
    #[derive(Debug)]
    pub struct Watch(&'static Watched);

    impl Watch {
        /// Watches a mapping, if the handler is in place; an error if there is no place left.
        pub fn over(bytes: &[u8]) -> Result<Option<Watch>, NoPlace> {
            if PAGE.get().is_none() || bytes.is_empty() {
                return Ok(None);
            }
            let start = bytes.as_ptr() as usize;
            for watched in &WATCHED {
                let taken =
                    watched
                        .start
                        .compare_exchange(0, start, Ordering::AcqRel, Ordering::Relaxed);
                if taken.is_ok() {
                    watched.is_cut_off.store(false, Ordering::SeqCst);
                    watched.end.store(start + bytes.len(), Ordering::Release);
                    return Ok(Some(Watch(watched)));
                }
            }
            Err(NoPlace)
        }

        /// Whether something of the mapping has been found gone.
        pub fn is_cut_off(&self) -> bool {
            // What was read before must not be read after this.
            compiler_fence(Ordering::SeqCst);
            self.0.is_cut_off.load(Ordering::SeqCst)
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            self.0.end.store(0, Ordering::Release);
            self.0.start.store(0, Ordering::Release);
        }
    }

    /// As many mappings are watched as can be.
    pub struct NoPlace;
}
