"""Games whose rules are written in Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Iterable
from os import PathLike
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from . import _zermelo
from ._errors import SolveError
from ._oracle import Oracle
from ._progress import Progress, teller

#: Positions that are expanded together.
_TOGETHER = 1 << 17


@runtime_checkable
class Game(Protocol):
    """The rules of a game, as :func:`zermelo.solve` takes them.

    Positions are values that can be hashed and compared, such as tuples or strings. A finished
    position's score is a whole number, seen from the side whose turn it would be. No position may
    come up twice in one play.

    A game may have more methods:

    ``side(p)``
        whose turn it is, 0 or 1; without it the turn passes with every move.
    ``canonical(p)``
        the position that stands for all that are the same but for a symmetry.
    ``format(p)`` and ``parse(text)``
        positions as text, one line, and back; otherwise strings are their own text, and other
        values are written as ``repr`` does and read as ``ast.literal_eval`` does.
    ``format_move(m)``
        a move as text; otherwise ``str(m)``.
    ``name``
        a word for the game; otherwise the class's name.

    Or it has, in place of ``moves``, ``play`` and ``score``, methods that take arrays with a row of
    whole numbers for each of many positions:

    ``scores(rows)``
        which positions are finished (truth values), and their scores (whole numbers).
    ``expand(rows)``
        the children of all positions, as rows; for each the index of its parent in ``rows``; and
        for each a number that names the move.
    ``sides(rows)``
        as ``side``.
    """

    def start(self) -> Any:
        """The position that the game starts from."""

    def moves(self, position: Any, /) -> Iterable[Any]:
        """The legal moves in an unfinished position."""

    def play(self, position: Any, move: Any, /) -> Any:
        """The position after a legal move; the one before stays as it is."""

    def score(self, position: Any, /) -> int | None:
        """The score of a finished position; None if it isn't finished."""


class OwnOracle(Oracle):
    """The table of a game in Python, asked and answering with the game's own positions.

    >>> import zermelo
    >>> class Nim:
    ...     def start(self): return 5
    ...     def moves(self, left): return [taken for taken in (1, 2) if taken <= left]
    ...     def play(self, left, taken): return left - taken
    ...     def score(self, left): return -1 if left == 0 else None
    >>> table = zermelo.solve(Nim())
    >>> table.score(5), table.moves(5), table.line()
    (1, [('2', 1), ('1', -1)], ['2', '1', '2'])
    """

    def __init__(self, inner: _zermelo.Oracle, game: Any) -> None:
        super().__init__(inner)
        self._game = game
        self._is_rows = _is_rows(game)
        self._is_text = not self._is_rows and isinstance(game.start(), str)
        self._has_sides = hasattr(game, "sides" if self._is_rows else "side")

    def _say(self, position: Any) -> str:
        if self._is_rows:
            return position if isinstance(position, str) else _text_of_row(position)
        if isinstance(position, str) and not self._is_text:
            # Written already.
            return position
        canonical = getattr(self._game, "canonical", None)
        return _format(self._game)(canonical(position) if canonical else position)

    def _read(self, text: str) -> Any:
        if not self._has_sides:
            text = text.removesuffix(" second")
        if self._is_rows:
            return np.array([int(number) for number in text.split(",")])
        return _parse(self._game)(text)

    def _name(self, move: Any) -> str:
        return move if isinstance(move, str) else _format_move(self._game)(move)


def _is_rows(game: Any) -> bool:
    return hasattr(game, "expand")


def _text_of_row(row: Any) -> str:
    return ",".join(str(int(number)) for number in row)


def _format(game: Any) -> Callable[[Any], str]:
    def written(position: Any) -> str:
        return position if isinstance(position, str) else repr(position)

    own: Callable[[Any], str] = getattr(game, "format", written)
    return own


def _parse(game: Any) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        return text if isinstance(game.start(), str) else ast.literal_eval(text)

    own: Callable[[str], Any] = getattr(game, "parse", read)
    return own


def _format_move(game: Any) -> Callable[[Any], str]:
    own: Callable[[Any], str] = getattr(game, "format_move", str)
    return own


def name_of(game: Any) -> str:
    """A word for a game, of its own choice or after its class."""
    name = getattr(game, "name", None)
    if isinstance(name, str):
        return name
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", type(game).__name__).lower()
    return re.sub(r"[^a-z0-9-]+", "-", words).strip("-") or "game"


def solve_own(
    game: Any,
    out: str | PathLike[str] | None,
    force: bool,
    progress: Progress,
) -> OwnOracle:
    """Explore and solve a game in Python."""
    tell = teller(progress)
    if _is_rows(game):
        return OwnOracle(_expanded(game, out, force, tell), game)
    needed = ("start", "moves", "play", "score")
    missing = [method for method in needed if not callable(getattr(game, method, None))]
    if missing:
        raise TypeError(f"{type(game).__name__} is no game: it has no method {missing[0]}()")
    say = {"format": _format(game), "format_move": _format_move(game)}
    return OwnOracle(_zermelo.solve_own(game, say, name_of(game), out, force, tell), game)


def _expanded(
    game: Any,
    out: str | PathLike[str] | None,
    force: bool,
    tell: Callable[[str, int, int | None, str], object] | None,
) -> _zermelo.Oracle:
    def whole(numbers: Any, of: str) -> NDArray[np.int64]:
        array = np.asarray(numbers)
        if array.dtype.kind not in "biu" and array.size:
            raise SolveError(f"{of} are whole numbers, not {array.dtype}")
        return np.ascontiguousarray(array, dtype=np.int64)

    explorer = _zermelo.Explorer(whole(game.start(), "positions"))
    sides_of = getattr(game, "sides", None)
    done = 0
    while True:
        rows = explorer.next(_TOGETHER)
        if not len(rows):
            break
        finished, scores = game.scores(rows)
        children, parents, moves = game.expand(rows)
        children, parents = whole(children, "positions"), whole(parents, "parents")
        moves = whole(moves, "moves")
        if len(parents) > 1 and (np.diff(parents) < 0).any():
            order = np.argsort(parents, kind="stable")
            children, parents, moves = children[order], parents[order], moves[order]
        explorer.add(
            rows,
            np.ascontiguousarray(finished, dtype=np.bool_),
            whole(np.where(finished, scores, 0), "scores"),
            None if sides_of is None else whole(sides_of(rows), "sides"),
            children,
            parents,
            moves,
        )
        done += len(rows)
        if tell:
            tell("exploring", done, None, "positions")
    return explorer.solve(name_of(game), out, force, tell)


def test_game(game: Any, *, limit: int = 1000) -> int:
    """Look for the usual mistakes in the rules of a game, at its first positions.

    Raises :class:`zermelo.SolveError` that says what is wrong and where; gives the number of
    positions that were looked at.

    >>> import zermelo
    >>> class Careless:
    ...     def start(self): return [3]
    ...     def moves(self, heap): return [1]
    ...     def play(self, heap, taken): return [heap[0] - taken]
    ...     def score(self, heap): return -1 if heap == [0] else None
    >>> zermelo.test_game(Careless())
    Traceback (most recent call last):
    zermelo._errors.SolveError: positions can't be hashed: unhashable type: 'list', at [3]
    """
    needed: tuple[str, ...] = ("start", "moves", "play", "score")
    if _is_rows(game):
        needed = ("start", "scores", "expand")
    for method in needed:
        if not callable(getattr(game, method, None)):
            raise SolveError(f"it has no method {method}()")
    if not re.fullmatch(r"[a-z0-9-]{1,60}", name_of(game)):
        raise SolveError(f"its name is {name_of(game)!r}: a word of a-z, 0-9 and - is wanted")
    if _is_rows(game):
        return _test_rows(game, limit)
    return _test_plain(game, limit)


def _test_rows(game: Any, limit: int) -> int:
    rows = np.asarray([game.start()])
    known: set[bytes] = {rows.tobytes()}
    while len(known) < limit and len(rows):
        finished, _ = game.scores(rows)
        one, again = game.expand(rows), game.expand(rows)
        for first, second in zip(one, again, strict=True):
            if not np.array_equal(first, second):
                raise SolveError("expand() twice gives different children for the same positions")
        children, parents, _ = one
        stuck = ~np.asarray(finished, dtype=bool)
        stuck[np.asarray(parents, dtype=int)] = False
        if stuck.any():
            raise SolveError(f"{rows[stuck][0].tolist()} is not finished, but has no moves")
        fresh = []
        for child in np.asarray(children):
            if child.tobytes() not in known:
                known.add(child.tobytes())
                fresh.append(child)
        rows = np.asarray(fresh)
    return len(known)


def _test_plain(game: Any, limit: int) -> int:
    write, read, write_move = _format(game), _parse(game), _format_move(game)
    canonical: Callable[[Any], Any] | None = getattr(game, "canonical", None)
    side: Callable[[Any], Any] | None = getattr(game, "side", None)

    def must(holds: bool, problem: str, position: Any) -> None:
        if not holds:
            raise SolveError(f"{problem}, at {position!r}")

    def look(position: Hashable) -> list[Any]:
        try:
            before = hash(position)
        except TypeError as error:
            raise SolveError(f"positions can't be hashed: {error}, at {position!r}") from None
        score = game.score(position)
        must(
            score is None or (hasattr(score, "__index__") and abs(int(score)) < 32_768),
            f"a score is a whole number from -32,767 to 32,767, or None, not {score!r}",
            position,
        )
        text = write(position)
        must(isinstance(text, str) and bool(text.strip()), f"it is written {text!r}", position)
        try:
            back = read(text)
        except Exception as error:
            raise SolveError(f"{text!r} can't be read back: {error}, at {position!r}") from error
        must(back == position, f"{text!r} is read back as {back!r}", position)
        if side is not None:
            must(side(position) in (0, 1, "first", "second"), "side() is 0 or 1", position)
        if canonical is not None:
            stands = canonical(position)
            must(canonical(stands) == stands, "the canonical position isn't its own", position)
            must(
                game.score(stands) == score,
                f"canonical() has another score, {game.score(stands)!r} in place of {score!r}",
                position,
            )
            if score is None:
                count = len(list(game.moves(stands)))
                must(
                    count == len(list(game.moves(position))),
                    "canonical() has another number of moves",
                    position,
                )
        if score is not None:
            return []
        moves = list(game.moves(position))
        must(bool(moves), "it is not finished, but has no moves", position)
        names = [write_move(move) for move in moves]
        must(len(set(names)) == len(names), f"two moves have the same name: {names}", position)
        children = []
        for move in moves:
            child = game.play(position, move)
            again = game.play(position, move)
            must(
                child == again and hash(child) == hash(again),
                f"the move {move!r} twice gives {child!r} and {again!r}, which are not equal, or "
                "have different hashes",
                position,
            )
            must(child != position, f"the move {move!r} changes nothing", position)
            children.append(child)
        must(hash(position) == before, "play() changes the position before the move", position)
        return children

    must(game.score(game.start()) is None, "the start is finished", game.start())
    must(game.start() == game.start(), "start() twice is not equal", game.start())
    level, known = [game.start()], 0
    seen: set[Any] = set()
    while level and known < limit:
        fresh = []
        for position in level[: limit - known]:
            known += 1
            for child in look(position):
                if child not in seen:
                    seen.add(child)
                    fresh.append(child)
        level = fresh
    return known


# Not a test of ours, whatever pytest makes of the name.
test_game.__test__ = False  # type: ignore[attr-defined]
