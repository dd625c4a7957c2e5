"""Hypothesis strategies for specs, shared by ``paramproof verify`` and the tests.

Sizes are small, so that a hundred models are built in seconds, and constructed rather than
filtered: H is A times K, a head that needs a part comes with it.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

from builders.protocol import Builder
from formulas.spec import EncoderSpec

SIZES = {
    "num_hidden_layers": st.integers(0, 4),
    "intermediate_size": st.integers(1, 300),
    "vocab_size": st.integers(1, 600),
    "max_position_embeddings": st.integers(1, 64),
    "type_vocab_size": st.integers(1, 5),
    "pooler": st.booleans(),
    "mlm_head": st.booleans(),
}
HEADS = st.integers(1, 8)
HEAD_SIZES = st.integers(1, 12)


@st.composite
def encoder_specs(draw: st.DrawFn, **fixed: Any) -> EncoderSpec:
    """Encoders of every shape, with the fields in ``fixed`` held at their values."""
    fields = {
        name: fixed[name] if name in fixed else draw(strategy, label=name)
        for name, strategy in SIZES.items()
    }
    heads = draw(HEADS, label="num_attention_heads")
    head_size = draw(HEAD_SIZES, label="head_size")
    untied = fields["mlm_head"] and not fixed.get("tie_word_embeddings", False)
    return EncoderSpec(
        **fields,
        num_attention_heads=heads,
        hidden_size=heads * head_size,
        tie_word_embeddings=not (untied and draw(st.booleans(), label="untied")),
        nsp_head=fields["pooler"] and draw(st.booleans(), label="nsp_head"),
    )


def supported_specs(builder: Builder, **fixed: Any) -> st.SearchStrategy[EncoderSpec]:
    """Encoders that ``builder`` can express; ``fixed`` is what it cannot vary.

    The filter meets only rare combinations: what a builder refuses throughout is in
    ``fixed`` and constructed.
    """
    return encoder_specs(**fixed).filter(lambda spec: builder.supports(spec) is True)


def draw_examples(
    specs: st.SearchStrategy[EncoderSpec], number: int, seed_value: int
) -> list[EncoderSpec]:
    """``number`` examples of a strategy, the same ones for the same seed and Hypothesis."""
    drawn: list[EncoderSpec] = []
    if number == 0:
        return drawn

    @seed(seed_value)
    @settings(
        max_examples=number,
        derandomize=False,
        database=None,
        verbosity=Verbosity.quiet,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(specs)
    def collect(spec: EncoderSpec) -> None:
        drawn.append(spec)

    collect()
    return drawn
