"""Runs the examples."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

import zermelo

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name: str):
    return runpy.run_path(str(EXAMPLES / name))["main"]()


def test_connect_three() -> None:
    table = run("connect_three.py")
    own = zermelo.solve("connect4", columns=4, rows=3, connect=3)
    # The library's game counts a position and its mirror image once.
    assert len(own) < len(table) < 2 * len(own)
    assert table.outcome(table.start) == own.outcome(own.start)


def test_hare_and_hounds() -> None:
    table = run("hare_and_hounds.py")
    assert table.outcome(table.start) == "win"
    assert len(table.line()) % 2 == 1  # The hounds move last.


def test_a_network_learns() -> None:
    learnt, chance = run("kalah_network.py")
    assert learnt["asked"] == chance["asked"] == 2_000
    assert learnt["faults"] == chance["faults"]
    assert learnt["best_moves"] > 1.3 * chance["best_moves"]


def test_a_network_needs_the_images_of_positions() -> None:
    classes, images, apart = run("tictactoe_network.py")
    assert classes[0] > 0.98 and classes[1] < 0.9
    assert images[1] > 0.97
    assert apart[2] > 0.9


@pytest.mark.parametrize("path", sorted((EXAMPLES / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebooks_run(path: Path) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 5
    names: dict[str, Any] = {"__name__": "notebook"}
    for source in code:
        exec(compile(source, str(path), "exec"), names)
    match path.stem:
        case "label-and-train":
            assert names["error"] < 0.9 * names["without"]
        case "measure-a-policy":
            assert len(names["worst"]) == 5
        case "check-an-agent":
            repeats = names["again"]["asked_again"]["asked"]
            assert names["again"]["questions"] == names["report"]["faults"]["crash"] + repeats
            assert sum(names["report"]["faults"].values()) > 5
