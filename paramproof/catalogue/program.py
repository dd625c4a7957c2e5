"""Evaluate the catalogue's programs: what a model class is built of, for any keys of a config.json.

A file of ``programs/`` has, for one model type, the program of its configuration class (keys ->
fields, or a refusal) and the blocks of tensors of its model classes; ``programs.schema.json`` has
the format. This file needs nothing but Python: copy it together with the data.

    part = Catalogue("programs").configuration({"model_type": "llama", "hidden_size": 2048})
    part.field("head_dim"), part.count("LlamaModel"), [*part.tensors("LlamaModel")]

Values that a class refuses raise ``Refused``, and so do values that its code cannot compute with.
"""

from __future__ import annotations

import builtins
import itertools
import json
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

FORMAT = 2
LIMIT = 1_000_000
"""The largest number of items of a list that is computed."""

ERRORS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
Code: TypeAlias = "Callable[[Part], Any]"


class Refused(ValueError):
    """A class refuses the values, or cannot compute with them."""


class Catalogue:
    """The files of a folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.index = self.read("index")
        self.types: dict[str, str] = self.index["types"]
        self.file = cache(lambda name: File(self, self.read(name)))
        self.program = cache(lambda name: Program(*self.find("configurations", name), name))

    def read(self, name: str) -> Any:
        data = json.loads((self.folder / f"{name}.json").read_text("utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(f"{name}.json has the format {data['format']}, not {FORMAT}")
        return data

    def find(self, what: str, name: str) -> tuple[File, Any]:
        if name not in self.index[what]:
            raise Refused(f"there is no program of {name}")
        file = self.file(self.index[what][name])
        return file, file.data[what][name]

    def configuration(self, keys: Mapping[str, Any]) -> Part:
        """Return what the configuration class of a model type makes of the keys of a file."""
        kind = keys.get("model_type")
        if not isinstance(kind, str) or kind not in self.types:
            raise Refused(f"there is no program of the model type {kind!r:.60}")
        return Part.of(self, self.types[kind], keys)


class Program:
    """The program of a configuration class: its own rules over those of its base."""

    def __init__(self, file: File, data: Any, name: str) -> None:
        base: Program | None = file.catalogue.program(data["base"]) if "base" in data else None
        left, groups = data.get("left out", ()), data.get("keys", ())

        def rules(kind: str, own: dict[str, Any]) -> dict[str, Any]:
            old: dict[str, Any] = getattr(base, kind) if base else {}
            return {k: v for k, v in old.items() if k not in left} | own

        self.name, self.aliases = name, dict[str, str](data.get("aliases", {}))
        self.required = [name for _, _, *names in groups for name in names]
        types = {k: file.code(of) for of, keys, *names in groups for k in (*keys, *names)}
        self.types = rules("types", types)
        self.defaults = rules("defaults", {k: v for _, keys, *_ in groups for k, v in keys.items()})
        self.fields = rules("fields", file.coded(data.get("fields", {})))
        self.refusals = rules("refusals", file.coded(data.get("refusals", {})))
        nodes = {kind: data.get(kind, {}).items() for kind in ("fields", "refusals")}
        self.nodes = rules("nodes", {k: (file, node) for k, node in nodes["fields"]})
        self.refused = rules("refused", {why: (file, node) for why, node in nodes["refusals"]})
        self.properties = rules("properties", file.coded(data.get("properties", {})))
        taken = {*self.types, *self.fields, *self.aliases, *data.get("taken", ())}
        self.taken: set[str] = taken | base.taken if base else taken


class Part:
    """A configuration object: the fields that a class makes of keys, each computed when read."""

    def __init__(self, catalogue: Catalogue, program: Program, keys: Mapping[str, Any]) -> None:
        self.catalogue, self.program, self.keys = catalogue, program, keys
        self.values, self.items, self.turns = dict[str, Any](), dict[str, Any](), dict[str, int]()
        self.memo, self.local, self.states = dict[Any, Any](), dict[Any, Any](), dict[str, Any]()

    @staticmethod
    def of(catalogue: Catalogue, kind: str, keys: Any) -> Part:
        """Return the part that a class makes of keys, after its checks."""
        program = catalogue.program(kind)
        if not isinstance(keys, Mapping):
            raise Refused(f"{kind} is made of keys, not of {keys!r:.60}")
        part = Part(catalogue, program, keys)
        for name, _ in zip(keys, part.loop("value", keys.values()), strict=True):
            if name in program.types and not program.types[name](part):
                raise Refused(f"{kind}: {name} may not be {keys[name]!r:.60}")
        for name in program.required:
            part.field(name)
        part.check(kind, program.refusals)
        for name in program.fields:
            part.get(name)
        return part

    def check(self, kind: str, refusals: Mapping[str, Code]) -> None:
        for why, code in refusals.items():
            if self.compute(why, code):
                raise Refused(f"{kind}: {why}")

    def compute(self, what: str, code: Code) -> Any:
        try:
            return code(self)
        except Refused:
            raise
        except ERRORS as error:
            why = f"{type(error).__name__}: {error}"
            raise Refused(f"{self.program.name}: {what} cannot be computed ({why})") from None

    def get(self, name: str) -> Any:
        """Return a field, or ``ABSENT``."""
        program = self.program
        name = program.aliases.get(name, name)
        if name not in self.values:
            if name in program.fields:
                value = self.compute(name, program.fields[name])
            elif name in self.keys and (name in program.types or name not in program.taken):
                value = self.keys[name]
            elif name in program.properties:
                return self.compute(name, program.properties[name])
            else:
                value = program.defaults.get(name, ABSENT)
            self.values[name] = value
        return self.values[name]

    def key(self, name: str) -> Any:
        return self.keys[name] if name in self.keys else self.program.defaults[name]

    def field(self, name: str) -> Any:
        value = self.get(name)
        if value is ABSENT:
            raise Refused(f"{self.program.name} has no {name}")
        return value

    def fields(self) -> dict[str, Any]:
        """Return all fields with their values."""
        more = [name for name in self.keys if name not in self.program.taken]
        names = dict.fromkeys((*self.program.types, *self.program.fields, *more, *self.values))
        own = [name for name in names if self.program.aliases.get(name, name) == name]
        return {name: value for name in own if (value := self.get(name)) is not ABSENT}

    def changed(self, *pairs: Any) -> Part:
        """Return the part after its attributes were set."""
        part, aliases = Part(self.catalogue, self.program, self.keys), self.program.aliases
        named = zip(pairs[::2], pairs[1::2], strict=True)
        part.values = self.values | {aliases.get(k, k): v for k, v in named if v is not ABSENT}
        return part

    def loop(self, letter: str, source: Any) -> Iterator[int]:
        """Let ``item`` give each item of a list in turn."""
        before = self.items.get(letter), self.turns.get(letter, 0), self.local
        try:
            for turn, item in enumerate(bounded(source)):
                self.items[letter], self.turns[letter], self.local = item, turn, {}
                yield turn
        finally:
            self.items[letter], self.turns[letter], self.local = before

    def tensors(self, model: str) -> Iterator[Tensor]:
        """Yield the parameters and buffers of a model class."""
        return self.module(model).walk("", itertools.count())

    def count(self, model: str) -> dict[str, int]:
        """Return the numbers of elements by role; those of one storage count once."""
        found = dict.fromkeys(("trainable", "frozen", "buffer", "temporary buffer"), 0)
        for key, size in self.module(model).sizes.items():
            found[key if isinstance(key, str) else key[0]] += size
        return found

    def module(self, model: str) -> Module:
        file, data = self.catalogue.find("models", model)
        self.check(model, file.coded(data.get("refusals", {})))
        found: Module = self.compute(f"the size of {model}", file.block(data["block"]).module)
        return found


class File:
    """The contents of a file; nodes and blocks are compiled when they are needed."""

    def __init__(self, catalogue: Catalogue, data: Any) -> None:
        self.catalogue, self.data, self.nodes = catalogue, data, data["nodes"]
        self.node, self.block = cache(self.compile), cache(lambda number: Block(self, number))

    def code(self, given: Any) -> Code:
        """Return a function that computes a node, or that gives what stands for itself."""
        if type(given) is not int:
            return lambda part: given
        found: Code = (
            self.node(given) if given >= 0 else self.catalogue.file("base").node(-1 - given)
        )
        return found

    def coded(self, rules: Mapping[str, Any]) -> dict[str, Code]:
        return {name: self.code(one) for name, one in rules.items()}

    def compile(self, number: int) -> Code:
        node = self.nodes[number]
        if not isinstance(node, list):
            return lambda part: node
        operation, codes = node[0], [*map(self.code, node[1:])]
        lazy = LAZY.get(operation)
        code = lazy(*codes) if lazy else call(OPERATIONS[operation], codes)
        varies = number >= self.data["varying"]

        def remembered(part: Part) -> Any:
            memo = part.local if varies else part.memo
            found = memo.get(code, memo)
            if found is memo:
                found = memo[code] = code(part)
            return found

        return code if operation in CHEAP else remembered


class Tensor(NamedTuple):
    """A parameter or a buffer; its shape may be unknown. Those of one ``storage`` are the same."""

    path: Any
    shape: tuple[int, ...] | None
    role: str
    storage: Any

    @property
    def sizes(self) -> dict[Any, int]:
        """The number of elements, by role; or by role and storage, if there are others of it."""
        key = self.role if self.storage is None else (self.role, self.storage)
        return {} if self.shape is None else {key: math.prod(self.shape)}


class Module:
    """What a block is at a configuration: its tensors and modules, and their sizes."""

    def __init__(self) -> None:
        self.children: list[tuple[str | None, Module | Tensor]] = []
        self.sizes: dict[Any, int] = {}

    def add(self, name: str | None, child: Module | Tensor) -> None:
        self.children.append((name, child))
        for key, size in child.sizes.items():
            self.sizes[key] = size + (self.sizes.get(key, 0) if isinstance(key, str) else 0)

    def walk(self, path: str, numbers: Iterator[int]) -> Iterator[Tensor]:
        """Yield the tensors; a child without a name has its number in a list of layers as name."""
        for name, child in self.children:
            inside = path if name == "" else f"{path}{next(numbers) if name is None else name}"
            if isinstance(child, Tensor):
                yield child._replace(path=inside, storage=child.storage or inside)
            elif name == "":
                yield from child.walk(path, numbers)
            else:
                yield from child.walk(f"{inside}.", itertools.count())


class Block:
    """The tensors of a module, and the blocks inside it."""

    def __init__(self, file: File, number: int) -> None:
        self.varies = number in file.data["varying blocks"]
        self.entries = [self.entry(file, *row) for row in file.data["blocks"][number]]

    def entry(self, file: File, name: Any, kind: str, what: Any, *more: Any) -> tuple[Any, ...]:
        when, *rest = more or (True,)
        if kind == "loop":
            rest = [rest[0], *map(file.code, rest[1:])]
        found = file.block(what) if kind in ("block", "loop") else file.code(what)
        label = file.code(name) if type(name) is int else name
        return label, kind, found, None if when is True else file.code(when), rest

    def module(self, part: Part) -> Module:
        memo = part.local if self.varies else part.memo
        if self not in memo:
            made = Module()
            for label, kind, what, when, rest in self.entries:
                if when and not when(part):
                    continue
                name = label(part) if callable(label) else label
                if kind == "block":
                    made.add(name, what.module(part))
                elif kind == "loop":
                    letter, source, kept = rest
                    for _ in part.loop(letter, source(part)):
                        if kept(part):
                            made.add("", what.module(part))
                else:
                    made.add(name, tensor(part, kind, what(part), *rest))
            memo[self] = made
        found: Module = memo[self]
        return found


def tensor(part: Part, role: str, shape: Any, storage: Any = None) -> Tensor:
    shape = [shape] if type(shape) is int else shape
    if any(type(size) is not int or size < 0 for size in shape or ()):
        raise Refused(f"a tensor cannot have the shape {shape}")
    where = storage and (storage[0], *(part.turns[letter] for letter in storage[1:]))
    return Tensor("", None if shape is None else tuple(shape), role, where)


# Operations


def call(function: Callable[..., Any], codes: list[Code]) -> Code:
    if len(codes) == 1:
        (one,) = codes
        return lambda part: function(one(part))
    if len(codes) == 2:
        one, other = codes
        return lambda part: function(one(part), other(part))
    return lambda part: function(*[code(part) for code in codes])


def folded(letter: Code, source: Code, starts: Code, nexts: Code, number: Code) -> Code:
    def code(part: Part) -> Any:
        states = starts(part)
        for _ in part.loop(letter(part), source(part)):
            part.states[letter(part)] = states
            states = nexts(part)
        return states[number(part)]

    return code


def bounded(items: Any, times: Any = 1) -> Any:
    """Return items; refuse so many that they would take minutes, and gigabytes."""
    if hasattr(items, "__len__") and isinstance(times, int) and len(items) * times > LIMIT:
        raise Refused(f"a list of {len(items) * times} items is too long")
    return items


def entries_of(base: Any, *pairs: Any) -> dict[Any, Any]:
    found = {**(base or {}), **dict(zip(pairs[::2], pairs[1::2], strict=True))}
    return {k: v for k, v in found.items() if v is not ABSENT}


def keys_of(holder: Any) -> Any:
    return holder.keys if isinstance(holder, Part) else holder


def rope(holder: Any) -> Any:
    """Return the parameters of rotary positions, on which buffers alone depend."""
    return keys_of(holder).get("rope_parameters") or keys_of(holder).get("rope_scaling")


def layer_of(part: Part, index: int) -> Part:
    given = part.get("per_layer_config") if isinstance(part.get("per_layer_config"), dict) else {}
    values = {int(key): values for key, values in given.items()}.get(index, {})
    return part.changed(*itertools.chain(*values.items()))


def labels(holder: Any) -> Any:
    """Return the number of labels: of ``id2label``, or else ``num_labels``."""
    given = keys_of(holder).get("id2label")
    return keys_of(holder).get("num_labels", 2) if given is None else len({*map(int, given)})


KINDS = {"object": dict, "list": list, "int": int, "float": float, "text": str, "flag": bool}
KINDS["part"] = Part
CHEAP = {"absent", "config", "field", "get", "has", "is", "item", "key", "not", "self", "turn"}
"""Operations that cost less than to remember what they gave."""

LAZY: dict[str, Callable[..., Code]] = {
    "if": lambda when, one, other: lambda part: one(part) if when(part) else other(part),
    "and": lambda one, other: lambda part: one(part) and other(part),
    "or": lambda one, other: lambda part: one(part) or other(part),
    "comp": lambda letter, source, element, kept: (
        lambda part: [element(part) for _ in part.loop(letter(part), source(part)) if kept(part)]
    ),
    "fold": folded,
    "item": lambda letter: lambda part: part.items[letter(part)],
    "turn": lambda letter: lambda part: part.turns[letter(part)],
    "state": lambda letter, number: lambda part: part.states[letter(part)][number(part)],
    "config": lambda: lambda part: part.keys,
    "self": lambda: lambda part: part,
    "absent": lambda: lambda part: ABSENT,
    "opaque": lambda *unknown: lambda part: ...,
    "key": lambda name: lambda part: part.key(name(part)),
    "known": lambda kind: lambda part: kind(part) in part.catalogue.types,
    "class of": lambda kind: lambda part: part.catalogue.types[kind(part)],
    "new": lambda kind, keys: lambda part: Part.of(part.catalogue, kind(part), keys(part)),
}
SIGNS = """
not not_ truth truth is is_ == eq < lt <= le > gt >= ge + add - sub / truediv // floordiv
% mod & and_ | or_ neg neg get getitem
"""
BUILTINS = "abs all any float int len max min round set sorted str sum"
OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(builtins, name) for name in BUILTINS.split()},
    **{name: getattr(math, name) for name in ("ceil", "floor", "isfinite", "log2", "prod", "sqrt")},
    **{one: getattr(operator, it) for one, it in zip(*[iter(SIGNS.split())] * 2, strict=True)},
    "*": lambda one, other: bounded(one, other) * bounded(other, one),
    "**": lambda one, other: one**other if -64 <= other <= 64 else float(one) ** other,
    "in": lambda value, holder: value in holder,
    "has": lambda holder, key: isinstance(holder, dict) and key in holder,
    "get or": lambda holder, key, default: holder.get(key, default),
    "isinstance": lambda value, *kinds: isinstance(value, tuple(KINDS[one] for one in kinds)),
    "text": lambda *parts: "".join(map(str, parts)),
    "list": lambda *items: [*items],
    "range": lambda *bounds: [*bounded(range(*bounds))],
    "slice": lambda items, *bounds: items[slice(*bounds)],
    "concat": lambda lists: [*bounded([item for one in lists for item in one])],
    "replaced": lambda items, at, new: [*items[:at], (items[at], new)[1], *items[at:][1:]],
    "enumerate": lambda items, start: [[*pair] for pair in enumerate(items, start)],
    "zip": lambda *lists: [[*items] for items in zip(*lists, strict=False)],
    "dict": entries_of,
    "merged": lambda one, other: {**one, **other},
    "keys": list,
    "values": lambda holder: [*holder.values()],
    "items": lambda holder: [[*pair] for pair in holder.items()],
    "from pairs": dict,
    "method": lambda name, owner, *args: getattr(owner, name)(*args),
    "field": Part.field,
    "has field": lambda part, name: part.get(name) is not ABSENT,
    "fields": Part.fields,
    "with fields": Part.changed,
    "made by": lambda part, kind: part.program.name == kind,
    "layer of": layer_of,
    "rope": rope,
    "labels": labels,
}
