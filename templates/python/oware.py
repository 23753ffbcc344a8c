def parse(line):
    """Returns the pits and store of the side to move, then those of the opponent.

    In "2,0,1:3/2,2,2:0 first" the first player has the pits 2,0,1 and has captured 3 seeds.
    """
    board, side = line.split()
    players = []
    for half in board.split("/"):
        pits, store = half.split(":")
        players.append(([int(seeds) for seeds in pits.split(",")], int(store)))
    return players if side == "first" else players[::-1]


def legal_moves(position):
    """Returns the numbers of the own pits that may be sown. The leftmost pit is 1."""
    (pits, _store), (other_pits, _other_store) = position
    moves = []
    for number, seeds in enumerate(pits, 1):
        # If the opponent has no seeds, the last seed must come that far.
        needed = 1 if any(other_pits) else len(pits) - number + 1
        if seeds >= needed:
            moves.append(str(number))
    return moves
