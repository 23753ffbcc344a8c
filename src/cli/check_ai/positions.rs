//! Which positions are asked, as the command line says it.

use super::args::CheckArgs;
use super::sources::{MIXTURE, Positions, UNIFORM};
use crate::check::{Coverage, ListedPosition, Playouts, Scope};
use crate::text::bytes;
use anyhow::{Context, bail};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A file of more bytes is nobody's list of positions.
const LARGEST: u64 = 256 << 20;

impl CheckArgs {
    /// What can't go together, before anything is opened.
    pub(super) fn check_positions(&self) -> anyhow::Result<()> {
        let Some(positions) = &self.positions else {
            return Ok(());
        };
        if self.scope == Scope::Play || self.canonical {
            bail!(
                "--positions says which positions are asked, and so do --scope play and --canonical; \
                 name one of them"
            );
        }
        match positions {
            Positions::File(path) => {
                // A word that is spelt wrong is no file.
                check_file(path)?;
                if self.sample.is_some() {
                    bail!(
                        "--sample says how many positions are drawn, but of {} each is asked; leave \
                         out one of the two",
                        path.display()
                    );
                }
                Ok(())
            }
            Positions::Uniform | Positions::Playouts(_) => {
                if self.sample.is_none() {
                    bail!("say how many positions are drawn, with --sample 300");
                }
                Ok(())
            }
        }
    }

    /// The positions that are asked; `lists` says whether the scores come with a list of all
    /// positions.
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
        "there is no file {}: --positions takes a file with a position a line, or one of {}",
        path.display(),
        names.join(", ")
    )
}

/// The positions in a file, one a line; empty lines and comments are left out.
fn read(path: &Path) -> anyhow::Result<Arc<[ListedPosition]>> {
    let problem = || format!("can't read {}", path.display());
    let length = fs::metadata(path).with_context(problem)?.len();
    if length > LARGEST {
        bail!(
            "{} has {}, and {} are the most that a list of positions may have",
            path.display(),
            bytes(length),
            bytes(LARGEST)
        );
    }
    let text = fs::read(path).with_context(problem)?;
    let text = String::from_utf8_lossy(&text);
    // Some editors begin a file with a mark of its encoding.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = (1..).zip(text.lines().map(str::trim));
    // A position may begin with the same sign.
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
