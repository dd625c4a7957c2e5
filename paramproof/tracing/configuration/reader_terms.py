"""Write what was traced in the operations of the catalogue's reader; ``nodes`` puts it in a file.

A module becomes a term: names, conditions and what is there. Operations that the reader does not
have are written in others that it has, and a declared type becomes a condition on a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial, reduce
from typing import Any

from paramproof.tracing.configuration.nodes import number, refuse
from paramproof.tracing.configuration.rows import Alias, Auto, Entries, Entry, Loop, Model, Tensor
from paramproof.tracing.configuration.terms import Term, Value, both, either, negate, term

LETTERS = "ijklmnopqrs"
"""The names of loops, the outermost first."""

CONFIG, VALUE = term("config"), term("item", "value")
LOOPS = ("comp", "comp dict", "fold", "state", "item", "turn")


@lru_cache(maxsize=None, typed=True)  # 0, 0.0 and False are equal, and differ.
def lowered(value: Value) -> Value:
    """Return a term in the operations of the reader."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(value)
    if not isinstance(value, Term) or value.op == "number":
        return value
    match value:
        case Term(op="not", args=(Term(op="and", args=(one, other)),)) if is_not(one, other):
            return term("or", lowered(negate(one)), lowered(negate(other)))
        case Term(op="accepts", args=(inner, kind)):
            return lowered(accepts(inner, kind))
    args = value.args
    if value.op in LOOPS and isinstance(args[0], int):
        args = (LETTERS[args[0]], *args[1:])
    write = WRITTEN.get(value.op, partial(term, value.op))
    return write(*map(lowered, args))


def is_not(*values: Value) -> bool:
    """Return whether any of the values is a negation."""
    return any(isinstance(one, Term) and one.op == "not" for one in values)


def made_of(pairs: Sequence[Value]) -> Term:
    """Return the dictionary of keys and values, of which some may be absent."""
    found = pairs_of(*pairs)
    return term("merged", found) if any(map(may_be_absent, pairs[1::2])) else found


def pairs_of(*given: Value) -> Term:
    """Return the dictionary of keys and values."""
    pairs = (term("list", *pair) for pair in zip(given[::2], given[1::2], strict=True))
    return term("dict", term("list", *pairs))


def may_be_absent(value: Value) -> bool:
    match value:
        case Term(op="absent"):
            return True
        case Term(op="if", args=(_, one, other)):
            return may_be_absent(one) or may_be_absent(other)
    return False


def enumerated(items: Value, start: Value) -> Term:
    turn = term("turn", "e") if start is number(0) else term("+", start, term("turn", "e"))
    return term("comp", "e", items, term("list", turn, term("item", "e")), True)


def layer_of(part: Value, index: Value) -> Term:
    """Return a part with the values that its ``per_layer_config`` has for a layer."""
    given = term("field", part, "per_layer_config")
    key, values = (term("get", term("item", "e"), number(i)) for i in (0, 1))
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
    "comp dict": lambda letter, source, key, value, kept: term(
        "dict", term("comp", letter, source, term("list", key, value), kept)
    ),
    "concat": lambda lists: term("sum", lists, term("list")),
    "dict": lambda first, *pairs: (
        made_of(pairs)
        if first is None
        else term(
            "merged", first if first is CONFIG else term("or", first, pairs_of()), pairs_of(*pairs)
        )
    ),
    "enumerate": enumerated,
    # Rotary positions of a part are unknown, and checked already.
    "fields": lambda part: term(
        "merged", term("fields", part), pairs_of("rope_parameters", term("absent"))
    ),
    "from pairs": lambda pairs: term("dict", pairs),
    "get or": lambda holder, key, default: term("method", "get", holder, key, default),
    "isinstance": is_of,
    "known": lambda kind: negate(term("is", term("class of", kind), None)),
    "layer of": layer_of,
    "opaque": lambda *_: term("opaque"),
    "rope": lambda *_: term("opaque"),
    "text": joined,
    "with fields": lambda part, *pairs: term("updated", part, made_of(pairs)),
    **{name: partial(term, "method", name) for name in ("items", "keys", "values")},
}
"""How operations that the reader does not have are written in others."""


# Declared types


def check(kind: Term) -> Value:
    """Return what says how ``VALUE`` is wrong if it is not of a declared type, or None."""
    condition = lowered(accepts(VALUE, kind))
    if isinstance(condition, bool):
        return None if condition else "is not accepted"
    return term("if", condition, None, f"must be {spoken(kind)}")


def accepts(value: Term, kind: Term, letters: str = "abcd") -> Any:
    """Return the condition that a value is of a declared type."""
    sorts = {"float": "float", "str": "text", "bool": "flag", "list": "list", "dict": "object"}
    is_flag = term("isinstance", value, "flag")

    def each(items: Term, inner: Term) -> Value:
        of_item = accepts(term("item", letters[0]), inner, letters[1:])
        return of_item is True or term("all", term("comp", letters[0], items, of_item, True))

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
            found = term("isinstance", value, sorts[kind.op])
    if kind.op == "dict" and kind.args:
        key, item = kind.args
        found = both(found, each(term("method", "keys", value), key))
        return both(found, each(term("method", "values", value), item))
    return both(found, each(value, kind.args[0])) if kind.args else found


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


def model_term(made: Model) -> Term:
    """Return the module of a model class, which refuses what the class refuses."""
    refusals = by_reason(made.refusals).items()
    rows = [x for why, of in refusals for x in ("", True, refuse(lowered(of), why))]
    return term("module", *rows, *_Modules(made.entries).module(made.entries).args)


def by_reason(refusals: Mapping[Value, str | None]) -> dict[str | None, Value]:
    """Return one condition for each reason."""
    found: dict[str | None, Value] = {}
    for condition, why in refusals.items():
        found[why] = either(found.get(why, False), condition)
    return found


class _Modules:
    """Writes the modules of a model, of which some tensors occur at several paths."""

    def __init__(self, entries: Entries) -> None:
        self.paths: dict[int, set[str]] = {}
        self.shared: set[int] = set()
        self.autos: dict[str, Term] = {}
        """The models of parts of any class, by their paths."""
        self.walk(entries, "", 0)
        self.shared |= {number for number, found in self.paths.items() if len(found) > 1}

    def walk(self, entries: Entries, path: str, loops: int) -> None:
        for i, one in enumerate(entries):
            inside = f"{path}.{i if one.name is None else one.name}".removeprefix(".")
            match one.what:
                case Tensor(storage=(number, *turns)):
                    self.paths.setdefault(number, set()).add(inside)
                    if sum(isinstance(one, Term) and one.op == "turn" for one in turns) < loops:
                        self.shared.add(number)
                case Loop(body=body):
                    self.walk(body, inside, loops + 1)
                case Auto():
                    self.autos[inside] = auto(one.what)
                case tuple():
                    self.walk(one.what, inside, loops)

    def module(self, entries: Entries) -> Term:
        # A module has its own tensors first.
        own = sorted(entries, key=lambda one: isinstance(one.what, tuple) and one.name is not None)
        return term("module", *(x for one in own for row in self.rows(one) for x in row))

    def rows(self, one: Entry) -> Iterator[tuple[Value, Value, Value]]:
        name, condition = lowered(one.name), lowered(one.condition)
        match one.what:
            case Tensor(role="parameter", trainable=trainable):
                for role, trains in (("trainable", trainable), ("frozen", negate(trainable))):
                    if (when := both(one.condition, trains)) is not False:
                        yield name, lowered(when), self.tensor(one.what, role)
            case Tensor(role=role):
                yield name, condition, self.tensor(one.what, role)
            case Auto():
                yield name, condition, auto(one.what)
            case Alias(path):
                holder = next(one for one in self.autos if path.startswith(f"{one}."))
                yield name, condition, term("tied", self.autos[holder], path[len(holder) + 1 :])
            case Loop(variable, source, kept, body):
                each = self.module(body)
                loop = term("comp", LETTERS[variable], lowered(source), each, lowered(kept))
                yield "", condition, loop
            case _:
                yield name, condition, self.module(one.what)

    def tensor(self, one: Tensor, role: str) -> Term:
        shape = term("list", *one.shape) if isinstance(one.shape, tuple) else one.shape
        storage = [term("list", *one.storage)] if one.storage[0] in self.shared else []
        return term("tensor", role, *map(lowered, [shape, *storage]))


def auto(one: Auto) -> Term:
    return term("model", lowered(one.part), one.auto, lowered(term("list", *one.storage)))
