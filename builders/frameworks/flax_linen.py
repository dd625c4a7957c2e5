"""Flax linen: ``nn.MultiHeadDotProductAttention``, which splits the heads in its kernels.

A plain loop over the layers, initialised under ``jax.eval_shape``: shapes, no arrays. Only
the ``params`` collection holds parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn
from flax.traverse_util import flatten_dict, unflatten_dict

from builders.protocol import Array, DType, Outputs, require_allocated, require_arrays
from formulas.spec import EncoderSpec, Numerics
from formulas.weight import Weight

FRAMEWORKS = {"flax-linen": {"extra": "flax", "distributions": ("flax", "jax", "jaxlib")}}

ACTIVATIONS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "gelu": partial(nn.gelu, approximate=False),
    "gelu_new": partial(nn.gelu, approximate=True),
    "relu": nn.relu,
}

# Native name: the canonical tensor, and how it is stored.
Canonical = tuple[str, tuple[str, ...]]
PLAIN: tuple[str, ...] = ()

OUTSIDE_LAYERS: dict[str, Canonical] = {
    "word_embeddings/embedding": ("embeddings.word_embeddings.weight", PLAIN),
    "position_embeddings/embedding": ("embeddings.position_embeddings.weight", PLAIN),
    "token_type_embeddings/embedding": ("embeddings.token_type_embeddings.weight", PLAIN),
    "embeddings_norm/scale": ("embeddings.layer_norm.scale", PLAIN),
    "embeddings_norm/bias": ("embeddings.layer_norm.bias", PLAIN),
    "pooler/kernel": ("pooler.kernel", PLAIN),
    "pooler/bias": ("pooler.bias", PLAIN),
    "mlm_head/dense/kernel": ("mlm_head.dense.kernel", PLAIN),
    "mlm_head/dense/bias": ("mlm_head.dense.bias", PLAIN),
    "mlm_head/norm/scale": ("mlm_head.layer_norm.scale", PLAIN),
    "mlm_head/norm/bias": ("mlm_head.layer_norm.bias", PLAIN),
    "mlm_head/decoder/kernel": ("mlm_head.decoder.weight", ("transposed",)),
    "mlm_head/decoder/bias": ("mlm_head.decoder.bias", PLAIN),
    "mlm_head/bias": ("mlm_head.decoder.bias", PLAIN),
    "nsp/kernel": ("nsp_head.classifier.kernel", PLAIN),
    "nsp/bias": ("nsp_head.classifier.bias", PLAIN),
}

IN_LAYER: dict[str, Canonical] = {
    "attention/query/kernel": ("attention.query.kernel", ("heads_out",)),
    "attention/query/bias": ("attention.query.bias", ("heads",)),
    "attention/key/kernel": ("attention.key.kernel", ("heads_out",)),
    "attention/key/bias": ("attention.key.bias", ("heads",)),
    "attention/value/kernel": ("attention.value.kernel", ("heads_out",)),
    "attention/value/bias": ("attention.value.bias", ("heads",)),
    "attention/out/kernel": ("attention.output.kernel", ("heads_in",)),
    "attention/out/bias": ("attention.output.bias", PLAIN),
    "attention_norm/scale": ("attention_layer_norm.scale", PLAIN),
    "attention_norm/bias": ("attention_layer_norm.bias", PLAIN),
    "intermediate/kernel": ("feed_forward.intermediate.kernel", PLAIN),
    "intermediate/bias": ("feed_forward.intermediate.bias", PLAIN),
    "output/kernel": ("feed_forward.output.kernel", PLAIN),
    "output/bias": ("feed_forward.output.bias", PLAIN),
    "feed_forward_norm/scale": ("feed_forward_layer_norm.scale", PLAIN),
    "feed_forward_norm/bias": ("feed_forward_layer_norm.bias", PLAIN),
}

# jax keeps every trace; clearing at each build would double the time of small ones.
BUILDS_BETWEEN_CLEARING = 32
_builds = 0


def supports(spec: EncoderSpec) -> Literal[True]:
    """Every encoder can be expressed."""
    return True


def build(
    spec: EncoderSpec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> LinenModel:
    """The encoder's shapes, or its arrays where it is to be allocated."""
    _clear_caches_now_and_then()
    encoder = Encoder(spec, numerics or Numerics(), jnp.dtype(dtype))
    with jax.enable_x64(dtype == "float64"):
        tokens = jax.ShapeDtypeStruct((1, 1), jnp.int32)
        mask = jax.ShapeDtypeStruct((1, 1), jnp.bool_)
        if allocate:
            # Of the forward pass, only what the parameters need is computed.
            variables = encoder.lazy_init(jax.random.key(0), tokens, tokens, mask)
        else:
            key = jax.eval_shape(lambda: jax.random.key(0))
            variables = jax.eval_shape(encoder.init, key, tokens, tokens, mask)
    return LinenModel(encoder, variables)


class Encoder(nn.Module):
    """BERT, post-norm, from linen's own layers."""

    spec: EncoderSpec
    numerics: Numerics
    dtype: Any

    @nn.compact
    def __call__(
        self, ids: jax.Array, types: jax.Array, mask: jax.Array
    ) -> dict[str, jax.Array | None]:
        spec, hidden = self.spec, self.spec.hidden_size
        activation = ACTIVATIONS[self.numerics.hidden_act]
        kinds = {"dtype": self.dtype, "param_dtype": self.dtype}
        dense = partial(nn.Dense, **kinds)
        norm = partial(nn.LayerNorm, epsilon=self.numerics.layer_norm_eps, **kinds)
        table = partial(nn.Embed, features=hidden, **kinds)

        words = table(spec.vocab_size, name="word_embeddings")
        positions = table(spec.max_position_embeddings, name="position_embeddings")
        x = words(ids) + positions(jnp.arange(ids.shape[1]))
        x = x + table(spec.type_vocab_size, name="token_type_embeddings")(types)
        x = norm(name="embeddings_norm")(x)
        for index in range(spec.num_hidden_layers):
            x = Layer(spec, activation, dense, norm, name=f"layers_{index}")(x, mask)
        pooled = mlm = nsp = None
        if spec.pooler:
            pooled = nn.tanh(dense(hidden, name="pooler")(x[:, 0]))
        if spec.mlm_head:
            logits = MlmHead(spec, activation, dense, norm, name="mlm_head")(x, words)
            mlm = nn.softmax(logits)
        if spec.nsp_head:
            nsp = nn.softmax(dense(2, name="nsp")(pooled))
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class Layer(nn.Module):
    """Self-attention and feed-forward network, each added to its input and normalised."""

    spec: EncoderSpec
    activation: Callable[[jax.Array], jax.Array]
    dense: Callable[..., nn.Dense]
    norm: Callable[..., nn.LayerNorm]

    @nn.compact
    def __call__(self, x: jax.Array, mask: jax.Array) -> jax.Array:
        attended = nn.MultiHeadDotProductAttention(
            num_heads=self.spec.num_attention_heads,
            name="attention",
            **self.dense.keywords,
        )(x, mask=mask[:, None, None, :])
        x = self.norm(name="attention_norm")(x + attended)
        inner = self.activation(self.dense(self.spec.intermediate_size, name="intermediate")(x))
        return self.norm(name="feed_forward_norm")(
            x + self.dense(self.spec.hidden_size, name="output")(inner)
        )


class MlmHead(nn.Module):
    """Scores for every token; tied, it multiplies by the token table itself (``attend``)."""

    spec: EncoderSpec
    activation: Callable[[jax.Array], jax.Array]
    dense: Callable[..., nn.Dense]
    norm: Callable[..., nn.LayerNorm]

    @nn.compact
    def __call__(self, x: jax.Array, words: nn.Embed) -> jax.Array:
        x = self.activation(self.dense(self.spec.hidden_size, name="dense")(x))
        x = self.norm(name="norm")(x)
        vocab_size = self.spec.vocab_size
        if not self.spec.tie_word_embeddings:
            return self.dense(vocab_size, name="decoder")(x)
        return words.attend(x) + self.param(
            "bias", nn.initializers.zeros, (vocab_size,), words.param_dtype
        )


class LinenModel:
    """A linen module with its variables, as arrays or as shapes."""

    def __init__(self, encoder: nn.Module, variables: Mapping[str, Any]) -> None:
        self.encoder = encoder
        self.variables = variables

    def weights(self) -> list[Weight]:
        """Every leaf of the ``params`` collection. All are trainable, none is shared."""
        return [_weight(path, tuple(leaf.shape)) for path, leaf in self._leaves().items()]

    @property
    def dtype(self) -> DType:
        """That of the token table."""
        return self.variables["params"]["word_embeddings"]["embedding"].dtype.name

    def read(self) -> dict[str, Array]:
        """Every leaf of the ``params`` collection. They are immutable: none is copied."""
        with self._precision():
            return {path: np.asarray(leaf) for path, leaf in self._leaves().items()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Another ``params`` collection, of ``arrays``, in place of values or of shapes."""
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with jax.enable_x64(self.dtype == "float64"):
            leaves = {path: jnp.array(arrays[path]) for path in self._leaves()}
        self.variables = {**self.variables, "params": unflatten_dict(leaves, sep="/")}

    def run(self, ids: Array, types: Array, mask: Array) -> Outputs:
        """A forward pass."""
        with self._precision():
            outputs: Any = self.encoder.apply(self.variables, *map(jnp.asarray, (ids, types, mask)))
        return Outputs(**{k: None if v is None else np.asarray(v) for k, v in outputs.items()})

    def gradients(
        self, ids: Array, types: Array, mask: Array, cotangents: Outputs
    ) -> dict[str, Array]:
        """The gradient of the sum of outputs times ``cotangents``."""
        wanted = {k: v for k, v in cotangents._asdict().items() if v is not None}

        def loss(params: Any) -> jax.Array:
            arrays = map(jnp.asarray, (ids, types, mask))
            outputs: Any = self.encoder.apply({"params": params}, *arrays)
            return sum(jnp.sum(outputs[name] * by) for name, by in wanted.items())

        with self._precision():
            # Not under jit: single operations are compiled once for all models of their sizes.
            gradients = jax.grad(loss)(self.variables["params"])
        return {k: np.asarray(v) for k, v in flatten_dict(gradients, sep="/").items()}

    def _precision(self) -> AbstractContextManager[None]:
        """JAX makes float32 of every float64 it is not told to keep."""
        require_allocated(all(isinstance(leaf, jax.Array) for leaf in self._leaves().values()))
        return jax.enable_x64(self.dtype == "float64")

    def _leaves(self) -> dict[str, Any]:
        return flatten_dict(self.variables["params"], sep="/")


def _weight(path: str, shape: tuple[int, ...]) -> Weight:
    if not path.startswith("layers_"):
        part, layout = OUTSIDE_LAYERS.get(path, ("", PLAIN))
        return Weight(path, shape, True, (part,) if part else (), layout)
    layer, name = path.split("/", 1)
    part, layout = IN_LAYER.get(name, ("", PLAIN))
    index = layer.removeprefix("layers_")
    return Weight(path, shape, True, (f"layers.{index}.{part}",) if part else (), layout)


def _clear_caches_now_and_then() -> None:
    global _builds
    _builds += 1
    if _builds % BUILDS_BETWEEN_CLEARING == 0:
        jax.clear_caches()
