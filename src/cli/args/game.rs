//! Games on the command line: a subcommand for each family.

use crate::any::{AnyFamily, AnyGame, families_called, family_list, several_called};
use crate::cli::table_files::{directory, found};
use crate::game::{Parameter, ParameterKind, Takes, Values};
use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The game families of a program.
pub type Families<'a> = &'a [&'a dyn AnyFamily];

/// Adds a subcommand for each family, with the family's parameters.
///
/// The usage and the help of the program `name` have one line for all of them. `details` follows the
/// rules in the long help of a game; `more` adds further options.
pub fn with_games(
    mut command: Command,
    (name, families): (&str, Families<'_>),
    details: impl Fn(&dyn AnyFamily) -> &'static str,
    more: impl Fn(&dyn AnyFamily, Command) -> Command,
) -> Command {
    for &family in families {
        let hidden = Command::new(family.name()).hide(true);
        let about = family.about();
        let mut long = vec![about, family.rules_in_words(), details(family)];
        long.retain(|part| !part.is_empty());
        let game = more(family, with_parameters(hidden, family))
            .about(about)
            .long_about(long.join("\n\n"))
            .visible_aliases(family.aliases());
        command = command.subcommand(game);
    }
    let heading = command.get_subcommand_help_heading().unwrap_or("Games");
    let games = family_list(families);
    let lines = format!("{heading}: {games}.\n`{name} games` describes them.");
    let usage = format!("{name} {} [OPTIONS] <GAME>", command.get_name());
    command
        .override_usage(usage)
        .subcommand_value_name("GAME")
        .before_help(lines)
        .help_template(
            "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}",
        )
}

fn with_parameters(mut command: Command, family: &dyn AnyFamily) -> Command {
    let mut groups: Vec<&'static str> = Vec::new();
    for parameter in family.parameters() {
        command = command.arg(argument(parameter));
        groups.extend(parameter.group.filter(|group| !groups.contains(group)));
    }
    for group in groups {
        let members = family.parameters().iter();
        let members = members.filter(|parameter| parameter.group == Some(group));
        let members = members.map(|parameter| parameter.name);
        command = command.group(ArgGroup::new(group).args(members).required(true));
    }
    command
}

fn argument(parameter: &Parameter) -> Arg {
    let argument = Arg::new(parameter.name)
        .long(parameter.name)
        .help_heading("Rules")
        .help(parameter.help);
    match parameter.kind {
        ParameterKind::Number { default, unit } => {
            let argument = argument
                .value_name("N")
                .allow_negative_numbers(true)
                .value_parser(move |text: &str| whole_number(text, unit, default));
            match parameter.group {
                None => argument.default_value(default.to_string()),
                Some(_) => argument,
            }
        }
        ParameterKind::Choice { values } => {
            let words = values
                .iter()
                .map(|&(word, meaning)| PossibleValue::new(word).help(meaning));
            argument
                .value_name(parameter.name.to_uppercase())
                .value_parser(clap::builder::PossibleValuesParser::new(words))
                .default_value(values[0].0)
        }
        ParameterKind::Flag => argument.action(ArgAction::SetTrue),
    }
}

fn whole_number(text: &str, unit: &str, example: usize) -> Result<String, String> {
    let number = text.parse::<usize>();
    number.map(|number| number.to_string()).map_err(|_| {
        format!("that is not a number of {unit}: write a whole number, such as {example}")
    })
}

/// Returns the game named by a family's subcommand and its options.
///
/// Untested rules are checked first, so that a mistake in them gets a clear message.
pub fn game_of(
    name: &str,
    matches: &ArgMatches,
    families: Families<'_>,
    is_tested: bool,
) -> anyhow::Result<Box<dyn AnyGame>> {
    let family = family_of(name, families);
    let mut values = Values::default();
    for parameter in family.parameters() {
        let value = match parameter.kind {
            ParameterKind::Flag => matches.get_flag(parameter.name).then_some("yes"),
            _ => matches.get_one(parameter.name).map(String::as_str),
        };
        if let Some(value) = value {
            values.set(parameter.name, value);
        }
    }
    let game = family.game_with(&values)?;
    if !is_tested {
        #[cfg(not(target_family = "wasm"))]
        game.check_untested(LOOKED_AT)?;
    }
    Ok(game)
}

/// Returns the words that name the same game on the command line, without default values.
pub fn words_of(name: &str, matches: &ArgMatches, families: Families<'_>) -> String {
    let mut words = name.to_owned();
    for parameter in family_of(name, families).parameters() {
        if matches.value_source(parameter.name) != Some(ValueSource::CommandLine) {
            continue;
        }
        words.push_str(&format!(" --{}", parameter.name));
        if let ParameterKind::Number { .. } | ParameterKind::Choice { .. } = parameter.kind
            && let Some(value) = matches.get_one::<String>(parameter.name)
        {
            words.push_str(&format!(" {value}"));
        }
    }
    words
}

/// Returns the game with this default table name, such as `kalah-6-3`, and the words that name it.
pub fn game_of_table(name: &str, families: Families<'_>) -> Option<(String, Box<dyn AnyGame>)> {
    let of_family = |family: &&dyn AnyFamily| {
        let values = name.strip_prefix(family.name())?;
        let values = values.split(|c: char| !c.is_ascii_digit());
        let values = values.filter(|value| !value.is_empty());
        let kinds = family.parameters().iter();
        let numbers = kinds.filter(|one| matches!(one.kind, ParameterKind::Number { .. }));
        let given = numbers.map(|one| one.name).zip(values.map(str::to_owned));
        let given: Vec<(&str, String)> = given.collect();
        let game = family.game_with(&Values::of(family.parameters(), &given).ok()?);
        let game = game
            .ok()
            .filter(|game| game.table_name() == format!("{name}.bin"))?;
        Some((words_with(*family, &given), game))
    };
    families.iter().find_map(of_family)
}

/// Returns the words that name a family's game with these parameters.
fn words_with(family: &dyn AnyFamily, given: &[(&str, String)]) -> String {
    let given = given
        .iter()
        .map(|(name, value)| format!(" --{name} {value}"));
    family.name().to_owned() + &given.collect::<String>()
}

/// Number of positions on which untested rules are checked.
pub const LOOKED_AT: usize = 1000;

/// Returns the family whose subcommand was given.
pub fn family_of<'a>(name: &str, families: Families<'a>) -> &'a dyn AnyFamily {
    let mut families = families.iter();
    *families
        .find(|family| family.name() == name)
        .expect("a subcommand for each family")
}

/// Returns the default path of a game's table.
pub fn default_table(game: &dyn AnyGame) -> PathBuf {
    directory().join(game.table_name())
}

/// Returns a program's arguments, in which a game after the command has its own name.
pub fn with_game_name(arguments: &[OsString], families: Families<'_>) -> Vec<OsString> {
    let mut arguments = arguments.to_vec();
    if let Some(word) = arguments.get_mut(2)
        && found(Path::new(word)).is_none()
        && let Some(name) = word.to_str()
        && let [family] = families_called(name, families)[..]
    {
        *word = family.name().into();
    }
    arguments
}

/// Sets the tip of one of clap's errors.
pub fn suggest(error: &mut clap::Error, tip: String) {
    let tips = ContextValue::StyledStrs(vec![tip.into()]);
    error.insert(ContextKind::Suggested, tips);
}

/// Adds a tip to clap's errors about games.
///
/// It lists the games if one is unknown, or those that have an option if it was given for another
/// game, or names the option that was meant.
pub fn with_tips_on_games(mut error: clap::Error, families: Families<'_>) -> clap::Error {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let usage = usage.unwrap_or_default();
    if error.kind() == ErrorKind::InvalidSubcommand && usage.contains("<GAME>") {
        let word = error.get(ContextKind::InvalidSubcommand);
        let several = word.and_then(|word| several_called(&word.to_string(), families));
        let games = several.unwrap_or_else(|| match families {
            [only] => format!("the only game is {}", only.name()),
            _ => format!("the games are {}", family_list(families)),
        });
        suggest(&mut error, games);
    }
    let invalid = error.get(ContextKind::InvalidArg);
    let option = invalid.map(ToString::to_string).unwrap_or_default();
    let has = |family: &&&dyn AnyFamily| {
        let mut parameters = family.parameters().iter();
        let is_kept = match option.as_str() {
            "--endgame" | "--save" => family.takes() == Takes::Endgames,
            "--opening" => family.takes() == Takes::Openings,
            _ => false,
        };
        is_kept || parameters.any(|parameter| option.strip_prefix("--") == Some(parameter.name))
    };
    let games: Vec<&str> = families.iter().filter(has).map(|one| one.name()).collect();
    if error.kind() == ErrorKind::UnknownArgument && !games.is_empty() {
        let tip = format!("{option} is an option of {}", games.join(" and "));
        suggest(&mut error, tip);
    }
    if error.kind() == ErrorKind::MissingRequiredArgument {
        let is_asked = |family: &&&dyn AnyFamily| usage.contains(&format!(" {} ", family.name()));
        let family = families.iter().find(is_asked);
        let needed = family.map_or(Vec::new(), |&family| example_parameters(family));
        let needed = needed.iter().map(|it| format!("--{} {}", it.0, it.1));
        let ai = "--ai \"python3 my_ai.py\" or --ai builtin:random".to_owned();
        let is_missing = |tip: &String| tip.split(' ').take(1).any(|name| option.contains(name));
        let tips: Vec<String> = needed.chain([ai]).filter(is_missing).collect();
        if !tips.is_empty() {
            suggest(&mut error, format!("add {}", tips.join(", and ")));
        }
    }
    error
}

/// Returns an example for the help: the words that name a game, and the short name of its table.
pub fn example(families: Families<'_>) -> (String, String) {
    let Some(&family) = families.first() else {
        return ("GAME".to_owned(), "TABLE".to_owned());
    };
    let game = example_game(family);
    let table = game
        .as_ref()
        .map_or(family.name(), |game| game.table_name());
    let words = words_with(family, &example_parameters(family));
    (words, table.trim_end_matches(".bin").to_owned())
}

/// Returns a typical game of a family, with default or example values.
pub fn example_game(family: &dyn AnyFamily) -> Option<Box<dyn AnyGame>> {
    let values = Values::of(family.parameters(), &example_parameters(family));
    family.game_with(&values.ok()?).ok()
}

/// Returns the parameters of the typical game without a default: the first of each group, with an
/// example.
fn example_parameters(family: &dyn AnyFamily) -> Vec<(&'static str, String)> {
    let mut groups: Vec<&'static str> = Vec::new();
    let is_first = |parameter: &&Parameter| {
        let group = parameter.group.filter(|group| !groups.contains(group));
        let new = group.filter(|_| parameter.kind != ParameterKind::Flag);
        groups.extend(new);
        new.is_some()
    };
    let firsts = family.parameters().iter().filter(is_first);
    firsts.map(|one| (one.name, one.sample())).collect()
}
