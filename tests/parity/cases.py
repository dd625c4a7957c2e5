"""Inputs for both sides: a spec, its numerics, canonical weights, tokens, and where to look.

Encoders are drawn, and the families after BERT have a few specs that cover every option.

Weights are large enough for errors to show, with a standard deviation of 0.25 to 1; at 0.02, as
in BERT's initialisation, an encoder is nearly linear. Cases vary in whatever selects operations:
layers, heads, outputs, numerics, tokens. Sizes vary little, so that shapes recur and a framework
that compiles each operation once per shape is done; the tests of counts vary sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.formulas import (
    EncoderDecoderSpec,
    EncoderSpec,
    GPTSpec,
    LlamaSpec,
    Numerics,
    Spec,
    inventory,
)
from tests.specs import SMALL_ENCODER
from tests.strategies import random_spec, supported_specs

Array = Any

POOLS = {
    "num_hidden_layers": (0, 1, 2),
    "intermediate_size": (5,),
    # Token 0 is padding, so there must be another one.
    "vocab_size": (11,),
    "max_position_embeddings": (4, 7),
    "type_vocab_size": (1, 3),
}
HIDDEN_SIZE = 6
HEADS = (1, 2, 3, 6)

DTYPES = ("float32", "float64")
EPSILONS = (1e-12, 1e-6, 1e-5, 1e-3)
ACTIVATIONS = ("gelu", "gelu_new", "relu")
SCALES = (0.25, 0.5, 1.0)
SEQUENCES = 2
TOKENS = 4
MANY_TOKENS = 300
"""Beyond the local attention of GPT-Neo, 256, and beyond one block of a fused kernel."""
PADDING = 0.3


ENCODERS: dict[str, Spec] = {
    "encoder": SMALL_ENCODER,
    "bare": replace(SMALL_ENCODER, pooler=False),
    "heads": replace(SMALL_ENCODER, mlm_head=True, nsp_head=True),
    "untied": replace(SMALL_ENCODER, mlm_head=True, nsp_head=True, tie_word_embeddings=False),
}

SIZES = {"vocab_size": 11, "hidden_size": 6, "intermediate_size": 5}
GPT = SIZES | {"num_hidden_layers": 2, "num_attention_heads": 3, "max_position_embeddings": 7}
LLAMA = SIZES | {"num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 4}
TRANSFORMER = SIZES | {"num_encoder_layers": 2, "num_decoder_layers": 1}
TRANSFORMER |= {"num_attention_heads": 3, "max_position_embeddings": 7}
GROUPED = "llama, grouped queries"
"""The LLaMA for all frameworks: in Hugging Face's configuration heads must divide the width."""

SPECS: dict[str, Spec] = {
    "gpt": GPTSpec(**GPT),
    "gpt, untied": GPTSpec(**GPT, tie_word_embeddings=False),
    "llama": LlamaSpec(**LLAMA),
    "llama, tied": LlamaSpec(**LLAMA, num_key_value_heads=1, tie_word_embeddings=True),
    GROUPED: LlamaSpec(**LLAMA | {"hidden_size": 8}, num_key_value_heads=2),
    "transformer": EncoderDecoderSpec(**TRANSFORMER),
    "transformer, two vocabularies": EncoderDecoderSpec(
        **TRANSFORMER, target_vocab_size=9, share_embeddings=False, attention_bias=False
    ),
    "transformer, three tables": EncoderDecoderSpec(
        **TRANSFORMER, share_embeddings=False, tie_word_embeddings=False, learned_positions=True
    ),
}


@dataclass(frozen=True)
class Case:
    """One comparison. Everything random in it comes from ``seed``, except weights that are given.

    A sequence has ``tokens`` tokens, or as many as there are positions.

    ``weights`` are in the framework's dtype, so that the reference, in float64, gets exactly the
    same values. Position 0 is never padding, since the pooler reads it.
    """

    spec: Any
    numerics: Numerics
    dtype: str
    scale: float = 0.5
    seed: int = 0
    own: Mapping[str, Array] | None = None
    tokens: int = TOKENS

    @cached_property
    def weights(self) -> Mapping[str, Array]:
        if self.own is not None:
            return self.own
        return {k: v * np.dtype(self.dtype).type(self.scale) for k, v in self._normal(0).items()}

    @cached_property
    def direction(self) -> dict[str, Array]:
        return self._normal(1)

    @cached_property
    def inputs(self) -> tuple[Array, ...]:
        """Return ids, types and mask of an encoder; of a Transformer source ids, mask, target ids.

        Padding is token 0, as in keras-bert, and may be anywhere. Other models have only ids.
        """
        random, spec = np.random.default_rng([self.seed, 2]), self.spec
        length = min(self.tokens, getattr(spec, "max_position_embeddings", self.tokens))
        shape = SEQUENCES, length
        ids = random.integers(min(1, spec.vocab_size - 1), spec.vocab_size, shape, dtype="int32")
        if isinstance(spec, GPTSpec | LlamaSpec):
            return (ids,)
        ids[:, 1:] *= random.random((shape[0], shape[1] - 1)) > PADDING
        if isinstance(spec, EncoderSpec):
            types = random.integers(0, spec.type_vocab_size, shape, dtype="int32")
            return ids, types, ids != 0
        target = random.integers(0, spec.target_vocab_size, shape, dtype="int32")
        return ids, ids != 0, target

    @property
    def mask(self) -> Array:
        if isinstance(self.spec, EncoderSpec):
            return self.inputs[2]
        return np.ones(self.inputs[-1].shape, dtype=bool)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        spec, tokens = self.spec, self.mask.shape
        shapes = {"sequence": (*tokens, spec.hidden_size)}
        if not isinstance(spec, EncoderSpec):
            vocab_size = getattr(spec, "target_vocab_size", spec.vocab_size)
            return shapes | {"lm": (*tokens, vocab_size)}
        shapes |= {"pooled": (tokens[0], spec.hidden_size)} if spec.pooler else {}
        shapes |= {"mlm": (*tokens, spec.vocab_size)} if spec.mlm_head else {}
        return shapes | ({"nsp": (tokens[0], 2)} if spec.nsp_head else {})

    @cached_property
    def cotangents(self) -> dict[str, Array]:
        random, mask = np.random.default_rng([self.seed, 3]), self.mask[..., None]
        drawn = {k: random.standard_normal(shape, self.dtype) for k, shape in self.shapes.items()}
        return {k: v * mask if v.ndim == 3 else v for k, v in drawn.items()}

    def _normal(self, stream: int) -> dict[str, Array]:
        random = np.random.default_rng([self.seed, stream])
        tensors = inventory(self.spec.letters()).expand()
        own = (t for t in tensors if t.trainable and t.tied_to is None)
        return {t.path: random.standard_normal(t.shape, self.dtype) for t in own}


@st.composite
def cases(draw: st.DrawFn, framework: Framework, builder: Builder) -> Case:

    def choose(name: str, pool: Sequence[Any]) -> Any:
        return draw(st.sampled_from(pool), label=name)

    dtype = choose("dtype", DTYPES)
    spec = draw(supported_specs(builder, **_sizes(choose) | dict(framework.fixed)), label="spec")
    return Case(spec, _numerics(choose, builder), dtype, choose("scale", SCALES), _seed(choose))


def seeded_cases(
    framework: Framework, builder: Builder, dtype: str, number: int, seed: int = 0
) -> Iterator[Case]:
    """Return ``number`` cases with every head that ``builder`` supports; a seed determines them."""
    random = Random(seed)

    def choose(_: str, pool: Sequence[Any]) -> Any:
        return random.choice(pool)

    while number:
        sizes = _sizes(choose) | dict(framework.fixed)
        spec = random_spec(random, pooler=True, mlm_head=True, nsp_head=True, **sizes)
        if builder.supports(spec) is True:
            scale = choose("scale", SCALES)
            yield Case(spec, _numerics(choose, builder), dtype, scale, _seed(choose))
            number -= 1


def own_epsilon(builder: Builder) -> float | None:
    return getattr(builder, "LAYER_NORM_EPS", None)


def fixed_case(builder: Builder, name: str, dtype: str = "float64", **fields: Any) -> Case:
    """Return the case of a named model, with its family's numerics or the framework's own."""
    spec: Any = {**ENCODERS, **SPECS}[name]
    numerics = spec.original_numerics
    if eps := own_epsilon(builder):
        numerics = replace(numerics, layer_norm_eps=eps)
    return Case(spec, numerics, dtype, **fields)


Choose = Callable[[str, Sequence[Any]], Any]


def _sizes(choose: Choose) -> dict[str, int]:
    sizes = {name: choose(name, pool) for name, pool in POOLS.items()}
    heads = choose("num_attention_heads", HEADS)
    return sizes | {"num_attention_heads": heads, "head_size": HIDDEN_SIZE // heads}


def _numerics(choose: Choose, builder: Builder) -> Numerics:
    eps = own_epsilon(builder) or choose("layer_norm_eps", EPSILONS)
    return Numerics(layer_norm_eps=eps, hidden_act=choose("hidden_act", ACTIVATIONS))


def _seed(choose: Choose) -> int:
    return choose("seed", range(1000))
