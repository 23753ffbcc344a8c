"""OpenSpiel's tic-tac-toe as a game in Python: solved, and held against OpenSpiel's own values."""

import pyspiel

import zermelo


class OpenSpiel:
    """Any of OpenSpiel's games for two players without chance or secrets, by its history."""

    def __init__(self, name):
        self.game = pyspiel.load_game(name)
        self.name = name.replace("_", "-")
        self.states = {}

    def _key(self, state):
        # What the board shows is all that there is to know.
        key = str(state)
        self.states.setdefault(key, state)
        return key

    def start(self):
        return self._key(self.game.new_initial_state())

    def side(self, p):
        state = self.states[p]
        return 0 if state.is_terminal() else state.current_player()

    def moves(self, p):
        return self.states[p].legal_actions()

    def play(self, p, action):
        return self._key(self.states[p].child(action))

    def score(self, p):
        state = self.states[p]
        # Seen from whose turn it would be, which is the first player's here.
        return int(state.returns()[0]) if state.is_terminal() else None

    def format(self, p):
        return p.replace("\n", "/")

    def parse(self, text):
        return text.replace("/", "\n")


def main():
    from open_spiel.python.algorithms import value_iteration

    game = OpenSpiel("tic_tac_toe")
    table = zermelo.solve(game)
    values = value_iteration.value_iteration(game.game, depth_limit=-1, threshold=0.01)
    compared = 0
    for p, state in game.states.items():
        score = table.score(p)
        first = score if game.side(p) == 0 else -score
        assert first == round(values[p]), (p, first, values[p])
        compared += 1
    print(f"{len(table):,} unfinished positions; {compared:,} values are OpenSpiel's")
    return table, compared


if __name__ == "__main__":
    main()
