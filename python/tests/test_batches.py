"""Batches of positions, and whole tables."""

import signal
import threading
import os
from pathlib import Path

import numpy as np
import pytest

import zermelo


def test_texts_and_rows_have_the_same_scores(kalah: zermelo.Oracle) -> None:
    labels = kalah.to_numpy(sample=3000, seed=5, texts=True)
    assert labels.texts is not None and labels.positions is not None
    assert (kalah.to_rows(labels.texts) == labels.positions).all()
    assert kalah.to_positions(labels.positions) == labels.texts
    for form in (labels.texts, labels.positions, labels.positions.astype(np.int64),
                 labels.positions.tolist(), np.asfortranarray(labels.positions),
                 np.array(labels.texts), iter(labels.texts)):
        if hasattr(form, "__next__"):
            form = list(form)
        scores = kalah.scores(form)
        assert scores.dtype == np.int16
        assert (scores == labels.scores).all()
        assert (kalah.move_scores(form) == labels.move_scores).all()


@pytest.mark.parametrize("game", [
    {"game": "kalah", "pits": 3, "seeds": 2},
    {"game": "tictactoe"},
    {"game": "connect4", "columns": 4, "rows": 3, "connect": 3},
    {"game": "reversi4"},
])
def test_every_entry_is_what_the_table_says(game: dict[str, object]) -> None:
    table = zermelo.solve(**game)  # type: ignore[arg-type]
    labels = table.to_numpy(texts=True)
    assert len(labels) == len(table)
    assert labels.positions is not None and labels.texts is not None
    assert labels.move_scores is not None and labels.best is not None
    assert labels.positions.shape == (len(table), len(table.columns))
    legal = labels.move_scores != zermelo.NO_SCORE
    assert (labels.best <= legal).all()
    assert (labels.move_scores.max(axis=1, where=legal, initial=-999) == labels.scores).all()
    assert ((labels.move_scores == labels.scores[:, None]) == labels.best).all()
    for row in range(0, len(table), 1 + len(table) // 200):
        text = labels.texts[row]
        assert table.score(text) == labels.scores[row]
        moves = {table.all_moves[at]: int(labels.move_scores[row, at])
                 for at in np.flatnonzero(legal[row])}
        assert dict(table.moves(text)) == moves
    rows = table.to_positions(labels.positions[:500])
    assert rows == labels.texts[:500]
    for layer, entries in table.layers.items():
        assert len(table.to_numpy(layers=[layer], best=False, move_scores=False)) == entries
        assert (labels.layers == layer).sum() == entries


def test_blocks_are_the_whole(small: zermelo.Oracle) -> None:
    whole = small.to_numpy()
    blocks = list(small.blocks())
    assert whole.positions is not None
    for name in ("positions", "scores", "best", "move_scores", "layers"):
        together = np.concatenate([getattr(block, name) for block in blocks])
        assert (together == getattr(whole, name)).all()
    # Enough for the arrays, but not for the table as well.
    with_little_memory = small.to_numpy(memory=40_000)
    assert (with_little_memory.scores == whole.scores).all()
    assert (with_little_memory.move_scores == whole.move_scores).all()


def test_samples_are_the_same_for_the_same_seed(kalah: zermelo.Oracle) -> None:
    one, same, other = (kalah.to_numpy(sample=100, seed=seed) for seed in (3, 3, 4))
    assert (one.positions == same.positions).all()
    assert (one.positions != other.positions).any()
    some = kalah.to_numpy(sample=100, layers=[4, 9])
    assert set(some.layers.tolist()) == {4, 9}


def test_missing_positions_have_a_default(small: zermelo.Oracle) -> None:
    there, not_there = small.start, "11,0,0:0/1,0,0:0"
    with pytest.raises(zermelo.NotInTable, match="position 1: .*can't come up"):
        small.scores([there, not_there])
    assert small.scores([there, not_there], default=-99).tolist() == [small[there], -99]
    assert (small.move_scores([not_there], default=-99) == -99).all()
    with pytest.raises(ValueError, match="position 2: "):
        small.scores([there, there, "nonsense"], default=-99)


def test_arrays_that_are_no_positions_are_refused(small: zermelo.Oracle) -> None:
    rows = small.to_rows([small.start])
    with pytest.raises(ValueError, match="shape"):
        small.scores(rows[:, :5])
    with pytest.raises(ValueError, match="shape"):
        small.scores(rows[0])
    with pytest.raises(ValueError, match="whole numbers"):
        small.scores(rows.astype(float))
    with pytest.raises(ValueError, match="0 to 255"):
        small.scores(rows.astype(np.int32) - 1)
    wrong = rows.copy()
    wrong[0, 0] += 1
    with pytest.raises(ValueError, match=r"position 0: .*: 13 seeds on the board"):
        small.scores(wrong)
    with pytest.raises(ValueError, match="the board tells"):
        zermelo.tictactoe().scores([[0] * 9 + [1]])
    with pytest.raises(TypeError, match="a list"):
        small.scores(small.start)
    assert small.scores([]).tolist() == []


def test_verifying(small: zermelo.Oracle, tmp_path) -> None:
    assert small.verify() == zermelo.Verdict("proved", len(small), None)
    assert small.verify(sample=100).verdict == "sample-agrees"
    path = tmp_path / "k.bin"
    zermelo.solve("kalah", pits=3, seeds=2, out=path)
    told: list[str] = []
    assert zermelo.verify(path, progress=lambda phase, *_: told.append(phase))
    assert told


def test_ctrl_c_ends_a_long_solve_and_leaves_a_checkpoint(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "k62.bin"
    main = threading.get_ident()

    def press(phase: str, done: int, total: int | None, unit: str) -> None:
        # Only once there is something to save. The signal goes to the process, as from a terminal.
        if phase == "solving" and total and done > total / 2:
            signal.pthread_kill(main, signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        zermelo.solve("kalah", pits=6, seeds=2, out=path, progress=press)
    assert not path.exists()
    assert any(tmp_path.iterdir())
    with caplog.at_level("INFO", logger="zermelo"):
        table = zermelo.solve("kalah", pits=6, seeds=2, out=path)
    assert "written by an earlier run up to" in caplog.text
    assert len(table) == 169_562_786
    assert table.verify(sample=100).verdict == "sample-agrees"
    assert [left.name for left in tmp_path.iterdir()] == [path.name]


def test_an_exception_in_progress_comes_out(tmp_path) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("no more paper")

    with pytest.raises(RuntimeError, match="no more paper"):
        zermelo.solve("kalah", pits=6, seeds=2, out=tmp_path / "k62.bin", progress=fails)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own(kalah: zermelo.Oracle) -> None:
    rows = kalah.to_numpy(sample=2000, move_scores=False, best=False)
    child = os.fork()
    if child == 0:
        right = (kalah.scores(rows.positions) == rows.scores).all()
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
