"""Derive the formula of a model class, in letters, from its program and one configuration.

A program says what a class makes of any configuration; ``partial`` evaluates it with each int as a
letter. What comes out are tensors with symbolic shapes, and the conditions under which they are
those. The number of a tensor is a closed form of its loops where there is one. Where there is none,
and where a shape depends on the index, the loop is unrolled, and its length becomes a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, TypeAlias

from paramproof.catalogue.occurrences import ALWAYS, Indicator
from paramproof.catalogue.partial import (
    Choice,
    Environment,
    Evaluator,
    NotSymbolic,
    Object,
    Unroll,
    Value,
    arithmetic_of,
    indexes_of,
    negated,
)
from paramproof.catalogue.program import ABSENT, ERRORS, Part, Refused
from paramproof.formulas.active import says_per_token
from paramproof.formulas.architecture import Evidence
from paramproof.formulas.condition import Condition, Consequence, StatedCondition
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import Expression, expression, letter, sum_of
from paramproof.formulas.path import LAYER

Lengths: TypeAlias = Mapping[str, Value]


class Row(NamedTuple):
    """A tensor in the loops around it, with their lengths, and where it is there."""

    path: str
    shape: tuple[Expression, ...] | None
    role: Any
    where: Indicator
    lengths: Lengths
    storage: tuple[Any, ...]


@dataclass(frozen=True)
class Symbolic:
    """The formula of a model class at one configuration.

    ``constants`` are the values on which it rests, by path, and ``defaults`` the letters that the
    configuration class computes from others. ``unstated`` are refusals without a condition.
    """

    derivation: Derivation
    constants: Mapping[str, Value]
    defaults: Mapping[str, Expression]
    unstated: tuple[str, ...]


def symbolic(part: Part, model: str, naming: Callable[[str], str]) -> Symbolic:
    """Return the formula of a model class; ``naming`` gives the letter of a path.

    Raises ``NotSymbolic``, which names what is not understood.
    """
    found = _Converter(part, naming).model(model)
    require_count(found.derivation, part, found.derivation.sizes)
    return found


def require_count(derivation: Derivation, part: Part, sizes: Mapping[str, int]) -> None:
    """Require that a formula gives as many parameters as the reader counts."""
    own, counted = derivation.formula.value(sizes), part.count(derivation.name)["trainable"]
    if own != counted:
        at = ", ".join(f"{name} = {sizes[name]}" for name in sorted(derivation.formula.letters))
        raise NotSymbolic(f"{derivation.name} has {counted} parameters at {at}, not {own}")


def check(found: Symbolic, part: Part, draws: int = 3) -> int:
    """Check a formula at other sizes that meet its conditions; return at how many.

    Raises ``NotSymbolic`` if the reader counts another number of parameters there.
    """
    derivation, random, checked = found.derivation, Random(found.derivation.name), 0
    for _ in range(20 * draws):
        keys, sizes = deepcopy(dict(part.keys)), dict(derivation.sizes)
        for name, path in derivation.fields.items():
            *parts, last = path.split(".")
            holder: Any = keys
            for one in parts:
                holder = holder.get(one) if isinstance(holder, dict) else None
            if isinstance(holder, dict) and "[" not in path:
                if random.random() < 0.7:
                    size = sizes[name]
                    sizes[name] = random.randint(min(size, 1), size + 2) * random.choice([1, 1, 2])
                holder[last] = sizes[name]
        if derivation.violated(sizes) is None:
            with suppress(Refused):
                other = Part.of(part.catalogue, part.program.name, keys)
                # Another key may win over one that is set here.
                pairs = ((sizes[name], path) for name, path in derivation.fields.items())
                if all("[" in path or value_at(other, path) in (n, ABSENT) for n, path in pairs):
                    require_count(derivation, other, sizes)
                    checked += 1
        if checked == draws:
            break
    return checked


def value_at(part: Part, path: str) -> Value:
    """Return the value of a field, or ``ABSENT``."""
    found: Any = part
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Part | dict) else ABSENT
    return found


class _Converter(Evaluator):
    def model(self, name: str) -> Symbolic:
        file, data = self.catalogue.find("models", name)
        refusals = [(file, node) for node in data.get("refusals", {}).values()]
        self.is_refusal = True
        for of, node in [*refusals, *self.whole.part.program.refused.values()]:
            self.require(node, False, Environment(of, self.whole, None if of is file else ""))
        # What was decided for refusals is not a condition of the tensors.
        self.is_refusal, self.read = False, {}
        env = Environment(file, self.whole)
        rows = [*self.block(data["block"], "", env, ALWAYS, {})]
        tensors = tuple(self.tensors(rows))
        self.read_per_token()
        conditions = [StatedCondition(c, Consequence(o)) for c, o in self.conditions.items()]
        used = [one for tensor in tensors for one in (tensor.times, *tensor.shape)]
        used += [side for one in self.conditions for side in (one.left, one.right)]
        letters = frozenset[str]().union(*(one.letters for one in used))
        derivation = Derivation(
            name=name,
            sizes=self.sizes,
            fields=self.fields,
            tensors=tensors,
            conditions=tuple(conditions),
            fixed=(),
            inert=tuple(one for one in self.sizes if one not in letters),
            unread=(),
            unexplained=tuple({f"{row.path} (buffer)": None for row in rows if row.shape is None}),
            irrelevant_guards=(),
            caveats=(),
            evidence=Evidence(1, 0, 0, 0.0, file.data["versions"]),
            validated={one: (0, 0) for one, size in self.sizes.items() if not size},
        )
        return Symbolic(derivation, self.constants, self.defaults, tuple(self.unstated))

    def read_per_token(self) -> None:
        """Read how many experts a token passes. No constructor does; active parameters need it."""
        parts = [one for one in self.read.values() if isinstance(one, Object)]
        for owner in (self.whole, *parts):
            for name in filter(says_per_token, owner.part.program.types):
                if type(owner.part.get(name)) is int:
                    self.field(owner, name)

    def require(self, node: Value, wanted: bool, env: Environment) -> None:
        """State what must be met so that a refusal's condition is as ``wanted``, if it is known."""
        try:
            self.state_that(node, wanted, env)
        except (NotSymbolic, Unroll, *ERRORS) as error:
            if isinstance(error, Unroll) and env.turns:
                raise
            self.unstated.append(f"{type(error).__name__}: {error}")

    def state_that(self, node: Value, wanted: bool, env: Environment) -> None:
        data, _, env = env.found(node)
        op, *args = data if isinstance(data, list) else [None]
        if op == "not":
            self.state_that(args[0], not wanted, env)
        elif op in ("and", "or") and (op == "and") is wanted:
            for one in args:
                self.require(one, wanted, env)
        elif op in ("and", "or"):
            # One of them is enough. What is so for any sizes leaves nothing to state, and the last
            # one is what is checked: those before it say where.
            values = [self.undecided(one, env) for one in args]
            for one, value in zip(reversed(args), reversed(values), strict=True):
                is_so = value is None or (value is not wanted and self.known(value) is wanted)
                if wanted not in values and is_so:
                    return self.state_that(one, wanted, env)
        elif op == "any" and not wanted and (loop := env.found(args[0]))[0][0] == "comp":
            self.require_of_all(loop[0][1:], loop[2])
        elif isinstance(value := self.truth(self.ev(node, env)), Condition):
            self.state(value if value.is_met(self.sizes) else negated(value))

    def undecided(self, node: Value, env: Environment) -> bool | Condition | None:
        """Return a condition, or whether it is met at any sizes; None if it is put together."""
        data, _, env = env.found(node)
        op, *args = data if isinstance(data, list) else [None]
        if op == "not":
            value = self.undecided(args[0], env)
            return None if value is None else negated(value)
        if op in ("and", "or"):
            decisive, values = op == "or", [self.undecided(one, env) for one in args]
            left = [one for one in values if one is not (not decisive)]
            return decisive if decisive in values else left[0] if len(left) == 1 else None
        value = None if op == "any" else self.truth(self.ev(node, env))
        return value if isinstance(value, bool | Condition) else None

    def require_of_all(self, loop: list[Any], env: Environment) -> None:
        """State what must be met so that no item of a list is refused."""
        name, source, element, kept = loop
        of, index = self.as_items(self.ev(source, env)), f"@{name}"
        if kept is not True or not (number := self.known(of.length)):
            return
        try:
            # What refuses an item refuses any, unless it depends on the index.
            self.require(element, False, env.bind(name, of, letter(index)))
        except Unroll as error:
            if error.index != index:
                raise
            for i in range(number):
                self.require(element, False, env.bind(name, of, i))

    def block(
        self, number: int, path: str, env: Environment, where: Indicator, lengths: Lengths
    ) -> Iterator[Row]:
        for written, kind, what, *more in env.file.data["blocks"][number]:
            condition, *rest = more or [True]
            here = where * self.indicator(self.truth(self.ev(condition, env)))
            name = self.ev(written, env) if here.terms else None
            for also, one in name.cases if isinstance(name, Choice) else [(ALWAYS, name)]:
                step = LAYER if one is None or one.isdigit() else one
                inside = f"{path}.{step}" if path else step
                if not (there := here * also).terms:
                    continue
                if kind == "block":
                    yield from self.block(what, inside, env, there, lengths)
                elif kind == "loop":
                    yield from self.loop(what, rest, path, env, there, lengths)
                else:
                    storage = tuple(env.turns.get(one, one) for one in rest[0]) if rest else ()
                    row = Row(inside, None, kind, there, lengths, storage)
                    yield from self.shaped(row, what, env)

    def loop(
        self, block: int, loop: Any, path: str, env: Environment, where: Indicator, lengths: Lengths
    ) -> Iterator[Row]:
        name, source, kept = loop
        of = self.as_items(self.ev(source, env))
        for index in indexes_of(of.length):
            raise Unroll(index)

        def body(i: Value, lengths: Lengths) -> Iterator[Row]:
            inner = env.bind(name, of, i)
            here = where * self.indicator(self.truth(self.ev(kept, inner)))
            return self.block(block, path, inner, here, lengths)

        index = f"@{name}"
        try:
            length = self.op_len(of)
            rows = merged(body(letter(index), {**lengths, index: length}))
            for row in rows:
                if not row.storage and self.counter.count(row.where, {index: length}) is None:
                    raise Unroll(index)
            yield from rows
        except Unroll as error:
            if error.index != index:
                raise
            for i in range(self.fixed(of.length)):
                yield from body(i, lengths)

    def shaped(self, row: Row, shape: Value, env: Environment) -> Iterator[Row]:
        """Yield a tensor, once for each shape that it has by the indexes of loops."""
        is_buffer = row.role not in ("trainable", "frozen")
        row = row._replace(role="buffer" if is_buffer else row.role)
        try:
            value = self.ev(shape, env)
            shapes = value.cases if isinstance(value, Choice) else [(ALWAYS, value)]
            every = [(where, self.lengths(one)) for where, one in shapes if one is not None]
        except (NotSymbolic, *ERRORS):
            if not is_buffer:
                raise
            every = []
        if not every:
            yield row
        for where, sizes in every:
            if (here := row.where * where).terms:
                lengths = tuple(self.dimension(row.path, one) for one in sizes)
                yield row._replace(shape=lengths, where=here)

    def lengths(self, shape: Value) -> list[Value]:
        return [shape] if isinstance(shape, int | Expression) else self.listed(shape)

    def dimension(self, path: str, value: Value) -> Expression:
        value = arithmetic_of(value)
        if type(value) not in (int, Expression):
            raise NotSymbolic(f"{path} has a length of {value!r:.60}")
        for index in indexes_of(value):
            raise Unroll(index)
        return self.without_floors(expression(value))

    def tensors(self, rows: list[Row]) -> Iterator[DerivedTensor]:
        """Yield the tensor groups, in which tensors of one storage are one."""
        stored: dict[Any, list[Row]] = {}
        found: dict[Any, list[Expression]] = {}
        for row in rows:
            if row.shape is not None:
                stored.setdefault(row.storage or (id(row),), []).append(row)
        for group in stored.values():
            for row, names in self.named(group) if group[0].storage else [(group[0], [])]:
                number = self.counter.count(row.where, row.lengths)
                if number is None:
                    raise NotSymbolic(f"the number of {row.path}")
                key = row.path, row.shape, row.role, tuple(sorted({*names}))
                found.setdefault(key, []).append(self.without_floors(number))
        for (path, shape, role, aliases), numbers in found.items():
            if times := sum_of(numbers):
                yield DerivedTensor(path, shape, times, role, aliases, True, True)

    def named(self, group: list[Row]) -> list[tuple[Row, list[str]]]:
        """Return the tensors of one storage; by the indexes it has one of several sets of names."""
        held: list[tuple[Row, list[str]]] = []
        for row in group:
            own = {str(turn) for turn in row.storage[1:]}
            inner = {index: length for index, length in row.lengths.items() if index in own}
            outer = {index: length for index, length in row.lengths.items() if index not in own}
            where, times = self.shared(row.where, outer)
            names = [row.path] * min(times, 2)
            after: list[tuple[Row, list[str]]] = []
            for one, others in held:
                both = one.where * where
                after.append((one._replace(where=one.where - both), others))
                after.append((one._replace(where=both), [*others, *names]))
                where = where - both
            after.append((row._replace(where=where, lengths=inner), names[1:]))
            held = [(one, others) for one, others in after if one.where.terms]
        return held

    def shared(self, where: Indicator, outer: Lengths) -> tuple[Indicator, int]:
        """Return where a storage is that the items of some loops share, and how many do."""
        own = {frozenset(one for one in facts if one.loop not in outer) for facts in where.terms}
        if not outer or not own:
            return where, 1
        if len(own) > 1:
            raise NotSymbolic("a tensor that items of some kind share")
        (inner,) = own
        others = Indicator({facts - inner: number for facts, number in where.terms.items()})
        number = self.counter.count(others, outer)
        times = self.known(number)
        self.at_most(min(times, 2), number) if times else self.at_most(number, 0)
        return Indicator({inner: 1} if times else {}), times


def merged(rows: Iterator[Row]) -> list[Row]:
    """Return the rows with those that differ in nothing but where they are as one."""
    found: dict[Any, Row] = {}
    for row in rows:
        key = row.path, row.shape, row.role, row.storage, (*row.lengths,)
        where = found[key].where + row.where if key in found else row.where
        found[key] = row._replace(where=where)
    return [*found.values()]
