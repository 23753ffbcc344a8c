//! What the fuzzers do with an input: each body takes bytes, does with them what a stranger's file
//! or words could do to the program, and panics if that is not an error or the truth.
//!
//! cargo-fuzz's targets and the runner on stable Rust (`src/main.rs`) call the same bodies.

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

/// The allocator that a program must have for bodies to see how much memory an input takes.
pub static HEAP: Heap = Heap;

/// The most memory in bytes that an input may take beyond what was taken before.
pub const MEMORY: usize = 80 << 20;

/// One kind of input, and what is done with it.
pub struct Body {
    /// Its name: of the target and of its folder in the corpus.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// What is made once for all inputs.
    prepare: fn(),
    /// Says in a word what came of an input.
    run: fn(&[u8]) -> &'static str,
}

/// All of them.
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

/// What came of an input that ends too soon.
const SHORT: &str = "too short";

impl Body {
    /// The body of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Body> {
        BODIES.iter().find(|body| body.name == name)
    }

    /// Does with an input what is to be done, and says in a word what came of it.
    ///
    /// # Panics
    /// If the program does anything but answer truthfully or with an error, or takes more than
    /// [`MEMORY`] for it.
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
