"""Tables that many tests share."""

import signal

import pytest

import zermelo

# A shell that starts the tests in the background makes them ignore this signal.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def kalah() -> zermelo.Oracle:
    """Kalah with 4 pits and 2 seeds: 66,265 classes."""
    return zermelo.solve("kalah", pits=4, seeds=2)


@pytest.fixture(scope="session")
def small() -> zermelo.Oracle:
    """Kalah with 3 pits and 2 seeds."""
    return zermelo.solve("kalah", pits=3, seeds=2)


@pytest.fixture(scope="session")
def ttt() -> zermelo.Oracle:
    return zermelo.solve("tictactoe")
