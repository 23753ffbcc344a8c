"""Data from tables: labels, their exports, and verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Labels:
    """Positions of a table with their exact scores, as arrays of equal length.

    >>> import zermelo
    >>> labels = zermelo.solve("kalah", pits=3, seeds=1).to_numpy()
    >>> labels.positions.shape, labels.scores.shape, labels.best.shape
    ((57, 9), (57,), (57, 3))
    """

    #: The canonical positions, one per row, with the numbers of ``columns``; None for a game
    #: without rows. The type is ``int64`` for a game of your own and ``uint8`` for others.
    positions: NDArray[Any] | None
    #: The scores under best play, seen from the side to move; ``WON - d`` is a win in ``d`` plies in
    #: games that count plies.
    scores: NDArray[np.int16]
    #: The layers: seeds or stones on the board. None for exported samples.
    layers: NDArray[np.uint32] | None
    #: The scores of all moves; ``NO_SCORE`` for moves that are not legal.
    move_scores: NDArray[np.int16] | None
    #: Whether each move is a best move.
    best: NDArray[np.bool_] | None
    #: The positions in the game's notation, if requested.
    texts: list[Any] | None
    #: The names of the columns of ``positions``.
    columns: tuple[str, ...]
    #: The moves of the columns of ``move_scores`` and ``best``.
    moves: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.scores)


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
            raise ValueError(f"these shards are {self.manifest['format']}, which are no arrays")
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
