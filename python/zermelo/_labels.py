"""Data from tables: labels, their exports, and verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from html import escape
from importlib import import_module
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._zermelo import WON


def axes_of(ax: Any) -> Any:
    """Return the axes of matplotlib to draw on."""
    return import_module("matplotlib.pyplot").subplots()[1] if ax is None else ax


def no_score(scores: NDArray[Any]) -> Any:
    """Return the number for illegal moves in an array of scores, below every score."""
    return -np.inf if scores.dtype.kind == "f" else np.iinfo(scores.dtype).min


@dataclass(frozen=True, eq=False)
class Labels:
    """Positions of a table with their exact scores, as arrays of equal length.

    >>> import zermelo
    >>> labels = zermelo.solve("kalah", pits=3, seeds=1).to_numpy()
    >>> labels.positions.shape, labels.scores.shape, labels.best.shape
    ((57, 9), (57,), (57, 3))
    """

    #: The canonical positions, one per row, with the numbers of ``columns``; None for a game
    #: without rows. The type is ``uint8``, ``int64`` for a game of your own on arrays, or that of the
    #: numbers that your game's ``rows(p)`` returns.
    positions: NDArray[Any] | None
    #: The scores under best play, seen from the side to move; ``WON - d`` is a win in ``d`` plies in
    #: games that count plies. The type is that of :meth:`Oracle.scores`.
    scores: NDArray[Any]
    #: The layers: seeds or stones on the board. None for exported samples.
    layers: NDArray[np.uint32] | None
    #: The scores of all moves; ``NO_SCORE`` for moves that are not legal.
    move_scores: NDArray[Any] | None
    #: Whether each move is a best move.
    best: NDArray[np.bool_] | None
    #: The positions in the game's notation, if requested.
    texts: list[Any] | None
    #: The names of the columns of ``positions``.
    columns: tuple[str, ...]
    #: The moves of the columns of ``move_scores`` and ``best``.
    moves: tuple[str, ...]
    #: A number for each position's class, the same for symmetric positions; None if each position
    #: is that of its class, as in a table.
    classes: NDArray[np.int64] | None = None
    #: Whether the game counts plies.
    counts_plies: bool = False
    #: Labels the images of positions, for :meth:`augment`.
    _images: Callable[[Labels], Labels] | None = None
    #: Finds the moves of the columns as a game of your own has them.
    _own_moves: Callable[[], tuple[Any, ...]] | None = None

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        columns = f"{len(self.columns)} columns" if self.positions is not None else "no columns"
        scores = f"scores {self.scores.min()} to {self.scores.max()}" if len(self) else "no scores"
        return f"<zermelo.Labels of {len(self):,} positions: {columns}, {len(self.moves):,} moves, {scores}>"

    def __getstate__(self) -> dict[str, Any]:
        # A table in memory would be solved again.
        inner = getattr(getattr(self._images, "__self__", None), "_inner", None)
        is_in_file = inner is not None and inner.path is not None
        if is_in_file:
            return self.__dict__
        return {**self.__dict__, "_images": None, "_own_moves": partial(tuple, self.own_moves)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __getitem__(self, chosen: Any) -> Labels:
        """Return some of the entries: a slice, numbers, or an array of booleans.

        >>> import zermelo
        >>> labels = zermelo.solve("tictactoe").to_numpy()
        >>> len(labels[:5]), len(labels[labels.scores > 0])
        (5, 390)
        """
        numbers = np.atleast_1d(np.arange(len(self))[chosen])
        parts: dict[str, Any] = {}
        for one in fields(self):
            part = getattr(self, one.name)
            if isinstance(part, np.ndarray):
                parts[one.name] = part[numbers]
            elif isinstance(part, list):
                parts[one.name] = [part[number] for number in numbers]
        return replace(self, **parts)

    # More columns.

    @property
    def own_moves(self) -> tuple[Any, ...]:
        """The moves of the columns as a game of your own has them; ``moves`` are their names."""
        return self.moves if self._own_moves is None else self._own_moves()

    @property
    def best_count(self) -> NDArray[np.int64]:
        """The number of best moves of each position."""
        counts: NDArray[np.int64] = np.count_nonzero(self._needed("best"), axis=1)
        return counts

    @property
    def gap(self) -> NDArray[Any]:
        """How much worse the second-best move is, in score; 0 if several are best.

        ``NO_SCORE`` (-32768) for a position with a single legal move.
        """
        scores = self._needed("move_scores")
        none = no_score(scores)
        if scores.shape[1] == 1:
            return np.full(len(self), none, dtype=scores.dtype)
        second = np.partition(scores, -2, axis=1)[:, -2]
        return np.where(second == none, none, self.scores - second).astype(scores.dtype)

    @property
    def distances(self) -> NDArray[np.int16] | None:
        """The plies to the end, 0 for a draw; None in games that count points."""
        if not self.counts_plies:
            return None
        plies: NDArray[np.int16] = (-np.abs(self.scores) % WON).astype(np.int16)
        return plies

    def _needed(self, name: str) -> NDArray[Any]:
        part: NDArray[Any] | None = getattr(self, name)
        if part is None and not self.moves:
            raise ValueError("this game has no columns for its moves, for it has too many kinds of them")
        if part is None:
            raise ValueError(f"these labels are without {name}: ask for them with {name}=True")
        return part

    # Training and evaluation.

    def split(
        self, share: float, *, by: Literal["class", "entry"] = "class", seed: int = 1
    ) -> tuple[Labels, Labels]:
        """Split off a random ``share`` for evaluation; return the rest and that share.

        With ``by="class"``, the positions of a class all go to the same side. Otherwise a net is
        evaluated on positions whose symmetric twins or copies it was trained on. Raise ``ValueError``
        if one part would be empty.

        >>> import zermelo
        >>> labels = zermelo.solve("tictactoe").to_numpy().augment()
        >>> training, evaluation = labels.split(0.1)
        >>> set(training.classes.tolist()) & set(evaluation.classes.tolist())
        set()
        """
        if not isinstance(share, Real):
            raise TypeError(f"share is a number between 0 and 1, not {share!r}")
        if not 0 < share < 1:
            raise ValueError(f"share is a number between 0 and 1, not {share!r}")
        if by not in ("class", "entry"):
            raise ValueError(f'by is "class" or "entry", not {by!r}')
        of = np.arange(len(self)) if by == "entry" else self._class_numbers()
        count = int(of.max(initial=-1)) + 1
        apart = round(share * count)
        if not 0 < apart < count:
            kinds = "entries" if by == "entry" else "classes"
            raise ValueError(
                f"a share of {share!r} of {count:,} {kinds} rounds to {apart:,}, and one part would be empty: "
                "take another share, or more labels"
            )
        chosen = np.random.default_rng(seed).permutation(count)[:apart]
        is_apart = np.isin(of, chosen)
        return self[~is_apart], self[is_apart]

    def _class_numbers(self) -> NDArray[np.int64]:
        """The number of each entry's class, from 0; a class that was sampled twice has one."""
        if self.classes is not None:
            which: Any = self.classes
        elif self.positions is not None:
            which = np.ascontiguousarray(self.positions)
            which = which.view(f"V{which.dtype.itemsize * which.shape[1]}").ravel()
        else:
            which = np.array([str(text) for text in self.texts or []])
        return np.unique(which, return_inverse=True)[1].astype(np.int64)

    def augment(self) -> Labels:
        """Return all symmetric images of the positions, with their labels.

        ``classes`` tells which belong together. The images of a position come one after the other.
        Raise ``ValueError`` for a game of your own without symmetries, and for the shards of an
        export, which have no table. Warn if nothing is added.

        >>> import zermelo
        >>> table = zermelo.solve("tictactoe")
        >>> len(table.to_numpy()), len(table.to_numpy().augment())
        (627, 4520)
        """
        if self._images is None:
            raise ValueError(
                "labels of an export, or from a pickle of a table in memory, have no table for their images: "
                "augment those of to_numpy(), blocks() or sample()"
            )
        return self._images(self)

    # Other libraries.

    def to_dict(self) -> dict[str, Any]:
        """Return the labels as named columns, each an array of numbers or a list of strings."""
        columns: dict[str, Any] = {}
        if self.texts is not None:
            columns["position"] = [str(text) for text in self.texts]
        if self.positions is not None:
            columns |= {name: self.positions[:, at] for at, name in enumerate(self.columns)}
        columns["score"] = self.scores
        if self.layers is not None:
            columns["layer"] = self.layers
        if self.classes is not None:
            columns["class"] = self.classes
        if self.distances is not None:
            columns["distance"] = self.distances
        for name, part in (("score_of", self.move_scores), ("is_best", self.best)):
            if part is not None:
                columns |= {f"{name}_{move}": part[:, at] for at, move in enumerate(self.moves)}
        return columns

    def to_arrow(self) -> Any:
        """Return the labels as a table of PyArrow, which Hugging Face's ``Dataset`` takes."""
        columns = {
            name: np.ascontiguousarray(column) if isinstance(column, np.ndarray) else column
            for name, column in self.to_dict().items()
        }
        return import_module("pyarrow").table(columns)

    def to_pandas(self) -> Any:
        """Return the labels as a DataFrame of pandas."""
        return import_module("pandas").DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        """Return the labels as a DataFrame of Polars."""
        return import_module("polars").DataFrame(self.to_dict())

    # Plots, which need matplotlib.

    def plot(self, ax: Any = None) -> Any:
        """Draw how many positions have each score; return matplotlib's axes."""
        ax = axes_of(ax)
        scores, counts = np.unique(self.scores, return_counts=True)
        ax.bar(scores, counts)
        ax.set(xlabel="score for the side to move", ylabel="positions")
        return ax

    def plot_calibration(self, predicted: ArrayLike, ax: Any = None, bins: int = 20) -> Any:
        """Draw the mean exact score of positions against the score that a model predicts for them.

        A calibrated model's points lie on the diagonal. Return matplotlib's axes.
        """
        ax, values = axes_of(ax), np.asarray(predicted, dtype=np.float64)
        if values.shape != self.scores.shape:
            raise ValueError(f"there are {len(self):,} positions, but {values.shape} predictions")
        edges = np.quantile(values, np.linspace(0, 1, bins + 1))
        which = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, bins - 1)
        means = [
            (values[which == at].mean(), self.scores[which == at].mean())
            for at in np.unique(which)
        ]
        ax.plot([edges[0], edges[-1]], [edges[0], edges[-1]], color="gray", linewidth=1)
        ax.plot(*zip(*means), marker="o", linestyle="")
        ax.set(xlabel="predicted score", ylabel="exact score")
        return ax

    def _repr_html_(self) -> str:
        rows = self[:10].to_dict()
        head = "".join(f"<th>{escape(name)}</th>" for name in rows)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>"
            for row in zip(*rows.values())
        )
        return f"<p>{len(self):,} positions</p><table><tr>{head}</tr>{body}</table>"


@dataclass(frozen=True)
class Verdict:
    """The result of verifying a table; true unless it is ``refuted``."""

    #: ``proved``, ``sample-agrees`` (if only a part was checked) or ``refuted``.
    verdict: Literal["proved", "sample-agrees", "refuted"]
    #: The number of checked entries.
    entries: int
    #: What is wrong, if the table is refuted.
    reason: str | None

    def __bool__(self) -> bool:
        return self.verdict != "refuted"


class Export:
    """The output of ``zermelo export``: a sequence of shards.

    Shards of the format ``npy`` are mapped into memory and read only when they are used.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        #: The content of the manifest.
        self.manifest: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text())

    def __len__(self) -> int:
        return len(self.manifest["shards"])

    def __iter__(self) -> Iterator[Labels]:
        return (self[shard] for shard in range(len(self)))

    def __getitem__(self, shard: int) -> Labels:
        if self.manifest["format"] != "npy":
            raise ValueError(
                f"these shards are {self.manifest['format']}, which are no arrays: read them with "
                "another program, such as pandas, or export with format=\"npy\""
            )
        record = self.manifest["shards"][shard]
        arrays: dict[str, Any] = {
            file["holds"]: np.load(self.folder / file["name"], mmap_mode="r")
            for file in record["files"]
        }
        layer = record["layer"]
        return Labels(
            positions=arrays["positions"],
            scores=arrays["scores"],
            layers=None if layer is None else np.full(record["entries"], layer, dtype=np.uint32),
            move_scores=arrays.get("move_scores"),
            best=arrays["best"],
            texts=None,
            columns=tuple(self.manifest["columns"]),
            moves=tuple(self.manifest["moves"]),
        )
