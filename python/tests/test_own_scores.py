"""Games in Python with many, large and fractional scores, long wins, and wins by points in plies."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zermelo

COINS = (1_000_003, 70_000, 331, 40_009, 5, 999_983, 123_456, 65_537, 8, 32_768, 77_777, 2_000)
WON = zermelo.WON
READER = Path(__file__).parents[2] / "tools" / "read-table"


class Coins:
    """Take a coin from either end of a row; the score is the difference of the sums."""

    def __init__(self, coins: tuple[float, ...] = COINS) -> None:
        self.coins = coins

    def start(self) -> tuple[int, ...]:
        return (0, len(self.coins), 0, 0)

    def moves(self, position: Any) -> list[str]:
        return ["left", "right"]

    def play(self, position: Any, move: str) -> tuple[Any, ...]:
        first, last, own, other = position
        coin = self.coins[first if move == "left" else last - 1]
        ends = (first + 1, last) if move == "left" else (first, last - 1)
        return (*ends, other, round(own + coin, 6))

    def score(self, position: Any) -> float | None:
        first, last, own, other = position
        return round(own - other, 6) if first == last else None


class Corridor:
    """Walk along a corridor, one or two squares at a time; whoever reaches its end has lost."""

    distance = True
    squares, longest, points = 300, 1, -1

    def start(self) -> int:
        return 0

    def moves(self, square: int) -> range:
        return range(1, min(self.longest, self.squares - square) + 1)

    def play(self, square: int, step: int) -> int:
        return square + step

    def score(self, square: int) -> float | None:
        return self.points if square == self.squares else None


class Counter(Corridor):
    """A counter of 900 that may also stay where it is, in which play may never end."""

    endless = "draw"
    squares = 900

    def start(self) -> Any:
        return (0, 0)

    def side(self, position: Any) -> int:
        return position[1]

    def moves(self, position: Any) -> list[str]:
        # Only the second player may wait, and gives up the tempo by it.
        return ["on", "back"] if position[1] and position[0] > 0 else ["on"]

    def play(self, position: Any, move: str) -> Any:
        place, side = position
        return (place + 1, 1 - side) if move == "on" else (place - 1, 1 - side)

    def score(self, position: Any) -> float | None:
        place, _ = position
        return -1 if place == self.squares else None


class Halves:
    """Say 1 or 2 in turn up to 7; whoever says 7 wins a half point, or 1.25 with an even number before."""

    def start(self) -> tuple[int, int]:
        return (0, 0)

    def moves(self, position: Any) -> tuple[int, ...]:
        return (1, 2)

    def play(self, position: Any, number: int) -> tuple[int, int]:
        return (position[0] + number, number)

    def score(self, position: Any) -> float | None:
        total, last = position
        return None if total < 7 else (-0.5 if last == 1 else 0.5 if total == 8 else -1.25)


class Prizes(Corridor):
    """A corridor of ten squares with prizes beside it: take the prize, or go on by one or two."""

    squares = 10
    prizes: tuple[float, ...] = (0, 1, -2, 0, 3, -1, 2, 0, -3, 1)

    def start(self) -> Any:
        return (0, False)

    def moves(self, position: Any) -> list[str]:
        return ["take", "one", "two"] if position[0] + 2 < self.squares else ["take"]

    def play(self, position: Any, move: str) -> Any:
        return (position[0], True) if move == "take" else (position[0] + (1 if move == "one" else 2), False)

    def score(self, position: Any) -> float | None:
        place, is_taken = position
        return -self.prizes[place] if is_taken else None


def recursed(game: Any) -> dict[Any, Any]:
    """Return the score of each position, or the points and the plies, by recursion."""
    has_plies = getattr(game, "distance", False)
    found: dict[Any, Any] = {}

    def value(position: Any) -> Any:
        if position not in found:
            final = game.score(position)
            if final is not None:
                found[position] = (final, 0) if has_plies else final
            elif has_plies:
                after = [value(game.play(position, move)) for move in game.moves(position)]
                options = [(-points, plies + 1) for points, plies in after]
                # More points; then the quicker win, or the slower loss.
                found[position] = max(options, key=lambda it: (it[0], -it[1] if it[0] > 0 else it[1]))
            else:
                found[position] = max(-value(game.play(position, move)) for move in game.moves(position))
        return found[position]

    value(game.start())
    return found


def solved(game: Any, path: Path) -> Any:
    """Return the table of a game, after it was written, proved and opened again."""
    zermelo.solve(game, out=path)
    table = zermelo.open(path, game=game)
    assert table.verify()
    return table


def test_large_scores_are_exact(tmp_path: Path) -> None:
    game = Coins()
    truth = recursed(game)
    table = solved(game, tmp_path / "coins.bin")
    open_ones = [position for position in truth if game.score(position) is None]
    assert len(table) == len(open_ones)
    assert len({truth[position] for position in open_ones}) > 256
    assert all(table.score(position) == score for position, score in truth.items())
    assert isinstance(table.score(game.start()), int)
    scores = table.scores(open_ones)
    assert scores.dtype == np.int32
    assert scores.tolist() == [truth[position] for position in open_ones]
    moves = dict(table.moves(game.start()))
    assert moves == {move: -truth[game.play(game.start(), move)] for move in ("left", "right")}
    labels = table.to_numpy()
    assert labels.scores.dtype == labels.move_scores.dtype == np.int32
    assert labels.scores.max() == max(truth[position] for position in open_ones)


def test_decimals_come_back_as_they_were_given(tmp_path: Path) -> None:
    for number, game in enumerate((Halves(), Coins((0.1, 2.75, 3, 0.2, 1.0625)))):
        truth = {position: round(score, 6) for position, score in recursed(game).items()}
        table = solved(game, tmp_path / f"{number}.bin")
        assert all(table.score(position) == score for position, score in truth.items())
        assert isinstance(table.score(game.start()), float)
        listed = list(truth)
        scores = table.scores(listed)
        assert scores.dtype == np.float64
        assert scores.tolist() == list(truth.values())
        labels = table.to_numpy()
        assert labels.move_scores.dtype == np.float64
        assert (labels.best == (labels.move_scores == labels.scores[:, None])).all()
    assert set(zermelo.solve(Halves()).scores(list(recursed(Halves())))) == {-1.25, -0.5, 0.5, 1.25}


def test_decimals_on_arrays() -> None:
    class Rows:
        def start(self) -> list[int]: return [0]
        def scores(self, rows: Any) -> Any:
            return rows[:, 0] >= 4, np.where(rows[:, 0] == 4, -0.5, 0.25)
        def expand(self, rows: Any) -> Any:
            children = np.concatenate([rows + 1, rows + 2])
            return children, np.tile(np.arange(len(rows)), 2), np.repeat([1, 2], len(rows))

    table = zermelo.solve(Rows())
    assert [table.score([place]) for place in range(6)] == [0.5, -0.5, 0.5, 0.5, -0.5, 0.25]


@pytest.mark.parametrize("game", [Corridor(), Counter(), Prizes()])
def test_long_wins_and_wins_by_points(game: Any, tmp_path: Path) -> None:
    table = solved(game, tmp_path / "t.bin")
    if isinstance(game, Counter):
        truth = iterated(game)
        assert max(plies for _, plies in truth.values()) > 254
    else:
        truth = recursed(game)
    for position, (points, plies) in truth.items():
        sign = (points > 0) - (points < 0)
        assert table.score(position) == WON * points - sign * plies, position
        is_open = game.score(position) is None
        assert table.distance(position) == (plies if points and is_open else None), position
        if isinstance(game, Prizes):
            assert table.margin(position) == points


def iterated(game: Any) -> dict[Any, tuple[int, int]]:
    """Return the outcome and the plies of each position, by looks one move ahead, until none changes."""
    places = [(place, side) for place in range(game.squares + 1) for side in (0, 1)]
    reachable, left = set(), [game.start()]
    while left:
        position = left.pop()
        if position not in reachable:
            reachable.add(position)
            if game.score(position) is None:
                left += [game.play(position, move) for move in game.moves(position)]
    value = {position: (game.score(position) or 0, 0) for position in places if position in reachable}
    changed = True
    while changed:
        changed = False
        for position in sorted(reachable, reverse=True):
            if game.score(position) is None:
                after = [value[game.play(position, move)] for move in game.moves(position)]
                options = [(-points, plies + 1 if points else 0) for points, plies in after]
                best = max(options, key=lambda it: (it[0], -it[1] if it[0] > 0 else it[1]))
                if best != value[position]:
                    value[position], changed = best, True
    return value


def test_margins_with_decimals() -> None:
    game = type("Tenths", (Prizes,), {"prizes": (0, 0.1, -0.2, 0, 0.3, -0.1, 0.25, 0, -0.3, 0.1)})()
    table, truth = zermelo.solve(game), recursed(game)
    for position, (points, plies) in truth.items():
        assert table.margin(position) == points
        assert table.distance(position) == (plies if points and game.score(position) is None else None)


def test_wins_that_are_too_long_are_refused() -> None:
    game = type("Long", (Corridor,), {"squares": 1_001})()
    with pytest.raises(zermelo.SolveError, match="999 plies from the end, but a table holds .* in 1 to 998 plies"):
        zermelo.solve(game)


def test_random_games_with_any_scores() -> None:
    """Trees of random numbers with decimals, compared with recursion."""
    random_numbers = random.Random(5)
    for _ in range(10):
        decimals = random_numbers.choice([0, 0, 1, 3])
        most = random_numbers.choice([3, 40_000, 400_000])

        class Tree:
            leaves = [round(random_numbers.uniform(-most, most), decimals) for _ in range(3**5)]  # noqa: B023

            def start(self) -> tuple[int, ...]: return ()
            def moves(self, path: Any) -> tuple[int, ...]: return (0, 1, 2)
            def play(self, path: Any, move: int) -> tuple[int, ...]: return (*path, move)
            def score(self, path: Any) -> float | None:
                return self.leaves[int("".join(map(str, path)), 3)] if len(path) == 5 else None

        game = Tree()
        table = zermelo.solve(game)
        assert all(table.score(position) == score for position, score in recursed(game).items())


@pytest.mark.parametrize("game", [Coins(), Counter(), Prizes(), Halves()])
def test_the_second_reader_reads_the_same_scores(game: Any, tmp_path: Path) -> None:
    table = solved(game, tmp_path / "t.bin")
    reader = [sys.executable, str(READER), str(tmp_path / "t.bin")]
    lines = subprocess.run(reader, check=True, capture_output=True, text=True).stdout.splitlines()
    # It doesn't know how many decimals the scores of a game of one's own have.
    units = 1 if table._inner.counts_plies else 10 ** table._inner.decimals
    expected = [round(table.score(position) * units) for position in table]
    assert [int(line.rsplit(" ", 1)[1]) for line in lines] == expected


def test_reports_have_the_points_of_the_game(tmp_path: Path) -> None:
    class Half:
        """Three letters are chosen by turns; the second player wins if the number of a's is odd."""

        def start(self): return "s"
        def moves(self, p): return ["a", "b"]
        def play(self, p, m): return p + m
        def score(self, p): return None if len(p) < 4 else (0.5 if p.count("a") % 2 else -0.5)

    path = tmp_path / "half.bin"
    own = zermelo.solve(Half(), out=path)
    for table in own, zermelo.open(path):
        report = zermelo.check(table, lambda p: table.moves(p)[-1][0])
        assert (report["total_regret"], report["mistakes"]["total"]) == (4.0, 4)
        assert report["regret"]["mean"] == pytest.approx(4 / 7)
        assert report["scaled_regret"]["mean"] == pytest.approx(4 / 7)
        assert [part["total_regret"] for part in report["by_layer"]] == [0, 0, 4]
        worst, mistake = report["worst"][0], report.mistakes()[0]
        for key, other in ("before", "score"), ("after", "after"), ("regret", "regret"):
            assert worst[key] == mistake[other] in (0.5, -0.5, 1)
        line = report["refutation_line"]
        assert (line["target"], line["score"]) == (0.5, -0.5)
        assert "decimals" not in report
