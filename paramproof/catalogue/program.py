"""Evaluate the catalogue's programs: what a model class is built of, for any keys of a config.json.

A file of ``programs/`` has, for one model type, the program of its configuration class (keys ->
fields, or a refusal) and the blocks of tensors of its model classes; ``schema.json`` there describes
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
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

FORMAT = 2
LIMIT = 1_000_000
"""The largest number of items of a list that is computed, and of bits of a power."""

ERRORS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
Code: TypeAlias = "Callable[[Part], Any]"


class Refused(ValueError):
    """A class refuses the values, or cannot compute with them."""


class Tensor(NamedTuple):
    """A parameter or a buffer; ``shape`` may be unknown. Tensors of one ``storage`` are the same."""

    path: str
    shape: tuple[int, ...] | None
    role: str
    storage: Any


class Lazy(dict[Any, Any]):
    """A dictionary whose values are made when they are read."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self.make = make

    def __missing__(self, key: Any) -> Any:
        self[key] = found = self.make(key)
        return found


class Catalogue:
    """The files of a folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.index = self.read("index")
        self.types: dict[str, str] = self.index["types"]
        self.files = Lazy(lambda name: File(self, self.read(name)))
        self.programs = Lazy(lambda name: Program(self.file_with("configurations", name), name))
        self.models = Lazy(lambda name: Model(self.file_with("models", name), name))

    def read(self, name: str) -> Any:
        data = json.loads((self.folder / f"{name}.json").read_text("utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(f"{name}.json has the format {data['format']}, not {FORMAT}")
        return data

    def file_with(self, what: str, name: str) -> File:
        if name not in self.index[what]:
            raise Refused(f"there is no program of {name}")
        found: File = self.files[self.index[what][name]]
        return found

    def configuration(self, keys: Mapping[str, Any]) -> Part:
        """Return what the configuration class of a model type makes of the keys of a file."""
        kind = keys.get("model_type")
        if not isinstance(kind, str) or kind not in self.types:
            raise Refused(f"there is no program of the model type {kind!r:.60}")
        return Part.of(self, self.types[kind], keys)


class Program:
    """The program of a configuration class: its own rules over those of its base."""

    def __init__(self, file: File, name: str) -> None:
        data = file.data["configurations"][name]
        base = file.catalogue.programs[data["base"]] if "base" in data else None
        left = data.get("left out", ())

        def rules(kind: str, own: Mapping[str, Any]) -> dict[str, Any]:
            old = getattr(base, kind) if base else {}
            return {k: v for k, v in old.items() if k not in left} | own

        keys = [(k, file.types[of], v) for of, group in data.get("keys", ()) for k, v in group.items()]
        self.name, self.required = name, data.get("required", {})
        types = {k: file.types[of] for k, of in self.required.items()}
        self.types = rules("types", types | {k: accepts for k, accepts, _ in keys})
        self.defaults = rules("defaults", {k: default for k, _, default in keys})
        self.fields = rules("fields", file.codes_of(data.get("fields", {})))
        self.refusals = rules("refusals", file.codes_of(data.get("refusals", {})))
        self.properties = file.codes_of(data.get("properties", {}))
        self.aliases: dict[str, str] = data.get("aliases", {})
        self.taken = {*(base.taken if base else ()), *data.get("taken", ()), *self.types}
        self.taken |= {*self.fields, *self.aliases}


class Part:
    """A configuration object: the fields that a class makes of keys, each computed when read."""

    def __init__(self, catalogue: Catalogue, program: Program, keys: Mapping[str, Any]) -> None:
        self.catalogue, self.program, self.keys = catalogue, program, keys
        self.values, self.below = dict[str, Any](), self
        self.memo, self.local, self.items, self.turns = {}, {}, {}, {}

    @staticmethod
    def of(catalogue: Catalogue, kind: str, keys: Any) -> Part:
        """Return the part that a class makes of keys, after its checks."""
        if not isinstance(keys, Mapping):
            raise Refused(f"{kind} is made of keys, not of {keys!r:.60}")
        part = Part(catalogue, catalogue.programs[kind], keys)
        for name in part.program.required:
            if name not in keys:
                raise Refused(f"{kind}: {name} is missing")
        types = part.program.types
        for name, value in keys.items():
            if name in types and not types[name](value):
                raise Refused(f"{kind}: {name} may not be {value!r:.60}")
        part.check(kind, part.program.refusals)
        for name in part.program.fields:
            part.get(name)
        return part

    def check(self, kind: str, refusals: Mapping[str, list[Code]]) -> None:
        for why, codes in refusals.items():
            if any(self.compute(why, code) for code in codes):
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
            if self.below is not self:
                value = self.below.get(name)
            elif name in program.fields:
                value = self.compute(name, program.fields[name])
            elif name in self.keys and (name in program.types or name not in program.taken):
                value = self.keys[name]
            elif name in program.properties:
                value = self.compute(name, program.properties[name])
            else:
                value = program.defaults.get(name, ABSENT)
            self.values[name] = value
        return self.values[name]

    def field(self, name: str) -> Any:
        value = self.get(name)
        if value is ABSENT:
            raise Refused(f"{self.program.name} has no {name}")
        return value

    def fields(self) -> dict[str, Any]:
        """Return all fields with their values."""
        program = self.program
        more = [name for name in self.keys if name not in program.taken]
        names = dict.fromkeys((*program.types, *program.fields, *more, *self.values))
        return {name: value for name in names if (value := self.get(name)) is not ABSENT}

    def changed(self, *pairs: Any) -> Part:
        """Return the part after its attributes were set."""
        part, aliases = Part(self.catalogue, self.program, self.keys), self.program.aliases
        part.below = self
        named = zip(pairs[::2], pairs[1::2], strict=True)
        part.values = {aliases.get(k, k): v for k, v in named if v is not ABSENT}
        return part

    def loop(self, letter: str, source: Any) -> Iterator[int]:
        """Give the index of a loop each of its items in turn."""
        if len(source) > LIMIT:
            raise Refused(f"{self.program.name}: a list of {len(source)} items is too long")
        before = self.items.get(letter), self.turns.get(letter), self.local
        try:
            for turn, item in enumerate(source):
                self.items[letter], self.turns[letter], self.local = item, turn, {}
                yield turn
        finally:
            self.items[letter], self.turns[letter], self.local = before

    def tensors(self, model: str) -> Iterator[Tensor]:
        """Yield the parameters and buffers of a model class."""
        return self.catalogue.models[model].module(self).walk("", itertools.count())

    def count(self, model: str) -> tuple[int, int]:
        """Return the numbers of trainable and of frozen parameters, each storage once."""
        module = self.catalogue.models[model].module(self)
        found = [*module.sizes]
        for role, size in module.shared.values():
            found[role == "frozen"] += size
        return found[0], found[1]


class File:
    """The contents of a file; nodes and blocks are compiled when they are needed."""

    def __init__(self, catalogue: Catalogue, data: Any) -> None:
        self.catalogue, self.data, self.nodes = catalogue, data, data["nodes"]
        self.codes, self.types = Lazy(self.compile), Lazy(self.type)
        self.letters = Lazy(self.find_letters)
        self.blocks = Lazy(lambda number: Block(self, data["blocks"][number]))

    def code(self, given: Any) -> Code:
        """Return a function that computes a node, or that gives what stands for itself."""
        return self.codes[given] if type(given) is int else lambda part: given

    def codes_of(self, rules: Mapping[str, Any]) -> dict[str, Any]:
        return {k: [*map(self.code, v)] if isinstance(v, list) else self.code(v) for k, v in rules.items()}

    def find_letters(self, given: Any) -> frozenset[str]:
        """Return the loops on which a node depends."""
        node = self.nodes[given] if type(given) is int else None
        if not isinstance(node, list) or node[0] in ("item", "turn"):
            return frozenset(node[1:] if isinstance(node, list) else ())
        if node[0] in ("comp", "comp dict"):
            inner = frozenset[str]().union(*map(self.letters.__getitem__, node[3:]))
            return inner - {node[1]} | self.letters[node[2]]
        return frozenset[str]().union(*map(self.letters.__getitem__, node[1:]))

    def compile(self, number: int) -> Code:
        node = self.nodes[number]
        if not isinstance(node, list):
            return lambda part: node
        operation, *args = node
        if operation == "accepts":
            return call(self.types[args[1]], [self.code(args[0])])
        codes = [*map(self.code, args)]
        if operation in SPECIAL:
            code = SPECIAL[operation](*codes)
        elif operation in OF_PARTS:
            code = call(OF_PARTS[operation], [lambda part: part, *codes])
        else:
            code = call(OPERATIONS[operation], codes)
        in_loop = bool(self.letters[number])

        def remembered(part: Part) -> Any:
            memo = part.local if in_loop else part.memo
            if code not in memo:
                memo[code] = code(part)
            return memo[code]

        return code if operation in CHEAP else remembered

    def type(self, number: int) -> Callable[[Any], bool]:
        """Return a function that says whether a declared type accepts a value of JSON."""
        name, *args = self.nodes[number]
        if name == "one of":
            values = [self.nodes[one] if type(one) is int else one for one in args]
            return lambda value: any(
                value == one and isinstance(value, bool) == isinstance(one, bool) for one in values
            )
        inner = [self.types[one] for one in args if type(one) is int]
        if name == "union":
            return lambda value: any(accepts(value) for accepts in inner)
        outer = TYPES[name]
        if name in ("list", "sequence") and inner:
            return lambda value: outer(value) and all(map(inner[0], value))
        if name == "dict" and inner:
            one, other = inner
            return lambda value: outer(value) and all(one(k) and other(v) for k, v in value.items())
        return outer


class Module:
    """What a block is at a configuration: its tensors and modules, and how large those are."""

    def __init__(self) -> None:
        self.children: list[tuple[str | None, int, Any]] = []
        self.sizes, self.shared = (0, 0), dict[Any, tuple[str, int]]()

    def add(self, name: str | None, times: int, child: Module) -> None:
        self.children.append((name, times, child))
        one, other = child.sizes
        self.sizes = self.sizes[0] + times * one, self.sizes[1] + times * other
        self.shared |= child.shared

    def add_tensor(self, tensor: Tensor) -> None:
        self.children.append((tensor.path, 1, tensor))
        if tensor.role in ("trainable", "frozen"):
            size = math.prod(tensor.shape or ())
            if tensor.storage is not None:
                self.shared[tensor.storage] = tensor.role, size
            elif tensor.role == "trainable":
                self.sizes = self.sizes[0] + size, self.sizes[1]
            else:
                self.sizes = self.sizes[0], self.sizes[1] + size

    def walk(self, path: str, numbers: Iterator[int]) -> Iterator[Tensor]:
        """Yield the tensors; a child without a name has its number in a list of layers as name."""
        for name, times, child in self.children:
            for _ in range(times):
                if name == "":
                    yield from child.walk(path, numbers)
                    continue
                inside = f"{path}{next(numbers) if name is None else name}"
                if isinstance(child, Tensor):
                    yield child._replace(path=inside, storage=child.storage or inside)
                else:
                    yield from child.walk(f"{inside}.", itertools.count())


class Block:
    """The tensors of a module, and the blocks inside it."""

    def __init__(self, file: File, data: Any) -> None:
        self.entries: list[Any] = []
        self.letters, self.shares = frozenset[str](), False

        def code(given: Any) -> Code | None:
            self.letters |= file.letters[given]
            return None if given is True else file.code(given)

        for name, kind, what, *more in data:
            condition, *rest = *map(code, more[:1] or [True]), *more[1:]
            if kind in ("block", "loop"):
                what, inner = file.blocks[what], file.blocks[what].letters
                if kind == "loop":
                    letter, source, kept = [*rest, True][:3]
                    within = inner | file.letters[kept]
                    varies = letter in within or what.shares
                    inner = within - {letter} | file.letters[source]
                    rest = [letter, file.code(source), file.code(kept), varies]
                self.letters |= inner
                self.shares |= what.shares
            else:
                self.shares |= bool(rest)
                what = [*map(code, what)] if isinstance(what, list) else code(what)
            self.entries.append((name, kind, what, condition, rest))

    def module(self, part: Part) -> Module:
        memo = None if self.shares else part.local if self.letters else part.memo
        if memo is not None and self in memo:
            return memo[self]
        made = Module()
        for name, kind, what, condition, rest in self.entries:
            if condition is not None and not condition(part):
                continue
            if kind == "block":
                made.add(name, 1, what.module(part))
            elif kind == "loop":
                letter, source, kept, varies = rest
                items = source(part)
                if not varies:
                    made.add("", len(items) if kept(part) else 0, what.module(part))
                else:
                    for _ in part.loop(letter, items):
                        if kept(part):
                            made.add("", 1, what.module(part))
            else:
                shape = what if what is None else [one(part) for one in what] if isinstance(what, list) else what(part)
                for size in shape or ():
                    if type(size) is not int or size < 0:
                        raise Refused(f"a tensor {name} cannot have the shape {shape}")
                storage = rest and (rest[0][0], *(part.turns[letter] for letter in rest[0][1:])) or None
                made.add_tensor(Tensor(name, None if shape is None else tuple(shape), kind, storage))
        if memo is not None:
            memo[self] = made
        return made


class Model:
    """A model class: a block, and conditions under which the constructor refuses."""

    def __init__(self, file: File, name: str) -> None:
        data = file.data["models"][name]
        self.name, self.block = name, file.blocks[data["block"]]
        self.refusals = file.codes_of(data.get("refusals", {}))

    def module(self, part: Part) -> Module:
        part.check(self.name, self.refusals)
        return part.compute(f"the size of {self.name}", self.block.module)


# Operations


def call(function: Callable[..., Any], codes: list[Code]) -> Code:
    match codes:
        case [one]:
            return lambda part: function(one(part))
        case [one, other]:
            return lambda part: function(one(part), other(part))
    return lambda part: function(*[code(part) for code in codes])


def choice(condition: Code, one: Code, other: Code) -> Code:
    return lambda part: one(part) if condition(part) else other(part)


def both(one: Code, other: Code) -> Code:
    return lambda part: one(part) and other(part)


def listed(index: Code, source: Code, *codes: Code) -> Code:
    *values, kept = codes

    def code(part: Part) -> Any:
        found = []
        for _ in part.loop(index(part), source(part)):
            if kept(part):
                found.append([value(part) for value in values])
        return dict(found) if len(values) == 2 else [one for (one,) in found]

    return code


def limited(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses to make what is too large."""

    def of(one: Any, other: Any) -> Any:
        long, times = (other, one) if isinstance(one, int) else (one, other)
        if isinstance(long, str | list) and isinstance(times, int) and len(long) * times > LIMIT:
            raise OverflowError("the list is too long")
        if function is pow and isinstance(one, int) and abs(other) * one.bit_length() > LIMIT:
            raise OverflowError("the number is too large")
        return function(one, other)

    return of


def range_of(*bounds: int) -> list[int]:
    if len(range(*bounds)) > LIMIT:
        raise OverflowError("the list is too long")
    return [*range(*bounds)]


def entries_of(base: Any, *pairs: Any) -> dict[Any, Any]:
    found = {**(base or {}), **dict(zip(pairs[::2], pairs[1::2], strict=True))}
    return {k: v for k, v in found.items() if v is not ABSENT}


def method(name: str, owner: Any, *args: Any) -> Any:
    if name not in METHODS or not isinstance(owner, str | list):
        raise TypeError(f"{owner!r:.60} has no {name}")
    return getattr(owner, name)(*args)


def rope(holder: Any) -> str:
    """Return the kind of rotary positions, on which buffers alone depend."""
    keys = holder.keys if isinstance(holder, Part) else holder
    given = keys.get("rope_parameters") or keys.get("rope_scaling")
    given = given if isinstance(given, dict) else {}
    return given.get("rope_type") or given.get("type") or "default"


def labels(holder: Any) -> int:
    """Return the number of labels: of ``id2label``, or else ``num_labels``."""
    keys = holder.keys if isinstance(holder, Part) else holder
    if keys.get("id2label") is None:
        return keys.get("num_labels", 2)
    return len({int(one) for one in keys["id2label"]})


def read_key(part: Part, name: str) -> Any:
    return part.keys[name] if name in part.keys else part.program.defaults[name]


KINDS = {"object": dict, "list": list, "int": int, "float": float, "text": str, "flag": bool, "part": Part}
METHODS = frozenset(
    "lower upper strip split rsplit startswith endswith replace index count removeprefix "
    "removesuffix join isdigit".split()
)
CHEAP = frozenset("config self absent key has get field item turn is not".split())
"""Operations that cost less than to remember what they gave."""

TYPES: dict[str, Callable[[Any], bool]] = {
    "anything": lambda value: True,
    "null": lambda value: value is None,
    "int": lambda value: type(value) is int,
    "sequence": lambda value: isinstance(value, list | str),
    **dict.fromkeys(("tuple", "set", "object"), lambda value: False),
    **{one.__name__: lambda value, one=one: isinstance(value, one) for one in (bool, float, str, list, dict)},
}
SPECIAL: dict[str, Callable[..., Code]] = {"if": choice, "and": both, "comp": listed, "comp dict": listed}
OF_PARTS: dict[str, Callable[..., Any]] = {
    "config": lambda part: part.keys,
    "self": lambda part: part,
    "absent": lambda part: ABSENT,
    "key": read_key,
    "item": lambda part, letter: part.items[letter],
    "turn": lambda part, letter: part.turns[letter],
    "known": lambda part, kind: kind in part.catalogue.types,
    "class of": lambda part, kind: part.catalogue.types[kind],
    "new": lambda part, kind, keys: Part.of(part.catalogue, kind, keys),
}
OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(builtins, name) for name in "abs all any float int len max min round set sorted str sum".split()},
    **{name: getattr(math, name) for name in "ceil floor isfinite log2 prod sqrt".split()},
    "not": operator.not_, "truth": bool, "is": operator.is_, "==": operator.eq, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge, "+": operator.add, "-": operator.sub,
    "*": limited(operator.mul), "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": limited(pow), "&": operator.and_, "|": operator.or_, "neg": operator.neg,
    "in": lambda value, holder: value in holder,
    "has": lambda holder, key: isinstance(holder, dict) and key in holder,
    "get": operator.getitem,
    "get or": lambda holder, key, default: holder.get(key, default),
    "isinstance": lambda value, *kinds: any(isinstance(value, KINDS[kind]) for kind in kinds),
    "text": lambda *parts: "".join(map(str, parts)),
    "list": lambda *items: [*items],
    "range": range_of,
    "slice": lambda items, *bounds: items[slice(*bounds)],
    "concat": lambda lists: [item for one in lists for item in one],
    "replaced": lambda items, at, new: [new if i == at % len(items) else one for i, one in enumerate(items)],
    "enumerate": lambda items, start: [[*pair] for pair in enumerate(items, start)],
    "zip": lambda *lists: [[*items] for items in zip(*lists, strict=False)],
    "dict": entries_of,
    "merged": lambda one, other: {**one, **other},
    "keys": list,
    "values": lambda holder: [*holder.values()],
    "items": lambda holder: [[*pair] for pair in holder.items()],
    "from pairs": dict,
    "method": method,
    "field": lambda part, name: part.field(name),
    "has field": lambda part, name: part.get(name) is not ABSENT,
    "fields": lambda part: part.fields(),
    "with fields": lambda part, *pairs: part.changed(*pairs),
    "made by": lambda part, kind: part.program.name == kind,
    "rope": rope,
    "labels": labels,
}
