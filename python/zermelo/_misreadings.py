"""Misunderstandings of the rules of a game in Python, which an AI's moves are compared with."""

from __future__ import annotations

from typing import Any

from ._rules import rules_of

#: The start of the solved game, from which every position of the table is one move away.
_START = "(any position)"


class _To(int):
    """A move from the start to a position, by its number."""


class Misread:
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
