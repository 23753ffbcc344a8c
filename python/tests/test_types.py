"""Type checkers accept the package, as in the examples of the documents."""

import re
from pathlib import Path

import pytest

import zermelo

EXAMPLE = """
import pickle
import numpy as np
import zermelo
from numpy.typing import NDArray

table = zermelo.open("kalah.bin")
pits: tuple[tuple[int, ...], tuple[int, ...]] = table.position("2,2:0/2,2:0").pits
rows = zermelo.tictactoe().position("X...O....").rows
side = table.unrank(7).side
for position in table:
    score: int = table[position]
best = table.best_moves(table.start)[0]
scores = table.scores(["2,2:0/2,2:0"], default=None)
labels = table.to_numpy(layers=[3], memory=1_000_000)
known: int = table.get("2,2:0/2,2:0", 5)
def ai(position: str) -> str:
    return "1"
report = zermelo.check(table, ai, sample=5)
looked: int = zermelo.test_game(object())

class Nim:
    def start(self) -> int:
        return 21

    def moves(self, left: int) -> range:
        return range(1, min(3, left) + 1)

    def play(self, left: int, taken: int) -> int:
        return left - taken

    def score(self, left: int) -> int | None:
        return -1 if left == 0 else None

class Misere(zermelo.Game[int, int]):
    def start(self) -> int:
        return 21

    def moves(self, left: int, /) -> list[int]:
        return [1, 2]

    def play(self, left: int, taken: int, /) -> int:
        return left - taken

    def score(self, left: int, /) -> int | None:
        return 1 if left == 0 else None

class Rows:
    def start(self) -> list[int]:
        return [21]

    def scores(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        return rows[:, 0] == 0, rows[:, 0] - 1

    def expand(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[int], list[int]]:
        return rows - 1, [0], [1]

rules: zermelo.Game[int, int] = Nim()
own: list[zermelo.OwnOracle] = [zermelo.solve(Nim(), max_positions=50), zermelo.solve(Misere()), zermelo.solve(Rows())]
zermelo.open("nim.bin", game=Rows())
zermelo.verify("nim.bin", game=Nim())
searched: zermelo.OwnSearch = zermelo.search(Misere())
other: zermelo.Oracle = zermelo.solve(zermelo.from_openspiel("tic_tac_toe"))
"""

#: Lines that are no use of the package, each with a part of the message.
WRONG = {
    "zermelo.solve(5)": 'No overload variant of "solve" matches',
    "zermelo.solve(Nim)": 'No overload variant of "solve" matches',
    "zermelo.search(object())": 'No overload variant of "search" matches',
    "zermelo.open('nim.bin', game=21)": 'Argument "game" to "open" has incompatible type',
    "zermelo.solve('tictactoe', max_positions='x', out=5)": 'No overload variant of "solve" matches',
    "wrong: zermelo.Game[str, int] = Nim()": "Incompatible types in assignment",
}


def checked(tmp_path: Path, text: str) -> tuple[str, int]:
    """What mypy says about a program, and its exit code."""
    api = pytest.importorskip("mypy.api")
    example = tmp_path / "example.py"
    example.write_text(text)
    told, problems, code = api.run(
        ["--strict", "--cache-dir", str(tmp_path / "cache"), str(example)]
    )
    return told + problems, code


def test_examples_have_types(tmp_path: Path) -> None:
    told, code = checked(tmp_path, EXAMPLE)
    assert code == 0, told


def test_wrong_types_are_found(tmp_path: Path) -> None:
    told, _ = checked(tmp_path, EXAMPLE + "\n".join(WRONG))
    first = EXAMPLE.count("\n") + 1
    for line, problem in enumerate(WRONG.values(), first):
        assert re.search(rf":{line}: error: {re.escape(problem)}", told), (line, told)


def test_the_stub_lists_what_the_module_has() -> None:
    import ast

    from zermelo import _zermelo

    stub = Path(zermelo.__file__).with_name("_zermelo.pyi")
    assigned = [
        ast.literal_eval(line.value)
        for line in ast.parse(stub.read_text()).body
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "__all__"
    ]
    assert [set(names) for names in assigned] == [set(_zermelo.__all__)]
