"""AIs that are Python functions."""

import signal

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
        cell = position.index(".")
        return "abc"[cell % 3] + "123"[cell // 3]

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
                  {"sample": 5, "draw": "cards"}, {"timeout": -1.0}):
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
        cell = position.index(".")
        return "abc"[cell % 3] + "123"[cell // 3]

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
