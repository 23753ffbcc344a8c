def parse(line):
    """Returns the 25 squares, row by row from the top, and the mark to move, "X" or "O".

    In "X.O../...../...../...../..... first" each player has placed one piece; first is X.
    """
    board, side = line.split()
    return board.replace("/", ""), "X" if side == "first" else "O"


def name(square):
    """Returns the name of a square: a1 is top left."""
    return "abcde"[square % 5] + "12345"[square // 5]


def are_neighbours(old, new):
    """Returns whether two squares touch, also at a corner."""
    return abs(old % 5 - new % 5) <= 1 and abs(old // 5 - new // 5) <= 1


def legal_moves(position):
    """Returns the empty squares, or moves such as a1-b1 once the four pieces are placed."""
    squares, mark = position
    empty = [square for square in range(25) if squares[square] == "."]
    own = [square for square in range(25) if squares[square] == mark]
    if len(own) < 4:
        return [name(new) for new in empty]
    return [name(old) + "-" + name(new) for old in own for new in empty if are_neighbours(old, new)]
