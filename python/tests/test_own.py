"""Games whose rules are written in Python."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import zermelo

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe:
    """Tic-tac-toe, with the notation of the library's own."""

    name = "ttt"

    def start(self) -> str:
        return "........."

    def side(self, p: str) -> int:
        return (9 - p.count(".")) % 2

    def moves(self, p: str) -> list[int]:
        return [square for square in range(9) if p[square] == "."]

    def play(self, p: str, square: int) -> str:
        return p[:square] + "XO"[self.side(p)] + p[square + 1 :]

    def score(self, p: str) -> int | None:
        if any(p[a] == p[b] == p[c] != "." for a, b, c in LINES):
            return -((11 - (9 - p.count("."))) // 2)
        return None if "." in p else 0

    def format_move(self, square: int) -> str:
        return "abc"[square % 3] + "123"[square // 3]


class Nim:
    """Take 1 to 3 of the counters; taking the last one wins. The turn passes with every move."""

    def __init__(self, counters: int = 21) -> None:
        self.counters = counters

    def start(self) -> tuple[int]:
        return (self.counters,)

    def moves(self, p: tuple[int]) -> range:
        return range(1, min(3, p[0]) + 1)

    def play(self, p: tuple[int], taken: int) -> tuple[int]:
        return (p[0] - taken,)

    def score(self, p: tuple[int]) -> int | None:
        return -1 if p[0] == 0 else None


class NimOfRows:
    name = "nim-of-rows"

    def start(self) -> list[int]:
        return [21]

    def scores(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return rows[:, 0] == 0, np.full(len(rows), -1)

    def expand(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        moves, parents = np.meshgrid([1, 2, 3], np.arange(len(rows)))
        moves, parents = moves.ravel(), parents.ravel()
        legal = moves <= rows[parents, 0]
        moves, parents = moves[legal], parents[legal]
        return rows[parents] - moves[:, None], parents, moves


class SowTwice:
    """A side that rolls an even number of counters moves again."""

    def start(self) -> tuple[int, int]:
        return (9, 0)

    def side(self, p: tuple[int, int]) -> int:
        return p[1]

    def moves(self, p: tuple[int, int]) -> list[int]:
        return [taken for taken in (1, 2, 3) if taken <= p[0]]

    def play(self, p: tuple[int, int], taken: int) -> tuple[int, int]:
        return (p[0] - taken, p[1] if taken % 2 == 0 else 1 - p[1])

    def score(self, p: tuple[int, int]) -> int | None:
        return -5 if p[0] == 0 else None


def test_tic_tac_toe_has_the_scores_of_the_library(ttt: zermelo.Oracle) -> None:
    table = zermelo.solve(TicTacToe())
    assert len(table) == 4_520
    for labels in table.blocks():
        assert labels.texts is not None
        assert (labels.scores == ttt.scores(labels.texts)).all()
        for position in labels.texts[:100]:
            named = [("abc"[square % 3] + "123"[square // 3], score) for square, score in table.moves(position)]
            assert sorted(named) == sorted(ttt.moves(position))
    assert table.verify().verdict == "proved"


def test_legal_moves_are_in_the_order_of_the_game() -> None:
    game = TicTacToe()
    table = zermelo.solve(game)
    assert all(table.legal_moves(p) == game.moves(p) for p in table)
    # A list with the best move first would tell an AI what to play.
    assert any(table.best_moves(p)[0] != table.legal_moves(p)[0] for p in table)


def test_a_row_without_numbers_is_no_position() -> None:
    class Empty(NimOfRows):
        def start(self) -> list[int]:
            return []

    with pytest.raises(zermelo.SolveError, match="a row of numbers is wanted"):
        zermelo.solve(Empty())


def test_the_turn_passes_without_sides() -> None:
    table = zermelo.solve(Nim())
    assert len(table) == 21
    for left in range(1, 22):
        assert table.score((left,)) == (-1 if left % 4 == 0 else 1)
    assert table.start == (21,)
    assert table.best_moves((21,)) == [1]
    assert table.play((21,), 1, 2) == (18,)
    assert table.play((21,), *table.line()) == (0,)
    assert (30,) not in table
    assert (7,) in table
    by_rows = zermelo.solve(NimOfRows())
    assert (by_rows.scores([(left,) for left in range(1, 22)])
            == table.scores([(left,) for left in range(1, 22)])).all()
    assert by_rows.play([21], 1).tolist() == [20]


def best(game, p) -> int:
    """An independent solver: plain recursion over all moves."""
    score = game.score(p)
    if score is not None:
        return score
    children = [game.play(p, move) for move in game.moves(p)]
    return max(best(game, child) if game.side(child) == game.side(p) else -best(game, child)
               for child in children)


def test_sides_need_not_alternate() -> None:
    game = SowTwice()
    table = zermelo.solve(game)
    for left in range(10):
        for side in (0, 1):
            if (left, side) in table:
                assert table.score((left, side)) == best(game, (left, side))


def test_tables_are_files_that_the_commands_read(tmp_path: Path) -> None:
    path = tmp_path / "nim.bin"
    zermelo.solve(Nim(), out=path)
    assert (tmp_path / "nim.bin.game").is_file()
    again = zermelo.open(path, game=Nim())
    assert again.score((20,)) == -1
    plain = zermelo.open(path)
    assert plain.score("(20,)") == -1
    for ask in (plain.score, plain.moves, plain.position, lambda p: plain.scores([p]), lambda p: plain.play(p, 1)):
        with pytest.raises(TypeError, match=r"is \(20,\), but .*without game= takes strings such as '\(21,\)': "):
            ask((20,))  # type: ignore[arg-type]
    assert (20,) not in plain
    with pytest.raises(FileExistsError):
        zermelo.solve(Nim(), out=path)

    def run(*words: str) -> str:
        done = subprocess.run([sys.executable, "-m", "zermelo", *words],
                              capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    assert run("query", str(path), "first-player win?").startswith("yes")
    assert "proved" in run("verify", "--json", str(path))
    assert "perfect" in run("check-ai", str(path), "--ai", "builtin:perfect")
    run("info", str(path))
    run("export", str(path), "--out", str(tmp_path / "csv"), "--format", "csv")
    zermelo.solve(Nim(20), out=tmp_path / "other.bin")
    (tmp_path / "other.bin.game").rename(tmp_path / "nim.bin.game")
    with pytest.raises(zermelo.TableError, match="doesn't belong to"):
        zermelo.open(path)


def test_an_ai_of_an_own_game_is_checked() -> None:
    table = zermelo.solve(Nim())
    seen: list[tuple[int]] = []

    def ai(p: tuple[int]) -> int:
        seen.append(p)
        return p[0] % 4 or 1

    assert zermelo.check(table, ai).verdict == "perfect"
    assert all(isinstance(p, tuple) for p in seen)
    assert zermelo.check(table, lambda p: 1).verdict == "imperfect"


def changed(**methods):
    return type("Changed", (Nim,), methods)()


@pytest.mark.parametrize(("game", "problem"), [
    (changed(play=lambda self, p, m: (p[0] - m if p[0] > 3 else 9,)), r"come up twice in one game.* -> \("),
    (changed(score=lambda self, p: 1 / 3 if p[0] == 0 else None), r"score\(\(0,\)\) returned 0.3+: return None .*or a number"),
    (changed(score=lambda self, p: None), r"moves\(\(0,\)\) is empty, but score\(\(0,\)\) is None"),
    (changed(moves=lambda self, p: [1, 1]), "two moves are called 1"),
    (changed(format=lambda self, p: "same"), "have the same text|read back"),
    (changed(name="Two Words"), "is no name for a game"),
    (changed(side=lambda self, p: 2), r"side\(\(21,\)\) returned 2: return 0 for the first player or 1"),
    (changed(play=lambda self, p, m: object()),
     r"play\(\(21,\), 1\) returned <object.*, then <object.*: define __eq__ and __hash__"),
    (changed(play=lambda self, p, m: None), r"play\(\(21,\), 1\) returned None: return a position"),
    (changed(start=lambda self: None), r"start\(\) returned None: return a position"),
    (changed(moves=lambda self, p: None), r"moves\(\(21,\)\) returned None: return a list of moves$"),
    (changed(moves=lambda self, p: 3), r"moves\(\(21,\)\) returned 3: return a list of moves$"),
])
def test_invalid_games_are_refused(game: object, problem: str) -> None:
    with pytest.raises(zermelo.SolveError, match=problem):
        zermelo.solve(game)


def test_a_game_that_changes_its_positions_is_refused() -> None:
    class Heap:
        def __init__(self, counters: int) -> None:
            self.counters = counters

        def __hash__(self) -> int:
            return self.counters

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Heap) and self.counters == other.counters

        def __repr__(self) -> str:
            return f"{self.counters} left"

    def play(self: object, heap: Heap, taken: int) -> Heap:
        heap.counters -= taken
        return heap

    game = changed(
        start=lambda self: Heap(5),
        parse=lambda self, text: Heap(int(text.split()[0])),
        moves=lambda self, heap: [1],
        play=play,
        score=lambda self, heap: None if heap.counters > 0 else -1,
    )
    for refused in (zermelo.solve, zermelo.test_game):
        with pytest.raises(zermelo.SolveError, match="changes the position 5 left: leave it as it is"):
            refused(game)


class Sums:
    """Each side adds to a sum; the second player wants it to be low."""

    def start(self) -> tuple[int, int]:
        return (0, 0)

    def moves(self, p: tuple[int, int]) -> list[int]:
        return [1, 7, 50, 101]

    def play(self, p: tuple[int, int], added: int) -> tuple[int, int]:
        return (p[0] + 1, p[1] + added)

    def side(self, p: tuple[int, int]) -> int:
        return p[0] % 2

    def score(self, p: tuple[int, int]) -> int | None:
        return None if p[0] < 6 else p[1]


def test_many_scores_are_solved() -> None:
    assert zermelo.solve(Sums()).verify()


def test_exceptions_of_the_rules_come_out_with_the_position() -> None:
    def play(self: Nim, p: tuple[int], m: int) -> tuple[int]:
        if p == (7,):
            raise ArithmeticError("seven is unlucky")
        return (p[0] - m,)

    with pytest.raises(ArithmeticError, match="unlucky") as caught:
        zermelo.solve(changed(play=play))
    assert caught.value.__notes__ == ["in the position (7,)"]
    with pytest.raises(zermelo.SolveError, match=r"unhashable.*use a tuple .*frozen dataclass, at \[21\]"):
        zermelo.solve(changed(start=lambda self: [21], play=lambda self, p, m: [p[0] - m]))
    with pytest.raises(TypeError, match=r"no method start\(\)"):
        zermelo.solve(object())


def test_rules_are_tested() -> None:
    for game in (TicTacToe(), Nim(), SowTwice(), NimOfRows()):
        assert zermelo.test_game(game) > 9
    for game, problem in [
        (changed(score=lambda self, p: "0.5" if p[0] == 0 else None), "or a number"),
        (changed(moves=lambda self, p: [1, 1]), "two moves are called 1"),
        (changed(moves=lambda self, p: []), "is empty, but score"),
        (changed(play=lambda self, p, m: p), r"play\(\(21,\), 1\) returned the same position: no position may"),
        (changed(play=lambda self, p, m: object()), "then <object"),
        (changed(parse=lambda self, text: (0,)), "is read back as"),
        (changed(side=lambda self, p: "north"), "side"),
        (object(), "no method"),
    ]:
        with pytest.raises(zermelo.SolveError, match=problem):
            zermelo.test_game(game)


def test_positions_of_a_game_too_large_to_solve_are_searched() -> None:
    class Nim:
        def start(self):
            return (40, 50, 60)

        def moves(self, piles):
            return [(at, left) for at, most in enumerate(piles) for left in range(most)]

        def play(self, piles, move):
            return (*piles[: move[0]], move[1], *piles[move[0] + 1 :])

        def score(self, piles):
            return None if any(piles) else -1

    game = zermelo.search(Nim(), max_positions=2000)
    for position in ((3, 4, 5), (1, 2, 3), (6, 2, 4), (5, 7, 2), (0, 9, 9)):
        # Nim is lost where the exclusive or of the piles is 0.
        lost = position[0] ^ position[1] ^ position[2] == 0
        assert game.score(position) == (-1 if lost else 1)
        assert game.outcome(position) == ("loss" if lost else "win")
        for move, score in game.moves(position):
            after = Nim().play(position, move)
            assert score == (1 if after[0] ^ after[1] ^ after[2] == 0 else -1)
        assert game.best_moves(position)[0] == game.line(position)[0]
    with pytest.raises(zermelo.SolveError, match="2,000|2000"):
        game.score((40, 50, 60))
    with pytest.raises(TypeError, match="max_positions= and memory="):
        zermelo.search(Nim(), pits=3)


class Pictured(TicTacToe):
    """Tic-tac-toe, drawn.

    Three in a row win.
    """

    def picture(self, p: str) -> list[object]:
        return [p[0:3], list(p[3:6]), p[6:9]]


def test_pictures_are_stored_with_the_list_and_drawn(tmp_path: Path) -> None:
    path = tmp_path / "ttt.bin"
    table = zermelo.solve(Pictured(), out=path)
    assert table.rules == zermelo.solve(TicTacToe()).rules
    svg = table.svg("X...O....")
    assert svg is not None and 'class="cross"' in svg and 'class="nought"' in svg
    opened = zermelo.open(path)
    assert opened.svg("X...O....") == svg
    assert "data:image/svg+xml" in opened._repr_html_()
    assert zermelo.solve(TicTacToe()).svg(".........") is None
    assert "<pre>" in zermelo.solve(TicTacToe())._repr_html_()


def test_games_on_arrays_have_pictures_too() -> None:
    class Drawn(NimOfRows):
        squares = [["counters"]]

        def picture(self, row: np.ndarray) -> list[list[int]]:
            return [[int(row[0])]]

    svg = zermelo.solve(Drawn()).svg([7])
    assert svg is not None and ">7</text>" in svg


@pytest.mark.parametrize(
    ("rows", "squares", "problem"),
    [
        ("X..", None, "give a list of rows"),
        (3, None, "give a list of rows"),
        ([3], None, "give a list of rows"),
        ([["a", 1.5]], None, "a square is a text, a whole number or None"),
        (["ab", "a"], None, "rows of 2 and of 1 squares: give each row as many, with None"),
        ([], None, "has 0 rows"),
        (["a" * 27], None, "give 1 to 26 rows of 1 to 26 squares"),
        ([["red"]], None, '"black" or "white" for a disc'),
        ([["ab"]], None, "write one letter"),
        ([[10_000]], None, "a whole number up to 9999"),
        ([["a", "b"]], [["a1"]], "other rows than `squares`"),
        ([["a", "b"]], [["a1", "a1"]], "give each square another name"),
        ([["a", "b"]], [["a1", ""]], "give each square another name"),
    ],
)
def test_wrong_pictures_are_refused_with_what_would_be_right(
    rows: object, squares: object, problem: str
) -> None:
    game = Nim(3)
    game.picture = lambda p: rows  # type: ignore[attr-defined]
    game.squares = squares  # type: ignore[attr-defined]
    with pytest.raises(zermelo.SolveError, match=re.escape(problem)):
        zermelo.solve(game)


def test_moves_may_come_in_any_order(tmp_path: Path) -> None:
    class Shuffled(TicTacToe):
        def moves(self, p: str) -> list[int]:
            moves = super().moves(p)
            chance.shuffle(moves)
            return moves

    chance = np.random.default_rng(1)
    game = Shuffled()
    assert zermelo.test_game(game) > 100
    table, plain = zermelo.solve(game, out=tmp_path / "ttt.bin"), zermelo.solve(TicTacToe())
    for p in plain:
        assert dict(table.moves(p)) == dict(plain.moves(p))
    assert zermelo.open(tmp_path / "ttt.bin", game=game).score(table.start) == 0
    assert zermelo.verify(tmp_path / "ttt.bin", game=game).verdict == "proved"

    class Other(Shuffled):
        def play(self, p: str, square: int) -> str:
            return super().play(p, chance.choice(self.moves(p)) if p.count(".") == 5 else square)

    with pytest.raises(zermelo.SolveError, match="it must depend only on its arguments"):
        zermelo.solve(Other())
