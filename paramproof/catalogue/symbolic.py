"""Derive a model's formula in letters from the programs of its classes, at one configuration.

A program says what a class makes of any configuration. Here it is evaluated with some of the
configuration known and some not: flags, texts, null and lists of texts have their values, and the
ints of its fields are letters, which stay unknown. What comes out are tensors with symbolic shapes.

A comparison of sizes that decides something is decided as this configuration does, and becomes a
condition of the formula. The index of a loop stays unknown too, and what depends on it becomes an
``Indicator``, so the number of a tensor is a closed form where there is one. If a shape depends on
the index in another way, the loop is unrolled.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from paramproof.catalogue.occurrences import (
    ALWAYS,
    Counter,
    Fact,
    Indicator,
    fact,
    index_letter,
    index_of,
    indicator,
)
from paramproof.formulas.condition import (
    Condition,
    Consequence,
    Outcome,
    Relation,
    StatedCondition,
)
from paramproof.formulas.derivation import DerivedTensor, Role
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
from paramproof.formulas.path import starred

Value: TypeAlias = Any

NUMBERS = (int, float, Expression)


class NotSymbolic(ValueError):
    """A program has something for which there is no expression in letters."""


class Unroll(Exception):
    """Something depends on the index of a loop in a way that only the index itself decides."""

    def __init__(self, index: str) -> None:
        self.index = index


class Choice:
    """A value that depends on the index of a loop: one of several, each where its indicator is 1."""

    def __init__(self, cases: Iterable[tuple[Indicator, Value]]) -> None:
        self.cases = [(where, value) for where, value in cases if where.terms]


class Modulo(NamedTuple):
    number: Expression
    divisor: Value


class Items:
    """A list with a symbolic length, or whose items depend on a symbolic index."""

    def __init__(self, length: Value, item: Callable[[Value], Value], kept: Callable[[Value], Value] | None = None) -> None:
        self.length, self.item, self.kept = length, item, kept
        self.range: Value = None


class Given(Items):
    """A list of the configuration. Its ints are letters, and its texts kinds of items."""

    def __init__(self, path: str, values: Sequence[Value], item: Callable[[Value], Value]) -> None:
        super().__init__(len(values), item)
        self.path, self.values = path, values


class Object:
    """A configuration object: ``path`` leads to it, and ``keys`` are what it was made from."""

    def __init__(self, path: str, kind: str, fields: Mapping[str, Value], keys: Mapping[str, Value]) -> None:
        self.path, self.kind, self.fields, self.keys = path, kind, fields, keys

    def of(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


class Keys(NamedTuple):
    """The keys that an object was made from, with its own fields in their places."""

    of: Object
    but: str


class Rules(NamedTuple):
    """The program of a configuration class: expressions of its fields, refusals, other names."""

    fields: Mapping[str, Value]
    refusals: Iterable[Value]
    aliases: Mapping[str, str]


class Record(NamedTuple):
    """A tensor: its path with ``{variable}`` for each loop, around which ``loops`` are.

    ``depth`` is the number of loops in which its ``storage`` was made.
    """

    path: str
    shape: Value
    condition: Value
    loops: tuple[tuple[int, Value, Value], ...]
    storage: object
    depth: int
    role: Role
    trains: Value = True


class Environment:
    """The variables of loops around an expression, and the values of expressions there."""

    def __init__(self, variables: Mapping[int, Value], keys: Keys | None = None) -> None:
        self.variables, self.keys = variables, keys
        self.memo: dict[Any, Value] = {}

    def bind(self, variable: int, value: Value) -> Environment:
        return Environment({**self.variables, variable: value}, self.keys)


@dataclass
class Symbolic:
    """The tensors of a model in letters; ``sizes`` and ``fields`` are those of the letters.

    ``constants`` are the values of the configuration, by path, for which alone this holds, and
    ``defaults`` the expressions of fields that the configuration computes if they are not given.
    """

    tensors: tuple[DerivedTensor, ...]
    conditions: tuple[StatedCondition, ...]
    sizes: dict[str, int]
    fields: dict[str, str]
    constants: dict[str, Value]
    unexplained: tuple[str, ...]
    notes: list[str] = field(default_factory=list)


PYTHON: dict[str, Callable[..., Value]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "==": operator.eq,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "neg": operator.neg,
    "abs": abs, "int": int, "float": float, "round": round, "ceil": math.ceil,
    "floor": math.floor, "sqrt": math.sqrt, "log2": math.log2, "isfinite": math.isfinite,
    "str": str, "sorted": sorted, "set": set, "&": operator.and_, "|": operator.or_,
    "is": lambda one, other: one is other,
    "in": lambda one, other: one in other,
    "text": lambda *parts: "".join(map(str, parts)),
    "method": lambda name, owner, *args: getattr(owner, name)(*args),
    "prod": math.prod, "sum": sum, "max": max, "min": min, "len": len,
    "merged": lambda one, other: {**one, **other},
    "keys": list, "values": lambda one: [*one.values()], "items": lambda one: [[*p] for p in one.items()],
    "known": lambda one: True,
}  # fmt: skip
"""Operations on known values."""

COMPUTED = {"+": "plus", "-": "minus", "*": "times", "/": "over", "//": "div", "%": "mod", "**": "power"}
RELATIONS = {
    "==": (Relation.EQUAL, True), "<": (Relation.LESS, True), ">": (Relation.MORE, True),
    "<=": (Relation.MORE, False), ">=": (Relation.LESS, False),
}  # fmt: skip
KINDS = {"int": int, "list": (list, tuple), "float": float, "text": str, "flag": bool, "object": dict}


class Converter:
    """Evaluates programs at one configuration.

    ``rules`` returns the program of a configuration class by its name, and ``letters`` the letter
    of a field by its path.
    """

    def __init__(self, whole: Object, rules: Callable[[str], Rules | None], letters: Callable[[str], str]) -> None:
        self.whole, self.rules, self.name = whole, rules, letters
        self.sizes: dict[str, int] = {}
        self.fields: dict[str, str] = {}
        self.constants: dict[str, Value] = {}
        self.conditions: dict[Condition, Outcome] = {}
        self.exact: list[tuple[Expression, Expression]] = []
        self.kept_kinds: dict[str, list[Value]] = {}
        self.notes: list[str] = []
        self.outcome = Outcome.OTHERS
        self.root = Environment({})
        self.environments: dict[Any, tuple[Environment, dict[str, Value], Indicator]] = {}
        self.objects: dict[str, Object] = {}
        self.read: dict[str, Value] = {}
        self.reading: set[str] = set()
        self.unrolled: set[Any] = set()
        self.counter = Counter(self.at_most, self.kind_count, self.holds_at)

    # The configuration

    def size(self, path: str, value: int) -> Value:
        """Return the letter of a field; a negative number is no size."""
        if value < 0 or path.endswith(("_token_id", "_token_index")):
            self.constants[path] = value
            return value
        name = self.name(path)
        self.sizes[name], self.fields[name] = value, path
        return letter(name)

    def given(self, value: Value, path: str) -> Value:
        """Return a value of the configuration."""
        if type(value) is int:
            return self.size(path, value)
        if isinstance(value, list | tuple):
            return self.given_list(path, value)
        if isinstance(value, Object):
            return value
        if isinstance(value, dict):
            return {k: self.given(v, f"{path}.{k}") for k, v in value.items()}
        self.constants[path] = value
        return value

    def given_list(self, path: str, values: Sequence[Value]) -> Value:
        def item(i: Value) -> Value:
            if isinstance(i, int):
                return self.given(values[i], f"{path}[{i % len(values)}]")
            if i.constant is not None:
                return item(int(i.constant))
            return self.kinds_of(path, values, i)

        if all(isinstance(one, list | tuple | dict | Object) for one in values):
            return [item(i) for i in range(len(values))]
        return Given(path, values, item)

    def kinds_of(self, path: str, values: Sequence[Value], i: Expression) -> Value:
        """Return the item at a symbolic index of a list of kinds: a choice of all kinds."""
        (index,) = index_of(i.letters)
        if any(isinstance(one, int | list | tuple | dict) and not isinstance(one, bool) for one in values):
            raise Unroll(index)
        offset = (i - letter(index)).constant
        if offset is None:
            raise Unroll(index)
        kinds = sorted(set(values), key=repr)
        # Kinds without a letter of their own last: there the number of the others is subtracted.
        kinds.sort(key=lambda kind: not self.has_name(f"{path}[{kind}]"))
        self.constants[path] = frozenset(kinds)
        self.kept_kinds[path] = [*values]
        cases, rest = [], ALWAYS
        for kind in kinds[:-1]:
            where = fact(index, "kind", path, int(offset), kind)
            cases.append((where, kind))
            rest = rest - where
        return Choice([*cases, (rest, kinds[-1])])

    def has_name(self, path: str) -> bool:
        return getattr(self.name, "known", {}).get(path) is not None

    def kind_count(self, path: Any, value: Any) -> Expression:
        return letter_of if (letter_of := self.size(f"{path}[{value}]", self.kept_kinds[path].count(value))) else letter_of

    def field(self, owner: Object, name: str) -> Value:
        rules = self.rules(owner.kind)
        name = rules.aliases.get(name, name) if rules else name
        path = owner.of(name)
        if path not in self.read:
            self.read[path] = self.field_of(owner, name, path, rules)
        return self.read[path]

    def field_of(self, owner: Object, name: str, path: str, rules: Rules | None) -> Value:
        value = owner.fields[name]
        if isinstance(value, Object):
            return Object(path, value.kind, value.fields, value.keys)
        node = rules.fields.get(name) if rules else None
        is_list = isinstance(value, list | tuple) and bool(value)
        if (type(value) is int or is_list) and is_node(node) and path not in self.reading:
            names = {name, *(k for k, v in rules.aliases.items() if v == name)} if rules else set()
            if is_list or not mentions(node, names):
                try:
                    self.reading.add(path)
                    found = self.ev(node, Environment({}, Keys(owner, name)))
                    if self.concrete(found) == [*value] if is_list else self.value_of(found) == value:
                        if not (is_list and is_plain(found) and any(type(one) is int for one in value)):
                            return found
                except (NotSymbolic, Unroll, LookupError, TypeError, ArithmeticError, ValueError) as error:
                    self.notes.append(f"{path}: {type(error).__name__} {error}")
                finally:
                    self.reading.discard(path)
        return self.given(value, path)

    def key(self, keys: Keys, name: str) -> Value:
        """Return the value of a key: that of the field, as if the file had given it."""
        owner, rules = keys.of, self.rules(keys.of.kind)
        alias = rules.aliases.get(name, name) if rules else name
        if alias != keys.but and alias in owner.fields and owner.of(alias) not in self.reading:
            held = owner.fields[alias]
            if name not in owner.keys or owner.keys[name] == held or isinstance(held, Object):
                return self.field(owner, alias)
        if name in owner.keys:
            value = owner.keys[name]
            if type(value) is int:
                raise NotSymbolic(f"the key {name} is not a field")
            return self.given(value, owner.of(name))
        raise KeyError(name)

    def has_key(self, keys: Keys, name: str) -> bool:
        owner, rules = keys.of, self.rules(keys.of.kind)
        alias = rules.aliases.get(name, name) if rules else name
        if keys.but in (name, alias):
            return False
        return name in owner.keys or (alias == name and type(owner.fields.get(name)) is int)

    # Values at this configuration

    def value_of(self, value: Value) -> Value:
        """Return a number of letters at this configuration."""
        if isinstance(value, Expression):
            if found := index_of(value.letters):
                raise Unroll(found[0])
            number = value.value(self.sizes)
            return int(number) if number == int(number) else float(number)
        if isinstance(value, Modulo):
            return self.value_of(value.number) % self.value_of(value.divisor)
        return value

    def concrete(self, value: Value) -> Value:
        """Return any value at this configuration; letters that occur are not free after that."""
        if isinstance(value, Expression | Modulo):
            return self.value_of(value)
        if isinstance(value, Given):
            return [*value.values]
        if isinstance(value, Items):
            return [self.concrete(one) for one in self.enumerated(value)]
        if isinstance(value, list | tuple):
            return [*map(self.concrete, value)]
        if isinstance(value, dict):
            return {k: self.concrete(v) for k, v in value.items()}
        if isinstance(value, Condition):
            return value.is_met(self.sizes)
        if isinstance(value, Choice | Indicator):
            raise Unroll(self.first_index(value))
        return value

    def first_index(self, value: Choice | Indicator) -> str:
        indicators = [where for where, _ in value.cases] if isinstance(value, Choice) else [value]
        found = {one.index for where in indicators for facts in where.terms for one in facts}
        return min(found)

    def enumerated(self, of: Items) -> list[Value]:
        found = []
        for i in range(self.value_of(of.length)):
            if of.kept is None or self.decide(of.kept(i)):
                found.append(of.item(i))
        return found

    def pinned(self, op: str, args: Sequence[Value]) -> Value:
        """Return the result of an operation at this configuration, whose letters become fixed."""
        for one in args:
            self.pin(one)
        try:
            return PYTHON[op](*map(self.concrete, args))
        except KeyError:
            raise NotSymbolic(f"the operation {op} of {args!r:.100}") from None

    def pin(self, value: Value) -> None:
        if isinstance(value, Expression | Modulo):
            number = value.number if isinstance(value, Modulo) else value
            for name in sorted(number.letters):
                if name.startswith("@"):
                    raise Unroll(name)
                self.state(Condition(Relation.EQUAL, letter(name), expression(self.sizes[name]), True))
        elif isinstance(value, list | tuple):
            for one in value:
                self.pin(one)
        elif isinstance(value, Items) and not isinstance(value, Given):
            self.pin(value.length)

    # Conditions

    def state(self, condition: Condition) -> None:
        """Note that the formula holds where a condition is met, which is met here."""
        letters = condition.letters
        if condition.is_settled and all(self.sizes[name] >= 1 for name in letters):
            return
        condition = condition.normalized()
        if condition.relation is Relation.DIVIDES and condition.holds:
            self.exact.append((condition.left, condition.right))
        if self.conditions.get(condition) is not Outcome.REFUSED:
            self.conditions[condition] = self.outcome

    def decide(self, value: Value) -> bool:
        """Return whether something is true here."""
        if isinstance(value, bool):
            return value
        if isinstance(value, Condition):
            met = value.is_met(self.sizes)
            self.state(value if met else opposite(value))
            return met
        if isinstance(value, Indicator):
            if value.constant is None:
                raise Unroll(self.first_index(value))
            return value.constant
        raise NotSymbolic(f"the truth of {value!r:.100}")

    def at_most(self, one: Value, other: Value) -> bool:
        return self.decide(self.compare("<=", one, other))

    def compare(self, op: str, one: Value, other: Value) -> Value:
        if isinstance(one, Modulo) or isinstance(other, Modulo):
            return self.compare_rest(op, one, other)
        if not isinstance(one, NUMBERS) or not isinstance(other, NUMBERS):
            if op == "==":
                return False
            raise NotSymbolic(f"the comparison {op} of {one!r:.60} and {other!r:.60}")
        difference = expression(one) - expression(other)
        if difference.constant is not None:
            return bool(PYTHON[op](difference.constant, 0))
        if indexes := index_of(difference.letters):
            return self.compare_index(op, difference, indexes)
        relation, holds = RELATIONS[op]
        if op == "==" and (pair := self.as_divisible(difference)):
            return Condition(Relation.DIVIDES, *pair, True)
        if self.exact_zero(difference):
            return bool(PYTHON[op](0, 0))
        return Condition(relation, expression(one), expression(other), holds)

    def exact_zero(self, difference: Expression) -> bool:
        return difference.has_quotients and not self.with_exact(difference)

    def as_divisible(self, difference: Expression) -> tuple[Expression, Expression] | None:
        """Return (A, H) for H − A·⌊H/A⌋, which is 0 where A divides H."""
        for powers in difference.terms:
            for atom, power in powers:
                if power == 1 and (pair := sides(atom)):
                    rest = pair[0] - pair[1] * letter(atom)
                    if difference in (rest, -rest):
                        return pair[1], pair[0]
        return None

    def compare_index(self, op: str, difference: Expression, indexes: list[str]) -> Value:
        """Return where a symbolic index has a relation to a bound."""
        index = indexes[0]
        bound = difference - letter(index)
        sign = 1
        if index in bound.letters:
            bound, sign = difference + letter(index), -1
        if len(indexes) > 1 or index in bound.letters:
            raise Unroll(index)
        # sign · i + bound is compared with 0.
        place = -bound if sign == 1 else bound
        if not place.is_whole:
            raise Unroll(index)
        if op == "==":
            return fact(index, "at", place)
        if sign == -1:
            op = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}[op]
        below = fact(index, "below", place if op in ("<", ">=") else place + 1)
        return below if op in ("<", "<=") else ALWAYS - below

    def compare_rest(self, op: str, one: Value, other: Value) -> Value:
        if not isinstance(one, Modulo):
            one, other = other, one
            op = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)
        number, divisor = one
        indexes = index_of(number.letters)
        if isinstance(other, Modulo) or not isinstance(other, int | Expression):
            return self.compare(op, *map(self.arithmetic_of, (one, other))) if not indexes else False
        if not indexes:
            if op == "==" and expression(other) == 0:
                return Condition(Relation.DIVIDES, expression(divisor), number, True)
            if op == ">" and expression(other) == 0:
                return opposite(Condition(Relation.DIVIDES, expression(divisor), number, True))
            return self.compare(op, self.arithmetic_of(one), other)
        index = indexes[0]
        offset = number - letter(index)
        if index_of(offset.letters) or index_of(expression(divisor).letters):
            raise Unroll(index)
        if op == "==":
            return fact(index, "mod", divisor, residue(expression(other) - offset, divisor))
        if op in (">", "<=") and expression(other) == 0:
            zero = fact(index, "mod", divisor, residue(-offset, divisor))
            return zero if op == "<=" else ALWAYS - zero
        raise Unroll(index)

    def arithmetic_of(self, value: Value) -> Value:
        """Return a rest as an expression."""
        if isinstance(value, Modulo):
            return value.number - value.divisor * floor(value.number, value.divisor)
        return value

    def truth(self, value: Value) -> Value:
        if isinstance(value, bool | Indicator | Condition):
            return value
        if isinstance(value, Choice):
            return self.of_cases([(where, self.truth(one)) for where, one in value.cases])
        if isinstance(value, Expression | Modulo):
            return negated(self.compare("==", value, 0))
        if isinstance(value, Items):
            return negated(self.compare("==", self.length(value), 0))
        return bool(value)

    # Expressions

    def ev(self, node: Value, env: Environment) -> Value:
        if not is_node(node):
            return node
        if env.variables and not free(node):
            env = self.root if env.keys is None else Environment({}, env.keys)
        if node in env.memo:
            return env.memo[node]
        found = self.evaluate(node.op, node.args, env)
        if isinstance(found, Expression) and (constant := found.constant) is not None:
            found = int(constant) if constant == int(constant) else float(constant)
        env.memo[node] = found
        return found

    def evaluate(self, op: str, args: Sequence[Value], env: Environment) -> Value:
        match op:
            case "self":
                return self.whole
            case "config":
                if env.keys is None:
                    raise NotSymbolic("keys of the file")
                return env.keys
            case "item" | "item of loop":
                return env.variables[args[0]]
            case "absent":
                return None
            case "if":
                return self.choose(self.truth(self.ev(args[0], env)), args[1], args[2], env)
            case "not":
                return negated(self.truth(self.ev(args[0], env)))
            case "truth":
                return self.truth(self.ev(args[0], env))
            case "and":
                return self.conjunction(args, env)
            case "comp":
                return self.comprehension(args, env)
            case "rope":
                return Rope
        values = [self.ev(one, env) if is_node(one) else one for one in args]
        return self.apply(op, values)

    def choose(self, test: Value, one: Value, other: Value, env: Environment) -> Value:
        if not isinstance(test, Indicator):
            return self.ev(one if self.decide(test) else other, env)
        if test.constant is not None:
            return self.ev(one if test.constant else other, env)
        cases = [(test, one), (ALWAYS - test, other)]
        return self.of_cases([(where, self.ev(value, env)) for where, value in cases])

    def conjunction(self, args: Sequence[Value], env: Environment) -> Value:
        """Return whether all are true; the first that is false decides."""
        found: Indicator = ALWAYS
        for one in args:
            value = self.truth(self.ev(one, env))
            value = value if isinstance(value, Indicator) else indicator(self.decide(value))
            found = found * value
            if not found.terms:
                return False
        return found if found.constant is None else True

    def of_cases(self, cases: Sequence[tuple[Indicator, Value]]) -> Value:
        """Return one of several values by the index; equal ones become one case."""
        flat: list[tuple[Indicator, Value]] = []
        for where, value in cases:
            inner = value.cases if isinstance(value, Choice) else [(ALWAYS, value)]
            flat += [(where * also, one) for also, one in inner]
        flat = [(where, value) for where, value in flat if where.terms]
        if all(isinstance(value, bool | Indicator) for _, value in flat):
            whole = Indicator({})
            for where, value in flat:
                whole = whole + where * indicator(value)
            return whole if whole.constant is None else whole.constant
        flat = [
            (where, self.decide(v) if isinstance(v, Condition) else v) for where, v in flat
        ]
        merged: list[tuple[Indicator, Value]] = []
        for where, value in flat:
            for i, (before, known) in enumerate(merged):
                if is_same(known, value):
                    merged[i] = before + where, known
                    break
            else:
                merged.append((where, value))
        merged = [(where, value) for where, value in merged if where.terms]
        return merged[0][1] if len(merged) == 1 else Choice(merged)

    def comprehension(self, args: Sequence[Value], env: Environment) -> Value:
        variable, source, element, kept = args
        items = self.ev(source, env)
        if isinstance(items, dict):
            items = [*items]

        def keep(i: Value) -> Value:
            return self.truth(self.ev(kept, env.bind(variable, items.item(i))))

        if isinstance(items, Items):
            return Items(
                items.length,
                lambda i: self.ev(element, env.bind(variable, items.item(i))),
                None if kept is True and items.kept is None else keep,
            )
        bound = [env.bind(variable, one) for one in items]
        return [self.ev(element, one) for one in bound if self.decide(self.truth(self.ev(kept, one)))]

    def apply(self, op: str, args: list[Value]) -> Value:
        """Return the result of an operation on values."""
        for i, one in enumerate(args):
            if isinstance(one, Choice):
                parts = [(w, self.apply(op, [*args[:i], v, *args[i + 1 :]])) for w, v in one.cases]
                return self.of_cases(parts)
        if (special := getattr(self, f"op_{NAMES.get(op, op)}", None)) is not None:
            return special(*args)
        if all(map(is_plain, args)):
            if op not in PYTHON:
                raise NotSymbolic(f"the operation {op}")
            return PYTHON[op](*args)
        if op in RELATIONS:
            return self.compare_all(op, *args)
        if op in COMPUTED or op in ("neg", "abs", "int", "float", "round", "ceil", "floor", "sqrt", "log2"):
            if all(isinstance(one, (*NUMBERS, Modulo)) for one in args):
                return self.arithmetic(op, *args)
        return self.pinned(op, args)

    def compare_all(self, op: str, one: Value, other: Value) -> Value:
        if isinstance(one, Items | list) and isinstance(other, Items | list):
            return self.pinned(op, [one, other])
        return self.compare(op, one, other)

    def arithmetic(self, op: str, *args: Value) -> Value:
        if op == "%" and isinstance(args[0], Expression) and is_whole(args[0]) and is_whole(args[1]):
            return Modulo(*args)
        args = tuple(one if isinstance(one, Expression) else whole_if_equal(one) for one in map(self.arithmetic_of, args))
        indexes = {name for one in args if isinstance(one, Expression) for name in index_of(one.letters)}
        whole = all(map(is_whole, args))
        if whole and op in ("+", "-", "*"):
            return PYTHON[op](*args)
        if op in ("neg", "float"):
            return -args[0] if op == "neg" else args[0]
        if op == "**" and isinstance(args[1], int) and args[1] >= 0:
            return args[0] ** args[1]
        if indexes:
            raise Unroll(min(indexes))
        if whole and op == "//":
            return floor(*args)
        if whole and op in ("int", "floor", "ceil", "round"):
            return args[0]
        if op == "abs" and whole:
            return args[0] if self.decide(self.compare(">=", args[0], 0)) else -args[0]
        if op == "/" and whole and (exact := floor(*args)) * args[1] == args[0]:
            return exact
        if op in ("int", "floor", "ceil") and (pair := fraction(args[0])):
            return ceiling(*pair) if op == "ceil" else floor(*pair)
        return computed(COMPUTED.get(op, "rounded" if op == "round" and len(args) > 1 else op), *args)

    def with_exact(self, one: Expression) -> Expression:
        """Return an expression without the floors of quotients that a condition makes whole."""
        if not self.exact or not one.has_quotients:
            return one
        total = []
        for powers, number in one.terms.items():
            factor = expression(number)
            for atom, power in powers:
                factor = factor * self.quotient_of(atom) ** power
            total.append(factor)
        return sum_of(total)

    def quotient_of(self, atom: Any) -> Expression:
        pair = sides(atom)
        if pair is None:
            return letter(atom)
        top, bottom = pair
        for divisor, number in self.exact:
            if divisor == bottom and len(bottom.terms) == 1:
                if not divided(top, number, whole=True)[1]:
                    return top / bottom
        return letter(atom)

    # Operations that are their own on symbolic values

    def op_has(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Keys):
            return self.has_key(owner, name)
        if isinstance(owner, Object):
            return name in owner.fields
        return isinstance(owner, dict) and name in owner

    def op_has_field(self, owner: Object, name: str) -> bool:
        rules = self.rules(owner.kind)
        return (rules.aliases.get(name, name) if rules else name) in owner.fields

    def op_fields(self, owner: Object) -> Object:
        return owner

    def op_field(self, owner: Value, name: str) -> Value:
        if not isinstance(owner, Object):
            raise NotSymbolic(f"the field {name} of {owner!r:.60}")
        return self.field(owner, name)

    def op_get(self, owner: Value, index: Value) -> Value:
        if isinstance(owner, Keys):
            return self.key(owner, index)
        if isinstance(owner, Object):
            return self.field(owner, index)
        if owner is Rope:
            return Rope
        if isinstance(owner, Items):
            return self.item(owner, index)
        if isinstance(index, Expression):
            if found := index_of(index.letters):
                return self.item(Items(len(owner), owner.__getitem__), index) if False else self.of_list(owner, index, found)
            self.pin(index)
            index = self.value_of(index)
        return owner[index]

    def op_get_or(self, owner: Value, index: Value, default: Value) -> Value:
        return self.op_get(owner, index) if self.op_has(owner, index) else default

    def of_list(self, owner: Sequence[Value], index: Expression, found: list[str]) -> Value:
        """Return the item of a known list at a symbolic index: a choice, if few differ."""
        if len(found) > 1 or index - letter(found[0]) != (index - letter(found[0])).constant:
            raise Unroll(found[0])
        offset = index - letter(found[0])
        cases = [(fact(found[0], "at", expression(i) - offset), one) for i, one in enumerate(owner)]
        first = owner[0] if owner else None
        if all(is_same(first, one) for one in owner):
            return first
        if len(cases) > 8 or any(isinstance(one, Expression | int) for one in owner):
            raise Unroll(found[0])
        return self.of_cases(cases)

    def item(self, of: Items, index: Value) -> Value:
        if of.kept is not None:
            return self.enumerated(of)[self.value_of(index)]
        if isinstance(index, int) and index < 0:
            length = self.length(of)
            index = length + index if not isinstance(of, Given) else index
        return of.item(index)

    def op_list(self, *items: Value) -> list[Value]:
        return [*items]

    def op_range(self, start: Value, stop: Value, step: Value) -> Value:
        if all(isinstance(one, int) for one in (start, stop, step)):
            return [*range(start, stop, step)]
        if isinstance(start, float) or isinstance(stop, float):
            raise NotSymbolic("a range of floats")
        length = expression(stop) - start
        if step != 1:
            length = ceiling(length, step)
        if not index_of(length.letters) and not self.at_most(0, length):
            return []
        found = Items(length, lambda i: start + i * step)
        found.range = start, stop, step
        return found

    def length(self, of: Value) -> Value:
        if isinstance(of, Items):
            if of.kept is not None:
                return self.number_of(of, of.kept)
            return of.length
        return len(of)

    op_len = length

    def number_of(self, of: Items, holds: Callable[[Value], Value]) -> Value:
        """Return for how many items of a list something holds."""
        index = self.new_index()
        where = indicator_of(self, holds(letter(index)))
        if of.kept is not None:
            where = where * indicator_of(self, of.kept(letter(index)))
        found = self.counter.count(where, {index: of.length})
        if found is None:
            raise NotSymbolic(f"the number of {where!r:.100}")
        return found

    def new_index(self) -> str:
        self.indexes = getattr(self, "indexes", 50) + 1
        return f"@{self.indexes}"

    def op_any(self, of: Value) -> Value:
        if isinstance(of, Items):
            try:
                number = self.number_of(of, lambda i: self.truth(of.item(i)))
            except (NotSymbolic, Unroll):
                return any(self.decide(self.truth(one)) for one in self.enumerated(of))
            return self.compare(">", number, 0) if isinstance(number, Expression) else number > 0
        return any(self.decide(self.truth(one)) for one in of)

    def op_all(self, of: Value) -> Value:
        if isinstance(of, Items):
            return negated(self.op_any(Items(of.length, lambda i: negated(self.truth(of.item(i))), of.kept)))
        return all(self.decide(self.truth(one)) for one in of)

    def op_in(self, one: Value, holder: Value) -> Value:
        if isinstance(holder, dict | set | frozenset | str) and is_plain(one):
            return one in holder
        if isinstance(holder, Keys | Object):
            return self.op_has(holder, one)
        if isinstance(holder, Given):
            if not isinstance(one, Expression):
                self.constants[holder.path] = frozenset(holder.values) if all(isinstance(v, str | bool | type(None)) for v in holder.values) else holder.values
                return one in holder.values
            holder = holder.values
        if isinstance(holder, Items) and holder.range and isinstance(holder.range[2], int | Expression):
            start, stop, step = holder.range
            inside = conjoined(indicator_of(self, self.compare(">=", one, start)), indicator_of(self, self.compare("<", one, stop)))
            return conjoined(inside, indicator_of(self, self.compare("==", Modulo(expression(one) - start, step), 0)) if step != 1 else True)
        if isinstance(holder, Items):
            return self.op_any(Items(holder.length, lambda i: self.apply("==", [holder.item(i), one]), holder.kept))
        found: Value = False
        for other in holder:
            test = self.apply("==", [one, other])
            if isinstance(test, Condition):
                test = self.decide(test)
            found = negated(conjoined(negated(found), negated(test)))
        return found

    def op_is(self, one: Value, other: Value) -> bool:
        return one is other

    def op_isinstance(self, one: Value, *names: str) -> bool:
        if isinstance(one, Expression | Modulo):
            return "int" in names
        if isinstance(one, Items):
            return "list" in names
        if isinstance(one, Object):
            return "part" in names
        return any(isinstance(one, KINDS[name]) for name in names if name in KINDS)

    def op_labels(self, owner: Value) -> Value:
        whole = owner.of if isinstance(owner, Keys) else owner
        labels = whole.fields.get("id2label")
        number = len(labels) if labels else whole.fields.get("num_labels", 2)
        return self.size(whole.of("num_labels"), number)

    def op_sum(self, of: Value) -> Value:
        if not isinstance(of, Items):
            return self.total(of)
        index = self.new_index()
        value = of.item(letter(index))
        total = []
        for where, one in value.cases if isinstance(value, Choice) else [(ALWAYS, value)]:
            if isinstance(one, Expression) and index in one.letters:
                return self.total(self.enumerated(of)) if not self.pin(of.length) else 0
            number = self.counter.count(where, {index: of.length})
            if number is None:
                raise NotSymbolic("a sum")
            total.append(number * one)
        return sum_of(map(expression, total))

    def total(self, of: Sequence[Value]) -> Value:
        found: Value = 0
        for one in of:
            found = self.apply("+", [found, one])
        return found

    def op_prod(self, of: Value) -> Value:
        found: Value = 1
        for one in self.listed(of):
            found = self.apply("*", [found, one])
        return found

    def listed(self, of: Value) -> list[Value]:
        """Return the items of a list whose length becomes fixed."""
        if isinstance(of, Items):
            self.pin(of.length)
            return self.enumerated(of)
        return [*of]

    def op_max(self, of: Value, op: str = ">=") -> Value:
        best, *others = self.listed(of)
        for one in others:
            if not self.decide(self.apply(op, [best, one])):
                best = one
        return best

    def op_min(self, of: Value) -> Value:
        return self.op_max(of, "<=")

    def op_plus(self, one: Value, other: Value) -> Value:
        if isinstance(one, Items | list | tuple) and isinstance(other, Items | list | tuple):
            return self.joined([one, other])
        if is_plain(one) and is_plain(other):
            return one + other
        return self.arithmetic("+", one, other)

    def op_joined(self, *parts: Value) -> Value:
        return self.joined(parts)

    def op_concat(self, parts: Value) -> Value:
        return self.joined(self.listed(parts))

    def joined(self, parts: Sequence[Value]) -> Value:
        if all(isinstance(one, list | tuple) for one in parts):
            return [item for one in parts for item in one]
        if any(isinstance(one, Items) and one.kept for one in parts):
            return [item for one in parts for item in self.listed(one)]
        whole: Value = 0
        starts = []
        for one in parts:
            starts.append(whole)
            whole = whole + self.length(one)

        def item(i: Value) -> Value:
            if isinstance(i, int):
                for one, start in reversed([*zip(parts, starts, strict=True)]):
                    if self.at_most(start, i):
                        return self.op_get(one, i - start)
            cases, rest = [], ALWAYS
            for one, start, end in zip(parts, starts, [*starts[1:], None], strict=True):
                here = rest if end is None else rest * indicator_of(self, self.compare("<", i, end))
                rest = rest - here
                if here.terms:
                    cases.append((here, self.op_get(one, i - start)))
            return self.of_cases(cases)

        return Items(whole, item)

    def op_times(self, one: Value, other: Value) -> Value:
        if isinstance(other, list | Items):
            one, other = other, one
        if isinstance(one, list | tuple | Items):
            if isinstance(one, list | tuple) and isinstance(other, int):
                return [*one] * other
            if isinstance(one, list) and len(one) == 1:
                return Items(other, lambda i: one[0])
            return self.listed(one) * self.value_of(self.pin(other) or other)
        if is_plain(one) and is_plain(other):
            return one * other
        return self.arithmetic("*", one, other)

    def op_enumerate(self, of: Value, start: Value) -> Value:
        if isinstance(of, Items) and of.kept is None:
            return Items(of.length, lambda i: [start + i, of.item(i)])
        return [[start + i, one] for i, one in enumerate(self.listed(of))]

    def op_zip(self, *lists: Value) -> Value:
        if any(isinstance(one, Items) and not isinstance(one, Given) for one in lists):
            lengths = [self.length(one) for one in lists]
            length = self.op_min(lengths)
            return Items(length, lambda i: [self.op_get(one, i) for one in lists])
        return [[*one] for one in zip(*map(self.enumerated_given, lists), strict=False)]

    def enumerated_given(self, of: Value) -> list[Value]:
        return self.enumerated(of) if isinstance(of, Items) else of

    def op_slice(self, of: Value, start: Value, stop: Value, step: Value) -> Value:
        if isinstance(of, Items) and not isinstance(of, Given) and of.kept is None:
            if (start, stop, step) == (None, None, -1):
                return Items(of.length, lambda i: of.item(of.length - 1 - i))
            if step in (None, 1) and not is_negative(start):
                first = start or 0
                last = of.length if stop is None else of.length + stop if is_negative(stop) else self.op_min([stop, of.length])
                return Items(last - first, lambda i: of.item(first + i))
        items = self.listed(of)
        for one in (start, stop, step):
            self.pin(one)
        return items[slice(*map(self.value_of, (start, stop, step)))]

    def op_replaced(self, of: Value, index: Value, value: Value) -> Value:
        items = self.listed(of)
        self.pin(index)
        items[self.value_of(index)] = value
        return items

    def op_set(self, of: Value) -> Value:
        if isinstance(of, Given):
            self.constants[of.path] = frozenset(of.values)
            return set(of.values)
        return of if isinstance(of, Items) else set(of)

    def op_dict(self, base: Value, *pairs: Value) -> Value:
        found = dict(base) if isinstance(base, dict) else {}
        if isinstance(base, Keys | Object):
            raise NotSymbolic("a dictionary of keys")
        return found | dict(zip(pairs[::2], pairs[1::2], strict=True))

    def op_new(self, kind: str, keys: Value) -> Value:
        raise NotSymbolic(f"a new {kind}")

    # Tensors

    def convert(self, records: Iterable[Record], refusals: Iterable[Value] = ()) -> Symbolic:
        self.outcome = Outcome.REFUSED
        for one in refusals:
            self.refuse(one, self.root)
        rules = self.rules(self.whole.kind)
        for one in rules.refusals if rules else ():
            self.refuse(one, Environment({}, Keys(self.whole, "")))
        self.outcome = Outcome.OTHERS
        found: dict[tuple[Any, ...], list[Expression]] = {}
        unexplained: dict[str, None] = {}
        by_storage: dict[Any, list[Record]] = {}
        for record in records:
            by_storage.setdefault(record.storage, []).append(record)
        for group in by_storage.values():
            try:
                for key, times in self.tensors_of(group):
                    found.setdefault(key, []).append(times)
            except (NotSymbolic, LookupError, TypeError, ArithmeticError):
                if group[0].role != "buffer":
                    raise
                unexplained[f"{star(group[0].path)} (buffer)"] = None
        tensors = []
        for (path, shape, role, aliases), numbers in found.items():
            if times := sum_of(numbers):
                tensors.append(DerivedTensor(path, shape, times, role, aliases, True, True))
        stated = (StatedCondition(c, Consequence(o)) for c, o in self.conditions.items())
        return Symbolic(tuple(tensors), tuple(stated), self.sizes, self.fields, self.constants, tuple(unexplained), self.notes)

    def refuse(self, node: Value, env: Environment) -> None:
        """State what must be met so that a class does not refuse the sizes."""
        if mentions_operation(node, "accepts"):
            return
        try:
            self.require(node, False, env)
        except (NotSymbolic, Unroll, LookupError, TypeError, ArithmeticError, ValueError) as error:
            self.notes.append(f"refusal {type(error).__name__} {error!s:.100}")

    def require(self, node: Value, wanted: bool, env: Environment) -> None:
        if is_node(node) and node.op == "not":
            return self.require(node.args[0], not wanted, env)
        if is_node(node) and node.op == "and":
            if wanted:
                for one in node.args:
                    self.require(one, True, env)
                return None
            flat = [*conjuncts(node)]
            # The parts without letters decide first whether there is anything to require.
            open_: list[Any] = []
            for one in flat:
                value = self.undecided(one, env)
                if value is False:
                    return None
                if value is not True:
                    open_.append((one, value))
            for one, value in open_:
                if value is None or not value.is_met(self.sizes):
                    return self.require(one, False, env)
            return None
        value = self.truth(self.ev(node, env))
        if isinstance(value, Condition):
            self.decide(value)
        return None

    def undecided(self, node: Value, env: Environment) -> bool | Condition | None:
        if is_node(node) and node.op == "not":
            value = self.undecided(node.args[0], env)
            return None if value is None else negated(value)
        if is_node(node) and node.op == "and":
            return None
        value = self.truth(self.ev(node, env))
        return value if isinstance(value, bool | Condition) else None

    def environment(self, record: Record, fixed: Mapping[int, int]) -> tuple[Environment, dict[str, Value], Indicator]:
        """Return the variables of a record's loops, their lengths, and where its items are kept."""
        key = (record.loops, tuple(fixed.items()))
        if key in self.environments:
            return self.environments[key]
        env, lengths, where = self.root, {}, ALWAYS
        for variable, source, kept in record.loops:
            items = self.ev(source, env)
            if isinstance(items, dict):
                items = [*items]
            if not isinstance(items, Items):
                items = Items(len(items), lambda i, items=items: self.op_get(items, i))
            if items.kept is not None:
                listed = self.listed(items)
                items = Items(len(listed), lambda i, listed=listed: self.op_get(listed, i))
            index: Value = index_letter(variable)
            if variable in fixed:
                index = fixed[variable]
            else:
                if isinstance(items.length, Expression) and (found := index_of(items.length.letters)):
                    raise Unroll(found[0])
                lengths[index_of(index.letters)[0]] = items.length
            env = env.bind(variable, items.item(index))
            kept_here = self.truth(self.ev(kept, env))
            where = where * (kept_here if isinstance(kept_here, Indicator) else indicator(self.decide(kept_here)))
        self.environments[key] = env, lengths, where
        return self.environments[key]

    def lengths_of(self, record: Record, fixed: Mapping[int, int], variable: int) -> Value:
        env = self.root
        for own, source, _ in record.loops:
            items = self.ev(source, env)
            if own == variable:
                return self.length(items)
            item = items.item if isinstance(items, Items) else lambda i, items=items: self.op_get(items, i)
            env = env.bind(own, item(fixed.get(own, index_letter(own))))
        raise NotSymbolic(f"a loop {variable}")

    def placed(self, record: Record, fixed: dict[int, int]) -> Iterator[tuple[dict[int, int], Indicator, Any, dict[str, Value]]]:
        """Yield where a record is and its shape there, for each item of loops that are unrolled."""
        try:
            for one in conjuncts(record.condition):
                if not free(one) and not self.decide(self.truth(self.ev(one, self.root))):
                    return
            env, lengths, where = self.environment(record, fixed)
            if where.terms:
                where = where * indicator_of(self, self.truth(self.ev(record.condition, env)))
            if where.terms:
                yield from self.shapes(record, fixed, where, env, lengths)
            return
        except Unroll as error:
            variable = int(error.index[1:])
        number = self.lengths_of(record, fixed, variable)
        if isinstance(number, Expression):
            self.state(Condition(Relation.EQUAL, number, expression(self.value_of(number)), True))
            number = self.value_of(number)
        for i in range(number):
            yield from self.placed(record, {**fixed, variable: i})

    def shapes(self, record: Record, fixed: dict[int, int], where: Indicator, env: Environment, lengths: dict[str, Value]) -> Iterator[Any]:
        trains = self.decide(self.truth(self.ev(record.trains, env)))
        role: Role = record.role if trains or record.role == "buffer" else "frozen"
        if record.shape is None:
            raise NotSymbolic(f"the shape of {record.path} is not known")
        shape = record.shape
        if is_node(shape):
            shape = self.ev(shape, env)
            shape = [shape] if isinstance(shape, int | Expression) else self.listed(shape)
        dims = [self.ev(one, env) for one in shape]
        cases = [one.cases if isinstance(one, Choice) else [(ALWAYS, one)] for one in dims]
        found: list[Any] = []
        for combined in product(*cases):
            here = where
            for also, _ in combined:
                here = here * also
            if here.terms:
                found.append((fixed, here, (tuple(self.dimension(v, record) for _, v in combined), role), lengths))
        yield from found

    def dimension(self, value: Value, record: Record) -> Expression:
        value = self.arithmetic_of(value)
        if isinstance(value, float) and value == int(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int | Expression):
            raise NotSymbolic(f"{record.path} has a length {value!r:.60}")
        value = expression(value)
        if found := index_of(value.letters):
            raise Unroll(found[0])
        return self.with_exact(value)

    def tensors_of(self, group: list[Record]) -> Iterator[tuple[tuple[Any, ...], Expression]]:
        """Yield (path, shape, role, aliases) and number of the tensors of one storage."""
        # Where the storage has which names: [fixed indexes, lengths, indicator, what, paths].
        held: list[list[Any]] = []
        for record in group:
            for fixed, where, what, lengths in self.placed(record, {}):
                own = {k: v for k, v in fixed.items() if k < record.depth}
                inner = {k: v for k, v in lengths.items() if int(k[1:]) < record.depth}
                outer = {k: v for k, v in lengths.items() if k not in inner}
                names = [star(record.path)]
                if outer or len(own) < len(fixed):
                    where, more = self.shared(where, inner, outer)
                    if not where.terms:
                        continue
                    names *= 1 + more
                for one in [*held]:
                    if one[0] == own and one[1].keys() == inner.keys() and where.terms:
                        both = one[2] * where
                        if both.terms:
                            one[2], where = one[2] - both, where - both
                            held.append([own, inner, both, one[3], [*one[4], *names]])
                if where.terms:
                    held.append([own, inner, where, what, names])
        for _, lengths, where, (shape, role), names in held:
            if where.terms:
                aliases = tuple(sorted({*names[1:]}))
                yield (names[0], shape, role, aliases), self.times(where, lengths)

    def shared(self, where: Indicator, inner: Mapping[str, Value], outer: Mapping[str, Value]) -> tuple[Indicator, bool]:
        """Return where a storage is that all items of the outer loops share, and if they are many."""
        terms: dict[Any, dict[Any, int]] = {}
        for facts, n in where.terms.items():
            own = frozenset(one for one in facts if one.index in inner)
            terms.setdefault(own, {})[facts - own] = n
        if len(terms) > 1:
            raise NotSymbolic("a shared tensor in items of some kind")
        ((own, others),) = terms.items()
        number = self.counter.count(Indicator(others), outer) if outer else expression(1)
        if number is None:
            raise NotSymbolic("how often a tensor is shared")
        value = self.value_of(number)
        if outer:
            self.at_most(1 if value else number, number if value else 0)
        return Indicator({own: 1} if value else {}), value > 1

    def times(self, where: Indicator, lengths: Mapping[str, Value]) -> Expression:
        found = self.counter.count(where, lengths)
        if found is None:
            raise NotSymbolic(f"the number of {where!r:.200}")
        return self.with_exact(found)

    def holds_at(self, one: Fact, place: Value) -> bool:
        """Return whether a fact holds for the item at a place."""
        operands: Any = one.operands
        if one.relation == "mod":
            rest = self.arithmetic("%", expression(place) - operands[1], operands[0]) if isinstance(expression(place) - operands[1], Expression) else 0
            return self.decide(self.compare("==", rest, 0) if isinstance(rest, Modulo) else rest == 0)
        path, offset, value = operands
        self.pin(place)
        found: bool = self.kept_kinds[path][self.value_of(place) + offset] == value
        return found


Rope = type("Rope", (), {"__repr__": lambda self: "rope"})()
NAMES = {"has field": "has_field", "get or": "get_or", "+": "plus", "*": "times"}


def is_node(value: Value) -> bool:
    return hasattr(value, "op")


def is_plain(value: Value) -> bool:
    """Return whether a value is known."""
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(is_plain, value))
    return value is None or isinstance(value, str | int | float | dict)


def is_whole(value: Value) -> bool:
    return value.is_whole if isinstance(value, Expression) else isinstance(value, int)


def whole_if_equal(value: Value) -> Value:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_negative(value: Value) -> bool:
    return isinstance(value, int) and value < 0


def is_same(one: Value, other: Value) -> bool:
    if isinstance(one, Expression) or isinstance(other, Expression):
        return bool(isinstance(one, NUMBERS) and isinstance(other, NUMBERS) and one == other)
    if isinstance(one, Items | Object | Choice) or isinstance(other, Items | Object | Choice):
        return one is other
    return type(one) is type(other) and bool(one == other)


def opposite(one: Condition) -> Condition:
    return Condition(one.relation, one.left, one.right, not one.holds)


def negated(value: Value) -> Value:
    if isinstance(value, Condition):
        return opposite(value)
    if isinstance(value, Indicator):
        return ALWAYS - value
    return not value


def conjoined(one: Value, other: Value) -> Value:
    found = indicator(one) * indicator(other)
    return found if found.constant is None else found.constant


def indicator_of(run: Converter, value: Value) -> Indicator:
    return value if isinstance(value, Indicator) else indicator(run.decide(value))


def residue(rest: Expression, divisor: Value) -> Value:
    """Return a rest between 0 and the divisor, if both are known."""
    if rest.constant is not None and isinstance(divisor, int):
        return int(rest.constant) % divisor
    return rest if rest.constant is None else int(rest.constant)


def fraction(one: Expression) -> tuple[Expression, Expression] | None:
    """Return a and b for a number that is computed as a / b, of whole a and b."""
    one = one if isinstance(one, Expression) else expression(one)
    match [*one.terms.items()]:
        case [(((Computed("plus" | "minus" as op, (left, right)), 1),), 1)]:
            pairs = [fraction(letter(side)) if isinstance(side, Computed) else (expression(side), expression(1)) for side in (left, right) if not isinstance(side, float)]
            if len(pairs) == 2 and all(pairs):
                (a, b), (c, d) = pairs
                if 1 in (b, d):
                    return (a * d + c * b if op == "plus" else a * d - c * b), b * d
        case [(((Computed("over", (Expression() as top, Expression() | int() as bottom)), 1),), 1)]:
            if top.is_whole and is_whole(bottom):
                return top, expression(bottom)
    return None


_FREE: dict[Any, frozenset[int]] = {}


def free(node: Value) -> frozenset[int]:
    """Return the variables of loops outside of an expression on which it depends."""
    if not is_node(node):
        if isinstance(node, tuple | list):
            return frozenset[int]().union(*map(free, node))
        return frozenset()
    if (found := _FREE.get(node)) is None:
        if node.op in ("item", "item of loop"):
            found = frozenset([node.args[0]])
        elif node.op in ("comp", "comp dict"):
            variable, source, *inner = node.args
            found = free(source) | (frozenset[int]().union(*map(free, inner)) - {variable})
        else:
            found = frozenset[int]().union(*map(free, node.args))
        _FREE[node] = found
    return found


def conjuncts(node: Value) -> Iterator[Value]:
    if is_node(node) and node.op == "and":
        for one in node.args:
            yield from conjuncts(one)
    else:
        yield node


def nodes_of(node: Value, seen: set[Any]) -> Iterator[Value]:
    if is_node(node) and node not in seen:
        seen.add(node)
        yield node
        for one in node.args:
            yield from nodes_of(one, seen)


def mentions(node: Value, names: set[str]) -> bool:
    """Return whether an expression depends on one of these keys."""
    return any(
        one.op in ("has", "get") and len(one.args) > 1 and one.args[1] in names
        for one in nodes_of(node, set())
        if not is_node(one.args[1] if len(one.args) > 1 else None)
    )


def mentions_operation(node: Value, name: str) -> bool:
    return any(one.op == name for one in nodes_of(node, set()))


def star(path: str) -> str:
    return starred("".join("0" if c in "{}" else c for c in path).replace("+", ""))
