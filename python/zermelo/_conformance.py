"""Checks that a game in Python fulfils the solver's assumptions."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ._arguments import whole
from ._errors import SolveError, placed
from ._rules import (
    RowRules,
    Rules,
    changed,
    lacks,
    name_of,
    no_position,
    read_only,
    repeated,
    rules_of,
    side_number,
    unhashable,
    whole_array,
    wrong_score,
    MOST_UNITS,
    decimal,
    wrong_side,
)
from ._symmetries import MoveMap, moved
from ._texts import plain


#: The most moves that are printed, of a random game or of a position.
_MOST_SHOWN = 40
#: The number of positions at which the children of all images are compared; later those of one.
_ALL_IMAGES = 30
#: The number of random games, and the most moves of each.
PLAYOUTS = 10
LONGEST = 10_000


def test_game(game: Any, *, limit: int = 1000) -> int:
    """Check the rules of a game for common mistakes.

    The checks cover the first positions and random games. :func:`zermelo.solve` runs them, too,
    before it explores a game.

    Return the number of checked positions, at most about ``limit``. Raise
    :class:`zermelo.SolveError` that names the mistake and the position. An exception of the game's
    methods is raised with a note that names the position.

    A score seen from the wrong side can't be detected. So the function prints a short random game
    and its winner.

    >>> import zermelo
    >>> class Careless:
    ...     def start(self): return [3]
    ...     def moves(self, heap): return [1]
    ...     def play(self, heap, taken): return [heap[0] - taken]
    ...     def score(self, heap): return -1 if heap == [0] else None
    >>> zermelo.test_game(Careless())
    Traceback (most recent call last):
    zermelo._errors.SolveError: positions can't be hashed (unhashable type: 'list'): use a tuple in
    place of a list or an array, or a frozen dataclass, at [3]
    """
    limit = whole("limit", limit, 1)
    lack = lacks(game)
    if lack is not None:
        raise SolveError(lack)
    test = tested(game, limit)
    print(*test.sample_game(), sep="\n")
    return len(test.known)


def tested(game: Any, limit: int = 1000) -> Test:
    """Check a game, and return the walk if it found no mistake."""
    if not re.fullmatch(r"[a-z0-9-]{1,60}", name_of(game)):
        raise SolveError(
            f"{name_of(game)!r} is no name for a game: a word of a-z, 0-9 and - is wanted, such as "
            "nim-3-4-5, of at most 60 letters"
        )
    rules = rules_of(game)
    test = Test(rules)
    test.walk(limit)
    if isinstance(rules, RowRules):
        _test_together(rules, list(test.known))
    return test


# Prevents pytest from collecting the function as a test.
test_game.__test__ = False  # type: ignore[attr-defined]


def _shown(value: Any) -> str:
    """Return the text of a value, shortened if it is a long list."""
    if isinstance(value, list) and len(value) > _MOST_SHOWN:
        return f"[{', '.join(map(repr, value[:_MOST_SHOWN]))}, ...]"
    return repr(value)


class Test:
    """A walk through a game that looks for mistakes."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        #: The checked positions, each with the names of its moves and the children.
        self.known: dict[Any, list[tuple[str, Any]]] = {}
        #: What was found of a game that seems to be endless, or None.
        self.endless: str | None = None
        #: That the start is finished, or None.
        self.finished: str | None = None
        self._said: dict[Any, tuple[float | None, Any]] = {}
        self._texts: dict[str, Any] = {}
        self._names: dict[str, Any] = {}
        self._chance = random.Random(3)

    def walk(self, limit: int) -> None:
        """Visit the first positions, and random games to their ends."""
        rules = self.rules
        start = rules.start()
        with self._at(start):
            if start is None:
                raise no_position("start()")
            self._hash(start)
            score = self._score(start)
            if score is not None:
                self.finished = f"the start is finished, since {rules.call('score', start)} returned {score}"
            self._side(start)
            self._same(start, rules.start(), "start()", "it must always return the same position")
        self.look(start)
        level = [] if self.finished else [start]
        # One half is near the start, the other in random games.
        while level and len(self.known) < limit // 2:
            fresh: list[Any] = []
            for position in level[: limit // 2 - len(self.known)]:
                for _, child in self.look(position):
                    if child not in self.known:
                        fresh.append(child)
            level = fresh
        if level:
            chance = random.Random(1)
            shortest = LONGEST
            for _ in range(PLAYOUTS):
                playout = [position for position, _ in self._playout(chance)]
                shortest = min(shortest, len(playout) - 1)
                # All positions of a short game; of a long one a random part and its end.
                some = chance.sample(playout, min(len(playout), limit // PLAYOUTS))
                for position in [*some, *playout[-3:]]:
                    self.look(position)
            if shortest == LONGEST and not rules.is_endless:
                self.endless = f"a random game has not ended after {LONGEST:,} moves"
        self._look_again()
        if not rules.is_endless:
            self._look_for_cycles()

    def _look_again(self) -> None:
        """Check again in another order, to find answers that depend on earlier calls."""
        rules, chance = self.rules, random.Random(2)
        again = [*self.known.items()] * 3
        chance.shuffle(again)
        for position, steps in again:
            with self._at(position):
                score = self._score(position)
                now = [] if score is not None else rules.steps(position)
                same = {*steps} == {*now}
                self._must(
                    same and self._said[position] == (score, self._side(position)),
                    "asked again, after other positions, the rules give another score, side or move",
                    position,
                )

    def _playout(self, chance: random.Random) -> list[tuple[Any, str]]:
        """Play a random game of at most `LONGEST` moves: positions, each with the move made."""
        position, way = self.rules.start(), {}
        for _ in range(LONGEST):
            with self._at(position):
                if self.rules.score(position) is not None:
                    break
                steps = self.rules.steps(position)
                self._must_move(steps, position)
            way[position], position = chance.choice(steps)
            self._hash(position)
            if position in way:
                # The search for cycles names it, unless play may be endless.
                break
        return [*way.items(), (position, "")]

    def sample_game(self) -> list[str]:
        """Return lines of text with the shortest of some random games and its winner."""
        if self.finished:
            return [f"{self.finished}: return None while the game goes on"]
        chance = random.Random(1)
        playouts = [self._playout(chance) for _ in range(PLAYOUTS)]
        game = min(playouts, key=lambda game: (self._score(game[-1][0]) is None, len(game)))
        end = game[-1][0]
        score = self._score(end)
        if score is None:
            return [f"a random game has not ended after {len(game) - 1:,} moves"]
        players, told = ("first", "second"), []
        for number, (position, name) in enumerate(game):
            side = number % 2 if (own := self._side(position)) is None else int(own)
            told.append(f"{players[side]}: {name}")
        if len(told) > _MOST_SHOWN:
            told[_MOST_SHOWN - 1 : -1] = ["..."]
        if score:
            winner = side if score > 0 else 1 - side
            result = f"the {players[winner]} player has won"
            if not self.rules.counts_plies:
                result += f" by {abs(score)}"
        else:
            result = "it is a draw"
        return [
            f"a random game: {', '.join(told[:-1])}",
            f"at its end, {self.rules.show(end)}, it would be the {players[side]} player's turn, and "
            f"the score is {score}: {result}",
        ]

    @contextmanager
    def _at(self, position: Any) -> Iterator[None]:
        """Add the position to exceptions that are raised in it."""
        try:
            yield
        except Exception as error:
            if not isinstance(error, SolveError):
                error.add_note(f"in the position {self.rules.show(position)}")
            elif not error._names_position:
                raise placed(f"{error}, at {self.rules.show(position)}") from None
            raise

    def _must(self, holds: bool, problem: str, *position: Any) -> None:
        """Raise an error with the position, if the problem doesn't name it."""
        if not holds:
            raise placed(", at ".join([problem, *map(self.rules.show, position)]))

    def _must_move(self, moves: Any, position: Any) -> None:
        if not moves:
            raise self.rules.stuck(position)

    def _must_repeat(self, one: Any, other: Any, call: str) -> None:
        """Check that a call returned the same value twice."""
        self._must(
            one == other,
            f"{call} returned {_shown(one)}, then {_shown(other)}: it must depend only on its "
            "argument",
        )

    def _same(self, one: Any, other: Any, call: str, wanted: str) -> None:
        """Check that a call returned the same position twice."""
        show = self.rules.show
        try:
            are_equal = bool(one == other)
        except ValueError as error:
            raise placed(f"positions can't be compared: {error}, at {show(one)}") from None
        if getattr(type(one), "__eq__", None) is object.__eq__:
            wanted = "define __eq__ and __hash__, or use a tuple"
        self._must(are_equal, f"{call} returned {show(one)}, then {show(other)}: {wanted}")
        self._must(
            self._hash(one) == self._hash(other),
            f"{call} returned {show(one)} twice, with different hashes: define __hash__ so that equal "
            "positions have equal hashes",
        )

    def _hash(self, position: Any) -> int:
        try:
            return hash(position)
        except TypeError as error:
            raise unhashable(self.rules.show(position), error) from None

    def look(self, position: Any) -> list[tuple[str, Any]]:
        """Check everything in one position, and return its moves."""
        self._hash(position)
        if position in self.known:
            return self.known[position]
        with self._at(position):
            score = self._score(position)
            self._text(position)
            self._side(position)
            steps = [] if score is not None else self._steps(position)
            if self.rules.classes is not None:
                self._images(position, score)
        self.known[position] = steps
        self._said[position] = (score, self._side(position))
        return steps

    def _score(self, position: Any) -> float | None:
        scores, call = [self.rules.score(position) for _ in range(2)], self.rules.call("score", position)
        for score in scores:
            if score is not None:
                units, decimals = decimal(call, score)
                if abs(units) > MOST_UNITS // (1000 if self.rules.counts_plies else 1):
                    raise wrong_score(call, score)
        first, second = scores
        self._must_repeat(first, second, call)
        return None if first is None else units / 10**decimals if decimals else units

    def _text(self, position: Any) -> None:
        rules, show = self.rules, self.rules.show
        text = rules.write(position)
        is_line = isinstance(text, str) and text.strip() == text != "" and text.isprintable()
        self._must(
            is_line,
            f"it is written {text!r}: one line of letters is wanted, without spaces at its ends",
            position,
        )
        self._must(
            rules.has_sides or not text.endswith((" first", " second")),
            f"it is written {text!r}: in a game without side(), \" first\" and \" second\" at the end "
            "name the player to move",
            position,
        )
        other = self._texts.setdefault(text, position)
        self._must(
            other == position,
            f"positions {show(position)} and {show(other)} have the same text {text!r}: "
            f"{'format' if hasattr(rules.game, 'format') else 'repr'}() must tell them apart",
        )
        self._must_repeat(text, rules.write(position), rules.call("format", position))
        has_parse = hasattr(rules.game, "parse") or not hasattr(rules.game, "format")
        if not has_parse and rules.classes is None:
            # Only the game could read the text, and it has no method for that.
            return
        try:
            back = rules.read(text)
        except Exception as error:
            raise placed(
                f"a position is written {text!r}, which can't be read back ({error}): give the game "
                "format() and parse(), or make its positions of numbers, strings, tuples, frozen sets and "
                f"dataclasses, at {show(position)}"
            ) from error
        self._must(
            bool(back == position),
            f"the text {text!r} is read back as {show(back)}: parse() must return the position that "
            "format() was called with",
            position,
        )
        self._must(hash(back) == hash(position), f"{text!r} is read back with another hash", position)

    def _side(self, position: Any) -> Any:
        if not self.rules.has_sides:
            return None
        sides, call = [self.rules.side(position) for _ in range(2)], self.rules.call("side", position)
        for side in sides:
            is_side = side in ("first", "second") if isinstance(side, str) else plain(side) in (0, 1)
            if not is_side:
                raise wrong_side(call, side)
        self._must_repeat(sides[0], sides[1], call)
        return side_number(sides[0])

    def _steps(self, position: Any) -> list[tuple[str, Any]]:
        rules = self.rules
        before, shown = hash(position), rules.show(position)
        played, again = rules.played(position), rules.played(position)
        if hash(position) != before:
            raise changed(shown)
        self._must_move(played, position)
        steps = [(rules.name(move), child) for move, child in played]
        names = [name for name, _ in steps]
        for name in names:
            self._must(
                isinstance(name, str) and name.strip() == name != "" and name.isprintable(),
                f"a move is called {name!r}: one line of letters is wanted, without spaces at its "
                "ends",
                position,
            )
            self._must(
                not re.search(r" object at 0x[0-9a-f]+>", name),
                f"a move is called {name}: the game needs format_move()",
                position,
            )
        twice = [name for name, times in Counter(names).items() if times > 1]
        self._must(not twice, f"two moves are called {', '.join(twice[:1])}", position)
        # The moves must have the same number and children, in any order.
        names_again = [rules.name(move) for move, _ in again]
        if sorted(names) != sorted(names_again):
            first, second = ([move for move, _ in part] for part in (played, again))
            if _shown(first) == _shown(second):
                first, second = names, names_again
            self._must_repeat(first, second, rules.call("moves", position))
        others = dict(zip(names_again, again))
        for name, (move, child) in zip(names, played, strict=True):
            call = rules.play_call(position, move)
            self._same(child, others[name][1], call, "it must depend only on its arguments")
            self._must(
                rules.is_endless or child != position,
                f"{call} returned the same position: no position may repeat without endless = \"draw\"",
            )
        return steps

    def _images(self, position: Any, score: float | None) -> None:
        """Check that the images of a position are like it, and so are their children."""
        classes, show = self.rules.classes, self.rules.show
        assert classes is not None
        images: dict[Any, MoveMap] = {}
        if classes.has_images:
            images, again = classes.images(position), classes.images(position)
            call = self.rules.call("symmetries", position)
            self._must_repeat([*map(show, images)], [*map(show, again)], call)
        canonical, to = classes.fold(position)
        pairs = [(image, to) for image, to in images.items() if image != position]
        if classes.has_canonical:
            self._must(
                canonical in images or not images,
                f"canonical() returned {show(canonical)}, which symmetries() doesn't have",
                position,
            )
            pairs += [(canonical, to)] if canonical != position else []
        compared = range(len(pairs))
        if len(self.known) >= _ALL_IMAGES and pairs:
            some = self._chance.randrange(len(pairs))
            compared = range(some, some + 1)
        for number, (image, to) in enumerate(pairs):
            must = partial(self._must_be_like, position, image)
            self._hash(image)
            if classes.has_images:
                theirs = classes.images(image)
                for one in images:
                    must(one in theirs, f"symmetries({show(image)}) doesn't have {show(one)}")
                for one in theirs:
                    must(one in images, f"only symmetries({show(image)}) has {show(one)}")
            there = classes.canonical(image)
            must(
                there == canonical,
                f"its canonical position is {show(there)} and not {show(canonical)}",
            )
            here, other = self._side(position), self._side(image)
            must(other == here, f"its side is {other} and not {here}")
            other = self._score(image)
            must(other == score, f"its score is {other} and not {score}")
            if score is None:
                self._moves_of_image(position, image, to, number in compared)

    def _must_be_like(self, position: Any, image: Any, holds: bool, problem: str) -> None:
        show = self.rules.show
        self._must(holds, f"{show(position)} has the image {show(image)}, but {problem}")

    def _moves_of_image(self, position: Any, image: Any, to: MoveMap, with_children: bool) -> None:
        """Check that the map of moves is one to one, and that symmetric moves lead to images."""
        rules, show, classes = self.rules, self.rules.show, self.rules.classes
        assert classes is not None
        must = partial(self._must_be_like, position, image)
        theirs = {rules.name(move): move for move in rules.moves(image)}
        came: dict[str, str] = {}
        for move in rules.moves(position):
            try:
                there = rules.name(moved(to, move))
            except Exception as error:
                error.add_note(f"for the move {move!r} and the image {show(image)}")
                raise
            name = rules.name(move)
            must(there in theirs, f"its moves {[*theirs]} don't have {there}, to which {name} is mapped")
            must(there not in came, f"both {came.get(there)} and {name} are mapped to its move {there}")
            came[there] = name
            if with_children:
                children = [rules.play(position, move), rules.play(image, theirs[there])]
                one, other = map(classes.canonical, children)
                must(
                    one == other,
                    f"{name} leads to {show(children[0])} and its image {there} to "
                    f"{show(children[1])}, which are not images: their canonical positions are "
                    f"{show(one)} and {show(other)}",
                )
        missing = [name for name in theirs if name not in came]
        must(not missing, f"no move is mapped to its move {', '.join(missing[:1])}")

    def _look_for_cycles(self) -> None:
        """Check that no position repeats in a game."""
        done: set[Any] = set()
        for first in self.known:
            if first in done:
                continue
            way: dict[Any, str] = {first: ""}
            left = [(first, iter(self.known[first]))]
            while left:
                position, moves = left[-1]
                for name, child in moves:
                    way[position] = name
                    if child in way:
                        cycle = " -> ".join(self._shortest_cycle(child))
                        raise repeated(f"a position can come up twice in one game: {cycle}")
                    if child in self.known and child not in done:
                        way[child] = ""
                        left.append((child, iter(self.known[child])))
                        break
                else:
                    done.add(position)
                    del way[position]
                    left.pop()

    def _shortest_cycle(self, start: Any) -> list[str]:
        """Return a shortest way from a repeated position back to it, as texts."""
        show = self.rules.show
        came: dict[Any, tuple[Any, str]] = {}
        queue = [start]
        for position in queue:
            if start in came:
                break
            for name, child in self.known.get(position, []):
                if child not in came:
                    came[child] = (position, name)
                    queue.append(child)
        told, position = [show(start)], start
        while len(told) == 1 or position != start:
            position, name = came[position]
            told = [show(position), f"({name})", *told]
        return told if len(told) <= 19 else [*told[:9], "...", *told[-8:]]


def _test_together(rules: RowRules, positions: list[Any]) -> None:
    """Compare the answers for many rows at once with those for each row alone."""
    game, rows = rules.game, read_only(np.asarray(positions, dtype=np.int64))
    try:
        finished, scores = game.scores(rows)
        children, parents, moves = (whole_array(part, "what expand() gives") for part in game.expand(rows))
        sides = game.sides(rows) if rules.has_sides else None
    except Exception as error:
        error.add_note(f"with {len(rows)} positions, the first {rules.show(positions[0])}")
        raise
    for method, array in [("scores", finished), ("scores", scores), ("sides", sides)]:
        if array is not None and np.shape(array) != (len(rows),):
            raise SolveError(
                f"{method}() gives an array of the shape {np.shape(array)} for {len(rows)} positions"
            )
    if not len(children) == len(parents) == len(moves):
        raise SolveError(
            f"expand() gives {len(children)} children, {len(parents)} parents and {len(moves)} moves"
        )
    outside = (parents < 0) | (parents >= len(rows))
    if outside.any():
        raise SolveError(f"expand() gives a child of position {parents[outside][0]}, of {len(rows)}")
    order = np.argsort(parents, kind="stable")
    same_alone(
        rules, rows, range(len(rows)), finished, scores, sides, children[order], parents[order],
        moves[order],
    )


def same_alone(
    rules: RowRules,
    rows: Any,
    some: range,
    finished: Any,
    scores: Any,
    sides: Any,
    children: Any,
    parents: Any,
    moves: Any,
) -> None:
    """Compare the answers for some of many rows, ordered by parents, with those for each alone."""

    def same(one: Any, other: Any, method: str, position: Any) -> None:
        if one != other:
            raise SolveError(
                f"{method}() gives {other!r} among other positions, and {one!r} for it alone, at "
                f"{rules.show(position)}"
            )

    for at in some:
        position = tuple(rows[at].tolist())
        score = rules.score(position)
        same(score, plain(scores[at]) if finished[at] else None, "scores", position)
        if sides is not None:
            same(int(rules.side(position)), int(sides[at]), "sides", position)
        if score is None:
            first, last = np.searchsorted(parents, [at, at + 1])
            steps = [
                (move, tuple(child))
                for move, child in zip(
                    moves[first:last].tolist(), children[first:last].tolist(), strict=True
                )
            ]
            same(sorted(rules.expanded(position)), sorted(steps), "expand", position)
