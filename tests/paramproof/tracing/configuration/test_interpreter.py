"""A function gives what its program gives, for any keys: fields, or a refusal."""

from copy import deepcopy
from random import Random

import pytest

from paramproof.catalogue.program import ERRORS, Refused
from paramproof.tracing.configuration.interpreter import Interpreter
from paramproof.tracing.configuration.paths import Dict
from paramproof.tracing.configuration.terms import Unknown, term
from tests.paramproof.tracing.configuration.evaluation import reader_of
from tests.paramproof.tracing.configuration.toys import TOYS, UNKNOWN, unknown_loops

REFUSED = "refused"


def traced(function):
    run = Interpreter(["tests"])
    result = run.call(function, [Dict((), term("config"))])
    return run.frozen(result), [*run.refusals]


def made(read, config):
    try:
        return read(config).get("result")
    except Refused:
        return REFUSED


def native_value(function, config):
    try:
        return function(config)
    except ERRORS:
        return REFUSED


def draw_keys(random):
    numbers = [*range(7), -1, None, "3", 2.5]
    lists = [[], [1], [2, 1], [3, 0, 1, 1], [5, -1], None, 3]
    drawn = {
        "n": random.choice(numbers),
        "m": random.choice(numbers),
        "xs": deepcopy(random.choice(lists)),
        "of": random.choice([None, {}, {"kind": "few"}, {"n": 1}, 3]),
    }
    return {key: value for key, value in drawn.items() if random.random() < 0.7}


@pytest.mark.parametrize("function", TOYS, ids=lambda one: one.__name__)
def test_a_program_gives_what_its_function_gives(function, tmp_path):
    result, refusals = traced(function)
    read, random = reader_of(tmp_path, {"result": result}, refusals), Random(function.__name__)
    number = 0
    for _ in range(300):
        config = draw_keys(random)
        expected = native_value(function, deepcopy(config))
        assert made(read, deepcopy(config)) == expected, config
        number += expected != REFUSED
    assert number > 20


@pytest.mark.parametrize("function", UNKNOWN, ids=lambda one: one.__name__)
def test_what_is_not_understood_is_unknown(function):
    with pytest.raises(Unknown):
        traced(function)


def test_a_loop_that_is_not_understood_changes_nothing():
    result, _ = traced(unknown_loops)
    assert result is term("dict", None, "n", 1)
