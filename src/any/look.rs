//! A position as somebody sees it who plays or explores: what lies where, how it came about, and
//! what can be played. No scores: those are asked for.

use super::position::position_of;
use crate::game::{Notation, NotationError, Picture, Side, drawing};
use crate::oracle::AskError;

/// A position to look at.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Look {
    /// What it looks like.
    pub view: View,
    /// The moves that led here, each with the position that it was made in.
    pub played: Vec<Played>,
    /// The legal moves, in the game's order.
    pub moves: Vec<LegalMove>,
    /// What the game counts while it is played, in the plural, and how many there are: "seeds on
    /// the board". Nothing of a finished position.
    pub layer: Option<(&'static str, u32)>,
    /// Points that the side to move already has more than the other, and what they are, if the game
    /// counts any.
    pub banked: Option<(&'static str, i32)>,
}

/// What a position looks like.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct View {
    /// The position, in the game's notation.
    pub position: String,
    /// Whose turn it is, or would be.
    pub to_move: Side,
    /// The result seen from the first player, if the game is over.
    pub result: Option<i32>,
    /// Whether scores here are those of the whole game, and not only of what is still to come.
    pub is_whole: bool,
    /// Whose turn it is, or how the game has ended, in words without a full stop.
    pub status: String,
    /// What lies where, if the game has a picture.
    pub picture: Option<Picture>,
    /// The board as text.
    pub board: String,
}

/// A move that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Played {
    /// The move.
    pub mv: String,
    /// Who made it.
    pub side: Side,
    /// The position before it.
    pub before: String,
}

/// A legal move.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct LegalMove {
    /// The move, in the game's notation.
    pub name: String,
    /// The names of its places in the picture, if it has any there; the first is where its sign
    /// goes.
    pub places: Vec<String>,
}

/// Why there is nothing to look at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookError {
    /// There is no such position.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// One of the moves is none of the game's.
    #[error("move {number} can't be read: {cause}")]
    NoMove {
        /// Which one, from 1.
        number: usize,
        /// What is wrong with it.
        cause: NotationError,
    },
    /// One of the moves is not legal.
    #[error(
        "move {number}, \"{mv}\", is not legal in \"{position}\": {}",
        what_is_legal(legal)
    )]
    Illegal {
        /// Which one, from 1.
        number: usize,
        /// The move.
        mv: String,
        /// Where it was made.
        position: String,
        /// The moves that are legal there; none if the game is over.
        legal: Vec<String>,
    },
}

fn what_is_legal(legal: &[String]) -> String {
    match legal {
        [] => "the game is over there".to_owned(),
        [only] => format!("the only legal move is {only}"),
        several => format!("the legal moves are {}", several.join(", ")),
    }
}

fn view<G: Notation>(game: &G, position: &G::Position) -> View {
    let result = game.final_score(position);
    View {
        position: game.format_position(position),
        to_move: game.side_to_move(position),
        result: result.map(|score| game.seen_from(Side::First, position, score)),
        is_whole: game.is_whole(position),
        status: drawing::status(game, position),
        picture: game.capabilities().drawing.picture(position),
        board: game.board(position),
    }
}

/// The position after these moves from a position, or from the start.
pub(super) fn look<G: Notation>(
    game: &G,
    from: Option<&str>,
    moves: &[&str],
) -> Result<Look, LookError> {
    let mut position = position_of(game, from)?;
    let mut played = Vec::with_capacity(moves.len());
    for (number, text) in (1..).zip(moves) {
        let mv = game
            .parse_move(text)
            .map_err(|cause| LookError::NoMove { number, cause })?;
        let Some(next) = game.try_play(&position, mv) else {
            let legal = game.legal_moves(&position).into_iter();
            return Err(LookError::Illegal {
                number,
                mv: game.format_move(mv),
                position: game.format_position(&position),
                legal: legal.map(|mv| game.format_move(mv)).collect(),
            });
        };
        played.push(Played {
            mv: game.format_move(mv),
            side: game.side_to_move(&position),
            before: game.format_position(&position),
        });
        position = next;
    }
    let is_over = game.final_score(&position).is_some();
    let legal = game.legal_moves(&position).into_iter();
    let drawing = game.capabilities().drawing;
    let moves = legal.map(|mv| {
        let name = game.format_move(mv);
        let places = drawing.places_of_move(&position, mv);
        LegalMove {
            places: places.unwrap_or_else(|| vec![name.clone()]),
            name,
        }
    });
    Ok(Look {
        moves: moves.collect(),
        view: view(game, &position),
        played,
        layer: (!is_over).then(|| (game.layer_name(), game.layer(&game.canonical(&position)))),
        banked: game
            .banked_name()
            .map(|name| (name, game.banked(&position))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tictactoe::TicTacToe;

    #[test]
    fn a_look_has_the_way_there_and_what_each_move_leads_to() {
        let look = look(&TicTacToe::default(), None, &["b2", "a1"]).unwrap();
        assert_eq!(look.view.position, "O...X....");
        assert_eq!(look.view.status, "X (first player) to move");
        let before: Vec<&str> = look.played.iter().map(|played| &*played.before).collect();
        assert_eq!(before, [".........", "....X...."]);
        assert_eq!(look.moves.len(), 7);
        assert_eq!(look.moves[0].name, "b1");
        assert_eq!(look.moves[0].places, ["b1"]);
    }

    #[test]
    fn moves_that_cannot_be_made_are_named() {
        let game = TicTacToe::default();
        for (moves, problem) in [
            (&["b2", "z9"][..], "move 2 can't be read"),
            (
                &["b2", "b2"],
                "move 2, \"b2\", is not legal in \"....X....\": the legal moves are a1,",
            ),
            (
                &["a1", "a2", "b1", "b2", "c1", "c2"],
                "move 6, \"c2\", is not legal in \"XXXOO....\": the game is over",
            ),
        ] {
            let error = look(&game, None, moves).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{error}");
        }
    }
}
