"""A network learns tic-tac-toe from the table's classes, and from all their symmetric images."""

import numpy as np

import zermelo

HIDDEN, STEPS, BATCH, RATE = 128, 6000, 128, 0.3


def features(rows):
    """For each cell, whether it holds a piece of the side to move, or of the other."""
    rows = np.asarray(rows)
    mover = rows[:, -1:] + 1
    cells = rows[:, :-1]
    return np.concatenate([cells == mover, cells == 3 - mover, np.ones((len(rows), 1))], axis=1)


def train(labels, seed=1):
    """Weights of two layers, so that the best moves get the most of what is shared out."""
    random = np.random.default_rng(seed)
    x = features(labels.positions).astype(float)
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


def right(weights, labels):
    """The share of positions at which the network's first legal choice is a best move."""
    wish = np.maximum(features(labels.positions) @ weights[0], 0) @ weights[1]
    chosen = np.where(labels.move_scores == zermelo.NO_SCORE, -np.inf, wish).argmax(axis=1)
    return float(labels.best[np.arange(len(chosen)), chosen].mean())


def main():
    table = zermelo.solve("tictactoe", scoring="outcome")
    classes = table.to_numpy()
    images = classes.augment()
    training, evaluation = images.split(0.1)
    results = {
        "classes": train(classes),
        "all images": train(images),
        "90% of the classes, with their images": train(training),
    }
    for name, weights in results.items():
        print(
            f"trained on {name}: right at {right(weights, classes):.1%} of the classes, "
            f"{right(weights, images):.1%} of all positions, "
            f"{right(weights, evaluation):.1%} of those apart"
        )
    return [
        [right(weights, some) for some in (classes, images, evaluation)]
        for weights in results.values()
    ]


if __name__ == "__main__":
    main()
