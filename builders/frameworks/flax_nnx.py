"""Flax nnx: ``nnx.MultiHeadAttention``, and all layers in one module with a leading axis.

The layers are made by ``nnx.vmap`` over split random keys and run by ``nnx.scan``, so that
each of their weights is one array, (L, …). Made under ``nnx.eval_shape``: shapes, no arrays.
Only an ``nnx.Param`` is a parameter; random keys and their counters are variables too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from builders.protocol import Array, DType, Outputs, require_allocated, require_arrays
from formulas.spec import EncoderSpec, Numerics
from formulas.weight import Weight

FRAMEWORKS = {"flax-nnx": {"extra": "flax", "distributions": ("flax", "jax", "jaxlib")}}

Activation = Callable[[jax.Array], jax.Array]
ACTIVATIONS: dict[str, Activation] = {
    "gelu": partial(nnx.gelu, approximate=False),
    "gelu_new": partial(nnx.gelu, approximate=True),
    "relu": nnx.relu,
}

# Native name: the canonical tensor, and how it is stored.
Canonical = tuple[str, tuple[str, ...]]
PLAIN: tuple[str, ...] = ()

OUTSIDE_LAYERS: dict[str, Canonical] = {
    "word_embeddings.embedding": ("embeddings.word_embeddings.weight", PLAIN),
    "position_embeddings.embedding": ("embeddings.position_embeddings.weight", PLAIN),
    "token_type_embeddings.embedding": ("embeddings.token_type_embeddings.weight", PLAIN),
    "embeddings_norm.scale": ("embeddings.layer_norm.scale", PLAIN),
    "embeddings_norm.bias": ("embeddings.layer_norm.bias", PLAIN),
    "pooler.kernel": ("pooler.kernel", PLAIN),
    "pooler.bias": ("pooler.bias", PLAIN),
    "mlm_head.dense.kernel": ("mlm_head.dense.kernel", PLAIN),
    "mlm_head.dense.bias": ("mlm_head.dense.bias", PLAIN),
    "mlm_head.norm.scale": ("mlm_head.layer_norm.scale", PLAIN),
    "mlm_head.norm.bias": ("mlm_head.layer_norm.bias", PLAIN),
    "mlm_head.decoder.kernel": ("mlm_head.decoder.weight", ("transposed",)),
    "mlm_head.decoder.bias": ("mlm_head.decoder.bias", PLAIN),
    "mlm_head.bias": ("mlm_head.decoder.bias", PLAIN),
    "nsp.kernel": ("nsp_head.classifier.kernel", PLAIN),
    "nsp.bias": ("nsp_head.classifier.bias", PLAIN),
}

STACKED = ("stacked",)
IN_LAYERS: dict[str, Canonical] = {
    "attention.query.kernel": ("attention.query.kernel", ("stacked", "heads_out")),
    "attention.query.bias": ("attention.query.bias", ("stacked", "heads")),
    "attention.key.kernel": ("attention.key.kernel", ("stacked", "heads_out")),
    "attention.key.bias": ("attention.key.bias", ("stacked", "heads")),
    "attention.value.kernel": ("attention.value.kernel", ("stacked", "heads_out")),
    "attention.value.bias": ("attention.value.bias", ("stacked", "heads")),
    "attention.out.kernel": ("attention.output.kernel", ("stacked", "heads_in")),
    "attention.out.bias": ("attention.output.bias", STACKED),
    "attention_norm.scale": ("attention_layer_norm.scale", STACKED),
    "attention_norm.bias": ("attention_layer_norm.bias", STACKED),
    "intermediate.kernel": ("feed_forward.intermediate.kernel", STACKED),
    "intermediate.bias": ("feed_forward.intermediate.bias", STACKED),
    "output.kernel": ("feed_forward.output.kernel", STACKED),
    "output.bias": ("feed_forward.output.bias", STACKED),
    "feed_forward_norm.scale": ("feed_forward_layer_norm.scale", STACKED),
    "feed_forward_norm.bias": ("feed_forward_layer_norm.bias", STACKED),
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
) -> NnxModel:
    """The encoder's shapes, or its arrays where it is to be allocated."""
    _clear_caches_now_and_then()

    def encoder() -> Encoder:
        return Encoder(spec, numerics or Numerics(), jnp.dtype(dtype), nnx.Rngs(0))

    with jax.enable_x64(dtype == "float64"):
        return NnxModel(encoder() if allocate else nnx.eval_shape(encoder))


class Encoder(nnx.Module):
    """BERT, post-norm, from nnx's own layers."""

    def __init__(self, spec: EncoderSpec, numerics: Numerics, dtype: Any, rngs: nnx.Rngs) -> None:
        hidden, layers = spec.hidden_size, spec.num_hidden_layers
        kinds = {"dtype": dtype, "param_dtype": dtype}
        dense = partial(nnx.Linear, **kinds)
        norm = partial(nnx.LayerNorm, hidden, epsilon=numerics.layer_norm_eps, **kinds)
        table = partial(nnx.Embed, features=hidden, rngs=rngs, **kinds)
        activation = ACTIVATIONS[numerics.hidden_act]

        @nnx.split_rngs(splits=layers)
        @nnx.vmap(axis_size=layers)
        def stack(rngs: nnx.Rngs) -> Layer:
            return Layer(spec, activation, dense, norm, rngs)

        self.word_embeddings = table(spec.vocab_size)
        self.position_embeddings = table(spec.max_position_embeddings)
        self.token_type_embeddings = table(spec.type_vocab_size)
        self.embeddings_norm = norm(rngs=rngs)
        self.layers = stack(rngs)
        self.pooler = dense(hidden, hidden, rngs=rngs) if spec.pooler else None
        self.mlm_head = MlmHead(spec, activation, dense, norm, rngs) if spec.mlm_head else None
        self.nsp = dense(hidden, 2, rngs=rngs) if spec.nsp_head else None

    def __call__(
        self, ids: jax.Array, types: jax.Array, mask: jax.Array
    ) -> dict[str, jax.Array | None]:
        @nnx.scan(in_axes=(nnx.Carry, 0, None), out_axes=nnx.Carry)
        def through(x: jax.Array, layer: Layer, mask: jax.Array) -> jax.Array:
            return layer(x, mask)

        x = self.word_embeddings(ids) + self.position_embeddings(jnp.arange(ids.shape[1]))
        x = self.embeddings_norm(x + self.token_type_embeddings(types))
        x = through(x, self.layers, mask)
        pooled = mlm = nsp = None
        if self.pooler is not None:
            pooled = nnx.tanh(self.pooler(x[:, 0]))
        if self.mlm_head is not None:
            mlm = nnx.softmax(self.mlm_head(x, self.word_embeddings))
        if self.nsp is not None:
            nsp = nnx.softmax(self.nsp(pooled))
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class Layer(nnx.Module):
    """Self-attention and feed-forward network, each added to its input and normalised."""

    def __init__(
        self,
        spec: EncoderSpec,
        activation: Activation,
        dense: partial[nnx.Linear],
        norm: Callable[..., nnx.LayerNorm],
        rngs: nnx.Rngs,
    ) -> None:
        hidden, inner = spec.hidden_size, spec.intermediate_size
        self.activation = activation
        self.attention = nnx.MultiHeadAttention(
            spec.num_attention_heads, hidden, decode=False, rngs=rngs, **dense.keywords
        )
        self.attention_norm = norm(rngs=rngs)
        self.intermediate = dense(hidden, inner, rngs=rngs)
        self.output = dense(inner, hidden, rngs=rngs)
        self.feed_forward_norm = norm(rngs=rngs)

    def __call__(self, x: jax.Array, mask: jax.Array) -> jax.Array:
        x = self.attention_norm(x + self.attention(x, mask=mask[:, None, None, :]))
        return self.feed_forward_norm(x + self.output(self.activation(self.intermediate(x))))


class MlmHead(nnx.Module):
    """Scores for every token; tied, it multiplies by the token table itself (``attend``)."""

    def __init__(
        self,
        spec: EncoderSpec,
        activation: Activation,
        dense: partial[nnx.Linear],
        norm: Callable[..., nnx.LayerNorm],
        rngs: nnx.Rngs,
    ) -> None:
        hidden, vocab_size = spec.hidden_size, spec.vocab_size
        self.activation = activation
        self.dense = dense(hidden, hidden, rngs=rngs)
        self.norm = norm(rngs=rngs)
        self.tied = spec.tie_word_embeddings
        if self.tied:
            self.bias = nnx.Param(jnp.zeros((vocab_size,), dense.keywords["param_dtype"]))
        else:
            self.decoder = dense(hidden, vocab_size, rngs=rngs)

    def __call__(self, x: jax.Array, words: nnx.Embed) -> jax.Array:
        x = self.norm(self.activation(self.dense(x)))
        return words.attend(x) + self.bias if self.tied else self.decoder(x)


class NnxModel:
    """Any nnx module whose parameters bear the names of ``Encoder``, as arrays or as shapes."""

    def __init__(self, module: nnx.Module) -> None:
        self.module = module

    def weights(self) -> list[Weight]:
        """Every ``nnx.Param`` once, by identity. All are trainable."""
        return [
            _weight(path, tuple(variable.get_value().shape))
            for path, variable in self._parameters().items()
        ]

    @property
    def dtype(self) -> DType:
        """That of the token table."""
        return self._parameters()["word_embeddings.embedding"].get_value().dtype.name

    def read(self) -> dict[str, Array]:
        """Every ``nnx.Param``. Their arrays are immutable: none is copied."""
        with self._precision():
            return {k: np.asarray(v.get_value()) for k, v in self._parameters().items()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Set every ``nnx.Param``, whether it has a value or a shape, to another array."""
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with jax.enable_x64(self.dtype == "float64"):
            for path, variable in self._parameters().items():
                variable.set_value(jnp.array(arrays[path]))

    def run(self, ids: Array, types: Array, mask: Array) -> Outputs:
        """A forward pass. nnx takes the attention's softmax in float32, in float64 too."""
        with self._precision():
            outputs = self.module(*map(jnp.asarray, (ids, types, mask)))
        return Outputs(**{k: None if v is None else np.asarray(v) for k, v in outputs.items()})

    def gradients(
        self, ids: Array, types: Array, mask: Array, cotangents: Outputs
    ) -> dict[str, Array]:
        """The gradient of the sum of outputs times ``cotangents``."""
        wanted = {k: v for k, v in cotangents._asdict().items() if v is not None}

        def loss(module: Any) -> jax.Array:
            outputs = module(*map(jnp.asarray, (ids, types, mask)))
            return sum(jnp.sum(outputs[name] * by) for name, by in wanted.items())

        with self._precision():
            # Not under jit: single operations are compiled once for all models of their sizes.
            gradients = nnx.grad(loss)(self.module)
        leaves = nnx.to_flat_state(gradients)
        return {".".join(map(str, k)): np.asarray(v.get_value()) for k, v in leaves}

    def _precision(self) -> AbstractContextManager[None]:
        """JAX makes float32 of every float64 it is not told to keep."""
        parameters = self._parameters().values()
        require_allocated(all(isinstance(v.get_value(), jax.Array) for v in parameters))
        return jax.enable_x64(self.dtype == "float64")

    def _parameters(self) -> dict[str, nnx.Param[Any]]:
        """By path. They are the module's own."""
        graph = nnx.iter_graph(self.module)
        parameters = ((path, node) for path, node in graph if isinstance(node, nnx.Param))
        return {".".join(map(str, path)): parameter for path, parameter in parameters}


def _weight(path: str, shape: tuple[int, ...]) -> Weight:
    if not path.startswith("layers."):
        part, layout = OUTSIDE_LAYERS.get(path, ("", PLAIN))
        return Weight(path, shape, True, (part,) if part else (), layout)
    part, layout = IN_LAYERS.get(path.removeprefix("layers."), ("", PLAIN))
    return Weight(path, shape, True, (f"layers.*.{part}",) if part else (), layout)


def _clear_caches_now_and_then() -> None:
    global _builds
    _builds += 1
    if _builds % BUILDS_BETWEEN_CLEARING == 0:
        jax.clear_caches()
