"""Write the tensors of a traced model class, with nothing in them but terms and JSON scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn

from paramproof.tracing.configuration.layers import AutoModule, Module, mentions_module, reached
from paramproof.tracing.configuration.modules import ModuleInterpreter
from paramproof.tracing.configuration.paths import Raised
from paramproof.tracing.configuration.reader_terms import Model, Row, module_of, rows_of, tensor_of
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import (
    Term,
    Unknown,
    Value,
    both,
    exported,
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
    def __init__(self, run: ModuleInterpreter) -> None:
        self.run = run
        self.storages: dict[int, int] = {}
        self.path: list[str] = []
        self.autos: dict[int, tuple[str, Term]] = {}
        """The models of any class, each with its path."""

    def value(self, value: Value) -> Value:
        if is_computed(value):
            raise Unknown(f"a computed shape or condition: {'.'.join(self.path)}")
        return exported(self.run.frozen(value))

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
            found += self.named(name, value, condition, module.buffers.get(name))
        found += self.named(None, module.named.items, condition)
        found += self.named(None, module.layers.items, condition)
        return found

    def named(  # noqa: C901 - a case for each kind of value
        self, name: Value, value: Value, condition: Value, persistent: bool | None = None
    ) -> list[Row]:
        match value:
            case Term(op="list", args=args) | tuple(args) if name is None:
                return [row for one in args for row in self.named(None, one, condition)]
            case Term(op="concat", args=(lists,)) if name is None:
                return self.named(None, lists, condition)
            case Term(op="comp", args=(depth, source, element, kept)) if name is None:
                rows = module_of(self.named(None, element, True))
                loop = term("comp", depth, self.value(source), rows, self.value(kept))
                return [("", self.value(condition), loop)]
            case Term(op="entry", args=(key, inner)):
                return self.named(self.value(key), inner, condition)
            case Term(op="if", args=(test, one, other)):
                if is_computed(test):
                    # Both sides may give the same: nothing, for dropped layers.
                    sides = [self.named(name, x, condition, persistent) for x in (one, other)]
                    if sides[0] == sides[1]:
                        return sides[0]
                first = self.named(name, one, both(condition, test), persistent)
                return first + self.named(name, other, both(condition, negate(test)), persistent)
            case Tensor():
                role = value.role
                if persistent is not None and not role:
                    role = "buffer" if persistent else "temporary buffer"
                if not role:
                    return []
                what = self.inside(name, lambda: self.tensor(value, role))
            case Term(op="opaque", args=("module",)):
                raise Unknown("a module that is inside of one of any class")
            case AutoModule():
                what = self.auto(name, value)
            case Term(op="inside", args=(holder, inner)):
                path, made = self.autos.get(holder.serial, ("*", None))
                if "*" in path:
                    raise Unknown("a tensor inside of layers of any class, or before there is one")
                what = term("tied", made, inner)
            case Module() if issubclass(value.kind, nn.Module):
                what = self.inside(name, lambda: module_of(self.rows(value)))
            case Term(op="opaque", args=("function" | "object" | "attribute", *_)) if (
                self.run.is_live
            ):
                raise Unknown(f"an object that may be a module: {'.'.join(self.path)}.{name}")
            case Term(op="fold" | "state" | "get") if mentions_module(value):
                raise Unknown(f"a module that a loop changes: {'.'.join(self.path)}")
            case Term() if name is None:
                raise Unknown(f"layers {value!r:.80}")
            case _:
                return []
        if condition is False or not (what.args or name is None):
            return []
        if is_computed(condition) and not is_op(condition, "and"):
            # Rotary positions, or numbers of a tensor, may decide about temporary buffers alone.
            for unsized in without_shapes(what):
                condition, what = True, unsized
        return [(name, self.value(condition), what)]

    def inside(self, name: Value, run: Callable[[], Any]) -> Any:
        self.path.append("*" if name is None or isinstance(name, Term) else name)
        found = run()
        self.path.pop()
        return found

    def number(self, storage: tuple[Value, ...]) -> tuple[Value, ...]:
        serial, *turns = storage
        return (self.storages.setdefault(serial, len(self.storages)), *turns)

    def auto(self, name: Value, module: AutoModule) -> Term:
        path = self.inside(name, lambda: ".".join(self.path))
        part, storage = self.value(module.own["config"]), self.number(module.storage)
        made = term("model", part, module.auto.__name__, term("list", *storage))
        return self.autos.setdefault(module.serial, (path, made))[1]

    def tensor(self, tensor: Tensor, role: str) -> Term:
        shape = self.value(tensor.shape)
        if shape is None and role == "parameter":
            raise Unknown(f"a parameter of an unknown shape: {'.'.join(self.path)}")
        trainable = role == "parameter" and self.value(tensor.own["requires_grad"])
        return tensor_of(role, trainable, shape, self.number(tensor.storage))


def is_computed(value: Value) -> bool:
    return mentions(value, lambda one: one.op in COMPUTED)


def without_shapes(what: Term) -> list[Term]:
    """Return temporary buffers with unknown shapes, or nothing if there is anything else."""
    match what:
        case Term(op="tensor", args=("temporary buffer" as role, trains, _, storage)):
            return [term("tensor", role, trains, None, storage)]
        case Term(op="module"):
            rows = [*rows_of(what)]
            inner = [one for row in rows for one in without_shapes(row[2])]
            if inner and len(inner) == len(rows):
                new = zip(rows, inner, strict=True)
                return [term("module", *(x for row, one in new for x in (*row[:2], one)))]
    return []
