"""The same faults in every framework: which ones are possible, and what catches them."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from paramproof.builders.protocol import Builder, BuiltModel
from paramproof.builders.registry import Framework
from paramproof.formulas import EncoderSpec, Numerics
from tests.faults import matrix  # noqa: F401  (it fills the catalogue)
from tests.faults.catalogue import FAULTS
from tests.faults.everywhere.evidence import EVIDENCE
from tests.faults.everywhere.misread import MISREAD
from tests.faults.everywhere.planted import FAULTS as IN_THE_FRAMEWORK
from tests.faults.everywhere.planted import IMPOSSIBLE, PLANTS, Plants
from tests.remembered import Remembering
from tests.selection import load_once, registered

EVERYWHERE = (*IN_THE_FRAMEWORK, *MISREAD)
"""Names of faults, as in PyTorch's catalogue."""


class Faulty:
    """A builder with one of the faults of ``EVERYWHERE``."""

    def __init__(self, framework: Framework, builder: Builder, name: str) -> None:
        self.builder = builder
        self.supports = builder.supports
        self.own = plants(framework).get(name)
        self.misread = MISREAD.get(name)

    def build(self, spec: EncoderSpec, numerics: Numerics | None = None, **how: Any) -> BuiltModel:
        build = partial(self.builder.build, **how)
        if self.own is None:
            assert self.misread is not None
            return self.misread(build, spec, numerics)
        with self.own():
            return build(spec, numerics)


def plants(framework: Framework) -> Plants:
    """Return the changes to the framework's own code, by the name of the fault."""
    return PLANTS[_name(framework)]()


def impossible(framework: str) -> dict[str, str]:
    """Return the faults that the framework cannot have, each with the reason."""
    return IMPOSSIBLE.get(_name(registered(framework)), {})


def expressed(framework: str) -> list[str]:
    """Return the faults that the framework can have."""
    return [name for name in EVERYWHERE if name not in impossible(framework)]


def _name(framework: Framework) -> str:
    return framework.module.rpartition(".")[2]


def kinds(framework: Framework) -> list[str]:
    """Return its kinds of evidence: a framework that builds slowly omits those with many builds."""
    return [kind for kind in EVIDENCE if not (framework.slow and kind == "derivation")]


def due(framework: Framework, name: str) -> set[str]:
    """Return exactly the kinds of evidence that must catch the fault, as in PyTorch."""
    return set(FAULTS[name].caught_by).intersection(kinds(framework))


@cache
def observed(framework: str, name: str) -> frozenset[str]:
    """Return the kinds of evidence that catch the fault, computed once per process."""
    chosen = registered(framework)
    planted = Remembering(Faulty(chosen, load_once(framework), name))
    return frozenset(kind for kind in kinds(chosen) if catches(kind, chosen, planted))


def catches(kind: str, framework: Framework, builder: Builder) -> bool:
    """Return whether this kind of evidence finds a fault in ``builder``."""
    try:
        EVIDENCE[kind](framework, builder)
    except AssertionError:
        return True
    return False


def column(framework: str) -> dict[str, str]:
    """Return a framework's column in docs/faults.md: the initials of what catches each fault."""
    return {
        name: "".join(kind[0].upper() for kind in EVIDENCE if kind in observed(framework, name))
        if name in expressed(framework)
        else "none"
        for name in EVERYWHERE
    }
