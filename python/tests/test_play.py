"""Opponents of tunable strength, and playouts measured against exact scores."""

import numpy as np
import pytest

import zermelo


@pytest.fixture(scope="module")
def table():
    return zermelo.solve("kalah", pits=3, seeds=2)


@pytest.mark.parametrize("regret", [0.2, 1.0, 1.9])
def test_an_opponent_loses_as_much_as_asked(table, regret):
    player = zermelo.opponent(table, regret=regret)
    graph = table.graph("class")
    assert graph.regret(graph.softmax(player.temperature)) == pytest.approx(regret, rel=1e-3)
    measured = zermelo.simulate(table, player, playouts=400)
    low, high = measured.regret_interval
    assert low <= measured.regret <= high
    assert abs(measured.regret - regret) < 2 * (high - low)


def test_an_opponent_is_the_policy_of_the_graph(table):
    graph = table.graph()
    for player, policy in (
        (zermelo.opponent(table, temperature=0.7), graph.softmax(0.7)),
        (zermelo.opponent(table, error=0.25), graph.epsilon(0.25)),
    ):
        assert graph.from_function(player.probabilities) == pytest.approx(policy)


def test_the_same_seed_plays_the_same(table):
    games = [
        zermelo.simulate(table, zermelo.opponent(table, error=0.5, seed=seed), playouts=5).games
        for seed in (1, 1, 2)
    ]
    assert games[0] == games[1] != games[2]


def test_a_match_counts_each_side_s_own_moves(table):
    def best(position):
        return table.best_moves(position)[0]

    weak = zermelo.opponent(table, temperature=5.0)
    measured = zermelo.simulate(table, weak, best, playouts=60, swap=True)
    assert measured.score < 0 < measured.regret
    assert zermelo.simulate(table, best, weak, playouts=60, swap=True).regret == 0
    for game in measured.games:
        assert len(game.moves) == len(game.regrets) == len(game.sides)
        position = table.play(table.start, *game.moves)
        assert table.moves(position) == []
        # What both sides lost, and the value at the start, add up to the result.
        lost = sum(r if side == 1 else -r for r, side in zip(game.regrets, game.sides))
        assert table.score(table.start) + lost == game.score
        for turn in game.turning_points:
            assert game.regrets[turn] > 0


def test_the_value_of_a_policy_is_within_the_interval_of_its_playouts(table):
    graph = table.graph()
    policy = graph.softmax(2.0)
    player = zermelo.opponent(table, temperature=2.0)
    measured = zermelo.simulate(table, player, playouts=600)
    low, high = measured.score_interval
    width = high - low
    assert low - width < graph.value(policy) < high + width
    assert zermelo.simulate(table, player, playouts=1).score_interval == (-np.inf, np.inf)


def test_playouts_that_repeat_are_draws():
    table = zermelo.solve("morris3", steps="any")
    measured = zermelo.simulate(table, lambda p: table.best_moves(p)[0], playouts=2)
    assert measured.score == 0 and measured.games[0].score == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give one of"),
        ({"error": 0.1, "regret": 1}, "give one of"),
        ({"error": 1.5}, "from 0 to 1"),
        ({"temperature": 0}, "above 0"),
        ({"regret": 1000}, "at most"),
        ({"regret": -1}, "above 0"),
        ({"level": 11}, "from 1 to 10"),
        ({"level": 3, "error": 0.1}, "give one of"),
    ],
)
def test_strengths_that_can_not_be_are_refused(table, given, message):
    with pytest.raises(ValueError, match=message):
        zermelo.opponent(table, **given)


def test_levels_are_those_of_the_checker(table):
    def regret(level, seed):
        player = zermelo.opponent(table, level=level, seed=seed)
        return zermelo.simulate(table, player, playouts=1).regret

    measured = [sum(regret(level, seed) for seed in range(20)) for level in (1, 5, 10)]
    assert measured[0] > measured[1] > measured[2] == 0
    assert repr(zermelo.opponent(table, level=3)).endswith("level=3>")
    player = zermelo.opponent(table, level=1, seed=7)
    report = zermelo.check(table, player)
    assert repr(report) == repr(zermelo.check(table, "level:1:7"))


def test_an_illegal_move_is_named(table):
    with pytest.raises(ValueError, match="9 is not a legal move at 2,2,2:0/2,2,2:0 first"):
        zermelo.simulate(table, lambda position: "9")


@pytest.mark.parametrize("weights", [{}, {"1": 0}, {"1": -1, "2": 2}, {"1": float("nan")}])
def test_weights_that_can_not_be_are_refused(table, weights):
    with pytest.raises(ValueError, match="the weights of moves .* 2,2,2:0/2,2,2:0 first"):
        zermelo.simulate(table, lambda position: weights)


def test_a_policy_against_itself_is_not_swapped(table):
    player = zermelo.opponent(table, error=0.3)
    measured = zermelo.simulate(table, player, playouts=20, swap=True)
    assert measured.score == np.mean([game.score for game in measured.games])
    assert measured.regret == pytest.approx(np.mean(sum([game.regrets for game in measured.games], [])))
    both = zermelo.simulate(table, player, lambda p: table.best_moves(p)[0], playouts=20, swap=True)
    mine = [
        regret for number, game in enumerate(both.games)
        for regret, side in zip(game.regrets, game.sides) if side == number % 2
    ]
    assert both.regret == pytest.approx(np.mean(mine)) and both.regret > 0
