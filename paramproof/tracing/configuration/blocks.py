"""Write the tensors of a traced model class, with nothing in them but terms and JSON scalars."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from torch import nn

from paramproof.tracing.configuration.layers import (
    AutoModule,
    Module,
    Renamer,
    mentions_module,
    reached,
)
from paramproof.tracing.configuration.modules import ModuleInterpreter
from paramproof.tracing.configuration.paths import Raised
from paramproof.tracing.configuration.reader_terms import OPAQUE, Model, Row, lowered, module_of
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import (
    Term,
    Unknown,
    Value,
    both,
    inside,
    is_op,
    mentions,
    negate,
    term,
)

COMPUTED = frozenset({"opaque", "rope"})
"""Operations whose result no shape and no condition may depend on."""


@contextmanager
def understood() -> Iterator[None]:
    """Raise ``Unknown`` for whatever goes wrong in the interpreter."""
    try:
        yield
    except Raised as error:
        raise Unknown(f"every value seems to be refused: {error}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Unknown(f"an error inside of the interpreter: {error!r:.80}") from error


def model_of(run: ModuleInterpreter, made: Value) -> Model:
    """Return the tensors of a module, and what its constructor refuses."""
    writer = _Writer(run)
    writer.rows(made)
    rows = writer.rows(made)
    refusals = {}
    for condition, why in {**run.refusals, **run.pins}.items():
        if condition is True:
            raise Unknown(f"everything is refused: {why}")
        if is_computed(condition):
            # No reader knows the numbers of a tensor, such as rates of dropping layers.
            if isinstance(why, Unknown):
                raise Unknown(f"under a computed condition: {why}")
            continue
        refusals[writer.value(condition)] = why if isinstance(why, str) else None
    return Model(module_of(rows), refusals)


class _Writer:
    """Writes a module twice: the first time it sees which tensors occur more than once."""

    def __init__(self, run: ModuleInterpreter) -> None:
        self.run = run
        self.storages: dict[int, int] = {}
        self.path: list[str] = []
        self.paths: dict[int, str] = {}
        self.shared: set[int] = set()
        """The storages of tensors that occur at several paths, or in several turns of a loop."""
        self.autos: dict[int, Term | None] = {}
        """The models of any class; None for those in a loop."""

    def value(self, value: Value) -> Value:
        found = self.run.frozen(value)
        if lowered(found) is OPAQUE:
            raise Unknown(f"a computed shape or condition: {'.'.join(self.path)}")
        return found

    def rows(self, module: Any, condition: Value = True) -> list[Row]:
        if is_op(module, "if"):
            test, one, other = module.args
            first = self.rows(one, both(condition, test))
            return first + self.rows(other, both(condition, negate(test)))
        if issubclass(module.kind, nn.ParameterList | nn.ParameterDict) and any(
            isinstance(one, Tensor) and not one.role for one in reached(module)
        ):
            raise Unknown("a tensor in a list of parameters")
        found: list[Row] = []
        for name, value in module.own.items():
            found += self.enter(name, name, value, condition, module.buffers.get(name))
        found += self.named(None, module.named.items, condition)
        found += self.named(None, module.layers.items, condition)
        return found

    def enter(self, part: str, *of: Any) -> list[Row]:
        """Return the rows of what is at one part of a path."""
        self.path.append(part)
        found = self.named(*of)
        self.path.pop()
        return found

    def named(  # noqa: C901 - a case for each kind of value
        self, name: Value, value: Value, condition: Value, persistent: bool | None = None
    ) -> list[Row]:
        match value:
            case _ if condition is False:
                return []
            case Term(op="list", args=args) | tuple(args) if name is None:
                items = (self.enter(str(i), None, one, condition) for i, one in enumerate(args))
                return [row for rows in items for row in rows]
            case Term(op="concat", args=(lists,)) if name is None:
                return self.named(None, lists, condition)
            case Term(op="comp", args=(depth, source, element, kept)) if name is None:
                rows = module_of(self.enter("*", None, element, True))
                loop = term("comp", depth, self.value(source), rows, self.value(kept))
                return [("", self.value(condition), loop)]
            case Term(op="entry", args=(key, inner)):
                return self.enter(str(key), self.value(key), inner, condition)
            case Term(op="if", args=(test, one, other)):
                # At a name, there is one thing at most: items of a list may be several.
                enter = self.named if name is not None else partial(self.enter, "else")
                if is_computed(test):
                    # Both sides may give the same: nothing, for dropped layers.
                    found = self.named(name, one, condition, persistent)
                    if found == enter(name, other, condition, persistent):
                        return found
                first = self.named(name, one, both(condition, test), persistent)
                return first + enter(name, other, both(condition, negate(test)), persistent)
            case Tensor(role=role):
                if persistent is not None and not role:
                    role = "buffer" if persistent else "temporary buffer"
                trains = value.own["requires_grad"]
                roles = {"trainable": trains, "frozen": negate(trains)}
                exists = roles if role == "parameter" else {role: bool(role)}
                return [
                    self.row(name, when, self.tensor(value, kind))
                    for kind, one in exists.items()
                    if (when := both(condition, one)) is not False
                ]
            case Term(op="opaque", args=("module",)):
                raise Unknown(f"an object that may be a module: {'.'.join(self.path)}")
            case AutoModule():
                part, storage = self.value(value.own["config"]), self.number(value.storage)
                what = term("model", part, value.auto.__name__, term("list", *storage))
                self.autos.setdefault(value.serial, None if "*" in self.path else what)
            case Term(op="inside", args=(holder, inner)):
                made = self.autos.get(holder.serial)
                if made is None:
                    raise Unknown("a tensor inside of layers of any class, or before there is one")
                what = term("tied", made, inner)
            case Module() if issubclass(value.kind, nn.Module):
                what = module_of(self.rows(value))
            case Term(op="fold" | "state" | "get") if mentions_module(value):
                raise Unknown(f"a module that a loop changes: {'.'.join(self.path)}")
            case Term() if name is None:
                raise Unknown(f"layers {value!r:.80}")
            case _:
                return []
        return [self.row(name, condition, what)] if what.args or name is None else []

    def row(self, name: Value, condition: Value, what: Term) -> Row:
        if is_computed(condition) and not is_op(condition, "and"):
            # Rotary positions, or numbers of a tensor, may decide about temporary buffers alone.
            held = [one for one in inside(what) if is_op(one, "tensor", "model", "tied")]
            if held and {one.args[0] for one in held} == {"temporary buffer"}:
                unsized = {one: term("tensor", one.args[0], None, *one.args[2:]) for one in held}
                condition, what = True, Renamer(unsized).of(what)
        return name, self.value(condition), what

    def number(self, storage: tuple[Value, ...]) -> tuple[Value, ...]:
        serial, *turns = storage
        return (self.storages.setdefault(serial, len(self.storages)), *turns)

    def tensor(self, tensor: Tensor, role: str) -> Term:
        """Return a tensor, with its storage if that is shared.

        The shape is a list of sizes; another term, if their number is unknown; or None if it is
        computed.
        """
        shape, path = self.value(tensor.shape), ".".join(self.path)
        if shape is None and role in ("trainable", "frozen"):
            raise Unknown(f"a parameter of an unknown shape: {path}")
        number, *turns = self.number(tensor.storage)
        is_elsewhere = self.paths.setdefault(number, path) != path
        if is_elsewhere or sum(is_op(one, "turn") for one in turns) < self.path.count("*"):
            self.shared.add(number)
        also = [term("list", number, *turns)] if number in self.shared else []
        return term("tensor", role, shape, *also)


def is_computed(value: Value) -> bool:
    return mentions(value, lambda one: one.op in COMPUTED)
