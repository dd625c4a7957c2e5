"""Mistakes in the reference that leave every count unchanged: parity must notice each one.

A mistake turns a case into what a framework with that mistake would compute, with the
weights as that framework would use them; mistakes in the order of operations are layers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from einops import rearrange

from tests.parity.cases import Case
from tests.reference import encoder
from tests.reference.steps import Steps

Array = Any

PROJECTIONS = ("query", "key", "value")
POSITIONS = "embeddings.position_embeddings.weight"
TYPES = "embeddings.token_type_embeddings.weight"


def rewritten(change: Callable[[Case, str, Array], Array], case: Case) -> Case:
    """Return ``case`` with each weight changed, by path."""
    weights = {path: change(case, path, array) for path, array in case.weights.items()}
    return replace(case, own=weights)


def unscaled(case: Case, path: str, x: Array) -> Array:
    root = np.sqrt(case.spec.head_size).astype(case.dtype)
    return x * root if ".attention.query." in path else x


def interleaved(case: Case, path: str, x: Array) -> Array:
    if path.split(".")[-2] not in PROJECTIONS:
        return x
    return rearrange(x, "... (a k) -> ... (k a)", a=case.spec.num_attention_heads)


def swapped(case: Case, path: str, x: Array) -> Array:
    other = {"query": "key", "key": "query"}
    return case.weights[".".join(other.get(part, part) for part in path.split("."))]


MISTAKES: dict[str, Callable[[Case], Case]] = {
    "another epsilon": lambda case: numerics(case, layer_norm_eps=1e-3),
    "approximate gelu": lambda case: numerics(case, hidden_act="gelu_new"),
    "attention scale left out": partial(rewritten, unscaled),
    "positions off by one": partial(
        rewritten, lambda case, path, x: np.roll(x, 1, axis=0) if path == POSITIONS else x
    ),
    "types ignored": partial(
        rewritten, lambda case, path, x: np.tile(x[:1], (len(x), 1)) if path == TYPES else x
    ),
    "square kernel transposed": partial(
        rewritten, lambda case, path, x: x.T if path.endswith("attention.output.kernel") else x
    ),
    "heads interleaved": partial(rewritten, interleaved),
    "query and key swapped": partial(rewritten, swapped),
}


def numerics(case: Case, **changed: Any) -> Case:
    return replace(case, numerics=replace(case.numerics, **changed))


right_layer = encoder.layer


def mask_inverted(steps: Steps, path: str, x: Array, mask: Array, heads: int) -> Array:
    return right_layer(steps, path, x, ~mask, heads)


def norms_before(steps: Steps, path: str, x: Array, mask: Array, heads: int) -> Array:
    """x + Sublayer(LayerNorm(x))."""
    normed = steps.layer_norm(f"{path}.attention_layer_norm", x)
    x = x + steps.attention(f"{path}.attention", normed, mask, heads)
    normed = steps.layer_norm(f"{path}.feed_forward_layer_norm", x)
    inner = steps.activation(steps.linear(f"{path}.feed_forward.intermediate", normed))
    return x + steps.linear(f"{path}.feed_forward.output", inner)


def value_bias_folded(case: Case, path: str, x: Array) -> Array:
    """Fold b_V·W_O into b_O: shares sum to 1, so b_V passes through them."""
    layer = path.removesuffix(".attention.output.bias")
    if layer != path:
        bias = case.weights[f"{layer}.attention.value.bias"]
        return x + bias @ case.weights[f"{layer}.attention.output.kernel"]
    return 0 * x if path.endswith("attention.value.bias") else x


def type_folded_into_positions(case: Case, path: str, x: Array) -> Array:
    """Add one type to every position instead: every token has a type, so a common row can move."""
    common = case.weights[TYPES][0]
    return x + common if path == POSITIONS else x - common if path == TYPES else x


UNSEEN: dict[str, Callable[[Case], Case]] = {
    # It moves all scores of a query alike, which the softmax ignores.
    "attention.key.bias": partial(
        rewritten, lambda case, path, x: 0 * x if path.endswith("attention.key.bias") else x
    ),
    "attention.value.bias": partial(rewritten, value_bias_folded),
    "token_type_embeddings.weight": partial(rewritten, type_folded_into_positions),
}
"""Mistakes that no output shows, by the tensors that each one leaves unused."""
