DIRECTIONS = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]


def parse(line):
    """Returns the squares and the side to move, "B" or "W".

    The squares are a dictionary: at (column, row) is "B", "W", or "." if it is empty. In
    "..../.WB./.BW./.... B" the rows come from the top. Shorter rows of a board are centred.
    """
    board, side = line.split()
    rows = board.split("/")
    width = max(len(row) for row in rows)
    squares = {}
    for y, row in enumerate(rows):
        for x, square in enumerate(row, (width - len(row)) // 2):
            squares[x, y] = square
    return squares, side


def enclosed(squares, side, x, y):
    """Returns the opponent's discs that a new disc of `side` would enclose."""
    discs = []
    for dx, dy in DIRECTIONS:
        line = []
        to_x, to_y = x + dx, y + dy
        while squares.get((to_x, to_y)) not in (None, ".", side):
            line.append((to_x, to_y))
            to_x, to_y = to_x + dx, to_y + dy
        if squares.get((to_x, to_y)) == side:
            discs += line
    return discs


def legal_moves(position):
    """Returns the squares where a disc would enclose others, such as b1, or "pass"."""
    squares, side = position
    moves = []
    for (x, y), square in squares.items():
        if square == "." and enclosed(squares, side, x, y):
            moves.append("abcdef"[x] + str(y + 1))
    return moves or ["pass"]
