"""Models to which the usual estimate, 12·L·H², applies."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from paramproof.explanation.explanation import has_usual_estimate, number_of_heads
from tests.specs import SPECS

VISION = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3}
MODELS = {
    "encoder": (SPECS["encoder"], True),
    "gpt": (SPECS["gpt"], True),
    "llama": (replace(SPECS["llama"], hidden_size=12), True),
    "llama, heads that do not divide H": (SPECS["llama"], False),
    "two stacks": (SPECS["encoder-decoder"], False),
    "no tokens": (SimpleNamespace(**VISION), False),
    "no heads": (SimpleNamespace(hidden_size=12, num_hidden_layers=2, vocab_size=5), False),
    "tokens, heads and layers": (SimpleNamespace(**VISION, vocab_size=5), True),
}


@pytest.mark.parametrize("name", MODELS)
def test_has_usual_estimate(name):
    spec, expected = MODELS[name]
    assert has_usual_estimate(spec) is expected


def test_heads():
    assert number_of_heads(SPECS["gpt"]) == 3
    assert number_of_heads(MODELS["no heads"][0]) == 1
