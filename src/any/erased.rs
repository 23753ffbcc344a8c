//! A game whose type is known only at run time.
//!
//! Generic code is compiled once for it instead of once per game. Positions and moves are values
//! that carry pointers to their type's functions, so each call of a rule is a call by pointer. For
//! the moves of many classes that would be too slow; there, one call by pointer runs a loop in the
//! game's own type. A game with its own ranking, solver or search retains its type for solving,
//! tables, proofs and searches. Questions, arrays, pages and checks of AIs are compiled only for this
//! game.

use crate::game::{
    Arrays, Capabilities, Checking, Drawing, Endless, Followed, Game, KeyedRules, Misreading,
    Notation, NotationError, Picture, PiecesLeft, Roots, ScoreRange, Side, Solving, Symmetry,
    boxed, capabilities_of,
};
use crate::solve::keyed::RulesOf;
use smallbox::SmallBox;
use smallbox::space::S4;
use std::any::{Any, TypeId};
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Arc;

type P = ErasedPosition;
type M = ErasedMove;

/// A game of any type.
#[derive(Clone)]
pub struct Erased(Arc<dyn Untyped>);

impl Debug for Erased {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Erased").field(&self.0.rules()).finish()
    }
}

/// Declares the methods that depend on the game; implements them for [`Erased`] and [`Wrapped`].
///
/// The word before each says how [`Wrapped`] answers it: see [`answer`].
macro_rules! of_games {
    ($(impl $trait:ident {
        $(type $associated:ident = $value:ty;)*
        $([$how:ident] fn $method:ident(&self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*
    })*) => {
        /// The methods of [`Game`] and [`Notation`] that depend on the game.
        trait Untyped: Send + Sync {
            $($(fn $method(&self $(, $argument: $type)*) $(-> $result)?;)*)*
        }

        $(impl $trait for Erased {
            $(type $associated = $value;)*
            $(fn $method(&self $(, $argument: $type)*) $(-> $result)? {
                self.0.$method($($argument),*)
            })*
        })*

        impl<G: Notation> Untyped for Wrapped<G> {
            $($(fn $method(&self $(, $argument: $type)*) $(-> $result)? {
                answer!($how self.$method($($argument),*))
            })*)*
        }
    };
}

/// Answers a call of [`Wrapped`] by the game's method of the same name, or by its own.
macro_rules! answer {
    // The arguments and the result are as they are.
    (plain $this:ident.$method:ident($($argument:ident),*)) => {
        $this.0.$method($($argument),*)
    };
    // The arguments are positions or moves, the result is neither.
    (read $this:ident.$method:ident($($argument:ident),*)) => {
        $this.0.$method($($argument.get()),*)
    };
    // The result is a position, too.
    (made $this:ident.$method:ident($($argument:ident),*)) => {
        P::new($this.0.$method($($argument.get()),*))
    };
    // The method is one of those below that aren't of a trait.
    (own $this:ident.$method:ident($($argument:ident),*)) => {
        Wrapped::$method($this, $($argument),*)
    };
}

of_games! {
    impl Game {
        type Position = ErasedPosition;
        type Move = ErasedMove;

        [made] fn start(&self) -> P;
        [read] fn side_to_move(&self, position: &P) -> Side;
        [own] fn moves(&self, position: &P, moves: &mut Vec<M>);
        [made] fn play(&self, position: &P, mv: M) -> P;
        [read] fn final_score(&self, position: &P) -> Option<i32>;
        [plain] fn score_range(&self) -> ScoreRange;
        [plain] fn endless(&self) -> Endless;
        [read] fn key(&self, canonical: &P) -> u128;
        [plain] fn key_bits(&self) -> u32;
        [own] fn position_of_key(&self, key: u128) -> Option<P>;
        [read] fn layer(&self, canonical: &P) -> u32;
        [made] fn canonical(&self, position: &P) -> P;
        [read] fn banked(&self, position: &P) -> i32;
        [read] fn evaluate(&self, position: &P) -> i32;
        [own] fn follow(&self, position: &P, mv: M, class: &mut P) -> Followed;
    }

    impl Notation {
        [plain] fn rules(&self) -> String;
        [plain] fn rules_type(&self) -> &'static str;
        [plain] fn name(&self) -> String;
        [plain] fn title(&self) -> String;
        [own] fn capabilities(&self) -> Capabilities<'_, Erased>;
        [read] fn format_position(&self, position: &P) -> String;
        [read] fn format_for_ai(&self, position: &P) -> String;
        [own] fn parse_position(&self, text: &str) -> Result<P, NotationError>;
        [plain] fn rewrite_position(&self, text: &str) -> Result<Option<String>, NotationError>;
        [read] fn format_move(&self, mv: M) -> String;
        [own] fn parse_move(&self, text: &str) -> Result<M, NotationError>;
        [plain] fn move_noun(&self) -> &'static str;
        [plain] fn banked_name(&self) -> Option<&'static str>;
        [read] fn pieces_left(&self, position: &P) -> Option<PiecesLeft>;
        [plain] fn layer_name(&self) -> &'static str;
        [plain] fn decimals(&self) -> u32;
        [read] fn board(&self, position: &P) -> String;
        [read] fn is_whole(&self, position: &P) -> bool;
    }
}

impl Erased {
    /// Removes the type of a game, if it has not been removed already.
    pub fn new<G: Notation>(game: G) -> Erased {
        same(game).unwrap_or_else(|game| Erased(Arc::new(Wrapped(game))))
    }
}

/// Returns a value of the type that it has already, or gives it back.
pub fn same<A: 'static, B: 'static>(value: A) -> Result<B, A> {
    let mut value = Some(value);
    let any: &mut dyn Any = &mut value;
    match any.downcast_mut::<Option<B>>().and_then(Option::take) {
        Some(same) => Ok(same),
        None => Err(value.expect("it was not taken")),
    }
}

/// A game whose type is known.
struct Wrapped<G>(G);

/// Methods of one of the game's capabilities, given the values in their arguments.
macro_rules! of {
    ($capability:ident, $(fn $method:ident(&self $(, $argument:ident: $type:ty)*) -> $result:ty;)*) => {
        $(fn $method(&self $(, $argument: $type)*) -> $result {
            self.0.capabilities().$capability.$method($($argument.get()),*)
        })*
    };
}

impl<G: Notation> Wrapped<G> {
    fn moves(&self, position: &P, moves: &mut Vec<M>) {
        let legal = self.0.legal_moves(position.get());
        moves.clear();
        moves.extend(legal.into_iter().map(M::new));
    }

    fn position_of_key(&self, key: u128) -> Option<P> {
        self.0.position_of_key(key).map(P::new)
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

impl<G: Notation> Symmetry<Erased> for Wrapped<G> {
    of! { symmetry, fn order(&self) -> usize; }

    fn apply(&self, symmetry: usize, position: &P) -> P {
        let of_game = self.0.capabilities().symmetry;
        P::new(of_game.apply(symmetry, position.get()))
    }
}

impl<G: Notation> Solving<Erased> for Wrapped<G> {
    of! { solving,
        fn roots(&self) -> Roots;
        fn expected_classes(&self) -> Option<u64>;
    }

    fn keyed(&self) -> Option<Box<dyn KeyedRules + '_>> {
        Some(Box::new(RulesOf::new(&self.0).ok()?))
    }
}

impl<G: Notation> Checking<Erased> for Wrapped<G> {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<Erased>>> {
        let all = self.0.capabilities().checking.misreadings().into_iter();
        boxed(all.map(|misreading| ErasedMisreading(self.0.clone(), misreading)))
    }

    fn material(&self, _: &Erased, position: &P) -> i32 {
        let of_game = self.0.capabilities().checking;
        of_game.material(&self.0, position.get())
    }

    of! {
        checking,
        fn material_name(&self) -> Option<&'static str>;
        fn numbers(&self, position: &P) -> Vec<(&'static str, u32)>;
    }
}

/// A misreading of a game whose type is known.
struct ErasedMisreading<G: Game>(G, Box<dyn Misreading<G>>);

impl<G: Notation> Misreading<Erased> for ErasedMisreading<G> {
    fn sentence(&self) -> String {
        self.1.sentence()
    }

    fn moves(&self, _: &Erased, position: &P) -> Vec<M> {
        let moves = self.1.moves(&self.0, position.get());
        moves.into_iter().map(M::new).collect()
    }

    fn play(&self, _: &Erased, position: &P, mv: M) -> P {
        P::new(self.1.play(&self.0, position.get(), mv.get()))
    }

    fn final_score(&self, _: &Erased, position: &P) -> Option<i32> {
        self.1.final_score(&self.0, position.get())
    }

    fn best_moves(&self, _: &Erased, position: &P) -> Option<Vec<M>> {
        let best = self.1.best_moves(&self.0, position.get())?;
        Some(best.into_iter().map(M::new).collect())
    }

    fn is_symmetric(&self) -> bool {
        self.1.is_symmetric()
    }
}

impl<G: Notation> Arrays<Erased> for Wrapped<G> {
    of! { arrays,
        fn columns(&self) -> Vec<String>;
        fn greatest_score(&self) -> i32;
    }

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

impl<G: Notation> Drawing<Erased> for Wrapped<G> {
    of! { drawing,
        fn picture(&self, position: &P) -> Option<Picture>;
        fn places_of_move(&self, position: &P, mv: M) -> Option<Vec<String>>;
        fn unordered_places(&self) -> usize;
        fn deciding_places(&self, position: &P) -> Vec<String>;
        fn remark(&self, position: &P) -> Option<String>;
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        self.0.capabilities().drawing.side_name(side)
    }
}

/// A position. Up to 32 bytes are stored in place.
pub struct ErasedPosition(SmallBox<dyn Value, S4>);

/// The operations of a position of any type.
trait Value: Any + Debug + Send + Sync {
    fn copy(&self) -> ErasedPosition;
    fn is_same(&self, other: &ErasedPosition) -> bool;
    fn put_hash(&self, state: &mut dyn Hasher);
}

impl<P: Clone + Eq + Hash + Debug + Send + Sync + 'static> Value for P {
    fn copy(&self) -> ErasedPosition {
        ErasedPosition::new(self.clone())
    }

    fn is_same(&self, other: &ErasedPosition) -> bool {
        self == other.get::<P>()
    }

    fn put_hash(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

impl ErasedPosition {
    pub fn new<P>(position: P) -> ErasedPosition
    where
        P: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        ErasedPosition(smallbox::smallbox!(position))
    }

    /// Returns the position in its type.
    ///
    /// # Panics
    /// If it is of another type.
    pub fn get<P: 'static>(&self) -> &P {
        let value: &dyn Any = &*self.0;
        value.downcast_ref().expect("a position of this game")
    }

    /// Returns the position in its type.
    ///
    /// # Panics
    /// If it is of another type.
    fn get_mut<P: 'static>(&mut self) -> &mut P {
        let value: &mut dyn Any = &mut *self.0;
        value.downcast_mut().expect("a position of this game")
    }
}

impl Clone for ErasedPosition {
    fn clone(&self) -> Self {
        self.0.copy()
    }
}

impl PartialEq for ErasedPosition {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(other)
    }
}

impl Eq for ErasedPosition {}

impl Hash for ErasedPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.put_hash(state);
    }
}

impl Debug for ErasedPosition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The requirements on a move of any game.
pub trait Move: Copy + Eq + Debug + Send + Sync + 'static {}

impl<M: Copy + Eq + Debug + Send + Sync + 'static> Move for M {}

/// A move: its bytes and the functions of its type.
#[derive(Clone, Copy)]
pub struct ErasedMove {
    bytes: [MaybeUninit<u64>; 2],
    of: &'static MoveType,
}

struct MoveType {
    id: fn() -> TypeId,
    is_same: fn(&ErasedMove, &ErasedMove) -> bool,
    show: fn(&ErasedMove, &mut Formatter<'_>) -> fmt::Result,
}

struct TypeOf<M>(PhantomData<M>);

impl<M: Move> TypeOf<M> {
    const TYPE: MoveType = MoveType {
        id: TypeId::of::<M>,
        is_same: |one, other| one.get::<M>() == other.get::<M>(),
        show: |mv, f| mv.get::<M>().fmt(f),
    };
}

impl ErasedMove {
    #[allow(unsafe_code)]
    pub fn new<M: Move>(mv: M) -> ErasedMove {
        const {
            // An erased move is larger, but never erased again.
            assert!(
                size_of::<M>() <= size_of::<ErasedMove>(),
                "a move has at most 16 bytes"
            );
        }
        assert!(
            size_of::<M>() <= 16 && align_of::<M>() <= 8,
            "a move has at most 16 bytes"
        );
        let mut bytes = [MaybeUninit::<u64>::uninit(); 2];
        // SAFETY: `M` fits, and its alignment is no larger than that of `u64`.
        unsafe { bytes.as_mut_ptr().cast::<M>().write(mv) };
        ErasedMove {
            bytes,
            of: &TypeOf::<M>::TYPE,
        }
    }

    /// Returns the move in its type.
    ///
    /// # Panics
    /// If it is of another type.
    #[allow(unsafe_code)]
    pub fn get<M: Move>(&self) -> M {
        assert!((self.of.id)() == TypeId::of::<M>(), "a move of this game");
        // SAFETY: `new` wrote a value of this type there, and it is `Copy`.
        unsafe { self.bytes.as_ptr().cast::<M>().read() }
    }
}

impl PartialEq for ErasedMove {
    fn eq(&self, other: &Self) -> bool {
        (self.of.is_same)(self, other)
    }
}

impl Eq for ErasedMove {}

impl Debug for ErasedMove {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (self.of.show)(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;

    #[test]
    fn values_are_what_they_were() {
        let long = vec![7u64; 9];
        let (one, other) = (
            ErasedPosition::new(long.clone()),
            ErasedPosition::new([1u8; 40]),
        );
        assert_eq!(one.get::<Vec<u64>>(), &long);
        assert_eq!(other.get::<[u8; 40]>(), &[1; 40]);
        assert_eq!(one, one.clone());
        assert_ne!(one, ErasedPosition::new(vec![8u64; 9]));
        let state = rustc_hash::FxBuildHasher;
        assert_eq!(state.hash_one(&one), state.hash_one(&long));
        assert_eq!(format!("{one:?}"), format!("{long:?}"));

        let (word, pair) = (ErasedMove::new(-3i8), ErasedMove::new((1u64, Some(2u32))));
        assert_eq!((word.get::<i8>(), pair.get()), (-3, (1u64, Some(2u32))));
        assert_eq!(word, ErasedMove::new(-3i8));
        assert_ne!(word, ErasedMove::new(3i8));
        assert_eq!(format!("{pair:?}"), "(1, Some(2))");
    }

    #[test]
    #[should_panic(expected = "a move of this game")]
    fn moves_of_other_games_are_refused() {
        ErasedMove::new(1u8).get::<i8>();
    }

    #[test]
    #[should_panic(expected = "a position of this game")]
    fn positions_of_other_games_are_refused() {
        ErasedPosition::new(1u8).get::<i8>();
    }
}
