"""Plays Domineering: reads a position per line and lays the first domino that fits."""

import sys

for line in sys.stdin:
    board, side = line.split()
    rows = board.split("/")
    down, right = (1, 0) if side == "first" else (0, 1)
    print(
        next(
            f"{'abcde'[column]}{row + 1}"
            for row in range(len(rows) - down)
            for column in range(len(rows[0]) - right)
            if rows[row][column] == rows[row + down][column + right] == "."
        ),
        flush=True,
    )
