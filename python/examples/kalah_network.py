"""A small network, in plain NumPy, learns exact labels of Kalah(4,3), and is checked as an AI."""

import numpy as np
from network import train, wishes

import zermelo

SIZES = {"hidden": 64, "steps": 3000, "batch": 256, "rate": 0.2}


def features(positions):
    """The pits of the side to move and of the other, as numbers near 1."""
    positions = np.asarray(positions)
    pits = (positions.shape[1] - 3) // 2
    first, second = positions[:, :pits], positions[:, pits + 1 : 2 * pits + 1]
    is_second = positions[:, -1:] == 1
    own, other = np.where(is_second, second, first), np.where(is_second, first, second)
    x = np.concatenate([own, other], axis=1) / 4.0
    return np.concatenate([x, (x == 0), np.ones((len(x), 1))], axis=1)


def main():
    table = zermelo.solve("kalah", pits=4, seeds=3)
    labels = table.to_numpy(sample=20_000, seed=1)
    weights = train(features(labels.positions), labels.best, **SIZES)

    def ai(positions):
        rows = table.to_rows(positions)
        wish = wishes(weights, features(rows))
        pits = rows[:, :4] * (rows[:, -1:] == 0) + rows[:, 5:9] * (rows[:, -1:] == 1)
        return [table.all_moves[at] for at in np.where(pits > 0, wish, -np.inf).argmax(axis=1)]

    options = {"sample": 2_000, "seed": 2, "by": "uniform"}
    learnt = zermelo.check(table, ai, batch=True, **options)
    print("the network:", learnt)
    chance = zermelo.check(table, "random:1", **options)
    print("at random:  ", chance)
    return learnt, chance


if __name__ == "__main__":
    main()
