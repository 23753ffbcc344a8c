def parse(line):
    """Returns the nine squares, row by row from the top, and the mark to move.

    A square is "X", "O", or "." if it is empty. X moves first.
    """
    squares = line.strip()
    mark = "X" if squares.count("X") == squares.count("O") else "O"
    return squares, mark


def legal_moves(position):
    """Returns the names of the empty squares: a1 is top left, c3 bottom right."""
    squares, _mark = position
    names = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    return [name for name, square in zip(names, squares) if square == "."]
