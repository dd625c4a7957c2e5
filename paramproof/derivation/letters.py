"""Derive the formula of a program, in letters, by running the reader with symbolic sizes.

The reader runs as always, but each int of the configuration carries the expression by which it was
computed (``paramproof.derivation.sizes``). So each shape comes out in letters, a comparison that
decides something as a condition, and a number that is read in a way that no expression can follow
as a size that may not change.

How often a tensor occurs follows from the loops in which it was made, and from what they compared
their index with. Where that is not clear, the reader runs at other sizes as well, and what counts
the tensors must count them there, too. If nothing does, the lengths of the loops may not change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import Any

from paramproof.catalogue import Entry
from paramproof.catalogue.program import (
    ABSENT,
    ERRORS,
    LAZY,
    OPERATIONS,
    Catalogue,
    Part,
    Program,
    Refused,
)
from paramproof.derivation.exact_traces import (
    Conditions,
    Rows,
    counted,
    holding_elsewhere,
    other_sizes,
    stored_once,
)
from paramproof.derivation.loops import implied_guards
from paramproof.derivation.sizes import (
    RUNNING,
    SIZED,
    Number,
    Recorder,
    Series,
    collected,
    expression_of,
    has_length,
    has_loop_index,
    has_sizes,
    in_turns,
    pin,
    plain,
    recording,
    truth,
    turns,
)
from paramproof.formulas.active import has_experts, says_per_token
from paramproof.formulas.architecture import Evidence
from paramproof.formulas.condition import Condition, Consequence, Outcome, StatedCondition
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.path import LAYER, beginnings, joined, leaf
from paramproof.formulas.printing import shown

UNSIZED = ("_token_id", "_token_index")
"""How the names of fields end that are ints but not sizes."""

LABELS = ("id2label", "label2id")
"""Keys that give the number of labels, too."""

TRACES, MOST_TRACES = 2, 8
"""At how many other sizes a program is traced, and how often in all where a formula is wrong."""

NEW = "?"
"""The path of a part that the configuration does not have."""


class NotSymbolic(ValueError):
    """Raised if something in a program has no expression in letters."""


class Trace:
    """One run of the reader, with the sizes that it met, by path."""

    def __init__(
        self,
        part: Part,
        model: str | None,
        own: Mapping[str, int] = {},
        strictly: bool = False,
        only: Callable[[str, int], bool] = lambda path, size: True,
    ) -> None:
        self.only, self.strictly = only, strictly
        """What may be a letter; and whether nothing may be lost, and names of layers have stars."""
        self.own, self.sizes = own, dict[str, int]()
        self.parts, self.refusals, self.first = list[SizedPart](), list[Any](), dict[str, int]()
        self.checking: Recorder | None = None
        """What records the guards of a refusal."""
        with recording() as self.recorder:
            self.whole = SizedPart(sized(part.catalogue), part.program.name, part.keys, self, "")
            self.groups = stored_once(self.whole.module(model)) if model else {}
        # No constructor reads how many experts a token passes; active parameters need it.
        with recording():
            for one in [*self.parts]:
                for name in filter(says_per_token, one.program.types):
                    one.get(name)

    def ordered(self) -> dict[str, int]:
        """Return the sizes in the order in which the classes declare them, and their parts."""
        order = {one.of(name): n for one in self.parts for n, name in enumerate(one.program.types)}

        def places(path: str) -> list[int]:
            owners = beginnings(path.partition("[")[0])
            return [order.get(one, len(order)) for one in owners]

        return {path: self.sizes[path] for path in sorted(self.sizes, key=places)}

    def conditions(self) -> Conditions:
        """Return what must be met, and a caveat if a refusal of the classes has no condition."""
        found, unclear, recorders = Conditions(self.sizes), dict[str, None](), [self.recorder]
        for part in self.parts:
            part.loops = {}
            for code in part.program.refusals.values():
                code(part)
        for part, loops, when, why in self.refusals:
            part.loops, part.memo, part.local = loops, {}, {}
            with recording() as recorder:
                self.checking, is_clear = recorder, False
                with suppress(NotSymbolic, Refused, *ERRORS):
                    is_clear = not truth(when(part))
            if recorder.lost or not is_clear:
                unclear[str(why)] = None
            found.add_refusal(recorder, self.strictly)
            if why is None:  # The code is not followed there, and may refuse nothing.
                recorders.append(recorder)
        if self.strictly:
            for recorder in recorders:
                for condition in implied_guards(recorder, self.sizes):
                    found.add(condition, Outcome.OTHERS)
            every = {one: None for recorder in recorders for one in recorder.lost}
            if unclear or every or self.recorder.pinned:
                known = (str(one) for one in every if one and not has_loop_index(one.letters))
                lost = ", ".join(known) or (every and "a number") or "the length of a loop"
                why = f"{lost} is read in a way that is not followed"
                raise NotSymbolic("; ".join(unclear) or why)
        found.add_guards(self.recorder)
        caveat = f"which other sizes are refused is not followed everywhere ({'; '.join(unclear)})"
        found.caveats = (caveat,) if unclear else ()
        return found

    def given(self, path: str, value: Any) -> Any:
        """Return a value of a file: an int as a size, a list of texts with the number of each."""
        match value:
            case bool() | Number() | Part() | Nested() | Kinds():
                return value
            case int():
                is_none = path.endswith(UNSIZED) or NEW in path or not self.only(path, value)
                # A field may be another size than the key it has.
                if value < 0 or is_none or self.first.setdefault(path, value) != value:
                    return value
                self.sizes[path] = self.own.get(path, value)
                return Number(self.sizes[path], letter(path))
            case dict() if all(isinstance(k, str) and k.isidentifier() for k in value):
                return Nested({k: self.given(f"{path}.{k}", v) for k, v in value.items()}, path)
            case [str(), *_] if all(isinstance(one, str) for one in value):
                self.recorder.kinds[path] = value
                each = [self.given(f"{path}[{one}]", value.count(one)) for one in sorted({*value})]
                return Kinds(value, expression_of(sum(each)))
            case list() if not any(isinstance(one, list) for one in value):
                return [self.given(f"{path}[{i}]", one) for i, one in enumerate(value)]
        return value


class Kinds(Series):
    """A list of texts of a file: the number of each is a size."""


class Nested(dict[str, Any]):
    """An object of a file, at a path."""

    def __init__(self, values: Mapping[str, Any], path: str) -> None:
        super().__init__(values)
        self.path = path


class SizedPart(Part):
    """A configuration object with symbolic sizes."""

    def __init__(self, catalogue: Any, kind: str, keys: Any, trace: Trace, path: str) -> None:
        self.catalogue, self.program = catalogue, catalogue.program(kind)
        self.trace, self.path = trace, path
        # A field that the file gives under two names gets no letter: its class chooses one.
        self.named = Counter(map(self.of, keys))
        self.keys = Nested({k: self.of_field(k, v) for k, v in keys.items()}, path)
        self.values, self.states = dict[str, Any](), dict[str, Any]()
        self.loops, self.memo, self.local = dict[str, Any](), dict[Any, Any](), dict[Any, Any]()
        trace.parts.append(self)

    def of(self, name: str) -> str:
        return joined(self.path, self.program.aliases.get(name, name))

    def of_field(self, name: str, value: Any) -> Any:
        path = self.of(name)
        return value if self.named[path] > 1 else self.trace.given(path, value)

    def key(self, name: str) -> Any:
        if name in self.keys:
            return self.keys[name]
        return self.of_field(name, self.program.defaults[name])

    def get(self, name: str) -> Any:
        name = self.program.aliases.get(name, name)
        if name not in self.values:
            self.values[name] = self.made(name)
        return self.values[name]

    def made(self, name: str) -> Any:
        """Return a field. One that a file may give is a letter, whatever computes it."""
        program, trace = self.program, self.trace
        is_given, own = name in self.keys, self.keys.get(name)
        code = program.fields.get(name)
        is_key = name in program.types or name not in program.taken
        if code is None and is_key and (name in program.defaults or is_given):
            return self.key(name)
        if (code := code or program.properties.get(name)) is None:
            return ABSENT
        before, found = {**trace.recorder.guards}, code(self)
        if own is None and name in program.types and type(plain(found)) is int:
            if type(made := self.of_field(name, plain(found))) is int:
                return found
            # What computes a default decides nothing in a file that gives another size.
            trace.recorder.guards = before
            return made
        is_made = isinstance(found, list) and not is_given and has_sizes(found)
        return found if is_made else self.of_field(name, found)

    def loop(self, letter: str, source: Any) -> Iterator[None]:
        loops, local = self.loops, self.local
        for turn in turns(source):
            self.loops, self.local = {**loops, letter: turn}, {}
            yield
        self.loops, self.local = loops, local

    def fold(self, letter: str, source: Any, states: Any, nexts: Any) -> Any:
        changed = 0
        for turn, _ in enumerate(self.loop(letter, source), 1):
            self.states[letter], before = states, states
            states = nexts(self)
            if any(one is not other for one, other in zip(before, states, strict=True)):
                changed = turn
        if has_length(source) and changed > 1:
            pin(source.length, len(source))
        elif has_length(source) and (self.trace.strictly or changed or not source):
            # Only the first turn changes something, if there is one.
            bool(Number(len(source), source.length) == 0)
        return states


# Operations


def comprehension(letter: Any, source: Any, element: Any, kept: Any) -> Any:
    def code(part: SizedPart) -> Any:
        loop = part.loop(letter(part), source(part))
        found, made = in_turns(element(part) for _ in loop if kept(part))
        if not (found and isinstance(found[0], Rows)):
            return collected(found, made)
        rows = Rows()
        for one, where in zip(found, made, strict=True):
            rows.add(one, where)
        return [rows]

    return code


def module(*codes: Any) -> Any:
    rows = [*zip(codes[::3], codes[1::3], codes[2::3], strict=True)]

    def code(part: SizedPart) -> Rows:
        found = Rows()
        for label, exists, it in rows:
            if exists(part):
                name = name_of(part, label)
                # A name by an index makes a tensor for each index, which loses nothing.
                step = LAYER if name is None or name.isdigit() else str.__str__(name)
                for some in it(part) or () if name == "" else [it(part)]:
                    found.add(some, (), step)
        return found

    return code


def name_of(part: SizedPart, label: Any) -> Any:
    """Return the name of a module, strictly with a star for the indexes of loops."""
    if not part.trace.strictly:
        return label(part)
    kept, recorder = (part.memo, part.local), part.trace.recorder
    part.memo, part.local, recorder.has_stars = {}, {}, True
    name = label(part)
    (part.memo, part.local), recorder.has_stars = kept, False
    return name


def tensor(role: Any, shape: Any, storage: Any = lambda part: None) -> Any:
    def code(part: SizedPart) -> Rows:
        kind, where = role(part), storage(part)
        kind = kind if kind in ("trainable", "frozen") else "buffer"
        turns = (one.made for one in where or () if isinstance(one, Number))
        loops = frozenset[str]().union(*(one.letters for one in turns if one is not None))
        where = where and (loops, *map(plain, where))
        return Rows({("", dimensions(shape(part)), kind, where): [()]})

    return code


def dimensions(shape: Any) -> tuple[Expression, ...] | None:
    if shape is None:
        return None
    here = {one.letter: one.number for one in RUNNING}
    shape = [shape] if isinstance(shape, int | Number) else [*shape]
    lengths = [made.substitute(here) for one in shape if (made := expression_of(one)) is not None]
    if len(lengths) < len(shape) or any(has_loop_index(one.letters) for one in lengths):
        raise NotSymbolic("a length of a tensor")
    return tuple(lengths)


def refuse(when: Any, why: Any, paths: Any) -> Any:
    def code(part: SizedPart) -> None:
        part.trace.refusals.append((part, part.loops, when, why(part)))

    return code


def both(one: Any, other: Any) -> Any:
    def code(part: SizedPart) -> Any:
        recorder = part.trace.checking or Recorder()
        before = {**recorder.guards}
        found = one(part)
        asked = recorder.guards.keys() - before.keys()
        result = found and other(part)
        if found is True and result is False:
            # A refusal needs both: that the other is false is enough.
            recorder.guards = {k: v for k, v in recorder.guards.items() if k not in asked}
        return result

    return code


def new_part(part: SizedPart, kind: str, keys: Any, code: Any) -> SizedPart:
    """Return a part: at the path of its keys, or else of the field that it is."""
    known = parts_of(part.catalogue, part.program.name)
    path = part.of(known.get((code, kind)) or known.get((code, "")) or NEW)
    path = keys.path if isinstance(keys, Nested) and keys.path else path
    return SizedPart(part.catalogue, kind, keys, part.trace, path)


def scoped(part: SizedPart, auto: str, scope: Any) -> Rows:
    """Return the tensors of a model of a part, which are shared within a scope."""
    found = Rows()
    for (path, shape, role, storage), made in part.module(auto).items():
        # A tensor without storage exists once for each turn of the loops inside.
        loops, *own = storage or (None, path, shape)
        found[path, shape, role, (loops, *map(plain, scope), *own)] = made
    return found


@cache
def parts_of(catalogue: Catalogue, kind: str) -> dict[Any, str]:
    """Return the fields that are new parts, by the codes of their keys."""
    own = catalogue.index["configurations"][kind]
    found = dict[Any, str]()

    def find(file: str, node: Any, name: str) -> None:
        file, node = ("base", -1 - node) if type(node) is int and node < 0 else (file, node)
        match catalogue.file(file)["nodes"][node] if type(node) is int else None:
            case ["if", _, *some] | ["or", *some] | ["updated", *some]:
                for one in some:
                    find(file, one, name)
            case ["new", own, keys]:
                kind = own if isinstance(own, str) else ""
                found.setdefault((catalogue.code(file, keys), kind), name)

    for name, node in catalogue.file(own)["configurations"][kind].get("fields", {}).items():
        find(own, node, name)
    return found


STRICT: dict[str, Any] = {
    **OPERATIONS,
    **SIZED,
    "isinstance": lambda value, *kinds: OPERATIONS["isinstance"](plain(value), *kinds),
    "model": scoped,
    "tied": lambda rows, path: Rows(
        {("", *key): made for (name, *key), made in rows.items() if name == path}
    ),
    "fields": lambda part: {
        name: part.get(name)
        for name in {**part.program.types, **part.program.fields, **part.values}
    },
}
LAZILY = {
    **LAZY,
    "and": both,
    "comp": comprehension,
    "module": module,
    "tensor": tensor,
    "refuse": refuse,
    "key": lambda name: lambda part: part.key(name(part)),
    "new": lambda kind, keys: lambda part: new_part(part, kind(part), keys(part), keys),
}


@cache
def sized(catalogue: Catalogue) -> Catalogue:
    """Return a catalogue of the same files, with operations for symbolic sizes."""
    other = copy(catalogue)
    other.operations, other.lazy = STRICT, LAZILY
    other.node, other.program = cache(other.compiled), cache(partial(Program, other))
    return other


# The formula


def with_sizes(holder: Any, sizes: Mapping[str, int]) -> Any:
    """Return the keys of a part, an object or a list with other sizes, by path.

    Raises ``ValueError``, with one line, for a part that is absent.
    """
    if isinstance(holder, list):
        return [sizes.get(f"[{i}]", one) for i, one in enumerate(holder)]
    inner, keys, aliases = dict[str, dict[str, int]](), holder, dict.fromkeys(LABELS, "num_labels")
    if isinstance(holder, Part):
        kind, aliases = holder.get("model_type"), {**aliases, **holder.program.aliases}
        keys = ({"model_type": kind} if isinstance(kind, str) else {}) | {**holder.keys}
    for path, size in sizes.items():
        name = re.split(r"[.[]", path)[0]
        inner.setdefault(name, {})[path[len(name) :].removeprefix(".")] = size
    keys = {k: one for k, one in keys.items() if aliases.get(k) not in inner}
    for name, own in inner.items():
        value = holder.get(name)
        if "" in own:
            keys[name] = own[""]
        elif isinstance(value, Part | dict | list):
            keys[name] = with_sizes(value, own)
        elif isinstance(holder, Part) and not all(one.startswith("[") for one in own):
            raise ValueError(f"{holder.program.name} has no part {shown(name)}")
    return keys


def size_at(holder: Any, path: str) -> Any:
    """Return the size that has a path, or how many items of a list are a text."""
    for name in path.replace("[", ".[").split("."):
        if isinstance(holder, list):
            index = name[1:-1]
            holder = holder[int(index)] if index.isdigit() else holder.count(index)
        else:
            holder = holder.get(name) if isinstance(holder, Part | dict) else ABSENT
    return holder


def derived(part: Part, name: str, traces: list[Trace], conditions: Conditions) -> Derivation:
    """Return the formula of a model, with the paths of sizes as letters."""
    groups = tuple(counted(traces, conditions))
    used = [one.letters for tensor in groups for one in (tensor.times, *tensor.shape)]
    letters = frozenset[str]().union(*used, *(one.letters for one in conditions.found))
    in_order = (traces[0], *reversed(traces))
    sizes = {path: size for one in in_order for path, size in one.ordered().items()}
    sizes = {k: size for k, size in sizes.items() if k in letters or says_per_token(leaf(k))}
    versions = part.catalogue.file(part.catalogue.index["models"][name])["versions"]
    found = Derivation(
        name=name,
        sizes=sizes,
        fields={path: path for path in sizes},
        tensors=groups,
        conditions=tuple(StatedCondition(c, Consequence(o)) for c, o in conditions.found.items()),
        inert=tuple(path for path in sizes if path not in letters),
        unexplained=tuple(f"{key[0]} (buffer)" for key in traces[0].groups if key[1] is None),
        caveats=conditions.caveats,
        evidence=Evidence(len(traces), 0, 0, 0.0, versions),
        validated={path: (0, 0) for path, size in sizes.items() if not size},
    )
    if found.formula.value(sizes) != part.count(name)["trainable"]:
        raise NotSymbolic("the number of parameters")
    return found


def guards_of(part: Part, model: str) -> list[Condition]:
    """Return what a model decides by at the sizes of a part.

    Raises ``NotSymbolic`` if that is not followed.
    """
    return [*Trace(part, model, strictly=True).conditions().found]


def asked_of(part: Part, value: str) -> list[Condition]:
    """Return the guards of a condition, which is a model of the catalogue, if it is followed."""
    trace = Trace(part, None, strictly=True)
    with recording() as recorder, suppress(NotSymbolic, Refused, *ERRORS):
        truth(trace.whole.module(value))
    return [] if recorder.lost else [one.normalized() for one in recorder.guards]


def symbolic(
    part: Part, model: str, naming: Callable[[str], str], strictly: bool = False
) -> Derivation:
    """Return the formula of a model; ``naming`` gives the letter of a path.

    Raises ``NotSymbolic``, which names what is not understood and, if ``strictly``, what can only
    be pinned to one value.
    """
    trace = Trace(part, model, strictly=strictly)
    conditions = trace.conditions()

    def trace_at(own: Mapping[str, int]) -> Trace | None:
        with suppress(NotSymbolic, Refused, *ERRORS):
            return Trace(part, model, own, strictly)
        return None

    def count_at(sizes: Mapping[str, int]) -> int | None:
        with suppress(Refused, *ERRORS):
            other = type(part)(part.catalogue, part.program.name, with_sizes(part, sizes))
            if all(size_at(other, path) in (size, ABSENT) for path, size in sizes.items()):
                return other.count(model)["trainable"]
        return None

    others = filter(None, map(trace_at, other_sizes(trace, conditions)))
    traces = [trace, *islice(others, TRACES)]
    found = derived(part, model, traces, conditions)

    def derived_with(sizes: Mapping[str, int]) -> Derivation | None:
        if len(traces) == MOST_TRACES or (more := trace_at(sizes)) is None:
            return None
        traces.append(more)
        return derived(part, model, traces, conditions)

    # The length of a list of kinds is a size, too, but changing it would need another list.
    kinds = trace.recorder.lengths_of_kinds
    still = {*kinds.values(), 0}
    moving = [k for k, n in found.sizes.items() if k not in kinds and n not in still]
    found = holding_elsewhere(found, moving, count_at, derived_with)
    return found.renamed({path: naming(path) for path in found.sizes})


def formula_in_experts(found: Entry) -> Derivation:
    """Return a formula in which only numbers of experts are letters. Raises ``ValueError``.

    Active parameters need to know what belongs to the experts: what their number changes.
    """
    # A key that no class declares, such as the top_k of sampling, is not a number of experts.
    declared = {
        joined(path, part.program.aliases.get(name, name))
        for path, part in found.parts.items()
        for name in part.program.types
    }

    def is_of_experts(path: str, size: int) -> bool:
        if says_per_token(path):
            return size > 0 and path in declared
        return size > 1 and has_experts([path])

    return formula_in(found, is_of_experts)


def formula_at_sizes(found: Entry) -> Derivation:
    """Return a formula without letters."""
    formula = formula_in(found, lambda path, size: False)
    return replace(formula, caveats=("the formula holds for these sizes only",))


def formula_in(found: Entry, only: Callable[[str, int], bool]) -> Derivation:
    trace = Trace(found.part, found.class_name, only=only)
    return derived(found.part, found.class_name, [trace], Conditions(trace.sizes))
