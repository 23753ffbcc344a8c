"""Games written in Python, compared with plain recursion; rules that would give wrong scores."""

import random
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import zermelo
from test_own import Nim, TicTacToe


class Random:
    """A random game with several layers.

    Positions come in pairs of images, which have the same moves under other names.
    """

    name = "random"

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.has_sides = seed % 2 == 0
        layers, width = chance.randint(2, 6), chance.randint(1, 8)
        self.steps: dict[tuple[int, int, int], dict[str, tuple[int, int, int]]] = {}
        self.scores: dict[tuple[int, int, int], int] = {}
        self.sides: dict[tuple[int, int, int], int] = {}
        for layer in range(layers + 1):
            for place in range(width):
                pair = [(layer, place, image) for image in (0, 1)]
                for one in pair:
                    self.sides[one] = 0 if layer == 0 else hash((seed, layer, place)) % 2
                if layer == layers or layer and chance.random() < 0.2:
                    score = chance.randint(-9, 9)
                    self.scores.update(dict.fromkeys(pair, score))
                    continue
                there = [(layer + 1, chance.randrange(width), chance.randrange(2))
                         for _ in range(chance.randint(1, 4))]
                for one in pair:
                    names = chance.sample("abcdefgh", len(there))
                    self.steps[one] = {
                        name: (to[0], to[1], to[2] ^ one[2])
                        for name, to in zip(names, there, strict=True)
                    }
        if self.has_sides:
            self.side = self.sides.__getitem__

    def start(self):
        return (0, 0, 0)

    def moves(self, p):
        return list(self.steps[p])

    def play(self, p, m):
        return self.steps[p][m]

    def score(self, p):
        return self.scores.get(p)

    def truth(self):
        """The score of every reachable position, seen from its side to move."""
        known: dict[tuple[int, int, int], int] = {}

        def of(p) -> int:
            if p not in known:
                score = self.score(p)
                if score is None:
                    score = max(self.worth(p, to, of(to)) for to in self.steps[p].values())
                known[p] = score
            return known[p]

        of(self.start())
        return known

    def worth(self, p, child, score: int) -> int:
        is_same = self.has_sides and self.sides[p] == self.sides[child]
        return score if is_same else -score


@pytest.mark.parametrize("some", range(10))
def test_random_games_have_the_scores_of_plain_recursion(some: int, tmp_path: Path) -> None:
    for seed in range(20 * some, 20 * some + 20):
        game = Random(seed)
        truth = game.truth()
        path = tmp_path / f"{seed}.bin"
        table = zermelo.solve(game, out=path)
        unfinished = [p for p in truth if p not in game.scores]
        assert len(table) == len(unfinished) == len(set(table))
        perfect = 0
        for p in truth:
            assert table.score(p) == truth[p]
            expected = {m: game.worth(p, to, truth[to]) for m, to in game.steps.get(p, {}).items()}
            assert dict(table.moves(p)) == expected
            assert set(table.best_moves(p)) == {m for m in expected if expected[m] == truth[p]}
            if p in game.scores:
                continue
            perfect += expected[game.moves(p)[0]] == truth[p]
            end, worth = p, 1
            for m in table.line(p):
                after = game.play(end, m)
                worth *= game.worth(end, after, 1)
                end = after
            assert worth * game.scores[end] == truth[p]
        report = zermelo.check(table, lambda p, game=game: game.moves(p)[0])
        assert (report["asked"], report["best_moves"]) == (len(unfinished), perfect)
        for mistake in report["worst"]:
            p = mistake["position"]
            assert truth[p] - game.worth(p, game.play(p, mistake["move"]), truth[
                game.play(p, mistake["move"])]) == mistake["regret"]
        assert zermelo.verify(path, game=Random(seed)).verdict == "proved"


def test_the_command_line_knows_every_position(tmp_path: Path) -> None:
    game, path = Random(4), tmp_path / "random.bin"
    truth = game.truth()
    zermelo.solve(game, out=path)
    text = "".join(f"{p}\n" for p in truth if p not in game.scores)
    done = subprocess.run([sys.executable, "-m", "zermelo", "query", str(path), "--batch"],
                          input=text, capture_output=True, text=True, check=True)
    found = [int(line.split("\t")[0]) for line in done.stdout.splitlines()]
    assert found == [score for p, score in truth.items() if p not in game.scores]


class Hidden:
    """A position whose comparison omits a field that the rules depend on."""

    def __init__(self, left: int, turned: bool) -> None:
        self.left, self.turned = left, turned

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hidden) and self.left == other.left

    def __hash__(self) -> int:
        return hash(self.left)

    def __repr__(self) -> str:
        return f"Hidden({self.left}, {self.turned})"


class OfHidden:
    def start(self) -> Hidden:
        return Hidden(5, False)

    def moves(self, p: Hidden) -> list[int]:
        return [1] if p.turned else [1, 2][: p.left]

    def play(self, p: Hidden, taken: int) -> Hidden:
        return Hidden(p.left - taken, taken == 2)

    def score(self, p: Hidden) -> int | None:
        return None if p.left else -1

    def format(self, p: Hidden) -> str:
        return str(p.left)

    def parse(self, text: str) -> Hidden:
        return Hidden(int(text), False)


def test_positions_that_hide_what_the_rules_depend_on_are_refused() -> None:
    with pytest.raises(zermelo.SolveError, match=r"compares equal to .* moves\(\) or play\(\) of it is different"):
        zermelo.solve(OfHidden())

    class WithSides(OfHidden):
        def moves(self, p: Hidden) -> list[int]:
            return [1, 2][: p.left]

        def side(self, p: Hidden) -> int:
            return int(p.turned)

    with pytest.raises(zermelo.SolveError, match=r"side\(\) of it is different"):
        zermelo.solve(WithSides())


class FromHidden(OfHidden):
    """Hides only the positions that moves lead to."""

    def moves(self, p: Hidden) -> list[int]:
        return [1, 2]

    def play(self, p: Hidden, taken: int) -> Hidden:
        return Hidden(max(0, p.left - taken - p.turned), taken == 2)


class Remembers(TicTacToe):
    """The game has the side to move, which belongs in the position."""

    def __init__(self) -> None:
        self.player = 0

    def side(self, p: str) -> int:
        return self.player

    def play(self, p: str, square: int) -> str:
        after = super().play(p, square) if self.player == p.count("X") - p.count("O") else (
            p[:square] + "XO"[self.player] + p[square + 1:])
        self.player = 1 - self.player
        return after


class RememberedEnd(Nim):
    """The winner depends on the last call of play()."""

    last = 0

    def play(self, p, taken):
        self.last = taken
        return super().play(p, taken)

    def score(self, p):
        return (1 if self.last == 1 else -1) if p[0] == 0 else None


@pytest.mark.parametrize("game", [FromHidden(), Remembers(), RememberedEnd()])
def test_rules_that_depend_on_more_than_the_position_are_refused(game: object) -> None:
    with pytest.raises(zermelo.SolveError, match="is different|asked again|depend only on its arg"):
        zermelo.solve(game)


def test_sets_may_give_moves_in_any_order() -> None:
    class Picks:
        def start(self): return frozenset([0, 1, 8, 16, 24, 32])
        def moves(self, p): return p
        def play(self, p, m): return p - {m}
        def score(self, p): return None if len(p) > 1 else -1
        def format(self, p): return ",".join(map(str, sorted(p))) or "none"
        def parse(self, text): return frozenset(map(int, text.split(","))) if text != "none" else frozenset()

    table = zermelo.solve(Picks())
    assert table.score(frozenset([1, 0])) == 1


def test_the_same_rules_under_another_name_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "nim.bin"
    zermelo.solve(Nim(30), out=path)
    backwards = type("Other", (Nim,), {"moves": lambda self, p: range(min(3, p[0]), 0, -1)})(30)
    assert zermelo.verify(path, game=backwards).verdict == "proved"


def test_sides_are_compared_when_a_table_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "sided.bin"

    class Sided(Nim):
        name = "sided"

        def __init__(self, every: int) -> None:
            super().__init__(12)
            self.every = every

        def side(self, p):
            return (12 - p[0]) // self.every % 2

    zermelo.solve(Sided(1), out=path)
    assert zermelo.open(path, game=Sided(1)).score((12,)) is not None
    with pytest.raises(ValueError, match="has the side . in the table and . in your game"):
        zermelo.open(path, game=Sided(2))
    with pytest.raises(ValueError, match="passes the turn in your game, but not in the table"):
        zermelo.open(path, game=Nim(12))


def test_rows_of_a_long_game_are_looked_at_far_from_the_start() -> None:
    class Long:
        """From the middle of the game on, rows get the scores of other rows."""

        def start(self): return [0, 0]
        def scores(self, rows): return rows[:, 0] >= 6000, rows[:, 1] % 3 - 1

        def expand(self, rows):
            parents = np.repeat(np.arange(len(rows)), 2)
            moves = np.tile([0, 1], len(rows))
            source = parents if rows[0, 0] < 5000 else parents[::-1]
            return np.column_stack([rows[parents, 0] + 1, (rows[source, 1] + moves) % 5]), parents, moves

    with pytest.raises(zermelo.SolveError, match="among other positions|the move .* twice"):
        zermelo.solve(Long())


def test_methods_of_the_other_kind_of_game_are_refused() -> None:
    with pytest.raises(TypeError, match=r"it has sides\(\), which .* calls side\(\)"):
        zermelo.solve(type("Plain", (Nim,), {"sides": lambda self, rows: rows})())
    with pytest.raises(TypeError, match="side must be a method, not 4: remove it"):
        zermelo.solve(type("Data", (Nim,), {"side": 4})())


def test_strings_may_be_moves_with_names() -> None:
    class Compass(Nim):
        def moves(self, p): return ["N", "S"][: p[0]]
        def play(self, p, m): return (p[0] - 1 - (m == "S"),)
        def format_move(self, m): return {"N": "north", "S": "south"}[m]

    table = zermelo.solve(Compass())
    assert table.all_moves == ("north", "south")
    assert dict(table.moves((3,))) == {"N": -1, "S": -1}
    assert table.play((3,), "S") == (1,)


def test_a_bad_position_far_from_the_start_is_named() -> None:
    for wrong, problem in [([1], "can't be hashed"), ({1}, "can't be hashed")]:
        class Deep(Nim):
            def play(self, p, m, wrong=wrong):
                return wrong if p == (2_000, 3) else (p[0] - 1, m)

            def start(self): return (4_000, 0)
            def moves(self, p): return range(1, 6)

        with pytest.raises(zermelo.SolveError, match=problem):
            zermelo.solve(Deep())


@pytest.mark.parametrize("number", [float, Fraction, np.int64, np.float64])
def test_equal_numbers_are_one_position_and_one_move(number) -> None:
    class Halved(Nim):
        def start(self):
            return (20,)

        def moves(self, p):
            return [number(taken) for taken in (1, 2) if taken <= p[0]]

        def play(self, p, taken):
            return (p[0] - taken,)

    table = zermelo.solve(Halved())
    assert len(table) == 20
    for left in range(21):
        for one in (left, float(left), np.int64(left), Fraction(left)):
            assert (one,) in table
            assert table.score((one,)) == (-1 if left % 3 == 0 else 1)
    assert table.best_moves((20,)) == [2] and type(table.best_moves((20,))[0]) is number
    assert table.play((20,), 2) == table.play((20,), 2.0) == table.play((20,), "2") == (18,)


def test_truth_values_and_numbers_are_one() -> None:
    class Flags:
        def start(self): return (False, 3)
        def moves(self, p): return [1, 2][: p[1]]
        def play(self, p, m): return ((not p[0]) if m == 1 else 1 - p[0], p[1] - m)
        def score(self, p): return -1.0 if p[1] == 0 else None

    table = zermelo.solve(Flags())
    assert (0, 3) in table and (False, 3) in table
    assert table.score((True, np.int8(2))) == table.score((1, 2))


def test_changed_rules_are_found_far_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "nim.bin"
    zermelo.solve(Nim(300), out=path)

    class Changed(Nim):
        name = "nim"

        def moves(self, p):
            return [1] if p[0] == 100 else super().moves(p)

    assert zermelo.verify(path, game=Nim(300)).verdict == "proved"
    verdict = zermelo.verify(path, game=Changed(300))
    assert not verdict and "the moves" in str(verdict.reason)


def test_unbounded_games_have_limits() -> None:
    class Endless(Nim):
        def play(self, p, taken):
            return (p[0] + taken,)

    for limits, wrong, problem in [
        ({"max_positions": 5_000}, zermelo.SolveError, "more than 5000 positions can come up"),
        ({"memory": 20_000_000}, MemoryError, "allow more with memory="),
    ]:
        with warnings.catch_warnings(record=True) as warned, pytest.raises(wrong, match=problem):
            warnings.simplefilter("always")
            zermelo.solve(Endless(), **limits)
        if "max_positions" in limits:
            assert warned == []
        else:
            (warning,) = warned
            assert warning.category is RuntimeWarning and warning.filename == __file__
            assert "has not ended after 10,000 moves" in str(warning.message)
            assert "or pass max_positions=" in str(warning.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(zermelo.solve(Nim(1_500))) == 1_500

    class EndlessRows:
        def start(self): return [0]
        def scores(self, rows): return rows[:, 0] < 0, np.zeros(len(rows), dtype=int)
        def expand(self, rows):
            parents = np.repeat(np.arange(len(rows)), 2)
            moves = np.tile([1, 2], len(rows))
            return 2 * rows[parents] + moves[:, None], parents, moves

    for limits, wrong in [({"max_positions": 5_000}, zermelo.SolveError), ({"memory": 100_000_000}, MemoryError)]:
        with pytest.raises(wrong):
            zermelo.solve(EndlessRows(), **limits)
    assert len(zermelo.solve(Nim(), max_positions=22)) == 21
    with pytest.raises(TypeError, match="games of your own"):
        zermelo.solve("tictactoe", max_positions=9)


def test_cycles_are_told_in_few_words() -> None:
    class Round(Nim):
        def play(self, p, taken):
            return ((p[0] - taken - 1) % self.counters + 1,)

    with pytest.raises(zermelo.SolveError) as caught:
        zermelo.solve(Round(500))
    assert "come up twice in one game" in str(caught.value) and len(str(caught.value)) < 1000


def test_a_game_at_random_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    zermelo.test_game(TicTacToe())
    shown = capsys.readouterr().out
    assert shown.startswith("a random game: first: ") and "player has won by" in shown


def test_functions_that_take_a_table_take_a_game() -> None:
    assert zermelo.check(Nim(), lambda p: p[0] % 4 or 1).verdict == "perfect"


def test_names_with_dots_have_lists_of_their_own(tmp_path: Path) -> None:
    for version in ("v1.3", "v1.4"):
        zermelo.solve(Nim(20 + int(version[-1])), out=tmp_path / version)
    assert [len(zermelo.open(tmp_path / version)) for version in ("v1.3", "v1.4")] == [23, 24]


def test_scores_are_in_range() -> None:
    for score in (-2**31, 500_000_001, 2**70, 0.123456789, float("nan"), float("inf"), "1"):
        with pytest.raises(zermelo.SolveError, match="from -500,000,000 to 500,000,000"):
            zermelo.solve(type("Far", (Nim,), {"score": lambda self, p: score if p[0] == 0 else None})())  # noqa: B023
