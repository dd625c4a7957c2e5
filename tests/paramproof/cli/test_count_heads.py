"""``paramproof count`` for a model whose head is tied when built and untied when loaded."""

import json

import pytest

from paramproof.resolver import resolve
from tests.configs import without
from tests.heads import FLAN_T5_SMALL

BUILT, LOADED, HEAD = 60_511_616, 76_961_152, 16_449_536


@pytest.fixture
def config(tmp_path):
    """Write a configuration; return the path of its file."""

    def write_config(keys):
        file = tmp_path / "config.json"
        file.write_text(json.dumps(keys))
        return str(file)

    return write_config


def test_the_command_prints_both_numbers(paramproof, config):
    done = paramproof("count", config(FLAN_T5_SMALL), "--depth", "1")
    assert (done.returncode, done.stderr) == (0, "")
    (total,) = [line for line in done.stdout.splitlines() if line.split()[:1] == ["total"]]
    assert f"{BUILT:,}" in total
    (loaded,) = [line for line in done.stdout.splitlines() if line.startswith("loaded: ")]
    for part in (f"{LOADED:,}", f"V·H = {HEAD:,}", "lm_head.weight", "tie_word_embeddings: false"):
        assert part in loaded


def test_json_has_both_numbers(paramproof, config):
    done = paramproof("count", config(FLAN_T5_SMALL), "--json")
    (model,) = json.loads(done.stdout)["models"]
    assert model["total"] == BUILT
    assert model["loaded"] == {
        "total": LOADED,
        "untied": [
            {
                "path": "lm_head.weight",
                "field": "tie_word_embeddings",
                "formula": "V·H",
                "parameters": HEAD,
            }
        ],
    }


def test_no_line_if_built_and_loaded_counts_are_equal(paramproof, config):
    file = config(without(FLAN_T5_SMALL, "tie_word_embeddings"))
    assert "loaded" not in paramproof("count", file).stdout
    (model,) = json.loads(paramproof("count", file, "--json").stdout)["models"]
    assert "loaded" not in model


def test_the_resolved_model_has_both_numbers(config):
    model = resolve(config(FLAN_T5_SMALL))
    assert (model.inventory().total(), model.loaded) == (BUILT, LOADED)
    assert [head.path for head in model.heads] == ["lm_head.weight"]


@pytest.mark.parametrize(
    ("number", "as_loaded"), [("77M", True), (str(LOADED), True), (str(BUILT), False)]
)
def test_a_number_of_the_loaded_model_is_explained(paramproof, config, number, as_loaded):
    done = paramproof("explain", number, config(FLAN_T5_SMALL))
    assert done.returncode == 0, done.stderr
    assert "the whole model" in done.stdout
    assert ("as loaded" in done.stdout) == as_loaded
