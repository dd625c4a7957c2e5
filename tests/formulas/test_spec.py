"""Only possible specs can be constructed; errors name the field and the value."""

import math
from dataclasses import FrozenInstanceError, asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof import formulas
from paramproof.formulas import (
    FAMILIES,
    EncoderDecoderLetters,
    EncoderDecoderSpec,
    EncoderLetters,
    GPTLetters,
    LlamaLetters,
    LlamaSpec,
    Numerics,
)
from paramproof.formulas.families import family_of, spec_fields, spec_from
from paramproof.formulas.spec import head_size_of
from tests.specs import SPECS
from tests.strategies import specs

SPEC = SPECS["encoder"]


def fields(kind):
    return [(f, name) for f, s in SPECS.items() for name in asdict(s) if isa(s, name, kind)]


def isa(spec, name, kind):
    return type(getattr(spec, name)) is kind


SIZES, FLAGS = fields(int), fields(bool)
LAYERS = {"num_hidden_layers", "num_encoder_layers", "num_decoder_layers"}
FOLLOWING = {"target_vocab_size", "num_key_value_heads", "head_dim"}


def test_every_field_is_a_size_or_a_flag():
    assert list(SPECS) == list(FAMILIES)
    counted = [
        (sum(f == name for f, _ in SIZES), sum(f == name for f, _ in FLAGS)) for name in SPECS
    ]
    assert counted == [(7, 4), (8, 4), (6, 1), (7, 1)]
    assert len(SIZES) + len(FLAGS) == sum(len(asdict(spec)) for spec in SPECS.values())


NO_SIZES = [
    (family, field, value)
    for family, field in SIZES
    for value in (-1, True, 2.0, "2", None, math.nan)
    # A field without a default of its own follows another one.
    if value is not None or field not in FOLLOWING
]


@pytest.mark.parametrize(("family", "field", "value"), NO_SIZES)
def test_sizes_are_ints(family, field, value):
    with pytest.raises(ValueError, match=f"^{field}={value!r} is not possible: it must be"):
        replace(SPECS[family], **{field: value})


@pytest.mark.parametrize(("family", "field"), SIZES)
def test_only_layers_may_be_zero(family, field):
    if field in LAYERS:
        assert 0 in replace(SPECS[family], **{field: 0}).letters()
    else:
        with pytest.raises(ValueError, match=f"{field}=0 is not possible: it must be 1 or more"):
            replace(SPECS[family], **{field: 0})


@pytest.mark.parametrize(("family", "field"), FLAGS)
@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_flags_are_bools(family, field, value):
    with pytest.raises(ValueError, match=f"{field}={value!r}"):
        replace(SPECS[family], **{field: value})


@pytest.mark.parametrize("family", ["encoder", "encoder-decoder", "gpt"])
@given(hidden=st.integers(1, 64), heads=st.integers(1, 64))
def test_heads_divide_the_hidden_size(family, hidden, heads):
    if hidden % heads == 0:
        spec = replace(SPECS[family], hidden_size=hidden, num_attention_heads=heads)
        assert spec.head_size * heads == hidden
    else:
        message = f"num_attention_heads={heads} .* divisor of hidden_size={hidden}$"
        with pytest.raises(ValueError, match=message):
            replace(SPECS[family], hidden_size=hidden, num_attention_heads=heads)


def test_nsp_needs_the_pooler():
    with pytest.raises(ValueError, match="nsp_head=True"):
        replace(SPEC, nsp_head=True, pooler=False)


def test_only_an_mlm_head_can_be_untied():
    with pytest.raises(ValueError, match="tie_word_embeddings=False"):
        replace(SPEC, tie_word_embeddings=False)
    assert replace(SPEC, mlm_head=True, tie_word_embeddings=False).letters().untied == 1


def without(family, *names):
    return {name: value for name, value in asdict(SPECS[family]).items() if name not in names}


def test_missing_fields_follow_others():
    plain = {"num_attention_heads": 5, **without("llama", *FOLLOWING, "num_attention_heads")}
    spec = LlamaSpec(**plain)
    assert (spec.num_key_value_heads, spec.head_dim) == (5, 2)
    assert LlamaSpec(**plain, head_dim=None, num_key_value_heads=None) == spec
    assert LlamaSpec(**plain, head_dim=6).head_size == 6
    both = EncoderDecoderSpec(**without("encoder-decoder", "target_vocab_size"))
    assert both == SPECS["encoder-decoder"]
    assert both.target_vocab_size == both.vocab_size


@given(heads=st.integers(1, 24), key_heads=st.integers(1, 24))
def test_key_heads_divide_the_query_heads(heads, key_heads):
    changes = {"num_attention_heads": heads, "num_key_value_heads": key_heads}
    if heads % key_heads == 0:
        assert replace(SPECS["llama"], **changes).letters()[2:4] == (heads, key_heads)
    else:
        message = f"num_key_value_heads={key_heads} .* a divisor of num_attention_heads={heads}$"
        with pytest.raises(ValueError, match=message):
            replace(SPECS["llama"], **changes)


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_a_printed_spec_can_be_pasted(family, data):
    spec = data.draw(specs(family))
    assert eval(repr(spec), vars(formulas)) == spec
    assert family_of(spec).name == family_of(spec.letters()).name == family
    assert spec_from(spec_fields(spec)) == spec
    assert spec.letters().head_size == spec.head_size


@pytest.mark.parametrize("family", FAMILIES)
def test_a_spec_is_frozen(family):
    with pytest.raises(FrozenInstanceError):
        SPECS[family].hidden_size = 8


def test_letters():
    spec = replace(SPEC, mlm_head=True, nsp_head=True, tie_word_embeddings=False)
    expected = EncoderLetters(L=2, H=12, A=3, F=5, V=11, P=7, T=2, pooler=1, mlm=1, untied=1, nsp=1)
    assert spec.letters() == expected
    assert SPEC.letters()[-4:] == (1, 0, 0, 0)


def test_letters_of_the_other_families():
    both = EncoderDecoderLetters(N=2, M=4, H=12, A=3, F=5, V=11, U=11, P=7)
    assert SPECS["encoder-decoder"].letters() == both
    assert both[-4:] == (1, 0, 1, 0)
    spec = replace(
        SPECS["encoder-decoder"],
        target_vocab_size=13,
        share_embeddings=False,
        tie_word_embeddings=False,
        learned_positions=True,
        attention_bias=False,
    )
    expected = both._replace(U=13, shared=0, untied=1, learned=1, bias=0)
    assert spec.letters() == expected
    assert SPECS["gpt"].letters() == GPTLetters(L=2, H=12, A=3, F=5, V=11, P=7)
    assert replace(SPECS["gpt"], tie_word_embeddings=False).letters().untied == 1
    assert SPECS["llama"].letters() == LlamaLetters(L=2, H=10, A=6, G=3, K=4, F=5, V=11)
    assert SPECS["llama"].letters().untied == 1
    assert replace(SPECS["llama"], tie_word_embeddings=True).letters().untied == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_letters_are_ints(family):
    assert all(type(letter) is int for letter in SPECS[family].letters())


def test_the_width_of_a_head():
    """For specs and letters; 1 if there are no attention heads."""
    for family, width in (("encoder", 4), ("llama", 4)):
        assert head_size_of(SPECS[family]) == head_size_of(SPECS[family].letters()) == width
    assert head_size_of({"H": 12, "A": 3}) == 1


@pytest.mark.parametrize("eps", [-1e-12, 1.0, 1, True, "1e-12", math.nan, math.inf])
def test_epsilon(eps):
    with pytest.raises(ValueError, match="layer_norm_eps="):
        Numerics(layer_norm_eps=eps)


@pytest.mark.parametrize("theta", [1.0, -1e4, 10000, True, "1e4", math.nan, math.inf])
def test_base_of_rotary_positions(theta):
    with pytest.raises(ValueError, match=r"rope_theta=.* it must be a float above 1$") as refusal:
        Numerics(rope_theta=theta)
    assert f"rope_theta={theta!r} " in str(refusal.value)


def test_a_small_base_of_rotary_positions():
    assert Numerics(rope_theta=1.5).rope_theta == 1.5


def test_activation():
    assert Numerics(hidden_act="gelu_new").hidden_act == "gelu_new"
    with pytest.raises(ValueError, match=r"hidden_act='swish' .* gelu or gelu_new or relu or silu"):
        Numerics(hidden_act="swish")
    assert Numerics(layer_norm_eps=0.0).layer_norm_eps == 0


def test_original_numerics():
    """As in the code of each first release."""
    acts = {family: spec.original_numerics.hidden_act for family, spec in SPECS.items()}
    assert acts == {
        "encoder": "gelu",
        "encoder-decoder": "relu",
        "gpt": "gelu_new",
        "llama": "silu",
    }
    eps = [spec.original_numerics.layer_norm_eps for spec in SPECS.values()]
    assert eps == [1e-12, 1e-6, 1e-5, 1e-6]
    assert {spec.original_numerics.rope_theta for spec in SPECS.values()} == {10000.0}


IMPOSSIBLE = [
    ("encoder", {"vocab_size": 2.5}, "vocab_size=2.5 is not possible: it must be an int"),
    ("encoder", {"vocab_size": 0}, "vocab_size=0 is not possible: it must be 1 or more"),
    (
        "encoder",
        {"num_hidden_layers": -1},
        "num_hidden_layers=-1 is not possible: it must be 0 or more",
    ),
    ("encoder", {"pooler": 1}, "pooler=1 is not possible: it must be True or False"),
    (
        "encoder",
        {"num_attention_heads": 5},
        "num_attention_heads=5 is not possible: it must be a divisor of hidden_size=12",
    ),
    (
        "encoder",
        {"tie_word_embeddings": False},
        "tie_word_embeddings=False is not possible: it must be True where mlm_head is False: "
        "without that head there is nothing to untie",
    ),
    (
        "encoder",
        {"pooler": False, "nsp_head": True},
        "nsp_head=True is not possible: it must be False where pooler is False: "
        "that head reads the pooled output",
    ),
    (
        "encoder-decoder",
        {"num_decoder_layers": -1},
        "num_decoder_layers=-1 is not possible: it must be 0 or more",
    ),
    (
        "encoder-decoder",
        {"target_vocab_size": 13},
        "share_embeddings=True is not possible: it must be False where vocab_size=11 and "
        "target_vocab_size=13 differ",
    ),
    (
        "llama",
        {"num_key_value_heads": 4},
        "num_key_value_heads=4 is not possible: it must be a divisor of num_attention_heads=6",
    ),
    (
        "llama",
        {"head_dim": 3},
        "head_dim=3 is not possible: it must be even: rotary positions rotate pairs of features",
    ),
    (
        "llama",
        {"head_dim": None},
        "num_attention_heads=6 is not possible: it must be a divisor of hidden_size=10 where "
        "head_dim is not given",
    ),
    (
        "llama",
        {"head_dim": None, "hidden_size": 18},
        "head_dim=3 is not possible: it must be even: rotary positions rotate pairs of features",
    ),
    (
        "llama",
        {"head_dim": None, "num_attention_heads": 0},
        "num_attention_heads=0 is not possible: it must be 1 or more",
    ),
    (
        "llama",
        {"head_dim": None, "hidden_size": "10"},
        "hidden_size='10' is not possible: it must be an int",
    ),
]


@pytest.mark.parametrize(("family", "change", "message"), IMPOSSIBLE)
def test_messages_for_impossible_specs(family, change, message):
    with pytest.raises(ValueError, match="is not possible") as refusal:
        replace(SPECS[family], **change)
    assert str(refusal.value) == message


def test_messages_for_impossible_numerics():
    with pytest.raises(ValueError, match="is not possible") as refusal:
        Numerics(layer_norm_eps=2.0)
    assert str(refusal.value) == (
        "layer_norm_eps=2.0 is not possible: it must be a float in [0, 1)"
    )
