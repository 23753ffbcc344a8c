"""Policies on the graph of a game, against plain recursions over the rules."""

import numpy as np
import pytest

import zermelo


def outcome_of_nim(piles):
    """Nim with the piles of a position; whoever takes the last object wins."""

    class Nim:
        name = "nim"

        def start(self):
            return piles

        def moves(self, position):
            return [(pile, left) for pile, most in enumerate(position) for left in range(most)]

        def play(self, position, move):
            pile, left = move
            return (*position[:pile], left, *position[pile + 1 :])

        def score(self, position):
            return None if any(position) else -1

    return Nim()


def best_reply(table, choose, side, text):
    """The score for ``side`` if it replies best to ``choose``, by recursion over the rules.

    Positions are texts, which tell the side to move in all games.
    """
    inner = table._inner
    moves = [move for move, _ in inner.moves(text)]
    to_move = inner.side(text)
    if not moves:
        score = inner.score(text)
        return score if to_move == side else -score
    after = {move: best_reply(table, choose, side, inner.play(text, move)) for move in moves}
    if to_move == side:
        return max(after.values())
    weights = choose(table._read(text), moves)
    return sum(after[move] * weight for move, weight in zip(moves, weights)) / sum(weights)


def uniform(position, moves):
    return [1.0] * len(moves)


def lopsided(position, moves):
    """Weights that differ from position to position, and from move to move."""
    return [1.0 + (len(str(position)) * 7 + 3 * at) % 5 for at in range(len(moves))]


@pytest.fixture(scope="module", params=["nim", "kalah", "kalah-empty", "reversi4", "listed"])
def table(request):
    match request.param:
        case "nim":
            return zermelo.solve(outcome_of_nim((3, 4)))
        case "kalah":
            return zermelo.solve("kalah", pits=2, seeds=2)
        case "kalah-empty":
            return zermelo.solve("kalah", pits=2, seeds=3, empty_capture=True)
        case "reversi4":
            return zermelo.solve("eight")
        case _:
            return zermelo.solve(outcome_of_nim((1, 2, 2)))


@pytest.mark.parametrize("choose", [uniform, lopsided])
def test_best_replies_are_those_of_a_recursion(table, choose):
    graph = table.graph()

    def as_function(position):
        moves = [move for move, _ in table.moves(position)]
        return dict(zip(moves, choose(position, moves)))

    policy = graph.from_function(as_function)
    replies = [best_reply(table, choose, side, table._inner.start) for side in (0, 1)]
    for side, name in enumerate(("first", "second")):
        value, reply = graph.best_response(policy, name)
        assert value == pytest.approx(replies[side])
        # The reply, played, is worth what it promises.
        one, other = (reply, policy) if side == 0 else (policy, reply)
        played = graph.value(one, other)
        assert (played if side == 0 else -played) == pytest.approx(value)
    assert graph.nash_conv(policy) == pytest.approx(sum(replies))
    assert graph.nash_conv(graph.best()) == pytest.approx(0)


@pytest.mark.parametrize("by", ["position", "class"])
def test_scores_of_the_graph_are_those_of_the_table(table, by):
    graph = table.graph(by)
    texts = graph.written(np.arange(len(graph)))
    banked = 0
    assert (graph.scores - banked == table.scores(texts)).all()
    for number in range(0, len(graph), 7):
        moves = slice(int(graph.first[number]), int(graph.first[number + 1]))
        names = [graph.names[move] for move in graph.moves[moves]]
        scores = dict(zip(names, graph.move_scores[moves]))
        asked = table.moves(graph.positions[number])
        assert scores == {table._name(move): score for move, score in asked}


def test_classes_give_the_same_value_as_positions():
    for table in (zermelo.solve("kalah", pits=3, seeds=2), zermelo.solve("tictactoe")):
        values = []
        for by in ("position", "class"):
            graph = table.graph(by)
            policies = [graph.uniform(), graph.softmax(2.0), graph.epsilon(0.3)]
            values.append([
                measure(one)
                for one in policies
                for measure in (graph.value, graph.nash_conv, graph.regret)
            ])
        assert values[0] == pytest.approx(values[1])
        assert len(table.graph("class")) == len(table)


def test_the_values_of_openspiel():
    """Computed by its exploitability.nash_conv: 1.9197 at tic-tac-toe, 1.981 at Nim (3; 4)."""
    graph = zermelo.solve("tictactoe", scoring="outcome").graph()
    assert graph.nash_conv(graph.uniform()) == pytest.approx(1.9197, abs=5e-5)
    graph = zermelo.solve(outcome_of_nim((3, 4))).graph()
    assert graph.nash_conv(graph.uniform()) == pytest.approx(1.981, abs=5e-4)


def test_clobber_as_openspiel_has_it():
    pytest.importorskip("pyspiel")
    table = zermelo.solve(zermelo.from_openspiel("clobber(rows=3,columns=3)"))
    graph = table.graph()
    assert graph.nash_conv(graph.uniform()) == pytest.approx(1.3444, abs=5e-5)


def test_occupancy_is_that_of_playouts():
    table = zermelo.solve("kalah", pits=3, seeds=1)
    graph = table.graph()
    policy = graph.softmax(1.5)
    often = graph.occupancy(policy)
    random = np.random.default_rng(3)
    counted = np.zeros(len(graph))
    playouts = 3000
    for _ in range(playouts):
        at = 0
        while at >= 0:
            counted[at] += 1
            moves = np.arange(int(graph.first[at]), int(graph.first[at + 1]))
            at = graph.children[random.choice(moves, p=policy[moves])]
    assert np.abs(counted / playouts - often).max() < 0.04
    lost = graph.scores[graph.parents] - graph.move_scores
    assert graph.regret(policy) == pytest.approx(
        (often[graph.parents] * policy * lost).sum() / often.sum()
    )
    worst = graph.mistakes(policy, 3)
    assert [one.cost for one in worst] == sorted((one.cost for one in worst), reverse=True)
    assert sum(one.cost for one in graph.mistakes(policy, 10**6)) == pytest.approx(
        (often[graph.parents] * policy * lost).sum()
    )


def test_mistakes_are_moves_that_lose_and_are_made():
    graph = zermelo.solve("tictactoe").graph()
    assert graph.mistakes(graph.best()) == []
    policy = graph.from_function(lambda position: graph._table.moves(position)[-1][0])
    made = graph.mistakes(policy, 10**6)
    assert made and all(one.frequency > 0 and one.regret > 0 for one in made)
    with pytest.raises(ValueError, match="count is a whole number of at least 0, not -1"):
        graph.mistakes(policy, -1)


def test_moves_a_fifth_of_a_point_apart_are_not_all_best():
    class Tenths:
        def start(self):
            return 0

        def moves(self, position):
            return [1, 2, 3]

        def play(self, position, move):
            return move

        def score(self, position):
            return -[0.1, 0.3, 0.3][position - 1] if position else None

    graph = zermelo.solve(Tenths()).graph()
    assert graph.best().tolist() == [0, 0.5, 0.5]
    assert [(one.move, one.regret) for one in graph.mistakes(graph.uniform())] == [(1, 0.2)]


def test_numbers_of_moves_are_signed():
    graph = zermelo.solve("kalah", pits=2, seeds=2).graph()
    assert graph.first.dtype == np.int64
    # Unsigned ones would wrap around.
    assert (graph.first[:-1] - graph.first[1:] < 0).all()
    assert graph.gains[slice(graph.first[1], graph.first[2])].size == graph.first[2] - graph.first[1]


def test_a_net_s_output_is_a_policy():
    table = zermelo.solve("kalah", pits=3, seeds=2)
    graph = table.graph()
    weights = np.random.default_rng(1).random((len(graph), len(table.all_moves)))
    policy = graph.policy(weights)
    at = 5
    moves = slice(int(graph.first[at]), int(graph.first[at + 1]))
    columns = [table.all_moves.index(graph.names[move]) for move in graph.moves[moves]]
    wanted = weights[at][columns] / weights[at][columns].sum()
    assert policy[moves] == pytest.approx(wanted)


def test_games_that_count_plies_have_outcomes():
    class Race:
        distance = True
        start = staticmethod(lambda: 7)
        moves = staticmethod(lambda left: [1, 2][:left])
        play = staticmethod(lambda left, taken: left - taken)
        score = staticmethod(lambda left: None if left else -1)

    graph = zermelo.solve(Race()).graph()
    assert set(graph.scores.tolist()) == {1.0, -1.0}
    assert set(graph.gains.tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda graph: graph.softmax(0), "above 0"),
        (lambda graph: graph.epsilon(2), "from 0 to 1"),
        (lambda graph: graph.policy(np.zeros(len(graph.moves))), "no legal move has a weight"),
        (lambda graph: graph.policy(np.ones(3)), "moves, not"),
        (lambda graph: graph.policy(-np.ones(len(graph.moves))), "at least 0"),
        (lambda graph: graph.nash_conv(np.ones(len(graph.moves))), "add up to 1"),
        (lambda graph: graph.from_function(lambda position: "9"), "not a legal move"),
        (lambda graph: graph.best_response(graph.uniform(), "White"), '"first" or "second"'),
    ],
)
def test_bad_policies_are_refused(call, message):
    graph = zermelo.solve("kalah", pits=2, seeds=2).graph()
    with pytest.raises(ValueError, match=message):
        call(graph)


def test_bad_graphs_are_refused():
    table = zermelo.solve("kalah", pits=3, seeds=2)
    with pytest.raises(ValueError, match='"position" or "class"'):
        table.graph("node")
    with pytest.raises(MemoryError):
        table.graph(memory=1000)
    with pytest.raises(ValueError, match="table of endgames"):
        zermelo.solve("kalah", pits=3, up_to=6).graph()


@pytest.mark.parametrize("make, error, problem", [
    (lambda graph: graph.softmax("hot"), TypeError, "temperature is a number, not 'hot'"),
    (lambda graph: graph.softmax(0), ValueError, "temperature is a number above 0, such as 0.5, not 0"),
    (lambda graph: graph.epsilon(None), TypeError, "error is a number, not None"),
    (lambda graph: graph.policy([1]), ValueError, r"the shape \(16167,\), an item per move, or \(4520, 9\), a row"),
    (lambda graph: graph.policy(-graph.uniform()), ValueError, r"such as np.exp\(logits\), not -0.1.* at \.{9}"),
    (lambda graph: graph.from_function(lambda p: "a1"), ValueError, "a1 is not .* at X.*: the legal moves are b1, c1"),
    (lambda graph: graph.value(max), TypeError, r"a policy is an array, not <.*from_function\(\)"),
    (lambda graph: graph.value(2 * graph.uniform()), ValueError, r"at \.{9}, they are \[0.2.*policy\(weights\) scales"),
])
def test_wrong_arguments_are_told_what_is_right(make, error, problem):
    graph = zermelo.solve("tictactoe").graph()
    with pytest.raises(error, match=problem):
        make(graph)


def test_values_of_moves_are_their_gains_and_the_child_s():
    graph = zermelo.solve("kalah", pits=3, seeds=2).graph()
    after = np.where(graph.children < 0, 0, graph.scores[graph.children])
    assert (graph.gains + np.where(graph.turns, -after, after) == graph.move_scores).all()
