"""Without any one part of the tracer, some constructors get a wrong count that were right.

Each planted bug makes one hook, model, operator or record behave as in plain Python, and names the
constructors that must then be fooled.
"""

import operator

import pytest
from paramproof.tracing.instrumented import (
    builtin_models,
    calls,
    code_swap,
    code_transform,
    containers,
    lengths,
)
from paramproof.tracing.symbolic import arithmetic, symfloat, symint, symstr

from paramproof.derivation.pipeline import Effort
from tests.foolers.entries import FOOLERS, load
from tests.foolers.judging import judge

load()

pytestmark = [
    pytest.mark.framework("torch"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.shared("constructors are derived again for each bug of the tracer"),
]


def keep(value, *_):
    """Replaces a function that makes a value unknown, or otherwise symbolic."""
    return value


def nothing(*_, **__):
    """Replaces a function that records something."""


def plainly(name):
    compute, plain = getattr(operator, name.strip("_")), arithmetic.plain_number
    return lambda self, other: compute(plain(self), plain(other))


HOOKS = {
    ("carried", keep): "counter_of_a_loop float_that_decays",
    ("step", keep): "counter_of_an_object global_counter",
    ("stored", keep): "length_of_a_module_dict",
    ("list", list): "length_of_a_comprehension",
    ("opaque", keep): "evaluated",
}
"""Hooks of instrumented code, and what stands in their place."""

VISITS = {
    "ListComp": "length_of_a_comprehension",
    "For": "counter_of_a_loop text_that_grows",
    "AugAssign": "counter_of_an_object",
}
"""Nodes of the syntax tree that are not rewritten."""

ATTRIBUTES = {
    (symint.SymInt, "__lt__", plainly("__lt__")): "length_of_a_comprehension",
    (symint.SymInt, "__gt__", plainly("__gt__")): "division_by_zero",
    (symint.SymInt, "__eq__", plainly("__eq__")): "matched",
    (symint.SymInt, "__bool__", lambda one: one._value != 0): "truth_of_a_float",
    (symint.SymInt, "__hash__", lambda one: hash(one._value)): "default_of_a_dict",
    (symint.SymInt, "__index__", symint.plain_int): "as_bytes packed",
    (symfloat.SymFloat, "__lt__", plainly("__lt__")): "float_on_the_left",
    (symfloat.SymFloat, "__gt__", plainly("__gt__")): "reciprocal",
    (symstr.SymStr, "__hash__", str.__hash__): "name_in_a_set",
    (symstr.SymStr, "__eq__", str.__eq__): "padded",
    (symstr.SymStr, "endswith", str.endswith): "end_of_a_name",
    (symstr.SymStr, "isdigit", str.isdigit): "tail_is_digits",
    (arithmetic, "record_comparison", nothing): "float_on_the_left half_power",
    (arithmetic, "_record_overflow_guard", nothing): "overflow",
    (arithmetic, "record_caveat", nothing): "number_that_doubles",
    (symint, "record_escape", nothing): "as_bytes packed",
    (symstr, "record_escape", nothing): "name_in_a_set padded",
    (calls, "record_caveat", nothing): "generator emptied_iterator",
    (calls, "_record_counted", nothing): "popped_from_a_list emptied_iterator",
    (calls, "record_growth", nothing): "length_of_a_list",
    (calls, "_record_silent_reads", nothing): "accumulated",
    (builtin_models, "unknown_number", keep): "largest_of_a_range",
    (builtin_models, "with_sizes", lambda _, found: found): "padded name_in_a_set",
    (builtin_models, "computed_symfloat", keep): "square_root logarithm",
    (containers, "unknown_value", keep): "float_that_decays",
    (containers, "record_growth", nothing): "length_of_a_module_dict",
    (containers, "_element_at", lambda of, at: of[symint.plain_int(at)]): "list_by_layer",
    (lengths, "unknown_symint", keep): "length_of_a_list",
}
"""Attributes of a module or class, and their replacements."""


@pytest.fixture
def patch(monkeypatch):
    """Instrument functions anew for the planted bug, and again without it afterwards."""
    yield _forget(monkeypatch)
    _forget(monkeypatch)


def _forget(monkeypatch):
    code_transform.instrumented_code.cache_clear()
    code_swap._scanned.clear()
    return monkeypatch


def errors(name):
    entry = FOOLERS[name]
    # Distant models would reveal the bug's effect before a fooler can.
    found = judge(name, entry.function, lambda _: entry.sizes(), effort=Effort(far=False))
    return found.wrongly_proved + found.wrong_without_a_caveat


def assert_fooled(names):
    assert [name for name in names.split() if not errors(name)] == []


@pytest.mark.parametrize(("hook", "names"), HOOKS.items(), ids=lambda one: one[0])
def test_a_hook_that_does_as_python(hook, names, patch):
    patch.setitem(code_swap.HOOKS, *hook)
    assert_fooled(names)


def test_a_function_of_c_without_a_model(patch):
    patch.delitem(builtin_models.MODELS, sum)
    assert_fooled("sum_of_ones_by_hand")


@pytest.mark.parametrize(("node", "names"), VISITS.items())
def test_a_node_that_stays_as_it_is(node, names, patch):
    kind = code_transform._Instrumenter
    patch.setattr(kind, f"visit_{node}", kind.generic_visit)
    assert_fooled(names)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        pytest.param(change, names, id=f"{change[0].__name__.rpartition('.')[2]}.{change[1]}")
        for change, names in ATTRIBUTES.items()
    ],
)
def test_an_attribute_that_does_nothing_more(change, names, patch):
    patch.setattr(*change)
    assert_fooled(names)


ALL = " ".join((*HOOKS.values(), *VISITS.values(), *ATTRIBUTES.values(), "sum_of_ones_by_hand"))


@pytest.mark.parametrize("name", sorted({*ALL.split()}))
def test_no_constructor_is_fooled_without_a_bug(name, patch):
    assert errors(name) == []
