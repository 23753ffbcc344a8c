//! A game without its type, which calls the game with a type.

use super::values::{ErasedMove, ErasedPosition};
use crate::game::{
    Capabilities, Endless, Followed, Game, Notation, NotationError, PiecesLeft, ScoreRange, Side,
};
use std::any::TypeId;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

type P = ErasedPosition;
type M = ErasedMove;

/// A game of any type.
#[derive(Clone)]
pub struct Erased(pub(super) Arc<dyn Untyped>);

impl Debug for Erased {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Erased").field(&self.0.rules()).finish()
    }
}

/// Declares the methods that depend on the game, and implements them for [`Erased`].
macro_rules! of_games {
    ($(impl $trait:ident {
        $(type $associated:ident = $value:ty;)*
        $(fn $method:ident(&self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*
    })*) => {
        /// The methods of [`Game`] and [`Notation`] that depend on the game.
        pub(super) trait Untyped: Send + Sync {
            $($(fn $method(&self $(, $argument: $type)*) $(-> $result)?;)*)*
        }

        $(impl $trait for Erased {
            $(type $associated = $value;)*
            forward! { $(fn $method(&self $(, $argument: $type)*) $(-> $result)?;)* }
        })*
    };
}

of_games! {
    impl Game {
        type Position = ErasedPosition;
        type Move = ErasedMove;

        fn start(&self) -> P;
        fn side_to_move(&self, position: &P) -> Side;
        fn moves(&self, position: &P, moves: &mut Vec<M>);
        fn play(&self, position: &P, mv: M) -> P;
        fn final_score(&self, position: &P) -> Option<i32>;
        fn score_range(&self) -> ScoreRange;
        fn endless(&self) -> Endless;
        fn key(&self, canonical: &P) -> u128;
        fn key_bits(&self) -> u32;
        fn position_of_key(&self, key: u128) -> Option<P>;
        fn layer(&self, canonical: &P) -> u32;
        fn canonical(&self, position: &P) -> P;
        fn banked(&self, position: &P) -> i32;
        fn evaluate(&self, position: &P) -> i32;
        fn follow(&self, position: &P, mv: M, class: &mut P) -> Followed;
    }

    impl Notation {
        fn rules(&self) -> String;
        fn rules_type(&self) -> TypeId;
        fn name(&self) -> String;
        fn title(&self) -> String;
        fn capabilities(&self) -> Capabilities<'_, Erased>;
        fn format_position(&self, position: &P) -> String;
        fn format_for_ai(&self, position: &P) -> String;
        fn parse_position(&self, text: &str) -> Result<P, NotationError>;
        fn format_move(&self, mv: M) -> String;
        fn parse_move(&self, text: &str) -> Result<M, NotationError>;
        fn move_noun(&self) -> &'static str;
        fn banked_name(&self) -> Option<&'static str>;
        fn pieces_left(&self, position: &P) -> Option<PiecesLeft>;
        fn layer_name(&self) -> &'static str;
        fn board(&self, position: &P) -> String;
        fn is_whole(&self, position: &P) -> bool;
    }
}
