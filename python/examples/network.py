"""A small network of two layers, in plain NumPy, that the examples train on exact labels."""

import numpy as np


def train(x, best, hidden, steps, batch, rate, seed=1):
    """Weights of two layers, so that the best moves get the most of what is shared out."""
    random = np.random.default_rng(seed)
    wanted = best / best.sum(axis=1, keepdims=True)
    one = random.normal(0, 0.3, (x.shape[1], hidden))
    two = random.normal(0, 0.3, (hidden, wanted.shape[1]))
    for step in range(steps):
        some = random.integers(0, len(x), batch)
        layer = np.maximum(x[some] @ one, 0)
        shares = layer @ two
        shares = np.exp(shares - shares.max(axis=1, keepdims=True))
        error = shares / shares.sum(axis=1, keepdims=True) - wanted[some]
        step_rate = rate * (1 - step / steps) / batch
        back = (error @ two.T) * (layer > 0)
        two -= step_rate * layer.T @ error
        one -= step_rate * x[some].T @ back
    return one, two


def wishes(weights, x):
    """How much the network wants each move; the highest is its choice."""
    return np.maximum(x @ weights[0], 0) @ weights[1]
