"""Conditions are simplified by one another, and stay true where they were true."""

from itertools import product
from random import Random

from paramproof.tracing.configuration.terms import both, choose, either, negate, term
from tests.paramproof.tracing.configuration.evaluation import reader_of

CONFIG = term("config")


def draw_condition(random, depth):
    """Return a condition as a term, and as a function of the keys."""
    if not depth:
        key = random.choice("ab")
        if random.random() < 0.5:
            return term("has", CONFIG, key), lambda keys: key in keys
        return term(">", term("get", CONFIG, key), 1), lambda keys: keys[key] > 1
    (a, one), (b, other), (c, last) = (draw_condition(random, depth - 1) for _ in range(3))
    match random.randrange(4):
        case 0:
            return negate(a), lambda keys: not one(keys)
        case 1:
            return both(a, b), lambda keys: one(keys) and other(keys)
        case 2:
            return either(a, b), lambda keys: one(keys) or other(keys)
    b, other = random.choice([(b, other), (True, lambda keys: True), (False, lambda keys: False)])
    return choose(a, b, c), lambda keys: other(keys) if one(keys) else last(keys)


def test_a_simplified_condition_is_computed_where_the_condition_is(tmp_path):
    random, compared = Random(0), 0
    drawn = {str(number): draw_condition(random, 3) for number in range(3000)}
    terms = {name: condition for name, (condition, _) in drawn.items()}
    read = reader_of(tmp_path, terms, kind="properties")
    configs = [
        {key: value for key, value in zip("ab", pair, strict=True) if value is not None}
        for pair in product((None, 0, 2), repeat=2)
    ]
    for keys, (name, (condition, function)) in product(configs, drawn.items()):
        try:
            expected = function(keys)
        except KeyError:
            continue
        compared += 1
        assert read(keys).get(name) == expected, (condition, keys)
    assert compared > 10_000


def test_a_condition_leaves_out_what_those_before_it_decide():
    a, b = term("has", CONFIG, "a"), term("has", CONFIG, "b")

    assert both(a, either(negate(a), b)) is both(a, b)
    assert both(both(a, b), negate(a)) is False
    assert choose(a, b, False) is both(a, b)
