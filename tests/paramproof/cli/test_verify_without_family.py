"""``paramproof verify`` for a model type without a family; no framework is needed."""

import json
from dataclasses import replace

import pytest

from paramproof.builders.registry import Framework
from paramproof.cli.verify_answers import built_by_transformers
from paramproof.resolver import resolve
from tests.configs import SMALL_MIXTRAL as SMALL


@pytest.fixture
def config(tmp_path):
    def write_config(keys, name="config.json"):
        (tmp_path / name).write_text(json.dumps(keys))
        return name

    return write_config


def test_verify_a_formula(paramproof, config, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def wrong(V, H, F, L, A, G, num_local_experts):\n"
        "    K = H // A\n"
        "    attention, experts = 2 * H * A * K + 2 * H * G * K, 3 * F * H * num_local_experts\n"
        "    return 2 * V * H + L * (attention + experts + H * num_local_experts + 2 * H)\n"
    )
    done = paramproof("verify", "--formula", "mine:wrong", "--model", config(SMALL))
    assert done.returncode == 1
    assert "MixtralForCausalLM: its formula was derived, proved" in done.stdout
    assert "actual − formula = H" in done.stdout.splitlines()


def test_verify_against_transformers_needs_it(monkeypatch):
    monkeypatch.setattr(Framework, "missing", ("transformers",))
    with pytest.raises(
        ValueError, match=r"^config.json: building it needs transformers: python -m pip install "
    ):
        built_by_transformers([replace(resolve(SMALL), name="config.json")])
