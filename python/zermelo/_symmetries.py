"""Symmetries of games in Python: classes of positions, and ready-made symmetries of boards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from . import _zermelo
from ._errors import SolveError, placed

#: A dict or a function that translates a position's moves to those of an image.
MoveMap = Mapping[Any, Any] | Callable[[Any], Any]

#: The names of squares in moves, such as b2.
_SQUARE = re.compile(r"(?<![A-Za-z0-9])([a-z])([1-9][0-9]?)(?![0-9])")


def same(move: Any) -> Any:
    """Map each move to itself."""
    return move


def moved(to: MoveMap, move: Any) -> Any:
    """Translate a move."""
    if callable(to):
        return to(move)
    if move not in to:
        raise SolveError(f"the map of moves {to!r} has no move {move!r}: it must have all")
    return to[move]


def _first(images: Iterable[Any], write: Callable[[Any], str]) -> Any:
    """Return the first of some images, whatever their order: by value if that is safe, or by text."""
    kinds = {type(image) for image in images}
    if kinds == {tuple}:
        kinds = {type(part) for image in images for part in image}
    return min(images) if kinds in ({str}, {int}) else min(images, key=write)


class Classes:
    """The classes of symmetric positions, by a game's ``symmetries()`` and ``canonical()``."""

    def __init__(
        self, game: Any, write: Callable[[Any], str], show: Callable[[Any], str]
    ) -> None:
        self._symmetries = getattr(game, "symmetries", None)
        self._canonical = getattr(game, "canonical", None)
        self._write, self._show = write, show
        #: Whether all images of a position are known, and not only the canonical one.
        self.has_images = self._symmetries is not None
        #: Whether the game itself chooses the canonical positions.
        self.has_canonical = self._canonical is not None

    def images(self, position: Any) -> dict[Any, MoveMap]:
        """Return the different images of a position, itself first, with the maps of its moves."""
        assert self._symmetries is not None
        call = f"symmetries({self._show(position)})"
        try:
            told = iter(self._symmetries(position))
        except TypeError as error:
            raise placed(
                f"{call} is no list of pairs of an image and a map of moves: {error}"
            ) from error
        images: dict[Any, MoveMap] = {position: same}
        for number, pair in enumerate(islice(told, _zermelo.MOST_MOVES + 1)):
            if number == _zermelo.MOST_MOVES:
                raise placed(
                    f"{call} has more than {_zermelo.MOST_MOVES:,} images: return a finite, shorter list"
                )
            image, to = self._pair(call, pair)
            images.setdefault(image, to)
        return images

    def fold(self, position: Any) -> tuple[Any, MoveMap]:
        """Return the canonical position of a position's class, and the map of moves to it."""
        if self._canonical is not None:
            call = f"canonical({self._show(position)})"
            canonical, to = self._pair(call, self._canonical(position))
            return canonical, same if canonical == position else to
        images = self.images(position)
        canonical = _first(images, self._write)
        return canonical, images[canonical]

    def canonical(self, position: Any) -> Any:
        """Return the canonical position of a position's class."""
        if self._symmetries is None or self._canonical is not None:
            return self.fold(position)[0]
        # Faster than images(), which checks each.
        told = islice(self._symmetries(position), _zermelo.MOST_MOVES)
        return _first({position, *[image for image, _ in told]}, self._write)

    @staticmethod
    def _pair(call: str, pair: Any) -> tuple[Any, MoveMap]:
        is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
        if not is_pair or not (callable(pair[1]) or isinstance(pair[1], Mapping)):
            raise placed(
                f"{call} has {pair!r}: a pair of a position and a map of moves to it is wanted, a dict "
                "or a function"
            )
        try:
            hash(pair[0])
        except TypeError as error:
            raise placed(f"{call} has the position {pair[0]!r}, which can't be hashed: {error}") from None
        return pair[0], pair[1]


class Wrapped:
    """A game with the methods of another one."""

    def __init__(self, game: Any) -> None:
        self._wrapped = game

    def __getattr__(self, name: str) -> Any:
        if name == "_wrapped":
            # The object is still empty, in a copy.
            raise AttributeError(name)
        return getattr(self._wrapped, name)


class Folded(Wrapped):
    """A game whose moves lead to canonical positions."""

    def __init__(self, game: Any, classes: Classes) -> None:
        super().__init__(game)
        self._classes = classes

    def start(self) -> Any:
        return self._classes.canonical(self._wrapped.start())

    def play(self, position: Any, move: Any) -> Any:
        child = self._wrapped.play(position, move)
        return None if child is None else self._classes.canonical(child)


class Plain(Wrapped):
    """A game without its symmetries."""

    def __getattr__(self, name: str) -> Any:
        if name in ("symmetries", "canonical"):
            raise AttributeError(name)
        return super().__getattr__(name)


def has_symmetries(game: Any) -> bool:
    """Whether a game tells which of its positions are symmetric."""
    return hasattr(game, "symmetries") or hasattr(game, "canonical")


class _Turn:
    """A rotation or reflection of a grid, as a map of moves."""

    def __init__(
        self, width: int, to: tuple[int, ...], move: Callable[[Any, Callable[[int], int]], Any] | None
    ) -> None:
        self._width, self._to, self._move = width, to, move
        origins = sorted(range(len(to)), key=to.__getitem__)
        # With a single item, it would return no tuple.
        self._squares = itemgetter(*origins) if len(to) > 1 else tuple

    def __repr__(self) -> str:
        return f"<a symmetry of a grid: {list(self._to)}>"

    def __call__(self, move: Any) -> Any:
        """Return the image of a move."""
        return self._moved(move) if self._move is None else self._move(move, self._to.__getitem__)

    def _moved(self, move: Any) -> Any:
        if type(move) is int:
            return self._to[move] if 0 <= move < len(self._to) else move
        if isinstance(move, str):
            return _SQUARE.sub(self._named, move)
        if isinstance(move, (tuple, frozenset)):
            # A named tuple takes its parts one by one.
            make: Callable[[Iterable[Any]], Any] = getattr(move, "_make", type(move))
            return make(self._moved(part) for part in move)
        return self._moved(int(move)) if isinstance(move, np.integer) else move

    def _named(self, name: re.Match[str]) -> str:
        column, row = ord(name[1]) - ord("a"), int(name[2]) - 1
        if column >= self._width or row * self._width + column >= len(self._to):
            return name[0]
        row, column = divmod(self._to[row * self._width + column], self._width)
        return f"{chr(ord('a') + column)}{row + 1}"

    def board(self, squares: Any) -> Any:
        """Return the image of a board, given by its squares."""
        turned: tuple[Any, ...] = self._squares(squares)
        return "".join(turned) if isinstance(squares, str) else turned


class GridSymmetries:
    """The rotations and reflections of a grid: :func:`grid_symmetries`.

    Called with a position, it returns all images with their maps of moves. Iterated over, it gives
    the maps of moves, as ``from_openspiel(symmetries=…)`` takes them.
    """

    def __init__(
        self,
        width: int,
        height: int,
        kind: str,
        move: Callable[[Any, Callable[[int], int]], Any] | None,
    ) -> None:
        self._width, self._height = width, height
        self._turns = [
            _Turn(width, to, move) for to in dict.fromkeys(_permutations(width, height, kind))
        ]

    def __repr__(self) -> str:
        return f"<{len(self._turns)} symmetries of a grid of {self._width}×{self._height} squares>"

    def __iter__(self) -> Iterator[Callable[[Any], Any]]:
        return iter(self._turns)

    def __len__(self) -> int:
        return len(self._turns)

    def __call__(self, position: Any) -> list[tuple[Any, Callable[[Any], Any]]]:
        """Return the images of a position, each with the map of moves to it."""
        if self._is_board(position):
            return [(turn.board(position), turn) for turn in self._turns]
        if type(position) is tuple and any(map(self._is_board, position)):
            are_boards = [self._is_board(part) for part in position]
            return [
                (
                    tuple([
                        turn.board(part) if is_board else part
                        for part, is_board in zip(position, are_boards)
                    ]),
                    turn,
                )
                for turn in self._turns
            ]
        raise SolveError(
            f"{position!r} has no board of {self._width}×{self._height} squares: a string or a tuple "
            f"of {self._width * self._height} squares, row by row, or a tuple with such boards, is wanted"
        )

    def _is_board(self, value: Any) -> bool:
        return type(value) in (str, tuple) and len(value) == self._width * self._height


def _permutations(width: int, height: int, kind: str) -> list[tuple[int, ...]]:
    """Return where each symmetry takes each square; the first is the identity."""
    last, bottom = width - 1, height - 1
    #: For each symmetry, the image's column and row by those of a square.
    ways: dict[str, Callable[[int, int], tuple[int, int]]] = {
        "same": lambda x, y: (x, y),
        "half": lambda x, y: (last - x, bottom - y),
        "left-right": lambda x, y: (last - x, y),
        "up-down": lambda x, y: (x, bottom - y),
    }
    if width == height:
        ways |= {
            "right": lambda x, y: (last - y, x),
            "left": lambda x, y: (y, last - x),
            "diagonal": lambda x, y: (y, x),
            "antidiagonal": lambda x, y: (last - y, last - x),
        }
    kinds: dict[str, list[str]] = {
        "all": list(ways),
        "rotations": [way for way in ("same", "right", "half", "left") if way in ways],
        "left-right": ["same", "left-right"],
        "up-down": ["same", "up-down"],
    }
    if kind not in kinds:
        raise ValueError(f"kind is one of {', '.join(map(repr, kinds))}, not {kind!r}")
    squares = [(x, y) for y in range(height) for x in range(width)]
    turned = [[ways[way](x, y) for x, y in squares] for way in kinds[kind]]
    return [tuple(y * width + x for x, y in image) for image in turned]


def grid_symmetries(
    width: int,
    height: int,
    kind: Literal["all", "rotations", "left-right", "up-down"] = "all",
    *,
    move: Callable[[Any, Callable[[int], int]], Any] | None = None,
) -> GridSymmetries:
    """Return the rotations and reflections of a board, as a game's ``symmetries``.

    A position is a string or a tuple of ``width * height`` squares, row by row, or a tuple of such
    boards and other values, which stay as they are. ``kind`` restricts the symmetries: by default
    they are all 8 of a square and all 4 of another rectangle.

    In a move, whole numbers are squares, from 0 in the order of the board, and texts have squares'
    names: a1, b1, … from the first square. Tuples of them are translated part by part. Numbers and
    names outside of the board stay as they are. For other moves pass ``move``: a function from a
    move and a function, which returns the image of a square, to the image of the move.

    >>> import zermelo
    >>> corners = zermelo.grid_symmetries(3, 3)
    >>> sorted({image for image, _ in corners("X........")})
    ['........X', '......X..', '..X......', 'X........']
    >>> _, mirror = zermelo.grid_symmetries(3, 3, "left-right")
    >>> mirror(0), mirror("a1-b2"), mirror((3, 8))
    (2, 'c1-b2', (5, 6))
    """
    for name, value in (("width", width), ("height", height)):
        if not isinstance(value, int) or not 1 <= value <= 26:
            raise ValueError(f"{name} is a whole number from 1 to 26, not {value!r}")
    return GridSymmetries(width, height, kind, move)
