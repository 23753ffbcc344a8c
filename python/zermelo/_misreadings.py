"""Misunderstandings of the rules of a game in Python, which an AI's moves are compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _zermelo
from ._rules import lacks, rules_of

if TYPE_CHECKING:
    from ._own import OwnOracle

#: The most positions of a table for which misread rules are solved.
MOST = _zermelo.MOST_MOVES
#: The most positions of misread rules.
MOST_MISREAD = 1_000_000

#: The start of the solved game, from which every position of the table is one move away.
_START = "(any position)"


class _To(int):
    """A move from the start to a position, by its number."""


class _Misread:
    """Misread rules from all positions of a table on."""

    name = "misread"

    def __init__(self, game: Any, positions: list[Any]) -> None:
        self._rules, self._positions = rules_of(game), positions
        self.endless = "draw" if self._rules.is_endless else None
        self.distance = self._rules.counts_plies
        if self._rules.has_sides:
            self.side = lambda p: 0 if p == _START else self._rules.side(p)

    def start(self) -> Any:
        return _START

    def score(self, position: Any) -> Any:
        return None if position == _START else self._rules.score(position)

    def moves(self, position: Any) -> list[Any]:
        if position == _START:
            return [_To(number) for number in range(len(self._positions))]
        return self._rules.moves(position)

    def play(self, position: Any, move: Any) -> Any:
        return self._positions[move] if isinstance(move, _To) else self._rules.play(position, move)

    def format(self, position: Any) -> str:
        return _START if position == _START else self._rules.write(position)

    def format_move(self, move: Any) -> str:
        return f"to {int(move)}" if isinstance(move, _To) else self._rules.name(move)


def solved(table: OwnOracle, game: Any) -> list[tuple[str, dict[str, list[str]]]]:
    """Return the sentences of a game's misreadings, and their best moves by position."""
    from ._own import solve_own

    misreadings = list(game.misreadings()) if hasattr(game, "misreadings") else []
    if not misreadings or len(table) > MOST:
        return []
    rules = rules_of(game)
    texts = [table._key(table._say(position)) for position in table]
    positions = [rules.read(text) for text in texts]
    ends = ("",) if rules.has_sides else ("", " first", " second")
    found = []
    for sentence, other in misreadings:
        lack = lacks(other)
        if lack is not None:
            raise TypeError(f"misreadings() has {other!r}, which is no game: {lack}")
        misread = _Misread(other, positions)
        inner = solve_own(misread, None, False, MOST_MISREAD, None, None)._inner
        best: dict[str, list[str]] = {}
        for text in texts:
            moves = inner.moves(text)
            names = [name for name, score in moves if score == moves[0][1]]
            best.update((text + end, names) for end in ends)
        found.append((sentence, best))
    return found
