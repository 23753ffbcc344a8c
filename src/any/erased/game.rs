//! A game without its type, which calls the game with a type.

use super::values::{ErasedMove, ErasedPosition};
use crate::game::{
    Capabilities, Endless, Followed, Game, Notation, NotationError, ScoreRange, Side,
};
use std::any::TypeId;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

type P = ErasedPosition;
type M = ErasedMove;

/// The methods of [`Game`](crate::game::Game) and [`Notation`], without types.
///
/// It has the methods that depend on a position, and the game's optional features.
pub(super) trait Untyped: Send + Sync {
    fn side_to_move(&self, position: &P) -> Side;
    fn moves(&self, position: &P, moves: &mut Vec<M>);
    fn play(&self, position: &P, mv: M) -> P;
    fn final_score(&self, position: &P) -> Option<i32>;
    fn key(&self, canonical: &P) -> u128;
    fn position_of_key(&self, key: u128) -> Option<P>;
    fn layer(&self, canonical: &P) -> u32;
    fn canonical(&self, position: &P) -> P;
    fn banked(&self, position: &P) -> i32;
    fn follow(&self, position: &P, mv: M, class: &mut P) -> Followed;

    fn format_position(&self, position: &P) -> String;
    fn parse_position(&self, text: &str) -> Result<P, NotationError>;
    fn format_move(&self, mv: M) -> String;
    fn parse_move(&self, text: &str) -> Result<M, NotationError>;
    fn board(&self, position: &P) -> String;
    fn is_whole(&self, position: &P) -> bool;

    fn capabilities(&self) -> Capabilities<'_, Erased>;
}

/// A game of any type.
#[derive(Clone)]
pub struct Erased(pub(super) Arc<Inner>);

/// The typed game, and its properties that don't depend on the position.
pub(super) struct Inner {
    pub(super) game: Box<dyn Untyped>,
    pub(super) rules_type: TypeId,
    pub(super) start: ErasedPosition,
    pub(super) scores: ScoreRange,
    pub(super) endless: Endless,
    pub(super) key_bits: u32,
    pub(super) rules: String,
    pub(super) name: String,
    pub(super) title: String,
    pub(super) move_noun: &'static str,
    pub(super) banked_name: Option<&'static str>,
    pub(super) layer_name: &'static str,
}

impl Debug for Erased {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Erased").field(&self.0.rules).finish()
    }
}

impl Game for Erased {
    type Position = ErasedPosition;
    type Move = ErasedMove;

    fn start(&self) -> P {
        self.0.start.clone()
    }

    fn side_to_move(&self, position: &P) -> Side {
        self.0.game.side_to_move(position)
    }

    fn moves(&self, position: &P, moves: &mut Vec<M>) {
        self.0.game.moves(position, moves);
    }

    fn play(&self, position: &P, mv: M) -> P {
        self.0.game.play(position, mv)
    }

    fn final_score(&self, position: &P) -> Option<i32> {
        self.0.game.final_score(position)
    }

    fn score_range(&self) -> ScoreRange {
        self.0.scores
    }

    fn endless(&self) -> Endless {
        self.0.endless
    }

    fn key(&self, canonical: &P) -> u128 {
        self.0.game.key(canonical)
    }

    fn key_bits(&self) -> u32 {
        self.0.key_bits
    }

    fn position_of_key(&self, key: u128) -> Option<P> {
        self.0.game.position_of_key(key)
    }

    fn layer(&self, canonical: &P) -> u32 {
        self.0.game.layer(canonical)
    }

    fn canonical(&self, position: &P) -> P {
        self.0.game.canonical(position)
    }

    fn banked(&self, position: &P) -> i32 {
        self.0.game.banked(position)
    }

    fn follow(&self, position: &P, mv: M, class: &mut P) -> Followed {
        self.0.game.follow(position, mv, class)
    }
}

impl Notation for Erased {
    fn rules(&self) -> String {
        self.0.rules.clone()
    }

    fn rules_type(&self) -> TypeId {
        self.0.rules_type
    }

    fn name(&self) -> String {
        self.0.name.clone()
    }

    fn title(&self) -> String {
        self.0.title.clone()
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        self.0.game.capabilities()
    }

    fn format_position(&self, position: &P) -> String {
        self.0.game.format_position(position)
    }

    fn parse_position(&self, text: &str) -> Result<P, NotationError> {
        self.0.game.parse_position(text)
    }

    fn format_move(&self, mv: M) -> String {
        self.0.game.format_move(mv)
    }

    fn parse_move(&self, text: &str) -> Result<ErasedMove, NotationError> {
        self.0.game.parse_move(text)
    }

    fn move_noun(&self) -> &'static str {
        self.0.move_noun
    }

    fn banked_name(&self) -> Option<&'static str> {
        self.0.banked_name
    }

    fn layer_name(&self) -> &'static str {
        self.0.layer_name
    }

    fn board(&self, position: &P) -> String {
        self.0.game.board(position)
    }

    fn is_whole(&self, position: &P) -> bool {
        self.0.game.is_whole(position)
    }
}
