"""The examples, run."""

import runpy
from pathlib import Path

import pytest

import zermelo

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name: str):
    return runpy.run_path(str(EXAMPLES / name))["main"]()


def test_connect_three() -> None:
    table = run("connect_three.py")
    own = zermelo.solve("connect4", columns=4, rows=3, connect=3)
    assert len(table) == len(own)
    assert table.outcome(table.start) == own.outcome(own.start)


def test_a_network_learns() -> None:
    learnt, chance = run("kalah_network.py")
    assert learnt["asked"] == chance["asked"] == 2_000
    assert learnt["faults"] == chance["faults"]
    assert learnt["perfect_moves"] > 1.3 * chance["perfect_moves"]


def test_openspiel() -> None:
    pytest.importorskip("pyspiel")
    # What its value iteration takes besides.
    pytest.importorskip("cvxpy")
    table, compared = run("openspiel_tictactoe.py")
    assert len(table) == 4_520
    assert compared == 5_478
