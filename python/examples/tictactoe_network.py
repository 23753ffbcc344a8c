"""A network learns tic-tac-toe from the table's classes, and from all their symmetric images."""

import numpy as np
from network import train, wishes

import zermelo

SIZES = {"hidden": 128, "steps": 6000, "batch": 128, "rate": 0.3}


def features(rows):
    """For each square, whether it holds a piece of the side to move, or of the other."""
    rows = np.asarray(rows)
    mover = rows[:, -1:] + 1
    squares = rows[:, :-1]
    return np.concatenate([squares == mover, squares == 3 - mover, np.ones((len(rows), 1))], axis=1)


def right(weights, labels):
    """The share of positions at which the network's first legal choice is a best move."""
    wish = wishes(weights, features(labels.positions))
    chosen = np.where(labels.move_scores == zermelo.NO_SCORE, -np.inf, wish).argmax(axis=1)
    return float(labels.best[np.arange(len(chosen)), chosen].mean())


def main():
    table = zermelo.solve("tictactoe", scoring="outcome")
    classes = table.to_numpy()
    images = classes.augment()
    training, evaluation = images.split(0.1)
    parts = {
        "classes": classes,
        "all images": images,
        "90% of the classes, with their images": training,
    }
    results = {
        name: train(features(part.positions), part.best, **SIZES) for name, part in parts.items()
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
