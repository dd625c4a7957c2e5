"""Modules and lists of layers, whose number may be unknown.

A list of layers is a list of modules; over an unknown number of layers it is a ``comp``, whose
element is one module with sizes in the turn of the loop. Here is what looks into such lists: the
tensors inside of a module, their names, and the module of one turn.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from torch import nn

from paramproof.tracing.configuration.paths import Heap, Instance, List
from paramproof.tracing.configuration.statements import Loop, is_opaque
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    inside,
    leaves,
    term,
    varies,
)

if TYPE_CHECKING:
    from paramproof.tracing.configuration.modules import ModuleInterpreter

LISTS = (nn.ModuleList, nn.Sequential, nn.ParameterList)
DICTS = (nn.ModuleDict, nn.ParameterDict)

INNER = 5
"""Added to a loop's variable to get one for its earlier turns, since no nesting is this deep."""


class Module(Heap):
    """A module of torch; ``own`` has its attributes, ``buffers`` which of them are buffers."""

    def __init__(self, birth: Sequence[Value], kind: Any) -> None:
        super().__init__(birth)
        self.kind = kind
        self.buffers: dict[str, bool] = {}
        self.layers = List(birth)
        self.named = List(birth)
        """Attributes whose name is unknown, as terms ``entry``."""

    def __repr__(self) -> str:
        return f"<{self.kind.__name__}>"


class AutoModule(Module):
    """A model that a class such as ``AutoModel`` builds from a part of any class.

    The term ``inside``, of the model and a path, is the module or tensor at that path.
    """

    def __init__(self, birth: Sequence[Value], auto: Any, config: Instance, depth: int) -> None:
        super().__init__(birth, nn.Module)
        self.own["config"] = self.config = config
        self.auto = auto
        self.storage = (self.serial, *(term("turn", one) for one in range(depth)))


def without_opaque(source: Value) -> Value:
    """Return a source with each computed list replaced by a known one, which has as many items."""
    match source:
        case Term(op="enumerate", args=(inner, start)):
            return term("enumerate", without_opaque(inner), start)
        case Term(op="zip", args=args):
            known = [one for one in args if not is_opaque(one)]
            if known:
                return term("zip", *(one if one in known else known[0] for one in args))
    return source


def items_at(source: Value, item: Value, index: Value) -> dict[Term, Value]:
    """Return what replaces the item of a source, and the parts of the item, at another turn."""
    found = {item: term("get", source, index)}
    match source:
        case Term(op="enumerate", args=(inner, start)):
            found[term("get", item, 0)] = index if start == 0 else term("+", index, start)
            found |= items_at(inner, term("get", item, 1), index)
        case Term(op="zip", args=args):
            for number, one in enumerate(args):
                found |= items_at(one, term("get", item, number), index)
        case Term(op="range", args=(0, _, 1)):
            found[item] = index
    return found


IMAGES: WeakKeyDictionary[Heap, tuple[Heap, Value]] = WeakKeyDictionary()
"""Copies of objects for one turn of a loop: each one's original, and the condition of the turn."""


def image_of(value: Heap, when: Value = MISSING) -> Heap:
    made = copy.copy(value)
    IMAGES[made] = value, when
    return made


@dataclass
class Renamer:
    """Replaces some terms by others, also inside of modules, or of what ``begin`` makes."""

    terms: dict[Term, Value]
    begin: Callable[[Heap], Any] = lambda one: one
    kinds: Any = Module | Tensor | List
    objects: dict[Heap, Any] = field(default_factory=dict)

    def of(self, value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        if isinstance(value, Term):
            if value not in self.terms:
                self.terms[value] = term(value.op, *map(self.of, value.args))
            return self.terms[value]
        is_plain = isinstance(value, List) and not mentions_module(value.items)
        if is_plain or not isinstance(value, self.kinds):
            return value
        if value not in self.objects:
            made = self.objects[value] = self.begin(value)
            made.own = {key: self.of(one) for key, one in value.own.items()}
            for name in vars(made).keys() & {"items", "layers", "named", "shape", "storage"}:
                setattr(made, name, self.of(getattr(made, name)))
        return self.objects[value]


def copied(run: ModuleInterpreter, value: Value) -> Value:
    """Return a copy of a value, with the modules in it."""
    if not isinstance(value, Instance) and not mentions_module(value):
        return run.boxed(value)

    def begin(one: Heap) -> Any:
        made: Any = copy.copy(one)
        made.birth, made.serial = (*run.path,), next(Heap.serials)
        if isinstance(made, Tensor | AutoModule):
            turns = (term("turn", depth) for depth in range(run.depth))
            made.storage = (made.serial, *turns, *made.storage[1:])
        if isinstance(made, Module):
            made.buffers = dict(made.buffers)
        return made

    copier = Renamer({}, begin, Module | Tensor | List | Instance)
    made = copier.of(value)
    loops = (one for one in copier.terms if one.op == "comp" and one.args[0] < run.depth)
    if any(map(mentions_module, loops)):
        raise Unknown("a copy of layers inside of a loop")
    return made


def at_turn(loop: Loop, number: int) -> Value:
    """Return the value of a state of a loop at the beginning of a turn."""
    depth, source, starts, nexts = loop
    start, after = starts[number], nexts[number]
    state, turn = term("state", depth, number), term("turn", depth)
    if after is state:
        return start
    if not varies(after, depth, ("state",)):
        last = term("-", turn, 1)
        changes = {turn: last, **items_at(source, term("item", depth), last)}
        before = Renamer(changes, image_of).of(after)
        return term("if", term("==", turn, 0), start, before)
    match after:
        case Term(op="+" | "*" as op, args=(one, other)) if state in (one, other):
            step = other if one is state else one
            if not varies(step, depth):
                return term(op, start, term("*" if op == "+" else "**", step, turn))
    # Inside of the loop, the turns before need a variable of their own.
    other = depth + INNER
    changes = {term(op, depth): term(op, other) for op in ("item", "turn")}
    changes |= {term("state", depth, i): term("state", other, i) for i in range(len(nexts))}
    names = Renamer(changes)
    after_all = [None if mentions_module(one) else names.of(one) for one in nexts]
    return Loop(other, term("slice", source, 0, turn, 1), starts, after_all).folded(number)


def mentions_module(value: Value) -> bool:
    """Return whether a list, a choice or a loop has modules or parameters in it."""
    return any(isinstance(one, Module | Tensor) for one in inside(value))


def with_items(
    run: ModuleInterpreter, items: Value, change: Callable[[Value, Value], Value], number: Value = 0
) -> Value:
    """Return a list of layers with each item changed; the change is given its number, too."""
    match items:
        case Term(op="if"):
            return leaves(items, lambda one: with_items(run, one, change, number))
        case Term(op="list", args=args) | tuple(args):
            numbers = (run.binary(ast.Add(), number, i) for i in range(len(args)))
            made = tuple(map(change, numbers, args))
            return made if isinstance(items, tuple) else term("list", *made)
        case Term(op="comp", args=(depth, source, element, True)):
            turn = term("turn", depth)
            at = turn if number == 0 else run.binary(ast.Add(), turn, number)
            return term("comp", depth, source, change(at, element), True)
        case Term(op="concat", args=(Term(op="list", args=args),)):
            found = []
            for one in args:
                found.append(with_items(run, one, change, number))
                number = run.binary(ast.Add(), number, run.each(one, run.length))
            return term("concat", term("list", *found))
    raise Unknown(f"the items of the layers {items!r:.60}")


def reached(  # noqa: C901 - a case for each kind
    value: Value, what: str = "", run: ModuleInterpreter | None = None, deep: bool = True
) -> dict[Any, tuple[Value, ...]]:
    """Return the parameters, buffers or modules that are inside of a module, or all of them.

    With ``run``, each has the parts of its name, which may be turns of loops. Of modules that are
    not ``deep`` inside the module itself is none.
    """
    found: dict[Any, tuple[Value, ...]] = {}
    seen: set[int] = set()

    def walk(  # noqa: C901 - a case for each kind
        one: Value, path: tuple[Value, ...], is_buffer: bool = False
    ) -> None:
        if id(one) in seen:
            return
        seen.add(id(one))
        match one:
            case Tensor():
                if what in ("", one.role) or (what == "buffer" and is_buffer):
                    found[one] = path
            case AutoModule() if what:
                raise Unknown("what is inside of a model of any class")
            case Module():
                if what in ("", "module") and (deep or one is not value):
                    found[one] = path
                if not deep and one is not value:
                    return
                before = (*path, ".") if path else ()
                for name, inner in one.own.items():
                    walk(inner, (*before, name), name in one.buffers)
                for items in (one.layers.items, one.named.items):
                    if run:
                        with_items(run, items, lambda at, inner: walk(inner, (*before, at)))
                    else:
                        walk(items, before)
            case Term(op="entry", args=(name, inner)):
                walk(inner, (*path[:-1], name))
            case Term(args=args) | tuple(args):
                for inner in args:
                    walk(inner, path, is_buffer)

    walk(value, ())
    return found
