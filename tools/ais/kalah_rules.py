"""The rules of a move in Kalah."""


def play(own, other, pit):
    """Sows a pit; returns own pits, the other's, the seeds won, and whether it earns another
    turn."""
    own, other, pits = list(own), list(other), len(own)
    seeds, own[pit], won, place = own[pit], 0, 0, pit
    for _ in range(seeds):
        place = (place + 1) % (2 * pits + 1)
        if place < pits:
            own[place] += 1
        elif place == pits:
            won += 1
        else:
            other[place - pits - 1] += 1
    opposite = pits - 1 - place
    if place < pits and own[place] == 1 and other[opposite] > 0:
        won += 1 + other[opposite]
        own[place] = other[opposite] = 0
    return own, other, won, place == pits
