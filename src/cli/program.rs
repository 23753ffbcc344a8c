//! The program and its subcommands: the context that each subcommand receives.

use super::args::game::{Families, example};
use super::output::results;
use crate::any::family_list;
use crate::games::eight::Eight;
use crate::table::FORMAT_VERSION;
use clap::{Arg, ArgAction, ArgMatches, Args, ColorChoice, Command, FromArgMatches};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// The end of the program's own help, after the games.
const COMMON: &str = "\
Every command takes --quiet (-q), and --color auto, always or never.

Exit codes: 0 yes (or done, or proved), 1 no (or refuted), 2 an error.";

/// Heading of the options of every command, which come last.
const COMMON_HEADING: &str = "Every command";

/// Options of all subcommands.
#[derive(Debug, Args)]
pub(super) struct Global {
    /// Print no progress
    #[arg(long, short, global = true, hide_short_help = true, help_heading = COMMON_HEADING)]
    quiet: bool,

    /// When to colour the output; the default is a terminal without NO_COLOR
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        value_enum,
        hide = true
    )]
    color: ColorChoice,
}

/// A program as it was started: its name, game families and subcommands.
pub struct Program<'a> {
    pub(crate) families: Families<'a>,
    /// Name that it was started by: `zermelo`, or `my-game`.
    pub(crate) name: String,
    /// Whether the games are the library's own, which its tests cover.
    pub(crate) has_library_games: bool,
    pub(super) subcommands: &'static [Subcommand],
    /// The explorer for browsers, as compressed WebAssembly.
    pub(crate) web_module: Option<&'static [u8]>,
}

impl Program<'_> {
    /// Returns the program's name and its game families.
    pub(crate) fn game_names(&self) -> (&str, Families<'_>) {
        (&self.name, self.families)
    }

    /// Returns the end of a subcommand's help: exit codes and examples.
    ///
    /// `GAME` and `TABLE` in `lines` are replaced by the first game and its table.
    pub(crate) fn examples(&self, codes: &str, lines: &[&str]) -> String {
        let (game, table) = example(self.families);
        let mut help = format!("{codes}\n\nExamples:").trim_start().to_owned();
        for line in lines {
            let line = line.replace("GAME", &game).replace("TABLE", &table);
            help.push_str(&format!("\n  {} {line}", self.name));
        }
        help
    }
}

/// A subcommand of the program: its group in the help, its name, and the functions that describe and
/// run it.
pub(super) type Subcommand = (&'static str, &'static str, Describe, Run);
type Describe = fn(Command, &Program<'_>) -> Command;
type Run = fn(&ArgMatches, &Program<'_>) -> anyhow::Result<Answer>;

/// Returns the text of `--version`: version, commit of a release build in the repository, and table
/// format.
pub(super) fn version(has_library_games: bool) -> String {
    version_of(has_library_games, option_env!("ZERMELO_COMMIT"))
}

/// `commit` is empty outside of the repository, and `None` for other builds in it.
fn version_of(has_library_games: bool, commit: Option<&str>) -> String {
    let with = if has_library_games {
        ""
    } else {
        "with Zermelo "
    };
    let number = env!("CARGO_PKG_VERSION");
    let build = match commit {
        None => "not a release build, ".to_owned(),
        Some("") => String::new(),
        Some(commit) => format!("{commit}, "),
    };
    format!("{with}{number} ({build}table format {FORMAT_VERSION})")
}

/// Returns clap's description of the whole command line.
pub(super) fn command(program: &Program<'_>) -> Command {
    let about = "Strongly solve small two-player games, ask about any position, and check AIs";
    let name = program.name.clone();
    let mut command = Global::augment_args(Command::new(name.clone()))
        .bin_name(name.clone())
        .about(about)
        .long_about(format!(
            "{about}.\n\n`{name} solve` computes the exact score of every reachable position of a \
             game and writes the scores to a table. The other commands answer from such a table, or search."
        ))
        .version(version(program.has_library_games))
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(program.examples(
            &format!("Games: {}.\n{COMMON}", family_list(program.families)),
            &[
                "solve GAME",
                "query TABLE \"first-player win?\"",
                "check-ai GAME --ai \"python3 my_ai.py\"",
            ],
        ));
    let heading = *command.get_styles().get_header();
    let mut groups = String::new();
    for subcommands in program.subcommands.chunk_by(|one, next| one.0 == next.0) {
        groups.push_str(&format!("{heading}{}:{heading:#}\n", subcommands[0].0));
        for &(_, name, describe, _) in subcommands {
            let subcommand = describe(Command::new(name), program);
            let about = subcommand.get_about().map(ToString::to_string);
            groups.push_str(&format!("  {name:<10}  {}\n", about.unwrap_or_default()));
            command = command.subcommand(subcommand);
        }
        groups.push('\n');
    }
    // A global option comes after those of each command.
    let help = Arg::new("help").short('h').long("help").global(true);
    let help = help.help("Print help (see more with '--help')");
    let help = help.long_help("Print help (see a summary with '-h')");
    let help = help.action(ArgAction::Help).help_heading(COMMON_HEADING);
    without_help(command)
        .arg(help)
        .before_help(groups.trim_end().to_owned())
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{{before-help}}\
         {heading}Options:{heading:#}\n{{options}}{{after-help}}"
        ))
}

/// Removes clap's own option for help, which comes first.
fn without_help(command: Command) -> Command {
    command
        .disable_help_flag(true)
        .mut_subcommands(without_help)
}

/// Checks that the names of the program's games, and of their parameters, have one meaning each.
///
/// # Errors
/// The name and the game, and for a parameter named like an option all names that are taken.
pub fn check_games(program: &Program<'_>) -> Result<(), String> {
    // The options that the commands add to a game without parameters.
    let plain = Program {
        families: &[&Eight],
        name: program.name.clone(),
        ..*program
    };
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    for &(_, name, describe, _) in program.subcommands {
        let command = describe(Command::new(name), &plain);
        let game = command.find_subcommand(plain.families[0].name());
        let options = game.into_iter().flat_map(Command::get_arguments);
        let options = options.filter_map(|option| option.get_long().map(str::to_owned));
        taken.extend(options.map(|option| (option, name)));
    }
    taken.extend(["color", "help", "quiet"].map(|name| (name.to_owned(), "every command")));
    let mut games = BTreeSet::new();
    for family in program.families {
        let mut names = [family.name()]
            .into_iter()
            .chain(family.aliases().iter().copied());
        if let Some(name) = names.find(|name| !games.insert(*name)) {
            return Err(format!(
                "two games have the name or alias {name}\ntip: rename one of them"
            ));
        }
        let mut own = BTreeSet::new();
        for parameter in family.parameters() {
            let name = parameter.name;
            let other = taken.get(name).copied();
            if let Some(other) = other.or_else(|| (!own.insert(name)).then_some("another one")) {
                let taken: Vec<&str> = taken.keys().map(String::as_str).collect();
                return Err(format!(
                    "the game {} has a parameter --{name}, and so has {other}\ntip: rename the \
                     parameter; the names {} are taken",
                    family.name(),
                    taken.join(", ")
                ));
            }
        }
    }
    Ok(())
}

/// Parses the arguments of a subcommand, which clap has checked.
pub(crate) fn arguments<A: FromArgMatches>(matches: &ArgMatches) -> anyhow::Result<A> {
    Ok(A::from_arg_matches(matches)?)
}

/// Result of a command that ended without an error of its own, with its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Done, proved, or the answer is yes.
    Yes = 0,
    /// Refuted, or the answer is no.
    No = 1,
    /// Some of the work failed, and the failures are already reported.
    Failed = 2,
}

impl Answer {
    /// Returns the exit code.
    pub(super) fn code(self) -> u8 {
        self as u8
    }
}

/// Prints a note for people, on standard error.
#[cfg(feature = "serve")]
pub(super) fn say_note(note: &str) {
    // Nothing can be done if even this can't be printed.
    let _ = writeln!(anstream::stderr(), "note: {note}");
}

/// Describes `games`, which lists the program's games.
pub(super) fn describe_games(command: Command, program: &Program<'_>) -> Command {
    let name = &program.name;
    command
        .about("List the games, with their short names")
        .visible_alias("list")
        .after_help(format!(
            "`{name} solve GAME --help` explains a game's rules and options."
        ))
}

pub(super) fn list_games(_: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let names = program.families.iter().map(|family| {
        let names = [&[family.name()], family.aliases()].concat();
        names.join(", ")
    });
    let names: Vec<String> = names.collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut out = results();
    for (names, family) in names.iter().zip(program.families) {
        writeln!(out, "{names:<width$}  {}", family.about())?;
    }
    Ok(Answer::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::any::AnyFamily;
    use crate::game::{Family, Parameter, Values};

    #[test]
    fn builds_outside_of_the_repository_are_of_their_version() {
        let number = env!("CARGO_PKG_VERSION");
        for (commit, build) in [
            (Some(""), ""),
            (Some("4b0a398"), "4b0a398, "),
            (None, "not a release build, "),
        ] {
            let expected = format!("{number} ({build}table format {FORMAT_VERSION})");
            assert_eq!(version_of(true, commit), expected);
        }
    }

    struct Named(&'static str, &'static [Parameter]);

    impl Family for Named {
        type Game = Eight;

        fn name(&self) -> &'static str {
            self.0
        }

        fn about(&self) -> &'static str {
            "Eight"
        }

        fn parameters(&self) -> &'static [Parameter] {
            self.1
        }

        fn game(&self, _: &Values) -> Result<Eight, crate::game::NoGame> {
            Ok(Eight)
        }
    }

    #[test]
    fn names_that_are_there_twice_are_refused() {
        const ROWS: Parameter = Parameter::number("rows", 3, "Rows");
        const NIM: Named = Named("nim", &[ROWS]);
        let check = |families: &[Named]| {
            let families: Vec<&dyn AnyFamily> = families.iter().map(|named| named as _).collect();
            let program = Program {
                families: &families,
                ..Program::of_library()
            };
            check_games(&program)
        };
        assert_eq!(check(&[NIM, Named("eight", &[ROWS])]), Ok(()));
        for (families, words) in [
            (
                [NIM, Named("eight", &[ROWS, ROWS])],
                "--rows, and so has another one",
            ),
            ([NIM, NIM], "two games have the name or alias nim"),
        ] {
            let error = check(&families).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
