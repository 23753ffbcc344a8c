"""Plays Kalah by the Universal Game Interface: the move that wins most seeds at once.

zermelo check-ai --table data/kalah-6-2.bin --ai "python3 tools/ais/ugi_kalah.py" --protocol ugi --sample 1000
"""

import os
import sys

from kalah_rules import play

# The checker passes the game's rules, such as "kalah pits=6 seeds=2 capture=standard". Endgame
# tables have no start, and "up-to" instead of "seeds".
RULES = dict(word.split("=") for word in os.environ["ZERMELO_RULES"].split()[1:])
PITS, SEEDS = int(RULES["pits"]), int(RULES.get("seeds", 0))
START = "/".join([",".join([str(SEEDS)] * PITS) + ":0"] * 2) + " first"


def read(fen):
    board, side = fen.split()
    halves = [[int(n) for n in half.split(":")[0].split(",")] for half in board.split("/")]
    return halves, side == "second"


def move(position, pit):
    halves, side = position
    own, other, won, again = play(halves[side], halves[not side], pit)
    if not any(own) or not any(other):
        won += sum(own) - sum(other)  # the game is over: seeds left belong to their side
    after = [other, own] if side else [own, other]
    return won, (after, side if again else not side)


position = read(START)
for line in sys.stdin:
    words = line.split()
    verb = words[0] if words else ""
    if verb == "ugi":
        print("id name greedy\nugiok")
    elif verb == "isready":
        print("readyok")
    elif verb == "position":
        moves = words.index("moves") if "moves" in words else len(words)
        position = read(START if words[1] == "startpos" else " ".join(words[2:moves]))
        for pit in words[moves + 1 :]:
            _, position = move(position, int(pit) - 1)
    elif verb == "go":
        halves, side = position
        pits = [pit for pit in range(PITS) if halves[side][pit] > 0]
        best = max(pits, key=lambda pit: move(position, pit)[0])
        print("bestmove", best + 1)
    elif verb == "quit":
        break
