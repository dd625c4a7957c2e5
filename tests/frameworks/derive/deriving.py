"""Constructors with what is derived from each: a decorator says it, and the constructor stays.

``where`` has the conditions of the formula: a condition alone if other tensors are created beyond
it, otherwise with a part of what happens there. Each text of ``reasons`` is the start of a reason;
where it ends with a parenthesis, the reason goes on with the file of the constructor.
At the sizes ``at`` (on top of the constructor's own) the formula counts what PyTorch builds;
``beyond`` its conditions it would be wrong, and refuses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from paramproof.derivation.pipeline import Effort, derive
from paramproof.formulas.derivation_data import derivation_data, derivation_from
from paramproof.tracing.constructors.function import function_constructor

OTHERS = "other tensors are created"
FITTED = "the shape is fitted in 2 of 2 tensor groups"


def unfollowed(*what: str) -> list[str]:
    """Return the starts of reasons that name lines which were not followed."""
    return [f"{one} was not followed (" for one in what]


@dataclass(frozen=True)
class Case:
    function: Callable[..., Any]
    formula: str = ""
    where: Any = ()
    irrelevant: tuple[str, ...] | list[str] = ()
    fixed: str = ""
    reasons: tuple[str, ...] | list[str] = ()
    at: tuple[dict[str, int], ...] | list[dict[str, int]] = ()
    beyond: tuple[dict[str, int], ...] | list[dict[str, int]] = ()
    error: str = ""
    sizes: tuple[tuple[str, int], ...] = ()

    @property
    def conditions(self) -> dict[str, str]:
        where = [self.where] if isinstance(self.where, str) else self.where
        return where if isinstance(where, dict) else dict.fromkeys(where, OTHERS)


CASES: dict[str, Case] = {}


def derives(formula: str, **expected: Any) -> Any:
    """Register what is derived from a constructor; it may have several, at other ``sizes``."""
    return _registered(formula=formula, **expected)


def refuses(error: str) -> Any:
    return _registered(error=error)


def _registered(**expected: Any) -> Any:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        case = Case(function, **expected)
        name = f"{function.__module__.rpartition('.')[2]}:{function.__name__}"
        name += "+" * bool(case.sizes)
        assert name not in CASES
        CASES[name] = case
        return function

    return register


def load() -> dict[str, Case]:
    if find_spec("torch"):
        for module in ("branches", "lengths", "loops", "lost", "tensors"):
            import_module(f"{__package__}.{module}")
    return CASES


def constructor(name, **sizes):
    """``lost:through_json`` with other sizes at first."""
    module, _, function = name.partition(":")
    return function_constructor(
        name, getattr(import_module(f"{__package__}.{module}"), function), sizes
    )


def derived(name, seed=0, effort=None, **sizes):
    """Derive a constructor, and check that its derivation survives the way through JSON."""
    found = derive(constructor(name, **sizes), seed, effort=effort or Effort())
    assert derivation_from(derivation_data(found)) == found
    return found


def count(name, **sizes):
    made = constructor(name)
    model = made.make({**made.sizes, **sizes})
    return sum(one.numel() for one in model.parameters() if one.requires_grad)


def conditions(derivation):
    return {str(stated.condition): str(stated.consequence) for stated in derivation.conditions}
