# The steps of each piece: columns to the right, and rows forward.
FORWARD, SIDES, BACK = [(0, 1)], [(-1, 0), (1, 0)], [(0, -1)]
DIAGONALS_FORWARD, DIAGONALS_BACK = [(-1, 1), (1, 1)], [(-1, -1), (1, -1)]
STEPS = {
    "C": FORWARD,
    "E": DIAGONALS_FORWARD + DIAGONALS_BACK,
    "G": FORWARD + SIDES + BACK,
    "H": FORWARD + DIAGONALS_FORWARD + SIDES + BACK,
    "L": FORWARD + DIAGONALS_FORWARD + SIDES + BACK + DIAGONALS_BACK,
}


def parse(line):
    """Returns the rows from the top, the pieces in hand, and whether the first player moves.

    In "gle/.c./.C./ELG - first" the first player's pieces are upper-case, and no piece is in
    hand.
    """
    board, hand, side = line.split()
    return board.split("/"), hand.replace("-", ""), side == "first"


def name(x, y):
    """Returns the name of a square: a1 is top left."""
    return "abc"[x] + "1234"[y]


def legal_moves(position):
    """Returns the moves: a piece's old and new square, b3-b2, or a drop, C*b3."""
    rows, hand, is_first = position
    own = str.isupper if is_first else str.islower
    forward = -1 if is_first else 1  # The first player moves up.
    moves = []
    for y in range(4):
        for x in range(3):
            piece = rows[y][x]
            if piece == ".":
                moves += [kind.upper() + "*" + name(x, y) for kind in set(hand) if own(kind)]
            elif own(piece):
                for right, ahead in STEPS[piece.upper()]:
                    to_x, to_y = x + right, y + forward * ahead
                    if 0 <= to_x < 3 and 0 <= to_y < 4 and not own(rows[to_y][to_x]):
                        moves.append(name(x, y) + "-" + name(to_x, to_y))
    return moves
