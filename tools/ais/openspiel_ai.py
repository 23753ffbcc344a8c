"""A bot of OpenSpiel as an AI for check-ai, by either protocol.

    zermelo check-ai kalah --seeds 4 --sample 300 --protocol ugi \\
        --ai "python3 tools/ais/openspiel_ai.py mcts:1000"

Bots:
    random                 any legal move
    mcts:SIMULATIONS       Monte Carlo tree search with random playouts, as its examples set it up:
                           UCT with c = 2, solved positions backed up
    alphabeta:DEPTH        alpha-beta to a depth; an unfinished position is worth the difference of
                           the stores in Kalah, nothing in the others
    MODULE:FUNCTION        FUNCTION(game, seed) from MODULE makes a pyspiel.Bot

--seed N (default 1) seeds what is random. Needs OpenSpiel: `pip install open_spiel`.
"""

import argparse
import importlib
import os
import sys

import pyspiel
from open_spiel.python.algorithms import minimax

from openspiel_games import game_of


class AlphaBeta:
    """OpenSpiel's alpha-beta search as a bot."""

    def __init__(self, kind, depth):
        self.kind, self.depth = kind, depth

    def step(self, state):
        player = state.current_player()
        _, action = minimax.alpha_beta_search(
            self.kind.game, state, self.kind.value(player), self.depth, player
        )
        return action


def bot_of(name, kind, seed):
    what, _, detail = name.partition(":")
    if what == "random":
        # The bot samples moves in the same way for both players.
        return pyspiel.make_uniform_random_bot(0, seed)
    if what == "mcts":
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        # game, evaluator, uct_c, simulations, megabytes (0: no limit), solve, seed, verbose
        return pyspiel.MCTSBot(kind.game, evaluator, 2.0, int(detail), 0, True, seed, False)
    if what == "alphabeta":
        return AlphaBeta(kind, int(detail))
    return getattr(importlib.import_module(what), detail)(kind.game, seed)


def answer(bot, kind, actions):
    state = kind.game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return kind.move(state, bot.step(state))


def actions_of(kind, words):
    """Returns the words after `position` in the Universal Game Interface."""
    moves = words.index("moves") if "moves" in words else len(words)
    state = kind.game.new_initial_state()
    if words[0] != "startpos":
        for action in kind.history(" ".join(words[1:moves])):
            state.apply_action(action)
    for move in words[moves + 1 :]:
        state.apply_action(kind.action(state, move))
    return state.history()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bot")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    kind = game_of(os.environ["ZERMELO_RULES"])
    bot = bot_of(arguments.bot, kind, arguments.seed)
    actions = []
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "ugi":
            print(f"id name OpenSpiel {arguments.bot}\nugiok", flush=True)
        elif verb == "isready":
            print("readyok", flush=True)
        elif verb == "position":
            actions = actions_of(kind, words)
        elif verb == "go":
            print("bestmove", answer(bot, kind, actions), flush=True)
        elif verb == "quit":
            break
        elif verb not in ("uginewgame", "setoption", "stop"):
            # In the line protocol each line is a position.
            print(answer(bot, kind, kind.history(line.strip())), flush=True)


if __name__ == "__main__":
    main()
