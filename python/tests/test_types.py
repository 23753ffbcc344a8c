"""Type checkers accept the package, as in the examples of the documents."""

from pathlib import Path

import pytest

import zermelo

EXAMPLE = """
import pickle
import numpy as np
import zermelo

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
"""


def test_examples_have_types(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api")
    example = tmp_path / "example.py"
    example.write_text(EXAMPLE)
    told, problems, code = api.run(
        ["--strict", "--cache-dir", str(tmp_path / "cache"), str(example)]
    )
    assert code == 0, told + problems


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
