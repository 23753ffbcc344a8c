"""AIs that are Python functions."""

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
    for key in ("verdict", "asked", "perfect_moves", "mistakes", "score_lost"):
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
    assert report["faults"]["garbled"] > 0
    with pytest.raises(ValueError, match="gave 0 moves"):
        zermelo.check(ttt, lambda positions: [], batch=True)


def test_scopes_and_positions(ttt: zermelo.Oracle) -> None:
    report = zermelo.check(ttt, best(ttt), scope="play", side="second")
    assert (report.verdict, report["scope"]) == ("perfect", "play")
    report = zermelo.check(ttt, best(ttt), positions=["X........", "XO......."])
    assert report["asked"] == 2
    for wrong in ({"scope": "some"}, {"standard": "points"}, {"side": "third"},
                  {"sample": 5, "draw": "cards"}, {"timeout": -1.0}):
        with pytest.raises(ValueError):
            zermelo.check(ttt, best(ttt), **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="an AI is a function"):
        zermelo.check(ttt, 5)  # type: ignore[arg-type]


def test_a_search_can_be_checked_against() -> None:
    search = zermelo.kalah(seeds=2, pits=3)
    report = zermelo.check(search, best(search), sample=40)
    assert report.verdict == "perfect"
