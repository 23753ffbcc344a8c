"""Games written in Python: batches, and positions that are rows of arrays."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import zermelo
from test_own import Nim, NimOfRows, TicTacToe


class Counters(NimOfRows):
    """Two heaps in any order, with names for positions and moves."""

    name = "counters"

    def start(self) -> list[int]:
        return [4, 3]

    def scores(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (rows == 0).all(axis=1), np.full(len(rows), -1)

    def expand(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        children, parents, moves = [], [], []
        for heap in (0, 1):
            for taken in (1, 2):
                legal = np.flatnonzero(rows[:, heap] >= taken)
                child = rows[legal].copy()
                child[:, heap] -= taken
                children.append(child)
                parents.append(legal)
                moves.append(np.full(len(legal), 10 * heap + taken))
        return np.concatenate(children), np.concatenate(parents), np.concatenate(moves)

    def format(self, row: np.ndarray) -> str:
        return " and ".join(f"{number} counters" for number in row)

    def parse(self, text: str) -> list[int]:
        return [int(part.split()[0]) for part in text.split(" and ")]

    def format_move(self, move: int) -> str:
        return f"take {move % 10} from {'left' if move < 10 else 'right'}"


def test_moves_have_columns(ttt: zermelo.Oracle) -> None:
    table = zermelo.solve(TicTacToe())
    assert sorted(table.all_moves) == sorted(ttt.all_moves)
    assert table.columns == ()
    places = [table.all_moves.index(move) for move in ttt.all_moves]
    texts = ttt.to_numpy(texts=True).texts
    expected = ttt.move_scores(texts)
    for form in (texts, np.array(texts), tuple(texts)):
        assert (table.move_scores(form)[:, places] == expected).all()
        assert (table.scores(form) == ttt.scores(texts)).all()
    with pytest.raises(zermelo.NotInTable, match="^position 0: the table has no position XXXXXXXXX$"):
        table.move_scores(["XXXXXXXXX"])


def test_labels_have_moves() -> None:
    table = zermelo.solve(Nim())
    assert table.all_moves == ("1", "2", "3")
    labels = table.to_numpy()
    assert labels.positions is None and labels.moves == table.all_moves
    for position, score, scores, best in zip(
        labels.texts, labels.scores, labels.move_scores, labels.best, strict=True
    ):
        told = {table.all_moves.index(str(move)): worth for move, worth in table.moves(position)}
        assert {int(at): int(scores[at]) for at in np.flatnonzero(scores != zermelo.NO_SCORE)} == told
        assert {int(at) for at in np.flatnonzero(best)} == {
            at for at, worth in told.items() if worth == score
        }
    assert (table.move_scores(labels.texts) == labels.move_scores).all()
    # Positions as arrays of their values.
    rows = np.array(labels.texts)
    assert rows.shape == (21, 1)
    assert (table.scores(rows) == labels.scores).all()
    some = table.to_numpy(sample=5, move_scores=False, best=False)
    assert some.best is None and some.move_scores is None and len(some.texts) == 5


def test_a_game_with_very_many_moves_says_what_to_ask() -> None:
    class Wide:
        def start(self) -> int: return 0
        def moves(self, p: int) -> range: return range(1, 400)
        def play(self, p: int, m: int) -> int: return m
        def score(self, p: int) -> int | None: return p % 5 if p else None

    table = zermelo.solve(Wide())
    assert table.all_moves == ()
    with pytest.raises(ValueError, match=r"too many kinds of them.*ask with moves\(\)"):
        table.move_scores([0])
    assert len(table.moves(0)) == 399
    assert table.to_numpy().move_scores is None


def test_rows_are_arrays() -> None:
    table = zermelo.solve(NimOfRows())
    assert table.columns == ("column_0",)
    rows = np.arange(1, 22).reshape(-1, 1)
    plain = zermelo.solve(Nim())
    for form in (rows, rows.astype(np.uint8), rows.tolist(), list(rows)):
        assert (table.scores(form) == plain.scores([(left,) for left in range(1, 22)])).all()
    assert (table.move_scores(rows) == plain.move_scores(rows)).all()
    labels = table.to_numpy()
    assert labels.texts is None
    assert labels.positions.dtype == np.int64 and labels.positions.shape == (21, 1)
    assert (table.scores(labels.positions) == labels.scores).all()
    assert (table.move_scores(labels.positions) == labels.move_scores).all()
    assert table.to_numpy(texts=True).texts == table.to_positions(labels.positions)
    assert (table.to_rows(["7", "3 second", [5]]) == [[7], [3], [5]]).all()
    assert table.to_rows([]).shape == (0, 1)
    with pytest.raises(ValueError, match=r"the shape \(N, 1\)"):
        table.scores(np.arange(6).reshape(3, 2))
    with pytest.raises(ValueError, match="whole numbers"):
        table.scores(np.array([1.5, 2]).reshape(2, 1))
    with pytest.raises(TypeError, match="a list"):
        table.scores("7")


def test_rows_are_written_as_the_game_says(tmp_path: Path) -> None:
    path = tmp_path / "counters.bin"
    table = zermelo.solve(Counters(), out=path)
    assert zermelo.open(path).start == "4 counters and 3 counters"
    assert list(table.start) == [4, 3]
    assert set(table.all_moves) == {
        f"take {taken} from {side}" for taken in (1, 2) for side in ("left", "right")
    }
    assert table.score("4 counters and 3 counters") == table.score([4, 3]) == 1
    assert set(table.best_moves([4, 3])) == {1, 12}
    assert list(table.play([4, 3], 1, "take 2 from right")) == [3, 1]
    assert list(table.position("1 counters and 0 counters second")) == [1, 0]
    with pytest.raises(ValueError, match="the table has no position 9 counters"):
        table.position("9 counters")
    labels = table.to_numpy(texts=True)
    assert labels.texts[0] == "4 counters and 3 counters"
    assert (labels.positions[0] == [4, 3]).all()
    # The Grundy value of a heap is its size modulo three.
    grundy = labels.positions % 3
    assert (labels.scores == np.where(grundy[:, 0] == grundy[:, 1], -1, 1)).all()
    assert zermelo.check(table, lambda p: "take 1 from left" if p[0] else 11).verdict == "imperfect"
    exported = table.export(tmp_path / "csv", format="csv", move_scores=True)
    assert exported.manifest["columns"] is None
    with (tmp_path / "csv" / "layer-000.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["position"] == "4 counters and 3 counters"
    assert set(row["best"].split("; ")) == {"take 1 from left", "take 2 from right"}
    assert row["move_take 1 from left"] == "1"
    table.export(tmp_path / "jsonl", format="jsonl", move_scores=True)
    line = json.loads((tmp_path / "jsonl" / "layer-000.jsonl").read_text())
    own = {Counters.format_move(table, move): score for move, score in table.moves([4, 3])}
    assert line["moves"] == own
    with pytest.raises(ValueError, match="pass format=.csv"):
        table.export(tmp_path / "npy")


def test_rows_can_not_be_changed_in_place() -> None:
    class InPlace(NimOfRows):
        def expand(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            rows -= 1
            legal = np.flatnonzero(rows[:, 0] >= 0)
            return rows[legal], legal, np.ones(len(legal), dtype=np.int64)

    for ask in (zermelo.solve, zermelo.test_game):
        with pytest.raises(ValueError, match="read-only"):
            ask(InPlace())


def test_rows_come_back_as_arrays() -> None:
    table = zermelo.solve(Counters())
    assert all(isinstance(row, np.ndarray) for row in table)
    assert isinstance(table.start, np.ndarray) and isinstance(table.play([4, 3], 1), np.ndarray)
    position = next(iter(table))
    assert table.score(position) == table.score(table.start)


def changed(**methods):
    return type("Changed", (Counters,), methods)()


def test_games_without_rows_are_refused() -> None:
    def fails(self, *_: object) -> None:
        raise ArithmeticError("seven is unlucky")

    for method in ("scores", "expand", "format"):
        with pytest.raises(ArithmeticError, match="unlucky") as caught:
            zermelo.solve(changed(**{method: fails}))
        assert caught.value.__notes__ == ["in the position [4, 3]"]
    with pytest.raises(ArithmeticError):
        zermelo.solve(changed(format_move=fails))
    for game, problem in [
        (changed(format=lambda self, row: "same"), "have the same text|can't be read back"),
        (changed(format_move=lambda self, move: "same"), "two moves are called same"),
        (changed(start=lambda self: [0.5, 1]), "whole numbers"),
        (changed(sides=lambda self, rows: np.full(len(rows), 2)), "returned 2: return 0 for the first player or 1 for the second"),
        (changed(sides=lambda self, rows: [0, 1, 0]), "an array of the shape"),
    ]:
        with pytest.raises(zermelo.SolveError, match=problem):
            zermelo.solve(game)
    with pytest.raises(zermelo.SolveError, match="is read back as"):
        zermelo.test_game(changed(parse=lambda self, text: [0, 0]))
    with pytest.raises(TypeError, match=r"no method scores\(\)"):
        zermelo.solve(type("Half", (), {"start": list, "expand": lambda self, rows: None})())
