NAMES = [column + row for row in "1234" for column in "abcd"]  # a1, b1, ...


def parse(line):
    """Returns the 16 squares, row by row from the top, and the digit of the side to move.

    In "N11./.21./.21./.22N first" the players' squares are "1" and "2", neutral pieces "N".
    """
    board, side = line.split()
    return board.replace("/", ""), "1" if side == "first" else "2"


def all_shapes():
    """Returns all places of an L: a corner, two squares from it in one direction, one across."""
    shapes = []
    for x in range(4):
        for y in range(4):
            for dx, dy in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
                for across in (1, -1):
                    shape = [(x, y), (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)]
                    shape.append((x + across * dy, y + across * dx))
                    if all(0 <= x < 4 and 0 <= y < 4 for x, y in shape):
                        shapes.append(sorted(4 * y + x for x, y in shape))
    return shapes


def legal_moves(position):
    """Returns the moves: the L's new squares, and perhaps a neutral piece's old and new square."""
    squares, own = position
    moves = []
    for shape in all_shapes():
        letters = [squares[square] for square in shape]
        if any(letter not in (".", own) for letter in letters) or letters == [own] * 4:
            continue
        name = "".join(NAMES[square] for square in shape)
        moves.append(name)
        for old in range(16):
            for new in range(16):
                is_free = squares[new] in (".", own) and new not in shape
                if squares[old] == "N" and is_free:
                    moves.append(name + "+" + NAMES[old] + "-" + NAMES[new])
    return moves
