"""The graph of a game's positions and moves, and the exact value of any policy on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _zermelo
from ._arguments import number, whole

#: A policy: the probability of each move of the graph, in the order of its moves.
Policy = NDArray[np.float64]


class Texts(Protocol):
    """What a graph needs of its table: positions and moves as texts."""

    _inner: _zermelo.Oracle

    @property
    def name(self) -> str: ...
    @property
    def all_moves(self) -> tuple[str, ...]: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    def to_rows(self, positions: Any) -> NDArray[Any]: ...
    def _read(self, text: str) -> Any: ...
    def _read_all(self, texts: list[str]) -> list[Any]: ...
    def _say(self, position: Any) -> str: ...
    def _name(self, move: Any) -> str: ...
    def moves(self, position: Any) -> list[tuple[Any, int]]: ...


@dataclass(frozen=True)
class Mistake:
    """A move of a policy that loses points, and what it costs in a playout."""

    #: The position.
    position: Any
    #: The move.
    move: Any
    #: How often the policy makes the move, per playout; ``inf`` if playouts may make it without end.
    frequency: float
    #: The points that it loses.
    regret: float

    @property
    def cost(self) -> float:
        """The points that it loses per playout."""
        return self.frequency * self.regret if self.regret else 0.0


class Graph:
    """All unfinished positions that can be reached from the start, and all their moves.

    Position 0 is the start. The moves of position ``n`` are the numbers ``first[n]`` to
    ``first[n + 1] - 1`` of the arrays with one item per move:

    ``children``
        the position after the move; -1 if the game is over.
    ``parents``
        the position before it.
    ``moves``
        its name, as an index of ``names``.
    ``gains``
        the points that the move brings to the side that makes it, such as seeds captured in Kalah; if
        the game is over then, those of the final score.
    ``turns``
        whether the other side is to move next.

    The value of a move is its gain, plus or minus the value of the child: minus if the turn passes.
    Values are seen from the side to move. In games that count plies they are 1, 0 and -1 for a win,
    a draw and a loss. Where positions may repeat, policies don't look at earlier moves, a playout
    continues after a repetition, and an endless one is worth 0.

    >>> import zermelo
    >>> graph = zermelo.solve("tictactoe", scoring="outcome").graph()
    >>> graph
    <zermelo.Graph tictactoe(outcome): 4,520 positions, 16,167 moves>
    >>> round(graph.nash_conv(graph.uniform()), 4)
    1.9197
    """

    def __init__(self, table: Texts, arrays: Mapping[str, Any], by: str) -> None:
        self._table = table
        #: ``position`` or ``class``.
        self.by = by
        self._rows: NDArray[np.uint8] | None = arrays.get("positions")
        self._texts: list[str] | None = arrays.get("texts")
        #: For each position, 0 if the first player is to move, and 1 otherwise.
        self.sides: NDArray[np.uint8] = arrays["sides"]
        #: The number of each position's first move, and at the end the number of all moves.
        self.first: NDArray[np.int64] = arrays["first"]
        #: The position after each move; -1 if the game is over there.
        self.children: NDArray[np.int32] = arrays["children"]
        #: The name of each move, as an index of ``names``.
        self.moves: NDArray[np.uint32] = arrays["moves"]
        #: The names of moves.
        self.names: tuple[str, ...] = tuple(arrays["names"])
        #: The points that the side to move gets by each move, at the end those of the final score.
        self.gains: NDArray[Any] = arrays["gains"]
        #: The same as integers, and the number of these that are a point.
        self._units, self._unit = arrays["gains"], 10 ** (table._inner.decimals or 0)
        if self._unit > 1:
            self.gains = self._units / self._unit
        self._turns: NDArray[np.uint8] = arrays["turns"]

    def __len__(self) -> int:
        return len(self.sides)

    def __repr__(self) -> str:
        unit = "positions" if self.by == "position" else "classes"
        return (
            f"<zermelo.Graph {self._table.name}: {len(self):,} {unit}, {len(self.moves):,} moves>"
        )

    @cached_property
    def rows(self) -> NDArray[Any] | None:
        """The positions as an array with the table's ``columns``; None for a game without rows."""
        if self._rows is not None or not self._table.columns:
            return self._rows
        return self._table.to_rows(self.written(np.arange(len(self))))

    @property
    def turns(self) -> NDArray[np.bool_]:
        """Whether the turn passes with each move."""
        return self._turns.view(np.bool_)

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """The position of each move."""
        return np.repeat(np.arange(len(self)), self._counts)

    @cached_property
    def positions(self) -> list[Any]:
        """The positions in the game's notation, or your own game's positions."""
        return self._table._read_all(self.written(np.arange(len(self))))

    def written(self, numbers: ArrayLike) -> list[str]:
        """Return the texts of some positions."""
        numbers = np.atleast_1d(np.asarray(numbers))
        if self._texts is not None:
            return [self._texts[number] for number in numbers]
        assert self._rows is not None
        return self._table._inner.texts(self._rows[numbers])

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.diff(self.first)

    @property
    def _starts(self) -> NDArray[np.int64]:
        return self.first[:-1]

    @property
    def _arrays(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
        return self.first, self.children, self._units, self._turns

    @cached_property
    def _order(self) -> NDArray[np.uint32] | None:
        """The positions, each before its children; None if positions may repeat."""
        return _zermelo.order(*self._arrays)

    def _values(self, one: Policy | None, other: Policy | None) -> tuple[Policy, Policy]:
        """The values where ``one`` is to move, and where ``other`` is."""
        ones, others = _zermelo.values(self._order, *self._arrays, one, other)
        return ones / self._unit, others / self._unit

    def _of_moves(self, mine: Policy, theirs: Policy) -> Policy:
        """The value of each move, given the values of positions for both sides."""
        after = np.where(self.turns, -theirs[self.children], mine[self.children])
        return self.gains.astype(np.float64) + np.where(self.children < 0, 0.0, after)

    @cached_property
    def scores(self) -> Policy:
        """The exact score of each position under best play.

        It is computed on the graph, or if positions may repeat, is the outcome in the table.
        """
        if self._order is not None:
            return self._values(None, None)[0]
        positions = self._rows if self._texts is None else self._texts
        assert positions is not None
        scores = self._table._inner.scores(positions, False, None).astype(np.float64)
        points: Policy = np.sign(scores) * np.ceil(np.abs(scores) / _zermelo.WON) / self._unit
        return points

    @cached_property
    def move_scores(self) -> Policy:
        """The exact score of each move: 1, 0 or -1 in games that count plies."""
        return self._of_moves(self.scores, self.scores)

    @cached_property
    def _lost(self) -> Policy:
        # Scores are whole numbers of units, but in points, their differences are rounded.
        lost: Policy = np.round((self.scores[self.parents] - self.move_scores) * self._unit) / self._unit
        return lost

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self.written(np.arange(len(self))))}

    @cached_property
    def _first_ways(self) -> NDArray[np.int64]:
        """The first move that leads to each position, which is on a shortest way; -1 for the start."""
        ways = np.full(len(self), -1)
        children, moves = np.unique(self.children, return_index=True)
        ways[children[children > 0]] = moves[children > 0]
        return ways

    def path(self, position: Any) -> list[str]:
        """Return the moves of a shortest way from the start to a position.

        >>> import zermelo
        >>> zermelo.solve("tictactoe").graph().path("X...O...X")
        ['a1', 'b2', 'c3']

        Raise ``ValueError`` for a position that is finished or can't be reached.
        """
        text = self._table._say(position)
        at = self._numbers.get(text)
        if at is None and self.by == "position":
            # The text of your own game's position may leave out the side to move.
            at = next((self._numbers[full] for full in (f"{text} first", f"{text} second")
                       if full in self._numbers), None)
        if at is None:
            raise ValueError(f"{text} is not an unfinished position of this graph")
        moves = []
        while at:
            move = int(self._first_ways[at])
            moves.append(self.names[int(self.moves[move])])
            at = int(self.parents[move])
        return moves[::-1]

    # Policies.

    def uniform(self) -> Policy:
        """Return the policy that makes every legal move with the same probability."""
        return 1.0 / self._counts[self.parents]

    def best(self) -> Policy:
        """Return the policy that chooses among the best moves with equal probability."""
        return self.policy(self._lost == 0)

    def softmax(self, temperature: float) -> Policy:
        """Return the policy whose probabilities are proportional to ``exp(score / temperature)``.

        At a low temperature it makes the best moves, at a high one any move. Scores are those of
        ``move_scores``: in games that count plies outcomes, so that it prefers no quick win to a slow
        one.
        """
        if not 0 < number("temperature", temperature):
            raise ValueError(f"temperature is a number above 0, such as 0.5, not {temperature!r}")
        return self.policy(np.exp(-self._lost / temperature))

    def epsilon(self, error: float) -> Policy:
        """Return the policy that makes any legal move with probability ``error``, else a best one."""
        if not 0 <= number("error", error) <= 1:
            raise ValueError(f"error is a number from 0 to 1, not {error!r}")
        return error * self.uniform() + (1 - error) * self.best()

    def policy(self, weights: ArrayLike) -> Policy:
        """Return the policy with probabilities proportional to ``weights``.

        They have an item per move, or a row per position and a column per move of the table's
        ``all_moves``, such as a net's output for ``graph.rows``. Weights of illegal moves are left
        out. A position whose weights are all 0 raises ``ValueError``.
        """
        array = np.array(weights, dtype=np.float64)
        if array.ndim == 2:
            shape = (len(self), len(self._table.all_moves))
            if array.shape != shape:
                raise ValueError(f"weights have {self._shapes}, not {array.shape}")
            array = array[self.parents, self._columns[self.moves]]
        if array.shape != self.moves.shape:
            raise ValueError(f"weights have {self._shapes}, not {array.shape}")
        are_good = np.isfinite(array) & (array >= 0)
        if not are_good.all():
            bad = int(np.argmin(are_good))
            raise ValueError(
                f"weights are finite numbers of at least 0, such as np.exp(logits), not {array[bad]} at "
                f"{self.written(self.parents[bad])[0]}"
            )
        array /= max(float(array.max()), np.finfo(np.float64).tiny)
        sums = np.add.reduceat(array, self._starts)
        if not np.all(sums > 0):
            bad = int(np.argmin(sums > 0))
            raise ValueError(f"no legal move has a weight above 0 at {self.written(bad)[0]}")
        array /= sums[self.parents]
        return array

    @property
    def _shapes(self) -> str:
        """The shapes of weights, in words."""
        shape = f"the shape ({len(self.moves)},), an item per move"
        columns = len(self._table.all_moves)
        if columns:
            shape += f", or ({len(self)}, {columns}), a row per position and a column per move of all_moves"
        return shape

    @property
    def _columns(self) -> NDArray[np.int64]:
        """The column of each move's name in the table's arrays of moves."""
        columns = {name: column for column, name in enumerate(self._table.all_moves)}
        return np.array([columns[name] for name in self.names])

    def from_function(self, choose: Callable[[Any], Any]) -> Policy:
        """Return the policy of a function from a position to a move.

        The function may also return a mapping from moves to weights. It is called once per
        position. An illegal move raises ``ValueError``.

        >>> import zermelo
        >>> graph = zermelo.solve("tictactoe").graph()
        >>> def first_free(position):
        ...     square = position.index(".")
        ...     return "abc"[square % 3] + "123"[square // 3]
        >>> graph.mistakes(graph.from_function(first_free), 1)
        [Mistake(position='X........', move='b1', frequency=1.0, regret=2.0)]
        """
        weights = np.zeros(len(self.moves))
        numbers = {name: number for number, name in enumerate(self.names)}
        name_of = self._table._name
        for number, position in enumerate(self.positions):
            start, end = int(self.first[number]), int(self.first[number + 1])
            legal = self.moves[start:end].tolist()
            for move, weight in weights_of(choose(position)):
                name = name_of(move)
                if (known := numbers.get(name)) not in legal:
                    names = ", ".join(self.names[one] for one in legal)
                    here = self.written(number)[0]
                    raise ValueError(f"{name} is not a legal move at {here}: the legal moves are {names}")
                weights[start + legal.index(known)] = weight
        return self.policy(weights)

    # Measures.

    def value(self, policy: Policy, against: Policy | None = None) -> float:
        """Return the expected score of the player who moves first.

        That player plays ``policy``, the other ``against`` or the same.
        """
        policy = self._checked(policy)
        other = policy if against is None else self._checked(against)
        return float(self._values(policy, other)[0][0])

    def best_response(
        self, policy: Policy, side: Literal["first", "second"]
    ) -> tuple[float, Policy]:
        """Return the most that ``side`` can get against a policy, and how.

        The value is seen from ``side``. The reply chooses among the best moves with equal probability.
        """
        if side not in ("first", "second"):
            raise ValueError(f'side is "first" or "second", not {side!r}')
        mine, theirs = self._values(None, self._checked(policy))
        # On a graph of classes, the player who moves first may be either side.
        is_first = (side == "first") == (self.sides[0] == 0)
        value = mine[0] if is_first else -theirs[0]
        of_moves = self._of_moves(mine, theirs)
        # The values of both sides are sums in the same order, so that equal ones may differ a bit. A
        # slightly worse move may be made again and again where positions repeat.
        rounding = 1e-11 if self._order is None else 1e-9
        reply = self.policy(mine[self.parents] - of_moves < rounding)
        if self.by == "position":
            is_mine = self.sides[self.parents] == (side == "second")
            reply = np.where(is_mine, reply, policy)
        return float(value), reply

    def nash_conv(self, policy: Policy) -> float:
        """Return what both sides together gain by a best response to the policy.

        Half of it is the policy's exploitability. 0 for a policy that can't be beaten (Lanctot et al.
        2017, "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning").
        """
        mine, theirs = self._values(None, self._checked(policy))
        return float(mine[0] - theirs[0])

    def occupancy(self, policy: Policy) -> Policy:
        """Return how often a playout reaches each position, if both sides play the policy.

        ``inf`` for a position to which playouts may return without end.
        """
        often, endless = self._visits(policy)
        return often if endless is None else np.where(endless > 0, np.inf, often)

    def _visits(self, policy: Policy) -> tuple[Policy, Policy | None]:
        """The visits to positions that playouts leave for good, and the shares of those in endless ones."""
        often, endless = _zermelo.occupancy(self._order, *self._arrays, self._checked(policy))
        return often, endless if endless is not None and endless.any() else None

    def regret(self, policy: Policy, under: Policy | None = None) -> float:
        """Return the mean regret of a move of the policy: what it loses against a perfect opponent.

        Positions count as often as they come up when both sides play ``under``, by default the
        policy itself. If playouts may go on without end, these are the positions of endless ones,
        whose moves outnumber all others.
        """
        policy = self._checked(policy)
        often, endless = self._visits(policy if under is None else under)
        often = often if endless is None else endless
        lost = np.add.reduceat(policy * self._lost, self._starts)
        return float((often * lost).sum() / often.sum())

    def mistakes(self, policy: Policy, count: int = 10) -> list[Mistake]:
        """Return the moves that cost the policy most, when it plays itself, at most ``count``.

        Moves that lose nothing, or that no playout of the policy makes, are left out.
        """
        policy = self._checked(policy)
        often, endless = self._visits(policy)
        lost = policy * self._lost
        costs = often[self.parents] * lost
        worst = np.argsort(-costs, kind="stable")
        if endless is not None:
            # A mistake in an endless playout costs more than any other.
            without_end = endless[self.parents] * lost
            worst = worst[np.argsort(-without_end[worst], kind="stable")]
            costs += without_end
            often = np.where(endless > 0, np.inf, often)
        worst = worst[costs[worst] > 0]
        found = []
        for move in worst[: whole("count", count)]:
            position = self._table._read(self.written(self.parents[move])[0])
            name = self.names[int(self.moves[move])]
            own = {self._table._name(one): one for one, _ in self._table.moves(position)}
            often_made = float(often[self.parents[move]] * policy[move])
            found.append(Mistake(position, own[name], often_made, float(self._lost[move])))
        return found

    def _checked(self, policy: Policy) -> Policy:
        if callable(policy):
            raise TypeError(
                f"a policy is an array, not {policy!r}: make one of a function with from_function()"
            )
        policy = np.ascontiguousarray(policy, dtype=np.float64)
        if policy.shape != self.moves.shape:
            raise ValueError(
                f"a policy has a probability for each of {len(self.moves):,} moves, but this array "
                f"has the shape {policy.shape}: make one with policy(weights)"
            )
        sums = np.add.reduceat(policy, self._starts)
        if not (policy.min() >= 0 and np.allclose(sums, 1)):
            least = np.minimum.reduceat(policy, self._starts)
            bad = int(np.argmin((least >= 0) & np.isclose(sums, 1)))
            raise ValueError(
                "the probabilities at a position are at least 0 and add up to 1: at "
                f"{self.written(bad)[0]}, they are {policy[self.first[bad] : self.first[bad + 1]].tolist()}; "
                "policy(weights) scales them"
            )
        return policy


def weights_of(chosen: Any) -> Iterable[tuple[Any, float]]:
    """Return the moves that a function has chosen, with their weights."""
    if isinstance(chosen, Mapping):
        return chosen.items()
    return [(chosen, 1.0)]
