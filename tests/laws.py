"""Laws that a parameter count obeys whatever its formula; no oracle occurs in them.

Each takes ``count``, a function from a spec to its trainable parameters, and a spec to
start from. ``FAMILY_LAWS`` lists them by the field that the law changes.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

Count = Callable[[Any], int]


def assert_layers_are_equal(count: Count, spec: Any, field: str = "num_hidden_layers") -> None:
    """Every further layer adds the same number."""
    counts = _counts(count, spec, field, step=1, number=3)
    assert counts[1] - counts[0] == counts[2] - counts[1], f"layers differ: {counts} for {spec!r}"


def assert_a_token_adds_its_vectors(count: Count, spec: Any) -> None:
    """A further token adds H parameters, 2H with an untied head, and 1 more with an MLM bias."""
    vectors = 1 if spec.tie_word_embeddings else 2
    expected = vectors * spec.hidden_size + getattr(spec, "mlm_head", False)
    _assert_one_more_adds(count, spec, "vocab_size", expected)


def assert_a_token_of_both_sides_adds_its_vectors(count: Count, spec: Any) -> None:
    """A token added to source and target adds H per table, of which there are at most three."""
    tables = 1 + (not spec.share_embeddings) + (not spec.tie_word_embeddings)
    _assert_one_more_adds(count, spec, "vocab_size target_vocab_size", tables * spec.hidden_size)


def assert_a_target_token_adds_its_vectors(count: Count, spec: Any) -> None:
    """With separate tables, a further target token adds as much as a token adds to a decoder."""
    apart = replace(spec, share_embeddings=False)
    vectors = 1 if spec.tie_word_embeddings else 2
    _assert_one_more_adds(count, apart, "target_vocab_size", vectors * spec.hidden_size)


def assert_a_position_adds_a_vector(count: Count, spec: Any) -> None:
    """A further position adds H."""
    _assert_one_more_adds(count, spec, "max_position_embeddings", spec.hidden_size)


def assert_a_learned_position_adds_a_vector_a_side(count: Count, spec: Any) -> None:
    """A further position adds 2H if positions are learned, and nothing if they are fixed."""
    expected = 2 * spec.hidden_size * spec.learned_positions
    _assert_one_more_adds(count, spec, "max_position_embeddings", expected)


def assert_a_type_adds_a_vector(count: Count, spec: Any) -> None:
    """A further token type adds H."""
    _assert_one_more_adds(count, spec, "type_vocab_size", spec.hidden_size)


def assert_heads_change_nothing(count: Count, spec: Any) -> None:
    """Every number of heads that divides H gives the same count."""
    hidden = spec.hidden_size
    divisors = [heads for heads in range(1, hidden + 1) if hidden % heads == 0]
    few = {divisors[0], divisors[len(divisors) // 2], divisors[-1]}
    counts = {heads: count(replace(spec, num_attention_heads=heads)) for heads in few}
    assert len(set(counts.values())) == 1, f"heads change the count: {counts} for {spec!r}"


def assert_ungrouped_heads_change_nothing(count: Count, spec: Any) -> None:
    """Hold if each query head has its own keys and the heads divide H, as in plain attention."""
    hidden, heads = spec.num_attention_heads * spec.head_dim, spec.num_attention_heads
    counts = {
        number: count(
            replace(
                spec,
                hidden_size=hidden,
                num_attention_heads=number,
                num_key_value_heads=number,
                head_dim=hidden // number,
            )
        )
        for number in {1, heads, hidden // 2}
    }
    assert len(set(counts.values())) == 1, f"heads change the count: {counts} for {spec!r}"


def assert_a_key_head_adds_a_key_and_a_value(count: Count, spec: Any) -> None:
    """With six query heads, going from one to two to three key heads adds the same each time."""
    grouped = replace(spec, num_attention_heads=6, num_key_value_heads=1)
    expected = 2 * spec.num_hidden_layers * spec.hidden_size * spec.head_dim
    for field_value in (1, 2):
        start = replace(grouped, num_key_value_heads=field_value)
        _assert_one_more_adds(count, start, "num_key_value_heads", expected)


def assert_quadratic_in_width(count: Count, spec: Any) -> None:
    """The second difference in H is constant. H grows in steps of A, so that A divides it."""
    counts = _counts(count, spec, "hidden_size", step=spec.num_attention_heads, number=4)
    first = [after - before for before, after in pairwise(counts)]
    second = [after - before for before, after in pairwise(first)]
    assert second[0] == second[1], f"not quadratic in H: {counts} for {spec!r}"


def assert_linear(count: Count, spec: Any, field: str, step: int = 1) -> None:
    """The first difference in ``field`` is constant if all other fields stay the same."""
    counts = _counts(count, spec, field, step=step, number=3)
    assert counts[1] - counts[0] == counts[2] - counts[1], f"{field}: {counts} for {spec!r}"


def assert_a_bias_is_as_wide_as_what_it_is_added_to(count: Count, spec: Any) -> None:
    """Biases add four widths to each attention, of which a decoder layer has two."""
    attentions = spec.num_encoder_layers + 2 * spec.num_decoder_layers
    without, with_ = (count(replace(spec, attention_bias=there)) for there in (False, True))
    assert with_ - without == 4 * spec.hidden_size * attentions, repr(spec)


def _counts(count: Count, spec: Any, field: str, step: int, number: int) -> list[int]:
    start = getattr(spec, field)
    return [count(replace(spec, **{field: start + more * step})) for more in range(number)]


def _assert_one_more_adds(count: Count, spec: Any, names: str, expected: int) -> None:
    more = replace(spec, **{name: getattr(spec, name) + 1 for name in names.split()})
    added = count(more) - count(spec)
    assert added == expected, f"one more {names} adds {added}, not {expected}, to {spec!r}"


LAWS = {
    "num_hidden_layers": assert_layers_are_equal,
    "vocab_size": assert_a_token_adds_its_vectors,
    "max_position_embeddings": assert_a_position_adds_a_vector,
    "type_vocab_size": assert_a_type_adds_a_vector,
    "num_attention_heads": assert_heads_change_nothing,
    "hidden_size": assert_quadratic_in_width,
}
"""The laws of an encoder, by the field that each one changes."""

FAMILY_LAWS = {
    "encoder": LAWS,
    "encoder-decoder": {
        "num_encoder_layers": partial(assert_layers_are_equal, field="num_encoder_layers"),
        "num_decoder_layers": partial(assert_layers_are_equal, field="num_decoder_layers"),
        "vocab_size": assert_a_token_of_both_sides_adds_its_vectors,
        "target_vocab_size": assert_a_target_token_adds_its_vectors,
        "max_position_embeddings": assert_a_learned_position_adds_a_vector_a_side,
        "num_attention_heads": assert_heads_change_nothing,
        "hidden_size": assert_quadratic_in_width,
        "intermediate_size": partial(assert_linear, field="intermediate_size"),
        "attention_bias": assert_a_bias_is_as_wide_as_what_it_is_added_to,
    },
    "gpt": {
        "num_hidden_layers": assert_layers_are_equal,
        "vocab_size": assert_a_token_adds_its_vectors,
        "max_position_embeddings": assert_a_position_adds_a_vector,
        "num_attention_heads": assert_heads_change_nothing,
        "hidden_size": assert_quadratic_in_width,
        "intermediate_size": partial(assert_linear, field="intermediate_size"),
    },
    "llama": {
        "num_hidden_layers": assert_layers_are_equal,
        "vocab_size": assert_a_token_adds_its_vectors,
        "num_attention_heads": assert_ungrouped_heads_change_nothing,
        "num_key_value_heads": assert_a_key_head_adds_a_key_and_a_value,
        "head_dim": partial(assert_linear, field="head_dim", step=2),
        # With an independent head size; if H determined it, the attention would be quadratic in H.
        "hidden_size": partial(assert_linear, field="hidden_size"),
        "intermediate_size": partial(assert_linear, field="intermediate_size"),
    },
}
"""The laws of each family, by the field that each one changes."""

CASES = [(family, field) for family, laws in FAMILY_LAWS.items() for field in laws]
