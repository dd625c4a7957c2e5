"""Evaluate expressions of programs with some of the configuration known, and some not.

Flags, texts, null and lists of texts have their values. Each int is a letter, and stays unknown.

A comparison of sizes that decides something is decided as this configuration does, and becomes a
condition. The index of a loop stays unknown, too: what it decides is an ``Indicator``, and what
depends on it in another way raises ``Unroll``, for whoever runs the loop. An operation for which
there is no expression is computed at this configuration, whose sizes in it become conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from paramproof.catalogue.occurrences import ALWAYS, NEVER, Counter, Indicator, fact
from paramproof.catalogue.program import ABSENT, ERRORS, OPERATIONS, File, Part
from paramproof.formulas.condition import Condition, Outcome, Relation
from paramproof.formulas.expression import (
    Computed,
    Expression,
    ceiling,
    computed,
    divided,
    expression,
    floor,
    letter,
    sides,
    sum_of,
)

Value: TypeAlias = Any

COMPUTED = {
    "+": "plus", "-": "minus", "*": "times", "/": "over", "//": "div", "%": "mod", "**": "power",
    **{name: name for name in ("int", "ceil", "floor", "round", "sqrt", "log2")},
    **{name: name for name in ("neg", "float", "abs")},
}  # fmt: skip
"""Operations on numbers, by their names in formulas."""

RELATIONS = {
    "==": (Relation.EQUAL, True), "<": (Relation.LESS, True), ">": (Relation.MORE, True),
    "<=": (Relation.MORE, False), ">=": (Relation.LESS, False),
}  # fmt: skip
MIRRORED = {"==": "==", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
OF_WHOLES = frozenset({"dict", "merged", "keys", "values", "items"})
"""Operations that take symbolic values as they are."""

UNSIZED = ("_token_id", "_token_index")
"""The ends of fields that are ints and no sizes."""

NEW = "?"
"""The path of an object that the configuration does not have."""


class NotSymbolic(ValueError):
    """There is no expression in letters for something in a program."""


class Unroll(Exception):
    """Something is known for each item of the loop with this index, but not for any item."""

    def __init__(self, index: str) -> None:
        self.index = index


@dataclass(frozen=True, eq=False)
class Choice:
    """One of several values, each where its indicator is 1."""

    cases: Sequence[tuple[Indicator, Value]]


@dataclass(frozen=True, eq=False)
class Modulo:
    """The rest of a division."""

    number: Expression
    divisor: Value


@dataclass(frozen=True, eq=False)
class Items:
    """A list whose items are asked for by an index, which may be unknown.

    ``kept`` says which of them the list has. ``values`` are known if the configuration has it, at
    ``path``. ``bounds`` are those of a range.
    """

    length: Value
    item: Callable[[Value], Value]
    kept: Callable[[Value], Value] | None = None
    path: str = ""
    values: Sequence[Value] = ()
    bounds: tuple[Value, ...] = ()


class Object(NamedTuple):
    """A configuration object, the path to it, and values of fields that were set afterwards."""

    path: str
    part: Part
    fields: Mapping[str, Value] = {}

    def of(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


class Environment:
    """What an expression is about: an object, perhaps one field of it, and the items of loops."""

    def __init__(self, file: File, about: Object, field: str | None = None) -> None:
        self.file, self.about, self.field = file, about, field
        self.items, self.turns = dict[str, Callable[[], Value]](), dict[str, Value]()
        self.states, self.memo, self.closed = dict[str, Value](), dict[int, Value](), self
        self.base: Environment | None = None

    def bind(self, name: str, of: Items, turn: Value) -> Environment:
        inner = Environment(self.file, self.about, self.field)
        inner.items = {**self.items, name: lambda: of.item(turn)}
        inner.turns, inner.closed = {**self.turns, name: turn}, self.closed
        inner.states = dict(self.states)
        return inner

    def found(self, node: Value) -> tuple[Any, Value, Environment]:
        """Return a node, its number, and where it is: in this file, or in that of the base."""
        if type(node) is not int:
            return node, node, self
        if node >= 0:
            return self.file.nodes[node], node, self
        if self.base is None:
            self.base = Environment(self.file.catalogue.file("base"), self.about, self.field)
            self.base.items, self.base.turns, self.base.states = self.items, self.turns, self.states
            if self.closed is not self:
                _, _, self.base.closed = self.closed.found(node)
        return self.base.file.nodes[-1 - node], -1 - node, self.base


class Evaluator:
    def __init__(self, part: Part, naming: Callable[[str], str]) -> None:
        self.catalogue, self.whole, self.naming = part.catalogue, Object("", part), naming
        self.sizes, self.fields = dict[str, int](), dict[str, str]()
        self.constants, self.defaults = dict[str, Value](), dict[str, Expression]()
        self.conditions, self.is_refusal = dict[Condition, Outcome](), False
        self.unstated: list[str] = []
        self.exact: list[tuple[Expression, Expression]] = []
        self.lists, self.read = dict[str, Sequence[Value]](), dict[str, Value]()
        self.reading = set[str]()
        self.numbers, self.indexes = dict[Any, dict[tuple[File, int], str]](), 0
        self.counter = Counter(self.at_most, self.kind_count)

    # The configuration

    def size(self, path: str, value: int) -> Value:
        if value < 0 or path.endswith(UNSIZED) or path.startswith(NEW):
            return self.constant(path, value)
        name = self.naming(path)
        self.sizes[name], self.fields[name] = value, path
        return letter(name)

    def constant(self, path: str, value: Value) -> Value:
        self.constants[path] = value
        return value

    def given(self, path: str, value: Value) -> Value:
        """Return a value of the configuration: an int as a letter, a list of texts as kinds."""
        match value:
            case Part():
                return Object(path, value)
            case dict() if all(map(str.isidentifier, value)):
                return {k: self.given(f"{path}.{k}", v) for k, v in value.items()}
            case list() if any(isinstance(one, dict | Part) for one in value):
                return [self.given(f"{path}[{i}]", one) for i, one in enumerate(value)]
            case list() if not any(isinstance(one, list) for one in value):

                def item(i: Value) -> Value:
                    if not isinstance(i, int):
                        return self.kind(path, value, i)
                    return self.given(f"{path}[{i % len(value)}]", value[i])

                return Items(len(value), item, path=path, values=value)
        return self.size(path, value) if type(value) is int else self.constant(path, value)

    def kind(self, path: str, values: Sequence[Value], i: Expression) -> Value:
        """Return the item at an unknown index of a list of kinds, as a choice of all kinds."""
        index, offset = index_and_offset(i)
        if (
            offset.constant is None
            or not values
            or any(type(one) in (int, float) for one in values)
        ):
            raise Unroll(index)
        # The last kind has no letter: its number is that of all items without the others.
        *kinds, last = sorted({*values}, key=repr)
        self.constants[path], self.lists[path] = frozenset(values), values
        cases = [(fact(index, "kind", path, int(offset), one), one) for one in kinds]
        others = sum((where for where, _ in cases), start=NEVER)
        return self.choice([*cases, (ALWAYS - others, last)])

    def kind_count(self, path: str, kind: Value) -> Value:
        return self.size(f"{path}[{kind}]", [*self.lists[path]].count(kind))

    def field(self, owner: Object, name: str) -> Value:
        name = owner.part.program.aliases.get(name, name)
        path = owner.of(name)
        if name in owner.fields:
            return owner.fields[name]
        if path not in self.read:
            value, node = owner.part.field(name), owner.part.program.nodes.get(name)
            found = ABSENT
            if node and isinstance(value, int | list | Part) and path not in self.reading:
                self.reading.add(path)
                found = self.made(owner, name, value, *node)
                self.reading.discard(path)
            found = self.given(path, value) if found is ABSENT else found
            if path in self.reading:
                return found
            self.read[path] = found
        return self.read[path]

    def made(self, owner: Object, name: str, value: Value, file: File, node: Value) -> Value:
        """Return a field as its class computes it; ``ABSENT`` for one that a file gives."""
        path, env = owner.of(name), Environment(file, owner, name)
        try:
            if isinstance(value, Part):
                return Object(path, value, self.set_later(env, node, value))
            found = self.ev(node, env)
            if isinstance(found, Items):
                found.item(letter("@~"))  # It has items of an unknown index.
            is_made = self.is_made(found, value)
        except (NotSymbolic, Unroll, *ERRORS):
            return ABSENT
        keys, declared = owner.part.keys, owner.part.program.types
        is_given = name in keys or (name in declared and reads(env, node, name))
        if type(value) is not int or not is_given:
            return found if is_made else ABSENT
        plain = self.given(path, value)
        is_default = is_made and plain != found and name not in keys
        if is_default and isinstance(plain, Expression):
            self.defaults[self.naming(path)] = found
        return plain

    def set_later(self, env: Environment, node: Value, part: Part) -> dict[str, Value]:
        """Return the fields of a part that its owner sets, such as to a size of another part."""
        data, _, env = env.found(node)
        while isinstance(data, list) and data[0] == "if":
            test = self.decide(self.truth(self.ev(data[1], env)))
            data, _, env = env.found(data[2 if test else 3])
        args = data[2:] if isinstance(data, list) and data[0] == "with fields" else ()
        found = {
            self.ev(k, env): self.ev(one, env) for k, one in zip(args[::2], args[1::2], strict=True)
        }
        return {k: one for k, one in found.items() if self.is_made(one, part.get(k))}

    def is_made(self, found: Value, value: Value) -> bool:
        """Return whether something is symbolic, and is computed right here."""
        return not is_known(found) and not getattr(found, "path", "") and self.known(found) == value

    def key(self, env: Environment, name: str) -> Value:
        """Return the value of a key: the letter of the field that it becomes."""
        owner, program = env.about, env.about.part.program
        keys = owner.part.keys if name != env.field else {}
        value = keys[name] if name in keys else program.defaults[name]
        if type(value) is int and owner.part.get(name) not in (value, ABSENT):
            raise NotSymbolic(f"the key {owner.of(name)}, which differs from the field")
        return self.given(owner.of(program.aliases.get(name, name)), value)

    # Values at this configuration

    def known(self, value: Value, fixes: bool = False) -> Value:
        """Return what a value is at this configuration; its sizes may become conditions."""
        match value:
            case Expression():
                for index in indexes_of(value):
                    raise Unroll(index)
                if fixes and self.is_refusal:
                    raise NotSymbolic(f"the value of {value}")
                for name in sorted(value.letters) if fixes else ():
                    size = expression(self.sizes[name])
                    self.state(Condition(Relation.EQUAL, letter(name), size, True))
                number = value.value(self.sizes)
                return int(number) if number == int(number) else float(number)
            case Modulo():
                return self.known(arithmetic_of(value), fixes)
            case Items() | list():
                return [self.known(one, fixes) for one in self.listed(value, fixes)]
            case dict():
                return {k: self.known(one, fixes) for k, one in value.items()}
            case Choice() | Indicator():
                raise Unroll(first_index(value))
            case Condition():
                return value.is_met(self.sizes)
        return value.part if isinstance(value, Object) else value

    def fixed(self, value: Value) -> Value:
        return self.known(value, True)

    def listed(self, of: Value, fixes: bool = True) -> list[Value]:
        """Return the items of a list, whose length becomes a condition if it ``fixes`` that."""
        if isinstance(of, Choice):
            raise Unroll(first_index(of))
        if not isinstance(of, Items):
            if not isinstance(of, list | set | dict | str):
                raise NotSymbolic(f"the items of {of!r:.60}")
            return [*of]
        turns = range(self.known(of.length, fixes))
        return [of.item(i) for i in turns if of.kept is None or self.decide(of.kept(i))]

    # Conditions

    def state(self, condition: Condition) -> None:
        """Note a condition that is met here."""
        if condition.is_settled and all(self.sizes[name] > 0 for name in condition.letters):
            return
        condition = condition.normalized()
        if condition.relation is Relation.DIVIDES and condition.holds:
            self.exact.append((condition.left, condition.right))
        if not any(known.implies(condition) for known in self.conditions):
            self.conditions[condition] = Outcome.REFUSED if self.is_refusal else Outcome.OTHERS

    def decide(self, value: Value) -> bool:
        """Return whether something is true here, which becomes a condition if sizes decide it."""
        if isinstance(value, Condition):
            met = value.is_met(self.sizes)
            if not self.is_refusal:
                self.state(value if met else negated(value))
            return met
        if isinstance(value, Indicator):
            raise Unroll(first_index(value))
        return bool(value)

    def indicator(self, value: Value) -> Indicator:
        if isinstance(value, Indicator):
            return value
        return ALWAYS if self.decide(value) else NEVER

    def all_of(self, tests: Sequence[Value]) -> Value:
        found = ALWAYS
        for one in tests:
            found = found * self.indicator(one)
        return found.settled

    def at_most(self, one: Value, other: Value) -> bool:
        return self.decide(self.compare("<=", one, other))

    def compare(self, op: str, one: Value, other: Value) -> Value:
        if isinstance(other, Modulo):
            op, one, other = MIRRORED[op], other, one
        if isinstance(one, Modulo) and isinstance(other, int | Expression):
            return self.compare_rest(op, one, other)
        one, other = arithmetic_of(one), arithmetic_of(other)
        if not (is_number(one) and is_number(other)):
            if op == "==":
                return False
            raise NotSymbolic(f"{one!r:.60} {op} {other!r:.60}")
        difference = expression(one) - other
        if not self.without_floors(difference):
            difference = expression(0)
        if difference.constant is not None:
            return OPERATIONS[op](difference.constant, 0)
        if indexes_of(difference):
            return compare_index(op, difference)
        if op == "==" and (pair := as_divisible(difference)):
            return Condition(Relation.DIVIDES, *pair, True)
        relation, holds = RELATIONS[op]
        return Condition(relation, expression(one), expression(other), holds)

    def compare_rest(self, op: str, one: Modulo, other: Value) -> Value:
        number, divisor = one.number, one.divisor
        if not indexes_of(number):
            rest = expression(arithmetic_of(one))
            if op == "==" and other == 0 and rest.constant is None:
                return Condition(Relation.DIVIDES, expression(divisor), number, True)
            return self.compare(op, arithmetic_of(one), other)
        index, offset = index_and_offset(number)
        if op != "==":
            raise Unroll(index)
        rest = expression(other) - offset
        if rest.constant is not None and isinstance(divisor, int):
            rest = rest - rest.constant // divisor * divisor
        return fact(index, "mod", divisor, rest)

    def truth(self, value: Value) -> Value:
        match value:
            case Choice():
                return self.choice([(where, self.truth(one)) for where, one in value.cases])
            case Expression() | Modulo():
                return negated(self.compare("==", value, 0))
            case Items():
                return negated(self.compare("==", self.op_len(value), 0))
        return value if isinstance(value, Indicator | Condition) else bool(value)

    def choice(self, cases: Sequence[tuple[Indicator, Value]]) -> Value:
        """Return one of several values by an index; those that are equal become one case."""
        merged: list[tuple[Indicator, Value]] = []
        for where, value in cases:
            for also, one in value.cases if isinstance(value, Choice) else [(ALWAYS, value)]:
                one = self.decide(one) if isinstance(one, Condition) else one
                alike = (i for i, (_, other) in enumerate(merged) if is_same(one, other))
                if (i := next(alike, None)) is None:
                    merged.append((where * also, one))
                else:
                    merged[i] = merged[i][0] + where * also, one
        merged = [(where, value) for where, value in merged if where.terms]
        if all(isinstance(value, bool | Indicator) for _, value in merged):
            wholes = (where * self.indicator(value) for where, value in merged)
            return sum(wholes, start=NEVER).settled
        return merged[0][1] if len(merged) == 1 else Choice(merged)

    # Expressions

    def ev(self, node: Value, env: Environment) -> Value:
        """Return the value of a node: of its number, or of a constant that stands for itself."""
        data, node, env = env.found(node)
        if not isinstance(data, list):
            return data
        if env.turns and node < env.file.data["varying"]:
            env = env.closed
        if node not in env.memo:
            if env.field is not None and (name := self.field_of(env, node)) not in ("", env.field):
                return self.field(env.about, name)
            found = self.evaluate(data[0], data[1:], env)
            if isinstance(found, Expression) and (number := found.constant) is not None:
                found = int(number) if number == int(number) else float(number)
            env.memo[node] = found
        return env.memo[node]

    def field_of(self, env: Environment, node: int) -> str:
        """Return the field that this expression computes, or "" if it is none."""
        program = env.about.part.program
        if program not in self.numbers:
            found: dict[tuple[File, int], str] = {}
            for name, (file, one) in program.nodes.items():
                data, number, where = Environment(file, env.about).found(one)
                if isinstance(data, list):
                    found.setdefault((where.file, number), name)
                    if data[0] == "with fields":
                        _, number, where = where.found(data[1])
                        found.setdefault((where.file, number), name)
            self.numbers[program] = found
        return self.numbers[program].get((env.file, node), "")

    def evaluate(self, op: str, args: Sequence[Value], env: Environment) -> Value:
        match op:
            case "self":
                return env.about
            case "config":
                return env
            case "key":
                return self.key(env, args[0])
            case "item" | "turn":
                if args[0] not in env.turns:
                    raise NotSymbolic(f"an {op} of the loop {args[0]} outside of it")
                return env.items[args[0]]() if op == "item" else env.turns[args[0]]
            case "if":
                return self.if_else(args[0], args[1], args[2], env)
            case "and" | "or":
                return self.joint(op, args[0], args[1], env)
            case "comp" | "fold":
                return (self.comprehension if op == "comp" else self.fold)(args, env)
            case "state":
                return env.states[args[0]][self.ev(args[1], env)]
        return self.apply(op, [self.ev(one, env) for one in args])

    def joint(self, op: str, one: Value, other: Value, env: Environment) -> Value:
        """Return whether both are true, or one of them; the first may decide."""
        first = self.truth(self.ev(one, env))
        first = self.indicator(first if op == "and" else negated(first))
        if not first.terms:
            return op == "or"
        second = self.truth(self.ev(other, env))
        if first is ALWAYS:
            return second
        both = self.all_of([first, second if op == "and" else negated(second)])
        return both if op == "and" else negated(both)

    def if_else(self, test: Value, one: Value, other: Value, env: Environment) -> Value:
        where = self.truth(self.ev(test, env))
        if not isinstance(where, Indicator):
            return self.ev(one if self.decide(where) else other, env)
        return self.choice([(where, self.ev(one, env)), (ALWAYS - where, self.ev(other, env))])

    def comprehension(self, args: Sequence[Value], env: Environment) -> Value:
        name, source, element, kept = args
        of = self.as_items(self.ev(source, env))

        def keep(i: Value) -> Value:
            return self.truth(self.ev(kept, env.bind(name, of, i)))

        found = Items(
            of.length,
            lambda i: self.ev(element, env.bind(name, of, i)),
            None if kept is True else keep,
        )
        return self.listed(found) if isinstance(of.length, int) and not of.path else found

    def fold(self, args: Sequence[Value], env: Environment) -> Value:
        name, source, starts, nexts, number = args
        of, states = self.as_items(self.ev(source, env)), self.ev(starts, env)
        for i in range(self.fixed(of.length)):
            env = env.bind(name, of, i)
            env.states[name] = states
            states = self.ev(nexts, env)
        return states[self.ev(number, env)]

    def as_items(self, of: Value) -> Items:
        if isinstance(of, Items) and of.kept is None:
            return of
        known = self.listed(of)
        return Items(len(known), lambda i: self.op_get(known, i))

    def apply(self, op: str, args: list[Value]) -> Value:
        """Return the result of an operation, for each case of a choice apart."""
        for i, one in enumerate(args):
            if isinstance(one, Choice):
                cases = [(w, self.apply(op, [*args[:i], v, *args[i + 1 :]])) for w, v in one.cases]
                return self.choice(cases)
        if (own := OWN.get(op)) is not None:
            return own(self, *args)
        if op in OF_WHOLES or (op in OPERATIONS and all(map(is_known, args))):
            return OPERATIONS[op](*args)
        if op in RELATIONS and not all(isinstance(one, Items | list) for one in args):
            return self.compare(op, *args)
        if op in COMPUTED:
            return self.arithmetic(op, *map(arithmetic_of, args))
        if op not in OPERATIONS:
            raise NotSymbolic(f"the operation {op}")
        return OPERATIONS[op](*map(self.fixed, args))

    def arithmetic(self, op: str, *args: Value) -> Value:
        if not all(map(is_number, args)):
            raise NotSymbolic(f"{op} of {args!r:.80}")
        # A float that is whole, such as 4.0, is exact.
        args = tuple(int(n) if isinstance(n, float) and n.is_integer() else n for n in args)
        one, whole = args[0], all(map(is_whole, args))
        if op in ("neg", "float"):
            return -one if op == "neg" else one
        if whole and op in ("+", "-", "*"):
            return OPERATIONS[op](*args)
        if whole and op == "%" and isinstance(one, Expression):
            return Modulo(*args)
        if op == "**" and isinstance(args[1], int) and args[1] >= 0 and is_whole(one):
            return one ** args[1]
        for index in sorted(index for side in args for index in indexes_of(side)):
            raise Unroll(index)
        if whole and op == "//":
            return floor(*args)
        if op in ("int", "floor", "ceil", "round") and len(args) == 1 and is_whole(one):
            return one
        if op in ("int", "floor", "ceil") and (pair := fraction(one)):
            return ceiling(*pair) if op == "ceil" else floor(*pair)
        return computed("rounded" if len(args) > 1 and op == "round" else COMPUTED[op], *args)

    def without_floors(self, one: Expression) -> Expression:
        """Return an expression without the floors of quotients that a condition makes whole."""
        if not self.exact or not one.has_quotients:
            return one
        total = []
        for powers, number in one.terms.items():
            term = expression(number)
            for atom, power in powers:
                term = term * self.quotient(atom) ** power
            total.append(term)
        return sum_of(total)

    def quotient(self, atom: Any) -> Expression:
        top, bottom = sides(atom) or (None, None)
        for divisor, number in self.exact:
            is_simple = divisor == bottom and len(divisor.terms) == 1
            if top is not None and is_simple and not divided(top, number, whole=True)[1]:
                return top / divisor
        return letter(atom)

    # Operations on symbolic values

    def op_has(self, owner: Value, name: str) -> bool:
        if isinstance(owner, Object):
            return owner.part.get(name) is not ABSENT
        if not isinstance(owner, Environment):
            return isinstance(owner, dict) and name in owner
        part = owner.about.part
        # A size that is absent is a letter, too.
        is_size = type(part.program.defaults.get(name)) is int
        return (name in part.keys or is_size) and name != owner.field

    def op_get(self, owner: Value, index: Value) -> Value:
        match owner:
            case Environment():
                return self.key(owner, index)
            case Object():
                return self.field(owner, index)
            case Items(kept=None):
                is_last = isinstance(index, int) and index < 0 and not owner.values
                return owner.item(owner.length + index if is_last else index)
        if not indexes_of(index):
            return (self.listed(owner) if isinstance(owner, Items) else owner)[self.fixed(index)]
        i, offset = index_and_offset(index)
        items = self.listed(owner)
        if all(is_same(one, items[0]) for one in items):
            return items[0]
        if any(isinstance(one, int | Expression) for one in items):
            raise Unroll(i)
        return self.choice([(fact(i, "at", n - offset), one) for n, one in enumerate(items)])

    def op_range(self, start: Value, stop: Value, step: Value) -> Value:
        number = ceiling(expression(stop) - start, expression(step))
        if not indexes_of(number) and not self.at_most(0, number):
            return []
        length: Value = number if number.constant is None else int(number.constant)
        return Items(length, lambda i: start + i * step, bounds=(start, stop, step))

    def op_len(self, of: Value) -> Value:
        if not isinstance(of, Items):
            return len(of)
        if of.values and all(isinstance(one, str) for one in of.values) and not self.is_refusal:
            self.lists[of.path] = of.values
            kinds = sorted({*of.values})
            return sum_of(expression(self.kind_count(of.path, kind)) for kind in kinds)
        return of.length if of.kept is None else self.number_of(of, lambda i: True)

    def number_of(self, of: Items, holds: Callable[[Value], Value]) -> Value:
        """Return for how many items of a list something holds."""
        self.indexes += 1
        index = f"@~{self.indexes}"
        where = self.indicator(holds(letter(index)))
        if of.kept is not None:
            where = where * self.indicator(of.kept(letter(index)))
        if (found := self.counter.count(where, {index: of.length})) is None:
            raise Unroll(index)
        return found

    def op_any(self, of: Value, wanted: bool = True) -> Value:
        """Return whether an item is true, or whether one is not if that is ``wanted``."""

        def test(one: Value) -> Value:
            return self.truth(one) if wanted else negated(self.truth(one))

        if isinstance(of, Items):
            try:
                return self.compare(">", self.number_of(of, lambda i: test(of.item(i))), 0)
            except Unroll:
                of = self.listed(of)
        return any(self.decide(test(one)) for one in of)

    def op_in(self, one: Value, holder: Value) -> Value:
        if isinstance(holder, Environment | Object):
            return self.op_has(holder, one)
        if isinstance(holder, Items) and holder.path:
            self.constant(holder.path, frozenset(holder.values))
            holder = [*holder.values]
        if is_known(one) and is_known(holder):
            return one in holder
        if isinstance(holder, Items) and holder.bounds and isinstance(one, Expression):
            start, stop, step = holder.bounds
            tests = [self.compare(">=", one, start), self.compare("<", one, stop)]
            rest = self.apply("%", [one - start, step])
            return self.all_of([*tests, self.compare("==", rest, 0)])
        equal = (self.apply("==", [one, other]) for other in self.listed(holder))
        return negated(self.all_of([negated(test) for test in equal]))

    def op_isinstance(self, one: Value, *kinds: str) -> bool:
        stands_for = {Expression: 1, Modulo: 1, Items: [], Object: self.whole.part}
        return bool(OPERATIONS["isinstance"](stands_for.get(type(one), one), *kinds))

    def op_layer_of(self, owner: Object, index: Value) -> Object:
        """Return an object with the values that its layer has, which the index itself decides."""
        value, nodes = owner.part.get("per_layer_config"), owner.part.program.nodes
        if not isinstance(value, dict) or not value:
            return owner
        for name in indexes_of(index):
            raise Unroll(name)
        if (path := owner.of("per_layer_config")) not in self.read:
            found: Value = ABSENT
            if "per_layer_config" in nodes:
                file, node = nodes["per_layer_config"]
                found = self.ev(node, Environment(file, owner, "per_layer_config"))
            is_made = isinstance(found, dict) and self.known(found) == value
            self.read[path] = found if is_made else self.constant(path, value)
        layers = {int(key): one for key, one in self.read[path].items()}
        return owner._replace(fields={**owner.fields, **layers.get(self.fixed(index), {})})

    def op_labels(self, owner: Value) -> Value:
        whole = about(owner)
        return self.size(whole.of("num_labels"), OPERATIONS["labels"](whole.part))

    def folded(self, op: str, of: Value, start: Value) -> Value:
        for one in self.listed(of):
            start = self.apply(op, [start, one])
        return start

    def largest(self, of: Value, op: str = ">=") -> Value:
        best, *others = self.listed(of)
        for one in others:
            best = best if self.decide(self.apply(op, [best, one])) else one
        return best

    def op_plus(self, one: Value, other: Value) -> Value:
        if isinstance(one, Items | list):
            return self.op_concat([one, other])
        if is_known(one) and is_known(other):
            return one + other
        return self.arithmetic("+", arithmetic_of(one), arithmetic_of(other))

    def op_times(self, one: Value, other: Value) -> Value:
        if isinstance(one, list) and len(one) == 1 and isinstance(other, Expression):
            return Items(other, lambda i: one[0])
        if isinstance(one, Items | list):
            return self.listed(one) * self.fixed(other)
        if is_known(one) and is_known(other):
            return one * other
        return self.arithmetic("*", arithmetic_of(one), arithmetic_of(other))

    def op_concat(self, parts: Value) -> Value:
        """Return several lists as one. Bounds on the index choose the list of an item."""
        parts = [one for one in self.listed(parts) if isinstance(one, Items) or one]
        if not any(isinstance(one, Items) for one in parts):
            return [item for one in parts for item in one]
        starts: list[Value] = [0]
        for one in parts:
            starts.append(starts[-1] + self.op_len(one))

        def item(i: Value) -> Value:
            cases, rest = [], ALWAYS
            for n, one in enumerate(parts):
                is_last = n == len(parts) - 1
                here = (
                    rest if is_last else rest * self.indicator(self.compare("<", i, starts[n + 1]))
                )
                rest = rest - here
                if here.terms:
                    cases.append((here, self.op_get(one, i - starts[n])))
            return self.choice(cases)

        return Items(starts[-1], item)

    def enumerated(self, of: Items, start: Value) -> Items:
        return Items(self.op_len(of), lambda i: Items(2, lambda n: of.item(i) if n else start + i))

    def op_slice(self, of: Value, *bounds: Value) -> Value:
        match of, *bounds:
            case Items(kept=None), None, Expression() as stop, None if self.at_most(
                of.length, stop
            ):
                return of
        return self.listed(of)[slice(*map(self.fixed, bounds))]

    def op_new(self, kind: str, keys: Value) -> Object:
        """Return an object that a class makes of keys. Its other fields are constants."""
        part = Part.of(self.catalogue, kind, self.known(keys))
        plain = part.program.types.keys() - part.program.fields.keys()
        return Object(NEW, part, {k: v for k, v in keys.items() if k in plain})

    def op_with_fields(self, owner: Object, *pairs: Value) -> Object:
        own = dict(zip(pairs[::2], pairs[1::2], strict=True))
        set_later = {name: one for name, one in own.items() if one is not ABSENT}
        return owner._replace(fields={**owner.fields, **set_later})


OWN: dict[str, Callable[..., Value]] = {
    **{
        name.removeprefix("op_").replace("_", " "): method
        for name, method in vars(Evaluator).items()
        if name.startswith("op_")
    },
    "+": Evaluator.op_plus,
    "*": Evaluator.op_times,
    "field": Evaluator.op_get,
    "has field": Evaluator.op_has,
    "get or": lambda run, owner, i, other: run.op_get(owner, i) if run.op_has(owner, i) else other,
    "fields": lambda run, owner: {one: run.field(owner, one) for one in owner.part.fields()},
    "made by": lambda run, owner, kind: owner.part.program.name == kind,
    "class of": lambda run, kind: run.catalogue.types[kind],
    "known": lambda run, kind: kind in run.catalogue.types,
    "rope": lambda run, owner: OPERATIONS["rope"](about(owner).part),
    "absent": lambda run: ABSENT,
    "truth": Evaluator.truth,
    "not": lambda run, one: negated(run.truth(one)),
    "opaque": lambda run, *unknown: ...,
    "from pairs": lambda run, pairs: dict(map(run.listed, run.listed(pairs))),
    "list": lambda run, *items: [*items],
    "zip": lambda run, *lists: [[*one] for one in zip(*map(run.listed, lists), strict=False)],
    "enumerate": lambda run, of, start: run.enumerated(run.as_items(of), start),
    "set": lambda run, of: {*of} if is_known(of) else of,
    "is": lambda run, one, other: one is other,
    "all": lambda run, of: negated(run.op_any(of, False)),
    "sum": lambda run, of: run.folded("+", of, 0),
    "prod": lambda run, of: run.folded("*", of, 1),
    "max": Evaluator.largest,
    "min": lambda run, of: run.largest(of, "<="),
}
"""The operations that are their own for symbolic values."""


def about(owner: Object | Environment) -> Object:
    return owner.about if isinstance(owner, Environment) else owner


def is_known(value: Value) -> bool:
    if isinstance(value, list | set | frozenset):
        return all(map(is_known, value))
    return value is None or isinstance(value, str | int | float | dict)


def is_number(value: Value) -> bool:
    return isinstance(value, int | float | Expression)


def is_whole(value: Value) -> bool:
    return value.is_whole if isinstance(value, Expression) else isinstance(value, int)


def is_same(one: Value, other: Value) -> bool:
    if isinstance(one, Expression) or isinstance(other, Expression):
        return bool(isinstance(one, int | Expression) and one == other)
    return one is other or (is_known(one) and type(one) is type(other) and bool(one == other))


def negated(value: Value) -> Value:
    if isinstance(value, Condition):
        return Condition(value.relation, value.left, value.right, not value.holds)
    return (ALWAYS - value).settled if isinstance(value, Indicator) else not value


def arithmetic_of(value: Value) -> Value:
    """Return a rest as an expression."""
    if not isinstance(value, Modulo):
        return value
    return value.number - value.divisor * floor(value.number, value.divisor)


def indexes_of(value: Value) -> list[str]:
    """Return the indexes of loops in an expression, the outermost first."""
    letters = value.letters if isinstance(value, Expression) else ()
    return sorted(name for name in letters if name.startswith("@"))


def index_and_offset(number: Expression) -> tuple[str, Expression]:
    """Return the index i and the rest of i + rest."""
    index = indexes_of(number)[0]
    offset = number - letter(index)
    if indexes_of(offset) or not offset.is_whole:
        raise Unroll(index)
    return index, offset


def compare_index(op: str, difference: Expression) -> Indicator:
    """Return where the index in a difference makes it less than 0, 0, or more."""
    first = indexes_of(difference)[0]
    if first in (difference - letter(first)).letters:
        op, difference = MIRRORED[op], -difference
    index, offset = index_and_offset(difference)
    if op == "==":
        return fact(index, "at", -offset)
    below = fact(index, "below", -offset if op in ("<", ">=") else 1 - offset)
    return below if op in ("<", "<=") else ALWAYS - below


def first_index(value: Choice | Indicator) -> str:
    indicators = [where for where, _ in value.cases] if isinstance(value, Choice) else [value]
    return min(index for one in indicators for index in one.indexes)


def as_divisible(difference: Expression) -> tuple[Expression, Expression] | None:
    """Return A and H for H − A·⌊H/A⌋, which is 0 exactly where A divides H."""
    for powers in difference.terms:
        for atom, _ in powers:
            if pair := sides(atom):
                rest = pair[0] - pair[1] * letter(atom)
                if difference in (rest, -rest):
                    return pair[1], pair[0]
    return None


def fraction(one: Any) -> tuple[Expression, Expression] | None:
    """Return a and b for a number that is computed as a / b, or as c ± a / b, of whole numbers."""
    one = letter(one) if isinstance(one, Computed) else one
    if is_whole(one):
        return expression(one), expression(1)
    match [*one.terms.items()] if isinstance(one, Expression) else ():
        case [(((Computed("over", operands), 1),), 1)] if all(map(is_whole, operands)):
            top, bottom = operands
            return expression(1) * top, expression(1) * bottom
        case [(((Computed("plus" | "minus" as op, operands), 1),), 1)]:
            first, second = map(fraction, operands)
            if first and second and 1 in (first[1], second[1]):
                (a, b), (c, d) = first, second
                return (a * d + c * b if op == "plus" else a * d - c * b), b * d
    return None


def reads(env: Environment, node: Value, name: str, seen: Any = ()) -> bool:
    """Return whether a node depends on a key of the file."""
    seen = seen or set()
    data, *where = env.found(node)
    if not isinstance(data, list) or (*where,) in seen:
        return False
    seen.add((*where,))
    if data[0] in ("key", "get", "has") and data[-1] == name:
        return True
    return any(reads(where[1], one, name, seen) for one in data[1:])
