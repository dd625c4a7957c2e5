"""Decorators that put a constructor on a list, and return it unchanged."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Entry:
    """A constructor with the sizes at which it is worth building.

    ``turns`` lists, by parameter, the sizes at which the model starts to differ. If only lengths
    differ there, and no tensor is added or removed, ``in_lengths`` is true.
    """

    name: str
    function: Callable[..., Any]
    turns: dict[str, tuple[int, ...]] = field(default_factory=dict)
    in_lengths: bool = False

    @property
    def family(self) -> str:
        return self.function.__module__.rpartition(".")[2]


FOOLERS: dict[str, Entry] = {}
HARMLESS: dict[str, Entry] = {}


def fooler(*, in_lengths: bool = False, **turns: int | Iterable[int]) -> Callable[..., Any]:
    """Register a constructor that was written to fool a derivation."""
    return _registered(FOOLERS, in_lengths, turns)


def harmless(**sizes: int | Iterable[int]) -> Callable[..., Any]:
    """Register a constructor as in real libraries; ``sizes`` are worth building, too."""
    return _registered(HARMLESS, True, sizes)


def _registered(entries: dict[str, Entry], in_lengths: bool, turns: Any) -> Callable[..., Any]:
    tuples = {key: (at,) if isinstance(at, int) else tuple(at) for key, at in turns.items()}

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        assert name not in {**FOOLERS, **HARMLESS}, f"{name} is registered already"
        entries[name] = Entry(name, function, tuples, in_lengths)
        return function

    return register
