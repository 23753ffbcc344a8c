"""Tests that texts of plain values are those of `repr`, and that they are read like literals."""

import ast
import random

import pytest
import zermelo
from zermelo import _rules, _texts, _zermelo

LETTERS = "abXY01 ,()'\"\\\n\t\x00\x7fäß😀\u2028\xa0"
USUAL = [(), (1,), (1, 2), ((1, 2), "ab", (), None), "a", 'it\'s "x"', b"a'b\xff", None, 0, -7, 2**63, -(10**40)]


class Unread(Exception):
    """A text that only Python's own function reads."""


def unread(text):
    raise Unread(text)


def value(chance, depth=0):
    """A random value of a kind that positions and moves have."""
    kind = chance.randrange(12 if depth < 4 else 9)
    if kind < 3:
        return chance.choice([0, 1, -1, chance.randrange(-99, 99), chance.randrange(-(2**70), 2**70)])
    if kind < 5:
        return "".join(chance.choices(LETTERS, k=chance.randrange(6)))
    if kind == 5:
        return chance.choice([0.5, -0.0, 2.0, 1e-7, -1e22, 1e300, 0.1 + 0.2, float("inf")])
    if kind == 6:
        return chance.choice([True, False, None])
    if kind == 7:
        return bytes(chance.choices(range(256), k=chance.randrange(5)))
    if kind == 8:
        return chance.choice(USUAL)
    return tuple(value(chance, depth + 1) for _ in range(chance.randrange(4)))


class Chain:
    """A game in which all moves of a position lead to the next one."""

    def __init__(self, positions, moves):
        self._next = dict(zip(positions, positions[1:]))
        self._moves = dict(zip(positions, moves))

    def start(self):
        return next(iter(self._next))

    def moves(self, position):
        return self._moves[position]

    def play(self, position, move):
        return self._next[position]

    def score(self, position):
        return None if position in self._next else 0


def tuples(chance, count):
    """Different tuples; `literal_eval` can't read infinity."""
    all_values = ((value(chance), value(chance), number) for number in range(count))
    return [one for one in all_values if "inf" not in repr(one)]


class Corner:
    """Three piles, of which one is reduced by one at a time."""

    def start(self):
        return (("a", 24), 24, (24, None))

    def moves(self, position):
        return [("take", pile) for pile, left in enumerate(self.piles(position)) if left]

    def play(self, position, move):
        x, y, z = (left - (pile == move[1]) for pile, left in enumerate(self.piles(position)))
        return (("a", x), y, (z, None))

    def score(self, position):
        return None if any(self.piles(position)) else -1

    def piles(self, position):
        (_, x), y, (z, _) = position
        return x, y, z


def is_name(name):
    return name.strip() == name != "" and name.isprintable()


def names_of(chance, rules):
    """Random moves with different names."""
    moves = {rules.name(move): move for move in (value(chance) for _ in range(5))}
    return [move for name, move in moves.items() if is_name(name)] or [0]


def test_texts_and_names_are_those_of_repr():
    chance = random.Random(5)
    rules = _rules.Rules(Chain([(), 0], [[0]]))
    positions = tuples(chance, 1500)
    moves = [names_of(chance, rules) for _ in positions]
    game = Chain(positions, moves)
    table = zermelo.solve(game)
    texts = table._inner.labels(None, 1, None, True, False, False, None, None)["texts"]
    assert texts == [rules.write(position) for position in positions[:-1]]
    assert texts == [repr(_rules.plain(position)) for position in positions[:-1]]
    for text, own in zip(texts, moves):
        names = [str(_rules.plain(move)) for move in own]
        assert sorted(name for name, _ in table._inner.moves(text)) == sorted(names)


def test_labels_have_the_positions_that_python_reads():
    chance = random.Random(6)
    positions = tuples(chance, 800)
    table = zermelo.solve(Chain(positions, [[0]] * len(positions)))
    texts = table._inner.labels(None, 1, None, True, False, False, None, None)["texts"]
    expected = [repr(ast.literal_eval(text)) for text in texts]
    assert [repr(position) for position in table.to_numpy().texts] == expected
    assert [repr(position) for position in table.graph().positions] == expected
    assert [repr(position) for position in table] == expected


def test_usual_values_need_none_of_pythons_functions(monkeypatch):
    texts = [repr(v) for v in (*USUAL, 0.5, -1e22) if not isinstance(v, bytes) and "\\" not in repr(v)]
    assert [repr(v) for v in _zermelo.literals(texts, unread)] == texts
    assert _zermelo.literals(['("a", "it\'s")'], unread) == [("a", "it's")]
    calls, write = [], _texts.Texts.write

    def written(own, position):
        calls.append(position)
        return write(own, position)

    monkeypatch.setattr(_texts.Texts, "write", written)
    table = zermelo.solve(Corner())
    monkeypatch.setattr(table, "_read", unread)
    assert len(table.to_numpy()) == len(table.graph().positions) == len(table) == 25**3 - 1
    # Before the game is solved, the rules are checked in some positions.
    assert 0 < len(set(calls)) < 5000


def test_literals_are_read_as_python_reads_them_or_not_at_all():
    chance = random.Random(7)
    read = 0
    for _ in range(60_000):
        letters = list(repr(value(chance)))
        for _ in range(chance.randrange(3)):
            at = chance.randrange(len(letters) + 1)
            letters[at : at + chance.randrange(3)] = chance.choices(LETTERS + "-+.e_bjNx", k=chance.randrange(3))
        text = "".join(letters)
        try:
            [fast] = _zermelo.literals([text], unread)
        except Unread:
            continue
        read += 1
        assert repr(fast) == repr(ast.literal_eval(text)), text
    assert read > 10_000


@pytest.mark.parametrize(
    "text",
    ["", "(", "(1", "(1)", "(,)", "(1,,)", "01", "1_0", "- 1", "--1", "1-2", "1e", "1j", "'a' 'b'", "'''a'''"]
    + ["''''''", "b'a'", "r'a'", "'\\n'", "'a", "(1, 2", "1)", "(1 2)", "None1", "True", "[1]", "'\ud800'", " 1"]
    + ["1 ", "(1, 2)#", "('a''b',)", "(" * 60 + ")" * 60, "0x1", "+1", "1:2", "nan", "-None", "()()", "1e5-3"],
)
def test_other_texts_are_left_to_python(text):
    with pytest.raises(Unread):
        _zermelo.literals([text], unread)


def test_a_text_that_is_no_literal_is_refused():
    table = zermelo.solve(Chain([(3,), (2,), (1,)], [[0]] * 3))
    for text in ("(1", "x", "(1,) +", "('a' 1)"):
        with pytest.raises(ValueError, match=r"no position of chain can be read from"):
            table.score(text)
    assert table.score(" (3,)".strip()) == 0


def test_surrogates_are_written_like_repr():
    game = Chain([("\ud800", 1), (2,)], [[("\udc00",)]])
    assert zermelo.solve(game)._inner.start == "('\\ud800', 1)"


def test_own_names_of_equal_moves_may_differ():
    class Named(Chain):
        def format_move(self, move):
            return f"go {move}"

    table = zermelo.solve(Named([(3,), (2,), (1,), (0,)], [[1, (1, 2)], [True, (True, 2)], [1.5, 1]]))
    names = [{name for name, _ in table._inner.moves(text)} for text in ("(3,)", "(2,)", "(1,)")]
    assert names == [{"go 1", "go (1, 2)"}, {"go True", "go (True, 2)"}, {"go 1.5", "go 1"}]


class Odd:
    """A position whose hash is that of all others, and whose comparison may fail."""

    def __init__(self, number, fails=False):
        self.number, self.fails = number, fails

    def __hash__(self):
        return 7

    def __eq__(self, other):
        if self.fails and self is not other:
            raise ArithmeticError(f"{self.number} can't be compared")
        return isinstance(other, Odd) and self.number == other.number

    def __repr__(self):
        return f"Odd({self.number})"


class Odds:
    """Take one or two; positions are new objects each time."""

    def __init__(self, fails=-1):
        self.fails = fails

    def start(self):
        return Odd(40)

    def moves(self, position):
        return [taken for taken in (1, 2) if taken <= position.number]

    def play(self, position, taken):
        number = position.number - taken
        return Odd(number, number == self.fails)

    def score(self, position):
        return None if position.number else -1

    def format(self, position):
        return str(position.number)

    def parse(self, text):
        return Odd(int(text))


def test_positions_with_one_hash_are_told_apart():
    table = zermelo.solve(Odds())
    assert [table.score(Odd(number)) for number in range(1, 41)] == [1 if n % 3 else -1 for n in range(1, 41)]


def test_an_error_of_a_comparison_is_raised(monkeypatch):
    # Only the exploration compares all positions.
    monkeypatch.setattr("zermelo._conformance.Test.walk", lambda test, limit: None)
    monkeypatch.setattr("zermelo._conformance.Test.look", lambda test, position: [])
    with pytest.raises(ArithmeticError, match="5 can't be compared") as raised:
        zermelo.solve(Odds(fails=5))
    assert raised.value.__notes__[-1].startswith("in the position Odd(")
