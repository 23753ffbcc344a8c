"""Games of OpenSpiel, against an independent count and recursion on OpenSpiel's own states."""

import numpy as np
import pytest

import zermelo

pyspiel = pytest.importorskip("pyspiel")

#: Reachable positions, and those of them that are unfinished.
COUNTS = {
    "tic_tac_toe": (5478, 4520),
    "nim(pile_sizes=1;3;5;7)": (752, 750),
    "hex(board_size=3)": (5514, 4520),
    "dots_and_boxes(num_rows=2,num_cols=2)": (5547, 5531),
    "clobber(rows=3,columns=3)": (761, 661),
    "clobber(rows=4,columns=3)": (13343, 12347),
    "breakthrough(rows=4,columns=3)": (10689, 5363),
    "y(board_size=3)": (547, 427),
    "havannah(board_size=2)": (910, 458),
}


def counted(name):
    """Return the first player's best score from each position, by recursion on states."""
    game, scores = pyspiel.load_game(name), {}

    def best(state):
        place = state.current_player(), str(state)
        if place not in scores:
            if state.is_terminal():
                scores[place] = state.returns()[0]
            else:
                children = [best(state.child(action)) for action in state.legal_actions()]
                scores[place] = max(children) if place[0] == 0 else min(children)
        return scores[place]

    best(game.new_initial_state())
    return scores


@pytest.mark.parametrize("name", COUNTS)
def test_games_have_the_positions_and_scores_of_a_recursion(name):
    game = zermelo.from_openspiel(name)
    table = zermelo.solve(game)
    expected = counted(name)
    assert (len(expected), sum(player >= 0 for player, _ in expected)) == COUNTS[name]
    assert len(table) == COUNTS[name][1]
    for (player, text), first in expected.items():
        if player >= 0:
            position = f"{player} {text}".replace("\n", "/").rstrip(" /")
            assert table.score(position) == (first if player == 0 else -first)


def test_dots_and_boxes_have_the_scores_of_a_recursion():
    scores = counted("dots_and_boxes(num_rows=2,num_cols=2,utility_margin=true)")
    table = zermelo.solve("dots-and-boxes", rows=2, columns=2)
    for (player, drawing), first in scores.items():
        if player >= 0:
            side, score = [("first", first), ("second", -first)][player]
            assert table.score(f"{drawing} {side}") == score
            assert table.score(f"{drawing} {side}".replace("\n", "/")) == score


def test_scores_of_dots_and_boxes_are_the_best_of_openspiels_moves():
    """Compare each position with those after OpenSpiel's moves, in the order of its actions."""
    game = pyspiel.load_game("dots_and_boxes(num_rows=3,num_cols=3,utility_margin=true)")
    table = zermelo.solve("dots-and-boxes", rows=3, columns=3)
    random = np.random.default_rng(1)

    def position(state):
        return f"{state} {['first', 'second'][state.current_player()]}"

    def score(state, player):
        if state.is_terminal():
            return state.returns()[player]
        score = table.score(position(state))
        return score if state.current_player() == player else -score

    checked = 0
    while checked < 2000:
        state = game.new_initial_state()
        while not state.is_terminal():
            player, actions = state.current_player(), state.legal_actions()
            expected = {action: score(state.child(action), player) for action in actions}
            assert table.score(position(state)) == max(expected.values())
            scores = table.move_scores([position(state)])[0]
            assert {action: scores[action] for action in actions} == expected
            state.apply_action(random.choice(actions))
            checked += 1


@pytest.mark.parametrize(
    "name",
    [
        "tic_tac_toe",
        "dots_and_boxes(num_rows=1,num_cols=2)",
        "hex(board_size=2)",
        "y(board_size=3)",
        "nim(pile_sizes=1;2;3)",
    ],
)
def test_scores_are_those_of_a_recursion_that_knows_the_moves_made(name):
    game = zermelo.from_openspiel(name)
    table, known = zermelo.solve(game), {}

    def value(state):
        # The board, and the moves that each side made, in any order.
        made = sorted((step.player, step.action) for step in state.full_history())
        key = str((state.current_player(), str(state), made))
        if key not in known:
            if state.is_terminal():
                known[key] = state.returns()[0]
            else:
                best = max if state.current_player() == 0 else min
                known[key] = best(value(state.child(action)) for action in state.legal_actions())
            score = table.score(state)
            assert (score if game.side(state) == 0 else -score) == known[key], key
        return known[key]

    value(pyspiel.load_game(name).new_initial_state())
    assert len(known) > 10


def test_a_state_is_a_position_and_an_action_a_move():
    game = zermelo.from_openspiel("tic_tac_toe")
    table = zermelo.solve(game)
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    state.apply_action(0)
    assert table.score(state) == 0
    assert {action for action, _ in table.moves(state)} == set(state.legal_actions())
    assert table.best_moves(state) == [4]
    assert game.state(game.format(state)).history() == [0]


def test_games_can_be_saved_opened_checked_and_compared(tmp_path):
    path = tmp_path / "nim.bin"
    zermelo.solve(zermelo.from_openspiel("nim(pile_sizes=1;3;5)"), out=path)
    # A new object has met no state yet.
    game = zermelo.from_openspiel("nim(pile_sizes=1;3;5)")
    table = zermelo.open(path, game=game)
    position = next(iter(zermelo.open(path)))
    assert dict(table.moves(position)).keys() == set(zermelo.from_openspiel(game.game).moves(game.start()))
    assert zermelo.verify(path, game=game).verdict == "proved"
    report = zermelo.check(table, lambda position: game.state(position).legal_actions()[0])
    assert report["asked"] > 0
    with pytest.raises(ValueError, match="differ from the table's"):
        zermelo.open(path, game=zermelo.from_openspiel("nim(pile_sizes=1;3;6)"))


def test_history_that_is_not_shown_is_refused_with_both_ways():
    with pytest.raises(zermelo.SolveError, match=r"after the actions \[.*\]: .* after the actions \["):
        zermelo.solve(zermelo.from_openspiel("go(board_size=2)"))


def test_a_key_merges_states_that_differ_in_what_does_not_matter():
    for name, fewer in [("y(board_size=3)", 427), ("havannah(board_size=2)", 458)]:
        shown = zermelo.solve(zermelo.from_openspiel(name))
        board = zermelo.solve(zermelo.from_openspiel(name, key="board"))
        assert len(board) < fewer == len(shown)
        assert board.score(board.start) == shown.score(shown.start)
    dots = zermelo.solve(zermelo.from_openspiel("dots_and_boxes(num_rows=2,num_cols=2)", key="board"))
    assert len(dots) < 5531
    # What every position has in common is not enough.
    with pytest.raises(zermelo.SolveError, match="pass key="):
        zermelo.solve(zermelo.from_openspiel("tic_tac_toe", key=lambda state: "a board"))
    with pytest.raises(ValueError, match='no key="board" for hex'):
        zermelo.from_openspiel("hex(board_size=3)", key="board")


def test_margins_are_scores():
    game = zermelo.from_openspiel("dots_and_boxes(num_rows=1,num_cols=2)", margin=True)
    table = zermelo.solve(game)
    assert set(np.unique(table.to_numpy().scores)) == {-2, 0, 2}
    state = pyspiel.load_game("oware").new_initial_state()
    assert zermelo.from_openspiel("oware", margin=True)._margin(state) == 0
    state = pyspiel.load_game("mancala").new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    stores = str(state).split("\n")[1].strip("-").split("-")
    margin = zermelo.from_openspiel("mancala", margin=True)._margin(state)
    assert margin == int(stores[-1]) - int(stores[0]) != 0
    with pytest.raises(ValueError, match="hex has no margin"):
        zermelo.from_openspiel("hex", margin=True)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("backgammon", "backgammon has chance"),
        ("kuhn_poker", "kuhn_poker has chance"),
        ("phantom_ttt", "phantom_ttt has secrets"),
        ("goofspiel(imp_info=False)", "at the same time"),
        ("quoridor(players=3)", "has 3 players"),
    ],
)
def test_other_games_are_refused_by_name(name, reason):
    with pytest.raises(zermelo.SolveError, match=reason):
        zermelo.from_openspiel(name)


def test_games_that_depend_on_how_they_went_are_refused_with_both_ways():
    name = "oware(num_houses_per_player=2,num_seeds_per_house=2)"
    with pytest.raises(zermelo.SolveError, match=r"(?s)after the actions \[.*leads to .*after the actions \[.*FINISHED"):
        zermelo.solve(zermelo.from_openspiel(pyspiel.load_game(name), endless="draw"))


def test_long_names_are_shortened_by_a_digest():
    game = pyspiel.load_game("nim(pile_sizes=1;3;5;7)")

    class Long:
        def __getattr__(self, name):
            return getattr(game, name)

        def __str__(self):
            return f"{game}{self.more}"

    names = set()
    for more in ("a" * 60, "b" * 60):
        long = Long()
        long.more = more
        names.add(zermelo.from_openspiel(long).name)
    assert len(names) == 2
    assert all(len(name) <= 60 for name in names)
