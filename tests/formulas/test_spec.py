"""Only possible specs can be constructed and drawn; errors name the field and the value."""

import math
from dataclasses import FrozenInstanceError, asdict, astuple, dataclass, replace
from typing import ClassVar

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
from paramproof.formulas.spec import Choices, draw, head_size_of
from tests.specs import SPECS
from tests.strategies import specs


def fields(kind):
    return [(f, n) for f, spec in SPECS.items() for n, v in asdict(spec).items() if type(v) is kind]


SIZES, FLAGS = fields(int), fields(bool)
LAYERS = {"num_hidden_layers", "num_encoder_layers", "num_decoder_layers"}
FOLLOWING = {"target_vocab_size", "num_key_value_heads", "head_dim"}


def test_every_field_is_a_size_or_a_flag():
    assert list(SPECS) == list(FAMILIES)
    counted = [tuple(sum(f == name for f, _ in kind) for kind in (SIZES, FLAGS)) for name in SPECS]
    assert counted == [(7, 4), (8, 4), (6, 1), (7, 1)]
    assert len(SIZES) + len(FLAGS) == sum(len(asdict(spec)) for spec in SPECS.values())


WRONG = [(family, field, value) for family, field in FLAGS for value in (0, 1, "yes", None)] + [
    (family, field, value)
    for family, field in SIZES
    for value in (-1, True, 2.0, "2", None, math.nan)
    # A field without a default of its own follows another one.
    if value is not None or field not in FOLLOWING
]


@pytest.mark.parametrize(("family", "field", "value"), WRONG)
def test_sizes_are_ints_and_flags_bools(family, field, value):
    with pytest.raises(ValueError, match=f"^{field}={value!r} is not possible: it must be"):
        replace(SPECS[family], **{field: value})


@pytest.mark.parametrize(("family", "field"), SIZES)
def test_only_layers_may_be_zero(family, field):
    if field in LAYERS:
        assert 0 in replace(SPECS[family], **{field: 0}).letters()
    else:
        with pytest.raises(ValueError, match=f"{field}=0 is not possible: it must be 1 or more"):
            replace(SPECS[family], **{field: 0})


@given(part=st.integers(1, 64), whole=st.integers(1, 64))
def test_heads_divide_the_hidden_size_and_key_heads_the_query_heads(family, part, whole):
    names = ("num_attention_heads", "hidden_size")
    if family == "llama":
        names = ("num_key_value_heads", "num_attention_heads")
    changes = dict(zip(names, (part, whole), strict=True))
    if whole % part == 0:
        spec = replace(SPECS[family], **changes)
        assert spec.head_size == (SPECS["llama"].head_dim if family == "llama" else whole // part)
    else:
        message = f"{names[0]}={part} .* divisor of {names[1]}={whole}$"
        with pytest.raises(ValueError, match=message):
            replace(SPECS[family], **changes)


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


@given(data=st.data())
def test_a_printed_spec_can_be_pasted(family, data):
    spec = data.draw(specs(family))
    assert eval(repr(spec), vars(formulas)) == spec
    assert family_of(spec).name == family_of(spec.letters()).name == family
    assert spec_from(spec_fields(spec)) == spec
    assert head_size_of(spec) == head_size_of(spec.letters()) == spec.head_size
    assert all(type(letter) is int for letter in spec.letters())
    with pytest.raises(FrozenInstanceError):
        spec.hidden_size = 8


BERT = EncoderLetters(L=2, H=12, A=3, F=5, V=11, P=7, T=2)
BOTH = EncoderDecoderLetters(N=2, M=4, H=12, A=3, F=5, V=11, U=11, P=7)
GPT = GPTLetters(L=2, H=12, A=3, F=5, V=11, P=7)
LLAMA = LlamaLetters(L=2, H=10, A=6, G=3, K=4, F=5, V=11)
HEADS = {"mlm_head": True, "nsp_head": True}
UNTIED = {"tie_word_embeddings": False}
APART = {"target_vocab_size": 13, "share_embeddings": False}
NO_BIAS = {"learned_positions": True, "attention_bias": False}


@pytest.mark.parametrize(
    ("family", "changes", "letters"),
    [
        ("encoder", {}, BERT),
        ("encoder", HEADS | UNTIED, BERT._replace(mlm=1, untied=1, nsp=1)),
        ("encoder", {"pooler": False}, BERT._replace(pooler=0)),
        ("encoder-decoder", {}, BOTH),
        ("encoder-decoder", APART | UNTIED, BOTH._replace(U=13, shared=0, untied=1)),
        ("encoder-decoder", NO_BIAS, BOTH._replace(learned=1, bias=0)),
        ("gpt", {}, GPT),
        ("gpt", UNTIED, GPT._replace(untied=1)),
        ("llama", {}, LLAMA),
        ("llama", {"tie_word_embeddings": True}, LLAMA._replace(untied=0)),
    ],
)
def test_letters(family, changes, letters):
    assert replace(SPECS[family], **changes).letters() == letters


def test_a_part_without_heads_has_heads_of_width_1():
    assert head_size_of({"H": 12, "A": 3}) == 1


BAD_EPSILONS = (-1e-12, 1.0, 2.0, 1, True, "1e-12", math.nan, math.inf)
BAD_BASES = (1.0, -1e4, 10000, True, "1e4", math.nan, math.inf)


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        *(("layer_norm_eps", value, "a float in [0, 1)") for value in BAD_EPSILONS),
        *(("rope_theta", value, "a float above 1") for value in BAD_BASES),
        ("hidden_act", "swish", "gelu or gelu_new or relu or silu"),
    ],
)
def test_impossible_numerics(field, value, wanted):
    with pytest.raises(ValueError, match="is not possible") as refusal:
        Numerics(**{field: value})
    assert str(refusal.value) == f"{field}={value!r} is not possible: it must be {wanted}"


def test_possible_numerics():
    own = {"layer_norm_eps": 0.0, "rope_theta": 1.5, "hidden_act": "gelu_new"}
    assert asdict(Numerics(**own)) == own


def test_original_numerics():
    """As in the code of each first release."""
    found = {family: astuple(spec.original_numerics) for family, spec in SPECS.items()}
    assert found == {
        "encoder": (1e-12, "gelu", 10000.0),
        "encoder-decoder": (1e-6, "relu", 10000.0),
        "gpt": (1e-5, "gelu_new", 10000.0),
        "llama": (1e-6, "silu", 10000.0),
    }


IMPOSSIBLE = [
    ("encoder", {"vocab_size": 2.5}),
    ("encoder", {"num_hidden_layers": -1}),
    ("encoder", {"pooler": 1}),
    ("encoder", {"num_attention_heads": 5}),
    ("encoder", UNTIED),
    ("encoder", {"pooler": False, "nsp_head": True}),
    ("encoder-decoder", {"num_decoder_layers": -1}),
    ("encoder-decoder", {"target_vocab_size": 13}),
    ("llama", {"num_key_value_heads": 4}),
    ("llama", {"head_dim": 3}),
    ("llama", {"head_dim": None}),
    ("llama", {"head_dim": None, "hidden_size": 18}),
    ("llama", {"head_dim": None, "num_attention_heads": 0}),
    ("llama", {"head_dim": None, "hidden_size": "10"}),
]


def test_messages_for_impossible_specs(snapshot):
    messages = []
    for family, change in IMPOSSIBLE:
        with pytest.raises(ValueError, match="is not possible") as refusal:
            replace(SPECS[family], **change)
        messages.append(f"{family}: {refusal.value}")
    assert messages == snapshot


@pytest.mark.parametrize("name", FAMILIES)
def test_the_choices_and_their_order(name, snapshot):
    """Hypothesis prints draws by these names, and seeds depend on this order."""
    asked = {"smallest": [], "largest": []}

    def choose(end):
        def chosen(field, low, high):
            asked[end].append(f"{field}: {low}..{high}")
            return low if end == "smallest" else high

        return chosen

    specs = {end: draw(FAMILIES[name].spec, choose(end), {}) for end in asked}
    assert {repr(spec): asked[end] for end, spec in specs.items()} == snapshot


@pytest.mark.parametrize("name", FAMILIES)
def test_middling_choices_give_middling_sizes(name):
    """If a size is a product, one letter's factor is not attributed to another letter."""
    ends = {"num_attention_heads": 5, "head_size": 3, "num_key_value_heads": 4}
    ends |= {"queries_per_key": 3, "pairs_per_head": 5, "one table, two, two of one size": 2}
    spec = draw(FAMILIES[name].spec, lambda field, low, high: ends.get(field, low), {})
    expected = {
        "llama": {"hidden_size": 120, "num_attention_heads": 12, "head_dim": 10},
        "encoder-decoder": {"hidden_size": 15, "target_vocab_size": 1, "share_embeddings": False},
    }.get(name, {"hidden_size": 15, "num_attention_heads": 5})
    assert {field: getattr(spec, field) for field in expected} == expected


def test_fixed_fields_are_not_drawn():
    def never(field, low, high):
        raise AssertionError(f"{field} has been chosen before")

    fixed = {"vocab_size": 7, "pooler": 1, "tie_word_embeddings": True}
    choices = Choices(never, fixed, {})
    assert choices.sizes("vocab_size") == {"vocab_size": 7}
    assert choices.flag("pooler") is True
    assert Choices(never, {"pooler": 0}, {}).flag("pooler") is False
    assert choices.tied() is True
    assert choices.flag("nsp_head", possible=False) is False


def test_ranges():
    choices = Choices(lambda field, low, high: high, {}, {"vocab_size": (2, 3)})
    assert choices.sizes("vocab_size", "max_position_embeddings") == {
        "vocab_size": 3,
        "max_position_embeddings": 64,
    }
    message = "^patch_size has no range of sizes: add one to the spec's ranges$"
    with pytest.raises(ValueError, match=message):
        choices.size("patch_size")


@dataclass(frozen=True)
class Flagged:
    """A spec without a ``drawn`` of its own, with a flag that is not about tying."""

    hidden_size: int
    gated: bool
    tie_word_embeddings: bool
    ranges: ClassVar = {"hidden_size": (2, 3)}


@pytest.mark.parametrize("number", [0, 1])
def test_a_flag_is_drawn_by_its_name(number):
    asked = {}

    def choose(field, low, high):
        asked[field] = (low, high)
        return low if field == "hidden_size" else number

    spec = draw(Flagged, choose, {})
    assert asked == {"hidden_size": (2, 3), "gated": (0, 1), "untied": (0, 1)}
    assert (spec.gated, spec.tie_word_embeddings) == (bool(number), not number)


@pytest.mark.parametrize(
    ("vocabularies", "rows", "shared"), [(0, (7, 7), True), (1, (7, 5), False), (2, (7, 7), False)]
)
def test_the_tables_of_an_encoder_and_a_decoder(vocabularies, rows, shared):
    """One table, two of different sizes, two of the same size."""
    own = {"vocab_size": 7, "target_vocab_size": 5, "one table, two, two of one size": vocabularies}
    spec = draw(EncoderDecoderSpec, lambda name, low, high: own.get(name, low), {})
    assert (spec.vocab_size, spec.target_vocab_size, spec.share_embeddings) == (*rows, shared)
