def parse(line):
    """Returns the 25 cells, row by row from the top, and the mark to move, "X" or "O".

    In "X.O../...../...../...../..... first" each player has placed one piece; first is X.
    """
    board, side = line.split()
    return board.replace("/", ""), "X" if side == "first" else "O"


def name(cell):
    """Returns the name of a cell: a1 is top left."""
    return "abcde"[cell % 5] + "12345"[cell // 5]


def are_neighbours(old, new):
    """Returns whether two cells touch, also at a corner."""
    return abs(old % 5 - new % 5) <= 1 and abs(old // 5 - new // 5) <= 1


def legal_moves(position):
    """Returns the empty cells, or moves such as a1-b1 once the four pieces are placed."""
    cells, mark = position
    empty = [cell for cell in range(25) if cells[cell] == "."]
    own = [cell for cell in range(25) if cells[cell] == mark]
    if len(own) < 4:
        return [name(new) for new in empty]
    return [name(old) + "-" + name(new) for old in own for new in empty if are_neighbours(old, new)]
