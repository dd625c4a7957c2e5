"""The reference of GPT, LLaMA and the Transformer of 2017, by hand and by its properties."""

from dataclasses import replace

import numpy as np
import pytest

from paramproof.formulas import Numerics
from tests.parity.cases import SPECS, Case
from tests.reference.arithmetic import Exact
from tests.reference.decoders import rotated, sinusoids
from tests.reference.models import derivative, forward
from tests.reference.steps import Steps


def case_of(name):
    return Case(SPECS[name], SPECS[name].original_numerics, "float64", seed=1)


def steps(**weights):
    return Steps(weights, Numerics(layer_norm_eps=0.0, rope_theta=100.0), Exact())


@pytest.mark.parametrize("name", SPECS)
def test_derivatives_agree_with_differences(name):
    """By central differences so small that they do not cross a kink of a ReLU."""
    case = case_of(name)
    step = 1e-6

    def moved(by):
        weights = {path: w + by * case.direction[path] for path, w in case.weights.items()}
        return forward(case.spec, case.numerics, weights, *case.inputs)

    forwards, backwards = moved(step), moved(-step)
    slopes = derivative(case.spec, case.numerics, case.weights, case.direction, *case.inputs)
    assert set(slopes) == {"sequence", "lm"}
    for kind, slope in slopes.items():
        assert np.abs(slope).max() > 0.01
        assert np.abs(slope - (forwards[kind] - backwards[kind]) / (2 * step)).max() < 1e-6


def test_sinusoids_by_hand():
    table = sinusoids(2, 5)
    assert table[0].tolist() == [0, 1, 0, 1, 0]
    rates = 1, 10000**-0.4, 10000**-0.8
    waves = [np.sin(rates[0]), np.cos(rates[0]), np.sin(rates[1]), np.cos(rates[1])]
    assert table[1] == pytest.approx([*waves, np.sin(rates[2])], rel=1e-15)


def test_a_rotation_by_hand():
    """At position 2, features 0 and 2 are rotated by 2, and 1 and 3 by 2 · 100^(-1/2)."""
    x = np.zeros((1, 1, 3, 4))
    x[0, 0, 2] = [1, 1, 1, 0]
    expected = [np.cos(2) - np.sin(2), np.cos(0.2), np.sin(2) + np.cos(2), np.sin(0.2)]
    assert rotated(steps(), x)[0, 0, 2] == pytest.approx(expected, rel=1e-15)


def test_rotated_products_depend_only_on_the_distance():
    random = np.random.default_rng(0)
    query, key = random.normal(size=(2, 1, 1, 1, 6))
    queries, keys = (rotated(steps(), np.repeat(x, 6, axis=2))[0, 0] for x in (query, key))
    products = queries @ keys.T
    for distance in range(-5, 6):
        assert np.ptp(np.diagonal(products, distance)) < 1e-14
    assert np.ptp(products[0]) > 0.1


def test_an_rms_norm_by_hand():
    norm = steps(**{"norm.scale": np.array([2.0, 5.0])}).rms_norm("norm", np.array([[1.0, 7.0]]))
    assert norm[0] == pytest.approx([2 * 1 / 5, 5 * 7 / 5], rel=1e-15)


def test_grouped_queries_equal_copied_keys_and_values():
    grouped = case_of("llama, grouped queries")
    spec = replace(grouped.spec, num_key_value_heads=grouped.spec.num_attention_heads)
    weights = dict(grouped.weights)
    for path in weights:
        if ".key." in path or ".value." in path:
            heads = np.split(weights[path], grouped.spec.num_key_value_heads, axis=1)
            weights[path] = np.concatenate([heads[0], heads[0], heads[1], heads[1]], axis=1)
    copies = forward(spec, grouped.numerics, weights, *grouped.inputs)
    shared = forward(grouped.spec, grouped.numerics, grouped.weights, *grouped.inputs)
    assert np.abs(copies["lm"] - shared["lm"]).max() < 1e-14


@pytest.mark.parametrize("name", SPECS)
def test_later_tokens_have_no_effect(name):
    case = case_of(name)
    *others, ids = case.inputs
    later = ids.copy()
    later[:, -1] = (ids[:, -1] + 1) % 9
    before, after = (
        forward(case.spec, case.numerics, case.weights, *others, x)["lm"] for x in (ids, later)
    )
    assert np.array_equal(before[:, :-1], after[:, :-1])
    assert np.abs(before[:, -1] - after[:, -1]).max() > 1e-4
