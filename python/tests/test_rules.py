"""The usual mistakes in the rules of a game are found."""

import dataclasses
import itertools
import random

import numpy as np
import pytest

import zermelo
from test_own import Nim, NimOfRows, SowTwice, TicTacToe
from test_own_arrays import Counters


def changed(base, **methods):
    return type("Changed", (base,), methods)()


class TwoHeaps(Nim):
    """Two heaps, with the side to move."""

    def start(self):
        return (0, 4, 3)

    def side(self, p):
        return p[0]

    def moves(self, p):
        return [(heap, taken) for heap in (1, 2) for taken in (1, 2) if taken <= p[heap]]

    def play(self, p, move):
        heap, taken = move
        left = list(p)
        left[heap] -= taken
        return (1 - p[0], left[1], left[2])

    def score(self, p):
        return None if p[1] or p[2] else -1


class SidesOfRows(Counters):
    """The same game on arrays."""

    def start(self):
        return [0, 4, 3]

    def sides(self, rows):
        return rows[:, 0]

    def scores(self, rows):
        return (rows[:, 1:] == 0).all(axis=1), np.full(len(rows), -1)

    def expand(self, rows):
        children, parents, moves = super().expand(rows[:, 1:])
        return np.column_stack([1 - rows[parents, 0], children]), parents, moves


def test_right_games_pass() -> None:
    for game in (TicTacToe(), Nim(), SowTwice(), NimOfRows(), Counters(), TwoHeaps(), SidesOfRows()):
        assert zermelo.test_game(game) > 9
    # Also at the ends of long playouts, far from the start.
    assert 50 < zermelo.test_game(Nim(300), limit=50) < 1000
    two, of_rows = zermelo.solve(TwoHeaps()), zermelo.solve(SidesOfRows())
    assert len(two) == len(of_rows)
    for p in two:
        assert two.score(p) == of_rows.score(p)


def varying(values):
    """A method that returns another value with each call."""
    calls = iter(values)
    return lambda self, p: next(calls)


@pytest.mark.parametrize(("game", "problem"), [
    (changed(TwoHeaps, score=lambda self, p: None if p[1] or p[2] else random.randrange(1000)),
     r"score\(\(.*\)\) returned \d+, then \d+: it must depend only on its argument"),
    (changed(Nim, moves=lambda self, p: range(1, random.choice((2, 3)))), 
     r"moves\(\(21,\)\) returned range|moves\(\(\d+,\)\) returned \[1.*\], then \[1.*\]: it must depend"),
    (changed(Nim, play=lambda self, p, m: (p[0] - m if p[0] > 3 else 21,)), "come up twice in one game.*->"),
    (changed(Nim, format=lambda self, p: "same"), "have the same text|is read back|can't be read back"),
    (changed(Nim, format=lambda self, p: f"{p}\n"), "one line of letters"),
    (changed(Nim, format=lambda self, p: f" {p[0]}"), "one line of letters"),
    (changed(Nim, format=lambda self, p: p[0]), "one line of letters"),
    (changed(Nim, format=lambda self, p: f"{p[0]} second"), "name the player to move"),
    (changed(Nim, format_move=lambda self, m: f"{m}\n"), "a move is called"),
    (changed(Nim, format_move=lambda self, m: m), "a move is called 1"),
    (changed(Nim, format_move=lambda self, m: ""), "a move is called ''"),
    (changed(Nim, moves=lambda self, p: [object()], play=lambda self, p, m: (0,)), "a move is called <object object.*format_move"),
    (changed(Nim, score=lambda self, p: 10**9 if p[0] == 0 else None), "from -500,000,000"),
    (Nim, "it is a class: give an object of it, Nim"),
    # The same mistakes on arrays.
    (changed(Counters, sides=lambda self, rows: np.full(len(rows), 2)), r"sides\(\[\[4, 3\]\]\) returned 2: return 0 for the first"),
    (changed(Counters, sides=lambda self, rows: [0, 1, 0]), r"sides\(\) gives an array of the shape"),
    (changed(Counters, format_move=lambda self, move: f"{move}\n"), "a move is called"),
    (changed(Counters, format_move=lambda self, move: "take"), "two moves are called"),
    (changed(Counters, scores=lambda self, rows: ((rows == 0).all(axis=1), np.full(len(rows), 1 / 3))),
     r"scores\(\[\[0, 0\]\]\) returned .*0.3.*: return None .*or a number"),
    (changed(Counters, scores=lambda self, rows: ((rows == 0).all(axis=1), np.full(len(rows), 1 << 30))),
     r"scores\(\[\[0, 0\]\]\) returned 1073741824: return None .*or a number"),
    (changed(Nim, score=lambda self, p: -1 if p[0] == 0 else False),
     r"score\(\(21,\)\) returned False: return None while the game goes on, or a number"),
    (changed(Nim, score=lambda self, p: np.bool_(True) if p[0] == 0 else None), "returned .*True.*: return None"),
    (changed(Counters, scores=lambda self, rows: ((rows == 0).all(axis=1), (rows == 0).all(axis=1))),
     r"scores\(\) returned booleans as scores"),
    (changed(Counters, scores=lambda self, rows: (rows[:, 0] > 9, rows[:, 0])),
     r"expand\(\[\[0, 0\]\]\) has no children, but scores\(\[\[0, 0\]\]\) says"),
    (changed(Counters, start=lambda self: [[1, 2]]), "a row of numbers is wanted"),
    (changed(Counters, expand=lambda self, rows: tuple(
        part[:, :1] if part.ndim == 2 else part for part in Counters.expand(self, rows))),
     "rows of 2 numbers are wanted"),
    (changed(Counters, expand=lambda self, rows: (lambda c, p, m: (c, p, m * 0))(
        *Counters.expand(self, rows))), "two moves are called"),
    (changed(Counters, expand=lambda self, rows: (lambda c, p, m: (c, p + 1, m))(
        *Counters.expand(self, rows))), "a child of position 1, of 1"),
    # Right only if asked about a single position.
    (changed(Counters, expand=lambda self, rows: (lambda c, p, m: (c, p * 0, m))(
        *Counters.expand(self, rows))), "among other positions"),
])
def test_mistakes_are_found(game: object, problem: str) -> None:
    with pytest.raises(zermelo.SolveError, match=problem):
        zermelo.test_game(game)


def test_exceptions_say_at_which_position() -> None:
    def unlucky(self, p, *more):
        if p[0] == 7:
            raise ArithmeticError("seven is unlucky")
        return getattr(Nim, name)(self, p, *more)

    for name in ("moves", "play", "score"):
        with pytest.raises(ArithmeticError, match="unlucky") as caught:
            zermelo.test_game(changed(Nim, **{name: unlucky}))
        assert caught.value.__notes__ == ["in the position (7,)"]

    def of_rows(self, rows):
        if (rows[:, 0] == 7).any():
            raise ArithmeticError("seven is unlucky")
        return NimOfRows.expand(self, rows)

    with pytest.raises(ArithmeticError) as caught:
        zermelo.test_game(changed(NimOfRows, expand=of_rows))
    assert caught.value.__notes__ == ["in the position [7]"]


def test_moves_that_vary_are_refused_by_solve() -> None:
    lengths = iter([3, 2, 3, 2, 3, 2])
    with pytest.raises(zermelo.SolveError, match=r"moves\(\(21,\)\) returned \[1, 2\], then \[1\]: it must"):
        zermelo.solve(changed(Nim, moves=lambda self, p: range(1, next(lengths))))
    with pytest.raises(zermelo.SolveError, match=r"the game needs format_move\(\)"):
        zermelo.solve(changed(Nim, moves=lambda self, p: [Lump()], play=lambda self, p, m: (0,)))


class Grid:
    """Steps to the right or up, in a square of 60 by 60."""

    def start(self):
        return (0, 0)

    def moves(self, p):
        return [way for way in (0, 1) if p[way] < 60]

    def play(self, p, way):
        return (p[0] + 1 - way, p[1] + way)

    def score(self, p):
        return 0 if p == (60, 60) else None


def far(method, wrong):
    """The grid with one wrong answer, where the tests of the rules don't come by."""
    return changed(Grid, **{
        method: lambda self, p, *more: wrong if p == (20, 50) else getattr(Grid, method)(self, p, *more)
    })


@pytest.mark.parametrize(("game", "problem"), [
    (far("play", None), r"play\(\(20, 50\), 0\) returned None: return a position"),
    (far("play", [1]), r"can't be hashed .*frozen dataclass, at \[1\]"),
    (far("moves", None), r"moves\(\(20, 50\)\) returned None: return a list"),
    (far("moves", []), r"moves\(\(20, 50\)\) is empty, but score\(\(20, 50\)\) is None"),
    (far("score", False), r"score\(\(20, 50\)\) returned False: return None while"),
    (far("score", np.False_), r"score\(\(20, 50\)\) returned .*False.*: return None while"),
    (far("score", 1 / 3), r"score\(\(20, 50\)\) returned 0.3+: return None while"),
    (changed(Grid, side=lambda self, p: 2 if p == (20, 50) else 0),
     r"side\(\(20, 50\)\) returned 2: return 0 for the first player or 1 for the second"),
])
def test_mistakes_far_from_the_start_have_the_same_texts(game: object, problem: str) -> None:
    zermelo.test_game(game)
    with pytest.raises(zermelo.SolveError, match=problem) as caught:
        zermelo.solve(game)
    assert caught.value.__notes__[-1] == "in the position (20, 50)"


class Square:
    """A position of the grid that can be changed."""

    def __init__(self, *at):
        self.at = list(at)

    def __eq__(self, other):
        return self.at == other.at

    def __hash__(self):
        return hash(tuple(self.at))


class GridOfSquares(Grid):
    def start(self):
        return Square(0, 0)

    def moves(self, p):
        return super().moves(p.at)

    def play(self, p, way):
        return Square(*super().play(p.at, way))

    def score(self, p):
        return super().score(tuple(p.at))

    def format(self, p):
        return "{} {}".format(*p.at)

    def parse(self, text):
        return Square(*map(int, text.split()))


@pytest.mark.parametrize("method", ["moves", "play"])
@pytest.mark.parametrize("calls", [1, 2, 3])
def test_positions_that_the_rules_change_far_from_the_start_are_refused(method: str, calls: int) -> None:
    remaining = calls

    def changes(self, p, *more):
        nonlocal remaining
        told = getattr(GridOfSquares, method)(self, p, *more)
        if p.at == [20, 50]:
            remaining -= 1
            if remaining == 0:
                p.at[0] = 21
        return told

    game = changed(GridOfSquares, **{method: changes})
    zermelo.test_game(game)
    assert remaining == calls
    with pytest.raises(zermelo.SolveError, match="changes the position 20 50: leave it as it is"):
        zermelo.solve(game)
    assert len(zermelo.solve(GridOfSquares())) == 61 * 61 - 1


def test_a_position_that_the_rules_change_later_is_refused() -> None:
    seen = []

    def play(self, p, way):
        child = GridOfSquares.play(self, p, way)
        if child.at == [20, 50]:
            seen.append(child)
        if p.at == [30, 40]:
            # Positions are explored in the order of their distance: the other one was found before.
            for other in seen:
                other.at[0] = 21
        return child

    game = changed(GridOfSquares, play=play)
    with pytest.raises(zermelo.SolveError, match="changes the position 21 50: leave it as it is"):
        zermelo.solve(game)


def test_endless_generators_of_moves_are_refused() -> None:
    class Endless(Nim):
        def moves(self, p):
            return itertools.count(1)

    class OnceEndless(Grid):
        def moves(self, p):
            return itertools.cycle([0, 1]) if p == (20, 50) else super().moves(p)

    for game, position in [(Endless(), r"\(21,\)"), (OnceEndless(), r"\(20, 50\)")]:
        with pytest.raises(zermelo.SolveError, match=rf"moves\({position}\) returned more than 65,536 moves"):
            zermelo.solve(game)


def test_positions_with_one_text_are_both_named() -> None:
    class Pairs(Nim):
        start = lambda self: 10  # noqa: E731
        moves = lambda self, p: range(1, min(3, p) + 1)  # noqa: E731
        play = lambda self, p, m: p - m  # noqa: E731
        score = lambda self, p: -1 if p == 0 else None  # noqa: E731
        format = lambda self, p: str(p // 2)  # noqa: E731

    with pytest.raises(zermelo.SolveError) as caught:
        zermelo.solve(Pairs())
    assert str(caught.value) == "positions 8 and 9 have the same text '4': format() must tell them apart"


class Lump:
    """Compares equal, but its text is <...Lump object at 0x...>."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lump)

    def __hash__(self) -> int:
        return 1


@dataclasses.dataclass(frozen=True)
class Heap:
    left: int


class OfHeaps(Nim):
    def start(self):
        return Heap(9)

    def moves(self, p):
        return range(1, min(3, p.left) + 1)

    def play(self, p, taken):
        return Heap(p.left - taken)

    def score(self, p):
        return -1 if p.left == 0 else None


def test_positions_that_nobody_can_read_are_refused() -> None:
    game = changed(Nim, start=lambda self: Lump(), score=lambda self, p: None)
    with pytest.raises(zermelo.SolveError, match=r"can't be read back.*give the game format\(\).* and dataclasses, at <[^,]*$"):
        zermelo.solve(game)
    table = zermelo.solve(changed(
        OfHeaps, format=lambda self, p: str(p.left), parse=lambda self, text: Heap(int(text))))
    assert table.start == Heap(9) and table.score(Heap(8)) == -1
    # Without parse(), questions about positions work, and reading a position is an error that says so.
    half = zermelo.solve(changed(OfHeaps, format=lambda self, p: f"heap of {p.left}"))
    assert half.score(Heap(8)) == -1
    with pytest.raises(ValueError, match=r"which has format\(\) but no parse\(\)"):
        half.start  # noqa: B018


def test_numbers_of_numpy_are_numbers() -> None:
    class OfScalars(Nim):
        def start(self):
            return np.int64(21)

        def moves(self, p):
            return np.arange(1, min(3, int(p)) + 1)

        def play(self, p, taken):
            return p - taken

        def score(self, p):
            return -1 if p == 0 else None

    class InTuples(Nim):
        def start(self):
            return (np.int64(21),)

        def play(self, p, taken):
            return (p[0] - np.int32(taken),)

    for game, of in [(OfScalars(), lambda left: left), (InTuples(), lambda left: (left,))]:
        assert zermelo.test_game(game) > 9
        table = zermelo.solve(game)
        for number in (int, np.int64, np.uint8):
            assert table.score(of(number(20))) == -1
        assert table.best_moves(of(21)) == [1]
        assert table.play(of(21), np.int64(1)) == of(20)
        assert table.start == of(21)
        assert zermelo.check(table, lambda p: np.int64(1)).verdict == "imperfect"


def test_positions_outside_an_own_table_raise_key_error() -> None:
    table = zermelo.solve(Nim())
    for ask in (table.score, table.moves, table.outcome, table.line, table.board):
        with pytest.raises(zermelo.NotInTable, match=r"^the table has no position \(30,\)$"):
            ask((30,))
    assert table.get((30,), 99) == 99 and table.get((30,)) is None and (30,) not in table
    assert table.get("(30,)", 99) == 99
    assert table.scores([(20,), (30,)], default=7).tolist() == [-1, 7]
    assert table.move_scores([(30,)], default=7).tolist() == [[7, 7, 7]]
    with pytest.raises(zermelo.NotInTable, match=r"^position 1: the table has no position \(30,\)$"):
        table.scores([(20,), (30,)])
    # Malformed text is a different error.
    for ask in (table.score, table.moves, table.get):
        with pytest.raises(ValueError, match="can be read from 'two heaps'"):
            ask("two heaps")
    with pytest.raises(ValueError, match="can be read from 'two heaps'"):
        table.scores(["two heaps"])
    with pytest.raises(ValueError, match=r"^the table has no position \(30,\)$"):
        table.position("(30,)")
    rows = zermelo.solve(Counters())
    with pytest.raises(zermelo.NotInTable, match="^the table has no position 9 counters and 9 counters$"):
        rows.score([9, 9])
    assert rows.scores([[4, 3], [9, 9]], default=5).tolist() == [1, 5]
    for nonsense in ([1, 2, 3], "9 counters", "words"):
        with pytest.raises(ValueError, match="a row of 2 numbers|can be read from"):
            rows.score(nonsense)


def test_numbers_beyond_64_bits_are_refused() -> None:
    class Unsigned(NimOfRows):
        def start(self):
            return np.array([2**64 - 20], dtype=np.uint64)

    for ask in (zermelo.solve, zermelo.test_game):
        with pytest.raises(zermelo.SolveError, match=r"below 2\*\*63, not 18446744073709551596"):
            ask(Unsigned())
    table = zermelo.solve(NimOfRows())
    with pytest.raises(ValueError, match=r"below 2\*\*63"):
        table.scores(np.array([[2**64 - 1]], dtype=np.uint64))
    assert table.scores(np.array([[20]], dtype=np.uint64)).tolist() == [-1]


def test_a_table_is_opened_with_its_own_game_only(tmp_path) -> None:
    path, rows, other = (tmp_path / name for name in ("nim.bin", "rows.bin", "ttt.bin"))
    zermelo.solve(Nim(), out=path)
    zermelo.solve(Counters(), out=rows)
    zermelo.solve("tictactoe", out=other)
    assert zermelo.open(path, game=Nim()).score((20,)) == -1
    assert zermelo.open(rows, game=Counters()).score([3, 3]) == -1
    for at, game, problem in [
        (path, Nim(20), r"rules differ from the table.s: the start is \(21,\) in the table and \(20,\) in your game"),
        (path, changed(Nim, moves=lambda self, p: [1, 2][: p[0]]), "the moves"),
        (path, changed(Nim, play=lambda self, p, m: (p[0] - 4 + m,)), "leads from"),
        # Rules that differ only at the end of the game.
        (path, changed(Nim, score=lambda self, p: 1 if p[0] == 0 else None), r"\(0,\) scores -1 in the table and 1 in your game"),
        (path, changed(Nim, score=lambda self, p: -1 if p[0] < 2 else None), "the moves|not in the table"),
        (path, changed(Nim, side=lambda self, p: 0), r"\(20,\) has the side 1 in the table and 0 in your game"),
        (rows, NimOfRows(), "the start is|leads from"),
        (other, Nim(), "not of a game in Python"),
    ]:
        with pytest.raises(ValueError, match=problem):
            zermelo.open(at, game=game)
    with pytest.raises(TypeError, match=r"no method start\(\)"):
        zermelo.open(path, game=object())
