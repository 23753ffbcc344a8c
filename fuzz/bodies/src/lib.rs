//! Bodies of the fuzzers: each interprets bytes as untrusted input for the program.
//!
//! A body panics unless the program returns an error or a true answer.
//!
//! The targets of cargo-fuzz and the runner on stable Rust (`src/main.rs`) call the same bodies.

mod endgame;
mod http;
pub mod input;
mod list;
mod parsers;
mod partial;
#[cfg(unix)]
mod program;
mod table;

use arbitrary::Unstructured;
pub use peak_alloc::PeakAlloc as Heap;

/// The allocator of every fuzzing program, which measures the memory of an input.
pub static HEAP: Heap = Heap;

/// The most memory in bytes that an input may allocate.
pub const MEMORY: usize = 80 << 20;

/// A kind of input, and the code that handles it.
pub struct Body {
    /// The name of the target and of its directory in the corpus.
    pub name: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// Prepares the data that all inputs share.
    prepare: fn(),
    /// Handles an input and returns the result in a word.
    run: fn(&[u8]) -> &'static str,
}

/// All bodies.
pub static BODIES: &[Body] = &[
    Body {
        name: "table",
        about: "changed tables: open, describe, probe, verify",
        prepare: || {
            table::samples();
        },
        run: |input| {
            let checked = table::run(&mut Unstructured::new(input));
            checked.map_or(SHORT, table::Checked::name)
        },
    },
    Body {
        name: "endgame",
        about: "searches of Kalah above changed tables of endgames",
        prepare: endgame::prepare,
        run: |input| endgame::run(&mut Unstructured::new(input)).unwrap_or(SHORT),
    },
    Body {
        name: "partial",
        about: "runs that go on from damaged folders of unfinished work",
        prepare: partial::prepare,
        run: |input| partial::run(&mut Unstructured::new(input)).unwrap_or(SHORT),
    },
    Body {
        name: "list",
        about: "changed lists of games that other programs have made",
        prepare: list::prepare,
        run: |input| list::run(&mut Unstructured::new(input)).unwrap_or(SHORT),
    },
    Body {
        name: "parsers",
        about: "positions, moves, rules strings, options, questions",
        prepare: parsers::prepare,
        run: |input| parsers::run(&mut Unstructured::new(input)).unwrap_or(SHORT),
    },
    Body {
        name: "http",
        about: "requests to the explorer's server",
        prepare: http::prepare,
        run: |input| http::run(&mut Unstructured::new(input)).unwrap_or(SHORT),
    },
    #[cfg(unix)]
    Body {
        name: "program",
        about: "what a program writes that is asked for moves",
        prepare: program::prepare,
        run: |input| program::run(&mut Unstructured::new(input)).unwrap_or(SHORT),
    },
];

/// The result for an input that ends too early.
const SHORT: &str = "too short";

impl Body {
    /// Returns the body of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Body> {
        BODIES.iter().find(|body| body.name == name)
    }

    /// Handles an input and returns the result in a word.
    ///
    /// # Panics
    /// If the program does anything but answer truthfully or return an error, or allocates more
    /// than [`MEMORY`].
    pub fn run(&self, input: &[u8]) -> &'static str {
        (self.prepare)();
        let before = HEAP.current_usage();
        HEAP.reset_peak_usage();
        let came = (self.run)(input);
        let taken = HEAP.peak_usage().saturating_sub(before);
        assert!(taken <= MEMORY, "{taken} bytes of memory were taken");
        came
    }
}
