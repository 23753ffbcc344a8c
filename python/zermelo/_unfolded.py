"""A table of classes of symmetric positions that answers for every position of a game in Python."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _zermelo
from ._errors import NotInTable
from ._labels import no_score
from ._progress import Tell
from ._rules import Rules, squares_of, without_side
from ._symmetries import MoveMap, Wrapped, moved


@dataclass(frozen=True)
class _Place:
    """A position, and where the list has its class."""

    #: The game's own position.
    position: Any
    #: The map of its moves to those of the canonical position.
    to: MoveMap
    #: The text of the canonical position, with the side to move if the position's text has it.
    text: str
    #: The end of the text that names the side to move, or an empty text.
    side: str


class Unfolded:
    """A table of classes, with the methods of one that lists every position.

    Positions and moves are texts and names, as in ``_zermelo.Oracle``. What isn't about single
    positions, such as blocks and labels, is about canonical ones.
    """

    def __init__(
        self, listed: _zermelo.Oracle, rules: Rules, solve: Callable[[Tell], Any]
    ) -> None:
        assert rules.classes is not None
        #: The table of classes.
        self.listed = listed
        self._rules, self._classes, self._solve = rules, rules.classes, solve
        self._solved: Any = None

    def __getattr__(self, name: str) -> Any:
        if name == "listed":
            # The object is still empty, in a copy.
            raise AttributeError(name)
        return getattr(self.listed, name)

    def all_positions(self, tell: Tell = None) -> Any:
        """Return the table of all positions, which is solved when it is first needed."""
        if self._solved is None:
            self._solved = self._solve(tell)
        return self._solved

    def _place(self, text: str) -> _Place:
        bare = without_side(self._rules, text)
        try:
            position = self._rules.read(bare)
            canonical, to = self._classes.fold(position)
            side = text[len(bare) :]
            return _Place(position, to, self._rules.write(canonical) + side, side)
        except Exception as error:
            raise NotInTable(text) from error

    def bare(self, text: str) -> str:
        """Return the text of a position without its side to move."""
        return without_side(self._rules, text)

    def _text(self, text: str) -> str:
        """Return the text of the canonical position."""
        return self._place(text).text

    def _names(self, place: _Place) -> dict[str, str]:
        """Return the names of a position's moves with those in the canonical position."""
        rules = self._rules
        listed = {name for name, _ in self.listed.moves(place.text)}
        if not listed:
            # The game is over.
            return {}
        names = {
            rules.name(move): rules.name(moved(place.to, move))
            for move in rules.moves(place.position)
        }
        if {*names.values()} != listed or len(names) != len(listed):
            raise ValueError(
                f"the symmetries differ from the table's: the moves at {rules.show(place.position)} "
                f"are mapped to {[*names.values()]}, but {place.text} has {sorted(listed)}"
            )
        return names

    def _back(self, place: _Place) -> dict[str, str]:
        """Return the names of the canonical position's moves with those in the position."""
        return {there: name for name, there in self._names(place).items()}

    @property
    def start(self) -> str:
        return str(self._rules.write(self._rules.start()))

    def side(self, text: str) -> int:
        return self.listed.side(self._text(text))

    def score(self, text: str) -> int:
        return self.listed.score(self._text(text))

    def outcome(self, text: str) -> Any:
        return self.listed.outcome(self._text(text))

    def margin(self, text: str) -> float | None:
        return self.listed.margin(self._text(text))

    def distance(self, text: str) -> int | None:
        return self.listed.distance(self._text(text))

    def rank(self, text: str) -> int | None:
        return self.listed.rank(self._text(text))

    def canonical(self, text: str) -> tuple[str, int]:
        return self.listed.canonical(self._text(text))

    def moves(self, text: str) -> list[tuple[str, int]]:
        place = self._place(text)
        scores = dict(self.listed.moves(place.text))
        moves = [(name, scores[there]) for name, there in self._names(place).items()]
        return sorted(moves, key=lambda move: -move[1])

    def choose(self, text: str, ai: str) -> str:
        place = self._place(text)
        return self._back(place)[self.listed.choose(place.text, ai)]

    def play(self, text: str, name: str) -> str:
        place = self._place(text)
        names = self._names(place)
        if name not in names:
            legal = f"the legal moves are {', '.join(names)}" if names else "the game is over"
            raise ValueError(f'the move "{name}" is not legal in "{text}": {legal}')
        own = {self._rules.name(move): move for move in self._rules.moves(place.position)}
        child = self._rules.write(self._rules.play(place.position, own[name]))
        after = self.listed.play(place.text, names[name])
        side = after[len(without_side(self._rules, after)) :]
        if self._text(child) + side != after:
            raise ValueError(
                f"the symmetries differ from the table's: the move {name} leads from {text} to "
                f"{child}, whose canonical position is {self._text(child)} and not {after}"
            )
        return f"{child}{side}"

    def line(self, text: str) -> list[str]:
        names = []
        for name in self.listed.line(self._text(text)):
            names.append(self._back(self._place(text))[name])
            text = self.play(text, names[-1])
        return names

    def board(self, text: str) -> str:
        there = self._text(text)
        return self.listed.board(there).replace(there, text)

    def svg(self, text: str) -> str | None:
        place = self._place(text)
        drawn = self.listed.svg(place.text)
        if drawn is None or place.text == text:
            return drawn
        still = _Still(self._rules.game, place.position, self.side(text))
        say = {
            "write": lambda position: text if position is place.position else str(position),
            "literals": False,
            "name": str,
            "look": lambda position: None,
            "images": None,
            "about": "",
            "squares": squares_of(still),
        }
        plies = self._rules.counts_plies
        one = _zermelo.solve_own(still, say, "still", False, plies, None, False, None, None, None)
        return one.svg(text)

    def scores(
        self, texts: list[str], of_moves: bool, missing: float | None = None
    ) -> NDArray[Any]:
        places: list[_Place | None] = []
        for text in texts:
            try:
                places.append(self._place(text))
            except NotInTable:
                places.append(None)
        there = [text if place is None else place.text for text, place in zip(texts, places)]
        scores = self.listed.scores(there, of_moves, missing)
        if not of_moves:
            return scores
        shape = self.listed.shape()
        columns = {name: column for column, name in enumerate(shape[1] if shape else [])}
        own = np.full_like(scores, no_score(scores))
        for row, place in enumerate(places):
            if place is None or (missing is not None and (scores[row] == missing).all()):
                own[row] = scores[row]
                continue
            for name, name_there in self._names(place).items():
                if name not in columns:
                    raise ValueError(
                        f"no column has the name of the move {name} at {texts[row]}, since canonical() "
                        "doesn't tell the images of positions: define symmetries(), too"
                    )
                own[row, columns[name]] = scores[row, columns[name_there]]
        return own

    def symmetries(self, text: str) -> list[str]:
        place = self._place(text)
        # It raises an exception if the table doesn't have it.
        self.listed.board(place.text)
        if self._classes.has_images:
            images = [*map(self._rules.write, self._classes.images(place.position))]
        else:
            bare, there = (without_side(self._rules, one) for one in (text, place.text))
            images = [*dict.fromkeys([bare, there, *self._members.get(there, [])])]
        return [f"{image}{place.side}" for image in images]

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        """The texts of the unfinished positions of each class, by that of the canonical one."""
        members: dict[str, list[str]] = {}
        for position in self.all_positions():
            there = self._rules.write(self._classes.canonical(position))
            members.setdefault(there, []).append(self._rules.write(position))
        return members

    def searches(self, texts: list[str], *how: Any) -> list[tuple[Any, ...]]:
        return [row for text in texts for row in self._searches(text, how)]

    def _searches(self, text: str, how: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        place = self._place(text)
        back = self._back(place)
        for _, method, depth, value, best, *rest in self.listed.searches([place.text], *how):
            yield (text, method, depth, value, back.get(best or "", best), *rest)

    def graph(self, by_class: bool, memory: int | None, tell: Tell) -> dict[str, Any]:
        if by_class:
            return self.listed.graph(True, memory, tell)
        inner: _zermelo.Oracle = self.all_positions(tell)._inner
        return inner.graph(False, memory, tell)


class Everything:
    """A table of all positions, whose checks count the classes of the table of classes."""

    def __init__(self, inner: _zermelo.Oracle, unfolded: Unfolded) -> None:
        self._inner, self._unfolded = inner, unfolded

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def check(self, asked: Any, options: dict[str, Any], tell: Tell) -> tuple[str, str, Any]:
        text, page, ended_by = self._inner.check(asked, options, tell)
        report = json.loads(text)
        all_positions, classes = f"{report['classes']:,}", self._unfolded.entries()
        coverage = report["coverage"]
        # To the table of all positions, each one is a class.
        report["coverage"] = coverage.replace(
            f"({all_positions} classes)", f"({classes:,} classes)"
        ).replace(f"uniform over {all_positions} classes", f"uniform over {all_positions} positions")
        page = page.replace(coverage, report["coverage"])
        page = page.replace("over all classes", "over all positions")
        report["classes"] = classes
        report["worst"] = self._by_class(report, asked)
        return json.dumps(report), page, ended_by

    def _by_class(self, report: dict[str, Any], asked: Any) -> list[dict[str, Any]]:
        """Return the first of the worst mistakes in each class, with the numbers of equivalent ones."""
        unfolded, positions = self._unfolded, report["mistake_positions"]
        mistakes = None if positions is None else Counter(positions)
        answers: dict[str, str] = getattr(asked, "answers", {})
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for one in report["worst"]:
            text = one["position"]
            one["class"] = unfolded.canonical(text)[0]
            key = one["class"], one["target"], one["after"]
            if key in found:
                continue
            found[key] = one
            after, number = dict(self._inner.moves(text))[one["move"]], 0
            for image in unfolded.symmetries(text):
                if image == text:
                    move = one["move"]
                elif mistakes is not None and image not in mistakes:
                    continue
                elif isinstance(asked, str):
                    move = self._inner.choose(image, asked)
                else:
                    move = answers.get(unfolded.bare(image))
                if dict(self._inner.moves(image)).get(move) == after:
                    number += 1 if mistakes is None else mistakes[image]
            one["equivalent"] = max(number, 1)
        return [*found.values()]


class _Still(Wrapped):
    """A game of two moves, to a position and on from it: for its picture."""

    _START, _END = "(start)", "(end)"

    def __init__(self, game: Any, position: Any, side: int) -> None:
        super().__init__(game)
        self._position, self._side = position, side

    def start(self) -> Any:
        return self._START

    def side(self, position: Any) -> int:
        return self._side if position is self._position else 0

    def moves(self, position: Any) -> list[int]:
        return [0]

    def play(self, position: Any, move: int) -> Any:
        return self._END if position is self._position else self._position

    def score(self, position: Any) -> Any:
        if position is self._position:
            return self._wrapped.score(position)
        return 0 if position is self._END else None

    def picture(self, position: Any) -> Any:
        return self._wrapped.picture(self._position)
