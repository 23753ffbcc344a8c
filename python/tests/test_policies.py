"""Policies in games whose positions may repeat, against value iteration and exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

import zermelo
from test_own_cycles import Maze

SIDES = ("first", "second")


def iterated(graph, policies, start: float = 0.0, most: int = 200_000):
    """The value of each position for the first player, by value iteration from ``start``.

    A side whose policy is None makes its best moves.
    """
    policy = np.zeros(len(graph.moves))
    best = np.zeros(len(graph), dtype=bool)
    sides = graph.sides[graph.parents]
    for side, own in enumerate(policies):
        if own is None:
            best |= graph.sides == side
        else:
            policy[sides == side] = own[sides == side]
    for_first = np.where(sides == 0, 1.0, -1.0)
    gains, starts = graph.gains * for_first, graph.first[:-1].astype(int)
    values = np.full(len(graph), start)
    for _ in range(most):
        of_moves = gains + np.where(graph.children < 0, 0.0, values[graph.children])
        mean = np.add.reduceat(policy * of_moves, starts)
        most_points = np.maximum.reduceat(for_first * of_moves, starts) * np.where(graph.sides == 0, 1, -1)
        following = np.where(best, most_points, mean)
        if np.abs(following - values).max() < 1e-15:
            return following
        values = following
    raise AssertionError("value iteration does not converge")


def random_policy(graph, seed: int, share: float = 0.7):
    """Some moves are never made, and some positions have a single move."""
    chance = np.random.default_rng(seed)
    weights = chance.random(len(graph.moves)) ** 2 * (chance.random(len(graph.moves)) < share)
    none = np.add.reduceat(weights, graph.first[:-1].astype(int)) == 0
    return graph.policy(np.where(none[graph.parents], 1.0, weights))


def compare(graph, policy, other) -> None:
    value = graph.value(policy, other)
    assert value == pytest.approx(iterated(graph, (policy, other))[0], abs=1e-10)
    replies = []
    for side, name in enumerate(SIDES):
        sign = (1, -1)[side]
        best, reply = graph.best_response(policy, name)
        pair = [policy, policy]
        pair[side] = None
        assert best == pytest.approx(sign * iterated(graph, pair)[0], abs=1e-10)
        pair[side] = reply
        # The reply, played, is worth what it promises.
        assert sign * graph.value(*pair) == pytest.approx(best, abs=1e-10)
        replies.append(best)
    assert graph.nash_conv(policy) == pytest.approx(sum(replies), abs=1e-12)


@pytest.mark.parametrize("seed", range(50))
def test_policies_at_random_games_have_the_values_of_value_iteration(seed: int) -> None:
    table = zermelo.solve(Maze(seed))
    graph = table.graph()
    for policy in (graph.uniform(), random_policy(graph, seed)):
        compare(graph, policy, random_policy(graph, seed + 1000))
    assert graph.nash_conv(graph.best()) == pytest.approx(0, abs=1e-12)
    # The scores are those of value iteration with perfect players.
    scores = iterated(graph, (None, None)) * np.where(graph.sides == 0, 1, -1)
    assert (graph.scores == scores).all()


@pytest.fixture(scope="module")
def morris3() -> zermelo.Graph:
    return zermelo.solve("morris3").graph()


def test_policies_at_morris3_have_the_values_of_value_iteration(morris3: zermelo.Graph) -> None:
    for policy in (morris3.uniform(), morris3.softmax(0.5), random_policy(morris3, 1)):
        compare(morris3, policy, morris3.epsilon(0.2))
    assert morris3.nash_conv(morris3.best()) == pytest.approx(0, abs=1e-12)


def test_classes_have_the_values_of_positions(morris3: zermelo.Graph) -> None:
    classes = zermelo.solve("morris3").graph("class")
    assert len(classes) < len(morris3) / 3
    values = []
    for graph in (morris3, classes):
        policies = [graph.uniform(), graph.softmax(0.7), graph.epsilon(1e-6)]
        values.append([
            measure(one)
            for one in policies
            for measure in (graph.value, graph.nash_conv, graph.regret)
        ])
    assert values[0] == pytest.approx(values[1], abs=1e-11)


class Given:
    """A game of a list of moves; the turn passes with every move. Positions with a score are finished."""

    endless = "draw"

    def __init__(self, exits: dict, ends: dict) -> None:
        self.exits, self.ends = exits, ends

    def start(self):
        return "start"

    def moves(self, p):
        return self.exits[p]

    def play(self, p, m):
        return m

    def score(self, p):
        return self.ends.get(p)


def graph_of(exits: dict, ends: dict) -> zermelo.Graph:
    return zermelo.solve(Given(exits, ends)).graph()


def test_a_player_who_would_lose_plays_on_for_ever() -> None:
    # The scores of `out` and of `loss` and `win` are seen from the second and from the first player.
    graph = graph_of({"start": ["out", "other"], "other": ["start", "loss", "win"]},
                     {"out": 1, "loss": -1, "win": 1})

    def reply_to(**weights: float) -> float:
        policy = graph.from_function(lambda p: {"out": 1} if p == "start" else weights)
        value, reply = graph.best_response(policy, "first")
        assert graph.value(reply, policy) == pytest.approx(value, abs=1e-15)
        return value

    assert reply_to(start=1) == 0
    assert reply_to(start=1, loss=1e-9) == pytest.approx(-1, abs=1e-15)
    assert reply_to(start=1, win=1e-9) == pytest.approx(1, abs=1e-15)
    assert reply_to(start=2, win=1, loss=1) == pytest.approx(0, abs=1e-15)
    assert reply_to(start=1e9, loss=3, win=1) == pytest.approx(-0.5, abs=1e-15)


@pytest.mark.parametrize(("near", "far"), [(0.2, 0.7), (0.7, 0.2), (-0.2, 0.3), (-0.2, -0.1)])
def test_moves_that_go_round_are_left_by_the_best_exit(near: float, far: float) -> None:
    graph = graph_of(
        {"start": ["s1", "near"], "s1": ["f"], "f": ["s2", "far"], "s2": ["start"],
         "near": ["win", "loss"], "far": ["win", "loss"]},
        {"win": 1, "loss": -1},
    )
    chances = {"near": near, "far": far}
    policy = graph.from_function(
        lambda p: {"win": 1 + chances[p], "loss": 1 - chances[p]} if p in chances
        else {move: 1 for move in graph._table._game.moves(p)}
    )
    value, reply = graph.best_response(policy, "first")
    assert value == pytest.approx(max(near, far, 0), abs=1e-15)
    assert graph.value(reply, policy) == pytest.approx(value, abs=1e-15)


def test_replies_improve_as_long_as_others_do() -> None:
    # Each chance looks worse than a sure one until the next is known to be better.
    graph = graph_of(
        {"start": ["0.7", "s1"], "s1": ["one"], "one": ["0.5", "s2"], "s2": ["two"],
         "two": ["0.3", "s3"], "s3": ["win", "start", "one", "two"],
         "0.3": ["win", "loss"], "0.5": ["win", "loss"], "0.7": ["win", "loss"]},
        {"win": 1, "loss": -1},
    )
    weights = {"0.7": [17, 3], "0.5": [3, 1], "0.3": [13, 7], "s3": [1, 1, 1, 997]}
    moves = graph._table._game.moves
    policy = graph.from_function(lambda p: dict(zip(moves(p), weights.get(p, [1] * len(moves(p))))))
    assert graph.best_response(policy, "first")[0] == pytest.approx(1, abs=1e-12)


def test_visits_without_end_are_infinite_and_their_mistakes_cost_most() -> None:
    # The first player could win at `d`, and the second could escape at `c`.
    graph = graph_of(
        {"start": ["a", "gone"], "a": ["d"], "d": ["c", "won"], "c": ["d", "escape"]},
        {"gone": 0, "won": -1, "escape": 0},
    )
    choices = {"start": {"a": 1, "gone": 3}, "a": "d", "d": "c", "c": "d"}
    policy = graph.from_function(choices.get)
    often = dict(zip(graph.positions, graph.occupancy(policy)))
    assert often == {"start": 1, "a": 0.25, "d": np.inf, "c": np.inf}
    assert graph.value(policy) == 0
    assert graph.regret(policy) == 1
    found = [(one.position, one.move, one.cost) for one in graph.mistakes(policy)]
    assert set(found[:2]) == {("d", "c", np.inf), ("c", "d", np.inf)}
    assert found[2] == ("start", "gone", 0.75)
    assert len(found) == 3
    # With any chance of an end, visits are finite.
    often = dict(zip(graph.positions, graph.occupancy(0.75 * policy + 0.25 * graph.uniform())))
    assert often["d"] < 3
    # Of the moves in endless play, those at `c` and `d` are the same number.
    half = graph.from_function({**choices, "start": "a"}.get)
    assert graph.regret(graph.best(), under=half) == 0
    late = np.where(np.array(graph.positions)[graph.parents] == "c", half, graph.best())
    assert graph.regret(late, under=half) == pytest.approx(0.5, abs=1e-15)


def test_visits_are_those_of_equations() -> None:
    endless = 0
    for seed in range(60):
        graph = zermelo.solve(Maze(seed)).graph()
        policy = random_policy(graph, seed, 0.3)
        steps = np.zeros((len(graph), len(graph)))
        inner = graph.children >= 0
        np.add.at(steps, (graph.parents[inner], graph.children[inner]), policy[inner])
        come = np.linalg.matrix_power(np.eye(len(graph)) + steps, len(graph))[0] > 0
        often = graph.occupancy(policy)
        ever = np.isinf(often)
        assert (often[~come] == 0).all()
        # No playout goes from endless play to elsewhere, and every one elsewhere ends or gets there.
        assert not steps[np.ix_(ever, ~ever)].any()
        rest = np.flatnonzero(come & ~ever)
        if len(rest):
            visits = np.linalg.solve(np.eye(len(rest)) - steps[np.ix_(rest, rest)].T, rest == 0)
            assert often[rest] == pytest.approx(visits, rel=1e-9)
        if ever.any():
            # Over much time, playouts come to positions as often as endless play does.
            lazy = (np.eye(len(graph)) + steps) / 2
            shares = np.linalg.matrix_power(lazy, 2**30)[0] * ever
            assert graph._visits(policy)[1] == pytest.approx(shares, abs=1e-6)
            endless += len(set(np.round(shares[ever], 6))) > 1
    assert endless > 5


def exact(graph, policy) -> Fraction:
    """The first player's expected score by elimination with fractions."""
    parents, children = graph.parents.tolist(), graph.children.tolist()
    rows = [dict() for _ in range(len(graph))]
    points = [Fraction(0)] * len(graph)
    for move, (parent, child) in enumerate(zip(parents, children)):
        chance = Fraction(policy[move])
        if child < 0:
            points[parent] += chance * int(graph.gains[move]) * (1 if graph.sides[parent] == 0 else -1)
        elif chance:
            rows[parent][child] = rows[parent].get(child, 0) + chance
    sums = np.add.reduceat([Fraction(one) for one in policy], graph.first[:-1]).tolist()
    for last in range(len(graph) - 1, -1, -1):
        alone = sums[last] - rows[last].pop(last, 0)
        rows[last] = {to: chance / alone for to, chance in rows[last].items()}
        points[last] /= alone
        for row in range(last):
            share = rows[row].pop(last, None)
            if share is not None:
                points[row] += share * points[last]
                for to, chance in rows[last].items():
                    rows[row][to] = rows[row].get(to, 0) + share * chance
    return points[0]


@pytest.mark.parametrize("error", [0.1, 1e-6, 1e-12])
def test_playouts_that_hardly_ever_end_have_exact_values(error: float) -> None:
    checked = 0
    for seed in range(40, 80):
        graph = zermelo.solve(Maze(seed)).graph()
        policy = graph.epsilon(error)
        if np.isinf(graph.occupancy(policy)).any():
            continue
        assert graph.value(policy) == pytest.approx(float(exact(graph, policy)), abs=1e-12)
        checked += 1
    assert checked > 20


class Corridor:
    """A walk on squares in a row, of which the first loses and the last wins."""

    endless = "draw"

    def __init__(self, squares: int, at: int) -> None:
        self.squares, self.at = squares, at

    def start(self): return self.at
    def side(self, p): return p % 2 if 0 < p < self.squares else 0
    def moves(self, p): return ["left", "right"]
    def play(self, p, m): return p + (1 if m == "right" else -1)
    def score(self, p): return {0: -1, self.squares: 1}.get(p)


def test_long_walks_have_exact_values() -> None:
    graph = zermelo.solve(Corridor(3000, 600)).graph()
    assert graph.value(graph.uniform()) == pytest.approx(2 * 600 / 3000 - 1, abs=1e-12)
    assert graph.occupancy(graph.uniform()).sum() == pytest.approx(600 * 2400, rel=1e-12)
    value, reply = graph.best_response(graph.uniform(), "first")
    assert graph.value(reply, graph.uniform()) == pytest.approx(value, abs=1e-12)
    assert value == pytest.approx(1, abs=1e-12)


def test_visits_without_number_are_refused() -> None:
    # A playout takes more moves than a float can count.
    graph = graph_of({"start": ["a", "b"], "a": ["win", "c"], "b": ["loss", "c"], "c": ["d"],
                      "d": ["e", "c2"], "e": ["start"], "c2": ["d"]}, {"win": 1, "loss": -1})
    rare = {"win": 1e-200, "loss": 1e-200, "e": 1e-200}
    policy = graph.from_function(lambda p: {m: rare.get(m, 1) for m in graph._table._game.moves(p)})
    assert graph.value(policy) == pytest.approx(0, abs=1e-15)
    with pytest.raises(ValueError, match="14 positions repeat so often .* a larger probability"):
        graph.occupancy(policy)
