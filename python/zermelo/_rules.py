"""Games in Python: their notation, and their rules for one position at a time."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from numbers import Number
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _zermelo
from ._errors import SolveError, placed
from ._symmetries import Classes, Wrapped, has_symmetries
from ._texts import Texts, plain

_PLAIN = ("start", "moves", "play", "score")
_ROWS = ("start", "scores", "expand")
#: The method of a game on arrays that answers for each method of another game.
_CALLED = {"score": "scores", "side": "sides", "moves": "expand", "play": "expand", "format": "format"}


def is_rows(game: Any) -> bool:
    """Whether a game works on arrays."""
    return hasattr(game, "expand")


def lacks(game: Any) -> str | None:
    """Return what an object lacks to be a game, in words, or None."""
    if isinstance(game, type):
        return f"it is a class: give an object of it, {game.__name__}()"
    needed, side, other = (_ROWS, "sides", "side") if is_rows(game) else (_PLAIN, "side", "sides")
    missing = [method for method in needed if not callable(getattr(game, method, None))]
    if missing:
        return f"it has no method {missing[0]}()"
    if callable(getattr(game, other, None)) and not hasattr(game, side):
        kind = "on arrays" if is_rows(game) else "that isn't on arrays"
        return f"it has {other}(), which a game {kind} calls {side}()"
    for method in (
        side, "format", "parse", "format_move", "picture", "rows", "symmetries", "canonical"
    ):
        if hasattr(game, method) and not callable(getattr(game, method)):
            return f"{method} must be a method, not {getattr(game, method)!r}: remove it or define it"
    if has_symmetries(game):
        method = "symmetries" if hasattr(game, "symmetries") else "canonical"
        if is_rows(game):
            return (
                f"it has {method}(), which a game on arrays can't have: to merge symmetric positions, "
                "return one of them from expand(), or write moves(), play() and score()"
            )
    for attribute, values in (("endless", (None, "draw")), ("distance", (False, True))):
        value = getattr(game, attribute, values[0])
        if not any(value is one or value == one for one in values):
            return f"{attribute} must be {values[1]!r} or {values[0]!r}, not {value!r}"
    return None


def name_of(game: Any) -> str:
    """Return the name of a game: its own, or one from its class's name."""
    name = getattr(game, "name", None)
    if isinstance(name, str):
        return name
    while isinstance(game, Wrapped):
        game = game._wrapped
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", type(game).__name__).lower()
    return re.sub(r"[^a-z0-9-]+", "-", words).strip("-") or "game"


def about_of(game: Any) -> str:
    """Return the docstring of a game's own class, or an empty text."""
    while isinstance(game, Wrapped):
        game = game._wrapped
    return inspect.cleandoc(type(game).__dict__.get("__doc__") or "")


def squares_of(game: Any) -> Any:
    """Return the names of the squares in a game's pictures, or None."""
    return getattr(game, "squares", None) if hasattr(game, "picture") else None


def read_only(array: NDArray[np.int64]) -> NDArray[np.int64]:
    """Make an array read-only, so that no method of a game can change it for others."""
    array.flags.writeable = False
    return array


def whole_array(numbers: Any, of: str) -> NDArray[np.int64]:
    """Return integers as an ``int64`` array."""
    array = np.asarray(numbers)
    if array.dtype.kind == "f" and (array == np.floor(array)).all() and (abs(array) < 2**63).all():
        array = array.astype(np.int64)
    if array.dtype.kind not in "biu" and array.size:
        raise SolveError(f"{of} are whole numbers, not {array.dtype}")
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise SolveError(f"{of} are whole numbers below 2**63, not {array.max()}")
    return np.ascontiguousarray(array, dtype=np.int64)


def side_number(side: Any) -> Any:
    """Return 0 or 1 for a side given by name or number, or the value if it is neither."""
    return {"first": 0, "second": 1}[side] if side in ("first", "second") else plain(side)


#: The largest score, in units of its last decimal; 1000 of which are a point in a game that counts
#: plies.
MOST_UNITS = 500_000_000
#: The most decimals of a score.
MOST_DECIMALS = 8


def wrong_score(call: str, score: Any) -> SolveError:
    """Return the error for a value of ``score()`` that is no score."""
    return placed(
        f"{call} returned {score!r}: return None while the game goes on, or a number when it has "
        f"ended, from -{MOST_UNITS:,} to {MOST_UNITS:,} (-500,000 to 500,000 if the game counts "
        f"plies), with at most {MOST_DECIMALS} decimals, of which each makes the limits ten times "
        "smaller: round(score, 6) removes rounding errors"
    )


def decimal(call: str, score: Any) -> tuple[int, int]:
    """Return the score that a ``call`` returned as a whole number of units, and the decimals."""
    # False in place of None is a common mistake.
    if isinstance(score, (bool, np.bool_)):
        raise wrong_score(call, score)
    whole = plain(score)
    if isinstance(whole, int):
        return max(min(whole, 2**62), -(2**62)), 0
    try:
        # The shortest text that stands for a float has the decimals that its author means.
        exact = Decimal(str(score))
        decimals = max(0, -int(exact.normalize().as_tuple().exponent))
        is_number = isinstance(score, Number)
    except (ArithmeticError, ValueError):
        is_number = False
    if not is_number or decimals > MOST_DECIMALS:
        raise wrong_score(call, score)
    return int(exact.scaleb(decimals)), decimals


def decimals_in(scores: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Return scores as whole numbers of units, and the decimals."""
    if scores.dtype.kind != "f" or (scores == np.floor(scores)).all():
        return whole_array(scores, "scores"), 0
    values, places = np.unique(scores, return_inverse=True)
    exact = [decimal("scores([...])", value) for value in values]
    most = max(decimals for _, decimals in exact)
    units = [number * 10 ** (most - decimals) for number, decimals in exact]
    return np.array(units, dtype=np.int64)[places.reshape(scores.shape)], most


def repeated(problem: str) -> SolveError:
    """Return the error for a game in which a position can repeat, which ``problem`` shows."""
    return SolveError(f'{problem}; if endless play is a draw, add to the class: endless = "draw"')


def wrong_side(call: str, side: Any) -> SolveError:
    """Return the error for a value of ``side()`` that is no side."""
    return placed(f"{call} returned {side!r}: return 0 for the first player or 1 for the second")


def unhashable(position: str, error: object) -> SolveError:
    """Return the error for a position that can't be hashed."""
    return placed(
        f"positions can't be hashed ({error}): use a tuple in place of a list or an array, or a "
        f"frozen dataclass, at {position}"
    )


def changed(position: str) -> SolveError:
    """Return the error for a position that the rules have changed."""
    return placed(
        f"moves() or play() changes the position {position}: leave it as it is, and return a new one"
    )


def stuck(position: str) -> SolveError:
    """Return the error for a position without moves and score."""
    return placed(f"moves({position}) is empty, but score({position}) is None: return the final score")


def stuck_row(row: str) -> SolveError:
    """Return the error for a row without moves and score."""
    return placed(
        f"expand([{row}]) has no children, but scores([{row}]) says that the position is not finished: "
        "return its final score"
    )


def _row_written(row: Any) -> str:
    return ",".join(str(int(number)) for number in row)


def format_of(game: Any) -> Callable[[Any], str]:
    """Return the function that formats a game's positions."""
    if is_rows(game):
        own: Callable[[Any], str] = getattr(game, "format", _row_written)
        return own
    return _of_equals(game.format) if hasattr(game, "format") else Texts(game).write


def parse_of(game: Any) -> Callable[[str], Any]:
    """Return the function that parses a game's positions."""
    own: Callable[[str], Any] | None = getattr(game, "parse", None)
    if own is not None:
        return own
    is_text: list[bool] = []
    texts = Texts(game)

    def read(text: str) -> Any:
        if not is_text:
            is_text.append(not is_rows(game) and isinstance(game.start(), str))
        if is_text[0]:
            return text
        try:
            if is_rows(game):
                return np.array([int(number) for number in text.split(",")])
            return _zermelo.literals([text], texts.read)[0]
        except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError) as error:
            lacks = ", which has format() but no parse()" if hasattr(game, "format") else ""
            why = f": {error}" if "no dataclass" in str(error) else ""
            raise ValueError(
                f"no position of {name_of(game)}{lacks} can be read from {text!r}{why}"
            ) from None

    return read


def format_move_of(game: Any) -> Callable[[Any], str]:
    """Return the function that names a game's moves."""
    return _of_equals(game.format_move) if hasattr(game, "format_move") else Texts(game).name


def _of_equals(write: Callable[[Any], str]) -> Callable[[Any], str]:
    """Wrap a game's own method to give equal values the same text, if it accepts them all."""

    def written(value: Any) -> str:
        # The method may distinguish True from 1.
        equal = plain(value, bools=False)
        if equal is not value:
            try:
                return write(equal)
            except (AttributeError, TypeError, ValueError):
                # ``write`` accepts only the game's own type.
                pass
        return write(value)

    return written


def moves_in(call: str, moves: Any) -> Iterator[Any]:
    """Return an iterator over what ``moves()`` returned."""
    try:
        return iter(moves)
    except TypeError:
        raise placed(f"{call} returned {moves!r}: return a list of moves") from None


def too_many_moves(call: str) -> SolveError:
    """Return the error for more moves than are read, perhaps of an endless generator."""
    return placed(
        f"{call} returned more than {_zermelo.MOST_MOVES:,} moves: return a finite, shorter list"
    )


def no_position(call: str) -> SolveError:
    """Return the error for a call that returned None in place of a position."""
    return placed(f"{call} returned None: return a position")


class Rules:
    """The rules of a game, for one position at a time.

    Positions are the game's own; those of a game on arrays are tuples of a row's numbers.
    """

    def __init__(self, game: Any) -> None:
        self.game = game
        self.has_sides = hasattr(game, "side")
        #: Whether positions may repeat, and whether scores are distances in plies.
        self.is_endless = getattr(game, "endless", None) is not None
        self.counts_plies = self.is_endless or bool(getattr(game, "distance", False))
        self._format = format_of(game)
        self._parse = parse_of(game)
        self.name = format_move_of(game)
        #: The classes of symmetric positions; None if the game doesn't tell them.
        self.classes = Classes(game, self._format, self.show) if has_symmetries(game) else None

    def start(self) -> Any:
        return self.game.start()

    def score(self, position: Any) -> Any:
        return self.game.score(position)

    def side(self, position: Any) -> Any:
        return self.game.side(position)

    def moves(self, position: Any) -> list[Any]:
        call = self.call("moves", position)
        moves = list(islice(moves_in(call, self.game.moves(position)), _zermelo.MOST_MOVES + 1))
        if len(moves) > _zermelo.MOST_MOVES:
            raise too_many_moves(call)
        return moves

    def play(self, position: Any, move: Any) -> Any:
        child = self.game.play(position, move)
        if child is None:
            raise no_position(self.play_call(position, move))
        return child

    def write(self, position: Any) -> Any:
        return self._format(position)

    def read(self, text: str) -> Any:
        return self._parse(text)

    def show(self, position: Any) -> str:
        return repr(position)

    def stuck(self, position: Any) -> SolveError:
        """Return the error for a position without moves and score."""
        return stuck(self.show(position))

    def call(self, method: str, position: Any) -> str:
        """Return the text of a call of a method, for messages."""
        return f"{method}({self.show(position)})"

    def play_call(self, position: Any, move: Any) -> str:
        """Return the text of the call that plays a move, for messages."""
        return f"play({self.show(position)}, {move!r})"

    def played(self, position: Any) -> list[tuple[Any, Any]]:
        """Return the moves, each with its child."""
        return [(move, self.play(position, move)) for move in self.moves(position)]

    def steps(self, position: Any) -> list[tuple[Any, Any]]:
        """Return the names of the moves, each with its child."""
        return [(self.name(move), child) for move, child in self.played(position)]


class RowRules(Rules):
    """The rules of a game on arrays."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.has_sides = hasattr(game, "sides")
        self._width: int | None = None

    @staticmethod
    def _row(position: Any) -> NDArray[np.int64]:
        return read_only(np.asarray([position], dtype=np.int64))

    @staticmethod
    def _one(numbers: Any, method: str) -> Any:
        array = np.asarray(numbers)
        if array.shape != (1,):
            raise SolveError(f"{method}() gives an array of the shape {array.shape} for one position")
        return array[0]

    def start(self) -> Any:
        start = self.game.start()
        if np.ndim(start) != 1 or not len(start):
            raise SolveError(f"start() gives an array of {np.shape(start)}: a row of numbers is wanted")
        row = whole_array(start, "positions")
        return tuple(row.tolist())

    def score(self, position: Any) -> Any:
        finished, scores = self.game.scores(self._row(position))
        score = self._one(scores, "scores")
        if isinstance(score, np.bool_):
            raise SolveError(
                "scores() returned booleans as scores: return which positions are finished, and then "
                "their scores as whole numbers"
            )
        if not self._one(finished, "scores"):
            return None
        return plain(score)

    def side(self, position: Any) -> Any:
        return self._one(whole_array(self.game.sides(self._row(position)), "sides"), "sides").item()

    def stuck(self, position: Any) -> SolveError:
        return stuck_row(self.show(position))

    def call(self, method: str, position: Any) -> str:
        return f"{_CALLED[method]}([{self.show(position)}])"

    def play_call(self, position: Any, move: Any) -> str:
        return f"{self.call('play', position)}, move {move},"

    def played(self, position: Any) -> list[tuple[Any, Any]]:
        return [*self.expanded(position)]

    def expanded(self, position: Any) -> list[tuple[int, tuple[int, ...]]]:
        """Return the numbers of the moves, each with its child."""
        children, parents, moves = self.game.expand(self._row(position))
        children, parents = whole_array(children, "positions"), whole_array(parents, "parents")
        moves = whole_array(moves, "moves")
        width = len(position)
        if len(children) and (children.ndim != 2 or children.shape[1] != width):
            raise SolveError(
                f"expand() gives children of the shape {children.shape}: rows of {width} numbers "
                "are wanted"
            )
        if not len(children) == len(parents) == len(moves):
            raise SolveError(
                f"expand() gives {len(children)} children, {len(parents)} parents and {len(moves)} "
                "moves"
            )
        if (parents != 0).any():
            raise SolveError(f"expand() gives a child of position {parents[parents != 0][0]}, of 1")
        rows = children.reshape(len(children), width).tolist()
        return [(move, tuple(row)) for move, row in zip(moves.tolist(), rows, strict=True)]

    def moves(self, position: Any) -> list[Any]:
        return [move for move, _ in self.expanded(position)]

    def play(self, position: Any, move: Any) -> Any:
        return dict(self.expanded(position))[move]

    def write(self, position: Any) -> Any:
        return self._format(np.asarray(position, dtype=np.int64))

    def read(self, text: str) -> Any:
        return tuple(whole_array(self._parse(text), "positions").tolist())

    def show(self, position: Any) -> str:
        return repr(list(position))


def rules_of(game: Any) -> Rules:
    """Return a game's rules for one position at a time, whichever methods it has."""
    return RowRules(game) if is_rows(game) else Rules(game)


def without_side(rules: Rules, text: str) -> str:
    """Return a position's text without the side that a game without ``side()`` may have at its end."""
    return text if rules.has_sides else text.removesuffix(" first").removesuffix(" second")
