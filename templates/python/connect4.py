def parse(line):
    """Returns the rows from the top, and the player to move, "X" or "O".

    In ".../.O./.X." the discs of both players are in the middle column. X moves first.
    """
    rows = line.strip().split("/")
    player = "X" if line.count("X") == line.count("O") else "O"
    return rows, player


def legal_moves(position):
    """Returns the numbers of the columns that aren't full. The leftmost column is 1."""
    rows, _player = position
    return [str(number) for number, square in enumerate(rows[0], 1) if square == "."]
