"""Comparison of a game in Python with the explicit graph beside a table."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any

from . import _zermelo
from ._conformance import LONGEST, PLAYOUTS
from ._rules import Rules, lacks, rules_of, side_number, without_side
from ._symmetries import MoveMap, moved, same

#: The number of first positions at which a game is compared with a table opened with it.
COMPARED = 100


def must_be_of(inner: _zermelo.Oracle, game: Any, most: int | None = None) -> None:
    """Compare a game with a table at its first ``most`` positions and in some random games.

    With ``most=None`` all positions are compared, with all their images. Raise ``ValueError`` if the
    table is of another game.
    """
    lack = lacks(game)
    if lack is not None:
        raise TypeError(f"{game!r} is no game: {lack}")
    if inner.family != "listed":
        raise ValueError(f"this is a table of {inner.name}, and not of a game in Python")
    compared = _Compared(inner, game, with_images=most is None)
    left = [compared.start()]
    # Symmetric positions have one text in the table.
    seen = set(left)
    for position, text in left:
        for way in compared.look(position, text):
            if way not in seen and (most is None or len(left) < most):
                seen.add(way)
                left.append(way)
    chance = random.Random(1)
    for _ in range(PLAYOUTS):
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

    def __init__(self, inner: _zermelo.Oracle, game: Any, *, with_images: bool) -> None:
        self._inner, self._rules = inner, rules_of(game)
        with_images = with_images and self._rules.classes is not None
        self._images = _Images(self._rules) if with_images else None

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
            self._look_at_images(position)
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
        children = [
            (child, self._after(shown, text, name, there, child)) for name, there, child in steps
        ]
        self._look_at_images(position)
        return children

    def _look_at_images(self, position: Any) -> None:
        if self._images is not None:
            self._images.look(position)

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


@dataclass(frozen=True)
class _Looks:
    """The images of a position with the maps of moves to them, and the parts that all share."""

    images: dict[Any, MoveMap]
    canonical: Any
    side: Any
    score: Any
    #: The moves by name, with the canonical positions after them.
    after: dict[str, tuple[Any, Any]]


class _Images:
    """Compares all images of the positions of a game with each other."""

    def __init__(self, rules: Rules) -> None:
        assert rules.classes is not None
        self._rules, self._classes = rules, rules.classes
        self._seen: set[Any] = set()

    def look(self, position: Any) -> None:
        """Compare all positions of a class with each other, unless that is done."""
        if position in self._seen:
            return
        if not self._classes.has_images:
            canonical = self._classes.canonical(position)
            again = self._rules.show(self._classes.canonical(canonical))
            is_same = again == self._rules.show(canonical)
            self._must(position, canonical, is_same, f"its canonical position is {again}")
            return
        looks = {position: self._looks(position)}
        for image in looks[position].images:
            if image not in looks:
                try:
                    looks[image] = self._looks(image)
                except Exception as error:
                    said = f"{type(error).__name__}: {error}"
                    self._must(position, image, False, f"that is no position of the game: {said}")
        for one, other in permutations(looks, 2):
            self._compare(one, looks[one], other, looks[other])
        self._seen.update(looks)

    def _looks(self, position: Any) -> _Looks:
        rules, classes = self._rules, self._classes
        images, score = classes.images(position), rules.score(position)
        moves = rules.played(position) if score is None else []
        after = {rules.name(move): (move, classes.canonical(child)) for move, child in moves}
        side = side_number(rules.side(position)) if rules.has_sides else None
        return _Looks(images, classes.canonical(position), side, score, after)

    def _must(self, one: Any, other: Any, holds: bool, problem: str) -> None:
        """Raise ``ValueError`` unless a position and its image fit."""
        if not holds:
            show = self._rules.show
            raise ValueError(f"{show(one)} has the image {show(other)}, but {problem}")

    def _compare(self, one: Any, here: _Looks, other: Any, there: _Looks) -> None:
        """Compare a position with one of its images."""
        show, must = self._rules.show, partial(self._must, one, other)
        for image in {**here.images, **there.images}:
            must(image in there.images, f"symmetries({show(other)}) doesn't have {show(image)}")
            must(image in here.images, f"only symmetries({show(other)}) has {show(image)}")
        mine, its = show(here.canonical), show(there.canonical)
        must(here.canonical in here.images, f"symmetries({show(one)}) lacks the canonical position {mine}")
        must(here.canonical == there.canonical, f"its canonical position is {its} and not {mine}")
        must(here.side == there.side, f"its side is {there.side} and not {here.side}")
        must(here.score == there.score, f"its score is {there.score} and not {here.score}")
        self._compare_moves(one, here, other, there)

    def _compare_moves(self, one: Any, here: _Looks, other: Any, there: _Looks) -> None:
        """Compare the moves of a position with those of an image, to which the map leads."""
        show, must = self._rules.show, partial(self._must, one, other)
        came: set[str] = set()
        for name, (move, after) in here.after.items():
            try:
                at = self._rules.name(moved(here.images[other], move))
            except Exception as error:
                must(False, f"the move {name} isn't mapped to one of it: {type(error).__name__}: {error}")
            must(
                at in there.after,
                f"its moves {[*there.after]} don't have {at}, to which {name} is mapped",
            )
            must(at not in came, f"two moves are mapped to its move {at}")
            came.add(at)
            same_after = there.after[at][1]
            must(
                same_after == after,
                f"{name} leads to the class of {show(after)} and its image {at} to that of "
                f"{show(same_after)}",
            )
        must(len(came) == len(there.after), f"it has {len(there.after)} moves, and not {len(came)}")
