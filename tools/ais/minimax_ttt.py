"""Plays tic-tac-toe perfectly by minimax; an earlier win scores higher.

zermelo check-ai --table data/ttt.bin --ai "python3 tools/ais/minimax_ttt.py"
"""

import sys
from functools import lru_cache

LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]
LINES = [tuple(int(cell) for cell in line) for line in LINES]


def children(board):
    mark = "XO"[board.count("X") - board.count("O")]
    for cell in range(9):
        if board[cell] == ".":
            yield cell, board[:cell] + mark + board[cell + 1 :]


@lru_cache(maxsize=None)
def score(board):
    """Returns the score for the side to move; a win is worth the number of empty squares, plus
    one."""
    if any(board[a] != "." and board[a] == board[b] == board[c] for a, b, c in LINES):
        return -1 - board.count(".")
    if "." not in board:
        return 0
    return max(-score(child) for _, child in children(board))


for line in sys.stdin:
    cell, _ = min(children(line.strip()), key=lambda move: score(move[1]))
    print("abc"[cell % 3] + "123"[cell // 3])
