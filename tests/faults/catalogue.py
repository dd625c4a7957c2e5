"""The catalogue of faults: what is wrong, what must catch it, and how PyTorch's encoder gets it.

A fault is a function that changes an encoder when it has been made. It takes the encoder, the
spec, ``torch.nn`` and ``tests.faults.layers``, so that importing the catalogue imports no
framework. Its docstring describes the mistake; its decorator names exactly the evidence that
catches it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from paramproof.formulas.path import LAYER, without_braces

EVERYWHERE = ("examples", "totals", "anchors", "derivation")
"""A term is missing or added at every size: all evidence but the laws catches that."""

BY_NAME = ("examples", "anchors", "derivation")
"""The total is right: only a comparison tensor by tensor notices it."""


class Fault(NamedTuple):
    about: str
    caught_by: tuple[str, ...]
    plant: Callable[..., None]


FAULTS: dict[str, Fault] = {}


def fault(*caught_by: str) -> Callable[[Any], Any]:

    def enter(plant: Any) -> Any:
        enter_row(plant.__name__.replace("_", " "), plant.__doc__, caught_by, plant)
        return plant

    return enter


def enter_row(name: str, about: str, caught_by: tuple[str, ...], plant: Any) -> None:
    assert name not in FAULTS, f"two faults are called {name!r}"
    assert about.endswith(".")
    FAULTS[name] = Fault(" ".join(about.split()).replace("``", "`"), caught_by, plant)


def dropped(rows: dict[str, tuple[str, ...]]) -> None:
    """Enter faults that drop parameters, or modules, at paths of PyTorch's encoder.

    A row has the paths, what is wrong, and further kinds of evidence that catch it.
    """
    for name, (paths, about, *further) in rows.items():
        plant = partial(drop, paths)
        enter_row(name, about, (*EVERYWHERE, *further), plant)


def drop(paths: str, encoder: Any, *_: Any) -> None:
    """Drop what is at these paths of an encoder, in any framework."""
    for path in without_braces(paths):
        drop_one(encoder, *path.split("."))


def drop_one(owner: Any, name: str, *rest: str) -> None:
    if name == LAYER:
        for layer in owner:
            drop_one(layer, *rest)
    elif rest:
        if (part := getattr(owner, name, None)) is not None:  # A model may lack a head.
            drop_one(part, *rest)
    elif isinstance(owner, dict):  # A module of MLX.
        del owner[name]
    else:
        # A module of Equinox is frozen, unless it is being constructed.
        put = object.__setattr__ if hasattr(owner, "__dataclass_fields__") else setattr
        put(owner, name, None)
