"""Games that start anywhere, with either player, or at an end."""

import pickle
import warnings
from pathlib import Path

import pytest

import zermelo
from test_own import Nim, NimOfRows, TicTacToe
from test_own_cycles import HareAndHounds, Maze, truth


class Sided(Nim):
    """Nim in which a position tells whose turn it is, and one player begins."""

    def __init__(self, counters: int, begins: int) -> None:
        self.counters, self.begins = counters, begins

    def start(self):
        return (self.counters, self.begins)

    def side(self, p):
        return p[1]

    def play(self, p, taken):
        return (p[0] - taken, 1 - p[1])


def all_equal(one: zermelo.Oracle, other: zermelo.Oracle, swapped) -> None:
    """Compare tables of games that differ in the players' names."""
    assert len(one) == len(other) > 0
    for p in one:
        assert one.score(p) == other.score(swapped(p))
        assert dict(one.moves(p)) == dict(other.moves(swapped(p)))


def test_the_second_player_may_begin(tmp_path: Path) -> None:
    path = tmp_path / "second.bin"
    assert zermelo.test_game(Sided(22, 1)) > 20
    table, usual = zermelo.solve(Sided(22, 1), out=path), zermelo.solve(Sided(22, 0))
    assert table.start == (22, 1) and table.score((22, 1)) == usual.score((22, 0))
    all_equal(table, usual, lambda p: (p[0], 1 - p[1]))
    assert table.line() == usual.line()
    assert zermelo.verify(path).verdict == zermelo.verify(path, game=Sided(22, 1)).verdict == "proved"
    assert zermelo.open(path, game=Sided(22, 1)).start == (22, 1)
    with pytest.raises(ValueError, match="rules differ from the table's: the start is"):
        zermelo.open(path, game=Sided(22, 0))
    assert zermelo.check(table, lambda p: table.best_moves(p)[0]).verdict == "perfect"
    # Policies: value and regret are those of the player who begins.
    graph, other = table.graph(), usual.graph()
    policy, mirrored = graph.epsilon(0.3), other.epsilon(0.3)
    assert graph.value(policy) == pytest.approx(other.value(mirrored))
    assert graph.best_response(policy, "second")[0] == pytest.approx(
        other.best_response(mirrored, "first")[0])
    game = zermelo.simulate(table, lambda p: table.best_moves(p)[0], playouts=1).games[0]
    assert game.sides[:2] == [1, 0] and game.score == (-1 if game.sides[-1] == 1 else 1)


def test_the_second_player_may_begin_where_positions_repeat() -> None:
    for seed in range(1, 60, 2):
        game = Maze(seed)
        game.sides[0] = 1
        table, values = zermelo.solve(game), truth(game)
        assert {p: table.score(p) for p in table} == {
            p: value for p, value in values.items() if game.score(p) is None}


@pytest.mark.parametrize("game", [TicTacToe(), Nim(21), HareAndHounds()])
def test_any_position_may_be_the_start(game, tmp_path: Path) -> None:
    whole = zermelo.solve(game)
    positions = list(whole)
    for number, start in enumerate(positions[:: len(positions) // 4]):
        path = tmp_path / f"{number}.bin"
        table = zermelo.solve(game, start=start, out=path)
        assert table.start == start and len(table) <= len(whole)
        for p in list(table)[:50]:
            assert table.score(p) == whole.score(p)
        assert zermelo.open(path, game=game, start=start).start == start
        assert zermelo.verify(path, game=game, start=start).verdict == "proved"
        assert zermelo.solve(game, start=whole._say(start)).start == start
        if not isinstance(game, HareAndHounds):
            assert pickle.loads(pickle.dumps(table)).start == start
    with pytest.raises(ValueError, match="rules differ from the table's: the start is"):
        zermelo.open(path, game=game)


def test_rows_may_be_the_start() -> None:
    whole = zermelo.solve(NimOfRows())
    start = list(whole)[-1]
    for given in (start, start.tolist(), whole._say(start)):
        table = zermelo.solve(NimOfRows(), start=given)
        assert (table.start == start).all() and table.score(start) == whole.score(start)


@pytest.mark.parametrize(("game", "end"), [
    (Sided(22, 1), (0, 1)), (Nim(), (0,)), (TicTacToe(), "XXXOO...."), (NimOfRows(), [0]),
    (HareAndHounds(), None),
])
def test_a_finished_start_is_answered(game, end, tmp_path: Path) -> None:
    path = tmp_path / "end.bin"
    if end is None:
        whole = zermelo.solve(game)
        end = whole.play(whole.start, *whole.line())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = zermelo.solve(game, start=end, out=path)
        assert zermelo.open(path, game=game, start=end).score(end) == table.score(end)
        assert zermelo.verify(path, game=game, start=end).verdict == zermelo.verify(path).verdict == "proved"
    expected = zermelo.solve(game).score(end)
    assert table.score(end) == expected and table.outcome(end) in ("win", "loss", "draw")
    assert (table.moves(end), table.best_moves(end), table.line(), len(table)) == ([], [], [], 0)
    assert table._say(table.start) == table._say(end)
    labels = table.to_numpy()
    assert len(labels) == 0 and "0 positions" in repr(labels)
    assert list(table) == [] and "0 classes" in table._repr_html_()
    with pytest.raises(ValueError, match="the start of .* is finished"):
        table.graph()
    with pytest.raises(ValueError, match="finished"):
        zermelo.check(table, lambda p: 1)


def test_a_game_that_is_over_at_its_start_is_doubted(capsys: pytest.CaptureFixture[str]) -> None:
    doubt = r"the start is finished, since score\(\(0,\)\) returned -1: return None while the game goes on"
    with pytest.warns(RuntimeWarning, match=doubt):
        assert zermelo.solve(Nim(0)).score((0,)) == -1
    assert zermelo.test_game(Nim(0)) == 1
    assert "the start is finished, since score((0,)) returned -1" in capsys.readouterr().out


def test_searches_answer_for_both_players_and_at_the_end() -> None:
    search = zermelo.search(Sided(40, 0))
    for begins in (0, 1):
        for left in range(12):
            assert search.score((left, begins)) == (-1 if left % 4 == 0 else 1)
    assert search.moves((0, 1)) == [] and search.outcome((0, 1)) == "loss"


def test_starts_of_other_games_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="start= is for games of your own"):
        zermelo.solve("tictactoe", start="X........")
    zermelo.solve(Nim(), out=tmp_path / "nim.bin")
    for call in (zermelo.open, zermelo.verify):
        with pytest.raises(TypeError, match="start= is for a game of your own, given as game="):
            call(tmp_path / "nim.bin", start=(3,))
    with pytest.raises(ValueError, match="no position of nim can be read"):
        zermelo.solve(Nim(), start="x+")


def test_chess_starts_with_player_1() -> None:
    pytest.importorskip("pyspiel")
    # White mates at once. Play ends as a draw when the counter of moves is 100.
    game = zermelo.from_openspiel("chess")
    state = game.game.new_initial_state("7k/8/6K1/8/8/8/8/R7 w - - 97 80")
    assert state.current_player() == 1
    table = zermelo.solve(game, start=state)
    assert game.side(table.start) == 1 and table.score(state) == table.score(table.start) == 1
    mate = next(after for move in table.best_moves(state) if (after := state.child(move)).is_terminal())
    assert mate.returns() == [-1, 1]
    # So does a game that begins there, and one that is over.
    assert zermelo.solve(game, start=mate).score(mate) == table.score(mate) == -1
    quiet = state.child(table.moves(state)[-1][0])
    assert zermelo.solve(game, start=quiet).score(quiet) == table.score(quiet)
