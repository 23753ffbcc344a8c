"""Exact scores of single positions of a game in Python, by solving what follows them."""

from __future__ import annotations

from typing import Any

from ._arguments import whole
from ._oracle import Oracle, Outcome
from ._own import From, solve_own
from ._rules import name_of


class OwnSearch:
    """Answers about positions of a game too large to solve, if what follows them is small enough.

    The positions that can follow the one that is asked about are explored and solved; questions
    about any of them are then answered at once.

    >>> import zermelo
    >>> class Nim:
    ...     def start(self): return (40, 50, 60)
    ...     def moves(self, p): return [(i, left) for i, most in enumerate(p) for left in range(most)]
    ...     def play(self, p, m): return (*p[:m[0]], m[1], *p[m[0] + 1:])
    ...     def score(self, p): return None if any(p) else -1
    >>> game = zermelo.search(Nim())
    >>> game.score((3, 4, 5)), game.best_moves((3, 4, 5))
    (1, [(0, 1)])
    """

    def __init__(self, game: Any, max_positions: int, memory: int | None) -> None:
        self._game, self._memory = game, memory
        self._limit = whole("max_positions", max_positions, 1)
        self._table: Oracle | None = None

    def __getstate__(self) -> dict[str, Any]:
        # Another process begins anew.
        return {**self.__dict__, "_table": None}

    def __repr__(self) -> str:
        return f"<zermelo.OwnSearch {name_of(self._game)}, up to {self._limit:,} positions>"

    def table(self, position: Any) -> Oracle:
        """Return the table of everything that can follow a position.

        Raise ``SolveError`` if that are more than ``max_positions`` positions.
        """
        if self._table is None or position not in self._table:
            self._table = solve_own(
                From(self._game, position),
                out=None,
                force=False,
                max_positions=self._limit,
                memory=self._memory,
                progress=None,
            )
        return self._table

    def score(self, position: Any) -> int:
        """Return the exact score of a position, finished or not, seen from its side to move."""
        return self.table(position).score(position)

    def outcome(self, position: Any) -> Outcome:
        """Return ``win``, ``draw`` or ``loss`` for the side to move."""
        return self.table(position).outcome(position)

    def distance(self, position: Any) -> int | None:
        """Return the plies to the end, in games that count plies."""
        return self.table(position).distance(position)

    def moves(self, position: Any) -> list[tuple[Any, int]]:
        """Return every legal move with its score, best first."""
        return self.table(position).moves(position)

    def best_moves(self, position: Any) -> list[Any]:
        """Return all best moves."""
        return self.table(position).best_moves(position)

    def line(self, position: Any) -> list[Any]:
        """Return a line of best play."""
        return self.table(position).line(position)
