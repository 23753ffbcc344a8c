def parse(line):
    """Returns the pits and store of the side to move, then those of the opponent.

    In "2,2,0,3:1/2,2,2,2:0 first" the first player has the pits 2,2,0,3 and the store 1.
    """
    board, side = line.split()
    players = []
    for half in board.split("/"):
        pits, store = half.split(":")
        players.append(([int(seeds) for seeds in pits.split(",")], int(store)))
    return players if side == "first" else players[::-1]


def legal_moves(position):
    """Returns the numbers of the own pits with seeds. The leftmost pit is 1."""
    (pits, _store), _opponent = position
    return [str(number) for number, seeds in enumerate(pits, 1) if seeds > 0]
