"""The reference of framework differences: its page, its measurements, its command."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from docs.writers.differences import reference as differences
from docs.writers.differences.page import render
from docs.writers.differences.pitfalls import PITFALLS
from paramproof.differences import measure
from paramproof.differences import rows as grid
from paramproof.differences.answer import Answer
from paramproof.differences.count_in_letters import count_in_letters
from paramproof.differences.measure import FAN_IN, FAN_OUT, TOKENS, WIDTH
from paramproof.formulas import closed_form
from paramproof.formulas.models import named_model

CELLS = differences.cells()
RANDOM = np.random.default_rng(0)


def test_page():
    again = "run python -m docs.writers.differences.reference, or tox run -e docs"
    assert differences.page() == differences.PAGE.read_text("utf-8"), again


def test_versions_are_those_of_the_constraints():
    data = json.loads(differences.CELLS.read_text("utf-8"))
    assert data["versions"] == differences.versions()
    for name, version in differences.versions().items():
        assert f"{name} {version}" in differences.PAGE.read_text("utf-8")


def test_every_cell_has_a_name_of_its_own():
    assert len({cell.id for cell in CELLS}) == len(CELLS) > 400


def test_the_page_opens_with_ten_sentences():
    text = differences.PAGE.read_text("utf-8").partition("## Tensors")[0]
    assert re.findall(r"^(\d+)\. ", text, re.MULTILINE) == [str(n) for n in range(1, 11)]
    assert len(PITFALLS) == 10


@pytest.mark.parametrize("section", ["shapes", "defaults", "counts", "abstract"])
def test_any_other_answer_changes_the_page(section):
    """Every answer is on the page, though not always what was asked."""
    page = differences.PAGE.read_text("utf-8")
    for cell in CELLS:
        if cell.section == section and cell.framework in ("torch", "keras-bert"):
            for fact in cell.facts:
                if fact == "asked":
                    continue
                other = replace(cell, facts={**cell.facts, fact: "another answer"})
                try:
                    changed = rendered([other if one == cell else one for one in CELLS])
                except ValueError:
                    continue  # One of the ten sentences does not hold of this answer.
                assert changed != page, (cell.id, fact)


def rendered(cells):
    return render(cells, differences.versions(), differences.costs())


def test_a_sentence_of_frameworks_that_no_longer_agree_is_refused():
    (cell,) = (one for one in CELLS if one.id == "differences::keras-torch::layer_norm_eps")
    other = replace(cell, facts=cell.facts | {"answer": "1e-12"})
    with pytest.raises(ValueError, match="keras-torch do not say one thing of layer_norm_eps"):
        rendered([other if one == cell else one for one in CELLS])


# Layers of NumPy, which do what is known.


def norm(epsilon):
    def normalise(x):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / np.sqrt(variance + np.float32(epsilon))

    return normalise


@pytest.mark.parametrize("epsilon", [1e-3, 1e-5, 1e-6, 1e-7, 1e-12, 1e-14])
def test_epsilon(epsilon):
    assert float(measure.epsilon(norm(epsilon))) == epsilon
    assert float(measure.epsilon(norm(1.5 * epsilon))) == pytest.approx(1.5 * epsilon)


def test_activations():
    erf = np.vectorize(math.erf)
    cubic = lambda x: math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)  # noqa: E731
    assert measure.activation(lambda x: x * (1 + erf(x / math.sqrt(2))) / 2) == "gelu by erf"
    assert measure.activation(lambda x: x * (1 + np.tanh(cubic(x))) / 2) == "gelu by tanh"
    assert measure.activation(lambda x: np.maximum(x, 0)) == "relu"
    with pytest.raises(measure.Unknown, match="an activation that gives"):
        measure.activation(np.tanh)


SHAPE = (FAN_IN, FAN_OUT)


@pytest.mark.parametrize(
    ("array", "answer"),
    [
        (np.zeros(SHAPE), "zeros"),
        (RANDOM.normal(0, 0.02, SHAPE), "normal, σ = 0.02"),
        (RANDOM.normal(0, 1, SHAPE), "normal, σ = 1"),
        (RANDOM.uniform(-0.05, 0.05, SHAPE), "uniform, σ = 0.05/√3"),
        (RANDOM.uniform(-1, 1, SHAPE) / math.sqrt(FAN_IN), "uniform, σ = 1/√(3·in)"),
        (RANDOM.normal(0, FAN_OUT**-0.5, SHAPE), "normal, σ = 1/√out"),
    ],
)
def test_initialisers(array, answer):
    assert measure.initialiser(array, *SHAPE) == answer


def test_an_initialiser_that_nobody_named():
    with pytest.raises(measure.Unknown, match="drawn with a deviation of"):
        measure.initialiser(RANDOM.normal(0, 0.123, SHAPE), *SHAPE)


def attention(attended, empty=0.0):
    """Self-attention of one head, whose mask has ``attended`` for a key that is seen."""

    def attend(x, mask):
        seen = mask == attended
        scores = x @ x.transpose(0, 2, 1) / WIDTH + np.where(seen, 0, -np.inf)[:, None, :]
        with np.errstate(invalid="ignore"):
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            weights = weights / weights.sum(-1, keepdims=True)
        return np.where(seen.any(), weights, np.full_like(weights, empty)) @ x

    return attend


@pytest.mark.parametrize(("attended", "meaning"), [(True, "attend"), (False, "ignore")])
def test_masks(attended, meaning):
    assert measure.mask_polarity(attention(attended)) == meaning


@pytest.mark.parametrize(
    ("empty", "answer"), [(0.0, "zeros"), (np.nan, "NaN"), (1 / TOKENS, "all keys alike")]
)
def test_nothing_to_attend(empty, answer):
    assert measure.fully_masked_row(attention(True, empty)) == answer


def test_a_mask_that_does_nothing():
    with pytest.raises(measure.Unknown, match="makes no difference"):
        measure.mask_polarity(lambda x, mask: x.cumsum(1)[:, ::-1] + x.sum(1, keepdims=True))


@pytest.mark.parametrize(("axis", "answer"), [(1, "first"), (0, "second")])
def test_batch_axis(axis, answer):
    assert measure.batch_axis(lambda x: x + x.sum(axis, keepdims=True)) == answer


def test_refusals():
    def refuse(width, heads):
        raise ValueError("no")

    assert measure.refusal(refuse) == "ValueError"
    assert measure.refusal(lambda width, heads: 193) == "builds 193, not 224"


SPECS = [
    replace(named_model(name).spec, mlm_head=True) for name in ("bert-tiny", "bert-base-uncased")
]


def test_what_is_between_two_counts():
    def of(count):
        return count_in_letters([count(spec.letters()) for spec in SPECS], SPECS, [46, 206])

    assert of(closed_form) == "0"
    assert of(lambda own: closed_form(own) + own.V * own.H + own.V) == "+ V·H + V"
    assert of(lambda own: closed_form(own) - own.H * own.H - own.H) == "− pooler"
    assert of(lambda own: 2 * closed_form(own) + 2) == "+ N + 2"
    assert of(lambda own: 1024) == "1,024, whatever the model"
    with pytest.raises(ValueError, match="have no meaning in letters"):
        of(lambda own: closed_form(own) + 12345 * own.L)


def test_names_that_differ_in_a_part():
    assert grid.braced(["a.query.kernel", "a.key.kernel"]) == "a.{query,key}.kernel"
    assert grid.braced(["a", "a"]) == "a"
    assert grid.braced(["aa", "aaa"]) == "{aa,aaa}"


def test_frameworks_that_agree():
    every = ["flax-linen", "keras-jax", "keras-torch", "torch"]
    cells = [Answer(name, "defaults", "gelu") for name in every]
    assert grid.names(cells, every) == "all"
    assert grid.names(cells[1:], every) == "keras-{jax,torch}, torch"
    assert grid.names(cells[:1], every[:1]) == "flax-linen"


# The command, of a framework that nobody has probes for: it has shapes.


def test_command(paramproof, outsider, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("differences", "--framework", "toy", "--json", file)
    # No progress and nothing else where standard error is a pipe.
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(file.read_text("utf-8"))
    cells = [Answer.from_json(cell) for cell in data["results"]]
    assert {cell.section for cell in cells} == {"shapes"}
    (kernel,) = (cell for cell in cells if cell.row == "pooler.kernel")
    assert kernel.facts["shape"] == "(H, H)"
    assert data["results"][0]["id"] == cells[0].id
    assert re.search(r"^ pooler\.kernel \(H, H\) +toy ", done.stdout, re.MULTILINE)


def test_command_of_one_component(paramproof, outsider):
    done = paramproof("differences", "--framework", "toy", "--component", "pooler")
    assert done.returncode == 0
    assert "pooler.kernel" in done.stdout
    assert "attention" not in done.stdout


def test_command_of_a_broken_framework(paramproof, outsider):
    done = paramproof("differences", "--framework", "toy-broken")
    assert done.returncode == 1
    assert "toy-broken is installed and broken: TypeError: the toy is broken" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--component", "attn"), "no component is named 'attn'; there are: embeddings, "),
        (("--component", ""), "no component is named ''"),
        (("--framework", "theano"), "no framework is named 'theano'; there are: "),
        (("--framework", "toy-absent"), "not installed: toy-absent "),
        (("--json", "nowhere/out.json"), "nowhere/out.json: cannot be written"),
        (("attention",), "Got unexpected extra argument"),
    ],
)
def test_command_refuses(refused, outsider, arguments, words):
    assert words in refused("differences", *arguments)
