"""Planted bugs in the tracer, one at a time: a hook, model or operator behaves as in Python.

Each bug names constructors, all of which must then get a wrong count.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paramproof.tracing.instrumented import (
    builtin_models,
    calls,
    code_swap,
    code_transform,
    containers,
    lengths,
)
from paramproof.tracing.instrumented.builtin_models import MODELS
from paramproof.tracing.symbolic import arithmetic, symfloat, symint, symstr


@dataclass(frozen=True)
class PlantedBug:
    """A replacement for a part of the tracer, and the constructors that notice it."""

    name: str
    plant: Callable[[Any], None]
    noticed_by: tuple[str, ...]


def nothing(*_: Any, **__: Any) -> None:
    """Replaces a function that records something."""


PLANTED: list[PlantedBug] = []


def planted(name: str, *noticed_by: str) -> Callable[[Any], Any]:
    """Register a function that plants a bug with pytest's ``monkeypatch``."""

    def register(plant: Any) -> Any:
        PLANTED.append(PlantedBug(name, plant, noticed_by))
        return plant

    return register


def without_model(function: Any, *noticed_by: str) -> None:
    """Register that a C function is called unchanged."""
    name = f"no model of {function.__qualname__}"
    planted(name, *noticed_by)(lambda patch: patch.delitem(MODELS, function))


def plain_hook(hook: str, plain: Any, *noticed_by: str) -> None:
    """Register that a hook behaves as in Python."""
    planted(f"hook {hook}", *noticed_by)(lambda patch: patch.setitem(code_swap.HOOKS, hook, plain))


def without_visit(node: str, *noticed_by: str) -> None:
    """Register that nodes of this kind stay unchanged in the syntax tree."""
    visit = f"visit_{node}"
    planted(visit, *noticed_by)(
        lambda patch: patch.setattr(
            code_transform._Instrumenter, visit, code_transform._Instrumenter.generic_visit
        )
    )


def silent(name: str, owner: Any, attribute: str, value: Any, *noticed_by: str) -> None:
    """Register that an attribute of a module or class is ``value``."""
    planted(name, *noticed_by)(lambda patch: patch.setattr(owner, attribute, value))


def compared_plainly(name: str) -> Any:
    """Return a comparison that records nothing."""
    compute = getattr(operator, name.strip("_"))
    return lambda self, other: compute(
        arithmetic.plain_number(self), arithmetic.plain_number(other)
    )


plain_hook("carried", lambda value, *_: value, "counter_of_a_loop", "float_that_decays")
plain_hook("step", lambda value, *_: value, "counter_of_an_object", "global_counter")
plain_hook("stored", lambda value, *_: value, "length_of_a_module_dict")
plain_hook("list", list, "length_of_a_comprehension")
plain_hook("opaque", lambda value: value, "evaluated")

without_model(sum, "sum_of_ones_by_hand")

without_visit("ListComp", "length_of_a_comprehension")
without_visit("For", "counter_of_a_loop", "text_that_grows")
without_visit("AugAssign", "counter_of_an_object")

for _method, _noticed_by in (
    ("__lt__", "length_of_a_comprehension"),
    ("__gt__", "division_by_zero"),
    ("__eq__", "matched"),
):
    silent(f"SymInt.{_method}", symint.SymInt, _method, compared_plainly(_method), _noticed_by)
silent(
    "SymFloat.__lt__", symfloat.SymFloat, "__lt__", compared_plainly("__lt__"), "float_on_the_left"
)
silent("SymFloat.__gt__", symfloat.SymFloat, "__gt__", compared_plainly("__gt__"), "reciprocal")
silent(
    "SymInt.__bool__",
    symint.SymInt,
    "__bool__",
    lambda one: symint.plain_int(one) != 0,
    "truth_of_a_float",
)
silent(
    "SymInt.__hash__",
    symint.SymInt,
    "__hash__",
    lambda one: hash(symint.plain_int(one)),
    "default_of_a_dict",
)
silent("SymInt.__index__", symint.SymInt, "__index__", symint.plain_int, "as_bytes", "packed")
silent("SymStr.__hash__", symstr.SymStr, "__hash__", str.__hash__, "name_in_a_set")
silent("SymStr.__eq__", symstr.SymStr, "__eq__", str.__eq__, "padded")
silent("SymStr.endswith", symstr.SymStr, "endswith", str.endswith, "end_of_a_name")
silent("SymStr.isdigit", symstr.SymStr, "isdigit", str.isdigit, "tail_is_digits")

silent(
    "record_comparison", arithmetic, "record_comparison", nothing, "float_on_the_left", "half_power"
)
silent("overflow guards", arithmetic, "_record_overflow_guard", nothing, "overflow")
silent("caveats of arithmetic", arithmetic, "record_caveat", nothing, "number_that_doubles")
silent("escapes of sizes", symint, "record_escape", nothing, "as_bytes", "packed")
silent("escapes of text", symstr, "record_escape", nothing, "name_in_a_set", "padded")
silent("caveats of calls", calls, "record_caveat", nothing, "generator", "emptied_iterator")
silent(
    "_record_counted", calls, "_record_counted", nothing, "popped_from_a_list", "emptied_iterator"
)
silent(
    "unknown numbers of models",
    builtin_models,
    "unknown_number",
    lambda value: value,
    "largest_of_a_range",
)
silent(
    "unknown values of containers",
    containers,
    "unknown_value",
    lambda value: value,
    "float_that_decays",
)
silent(
    "text with sizes",
    builtin_models,
    "with_sizes",
    lambda _, found: found,
    "padded",
    "name_in_a_set",
)
silent("growth in calls", calls, "record_growth", nothing, "length_of_a_list")
silent("growth in containers", containers, "record_growth", nothing, "length_of_a_module_dict")
silent("what C code is given", calls, "_record_silent_reads", nothing, "accumulated")
silent(
    "_element_at", containers, "_element_at", lambda v, i: v[symint.plain_int(i)], "list_by_layer"
)
silent("unknown lengths", lengths, "unknown_symint", lambda number: number, "length_of_a_list")
silent(
    "computed_symfloat",
    builtin_models,
    "computed_symfloat",
    lambda value, *_: value,
    "square_root",
    "logarithm",
)
