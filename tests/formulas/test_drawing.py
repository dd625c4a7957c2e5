"""How random specs are drawn: which choices, in which order, within which limits."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from paramproof.formulas import FAMILIES, EncoderDecoderSpec
from paramproof.formulas.spec import Choices, draw


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
    """A spec may have its own range of a shared size; a size without any is refused."""
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
