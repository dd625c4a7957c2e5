"""Random specs: as Hypothesis strategies for the tests, by a seed for ``paramproof verify``.

Both construct a spec in the same way, and neither filters what it can construct: H is A times
K, a head that needs a part comes with it. Sizes are small, so that a hundred models are built
in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from hypothesis import strategies as st

from builders.protocol import Builder
from formulas.spec import EncoderSpec

RANGES = {
    "num_hidden_layers": (0, 4),
    "num_attention_heads": (1, 8),
    "head_size": (1, 12),
    "intermediate_size": (1, 300),
    "vocab_size": (1, 600),
    "max_position_embeddings": (1, 64),
    "type_vocab_size": (1, 5),
}
"""Smallest and largest value, both reached."""

Choose = Callable[[str, int, int], int]
"""A number from the smallest to the largest, for the field of that name."""


@st.composite
def encoder_specs(draw: st.DrawFn, **fixed: Any) -> EncoderSpec:
    """Encoders of every shape, with the fields in ``fixed`` held at their values."""
    return _construct(lambda name, low, high: draw(st.integers(low, high), label=name), fixed)


def supported_specs(builder: Builder, **fixed: Any) -> st.SearchStrategy[EncoderSpec]:
    """Encoders that ``builder`` can express; ``fixed`` is what it cannot vary.

    The filter meets only rare combinations: what a builder refuses throughout is in
    ``fixed`` and constructed.
    """
    return encoder_specs(**fixed).filter(lambda spec: builder.supports(spec) is True)


def random_specs(builder: Builder, number: int, seed: int, **fixed: Any) -> list[EncoderSpec]:
    """``number`` encoders that ``builder`` can express: the same ones for the same seed.

    Not drawn by Hypothesis, whose examples also depend on its version and on which modules
    it finds in the working directory. Raises ``ValueError`` where hardly any is expressible.
    """
    random = Random(seed)
    specs: list[EncoderSpec] = []
    tries = 1000 * number
    while len(specs) < number:
        spec = random_spec(random, **fixed)
        supported = builder.supports(spec)
        if supported is True:
            specs.append(spec)
        tries -= 1
        if not tries:
            raise ValueError(f"hardly any random spec can be expressed: {supported}")
    return specs


def random_spec(random: Random, **fixed: Any) -> EncoderSpec:
    """One encoder of any shape, with the fields in ``fixed`` held at their values."""
    return _construct(lambda name, low, high: random.randint(low, high), fixed)


def _construct(choose: Choose, fixed: Mapping[str, Any]) -> EncoderSpec:
    sizes = {
        name: fixed[name] if name in fixed else choose(name, low, high)
        for name, (low, high) in RANGES.items()
    }

    def flag(name: str, possible: bool = True) -> bool:
        return fixed[name] if name in fixed else bool(possible and choose(name, 0, 1))

    pooler, mlm_head = flag("pooler"), flag("mlm_head")
    untied = mlm_head and not fixed.get("tie_word_embeddings") and choose("untied", 0, 1)
    return EncoderSpec(
        hidden_size=sizes["num_attention_heads"] * sizes.pop("head_size"),
        pooler=pooler,
        mlm_head=mlm_head,
        tie_word_embeddings=not untied,
        nsp_head=flag("nsp_head", pooler),
        **sizes,
    )
