"""Write what was traced in the operations of the catalogue's reader; ``nodes`` puts it in a file.

A module becomes a term: names, conditions and what is there. Operations that the reader does not
have are written in others that it has, and a declared type becomes a condition on a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial, reduce
from math import inf
from typing import Any, NamedTuple, TypeAlias

from paramproof.catalogue.program import LAZY, OPERATIONS
from paramproof.tracing.configuration.nodes import refuse
from paramproof.tracing.configuration.terms import (
    SORTS,
    Term,
    Unknown,
    Value,
    both,
    either,
    is_op,
    negate,
    present,
    term,
)

LETTERS = "ijklmnopqrs"
"""The names of loops, the outermost first."""

CONFIG, OPAQUE, VALUE = term("config"), term("opaque"), term("item", "value")
LOOPS = ("comp", "comp dict", "fold", "state", "item", "turn")


@lru_cache(maxsize=None, typed=True)  # 0, 0.0 and False are equal, and differ.
def lowered(value: Value) -> Value:
    """Return a frozen value in the operations of the reader; one with an opaque part is opaque.

    Raises ``Unknown`` for a value or an operation that the reader does not have.
    """
    if isinstance(value, bool | str | None) or is_op(value, "number"):
        return value
    if isinstance(value, int | float):
        return term("float", str(value)) if abs(value) == inf else term("number", value)
    if not isinstance(value, Term):
        raise Unknown(f"a value of {type(value).__name__}")
    op, args = value.op, value.args
    match value:
        case Term(op="opaque" | "rope"):
            return OPAQUE
        case Term(op="accepts", args=(inner, kind)):
            return lowered(accepts(inner, kind))
        case Term(op="not", args=(Term(op="and", args=sides),)) if any(
            is_op(x, "not") for x in sides
        ):
            op, args = "or", tuple(map(negate, sides))
    if not any(op in known for known in (WRITTEN, OPERATIONS, LAZY)):
        raise Unknown(f"the operation {op}")
    if op in LOOPS and isinstance(args[0], int):
        args = (LETTERS[args[0]], *args[1:])
    inner = [*map(lowered, args)]
    return OPAQUE if OPAQUE in inner else WRITTEN.get(op, partial(term, op))(*inner)


def dict_of(base: Value, *pairs: Value) -> Term:
    """Return a dictionary with other values of some keys, of which some may be absent."""
    own = pairs_of(*pairs)
    if base is not None:
        return term("merged", base if base is CONFIG else term("or", base, pairs_of()), own)
    return own if all(present(one) is True for one in pairs[1::2]) else term("merged", own)


def pairs_of(*given: Value) -> Term:
    """Return the dictionary of keys and values."""
    pairs = (term("list", *pair) for pair in zip(given[::2], given[1::2], strict=True))
    return term("dict", term("list", *pairs))


def enumerated(items: Value, start: Value) -> Term:
    turn = term("turn", "e") if start is term("number", 0) else term("+", start, term("turn", "e"))
    return term("comp", "e", items, term("list", turn, term("item", "e")), True)


def layer_of(part: Value, index: Value) -> Term:
    """Return a part with the values that its ``per_layer_config`` has for a layer."""
    given = term("field", part, "per_layer_config")
    key, values = (term("get", term("item", "e"), term("number", i)) for i in (0, 1))
    numbered = term("list", term("int", key), values)
    by_number = term("dict", term("comp", "e", term("method", "items", given), numbered, True))
    own = term("method", "get", by_number, index, pairs_of())
    return term("if", term("isinstance", given, "object"), term("updated", part, own), part)


def joined(*parts: Value) -> Term:
    texts = (one if isinstance(one, str) else term("str", one) for one in parts)
    return term("method", "join", "", term("list", *texts))


def is_of(value: Value, *kinds: Value) -> Value:
    """Return whether a value is of one of the kinds of JSON, or a part."""
    others = [one for one in kinds if one != "part"]
    of_others = term("isinstance", value, *others) if others else False
    return either(of_others, term("made by", value)) if "part" in kinds else of_others


WRITTEN: Mapping[str, Callable[..., Value]] = {
    "as tuple": lambda items: items,
    "comp dict": lambda letter, source, key, value, kept: term(
        "dict", term("comp", letter, source, term("list", key, value), kept)
    ),
    "concat": lambda lists: term("sum", lists, term("list")),
    "dict": dict_of,
    "enumerate": enumerated,
    # Rotary positions of a part are unknown, and checked already.
    "fields": lambda part: term(
        "merged", term("fields", part), pairs_of("rope_parameters", term("absent"))
    ),
    "from pairs": lambda pairs: term("dict", pairs),
    "isinstance": is_of,
    "known": lambda kind: negate(term("is", term("class of", kind), None)),
    "layer of": layer_of,
    "text": joined,
    "with fields": lambda part, *pairs: term("updated", part, dict_of(None, *pairs)),
    **{name: partial(term, "method", name) for name in ("items", "keys", "values")},
}
"""How operations that the reader does not have are written in others."""


# Declared types


def check(kind: Term) -> Value:
    """Return what says how ``VALUE`` is wrong if it is not of a declared type, or None."""
    condition = lowered(accepts(VALUE, kind))
    return None if condition is True else term("if", condition, None, f"must be {spoken(kind)}")


def accepts(value: Term, kind: Term, letters: str = "abcd") -> Any:
    """Return the condition that a value is of a declared type."""
    is_flag = term("isinstance", value, "flag")
    match kind.op:
        case "anything":
            return True
        case "null":
            return term("is", value, None)
        case "union":
            return reduce(either, [accepts(value, one, letters) for one in kind.args])
        case "one of":
            flags = [one for one in kind.args if isinstance(one, bool)]
            others = term("list", *(lowered(one) for one in kind.args if one not in flags))
            is_other = both(negate(is_flag), term("in", value, others))
            return reduce(either, [term("is", value, one) for one in flags], is_other)
        case "int":
            return both(term("isinstance", value, "int"), negate(is_flag))
        case "sequence":
            found = term("isinstance", value, "list", "text")
        case "tuple" | "set" | "object":
            return False
        case _:
            found = term("isinstance", value, SORTS[kind.op])
    parts = ("keys", "values") if kind.op == "dict" else ()
    held = [term("method", name, value) for name in parts] or [value]
    for items, inner in zip(held, kind.args, strict=False):
        of_item = accepts(term("item", letters[0]), inner, letters[1:])
        if of_item is not True:
            every = term("all", term("comp", letters[0], items, of_item, True))
            found = both(found, every)
    return found


def spoken(kind: Term) -> str:
    """Return a declared type in words."""
    match kind.op:
        case "union":
            return " or ".join(map(spoken, kind.args))
        case "one of":
            return f"one of {', '.join(map(repr, kind.args))}"
        case "sequence" | "list" | "dict" if kind.args:
            return f"{kind.op} of {spoken(kind.args[-1])}"
    return kind.op


# Modules


class Model(NamedTuple):
    """The tensors of a model class, as terms over ``self``, the configuration that it is given.

    A ``module`` has a name, a condition and a term for each thing in it. An item of a list of
    layers has None in place of a name: that is its number among the items that exist.
    """

    module: Term
    refusals: dict[Value, str | None]
    """Conditions under which the class refuses, or is not traced; these have no reason."""


Row: TypeAlias = tuple[Value, Value, Term]


def module_of(rows: Iterable[Row]) -> Term:
    """Return a module, which has its own tensors first."""
    own = sorted(rows, key=lambda row: row[2].op == "module" and row[0] is not None)
    return term("module", *(one for row in own for one in row))


def model_term(made: Model) -> Term:
    """Return the module of a model class, which refuses what the class refuses."""
    rows = [x for one in refused(made.refusals) for x in ("", True, one)]
    return term("module", *rows, *lowered(made.module).args)


def refused(refusals: Mapping[Value, object]) -> list[Term]:
    """Return what refuses under some conditions: one term for each reason that is a text."""
    found: dict[str | None, Value] = {}
    for condition, reason in refusals.items():
        why = reason if isinstance(reason, str) else None
        found[why] = either(found.get(why, False), condition)
    return [refuse(lowered(of), why) for why, of in found.items()]
