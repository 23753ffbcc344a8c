"""The ranked layout: matrices of slots in tiles and chunks, coded by context."""

from bisect import bisect_right
from collections import namedtuple
from functools import lru_cache
from itertools import accumulate

from damage import demand, inflate

Segment = namedtuple("Segment", "rows columns range layer counts")
Group = namedtuple("Group", "end distributions")

ABSENT = -1
EMPTY, FULL, MIXED = 0, 1, 2

# The nodes of a group's distributions; those for symbols begin at MEMBERSHIP.
WITHOUT_UPPERMOST = 2
WITHOUT_LEVEL = 514
MEMBERSHIP = 1139
CODES = 9331
NODES = 29331
TOTAL = 16384
UNIFORM = [0x400] * 16


def up(number, divisor):
    """Returns a quotient, rounded up."""
    return -(-number // divisor)


class Distributions:
    """The distributions of one group, from its deflated bytes."""

    def __init__(self, deflated):
        flags = up(NODES, 8)
        data = inflate(deflated, flags + NODES * 32)
        stored = [node for node in range(NODES) if data[node // 8] >> node % 8 & 1]
        demand(len(data) == flags + 32 * len(stored), "the distributions have another length")
        low = data[flags : flags + 16 * len(stored)]
        high = data[flags + 16 * len(stored) :]
        self.stored = {}
        for i, node in enumerate(stored):
            pairs = zip(low[16 * i : 16 * i + 16], high[16 * i : 16 * i + 16])
            frequencies = [a + 256 * b for a, b in pairs]
            demand(sum(frequencies) == TOTAL, "frequencies don't add up")
            self.stored[node] = frequencies
        self.found = {}

    def __getitem__(self, number):
        """Returns distribution `number`: cumulative and own frequency of each symbol."""
        if number not in self.found:
            frequencies = self._of_node(MEMBERSHIP + number)
            self.found[number] = list(accumulate(frequencies[:-1], initial=0)), frequencies
        return self.found[number]

    def _of_node(self, node):
        while node not in self.stored:
            if node >= CODES:
                node = WITHOUT_LEVEL + (node - CODES) % 625
            elif node >= MEMBERSHIP:
                node = WITHOUT_UPPERMOST + (node - MEMBERSHIP) % 512
            elif node >= WITHOUT_LEVEL:
                node = 1
            elif node >= WITHOUT_UPPERMOST:
                node = 0
            else:
                return UNIFORM
        return self.stored[node]


UNIFORM_SYMBOLS = list(accumulate(UNIFORM[:-1], initial=0)), UNIFORM


class Stream:
    """A decoder of symbols from words, by ANS."""

    def __init__(self, words):
        self.words, self.next, self.x = words, 0, 0
        if words:
            demand(words[0] != 0, "a stream begins with 0")
            self.x = words[0]
            self.next = 1
            if len(words) > 1:
                self.x = self.x << 16 | words[1]
                self.next = 2

    def symbol(self, distribution):
        below, frequency = distribution
        rest = self.x % TOTAL
        symbol = bisect_right(below, rest) - 1
        self.x = self.x // TOTAL * frequency[symbol] + rest - below[symbol]
        if self.x < 65536 and self.next < len(self.words):
            self.x = self.x << 16 | self.words[self.next]
            self.next += 1
        return symbol

    def end(self):
        demand(self.x == 0 and self.next == len(self.words), "a stream has something left")


def membership(stream, distributions, columns, upper, uppermost):
    """Decodes which slots of a row are present; rows above are None where there are none."""

    def bits(row, columns):
        return sum(row[min(max(c, 0), len(row) - 1)] << i for i, c in enumerate(columns))

    row = []
    for c in range(0, columns, 4):
        if upper is None:
            # Bit 8 marks a row without rows above. Their bits are 0, including those that would
            # stand for missing bits to the left.
            number = 256 + (64 * bits(row, (c - 2, c - 1)) if c else 0)
        else:
            left = bits(row, (c - 2, c - 1)) if c else 3 * upper[0]
            number = (
                bits(upper, range(c - 1, c + 5))
                + 64 * left
                + 512 * bits(uppermost, range(c, c + 4))
            )
        symbol = stream.symbol(distributions[number])
        row += [symbol >> i & 1 for i in range(min(4, columns - c))]
    return row


def clamp(difference):
    return min(max(difference, -2), 2) + 2


def codes(stream, distributions, present, upper, uppermost, count):
    """Decodes the codes of a row, and gives absent slots codes as neighbours of others."""
    row = []
    # Outside the matrix, the nearest known code stands for the missing neighbour.
    before = count // 2 if upper is None else upper[0]
    for column, is_present in enumerate(present):
        a = row[column - 1] if column >= 1 else before
        aa = row[column - 2] if column >= 2 else before
        # Expect the median of left, above, and their gradient.
        if upper is None:
            expected = b = bb = a
        else:
            b, bb = upper[column], uppermost[column]
            c = upper[column - 1] if column >= 1 else before
            expected = sorted((a, b, a + b - c))[1]
        is_near_one = any(present[max(column - 4, 0) : column])
        code = expected if upper is None or is_near_one else b
        if is_present:
            # The context: the expected code and the differences of four neighbours.
            level = expected if count <= 32 else expected * 32 // count
            context = level
            for neighbour in (b, a, aa, bb):
                context = context * 5 + clamp(neighbour - expected)
            symbol = stream.symbol(distributions[8192 + context])
            # Symbols up to 14 encode a small difference; 15 announces the code itself in two
            # nibbles.
            if symbol < 15:
                code = expected + symbol - 7
            else:
                code = stream.symbol(UNIFORM_SYMBOLS) << 4
                code |= stream.symbol(UNIFORM_SYMBOLS)
            demand(0 <= code < count, "a code is out of range")
        row.append(code)
    return row


def cell(state, streams, distributions, rows, columns, count):
    """Decodes a chunk's codes by row; ABSENT where there is none, 0 for all if `count` is None."""
    middle = (rows - 1) // 2
    present, known = [None] * rows, [None] * rows
    for words, order, step in (
        (streams[0], range(middle, -1, -1), 1),
        (streams[1], range(middle + 1, rows), -1),
    ):
        stream = Stream(words)
        for row in order:
            # The rows decoded before this one, in the direction of the middle.
            upper = row + step if row != middle else None
            uppermost = upper
            if upper is not None and upper != middle:
                uppermost = upper + step
            bits, expected = (
                [None if other is None else found[other] for other in (upper, uppermost)]
                for found in (present, known)
            )
            if state == FULL:
                present[row] = [1] * columns
            else:
                present[row] = membership(stream, distributions, columns, *bits)
            if count is None:
                known[row] = [0] * columns
            else:
                known[row] = codes(stream, distributions, present[row], *expected, count)
        stream.end()
    return [
        [code if there else ABSENT for there, code in zip(*row)] for row in zip(present, known)
    ]


class Shape:
    """The division of a segment into tiles, and of tiles into chunks."""

    def __init__(self, rows, columns, side):
        if rows < side:
            r, c = rows, side * side // rows
        elif columns < side:
            r, c = side * side // columns, columns
        else:
            r = c = side
        self.rows, self.columns = rows, columns
        self.tile_rows = up(rows, up(rows, r))
        d = min(up(columns, up(columns, c)), 4 * side)
        self.tile_columns = up(columns, up(columns, d))
        self.across = up(columns, self.tile_columns)
        self.tiles = self.across * up(rows, self.tile_rows)
        self.cell_columns = up(self.tile_columns, up(self.tile_columns, 16))
        self.cell_rows = up(self.tile_rows, up(self.tile_rows, 512 // self.cell_columns))

    def extent(self, tile):
        """Returns the rows and columns of a tile, which are fewer at the edges."""
        row, column = divmod(tile, self.across)
        return (
            min(self.tile_rows, self.rows - row * self.tile_rows),
            min(self.tile_columns, self.columns - column * self.tile_columns),
        )


class Ranked:
    """The layout's metadata, and its decoded blocks."""

    key_bytes = 0

    def __init__(self, file, reader):
        self.file = file
        self.side = reader.number()
        demand(8 <= self.side <= 256, "the side of tiles is 8 to 256")
        self.segments = reader.list(lambda: self._segment(reader))
        derived = reader.list(reader.number)
        demand(derived == sorted(set(derived)), "derived segments are not in order")
        demand(not derived or derived[-1] < len(self.segments), "there is no such derived segment")
        self.derived = set(derived)
        self.groups = reader.list(
            lambda: Group(reader.number(), reader.bytes(reader.number()))
        )
        ends = [group.end for group in self.groups]
        demand(ends == sorted(set(ends)), "the groups are not in order")
        demand(ends[-1:] == [len(self.segments)], "the groups are not of all segments")
        self.ends = ends
        self.shapes = [Shape(s.rows, s.columns, self.side) for s in self.segments]
        self.first_block = list(accumulate((shape.tiles for shape in self.shapes), initial=0))
        self.tile = lru_cache(maxsize=4096)(self._tile)
        self.distributions = lru_cache(maxsize=None)(self._distributions)

    @staticmethod
    def _segment(reader):
        rows, columns, scores = reader.number(), reader.number(), reader.range()
        demand(rows >= 1 and columns >= 1, "a segment is empty")
        segment = Segment(rows, columns, scores, reader.number(), reader.list(reader.number))
        codes = (scores.highest - scores.lowest) // scores.step + 1
        demand(len(segment.counts) == codes, "a segment has another number of counts")
        return segment

    def count(self):
        return sum(sum(segment.counts) for segment in self.segments)

    def block_count(self):
        return self.first_block[-1]

    def _distributions(self, group):
        return Distributions(self.groups[group].distributions)

    def _tile(self, segment, tile):
        """Returns the codes of a tile row by row."""
        shape = self.shapes[segment]
        rows, columns = shape.extent(tile)
        grid = [[ABSENT] * columns for _ in range(rows)]
        data, _ = self.file.block(self.first_block[segment] + tile)
        if not data:
            return grid
        count = None if segment in self.derived else len(self.segments[segment].counts)
        distributions = self.distributions(bisect_right(self.ends, segment))
        corners = [
            (row, column)
            for row in range(0, rows, shape.cell_rows)
            for column in range(0, columns, shape.cell_columns)
        ]
        at = up(len(corners), 4)
        demand(len(data) >= at, "a block is too short")
        states = [data[i // 4] >> 2 * (i % 4) & 3 for i in range(4 * at)]
        demand(not any(states[len(corners) :]), "a block has states of no cell")
        states = states[: len(corners)]
        demand(max(states) < 3, "a cell has no such state")
        lengths = []
        for _ in range(2 * sum(state != EMPTY for state in states)):
            demand(at < len(data), "a block is too short")
            length, at = data[at], at + 1
            if length >= 252:
                demand(at < len(data), "a block is too short")
                length, at = 252 + (length - 252) * 256 + data[at], at + 1
            lengths.append(length)
        demand(len(data) == at + 2 * sum(lengths), "a block has another length")
        words = memoryview(data)[at:]
        words = [words[i] | words[i + 1] << 8 for i in range(0, len(words), 2)]
        taken, lengths = 0, iter(lengths)
        for (top, left), state in zip(corners, states):
            if state == EMPTY:
                continue
            streams = []
            for _ in range(2):
                length = next(lengths)
                streams.append(words[taken : taken + length])
                taken += length
            height = min(shape.cell_rows, rows - top)
            width = min(shape.cell_columns, columns - left)
            decoded = cell(state, streams, distributions, height, width, count)
            for row, found in enumerate(decoded, top):
                grid[row][left : left + width] = found
        return grid

    def code(self, segment, row, column):
        """Returns the code of a slot, or None; 0 for every slot of a segment with omitted
        scores."""
        shape = self.shapes[segment]
        tile = row // shape.tile_rows * shape.across + column // shape.tile_columns
        code = self.tile(segment, tile)[row % shape.tile_rows][column % shape.tile_columns]
        return None if code == ABSENT else code

    def score(self, segment, code):
        scores = self.segments[segment].range
        return scores.lowest + scores.step * code
