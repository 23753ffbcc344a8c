//! Selection of the positions to ask about, from the command line.

use super::args::{CheckArgs, MIXTURE, Positions, UNIFORM};
use crate::check::{Coverage, ListedPosition, Playouts, Scope};
use crate::text::bytes;
use anyhow::{Context, bail};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Maximum size of a list of positions, in bytes.
const LARGEST: u64 = 256 << 20;

impl CheckArgs {
    /// Checks that the options about positions fit together, before anything is opened.
    pub(super) fn check_positions(&self) -> anyhow::Result<()> {
        let Some(positions) = &self.positions else {
            return Ok(());
        };
        if self.scope == Scope::Play || self.canonical {
            bail!(
                "--positions can't be combined with --scope play or --canonical, which select positions, \
                 too; leave out one"
            );
        }
        match positions {
            Positions::File(path) => {
                // A misspelt word is taken for a file, which doesn't exist.
                check_file(path)?;
                if self.sample.is_some() {
                    bail!(
                        "--sample can't be combined with {}, which is asked in full; leave out one of \
                         the two",
                        path.display()
                    );
                }
                Ok(())
            }
            Positions::Uniform | Positions::Playouts(_) => {
                if self.sample.is_none() {
                    bail!("--positions needs the size of the sample, such as --sample 300");
                }
                Ok(())
            }
        }
    }

    /// The positions to ask about.
    ///
    /// `lists` says whether the source of the scores can list all positions.
    pub(super) fn coverage(&self, lists: bool) -> anyhow::Result<Coverage> {
        let seed = self.seed;
        let positions = match (&self.positions, lists) {
            (Some(positions), _) => positions.clone(),
            (None, true) => Positions::Uniform,
            (None, false) => Positions::Playouts(None),
        };
        Ok(match (positions, self.sample) {
            (Positions::File(path), _) => Coverage::Listed(read(&path)?),
            (_, None) if self.canonical => Coverage::Canonical,
            (_, None) => Coverage::Every,
            (Positions::Playouts(plays), Some(count)) => Coverage::Playouts { count, seed, plays },
            (Positions::Uniform, Some(count)) => Coverage::Sample { count, seed },
        })
    }
}

fn check_file(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut names = vec![UNIFORM.to_owned()];
    names.extend(Playouts::ALL.map(|plays| plays.to_string()));
    names.push(MIXTURE.to_owned());
    bail!(
        "there is no file {}: --positions takes a file with one position per line, or one of {}",
        path.display(),
        names.join(", ")
    )
}

/// Reads the positions of a file, one per line, without empty lines and comments.
fn read(path: &Path) -> anyhow::Result<Arc<[ListedPosition]>> {
    let problem = || format!("can't read {}", path.display());
    let length = fs::metadata(path).with_context(problem)?.len();
    if length > LARGEST {
        bail!(
            "{} has {}, but a list of positions may have at most {}",
            path.display(),
            bytes(length),
            bytes(LARGEST)
        );
    }
    let text = fs::read(path).with_context(problem)?;
    let text = String::from_utf8_lossy(&text);
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = (1..).zip(text.lines().map(str::trim));
    // A position may begin with `#`, but a comment has a blank after it.
    let is_comment = |text: &str| text == "#" || text.starts_with("# ");
    let listed = lines.filter(|(_, text)| !text.is_empty() && !is_comment(text));
    Ok(listed
        .map(|(line, text)| ListedPosition {
            line,
            text: text.to_owned(),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plays_and_all_else_is_a_file() {
        let of = |text: &str| Positions::from(text);
        assert_eq!(of("uniform"), Positions::Uniform);
        assert_eq!(of("mixture"), Positions::Playouts(None));
        assert_eq!(of("self"), Positions::Playouts(Some(Playouts::OwnPlay)));
        assert_eq!(of("./self"), Positions::File("./self".into()));
        assert_eq!(of("Random"), Positions::File("Random".into()));
    }
}
