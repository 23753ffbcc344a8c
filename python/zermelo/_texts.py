"""Default texts of positions and moves of games in Python."""

from __future__ import annotations

import ast
import dataclasses
import enum
import sys
from collections.abc import Callable
from numbers import Number
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ._symmetries import Wrapped

#: By class of a game: the classes of which its positions are made, by name.
_CLASSES: WeakKeyDictionary[type, dict[str, type]] = WeakKeyDictionary()


def plain(value: Any, *, bools: bool = True) -> Any:
    """Return one value for all that compare equal, so that they get the same text.

    This is 4 for 4.0 and ``np.int64(4)``, and with ``bools`` 1 for True.
    """
    kind = type(value)
    if kind is int or kind is str:
        return value
    if kind is tuple:
        return tuple([plain(part, bools=bools) for part in value])
    if isinstance(value, np.generic) and type(value.item()) is not kind:
        return plain(value.item(), bools=bools)
    if kind is bool:
        return int(value) if bools else value
    if isinstance(value, Number) and not isinstance(value, int):
        try:
            whole = int(value)  # type: ignore[call-overload]
        except (TypeError, ValueError, OverflowError):
            return value
        return whole if whole == value else value
    return value


def _is_known(kind: type) -> bool:
    """Whether objects of a class can be written by their fields, and read."""
    return dataclasses.is_dataclass(kind) or issubclass(kind, enum.Enum) or _is_named(kind)


def _is_named(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


class Texts:
    """Writes and reads positions of numbers, strings, tuples, frozen sets, dataclasses and enumerations.

    Equal positions get the same text: the items of a set are sorted, and fields that are not compared
    are left out if they have defaults. Reading evaluates nothing but literals and these classes.
    """

    def __init__(self, game: Any) -> None:
        self._start = game.start
        while isinstance(game, Wrapped):
            game = game._wrapped
        self._game = game
        self._classes = _CLASSES.setdefault(type(game), {})

    def write(self, position: Any) -> str:
        return str(position) if isinstance(position, str) else self._text(position)

    def name(self, move: Any) -> str:
        """Return the default name of a move."""
        # The order of a set differs from run to run.
        return self._text(move) if type(move) in (tuple, frozenset) else str(plain(move))

    def _text(self, value: Any) -> str:
        kind = type(value)
        if kind is int or kind is str:
            return repr(value)
        if kind is tuple:
            parts = [repr(part) if type(part) is int else self._text(part) for part in value]
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        if isinstance(value, frozenset):
            parts = sorted(map(self._text, value), key=lambda part: (len(part), part))
            return f"frozenset({{{', '.join(parts)}}})" if parts else "frozenset()"
        if isinstance(value, enum.Enum):
            self._classes[kind.__name__] = kind
            return f"{kind.__name__}.{value.name}"
        if dataclasses.is_dataclass(kind):
            fields = [field.name for field in dataclasses.fields(kind) if _is_written(field)]
        elif _is_named(kind):
            fields = list(value._fields)
        else:
            return repr(plain(value))
        self._classes[kind.__name__] = kind
        return f"{kind.__name__}({', '.join(f'{at}={self._text(getattr(value, at))}' for at in fields)})"

    def read(self, text: str) -> Any:
        try:
            return ast.literal_eval(text)
        except ValueError:
            return self._value(ast.parse(text, mode="eval").body)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Tuple(elts=parts):
                return tuple([self._value(part) for part in parts])
            case ast.Call(func=ast.Name(id="frozenset"), args=args, keywords=[]):
                items = [part for arg in args if isinstance(arg, ast.Set) for part in arg.elts]
                return frozenset([self._value(part) for part in items])
            case ast.Call(func=ast.Name(id=name), args=[], keywords=fields):
                values = {str(field.arg): self._value(field.value) for field in fields}
                return self._class(name)(**values)
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                return self._class(name)[member]  # type: ignore[index]
        return ast.literal_eval(node)

    def _class(self, name: str) -> Callable[..., Any]:
        """Return the class that a text names: of a position so far, or in the modules of the game."""
        if name not in self._classes:
            self.write(self._start())
        known = self._classes.get(name)
        for kind in [*self._classes.values(), *type(self._game).__mro__]:
            if known is None:
                known = getattr(sys.modules.get(kind.__module__), name, None)
        if not (isinstance(known, type) and _is_known(known)):
            raise ValueError(f"{name} is no dataclass or enumeration of the game")
        return known


def _is_written(field: dataclasses.Field[Any]) -> bool:
    """Whether a field of a dataclass is a part of its text."""
    missing = dataclasses.MISSING
    has_default = field.default is not missing or field.default_factory is not missing
    return field.init and (field.compare or not has_default)
