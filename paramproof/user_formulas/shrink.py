"""Find the smallest spec that still shows a difference, starting from one that does.

Not by ``hypothesis.find``, which begins at random and may not meet a rare difference again:
a build costs half a second in one framework, so the search begins where there is one, and
halves. What it returns has been built and differs; no single size or part of it can be made
smaller, where differences only grow with sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from paramproof.formulas import EncoderSpec

MAX_BUILDS = 150
"""Enough to halve every size of the largest model twice over."""

# The parts go first: without a head there is less to look at.
PARTS = ("tie_word_embeddings", "nsp_head", "mlm_head", "pooler")
SIZES = {
    "num_hidden_layers": 0,
    "vocab_size": 1,
    "max_position_embeddings": 1,
    "type_vocab_size": 1,
    "intermediate_size": 1,
    "num_attention_heads": 1,
    "head_size": 1,
}


def shrink(spec: EncoderSpec, differs: Callable[[EncoderSpec], bool]) -> EncoderSpec:
    """Return ``spec``, at which the count ``differs``, made as small as it goes.

    ``differs`` is asked ``MAX_BUILDS`` times at most, and never twice about one spec.
    """
    answers: dict[EncoderSpec, bool] = {spec: True}

    def still(candidate: EncoderSpec | None) -> bool:
        if candidate is None:
            return False
        if candidate not in answers:
            answers[candidate] = len(answers) <= MAX_BUILDS and differs(candidate)
        return answers[candidate]

    least = _with(spec, **SIZES, **dict.fromkeys(PARTS[1:], False), tie_word_embeddings=True)
    if least and still(least):
        return least
    while True:
        before = spec
        for name in PARTS:
            without = _with(spec, **{name: name == "tie_word_embeddings"})
            spec = without if without and still(without) else spec
        for name in SIZES:
            spec = _halved(spec, name, still)
        if spec == before:
            return spec


def _halved(
    spec: EncoderSpec, name: str, still: Callable[[EncoderSpec | None], bool]
) -> EncoderSpec:
    """``spec`` with the size ``name`` as small as ``still`` lets it be, by bisection."""
    low, high = SIZES[name], _sizes(spec)[name]
    if still(least := _with(spec, **{name: low})):
        return least or spec
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if still(_with(spec, **{name: middle})) else (middle, high)
    return _with(spec, **{name: high}) or spec


def _sizes(spec: EncoderSpec) -> dict[str, Any]:
    """The fields, with the width of a head in place of that of all heads."""
    fields = asdict(spec) | {"head_size": spec.head_size}
    del fields["hidden_size"]
    return fields


def _with(spec: EncoderSpec, **changes: Any) -> EncoderSpec | None:
    """``spec`` with some fields changed; None where there is no such spec."""
    fields = _sizes(spec) | changes
    hidden = fields["num_attention_heads"] * fields.pop("head_size")
    try:
        return EncoderSpec(hidden_size=hidden, **fields)
    except ValueError:
        return None
