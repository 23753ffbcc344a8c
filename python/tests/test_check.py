"""AIs that are Python functions."""

import pickle
import signal
import threading

import pytest

import zermelo


def best(table: zermelo.Oracle):
    return lambda position: table.best_moves(position)[0]


def test_a_perfect_ai(ttt: zermelo.Oracle) -> None:
    report = zermelo.check(ttt, best(ttt))
    assert report.verdict == "perfect"
    assert report["asked"] == 4_520
    assert "perfect" in repr(report)


def test_a_batch_ai(kalah: zermelo.Oracle) -> None:
    sizes: list[int] = []

    def ai(positions: list[zermelo.Position]) -> list[str]:
        sizes.append(len(positions))
        scores = kalah.move_scores(positions)
        return [kalah.all_moves[at] for at in scores.argmax(axis=1)]

    report = zermelo.check(kalah, ai, batch=True, canonical=True)
    assert report.verdict == "perfect"
    assert report["asked"] == len(kalah)
    assert max(sizes) > 1


def test_the_same_counts_as_the_builtin(ttt: zermelo.Oracle) -> None:
    report = zermelo.check(ttt, "first")

    def first(position: str) -> str:
        square = position.index(".")
        return "abc"[square % 3] + "123"[square // 3]

    own = zermelo.check(ttt, first)
    for key in ("verdict", "asked", "best_moves", "mistakes", "total_regret"):
        assert own[key] == report[key]
    assert own.html.startswith("<!DOCTYPE html>")
    assert "<iframe" in own._repr_html_()


def test_whole_numbers_are_moves(small: zermelo.Oracle) -> None:
    report = zermelo.check(small, lambda position: int(small.best_moves(position)[0]), sample=50)
    assert report.verdict == "perfect"


def test_an_exception_comes_out_with_the_position(ttt: zermelo.Oracle) -> None:
    def ai(position: str) -> str:
        if position.count(".") < 4:
            raise LookupError("I have never seen this")
        return ttt.best_moves(position)[0]

    with pytest.raises(LookupError, match="never seen") as caught:
        zermelo.check(ttt, ai)
    assert any("about the position" in note for note in caught.value.__notes__)


def test_faults_are_reported(ttt: zermelo.Oracle) -> None:
    report = zermelo.check(ttt, lambda position: "a1")
    assert report.verdict == "faulty"
    assert report["faults"]["illegal"] > 0
    report = zermelo.check(ttt, lambda position: "no move")
    assert report["faults"]["malformed"] > 0
    with pytest.raises(ValueError, match="gave 0 moves"):
        zermelo.check(ttt, lambda positions: [], batch=True)


def test_scopes_and_positions(ttt: zermelo.Oracle) -> None:
    report = zermelo.check(ttt, best(ttt), scope="play", side="second")
    assert (report.verdict, report["scope"]) == ("perfect", "play")
    report = zermelo.check(ttt, best(ttt), positions=["X........", "XO......."])
    assert report["asked"] == 2
    for wrong in ({"scope": "some"}, {"criterion": "points"}, {"side": "third"},
                  {"sample": 5, "by": "cards"}, {"timeout": -1.0}):
        with pytest.raises(ValueError):
            zermelo.check(ttt, best(ttt), **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="an AI is a function"):
        zermelo.check(ttt, 5)  # type: ignore[arg-type]


def test_a_search_can_be_checked_against() -> None:
    search = zermelo.kalah(seeds=2, pits=3)
    report = zermelo.check(search, best(search), sample=40)
    assert report.verdict == "perfect"


def endless_after(count: int):
    """An AI that gives a number of answers and then never returns."""
    asked = 0

    def answer(position: str) -> str:
        nonlocal asked
        asked += 1
        while asked > count:
            pass
        square = position.index(".")
        return "abc"[square % 3] + "123"[square // 3]

    return answer


def test_an_answer_is_not_waited_for_past_the_time(ttt: zermelo.Oracle) -> None:
    report = zermelo.check(ttt, endless_after(700), timeout=1.0)
    assert report["stopped_by"] == "time"
    assert 0 < report["asked"] <= 700

    def all_at_once(positions: list[str]) -> list[str]:
        while True:
            pass

    report = zermelo.check(ttt, all_at_once, batch=True, timeout=0.2)
    assert (report.verdict, report["asked"]) == ("unfinished", 0)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a signal at any time")
def test_a_check_can_be_interrupted_in_an_answer(ttt: zermelo.Oracle) -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            zermelo.check(ttt, endless_after(700))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_each_position_is_asked_once(kalah_table_for_asking):
    table, asked = kalah_table_for_asking, []

    def ai(position):
        asked.append(position)
        return table.moves(position)[-1][0]

    report = zermelo.check(table, ai, sample=200)
    repeats = report["asked_again"]["asked"]
    assert report["questions"] == len(asked) == len(report.answers) + repeats
    assert len(set(asked)) == len(report.answers) and repeats > 0
    # A check of given positions asks about them and, for a refutation, about more.
    worst = report.mistakes()
    assert worst[0]["regret"] == max(one["regret"] for one in worst)
    for one in worst:
        scores = dict(table.moves(one["position"]))
        assert one["regret"] == one["score"] - scores[one["move"]] > 0
    every = zermelo.check(table, ai)
    assert len(every.mistakes()) >= every["mistakes"]["total"]


def test_a_check_goes_on_where_it_stopped(kalah_table_for_asking):
    table = kalah_table_for_asking
    asked = []

    def ai(position):
        asked.append(position)
        if len(asked) == 120:
            raise KeyboardInterrupt
        return table.moves(position)[-1][0]

    heard = []
    stopped = zermelo.check(
        table, ai, stop="report", on_answer=lambda position, move: heard.append(position)
    )
    assert stopped.verdict == "imperfect" and stopped["stopped_by"] == "interrupt"
    # Some of the questions were about the rules.
    assert stopped["asked"] <= len(stopped.answers) == 119 == len(heard)
    assert stopped["asked"] > 20 and sum(stopped["faults"].values()) == 0
    first = set(stopped.answers)
    asked.clear()
    asked.extend(["nothing"] * 120)
    whole = zermelo.check(table, ai, resume=stopped)
    # Only answers that the report shows are asked for again.
    assert len([one for one in asked[120:] if one in first]) <= whole["asked_again"]["asked"]
    fresh = zermelo.check(table, lambda position: table.moves(position)[-1][0])
    for key in ("asked", "best_moves", "mistakes", "total_regret", "verdict"):
        assert whole[key] == fresh[key]
    with pytest.raises(KeyboardInterrupt):
        asked.clear()
        zermelo.check(table, ai)

    # Whatever the number of the answer, also during the questions about the rules.
    def full(position, move):
        raise KeyboardInterrupt

    first = zermelo.check(table, lambda p: table.best_moves(p)[0], on_answer=full, stop="report")
    assert (len(first.answers), first["asked"], first.verdict) == (1, 0, "unfinished")


def test_flaky_agents_are_faults_or_asked_again(kalah_table_for_asking):
    table = kalah_table_for_asking
    calls = {}

    def flaky(position):
        calls[position] = calls.get(position, 0) + 1
        if calls[position] == 1:
            raise RuntimeError("garbage")
        return table.best_moves(position)[0]

    assert zermelo.check(table, flaky, canonical=True, retries=1).verdict == "perfect"
    calls.clear()
    with pytest.raises(RuntimeError, match="garbage"):
        zermelo.check(table, flaky, canonical=True)
    calls.clear()
    report = zermelo.check(table, flaky, canonical=True, on_error="fault", max_faults=10_000)
    assert report.verdict == "faulty" and sum(report["faults"].values()) > 100
    assert report["faults"]["crash"] == sum(report["faults"].values())
    assert "raised RuntimeError: garbage" in str(report["fault_list"])
    # What failed is asked again by the next check.
    assert report.answers == {}
    assert zermelo.check(table, flaky, canonical=True, resume=report).verdict == "perfect"


def test_slow_answers_are_faults(kalah_table_for_asking):
    table, never = kalah_table_for_asking, threading.Event()

    def slow(position):
        if position == table.start:
            never.wait(60)
        return table.best_moves(position)[0]

    positions = [table.start, table.play(table.start, "1")]
    report = zermelo.check(table, slow, positions=positions, move_timeout=1.0, jobs=2)
    never.set()
    assert "gave no answer within 1.0 s" in str(report["fault_list"])
    assert report["asked"] == 2 and report["faults"]["timeout"] == 1 == sum(report["faults"].values())
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="seconds above 0"):
            zermelo.check(table, slow, move_timeout=wrong)


def test_threads_ask_at_once_and_change_nothing(kalah_table_for_asking):
    table = kalah_table_for_asking

    def ai(position):
        return table.moves(position)[-1][0]

    one, four = (zermelo.check(table, ai, jobs=jobs) for jobs in (1, 4))
    assert dict(one) | {"seconds_per_move": 0} == dict(four) | {"seconds_per_move": 0}
    with pytest.raises(ValueError, match="one position at a time"):
        zermelo.check(table, ai, jobs=2, batch=True)


@pytest.fixture(scope="module")
def kalah_table_for_asking():
    return zermelo.solve("kalah", pits=3, seeds=2)


def test_agents_may_be_told_the_moves(kalah_table_for_asking):
    table, told = kalah_table_for_asking, []

    def ai(position, moves):
        assert table.play(table.start, *moves) == position
        told.append(len(moves))
        return table.best_moves(position)[0]

    assert zermelo.check(table, ai, history=True).verdict == "perfect"
    assert min(told) == 0 and max(told) > 5 and len(told) == 3406

    class Nim:
        start = staticmethod(lambda: (2, 2))
        moves = staticmethod(
            lambda piles: [(at, left) for at, most in enumerate(piles) for left in range(most)]
        )
        score = staticmethod(lambda piles: None if any(piles) else -1)

        def play(self, piles, move):
            return (*piles[: move[0]], move[1], *piles[move[0] + 1 :])

    own = zermelo.solve(Nim())
    seen = {}

    def remembering(position, moves):
        seen[position] = moves
        return own.best_moves(position)[0]

    zermelo.check(own, remembering, history=True)
    assert seen[(2, 2)] == [] and len(seen[(1, 1)]) == 2 and seen[(2, 0)] == ["(1, 0)"]


class NimWithoutSide:
    start = staticmethod(lambda: (3, 4))
    moves = staticmethod(
        lambda piles: [(at, left) for at, most in enumerate(piles) for left in range(most)]
    )
    score = staticmethod(lambda piles: None if any(piles) else -1)

    def play(self, piles, move):
        return (*piles[: move[0]], move[1], *piles[move[0] + 1 :])


def test_positions_that_look_the_same_are_asked_once():
    table, asked, saved = zermelo.solve(NimWithoutSide()), [], {}

    def first(position):
        asked.append(position)
        return NimWithoutSide.moves(position)[0]

    report = zermelo.check(table, first, on_answer=lambda p, move: saved.update({p: move}))
    repeats = report["asked_again"]["asked"]
    assert len(set(asked)) == 19 and len(asked) == report["questions"] == 19 + repeats
    for known in (saved, {str(p): move for p, move in saved.items()}, report, report.answers):
        asked.clear()
        again = zermelo.check(table, first, resume=known)
        assert len(asked) == repeats and again["mistakes"] == report["mistakes"]
        assert again["from_log"] == 19
    for mistake in report.mistakes():
        assert mistake["move"] == NimWithoutSide.moves(mistake["position"])[0]
        assert mistake["move"] not in mistake["best"]
    with pytest.raises(ValueError):
        zermelo.check(table, first, resume={"nonsense": "1"})
    with pytest.raises(ValueError, match="no move at"):
        zermelo.check(table, first, resume={(3, 4): None})
    with pytest.raises(ValueError, match='"raise" or "report"'):
        zermelo.check(table, first, stop="now")


def test_answers_are_never_lost(kalah_table_for_asking):
    table, asked = kalah_table_for_asking, []

    def ai(position):
        asked.append(position)
        if len(asked) == 5:
            raise KeyboardInterrupt
        return table.best_moves(position)[0]

    # The first questions, whose moves are forced, are not graded.
    with pytest.raises(KeyboardInterrupt) as raised:
        zermelo.check(table, ai)
    assert len(raised.value.report.answers) == 4 and raised.value.report["asked"] == 0
    again = zermelo.check(table, ai, resume=raised.value.report.answers)
    assert again["questions"] == 3406 - 4
    loaded = pickle.loads(pickle.dumps(again))
    with pytest.raises(ValueError, match="no table"):
        loaded.mistakes()
    assert loaded.mistakes(table) == again.mistakes()


def test_a_hanging_agent_is_interrupted(kalah_table_for_asking):
    """With a timeout, Ctrl-C doesn't wait for the answer."""
    table, never = kalah_table_for_asking, threading.Event()
    timer = threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            zermelo.check(table, lambda position: never.wait(3600), move_timeout=3600.0)
    finally:
        timer.cancel()
        never.set()


def test_policies_with_masks(kalah_table_for_asking):
    table = kalah_table_for_asking

    def policy(row, mask):
        position = table.to_positions([row])[0]
        legal = {table.all_moves.index(move) for move, _ in table.moves(position)}
        assert set(mask.nonzero()[0].tolist()) == legal
        return table.all_moves.index(table.best_moves(position)[0])

    assert zermelo.check(table, policy, masks=True, canonical=True).verdict == "perfect"

    def first(rows, masks):
        assert len(rows) == len(masks)
        return masks.argmax(axis=1)

    batch = zermelo.check(table, first, masks=True, batch=True)
    assert batch["mistakes"] == zermelo.check(table, "first")["mistakes"]
    with pytest.raises(ValueError, match="no rows and columns"):
        zermelo.check(zermelo.solve("morris3"), first, masks=True)
    with pytest.raises(ValueError, match="don't go together"):
        zermelo.check(table, first, masks=True, history=True)


@pytest.mark.parametrize("answer", ["", "\ud800", "\0"])
def test_answers_that_are_no_moves_are_faults_and_end_nothing(kalah_table_for_asking, answer):
    table = kalah_table_for_asking
    asked = []

    def agent(position):
        asked.append(position)
        return answer if len(asked) == 7 else table.best_moves(position)[0]

    report = zermelo.check(table, agent, sample=50)
    assert report.verdict == "faulty"
    assert report["faults"]["malformed"] == 1
    assert len(asked) >= 50


def test_a_sample_ends_when_no_more_positions_come_up():
    search = zermelo.kalah(pits=3, seeds=2)
    report = zermelo.check(search, "first", sample=5000)
    assert 500 < report["asked"] < 5000
    assert report.verdict == "imperfect"


class Heaps:
    """Take one or two from one of two heaps; the last one wins, or loses if that is misread."""

    def __init__(self, last: int = -1) -> None:
        self.last = last

    def start(self) -> tuple[int, int]:
        return 7, 7

    def moves(self, p: tuple[int, int]) -> list[tuple[int, int]]:
        return [(heap, taken) for heap in (0, 1) for taken in (1, 2) if taken <= p[heap]]

    def play(self, p: tuple[int, int], move: tuple[int, int]) -> tuple[int, int]:
        heap, taken = move
        return (p[0] - taken, p[1]) if heap == 0 else (p[0], p[1] - taken)

    def score(self, p: tuple[int, int]) -> int | None:
        return None if any(p) else self.last

    def misreadings(self) -> list[tuple[str, object]]:
        return [("whoever takes the last one lost", Heaps(1))]


@pytest.mark.parametrize("sides", [False, True])
def test_a_misread_rule_of_an_own_game_is_named(sides: bool) -> None:
    class Sides(Heaps):
        def start(self):
            return 7, 7, 0

        def side(self, p):
            return p[2]

        def play(self, p, move):
            return (*super().play(p[:2], move), 1 - p[2])

        def score(self, p):
            return super().score(p[:2])

        def misreadings(self):
            return [("whoever takes the last one lost", Sides(1))]

    rules = Sides if sides else Heaps
    table = zermelo.solve(rules())
    other = zermelo.solve(rules(1))
    report = zermelo.check(table, lambda p: other.moves(p)[0][0])
    assert report["mistakes"]["total"] > 5
    found = report["diagnosis"]["explanation"]["sentence"]
    assert found == "plays as if whoever takes the last one lost"
    assert zermelo.check(table, lambda p: table.moves(p)[0][0])["diagnosis"]["explanation"] is None
