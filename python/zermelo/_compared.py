"""Comparison of a game in Python with the explicit graph beside a table."""

from __future__ import annotations

import random
from typing import Any

from . import _zermelo
from ._conformance import LONGEST, PLAYS
from ._rules import lacks, rules_of, side_number, without_side

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
    rules = rules_of(game)

    def written(text: str) -> str:
        return without_side(rules, text)

    def must(holds: bool, what: str) -> None:
        if not holds:
            raise ValueError(f"the rules differ from the table's: {what}")

    def look(position: Any, text: str) -> list[tuple[Any, str]]:
        """Compare one position, and return its children with their texts in the table."""
        shown = written(text)
        score = rules.score(position)
        if rules.has_sides:
            side = side_number(rules.side(position))
            found = inner.side(text)
            must(found == side, f"{shown} has the side {found} in the table and {side} in your game")
        names = [name for name, _ in inner.moves(text)]
        if score is not None:
            must(not names, f"{shown} is finished in your game, but not in the table")
            found, expected = inner.score(text), score * _zermelo.WON if rules.counts_plies else score
            must(found == expected, f"{shown} scores {found} in the table and {expected} in your game")
            return []
        steps = rules.steps(position)
        here = sorted(name for name, _ in steps)
        must(
            here == sorted(names),
            f"{shown} has the moves {sorted(names)} in the table and {here} in your game",
        )
        children = []
        for name, child in steps:
            after, expected = inner.play(text, name), rules.write(child)
            must(
                written(after) == expected,
                f"the move {name} leads from {shown} to {written(after)} in the table and to {expected} "
                "in your game",
            )
            passes = rules.has_sides or inner.side(after) != inner.side(text)
            must(
                passes,
                f"the move {name} in {shown} passes the turn in your game, but not in the table",
            )
            children.append((child, after))
        return children

    start, expected = inner.start, rules.write(rules.start())
    must(
        written(start) == expected,
        f"the start is {written(start)} in the table and {expected} in your game",
    )
    left = [(rules.start(), start)]
    seen = {start}
    for position, text in left:
        for child, after in look(position, text):
            if after not in seen and (most is None or len(left) < most):
                seen.add(after)
                left.append((child, after))
    chance = random.Random(1)
    for _ in range(PLAYS):
        way, passed = left[0], set()
        for _ in range(LONGEST):
            children = look(*way)
            if not children or way[1] in passed:
                break
            passed.add(way[1])
            way = chance.choice(children)
