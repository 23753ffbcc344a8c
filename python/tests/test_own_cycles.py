"""Games in Python whose positions repeat, or whose scores count plies."""

import random
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

import zermelo
from test_own import Nim, TicTacToe

EXAMPLES = Path(__file__).parent.parent / "examples"
HareAndHounds = runpy.run_path(str(EXAMPLES / "hare_and_hounds.py"))["HareAndHounds"]
WON = 1000


def truth(game) -> dict:
    """The value of every position, by plain value iteration: won is 1,000, less one for every move."""
    steps, left = {}, [game.start()]
    for p in left:
        if p not in steps:
            steps[p] = [game.play(p, m) for m in game.moves(p)] if game.score(p) is None else []
            left += steps[p]
    same = hasattr(game, "side")
    values = {p: WON * (game.score(p) or 0) for p in steps}
    while True:
        following = {
            p: max(worth(values[to] if same and game.side(p) == game.side(to) else -values[to])
                   for to in steps[p]) if steps[p] else values[p]
            for p in steps
        }
        if following == values:
            return values
        values = following


def worth(value: int) -> int:
    return value - (value > 0) + (value < 0)


class Maze:
    """A random game; its positions are numbers."""

    endless = "draw"

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        count = chance.randint(2, 30)
        if seed % 2:
            self.sides = [0] + [chance.randrange(2) for _ in range(count)]
            self.side = self.sides.__getitem__
        self.exits = [sorted({chance.randrange(count) for _ in range(chance.randint(1, 4))})
                      for _ in range(count)]
        self.exits[0] = [*range(1, min(count, 4))]
        self.ends = {p: chance.randint(-1, 1) for p in range(1, count) if chance.random() < 0.2}

    def start(self):
        return 0

    def moves(self, p):
        return self.exits[p]

    def play(self, p, m):
        return m

    def score(self, p):
        return self.ends.get(p)


class MazeOfRows:
    """The same with arrays."""

    endless = "draw"

    def __init__(self, seed: int) -> None:
        self.game = game = Maze(seed)
        self.ends = np.array([game.score(p) is not None for p in range(len(game.exits))])
        self.results = np.array([game.score(p) or 0 for p in range(len(game.exits))])
        if hasattr(game, "side"):
            self.sides = lambda rows: np.array(game.sides)[rows[:, 0]]

    def start(self):
        return [0]

    def scores(self, rows):
        return self.ends[rows[:, 0]], self.results[rows[:, 0]]

    def expand(self, rows):
        steps = [(to, at) for at, (p,) in enumerate(rows) for to in self.game.exits[p]]
        children, parents = np.array(steps).T
        return children[:, None], parents, children


def agrees(game, table: zermelo.Oracle, position=lambda p: p) -> dict:
    values = truth(game)
    assert len(table) == sum(game.score(p) is None for p in values)
    for p, value in values.items():
        assert table.score(position(p)) == value
        assert table.outcome(position(p)) == ["draw", "win", "loss"][(value > 0) - (value < 0)]
    return values


@pytest.mark.parametrize("seed", range(40))
def test_random_games_with_cycles_have_the_scores_of_value_iteration(seed: int, tmp_path: Path) -> None:
    game = Maze(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = zermelo.solve(game, out=tmp_path / "maze.bin")
    values = agrees(game, table)
    agrees(game, zermelo.solve(MazeOfRows(seed)), position=lambda p: [p])
    assert zermelo.verify(tmp_path / "maze.bin", game=Maze(seed)).verdict == "proved"
    for p in values:
        side = getattr(game, "side", None)
        expected = {to: worth(values[to] if side and side(p) == side(to) else -values[to])
                    for to in game.moves(p)} if game.score(p) is None else {}
        assert dict(table.moves(p)) == expected
    for p in values:
        line = table.line(p)
        end = p
        for m in line:
            end = game.play(end, m)
        # A won or lost game is played to its end; a drawn one may stop where it would repeat.
        if values[p]:
            assert len(line) == WON - abs(values[p]) and game.score(end) is not None


def test_the_hounds_catch_the_hare(tmp_path: Path) -> None:
    path = tmp_path / "hare.bin"
    game = HareAndHounds()
    table = zermelo.solve(game, out=path)
    values = agrees(game, table)
    assert {np.sign(value) for value in values.values()} == {-1, 0, 1}
    assert table.outcome(table.start) == "win"
    assert len(table.line()) == WON - values[game.start()]
    again = zermelo.open(path, game=HareAndHounds())
    assert again.score(game.start()) == table.score(game.start())
    assert zermelo.verify(path, game=HareAndHounds()).verdict == "proved"
    assert zermelo.test_game(game) > 100


def test_distances_are_counted_without_cycles(tmp_path: Path) -> None:
    class Quick(TicTacToe):
        distance = True

        def score(self, p):
            score = super().score(p)
            return score and (score > 0) - (score < 0)

    table = zermelo.solve(Quick(), out=tmp_path / "quick.bin")
    agrees(Quick(), table)
    assert table.score("XX..OO...") == WON - 1
    assert zermelo.verify(tmp_path / "quick.bin", game=Quick()).verdict == "proved"

    class Slow(Quick):
        distance = False

    with pytest.raises(ValueError, match="the rules differ from the table's"):
        zermelo.open(tmp_path / "quick.bin", game=Slow())
    zermelo.solve(Slow(), out=tmp_path / "slow.bin")
    with pytest.raises(ValueError, match="the rules differ from the table's"):
        zermelo.open(tmp_path / "slow.bin", game=Quick())


class Round(Nim):
    """The counters never run out."""

    def play(self, p, taken):
        return ((p[0] - taken - 1) % self.counters + 1,)

    def score(self, p):
        return None


LINE = 'if endless play is a draw, add to the class: endless = "draw"$'


def test_an_unexpected_cycle_is_shown_with_the_line_to_add() -> None:
    with pytest.raises(zermelo.SolveError, match=r"come up twice in one game: .* -> .*; " + LINE):
        zermelo.solve(Round(5))

    class Hidden:
        """A cycle that is not among the positions that are checked first."""

        def start(self): return 0
        def moves(self, p): return range(1, 5_000) if p == 0 else ["on"]
        def play(self, p, m): return m if p == 0 else {4_000: -1, -1: -2, -2: -3, -3: -1}[p]
        def score(self, p): return None if p <= 0 or p == 4_000 else -1

    with pytest.raises(zermelo.SolveError, match=r": -1 -> \(on\) -> -2 -> .* -> -1; " + LINE):
        zermelo.solve(Hidden())


def test_only_draws_are_known_of_endless_play() -> None:
    for name, value, problem in [
        ("endless", "win", "endless must be 'draw' or None, not 'win'"),
        ("endless", True, "endless must be 'draw' or None, not True"),
        ("distance", "yes", "distance must be True or False, not 'yes'"),
    ]:
        with pytest.raises(TypeError, match=problem):
            zermelo.solve(type("Wrong", (Nim,), {name: value})())


def test_scores_in_plies_have_limits() -> None:
    class Wrong(Nim):
        distance = True

        def score(self, p):
            return -500_001 if p[0] == 0 else None

    with pytest.raises(zermelo.SolveError, match=r"returned -500001: .*-500,000 to 500,000 if the game counts"):
        zermelo.solve(Wrong())

    class Rows:
        distance = True

        def start(self): return [0]
        def scores(self, rows): return rows[:, 0] > 0, np.where(rows[:, 0] == 4_000, 600_000, -1)

        def expand(self, rows):
            moves = np.arange(1, 5_000 if (rows == 0).any() else 1)
            return moves[:, None], np.full(len(moves), np.argmin(rows[:, 0])), moves

    with pytest.raises(zermelo.SolveError, match="4000 has the score 600000, but scores are from -500000 to 500000"):
        zermelo.solve(Rows())


def test_random_play_of_an_endless_game_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    class Rolling(Round):
        endless = "draw"

    zermelo.test_game(Rolling(7))
    assert "has not ended" in capsys.readouterr().out
    zermelo.test_game(HareAndHounds())
    shown = capsys.readouterr().out
    assert "player has won" in shown and "won by" not in shown
    table = zermelo.solve(Rolling(7))
    assert {table.outcome((left,)) for left in range(1, 8)} == {"draw"}
    # Each position comes up with either player to move.
    assert len(table.line()) == 2 * 7 - 1
