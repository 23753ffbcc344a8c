"""Plays GAME: reads a position per line and answers each with a move.

It plays a random legal move. Put your own idea into `choose`.

Check it:
  CHECK
"""

import random
import sys


# RULES


def choose(position):
    """Returns the move to play. Your idea goes here."""
    return random.choice(legal_moves(position))


for line in sys.stdin:
    # Zermelo waits for each answer, so send it at once.
    print(choose(parse(line)), flush=True)
