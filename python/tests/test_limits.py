"""Games that are too large and invalid arguments: clear errors, before any work."""

import io
import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

import zermelo
from test_own import Nim


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a process of its own, because it may be aborted."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_games_too_large_are_refused_before_they_are_solved(tmp_path: Path) -> None:
    for out in (None, tmp_path / "k.bin"):
        with pytest.raises(MemoryError, match=r"kalah\(6,6\).* needs about .* may be used.*memory="):
            zermelo.solve("kalah", seeds=6, out=out)
        with pytest.raises(MemoryError, match="1.00 MB may be used"):
            zermelo.solve("kalah", pits=4, seeds=3, memory=1_000_000, out=out)
    assert list(tmp_path.iterdir()) == []
    # The same error if the need shows only during the work.
    with pytest.raises(MemoryError):
        zermelo.solve("connect4", columns=5, rows=5, memory=2_000_000)


@pytest.mark.skipif(sys.platform != "linux", reason="limits the process's memory")
def test_arrays_that_do_not_fit_are_refused_before_they_are_made() -> None:
    done = run("""
import resource, zermelo
table = zermelo.solve("kalah", pits=4, seeds=3)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 20_000_000, resource.RLIM_INFINITY))
for memory in (None, 1 << 60):
    try:
        table.to_numpy(texts=True, memory=memory)
    except MemoryError as error:
        print("refused:", error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(len(table.to_numpy(layers=[3])))
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("refused: ") == 2
    assert done.stdout.splitlines()[-1].isdigit()


def test_to_numpy_keeps_to_its_memory(small: zermelo.Oracle) -> None:
    for more in ({}, {"sample": 1000}, {"texts": True}, {"layers": [12]}, {"sample": 1 << 50}):
        with pytest.raises(MemoryError, match=r"kalah\(3,2\) as arrays need about .* blocks\(\)"):
            small.to_numpy(memory=10, **more)
    with pytest.raises(MemoryError):
        small.to_numpy(sample=1 << 60)
    with pytest.raises(MemoryError):
        zermelo.solve(Nim()).to_numpy(memory=100)
    assert len(small.to_numpy(memory=10_000, best=False, move_scores=False, layers=[12])) > 0


@pytest.mark.parametrize(("given", "problem"), [
    ({"threads": 0}, "threads is a whole number from 1 to 1,024, not 0"),
    ({"threads": 100_000}, "threads is a whole number from 1 to 1,024, not 100,000"),
    ({"threads": -1}, "threads is .*, not -1"),
    ({"memory": -1}, "memory is .*, not -1"),
    ({"memory": 1 << 70}, "memory is"),
])
def test_threads_and_memory_have_limits(given: dict[str, int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        zermelo.solve("tictactoe", **given)
    with pytest.raises(ValueError, match=problem):
        zermelo.search("kalah", seeds=2, pits=3, **given)
    with pytest.raises((TypeError, ValueError), match=f"for the games that come|{problem}"):
        zermelo.solve(Nim(), **given)


def test_numbers_are_whole_numbers_in_range(small: zermelo.Oracle, tmp_path: Path) -> None:
    for ask in (small.to_numpy, small.verify, lambda **given: small.export(tmp_path / "x", **given)):
        for given, problem in [
            ({"sample": 0}, "sample is a whole number of at least 1, not 0"),
            ({"sample": -5}, "sample is"),
            ({"sample": 3, "seed": -1}, "seed is a whole number of at least 0, not -1"),
            ({"memory": -1}, "memory is"),
            ({"layers": [99]}, r"kalah\(3,2\) has no layer 99: its layers are 2 to 12"),
            ({"layers": [-1]}, "a layer is"),
            ({"layers": []}, "layers is an empty list"),
        ]:
            if "layers" in given and ask == small.verify:
                continue
            with pytest.raises(ValueError, match=problem):
                ask(**given)
        for given in ({"sample": 1.5}, {"layers": [2.5]}, {"layers": 3}, {"layers": "12"},
                      {"progress": "yes"}):
            with pytest.raises(TypeError):
                ask(**given)
    with pytest.raises(ValueError, match="has no layer 99"):
        # At once, rather than when the first block is read.
        small.blocks(layers=[99])
    with pytest.raises(ValueError, match="default is a whole number from -32,768 to 32,767"):
        small.scores([small.start], default=100_000)
    for rank in (-1, 1 << 70):
        with pytest.raises(IndexError):
            small.unrank(rank)
    assert not (tmp_path / "x").exists()


def test_checks_refuse_what_they_would_pass_over(ttt: zermelo.Oracle) -> None:
    for given, problem in [
        ({"sample": 0}, "sample is"),
        ({"sample": -1}, "sample is"),
        ({"max_faults": 0}, "max_faults is a whole number from 1 to 10,000"),
        ({"timeout": 1e30}, "no time in seconds"),
        ({"budget": -1.0}, "no time in seconds"),
        ({"by": "uniform"}, "by goes with sample"),
        ({"sample": 5, "canonical": True}, "canonical and sample don't go together"),
        ({"sample": 5, "positions": ["........."]}, "positions and sample don't go together"),
        ({"sample": 5, "scope": "play"}, "sample doesn't go with scope"),
        ({"side": "first"}, "side goes with scope"),
        ({"batch": True}, "batch goes with an AI that is a function"),
    ]:
        with pytest.raises(ValueError, match=problem):
            zermelo.check(ttt, "greedy", **given)  # type: ignore[arg-type]


def test_a_table_lists_its_positions(small: zermelo.Oracle, ttt: zermelo.Oracle) -> None:
    for table in (small, ttt, zermelo.solve(Nim())):
        listed = list(table)
        assert len(listed) == len(set(listed)) == len(table)
        assert all(position in table for position in listed[:100])
    with pytest.raises(ValueError, match="only a table"):
        iter(zermelo.tictactoe()).__next__()


def test_the_line_of_progress_ends(small: zermelo.Oracle, tmp_path: Path) -> None:
    for work in (
        lambda: small.to_numpy(progress=True),
        lambda: zermelo.solve(Nim(), progress=True),
        lambda: zermelo.solve("kalah", pits=3, seeds=2, progress=True),
        lambda: small.verify(progress=True),
        lambda: zermelo.check(small, "greedy", progress=True),
    ):
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            work()
        assert told.getvalue().startswith("\r")
        assert told.getvalue().endswith("\n") and told.getvalue().count("\n") == 1

    def fails(self: Nim, p: tuple[int]) -> range:
        raise ArithmeticError("seven is unlucky")

    told = io.StringIO()
    with contextlib.redirect_stderr(told), pytest.raises(ArithmeticError):
        zermelo.solve(type("Fails", (Nim,), {"moves": fails})(), progress=True)
    assert told.getvalue() == "" or told.getvalue().endswith("\n")
