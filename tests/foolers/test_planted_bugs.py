"""Without any one denial of a derivation, some constructors get a wrong count.

Each planted bug takes away something that is not followed, or a guard that is recorded, and names
the constructors that must then be fooled.
"""

import ast

import pytest

from paramproof.derivation import exact_traces, letters, sizes, unfollowed
from paramproof.derivation.pipeline import Effort
from paramproof.tracing.configuration import live
from paramproof.tracing.configuration.live import LiveInterpreter
from tests.foolers.entries import FOOLERS, load
from tests.foolers.judging import judge_entry

load()

pytestmark = [
    pytest.mark.framework("torch"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.shared("constructors are derived again for each bug of the derivation"),
]

INHERITED = object()
"""Stands for the method of a base class, which denies nothing."""


def never(*_):
    return False


def always(*_):
    return True


def nothing(*_, **__):
    """Replaces a function that records something."""


def laxly(trace):
    """Return the conditions of a trace as those of the catalogue, where something may be lost."""
    trace.strictly = False
    return CONDITIONS(trace)


def leniently(run, node):
    return True if run.is_denied(node) else OWN_STATEMENT(run, node)


def confidently(run, node):
    """Run code of which errors are handled as if it raised none."""
    return run.block([*node.body, *node.orelse])


OWN_STATEMENT = LiveInterpreter.own_statement
CONDITIONS = letters.Trace.conditions
GUESSES = (*unfollowed.HARMLESS, ast.Compare, ast.If, ast.IfExp)

BUGS = {
    (live, "is_text", never): "joined tail_is_digits",
    (live, "is_held", never): "shown_and_read",
    (live, "UNCLEAR", ()): "evaluated",
    (live, "PLAIN", object): "endless_count",
    (LiveInterpreter, "native", INHERITED): "shown_and_read",
    (LiveInterpreter, "truth", INHERITED): "digits",
    (LiveInterpreter, "eval", INHERITED): "walrus_counter",
    (LiveInterpreter, "refuse_customs", nothing): "descriptor",
    (LiveInterpreter, "attempt", confidently): "overflow root_of_a_negative",
    (LiveInterpreter, "own_statement", leniently): "counter_of_a_closure global_counter",
    (LiveInterpreter, "refuse", nothing): "not_followed_if_deep",
    (sizes, "_compare", nothing): "range_downwards reciprocal",
    (sizes, "lose", nothing): "slice_of_a_table largest_of_a_range",
    (sizes, "_are_alike", always): "list_by_layer",
    (sizes, "_bits", lambda _: 0): "more_than_53_bits",
    (letters, "pin", nothing): "float_that_decays",
    (letters, "truth", never): "not_followed_if_deep_and_wide",
    (letters, "implied_guards", lambda *_: ()): "counter_of_a_loop not_followed_in_late_layers",
    (letters.Trace, "conditions", laxly): "counter_in_a_tuple",
    (exact_traces.Conditions, "add_refusal", nothing): "not_followed_if_deep",
    (unfollowed, "HARMLESS", GUESSES): "index_after_the_loop",
    (unfollowed._Reader, "decisions", lambda *_: ()): "length_of_a_dict float_that_decays",
    (unfollowed._Reader, "is_followed", always): "widths_by_numpy",
}
"""Attributes of a module or class, their replacements, and the names of constructors."""


@pytest.fixture
def patch(monkeypatch):
    caches = [sizes._made, sizes._guard]
    for one in caches:
        one.cache_clear()
    yield monkeypatch
    for one in caches:
        one.cache_clear()


def errors(name, far):
    found = judge_entry(FOOLERS[name], effort=Effort(far=far))
    return found.wrongly_proved + found.wrong_without_a_caveat


@pytest.mark.parametrize(
    ("of", "name", "instead", "names"),
    [pytest.param(*bug, names, id=f"{bug[0].__name__}.{bug[1]}") for bug, names in BUGS.items()],
)
def test_a_denial_that_is_missing(of, name, instead, names, patch):
    if instead is INHERITED:
        patch.delattr(of, name)
    else:
        patch.setattr(of, name, instead)
    # Distant models would reveal the bug's effect before a fooler can.
    assert [name for name in names.split() if not errors(name, far=False)] == []


@pytest.mark.parametrize("name", sorted({*" ".join(BUGS.values()).split()}))
def test_no_constructor_is_fooled_without_a_bug(name):
    assert errors(name, far=name == "tuple_by_layer") == []
