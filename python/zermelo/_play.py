"""Playouts against exact scores: opponents of tunable strength, matches, and policies by sampling."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arguments import whole
from ._oracle import Oracle

#: Largest game whose policies are measured exactly rather than by sampling, in classes.
_SMALL = 2_000_000
#: Number of playouts with which a large game's opponent is calibrated.
_PLAYOUTS = 400
#: Student's t for 95% is about this for the numbers of playouts that are useful.
_WIDTH = 1.96


def _regrets(table: Oracle, moves: Sequence[tuple[Any, int]]) -> list[int]:
    """What each move loses, in points; in games that count plies, in outcomes."""
    scores = [score for _, score in moves]
    if table._inner.counts_plies:
        scores = [(score > 0) - (score < 0) for score in scores]
    best = max(scores)
    return [best - score for score in scores]


class Opponent:
    """A player whose strength can be set: call it with a position, and it returns a move.

    :func:`opponent` makes one.
    """

    def __init__(
        self,
        table: Oracle,
        temperature: float | None,
        error: float | None,
        seed: int,
        level: int | None = None,
    ):
        self._table = table
        #: Its level, from 1 to 10, or None.
        self.level = level
        self._name = f"level:{level}:{seed}"
        #: The temperature of its choice, or None.
        self.temperature = temperature
        #: The probability of a random move, or None.
        self.error = error
        self._random = np.random.default_rng(seed)

    def __repr__(self) -> str:
        how = f"level={self.level}" if self.temperature is None else f"temperature={self.temperature:.4g}"
        how = how if self.error is None else f"error={self.error}"
        return f"<zermelo.Opponent at {self._table.name}, {how}>"

    def probabilities(self, position: Any) -> dict[Any, float]:
        """Return the probability of each move, which is 1 for that of a level."""
        if self.level is not None:
            return {self._table.choose(position, self._name): 1.0}
        moves = self._table.moves(position)
        lost = np.array(_regrets(self._table, moves), dtype=np.float64)
        if self.error is not None:
            weights = (lost == 0) / np.count_nonzero(lost == 0)
            weights = (1 - self.error) * weights + self.error / len(lost)
        else:
            assert self.temperature is not None
            weights = np.exp(-lost / self.temperature)
            weights /= weights.sum()
        return {move: float(weight) for (move, _), weight in zip(moves, weights)}

    def __call__(self, position: Any) -> Any:
        return _chosen(self.probabilities(position), self._random)


def _chosen(answer: Any, random: np.random.Generator, text: str = "") -> Any:
    """Choose a move from the answer of a function: a move, or weights of moves."""
    if not isinstance(answer, Mapping):
        return answer
    moves, weights = list(answer), np.array(list(answer.values()), dtype=np.float64)
    if not (len(moves) and np.isfinite(weights).all() and weights.min() >= 0 < weights.max()):
        raise ValueError(
            f"the weights of moves are finite numbers of at least 0, and not all 0; at {text} "
            f"they are {answer!r}"
        )
    weights /= weights.max()
    return moves[int(random.choice(len(moves), p=weights / weights.sum()))]


def opponent(
    table: Oracle,
    *,
    temperature: float | None = None,
    error: float | None = None,
    regret: float | None = None,
    level: int | None = None,
    seed: int = 1,
) -> Opponent:
    """Return an opponent of a given strength.

    ``temperature`` chooses moves with probabilities proportional to ``exp(score / temperature)``.
    ``error`` is the probability of a random move instead of a best one. ``regret`` is the mean loss
    per move in playouts of the opponent against itself, in points; the temperature is chosen to match.
    In games that count plies, a point is the step from a win to a draw or from a draw to a loss.
    ``level`` is one of the levels from 1 to 10 of ``builtin:level:N``, which play the same move
    whenever they are asked about the same position.

    The moves are the same for the same seed and the same questions in the same order.

    >>> import zermelo
    >>> table = zermelo.solve("kalah", pits=3, seeds=2)
    >>> weak = zermelo.opponent(table, regret=1.5)
    >>> round(sum(weak.probabilities(table.start).values()), 9)
    1.0
    """
    given = [one is not None for one in (temperature, error, regret, level)]
    if sum(given) != 1:
        raise ValueError("give one of temperature, error, regret and level")
    whole("seed", seed)
    if level is not None:
        whole("level", level, 1, 10)
    if temperature is not None and not temperature > 0:
        raise ValueError(f"temperature is a number above 0, not {temperature!r}")
    if error is not None and not 0 <= error <= 1:
        raise ValueError(f"error is a number from 0 to 1, not {error!r}")
    if regret is not None:
        temperature = _calibrated(table, regret)
    return Opponent(table, temperature, error, seed, level)


def _calibrated(table: Oracle, regret: float) -> float:
    """Find the temperature at which a player loses ``regret`` points per move."""
    if len(table) <= _SMALL and not table._inner.is_endless:
        graph = table.graph("class")

        def measured(temperature: float) -> float:
            return graph.regret(graph.softmax(temperature))
    else:

        def measured(temperature: float) -> float:
            player = Opponent(table, temperature, None, seed=1)
            return simulate(table, player.probabilities, playouts=_PLAYOUTS).regret

    low, high = 1e-2, 1e4
    most = measured(high)
    if most == 0:
        raise ValueError(f"no move of {table.name} loses anything, so that no opponent is weak")
    if not 0 < regret <= most:
        raise ValueError(
            f"regret is a number above 0, and at most {most:.3g}, which a random player loses per "
            f"move; not {regret!r}"
        )
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if measured(middle) < regret else (low, middle)
    return math.sqrt(low * high)


@dataclass(frozen=True)
class Play:
    """A playout with the exact cost of each move."""

    #: The moves.
    moves: list[Any]
    #: The points that each move loses, in the order of ``moves``.
    regrets: list[int]
    #: Who made each move: 0 for the first player, 1 for the second.
    sides: list[int]
    #: The result for the first player, in points, or 1, 0 and -1 in games that count plies.
    score: int
    #: Numbers of the moves that changed the outcome under best play.
    turning_points: list[int]

    def __repr__(self) -> str:
        return f"<zermelo.Play of {len(self.moves):,} moves: score {self.score}, regret {sum(self.regrets)}>"


@dataclass(frozen=True)
class Estimate:
    """Means of many playouts, with 95% intervals. A playout counts as one observation."""

    #: Number of playouts.
    playouts: int
    #: The mean result of the first policy; without another, of the player who moves first.
    score: float
    #: Its interval.
    score_interval: tuple[float, float]
    #: The mean regret of a move of the first policy, in points; without another, of both sides.
    regret: float
    #: Its interval.
    regret_interval: tuple[float, float]
    #: The playouts.
    games: list[Play]

    def __repr__(self) -> str:
        (low, high), (least, most) = self.score_interval, self.regret_interval
        return (
            f"<zermelo.Estimate of {self.playouts:,} playouts: score {self.score:.4g} "
            f"({low:.4g} to {high:.4g}), regret {self.regret:.4g} ({least:.4g} to {most:.4g})>"
        )


def simulate(
    table: Oracle,
    policy: Callable[[Any], Any],
    against: Callable[[Any], Any] | None = None,
    *,
    playouts: int = 100,
    seed: int = 1,
    swap: bool = False,
) -> Estimate:
    """Let a policy play against another, or itself, and measure both against exact scores.

    ``policy`` is a function from a position to a move, or to a mapping from moves to weights; so is
    ``against``. With ``swap``, ``against`` moves first in every other playout. Playouts in
    which a position repeats end there as draws.

    ``score`` and ``regret`` of the estimate are those of ``policy``; without ``against``, regret
    counts the moves of both sides, and the score is that of the first player.

    >>> import zermelo
    >>> table = zermelo.solve("kalah", pits=3, seeds=2)
    >>> perfect = zermelo.simulate(table, lambda p: table.best_moves(p)[0], playouts=3)
    >>> perfect.score, perfect.regret
    (4.0, 0.0)
    """
    whole("playouts", playouts, 1)
    random = np.random.default_rng(whole("seed", seed))
    games, scores, lost, made = [], [], [], []
    for number in range(playouts):
        is_second = swap and against is not None and number % 2 == 1
        pair = (against or policy, policy) if is_second else (policy, against or policy)
        game = _playout(table, pair, random)
        games.append(game)
        scores.append(-game.score if is_second else game.score)
        mine = [
            regret
            for regret, side in zip(game.regrets, game.sides)
            if against is None or side == int(is_second)
        ]
        lost.append(sum(mine))
        made.append(len(mine))
    losses, counts = np.array(lost, dtype=np.float64), np.array(made, dtype=np.float64)
    regret = float(losses.sum() / max(counts.sum(), 1))
    # The ratio of two sums: its error is that of what remains in each playout.
    spread = _spread(losses - regret * counts) / max(float(counts.mean()), 1.0)
    score = float(np.mean(scores))
    width = _spread(np.array(scores, dtype=np.float64))
    return Estimate(
        playouts=playouts,
        score=score,
        score_interval=(score - width, score + width),
        regret=regret,
        regret_interval=(max(0.0, regret - spread), regret + spread),
        games=games,
    )


def _spread(values: Any) -> float:
    """Half the width of the 95% interval of a mean; infinite for a single value."""
    if len(values) < 2:
        return math.inf
    return float(_WIDTH * values.std(ddof=1) / math.sqrt(len(values)))


def _playout(
    table: Oracle, pair: tuple[Callable[[Any], Any], Callable[[Any], Any]], random: np.random.Generator
) -> Play:
    # Texts tell the side to move, which the positions of your own game may not.
    inner = table._inner
    text = inner.start
    moves: list[Any] = []
    regrets: list[int] = []
    sides: list[int] = []
    turning: list[int] = []
    seen = set()
    counts_plies = inner.counts_plies
    while scored := inner.moves(text):
        if text in seen:
            return Play(moves, regrets, sides, 0, turning)
        seen.add(text)
        side = inner.side(text)
        move = _chosen(pair[side](table._read(text)), random, text)
        names = [name for name, _ in scored]
        if table._name(move) not in names:
            raise ValueError(f"{move} is not a legal move at {text}")
        place = names.index(table._name(move))
        regrets.append(_regrets(table, scored)[place])
        before, after = scored[0][1], scored[place][1]
        if (before > 0) - (before < 0) != (after > 0) - (after < 0):
            turning.append(len(moves))
        moves.append(move)
        sides.append(side)
        text = inner.play(text, names[place])
    # The score of a finished position is seen from the side that would be to move.
    score = inner.score(text)
    if inner.side(text) == 1:
        score = -score
    if counts_plies:
        score = (score > 0) - (score < 0)
    return Play(moves, regrets, sides, score, turning)
