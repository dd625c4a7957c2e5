"""The entries derived from mlx-lm's models agree with them, and are the same when derived again."""

import copy
from collections import Counter

import pytest

from paramproof.catalogue import entries
from paramproof.catalogue.files import parse_type, read_type
from sweep.mlx_lm.__main__ import check_type, judge, main
from sweep.mlx_lm.entry import build_mlx_lm_entry, published_models
from sweep.samples.random_configs import Verdict
from sweep.store import read_entry

CONFIGURATIONS = 80
"""Random configurations of each type; ``python -m sweep.mlx_lm --check`` takes more."""

WRONG = Verdict.OTHER, Verdict.REFUSED


@pytest.mark.parametrize("name", published_models())
def test_random_configurations_are_counted_as_mlx_lm_builds_them(name):
    found = list(check_type(name, CONFIGURATIONS, seed=1))
    assert [str(one) for one in found if one.verdict in WRONG] == []
    assert Counter(one.verdict for one in found)[Verdict.EQUAL] > CONFIGURATIONS / 4


@pytest.mark.parametrize("name", ["mimo", "qwen"])
def test_an_entry_is_the_same_when_it_is_derived_again(name):
    data = build_mlx_lm_entry(name)
    assert parse_type(data).versions == read_type(name).versions
    assert data == read_entry(name)


def test_a_wrong_formula_is_found(monkeypatch):
    data = copy.deepcopy(read_entry("qwen"))
    data["classes"]["QWenLMHeadModel"]["tensors"]["transformer.ln_f.weight"] = "2·H"
    monkeypatch.setattr(entries, "read_file_for", lambda *_: parse_type(data))
    (found,) = {judge({"model_type": "qwen", "hidden_size": 64}).verdict}
    assert found is Verdict.OTHER


def test_an_accepted_value_that_mlx_lm_refuses_is_found(monkeypatch):
    data = copy.deepcopy(read_entry("mimo"))
    data["free"]["rope_longrope"] = "rope_scaling"
    monkeypatch.setattr(entries, "read_file_for", lambda *_: parse_type(data))
    sizes = dict(published_models()["mimo"]["keys"])
    config = {"model_type": "mimo", **sizes, "rope_scaling": {"type": "longrope"}}
    assert judge(config).verdict is Verdict.NOT_COUNTED
    pairs = [1.0] * (sizes["hidden_size"] // sizes["num_attention_heads"] // 2)
    config["rope_scaling"] |= {"factor": 4.0, "long_factor": pairs, "short_factor": pairs}
    assert judge(config).verdict is Verdict.REFUSED


def test_the_command_prints_totals(capsys):
    assert main(["--check", "10", "--seed", "3", "qwen"]) == 0
    assert capsys.readouterr().out.startswith("qwen: ")


def test_an_unknown_type(capsys):
    assert main(["llama"]) == 2
    assert "models.toml has no type llama" in capsys.readouterr().err
