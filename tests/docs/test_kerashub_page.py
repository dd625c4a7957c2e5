"""docs/kerashub.md agrees with its data and the catalogue, and its differences are sound."""

import pytest

from docs.writers.blocks import AGAIN
from docs.writers.kerashub.comparison import compare, left_over
from docs.writers.kerashub.page import PAGE, render
from docs.writers.kerashub.pairs import pairs
from docs.writers.kerashub.store import derivation_in, known, written
from paramproof.catalogue import entry
from paramproof.formulas.derivation import DerivedTensor
from paramproof.formulas.expression import expression, letter
from paramproof.formulas.parsing import expression_in

BACKBONES = known()
H, L, ONE = letter("H"), letter("L"), expression(1)


def test_page():
    assert render(BACKBONES) == PAGE.read_text("utf-8"), AGAIN


def test_every_backbone_is_listed():
    assert list(BACKBONES) == list(pairs()), AGAIN
    assert len({pair.type for pair in pairs().values()}) >= 20


@pytest.mark.parametrize("name", BACKBONES)
def test_both_counts_at_the_same_sizes(name):
    """In KerasHub's letters, transformers' formula gives the same as the catalogue's own."""
    pair = pairs()[name]
    ours = derivation_in(BACKBONES[name])
    found = compare(pair, ours)
    assert all(condition.is_met(pair.sizes) for condition in found.conditions)
    assert found.ours.formula.evaluate(pair.sizes) == ours.count(pair.sizes)
    known = entry(pair.keys)
    sizes = {name: pair.sizes[name] for name in known.sizes}
    sizes |= {name: expression_in(one).evaluate(pair.sizes) for name, one in pair.equal.items()}
    assert found.theirs.formula.evaluate(pair.sizes) == known.derivation.count(sizes)
    assert sum((one.size for one in found.more), 0 * H) - sum(
        (one.size for one in found.fewer), 0 * H
    ) == (found.ours.formula - found.theirs.formula)


@pytest.mark.parametrize("name", BACKBONES)
def test_every_tensor_of_a_difference_has_a_reason(name):
    found = compare(pairs()[name], derivation_in(BACKBONES[name]))
    assert [one.path for one in (*found.more, *found.fewer) if one.path not in found.pair.why] == []


@pytest.mark.parametrize("name", BACKBONES)
def test_data_round_trips(name):
    data = {key: value for key, value in BACKBONES[name].items() if key != "presets"}
    assert written(derivation_in(data)) == data


def tensor(path, *shape, times=ONE):
    return DerivedTensor(path, shape, times, "trainable", (), False, False)


def test_unmatched_tensors():
    ours = [
        tensor("query.kernel", H, H, times=L),
        tensor("key.kernel", H, H, times=L),
        tensor("query.bias", H, times=L),
        tensor("norm.gamma", H),
        tensor("head", 3 * H),
    ]
    theirs = [
        tensor("fused.weight", 2 * H, H, times=L),
        tensor("norm.weight", H),
        tensor("pooler.bias", H),
    ]
    more, fewer = left_over(ours, theirs)
    assert [one.path for one in more] == ["query.bias", "head"]
    assert [one.path for one in fewer] == ["pooler.bias"]


def test_a_reason_that_fits_no_tensor_is_refused():
    pair = pairs()["BertBackbone"]
    wrong = type(pair)(backbone="B", type="bert", usual=pair.usual, why={"pooler": "no pooler"})
    with pytest.raises(ValueError, match="no difference consists of pooler"):
        compare(wrong, derivation_in(BACKBONES["BertBackbone"]))
