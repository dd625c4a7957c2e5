"""A framework that is added is seen by every function about models; cli has the commands."""

import sys
from dataclasses import replace

import pytest

import paramproof
from paramproof import compare
from paramproof.builders.registry import model_packages
from paramproof.sources.live import supported
from paramproof.tracing.abstract_build import build_abstractly
from tests.specs import SMALL_ENCODER

MODEL = """
import toy_framework
from paramproof.formulas import EncoderSpec

def encoder(tokens=7, layers=2):
    sizes = dict(hidden_size=6, num_attention_heads=3, intermediate_size=5, type_vocab_size=2)
    sizes |= dict(vocab_size=tokens, num_hidden_layers=layers, max_position_embeddings=4)
    return toy_framework.build(EncoderSpec(**sizes))
"""
# By hand: 7 tokens, 4 positions and 2 types, and a norm; 2 layers; a pooler.
LAYER = 4 * (6 * 6 + 6) + (6 * 5 + 5) + (5 * 6 + 6) + 2 * 2 * 6
WHOLE = (7 + 4 + 2) * 6 + 2 * 6 + 2 * LAYER + 6 * 6 + 6


@pytest.fixture
def toy_model(outsider, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("mine").encoder()
    sys.modules.pop("mine")


def test_its_live_models_are_counted(toy_model):
    assert supported().endswith(" or the toy")
    assert paramproof.count(toy_model).total == WHOLE


def test_its_live_models_are_compared(toy_model):
    spec = replace(SMALL_ENCODER, vocab_size=7, max_position_embeddings=4)
    assert compare(toy_model, spec).equal
    del toy_model.shapes["pooler.bias"]
    assert not compare(toy_model, spec).equal


def test_a_formula_of_its_models_is_derived(toy_model, paramproof):
    done = paramproof("derive", "mine:encoder")
    assert done.returncode == 0, done.stderr
    assert f"{WHOLE:,}" in done.stdout
    assert "fitted" in done.stdout


def test_a_framework_that_is_only_in_part_there_stops_no_other(outsider):
    """Its package is imported, perhaps by another library, and its distribution is missing."""
    source = "FRAMEWORKS = {'gone': {'distributions': ('none-such',), "
    (outsider / "toy_framework.py").write_text(source + "'model_packages': {'json': 'gone'}}}\n")
    assert "json" in model_packages()
    assert build_abstractly(lambda width: {"width": width}, {"width": 3}) == {"width": 3}


def test_it_is_gone_when_it_is_uninstalled():
    assert "the toy" not in supported()
