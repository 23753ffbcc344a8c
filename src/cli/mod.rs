//! The command line: one module per subcommand.
//!
//! Results go to standard output, progress and messages to standard error; with `--json`, errors go
//! to both. Exit codes: 0 for yes, 1 for no, 2 for an error, even if nobody reads the results.
//!
//! [`main`] runs the whole command line for the caller's games:
//!
//! ```no_run
//! use std::process::ExitCode;
//! use zermelo::games::eight::Eight;
//!
//! fn main() -> ExitCode {
//!     zermelo::cli::main(&[&Eight])
//! }
//! ```

pub(crate) mod advice;
mod answer;
pub(crate) mod args;
mod batch;
#[cfg(not(target_family = "wasm"))]
mod check_ai;
#[cfg(not(target_family = "wasm"))]
mod export;
#[cfg(not(target_family = "wasm"))]
mod generate;
mod info;
pub(crate) mod json;
#[cfg(not(target_family = "wasm"))]
mod new_ai;
pub(crate) mod output;
mod processes;
pub(crate) mod program;
#[cfg(not(target_family = "wasm"))]
mod query;
#[cfg(not(target_family = "wasm"))]
mod scores;
#[cfg(feature = "serve")]
mod serve;
#[cfg(not(target_family = "wasm"))]
mod solve;
#[cfg(not(target_family = "wasm"))]
mod solved;
mod table;
mod table_files;
pub(crate) mod teaching;
#[cfg(not(target_family = "wasm"))]
mod tournament;
pub(crate) mod ui;
#[cfg(not(target_family = "wasm"))]
mod verify;

use crate::any::FAMILIES;
#[cfg(feature = "mpi")]
use crate::solve::mpi::is_started_by_mpi;
use crate::text::panic_message;
pub use crate::text::{bytes, bytes_up};
use args::game::{with_game_name, with_tips_on_games};
pub use args::resources::{allowed_memory, available_share as available_memory, memory_taken};
use clap::ColorChoice;
use json::{ErrorReport, ReportedError};
use output::results;
pub use program::Program;
#[cfg(feature = "mpi")]
use program::version;
use program::{Subcommand, check_games, command, describe_games, list_games};
#[cfg(all(feature = "serve", target_family = "wasm"))]
pub use serve::{Worker, solve};
use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use teaching::search;
use ui::style;

/// All subcommands, in the order of the help.
#[cfg(not(target_family = "wasm"))]
const SUBCOMMANDS: &[Subcommand] = &[
    ("Tables", "solve", solve::describe, solve::run),
    ("Tables", "query", query::describe, query::run),
    ("Tables", "verify", verify::describe, verify::run),
    ("Tables", "info", info::describe, info::run),
    ("Tables", "export", export::describe, export::run),
    ("AIs", "check-ai", check_ai::describe, check_ai::run),
    ("AIs", "tournament", tournament::describe, tournament::run),
    ("AIs", "new-ai", new_ai::describe, new_ai::run),
    ("Explore", "games", describe_games, list_games),
    #[cfg(feature = "serve")]
    ("Explore", "serve", serve::describe, serve::run),
    ("Searches", "search", search::describe, search::run),
    ("Shell", "generate", generate::describe, generate::run),
];

/// A browser has none.
#[cfg(target_family = "wasm")]
const SUBCOMMANDS: &[Subcommand] = &[];

/// Runs the command line for these families of games, with the process's arguments.
///
/// The subcommands are `solve`, `query`, `verify`, `info`, `export`, `check-ai`, `tournament`, `new-ai`,
/// `games`, `serve`, `search` and `generate`.
#[cfg(not(target_family = "wasm"))]
#[must_use]
pub fn main(families: &[&dyn crate::any::AnyFamily]) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let name = arguments.first().map(Path::new).and_then(Path::file_stem);
    let program = Program {
        families,
        name: name.map_or_else(|| "zermelo".into(), |name| name.to_string_lossy().into()),
        has_library_games: false,
        subcommands: SUBCOMMANDS,
        web_module: None,
    };
    ExitCode::from(program.run(&arguments))
}

/// Returns the value of `--color`, found before the arguments are parsed.
///
/// It also applies to help and to usage errors.
fn color_of(arguments: &[OsString]) -> Option<ColorChoice> {
    let words = arguments.iter().map(|word| word.to_string_lossy());
    let mut words = words.skip(1).take_while(|word| word != "--");
    let word = words.find(|word| word == "--color" || word.starts_with("--color="))?;
    let value = match word.strip_prefix("--color=") {
        Some(value) => value.to_owned(),
        None => words.next()?.into_owned(),
    };
    <ColorChoice as clap::ValueEnum>::from_str(&value, false).ok()
}

impl Program<'_> {
    /// Returns the program `zermelo`, with the library's games.
    #[must_use]
    pub fn of_library() -> Program<'static> {
        Program {
            families: FAMILIES,
            name: "zermelo".to_owned(),
            has_library_games: true,
            subcommands: SUBCOMMANDS,
            web_module: None,
        }
    }

    /// Adds the explorer for browsers, which `export --web` writes: WebAssembly, compressed by gzip.
    #[must_use]
    pub fn with_web_module(self, module: &'static [u8]) -> Self {
        Program {
            web_module: Some(module),
            ..self
        }
    }

    /// Runs the command line and returns the exit code.
    ///
    /// The first of `arguments` is the program's name.
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn run(&self, arguments: &[OsString]) -> u8 {
        match color_of(arguments) {
            None | Some(ColorChoice::Auto) => {}
            Some(ColorChoice::Always) => anstream::ColorChoice::Always.write_global(),
            Some(ColorChoice::Never) => anstream::ColorChoice::Never.write_global(),
        }
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        ui::progress::return_freed_memory();
        // If that fails, such a file ends the program, and nothing worse happens.
        let _ = ui::progress::survive_size_limits();
        #[cfg(feature = "mpi")]
        if arguments.iter().any(|word| word == "solve") {
            if is_started_by_mpi() && !matches!(color_of(arguments), Some(ColorChoice::Always)) {
                // `mpirun` gives every process a pseudo-terminal, even if its own output is a file.
                anstream::ColorChoice::Never.write_global();
            }
            let code = match processes::begin(&version(self.has_library_games), arguments) {
                Ok(()) => self.run_alone(arguments),
                Err(failure) => fail(advice::with_advice(&failure), None, arguments),
            };
            processes::end(code);
            return code;
        }
        // The rules of a user's own game can panic. That is an error like any other.
        catch_unwind(AssertUnwindSafe(|| self.run_alone(arguments))).unwrap_or_else(|panic| {
            let error = format!(
                "the program panicked: {}; the message above says where, and RUST_BACKTRACE=1 adds \
                 a backtrace",
                panic_message(&*panic).unwrap_or("without a message")
            );
            fail(error, None, arguments)
        })
    }

    /// Parses the arguments and runs a subcommand, which ends when all of its results are written.
    #[cfg(not(target_family = "wasm"))]
    fn run_alone(&self, arguments: &[OsString]) -> u8 {
        if !self.has_library_games
            && let Err(clash) = check_games(self)
        {
            return fail(clash, None, arguments);
        }
        let parsed = command(self)
            .try_get_matches_from(with_game_name(arguments, self.families))
            .map_err(|error| check_ai::with_tip(with_tips_on_games(error, self.families)));
        let matches = match parsed {
            Ok(matches) => matches,
            Err(error) => return say_of_usage(&error, arguments),
        };
        if matches.get_flag("quiet") {
            ui::progress::be_quiet();
        }
        let (name, of_subcommand) = matches.subcommand().expect("a subcommand is required");
        let mut known = self.subcommands.iter();
        let (.., run) = known
            .find(|known| known.1 == name)
            .expect("clap knows no others");
        let answered = run(of_subcommand, self).and_then(|answer| {
            results().flush()?;
            Ok(answer)
        });
        match answered {
            Ok(answer) => answer.code(),
            Err(failure) if failure.is::<ReportedError>() => {
                say(&failure.to_string());
                2
            }
            Err(failure) => {
                let position = json::position(&matches);
                fail(advice::with_advice(&failure), position, arguments)
            }
        }
    }
}

/// Prints the requested help or the usage error, and returns the exit code.
fn say_of_usage(error: &clap::Error, arguments: &[OsString]) -> u8 {
    if !processes::speaks() {
        return if error.use_stderr() { 2 } else { 0 };
    }
    if !error.use_stderr() {
        let mut out = results();
        let written = write!(out, "{}", error.render().ansi()).and_then(|()| out.flush());
        return match written {
            Ok(()) => 0,
            Err(cause) => fail(format!("{:#}", anyhow::Error::from(cause)), None, arguments),
        };
    }
    // Nothing can be done if even this can't be printed.
    let _ = error.print();
    say_in_json(&json::of_usage(error), None, arguments);
    2
}

/// Reports an error to people and programs, and returns the exit code.
fn fail(error: String, position: Option<&str>, arguments: &[OsString]) -> u8 {
    say(&error);
    say_in_json(&error, position, arguments);
    2
}

/// Prints an error for people, on standard error.
fn say(error: &str) {
    if !processes::speaks() {
        return;
    }
    let (error, tip) = advice::parts(error);
    let (style, good) = (style::ERROR, style::GOOD);
    let tip = tip.map_or_else(String::new, |tip| format!("\n  {good}tip:{good:#} {tip}"));
    // Nothing can be done if even this can't be printed.
    let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {error}{tip}");
}

/// Prints an error for programs on standard output, if the arguments have `--json`.
fn say_in_json(error: &str, position: Option<&str>, arguments: &[OsString]) {
    let report = ErrorReport::new(position, error);
    if processes::speaks()
        && json::is_wanted(arguments)
        && let Ok(line) = serde_json::to_string(&report)
    {
        // If this fails, standard error still has the error.
        let _ = writeln!(results(), "{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{NoGame, Side, Values};
    use crate::games::own::{Own, Rules};
    use crate::testing::linear_game::{LinearFamily, LinearGame, circular, endless};

    #[test]
    fn the_command_line_is_well_formed() {
        command(&Program::of_library()).debug_assert();
    }

    /// Returns the error of a command with these words, as people read it.
    fn error_of(program: &Program<'_>, words: &str) -> String {
        let words = std::iter::once("zermelo").chain(words.split(' '));
        let matches = command(program).try_get_matches_from(words).unwrap();
        let (name, of_subcommand) = matches.subcommand().unwrap();
        let mut known = program.subcommands.iter();
        let (.., run) = known.find(|known| known.1 == name).unwrap();
        let error = run(of_subcommand, program).err();
        advice::with_advice(&error.expect("no answer"))
    }

    #[test]
    fn a_game_that_repeats_against_its_promise_is_an_error_that_says_what_to_add() {
        let near = LinearGame {
            back: Some((6, 3)),
            ..crate::testing::linear_game::linear_game(11)
        };
        // Checks of the rules find the one loop, and only the work itself finds the other.
        for (game, found) in [
            (near, "comes up again after 4 moves"),
            (circular(), "2000 first"),
        ] {
            let program = Program {
                families: &[&LinearFamily(game)],
                has_library_games: false,
                ..Program::of_library()
            };
            let directory = tempfile::tempdir().unwrap();
            let table = directory.path().join("road.bin");
            for words in [
                "query road",
                "query road draw?",
                "search road",
                "check-ai road --ai builtin:first",
                "check-ai road --ai builtin:first --by-search --sample 9",
                &format!("solve road --out {}", table.display()),
            ] {
                let error = error_of(&program, words);
                let all = [found, "fn endless(&self) -> Endless { Endless::Draw }"];
                assert!(
                    all.iter().all(|text| error.contains(text)),
                    "{words}: {error}"
                );
            }
        }
    }

    #[test]
    fn a_game_that_repeats_is_solved_instead_of_searched_if_it_is_small() {
        let small = LinearFamily(endless("small", (6, 3)));
        let large = LinearFamily(LinearGame {
            length: 300_000,
            ..endless("large", (6, 3))
        });
        let program = Program {
            families: &[&small, &large],
            ..Program::of_library()
        };
        let run = |words: &str| {
            let words = format!("zermelo {words} --quiet");
            let arguments: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            program.run(&arguments)
        };
        assert_eq!(run("query small first-player-win?"), 0);
        assert_eq!(run("query small draw?"), 1);
        let error = error_of(&program, "query large --memory 1M");
        assert!(error.contains("tip: `zermelo solve large`"), "{error}");
        let error = error_of(&program, "search small");
        assert!(error.contains("limit the depth with --depth"), "{error}");
    }

    /// Rules that panic when asked for the moves.
    struct Panicking;

    impl Rules for Panicking {
        type Position = u32;

        const NAME: &'static str = "panicking";
        const ABOUT: &'static str = "A game that can't be played";

        fn new(_: &Values) -> Result<Panicking, NoGame> {
            Ok(Panicking)
        }

        fn start(&self) -> u32 {
            0
        }

        fn side_to_move(&self, _: &u32) -> Side {
            Side::First
        }

        fn moves(&self, &at: &u32) -> Vec<(String, u32)> {
            panic!("no moves at {at}")
        }

        fn final_score(&self, _: &u32) -> Option<i32> {
            None
        }

        fn format_position(&self, at: &u32) -> String {
            at.to_string()
        }
    }

    use crate::game::Parameter;

    /// Names of options, as parameters of a game.
    struct Taken<const NAME: usize>;

    const TAKEN: [&str; 4] = ["seed", "threads", "quiet", "by-search"];
    static PARAMETERS: [Parameter; 4] = [
        Parameter::number(TAKEN[0], 1, "a number"),
        Parameter::number(TAKEN[1], 1, "a number"),
        Parameter::flag(TAKEN[2], "a word"),
        Parameter::flag(TAKEN[3], "a word"),
    ];

    impl<const NAME: usize> crate::game::Family for Taken<NAME> {
        type Game = crate::games::eight::Eight;

        fn name(&self) -> &'static str {
            "taken"
        }

        fn about(&self) -> &'static str {
            "A game with a bad parameter"
        }

        fn parameters(&self) -> &'static [Parameter] {
            &PARAMETERS[NAME..=NAME]
        }

        fn game(&self, _: &Values) -> Result<Self::Game, NoGame> {
            Ok(crate::games::eight::Eight)
        }
    }

    #[test]
    fn parameters_named_like_options_are_an_error() {
        let families: [&dyn crate::any::AnyFamily; 4] =
            [&Taken::<0>, &Taken::<1>, &Taken::<2>, &Taken::<3>];
        for (name, family) in TAKEN.iter().zip(families) {
            let program = Program {
                families: &[family],
                has_library_games: false,
                ..Program::of_library()
            };
            let error = check_games(&program).unwrap_err();
            assert!(
                error.contains(&format!("a parameter --{name}, and so has ")),
                "{error}"
            );
            assert!(
                error.contains("positions") && error.contains("memory"),
                "{error}"
            );
            for words in [
                "zermelo --help",
                "zermelo query taken",
                "zermelo solve --help",
            ] {
                let arguments: Vec<OsString> = words.split(' ').map(OsString::from).collect();
                assert_eq!(program.run(&arguments), 2, "{words}");
            }
        }
    }

    #[test]
    fn rules_that_panic_are_an_error() {
        let program = Program {
            families: &[&Own::<Panicking>::FAMILY],
            ..Program::of_library()
        };
        for words in [
            "query panicking",
            "solve panicking",
            "check-ai panicking --ai builtin:first",
        ] {
            let words = format!("zermelo {words} --quiet");
            let arguments: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            assert_eq!(program.run(&arguments), 2, "{words}");
        }
    }

    #[test]
    fn games_of_your_own_have_no_program_to_begin_with() {
        let program = Program {
            families: &[&LinearFamily(circular())],
            ..Program::of_library()
        };
        let error = error_of(&program, "new-ai road");
        assert!(error.contains("no program for road"), "{error}");
    }
}
