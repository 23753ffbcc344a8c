//! Game families: the names and parameters by which users select a game.

use super::Notation;

/// Why there is no game with some parameters, without a full stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoGame(pub String);

impl From<String> for NoGame {
    fn from(problem: String) -> NoGame {
        NoGame(problem)
    }
}

impl From<&str> for NoGame {
    fn from(problem: &str) -> NoGame {
        NoGame(problem.to_owned())
    }
}

/// Returns the table of an opening book; `None` if it has not been loaded yet.
pub type OpeningTable = fn() -> Option<&'static [u8]>;

/// One option of a family's games, such as `--pits N`.
///
/// ```
/// use zermelo::game::Parameter;
///
/// const PARAMETERS: [Parameter; 2] = [
///     Parameter::number("pits", 6, "pits per side"),
///     Parameter::flag("empty-capture", "capture even if the opposite pit is empty"),
/// ];
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Name on the command line (`--name`) and in rules strings (`name=value`).
    ///
    /// It must not be that of an option of a command, such as `seed`, `memory`, `threads` or `table`:
    /// the command line refuses it and lists all names that are taken.
    pub name: &'static str,
    /// Meaning of the parameter, in one line without a full stop.
    pub help: &'static str,
    /// The values that it can have.
    pub kind: ParameterKind,
    /// Group of parameters of which exactly one must be given, if it belongs to one.
    pub group: Option<&'static str>,
}

/// The values that a [`Parameter`] can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParameterKind {
    /// A whole number.
    Number {
        /// The default. For a parameter in a group, which has no default, an example.
        default: usize,
        /// Plural noun for the thing counted, for messages: "pits".
        unit: &'static str,
    },
    /// One word of a list.
    Choice {
        /// The words, each with its meaning. The first is the default.
        values: &'static [(&'static str, &'static str)],
    },
    /// Given or not; the value is `yes` if it is given.
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

    /// Returns a whole number.
    ///
    /// `default` is its value unless the user gives one. If the parameter is in a group
    /// ([`Parameter::one_of`]), it has no default, and `default` is only an example for messages.
    /// The unit in messages is the name; [`Parameter::of`] replaces it.
    #[must_use]
    pub const fn number(name: &'static str, default: usize, help: &'static str) -> Parameter {
        let kind = ParameterKind::Number {
            default,
            unit: name,
        };
        Parameter::new(name, help, kind)
    }

    /// Returns one word of a list, each with its meaning. The first is the default.
    #[must_use]
    pub const fn choice(
        name: &'static str,
        values: &'static [(&'static str, &'static str)],
        help: &'static str,
    ) -> Parameter {
        Parameter::new(name, help, ParameterKind::Choice { values })
    }

    /// Returns a flag: given or not.
    #[must_use]
    pub const fn flag(name: &'static str, help: &'static str) -> Parameter {
        Parameter::new(name, help, ParameterKind::Flag)
    }

    /// Sets the plural noun for the thing that a number counts.
    ///
    /// # Panics
    /// If the parameter is not a number.
    #[must_use]
    pub const fn of(mut self, of: &'static str) -> Parameter {
        match &mut self.kind {
            ParameterKind::Number { unit, .. } => *unit = of,
            _ => panic!("only numbers are numbers of something"),
        }
        self
    }

    /// Adds the parameter to a group, of which exactly one must be given.
    #[must_use]
    pub const fn one_of(mut self, group: &'static str) -> Parameter {
        self.group = Some(group);
        self
    }

    /// Returns the value that the user gives, or else the default, if there is one.
    fn value(&self, given: Option<String>) -> Result<Option<String>, NoGame> {
        let Some(given) = given else {
            let has_default = self.kind != ParameterKind::Flag && self.group.is_none();
            return Ok(has_default.then(|| self.sample()));
        };
        let name = self.name;
        let known: Vec<&str> = match self.kind {
            ParameterKind::Number { default, unit } => {
                let problem = format!("{name}={given} is no number of {unit}, such as {default}");
                let number: usize = given.trim().parse().map_err(|_| problem)?;
                return Ok(Some(number.to_string()));
            }
            ParameterKind::Choice { values } => values.iter().map(|known| known.0).collect(),
            ParameterKind::Flag => vec!["yes", "no"],
        };
        match &known[..] {
            _ if known.contains(&&*given) => {
                let is_set = self.kind != ParameterKind::Flag || given == "yes";
                Ok(is_set.then_some(given))
            }
            [first, second] => {
                Err(format!("{name}={given} is neither {first} nor {second}").into())
            }
            _ => Err(format!("{name}={given} is not one of {}", known.join(", ")).into()),
        }
    }

    /// Returns the default. For a parameter in a group, an example.
    pub(crate) fn sample(&self) -> String {
        match self.kind {
            ParameterKind::Number { default, .. } => default.to_string(),
            ParameterKind::Choice { values } => values[0].0.to_owned(),
            ParameterKind::Flag => "yes".to_owned(),
        }
    }
}

/// The values of a family's parameters, by name.
///
/// ```
/// use zermelo::game::{Parameter, Values};
///
/// let parameters = [Parameter::number("pits", 6, "pits per side")];
/// let values = Values::of(&parameters, &[("pits", "4".to_owned())])?;
/// assert_eq!(values.need::<u8>("pits")?, 4);
/// # Ok::<(), zermelo::game::NoGame>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values(Vec<(&'static str, String)>);

impl Values {
    /// Sets a parameter's value.
    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.push((name, value.into()));
    }

    /// Returns the given values of these parameters, and the defaults of the others.
    ///
    /// A flag is given as `yes` or `no`. Names may have underscores instead of hyphens.
    ///
    /// # Errors
    /// If a name is unknown, a value is not allowed, or not exactly one parameter of a group is
    /// given.
    pub fn of(parameters: &[Parameter], given: &[(&str, String)]) -> Result<Values, NoGame> {
        let is_named = |parameter: &Parameter, name: &str| parameter.name == name.replace('_', "-");
        for (name, _) in given {
            if !parameters.iter().any(|parameter| is_named(parameter, name)) {
                let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
                return Err(NoGame(match &known[..] {
                    [] => format!("there is no parameter {name}, nor any other"),
                    _ => format!(
                        "there is no parameter {name} (there are {})",
                        known.join(", ")
                    ),
                }));
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
                return Err(format!("give one of {names}, not {found}").into());
            }
        }
        Ok(values)
    }

    /// Returns the values in `name=value` words, as those of a rules string ([`Values::of`]).
    ///
    /// # Errors
    /// If a word has another form, or those of [`Values::of`].
    pub fn of_words(parameters: &[Parameter], words: &str) -> Result<Values, NoGame> {
        let mut given = Vec::new();
        for word in words.split_whitespace() {
            let parts = word.split_once('=');
            let (name, value) =
                parts.ok_or_else(|| format!("\"{word}\" should be \"name=value\""))?;
            given.push((name, value.to_owned()));
        }
        Values::of(parameters, &given)
    }

    /// Returns a parameter's value, or `None` if it has neither a value nor a default.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter();
        values.find(|value| value.0 == name).map(|value| &*value.1)
    }

    /// Returns whether a flag is set.
    #[must_use]
    pub fn is_given(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns a number, or `None` if the parameter has no value.
    ///
    /// # Errors
    /// If the value is not a whole number of this type.
    pub fn number<N: std::str::FromStr>(&self, name: &str) -> Result<Option<N>, NoGame> {
        let read = |text: &str| {
            let number = text.parse();
            number.map_err(|_| NoGame(format!("{name}={text} is not a whole number")))
        };
        self.get(name).map(read).transpose()
    }

    /// Returns a number that must have a value.
    ///
    /// # Errors
    /// If it has none, or the value is not a whole number of this type.
    pub fn need<N: std::str::FromStr>(&self, name: &str) -> Result<N, NoGame> {
        self.number(name)?
            .ok_or_else(|| NoGame(format!("{name} is missing")))
    }
}

/// A family of games that differ only in their parameters.
///
/// A user types its name and options to select one of its games. An application registers it by
/// name ([`crate::any`]).
///
/// ```
/// use zermelo::game::{Family, NoGame, Parameter, Values};
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
///     fn game(&self, _: &Values) -> Result<Eight, NoGame> {
///         Ok(Eight)
///     }
/// }
///
/// assert_eq!(Eights.read_rules("")?, Eight);
/// # Ok::<(), zermelo::game::NoGame>(())
/// ```
pub trait Family: Send + Sync + 'static {
    /// Type of its games.
    type Game: Notation
    where
        Self: Sized;

    /// Returns the name on the command line, and the first word of the games' rules strings.
    ///
    /// Lower case, no spaces.
    fn name(&self) -> &'static str;

    /// Returns other names on the command line.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns names that people use for several games, of which this is one.
    ///
    /// Such a name stands for the family if no other family has it.
    fn common_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the kind of game, in one line without a full stop.
    fn about(&self) -> &'static str;

    /// Returns the rules in short, how positions and moves are written, and what scores mean.
    ///
    /// The reader has never seen the game. Plain text; an empty line separates paragraphs.
    /// Long help begins with it.
    fn rules_in_words(&self) -> &'static str {
        ""
    }

    /// Returns more about the family for long help, such as the time and memory of solving.
    fn details(&self) -> &'static str {
        ""
    }

    /// Returns more about searching for long help, such as its time and memory.
    fn search_details(&self) -> &'static str {
        ""
    }

    /// Returns the parameters in which its games differ.
    fn parameters(&self) -> &'static [Parameter] {
        &[]
    }

    /// Returns the game with these values.
    ///
    /// `values` contains the defaults of parameters that the user doesn't give.
    ///
    /// # Errors
    /// If there is no such game.
    fn game(&self, values: &Values) -> Result<Self::Game, NoGame>
    where
        Self: Sized;

    /// Returns the game of a rules string ([`Notation::rules`]).
    ///
    /// `parameters` is the string without the family's name. The default reads `name=value` for
    /// each parameter; for a flag `name=yes` or `name=no`. It may read strings that differ from
    /// those of [`Notation::rules`], such as one without defaults: the caller compares.
    ///
    /// # Errors
    /// If there is no such game.
    fn read_rules(&self, parameters: &str) -> Result<Self::Game, NoGame>
    where
        Self: Sized,
    {
        self.game(&Values::of_words(self.parameters(), parameters)?)
    }

    /// Returns the default file name of a game's table.
    ///
    /// The default joins the name and the values of the rules string, for example
    /// `reversi4-cross.bin`.
    fn table_name(&self, game: &Self::Game) -> String
    where
        Self: Sized,
    {
        table_name_of(&game.rules())
    }

    /// Returns the memory that a search uses by default, in bytes.
    ///
    /// `None` stands for most of the machine's memory.
    fn search_memory(&self) -> Option<u64> {
        Some(256 << 20)
    }

    /// Returns the known scores that its search can use.
    fn takes(&self) -> Takes {
        Takes::Nothing
    }

    /// Returns the opening book that the program has for a game: the book's game, and the function
    /// that returns its table when a search is set up.
    fn own_opening(&self, _game: &Self::Game) -> Option<(Self::Game, OpeningTable)>
    where
        Self: Sized,
    {
        None
    }
}

/// The known scores that a game's search can use, from a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Takes {
    /// No known scores, neither of endgames nor of openings.
    Nothing,
    /// Those of an endgame ([`super::Roots::Everywhere`]).
    Endgames,
    /// Those of an opening book ([`super::Roots::Opening`]).
    Openings,
}

/// Returns the file name of a table from a name and `name=value` words.
pub(crate) fn table_name_of(rules: &str) -> String {
    let words = rules.split_whitespace();
    let words = words.map(|word| word.split_once('=').map_or(word, |(_, value)| value));
    format!("{}.bin", words.collect::<Vec<_>>().join("-"))
}
