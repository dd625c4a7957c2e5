"""Derive models without a family on demand: count, explain and compare them as a user does.

The tests leave out the catalogue, except where they run the command.
"""

import json
import re
from dataclasses import replace

import pytest

from paramproof import assert_parameters, compare
from paramproof.cli.verify import built_by_transformers
from paramproof.formulas import inventory
from paramproof.formulas.conventions import CONVENTIONS, PARTS, count
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.expression import letter
from paramproof.formulas.models import named_model
from paramproof.formulas.spec import GPTSpec, LlamaSpec
from paramproof.resolver import lookup, resolve
from paramproof.views.difference import compared
from tests.frameworks.modules import nn
from tests.frameworks.transformers_configs import built
from tests.sessions import run_python

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("models of transformers are derived, and the command builds them"),
]

MIXTRAL = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "vocab_size": 100}
MIXTRAL |= {"hidden_size": 32, "intermediate_size": 24, "num_hidden_layers": 3}
MIXTRAL |= {"num_attention_heads": 4, "num_key_value_heads": 2, "num_local_experts": 5}
MIXTRAL_HAS = 2 * 100 * 32 + 32 + 3 * (32 * 32 * 2 + 2 * 32 * 16 + 2 * 32 + 5 * (32 + 3 * 32 * 24))
SIZES = {"vocab_size": 60, "hidden_size": 12, "num_hidden_layers": 3, "num_attention_heads": 3}


@pytest.fixture
def config(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(MIXTRAL))
    return "config.json"


@pytest.fixture
def derive_in_process(monkeypatch):
    """Derive in this process, which has imported transformers, and clear the cache afterwards."""

    def derived(what, *, keys, architecture, **_):
        from paramproof.derivation.model_class import derive_class

        return derive_class(what, keys, architecture)

    def absent(keys, class_name):
        raise NotInCatalogue("not in the catalogue", install="derive it")

    found = lookup._entry_or_derived
    monkeypatch.setattr(lookup, "entry_of", absent)
    monkeypatch.setattr(lookup, "_entry_or_derived", lambda *a, **how: found(*a[:2], True, **how))
    monkeypatch.setattr("paramproof.derivation.process.derive_in_subprocess", derived)
    monkeypatch.setattr(lookup, "_derived", {})


@pytest.fixture
def mixtral(derive_in_process):
    return resolve(MIXTRAL)


RUN = """
from paramproof.cli.main import main
from paramproof.formulas.errors import NotInCatalogue
from paramproof.resolver import lookup

def absent(*_):
    raise NotInCatalogue("not in the catalogue", install="derive it")

lookup.entry_of = absent
main()
"""


def test_count(tmp_path):
    """The catalogue is left out. PReLU has a parameter in each layer."""
    (tmp_path / "config.json").write_text(json.dumps(MIXTRAL | {"hidden_act": "prelu"}))
    done = run_python("-c", RUN, "count", "config.json", "--derive", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert f"total {MIXTRAL_HAS + 3:,} 100.00 %" in lines
    (formula,) = (line for line in lines if line.startswith("formula: "))
    assert re.match(r"formula: MixtralForCausalLM, derived in \d+\.\d s \(", formula)


def test_types_by_name(derive_in_process):
    """Qwen3 is LLaMA with additional norms of queries and keys in each layer."""
    *found, _ = compared(*(resolve(name).architecture for name in ("llama", "qwen3")))
    assert {path: other - first for path, (first, other) in found if first != other} == {
        "model.layers.*.self_attn": 2 * letter("L") * letter("K")
    }


@pytest.mark.parametrize(
    ("keys", "spec", "bias"),
    [
        (
            {"model_type": "bert", "architectures": ["BertForPreTraining"], **SIZES},
            replace(named_model("bert-base").spec, **SIZES, mlm_head=True, nsp_head=True),
            SIZES["vocab_size"],
        ),
        (
            {
                "model_type": "gpt2",
                "architectures": ["GPT2LMHeadModel"],
                **{"vocab_size": 60, "n_embd": 12, "n_layer": 3, "n_head": 3},
            },
            GPTSpec(**SIZES, intermediate_size=48, max_position_embeddings=1024),
            0,
        ),
        (
            {"model_type": "llama", "architectures": ["LlamaForCausalLM"], **SIZES},
            LlamaSpec(**SIZES, intermediate_size=11008),
            0,
        ),
    ],
    ids=["BertForPreTraining", "GPT2LMHeadModel", "LlamaForCausalLM"],
)
def test_every_convention_counts_the_same_as_for_the_family(derive_in_process, keys, spec, bias):
    """Native names identify the same parts as canonical names.

    BERT's output bias has two names in transformers, and one in the formula.
    """
    found = resolve(keys).inventory()
    known = inventory(spec.letters())
    for name in CONVENTIONS:
        chosen = ("trainable", name) if name in PARTS else (name,)
        more = bias if name in ("tied-each", "listed") else 0
        assert count(found, *chosen) == count(known, *chosen) + more, name


def test_assert_parameters(mixtral, config, tmp_path):
    for given in (MIXTRAL, str(tmp_path / config), mixtral.architecture):
        assert_parameters(built(MIXTRAL), given)
    row = r"\+3,200  lm_head\.weight is unexpected: \(100, 32\)"
    with pytest.raises(AssertionError, match=row):
        assert_parameters(built(MIXTRAL), MIXTRAL, "MixtralModel")
    about = "MixtralForCausalLM, derived, at V = vocab_size = 100, "
    with pytest.raises(AssertionError, match=about):
        assert_parameters(built(MIXTRAL, num_local_experts=6), MIXTRAL)
    assert_parameters(nn.DataParallel(built(MIXTRAL)), MIXTRAL)


def test_a_users_own_model(mixtral):
    model = built(MIXTRAL)
    own = nn.ModuleDict({"trunk": model.model, "out": model.lm_head})
    assert compare(own, mixtral.architecture).equal
    own["out"] = nn.Linear(32, 100, device="meta")
    report = compare(own, mixtral.architecture)
    assert not report.equal
    assert report.difference == 100


def test_verify_reports_differences(mixtral):
    wrong = replace(mixtral.architecture, sizes={**mixtral.architecture.sizes, "H": 36, "A": 4})
    answer = built_by_transformers([replace(mixtral, architecture=wrong)])
    assert answer.status == 1
    printed = "\n".join(answer.parts(None))
    assert "0 of 1 models equal the formula" in printed
    assert "lm_head.weight has the shape (100, 32), not (100, 36)" in printed


def test_refused(refused, tmp_path):
    """Whether a derivation is asked for or not: transformers does not have the type."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "\x1b[2J"}))
    for more in ((), ("--derive",)):
        assert r"no formula for the model type '\x1b[2J'" in refused("count", "config.json", *more)
