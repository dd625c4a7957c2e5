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


def test_text_data_and_python_have_both_numbers(paramproof, config):
    """Text has a line directly under the total."""
    file = config(FLAN_T5_SMALL)
    stdout = paramproof("count", file, "--depth", "1").stdout
    total, loaded = (
        line for line in stdout.splitlines() if f"{BUILT:,}" in line or "from_" in line
    )
    assert total.split() == ["total", f"{BUILT:,}", "100.00", "%"]
    assert loaded.startswith(f"loaded: {LOADED:,} (+V·H = {HEAD:,}): the configuration says ")
    (model,) = json.loads(paramproof("count", file, "--json").stdout)["models"]
    untied = {"path": "lm_head.weight", "field": "tie_word_embeddings", "formula": "V·H"}
    assert model["total"] == BUILT
    assert model["loaded"] == {"total": LOADED, "untied": [untied | {"parameters": HEAD}]}
    assert (resolve(file).inventory().total(), resolve(file).loaded) == (BUILT, LOADED)


def test_no_line_if_built_and_loaded_counts_are_equal(paramproof, config):
    file = config(without(FLAN_T5_SMALL, "tie_word_embeddings"))
    assert "loaded" not in paramproof("count", file).stdout
    assert "loaded" not in paramproof("count", file, "--json").stdout


@pytest.mark.parametrize(
    ("number", "as_loaded"), [("77M", True), (str(LOADED), True), (str(BUILT), False)]
)
def test_a_number_of_the_loaded_model_is_explained(paramproof, config, number, as_loaded):
    done = paramproof("explain", number, config(FLAN_T5_SMALL))
    assert done.returncode == 0, done.stderr
    assert "the whole model" in done.stdout
    assert ("as transformers loads it" in done.stdout) == as_loaded
