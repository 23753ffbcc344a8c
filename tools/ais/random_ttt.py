"""Plays a random empty square of tic-tac-toe.

zermelo check-ai --table data/ttt.bin --ai "python3 tools/ais/random_ttt.py"
"""

import random
import sys

for line in sys.stdin:
    board = line.strip()  # such as "X.O......", row by row
    free = [cell for cell in range(9) if board[cell] == "."]
    cell = random.choice(free)
    print("abc"[cell % 3] + "123"[cell // 3])  # column, then row from the top
