"""Statements: assignments, branches, and loops.

A loop over a known list is unrolled. The body of any other loop runs once, for an item that stands
for all: what the body changes becomes a ``fold``, and a list to which it appends a ``comp``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

from paramproof.tracing.configuration.paths import Dict, Frame, Heap, Instance, List, Raised, Reason
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    either,
    inside,
    mentions,
    negate,
    term,
    varies,
)
from paramproof.tracing.configuration.values import Closure, Values

COLLECTED = "_collected"
"""The name of the list or dictionary that a comprehension makes."""

RESULT, LEFT, BROKEN = "return", "has returned", "break"
"""Names under which a frame has what it returns, and whether it or its loop was left."""

MAX_CELLS = 60
"""How many values a loop may change."""

LOST = object()
"""The value after a loop of a name that only its body assigns."""


class Statements(Values):
    """Runs statements; ``frames`` has those of the functions that are running."""

    eval: Callable[[ast.expr], Value]

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[Frame] = []

    def block(self, body: Sequence[ast.stmt]) -> Value:
        """Run statements; return under which condition the end is reached.

        Where code raises, it does not matter what would come after it: the end counts as reached.
        """
        for number, one in enumerate(body, 1):
            after = self.known(self.statement(one))
            if after is False:
                return False
            if after is not True:
                rest = body[number:]
                return both(after, self.under(after, partial(self.block, rest), True))
        return True

    def statement(self, node: ast.stmt) -> Value:  # noqa: C901 - a case for each kind of node
        frame = self.frames[-1]
        match node:
            case ast.Pass() | ast.AnnAssign(value=None):
                pass
            case ast.Expr(value=value):
                self.eval(value)
            case ast.Assign(targets=targets, value=value):
                found = self.eval(value)
                for target in targets:
                    self.assign(target, found)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, self.eval(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self.assign(target, self.augmented(op, self.eval(target), self.eval(value)))
            case ast.If(test=test, body=body, orelse=orelse):
                return self.branch(self.truth(self.eval(test)), body, orelse)
            case ast.Return(value=value):
                self.write(frame, RESULT, self.eval(value) if value is not None else None)
                self.write(frame, LEFT, True)
                return False
            case ast.Raise():
                raise Raised(f"raised by {frame.function.__qualname__}")
            case ast.For(target=target, iter=source, body=body, orelse=[]):
                return self.loop(target, self.eval(source), body)
            case ast.Break():
                self.write(frame, BROKEN, True)
                return False
            case ast.Continue():
                return False
            case ast.Delete(targets=[ast.Subscript(value=owner, slice=index)]):
                self.call(self.attribute(self.eval(owner), "pop"), [self.eval(index)])
            case ast.ImportFrom() | ast.Import():
                code = compile(ast.Module([node], []), "import", "exec")
                exec(code, frame.function.__globals__, frame.own)
            case ast.FunctionDef(name=name):
                self.write(frame, name, Closure(node, frame))
            case ast.Try(body=body, handlers=handlers, orelse=[], finalbody=[]):
                if not all(isinstance(one.body[-1], ast.Raise) for one in handlers):
                    raise Unknown("an error that is handled")
                return self.block(body)
            case _:
                raise Unknown(f"the statement {ast.unparse(node).splitlines()[0]:.60}")
        return True

    def augmented(self, op: ast.operator, old: Value, value: Value) -> Value:
        if isinstance(op, ast.Add) and isinstance(old, List):
            self.add_items(old, value)
            return old
        return self.binary(op, old, value)

    def branch(self, test: Value, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> Value:
        returns = any(isinstance(one, ast.Return) for part in body for one in ast.walk(part))
        if isinstance(body[-1], ast.Raise) and not returns:
            body = body[-1:]  # How a message is built does not matter.
        if isinstance(test, bool):
            return self.block(body if test else orelse)
        one = self.under(test, lambda: self.block(body), True)
        other = self.under(negate(test), lambda: self.block(orelse), True)
        return choose(test, one, other)

    def assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self.write(self.frames[-1], name, value)
            case ast.Attribute(value=owner, attr=name):
                self.each(self.eval(owner), lambda one: self.set_attribute(one, name, value))
            case ast.Subscript(value=owner, slice=index):
                key = self.eval(index)
                self.each(self.eval(owner), lambda one: self.set_item(one, key, value))
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                found = self.items(value)
                starred = [n for n, one in enumerate(elts) if isinstance(one, ast.Starred)]
                if starred and found is not None:
                    start, end = starred[0], len(found) - len(elts) + starred[0] + 1
                    found[start:end] = [List(self.path, tuple(found[start:end]))]
                elif found is None and not starred:
                    found = [self.subscript(value, number) for number in range(len(elts))]
                if found is None or len(found) != len(elts):
                    raise Unknown("a target with another number of items")
                for one, item in zip(elts, found, strict=True):
                    self.assign(one.value if isinstance(one, ast.Starred) else one, item)
            case _:
                raise Unknown(f"the target {ast.unparse(target)}")

    # Loops

    def loop(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> Value:
        items = self.items(source)
        frame = self.frames[-1]
        outer, frame.own[BROKEN] = frame.own[BROKEN], False
        if items is None:
            self.fold(target, self.frozen(source), body)
        else:
            self.unrolled(target, items, body)
        frame.own[BROKEN] = outer
        return negate(self.known(frame.own[LEFT]))

    def goes_on(self) -> Value:
        frame = self.frames[-1]
        return self.known(negate(either(frame.own[LEFT], frame.own[BROKEN])))

    def unrolled(self, target: ast.expr, items: Sequence[Value], body: Sequence[ast.stmt]) -> None:
        for number, one in enumerate(items):
            goes_on = self.goes_on()
            if goes_on is False:
                return
            if goes_on is not True:
                rest = items[number:]
                self.under(goes_on, partial(self.unrolled, target, rest, body), None)
                return
            self.assign(target, one)
            self.block(body)

    def fold(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> None:
        """Run the body for any item, with what it changes unknown at the start of each turn."""
        frame, depth = self.frames[-1], self.depth
        source, item = self.walk(source)
        own = self.objects_in(item)
        bound = {name for name, value in frame.own.items() if value is not LOST}
        cells = {Cell(frame.own[COLLECTED]): None} if COLLECTED in frame.own else {}
        while True:
            objects = len(self.changed)
            with self.inside_loop() as (refusals, start, kept):
                for number, cell in enumerate(cells):
                    cell.write(self, term("state", depth, number))
                self.assign(target, item)
                self.under(self.goes_on(), partial(self.block, body))
                changed = {
                    Cell(holder, key): None
                    for holder, state in self.journal[-1].values()
                    if holder.serial < start and holder not in own
                    for key in changed_keys(holder, state)
                    if holder is not frame or key in bound
                }
                # An object that the body is the first to change is outside of the loop next time.
                if changed.keys() <= cells.keys() and len(self.changed) == objects:
                    nexts = [cell.read(self) for cell in cells]
                    kept.update(own)  # What belongs to one layer changes in its own turn.
                    break
            cells |= changed
            if len(cells) > MAX_CELLS:
                raise Unknown("a loop that changes more with each turn")
        frame.own |= dict.fromkeys(assigned(target, *body) - bound, LOST)
        loop = Loop(depth, source, [cell.read(self) for cell in cells], nexts)
        self.refuse_turns(loop, refusals)
        for number, cell in enumerate(cells):
            cell.write(self, self.after_loop(loop, number))

    def refuse_turns(self, loop: Loop, refusals: dict[Value, Reason]) -> None:
        """Refuse what any turn of a loop refuses."""
        depth, source, starts, nexts = loop
        ever: Value = term("state", depth, len(nexts))
        reasons: dict[Reason, None] = {}
        for condition, why in refusals.items():
            if varies(condition, depth, ("state",)):
                ever = either(ever, condition)
                reasons[why] = None
            elif varies(condition, depth):
                self.refuse(why, term("any", term("comp", depth, source, condition, True)))
            else:
                self.refuse(why, both(self.truth(List((), source)), condition))
        if reasons:
            last = Loop(depth, source, [*starts, False], [*nexts, ever]).folded(len(nexts))
            limits = [one for one in reasons if not isinstance(one, str)]
            self.refuse(limits[0] if limits else "; ".join(map(str, reasons)), self.known(last))

    def after_loop(self, loop: Loop, number: int) -> Value:
        """Return what a loop made of something: what no turn changes, what each adds, or a fold."""
        found, parts = loop.collected(number)
        return loop.folded(number) if varies(parts, loop.depth, ("state",)) else found

    def walk(self, source: Value) -> tuple[Value, Value]:
        """Return what a loop goes through, and an item of it: a tuple, if the items are."""
        return source, parts_of(source, term("item", self.depth))

    def objects_in(self, item: Value) -> Collection[Heap]:
        """Return the objects that belong to one item of a loop alone."""
        return ()


def assigned(*nodes: ast.AST) -> set[str]:
    """Return the names that code assigns."""
    every = (one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in every if isinstance(one.ctx, ast.Store)}


def parts_of(source: Value, item: Value) -> Value:
    """Return an item of a source as a tuple, if it is one."""
    match source:
        case Term(op="items"):
            return term("get", item, 0), term("get", item, 1)
        case Term(op="enumerate", args=(inner, _)):
            return term("get", item, 0), parts_of(inner, term("get", item, 1))
        case Term(op="zip", args=args):
            return tuple(parts_of(one, term("get", item, i)) for i, one in enumerate(args))
    return term("opaque", "item") if is_opaque(source) else item


def is_opaque(value: Value) -> bool:
    return mentions(value, lambda one: one.op == "opaque")


class Cell(NamedTuple):
    """A place that a loop may change: a name of a frame, an attribute, or a list or dictionary."""

    holder: Heap
    key: Any = None

    def read(self, run: Values) -> Value:
        if self.key is None:
            return run.frozen(self.holder)
        value = self.holder.own.get(self.key, MISSING)
        if value is MISSING and isinstance(self.holder, Instance):
            value = run.attribute_of_instance(self.holder, self.key)
        if isinstance(value, Instance):
            raise Unknown("a loop that changes which part a name stands for")
        return run.frozen(value)

    def write(self, run: Values, value: Value) -> None:
        if self.key is not None:
            run.write(self.holder, self.key, value)
        elif isinstance(self.holder, Dict | List):
            run.replace(self.holder, value)


def changed_keys(holder: Heap, state: dict[str, Any]) -> list[Any]:
    """Return the attributes that differ from a former state; None is a whole list or dictionary."""
    old, now = state["own"], holder.own
    keys = [k for k in {**old, **now} if old.get(k, MISSING) is not now.get(k, MISSING)]
    if not isinstance(holder, Dict | List):
        return keys
    differs = keys or any(vars(holder)[k] is not state[k] for k in state if k in ("base", "items"))
    return [None] if differs else []


class Loop(NamedTuple):
    """A loop over a source, with the values that it changes: at its start, and after a turn."""

    depth: int
    source: Value
    starts: list[Value]
    nexts: list[Value]

    def folded(self, number: int) -> Term:
        """Return the last value of a state, with the states that it depends on."""
        needed, left = set[int](), {number}
        while left:
            needed |= left
            terms = {one for at in left for one in inside(self.nexts[at]) if isinstance(one, Term)}
            states = range(len(self.nexts))
            left = {one for one in states if term("state", self.depth, one) in terms} - needed
        lists = [
            term("list", *(one if at in needed else None for at, one in enumerate(values)))
            for values in (self.starts, self.nexts)
        ]
        return term("fold", self.depth, self.source, *lists, number)

    def collected(self, number: int) -> tuple[Value, Value]:
        """Return a state after the loop, and what each turn adds to it, or a fold."""
        depth, source, start, step = *self[:2], self.starts[number], self.nexts[number]
        state, kept = term("state", depth, number), True
        if step is state:
            return start, None
        match step:
            case Term(op="if", args=(condition, one, other)) if state in (one, other):
                kept, step = (condition, one) if other is state else (negate(condition), other)
        match step:
            case Term(
                op="concat", args=(Term(op="list", args=(Term(op="list", args=[one]), base)),)
            ) if base is state:
                more = term("slice", term("comp", depth, source, one, kept), None, None, -1)
                whole = more if start is term("list") else term("concat", term("list", more, start))
                return whole, term("list", kept, one)
        added = tail_of(step, state)
        parts = term("list", kept, added)
        match added:
            case None:
                return self.folded(number), None
            case Term(op="dict", args=(_, key, value)):
                more = term("comp dict", depth, source, key, value, kept)
                return more if start is term("dict", None) else term("merged", start, more), parts
            case Term(op="list", args=(item,)):
                more = term("comp", depth, source, item, kept)
            case _:
                each = choose(kept, added, term("list"))
                more = term("concat", term("comp", depth, source, each, True))
        return more if start is term("list") else term("concat", term("list", start, more)), parts


def tail_of(value: Value, state: Term) -> Value:
    """Return what follows the old items in the new state of a list or a dictionary, or None."""
    if value is state:
        return term("list")
    match value:
        case Term(op="dict", args=(base, key, item)) if base is state:
            return term("dict", None, key, item)
        case Term(op="concat", args=(Term(op="list", args=(first, more)),)):
            tail = tail_of(first, state)
            if tail is not None and tail.op == more.op == "list":
                return term("list", *tail.args, *more.args)
            return None if tail is None else term("concat", term("list", tail, more))
        case Term(op="if", args=(condition, one, other)):
            match tail_of(one, state), tail_of(other, state):
                case Term(op="list", args=[first]), Term(op="list", args=[second]):
                    return term("list", choose(condition, first, second))
                case Term(op="dict", args=first), Term(op="dict", args=second):
                    return term("dict", *map(partial(choose, condition), first, second))
                case Term() as first, Term() as second if "dict" not in (first.op, second.op):
                    return choose(condition, first, second)
    return None
