"""Runs the examples."""

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


@pytest.mark.parametrize("name", [
    "tic_tac_toe",
    "dots_and_boxes(num_rows=1,num_cols=2)",
    "hex(board_size=2)",
    "y(board_size=3)",
    "nim(pile_sizes=1;2;3)",
])
def test_openspiel(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, table = runpy.run_path(str(EXAMPLES / "openspiel.py"))["main"](name)
    known: dict[str, float] = {}

    def value(state) -> float:
        """An independent solver: plain recursion over all moves."""
        # The board, and the moves that each side made, in any order.
        key = str((state.current_player(), str(state), sorted(
            (step.player, step.action) for step in state.full_history())))
        if key not in known:
            if state.is_terminal():
                known[key] = state.returns()[0]
            else:
                best = max if state.current_player() == 0 else min
                known[key] = best(value(state.child(action)) for action in state.legal_actions())
            p = game._position(state)
            score = table.score(p)
            assert (score if game.side(p) == 0 else -score) == known[key], p
        return known[key]

    value(pyspiel.load_game(name).new_initial_state())
    assert len(known) > 10


def test_openspiel_refuses_states_that_hide_something() -> None:
    pytest.importorskip("pyspiel")
    module = runpy.run_path(str(EXAMPLES / "openspiel.py"))
    game = module["OpenSpiel"]("tic_tac_toe")
    start = game.game.new_initial_state()
    game._position(start)

    class Other:
        """Looks the same on the board, but has other moves."""

        is_terminal, current_player, returns = start.is_terminal, start.current_player, start.returns

        def legal_actions(self):
            return [0]

        def __str__(self):
            return str(start)

    with pytest.raises(zermelo.SolveError, match="not all that there is to know"):
        game._position(Other())
