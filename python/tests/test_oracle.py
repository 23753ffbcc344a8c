"""Questions about one position, and their errors."""

import pickle
import threading

import pytest

import zermelo


def test_a_table_answers(kalah: zermelo.Oracle) -> None:
    assert kalah.is_table
    assert kalah.rules == "kalah pits=4 seeds=2 capture=standard"
    assert len(kalah) == 66_265
    assert sum(kalah.layers.values()) == len(kalah)
    assert kalah.score(kalah.start) == kalah[kalah.start] == 6
    assert kalah.outcome(kalah.start) == "win"
    moves = kalah.moves(kalah.start)
    assert [move for move, _ in moves[:1]] == kalah.best_moves(kalah.start)
    assert [score for _, score in moves] == sorted((score for _, score in moves), reverse=True)


def test_a_line_is_best_play_to_the_end(kalah: zermelo.Oracle) -> None:
    position = kalah.start
    for move in kalah.line():
        assert move in kalah.best_moves(position)
        position = kalah.play(position, move)
    assert kalah.moves(position) == []
    assert kalah.line(position) == []
    first, second = position.stores
    left = [sum(pits) for pits in position.pits]
    assert (first + left[0]) - (second + left[1]) == 6


def test_positions_have_fields(kalah: zermelo.Oracle) -> None:
    start = kalah.start
    assert isinstance(start, str) and isinstance(start, zermelo.KalahPosition)
    assert start.pits == ((2, 2, 2, 2), (2, 2, 2, 2))
    assert start.stores == (0, 0)
    assert start.side == "first"
    after = kalah.play(start, "3")
    assert (after.stores, after.side) == ((1, 0), "first")
    assert hash(start) == hash(str(start))
    assert pickle.loads(pickle.dumps(start)) == start
    assert kalah.position("2,0,1,1/1,1,1,1").stores is None
    board = zermelo.connect4(4, 4).position("1213")
    assert board.side == "first"
    assert zermelo.reversi4().start.side == "first"


def test_positions_without_a_score_raise_key_error(kalah: zermelo.Oracle) -> None:
    unreachable = "15,0,0,0:0/1,0,0,0:0"
    with pytest.raises(KeyError) as caught:
        kalah.score(unreachable)
    assert isinstance(caught.value, zermelo.NotInTable)
    assert "can't come up in kalah(4,2)" in str(caught.value)
    assert unreachable not in kalah
    assert kalah.get(unreachable) is None
    assert kalah.get(unreachable, 7) == 7
    assert kalah.start in kalah
    assert 5 not in kalah


@pytest.mark.parametrize("ask", ["score", "moves", "line", "outcome", "board", "position", "rank"])
def test_nonsense_is_a_value_error(kalah: zermelo.Oracle, ask: str) -> None:
    with pytest.raises(ValueError, match="write it like"):
        getattr(kalah, ask)("two seeds in each")


def test_illegal_moves_are_refused(ttt: zermelo.Oracle) -> None:
    with pytest.raises(ValueError, match="not legal"):
        ttt.play("X........", "a1")
    with pytest.raises(ValueError, match="game is over"):
        ttt.play("XXXOO....", "c3")
    assert ttt.score("XXXOO....") == -3
    assert "XXXOO...." in ttt


def test_tables_are_files(tmp_path) -> None:
    path = tmp_path / "k.bin"
    made = zermelo.solve("kalah", pits=3, seeds=2, out=path)
    for mmap in (True, False):
        found = zermelo.open(path, mmap=mmap)
        assert found.score(found.start) == made.score(made.start)
    again = zermelo.solve("kalah", pits=3, seeds=2, out=path)
    assert len(again) == len(made)
    with pytest.raises(FileExistsError, match="a table of kalah"):
        zermelo.solve("kalah", pits=3, seeds=1, out=path)
    zermelo.solve("kalah", pits=3, seeds=1, out=path, force=True)
    with pytest.raises(FileNotFoundError):
        zermelo.open(tmp_path / "none.bin")
    path.write_bytes(b"no table")
    with pytest.raises(zermelo.TableError, match="no table|not a table|isn't a table"):
        zermelo.open(path)


def test_games_are_named_right() -> None:
    with pytest.raises(ValueError, match="there is no game"):
        zermelo.solve("chess")
    with pytest.raises(ValueError, match="give one of seeds and up-to"):
        zermelo.solve("kalah")
    with pytest.raises(ValueError, match="there is no parameter stones"):
        zermelo.solve("kalah", stones=2)
    endgame = zermelo.solve("kalah", pits=3, up_to=6, empty_capture=True)
    assert endgame.rules == "kalah pits=3 up-to=6 capture=empty"


def test_a_search_is_an_oracle(small: zermelo.Oracle) -> None:
    search = zermelo.kalah(seeds=2, pits=3)
    assert not search.is_table
    assert search.moves(search.start) == small.moves(small.start)
    assert search.outcome(search.start) == small.outcome(small.start)
    labels = small.to_numpy(sample=50, texts=True)
    assert labels.texts is not None
    assert (search.scores(labels.texts) == labels.scores).all()
    with pytest.raises(ValueError, match="only a table"):
        len(search)
    with pytest.raises(ValueError, match="only a table"):
        search.to_numpy()


def test_a_thousand_threads_get_right_answers(kalah: zermelo.Oracle) -> None:
    labels = kalah.to_numpy(sample=1000, texts=True)
    assert labels.texts is not None
    entries = list(zip(labels.texts, labels.scores.tolist(), strict=True))
    wrong: list[str] = []

    def ask(start: int) -> None:
        for position, score in (entries[start:] + entries[:start])[:30]:
            if kalah.score(position) != score:
                wrong.append(position)

    threads = [threading.Thread(target=ask, args=(start,)) for start in range(1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_ranks_lead_back(small: zermelo.Oracle, ttt: zermelo.Oracle) -> None:
    assert small.slots is not None
    for rank in range(0, small.slots, 97):
        assert small.rank(small.unrank(rank)) == rank
    with pytest.raises(IndexError):
        small.unrank(small.slots)
    assert small.rank("0,0,0:7/1,2,2:0") is None
    assert ttt.slots is None and ttt.rank("X........") is None


def test_positions_are_strings(ttt: zermelo.Oracle) -> None:
    for ask in (ttt.score, ttt.position, ttt.board):
        with pytest.raises(TypeError, match=r"positions of tictactoe.* are strings .*, not \(1, 2\)"):
            ask((1, 2))  # type: ignore[arg-type]


def test_searches_of_many_positions_agree_with_the_table(kalah: zermelo.Oracle) -> None:
    positions = [kalah.play(kalah.start, move) for move, _ in kalah.moves(kalah.start)]
    rows = kalah.compare_searches(positions, methods=["alphabeta", "MTD(f)-tt"], limit=60)
    assert [row["method"] for row in rows] == ["alphabeta", "mtdf-tt"] * len(positions)
    for row in rows:
        assert row["value"] == kalah.score(row["position"]) and row["nodes"] > 0
        assert row["best_move"] in kalah.best_moves(row["position"])
    shallow = kalah.compare_searches(positions[:1], methods=["minimax"], depths=[1, 2])
    assert [row["depth"] for row in shallow] == [1, 2]
    late = kalah.compare_searches([kalah.start], methods=["minimax"], limit=1e-4)
    assert late[0]["value"] is None
    for wrong in ({"methods": ["mini"]}, {"limit": 0}, {"depths": [0]}):
        with pytest.raises(ValueError, match="no method|above 0|whole number"):
            kalah.compare_searches(positions, **wrong)


def test_searches_of_an_own_game() -> None:
    class Nim:
        start = staticmethod(lambda: 7)
        moves = staticmethod(lambda left: [1, 2, 3][:left])
        play = staticmethod(lambda left, taken: left - taken)
        score = staticmethod(lambda left: None if left else -1)

    table = zermelo.solve(Nim())
    rows = table.compare_searches([7, 6, 4])
    assert len(rows) == 3 * 10
    assert all(row["value"] == table.score(row["position"]) for row in rows)
