"""Games whose rules are written in Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from os import PathLike
from typing import Any, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _zermelo
from ._compared import COMPARED, must_be_of
from ._conformance import Test, same_alone, tested
from ._errors import NotInTable, SolveError
from ._misreadings import Misread
from ._oracle import Oracle
from ._progress import Progress, Tell, telling
from ._rules import (
    RowRules,
    Rules,
    about_of,
    decimals_in,
    format_move_of,
    format_of,
    is_rows,
    lacks,
    name_of,
    rules_of,
    squares_of,
    whole_array,
    without_side,
)
from ._symmetries import Classes, Folded, Plain, Wrapped, has_symmetries, moved
from ._unfolded import Everything, Unfolded

_Answer = TypeVar("_Answer")
#: The types of a game's positions and moves.
P = TypeVar("P")
M = TypeVar("M")

#: The number of positions that are expanded together.
_TOGETHER = 1 << 17
#: One row in this number is also computed alone, for comparison.
_LOOK_EVERY = 1 << 10
#: The most names of moves with a column in arrays each.
_MOST_COLUMNS = 256
#: The most positions of misread rules.
_MOST_MISREAD = 1_000_000


@runtime_checkable
class Game(Protocol[P, M]):
    """The rules of a game, as :func:`zermelo.solve` takes them.

    Type checkers know ``Game[P, M]``, with the types of positions and moves. A class need not inherit
    from it.

    Positions are hashable values such as tuples or strings. Their equality must include everything
    that the rules depend on. The score of a finished position is an integer, or a number with up to
    8 decimals such as 0.5, seen from the side whose turn it would be.

    A game may have more methods:

    ``side(p)``
        the side to move, 0 or 1; without it the turn passes with every move.
    ``format(p)`` and ``parse(text)``
        conversion of positions to one line of text and back; by default strings are their own text,
        and numbers, tuples, frozen sets, frozen dataclasses, named tuples and enumerations are
        written like Python.
    ``format_move(m)``
        the text of a move; by default ``str(m)``.
    ``name``
        a word for the game; by default the class's name.
    ``endless = "draw"``
        positions may repeat, and endless play is a draw; without it no position may repeat.
    ``distance = True``
        the winner hurries and the loser delays; ``endless`` implies it. Among wins by different
        scores, a higher one is better, in however many plies, at most 998.
    ``symmetries(p)``
        all images of a position, as pairs of the image and a map from the moves of ``p`` to the
        image's: a dict or a function. The table then lists one position of each class, and answers
        for all of them. :func:`grid_symmetries` has those of boards.
    ``canonical(p)``
        such a pair with the position that stands for the class, instead of ``symmetries`` or to be
        faster.
    ``misreadings()``
        plausible misunderstandings of the rules, with which :func:`zermelo.check` compares an AI: a
        list of pairs of a text, the end of a sentence that begins "It plays as if", and a game with
        those rules. Positions, moves and their texts must be the same.
    ``picture(p)``
        the board, which the explorer, :meth:`Oracle.svg` and ``zermelo query --svg`` draw: a list of
        rows, each a text or a list with an entry for each square. An entry is one letter, a whole
        number, ``"black"`` or ``"white"`` for a disc of the first or the second player, ``"grey"``
        for a blocked square, ``""``, ``" "`` or ``"."`` for an empty one, or None where the board
        has no square.
    ``rows(p)``
        the numbers that stand for a position in labels and graphs, such as a net's input: as many for
        each position. ``columns`` has their names.
    ``squares``
        the names of the squares in the same rows; by default a1, b1, … from the top left. A move
        that is called like a square is made there.

    The docstring of the class is shown as the rules.

    Instead of ``moves``, ``play`` and ``score``, a game may have methods for many positions at
    once. They take read-only arrays of integers with a row per position:

    ``scores(rows)``
        which positions are finished (booleans), and their scores (integers or floats).
    ``expand(rows)``
        the children of all positions, as rows; the index in ``rows`` of each child's parent; and a
        number that names each move. Children of finished positions are ignored.
    ``sides(rows)``
        like ``side``, for many positions.

    In such a game, ``format``, ``parse`` and ``format_move`` take or return one row, text or
    number. By default a row is written as its numbers with commas.
    """

    def start(self) -> P:
        """Return the start of the game."""
        ...

    def moves(self, position: P, /) -> Iterable[M]:
        """Return the legal moves of an unfinished position."""
        ...

    def play(self, position: P, move: M, /) -> P:
        """Return the position after a legal move, without changing the one before."""
        ...

    def score(self, position: P, /) -> float | None:
        """Return the score of a finished position, or None if it isn't finished."""
        ...


class RowGame(Protocol):
    """The rules of a game with methods for many positions at once: :class:`Game`."""

    def start(self) -> ArrayLike:
        """Return the start of the game, a row."""
        ...

    def scores(self, rows: NDArray[np.int64], /) -> tuple[ArrayLike, ArrayLike]:
        """Return which positions are finished, and their scores."""
        ...

    def expand(self, rows: NDArray[np.int64], /) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """Return all children, the index of each one's parent, and the number of its move."""
        ...


AnyGame: TypeAlias = Game[Any, Any] | RowGame


def _not_in_table(text: str) -> str:
    return f"the table has no position {text}"


class OwnOracle(Oracle):
    """A table of a game in Python, with the game's own positions and moves.

    Positions outside the table raise ``NotInTable``, whether they are unreachable or invalid, since
    the table only has a list of positions. Text that the game's ``parse`` rejects raises
    ``ValueError``.

    >>> import zermelo
    >>> class Nim:
    ...     def start(self): return 5
    ...     def moves(self, left): return [taken for taken in (1, 2) if taken <= left]
    ...     def play(self, left, taken): return left - taken
    ...     def score(self, left): return -1 if left == 0 else None
    >>> table = zermelo.solve(Nim())
    >>> table.score(5), table.moves(5), table.line()
    (1, [(2, 1), (1, -1)], [2, 1, 2])
    """

    def __init__(
        self, inner: _zermelo.Oracle, game: Any, again: Callable[[], Oracle] | None = None
    ) -> None:
        rules = rules_of(game)
        if rules.classes is not None:
            inner = cast(_zermelo.Oracle, Unfolded(inner, rules, partial(_all_positions, game)))
        super().__init__(inner, again)
        self._game = game
        self._rules = rules
        self._is_rows = isinstance(self._rules, RowRules)
        start = game.start()
        self._is_text = not self._is_rows and isinstance(start, str)
        self._is_tuple = isinstance(start, tuple)
        #: Whether moves that are strings have other names.
        self._has_own_strings = hasattr(game, "format_move") and any(
            isinstance(move, str) for move in self._rules.moves(start)
        )
        #: Returns the numbers of a position, if the game has a method for that.
        self._encode: Callable[[Any], Any] | None = None if self._is_rows else getattr(game, "rows", None)
        if self._is_rows or self._encode:
            width = len(self._encode(start) if self._encode else start)
            names = getattr(game, "columns", None) or [f"column_{number}" for number in range(width)]
            self._columns = tuple(map(str, names))

    def _say(self, position: Any) -> str:
        if self._is_written(position):
            return position  # type: ignore[no-any-return]
        if self._is_rows:
            row = np.asarray(position)
            if row.shape != (len(self._columns),):
                raise ValueError(
                    f"a position is a row of {len(self._columns)} numbers, not {position!r}"
                )
            position = whole_array(row, "positions")
        try:
            return self._rules.write(position)  # type: ignore[no-any-return]
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(
                f"{position!r} is no position of {self._inner.title}: {error}"
            ) from error

    def _read(self, text: str) -> Any:
        position = self._rules.read(without_side(self._rules, text))
        if not self._is_rows:
            return position
        if len(position) != len(self._columns):
            raise ValueError(
                f"no position of {self._inner.title} can be read from {text!r}: a row of "
                f"{len(self._columns)} numbers is wanted, not {position!r}"
            )
        return np.array(position, dtype=np.int64)

    def _read_all(self, texts: list[str]) -> list[Any]:
        if self._is_rows or self._is_text or hasattr(self._game, "parse"):
            return super()._read_all(texts)
        # The same for many texts at once, which is faster.
        return _zermelo.literals(texts, self._read)

    def _key(self, text: str) -> str:
        return without_side(self._rules, text)

    def _must_be_position(self, text: str) -> None:
        """Raise ``ValueError`` if the game can't read a text that is not in the table."""
        try:
            self._read(text)
        except Exception as error:
            said = f"no position of {self._inner.title} can be read from {text!r}"
            same = str(error).startswith(said)
            raise ValueError(str(error) if same else f"{said}: {error}") from error

    def _ask(self, ask: Callable[..., _Answer], position: Any, *more: Any) -> _Answer:
        text = self._say(position)
        try:
            return ask(text, *more)
        except NotInTable as error:
            self._must_be_position(text)
            raise NotInTable(_not_in_table(text)) from error.__cause__

    def _ask_many(
        self, ask: Callable[..., _Answer], positions: Any, default: float | None
    ) -> _Answer:
        try:
            return ask(positions, default)
        except NotInTable:
            for number, text in enumerate(positions):
                try:
                    self._inner.score(text)
                except NotInTable:
                    self._must_be_position(text)
                    raise NotInTable(f"position {number}: {_not_in_table(text)}") from None
            raise

    def _name(self, move: Any) -> str:
        if isinstance(move, str) and not self._has_own_strings:
            # The move is a name already.
            return move
        return self._rules.name(move)

    def _is_written(self, position: Any) -> bool:
        """Whether a position is given as its text, in a game whose positions are no texts."""
        return isinstance(position, str) and not self._is_text

    def _own_moves(self, position: Any) -> dict[str, Any]:
        """Return the game's own moves in a position, by their names."""
        return {self._rules.name(move): move for move in self._rules.moves(position)}

    def score(self, position: Any) -> Any:
        """Return the exact score of a position, finished or not, seen from its side to move.

        It is an integer, or a float if scores of the game have decimals.
        """
        return super().score(position)

    def get(self, position: Any, default: Any = None) -> Any:
        """Return the score of a position, or ``default`` if the table has none."""
        return super().get(position, default)

    def moves(self, position: Any) -> list[tuple[Any, Any]]:
        """Return every legal move with its score for the side that makes it, best first."""
        own, scores = self._named_moves(position)
        return [(own[name], score) for name, score in scores.items()]

    def legal_moves(self, position: Any) -> list[Any]:
        # In the game's own order, which says nothing about the scores.
        own, scores = self._named_moves(position)
        return [move for name, move in own.items() if name in scores]

    def _named_moves(self, position: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the game's own moves in a position by their names, and the scores, best first."""
        scores = dict(self._ask(self._inner.moves, position))
        if not scores:
            return {}, scores
        return self._own_moves(self._read(position) if self._is_written(position) else position), scores

    def choose(self, position: Any, ai: str) -> Any:
        own = self._read(self._say(position))
        return self._own_moves(own)[self._ask(self._inner.choose, position, ai)]

    def line(self, position: Any = None) -> list[Any]:
        text = self._inner.start if position is None else self._say(position)
        own, moves = self._read(text), []
        for name in self._ask(self._inner.line, text):
            move = self._own_moves(own)[name]
            moves.append(move)
            own = self._rules.play(own, move)
        return moves

    def __iter__(self) -> Iterator[Any]:
        if not self._is_rows:
            return super().__iter__()
        blocks = self.blocks(move_scores=False, best=False)
        return (row for block in blocks for row in block.positions)  # type: ignore[union-attr]

    def _own_report(self, report: dict[str, Any]) -> Any:
        return self._own_values(super()._own_report(report))

    def _own_values(self, report: Any) -> Any:
        """Replace the texts of a check's report by the game's own positions and moves."""
        if isinstance(report, list):
            return [self._own_values(one) for one in report]
        if not isinstance(report, dict):
            return report
        report = {key: self._own_values(value) for key, value in report.items()}
        text = report.get("position")
        if isinstance(text, str):
            try:
                report["position"] = self._read(text)
                own = self._own_moves(report["position"])
            except Exception:
                # A fault may name a position that the game can't read.
                return report
            if "move" in report:
                report["move"] = own.get(report["move"], report["move"])
            if "best" in report:
                report["best"] = [own.get(name, name) for name in report["best"]]
        if isinstance(report.get("end"), str):
            report["end"] = self._read(report["end"])
        line = report.get("refutation_line")
        if line:
            report["refutation"] = [step["move"] for step in line["steps"]]
        return report

    def _must_have_images(self) -> None:
        if self._rules.classes is None:
            raise ValueError(
                f"{self._inner.title} has no symmetries, so there are no images to add: define "
                "symmetries(), or leave out augment()"
            )

    def _asked_in_check(self, canonical: bool, progress: Progress) -> Oracle:
        if not isinstance(self._inner, Unfolded):
            if canonical:
                raise ValueError(
                    f"{self._inner.title} has no symmetries, so each position is a class of its own: "
                    "leave out canonical, or define symmetries()"
                )
            return self
        if canonical:
            return self
        with telling(progress) as tell:
            everything: OwnOracle = self._inner.all_positions(tell)
        counting = cast(_zermelo.Oracle, Everything(everything._inner, self._inner))
        return OwnOracle(counting, everything._game)

    def _misreadings(self) -> list[tuple[str, dict[str, list[str]]]]:
        """Return the sentences of the game's misreadings, and their best moves by position."""
        game = self._game
        misreadings = list(game.misreadings()) if hasattr(game, "misreadings") else []
        if not misreadings or len(self) > _zermelo.MOST_MOVES:
            return []
        rules = rules_of(game)
        texts = [self._key(self._say(position)) for position in self]
        positions = [rules.read(text) for text in texts]
        ends = ("",) if rules.has_sides else ("", " first", " second")
        found = []
        for sentence, other in misreadings:
            lack = lacks(other)
            if lack is not None:
                raise TypeError(f"misreadings() has {other!r}, which is no game: {lack}")
            misread = Misread(other, positions)
            inner = solve_own(misread, None, False, _MOST_MISREAD, None, None)._inner
            best: dict[str, list[str]] = {}
            for text in texts:
                moves = inner.moves(text)
                names = [name for name, score in moves if score == moves[0][1]]
                best.update((text + end, names) for end in ends)
            found.append((sentence, best))
        return found

    def position(self, position: str) -> Any:
        """Return the game's own position for a text.

        Raise ``ValueError`` if the table has none.
        """
        try:
            self._inner.board(position)
        except NotInTable:
            raise ValueError(_not_in_table(position)) from None
        return self._read(position)

    def _positions(self, positions: Iterable[Any] | ArrayLike) -> list[str]:
        if isinstance(positions, str):
            raise TypeError("a list of positions is wanted; for a single one there is score()")
        if isinstance(positions, np.ndarray):
            if self._is_rows and positions.dtype.kind in "biu":
                return [self._rules.write(row) for row in self._whole_rows(positions)]
            # Python's own numbers and strings are written like the game's positions.
            listed: list[Any] = positions.tolist()
            if self._is_tuple and positions.ndim == 2:
                listed = [tuple(one) for one in listed]
            return [self._say(one) for one in listed]
        return [self._say(one) for one in positions]  # type: ignore[union-attr]

    def _whole_rows(self, array: NDArray[Any]) -> NDArray[np.int64]:
        if array.ndim != 2 or array.shape[1] != len(self._columns):
            raise ValueError(
                f"an array of positions has the shape (N, {len(self._columns)}); this one has "
                f"{array.shape}"
            )
        return whole_array(array, "positions")

    def to_rows(self, positions: Iterable[Any]) -> NDArray[Any]:
        """Return positions as an array, one per row, for a game on arrays or with ``rows(p)``."""
        if self._encode is not None:
            return self._encoded([self._read(one) if self._is_written(one) else one for one in positions])
        if not self._is_rows:
            return super().to_rows(positions)
        texts = [self._say(one) for one in positions]
        if hasattr(self._game, "parse"):
            numbers: Any = [self._read(text) for text in texts]
        else:
            # The same for many texts at once, which is faster.
            bare = [without_side(self._rules, text) for text in texts]
            numbers = [int(one) for text in bare for one in text.split(",")]
        return np.asarray(numbers, dtype=np.int64).reshape(len(texts), len(self._columns))

    def _encoded(self, positions: list[Any]) -> NDArray[Any]:
        """Return the numbers of the game's own positions."""
        assert self._encode is not None
        width = len(self._columns)
        rows = [np.asarray(self._encode(position)) for position in positions]
        for position, row in zip(positions, rows):
            if row.shape != (width,) or row.dtype.kind not in "biuf":
                raise ValueError(f"rows({position!r}) must return {width} numbers, not {row!r}")
        return np.array(rows) if rows else np.empty((0, width), dtype=np.int64)

    @cached_property
    def own_moves(self) -> tuple[Any, ...]:
        """The game's own moves, in the order of :attr:`all_moves`."""
        found: dict[str, Any] = {}
        for position in self:
            if len(found) == len(self._moves):
                break
            found = {**self._own_moves(position), **found}
        return tuple(found[name] for name in self._moves)

    def _needs_texts(self) -> bool:
        return not self._is_rows

    def _moves_of_labels(self) -> tuple[Any, ...]:
        return self.own_moves

    def to_positions(self, rows: ArrayLike) -> list[Any]:
        """Return the rows of an array as text."""
        if self._encode is not None:
            raise ValueError("the game has rows(p), but nothing returns the position of a row")
        if not self._is_rows:
            return super().to_positions(rows)
        return [self._rules.write(row) for row in self._whole_rows(np.asarray(rows))]

    def _must_export(self, format: str) -> None:
        if format == "npy" and self._columns:
            raise ValueError(
                f'the rows of {self._inner.title} are known only to the game in Python, so export() has no '
                'arrays: write the same columns with to_parquet(path), take arrays from to_numpy() or '
                'blocks(), or pass format="csv" or "jsonl"'
            )

    def _of_labels(
        self, arrays: Mapping[str, Any], texts: bool
    ) -> tuple[NDArray[Any] | None, list[Any] | None]:
        if not self._is_rows:
            rows, positions = super()._of_labels(arrays, texts)
            return rows if self._encode is None else self._encoded(positions or []), positions
        written: list[str] = arrays["texts"]
        return self.to_rows(written), written if texts else None


class From(Wrapped):
    """A game that starts at another position."""

    def __init__(self, game: Any, start: Any) -> None:
        super().__init__(game)
        self._start = start

    def start(self) -> Any:
        return self._start


def starting(game: Any, start: Any) -> Any:
    """Return a game that starts at a position, given as itself or as a text, unless it is None."""
    lack = lacks(game)
    if start is None or lack is not None:
        # Who solves the game says what it lacks.
        return game
    if is_rows(game) and not isinstance(start, str):
        return From(game, start)
    rules, own = rules_of(game), game.start()
    is_text = isinstance(start, str)
    if is_text != isinstance(own, str):
        start = rules.read(start if is_text else rules.write(start))
    return From(game, start)


def solve_own(
    game: Any,
    out: str | PathLike[str] | None,
    force: bool,
    max_positions: int | None,
    memory: int | None,
    progress: Progress,
) -> OwnOracle:
    """Explore and solve a game in Python."""
    lack = lacks(game)
    if lack is not None:
        raise TypeError(f"{game!r} is no game: {lack}")
    if out is not None:
        _zermelo.check_place(out, force)
    test = tested(game)
    doubts = []
    if test.endless is not None and max_positions is None:
        doubts.append(
            f"{test.endless}: make sure that every game ends, or pass max_positions= to stop at that "
            "many positions"
        )
    if test.finished is not None and not isinstance(game, From):
        doubts.append(f"{test.finished}: return None while the game goes on; the table has no entries")
    for doubt in doubts:
        warnings.warn(doubt, RuntimeWarning, stacklevel=3)
    with telling(progress) as tell:
        explored = _expanded if is_rows(game) else _explored
        return OwnOracle(explored(test, out, force, max_positions, memory, tell), game)


def _explored(
    test: Test,
    out: str | PathLike[str] | None,
    force: bool,
    max_positions: int | None,
    memory: int | None,
    tell: Tell,
) -> _zermelo.Oracle:
    rules, classes = test.rules, test.rules.classes
    say = {
        "write": rules.write,
        "literals": not hasattr(rules.game, "format"),
        "name": rules.name,
        "look": test.look,
        "images": _new_names(rules, classes) if classes is not None and classes.has_images else None,
        "about": about_of(rules.game),
        "squares": squares_of(rules.game),
    }
    return _zermelo.solve_own(
        rules.game if classes is None else Folded(rules.game, classes),
        say,
        name_of(rules.game),
        rules.is_endless,
        rules.counts_plies,
        out,
        force,
        max_positions,
        memory,
        tell,
    )


def _new_names(rules: Rules, classes: Classes) -> Callable[[Any], list[str]]:
    """Return a function from a position to the new names of moves at its images.

    Labels of images need columns for them.
    """
    known: set[str] = set()

    def new_names(position: Any) -> list[str]:
        if len(known) > _MOST_COLUMNS:
            # There are no columns for so many.
            return []
        moves = rules.moves(position)
        images = classes.images(position).values()
        names = [rules.name(moved(to, move)) for to in images for move in moves]
        new = [name for name in dict.fromkeys(names) if name not in known]
        known.update(new)
        return new

    return new_names


def _all_positions(game: Any, tell: Tell) -> OwnOracle:
    """Solve a game without its symmetries."""
    plain = Plain(game)
    return OwnOracle(_explored(Test(rules_of(plain)), None, False, None, None, tell), plain)


def proven_of(table: Oracle, game: Any, progress: Progress) -> str | None:
    """Return a difference between a table's explicit game graph and a game's rules, or None."""
    inner: Any = table._inner
    if isinstance(inner, Unfolded):
        inner = inner.listed
    try:
        must_be_of(inner, game, COMPARED)
        # The rules string has the digest of all positions, moves and scores. It doesn't tell if
        # symmetric positions are alike.
        is_same = not has_symmetries(game) and (
            solve_own(game, None, False, None, None, progress).rules == table.rules
        )
        if not is_same:
            # Perhaps only the name or the order of the moves differs.
            must_be_of(inner, game)
    except (ValueError, SolveError) as error:
        return str(error)
    return None


@contextmanager
def _noted(rows: NDArray[np.int64]) -> Iterator[None]:
    """Add the positions to exceptions that are raised for them."""
    try:
        yield
    except Exception as error:
        error.add_note(f"with {len(rows)} positions, the first {rows[0].tolist()}")
        raise


def _expanded(
    test: Test,
    out: str | PathLike[str] | None,
    force: bool,
    max_positions: int | None,
    memory: int | None,
    tell: Tell,
) -> _zermelo.Oracle:
    game, rules = test.rules.game, test.rules
    assert isinstance(rules, RowRules)
    start = whole_array(game.start(), "positions")
    explorer = _zermelo.Explorer(
        start,
        format_move_of(game),
        rules.is_endless,
        rules.counts_plies,
        max_positions,
        memory,
        about_of(game),
        squares_of(game),
    )
    sides_of = getattr(game, "sides", None)
    write = format_of(game) if hasattr(game, "format") else None
    draw = getattr(game, "picture", None)
    done = 0
    while True:
        rows = explorer.next(_TOGETHER)
        if not len(rows):
            break
        with _noted(rows):
            finished, scores = game.scores(rows)
            children, parents, moves = game.expand(rows)
            children, parents = whole_array(children, "positions"), whole_array(parents, "parents")
            moves = whole_array(moves, "moves")
            if (parents[1:] < parents[:-1]).any():
                order = np.argsort(parents, kind="stable")
                children, parents, moves = children[order], parents[order], moves[order]
            children = children if children.size else children.reshape(0, len(start))
            if children.ndim != 2:
                raise SolveError(
                    f"expand() gives children of the shape {children.shape}: rows of {len(start)} "
                    "numbers are wanted"
                )
            sides = None if sides_of is None else whole_array(sides_of(rows), "sides")
            finished = np.ascontiguousarray(finished, dtype=np.bool_)
            scores, decimals = decimals_in(np.where(finished, scores, 0))
            explorer.add(
                None if write is None else [write(row) for row in rows],
                finished,
                scores,
                decimals,
                sides,
                children,
                parents,
                moves,
                None if draw is None else [draw(row) for row in rows],
            )
            some = range(0, len(rows), _LOOK_EVERY)
            same_alone(rules, rows, some, finished, scores / 10**decimals, sides, children, parents, moves)
        done += len(rows)
        if tell:
            tell("exploring", done, None, "positions")
    return explorer.solve(name_of(game), out, force, tell)
