"""Constructors that try to fool a derivation, each registered with the outcome that it must have.

A decorator names the outcome of deriving the constructor, and by parameter the sizes (turns) at
which its models start to differ. The constructor itself stays as it is.
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import signature
from random import Random
from typing import Any

from torch import nn

RANDOM_SIZES = 6
DEPTHS = ("n", "d", "first", "second")
"""Parameters that are numbers of layers."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A constructor, its outcome, and the sizes at which it is worth building.

    ``outcome`` is ``guard`` if the formula is proved, and its guards state where; ``caveat`` if it
    is fitted, and a caveat names a line of the constructor; ``fitted`` if no caveat names a line;
    and ``refused`` if there is no formula. If only lengths differ at the turns, and no tensor is
    added or removed, ``in_lengths`` is true.
    """

    function: Callable[..., Any]
    outcome: str
    turns: dict[str, tuple[int, ...]]
    in_lengths: bool

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def defaults(self) -> dict[str, int]:
        return {name: one.default for name, one in signature(self.function).parameters.items()}

    def sizes(self) -> list[dict[str, int]]:
        own = self.defaults
        found = [own]
        for name, turns in self.turns.items():
            for turn in turns:
                near = {turn - 1, turn, turn + 1, turn * 2, turn * 5 // 4} - {0}
                found += [{**own, name: size} for size in sorted(near)]
        if len(self.turns) > 1:
            found.append(own | {name: turn for name, (turn, *_) in self.turns.items()})
        random = Random(self.name)
        for _ in range(RANDOM_SIZES):
            # As often small as large; numbers of layers go up to 150.
            found.append(
                {name: int(2 ** random.uniform(0, 7.2 if name in DEPTHS else 13.5)) for name in own}
            )
        return found


FOOLERS: dict[str, Entry] = {}
HARMLESS: dict[str, Entry] = {}


def fooler(outcome: str, *, in_lengths: bool = False, **turns: int | Iterable[int]) -> Any:
    """Register a constructor that was written to fool a derivation."""
    return _registered(FOOLERS, outcome, in_lengths, turns)


def harmless(**sizes: int | Iterable[int]) -> Any:
    """Register a constructor as in real libraries; ``sizes`` are worth building, too."""
    return _registered(HARMLESS, "guard", True, sizes)


def _registered(entries: dict[str, Entry], outcome: str, in_lengths: bool, turns: Any) -> Any:
    tuples = {key: (at,) if isinstance(at, int) else tuple(at) for key, at in turns.items()}

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        entry = Entry(function, outcome, tuples, in_lengths)
        assert entry.name not in {**FOOLERS, **HARMLESS}, f"{entry.name} is registered already"
        entries[entry.name] = entry
        return function

    return register


def linears(dim, n, bias):
    """Return ``n`` square layers; all of them have a bias, or none."""
    return nn.ModuleList([nn.Linear(dim, dim, bias=bias) for _ in range(n)])


def each(dim, n, biased):
    """Return ``n`` square layers; ``biased`` says of a layer's number whether it has a bias."""
    return nn.ModuleList([nn.Linear(dim, dim, bias=biased(i)) for i in range(n)])


def fails(error: type[Exception], compute: Callable[[], object]) -> bool:
    try:
        compute()
    except error:
        return True
    return False


def register_rows(
    size: str, of: Callable[..., Any], outcome: str, in_lengths: bool = False, **foolers: Any
) -> None:
    """Register models that are made ``of`` functions, or of other values, in one or two lines.

    Each row has the size, or sizes, at which its models change, and what they are made of.
    """
    module = sys._getframe(1).f_globals["__name__"]
    for name, (turns, *values) in foolers.items():
        model = of(*values)
        model.__name__, model.__module__ = name, module
        fooler(outcome, in_lengths=in_lengths, **{size: turns})(model)


def _by_width(biased):
    def model(dim=64, n=3):
        return linears(dim, n, biased(dim))

    return model


def _by_depth(biased):
    def model(dim=16, n=3):
        return linears(dim, n, biased(n))

    return model


def _by_layer(biased):
    def model(dim=16, n=3):
        return each(dim, n, biased)

    return model


def _by_state(started, biased):
    def model(dim=16, n=3):
        state = started(n)
        return each(dim, n, lambda i: biased(state, i))

    return model


def _by_length(length):
    def model(dim=64, n=3):
        return nn.ModuleList([nn.Linear(dim, length(dim)) for _ in range(n)])

    return model


widths = partial(register_rows, "dim", _by_width)
depths = partial(register_rows, "n", _by_depth)
layers = partial(register_rows, "n", _by_layer)
states = partial(register_rows, "n", _by_state)
lengths = partial(register_rows, "dim", _by_length, in_lengths=True)


GROUPS = """adversaries another_package arithmetic comparing counting harmless objects tables
tensors text world"""


def load() -> None:
    for group in GROUPS.split():
        import_module(f"tests.foolers.{group}")
