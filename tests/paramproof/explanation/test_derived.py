"""Numbers explained by a model with a derived formula."""

import pytest

from paramproof.explanation.explanation import recount
from paramproof.explanation.grammar import explanations
from paramproof.explanation.number import read
from paramproof.explanation.rendering import render
from paramproof.explanation.search import explain
from paramproof.explanation.searched import SearchedModel, candidates
from paramproof.explanation.text import lines
from tests.derivations import MIXTURE, NUMBER, H, L, tensor, with_tensors


def answer(number, derivation):
    return explain(read(number), [SearchedModel("it", derivation)])


def first_explanation(number, derivation=MIXTURE):
    """Return the first explanation, in words and in letters."""
    first, *_ = render(answer(f"{number:,}", derivation).found)
    return first.match.text, first.letters


@pytest.mark.parametrize(
    ("number", "words", "letters"),
    [
        (5 * 72, "model.layers.*.attention in all layers", "L·(H² + H)"),
        (72, "model.layers.*.attention in one layer", "H² + H"),
        (3 * 32, "model.layers.*.mlp.router in all layers", "L·H·E − H·D·E"),
    ],
)
def test_components(number, words, letters):
    assert first_explanation(number) == (words, letters)


def test_the_whole_model():
    assert first_explanation(NUMBER)[0] == "the whole model"


def test_conventions():
    """Names identify biases; only large numbers are explained without them."""
    model = large()
    biases = 5 * 800
    number = model.count(model.sizes) - biases
    texts = [one.text for one in answer(f"{number:,}", model).found]
    assert "the whole model (without-biases)" in texts


def test_every_explanation_counts_what_it_says():
    """The search adds up a tree; the count goes tensor by tensor."""
    found = list(explanations(MIXTURE))
    assert len(found) > 400
    for number, explanation in found:
        assert recount(explanation, MIXTURE)[0] == number, explanation


def test_a_layer_of_several_kinds_is_not_a_component():
    components = {p.component for _, e in explanations(MIXTURE) for p in e.parts if p.one}
    assert "model.layers.*.attention" in components
    assert not components & {"model.layers.*", "model.layers.*.mlp"}


def large():
    """A model large enough for the search to solve for the number of labels."""
    return with_tensors(*MIXTURE.tensors, sizes={**MIXTURE.sizes, "H": 800, "F": 1600, "V": 5000})


def test_labels():
    model = large()
    number = model.count({**model.sizes, "k": 14})
    assert first_explanation(number, model)[0] == "the whole model, at num_labels=14"
    (match, *_) = answer(f"{number:,}", model).found
    assert render([match])[0].residual in ("H·k' − H·k", "−H·k + H·k'")
    assert not answer(f"{number + 1:,}", model).found


def test_labels_that_cannot_vary():
    model = with_tensors(*MIXTURE.tensors, sizes=large().sizes, fixed=("k",))
    number = large().count({**model.sizes, "k": 14})
    assert not any(e.sizes for _, e in candidates(model, number=number))


def test_another_vocabulary():
    model = large()
    number = model.count({**model.sizes, "V": 7777})
    said = answer(f"{number:,}", model)
    assert not said.found
    assert [one.text for one in said.unnamed] == [
        "the whole model, at vocab_size=7777, which no named model has"
    ]


def test_nearest_counts():
    printed = list(lines(answer(f"{NUMBER + 16:,}", MIXTURE)))
    assert printed[0] == f"{NUMBER + 16:,}: no explanation found"
    assert printed[-1] == "claimed − formula = +16 = 2·H"


def test_nearest_counts_without_a_hidden_size():
    """Then a difference is only a number."""
    other = with_tensors(tensor("w", L, L), sizes={"L": 5}, fields={"L": "layers"}, conditions=())
    printed = list(lines(answer("26", other)))
    assert printed[-1] == "claimed − formula = +1"


def test_undecidable_conventions_explain_nothing():
    model = with_tensors(*MIXTURE.tensors, tensor("model.mask_emb", 1, H))
    for _, explanation in explanations(model):
        assert not any("embeddings" in name for p in explanation.parts for name in p.conventions)
    assert first_explanation(NUMBER + 8, model)[0] == "the whole model"
