"""Evaluate the catalogue's programs: what a model class is built of, for any keys of a config.json.

A file has a model type's classes: of configurations, and of models; docs/catalogue.md says more.

    part = Catalogue("programs").configuration({"model_type": "llama", "hidden_size": 2048})
    part.field("head_dim"), part.count("LlamaModel"), [*part.tensors("LlamaModel")]
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial, reduce
from math import ceil, floor, isfinite, log2, prod, sqrt
from pathlib import Path
from typing import Any

FORMAT = 3
LIMIT = 1_000_000  # The largest number of items of a list that is computed.
ERRORS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
ROLES = ("trainable", "frozen", "buffer", "temporary buffer")
Code = Callable[["Part"], Any]


class Refused(ValueError):
    """The class refuses the "type" of keys or "raised" an error, or there is a "limit" of ours."""

    def __init__(self, reason: Any, keys: Any, part: Any = None, kind: str = "limit") -> None:
        self.reason, self.keys, self.part, self.kind = reason, keys, part, kind


class Catalogue:
    """The files of a folder, or of another catalogue, evaluated by other operations or parts."""

    def __init__(self, folder: Any, operations: Any = None, lazy: Any = None, part: Any = None):
        self.operations, self.lazy = operations or OPERATIONS, lazy or LAZY
        self.part: type[Part] = part or Part
        self.file = getattr(folder, "file", None) or cache(
            lambda name: json.loads((Path(folder) / f"{name}.json").read_bytes())
        )
        self.node, self.program = cache(self.compiled), cache(partial(Program, self))
        self.index = self.file("index")
        self.types: dict[str, str] = self.index["types"]
        if self.index["format"] != FORMAT:
            raise ValueError(f"{folder} has the format {self.index['format']}, not {FORMAT}")

    def configuration(self, keys: Mapping[str, Any]) -> Part:
        """Return what the configuration class of a model type makes of the keys of a file."""
        kind = keys.get("model_type")
        if not isinstance(kind, str) or kind not in self.types:
            raise Refused("there is no program of this model type", {"model_type": kind})
        return self.part(self, self.types[kind], keys)

    def code(self, file: str, given: Any) -> Code:
        """Return the function that computes a node, or that returns a constant."""
        if type(given) is not int:
            return lambda part: given
        return self.node(file, given) if given >= 0 else self.node("base", -1 - given)

    def compiled(self, file: str, number: int) -> Code:
        node, varies = self.file(file)["nodes"][number], number >= self.file(file)["varying"]
        if not isinstance(node, list):
            return lambda part: node
        operation, codes = node[0], [self.code(file, one) for one in node[1:]]
        lazy = self.lazy.get(operation) or partial(strict, self.operations[operation])
        code: Code = lazy(*codes)

        def remembered(part: Part) -> Any:
            memo = part.local if varies else part.memo
            if code not in memo:
                memo[code] = code(part)
            return memo[code]

        return code if operation in CHEAP else remembered


class Program:
    """The program of a configuration class: its own rules over those of its base."""

    def __init__(self, catalogue: Catalogue, name: str) -> None:
        file = catalogue.index["configurations"][name]
        data = catalogue.file(file)["configurations"][name]
        base = vars(catalogue.program(data["base"])) if "base" in data else {}
        code, groups = partial(catalogue.code, file), data.get("keys", ())
        self.defaults = {k: v for _, keys, *_ in groups for k, v in keys.items()}
        self.types = {k: code(of) for of, keys, *more in groups for k in (*keys, *more)}
        self.fields = {k: code(one) for k, one in data.get("fields", {}).items()}
        self.properties = {k: code(one) for k, one in data.get("properties", {}).items()}
        self.refusals = {one: code(one) for one in data.get("refusals", ())}
        self.taken = dict.fromkeys([*data.get("taken", ()), *data.get("aliases", ())])
        for kind, rules in [*vars(self).items()]:
            setattr(self, kind, {**base.get(kind, {}), **rules})
        self.name, self.models, self.aliases = name, data.get("models", {}), data.get("aliases", {})


class Part:
    """A configuration object: the fields that a class makes of keys, each computed when read."""

    def __init__(self, catalogue: Catalogue, kind: str, keys: Mapping[str, Any]) -> None:
        self.catalogue, self.program, self.keys = catalogue, catalogue.program(kind), keys
        self.given, types = {**self.program.defaults, **keys}, self.program.types
        taken = {*self.program.taken} - types.keys() | self.program.fields.keys()
        self.values = {k: v for k, v in self.given.items() if k not in taken}
        self.loops, self.states = dict[str, tuple[int, Any]](), dict[str, Any]()
        # Memoized results: those of the whole part, and those of the current turn of a loop.
        self.memo, self.local = dict[Any, Any](), dict[Any, Any]()
        for name in filter(types.get, keys):
            self.loops, self.local = {"value": (0, keys[name])}, {}
            if wrong := types[name](self):
                raise Refused(wrong, {name: keys[name]}, self, "type")
        for code in self.program.refusals.values():
            code(self)
        for name in self.program.fields:
            self.get(name)

    def compute(self, of: str, code: Code, paths: str = "") -> Any:
        """Compute a value; an error refuses the keys or fields that have these paths."""
        try:
            return code(self)
        except ERRORS as error:
            if not isinstance(error, Refused):
                self.refuse(f"{of} cannot be computed: {error!r:.80}", paths, "limit")
            elif error.part is not self and of == paths:
                keys = {f"{of}.{path}": value for path, value in error.keys.items()}
                raise Refused(error.reason, keys, self, error.kind) from None
            raise

    def refuse(self, reason: Any, paths: str, kind: str = "raised") -> Any:
        found = {path: self.look(path) for path in paths.split()}
        raise Refused(reason, found, self, kind if reason else "limit") from None

    def look(self, path: str) -> Any:
        name, _, rest = path.partition(".")
        value = self.values.get(name, self.given.get(name, ABSENT))
        return value.look(rest) if rest and isinstance(value, Part) else value

    def get(self, name: str) -> Any:
        """Return a field, or ``ABSENT``."""
        name = self.program.aliases.get(name, name)
        if name not in self.values:
            if name not in self.program.fields:
                code = self.program.properties.get(name)
                return code(self) if code else ABSENT
            self.values[name] = self.compute(name, self.program.fields[name], name)
        return self.values[name]

    def field(self, name: str, required: bool = True) -> Any:
        if (value := self.get(name)) is ABSENT and required:
            raise Refused(f"{self.program.name} has no {name}", {}, self)
        return value

    def updated(self, values: Mapping[str, Any]) -> Part:
        part, names = object.__new__(type(self)), self.program.aliases
        values = self.values | {names.get(k, k): v for k, v in values.items()}
        vars(part).update(vars(self), values=values, memo={}, local={})
        return part

    def loop(self, letter: str, source: Any) -> Iterator[None]:
        loops, local = self.loops, self.local
        for turn in enumerate(source):
            self.loops, self.local = {**loops, letter: turn}, {}
            yield
        self.loops, self.local = loops, local

    def fold(self, letter: str, source: Any, states: Any, nexts: Code) -> Any:
        for _ in self.loop(letter, source):
            self.states[letter] = states
            states = nexts(self)
        return states

    def module(self, model: str) -> Any:
        name = self.program.models.get(model, model)
        if (file := self.catalogue.index["models"].get(name)) is None:
            raise Refused(f"there is no program of {name}", {}, self)
        code = self.catalogue.code(file, self.catalogue.file(file)["models"][name])
        return self.compute(f"the size of {model}", code)

    def count(self, model: str) -> dict[str, int]:
        """Return the numbers of elements by role; those of one storage count once."""
        sizes = self.module(model).sizes.items()
        return {role: sum(size for key, size in sizes if key[0] == role) for role in ROLES}

    def tensors(self, model: str, scope: Sequence[Any] = ()) -> Iterator[Tensor]:
        """Yield the parameters and buffers of a model class; the scope is part of their storage."""
        yield from self.module(model).walk("", scope)


class Tensor:
    """A parameter or a buffer; its shape may be unknown. Those of one ``storage`` are the same."""

    def __init__(self, role: str, shape: Any, storage: Any = None, path: str = "") -> None:
        self.role, self.storage, self.path = role, storage and tuple(storage), path
        sizes = tuple([shape] if isinstance(shape, int) else shape or ())
        if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in sizes):
            raise ValueError(f"a tensor cannot have the shape {shape}")
        self.shape = None if shape is None else sizes
        self.sizes = {} if shape is None else {(role, self.storage): prod(sizes)}


class Module:
    """Tensors and modules by name; under the name "" stand the rows of each module of a list."""

    def __init__(self, rows: Iterable[tuple[str | None, Any]]) -> None:
        self.children: list[tuple[str | None, Any]] = []
        self.sizes: dict[tuple[str, Any], int] = {}
        for name, child in rows:
            for one in child or () if name == "" else [child]:
                self.children += one.children if name == "" else [(name, one)]
                for key, size in one.sizes.items():
                    self.sizes[key] = size if key[1] else size + self.sizes.get(key, 0)

    def walk(self, path: str, scope: Sequence[Any] = ()) -> Iterator[Tensor]:
        """Yield the tensors; an item of a list of layers has its number as name."""
        number = 0
        for name, child in self.children:
            inside, number = f"{path}{number if name is None else name}", number + (name is None)
            if isinstance(child, Tensor):
                yield Tensor(
                    child.role, child.shape, (*scope, *(child.storage or [inside])), inside
                )
            else:
                yield from child.walk(f"{inside}.", scope)


def strict(function: Callable[..., Any], *codes: Code) -> Code:
    if len(codes) != 2:
        return lambda part: function(*[code(part) for code in codes])
    one, other = codes
    return lambda part: function(one(part), other(part))


def module(*codes: Code) -> Code:
    rows = [*zip(codes[::3], codes[1::3], codes[2::3], strict=True)]
    return lambda part: Module([(name(part), it(part)) for name, there, it in rows if there(part)])


def bounded(items: Any, times: Any = 1) -> Any:
    if hasattr(items, "__len__") and isinstance(times, int) and len(items) * times > LIMIT:
        raise ValueError(f"a list of {len(items) * times} items is too long")
    return items


KINDS = {"object": dict, "list": list, "int": int, "float": float, "text": str, "flag": bool}
CHEAP = {"absent", "config", "field", "get", "has", "is", "item", "key", "not", "self", "turn"}
LAZY: Any = {
    "if": lambda when, one, other: lambda part: one(part) if when(part) else other(part),
    "and": lambda one, other: lambda part: one(part) and other(part),
    "or": lambda one, other: lambda part: one(part) or other(part),
    "comp": lambda letter, source, element, kept: (
        lambda part: [element(part) for _ in part.loop(letter(part), source(part)) if kept(part)]
    ),
    "fold": lambda letter, source, states, nexts, number: (
        lambda part: part.fold(letter(part), source(part), states(part), nexts)[number(part)]
    ),
    "item": lambda letter: lambda part: part.loops[letter(part)][1],
    "turn": lambda letter: lambda part: part.loops[letter(part)][0],
    "state": lambda letter, number: lambda part: part.states[letter(part)][number(part)],
    "config": lambda: lambda part: part.keys,
    "self": lambda: lambda part: part,
    "key": lambda name: lambda part: part.given[name(part)],
    "class of": lambda kind: lambda part: part.catalogue.types.get(kind(part)),
    "new": lambda kind, keys: lambda part: type(part)(part.catalogue, kind(part), keys(part)),
    "refuse": lambda when, why, paths: (
        lambda part: (
            part.compute("a condition", when, paths(part)) and part.refuse(why(part), paths(part))
        )
    ),
    "module": module,
}
NAMES = """not not_ truth truth is is_ == eq < lt <= le > gt >= ge + add - sub / truediv
// floordiv % mod & and_ | or_ neg neg get getitem"""
OPERATIONS: Any = {
    **{one.__name__: one for one in (abs, all, any, len, max, min, round, set, sorted, str, sum)},
    **{one.__name__: one for one in (dict, int, float, ceil, floor, isfinite, log2, prod, sqrt)},
    **{one: getattr(operator, it) for one, it in zip(*[iter(NAMES.split())] * 2, strict=True)},
    "*": lambda one, other: bounded(one, other) * bounded(other, one),
    "**": lambda one, other: one**other if -64 <= other <= 64 else float(one) ** other,
    "in": lambda value, holder: value in holder,
    "has": lambda holder, key: isinstance(holder, dict) and key in holder,
    "isinstance": lambda value, *kinds: any(isinstance(value, KINDS[one]) for one in kinds),
    "list": lambda *items: [*items],
    "range": lambda *bounds: [*bounded(range(*bounds))],
    "slice": lambda items, *bounds: items[slice(*bounds)],
    "replaced": lambda items, at, new: [*items[:at], (items[at], new)[1], *items[at:][1:]],
    "zip": lambda *lists: [*zip(*lists, strict=False)],
    "absent": lambda: ABSENT,
    "opaque": lambda *unknown: ...,
    "merged": lambda *of: {k: v for k, v in reduce(operator.or_, of).items() if v is not ABSENT},
    "method": lambda name, owner, *args: getattr(owner, name)(*args),
    "made by": lambda one, *of: isinstance(one, Part) and (not of or one.program.name in of),
    "field": lambda part, name: part.field(name),
    "has field": lambda part, name: part.field(name, False) is not ABSENT,
    "fields": lambda part: part.values,
    "updated": lambda part, values: part.updated(values),
    "tensor": Tensor,
    "model": lambda part, auto, scope: Module((one.path, one) for one in part.tensors(auto, scope)),
    "tied": lambda module, path: {one.path: one for one in module.walk("")}[path],
}
