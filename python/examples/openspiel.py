"""A game of OpenSpiel, solved, and held against OpenSpiel's own values."""

import re
import sys

import pyspiel

import zermelo


class OpenSpiel:
    """One of OpenSpiel's games for two players who see everything, without chance.

    A position is who moves and what the state shows. If that isn't all that there is to know, two
    states that show the same have other moves or another result at some time; that is an error.
    """

    def __init__(self, name):
        self.game = pyspiel.load_game(name)
        self.name = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        self.states = {}

    def _position(self, state):
        is_over = state.is_terminal()
        mover = "over" if is_over else state.current_player()
        p = f"{mover}: {'/'.join(str(state).split(chr(10)))} |"
        before = self.states.setdefault(p, state)
        told = [(one.legal_actions(), one.returns()) for one in (before, state)]
        if told[0] != told[1] if is_over else told[0][0] != told[1][0]:
            raise zermelo.SolveError(
                f"two states show {p!r}, but have other moves or results: what {self.name} shows is not "
                "all that there is to know"
            )
        return p

    def start(self):
        return self._position(self.game.new_initial_state())

    def side(self, p):
        state = self.states[p]
        return 0 if state.is_terminal() else state.current_player()

    def moves(self, p):
        return self.states[p].legal_actions()

    def play(self, p, action):
        return self._position(self.states[p].child(action))

    def score(self, p):
        state = self.states[p]
        # Seen from whose turn it would be, which is the first player's here.
        return int(state.returns()[0]) if state.is_terminal() else None


def main(name="tic_tac_toe"):
    game = OpenSpiel(name)
    table = zermelo.solve(game)
    print(f"{len(table):,} unfinished positions; {table.outcome(table.start)} for the first player")
    return game, table


if __name__ == "__main__":
    main(*sys.argv[1:])
