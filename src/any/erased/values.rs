//! Positions and moves of a game whose type is not known.

use smallbox::SmallBox;
use smallbox::space::S4;
use std::any::{Any, TypeId};
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

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
    pub(super) fn new<P>(position: P) -> ErasedPosition
    where
        P: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        ErasedPosition(smallbox::smallbox!(position))
    }

    /// Returns the position in its type.
    ///
    /// # Panics
    /// If it is of another type.
    pub(super) fn get<P: 'static>(&self) -> &P {
        let value: &dyn Any = &*self.0;
        value.downcast_ref().expect("a position of this game")
    }

    /// Returns the position in its type.
    ///
    /// # Panics
    /// If it is of another type.
    pub(super) fn get_mut<P: 'static>(&mut self) -> &mut P {
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
pub(super) trait Move: Copy + Eq + Debug + Send + Sync + 'static {}

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
    pub(super) fn new<M: Move>(mv: M) -> ErasedMove {
        const {
            assert!(
                size_of::<M>() <= 16 && align_of::<M>() <= 8,
                "a move has at most 16 bytes, unless its family is any::Typed"
            );
        }
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
    pub(super) fn get<M: Move>(&self) -> M {
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
