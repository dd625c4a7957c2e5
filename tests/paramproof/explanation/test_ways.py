"""The ways to count a model: counted twice, in letters that give the number, and stored as data."""

import json
from dataclasses import replace

import pytest

from docs.writers.counts import index_line
from paramproof.explanation.index import FILE
from paramproof.explanation.ways import Part, PartCounts, describe
from paramproof.formulas import inventory
from paramproof.formulas.conventions import count
from paramproof.formulas.models import named_configurations, named_models
from paramproof.formulas.notation import expression_in
from paramproof.resolver import resolve
from tests.derivations import MIXTURE, H, tensor, with_tensors
from tests.sessions import run_python
from tests.specs import SPECS

NAMED = {**named_models(), **named_configurations()}
LINES = {json.loads(one)["name"]: one for one in FILE.read_text("utf-8").splitlines()}
AGAIN = "run python -m docs.writers explain --measure"


@pytest.mark.parametrize("name", NAMED)
def test_the_index_is_up_to_date(name):
    assert LINES.get(name) == index_line(NAMED[name], resolve(name)), AGAIN


def test_the_index_has_every_named_model_in_order():
    assert list(LINES) == sorted(NAMED), AGAIN


@pytest.mark.parametrize("name", ["encoder", "encoder-decoder", "gpt", "llama"])
def test_letters_give_the_number(name):
    spec = SPECS[name]
    described = describe(resolve(spec))
    sizes = {letter: size for letter, (_, size) in described.letters.items()}
    for way in described.ways:
        formula = expression_in(way.formula)
        if formula.letters <= sizes.keys():
            assert formula.evaluate(sizes) == way.number + way.step * (way.kind == "adapters"), way
    assert described.ways[0].number == inventory(spec.letters()).total()
    assert len(described.ways) > 30


def test_two_counts_must_agree(monkeypatch):
    """No way is handed out if the count in letters and the one tensor by tensor differ."""
    monkeypatch.setattr(PartCounts, "recount", lambda *_: 1)
    with pytest.raises(ArithmeticError, match="counted again to 1"):
        describe(resolve("bert-base"))


@pytest.mark.parametrize(
    ("path", "one", "number"),
    [
        ("model.layers.*.attention", False, 5 * 72),
        ("model.layers.*.attention", True, 72),
        ("model.layers.*.mlp.router", False, 3 * 32),
    ],
)
def test_components_of_a_derived_formula(path, one, number):
    ways = describe(resolve(MIXTURE)).ways
    kind = "one" if one else "all"
    assert number in [way.number for way in ways if way.kind == kind and path in way.what]
    assert PartCounts(MIXTURE).recount([Part(path, one)]) == number


def test_what_is_no_way():
    """A layer of several kinds, and conventions that names do not decide."""
    single = {way.what for way in describe(resolve(MIXTURE)).ways if way.kind == "one"}
    assert "model.layers.*.attention" in single
    assert not single & {"model.layers.*", "model.layers.*.mlp"}
    model = with_tensors(*MIXTURE.tensors, tensor("model.mask_emb", 1, H))
    under = [way.what for way in describe(resolve(model)).ways if way.kind == "under"]
    assert "trainable" in under
    assert not [what for what in under if "embeddings" in what]


def test_the_usual_estimate_is_that_of_bert():
    """By the inventory of an encoder with F = 4·H, which has no formula of ``known.json``."""
    spec = replace(SPECS["llama"], hidden_size=12)
    bert = SPECS["encoder"]
    usual = replace(bert, intermediate_size=48, max_position_embeddings=1, type_vocab_size=1)
    named_ = inventory(usual.letters())
    layers, table = named_.total("layers"), named_.total("embeddings.word_embeddings")
    matrices = count(named_, "trainable", "layers-only", "weights-only")
    found = {way.what: way.number for way in describe(resolve(spec)).ways if way.kind == "estimate"}
    assert found == {
        "the layers": layers,
        "the matrices of the layers": matrices,
        "the layers and the token table": layers + table,
        "the matrices of the layers and the token table": matrices + table,
    }


@pytest.mark.parametrize("number", [2_362_368, 109_482_240, 123_456_789])
def test_a_number_alone_is_looked_up(number):
    """Nothing that reads models is imported: that takes most of the time."""
    program = (
        "import sys; from paramproof.cli.main import main\n"
        f"sys.argv[1:] = ['explain', '{number}']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "slow = ('paramproof.resolver', 'paramproof.catalogue')\n"
        "print(*(name for name in slow if name in sys.modules), file=sys.stderr)"
    )
    done = run_python("-c", program)
    assert done.stderr.strip() == ""
    assert f"{number:,}" in done.stdout
