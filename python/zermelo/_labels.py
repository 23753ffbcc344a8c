"""What comes of a table: labels, exports of them, and verdicts."""

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

    #: The canonical positions, a row each; see ``columns``. None for a game without rows. Of a game
    #: of your own the numbers are ``int64``, of the others ``uint8``.
    positions: NDArray[Any] | None
    #: The score of each under best play, seen from the side to move.
    scores: NDArray[np.int16]
    #: How far the game has come in each: seeds or stones on the board. None for exported samples.
    layers: NDArray[np.uint32] | None
    #: The score of every move; ``NO_SCORE`` for those that are not legal.
    move_scores: NDArray[np.int16] | None
    #: Which moves are best.
    best: NDArray[np.bool_] | None
    #: The positions in the game's notation, if asked for.
    texts: list[Any] | None
    #: What the numbers of a row of ``positions`` are.
    columns: tuple[str, ...]
    #: What move each column of ``move_scores`` and ``best`` is of.
    moves: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True)
class Verdict:
    """What came of verifying a table; true unless it is refuted."""

    #: ``proved``, ``agrees`` (a part of it was looked at) or ``refuted``.
    verdict: Literal["proved", "agrees", "refuted"]
    #: How many entries were looked at.
    entries: int
    #: What is wrong, if it is refuted.
    reason: str | None

    def __bool__(self) -> bool:
        return self.verdict != "refuted"


class Export:
    """What ``zermelo export`` has written: a sequence of shards.

    Those of the format ``npy`` are mapped into memory and not read before they are looked at.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        #: What the manifest says.
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
