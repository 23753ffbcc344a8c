//! What ties rules to names: on the command line, in tables and in file names.

use super::Notation;
use std::fmt::Write;

/// One option of a family's games, such as `--pits N`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name on the command line (`--name`) and in rules strings (`name=value`).
    pub name: &'static str,
    /// What it means, in a line without a full stop.
    pub help: &'static str,
    /// The values it can have.
    pub kind: ParameterKind,
    /// Parameters with the same group exclude each other, and one of them must be given.
    pub group: Option<&'static str>,
}

/// The values that a [`Parameter`] can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParameterKind {
    /// A whole number.
    Number {
        /// The default; of a parameter in a group, which has none, an example.
        default: usize,
        /// What it is a number of, in the plural.
        unit: &'static str,
    },
    /// One of several words.
    Choice {
        /// The words, each with what it means. The first is the default.
        values: &'static [(&'static str, &'static str)],
    },
    /// Given or not; the value is `yes` or nothing.
    Flag,
}

impl Parameter {
    const fn new(name: &'static str, help: &'static str, kind: ParameterKind) -> Parameter {
        Parameter {
            name,
            help,
            kind,
            group: None,
        }
    }

    /// A whole number, with a default, or, if it comes into a group, an example.
    #[must_use]
    pub const fn number(name: &'static str, default: usize, help: &'static str) -> Parameter {
        let kind = ParameterKind::Number {
            default,
            unit: name,
        };
        Parameter::new(name, help, kind)
    }

    /// One of several words, each with what it means; the first is the default.
    #[must_use]
    pub const fn choice(
        name: &'static str,
        values: &'static [(&'static str, &'static str)],
        help: &'static str,
    ) -> Parameter {
        Parameter::new(name, help, ParameterKind::Choice { values })
    }

    /// Given or not.
    #[must_use]
    pub const fn flag(name: &'static str, help: &'static str) -> Parameter {
        Parameter::new(name, help, ParameterKind::Flag)
    }

    /// The same number of what has another name than the parameter.
    ///
    /// # Panics
    /// If it is not a number.
    #[must_use]
    pub const fn of(mut self, of: &'static str) -> Parameter {
        match &mut self.kind {
            ParameterKind::Number { unit, .. } => *unit = of,
            _ => panic!("only numbers are numbers of something"),
        }
        self
    }

    /// The same, as one of a group that exclude each other.
    #[must_use]
    pub const fn one_of(mut self, group: &'static str) -> Parameter {
        self.group = Some(group);
        self
    }

    /// Whether a value in a rules string gives the parameter, as all but a flag's `no` do.
    fn accepts(&self, value: &str) -> Result<bool, String> {
        let known: Vec<&str> = match self.kind {
            ParameterKind::Number { .. } => return Ok(true),
            ParameterKind::Choice { values } => values.iter().map(|known| known.0).collect(),
            ParameterKind::Flag => vec!["yes", "no"],
        };
        let name = self.name;
        if known.contains(&value) {
            return Ok(self.kind != ParameterKind::Flag || value == "yes");
        }
        Err(match &known[..] {
            [first, second] => format!("{name}={value} is neither {first} nor {second}"),
            _ => format!("{name}={value} is not one of {}", known.join(", ")),
        })
    }

    /// The value that somebody gives the parameter, or else its default, if it has one.
    fn value(&self, given: Option<String>) -> Result<Option<String>, String> {
        let name = self.name;
        match (given, self.kind) {
            (Some(given), ParameterKind::Number { default, unit }) => {
                let wrong = |_| format!("{name}={given} is no number of {unit}, such as {default}");
                let number: usize = given.trim().parse().map_err(wrong)?;
                Ok(Some(number.to_string()))
            }
            (Some(given), _) => Ok(self.accepts(&given)?.then_some(given)),
            (None, ParameterKind::Flag) => Ok(None),
            (None, _) => Ok(self.group.is_none().then(|| self.sample())),
        }
    }

    /// The default, or an example.
    pub(crate) fn sample(&self) -> String {
        match self.kind {
            ParameterKind::Number { default, .. } => default.to_string(),
            ParameterKind::Choice { values } => values[0].0.to_owned(),
            ParameterKind::Flag => "yes".to_owned(),
        }
    }
}

/// The values that a family's parameters have been given, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values(Vec<(&'static str, String)>);

impl Values {
    /// Gives a parameter its value.
    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.push((name, value.into()));
    }

    /// The values of these parameters that somebody gives by name, and the defaults of the others;
    /// a flag is `yes` or `no`. An underscore in a name is as good as a hyphen.
    ///
    /// # Errors
    /// If there is no such parameter, one can't have the value, or one that must be given is not:
    /// what is wrong, in a sentence without a full stop.
    pub fn of(parameters: &[Parameter], given: &[(&str, String)]) -> Result<Values, String> {
        let is_named = |parameter: &Parameter, name: &str| parameter.name == name.replace('_', "-");
        for (name, _) in given {
            if !parameters.iter().any(|parameter| is_named(parameter, name)) {
                let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
                return Err(match &known[..] {
                    [] => format!("there is no parameter {name}, nor any other"),
                    _ => format!(
                        "there is no parameter {name} (there are {})",
                        known.join(", ")
                    ),
                });
            }
        }
        let value_of = |parameter: &Parameter| {
            let mut given = given.iter();
            given
                .find(|(name, _)| is_named(parameter, name))
                .map(|(_, value)| value.clone())
        };
        let mut values = Values::default();
        for parameter in parameters {
            if let Some(value) = parameter.value(value_of(parameter))? {
                values.set(parameter.name, value);
            }
        }
        for group in parameters.iter().filter_map(|parameter| parameter.group) {
            let members = || parameters.iter().filter(|other| other.group == Some(group));
            let count = members().filter_map(value_of).count();
            if count != 1 {
                let names: Vec<&str> = members().map(|member| member.name).collect();
                let names = names.join(" and ");
                let found = if count == 0 { "none" } else { "more" };
                return Err(format!("give one of {names}, not {found}"));
            }
        }
        Ok(values)
    }

    /// A parameter's value, if it has been given one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter();
        values.find(|value| value.0 == name).map(|value| &*value.1)
    }

    /// Whether a flag is given.
    #[must_use]
    pub fn is_given(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A number, if it has been given.
    ///
    /// # Errors
    /// If the value is not a number.
    pub fn number<N: std::str::FromStr>(&self, name: &str) -> Result<Option<N>, String> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let number = text.parse();
        number
            .map(Some)
            .map_err(|_| format!("{name}={text} is not a whole number"))
    }

    /// A number that must be there.
    ///
    /// # Errors
    /// If it isn't, or the value is not a number.
    pub fn need<N: std::str::FromStr>(&self, name: &str) -> Result<N, String> {
        self.number(name)?
            .ok_or_else(|| format!("{name} is missing"))
    }
}

/// A family of games that differ in their parameters only: what people type to get one of them.
///
/// ```
/// use zermelo::game::{Family, Parameter, Values};
/// use zermelo::games::eight::Eight;
///
/// struct Eights;
///
/// impl Family for Eights {
///     type Game = Eight;
///
///     fn name(&self) -> &'static str {
///         "eight"
///     }
///
///     fn about(&self) -> &'static str {
///         "Name 1, 2 or 3 in turn; who reaches 8 wins"
///     }
///
///     fn game(&self, _: &Values) -> Result<Eight, String> {
///         Ok(Eight)
///     }
/// }
///
/// assert_eq!(Eights.read_rules("")?, Eight);
/// # Ok::<(), String>(())
/// ```
pub trait Family: Send + Sync + 'static {
    /// Its games.
    type Game: Notation
    where
        Self: Sized;

    /// Its name on the command line, and the first word of its games' rules strings: lower case, no
    /// spaces.
    fn name(&self) -> &'static str;

    /// Other names on the command line.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// What kind of game it is, in a line without a full stop.
    fn about(&self) -> &'static str;

    /// Its rules in short, for somebody who has never seen the game, how positions and moves are
    /// written, and what scores mean: plain text, paragraphs with an empty line between them. Long
    /// help begins with it.
    fn rules_in_words(&self) -> &'static str {
        ""
    }

    /// More about it, for long help: what solving takes, for example.
    fn details(&self) -> &'static str {
        ""
    }

    /// More about searching its positions, for long help: what it takes, for example.
    fn search_details(&self) -> &'static str {
        ""
    }

    /// What its games can differ in.
    fn parameters(&self) -> &'static [Parameter] {
        &[]
    }

    /// The game with these values; parameters that have a default are among them.
    ///
    /// # Errors
    /// If there is no such game: what is wrong, in a sentence without a full stop.
    fn game(&self, values: &Values) -> Result<Self::Game, String>
    where
        Self: Sized;

    /// The game of a rules string ([`Notation::rules`]) that begins with the family's name:
    /// `parameters` is what follows. Unless the family does it in its own way, that is
    /// `name=value` for each parameter, in their order; for a flag `name=yes` or `name=no`.
    ///
    /// # Errors
    /// If there is no such game: what is wrong, in a sentence without a full stop.
    fn read_rules(&self, parameters: &str) -> Result<Self::Game, String>
    where
        Self: Sized,
    {
        self.game(&self.values_of_rules(parameters)?)
    }

    /// The values in a rules string: `name=value` for each parameter, in their order.
    ///
    /// # Errors
    /// If it isn't like that: what is wrong, in a sentence without a full stop.
    fn values_of_rules(&self, parameters: &str) -> Result<Values, String> {
        let known: Vec<&'static str> = self.parameters().iter().map(|p| p.name).collect();
        let mut example = self.name().to_owned();
        for parameter in self.parameters() {
            // Writing to a string can't fail.
            let _ = write!(example, " {}={}", parameter.name, parameter.sample());
        }
        let words = values_of_words(parameters, &known, &example)?;
        let mut values = Values::default();
        for parameter in self.parameters() {
            let value = words.get(parameter.name).unwrap_or_default();
            if parameter.accepts(value)? {
                values.set(parameter.name, value);
            }
        }
        Ok(values)
    }

    /// The default file name of a game's table, such as `ttt.bin`. Unless the
    /// family does it in its own way: the rules string's name and values, `reversi4-cross.bin`.
    fn table_name(&self, game: &Self::Game) -> String
    where
        Self: Sized,
    {
        let rules = game.rules();
        let words = rules.split_whitespace();
        let words: Vec<&str> = words
            .map(|word| word.split_once('=').map_or(word, |(_, value)| value))
            .collect();
        format!("{}.bin", words.join("-"))
    }

    /// The memory that a search of its positions uses by default, in bytes; `None` for most of what
    /// the machine has.
    fn search_memory(&self) -> Option<u64> {
        Some(256 << 20)
    }

    /// Whether its search can take the scores of endgames from a table.
    fn takes_endgames(&self) -> bool {
        false
    }

    /// If it can: the arguments of `solve` that make the endgame of a game, such as
    /// `kalah --pits 6 --up-to 20`.
    fn endgame_arguments(&self, _game: &Self::Game) -> String
    where
        Self: Sized,
    {
        self.name().to_owned()
    }
}

/// The values of `name=value` words, which must be these names in this order.
///
/// # Errors
/// If they aren't: what is wrong, in a sentence without a full stop.
pub fn values_of_words(
    parameters: &str,
    names: &[&'static str],
    example: &str,
) -> Result<Values, String> {
    let words: Vec<&str> = parameters.split_whitespace().collect();
    let mut values = Values::default();
    if words.len() != names.len() {
        return Err(match names {
            [] => format!("it should read \"{example}\""),
            _ => format!("it should look like \"{example}\""),
        });
    }
    for (name, word) in names.iter().zip(words) {
        let value = word
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('='))
            .ok_or_else(|| format!("\"{word}\" should be \"{name}=...\", as in \"{example}\""))?;
        values.set(name, value);
    }
    Ok(values)
}
