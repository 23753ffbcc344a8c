"""Connect Three on 4 columns and 3 rows, from nothing: the rules in a class, and all positions."""

import zermelo

WIDTH, HEIGHT, LINE = 4, 3, 3


class ConnectThree:
    """A position is the columns, each the discs in it from below: ``("XO", "X", "", "")``."""

    def start(self):
        return ("",) * WIDTH

    def side(self, p):
        return sum(map(len, p)) % 2

    def moves(self, p):
        return [column for column in range(WIDTH) if len(p[column]) < HEIGHT]

    def play(self, p, column):
        return p[:column] + (p[column] + "XO"[self.side(p)],) + p[column + 1 :]

    def score(self, p):
        at = lambda x, y: p[x][y] if 0 <= x < WIDTH and 0 <= y < len(p[x]) else None
        for x in range(WIDTH):
            for y in range(len(p[x])):
                for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    if all(at(x + i * dx, y + i * dy) == p[x][y] for i in range(LINE)):
                        return -1  # Whoever moved last has won.
        return 0 if not self.moves(p) else None


def main():
    table = zermelo.solve(ConnectThree())
    print(f"{len(table):,} positions; the first player's result: {table.outcome(table.start)}")
    print("best play:", *table.line())
    return table


if __name__ == "__main__":
    main()
