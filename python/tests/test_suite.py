"""The suite: its scores, its balance, and scorecards."""

import asyncio
from collections import Counter

import pytest
import zermelo

SUITE = zermelo.suite("1")
SMALL = {
    "tictactoe": ("tictactoe", {}),
    "kalah-4-3": ("kalah", {"pits": 4, "seeds": 3}),
    "dots-and-boxes-2-2": ("dots-and-boxes", {"columns": 2, "rows": 2}),
    "morris3": ("morris3", {}),
}


@pytest.mark.parametrize("game", SMALL)
def test_scores_are_those_of_a_table(game):
    family, parameters = SMALL[game]
    table = zermelo.solve(family, **parameters)
    positions = SUITE.positions(game=game)
    assert len(positions) > 100
    for one in positions:
        assert dict(table.moves(one.position)) == one.moves


@pytest.mark.parametrize("game", SUITE.games)
def test_no_two_positions_are_of_one_class(game):
    oracle = SUITE.oracle(game)
    positions = SUITE.positions(game=game)
    assert len({oracle.canonical(one.position) for one in positions}) == len(positions)


@pytest.mark.parametrize("game", SUITE.games)
def test_positions_are_a_choice_and_balanced(game):
    positions = SUITE.positions(game=game)
    for one in positions:
        share = list(one.moves.values()).count(max(one.moves.values())) / len(one.moves)
        assert 0 < share < 1
        assert one.difficulty == ("hard" if share <= 0.25 else "medium" if share <= 0.5 else "easy")
    cells = Counter((one.phase, one.difficulty, one.split) for one in positions)
    for phase, difficulty in {cell[:2] for cell in cells}:
        tests, train, validation = (
            cells[phase, difficulty, split] for split in ("test", "train", "validation")
        )
        assert tests >= train >= validation >= tests / 3 - 1


def test_the_size_is_bounded():
    assert len(SUITE) <= 300 * len(SUITE.games)
    assert len(SUITE.positions("test")) + len(SUITE.positions("train")) + len(
        SUITE.positions("validation")
    ) == len(SUITE)


def test_a_scorecard_counts_what_an_ai_answers():
    def first(question):
        return min(question.moves)

    games = ["tictactoe", "kalah-6-4", "morris3"]
    scorecard = SUITE.check(first, split="validation", games=games)
    lost = {}
    for row in scorecard["games"]:
        positions = SUITE.positions("validation", row["game"])
        made = [(one.moves[min(one.moves)], max(one.moves.values())) for one in positions]
        sign = lambda score: (score > 0) - (score < 0)
        assert row["asked"] == len(made)
        assert row["best_moves"]["rate"] == pytest.approx(
            sum(score == best for score, best in made) / len(made)
        )
        assert row["outcome_preserved"]["rate"] == pytest.approx(
            sum(sign(score) == sign(best) for score, best in made) / len(made)
        )
        if row["game"] == "kalah-6-4":
            regrets = [(best - score) / 96 for score, best in made]
        elif row["game"] == "tictactoe":
            regrets = [(best - score) / 6 for score, best in made]  # From -3 to 3.
        else:
            regrets = [(sign(best) - sign(score)) / 2 for score, best in made]
        assert row["regret"]["mean"] == pytest.approx(sum(regrets) / len(regrets))
        lost[row["game"]] = regrets
    every = [regret for regrets in lost.values() for regret in regrets]
    assert scorecard["all"]["asked"] == len(every)
    assert scorecard["all"]["regret"]["mean"] == pytest.approx(sum(every) / len(every))
    assert "<table>" in scorecard.html and "3 games" not in repr(scorecard)


def test_faults_are_counted_and_do_not_end_the_check():
    scorecard = SUITE.check(lambda question: "resign", games=["tictactoe"])
    tests = len(SUITE.positions("test", "tictactoe"))
    assert scorecard["all"]["faults"] == scorecard["all"]["asked"] == tests
    assert scorecard["all"]["best_moves"]["rate"] == 0
    assert scorecard["all"]["regret"] is None


def test_a_perfect_ai_has_a_perfect_scorecard():
    scorecard = SUITE.check("perfect", split="train")
    assert scorecard["all"]["best_moves"]["rate"] == 1
    assert scorecard["all"]["regret"]["mean"] == 0
    assert scorecard["all"]["asked"] == len(SUITE.positions("train"))


def test_async_functions_are_awaited():
    async def last(question):
        await asyncio.sleep(0)
        return question.moves[-1]

    scorecard = SUITE.check(last, games=["reversi4"], concurrency=8)
    again = SUITE.check(lambda question: question.moves[-1], games=["reversi4"])
    assert scorecard["all"] == again["all"]


def test_prompts_have_the_rules_the_board_and_the_moves():
    one = SUITE.positions("test", "connect4-5-4")[0]
    question = SUITE.question(one)
    assert question.position == one.position and sorted(question.moves) == sorted(one.moves)
    assert ", ".join(question.moves) in question.prompt
    assert SUITE.oracle(one.game).board(one.position) in question.prompt
    assert "four" in question.prompt.lower()
    hurry = "Win in as few moves as possible, or lose in as many."
    for game in SUITE.games:
        question = SUITE.question(SUITE.positions("test", game)[0])
        counts_plies = game in ("morris3", "dobutsu", "oware-4-2")
        assert (hurry in question.prompt) == counts_plies, game


def test_a_wrong_name_is_refused():
    with pytest.raises(ValueError, match='no suite "2"'):
        zermelo.suite("2")
    with pytest.raises(ValueError, match="no game 'chess'"):
        SUITE.positions(game="chess")
    with pytest.raises(ValueError, match="split is"):
        SUITE.positions("dev")
    with pytest.raises(ValueError, match="not one of the listed positions"):
        oracle = SUITE.oracle("tictactoe")
        oracle.score("XO......." if "XO......." not in {
            one.position for one in SUITE.positions(game="tictactoe")
        } else ".XO......")


def test_answers_are_logged_and_resumed_by_game(tmp_path):
    asked = []

    def first(question):
        asked.append(question.position)
        return question.moves[0]

    log, games = tmp_path / "answers.jsonl", ["tictactoe", "morris3"]
    part = SUITE.check(first, split="validation", games=games, log=log, max_questions=60)
    assert part["is_cut"] and part["all"]["asked"] == len(asked) == 60
    whole = SUITE.check(first, split="validation", games=games, log=log, resume=log)
    assert not whole["is_cut"]
    assert len(asked) == len(set(asked)) == whole["all"]["asked"]
    assert whole["all"] == SUITE.check(first, split="validation", games=games)["all"]
    assert part["questions"] == 60 and whole["questions"] == 39


def test_a_budget_covers_all_games_and_what_was_spent_is_summed():
    games, asked = ["tictactoe", "morris3"], []

    async def first(question):
        await asyncio.sleep(0)
        asked.append(question.position)
        return question.moves[0]

    options = {"split": "validation", "games": games, "max_questions": 60, "cost": 0.5}
    one, many = (SUITE.check(first, **options, concurrency=most) for most in (1, 64))
    assert one["all"] == many["all"] and one["all"]["asked"] == 60
    assert one["spent"] == many["spent"] == 30 and many["is_cut"] and len(asked) == 120
    assert "questions" not in SUITE.check("first", games="tictactoe")


def test_options_that_do_not_fit_a_suite_are_refused():
    def first(question):
        return question.moves[0]

    alone = SUITE.check(first, games="tictactoe")
    assert alone["all"] == SUITE.check(first, games=["tictactoe"])["all"]
    for options, error, match in [
        ({"max_questions": 0}, ValueError, "at least 1"),
        ({"games": []}, ValueError, "games is empty: name some of"),
        ({"games": "chess"}, ValueError, "no game 'chess'"),
        ({"max_faults": 3}, TypeError, "faults don't end its check"),
        ({"history": True}, TypeError, "takes a Question"),
        ({"masks": True}, TypeError, "takes a Question"),
        ({"batch": True}, TypeError, "jobs="),
        ({"job": 3}, TypeError, "no option 'job'.*jobs"),
    ]:
        with pytest.raises(error, match=match):
            SUITE.check(first, **options)
    with pytest.raises(TypeError, match='such as "1", not 1'):
        zermelo.suite(1)
