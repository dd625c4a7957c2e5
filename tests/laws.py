"""Laws that a parameter count obeys whatever its formula; no oracle occurs in them.

``FAMILY_LAWS`` has the laws of each family, by the field that each one changes. A law takes
``count``, a function from a spec to its trainable parameters, and a spec to start from.
"""

from dataclasses import replace
from itertools import pairwise


def adds(expected, changes):
    """Each change, from one spec to another, adds ``expected(spec)`` parameters to the first."""

    def law(count, spec):
        for before, after in changes(spec):
            added = count(after) - count(before)
            assert added == expected(before), f"adds {added}, not {expected(before)}: {before!r}"

    return law


def one_more(*fields, start=lambda spec: spec):
    """Return a change of a spec, begun with ``start(spec)``, to one more in all these fields."""

    def changes(spec):
        spec = start(spec)
        return [(spec, replace(spec, **{name: getattr(spec, name) + 1 for name in fields}))]

    return changes


def of_degree(degree, field, step=lambda spec: 1):
    """The differences of this order are equal if ``field`` grows and all other fields stay."""

    def law(count, spec):
        first, by = getattr(spec, field), step(spec)
        sizes = range(first, first + (degree + 2) * by, by)
        counts = found = [count(replace(spec, **{field: size})) for size in sizes]
        for _ in range(degree):
            found = [after - before for before, after in pairwise(found)]
        assert found[0] == found[1], f"{field} has not the degree {degree}: {counts} for {spec!r}"

    return law


def changes_nothing(numbers, at):
    """The specs ``at(spec, number)`` have equal counts for these numbers of heads."""

    def law(count, spec):
        counts = {number: count(at(spec, number)) for number in numbers(spec)}
        assert len(set(counts.values())) == 1, f"heads change the count: {counts} for {spec!r}"

    return law


def divisors(spec):
    """Return the smallest, the largest and one more of the numbers of heads that divide H."""
    hidden = spec.hidden_size
    every = [heads for heads in range(1, hidden + 1) if hidden % heads == 0]
    return {every[0], every[len(every) // 2], every[-1]}


def vectors(spec):
    """Return how many vectors a token has: an untied head has one of its own."""
    return 1 if spec.tie_word_embeddings else 2


def ungrouped(spec, heads):
    """Return a spec in which each of the heads, which divide H, has its own keys."""
    hidden = spec.num_attention_heads * spec.head_dim
    own = {"num_attention_heads": heads, "num_key_value_heads": heads, "head_dim": hidden // heads}
    return replace(spec, hidden_size=hidden, **own)


def grouped(spec):
    """Return the changes from one to two, and from two to three key heads of six query heads."""
    few = [replace(spec, num_attention_heads=6, num_key_value_heads=n) for n in (1, 2, 3)]
    return pairwise(few)


def biases(spec):
    return [tuple(replace(spec, attention_bias=there) for there in (False, True))]


HEADS = changes_nothing(divisors, lambda spec, number: replace(spec, num_attention_heads=number))
A_POSITION = adds(lambda spec: spec.hidden_size, one_more("max_position_embeddings"))
# H grows in steps of A, so that A divides it.
QUADRATIC = of_degree(2, "hidden_size", step=lambda spec: spec.num_attention_heads)
LAYERS = of_degree(1, "num_hidden_layers")
A_TOKEN = adds(lambda spec: vectors(spec) * spec.hidden_size, one_more("vocab_size"))
INNER = of_degree(1, "intermediate_size")

LAWS = {
    "num_hidden_layers": LAYERS,
    # The head of a masked language model has a bias for each token.
    "vocab_size": adds(
        lambda spec: vectors(spec) * spec.hidden_size + spec.mlm_head, one_more("vocab_size")
    ),
    "max_position_embeddings": A_POSITION,
    "type_vocab_size": adds(lambda spec: spec.hidden_size, one_more("type_vocab_size")),
    "num_attention_heads": HEADS,
    "hidden_size": QUADRATIC,
}
"""The laws of an encoder, by the field that each one changes."""

FAMILY_LAWS = {
    "encoder": LAWS,
    "encoder-decoder": {
        "num_encoder_layers": of_degree(1, "num_encoder_layers"),
        "num_decoder_layers": of_degree(1, "num_decoder_layers"),
        # A token on both sides has a vector in each table, of which there are at most three.
        "vocab_size": adds(
            lambda spec: (vectors(spec) + (not spec.share_embeddings)) * spec.hidden_size,
            one_more("vocab_size", "target_vocab_size"),
        ),
        "target_vocab_size": adds(
            lambda spec: vectors(spec) * spec.hidden_size,
            one_more("target_vocab_size", start=lambda s: replace(s, share_embeddings=False)),
        ),
        # Positions are learned on both sides, or fixed.
        "max_position_embeddings": adds(
            lambda spec: 2 * spec.hidden_size * spec.learned_positions,
            one_more("max_position_embeddings"),
        ),
        "num_attention_heads": HEADS,
        "hidden_size": QUADRATIC,
        "intermediate_size": INNER,
        # Four widths in each attention, of which a decoder layer has two.
        "attention_bias": adds(
            lambda s: 4 * s.hidden_size * (s.num_encoder_layers + 2 * s.num_decoder_layers), biases
        ),
    },
    "gpt": {
        "num_hidden_layers": LAYERS,
        "vocab_size": A_TOKEN,
        "max_position_embeddings": A_POSITION,
        "num_attention_heads": HEADS,
        "hidden_size": QUADRATIC,
        "intermediate_size": INNER,
    },
    "llama": {
        "num_hidden_layers": LAYERS,
        "vocab_size": A_TOKEN,
        "num_attention_heads": changes_nothing(
            lambda s: {1, s.num_attention_heads, s.num_attention_heads * s.head_dim // 2}, ungrouped
        ),
        "num_key_value_heads": adds(
            lambda spec: 2 * spec.num_hidden_layers * spec.hidden_size * spec.head_dim, grouped
        ),
        "head_dim": of_degree(1, "head_dim", step=lambda spec: 2),
        # With an independent head size; if H determined it, the attention would be quadratic in H.
        "hidden_size": of_degree(1, "hidden_size"),
        "intermediate_size": INNER,
    },
}
"""The laws of each family, by the field that each one changes."""

CASES = [(family, field) for family, laws in FAMILY_LAWS.items() for field in laws]
