//! Reads a position or a game that somebody has typed or pasted.

use crate::any::AnyOracle;
use crate::cli::serve::host::blocking;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::text::counted;

/// Maximum number of positions that are tried to split a text into moves.
const MOST_TRIED: usize = 5000;

/// The line that a text contains.
pub struct Reading {
    /// A position, or `None` for the start, and moves from there.
    pub from: Option<String>,
    pub played: Vec<String>,
    /// The text read, in words, or the reason why the rest was not.
    pub what: Result<String, Problem>,
}

/// Reads moves from the start, with or without separators, or else a position.
///
/// # Errors
/// If the text begins with neither.
pub async fn read(visit: &Visit, text: &str) -> Result<Reading, Problem> {
    let (oracle, text) = (visit.source.oracle.clone(), text.trim().to_owned());
    blocking(move || {
        let (played, rest) = moves_in(&oracle, &text);
        let moves = played.join(" ");
        let (from, what) = match oracle.view(Some(&text), &[]) {
            _ if rest.is_empty() && !played.is_empty() => {
                let all = counted(played.len(), "move");
                (None, Ok(format!("You entered a game of {all}: {moves}")))
            }
            Ok(view) => (Some(view.position), Ok("You entered a position".to_owned())),
            // Pits and rows are those of a position.
            Err(problem) if played.is_empty() || text.contains(['/', ':']) => {
                return Err(problem.into());
            }
            Err(problem) => {
                // The next move, if it is one that was possible before.
                let start = oracle.view(None, &[]).map_or(Vec::new(), |view| view.moves);
                let known = start.iter().map(|mv| &mv.name).chain(&played);
                let next = known.filter(|name| rest.starts_with(&***name));
                let next = next.max_by_key(|name| name.len()).unwrap_or(&rest);
                let all: Vec<&str> = played.iter().chain([next]).map(|mv| &**mv).collect();
                let problem = oracle.view(None, &all).err().unwrap_or(problem);
                (None, Err(problem.into()))
            }
        };
        let played = if from.is_some() { Vec::new() } else { played };
        Ok(Reading { from, played, what })
    })
    .await
}

/// Returns the moves at the beginning of a text, as many as possible, and the rest.
fn moves_in(oracle: &AnyOracle<'_>, text: &str) -> (Vec<String>, String) {
    let words = text.split(|letter: char| letter.is_whitespace() || ",;".contains(letter));
    // "1." and "1.b2" are numbers of moves.
    let words = words.map(|word| match word.split_once('.') {
        Some((number, mv)) if number.bytes().all(|byte| byte.is_ascii_digit()) => mv,
        _ => word,
    });
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if let Ok(view) = oracle.view(None, &words) {
        let moves = view.played.into_iter().map(|played| played.mv);
        return (moves.collect(), String::new());
    }
    let letters = words.concat();
    let mut best = (Vec::new(), &*letters);
    // Ways to read the text so far, the most promising one last.
    let mut ways = vec![best.clone()];
    for _ in 0..MOST_TRIED {
        let Some((moves, rest)) = ways.pop().filter(|_| !best.1.is_empty()) else {
            break;
        };
        let played: Vec<&str> = moves.iter().map(|mv: &String| &**mv).collect();
        let legal = oracle
            .view(None, &played)
            .map_or(Vec::new(), |view| view.moves);
        let mut next: Vec<_> = legal
            .into_iter()
            .filter_map(|mv| {
                // A hyphen may stand between moves, and those of a move may be left out.
                let (later, short) = (rest.trim_start_matches('-'), mv.name.replace('-', ""));
                let ways = [(rest, &mv.name), (later, &mv.name), (later, &short)];
                let tail = ways.into_iter().find_map(|(rest, name)| {
                    let (head, tail) = rest.split_at_checked(name.len())?;
                    head.eq_ignore_ascii_case(name).then_some(tail)
                })?;
                Some(([&moves[..], &[mv.name]].concat(), tail))
            })
            .collect();
        next.sort_by_key(|way| usize::MAX - way.1.len());
        ways.extend(next);
        if rest.len() < best.1.len() {
            best = (moves, rest);
        }
    }
    (best.0, best.1.trim_start_matches('-').to_owned())
}
