"""Oracles: tables and searches that answer with exact scores."""

from __future__ import annotations

import operator
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _zermelo
from ._arguments import count, memory_of, whole
from ._errors import NotInTable
from ._graph import Graph
from ._labels import Export, Labels, Verdict
from ._positions import CLASSES, Position
from ._progress import Progress, telling

Outcome = Literal["win", "draw", "loss"]
_Default = TypeVar("_Default")
_Answer = TypeVar("_Answer")

#: The entry for an illegal move in arrays of scores, below every score.
NO_SCORE: int = _zermelo.NO_SCORE
#: In games that count plies, a win in d plies has the score ``WON - d``, and a loss ``d - WON``.
WON: int = _zermelo.WON


#: The keys of a check's report whose values are scores or regrets.
_SCORES = frozenset(["before", "target", "after", "score", "regret", "total_regret"])


def _in_points(value: Any, unit: int, is_score: bool) -> Any:
    """Divide the scores in a part of a report by the number of units that are a point."""
    if isinstance(value, dict):
        return {key: _in_points(part, unit, is_score or key in _SCORES) for key, part in value.items()}
    if isinstance(value, list):
        return [_in_points(part, unit, is_score) for part in value]
    return value / unit if is_score and isinstance(value, (int, float)) else value


class Oracle:
    """An oracle that answers with exact scores: a table, or a search of a game.

    A score is the result under best play of both sides, seen from the side to move: positive if it
    wins. Positions are strings in the game's notation. All methods are thread-safe.

    Some games count plies: the winner hurries, and the loser delays. The score of a win in d plies
    is ``WON - d``, of a loss ``d - WON``, and of a draw 0. :meth:`distance` returns d.

    >>> import zermelo
    >>> table = zermelo.solve("tictactoe")
    >>> table.score("X...O....")
    0
    >>> table.moves("XX..O....")[0]
    ('c1', 0)

    Oracles can be pickled: another process opens the table's file, solves a table in memory again,
    or starts an empty search. A game of your own must be one that can be pickled.
    """

    #: Whether it has only the positions of a suite.
    _is_suite = False

    def __init__(
        self, inner: _zermelo.Oracle, again: Callable[[], Oracle] | None = None
    ) -> None:
        self._inner = inner
        #: Makes the same oracle in another process.
        self._again = again
        self._class = CLASSES.get(inner.family, Position)
        shape = inner.shape()
        self._columns: tuple[str, ...] = tuple(shape[0]) if shape else ()
        self._moves: tuple[str, ...] = tuple(shape[1]) if shape else ()

    # Methods that a game in Python overrides.

    def _say(self, position: Any) -> str:
        """Return the text of a position."""
        if isinstance(position, str):
            return position
        if self._inner.family == "listed":
            raise TypeError(
                f"the position is {position!r}, but a table opened without game= takes strings such as "
                f"{self._inner.start!r}: pass one, or use open(path, game=YourGame()), which takes the "
                "game's own positions"
            )
        raise TypeError(f"positions of {self.name} are strings in its notation, not {position!r}")

    def _read(self, text: str) -> Any:
        """Return the position of a text."""
        return self._class(text)

    def _read_all(self, texts: list[str]) -> list[Any]:
        return [self._read(text) for text in texts]

    def _key(self, text: str) -> str:
        """Return the text that all positions have that look the same to an AI."""
        return text

    def _name(self, move: Any) -> str:
        """Return the name of a move."""
        return move if isinstance(move, str) else str(move)

    def _own_report(self, report: dict[str, Any]) -> Any:
        """Return the report of a check with the scores that this oracle has."""
        if "decimals" not in report or report["counts_plies"]:
            return report
        unit = 10 ** report.pop("decimals")
        return _in_points(report, unit, False)

    def _asked_in_check(self, canonical: bool, progress: Progress) -> Oracle:
        """Return the oracle with the positions that a check asks about."""
        if canonical and self._inner.family == "listed":
            raise ValueError(
                f"{self._inner.title} is opened without game=, so that its symmetries aren't known: "
                "leave out canonical, which then asks about each position of the list"
            )
        return self

    def _must_have_images(self) -> None:
        """Raise ``ValueError`` if nothing is known about symmetries."""
        if self._inner.family == "listed":
            raise ValueError(
                f"{self._inner.title} is opened without game=, so that its symmetries aren't known: use "
                "open(path, game=YourGame())"
            )

    def _must_export(self, format: str) -> None:
        """Raise ``ValueError`` if there is something better than an export in this format."""

    def _misreadings(self) -> list[tuple[str, dict[str, list[str]]]]:
        """Return misunderstandings of the rules that only the game in Python knows."""
        return []

    def _ask(self, ask: Callable[..., _Answer], position: Any, *more: Any) -> _Answer:
        """Ask the oracle about one position."""
        return ask(self._say(position), *more)

    def _ask_many(
        self, ask: Callable[..., _Answer], positions: Any, default: float | None
    ) -> _Answer:
        """Ask the oracle about many positions."""
        return ask(positions, default)

    def __reduce__(self) -> tuple[Callable[[], Oracle], tuple[()]]:
        if self._again is None:
            raise TypeError(f"{self!r} can't be pickled: only zermelo.solve() knows how it was made")
        return self._again, ()

    # Properties of the oracle.

    @property
    def rules(self) -> str:
        """The rules string: the game and its parameters."""
        return self._inner.rules

    @property
    def name(self) -> str:
        """The game's name, such as ``kalah(6,2)``."""
        return self._inner.name

    @property
    def is_table(self) -> bool:
        """Whether it is a table: only tables can be counted, listed and verified."""
        return self._inner.is_table

    @property
    def start(self) -> Any:
        """The start of the game."""
        return self._read(self._inner.start)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns in arrays of positions; empty for a game without arrays.

        >>> import zermelo
        >>> zermelo.kalah(pits=2, seeds=3).columns
        ('first_pit_1', 'first_pit_2', 'first_store',
         'second_pit_1', 'second_pit_2', 'second_store', 'side')
        """
        return self._columns

    @property
    def all_moves(self) -> tuple[str, ...]:
        """All moves of the game, in the order of the columns of arrays."""
        return self._moves

    @property
    def layers(self) -> dict[int, int]:
        """The number of entries in each layer of the table (seeds or stones on the board)."""
        return dict(self._inner.layers())

    def __len__(self) -> int:
        """The number of entries of the table: its unfinished classes."""
        return self._inner.entries()

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the positions of the table's entries, one of each class."""
        for block in self.blocks(move_scores=False, best=False, texts=True):
            yield from block.texts or []

    def __repr__(self) -> str:
        if not self.is_table:
            return f"<zermelo.Oracle {self.name}, by search>"
        return f"<zermelo.Oracle {self.name}, a table of {len(self):,} classes>"

    def _repr_html_(self) -> str:
        if not self.is_table or not self._inner.has_start:
            return f"<code>{escape(repr(self))}</code>"
        rows = "".join(
            f"<tr><td>{escape(self._name(move))}</td><td>{score}</td></tr>"
            for move, score in self.moves(self.start)
        )
        return (
            f"<p>{escape(self.name)}: {len(self):,} classes</p>"
            f"{self._drawn(self.start)}"
            f"<table><tr><th>move</th><th>score</th></tr>{rows}</table>"
        )

    def _drawn(self, position: Any) -> str:
        """Return the board in HTML, as a picture if the game has one."""
        board, svg = escape(self.board(position)), self.svg(position)
        if svg is None:
            return f"<pre>{board}</pre>"
        packed = b64encode(svg.encode()).decode()
        return f'<img alt="{board}" src="data:image/svg+xml;base64,{packed}">'

    # One position.

    def position(self, position: str) -> Any:
        """Return the position as a string with attributes.

        Its class depends on the game, for example :class:`KalahPosition`.

        >>> import zermelo
        >>> p = zermelo.kalah(pits=2, seeds=3).position("3,0:1/4,4:0 first")
        >>> p.pits, p.stores, p.side
        (((3, 0), (4, 4)), (1, 0), 'first')

        Raise ``ValueError`` if it is not a position of the game.
        """
        self._inner.board(self._say(position))
        return self._class(position)

    def board(self, position: Any) -> str:
        """Return a drawing of a position, in a few lines of text."""
        return self._ask(self._inner.board, position)

    def svg(self, position: Any) -> str | None:
        """Return the picture of a position as an SVG file, or None if the game has no pictures."""
        return self._ask(self._inner.svg, position)

    def score(self, position: Any) -> int:
        """Return the exact score of a position, finished or not, seen from its side to move.

        Raise ``NotInTable``, a ``KeyError``, for a position that is not reachable in the table's
        game, and ``ValueError`` for a text that is not a position of it.
        """
        return self._ask(self._inner.score, position)

    def outcome(self, position: Any) -> Outcome:
        """Return ``win``, ``draw`` or ``loss`` for the side to move; a search is faster than for
        the score."""
        return self._ask(self._inner.outcome, position)

    def distance(self, position: Any) -> int | None:
        """Return the number of plies to the end under best play, in games that count plies.

        None for a draw or a finished position, and in games that count points.
        """
        return self._ask(self._inner.distance, position)

    def margin(self, position: Any) -> float | None:
        """Return the points by which the side to move wins, below 0 if it loses.

        This is the score, except in games that count plies and points. None in games that count
        plies alone.
        """
        return self._ask(self._inner.margin, position)

    def moves(self, position: Any) -> list[tuple[str, int]]:
        """Return every legal move with its score for the side that makes it, best first."""
        return self._ask(self._inner.moves, position)

    def legal_moves(self, position: Any) -> list[Any]:
        """Return the legal moves of a position, without scores. A search answers at once.

        >>> import zermelo
        >>> zermelo.kalah().legal_moves("4,4,0,5,5,5:1/4,4,4,4,4,4:0 first")
        ['1', '2', '4', '5', '6']
        """
        return self._ask(self._inner.legal_moves, position)

    def best_moves(self, position: Any) -> list[str]:
        """Return all best moves.

        >>> import zermelo
        >>> zermelo.solve("tictactoe").best_moves("X........")
        ['b2']
        """
        moves = self.moves(position)
        return [move for move, score in moves if score == moves[0][1]]

    def line(self, position: Any = None) -> list[str]:
        """Return a line of best play from a position, or from the start, to the end of the game."""
        if position is None:
            return self._inner.line(self._inner.start)
        return self._ask(self._inner.line, position)

    def choose(self, position: Any, ai: str) -> Any:
        """Return the move of a built-in AI, such as ``"level:3"`` or ``"greedy"``.

        >>> import zermelo
        >>> zermelo.solve("tictactoe").choose("X........", "level:10")
        'b2'
        """
        return self._ask(self._inner.choose, position, ai)

    def play(self, position: Any, *moves: Any) -> Any:
        """Return the position after these moves.

        >>> import zermelo
        >>> table = zermelo.solve("kalah", pits=3, seeds=2)
        >>> table.play(table.start, "2", "1")
        '0,1,4:1/2,2,2:0 second'

        Raise ``ValueError`` if a move is not legal.
        """
        text = self._say(position)
        for number, move in enumerate(moves):
            played = position if number == 0 else text
            text = self._ask(self._inner.play, played, self._name(move))
        return self._read(text)

    @overload
    def get(self, position: Any) -> int | None: ...
    @overload
    def get(self, position: Any, default: _Default) -> int | _Default: ...
    def get(self, position: Any, default: Any = None) -> Any:
        """Return the score of a position, or ``default`` if the table has none."""
        try:
            return self.score(position)
        except NotInTable:
            return default

    def __getitem__(self, position: Any) -> int:
        return self.score(position)

    def __contains__(self, position: Any) -> bool:
        """Whether :meth:`score` has an answer."""
        try:
            self.score(position)
        except (NotInTable, ValueError, TypeError):
            return False
        return True

    # Many positions.

    def scores(
        self, positions: Iterable[str] | ArrayLike, default: float | None = None
    ) -> NDArray[Any]:
        """Return the scores of many positions, computed on all cores.

        The type is ``int16``; in games of your own ``int32`` if that is too small, and ``float64``
        if scores have decimals.

        ``positions`` are strings, or an integer array with a row per position and the columns
        :attr:`columns`. A position that is not in the table raises ``NotInTable``, or gets the
        score ``default``.

        >>> import zermelo
        >>> table = zermelo.solve("tictactoe")
        >>> table.scores(["X...O....", "XX..O....", "XX..OO..."])
        array([0, 0, 3], dtype=int16)
        >>> table.scores([[1, 0, 0, 0, 2, 0, 0, 0, 0, 0]])
        array([0], dtype=int16)
        """
        return self._scores(positions, False, default)

    def move_scores(
        self, positions: Iterable[str] | ArrayLike, default: float | None = None
    ) -> NDArray[Any]:
        """Return the scores of every move in many positions.

        The array has a row per position and a column per move of :attr:`all_moves`, with
        ``NO_SCORE`` where a move is not legal: -2**31 in an ``int32`` array, and minus infinity in
        one of floats.

        >>> import zermelo
        >>> table = zermelo.solve("kalah", pits=3, seeds=2)
        >>> table.move_scores(["2,2,2:0/2,2,2:0", "2,2,0:1/3,2,2:0 second"])
        array([[-8,  4,  0],
               [ 0,  0, -6]], dtype=int16)
        """
        if not self._moves:
            raise ValueError(
                f"{self.name} has no array with a column for each of its moves, for it has too many "
                "kinds of them, or no list of them: ask with moves() about one position at a time"
            )
        return self._scores(positions, True, default)

    def _scores(
        self, positions: Iterable[str] | ArrayLike, of_moves: bool, default: float | None
    ) -> NDArray[Any]:
        asked, kind = self._positions(positions), np.dtype(self._inner.score_type)
        if default is not None and kind.kind == "i":
            default = whole("default", default, np.iinfo(kind).min, np.iinfo(kind).max)
        if not isinstance(asked, list):
            return self._inner.scores(asked, of_moves, default)

        def ask(texts: list[str], missing: float | None) -> NDArray[Any]:
            return self._inner.scores(texts, of_moves, missing)

        return self._ask_many(ask, asked, default)

    def _positions(
        self, positions: Iterable[str] | ArrayLike
    ) -> list[str] | NDArray[np.uint8]:
        """Return texts, or rows of an array."""
        if isinstance(positions, str):
            raise TypeError("a list of positions is wanted; for a single one there is score()")
        if isinstance(positions, np.ndarray):
            if positions.dtype.kind in "USOT":
                return [str(text) for text in positions.ravel()]
            return self._rows(positions)
        listed = list(positions)  # type: ignore[arg-type]
        if not self._columns or all(isinstance(one, str) for one in listed):
            return [self._say(one) for one in listed]
        return self._rows(np.asarray(listed))

    def _rows(self, array: NDArray[Any]) -> NDArray[np.uint8]:
        if not self._columns:
            raise ValueError(f"{self.name} has no arrays: give positions as strings")
        if array.ndim != 2 or array.shape[1] != len(self._columns):
            raise ValueError(
                f"an array of positions has the shape (N, {len(self._columns)}), for the columns "
                f"{', '.join(self._columns)}; this one has {array.shape}"
            )
        if array.dtype.kind not in "biu":
            raise ValueError(f"positions are whole numbers, not {array.dtype}")
        if array.dtype == np.uint8:
            return array
        if array.size and (array.min() < 0 or array.max() > 255):
            raise ValueError("the numbers of a position are 0 to 255")
        return array.astype(np.uint8)

    def to_rows(self, positions: Iterable[str]) -> NDArray[np.uint8]:
        """Return positions as an array, one per row.

        >>> import zermelo
        >>> zermelo.tictactoe().to_rows(["X...O...."])
        array([[1, 0, 0, 0, 2, 0, 0, 0, 0, 0]], dtype=uint8)
        """
        return self._inner.rows(list(positions))

    def to_positions(self, rows: ArrayLike) -> list[Any]:
        """Return the rows of an array as positions.

        >>> import zermelo
        >>> zermelo.tictactoe().to_positions([[1, 0, 0, 0, 2, 0, 0, 0, 0, 0]])
        ['X...O....']
        """
        texts = self._inner.texts(self._rows(np.asarray(rows)))
        return [self._class(text) for text in texts]

    # Whole tables.

    def blocks(
        self,
        *,
        layers: Iterable[int] | None = None,
        move_scores: bool = True,
        best: bool = True,
        texts: bool = False,
    ) -> Iterator[Labels]:
        """Iterate over the entries of the table block by block, in the order of the file.

        This works for tables that don't fit in memory. ``layers`` selects some layers.

        >>> import zermelo
        >>> table = zermelo.solve("kalah", pits=3, seeds=2)
        >>> sum(len(block) for block in table.blocks()) == len(table)
        True
        """
        wanted = self._layers(layers)
        numbers = self._inner.blocks(wanted)

        def labels() -> Iterator[Labels]:
            for number in numbers:
                block = self._inner.block(number, wanted, texts, move_scores, best)
                if len(block["scores"]):
                    yield self._labels(block, texts)

        return labels()

    def _layers(self, layers: Iterable[int] | None) -> list[int] | None:
        """Check that the table has these layers."""
        if layers is None:
            return None
        if isinstance(layers, str) or not isinstance(layers, Iterable):
            raise TypeError(f"layers is a list of layers, such as [24, 23], not {layers!r}")
        wanted = [whole("a layer", layer) for layer in layers]
        if not wanted:
            raise ValueError("layers is an empty list: leave it out for all of them")
        known = self.layers
        missing = [layer for layer in wanted if layer not in known]
        if missing:
            raise ValueError(
                f"{self.name} has no layer {missing[0]}: its layers are {min(known)} to "
                f"{max(known)}"
            )
        return wanted

    def to_numpy(
        self,
        *,
        sample: int | None = None,
        seed: int = 1,
        layers: Iterable[int] | None = None,
        move_scores: bool = True,
        best: bool = True,
        texts: bool = False,
        memory: int | None = None,
        progress: Progress = None,
    ) -> Labels:
        """Return the entries of the table as arrays: all, those of some layers, or a sample.

        ``sample`` entries are chosen independently at random from all, so one may repeat. Positions
        are canonical, one of each class, as in the table.

        Raise ``MemoryError``, before anything is read, if the arrays would need more than
        ``memory`` bytes (by default nine tenths of the available memory). Raise ``ValueError`` for
        a layer that the table doesn't have.

        >>> import zermelo
        >>> table = zermelo.solve("kalah", pits=3, seeds=2)
        >>> labels = table.to_numpy(layers=[12])
        >>> labels.texts is None, labels.positions.shape[1]
        (True, 9)
        >>> len(table.to_numpy(sample=1000, seed=7))
        1000
        """
        wanted, sample, seed = self._layers(layers), count("sample", sample), whole("seed", seed)
        memory = memory_of(memory)
        with telling(progress) as tell:
            arrays = self._inner.labels(sample, seed, wanted, texts, move_scores, best, memory, tell)
        return self._labels(arrays, texts)

    def _labels(self, arrays: Mapping[str, Any], texts: bool) -> Labels:
        best = arrays.get("best")
        rows, written = self._of_labels(arrays, texts)
        return Labels(
            positions=rows,
            scores=arrays["scores"],
            layers=arrays["layers"],
            move_scores=arrays.get("move_scores"),
            best=None if best is None else best.view(np.bool_),
            texts=written,
            columns=self._columns,
            moves=self._moves,
            counts_plies=self._inner.counts_plies,
            _images=self._augmented,
            _own_moves=self._moves_of_labels,
        )

    def _needs_texts(self) -> bool:
        """Whether rows of numbers don't tell what the positions of labels are."""
        return not self._columns

    def _moves_of_labels(self) -> tuple[Any, ...]:
        """Return the moves of the columns as a game has them."""
        return self._moves

    def _augmented(self, labels: Labels) -> Labels:
        """Label the images of positions under the game's symmetries."""
        self._must_have_images()
        texts = labels.texts
        if texts is None:
            assert labels.positions is not None
            texts = self._inner.texts(labels.positions)
        images = [self._inner.symmetries(self._say(text)) for text in texts]
        counts = [len(some) for some in images]
        if sum(counts) == len(labels):
            warnings.warn(
                f"augment() adds nothing: none of these {len(labels):,} positions of {self.name} has "
                "another image under the game's symmetries",
                RuntimeWarning,
                stacklevel=3,
            )
        return self._labelled(
            [image for some in images for image in some],
            like=labels,
            classes=np.repeat(labels._class_numbers(), counts),
        )

    def _labelled(
        self, written: list[str], like: Labels | None = None, classes: Any = None, **wanted: Any
    ) -> Labels:
        """Label positions given as texts, with the same arrays as other labels or those wanted."""
        for name in ("move_scores", "best", "texts"):
            wanted.setdefault(name, getattr(like, name, None) is not None)
        moves = None
        if self._moves and (wanted["move_scores"] or wanted["best"]):
            moves = self.move_scores(written)
        scores, shape = self.scores(written), self._inner.shape()
        arrays = {
            "positions": self._inner.rows(written) if shape and shape[0] else None,
            "texts": written,
            "scores": scores,
            "layers": np.array([self._inner.canonical(text)[1] for text in written], np.uint32),
        }
        if moves is not None and wanted["move_scores"]:
            arrays["move_scores"] = moves
        if moves is not None and wanted["best"]:
            arrays["best"] = moves == scores[:, None]
        with_texts = wanted["texts"] or self._needs_texts()
        labels = self._labels(arrays, with_texts)
        return replace(labels, classes=classes, texts=labels.texts if with_texts else None)

    def sample(
        self,
        count: int,
        by: Literal["classes", "positions", "playouts"] = "classes",
        *,
        replace: bool = False,
        seed: int = 1,
        move_scores: bool = True,
        best: bool = True,
        texts: bool = False,
        memory: int | None = None,
        progress: Progress = None,
    ) -> Labels:
        """Return labels of ``count`` random positions.

        ``by="classes"`` takes entries of the table, each class with the same probability.
        ``"positions"`` takes reachable positions, each with the same probability; all of them must
        fit into memory. ``"playouts"`` takes positions of random games, each as often as it comes up.
        Without ``replace``, no position comes twice.

        The labels of positions and playouts have ``classes``, which :meth:`Labels.split` uses.

        >>> import zermelo
        >>> table = zermelo.solve("kalah", pits=3, seeds=2)
        >>> labels = table.sample(1000, "positions", texts=True)
        >>> len(set(labels.texts)), len(set(labels.classes.tolist())) < 1000
        (1000, True)
        """
        count, seed = whole("count", count, 1), whole("seed", seed)
        wanted: dict[str, Any] = {"move_scores": move_scores, "best": best, "texts": texts}
        if by == "classes":
            return self._sample_of_classes(count, replace, seed, memory, progress, wanted)
        if by not in ("positions", "playouts"):
            raise ValueError(f'by is "classes", "positions" or "playouts", not {by!r}')
        random = np.random.default_rng(seed)
        if by == "playouts":
            chosen = self._in_playouts(count, replace, random)
        else:
            graph = self.graph(memory=memory, progress=progress)
            if count > len(graph) and not replace:
                raise ValueError(f"{self.name} has only {len(graph):,} positions")
            numbers = random.choice(len(graph), count, replace=replace)
            chosen = graph.written(numbers)
        canonical = np.array([self._inner.canonical(text)[0] for text in chosen])
        classes = np.unique(canonical, return_inverse=True)[1].astype(np.int64)
        return self._labelled(chosen, classes=classes, **wanted)

    def _sample_of_classes(
        self,
        count: int,
        replace: bool,
        seed: int,
        memory: int | None,
        progress: Progress,
        wanted: dict[str, Any],
    ) -> Labels:
        if replace:
            return self.to_numpy(
                sample=count, seed=seed, memory=memory, progress=progress, **wanted
            )
        if count > len(self):
            raise ValueError(f"{self.name} has only {len(self):,} classes")
        random = np.random.default_rng(seed)
        if 2 * count > len(self):
            everything = self.to_numpy(memory=memory, progress=progress, **wanted)
            return everything[random.choice(len(self), count, replace=False)]
        # Sample so many that enough different ones remain.
        expected = -len(self) * np.log1p(-count / len(self))
        while True:
            sampled = int(expected * 1.02) + 20
            labels = self.to_numpy(
                sample=sampled, seed=seed, memory=memory, progress=progress, **wanted
            )
            numbers = np.unique(labels._class_numbers(), return_index=True)[1]
            if len(numbers) >= count:
                return labels[random.permutation(numbers)[:count]]
            expected *= 1.1

    def _in_playouts(self, count: int, replace: bool, random: np.random.Generator) -> list[str]:
        """Return the texts of unfinished positions in random playouts."""
        chosen: dict[str, None] | list[str] = [] if replace else {}
        useless = 0
        while len(chosen) < count and useless < 10_000:
            text, before = self._inner.start, len(chosen)
            while moves := self._inner.moves(text):
                if isinstance(chosen, list):
                    chosen.append(text)
                else:
                    chosen[text] = None
                text = self._inner.play(text, moves[int(random.integers(len(moves)))][0])
            useless = useless + 1 if len(chosen) == before else 0
        if len(chosen) < count:
            raise ValueError(
                f"10,000 playouts in a row brought nothing new after {len(chosen):,} positions: "
                "ask for fewer, or allow repetition with replace=True"
            )
        return list(chosen)[:count]

    def _of_labels(
        self, arrays: Mapping[str, Any], texts: bool
    ) -> tuple[NDArray[Any] | None, list[Any] | None]:
        """Return the positions as rows and as texts, where available."""
        written = arrays.get("texts")
        return arrays["positions"], None if written is None else self._read_all(written)

    def graph(
        self,
        by: Literal["position", "class"] = "position",
        *,
        memory: int | None = None,
        progress: Progress = None,
    ) -> Graph:
        """Return all unfinished positions that can be reached from the start, with their moves.

        ``by="class"`` takes one position of each class, which are far fewer. Then a policy plays
        alike at symmetric positions, and in Kalah it doesn't look at the stores. For all positions,
        a game of your own with symmetries is solved without them, in memory.

        Raise ``MemoryError`` if the arrays need more than ``memory`` bytes.
        """
        if by not in ("position", "class"):
            raise ValueError(f'by is "position" or "class", not {by!r}')
        if not self._inner.has_start:
            raise ValueError(
                f"{self.name} is a table of endgames, not of the games from one start: solve a whole "
                "game"
            )
        with telling(progress) as tell:
            arrays = self._inner.graph(by == "class", memory_of(memory), tell)
        if not len(arrays["children"]):
            raise ValueError(f"the start of {self.name} is finished, so that no position has moves")
        return Graph(self, arrays, by)

    def compare_searches(
        self,
        positions: Iterable[Any],
        *,
        methods: Iterable[str] | None = None,
        depths: Iterable[int] = (),
        limit: float = 1.0,
        memory: int = 1 << 26,
        progress: Progress = None,
    ) -> list[dict[str, Any]]:
        """Search positions in several ways and return what each search found and cost.

        ``methods`` are names as in ``zermelo search``, such as ``"alphabeta-tt"``; by default all.
        ``depths`` are in moves; by default searches go to the end of the game. A search stops after
        ``limit`` seconds, and its ``value`` is None. Each has a table of ``memory`` bytes.

        The rows have ``position``, ``method``, ``depth``, ``value``, ``best_move``, ``nodes`` and
        ``seconds``: ``pandas.DataFrame`` takes them.

        >>> import zermelo
        >>> table = zermelo.solve("kalah", pits=3, seeds=2)
        >>> rows = table.compare_searches([table.start], methods=["minimax", "mtdf-tt"])
        >>> [(row["method"], row["value"], row["nodes"] > 200) for row in rows]
        [('minimax', 4, True), ('mtdf-tt', 4, True)]
        """
        if isinstance(positions, str):
            raise TypeError("a list of positions is wanted")
        if not 0 < limit < 1e9:
            raise ValueError(f"limit is a number of seconds above 0, not {limit!r}")
        asked = [self._say(position) for position in positions]
        listed = [whole("a depth", depth, 1, 1000) for depth in depths]
        names = None if methods is None else list(methods)
        with telling(progress) as tell:
            rows = self._inner.searches(asked, names, listed, limit, whole("memory", memory), tell)
        columns = ("position", "method", "depth", "value", "best_move", "nodes", "seconds")
        return [dict(zip(columns, (self._read(row[0]), *row[1:]))) for row in rows]

    def canonical(self, position: Any) -> Any:
        """Return the canonical position of a position's class, as tables have it.

        >>> import zermelo
        >>> zermelo.tictactoe().canonical("X........")
        '........X'
        """
        return self._read(self._ask(self._inner.canonical, position)[0])

    def symmetries(self, position: Any) -> list[Any]:
        """Return the different images of a position under the game's symmetries, itself first.

        All have the same score.

        >>> import zermelo
        >>> zermelo.tictactoe().symmetries("X........")
        ['X........', '..X......', '......X..', '........X']
        """
        return [self._read(text) for text in self._ask(self._inner.symmetries, position)]

    def rank(self, position: Any) -> int | None:
        """Return the rank of a position's class, from ``0`` to ``slots - 1``.

        None if the game has no ranks, or the position is finished.

        >>> import zermelo
        >>> table = zermelo.solve("kalah", pits=3, seeds=2)
        >>> table.unrank(table.rank("0,3,3:1/2,2,0:1 second"))
        '2,2,0/0,3,3 first'
        """
        return self._ask(self._inner.rank, position)

    def unrank(self, rank: int) -> Any:
        """Return the canonical position with this rank, which may be unreachable."""
        rank = operator.index(rank)
        text = self._inner.unrank(rank) if 0 <= rank < 1 << 64 else None
        if text is None:
            raise IndexError(f"{self.name} has no position number {rank}")
        return self._class(text)

    @property
    def slots(self) -> int | None:
        """The number of ranks for :meth:`unrank`, or None if the game has no ranks."""
        return self._inner.slots()

    def export(
        self,
        folder: str | PathLike[str],
        *,
        format: Literal["npy", "csv", "jsonl"] = "npy",
        move_scores: bool = False,
        sample: int | None = None,
        seed: int = 1,
        layers: Iterable[int] | None = None,
        memory: int | None = None,
        force: bool = False,
        progress: Progress = None,
    ) -> Export:
        """Write the entries to a directory, one shard per layer, as ``zermelo export`` does.

        This works for tables that don't fit in memory. A run that was stopped starts again. Of games
        of your own, only ``"csv"`` and ``"jsonl"`` can be written, and :meth:`to_parquet` works.
        Shards have no table, so :meth:`Labels.augment` refuses them.

        >>> import tempfile, zermelo
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     shards = zermelo.solve("kalah", pits=3, seeds=2).export(folder)
        ...     [labels.positions.shape for labels in shards][:2]
        [(9, 9), (36, 9)]
        """
        wanted, sample, seed = self._layers(layers), count("sample", sample), whole("seed", seed)
        memory = memory_of(memory)
        self._must_export(format)
        with telling(progress) as tell:
            self._inner.export(
                folder, format, move_scores, sample, seed, wanted, memory, force, tell
            )
        return Export(folder)

    def card(self) -> str:
        """Return a description of the table's labels in Markdown, for a dataset's README.

        >>> import zermelo
        >>> print(zermelo.solve("kalah", pits=3, seeds=2).card().splitlines()[0])
        # Exact scores of kalah(3,2)
        """
        layers = self.layers
        unit = "plies to the end, as WON - d for a win and d - WON for a loss; 0 for a draw"
        if not self._inner.counts_plies:
            unit = "points, seen from the side to move"
        columns = "".join(f"\n- `{column}`" for column in self._columns)
        return (
            f"# Exact scores of {self.name}\n\n"
            f"{len(self):,} classes of positions in {len(layers)} layers, with their scores under "
            f"best play. Symmetric positions are one class; `split` keeps them together.\n\n"
            f"- Rules: `{self.rules}`\n- Scores: {unit}\n"
            f"- Made by Zermelo {_zermelo.VERSION}; `zermelo.verify` proves the table from the rules\n"
            f"\n## Columns\n{columns}\n- `score`\n- `layer`\n"
            + "".join(f"- `score_of_{move}`, `is_best_{move}`\n" for move in self._moves)
        )

    def to_parquet(
        self,
        path: str | PathLike[str],
        *,
        layers: Iterable[int] | None = None,
        move_scores: bool = True,
        best: bool = True,
        texts: bool = False,
    ) -> int:
        """Write the entries to a Parquet file, block by block; return their number.

        It needs PyArrow. The columns are those of :meth:`Labels.to_dict`. This works for tables
        that don't fit in memory. The file appears when it is complete.
        """
        parquet = import_module("pyarrow.parquet")
        target = Path(path)
        draft = target.with_name(target.name + ".partial")
        writer, count = None, 0
        try:
            for block in self.blocks(
                layers=layers, move_scores=move_scores, best=best, texts=texts
            ):
                part = block.to_arrow()
                writer = writer or parquet.ParquetWriter(draft, part.schema)
                writer.write_table(part)
                count += len(block)
            if writer is not None:
                writer.close()
                draft.replace(target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        return count

    def verify(
        self,
        *,
        sample: int | None = None,
        seed: int = 1,
        memory: int | None = None,
        progress: Progress = None,
    ) -> Verdict:
        """Prove the table from the rules alone; or hold only ``sample`` random entries against their
        moves.

        >>> import zermelo
        >>> zermelo.solve("kalah", pits=3, seeds=2).verify()
        Verdict(verdict='proved', entries=1322, reason=None)
        """
        sample, seed, memory = count("sample", sample), whole("seed", seed), memory_of(memory)
        with telling(progress) as tell:
            told = self._inner.verify(sample, seed, memory, tell)
        return Verdict(told["verdict"], told.get("entries", 0), told.get("reason"))
