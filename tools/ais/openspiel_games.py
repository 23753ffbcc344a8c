"""Games of both OpenSpiel and Zermelo, with conversions between their notations.

Needs OpenSpiel: `pip install open_spiel`.
"""

import functools

import pyspiel


class Mancala:
    """Kalah(6,4).

    OpenSpiel numbers the pits of its player 0 from 1 to 6 and those of player 1 from 8 to 13, each
    from that player's left; 7 and 0 are the stores.
    """

    ends_by_repetition = False

    def __init__(self, rules):
        if rules != {"pits": "6", "seeds": "4", "capture": "standard"}:
            raise SystemExit("OpenSpiel's mancala is Kalah with 6 pits and 4 seeds, standard rules")
        self.game = pyspiel.load_game("mancala")

    def action(self, state, move):
        return int(move) + 7 * state.current_player()

    def move(self, state, action):
        return str(action - 7 * state.current_player())

    def position(self, state):
        pits = [int(n) for n in state.observation_tensor(0)]
        halves = [pits[1:7] + pits[7:8], pits[8:14] + pits[0:1]]
        board = "/".join(",".join(map(str, half[:6])) + f":{half[6]}" for half in halves)
        return f"{board} {['first', 'second'][state.current_player()]}"

    def final_score(self, state):
        """Returns the first player's score.

        At the end OpenSpiel leaves seeds in pits; they count for the side on which they lie.
        """
        pits = [int(n) for n in state.observation_tensor(0)]
        return sum(pits[1:8]) - sum(pits[8:14]) - pits[0]

    def history(self, position):
        raise SystemExit(
            "OpenSpiel's mancala can't be set to a position, only moved to it: "
            "add `--protocol ugi` to check-ai, which then tells the moves"
        )

    @staticmethod
    def value(player):
        """Returns alpha-beta's estimate of an unfinished position: the difference of the stores."""

        def difference(state):
            pits = state.observation_tensor(0)
            return (pits[7] - pits[0]) / 48 * (1 if player == 0 else -1)

        return difference


class Oware:
    """Oware on small boards; OpenSpiel numbers each player's pits from 0."""

    ends_by_repetition = True

    def __init__(self, rules):
        self.game = pyspiel.load_game(
            "oware",
            {"num_houses_per_player": int(rules["pits"]), "num_seeds_per_house": int(rules["seeds"])},
        )

    def action(self, state, move):
        return int(move) - 1

    def move(self, state, action):
        return str(action + 1)

    def position(self, state):
        lines = str(state).split("\n")
        stores = [lines[5].split()[4], lines[0].split()[4]]
        pits = [lines[3].split(), lines[2].split()[::-1]]
        board = "/".join(",".join(row) + f":{store}" for row, store in zip(pits, stores))
        return f"{board} {['first', 'second'][state.current_player()]}"

    def final_score(self, state):
        """Returns the first player's score as Zermelo's, 1000 for a win."""
        return 1000 * int(state.returns()[0])


class Stones:
    """The common part of Connect Four and tic-tac-toe: two kinds of marks, placed in turn."""

    ends_by_repetition = False

    def cells(self, state):
        return [[cell.upper() for cell in row] for row in self.rows_of(state.to_dict()["board"])]

    def final_score(self, state):
        """Returns the first player's score, as in Zermelo: an earlier win scores higher."""
        cells = self.columns * self.rows
        stones = sum(cell != "." for row in self.cells(state) for cell in row)
        winner = state.returns()[0]
        if winner == 0:
            return 0
        half = (cells + 1) // 2 if winner > 0 else cells // 2
        own = (stones + 1) // 2 if winner > 0 else stones // 2
        return int(winner) * (half + 1 - own)

    def history(self, position):
        """Returns moves that lead to this position, in OpenSpiel's numbers.

        They have any order in which the sides take turns and nobody has won before the end.
        """
        wanted = self.picture(position)

        @functools.lru_cache(maxsize=None)
        def rest(text):
            state = self.state(text)
            if self.cells(state) == wanted:
                return ()
            if state.is_terminal():
                return None
            for action in state.legal_actions():
                row, column = self.place(state, action)
                if wanted[row][column] == "XO"[state.current_player()]:
                    after = rest(text + (action,))
                    if after is not None:
                        return (action,) + after
            return None

        return rest(())

    def state(self, actions):
        state = self.game.new_initial_state()
        for action in actions:
            state.apply_action(action)
        return state

    @staticmethod
    def value(player):
        """Returns no estimate of an unfinished position."""
        return lambda state: 0


class ConnectFour(Stones):
    """Connect Four; OpenSpiel counts the columns from 0."""

    def __init__(self, rules):
        self.columns, self.rows = int(rules["columns"]), int(rules["rows"])
        self.game = pyspiel.load_game(
            "connect_four",
            {"columns": self.columns, "rows": self.rows, "x_in_row": int(rules["connect"])},
        )

    def action(self, state, move):
        return int(move) - 1

    def move(self, state, action):
        return str(action + 1)

    def rows_of(self, board):
        # OpenSpiel's rows begin at the bottom.
        return board[::-1]

    def position(self, state):
        return "/".join("".join(row) for row in self.cells(state))

    def picture(self, position):
        return [list(row) for row in position.split("/")]

    def place(self, state, action):
        cells = self.cells(state)
        return max(row for row in range(self.rows) if cells[row][action] == "."), action



class TicTacToe(Stones):
    """Tic-tac-toe; OpenSpiel counts the squares from 0, row by row."""

    columns = rows = 3

    def __init__(self, rules):
        self.game = pyspiel.load_game("tic_tac_toe")

    def action(self, state, move):
        return "abc".index(move[0]) + 3 * (int(move[1]) - 1)

    def move(self, state, action):
        return "abc"[action % 3] + str(action // 3 + 1)

    def rows_of(self, board):
        return [board[0:3], board[3:6], board[6:9]]

    def position(self, state):
        return "".join("".join(row) for row in self.cells(state))

    def picture(self, position):
        return self.rows_of(list(position))

    def place(self, state, action):
        return divmod(action, 3)


def game_of(rules):
    """Returns the game of a rules string, such as "kalah pits=6 seeds=4 capture=standard"."""
    family, *words = rules.split()
    kinds = {"kalah": Mancala, "connect4": ConnectFour, "tictactoe": TicTacToe, "oware": Oware}
    if family not in kinds:
        raise SystemExit(f"OpenSpiel's bots can be asked about {', '.join(kinds)}, not {family}")
    return kinds[family](dict(word.split("=") for word in words))
