"""Properties of GPT, LLaMA and the Transformer of 2017, whatever their weights."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import FAMILIES, EncoderDecoderSpec, inventory
from paramproof.weights.transfer import assign_weights, canonical_weights, stored_tensors
from tests.builders.refused import families_built, families_left
from tests.gradients import assert_reached_but
from tests.parity.differences import built, gradients
from tests.parity.families import GROUPED, SPECS, DecoderCase
from tests.profiles import one_in
from tests.specs import IDS
from tests.strategies import supported_specs

GPT = "gpt"
LLAMA = GROUPED
TRANSFORMER = "transformer, two vocabularies"
DECODERS = (GPT, LLAMA, TRANSFORMER)

# Weights are large here: a change that matters moves an output by more than ``MOVED``, one that
# does not by at most ``UNMOVED``, the rounding of float32.
MOVED, UNMOVED = 1e-4, 1e-5


def case_and_model(builder, spec, dtype="float32"):
    """Return a case of ``spec`` and its model."""
    case = DecoderCase(spec, spec.original_numerics, dtype)
    return case, built(builder, case)


def test_every_supported_family_is_computed(framework):
    assert families_left(framework.name, DECODERS) == families_built(framework.name) - {"encoder"}


def change(before, after):
    return np.abs(np.asarray(after) - np.asarray(before)).max()


# Keras warns about a vocabulary of one token, which some specs here have.
@pytest.mark.filterwarnings("ignore:.*You are using a softmax over axis -1:UserWarning")
@pytest.mark.expressed("family")
@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "encoder"])
@one_in(25)
@given(data=st.data())
def test_forward_pass(builder, family, data):
    spec = data.draw(supported_specs(builder, family), label="spec")
    model = builder.build(spec, allocate=True)
    abstract = builder.build(spec)
    assert sorted(model.weights(), key=path) == sorted(abstract.weights(), key=path)
    outputs = model.run(*inputs(spec, min(3, getattr(spec, "max_position_embeddings", 3))))
    tokens = outputs.sequence.shape[:2]
    assert tokens == inputs(spec, tokens[1])[-1].shape
    assert outputs.sequence.shape == (*tokens, spec.hidden_size)
    assert outputs.lm.shape == (*tokens, getattr(spec, "target_vocab_size", spec.vocab_size))
    assert np.isfinite(outputs.sequence).all()
    assert np.allclose(outputs.lm.sum(axis=-1), 1, atol=1e-5)
    assert outputs.pooled is outputs.mlm is outputs.nsp is None


def inputs(spec, tokens):
    """Return two sequences with the first and last token of the vocabulary; a source is padded."""
    ids = np.stack([np.zeros(tokens), np.full(tokens, spec.vocab_size - 1)]).astype("int32")
    if not isinstance(spec, EncoderDecoderSpec):
        return (ids,)
    mask = np.ones(ids.shape, dtype=bool)
    mask[1, 1:] = False
    return ids, mask, np.minimum(ids, spec.target_vocab_size - 1)


def path(weight):
    return weight.path


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", DECODERS)
def test_a_later_token_changes_nothing_before_it(builder, name):
    case, model = case_and_model(builder, SPECS[name])
    *others, ids = case.inputs
    later = ids.copy()
    later[:, -1] = (ids[:, -1] + 1) % 9
    before, after = model.run(*others, ids), model.run(*others, later)
    for kind in ("sequence", "lm"):
        old, new = getattr(before, kind), getattr(after, kind)
        assert change(old[:, :-1], new[:, :-1]) < UNMOVED
        assert change(old[:, -1], new[:, -1]) > MOVED


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", DECODERS)
def test_an_earlier_token_matters(builder, name):
    case, model = case_and_model(builder, SPECS[name])
    *others, ids = case.inputs
    earlier = ids.copy()
    earlier[:, 0] = (ids[:, 0] + 1) % 9
    assert change(*(model.run(*others, x).lm[:, -1] for x in (ids, earlier))) > MOVED


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", [TRANSFORMER])
def test_padding_of_the_source_is_not_attended_to(builder, name):
    _, model = case_and_model(builder, SPECS[name])
    source, target = np.array(IDS, "int32"), np.array([[1, 2, 3], [4, 5, 6]], "int32")
    mask = np.array([[True, True, True, False]] * 2)
    padded = model.run(source, mask, target)
    alone = model.run(source[:, :3], mask[:, :3], target)
    other = model.run(np.array([[3, 4, 7, 6], [7, 8, 2, 10]], "int32"), mask, target)
    assert change(padded.lm, alone.lm) < UNMOVED
    # Unpadded tokens matter: the decoder sees the source only through cross-attention.
    assert change(padded.lm, other.lm) > MOVED


@pytest.mark.expressed("name")
@pytest.mark.parametrize(("name", "distinguished"), [(LLAMA, False), (GPT, True)])
def test_llama_sees_only_relative_positions(builder, name, distinguished):
    """A repeated token is the same at every position; only learned positions distinguish them."""
    _, model = case_and_model(builder, SPECS[name])
    sequence = model.run(np.full((2, 4), 5, "int32")).sequence
    assert (change(sequence[:, :1], sequence) > MOVED) == distinguished


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", [LLAMA])
def test_llama_sees_the_distance_of_a_token(builder, name):
    """Without positions, one layer would see the earlier tokens as a set."""
    _, model = case_and_model(builder, replace(SPECS[name], num_hidden_layers=1))
    orders = np.array([[3, 7, 5, 5]] * 2, "int32"), np.array([[7, 3, 5, 5]] * 2, "int32")
    assert change(*(model.run(ids).sequence[:, -1] for ids in orders)) > MOVED


@pytest.mark.expressed("name")
@pytest.mark.parametrize(
    "name",
    [GPT, "gpt, untied", LLAMA, "transformer", TRANSFORMER, "transformer, three tables"],
)
def test_a_tied_head_is_the_table(builder, name):
    """With a tied head, the row of a token that does not occur changes the scores."""
    spec = SPECS[name]
    case, model = case_and_model(builder, spec)
    *_, head = inventory(spec.letters()).expand()
    assert head.path == "lm_head.weight"
    unused = 8
    *others, ids = (np.where(x == unused, 1, x) if x.dtype != bool else x for x in case.inputs)
    before = model.run(*others, ids).lm
    for table in (t for t in stored_tensors(spec) if t.endswith("word_embeddings.weight")):
        weights = {k: v.copy() for k, v in canonical_weights(model, spec).items()}
        weights[table][unused] += 1
        assign_weights(model, spec, weights)
        after = model.run(*others, ids).lm
        assert (change(before, after) > MOVED) == (table == head.tied_to)
        assign_weights(model, spec, weights | {table: case.weights[table]})


@pytest.mark.expressed("name")
@pytest.mark.parametrize("name", SPECS)
def test_every_trainable_tensor_is_reached(builder, name):
    """The gradient of the outputs reaches all but key biases, which the softmax ignores."""
    case, model = case_and_model(builder, SPECS[name], "float64")
    reached = gradients(model, case)
    due = {path for path, tensor in stored_tensors(case.spec).items() if tensor.trainable}
    assert set(reached) == due
    assert_reached_but(reached, {path for path in due if path.endswith("attention.key.bias")})
