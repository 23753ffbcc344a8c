"""Oracles in other processes."""

import concurrent.futures
import copy
import multiprocessing
import os
import pickle
from pathlib import Path

import pytest

import zermelo
from test_own import Nim, NimOfRows


def score_of_start(table: zermelo.Oracle) -> int:
    return table.score(table.start)


def test_tables_in_files_go_to_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # Relative names, which mean other files in another directory.
    made = [
        zermelo.solve("tictactoe", out="ttt.bin"),
        zermelo.open("ttt.bin", mmap=False),
        zermelo.solve(Nim(), out="nim.bin"),
        zermelo.open("nim.bin", game=Nim()),
        zermelo.solve(NimOfRows(), out="rows.bin"),
        zermelo.open("rows.bin"),
    ]
    expected = [score_of_start(table) for table in made]
    packed = pickle.dumps(made)
    monkeypatch.chdir("/")
    for table, before in zip(pickle.loads(packed), made, strict=True):
        assert type(table) is type(before)
        assert table.rules == before.rules
        assert list(table)[:20] == list(before)[:20] or isinstance(before, zermelo.OwnOracle)
    with concurrent.futures.ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn")
    ) as pool:
        assert list(pool.map(score_of_start, made)) == expected


def test_searches_begin_anew() -> None:
    search = zermelo.kalah(seeds=2, pits=3)
    again = pickle.loads(pickle.dumps(search))
    assert again.rules == search.rules and not again.is_table
    assert again.moves(again.start) == search.moves(search.start)
    assert copy.copy(search).rules == search.rules


def test_tables_in_memory_are_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [zermelo.solve("kalah", pits=3, seeds=2, empty_capture=True), zermelo.solve(Nim())]
    for table in made:
        packed = pickle.dumps(table)
        again = pickle.loads(packed)
        assert type(again) is type(table) and again.rules == table.rules and again is not table
        assert again.moves(again.start) == table.moves(table.start)
        # Tasks with the same table solve it once.
        assert pickle.loads(packed) is again and pickle.loads(pickle.dumps(again)) is again
    with concurrent.futures.ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn")
    ) as pool:
        assert list(pool.map(score_of_start, made)) == [score_of_start(table) for table in made]
    packed = [pickle.dumps(zermelo.solve(Nim())) for _ in range(6)]
    first = [pickle.loads(one) for one in packed]
    assert pickle.loads(packed[5]) is first[5] and pickle.loads(packed[0]) is not first[0]


def test_graphs_opponents_and_searches_of_games_can_be_pickled() -> None:
    table = zermelo.solve(Nim())
    graph = pickle.loads(pickle.dumps(table.graph()))
    assert graph.nash_conv(graph.uniform()) == table.graph().nash_conv(graph.uniform()) > 0
    assert graph.mistakes(graph.uniform(), 1) == table.graph().mistakes(graph.uniform(), 1)
    weak = zermelo.opponent(table, error=0.5)
    again = pickle.loads(pickle.dumps(weak))
    assert [again(table.start) for _ in range(20)] == [weak(table.start) for _ in range(20)]
    search = zermelo.search(Nim())
    score = search.score(Nim().start())
    assert pickle.loads(pickle.dumps(search)).score(Nim().start()) == score


def moves_of_unpickled(packed: bytes) -> object:
    table = pickle.loads(packed)
    return table.moves(table.start)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_processes_open_games_of_their_own(tmp_path: Path) -> None:
    zermelo.solve(Nim(), out=tmp_path / "nim.bin")
    table = zermelo.open(tmp_path / "nim.bin")
    expected = table.moves(table.start)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        # The limit only ends a hang.
        found = pool.apply_async(moves_of_unpickled, (pickle.dumps(table),)).get(timeout=120)
    assert found == expected
