"""Default texts of positions: dataclasses, named tuples, enumerations and frozen sets."""

import dataclasses
import enum
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import zermelo


class Side(enum.Enum):
    LEFT = "left"
    RIGHT = "right"


class Last(NamedTuple):
    taken: int
    names: frozenset[str]


@dataclasses.dataclass(frozen=True)
class Board:
    free: frozenset[int]
    turn: Side
    last: Last | None = None
    #: Not a part of the position.
    seen: int = dataclasses.field(default=0, compare=False)


class Sets:
    """Take one or two neighbouring counters; the last one wins."""

    def start(self):
        return Board(frozenset([1, 2, 3, 10, 20, 30]), Side.LEFT)

    def side(self, p):
        return int(p.turn is Side.RIGHT)

    def moves(self, p):
        return [frozenset(some) for one in p.free for some in ([one], [one, one + 1]) if p.free >= {*some}]

    def play(self, p, m):
        turn = Side.RIGHT if p.turn is Side.LEFT else Side.LEFT
        names = frozenset({"one", "two", "three"} if len(m) > 1 else [])
        return Board(p.free - m, turn, Last(len(m), names), p.seen + 1)

    def score(self, p):
        return None if p.free else -1


def test_dataclasses_and_sets_are_positions(tmp_path: Path) -> None:
    table = zermelo.solve(Sets(), out=tmp_path / "sets.bin")
    assert table.start == Sets().start()
    again = zermelo.open(tmp_path / "sets.bin", game=Sets())
    for position in again:
        assert type(position) is Board and type(position.last) in (Last, type(None))
        assert type(position.free) is frozenset and type(position.turn) is Side
        assert again.score(position) == again.score(again._say(position)) == table.score(position)
    line, end = table.line(), table.start
    for move in line:
        end = Sets().play(end, move)
    assert not end.free and type(line[0]) is frozenset
    assert zermelo.verify(tmp_path / "sets.bin", game=Sets()).verdict == "proved"


def test_equal_positions_have_equal_texts() -> None:
    table = zermelo.solve(Sets())
    one = Board(frozenset([30, 2]), Side.LEFT, Last(True, frozenset({"a", "b"})), 3)
    other = Board(frozenset([2, 30]), Side.LEFT, Last(1, frozenset({"b", "a"})), 7)
    assert one == other
    assert table._say(one) == table._say(other) == (
        "Board(free=frozenset({2, 30}), turn=Side.LEFT, last=Last(taken=1, names=frozenset({'a', 'b'})))"
    )
    assert table._say(Board(frozenset(), Side.LEFT)) == "Board(free=frozenset(), turn=Side.LEFT, last=None)"


def test_texts_are_the_same_in_other_processes() -> None:
    code = "import zermelo; from test_texts import Sets; print(zermelo.solve(Sets()).rules)"
    path = str(Path(zermelo.__file__).parents[1])
    told = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                       cwd=Path(__file__).parent, env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}).stdout
        for seed in ("1", "2", "3")
    ]
    assert "listed" in told[0] and len(set(told)) == 1


def test_classes_of_a_function_are_read_back() -> None:
    @dataclasses.dataclass(frozen=True)
    class Pair:
        left: int
        right: "Pair | None"

    class Pairs:
        def start(self): return Pair(2, Pair(2, None))
        def moves(self, p): return [n for n in (1, 2) if n <= p.left]
        def play(self, p, m): return Pair(p.left - m, p.right) if p.left > m else p.right or Pair(0, None)
        def score(self, p): return None if p.left else -1

    table = zermelo.solve(Pairs())
    assert table.start == Pair(2, Pair(2, None))
    assert table.play(table.start, 1) == Pair(1, Pair(2, None))


@pytest.mark.parametrize("text", [
    "__import__('os').getpid()", "Path(a=1)", "Board(free=open('x'), turn=Side.LEFT)", "Side.UP",
    "Board(1)", "Board(free=1, turn=Side.LEFT, no=1)", "subprocess.run", "frozenset([1])(2)",
])
def test_other_code_is_not_run(text: str) -> None:
    table = zermelo.solve(Sets())
    with pytest.raises(ValueError, match="no position of sets can be read"):
        table.score(text)
