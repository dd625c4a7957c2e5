"""Weights go into a model and out again by canonical names, exact to the bit."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.builders.registry import frameworks
from paramproof.formulas.families import spec_fields
from paramproof.weights.files import read_weights, save_weights
from paramproof.weights.transfer import (
    assign_weights,
    build_with,
    canonical_weights,
    stored_tensors,
)
from tests.bitwise import assert_same, odd_weights
from tests.profiles import one_in
from tests.sessions import run_python
from tests.specs import SMALL_ENCODER as SPEC
from tests.strategies import supported_specs

HEADS = replace(SPEC, mlm_head=True, nsp_head=True)


def weights_of(spec, dtype="float32"):
    return odd_weights(stored_tensors(spec).values(), dtype)


@pytest.fixture(scope="module")
def model(builder):
    return build_with(builder, HEADS, weights_of(HEADS))


@one_in(5)
@given(data=st.data())
def test_round_trip(framework, builder, data):
    spec = data.draw(supported_specs(builder, **framework.fixed), label="spec")
    dtype = data.draw(st.sampled_from(["float32", "float64"]), label="dtype")
    arrays = weights_of(spec, dtype)
    model = build_with(builder, spec, arrays)
    assert model.dtype == dtype
    found = canonical_weights(model, spec)
    assert list(found) == list(arrays)
    assert_same(found, arrays)


POOLER, TIED = "pooler.kernel", "mlm_head.decoder.weight"


def test_every_wrong_weight_is_named_and_nothing_is_written(model):
    """Equal layers share a line. tests/paramproof/weights tests each way not to fit."""
    assign_weights(model, HEADS, weights_of(HEADS))
    few = {path: array for path, array in weights_of(HEADS).items() if "feed" not in path}
    with pytest.raises(ValueError, match="do not fit") as error:
        assign_weights(model, HEADS, few | {POOLER: np.ones(3), TIED: np.ones(4)})
    assert str(error.value) == (
        "the weights do not fit: layers.*.feed_forward.intermediate.kernel (x2) is missing; "
        "layers.*.feed_forward.intermediate.bias (x2) is missing; "
        "layers.*.feed_forward.output.kernel (x2) is missing; "
        "layers.*.feed_forward.output.bias (x2) is missing; "
        "layers.*.feed_forward_layer_norm.scale (x2) is missing; "
        "layers.*.feed_forward_layer_norm.bias (x2) is missing; "
        "pooler.kernel has shape (3,), not (6, 6); "
        "mlm_head.decoder.weight is not a weight of this model"
    )
    with raises("n38 is not a weight of this model; n39 is not a weight of this model; and 2 more"):
        assign_weights(model, HEADS, weights_of(HEADS) | {f"n{i}": np.ones(1) for i in range(42)})
    assert_same(canonical_weights(model, HEADS), weights_of(HEADS))


def raises(message):
    return pytest.raises(ValueError, match=re.escape(message))


def test_weights_of_another_spec(model):
    # A stacked weight has another shape if the number of layers differs.
    others = {
        r"not one of this spec: mlm_head\.": SPEC,
        r"intermediate\.bias .*of another shape": replace(HEADS, intermediate_size=7),
        r"attention\.output\.bias .*(missing|shape)": replace(HEADS, num_hidden_layers=3),
    }
    for message, other in others.items():
        with pytest.raises(ValueError, match=message):
            canonical_weights(model, other)
        with pytest.raises(ValueError, match=message):
            assign_weights(model, other, weights_of(other))


CARRY = """
import json
import sys
from paramproof.builders import load
from paramproof.weights.files import save_weights, read_weights
from paramproof.weights.transfer import build_with, canonical_weights
from paramproof.formulas.families import spec_from

name, source, target, fields = sys.argv[1:]
spec = spec_from(json.loads(fields))
model = build_with(load(name), spec, read_weights(source, spec))
save_weights(target, canonical_weights(model, spec), spec)
"""


def carry_through(framework, source, target):
    fields = json.dumps(spec_fields(HEADS))
    given = framework.name, source, target, fields
    done = run_python("-c", CARRY, *given, **framework.environment)
    assert done.returncode == 0, done.stderr


def test_between_processes(framework, builder, tmp_path):
    """Through a process of this framework, and one of the next installed framework, if any."""
    save_weights(tmp_path / "0", weights_of(HEADS), HEADS)
    present = [other for other in frameworks().values() if not other.missing]
    following = present[(present.index(framework) + 1) % len(present)]
    carriers = [framework] if following == framework else [framework, following]
    for number, carrier in enumerate(carriers):
        carry_through(carrier, tmp_path / f"{number}", tmp_path / f"{number + 1}")
    assert_same(read_weights(tmp_path / f"{len(carriers)}", HEADS), weights_of(HEADS))
