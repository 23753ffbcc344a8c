"""The command in the wheel."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import zermelo

BIN = Path(sys.executable).parent


def run(*words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, input=given, capture_output=True, text=True, check=False)


def test_the_command_is_there() -> None:
    shown = run(str(BIN / "zermelo"), "--version")
    assert shown.returncode == 0 and zermelo.__version__ in shown.stdout
    assert run(sys.executable, "-m", "zermelo", "query").returncode == 2


def test_they_make_and_ask_tables(tmp_path) -> None:
    path = tmp_path / "ttt.bin"
    made = run(str(BIN / "zermelo"), "solve", "tictactoe", "--out", str(path))
    assert made.returncode == 0, made.stderr
    asked = run(str(BIN / "zermelo"), "query", str(path), "first-player win?")
    assert (asked.returncode, asked.stdout[:3]) == (1, "no:")
    assert len(zermelo.open(path)) == 627


def reachable(table: zermelo.Oracle) -> list[str]:
    """Every reachable unfinished position, by a walk from the start."""
    level, seen = [str(table.start)], {str(table.start)}
    while level:
        moves = table.move_scores(level)
        following = []
        for position, row in zip(level, moves, strict=True):
            for at in np.flatnonzero(row != zermelo.NO_SCORE):
                child = str(table.play(position, table.all_moves[at]))
                if child not in seen:
                    seen.add(child)
                    following.append(child)
        # Finished positions have a score but no moves.
        if following:
            unfinished = (table.move_scores(following) != zermelo.NO_SCORE).any(axis=1)
            over = [child for child, goes_on in zip(following, unfinished) if not goes_on]
            seen.difference_update(over)
            level = [child for child, goes_on in zip(following, unfinished) if goes_on]
        else:
            level = []
    return sorted(seen)


def test_every_position_of_kalah_4_2_is_that_of_the_command_line(
    kalah: zermelo.Oracle, tmp_path: Path
) -> None:
    path = tmp_path / "kalah-4-2.bin"
    made = run(str(BIN / "zermelo"), "solve", "kalah", "--pits", "4", "--seeds", "2",
               "--out", str(path), "--quiet")
    assert made.returncode == 0, made.stderr
    positions = reachable(kalah)
    assert len(positions) == 303_299
    scores, moves = kalah.scores(positions), kalah.move_scores(positions)
    asked = run(str(BIN / "zermelo"), "query", str(path), "--batch", "--json", "--quiet",
                given="\n".join(positions) + "\n")
    assert asked.returncode == 0, asked.stderr
    lines = asked.stdout.splitlines()
    assert len(lines) == len(positions)
    column = {move: at for at, move in enumerate(kalah.all_moves)}
    told_scores, told_moves = np.zeros_like(scores), np.full_like(moves, zermelo.NO_SCORE)
    for number, (position, line) in enumerate(zip(positions, lines, strict=True)):
        answer = json.loads(line)
        assert answer["position"] == position
        told_scores[number] = answer["score"]
        for move in answer["moves"]:
            told_moves[number, column[move["move"]]] = move["score"]
    assert (told_scores == scores).all()
    assert (told_moves == moves).all()
    # The classes, as the command exports them.
    exported = run(str(BIN / "zermelo"), "export", str(path), "--out", str(tmp_path / "csv"),
                   "--format", "csv", "--moves", "--quiet")
    assert exported.returncode == 0, exported.stderr
    rows = []
    for file in sorted((tmp_path / "csv").glob("*.csv")):
        with file.open(newline="") as lines_of_file:
            rows += csv.DictReader(lines_of_file)
    assert len(rows) == len(kalah) == 66_265
    texts = [row["position"] for row in rows]
    assert kalah.scores(texts).tolist() == [int(row["score"]) for row in rows]
    for row, of_moves in zip(rows, kalah.move_scores(texts), strict=True):
        worth = {move: row[f"move_{move}"] for move in kalah.all_moves}
        legal = {move: int(score) for move, score in worth.items() if score}
        found = {move: int(score) for move, score in zip(kalah.all_moves, of_moves, strict=True)
                 if score != zermelo.NO_SCORE}
        assert found == legal
        assert row["best"].split() == [move for move in kalah.all_moves
                                       if legal.get(move) == int(row["score"])]
    labels = kalah.to_numpy(texts=True)
    assert sorted(labels.texts) == sorted(texts)
