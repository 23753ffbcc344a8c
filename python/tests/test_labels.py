"""Labels for training: samples, splits, symmetric images, and other libraries."""

import pickle

import numpy as np
import pytest

import zermelo


@pytest.fixture(scope="module")
def kalah():
    return zermelo.solve("kalah", pits=3, seeds=2)


@pytest.fixture(scope="module")
def tictactoe():
    return zermelo.solve("tictactoe")


def reachable(table):
    """All unfinished positions, by playing every move from the start."""
    found, left = {table.start}, [table.start]
    while left:
        position = left.pop()
        for move, _ in table.moves(position):
            child = table.play(position, move)
            if child not in found and table.moves(child):
                found.add(child)
                left.append(child)
    return found


@pytest.mark.parametrize("by", ["classes", "positions", "playouts"])
@pytest.mark.parametrize("repeats", [True, False])
def test_samples_have_right_labels(kalah, by, repeats):
    labels = kalah.sample(300, by, replace=repeats, texts=True)
    assert len(labels) == 300
    assert (labels.scores == kalah.scores(labels.texts)).all()
    assert (labels.move_scores == kalah.move_scores(labels.texts)).all()
    assert (labels.best == (labels.move_scores == labels.scores[:, None])).all()
    assert kalah.to_positions(labels.positions) == labels.texts
    assert (len(set(labels.texts)) == 300) == (not repeats)
    again = kalah.sample(300, by, replace=repeats, texts=True)
    other = kalah.sample(300, by, replace=repeats, texts=True, seed=2)
    assert labels.texts == again.texts != other.texts
    if by != "classes":
        assert set(labels.texts) <= reachable(kalah)
        assert any(text.endswith("second") for text in labels.texts)
        classes = [kalah.canonical(text) for text in labels.texts]
        pairs = set(zip(classes, labels.classes.tolist()))
        assert len(pairs) == len(set(classes)) == len(set(labels.classes.tolist()))


def test_everything_can_be_sampled_once(tictactoe):
    assert len(set(tictactoe.sample(627, texts=True).texts)) == 627
    assert len(set(tictactoe.sample(4520, "positions", texts=True).texts)) == 4520
    for count, by in ((628, "classes"), (4521, "positions"), (4521, "playouts")):
        with pytest.raises(ValueError, match="only|nothing new"):
            tictactoe.sample(count, by)


def test_every_position_is_sampled_about_as_often(tictactoe):
    sampled = tictactoe.sample(40_000, "positions", replace=True, texts=True)
    counts = np.unique(sampled.texts, return_counts=True)[1]
    assert len(counts) > 4500 and 2 < counts.mean() < 10 and counts.max() < 30


def test_images_are_all_positions_with_their_scores(tictactoe, kalah):
    labels = tictactoe.to_numpy(texts=True)
    images = labels.augment()
    assert set(images.texts) == reachable(tictactoe) and len(images) == 4520
    assert (images.scores == tictactoe.scores(images.texts)).all()
    assert (images.move_scores == tictactoe.move_scores(images.texts)).all()
    for text, number in zip(images.texts, images.classes):
        assert tictactoe.canonical(text) == labels.texts[number] or number < len(labels)
    # Kalah's sides are alike.
    assert kalah.symmetries("1,2,0:3/4,1,1:0 first") == [
        "1,2,0:3/4,1,1:0 first",
        "4,1,1:0/1,2,0:3 second",
    ]


def test_a_share_that_is_no_number_is_refused(tictactoe):
    with pytest.raises(TypeError, match="share is a number between 0 and 1, not 'x'"):
        tictactoe.to_numpy().split("x")


def test_no_twin_is_on_both_sides_of_a_split(tictactoe):
    images = tictactoe.to_numpy(texts=True).augment()
    training, evaluation = images.split(0.1)
    assert len(training) + len(evaluation) == len(images)
    assert 0.05 < len(evaluation) / len(images) < 0.15
    classes = [{tictactoe.canonical(text) for text in side.texts} for side in (training, evaluation)]
    assert not classes[0] & classes[1]
    # Without classes there are twins on both sides.
    naive = images.split(0.1, by="entry")
    classes = [{tictactoe.canonical(text) for text in side.texts} for side in naive]
    assert classes[0] & classes[1]
    # Copies in a sample with replacement go together, too.
    sampled = tictactoe.sample(3000, replace=True, texts=True)
    parts = sampled.split(0.3)
    assert not set(parts[0].texts) & set(parts[1].texts)
    for share in (0, 1, 2):
        with pytest.raises(ValueError, match="between 0 and 1"):
            images.split(share)


def test_columns_for_curricula(kalah):
    labels = kalah.to_numpy(texts=True)
    for text, count, gap in zip(labels.texts, labels.best_count, labels.gap):
        scores = [score for _, score in kalah.moves(text)]
        assert count == scores.count(scores[0])
        assert gap == (zermelo.NO_SCORE if len(scores) == 1 else scores[0] - scores[1])
    assert labels.distances is None
    morris = zermelo.solve("morris3")
    labels = morris.to_numpy(texts=True)
    wanted = [morris.distance(text) or 0 for text in labels.texts]
    assert labels.distances.tolist() == wanted
    with pytest.raises(ValueError, match="move_scores=True"):
        kalah.to_numpy(move_scores=False).gap


def test_parts_keep_everything_together(kalah):
    labels = kalah.to_numpy(texts=True)
    for chosen in (slice(3, 9), [5, 2, 2], labels.scores == 0, 7):
        some = labels[chosen]
        assert (some.scores == kalah.scores(some.texts)).all()
        assert kalah.to_positions(some.positions) == some.texts
    copy = pickle.loads(pickle.dumps(labels[:9]))
    assert copy.texts == labels.texts[:9]
    with pytest.raises(ValueError, match="no table"):
        copy.augment()


def test_other_libraries_get_the_same_numbers(kalah, tmp_path):
    labels = kalah.to_numpy(texts=True)[:50]
    frame = pytest.importorskip("pandas").DataFrame(labels.to_dict())
    assert frame.equals(labels.to_pandas())
    assert frame["score"].tolist() == labels.scores.tolist()
    assert frame["first_pit_1"].tolist() == labels.positions[:, 0].tolist()
    assert frame["score_of_2"].tolist() == labels.move_scores[:, 1].tolist()
    pytest.importorskip("pyarrow")
    assert labels.to_arrow().to_pydict()["position"] == [str(text) for text in labels.texts]
    assert "<table>" in labels._repr_html_()


def test_parquet_has_all_entries(kalah, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "kalah.parquet"
    assert kalah.to_parquet(path, texts=True) == len(kalah)
    read = parquet.read_table(path).to_pydict()
    assert kalah.scores(read["position"]).tolist() == read["score"]
    assert len(set(read["position"])) == len(kalah)
    with pytest.raises(ValueError):
        kalah.to_parquet(path, layers=[99])
    assert [file.name for file in tmp_path.iterdir()] == ["kalah.parquet"]


def test_plots(kalah):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    labels = kalah.to_numpy()
    bars = labels.plot()
    assert sum(bar.get_height() for bar in bars.patches) == len(labels)
    # A model that predicts half of each score: its points lie on a line through 0.
    points = labels.plot_calibration(labels.scores / 2).lines[1].get_xydata()
    assert points[:, 1] == pytest.approx(2 * points[:, 0])
    with pytest.raises(ValueError, match="predictions"):
        labels.plot_calibration([1.0, 2.0])
    report = zermelo.check(kalah, "greedy")
    heights = [bar.get_height() for bar in report.plot().patches]
    assert heights == [of["regret"]["mean"] for of in report["by_layer"]]


def test_own_games_have_labels_too():
    class Nim:
        start = staticmethod(lambda: (2, 3))
        moves = staticmethod(
            lambda piles: [(at, left) for at, most in enumerate(piles) for left in range(most)]
        )
        score = staticmethod(lambda piles: None if any(piles) else -1)

        def play(self, piles, move):
            return (*piles[: move[0]], move[1], *piles[move[0] + 1 :])

    table = zermelo.solve(Nim())
    labels = table.sample(5, "positions", texts=True)
    assert labels.scores.tolist() == [table.score(text) for text in labels.texts]
    assert len(table.sample(4, "playouts")) == 4
    with pytest.raises(ValueError, match="nim has no symmetries"):
        table.to_numpy().augment()


def test_a_card_names_what_the_columns_are(kalah):
    card = kalah.card()
    names = kalah.to_numpy().to_dict()
    assert all(f"`{name}`" in card for name in names)
    assert kalah.rules in card and "1,322 classes" in card


class Boxes:
    """Nim on two piles; a move is a tuple, and a position's row has the piles and their difference."""

    columns = ("left", "right", "difference")

    def start(self): return (3, 4)
    def moves(self, p): return [(pile, left) for pile in (0, 1) for left in range(p[pile])]
    def play(self, p, m): return (m[1], p[1]) if m[0] == 0 else (p[0], m[1])
    def score(self, p): return None if any(p) else -1
    def rows(self, p): return [p[0], p[1], (p[0] - p[1]) / 2]


def test_games_of_your_own_have_rows_and_moves(tmp_path):
    table = zermelo.solve(Boxes())
    assert table.columns == Boxes.columns
    for labels in (table.to_numpy(), table.sample(15), table.sample(15, "playouts"), table.to_numpy(layers=[0])):
        wanted = [[p[0], p[1], (p[0] - p[1]) / 2] for p in labels.texts]
        assert (labels.positions == wanted).all() and labels.positions.dtype == np.float64
        for position, best in zip(labels.texts, labels.best):
            assert {labels.own_moves[at] for at in np.flatnonzero(best)} == set(table.best_moves(position))
    assert labels.moves == table.all_moves == tuple(map(str, labels.own_moves))
    assert labels.to_dict()["difference"].tolist() == [row[2] for row in wanted]
    assert (table.to_rows([(1, 2), "(1, 2)"]) == [[1, 2, -0.5]] * 2).all()
    graph = table.graph()
    assert (graph.rows == [Boxes().rows(p) for p in graph.positions]).all()
    weights = np.random.default_rng(1).random((len(graph), len(table.all_moves)))
    assert graph.value(graph.policy(weights)) < 1
    again = pickle.loads(pickle.dumps(labels))
    assert again.own_moves == labels.own_moves == table.own_moves
    with pytest.raises(ValueError, match="nothing returns the position of a row"):
        table.to_positions(labels.positions)
    # The names are those of the built-in games' moves.
    assert zermelo.solve("tictactoe").to_numpy().own_moves == zermelo.tictactoe().all_moves


def test_rows_of_another_length_are_refused():
    class Ragged(Boxes):
        columns = None
        def rows(self, p): return [1] * (1 + p[0])

    with pytest.raises(ValueError, match=r"rows\(\(.*\)\) must return 4 numbers, not array"):
        zermelo.solve(Ragged()).to_numpy()
    with pytest.raises(TypeError, match="rows must be a method, not 5"):
        zermelo.solve(type("Wrong", (Boxes,), {"rows": 5})())


def test_games_on_arrays_have_rows_in_graphs():
    from test_own import NimOfRows

    table = zermelo.solve(NimOfRows())
    graph = table.graph()
    assert (graph.rows == table.to_rows(graph.positions)).all() and graph.rows.dtype == np.int64
    assert table.sample(5).texts is None and table.sample(5, texts=True).texts is not None
    assert set(table.to_numpy().own_moves) == set(range(1, 4))


def test_an_empty_part_is_an_error(tictactoe):
    labels = tictactoe.to_numpy()
    for share in (0.0001, 0.9999):
        with pytest.raises(ValueError, match=f"share of {share} of 627 classes rounds to .* would be empty"):
            labels.split(share)
    with pytest.raises(ValueError, match="of 1 entries rounds to 0"):
        labels[:1].split(0.3, by="entry")
    assert [len(part) for part in labels.split(0.001)] == [626, 1]


def test_everything_prints_on_a_screen(tictactoe):
    long = {str(move): str(move) * 3 for move in range(3000)}
    labels = tictactoe.to_numpy(texts=True)
    wide = zermelo.Labels(**{**{name: getattr(labels, name) for name in (
        "positions", "scores", "layers", "move_scores", "best", "texts", "columns")}, "moves": tuple(long)})
    measured = zermelo.simulate(tictactoe, lambda p: tictactoe.best_moves(p)[0], playouts=300)
    opponent = zermelo.opponent(tictactoe, error=0.1)
    graph = tictactoe.graph()
    report = zermelo.check(tictactoe, opponent, sample=50)
    for one in (wide, labels, labels[:0], measured, measured.games[0], opponent, graph, tictactoe, report,
                graph.mistakes(graph.uniform(), 1)[0]):
        assert len(repr(one)) < 200 and "\n" not in repr(one), one
    assert repr(labels) == "<zermelo.Labels of 627 positions: 10 columns, 9 moves, scores -2 to 3>"
    assert repr(measured.games[0]) == "<zermelo.Play of 9 moves: score 0, regret 0>"
    assert repr(measured).startswith("<zermelo.Estimate of 300 playouts: score 0 (0 to 0), regret 0 (0 to 0)")


def test_exports_of_own_games_say_what_has_their_rows(tmp_path):
    table = zermelo.solve(Boxes())
    with pytest.raises(ValueError, match=r"rows of .* are known only to the game in Python.*to_parquet\(path\)"):
        table.export(tmp_path / "npy")
    assert not (tmp_path / "npy").exists()
    with pytest.raises(ValueError, match="these shards are csv, which are no arrays: read them with"):
        table.export(tmp_path / "csv", format="csv")[0]
    shard = zermelo.solve("kalah", pits=2, seeds=2).export(tmp_path / "kalah")[0]
    with pytest.raises(ValueError, match=r"have no table for their images: augment those of to_numpy\(\)"):
        shard.augment()
