"""A family and a framework of another distribution, with PyTorch modules, match the formula."""

import pytest

from paramproof import assert_parameters, check, load
from paramproof.formulas.families import spec_from
from paramproof.verify.cases import random_specs
from tests.contract.test_outside_family import B16, WHOLE
from tests.frameworks.modules import nn

pytestmark = pytest.mark.framework("torch")

FIELDS = {"family": "mixer", **B16}


def test_every_tensor_of_a_mixer_agrees_with_the_formula(mixer):
    builder = load("mixer-torch")
    report = check(builder, spec_from(FIELDS))
    assert (report.equal, report.actual) == (True, WHOLE)
    assert all(check(builder, spec).equal for spec in random_specs(builder, 50, 0, "mixer"))


def test_a_live_model_of_it(mixer):
    """By shapes alone, without heads to split."""
    spec = spec_from({**FIELDS, "num_blocks": 2})
    module = load("mixer-torch").build(spec).module
    assert_parameters(module, spec)
    module.blocks[1].patch_mixing[2] = nn.Linear(384, 195, device="meta")
    with pytest.raises(AssertionError, match="missing"):
        assert_parameters(module, spec)
