"""Configurations as they lie in public repositories: older, or written by somebody else."""

import pytest

from builders.configurations import spec_of_config
from formulas import closed_form
from formulas.models import named_model
from tests.configurations import refusal
from tests.configurations_found import FOUND, GPT2_MEDIUM


@pytest.mark.parametrize(
    ("name", "count"),
    # As num_parameters() of the models of transformers gives them.
    [("gpt2-medium", 354_823_168), ("hatebert", 109_514_298), ("smollm", 134_515_008)],
)
def test_a_known_count(name, count):
    assert closed_form(spec_of_config(FOUND[name]).letters()) == count


def test_special_tokens_are_read_as_none():
    assert spec_of_config(GPT2_MEDIUM) == named_model("gpt2-medium").spec
    assert refusal(GPT2_MEDIUM | {"n_special": 3}) == (
        "n_special=3 is not counted: each special token would have a row of its own"
    )
