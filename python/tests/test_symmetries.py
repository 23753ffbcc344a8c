"""Games in Python that tell their symmetries, compared with twins that don't."""

import math
import pickle
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zermelo
from test_own import LINES, Nim, TicTacToe
from test_own_arrays import Counters
from zermelo._symmetries import Plain

Place = tuple[int, int, int]


class Random:
    """A random game with the symmetries of a random cyclic group.

    A position is a layer, a place in it, and the number of an image; a place has 1, 2 or 4 images.
    Moves have other names at each image.
    """

    name = "random"

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.how = seed % 4
        self.is_endless, self.has_sides = seed % 3 == 1, seed % 5 < 3
        if self.is_endless:
            self.endless = "draw"
        layers, width = chance.randint(2, 5), chance.randint(1, 6)
        places = [(layer, place) for layer in range(layers + 1) for place in range(width)]
        self.sizes = {place: chance.choice([1, 2, 4]) for place in places}
        self.scores: dict[tuple[int, int], int] = {}
        self.sides = {place: int(place[0] > 0 and chance.random() < 0.5) for place in places}
        #: For each position its moves: a name, the number of the move, its part, and the child.
        self.steps: dict[Place, list[tuple[str, int, int, Place]]] = {}
        most = 1 if self.is_endless else 9
        for place in places:
            layer, size = place[0], self.sizes[place]
            if layer == layers or layer and chance.random() < 0.2:
                self.scores[place] = chance.randint(-most, most)
                continue
            edges = []
            for number in range(chance.randint(1, 4)):
                back = self.is_endless and layer and chance.random() < 0.3
                to = (layer - chance.randint(0, 1) if back else layer + 1, chance.randrange(width))
                shift = chance.randrange(4)
                edges += [(number, part, to, shift) for part in range(self.parts(place, to))]
            for image in range(size):
                names = chance.sample([f"{letter}{n}" for letter in "abcd" for n in range(8)], len(edges))
                self.steps[(*place, image)] = [
                    (name, number, part, (*to, (shift + image + size * part) % self.sizes[to]))
                    for name, (number, part, to, shift) in zip(names, edges, strict=True)
                ]
        if self.has_sides:
            self.side = lambda p: self.sides[p[:2]]
        if self.how != 1:
            self.symmetries = self._symmetries
        if self.how in (1, 2):
            self.canonical = lambda p: self._image(p, -p[2] % self.sizes[p[:2]])

    def parts(self, place: tuple[int, int], to: tuple[int, int]) -> int:
        return math.lcm(self.sizes[place], self.sizes[to]) // self.sizes[place]

    def start(self) -> Place:
        return (0, 0, 0)

    def moves(self, p: Place) -> list[str]:
        return [step[0] for step in self.steps[p]]

    def play(self, p: Place, m: str) -> Place:
        return next(step[3] for step in self.steps[p] if step[0] == m)

    def score(self, p: Place) -> int | None:
        return self.scores.get(p[:2])

    def _image(self, p: Place, turn: int) -> tuple[Place, Any]:
        turns, image = divmod(p[2] + turn, self.sizes[p[:2]])
        there = (p[0], p[1], image)
        names = {}
        for name, number, part, to in self.steps.get(p, []):
            parts = self.parts(p[:2], to[:2])
            names[name] = next(
                step[0]
                for step in self.steps[there]
                if step[1:3] == (number, (part + turns) % parts)
            )
        return there, names if self.how else names.__getitem__

    def _symmetries(self, p: Place) -> Iterator[tuple[Place, Any]]:
        return (self._image(p, turn) for turn in range(4))


class Misere(TicTacToe):
    """Tic-tac-toe, whose winner is whoever has no row."""

    name = "misere"
    symmetries = zermelo.grid_symmetries(3, 3)

    def score(self, p: str) -> int | None:
        if any(p[a] == p[b] == p[c] != "." for a, b, c in LINES):
            return 1
        return None if "." in p else 0


def reachable(game: Any) -> list[Any]:
    found, left = {game.start(): None}, [game.start()]
    for p in left:
        children = [game.play(p, m) for m in game.moves(p)] if game.score(p) is None else []
        left += dict.fromkeys(child for child in children if child not in found)
        found.update(dict.fromkeys(children))
    return left


def by_name(table: zermelo.Oracle, positions: list[Any]) -> list[dict[str, int]]:
    scores = table.move_scores(positions).tolist()
    return [
        {name: score for name, score in zip(table.all_moves, row) if score != zermelo.NO_SCORE}
        for row in scores
    ]


def must_be_alike(game: Any, table: zermelo.Oracle, twin: zermelo.Oracle) -> list[Any]:
    """Compare the answers of both tables at each position, and return the unfinished ones."""
    positions = reachable(game)
    assert table.start == twin.start == game.start()
    name = table._name
    for p in positions:
        assert p in table
        assert (table.score(p), table.outcome(p), table.distance(p)) == (
            twin.score(p), twin.outcome(p), twin.distance(p))
        assert table.moves(p) == twin.moves(p)
        assert table.board(p) == twin.board(p)
        if game.score(p) is not None:
            assert table.line(p) == []
            continue
        assert table.best_moves(p) == twin.best_moves(p)
        for move in game.moves(p):
            assert table.play(p, move) == game.play(p, move)
        assert table.play(p, name(move)) == game.play(p, move)
        assert table.choose(p, "level:10") in game.moves(p)
        end = p
        for move in table.line(p):
            assert move in twin.best_moves(end)
            end = game.play(end, move)
        if not hasattr(game, "endless") or twin.score(p):
            assert game.score(end) is not None
        if twin.distance(p) is not None:
            assert len(table.line(p)) == twin.distance(p)
        assert table.canonical(p) in table.symmetries(p)
        assert table.symmetries(p)[0] == p
        assert {table.canonical(image) for image in table.symmetries(p)} == {table.canonical(p)}
    assert (table.scores(positions) == twin.scores(positions)).all()
    if {*twin.all_moves} <= {*table.all_moves}:
        assert by_name(table, positions) == by_name(twin, positions)
    else:
        assert not hasattr(game, "symmetries")
        with pytest.raises(ValueError, match=r"no column has the name of .* define symmetries\(\), too"):
            by_name(table, positions)
    return [p for p in positions if game.score(p) is None]


@pytest.mark.parametrize("some", range(8))
def test_random_games_answer_like_their_twins(some: int, tmp_path: Path) -> None:
    for seed in range(5 * some, 5 * some + 5):
        game, path = Random(seed), tmp_path / f"{seed}.bin"
        twin = zermelo.solve(Plain(game))
        table = zermelo.solve(game, out=path)
        unfinished = must_be_alike(game, table, twin)
        classes = {p[:2] for p in unfinished}
        assert len(table) == len(classes) <= len(twin) == len(unfinished)
        assert len({table.canonical(p) for p in unfinished}) == len(classes)
        assert zermelo.verify(path, game=Random(seed)).verdict == "proved"
        assert zermelo.verify(table, game=game).verdict == "proved"
        again = zermelo.open(path, game=Random(seed))
        assert [again.moves(p) for p in unfinished] == [twin.moves(p) for p in unfinished]
        for p in unfinished:
            same = [(*p[:2], image) for image in range(game.sizes[p[:2]])]
            if game.how == 1:
                same = [one for one in same if one in unfinished or one in (p, (*p[:2], 0))]
            assert sorted(table.symmetries(p)) == same

        def first(p: Place, game: Random = game) -> str:
            return min(game.moves(p))

        reports = [zermelo.check(one, first) for one in (table, twin)]
        for key in ("asked", "best_moves"):
            assert reports[0][key] == reports[1][key]
        firsts: dict[Any, Any] = {}
        for one in reports[1]["worst"]:
            firsts.setdefault((one["position"][:2], one["target"], one["after"]), one)
        worst = [[(one["position"], one["move"]) for one in of] for of in (reports[0]["worst"], firsts.values())]
        assert worst[0] == worst[1]
        assert zermelo.check(table, first, canonical=True)["asked"] == len(classes)


@pytest.fixture(scope="module")
def misere() -> zermelo.Oracle:
    return zermelo.solve(Misere())


@pytest.fixture(scope="module")
def twin() -> zermelo.Oracle:
    return zermelo.solve(Plain(Misere()))


def test_misere_tic_tac_toe_has_765_classes(misere: zermelo.Oracle, twin: zermelo.Oracle) -> None:
    told: list[int] = []
    zermelo.solve(Misere(), progress=lambda phase, done, total, unit: told.append(done) if phase == "exploring" else None)
    assert max(told) == 765
    positions = must_be_alike(Misere(), misere, twin)
    assert len(reachable(Misere())) == 5478
    assert (len(positions), len(twin), len(misere)) == (4520, 4520, 627)


def test_images_have_labels_and_no_twin_leaks(misere: zermelo.Oracle, twin: zermelo.Oracle) -> None:
    labels = misere.to_numpy()
    assert len(labels) == 627 and labels.moves == misere.all_moves
    images = labels.augment()
    expected = twin.to_numpy()
    rows = {p: (score, {m: (s, b) for m, s, b in zip(expected.moves, moves, best)})
            for p, score, moves, best in zip(
                expected.texts, expected.scores.tolist(), expected.move_scores.tolist(), expected.best.tolist())}
    assert sorted(images.texts) == sorted(rows)
    for number, p in enumerate(images.texts):
        score, moves = rows[p]
        assert images.scores[number] == score
        assert images.best[number].any()
        assert {m: (s, b) for m, s, b in zip(
            images.moves, images.move_scores[number].tolist(), images.best[number].tolist())} == moves
    for part in (images, misere.sample(600, "positions"), misere.sample(200, "playouts")):
        training, evaluation = part.split(0.3)
        assert len(evaluation)
        twins = [{misere.canonical(p) for p in one.texts} for one in (training, evaluation)]
        assert not twins[0] & twins[1]


def test_images_of_games_with_canonical_alone_are_those_that_come_up() -> None:
    class Mirrored(Misere):
        def canonical(self, p: str) -> tuple[str, Any]:
            return min(Misere.symmetries(p), key=lambda image: image[0])

    class Canonical(Mirrored):
        def __getattribute__(self, name: str) -> Any:
            if name == "symmetries":
                raise AttributeError(name)
            return super().__getattribute__(name)

    tables = [zermelo.solve(Mirrored()), zermelo.solve(Canonical())]
    assert [len(table) for table in tables] == [627, 627]
    both = [sorted(table.to_numpy().augment().texts) for table in tables]
    assert both[0] == both[1] and len(both[0]) == 4520


def test_names_of_moves_at_images_have_columns() -> None:
    class Lopsided:
        """The second player's positions are images, and only one of them is in the list."""

        def start(self) -> str:
            return "start"

        def moves(self, p: str) -> list[str]:
            return {"start": ["l", "r"], "left": ["x"], "right": ["y"]}[p]

        def play(self, p: str, m: str) -> str:
            return {"l": "left", "r": "right"}.get(m, "won")

        def score(self, p: str) -> int | None:
            return -3 if p == "won" else None

        def symmetries(self, p: str) -> list[Any]:
            pairs = {"left": ("right", {"x": "y"}), "right": ("left", {"y": "x"}), "start": (p, {"l": "r", "r": "l"})}
            return [pairs[p]] if p in pairs else []

    table = zermelo.solve(Lopsided())
    assert (len(table), table.all_moves) == (2, ("l", "r", "x", "y"))
    labels = table.to_numpy().augment()
    assert sorted(labels.texts) == ["left", "right", "start"]
    assert labels.best[labels.texts.index("right")].tolist() == [False, False, False, True]


def test_graphs_and_playouts_show_all_positions(misere: zermelo.Oracle, twin: zermelo.Oracle) -> None:
    graph, other = misere.graph(), twin.graph()
    assert graph.positions == other.positions
    assert graph.nash_conv(graph.uniform()) == other.nash_conv(other.uniform())
    assert graph.path("X...O...X") == other.path("X...O...X")
    classes = misere.graph("class")
    assert len(classes) == 627
    assert classes.value(classes.uniform()) == pytest.approx(graph.value(graph.uniform()))
    assert classes.mistakes(classes.uniform(), 1)[0].position in misere

    def last(p: str) -> int:
        return p.rindex(".")

    games = [zermelo.simulate(table, last, playouts=3).games for table in (misere, twin)]
    assert games[0] == games[1]
    opponent = zermelo.opponent(misere, regret=0.2)
    assert opponent.probabilities("X........").keys() == set(range(1, 9))
    for p in ("XO.......", "..X.O.X.."):
        [row] = misere.compare_searches([p], methods=["minimax"])
        assert row["position"] == p and row["value"] == twin.score(p)
        assert row["best_move"] in map(twin._name, twin.best_moves(p))


def test_pictures_are_those_of_the_position() -> None:
    class Drawn(Misere):
        def picture(self, p: str) -> list[str]:
            return [p[:3], p[3:6], p[6:]]

    table, other = zermelo.solve(Drawn()), zermelo.solve(Plain(Drawn()))
    for p in ("X........", "........X", "..XO.....", "XXXOO...."):
        assert table.svg(p) == other.svg(p) is not None


def test_refutations_of_canonical_positions_go_from_class_to_class(misere: zermelo.Oracle) -> None:
    report = zermelo.check(misere, lambda p: p.index("."), canonical=True)
    assert report["asked"] == 627
    line = report["refutation_line"]
    positions = [step["position"] for step in line["steps"]] + [line["end"]]
    for step, after in zip(line["steps"], positions[1:]):
        assert misere.canonical(misere.play(step["position"], step["move"])) == after
    assert Misere().score(line["end"]) is not None
    for step in line["steps"]:
        assert step["side"] != line["side"] or step["move"] == step["position"].index(".")


@pytest.mark.parametrize("canonical", [True, False])
def test_misreadings_are_found_at_symmetric_games(canonical: bool) -> None:
    class Readable(Misere):
        def misreadings(self) -> list[Any]:
            return [("a row wins", normal), ("a full board wins", Misere())]

    class Normal(Misere):
        def score(self, p: str) -> int | None:
            score = super().score(p)
            return -score if score else score

    normal = Normal()
    table = zermelo.solve(normal)
    report = zermelo.check(Readable(), lambda p: table.best_moves(p)[-1], canonical=canonical)
    assert report["asked"] == (627 if canonical else 4520)
    assert report["diagnosis"]["explanation"]["sentence"] == "plays as if a row wins"


def test_tables_in_files_can_be_pickled(tmp_path: Path) -> None:
    table = pickle.loads(pickle.dumps(zermelo.solve(Misere(), out=tmp_path / "misere.bin")))
    assert len(table) == 627 and len(table.symmetries("X........")) == 4
    labels = pickle.loads(pickle.dumps(table.to_numpy(sample=10)))
    assert len(labels.augment()) > 10


def test_searches_use_symmetries(twin: zermelo.Oracle) -> None:
    search = zermelo.search(Misere(), max_positions=765)
    assert search.moves(".........") == twin.moves(".........")
    assert search.line("..O....X.") == zermelo.solve(Misere()).line("..O....X.")


def changed(**methods: Any) -> Any:
    return type("Changed", (Misere,), methods)()


def pairs(to: Callable[[str], str], names: Any = None) -> Any:
    return lambda self, p: [(p, lambda m: m), (to(p), names or (lambda m: 8 - m))]


@pytest.mark.parametrize(
    ("game", "problem"),
    [
        (changed(symmetries=lambda self, p: 5), r"symmetries\('\.{9}'\) is no list of pairs"),
        (changed(symmetries=lambda self, p: [p]), r"has '\.{9}': a pair of a position and a map"),
        (changed(symmetries=lambda self, p: [(p, 3)]), r"a pair of a position and a map"),
        (changed(symmetries=lambda self, p: [([p], dict)]), r"can't be hashed"),
        (changed(symmetries=pairs(lambda p: p[::-1], lambda m: m)),
         r"'X\.{8}' has the image '\.{8}X', but b1 leads to 'XO\.{7}' and its image b1 to '\.O\.{6}X', which are "
         r"not images"),
        (changed(symmetries=pairs(lambda p: p[::-1], lambda m: 8 - m if m % 2 else 8)),
         r"'X\.{8}' has the image '\.{8}X', but its moves \['a1', .*\] don't have c3, to which c1 is mapped"),
        (changed(symmetries=pairs(lambda p: p[::-1], {0: 8})), r"has no move 1: it must have all"),
        (changed(symmetries=pairs(lambda p: p[::-1], lambda m: max(1, 8 - m))),
         r"'X\.{8}' has the image '\.{8}X', but both b3 and c3 are mapped to its move b1"),
        (changed(symmetries=pairs(lambda p: p[1:] + p[0], lambda m: (m - 1) % 9)),
         r"'X\.{8}' has the image '\.{8}X', but symmetries\('\.{8}X'\) doesn't have 'X\.{8}'"),
        (changed(symmetries=pairs(lambda p: p.translate(str.maketrans("XO", "OX")), lambda m: m)),
         r"'X\.{8}' has the image 'O\.{8}', but "),
        (changed(symmetries=pairs(lambda p: p[2::-1] + p[3:], lambda m: 2 - m if m < 3 else m)),
         r" has the image .*, but (its score is|its moves|.* leads to)"),
        (changed(canonical=lambda self, p: p), r"canonical\('\.{9}'\) has '\.{9}': a pair"),
        (changed(canonical=lambda self, p: (p[::-1], lambda m: 8 - m)),
         r"its canonical position is 'X\.{8}' and not '\.{8}X'"),
        (changed(canonical=lambda self, p: (p, lambda m: m)),
         r"'X\.{8}' has the image .*, but its canonical position is"),
        (changed(canonical=lambda self, p: ("no", dict)), r"canonical\(\) returned 'no', which symmetries\(\) "
         r"doesn't have"),
    ],
)
def test_wrong_symmetries_are_refused(game: Any, problem: str) -> None:
    with pytest.raises(zermelo.SolveError, match=problem):
        zermelo.test_game(game)
    with pytest.raises(zermelo.SolveError, match=problem):
        zermelo.solve(game)


class Long:
    """Count down; each position has a twin, which is alike unless it is a bad one."""

    def __init__(self, bad: tuple[int, int] | None = None, *, told: bool = True) -> None:
        self.bad = bad
        if told:
            self.symmetries = self._symmetries

    def start(self) -> tuple[int, int, int]:
        return (60, 0, 0)

    def moves(self, p: tuple[int, int, int]) -> list[int]:
        return [1, 2, 3][: p[0]]

    def play(self, p: tuple[int, int, int], m: int) -> tuple[int, int, int]:
        # At the twin of the bad position, the move 1 takes two.
        taken = 2 if m == 1 and p == (*(self.bad or ()), 1) else m
        return (p[0] - taken, (7 * p[1] + 13 * m + p[0]) % 101, p[2] ^ (m == 2))

    def score(self, p: tuple[int, int, int]) -> int | None:
        return None if p[0] > 0 else -1

    def _symmetries(self, p: tuple[int, int, int]) -> list[Any]:
        return [((p[0], p[1], 1 - p[2]), lambda m: m)]


@pytest.mark.parametrize("number", [5, 50, 400])
def test_wrong_symmetries_are_refused_at_samples(number: int) -> None:
    bad = reachable(Long())[number]
    with pytest.raises(zermelo.SolveError, match=rf"\({bad[0]}, {bad[1]}, .\) has the image .*, but 1 leads to "):
        zermelo.solve(Long(bad[:2]))


def test_wrong_symmetries_that_no_sample_meets_are_refuted(tmp_path: Path) -> None:
    bad = (20, 50)
    path = tmp_path / "long.bin"
    zermelo.solve(Long(bad), out=path)
    verdict = zermelo.verify(path, game=Long(bad))
    assert verdict.verdict == "refuted"
    assert "the move 1 leads from (20, 50, 1) to (19, " in str(verdict.reason)
    table = zermelo.open(path, game=Long(bad))
    with pytest.raises(ValueError, match="the symmetries differ from the table's: the move 1 leads from"):
        table.play((*bad, 1), 1)
    assert zermelo.verify(path, game=Long()).verdict == "proved"
    assert zermelo.verify(path, game=Long(told=False)).verdict == "refuted"
    zermelo.solve(Long(told=False), out=path, force=True)
    with pytest.raises(ValueError, match="the rules differ .*, whose symmetries the table does not have"):
        zermelo.open(path, game=Long())


@pytest.mark.parametrize("image", ["garbage", (21, 0, 0)])
def test_a_wrong_image_of_one_position_is_refuted(image: Any) -> None:
    class Wrong(Long):
        def _symmetries(self, p: Any) -> list[Any]:
            more = [(image, lambda m: m)] if p == (20, 50, 0) else []
            return super()._symmetries(p) + more

    verdict = zermelo.verify(zermelo.solve(Wrong()), game=Wrong())
    assert verdict.verdict == "refuted"
    reason = str(verdict.reason)
    assert re.match(r"\(20, 50, .\) has the image ", reason) and repr(image) in reason, reason


def equivalents(table: zermelo.Oracle, report: zermelo.Report) -> dict[tuple[str, int], int]:
    """The numbers of equivalent mistakes, by the built-in game's class and the score after them."""
    return {(table.canonical(one["position"]), one["after"]): one["equivalent"] for one in report["worst"]}


@pytest.mark.parametrize("options", [{}, {"scope": "play", "side": "second"}])
def test_checks_count_classes_and_equivalent_mistakes(options: Any) -> None:
    class Symmetric(TicTacToe):
        symmetries = zermelo.grid_symmetries(3, 3)

    class Canonical(TicTacToe):
        def canonical(self, p: str) -> Any:
            return min(Symmetric.symmetries(p), key=lambda pair: pair[0])

    builtin, tables = zermelo.solve("tictactoe"), [zermelo.solve(Symmetric()), zermelo.solve(Canonical())]

    def last_free(position: str) -> str:
        at = position.rindex(".")
        return "abc"[at % 3] + "123"[at // 3]

    wanted = zermelo.check(builtin, last_free, **options)
    counted = equivalents(builtin, wanted)
    for table in tables:
        report = zermelo.check(table, lambda p: p.rindex("."), **options)
        assert (report["classes"], report["positions"]) == (wanted["classes"], wanted["positions"])
        assert report["coverage"] == wanted["coverage"] and report["coverage"] in report.html
        found = equivalents(builtin, report)
        assert len(found) == len(report["worst"]) > 2 and max(found.values()) > 1
        assert all(counted.get(one, number) == number for one, number in found.items())
        assert found.keys() & counted.keys()
    plain = zermelo.solve(TicTacToe())
    for ai in "greedy", "level:3":
        first = zermelo.check(tables[0], ai, **options)
        again = zermelo.check(tables[0], lambda p: plain.choose(p, ai), **options)
        assert first["worst"] == again["worst"]


def test_uniform_samples_of_symmetric_games_are_of_positions(misere: zermelo.Oracle) -> None:
    report = zermelo.check(misere, lambda p: p.rindex("."), sample=50, by="uniform")
    assert report["coverage"] == "a random sample of positions, uniform over 4,520 positions (seed 1)"
    assert report["coverage"] in report.html and "over all positions" in report.html
    assert "classes" not in report.html and report["classes"] == 627


def test_wrong_maps_and_canonical_positions_are_refuted() -> None:
    class Swapped(Long):
        def _symmetries(self, p: Any) -> list[Any]:
            # No solver needs the map from a canonical position.
            to = {1: 2, 2: 1, 3: 3} if p == (20, 50, 0) else {1: 1, 2: 2, 3: 3}
            return [((p[0], p[1], 1 - p[2]), to)]

    positions = reachable(Long())
    some = {*positions}
    alone = next(p for p in positions[400:] if p[2] and (*p[:2], 0) not in some)

    class Further(Long):
        def canonical(self, p: Any) -> Any:
            return ((p[0], p[1], int(p == (*alone[:2], 0))), lambda m: m)

    table = zermelo.solve(Long())
    for game, problem in (
        (Swapped(), r"\(20, 50, 0\) has the image \(20, 50, 1\), but 1 leads to the class of "),
        (Further(told=False), r"has the image .*, but its canonical position is"),
    ):
        verdict = zermelo.verify(table, game=game)
        assert verdict.verdict == "refuted"
        assert re.search(problem, str(verdict.reason)), verdict.reason


def test_games_on_arrays_can_t_have_symmetries() -> None:
    for method in ("symmetries", "canonical"):
        game = type("Rows", (Counters,), {method: lambda self, p: []})()
        with pytest.raises(TypeError, match=rf"it has {method}\(\), which a game on arrays can't have"):
            zermelo.solve(game)


def test_texts_of_images_must_be_readable() -> None:
    class Unreadable(Long):
        def format(self, p: tuple[int, int]) -> str:
            return f"{p[0]} and {p[1]}"

    with pytest.raises(zermelo.SolveError, match=r"can't be read back .* give the game format\(\) and parse\(\)"):
        zermelo.solve(Unreadable())
    with pytest.raises(TypeError, match="symmetries must be a method, not 8"):
        zermelo.solve(changed(symmetries=8))


def test_nothing_is_done_silently_without_symmetries(tmp_path: Path) -> None:
    path = tmp_path / "nim.bin"
    table = zermelo.solve(Nim(), out=path)
    with pytest.raises(ValueError, match=r"nim has no symmetries, so there are no images to add"):
        table.to_numpy().augment()
    with pytest.raises(ValueError, match="nim has no symmetries, so each position is a class of its own"):
        zermelo.check(table, lambda p: 1, canonical=True)
    opened = zermelo.open(path)
    with pytest.raises(ValueError, match=r"opened without game=.*open\(path, game=YourGame\(\)\)"):
        opened.to_numpy().augment()
    with pytest.raises(ValueError, match=r"opened without game="):
        zermelo.check(opened, lambda p: "1", canonical=True)
    with pytest.warns(RuntimeWarning, match=r"augment\(\) adds nothing: none of these 1 positions"):
        zermelo.solve("tictactoe").to_numpy(layers=[0]).augment()


def test_the_list_has_canonical_positions(misere: zermelo.Oracle, tmp_path: Path) -> None:
    path = tmp_path / "misere.bin"
    zermelo.solve(Misere(), out=path)
    listed = zermelo.open(path)
    assert listed.start == misere.canonical(misere.start)
    for p in list(listed)[:50]:
        for move, score in listed.moves(p):
            assert listed.play(p, move) in listed or Misere().score(listed.play(p, move)) is not None
            assert score == dict((misere._name(m), s) for m, s in misere.moves(str(p)))[move]
    assert [p in listed for p in misere.symmetries(misere.canonical("X........"))] == [True, False, False, False]


def test_symmetries_of_openspiel() -> None:
    pytest.importorskip("pyspiel")
    twin = zermelo.solve(zermelo.from_openspiel("tic_tac_toe"))
    grid = zermelo.grid_symmetries(3, 3)

    def images(text: str) -> list[Any]:
        head, _, squares = text.partition(" ")
        return [
            (f"{head} {board[:3]}/{board[3:6]}/{board[6:]}", turn)
            for board, turn in grid(squares.replace("/", ""))
        ]

    for symmetries in (grid, images):
        game = zermelo.from_openspiel("tic_tac_toe", symmetries=symmetries)
        table = zermelo.solve(game)
        assert len(twin) == 4520
        assert len(table) == 627
        for p in twin:
            assert table.moves(p) == twin.moves(p)
    name = "connect_four(rows=3,columns=3,x_in_row=3)"
    table, twin = (
        zermelo.solve(zermelo.from_openspiel(name, symmetries=maps)) for maps in ([{0: 2, 1: 1, 2: 0}], None)
    )
    assert len(twin) / 2 < len(table) < len(twin)
    assert [table.moves(p) for p in twin] == [twin.moves(p) for p in twin]
    with pytest.raises(zermelo.SolveError, match="maps the action 0 to 9, which isn't legal"):
        zermelo.solve(zermelo.from_openspiel("tic_tac_toe", symmetries=[lambda action: action + 9]))


def test_grids() -> None:
    assert [len(zermelo.grid_symmetries(*size)) for size in [(3, 3), (3, 2), (1, 4), (1, 1)]] == [8, 4, 2, 1]
    kinds = ["all", "rotations", "left-right", "up-down"]
    assert [len(zermelo.grid_symmetries(2, 2, kind)) for kind in kinds] == [8, 4, 2, 2]  # type: ignore[arg-type]
    wide = zermelo.grid_symmetries(3, 2, "left-right")
    assert [image for image, _ in wide("abcdef")] == ["abcdef", "cbafed"]
    assert [image for image, _ in wide(((1, 2, 3, 4, 5, 6), "fedcba", 7))][1] == ((3, 2, 1, 6, 5, 4), "defabc", 7)
    mirror = [*wide][1]
    assert mirror(("pass", None, -1, 6, True, 0, frozenset({1, 5}))) == ("pass", None, -1, 6, True, 2, frozenset({1, 3}))
    assert mirror("a1-c2") == "c1-a2" and mirror("d1 a3 Ka1") == "d1 a3 Ka1"
    assert mirror(np.int64(3)) == 5
    own = zermelo.grid_symmetries(3, 2, "left-right", move=lambda m, to: (to(m[0]), m[1]))
    assert [*own][1]((0, 1)) == (2, 1)
    with pytest.raises(zermelo.SolveError, match="'abc' has no board of 3×2 squares"):
        wide("abc")
    with pytest.raises(ValueError, match="kind is one of 'all', .*, not 'turns'"):
        zermelo.grid_symmetries(3, 3, "turns")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="width is a whole number from 1 to 26, not 0"):
        zermelo.grid_symmetries(0, 3)
