"""Plays Kalah with any number of pits by alpha-beta, with a depth in moves (default 4).

zermelo check-ai --table data/kalah-6-2.bin --ai "python3 tools/ais/alphabeta_kalah.py 4" --sample 10000
"""

import sys

from kalah_rules import play

DEPTH = int(sys.argv[1]) if len(sys.argv) > 1 else 4


def search(own, other, depth, alpha, beta):
    """Returns the further gain of the side to move over the opponent, and its pit. Seeds in the
    pits count only at the end of the game."""
    if not any(own) or not any(other):
        return sum(own) - sum(other), None
    if depth == 0:
        return 0, None
    best, best_pit = -1000, None
    for pit in range(len(own)):
        if own[pit] == 0:
            continue
        mine, theirs, won, again = play(own, other, pit)
        floor = max(alpha, best) - won
        if again:
            score = won + search(mine, theirs, depth - 1, floor, beta - won)[0]
        else:
            score = won - search(theirs, mine, depth - 1, won - beta, -floor)[0]
        if score > best:
            best, best_pit = score, pit
        if best >= beta:
            break
    return best, best_pit


for line in sys.stdin:
    board, side = line.split()  # such as "2,2,2,2,2,2:0/2,2,2,2,2,2:0 first"
    # The best move doesn't depend on the stores.
    first, second = ([int(n) for n in half.split(":")[0].split(",")] for half in board.split("/"))
    own, other = (first, second) if side == "first" else (second, first)
    _, pit = search(own, other, DEPTH, -1000, 1000)
    print(pit + 1)
