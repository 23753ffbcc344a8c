//! Refutations of mistakes: best play after them, with a reason in a sentence.

use super::scene::Scene;
use super::words;
use crate::any::View;
use crate::cli::serve::address::GameLine;
use crate::cli::serve::problem::Problem;
use crate::game::{InWords, Piece, Side, Surface};
use crate::text::{capitalised, counted};

/// Maximum number of moves of a refutation.
const MOST_MOVES: usize = 12;

/// Returns the address that leads to the refutation of a line's move, by its number from 1.
///
/// Number 0 stands for a mistake before the line.
pub fn address(line: &GameLine, number: usize) -> String {
    let line = line.up_to(number).with("why", Some(&number.to_string()));
    line.explore()
}

/// Returns the number of moves before the refutation that a page is to show.
pub fn begin(scene: &Scene) -> Option<usize> {
    let number = scene.visit.params.filled("why")?.parse::<usize>().ok()?;
    (scene.shows_scores && number <= scene.line.played.len()).then_some(number)
}

/// Returns the line with the refutation of its last move, if the page is to show it and it is
/// known.
pub fn refuted(scene: &Scene) -> Option<GameLine> {
    let line = &scene.line;
    let begin = begin(scene).filter(|&begin| begin == line.played.len() && line.is_at_end())?;
    let best = scene.answer()?.line.iter().flatten().take(MOST_MOVES);
    let played: Vec<String> = line.played.iter().chain(best).cloned().collect();
    let line = line.restarted(line.from.clone(), played).at(begin);
    (!line.is_at_end()).then_some(line)
}

/// Returns the reason why the refuted move is a mistake, or `None` if the page shows no refutation.
///
/// `score` is that of the position after the mistake, if it is known.
pub fn reason(scene: &Scene, score: Option<InWords>) -> Result<Option<String>, Problem> {
    let (oracle, players, played) = (scene.oracle(), &scene.players, &scene.end.played);
    let Some((before, after)) = begin(scene).map(|begin| played.split_at(begin)) else {
        return Ok(None);
    };
    let mistake = before.last();
    let mut runs = after.chunk_by(|one, next| one.side == next.side);
    let reply = runs.find(|run| mistake.is_none_or(|mistake| run[0].side != mistake.side));
    let Some((reply, last)) = reply.zip(after.last()) else {
        return Ok(None);
    };
    let names: Vec<&str> = reply.iter().map(|played| &*played.mv).collect();
    let [was, now] = [&[][..], &names].map(|moves| oracle.view(Some(&reply[0].before), moves));
    let (side, moves) = (
        reply[0].side,
        words::of_move(oracle, &names.join(", then ")),
    );
    let plays = format!("{} plays {moves}", players.name(side));
    let plays = match mistake {
        Some(mistake) => format!("After {}, {plays}", words::of_move(oracle, &mistake.mv)),
        None => capitalised(&plays),
    };
    let end = &scene.end;
    Ok(Some(match (effect(side, &was?, &now?), score) {
        (Some(effect), _) => format!("{plays} and {effect}."),
        _ if end.result.is_some() && !end.deciding.is_empty() => {
            let last = words::of_move(oracle, &last.mv);
            format!("{plays}; in the end, {last} completes a row.")
        }
        (None, Some(score)) if score.winner().is_some() => {
            format!("{plays}; then {}.", players.who_wins(score))
        }
        (None, Some(_)) => format!("{plays}; then the game is a draw."),
        (None, None) => format!("{plays}."),
    }))
}

/// Returns the effect of a side's moves, by the rules: "takes 7 seeds". `None` if they only prepare
/// one.
fn effect(side: Side, was: &View, now: &View) -> Option<String> {
    if now.result.is_some() && !now.deciding.is_empty() {
        return Some("completes a row".to_owned());
    }
    let banked = |view: &View| {
        let points = view.banked.map_or(0, |banked| banked.1);
        side.seen(view.to_move.seen(points))
    };
    let gained = banked(now) - banked(was);
    let (was, now) = (was.picture.as_ref()?, now.picture.as_ref()?);
    let pairs = was.places.iter().zip(&now.places);
    let turned = pairs.filter(|pair| match (pair.0.piece, pair.1.piece) {
        (Piece::Disc(was), Piece::Disc(now)) => was != now,
        _ => false,
    });
    let unit = match now.surface {
        Surface::Wood => "seed",
        _ => "point",
    };
    match (turned.count(), usize::try_from(gained)) {
        // A sown seed alone is no reason.
        (0, Ok(gained)) if gained > 1 => Some(format!("takes {}", counted(gained, unit))),
        (0, _) => None,
        (turned, _) => Some(format!("turns {}", counted(turned, "disc"))),
    }
}
