//! The typed game behind a game without its type.

use super::game::{Erased, Untyped};
use super::values::{ErasedMove, ErasedPosition};
use crate::game::{
    Arrays, Capabilities, Checking, Drawing, Endless, Followed, KeyedRules, Notation,
    NotationError, Picture, PiecesLeft, ScoreRange, Side, Solving, Symmetry, capabilities_of,
};
use crate::solve::keyed::RulesOf;
use std::any::TypeId;
use std::sync::Arc;

type P = ErasedPosition;
type M = ErasedMove;

impl Erased {
    /// Removes the type of a game.
    pub fn new<G: Notation>(game: G) -> Erased {
        Erased(Arc::new(Typed(game)))
    }
}

/// A game whose type is known.
struct Typed<G>(G);

/// Implements methods that read a position or a move, and return neither.
macro_rules! read {
    ($(fn $method:ident(&self, $argument:ident: $type:ty) -> $result:ty;)*) => {
        $(fn $method(&self, $argument: $type) -> $result {
            self.0.$method($argument.get())
        })*
    };
}

/// Methods of one of the game's capabilities, given the values in their arguments.
macro_rules! of {
    ($capability:ident, $(fn $method:ident(&self $(, $argument:ident: $type:ty)*) -> $result:ty;)*) => {
        $(fn $method(&self $(, $argument: $type)*) -> $result {
            self.0.capabilities().$capability.$method($($argument.get()),*)
        })*
    };
}

impl<G: Notation> Untyped for Typed<G> {
    forward! {
        fn score_range(&self) -> ScoreRange;
        fn endless(&self) -> Endless;
        fn key_bits(&self) -> u32;
        fn rules(&self) -> String;
        fn rules_type(&self) -> TypeId;
        fn name(&self) -> String;
        fn title(&self) -> String;
        fn move_noun(&self) -> &'static str;
        fn banked_name(&self) -> Option<&'static str>;
        fn layer_name(&self) -> &'static str;
    }

    read! {
        fn side_to_move(&self, position: &P) -> Side;
        fn final_score(&self, position: &P) -> Option<i32>;
        fn key(&self, canonical: &P) -> u128;
        fn layer(&self, canonical: &P) -> u32;
        fn banked(&self, position: &P) -> i32;
        fn evaluate(&self, position: &P) -> i32;
        fn format_position(&self, position: &P) -> String;
        fn format_for_ai(&self, position: &P) -> String;
        fn format_move(&self, mv: M) -> String;
        fn board(&self, position: &P) -> String;
        fn is_whole(&self, position: &P) -> bool;
        fn pieces_left(&self, position: &P) -> Option<PiecesLeft>;
    }

    fn start(&self) -> P {
        P::new(self.0.start())
    }

    fn moves(&self, position: &P, moves: &mut Vec<M>) {
        let legal = self.0.legal_moves(position.get());
        moves.clear();
        moves.extend(legal.into_iter().map(M::new));
    }

    fn play(&self, position: &P, mv: M) -> P {
        P::new(self.0.play(position.get(), mv.get()))
    }

    fn position_of_key(&self, key: u128) -> Option<P> {
        self.0.position_of_key(key).map(P::new)
    }

    fn canonical(&self, position: &P) -> P {
        P::new(self.0.canonical(position.get()))
    }

    fn follow(&self, position: &P, mv: M, class: &mut P) -> Followed {
        self.0.follow(position.get(), mv.get(), class.get_mut())
    }

    fn parse_position(&self, text: &str) -> Result<P, NotationError> {
        self.0.parse_position(text).map(P::new)
    }

    fn parse_move(&self, text: &str) -> Result<M, NotationError> {
        self.0.parse_move(text).map(M::new)
    }

    fn capabilities(&self) -> Capabilities<'_, Erased> {
        capabilities_of!(self: symmetry, solving, checking, arrays, drawing)
    }
}

impl<G: Notation> Symmetry<Erased> for Typed<G> {
    of! { symmetry, fn order(&self) -> usize; }

    fn apply(&self, symmetry: usize, position: &P) -> P {
        let of_game = self.0.capabilities().symmetry;
        P::new(of_game.apply(symmetry, position.get()))
    }
}

impl<G: Notation> Solving<Erased> for Typed<G> {
    of! { solving, fn expected_classes(&self) -> Option<u64>; }

    fn keyed(&self) -> Option<Box<dyn KeyedRules + '_>> {
        Some(Box::new(RulesOf::new(&self.0).ok()?))
    }
}

impl<G: Notation> Checking<Erased> for Typed<G> {
    of! { checking, fn rule_topics(&self) -> &'static [&'static str]; }

    fn play_unaware(&self, position: &P, mv: M, topic: usize) -> Option<P> {
        let checking = self.0.capabilities().checking;
        let after = checking.play_unaware(position.get(), mv.get(), topic);
        after.map(P::new)
    }
}

impl<G: Notation> Arrays<Erased> for Typed<G> {
    of! { arrays, fn columns(&self) -> Vec<String>; }

    fn write_row(&self, position: &P, row: &mut [u8]) {
        self.0.capabilities().arrays.write_row(position.get(), row);
    }

    fn read_row(&self, row: &[u8]) -> Result<P, String> {
        self.0.capabilities().arrays.read_row(row).map(P::new)
    }

    fn all_moves(&self) -> Vec<M> {
        let own = self.0.capabilities().arrays.all_moves();
        own.into_iter().map(M::new).collect()
    }
}

impl<G: Notation> Drawing<Erased> for Typed<G> {
    of! { drawing,
        fn picture(&self, position: &P) -> Option<Picture>;
        fn places_of_move(&self, position: &P, mv: M) -> Option<Vec<String>>;
        fn deciding_places(&self, position: &P) -> Vec<String>;
        fn remark(&self, position: &P) -> Option<String>;
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        self.0.capabilities().drawing.side_name(side)
    }
}
