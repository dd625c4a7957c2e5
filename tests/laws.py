"""Laws that a parameter count obeys, whatever the formula: no oracle occurs in them.

Each takes ``count``, a function from a spec to its trainable parameters, and a spec to
start from. ``vary`` names the field that the law changes.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from formulas import EncoderSpec

Count = Callable[[EncoderSpec], int]


def assert_layers_are_alike(count: Count, spec: EncoderSpec) -> None:
    """One more layer adds a constant."""
    layers = spec.num_hidden_layers
    counts = [count(replace(spec, num_hidden_layers=layers + more)) for more in (0, 1, 2)]
    assert counts[1] - counts[0] == counts[2] - counts[1], f"layers differ: {counts} for {spec!r}"


def assert_a_token_adds_its_vectors(count: Count, spec: EncoderSpec) -> None:
    """One more token adds H; 2H with an untied head; and 1 with an MLM bias."""
    vectors = 1 if spec.tie_word_embeddings else 2
    expected = vectors * spec.hidden_size + spec.mlm_head
    _assert_one_more_adds(count, spec, "vocab_size", expected)


def assert_a_position_adds_a_vector(count: Count, spec: EncoderSpec) -> None:
    """One more position adds H."""
    _assert_one_more_adds(count, spec, "max_position_embeddings", spec.hidden_size)


def assert_a_type_adds_a_vector(count: Count, spec: EncoderSpec) -> None:
    """One more token type adds H."""
    _assert_one_more_adds(count, spec, "type_vocab_size", spec.hidden_size)


def assert_heads_change_nothing(count: Count, spec: EncoderSpec) -> None:
    """Every number of heads that divides H gives the same count."""
    hidden = spec.hidden_size
    divisors = [heads for heads in range(1, hidden + 1) if hidden % heads == 0]
    few = {divisors[0], divisors[len(divisors) // 2], divisors[-1]}
    counts = {heads: count(replace(spec, num_attention_heads=heads)) for heads in few}
    assert len(set(counts.values())) == 1, f"heads change the count: {counts} for {spec!r}"


def assert_quadratic_in_width(count: Count, spec: EncoderSpec) -> None:
    """The second difference in H is constant. H moves by A, so that A divides it."""
    step = spec.num_attention_heads
    widths = [spec.hidden_size + more * step for more in range(4)]
    counts = [count(replace(spec, hidden_size=width)) for width in widths]
    first = [after - before for before, after in pairwise(counts)]
    second = [after - before for before, after in pairwise(first)]
    assert second[0] == second[1], f"not quadratic in H: {counts} at {widths} for {spec!r}"


def _assert_one_more_adds(count: Count, spec: EncoderSpec, field: str, expected: int) -> None:
    more = replace(spec, **{field: getattr(spec, field) + 1})
    added = count(more) - count(spec)
    assert added == expected, f"one more {field} adds {added}, not {expected}, to {spec!r}"


LAWS = {
    "num_hidden_layers": assert_layers_are_alike,
    "vocab_size": assert_a_token_adds_its_vectors,
    "max_position_embeddings": assert_a_position_adds_a_vector,
    "type_vocab_size": assert_a_type_adds_a_vector,
    "num_attention_heads": assert_heads_change_nothing,
    "hidden_size": assert_quadratic_in_width,
}
"""By the field that each law changes."""
