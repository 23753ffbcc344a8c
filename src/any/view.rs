//! A position for a player or explorer: the board, the moves so far and the legal moves.
//!
//! It has no scores; an oracle answers those.

#[cfg(feature = "cli")]
use crate::draw;
use crate::game::{
    InWords, Notation, Picture, Roots, Side, Surface, in_words, read_position, status,
};
use crate::oracle::AskError;
use rustc_hash::FxHashMap;

/// A position with its board, its history and its legal moves.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The position as text.
    pub position: String,
    /// The side to move. In a finished position, the side that would be to move.
    pub to_move: Side,
    /// The result seen from the first player, if the game is over.
    pub result: Option<i32>,
    /// Whether scores are those of the whole game, including points already won.
    pub is_whole: bool,
    /// A score of 0 in the position, to be put into words. [`View::in_words`] replaces the score.
    pub words: InWords,
    /// The side to move or the result, in words without a full stop.
    pub status: String,
    /// The picture, if the game has one.
    pub picture: Option<Picture>,
    /// Number of a move's first places that have no order.
    pub unordered: usize,
    /// Names of the places in the picture that decide the result, such as a winning line.
    pub deciding: Vec<String>,
    /// A remark on the result, without a full stop.
    pub remark: Option<String>,
    /// The board as text.
    pub board: String,
    /// The moves that led here, each with the position in which it was made.
    pub(crate) played: Vec<Played>,
    /// The legal moves, in the game's order.
    pub moves: Vec<LegalMove>,
    /// Plural noun for the thing that layers count, and the position's layer.
    ///
    /// For example "seeds on the board". `None` if the position is finished.
    pub layer: Option<(&'static str, u32)>,
    /// Name and difference of points already won, if the game counts any.
    ///
    /// Seen from the side to move.
    pub banked: Option<(&'static str, i32)>,
}

impl View {
    /// Returns a score of the position, seen from `side`, to be put into words.
    #[must_use]
    pub fn in_words(&self, side: Side, score: i32) -> InWords {
        self.words.like(side, score)
    }

    /// Returns, for each position from the beginning to this one, the number of moves before its
    /// first time.
    #[must_use]
    pub fn first_times(&self) -> Vec<usize> {
        let before = self.played.iter().map(|played| &played.before);
        let mut known = FxHashMap::default();
        let positions = before.chain([&self.position]).enumerate();
        let first = positions.map(|(moves, position)| *known.entry(position).or_insert(moves));
        first.collect()
    }

    /// Returns the kind of board, if the game has a picture.
    #[must_use]
    pub fn surface(&self) -> Option<Surface> {
        self.picture.as_ref().map(|picture| picture.surface)
    }

    /// Returns the position as a picture file in SVG.
    #[cfg(feature = "cli")]
    #[must_use]
    pub fn svg(&self) -> String {
        draw::file(&self.status, self.picture.as_ref(), &self.board)
    }

    /// Returns whether a move goes through places that were chosen one after the other.
    #[must_use]
    pub fn goes_through(&self, mv: &LegalMove, chosen: &[String]) -> bool {
        let (any_order, in_order) = mv.places.split_at(self.unordered.min(mv.places.len()));
        let (first, then) = chosen.split_at(any_order.len().min(chosen.len()));
        first.iter().all(|place| any_order.contains(place)) && in_order.starts_with(then)
    }

    /// Returns whether the position came up before, which makes a play of these moves a draw.
    #[must_use]
    pub fn repeats(&self) -> bool {
        let mut before = self.played.iter();
        before.any(|played| played.before == self.position)
    }
}

/// A move that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Played {
    /// The move.
    pub mv: String,
    /// The side that made it.
    pub side: Side,
    /// The position before it.
    pub before: String,
    /// Names of its places in the picture, if it has any.
    pub places: Vec<String>,
}

/// A legal move.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct LegalMove {
    /// The move as text.
    pub name: String,
    /// Names of its places in the picture, if it has any, in the order in which it is made.
    pub places: Vec<String>,
}

/// Reads a position, or returns the start if there is no text.
pub(super) fn position_of<G: Notation>(
    game: &G,
    text: Option<&str>,
) -> Result<G::Position, AskError> {
    match text {
        Some(text) => Ok(read_position(game, text)?),
        None if game.capabilities().solving.roots() == Roots::Everywhere => {
            Err(AskError::NoStart {
                game: game.name(),
                example: game.format_position(&game.start()),
            })
        }
        None => Ok(game.start()),
    }
}

/// Returns the position after these moves from a position, or from the start.
pub(super) fn view<G: Notation>(
    game: &G,
    from: Option<&str>,
    moves: &[&str],
) -> Result<View, AskError> {
    let (position, played) = after(game, position_of(game, from)?, moves)?;
    let drawing = game.capabilities().drawing;
    let legal = game.legal_moves(&position).into_iter();
    let moves = legal.map(|mv| LegalMove {
        places: places(game, &position, mv),
        name: game.format_move(mv),
    });
    let result = game.final_score(&position);
    Ok(View {
        moves: moves.collect(),
        position: game.format_position(&position),
        to_move: game.side_to_move(&position),
        result: result.map(|score| game.seen_from(Side::First, &position, score)),
        is_whole: game.is_whole(&position),
        words: in_words(game, &position),
        status: status(game, &position),
        picture: drawing.picture(&position),
        deciding: drawing.deciding_places(&position),
        unordered: drawing.unordered_places(),
        remark: result.and_then(|_| drawing.remark(&position)),
        board: game.board(&position),
        played,
        layer: result
            .is_none()
            .then(|| (game.layer_name(), game.layer(&game.canonical(&position)))),
        banked: game
            .banked_name()
            .map(|name| (name, game.banked(&position))),
    })
}

/// Returns the position after these moves, and the moves.
fn after<G: Notation>(
    game: &G,
    mut position: G::Position,
    moves: &[&str],
) -> Result<(G::Position, Vec<Played>), AskError> {
    let mut played = Vec::with_capacity(moves.len());
    for (number, text) in (1..).zip(moves) {
        let mv = game
            .parse_move(text)
            .map_err(|cause| AskError::NoMove { number, cause })?;
        let Some(next) = game.try_play(&position, mv) else {
            let legal = game.legal_moves(&position).into_iter();
            return Err(AskError::Illegal {
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
            places: places(game, &position, mv),
        });
        position = next;
    }
    Ok((position, played))
}

/// Names of a move's places in the picture.
fn places<G: Notation>(game: &G, position: &G::Position, mv: G::Move) -> Vec<String> {
    let places = game.capabilities().drawing.places_of_move(position, mv);
    places.unwrap_or_else(|| vec![game.format_move(mv)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::lgame::LGame;
    use crate::games::tictactoe::TicTacToe;

    #[test]
    fn a_look_has_the_way_there_and_what_each_move_leads_to() {
        let view = view(&TicTacToe::default(), None, &["b2", "a1"]).unwrap();
        assert_eq!(view.position, "O...X....");
        assert_eq!(view.status, "X to move");
        let before: Vec<&str> = view.played.iter().map(|played| &*played.before).collect();
        assert_eq!(before, [".........", "....X...."]);
        assert_eq!(view.moves.len(), 7);
        assert_eq!(view.moves[0].name, "b1");
        assert_eq!(view.moves[0].places, ["b1"]);
    }

    /// Two moves of the L game may have the same places: the L on some of them, a neutral piece on
    /// the others.
    #[test]
    fn a_move_goes_through_its_first_places_in_any_order_and_then_in_its_own() {
        let view = view(&LGame, None, &[]).unwrap();
        let through = |places: &[&str]| {
            let chosen: Vec<String> = places.iter().map(|&place| place.into()).collect();
            let all = view.moves.iter();
            let all = all.filter(|mv| view.goes_through(mv, &chosen));
            all.map(|mv| &*mv.name).collect::<Vec<_>>()
        };
        assert_eq!(through(&[]).len(), view.moves.len());
        let shape = through(&["c3", "d1", "c2", "c1"]);
        assert_eq!(shape.len(), 13, "{shape:?}");
        assert!(shape.iter().all(|name| name.starts_with("c1d1c2c3")));
        assert_eq!(
            through(&["c3", "d1", "c2", "c1", "a1", "b1"]),
            ["c1d1c2c3+a1-b1"]
        );
        assert!(through(&["c3", "d1", "c2", "c1", "b1", "a1"]).is_empty());
        // Neutral pieces come last.
        assert!(through(&["a1"]).is_empty());
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
            let error = view(&game, None, moves).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{error}");
        }
    }
}
