"""Comparison of a game in Python with the explicit graph beside a table."""

from __future__ import annotations

import random
from typing import Any

from . import _zermelo
from ._conformance import LONGEST, PLAYS
from ._rules import lacks, rules_of, side_number, without_side
from ._symmetries import MoveMap, moved, same

#: The number of first positions at which a game is compared with a table opened with it.
COMPARED = 100


def must_be_of(inner: _zermelo.Oracle, game: Any, most: int | None = None) -> None:
    """Compare a game with a table at its first ``most`` positions and in some random games.

    With ``most=None`` all positions are compared. Raise ``ValueError`` if the table is of another
    game.
    """
    lack = lacks(game)
    if lack is not None:
        raise TypeError(f"{game!r} is no game: {lack}")
    if inner.family != "listed":
        raise ValueError(f"this is a table of {inner.name}, and not of a game in Python")
    compared = _Compared(inner, game)
    left = [compared.start()]
    # Symmetric positions have one text in the table.
    seen = set(left)
    for position, text in left:
        for way in compared.look(position, text):
            if way not in seen and (most is None or len(left) < most):
                seen.add(way)
                left.append(way)
    chance = random.Random(1)
    for _ in range(PLAYS):
        way, passed = left[0], set()
        for _ in range(LONGEST):
            children = compared.look(*way)
            if not children or way in passed:
                break
            passed.add(way)
            way = chance.choice(children)


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"the rules differ from the table's: {what}")


class _Compared:
    """A game and a table. Positions have their text in the table, which is that of their class."""

    def __init__(self, inner: _zermelo.Oracle, game: Any) -> None:
        self._inner, self._rules = inner, rules_of(game)

    def _written(self, text: str) -> str:
        return without_side(self._rules, text)

    def _folded(self, position: Any) -> tuple[str, MoveMap]:
        """Return the text of the canonical position, and the map of moves to it."""
        classes = self._rules.classes
        canonical, to = (position, same) if classes is None else classes.fold(position)
        return self._rules.write(canonical), to

    def start(self) -> tuple[Any, str]:
        """Compare the start, and return it with its text in the table."""
        start, text = self._rules.start(), self._inner.start
        expected = self._folded(start)[0]
        _must(
            self._written(text) == expected,
            f"the start is {self._written(text)} in the table and {expected} in your game",
        )
        return start, text

    def look(self, position: Any, text: str) -> list[tuple[Any, str]]:
        """Compare one position, and return its children with their texts in the table."""
        inner, rules = self._inner, self._rules
        shown = rules.write(position)
        score = rules.score(position)
        if rules.has_sides:
            side = side_number(rules.side(position))
            found = inner.side(text)
            _must(found == side, f"{shown} has the side {found} in the table and {side} in your game")
        names = [name for name, _ in inner.moves(text)]
        if score is not None:
            _must(not names, f"{shown} is finished in your game, but not in the table")
            stored: float = inner.score(text)
            if rules.counts_plies:
                stored = stored / _zermelo.WON / 10 ** (inner.decimals or 0)
            _must(stored == score, f"{shown} scores {stored} in the table and {score} in your game")
            return []
        to = self._folded(position)[1]
        steps = [
            (rules.name(move), rules.name(moved(to, move)), child)
            for move, child in rules.played(position)
        ]
        here = sorted(there for _, there, _ in steps)
        _must(
            here == sorted(names),
            f"{shown} has the moves {sorted(names)} in the table and {here} in your game",
        )
        return [
            (child, self._after(shown, text, name, there, child)) for name, there, child in steps
        ]

    def _after(self, shown: str, text: str, name: str, there: str, child: Any) -> str:
        """Compare one move, and return the child's text in the table."""
        inner, written = self._inner, self._written
        after, expected = inner.play(text, there), self._folded(child)[0]
        is_other = written(after) == self._rules.write(child)
        _must(
            written(after) == expected,
            f"the move {name} leads from {shown} to {written(after)} in the table and to {expected} "
            f"in your game{', whose symmetries the table does not have' if is_other else ''}",
        )
        _must(
            self._rules.has_sides or inner.side(after) != inner.side(text),
            f"the move {name} in {shown} passes the turn in your game, but not in the table",
        )
        return after
