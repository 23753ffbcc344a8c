STEPS = "orthogonal"  # The option --steps: orthogonal, lines, neighbours or any.


def parse(line):
    """Returns the nine squares, row by row from the top, and the mark to move, "X" or "O".

    In "X.O/.../... first" each player has placed one piece; first is X.
    """
    board, side = line.split()
    return board.replace("/", ""), "X" if side == "first" else "O"


def name(square):
    """Returns the name of a square: a1 is top left."""
    return "abc"[square % 3] + "123"[square // 3]


def can_step(old, new):
    """Returns whether a piece may move between two squares, if the new one is empty."""
    dx, dy = abs(old % 3 - new % 3), abs(old // 3 - new // 3)
    if STEPS == "any" or dx + dy == 1:
        return True
    is_diagonal = dx == 1 and dy == 1
    middle = 4
    return is_diagonal and (STEPS == "neighbours" or STEPS == "lines" and middle in (old, new))


def legal_moves(position):
    """Returns the empty squares, or moves such as a1-b1 once the three pieces are placed."""
    squares, mark = position
    empty = [square for square in range(9) if squares[square] == "."]
    own = [square for square in range(9) if squares[square] == mark]
    if len(own) < 3:
        return [name(new) for new in empty]
    return [name(old) + "-" + name(new) for old in own for new in empty if can_step(old, new)]
