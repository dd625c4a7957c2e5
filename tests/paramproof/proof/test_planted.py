"""Faults planted in every family, on lists of weights, and what each kind of evidence reports."""

from dataclasses import replace

import pytest

from paramproof.algebra.residual import lines
from paramproof.formulas import FAMILIES, closed_form, inventory
from paramproof.formulas.notation import text
from paramproof.proof.builder_tensors import read
from paramproof.proof.findings import residuals
from paramproof.proof.interpolation import Grids, interpolate
from paramproof.proof.prove import _text
from tests.cases import CASES, case_of
from tests.weight_lists import Lists, extra

SIMPLEST = {"encoder": "bare", "encoder-decoder": "shared", "gpt": "bare", "llama": "bare"}


def drop(name):
    return Lists(lambda weights, spec: [w for w in weights if not w.path.endswith(name)])


def freeze(name):
    def change(weights, spec):
        return [replace(w, trainable=False) if w.path.endswith(name) else w for w in weights]

    return Lists(change)


def add_in(stack, layers, shape):
    """Return a builder with an unknown tensor in each layer of a stack."""

    def change(weights, spec):
        more = range(getattr(spec, layers))
        return [*weights, *(extra(f"{stack}.{n}.gain", *shape(spec)) for n in more)]

    return Lists(change)


def lengthen(name, by):
    """Return a builder that makes the first axis of a table longer."""

    def change(weights, spec):
        return [
            replace(w, shape=(w.shape[0] + by, *w.shape[1:])) if w.path.endswith(name) else w
            for w in weights
        ]

    return Lists(change)


FAULTS = {
    ("encoder", "a bias"): (drop("feed_forward.intermediate.bias"), "−L·F"),
    ("encoder", "two positions"): (lengthen("position_embeddings.weight", 2), "2·H"),
    ("encoder-decoder", "a bias in one stack"): (
        drop("cross_attention.key.bias"),
        "−bias·M·H",
    ),
    ("encoder-decoder", "a norm"): (
        add_in("encoder.layers", "num_encoder_layers", lambda s: (s.hidden_size,)),
        "N·H",
    ),
    ("encoder-decoder", "a frozen table"): (
        freeze("encoder.embeddings.word_embeddings.weight"),
        "−V·H",
    ),
    ("gpt", "the final norm"): (drop("final_layer_norm.bias"), "−H"),
    ("gpt", "a gate for each head"): (
        add_in("layers", "num_hidden_layers", lambda s: (s.num_attention_heads,)),
        "L·A",
    ),
    ("gpt", "padding by 3"): (lengthen("embeddings.word_embeddings.weight", 3), "3·H"),
    ("llama", "a head that is tied and should not be"): (drop("lm_head.weight"), "−untied·V·H"),
    ("llama", "a norm of the queries"): (
        add_in("layers", "num_hidden_layers", lambda s: (s.head_dim,)),
        "L·K",
    ),
    ("llama", "a bias of the keys"): (
        add_in("layers", "num_hidden_layers", lambda s: (s.num_key_value_heads, s.head_dim)),
        "L·G·K",
    ),
}


@pytest.mark.parametrize("fault", FAULTS, ids=": ".join)
def test_faults_are_noticed_in_totals(fault):
    family, _ = fault
    builder, residual = FAULTS[fault]
    found = interpolate(Grids(builder, FAMILIES[family], {}))
    assert _text(found.residual) == residual
    assert found.alarms == ()


@pytest.mark.parametrize("fault", FAULTS, ids=": ".join)
def test_faults_are_noticed_tensor_by_tensor(fault):
    """With all parts, the same residual; the bare model has no fault in a part."""
    family, _ = fault
    builder, residual = FAULTS[fault]
    fullest = CASES[family][0]
    part, dot, rest = residual.removeprefix("−").partition("·")
    of_a_part = dot and part in fullest.parts
    sign = "−" if residual.startswith("−") else ""
    expected = f"{sign}{rest}" if of_a_part else residual
    assert derive_tensors(builder, fullest)[0].startswith(f"actual − formula = {expected}   ")
    if of_a_part:
        without = next(case for case in CASES[family] if not case.parts[part])
        assert derive_tensors(builder, without) == ["actual − formula = 0"]


def derive_tensors(builder, case):
    letters = case.symbols({})
    return lines(residuals(read(builder, case).tensors, letters), inventory(letters))


@pytest.mark.parametrize("family", FAMILIES)
def test_without_a_fault(family):
    """Hence the residuals above come from the faults."""
    found = interpolate(Grids(Lists(), FAMILIES[family], {}))
    assert (found.residual, found.alarms) == (0, ())
    case = case_of(family, SIMPLEST[family])
    assert text(closed_form(case.symbols({}))) != "0"
    assert residuals(read(Lists(), case).tensors, case.symbols({})) == []
