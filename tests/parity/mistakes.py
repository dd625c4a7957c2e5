"""Mistakes in the reference that leave every count unchanged: parity must notice each one.

A mistake turns a case into what a framework with that mistake would compute, with the
weights as that framework would use them; mistakes in the order of operations are layers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from einops import rearrange

from paramproof.formulas import Numerics
from tests.parity.cases import Case
from tests.reference import encoder
from tests.reference.steps import Steps

Array = Any

PROJECTIONS = ("query", "key", "value")
POSITIONS = "embeddings.position_embeddings.weight"
TYPES = "embeddings.token_type_embeddings.weight"


def rewrite_weights(case: Case, rewrite: Callable[[str, Array], Array]) -> Case:
    weights = {path: rewrite(path, array) for path, array in case.weights.items()}
    return replace(case, own=weights)


def approximate_gelu(case: Case) -> Case:
    eps = case.numerics.layer_norm_eps
    return replace(case, numerics=Numerics(layer_norm_eps=eps, hidden_act="gelu_new"))


def another_epsilon(case: Case) -> Case:
    return replace(case, numerics=replace(case.numerics, layer_norm_eps=1e-3))


def attention_scale_left_out(case: Case) -> Case:
    root = np.sqrt(case.spec.head_size).astype(case.dtype)
    return rewrite_weights(case, lambda path, x: x * root if ".attention.query." in path else x)


def positions_off_by_one(case: Case) -> Case:
    return rewrite_weights(case, lambda path, x: np.roll(x, 1, axis=0) if path == POSITIONS else x)


def types_ignored(case: Case) -> Case:
    return rewrite_weights(
        case, lambda path, x: np.tile(x[:1], (len(x), 1)) if path == TYPES else x
    )


def square_kernel_transposed(case: Case) -> Case:
    return rewrite_weights(
        case, lambda path, x: x.T if path.endswith("attention.output.kernel") else x
    )


def heads_interleaved(case: Case) -> Case:
    def rewrite(path: str, x: Array) -> Array:
        if path.split(".")[-2] not in PROJECTIONS:
            return x
        return rearrange(x, "... (a k) -> ... (k a)", a=case.spec.num_attention_heads)

    return rewrite_weights(case, rewrite)


def query_and_key_swapped(case: Case) -> Case:
    other = {"query": "key", "key": "query"}

    def rewrite(path: str, _: Array) -> Array:
        return case.weights[".".join(other.get(part, part) for part in path.split("."))]

    return rewrite_weights(case, rewrite)


MISTAKES = (
    another_epsilon,
    approximate_gelu,
    attention_scale_left_out,
    positions_off_by_one,
    types_ignored,
    square_kernel_transposed,
    heads_interleaved,
    query_and_key_swapped,
)


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


def key_bias_lost(case: Case) -> Case:
    """Drop a bias that moves all scores of a query alike, which the softmax ignores."""
    return rewrite_weights(
        case, lambda path, x: 0 * x if path.endswith("attention.key.bias") else x
    )


def value_bias_folded(case: Case) -> Case:
    """Fold b_V·W_O into b_O: shares sum to 1, so b_V passes through them."""

    def rewrite(path: str, x: Array) -> Array:
        layer = path.removesuffix(".attention.output.bias")
        if layer != path:
            bias = case.weights[f"{layer}.attention.value.bias"]
            return x + bias @ case.weights[f"{layer}.attention.output.kernel"]
        return 0 * x if path.endswith("attention.value.bias") else x

    return rewrite_weights(case, rewrite)


def type_folded_into_positions(case: Case) -> Case:
    """Add one type to every position instead: every token has a type, so a common row can move."""
    common = case.weights[TYPES][0]

    def rewrite(path: str, x: Array) -> Array:
        return x + common if path == POSITIONS else x - common if path == TYPES else x

    return rewrite_weights(case, rewrite)


UNSEEN = {
    key_bias_lost: "attention.key.bias",
    value_bias_folded: "attention.value.bias",
    type_folded_into_positions: "token_type_embeddings.weight",
}
"""Mistakes that no output shows, and the tensors that each one leaves unused."""
