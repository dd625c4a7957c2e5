"""The JSON for derived and built models conforms to ``schema.json``."""

import json

import pytest

import paramproof as api
from tests.json_schema import assert_document, documents_of

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("the command derives models of transformers"),
]

MODELS = """
from torch import nn

def lost(width=64, depth=2):
    return nn.ModuleList(nn.Linear(width, int(str(width))) for _ in range(depth))
"""

MIXTRAL = {
    "model_type": "mixtral",
    "architectures": ["MixtralForCausalLM"],
    "hidden_size": 32,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
}


@pytest.fixture
def run_with_json(paramproof, tmp_path):
    (tmp_path / "mixtral.json").write_text(json.dumps(MIXTRAL))
    (tmp_path / "models.py").write_text(MODELS)

    return documents_of(paramproof)


def test_derive(run_with_json):
    data = run_with_json("derivation", "derive", "mixtral")
    assert data["status"] == "proved"
    assert data["conditions"]
    assert "⌊H/A⌋" in data["formula"]


def test_derive_a_fitted_formula(run_with_json):
    data = run_with_json("derivation", "derive", "models:lost")
    assert data["status"] == "fitted"
    assert data["reasons"]


def test_count_a_fitted_formula(run_with_json):
    (one,) = run_with_json("counts", "count", "models:lost")["models"]
    assert one["reasons"]


def test_verify_a_model_without_a_family(run_with_json):
    data = run_with_json("verification", "verify", "--model", "mixtral.json")
    assert [one["equal"] for one in data["results"]] == [True]


def test_live_model():
    from torch import nn

    data = api.count(nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4))).to_dict()
    assert_document(data, "count")
    assert (data["total"], data["status"]) == (24, "counted")
