def parse(line):
    """Returns the rows from the top, and the side to move, "first" or "second".

    In "--/|2|../-./...../.. first" the rows are in turn horizontal lines ("-" or "."), and
    vertical lines ("|" or ".") with the owners of the boxes between them.
    """
    board, side = line.split()
    return board.split("/"), side


def dot(x, y):
    """Returns the name of a dot: a1 is top left."""
    return "abcdefgh"[x] + str(y + 1)


def legal_moves(position):
    """Returns the lines that aren't drawn, each by its two dots, such as a1-b1."""
    rows, _side = position
    moves = []
    for number, row in enumerate(rows):
        y = number // 2
        if number % 2 == 0:
            for x, line in enumerate(row):
                if line == ".":
                    moves.append(dot(x, y) + "-" + dot(x + 1, y))
        else:
            for x, line in enumerate(row[::2]):
                if line == ".":
                    moves.append(dot(x, y) + "-" + dot(x, y + 1))
    return moves
