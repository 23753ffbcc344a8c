//! Protection from other programs that truncate files while they are mapped.
//!
//! Reading a page of a mapping that the file no longer has raises `SIGBUS`, which kills the process
//! and loses its unwritten output. The handler here replaces the missing page by a page of zeros
//! and records that. The reader checks the record and returns an error.

use memmap2::{Mmap, MmapAsRawDesc};
use std::io;
use std::ops::Deref;

/// A file mapped for reading, and watched for truncation.
#[derive(Debug)]
pub(crate) struct MappedFile {
    // Declared before the mapping and so dropped first: the watch must end before the mapping does.
    #[cfg(unix)]
    watch: Option<watch::Watch>,
    map: Mmap,
}

impl MappedFile {
    /// Maps a file, which this program must never change in place.
    #[allow(unsafe_code)]
    pub fn new(file: impl MmapAsRawDesc) -> io::Result<MappedFile> {
        // SAFETY: the mapping is read-only, any bytes are valid, and callers write new files under
        // other names and rename them. If another program truncates the file, reads beyond its new
        // end raise SIGBUS, which programs can enable this module to handle.
        let map = unsafe { Mmap::map(file)? };
        Ok(MappedFile {
            #[cfg(unix)]
            watch: watch::Watch::over(&map),
            map,
        })
    }

    /// Returns whether the handler is installed, but too many mappings are watched for this one.
    pub fn is_exposed(&self) -> bool {
        #[cfg(unix)]
        return self.watch.is_none() && watch::is_installed();
        #[cfg(not(unix))]
        false
    }

    /// Returns whether a read has found part of the file missing, even if it is there again.
    ///
    /// Such reads may have returned zeros instead.
    pub fn is_cut_off(&self) -> bool {
        #[cfg(unix)]
        return self.watch.as_ref().is_some_and(watch::Watch::is_cut_off);
        #[cfg(not(unix))]
        false
    }

    /// Releases the memory of pages that were read; they are read again when needed.
    #[allow(unsafe_code)]
    pub fn release(&self) {
        // SAFETY: the mapping is of a file and read-only, so the same bytes are read again.
        #[cfg(target_os = "linux")]
        let _ = unsafe {
            self.map
                .unchecked_advise(memmap2::UncheckedAdvice::DontNeed)
        };
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

/// Turns the truncation of a mapped file into an error instead of a `SIGBUS`.
///
/// This covers tables opened with [`Access::Mmap`](crate::table::Access::Mmap) and the scratch
/// files of solvers, if they are opened after this call. On systems other than Unix it does
/// nothing, since mapped files can't be truncated there.
///
/// It replaces the process's handler of `SIGBUS`, so only a program may call it; the library never
/// does. A `SIGBUS` with any other cause still kills the process.
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

    /// The largest number of mappings that are watched at the same time.
    ///
    /// Further tables are read without a mapping. Further scratch files would be mapped without
    /// protection, but the largest games have fewer.
    const MOST: usize = 1 << 13;

    /// A watched mapping. The signal handler may neither lock nor allocate, so the fields are
    /// atomic.
    #[derive(Debug)]
    struct Watched {
        /// The address of its first byte; 0 if this entry is free.
        start: AtomicUsize,
        /// The address after its last byte.
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

    /// The size of a page in bytes, set once the handler is installed.
    static PAGE: OnceLock<usize> = OnceLock::new();

    /// Installs the handler.
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
        // Use the alternative stack if there is one, so that the handler works after a stack
        // overflow.
        let flags = SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK;
        let action = SigAction::new(handler, flags, SigSet::empty());
        // SAFETY: the handler does only what a signal handler may do: atomics, `mmap` and
        // `sigaction`, which are plain system calls.
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
        // SAFETY: the system passes the handler of a SIGBUS a valid `siginfo_t` with an address.
        let address = unsafe { (*info).si_addr() } as usize;
        let watched = WATCHED.iter().find(|watched| {
            let start = watched.start.load(Ordering::Acquire);
            start > 0 && (start..watched.end.load(Ordering::Acquire)).contains(&address)
        });
        if let (Some(watched), Some(&page)) = (watched, PAGE.get()) {
            watched.is_cut_off.store(true, Ordering::SeqCst);
            let place = (address & !(page - 1)) as *mut libc::c_void;
            // SAFETY: the page belongs to one of our mappings and stays readable and ours. Any
            // thread that reads it now faults in the same way.
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
        // The fault has another cause. Restore the default action: the access faults again after
        // the return, and that kills the process.
        // SAFETY: zeros are a valid sigaction, and SIG_DFL a valid handler.
        unsafe {
            let mut default: libc::sigaction = std::mem::zeroed();
            default.sa_sigaction = libc::SIG_DFL;
            libc::sigaction(signal, &raw const default, std::ptr::null_mut());
        }
    }

    pub fn is_installed() -> bool {
        PAGE.get().is_some()
    }

    /// The registration of one mapping; dropping it ends the watch.
    #[derive(Debug)]
    pub struct Watch(&'static Watched);

    impl Watch {
        /// Watches a mapping if the handler is installed, unless all entries are in use.
        pub fn over(bytes: &[u8]) -> Option<Watch> {
            if !is_installed() {
                return None;
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
                    return Some(Watch(watched));
                }
            }
            None
        }

        /// Returns whether the handler has replaced a page of the mapping.
        pub fn is_cut_off(&self) -> bool {
            // Prevents earlier reads of the mapping from moving after the check.
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
}
