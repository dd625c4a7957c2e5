"""``paramproof derive`` as a user runs it, on classes of transformers and on functions."""

import json
import re
import textwrap
from importlib import import_module

import pytest

from docs.writers.blocks import PAGES, block, script_in
from paramproof.catalogue import entry
from paramproof.catalogue.names import classes_of
from paramproof.derivation.pipeline import derive
from paramproof.formulas import EncoderLetters, closed_form
from paramproof.formulas.derivation_data import derivation_from
from paramproof.formulas.expression import letter
from paramproof.formulas.printing import MINUS
from paramproof.tracing.constructors.function import function_constructor
from paramproof.views.formula import formula_lines, summand_lines
from tests.frameworks.test_derived_models import MIXTRAL

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("the command derives models of transformers"),
]

MODELS = """
import torch
from torch import nn

def mlp(width=64, depth=4, inner=256):
    layers = [nn.Sequential(nn.Linear(width, inner), nn.Linear(inner, width)) for _ in range(depth)]
    return nn.Sequential(*layers)

def endless(width=64):
    while True:
        pass

def raising(width=64):
    raise RuntimeError("clear \\x1b[2J the screen")

def lost(width=64, depth=2):
    return nn.ModuleList(nn.Linear(width, int(str(width))) for _ in range(depth))
"""


@pytest.fixture
def models(tmp_path):
    (tmp_path / "models.py").write_text(textwrap.dedent(MODELS))


def test_bert_is_the_encoder_of_the_formulas(paramproof):
    done = paramproof("derive", "bert", "--json", "-", COLUMNS="80")
    assert done.returncode == 0, done.stderr
    derivation = derivation_from(json.loads(done.stdout))
    bare = dict.fromkeys(("pooler", "mlm", "untied", "nsp"), 0) | {"pooler": 1}
    own = {name: letter(name) for name in EncoderLetters._fields if name not in bare}
    assert derivation.formula == closed_form(EncoderLetters(**own, **bare))
    assert derivation.is_proved
    assert [str(stated.condition) for stated in derivation.conditions] == ["A divides H"]
    # Output beside the JSON is for people, and fits a terminal.
    assert "L × (4·H² + 2·H·F + 9·H + F)" in done.stderr
    assert "A divides H" in done.stderr
    assert "109,482,240" in done.stderr
    assert max(map(len, done.stderr.splitlines())) <= 80


def test_config_file(paramproof, tmp_path):
    keys = {"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"]}
    (tmp_path / "config.json").write_text(json.dumps(keys))
    done = paramproof("derive", "config.json")
    assert done.returncode == 0, done.stderr
    assert "671,026,404,352" in done.stdout
    assert "× (L − D) = 58" in done.stdout


def test_function(paramproof, models):
    done = paramproof("derive", "models:mlp", "--size", "depth=3")
    assert done.returncode == 0, done.stderr
    # depth·(2·width·inner + inner + width)
    assert f"{3 * (2 * 64 * 256 + 256 + 64):,}" in done.stdout
    assert "proved" in done.stdout


@pytest.mark.parametrize(
    ("document", "command", "holds"),
    [
        (
            "derivation",
            "derive mixtral",
            lambda it: it["status"] == "proved" and it["conditions"] and "⌊H/A⌋" in it["formula"],
        ),
        ("derivation", "derive models:lost", lambda it: it["status"] == "fitted" and it["reasons"]),
        ("counts", "count models:lost", lambda it: it["models"][0]["reasons"]),
        (
            "verification",
            "verify --model mixtral.json",
            lambda it: [one["equal"] for one in it["results"]] == [True],
        ),
    ],
)
def test_documents(paramproof, models, tmp_path, document, command, holds):
    (tmp_path / "mixtral.json").write_text(json.dumps(MIXTRAL))
    data = json.loads(paramproof(*command.split(), "--json", "-").stdout)
    assert data["kind"] == document and holds(data), data  # noqa: PT018


def test_what_is_proved_of_a_model_without_a_family(refused):
    line = refused("verify", "--prove", "--model", "mixtral")
    assert line.endswith("has no family: 'paramproof derive' tells what is proved of it")


@pytest.mark.documented("transformers")
@pytest.mark.parametrize("name", ["bert", "albert", "qwen3", "deepseek_v3"])
def test_the_page_of_a_type(name):
    from paramproof.derivation.model_class import derive_class

    said, again = entry({"model_type": name}, classes_of(name)[0]).derivation, derive_class(name)
    assert {line.strip("+ ") for line in summand_lines(again)} == {
        line.strip("+ ") for line in summand_lines(said)
    }
    assert again.count(again.sizes) == said.count(said.sizes)
    assert again.status == said.status


def test_the_sample_in_the_readme(tmp_path, monkeypatch):
    text = PAGES["readme"].read_text("utf-8")
    (tmp_path / "mine.py").write_text(script_in(text, "mine.py"))
    monkeypatch.syspath_prepend(tmp_path)
    found = derive(function_constructor("mine:model", import_module("mine").model))
    conditions = ", ".join(str(stated.condition) for stated in found.conditions)
    lines = [*formula_lines(found), f"holds where {conditions}", found.status]
    assert block("derived", text).splitlines() == lines


CALCULATORS = """
def by_letters(L, H, D, E, V, I, S, A, C, Q, F, dn, dr, dv):
    attention = Q * (H + 1 + A * (dn + dr)) + H * (C + dr) + C * (1 + A * (dn + dv)) + A * dv * H
    experts = 3 * H * I * (E + S) + H * E + E
    return 2 * V * H + H + L * (attention + 2 * H) + D * 3 * H * F + (L - D) * experts

def by_fields(config):
    return 2 * config.vocab_size * config.hidden_size
"""


def test_a_calculator_without_a_family(paramproof, tmp_path):
    """A well-known calculator also counts a router's bias, which is a buffer."""
    (tmp_path / "calculators.py").write_text(CALCULATORS)
    (tmp_path / "config.json").write_text('{"model_type": "deepseek_v3"}')
    done = paramproof(
        "verify", "--formula", "calculators:by_letters", "--model", "config.json", "--examples", "3"
    )
    assert done.returncode == 1, done.stderr
    assert f"{MINUS} formula = {MINUS}L·E + D·E" in done.stdout
    # One model has only dense layers, and so no router.
    assert "equal at 1 of 4 sizes" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["models:mlp", "--size", "width"], "--size 'width' is not NAME=VALUE"),
        (["models:mlp", "--size", "width=-5"], "is not NAME=VALUE with a whole number"),
        (["models:mlp", "--size", "width=1", "--size", "width=2"], "--size width is given twice"),
        (["models:raising"], r"models:raising is not made: RuntimeError: clear \x1b[2J the screen"),
        (["models:endless", "--time-limit", "9"], "models:endless: not derived within 9 seconds"),
    ],
)
def test_refused(refused, models, arguments, line):
    assert line in refused("derive", *arguments)


@pytest.mark.parametrize(
    ("what", "options", "line"),
    [
        ("bertt", {}, "did you mean bert"),
        (
            "bert",
            {"architecture": "GPT2Model"},
            "'GPT2Model' is not a class of the model type bert",
        ),
        ("bert", {"sizes": {"x\x1b[31m": 3}}, r"bert has no size 'x\x1b[31m'; it has vocab_size, "),
        (
            "bert",
            {"sizes": {"hidden_size": 0}},
            "hidden_size=0 is not a size: it must be 1 or more",
        ),
        ("nope", {"given": {"model_type": "nope"}}, "no model type or class 'nope'"),
    ],
)
def test_refused_class(what, options, line):
    from paramproof.derivation.model_class import derive_class

    with pytest.raises(ValueError, match=re.escape(line)):
        derive_class(what, **options)
