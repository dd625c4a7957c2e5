"""``paramproof derive``, and models without a family that are derived on demand, as a user does."""

import json
import re
from dataclasses import replace

import pytest

from paramproof import assert_parameters, compare
from paramproof.catalogue import entry
from paramproof.catalogue.names import classes_of
from paramproof.cli.verify import built_by_transformers
from paramproof.formulas import EncoderLetters, closed_form, inventory
from paramproof.formulas.conventions import CONVENTIONS, PARTS, count
from paramproof.formulas.derivation_data import derivation_from
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.expression import letter
from paramproof.formulas.printing import MINUS
from paramproof.resolver import lookup, resolve
from paramproof.views.difference import compared
from paramproof.views.formula import summand_lines
from tests.frameworks.modules import model_class, nn
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
def derive_in_process(monkeypatch):
    """Derive in this process, which has imported transformers, and clear the cache afterwards."""

    def derived(what, *, keys, architecture, **_):
        return model_class.derive_class(what, keys, architecture)

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
    ("class_name", "sizes", "bias"),
    [
        # BERT's output bias has two names in transformers, and one in the formula.
        ("BertForPreTraining", SIZES, SIZES["vocab_size"]),
        ("GPT2LMHeadModel", {"vocab_size": 60, "n_embd": 12, "n_layer": 3, "n_head": 3}, 0),
        ("LlamaForCausalLM", SIZES, 0),
    ],
)
def test_every_convention_counts_the_same_as_for_the_family(
    derive_in_process, class_name, sizes, bias
):
    """Native names identify the same parts as canonical names."""
    kind = re.split("For|LM", class_name)[0].lower()
    model = resolve({"model_type": kind, "architectures": [class_name], **sizes})
    found, known = model.inventory(), inventory(model.names.spec.letters())
    for name in CONVENTIONS:
        chosen = ("trainable", name) if name in PARTS else (name,)
        more = bias if name in ("tied-each", "listed") else 0
        assert count(found, *chosen) == count(known, *chosen) + more, name


def test_assert_parameters(mixtral, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(MIXTRAL))
    for given in (MIXTRAL, str(tmp_path / "config.json"), mixtral.architecture):
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
    """With or without ``--derive``: transformers does not have the type."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "\x1b[2J"}))
    for more in ((), ("--derive",)):
        assert r"no formula for the model type '\x1b[2J'" in refused("count", "config.json", *more)


MODELS = """
import torch
from torch import nn

def mlp(width=64, depth=4, inner=256):
    layers = [nn.Sequential(nn.Linear(width, inner), nn.Linear(inner, width)) for _ in range(depth)]
    return nn.Sequential(*layers)

def lost(width=64, depth=2):
    return nn.ModuleList(nn.Linear(width, int(str(width))) for _ in range(depth))
"""


@pytest.fixture
def models(tmp_path):
    (tmp_path / "models.py").write_text(MODELS)


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


@pytest.mark.documented("transformers")
@pytest.mark.parametrize("name", ["bert", "albert", "qwen3", "deepseek_v3"])
def test_the_page_of_a_type(name):
    said, again = (
        entry({"model_type": name}, classes_of(name)[0]).derivation,
        model_class.derive_class(name),
    )
    assert {line.strip("+ ") for line in summand_lines(again)} == {
        line.strip("+ ") for line in summand_lines(said)
    }
    assert again.count(again.sizes) == said.count(said.sizes)
    assert again.status == said.status


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
    ("what", "options", "line"),
    [
        ("bertt", {}, "did you mean bert"),
        ("bert", {"architecture": "GPT2Model"}, "'GPT2Model' is not a class of the model type b"),
        ("bert", {"sizes": {"x\x1b[31m": 3}}, r"bert has no size 'x\x1b[31m'; it has vocab_size, "),
        ("bert", {"sizes": {"hidden_size": 0}}, "hidden_size=0 is not a size: it must be 1 or"),
        ("nope", {"given": {"model_type": "nope"}}, "no model type or class 'nope'"),
    ],
)
def test_refused_class(what, options, line):
    with pytest.raises(ValueError, match=re.escape(line)):
        model_class.derive_class(what, **options)
