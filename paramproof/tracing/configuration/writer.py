"""Write programs as data that the catalogue's reader evaluates: ``programs.schema.json``.

A ``Writer`` numbers the terms of traced classes as nodes, and their modules as blocks. What a
configuration class has in common with the base class is left out. ``Installed`` is a catalogue
without files: it traces each class of the installed transformers when the reader asks for it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from typing import Any

import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from paramproof.catalogue.program import ERRORS, OPERATIONS, Catalogue, File, Program
from paramproof.tracing.configuration.blocks import Entries, Loop, Model, Tensor, trace_model
from paramproof.tracing.configuration.program import ROPE, UNSET, trace, written
from paramproof.tracing.configuration.terms import Term, both, either, negate, term

FORMAT = 2
LETTERS = "ijklmnopqrs"
"""The names of loops, the outermost first."""
BASE = "PreTrainedConfig"
CONFIG, ABSENT = term("config"), term("absent")
UNREAD = frozenset(
    {
        "_output_attentions",
        "_post_init_done",
        "dtype",
        "keys_to_ignore_at_inference",
        "transformers_version",
    }
)
"""Attributes from which no model is built."""


class Writer:
    """Collects the nodes and the blocks of a file."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.blocks: list[Any] = []
        self.numbers: dict[Any, int] = {}

    def node(self, value: Any) -> Any:
        """Return how others refer to a value: a text, true, false and null are written there."""
        if value is None or isinstance(value, str | bool):
            return value
        if not isinstance(value, Term):
            return self.number(self.nodes, (type(value).__name__, value), value)
        if value.op == "not" and isinstance(value.args[0], Term) and value.args[0].op == "and":
            one, other = value.args[0].args
            if any(isinstance(x, Term) and x.op == "not" for x in (one, other)):
                return self.node(term("or", negate(one), negate(other)))
        if value not in self.numbers and value.op == "comp dict":
            letter, source, key, item, kept = value.args
            return self.node(
                term("from pairs", term("comp", letter, source, term("list", key, item), kept))
            )
        if value not in self.numbers:
            in_loop = value.op in ("comp", "comp dict", "fold", "state", "item", "turn")
            args = [
                LETTERS[one] if in_loop and isinstance(one, int) and not i else self.node(one)
                for i, one in enumerate(value.args)
            ]
            self.number(self.nodes, value, [value.op, *args])
        return self.numbers[value]

    def number(self, table: list[Any], key: Any, entry: Any) -> int:
        if key not in self.numbers:
            self.numbers[key] = len(table)
            table.append(entry)
        return self.numbers[key]

    def tables(self) -> dict[str, Any]:
        """Return the nodes and blocks, with the numbers of those that vary within loops."""
        free: list[set[str]] = []
        for one in self.nodes:
            inner = (
                [free[x] if type(x) is int else set[str]() for x in one[1:]]
                if isinstance(one, list)
                else []
            )
            letters = set[str]().union(*inner)
            match one:
                case ["item" | "turn" | "state", letter, *_]:
                    letters = {letter}
                case ["comp", letter, *_]:
                    # The list is computed outside of the loop, where the letter may be of another.
                    letters = inner[1] | inner[2].union(inner[3]) - {letter}
                case ["fold", letter, *_]:
                    letters = inner[1] | inner[2] | inner[4] | inner[3] - {letter}
            free.append(letters)
        of_blocks: list[set[str]] = []

        def of(*given: Any) -> set[str]:
            return set[str]().union(*(free[one] for one in given if type(one) is int))

        for rows in self.blocks:
            letters = set()
            for name, kind, what, *more in rows:
                letters |= of(name, *more[:1])
                if kind == "loop":
                    letters |= (of_blocks[what] | of(more[3])) - {more[1]} | of(more[2])
                elif kind == "block":
                    letters |= of_blocks[what]
                else:
                    letters |= of(what).union(*(one[1:] for one in more[1:]))
            of_blocks.append(letters)
        return {
            "blocks": self.blocks,
            "nodes": self.nodes,
            "varying blocks": [i for i, one in enumerate(of_blocks) if one],
            "varying": [i for i, one in enumerate(free) if one],
        }

    # Configuration classes

    def configuration(self, kind: type[Any], base: Traced | None) -> tuple[dict[str, Any], Traced]:
        traced = Traced.of(kind)
        own, inherited = traced, base or Traced({}, {}, {}, {}, {}, frozenset())
        found: dict[str, Any] = {} if base is None else {"base": BASE}
        left = [k for k in inherited.keys if k not in own.keys and k not in own.fields]
        left += [k for k in inherited.fields if k not in own.fields]
        left += [k for k in inherited.refusals if k not in own.refusals]
        keys: dict[Term, list[Any]] = {}
        for name, (type_, default) in own.keys.items():
            if inherited.keys.get(name) != (type_, default):
                keys.setdefault(type_, [{}])[0][name] = default
        for name, type_ in own.required.items():
            keys.setdefault(type_, [{}]).append(name)
        more = {
            "keys": [[self.node(accepts(VALUE, of)), *group] for of, group in keys.items()],
            "fields": {
                k: self.node(v)
                for k, v in own.fields.items()
                if inherited.fields.get(k, self) is not v
            },
            "refusals": {
                why: self.node(of)
                for why, of in own.refusals.items()
                if inherited.refusals.get(why) is not of
            },
            "aliases": own.aliases,
            "properties": {
                k: self.node(v)
                for k, v in own.properties.items()
                if inherited.properties.get(k, self) is not v
            },
            "taken": sorted(
                own.taken - inherited.taken - {*own.keys, *own.required, *own.fields, *own.aliases}
            ),
            "left out": sorted({*left}),
        }
        return found | {k: v for k, v in more.items() if v}, traced

    # Model classes

    def model(self, made: Model) -> dict[str, Any]:
        shared = shared_storages(made.entries)
        refusals = by_reason(made.refusals)
        found: dict[str, Any] = {"block": self.block(made.entries, shared)}
        return found | {"refusals": {why: self.node(of) for why, of in refusals.items()}}

    def block(self, entries: Entries, shared: frozenset[int]) -> int:
        rows = [row for one in entries for row in self.rows(one, shared)]
        rows.sort(key=lambda row: row[1] in ("block", "loop") and row[0] is not None)
        return self.number(self.blocks, json.dumps(rows), rows)

    def rows(self, one: Any, shared: frozenset[int]) -> Iterator[list[Any]]:
        what = one.what
        if isinstance(what, Tensor):
            shape = what.shape
            shape = self.node(term("list", *shape) if isinstance(shape, tuple) else shape)
            number, *turns = what.storage
            storage = (
                [[number, *(LETTERS[turn.args[0]] for turn in turns)]] if number in shared else []
            )
            if what.role == "parameter":
                for role, trains in (
                    ("trainable", what.trainable),
                    ("frozen", negate(what.trainable)),
                ):
                    if (when := both(one.condition, trains)) is not False:
                        yield cut([self.node(one.name), role, shape, self.node(when), *storage])
            else:
                yield cut(
                    [self.node(one.name), what.role, shape, self.node(one.condition), *storage]
                )
        elif isinstance(what, Loop):
            body, letter = self.block(what.body, shared), LETTERS[what.variable]
            more = [self.node(one.condition), letter, self.node(what.source), self.node(what.kept)]
            yield [None, "loop", body, *more]
        else:
            yield cut(
                [self.node(one.name), "block", self.block(what, shared), self.node(one.condition)]
            )


def cut(row: list[Any]) -> list[Any]:
    """Return a row without a condition at its end that is always true."""
    return row[:-1] if row[-1] is True else row


def shared_storages(entries: Entries) -> frozenset[int]:
    """Return the numbers of the tensors that a model has more than once."""
    paths: dict[int, set[str]] = {}
    shared: set[int] = set()

    def walk(entries: Entries, path: str, loops: int) -> None:
        for i, one in enumerate(entries):
            inside = f"{path}.{i if one.name is None else one.name}"
            if isinstance(one.what, Tensor):
                number, *turns = one.what.storage
                paths.setdefault(number, set()).add(inside)
                if len(turns) < loops:
                    shared.add(number)
            elif isinstance(one.what, Loop):
                walk(one.what.body, inside, loops + 1)
            else:
                walk(one.what, inside, loops)

    walk(entries, "", 0)
    return frozenset(shared | {number for number, found in paths.items() if len(found) > 1})


@dataclasses.dataclass
class Traced:
    """A traced configuration class, with the fields that are keys apart from the others."""

    keys: dict[str, tuple[Term, Any]]
    required: dict[str, Term]
    fields: dict[str, Any]
    refusals: dict[str, Any]
    properties: dict[str, Any]
    taken: frozenset[str]
    aliases: dict[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, kind: type[Any]) -> Traced:
        program = trace(kind)
        all_defaults = defaults_of(kind)
        defaults = {k: v for k, v in all_defaults.items() if is_json(v)}
        read = Reading(defaults)
        types = {one.name: type_of(one) for one in dataclasses.fields(kind)}
        required = {k: t for k, t in types.items() if k not in all_defaults}
        checked = {k: t for k, t in types.items() if k in defaults or k in required}
        checks = {k: v for k, v in program.refusals.items() if not is_type_check(k, checked)}
        refusals = {why: read(of) for why, of in by_reason(checks).items()}
        fields = {k: read(v) for k, v in program.fields.items() if k not in UNREAD}
        keys = {k: (types[k], defaults[k]) for k in defaults if k in program.fields or k in types}
        refusals = {
            k: v for k, v in refusals.items() if k not in {f"{one} is absent" for one in required}
        }
        fields = {
            k: v
            for k, v in fields.items()
            if v is not term("key", k) and not (k in required and v is term("get", CONFIG, k))
        }
        fields |= {k: ABSENT for k in types if k not in program.fields and k not in program.aliases}
        taken = UNSET
        taken |= frozenset() if program.rest is None else frozenset(program.rest.args[1::2])
        properties = {
            k: v for k, v in program.properties.items() if k not in UNREAD and k[0] != "_"
        }
        return cls(keys, required, fields, refusals, properties, taken, dict(program.aliases))


def type_of(field: Any) -> Term:
    """Return the declared type of a field; rotary positions have a rule of their own."""
    return term("anything") if field.name in ROPE else written(field.type)


def defaults_of(kind: type[Any]) -> dict[str, Any]:
    found = {}
    for one in dataclasses.fields(kind):
        if one.default is not dataclasses.MISSING:
            found[one.name] = one.default
        elif one.default_factory is not dataclasses.MISSING:
            found[one.name] = one.default_factory()
    return found


def by_reason(refusals: Mapping[Term, str]) -> dict[str, Any]:
    """Return one condition for each reason; without the class, which names it."""
    found: dict[str, Any] = {}
    for condition, why in refusals.items():
        why = why.partition(": ")[2]
        found[why] = either(found.get(why, False), condition)
    return found


def is_json(value: Any) -> bool:
    if isinstance(value, float):
        return abs(value) < float("inf")
    if isinstance(value, list | tuple | dict):
        return all(map(is_json, value.values() if isinstance(value, dict) else value))
    return value is None or isinstance(value, str | int)


def is_type_check(condition: Term, types: Mapping[str, Term]) -> bool:
    """Return whether a condition says that a key is not of the type that its field declares."""
    match condition:
        case Term(
            op="and",
            args=(Term(op="has", args=(config, key)), Term(op="not", args=(Term() as inner,))),
        ):
            pass
        case Term(op="not", args=(Term() as inner,)):
            config, key = CONFIG, None
        case _:
            return False
    return (
        inner.op == "accepts"
        and config is CONFIG
        and inner.args[0] is term("get", CONFIG, key or inner.args[0].args[-1])
        and inner.args[1] is types.get(inner.args[0].args[1])
    )


VALUE = term("item", "value")


def accepts(value: Term, kind: Term, letters: str = "abcd") -> Any:
    """Return the condition that a value is of a declared type."""
    sorts = {"float": "float", "str": "text", "bool": "flag", "list": "list", "dict": "object"}
    is_flag = term("isinstance", value, "flag")

    def each(items: Term, inner: Term) -> Term:
        of_item = accepts(term("item", letters[0]), inner, letters[1:])
        return term("all", term("comp", letters[0], items, of_item, True))

    match kind.op:
        case "anything":
            return True
        case "null":
            return term("is", value, None)
        case "union":
            return reduce(either, [accepts(value, one, letters) for one in kind.args])
        case "one of":
            flags = [one for one in kind.args if isinstance(one, bool)]
            others = term("list", *(one for one in kind.args if not isinstance(one, bool)))
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
        found = both(found, each(term("keys", value), key))
        return both(found, each(term("values", value), item))
    return both(found, each(value, kind.args[0])) if kind.args else found


class Reading:
    """Rewrites terms so that they read a key, or else its default, by one operation: ``key``."""

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        self.defaults, self.memo = defaults, dict[Any, Any]()

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, Term):
            return value
        if value not in self.memo:
            args = [*map(self, value.args)]
            is_type = value.op == "accepts"
            self.memo[value] = accepts(*args) if is_type else self.read(value.op, args)
        return self.memo[value]

    def read(self, op: str, args: list[Any]) -> Any:
        if (
            op in ("if", "and")
            and isinstance(args[0], Term)
            and args[0].op == "has"
            and args[0].args[0] is CONFIG
        ):
            name = args[0].args[1]
            if name in self.defaults:
                one, other = args[1], args[2] if op == "if" else False
                key = term("key", name)
                there = replaced(one, term("get", CONFIG, name), key)
                default = self.defaults[name]
                if one is term("get", CONFIG, name) and other is listed(default):
                    return key
                is_scalar = default is None or isinstance(default, str | int | float)
                if is_scalar and is_same(folded(there, key, default), other):
                    return there
        return negate(args[0]) if op == "not" else term(op, *args)


def listed(default: Any) -> Any:
    """Return a default as a term has it."""
    if isinstance(default, list | tuple):
        return term("list", *map(listed, default))
    return default


def is_same(one: Any, other: Any) -> bool:
    return one is other or (not isinstance(one, Term) and type(one) is type(other) and one == other)


def replaced(value: Any, old: Term, new: Any) -> Any:
    memo: dict[Term, Any] = {}

    def of(one: Any) -> Any:
        if one is old:
            return new
        if not isinstance(one, Term):
            return one
        if one not in memo:
            args = [*map(of, one.args)]
            memo[one] = (
                one
                if all(a is b for a, b in zip(args, one.args, strict=True))
                else term(one.op, *args)
            )
        return memo[one]

    return of(value)


def folded(value: Any, key: Term, default: Any) -> Any:
    """Return what a term is where a key has its default."""
    memo: dict[Term, Any] = {key: default}

    def of(one: Any) -> Any:
        if isinstance(one, Term) and one not in memo:
            args = [*map(of, one.args)]
            same = all(a is b for a, b in zip(args, one.args, strict=True))
            memo[one] = simplified(one.op, args, one if same else term(one.op, *args))
        return memo[one] if isinstance(one, Term) else one

    return of(value)


def simplified(op: str, args: list[Any], whole: Term) -> Any:
    """Return what an operation gives if its arguments decide that, or else the whole term."""
    match op, args:
        case "if", [bool() as condition, first, second]:
            return first if condition else second
        case "and", [bool() as first, second]:
            return second if first else False
        case "and", [first, bool() as second]:
            return first if second else False
        case "not", [Term(op="not", args=(inner,))]:
            return inner
    if op in OPERATIONS and args and not any(isinstance(one, Term) for one in args):
        try:
            found = OPERATIONS[op](*args)
        except ERRORS:
            return whole
        if found is None or isinstance(found, str | int | float):
            return found
    return whole


@cache
def base() -> Traced:
    return Traced.of(PreTrainedConfig)


@cache
def config_classes() -> dict[str, type[Any]]:
    """Return all configuration classes by their names."""
    found: dict[str, type[Any]] = {}
    for kind in CONFIG_MAPPING.values():
        found[kind.__name__] = kind
    left: list[type[Any]] = [PreTrainedConfig]
    while left:
        for one in left.pop().__subclasses__():
            found.setdefault(one.__name__, one)
            left.append(one)
    return found


def parts_in(nodes: Iterable[Any]) -> Iterator[str]:
    """Yield the configuration classes that nodes name."""
    for one in nodes:
        if isinstance(one, list) and one[0] == "new" and isinstance(one[1], str):
            yield one[1]


class Sharing:
    """Equal nodes of several files: those of at least ``MIN_FILES`` stand in the base."""

    def __init__(self) -> None:
        self.ids: dict[Any, int] = {}
        self.numbers: dict[int, int] = {}
        """The numbers in the base of the nodes that are there."""

    def of(self, nodes: Sequence[Any]) -> list[int]:
        """Return a number for each node that is the same for equal nodes of all files."""
        found: dict[int, int] = {}

        def id_of(number: int) -> int:
            if number not in found:
                one = nodes[number]
                key: Any = "", repr(one), one
                if isinstance(one, list):
                    args = [(id_of(x),) if type(x) is int else (str(type(x)), x) for x in one[1:]]
                    key = one[0], *args
                found[number] = self.ids.setdefault(key, len(self.ids))
            return found[number]

        return [*map(id_of, range(len(nodes)))]

    def rewritten(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return a file without the nodes that are in the base, and with varying nodes last."""
        ids = self.of(data["nodes"])
        varying = {*data["varying"]}
        order = [i for i in range(len(ids)) if ids[i] not in self.numbers and i not in varying]
        first = len(order)
        order += [i for i in range(len(ids)) if ids[i] not in self.numbers and i in varying]
        at = {old: new for new, old in enumerate(order)}
        number = [at[i] if i in at else -1 - self.numbers[ids[i]] for i in range(len(ids))]

        def of(one: Any) -> Any:
            return number[one] if type(one) is int else one

        def of_all(one: Any) -> Any:
            return {k: of(v) for k, v in one.items()}

        def of_row(row: Sequence[Any]) -> list[Any]:
            name, kind, what, *more = row
            what = what if kind in ("block", "loop") else of(what)
            rest = [more[1], of(more[2]), of(more[3])] if kind == "loop" else more[1:]
            return [of(name), kind, what, *map(of, more[:1]), *rest]

        found = {**data, "blocks": [[*map(of_row, rows)] for rows in data["blocks"]]}
        found["configurations"] = {
            name: {
                k: of_all(v) if k in ("fields", "refusals", "properties") else v
                for k, v in one.items()
            }
            | (
                {"keys": [[of(kind), *more] for kind, *more in one["keys"]]}
                if "keys" in one
                else {}
            )
            for name, one in data.get("configurations", {}).items()
        }
        found["models"] = {
            name: {**one, "refusals": of_all(one["refusals"])}
            for name, one in data.get("models", {}).items()
        }
        nodes = [data["nodes"][i] for i in order]
        found["nodes"] = [
            [one[0], *map(of, one[1:])] if isinstance(one, list) else one for one in nodes
        ]
        return {**found, "varying": first}


class Installed(Catalogue):
    """The programs of the installed transformers' classes; ``parts`` are those of the model."""

    def __init__(self, parts: Mapping[str, type[Any]]) -> None:
        self.parts, self.types = parts, dict(CONFIG_MAPPING_NAMES)
        self.file = cache(lambda name: File(self, self.read(name)))
        self.program = cache(lambda name: Program(*self.find("configurations", name), name))

    def find(self, what: str, name: str) -> tuple[File, Any]:
        file = self.file(name)
        return file, file.data[what][name]

    def read(self, name: str) -> Any:
        writer, kind = Writer(), class_named(name)
        data: dict[str, Any] = {"versions": {"transformers": transformers.__version__}}
        if issubclass(kind, PreTrainedConfig):
            rules, _ = writer.configuration(kind, None if kind is PreTrainedConfig else base())
            data["configurations"] = {name: rules}
        else:
            data["models"] = {name: writer.model(trace_model(kind, self.parts))}
        # The reader has lists where Python may have tuples.
        return json.loads(json.dumps(Sharing().rewritten({**data, **writer.tables()})))


def class_named(name: str) -> type[Any]:
    found = getattr(transformers, name, None)
    return found or config_classes()[name]
