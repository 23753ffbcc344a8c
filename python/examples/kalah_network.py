"""A small network, in plain NumPy, learns exact labels of Kalah(4,3), and is checked as an AI."""

import numpy as np

import zermelo

HIDDEN, STEPS, BATCH, RATE = 64, 3000, 256, 0.2


def features(positions):
    """The pits of the side to move and of the other, as numbers near 1."""
    positions = np.asarray(positions)
    pits = (positions.shape[1] - 3) // 2
    first, second = positions[:, :pits], positions[:, pits + 1 : 2 * pits + 1]
    is_second = positions[:, -1:] == 1
    own, other = np.where(is_second, second, first), np.where(is_second, first, second)
    x = np.concatenate([own, other], axis=1) / 4.0
    return np.concatenate([x, (x == 0), np.ones((len(x), 1))], axis=1)


def train(labels, seed=1):
    """Weights of two layers, so that the best moves get the most of what is shared out."""
    random = np.random.default_rng(seed)
    x = features(labels.positions)
    wanted = labels.best / labels.best.sum(axis=1, keepdims=True)
    one = random.normal(0, 0.3, (x.shape[1], HIDDEN))
    two = random.normal(0, 0.3, (HIDDEN, wanted.shape[1]))
    for step in range(STEPS):
        some = random.integers(0, len(x), BATCH)
        hidden = np.maximum(x[some] @ one, 0)
        shares = hidden @ two
        shares = np.exp(shares - shares.max(axis=1, keepdims=True))
        error = shares / shares.sum(axis=1, keepdims=True) - wanted[some]
        rate = RATE * (1 - step / STEPS) / BATCH
        back = (error @ two.T) * (hidden > 0)
        two -= rate * hidden.T @ error
        one -= rate * x[some].T @ back
    return one, two


def main():
    table = zermelo.solve("kalah", pits=4, seeds=3)
    labels = table.to_numpy(sample=20_000, seed=1)
    one, two = train(labels)

    def ai(positions):
        rows = table.to_rows(positions)
        wish = np.maximum(features(rows) @ one, 0) @ two
        pits = rows[:, :4] * (rows[:, -1:] == 0) + rows[:, 5:9] * (rows[:, -1:] == 1)
        return [table.all_moves[at] for at in np.where(pits > 0, wish, -np.inf).argmax(axis=1)]

    options = {"sample": 2_000, "seed": 2, "draw": "uniform"}
    learnt = zermelo.check(table, ai, batch=True, **options)
    print("the network:", learnt)
    chance = zermelo.check(table, "random:1", **options)
    print("at random:  ", chance)
    return learnt, chance


if __name__ == "__main__":
    main()
