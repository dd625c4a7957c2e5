"""The programs of mlx-lm's own types agree with its models, and are the same when made again."""

from collections import Counter

import pytest

from paramproof.catalogue.names import programs
from paramproof.tracing.configuration.nodes import encoded
from sweep.library.verdict import WRONG, Verdict
from sweep.mlx_lm import __main__ as command
from sweep.mlx_lm.__main__ import check_type, judge, main
from sweep.mlx_lm.fitted import file_of, published_models
from sweep.programs import differences, read_files

CONFIGURATIONS = 80
"""Random configurations of each type; ``python -m sweep.mlx_lm --check`` takes more."""


@pytest.mark.parametrize("name", published_models())
def test_random_configurations_are_counted_as_mlx_lm_builds_them(name):
    found = list(check_type(name, CONFIGURATIONS, seed=1))
    assert [str(one) for one in found if one.verdict in WRONG] == []
    # What these require of numbers of heads is seldom drawn.
    share = 20 if name in ("deepseek", "phi3small", "plamo") else 4
    assert Counter(one.verdict for one in found)[Verdict.EQUAL] > CONFIGURATIONS / share


@pytest.mark.parametrize("name", ["mimo", "qwen"])
def test_programs_are_the_same_when_they_are_made_again(name):
    before = {name: read_files()[name]}
    assert [*differences(before, {name: file_of(name)})] == []


def test_a_wrong_program_is_found(monkeypatch):
    real = command.entry
    monkeypatch.setattr(command, "entry", lambda config: real({**config, "hidden_size": 65}))
    (found,) = {judge({"model_type": "qwen", "hidden_size": 64}).verdict}
    assert found is Verdict.OTHER


def test_what_mlx_lm_refuses_is_refused():
    keys = dict(published_models()["mimo"]["keys"])
    config = {"model_type": "mimo", **keys, "rope_scaling": {"type": "longrope"}}
    assert judge(config).verdict is Verdict.NOT_COUNTED
    assert judge({**config, "rope_scaling": {"type": "linear", "factor": 2.0}}).verdict is (
        Verdict.EQUAL
    )


def test_sizes_that_no_formula_has_are_held():
    """PLaMo rounds the heads of keys up: their number stays that of the published model."""
    keys = dict(published_models()["plamo"]["keys"])
    config = {"model_type": "plamo", **keys, "hidden_size": 1280, "num_hidden_layers": 3}
    assert judge(config).verdict is Verdict.EQUAL
    assert judge({**config, "num_attention_heads": 20}).verdict is Verdict.NOT_COUNTED


def test_the_command_prints_totals(capsys):
    assert main(["--check", "10", "--seed", "3", "qwen"]) == 0
    assert capsys.readouterr().out.startswith("qwen: ")


def test_an_unknown_type(capsys):
    assert main(["llama"]) == 2
    assert "models.toml has no type llama" in capsys.readouterr().err


def test_the_file_needs_no_base():
    data = encoded(read_files()["qwen"], {})
    assert set(data["configurations"]) == {"qwen.ModelArgs"}
    assert programs().types["qwen"] == "qwen.ModelArgs"
