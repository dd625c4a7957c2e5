"""A spec that exists is possible; what is not possible says why, by field and value."""

import math
from dataclasses import FrozenInstanceError, asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.strategies import encoder_specs
from formulas import EncoderSpec, Letters, Numerics

SPEC = EncoderSpec(
    vocab_size=11,
    hidden_size=12,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=5,
    max_position_embeddings=7,
    type_vocab_size=2,
)
SIZES = [name for name, value in asdict(SPEC).items() if type(value) is int]
FLAGS = [name for name, value in asdict(SPEC).items() if type(value) is bool]


def test_every_field_is_a_size_or_a_flag():
    assert len(SIZES) == 7
    assert len(FLAGS) == 4
    assert set(SIZES) | set(FLAGS) == set(asdict(SPEC))


@pytest.mark.parametrize("field", SIZES)
@pytest.mark.parametrize("value", [-1, True, 2.0, "2", None, math.nan])
def test_sizes_are_ints(field, value):
    with pytest.raises(ValueError, match=f"{field}={value!r}"):
        replace(SPEC, **{field: value})


@pytest.mark.parametrize("field", SIZES)
def test_only_layers_may_be_zero(field):
    if field == "num_hidden_layers":
        assert replace(SPEC, num_hidden_layers=0).letters().L == 0
    else:
        with pytest.raises(ValueError, match=f"{field}=0 "):
            replace(SPEC, **{field: 0})


@pytest.mark.parametrize("field", FLAGS)
@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_flags_are_bools(field, value):
    with pytest.raises(ValueError, match=f"{field}={value!r}"):
        replace(SPEC, **{field: value})


@given(hidden=st.integers(1, 64), heads=st.integers(1, 64))
def test_heads_divide_the_hidden_size(hidden, heads):
    if hidden % heads == 0:
        spec = replace(SPEC, hidden_size=hidden, num_attention_heads=heads)
        assert spec.head_size * heads == hidden
    else:
        message = f"num_attention_heads={heads} .* divisor of hidden_size={hidden}$"
        with pytest.raises(ValueError, match=message):
            replace(SPEC, hidden_size=hidden, num_attention_heads=heads)


def test_nsp_needs_the_pooler():
    with pytest.raises(ValueError, match="nsp_head=True"):
        replace(SPEC, nsp_head=True, pooler=False)


def test_only_an_mlm_head_can_be_untied():
    with pytest.raises(ValueError, match="tie_word_embeddings=False"):
        replace(SPEC, tie_word_embeddings=False)
    assert replace(SPEC, mlm_head=True, tie_word_embeddings=False).letters().untied == 1


@given(encoder_specs())
def test_a_printed_spec_can_be_pasted(spec):
    assert eval(repr(spec), {"EncoderSpec": EncoderSpec}) == spec


def test_a_spec_is_frozen():
    with pytest.raises(FrozenInstanceError):
        SPEC.hidden_size = 8


def test_letters():
    spec = replace(SPEC, mlm_head=True, nsp_head=True, tie_word_embeddings=False)
    expected = Letters(L=2, H=12, A=3, F=5, V=11, P=7, T=2, pooler=1, mlm=1, untied=1, nsp=1)
    assert spec.letters() == expected
    assert SPEC.letters()[-4:] == (1, 0, 0, 0)
    assert all(type(letter) is int for letter in spec.letters())


@pytest.mark.parametrize("eps", [-1e-12, 1.0, 1, True, "1e-12", math.nan, math.inf])
def test_epsilon(eps):
    with pytest.raises(ValueError, match="layer_norm_eps="):
        Numerics(layer_norm_eps=eps)


def test_activation():
    assert Numerics(hidden_act="gelu_new").hidden_act == "gelu_new"
    with pytest.raises(ValueError, match=r"hidden_act='swish' .* gelu or gelu_new or relu"):
        Numerics(hidden_act="swish")
    assert Numerics(layer_norm_eps=0.0).layer_norm_eps == 0


IMPOSSIBLE = [
    ({"vocab_size": 2.5}, "vocab_size=2.5 is not possible: it must be an int"),
    ({"vocab_size": 0}, "vocab_size=0 is not possible: it must be 1 or more"),
    ({"num_hidden_layers": -1}, "num_hidden_layers=-1 is not possible: it must be 0 or more"),
    ({"pooler": 1}, "pooler=1 is not possible: it must be True or False"),
    (
        {"num_attention_heads": 5},
        "num_attention_heads=5 is not possible: it must be a divisor of hidden_size=12",
    ),
    (
        {"tie_word_embeddings": False},
        "tie_word_embeddings=False is not possible: it must be True where mlm_head is False: "
        "without that head there is nothing to untie",
    ),
    (
        {"pooler": False, "nsp_head": True},
        "nsp_head=True is not possible: it must be False where pooler is False: "
        "that head reads the pooled output",
    ),
]


@pytest.mark.parametrize(("change", "message"), IMPOSSIBLE)
def test_what_is_not_possible_is_said_in_full(change, message):
    with pytest.raises(ValueError, match="is not possible") as refusal:
        replace(SPEC, **change)
    assert str(refusal.value) == message


def test_what_numerics_are_not_possible_is_said_in_full():
    with pytest.raises(ValueError, match="is not possible") as refusal:
        Numerics(layer_norm_eps=2.0)
    assert str(refusal.value) == (
        "layer_norm_eps=2.0 is not possible: it must be a float in [0, 1)"
    )
