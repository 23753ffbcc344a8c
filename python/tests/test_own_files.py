"""Games written in Python: files after a solve that ends early, and Ctrl-C."""

import functools
import operator
import signal
from pathlib import Path

import numpy as np
import pytest

import zermelo
from test_own import Nim, NimOfRows


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("method", ["moves", "play", "score", "expand", "scores"])
def test_ctrl_c_is_heard_at_once_while_a_game_is_explored(method: str, tmp_path: Path) -> None:
    asked = 0

    class Endless(Nim if method in ("moves", "play", "score") else NimOfRows):  # type: ignore[misc]
        pass

    plain = getattr(Endless, method)

    def pressed(self, *given):
        nonlocal asked
        asked += 1
        if asked == 5_000 or isinstance(given[0], np.ndarray) and asked == 50:
            # Goes to the whole process, as from a terminal.
            signal.raise_signal(signal.SIGINT)
        return plain(self, *given)

    setattr(Endless, method, pressed)
    Endless.start = lambda self: [10**9] if method in ("expand", "scores") else (10**9,)
    with pytest.raises(KeyboardInterrupt):
        zermelo.solve(Endless(), out=tmp_path / "endless.bin")
    assert asked in (50, 5_000)
    assert files(tmp_path) == {}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a signal at any time")
def test_signals_are_heard_where_no_python_runs(tmp_path: Path) -> None:
    class InC:
        """An endless game whose methods are functions in C, which never check for signals."""

        moves = functools.partial(int.as_integer_ratio)
        play = functools.partial(operator.add)
        score = {}.get  # type: ignore[var-annotated]

        def __init__(self) -> None:
            self.start = functools.partial(int, 1_000_003)

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            zermelo.solve(InC(), out=tmp_path / "in-c.bin")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert files(tmp_path) == {}


def changed(**methods):
    return type("Changed", (Nim,), methods)()


def test_a_solve_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def breaks(self: Nim, p: tuple[int]) -> range:
        raise ArithmeticError("seven is unlucky")

    path = tmp_path / "nim.bin"
    for game, wrong in [
        (changed(moves=breaks), ArithmeticError),
        (changed(score=lambda self, p: p[0] - 10**9 if p[0] == 0 else None), zermelo.SolveError),
        (changed(format=lambda self, p: "same"), zermelo.SolveError),
        (changed(play=lambda self, p, m: (9,)), zermelo.SolveError),
    ]:
        with pytest.raises(wrong):
            zermelo.solve(game, out=path)
        assert files(tmp_path) == {}
    zermelo.solve(Nim(), out=path)
    before = files(tmp_path)
    assert set(before) == {"nim.bin", "nim.bin.game"}
    with pytest.raises(ArithmeticError):
        zermelo.solve(changed(moves=breaks), out=path, force=True)
    assert files(tmp_path) == before
    assert len(zermelo.solve(Nim(30), out=path, force=True)) == 30
    assert len(zermelo.open(path)) == 30


def test_places_are_looked_at_before_the_game_is(tmp_path: Path) -> None:
    class Unasked(Nim):
        def moves(self, p: tuple[int]) -> range:
            raise AssertionError("it is explored")

    (tmp_path / "folder.bin").mkdir()
    (tmp_path / "there.bin").write_text("something")
    (tmp_path / "list.bin.game").write_text("something")
    before = files(tmp_path)
    for name, force, wrong, problem in [
        ("there.bin", False, FileExistsError, "force=True"),
        ("list.bin", False, FileExistsError, "list.bin.game already exists.*force=True"),
        ("folder.bin", True, ValueError, "expected the name of a file"),
        ("nowhere/nim.bin", False, FileNotFoundError, "there is no such folder"),
        ("nim.game", True, ValueError, "nim.game: .*found a name for the list"),
    ]:
        for game in (Unasked(), NimOfRows()):
            with pytest.raises(wrong, match=problem):
                zermelo.solve(game, out=tmp_path / name, force=force)
            assert files(tmp_path) == before
            assert not (tmp_path / "folder.bin.game").exists()
