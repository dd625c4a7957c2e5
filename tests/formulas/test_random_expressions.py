"""Random expressions and conditions agree with plain ints and fractions, at all small sizes.

``RANDOM_EXPRESSIONS`` sets their number, and ``RANDOM_EXPRESSIONS_RUN`` takes the next so many. The
message of a failure begins with the seed.
"""

import math
import operator
import os
from collections import Counter
from itertools import product
from random import Random

from paramproof.derivation.guard_probing import exact_division
from paramproof.formulas.condition import Condition, Relation, at_least_one, condition_in, signs_of
from paramproof.formulas.expression import Computed, as_operand, ceiling, computed, letter, text
from paramproof.formulas.notation import expression_in
from tests.notation import value as text_value

NUMBER = int(os.environ.get("RANDOM_EXPRESSIONS", 300))
FIRST = NUMBER * int(os.environ.get("RANDOM_EXPRESSIONS_RUN", 0))
NAMES = ("A", "H", "L")
SMALL = [dict(zip(NAMES, sizes, strict=True)) for sizes in product((1, 2, 3), repeat=3)]

WHOLE = (  # Operations on whole numbers: ours, and Python's own.
    *((one, one) for one in (operator.add, operator.sub, operator.mul, operator.mod)),
    (operator.floordiv, operator.floordiv),
    (ceiling, lambda one, other: -(-one // other)),
    (lambda one, other: computed("gcd", one, other), math.gcd),
)
FLOAT = {"times": operator.mul, "over": operator.truediv, "plus": operator.add}
ROUNDED = {"int": int, "floor": math.floor, "ceil": math.ceil, "round": round}
RELATIONS = {
    Relation.EQUAL: operator.eq,
    Relation.LESS: operator.lt,
    Relation.MORE: operator.gt,
    Relation.DIVIDES: lambda one, other: one != 0 and other % one == 0,
}


def drawn(random, depth=3):
    """Return two functions: one makes an expression, one computes it at sizes with plain ints."""
    kind = random.random()
    if depth == 0 or kind < 0.2:
        name, number = random.choice(NAMES), random.randint(-3, 9)
        if random.random() < 0.6:
            return lambda: letter(name), lambda at: at[name]
        return lambda: letter(name) * 0 + number, lambda at: number
    make, compute = drawn(random, depth - 1)
    if kind < 0.35:
        name, number = random.choice([*FLOAT]), random.choice((0.1, 0.7, 1.5, 2.0, 8 / 3))
        rounding = random.choice([*ROUNDED])
        return (
            lambda: computed(rounding, Computed(name, (as_operand(make()), number))),
            lambda at: ROUNDED[rounding](FLOAT[name](compute(at), number)),
        )
    other, theirs = drawn(random, depth - 1)
    ours, python = random.choice(WHOLE)
    return lambda: ours(make(), other()), lambda at: python(compute(at), theirs(at))


def or_none(function, *arguments):
    try:
        return function(*arguments)
    except ArithmeticError:
        return None


def agree(seed, seen):
    random = Random(seed)
    (make, compute), (make_other, compute_other) = drawn(random), drawn(random)
    one, other = or_none(make), or_none(make_other)
    sizes = [*SMALL, *({name: random.randint(1, 60) for name in NAMES} for _ in range(5))]
    computed_at = [(at, or_none(compute, at), or_none(compute_other, at)) for at in sizes]
    # What divides by 0 everywhere is refused, and nothing else.
    assert (one is None) <= all(value is None for _, value, _ in computed_at), seed
    if one is None or other is None:
        seen["refused"] += 1
        return
    written, moved = text(one), or_none(one.substitute, {"H": other})
    signs, needs = signs_of(one), at_least_one(one)
    assert expression_in(written) == one, (seed, written)
    # A formula may have a value where Python divides by 0 on the way to it.
    for place, (at, value, second) in enumerate(computed_at):
        if value is None:
            continue
        seen["values"] += 1
        assert one.value(at) == value, (seed, written, at)
        assert (value > 0) - (value < 0) in signs, (seed, written, at)
        assert all(need.is_met(at) for need in needs) == (value >= 1), (seed, written, at)
        if place % 5 == 0:
            assert text_value(written, at) == value, (seed, written, at)
            # Letters are positive.
            there = or_none(compute, {**at, "H": second}) if second and second > 0 else None
            assert there is None or moved.value(at) == there, (seed, written, str(other), at)
    relation, holds = random.choice([*RELATIONS]), random.random() < 0.5
    condition = Condition(relation, one, other, holds)
    weaker = Condition(relation, one, other + random.randint(-2, 2), random.random() < 0.5)
    implies, only = condition.implies(weaker), condition.only
    again, simple = condition_in(str(condition)), exact_division([condition])(one)
    answers = set()
    for at, first, second in computed_at:
        if first is None or second is None:
            continue
        is_met = condition.is_met(at)
        answers.add(is_met)
        where = seed, condition, weaker, at
        assert is_met is (RELATIONS[relation](first, second) is holds) is again.is_met(at), where
        if is_met:
            assert not implies or weaker.is_met(at), where
            assert only is None or at[only[0]] == only[1], where
            assert simple.value(at) == first, where
    assert not condition.is_settled or len(answers) < 2, (seed, str(condition))
    seen[relation] += 1


def test_expressions_and_conditions_agree_with_plain_ints():
    seen = Counter()
    for seed in range(FIRST, FIRST + NUMBER):
        agree(seed, seen)
    print(dict(seen))
    assert min(seen[relation] for relation in RELATIONS) > NUMBER // 10
    assert seen["values"] > 20 * NUMBER
