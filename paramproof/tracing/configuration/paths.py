"""The conditions that the interpreter assumes, and the objects that code changes.

The interpreter follows both sides of a condition that it does not know: ``path`` has the
conditions assumed on the way to a statement. An assignment under a condition keeps the old value
where the condition is false, so that after both sides an object has a choice of values. Where code
raises, the conditions of the path become a refusal; so they do where the interpreter does not know
how to go on, because a program that is not understood must not be trusted.
"""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial, reduce
from itertools import count, takewhile
from typing import Any, TypeAlias

from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    decided,
    facts_of,
    negate,
)

ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, NotImplementedError)
"""What code raises for values that it refuses."""


class Raised(Exception):
    """The code that is run raises an error for every value under the conditions assumed."""


Reason: TypeAlias = str | Unknown | None
"""Why the class refuses values, what is not understood of it, or None for another limit of ours."""


class Heap:
    """An object that code can change; ``birth`` is the path under which it was made."""

    serials = count()

    def __init__(self, birth: Sequence[Value] = ()) -> None:
        self.birth = tuple(birth)
        self.serial = next(Heap.serials)
        self.own: dict[Any, Value] = {}


class Dict(Heap):
    """A dictionary: entries of its own, each perhaps absent, over those of an unknown ``base``."""

    def __init__(self, birth: Sequence[Value], base: Value = None, own: Any = ()) -> None:
        super().__init__(birth)
        self.base, self.own = base, dict(own)


class List(Heap):
    """A list or a set: a tuple of items, or a term for an unknown list."""

    def __init__(self, birth: Sequence[Value], items: Value = (), kind: type = list) -> None:
        super().__init__(birth)
        self.items, self.kind = items, kind


class Instance(Heap):
    """A configuration object: the one that is made, or a part, which has an ``origin``.

    ``kind`` is None for a part whose class is unknown. ``rest`` has the keys that became
    attributes.
    """

    def __init__(self, birth: Sequence[Value], kind: Any, origin: Value = None) -> None:
        super().__init__(birth)
        self.kind, self.origin = kind, origin
        self.rest: Dict | None = None


class Frame(Heap):
    """The names of a function that is running; ``parent`` is the frame around a nested one."""

    def __init__(self, birth: Sequence[Value], function: Any, parent: Frame | None = None) -> None:
        super().__init__(birth)
        self.function, self.parent = function, parent


class Paths:
    """The conditions assumed, the refusals found, and assignments under a condition."""

    def __init__(self) -> None:
        self.path: list[Value] = []
        self.facts: list[dict[Value, bool]] = [{}]
        self.refusals: dict[Value, Reason] = {}
        self.pins: dict[Value, Reason] = {}
        """Conditions assumed to be false, for example that an unknown part is of another class."""
        self.journal: list[dict[int, tuple[Heap, dict[str, Any]]]] = []
        self.depth = 0

    def known(self, condition: Value) -> Value:
        """Return whether a condition is true, or the condition if that is unknown."""
        return decided(condition, self.facts[-1])

    @contextmanager
    def assuming(self, condition: Value) -> Iterator[None]:
        self.path.append(condition)
        self.facts.append(self.facts[-1] | facts_of(condition))
        try:
            yield
        finally:
            self.path.pop()
            self.facts.pop()

    @contextmanager
    def inside_loop(self) -> Iterator[tuple[dict[Value, Reason], int, set[Heap]]]:
        """Run the body of a loop for any item: it is given its refusals, and changes nothing.

        Objects whose serial number is smaller than the number given were made outside. Those that
        are put into the set keep their changes.
        """
        outer, start = (self.path, self.facts, self.refusals), next(Heap.serials)
        self.path, self.facts, self.refusals = [], [{**self.facts[-1]}], {}
        self.journal.append({})
        self.depth += 1
        kept: set[Heap] = set()
        try:
            yield self.refusals, start, kept
        finally:
            self.depth -= 1
            for holder, state in self.journal.pop().values():
                if holder.serial < start and holder not in kept:
                    vars(holder).update(state)
            self.path, self.facts, self.refusals = outer

    def under(self, condition: Value, run: Callable[[], Value], default: Value = MISSING) -> Value:
        """Run something under a condition; return the default where all of it is refused."""
        with self.assuming(condition):
            try:
                return run()
            except (Raised, Unknown) as error:
                self.refuse(error if isinstance(error, Unknown) else str(error))
        return default

    def refuse(self, why: Reason, condition: Value = True) -> None:
        """Note that the values under the conditions assumed are refused."""
        if condition is False:
            return
        for level in range(len(self.path) + 1):
            whole = reduce(both, (*self.path[level:], condition))
            self.facts[level] |= facts_of(negate(whole))
            if level == 0 and whole is not False:
                self.refusals.setdefault(whole, why)

    def since(self, birth: Sequence[Value]) -> Value:
        """Return the condition assumed since something was made."""
        pairs = zip(birth, self.path, strict=False)
        shared = [*takewhile(lambda pair: pair[0] is pair[1], pairs)]
        return reduce(both, self.path[len(shared) :], True)

    def touch(self, holder: Heap) -> None:
        """Remember an object as it is before it is changed."""
        for journal in self.journal:
            state = {**vars(holder), "own": dict(holder.own)}
            journal.setdefault(id(holder), (holder, state))

    def settle(self, value: Value) -> Value:
        """Return a value without the choices whose condition is known."""
        if not (isinstance(value, Term) and value.op == "if"):
            return value
        condition, *sides = value.args
        known = self.known(condition)
        return value if known is condition else self.settle(choose(known, *sides))

    def each(self, value: Value, run: Callable[[Value], Value]) -> Value:
        """Return the result of a function for a value, separately for each side of a choice."""
        value = self.settle(value)
        if not (isinstance(value, Term) and value.op == "if"):
            return run(value)
        condition, *sides = value.args
        return self.both_sides(condition, *(partial(self.each, one, run) for one in sides))

    def pairs(self, left: Value, right: Value, run: Callable[[Value, Value], Value]) -> Value:
        """Return the result of a function for two values, separately for each side of a choice."""
        return self.each(left, lambda one: self.each(right, lambda other: run(one, other)))

    def both_sides(
        self, condition: Value, one: Callable[[], Value], other: Callable[[], Value]
    ) -> Value:
        """Return the value of one of two computations, each run under its condition."""
        if isinstance(condition, bool):
            return one() if condition else other()
        refused = object()
        first = self.under(condition, one, refused)
        second = self.under(negate(condition), other, refused)
        if first is second is refused:
            raise Raised("an error on both sides of a condition")
        if first is refused:
            return second
        return first if second is refused else choose(condition, first, second)

    def native(self, function: Callable[..., Any], *args: Value, **named: Value) -> Value:
        """Call a function of Python; an error is one of the code that is run."""
        try:
            return function(*args, **named)
        except ERRORS as error:
            raise Raised(f"{type(error).__name__}: {error}") from None


@cache
def source_of(code: types.CodeType) -> ast.FunctionDef | ast.Lambda:
    """Return the syntax tree of a function, with the lines of its file.

    Two lambdas of one line that have the same parameters are not told apart.
    """
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    match _functions_in(code.co_filename).get((code.co_name, code.co_firstlineno, names)):
        case [one]:
            return one
    raise Unknown(f"the source of {code.co_qualname}")


@cache
def _functions_in(file: str) -> dict[Any, list[ast.FunctionDef | ast.Lambda]]:
    """Return the functions of a file by their names, first lines and parameters."""
    found: dict[Any, list[ast.FunctionDef | ast.Lambda]] = {}
    with suppress(SyntaxError):
        for one in ast.walk(ast.parse("".join(linecache.getlines(file)))):
            if isinstance(one, ast.FunctionDef | ast.Lambda):
                first = min(x.lineno for x in (one, *getattr(one, "decorator_list", ())))
                every = (*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs)
                key = getattr(one, "name", "<lambda>"), first, tuple(x.arg for x in every)
                found.setdefault(key, []).append(one)
    return found
