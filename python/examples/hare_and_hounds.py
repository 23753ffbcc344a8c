"""Hare and Hounds, a game whose positions repeat: how many moves do the hounds need?

    a1-b1-c1
   / |\\ | /| \\
  x-a2-b2-c2-y
   \\ |/ | \\| /
    a3-b3-c3

Three hounds start at x, a1 and a3 and move first. They never move to the left. The hare starts at y
and moves anywhere. The hounds win if the hare can't move, and the hare if no hound is to its left.
"""

import zermelo

COLUMNS = {place: column for column, places in enumerate(["x", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "y"])
           for place in places.split()}
LINES = ["a1 b1 c1", "x a2 b2 c2 y", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3",
         "x a1 b2 c3 y", "x a3 b2 c1 y"]
NEXT = {place: set() for place in COLUMNS}
for line in map(str.split, LINES):
    for one, other in zip(line, line[1:]):
        NEXT[one].add(other)
        NEXT[other].add(one)


class HareAndHounds:
    """A position is the hounds' places, the hare's, and whether it is the hare's turn."""

    endless = "draw"

    def start(self):
        return ("a1", "a3", "x"), "y", False

    def moves(self, p):
        hounds, hare, is_hare = p
        free = set(COLUMNS) - {hare, *hounds}
        if is_hare:
            return [f"{hare}-{to}" for to in sorted(NEXT[hare] & free)]
        return [f"{hound}-{to}" for hound in hounds for to in sorted(NEXT[hound] & free)
                if COLUMNS[to] >= COLUMNS[hound]]

    def play(self, p, move):
        hounds, hare, is_hare = p
        start, end = move.split("-")
        if is_hare:
            return hounds, end, False
        return tuple(sorted({*hounds, end} - {start})), hare, True

    def score(self, p):
        hounds, hare, is_hare = p
        if min(COLUMNS[hound] for hound in hounds) >= COLUMNS[hare]:
            return 1 if is_hare else -1  # No hound is to the left of the hare.
        return None if self.moves(p) else -1


def main():
    table = zermelo.solve(HareAndHounds())
    print(f"{len(table):,} positions; the hounds' result: {table.outcome(table.start)}")
    print("best play:", *table.line())
    return table


if __name__ == "__main__":
    main()
