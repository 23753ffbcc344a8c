"""The games' rules, classes and notation, from docs/reference/games.md and docs/reference/table-format.md.

Each game has `start`, `children` (each with whether the same side moves again), `final_score` (None
while there are moves), `canonical` (with the points already won), `place` (slot or key) and its
inverse `at`, `write` and `read`.
"""

from functools import lru_cache
from math import comb

SIDES = ["first", "second"]


def of_rules(rules):
    """Returns the game with this rules string, or None."""
    family, *pairs = rules.split(" ")
    values = dict(pair.split("=", 1) for pair in pairs)
    if family == "kalah":
        return Kalah(values)
    if family == "tictactoe":
        return TicTacToe(values["scoring"])
    if family in ("reversi4", "reversi24"):
        return Reversi(family, values["start"])
    if family == "connect4":
        return Connect4(int(values["columns"]), int(values["rows"]), int(values["connect"]))
    return Eight() if family == "eight" else None


class Kalah:
    """Kalah; a position is pits and stores of the side to move and the opponent, and the side."""

    is_ranked = True

    def __init__(self, values):
        self.pits = int(values["pits"])
        self.seeds = int(values["seeds"]) if "seeds" in values else None
        self.takes_lone_seeds = values["capture"] == "empty"

    def start(self):
        if self.seeds is None:
            raise ValueError("an endgame table has no start")
        pits = (self.seeds,) * self.pits
        return pits, pits, 0, 0, 0

    def children(self, position):
        for pit, seeds in enumerate(position[0]):
            if seeds:
                yield self._play(position, pit)

    def _play(self, position, pit):
        own, other, store, other_store, side = position
        pits = self.pits
        # Sow into own pits, own store and the opponent's pits, again and again.
        places = [*own, store, *other]
        seeds, places[pit] = places[pit], 0
        at = pit
        for _ in range(seeds):
            at = (at + 1) % len(places)
            places[at] += 1
        if at < pits and places[at] == 1:
            # Pit 1 lies opposite the opponent's last pit.
            opposite = 2 * pits - at
            if places[opposite] or self.takes_lone_seeds:
                places[pits] += places[opposite] + 1
                places[at] = places[opposite] = 0
        own, store, other = tuple(places[:pits]), places[pits], tuple(places[pits + 1 :])
        if at == pits:
            return (own, other, store, other_store, side), True
        return (other, own, other_store, store, 1 - side), False

    def final_score(self, position):
        own, other, store, other_store, _ = position
        if any(own) and any(other):
            return None
        return store + sum(own) - other_store - sum(other)

    def canonical(self, position):
        own, other, store, other_store, _ = position
        return (own, other, 0, 0, 0), store - other_store

    def place(self, canonical):
        own, other = canonical[:2]
        m, o = sum(own), sum(other)
        segment = (m + o - 1) * (m + o - 2) // 2 + m - 1
        row, column = (other, own) if m < o else (own, other)
        return segment, self._number(row), self._number(column)

    def at(self, segment, row, column):
        m, o = self._split(segment)
        rich, poor = self._arrangements(max(m, o)), self._arrangements(min(m, o))
        own, other = (poor[column], rich[row]) if m < o else (rich[row], poor[column])
        return own, other, 0, 0, 0

    @lru_cache(maxsize=None)
    def _number(self, arrangement):
        number, left = 0, sum(arrangement)
        for i, seeds in enumerate(arrangement[:-1], 1):
            others = self.pits - i
            number += comb(left + others, others) - comb(left - seeds + others, others)
            left -= seeds
        return number

    @lru_cache(maxsize=None)
    def _arrangements(self, seeds):
        """Returns all arrangements, by number."""

        def of(seeds, pits):
            if pits == 1:
                yield (seeds,)
                return
            for first in range(seeds + 1):
                for rest in of(seeds - first, pits - 1):
                    yield (first, *rest)

        return list(of(seeds, self.pits))

    @staticmethod
    @lru_cache(maxsize=None)
    def _split(segment):
        """Returns the seeds of the side to move and of the opponent."""
        total = 2
        while segment >= total * (total - 1) // 2:
            total += 1
        m = segment - (total - 1) * (total - 2) // 2 + 1
        return m, total - m

    def write(self, position):
        own, other, store, other_store, side = position
        halves = [(own, store), (other, other_store)]
        if side == 1:
            halves.reverse()
        stored = store + other_store or sum(own) + sum(other) == 2 * self.pits * (self.seeds or 0)
        texts = [
            ",".join(map(str, pits)) + (f":{stored_by_side}" if stored else "")
            for pits, stored_by_side in halves
        ]
        return f"{'/'.join(texts)} {SIDES[side]}"

    def read(self, text):
        halves, _, side = text.partition(" ")
        halves = [half.partition(":") for half in halves.split("/")]
        if len(halves) != 2:
            raise ValueError(f"this is no position: {text}")
        (first, _, first_store), (second, _, second_store) = halves
        first, second = (tuple(map(int, pits.split(","))) for pits in (first, second))
        if len(first) != self.pits or len(second) != self.pits or min(first + second) < 0:
            raise ValueError(f"each side has {self.pits} pits, unlike in: {text}")
        stores = int(first_store or 0), int(second_store or 0)
        if SIDES.index(side.strip() or "first") == 0:
            return first, second, *stores, 0
        return second, first, stores[1], stores[0], 1


class TicTacToe:
    """Tic-tac-toe; a position is a string of nine characters."""

    is_ranked = False
    lines = ["012", "345", "678", "036", "147", "258", "048", "246"]

    def __init__(self, scoring):
        self.scoring = scoring
        # The source of each square's mark, in the eight images of a board.
        turned = [tuple(6 + row - 3 * column for row in range(3) for column in range(3))]
        for _ in range(3):
            turned.append(tuple(turned[0][cell] for cell in turned[-1]))
        mirrored = [
            tuple(image[3 * row + 2 - column] for row in range(3) for column in range(3))
            for image in turned
        ]
        self.images = turned + mirrored

    def start(self):
        return "." * 9

    @staticmethod
    def _mover(position):
        return "X" if position.count("X") == position.count("O") else "O"

    def children(self, position):
        mover = self._mover(position)
        for cell, mark in enumerate(position):
            if mark == ".":
                yield position[:cell] + mover + position[cell + 1 :], False

    def final_score(self, position):
        for line in self.lines:
            marks = {position[int(cell)] for cell in line}
            if len(marks) == 1 and marks != {"."}:
                winner = marks.pop()
                marks_of_winner = {"X": 5, "O": 4}[winner]
                left = marks_of_winner - position.count(winner)
                return -1 if self.scoring == "outcome" else -1 - left
        return None if "." in position else 0

    def canonical(self, position):
        images = ("".join(position[cell] for cell in image) for image in self.images)
        return min(images, key=self.place), 0

    def place(self, canonical):
        return int(canonical.translate(str.maketrans(".XO", "012")), 3)

    def at(self, key):
        return "".join(".XO"[key // 3**digit % 3] for digit in range(8, -1, -1))

    def layer(self, canonical):
        return 9 - canonical.count(".")

    def write(self, position):
        return position

    def read(self, text):
        if len(text) != 9 or set(text) - set(".XO"):
            raise ValueError(f"a position is nine of X, O and dots, unlike: {text}")
        return text


class Reversi:
    """Reversi; a position is the squares of the side to move, the opponent's, and the side.

    Squares are numbered row by row; a set of squares has a bit for each.
    """

    is_ranked = False

    def __init__(self, family, start):
        widths = [4] * 4 if family == "reversi4" else [2, 4, 6, 6, 4, 2]
        side = len(widths)
        self.cells = [
            (row, column)
            for row, width in enumerate(widths)
            for column in range((side - width) // 2, (side + width) // 2)
        ]
        number = {cell: n for n, cell in enumerate(self.cells)}
        images = [
            lambda row, column, flip=flip, turn=turn: turn(*flip(row, column))
            for flip in (lambda row, column: (row, column), lambda row, column: (column, row))
            for turn in (
                lambda row, column: (row, column),
                lambda row, column: (row, side - 1 - column),
                lambda row, column: (side - 1 - row, column),
                lambda row, column: (side - 1 - row, side - 1 - column),
            )
        ]
        self.images = [[1 << number[image(*cell)] for cell in self.cells] for image in images]
        directions = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x]
        # The squares that follow each square in each direction, as bits.
        self.rays = [
            [
                [
                    1 << number[row + i * y, column + i * x]
                    for i in range(1, side)
                    if (row + i * y, column + i * x) in number
                ]
                for y, x in directions
            ]
            for row, column in self.cells
        ]
        low, high = side // 2 - 1, side // 2
        white = [(low, low), (high, high) if start == "cross" else (high, low)]
        black = [(low, high), (high, low) if start == "cross" else (high, high)]
        self.black, self.white = (
            sum(1 << number[cell] for cell in cells) for cells in (black, white)
        )

    def start(self):
        return self.black, self.white, 0

    def _moves(self, own, other):
        """Returns each move's disc, and the discs that it turns."""
        for cell, rays in enumerate(self.rays):
            if (own | other) >> cell & 1:
                continue
            turned = 0
            for ray in rays:
                run = 0
                for bit in ray:
                    if not other & bit:
                        turned |= run if own & bit else 0
                        break
                    run |= bit
            if turned:
                yield 1 << cell, turned

    def children(self, position):
        own, other, side = position
        moves = list(self._moves(own, other)) or [(0, 0)]
        for disc, turned in moves:
            yield (other & ~turned, own | disc | turned, 1 - side), False

    def final_score(self, position):
        own, other, _ = position
        if any(self._moves(own, other)) or any(self._moves(other, own)):
            return None
        return bin(own).count("1") - bin(other).count("1")

    def canonical(self, position):
        own, other, _ = position

        def turned(image, cells):
            return sum(bit for cell, bit in enumerate(image) if cells >> cell & 1)

        return (*min((turned(image, own), turned(image, other)) for image in self.images), 0), 0

    def place(self, canonical):
        own, other, _ = canonical
        return own << len(self.cells) | other

    def at(self, key):
        return *divmod(key, 1 << len(self.cells)), 0

    def layer(self, canonical):
        return bin(canonical[0] | canonical[1]).count("1")

    def write(self, position):
        own, other, side = position
        black, white = (own, other) if side == 0 else (other, own)
        text = ""
        for cell, (row, _) in enumerate(self.cells):
            if cell and row != self.cells[cell - 1][0]:
                text += "/"
            text += "B" if black >> cell & 1 else "W" if white >> cell & 1 else "."
        return f"{text} {'BW'[side]}"

    def read(self, text):
        rows, _, side = text.partition(" ")
        discs = rows.replace("/", "")
        if len(discs) != len(self.cells) or set(discs) - set("BW."):
            raise ValueError(f"a position is B, W and dots row by row, unlike: {text}")
        black, white = (
            sum(1 << cell for cell, disc in enumerate(discs) if disc == colour) for colour in "BW"
        )
        return (black, white, 0) if side.strip() == "B" else (white, black, 1)


class Connect4:
    """Connect Four; a position is the discs of each column from below, "X" or "O"."""

    is_ranked = False

    def __init__(self, columns, rows, line):
        self.columns, self.rows, self.line = columns, rows, line

    def start(self):
        return ("",) * self.columns

    @staticmethod
    def _stones(position):
        return sum(map(len, position))

    def _mover(self, position):
        return "XO"[self._stones(position) % 2]

    def children(self, position):
        for column, stones in enumerate(position):
            if len(stones) < self.rows:
                after = stones + self._mover(position)
                yield (*position[:column], after, *position[column + 1 :]), False

    def final_score(self, position):
        at = {
            (column, row): stone
            for column, stones in enumerate(position)
            for row, stone in enumerate(stones)
        }
        stones = len(at)
        for (column, row), stone in at.items():
            for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                steps = range(self.line)
                if all(at.get((column + i * right, row + i * up)) == stone for i in steps):
                    return -((self.columns * self.rows + 2 - stones) // 2)
        return 0 if stones == self.columns * self.rows else None

    def canonical(self, position):
        return min(position, position[::-1], key=self.place), 0

    def place(self, canonical):
        mover = self._mover(canonical)
        key = 0
        for stones in reversed(canonical):
            own = sum(1 << row for row, stone in enumerate(stones) if stone == mover)
            key = key << self.rows + 1 | 1 << len(stones) | own
        return key

    def at(self, key):
        columns = []
        for _ in range(self.columns):
            column = key & (2 << self.rows) - 1
            key >>= self.rows + 1
            columns.append([column >> row & 1 for row in range(column.bit_length() - 1)])
        mover = sum(map(len, columns)) % 2
        return tuple("".join("OX"[own ^ mover] for own in column) for column in columns)

    def layer(self, canonical):
        return self._stones(canonical)

    def write(self, position):
        rows = (
            "".join(stones[row] if row < len(stones) else "." for stones in position)
            for row in reversed(range(self.rows))
        )
        return "/".join(rows)

    def read(self, text):
        rows = text.split("/")
        if {len(row) for row in rows} != {self.columns} or len(rows) != self.rows:
            raise ValueError(f"a position is the rows from the top, unlike: {text}")
        return tuple("".join(column).rstrip(".") for column in zip(*reversed(rows)))


class Eight:
    """Eight; a position is the total, the number named last, and the side to move."""

    is_ranked = False

    def start(self):
        return 0, 0, 0

    def children(self, position):
        total, last, side = position
        for number in (1, 2, 3):
            if number != last:
                yield (total + number, number, 1 - side), False

    def final_score(self, position):
        total = position[0]
        return None if total < 8 else -1 if total == 8 else 1

    def canonical(self, position):
        return (*position[:2], 0), 0

    def place(self, canonical):
        total, last, _ = canonical
        return 4 * total + last

    def at(self, key):
        return *divmod(key, 4), 0

    def layer(self, canonical):
        return canonical[0]

    def write(self, position):
        total, last, side = position
        return f"{total},{last} {SIDES[side]}" if last else f"{total} {SIDES[side]}"

    def read(self, text):
        numbers, _, side = text.partition(" ")
        total, _, last = numbers.partition(",")
        return int(total), int(last or 0), SIDES.index(side.strip())
