STEPS = "orthogonal"  # The option --steps: orthogonal, lines, neighbours or any.


def parse(line):
    """Returns the nine cells, row by row from the top, and the mark to move, "X" or "O".

    In "X.O/.../... first" each player has placed one piece; first is X.
    """
    board, side = line.split()
    return board.replace("/", ""), "X" if side == "first" else "O"


def name(cell):
    """Returns the name of a cell: a1 is top left."""
    return "abc"[cell % 3] + "123"[cell // 3]


def can_step(old, new):
    """Returns whether a piece may move between two cells, if the new one is empty."""
    dx, dy = abs(old % 3 - new % 3), abs(old // 3 - new // 3)
    if STEPS == "any" or dx + dy == 1:
        return True
    is_diagonal = dx == 1 and dy == 1
    middle = 4
    return is_diagonal and (STEPS == "neighbours" or STEPS == "lines" and middle in (old, new))


def legal_moves(position):
    """Returns the empty cells, or moves such as a1-b1 once the three pieces are placed."""
    cells, mark = position
    empty = [cell for cell in range(9) if cells[cell] == "."]
    own = [cell for cell in range(9) if cells[cell] == mark]
    if len(own) < 3:
        return [name(new) for new in empty]
    return [name(old) + "-" + name(new) for old in own for new in empty if can_step(old, new)]
