def parse(line):
    """Returns the nine cells, row by row from the top, and the mark to move.

    A cell is "X", "O", or "." if it is empty. X moves first.
    """
    cells = line.strip()
    mark = "X" if cells.count("X") == cells.count("O") else "O"
    return cells, mark


def legal_moves(position):
    """Returns the names of the empty cells: a1 is top left, c3 bottom right."""
    cells, _mark = position
    names = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    return [name for name, cell in zip(names, cells) if cell == "."]
