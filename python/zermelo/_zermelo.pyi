"""The extension module, written in Rust."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MOST_MOVES",
    "NO_SCORE",
    "VERSION",
    "WON",
    "Explorer",
    "Oracle",
    "check_place",
    "command",
    "literals",
    "occupancy",
    "open",
    "order",
    "scorecard",
    "search",
    "solve",
    "solve_own",
    "suite",
    "suite_oracle",
    "values",
]

VERSION: str
MOST_MOVES: int
NO_SCORE: int
WON: int

_Tell: TypeAlias = Callable[[str, int, int | None, str], object]

def command(arguments: Sequence[str]) -> int: ...
def open(path: str | PathLike[str], mmap: bool) -> Oracle: ...
def search(
    family: str,
    values: dict[str, str],
    threads: int | None,
    memory: int | None,
    endgame: str | PathLike[str] | None,
) -> Oracle: ...
def solve(
    family: str,
    values: dict[str, str],
    out: str | PathLike[str] | None,
    force: bool,
    threads: int | None,
    memory: int | None,
    progress: _Tell | None,
) -> Oracle: ...
def solve_own(
    game: Any,
    say: dict[str, Callable[[Any], Any]],
    name: str,
    endless: bool,
    distance: bool,
    out: str | PathLike[str] | None,
    force: bool,
    max_positions: int | None,
    memory: int | None,
    progress: _Tell | None,
) -> Oracle: ...
def literals(texts: list[str], read: Callable[[str], Any]) -> list[Any]: ...
def suite(version: str) -> str: ...
def suite_oracle(version: str, game: str) -> Oracle: ...
def scorecard(
    version: str,
    split: str,
    ai: str,
    results: Sequence[tuple[Any, ...]],
    is_cut: bool,
) -> tuple[str, str]: ...
def order(
    first: NDArray[np.int64],
    children: NDArray[np.int32],
    gains: NDArray[np.int32],
    turns: NDArray[np.uint8],
) -> NDArray[np.uint32] | None: ...
def values(
    order: NDArray[np.uint32] | None,
    first: NDArray[np.int64],
    children: NDArray[np.int32],
    gains: NDArray[np.int32],
    turns: NDArray[np.uint8],
    one: NDArray[np.float64] | None,
    other: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def occupancy(
    order: NDArray[np.uint32] | None,
    first: NDArray[np.int64],
    children: NDArray[np.int32],
    gains: NDArray[np.int32],
    turns: NDArray[np.uint8],
    policy: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]: ...
def check_place(out: str | PathLike[str], force: bool) -> None: ...
@final
class Explorer:
    def __new__(
        cls,
        start: NDArray[np.int64],
        format_move: Callable[[int], str],
        endless: bool,
        distance: bool,
        max_positions: int | None,
        memory: int | None,
        about: str,
        squares: Any,
    ) -> Explorer: ...
    def __len__(self) -> int: ...
    def next(self, most: int) -> NDArray[np.int64]: ...
    def add(
        self,
        texts: list[str] | None,
        finished: NDArray[np.bool_],
        scores: NDArray[np.int64],
        decimals: int,
        sides: NDArray[np.int64] | None,
        children: NDArray[np.int64],
        parents: NDArray[np.int64],
        moves: NDArray[np.int64],
        pictures: list[Any] | None,
    ) -> None: ...
    def solve(
        self,
        name: str,
        out: str | PathLike[str] | None,
        force: bool,
        progress: _Tell | None,
    ) -> Oracle: ...
@final
class Oracle:
    @property
    def rules(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def rules_in_words(self) -> str: ...
    @property
    def is_table(self) -> bool: ...
    @property
    def counts_plies(self) -> bool: ...
    @property
    def decimals(self) -> int | None: ...
    @property
    def score_type(self) -> Literal["int16", "int32", "float64"]: ...
    @property
    def is_endless(self) -> bool: ...
    @property
    def has_start(self) -> bool: ...
    @property
    def path(self) -> str | None: ...
    @property
    def start(self) -> str: ...
    def shape(self) -> tuple[list[str], list[str]] | None: ...
    def entries(self) -> int: ...
    def layers(self) -> list[tuple[int, int]]: ...
    def board(self, position: str) -> str: ...
    def legal_moves(self, position: str) -> list[str]: ...
    def svg(self, position: str) -> str | None: ...
    def side(self, position: str) -> int: ...
    def score(self, position: str) -> int: ...
    def outcome(self, position: str) -> Literal["win", "draw", "loss"]: ...
    def margin(self, position: str) -> float | None: ...
    def distance(self, position: str) -> int | None: ...
    def moves(self, position: str) -> list[tuple[str, int]]: ...
    def line(self, position: str) -> list[str]: ...
    def choose(self, position: str, ai: str) -> str: ...
    def play(self, position: str, mv: str) -> str: ...
    def scores(
        self,
        positions: Sequence[str] | NDArray[np.uint8],
        of_moves: bool,
        missing: float | None = None,
    ) -> NDArray[Any]: ...
    def rows(self, positions: Sequence[str]) -> NDArray[np.uint8]: ...
    def texts(self, rows: NDArray[np.uint8]) -> list[str]: ...
    def searches(
        self,
        positions: list[str],
        methods: list[str] | None,
        depths: list[int],
        limit: float,
        memory: int,
        progress: _Tell | None,
    ) -> list[tuple[str, str, int | None, int | None, str | None, int, float]]: ...
    def canonical(self, position: str) -> tuple[str, int]: ...
    def symmetries(self, position: str) -> list[str]: ...
    def graph(
        self, by_class: bool, memory: int | None, progress: _Tell | None
    ) -> dict[str, Any]: ...
    def rank(self, position: str) -> int | None: ...
    def unrank(self, rank: int) -> str | None: ...
    def slots(self) -> int | None: ...
    def blocks(self, layers: Sequence[int] | None = None) -> list[int]: ...
    def block(
        self, number: int, layers: Sequence[int] | None, texts: bool, moves: bool, best: bool
    ) -> dict[str, Any]: ...
    def labels(
        self,
        sample: int | None,
        seed: int,
        layers: Sequence[int] | None,
        texts: bool,
        moves: bool,
        best: bool,
        memory: int | None,
        progress: _Tell | None,
    ) -> dict[str, Any]: ...
    def verify(
        self,
        sample: int | None,
        seed: int,
        memory: int | None,
        progress: _Tell | None,
    ) -> dict[str, Any]: ...
    def export(
        self,
        folder: str | PathLike[str],
        format: str,
        moves: bool,
        sample: int | None,
        seed: int,
        layers: Sequence[int] | None,
        memory: int | None,
        force: bool,
        progress: _Tell | None,
    ) -> str: ...
    def check(
        self,
        ai: str | Callable[[list[str]], Sequence[object]],
        options: dict[str, Any],
        progress: _Tell | None,
    ) -> tuple[str, str, BaseException | None]: ...
