"""Keras 3, on JAX, TensorFlow or PyTorch: ``MultiHeadAttention``, which splits the heads.

Which of the three is Keras's own choice, made once in a process from ``KERAS_BACKEND``. The
layers are built by ``build`` alone, within ``StatelessScope(initialize_variables=False)``,
where a variable has a shape and an initialiser that nobody runs, unless its value is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import import_module
from typing import Any, Literal, TypeAlias

import keras

from builders.protocol import (
    Array,
    DType,
    FrameworkUnavailable,
    Outputs,
    require_allocated,
    require_arrays,
)
from formulas.spec import EncoderSpec, Numerics
from formulas.weight import Weight

FRAMEWORKS = {
    "keras-jax": {
        "extra": "keras-jax",
        "distributions": ("keras", "jax"),
        "environment": {"KERAS_BACKEND": "jax"},
    },
    "keras-tensorflow": {
        "extra": "keras-tensorflow",
        "distributions": ("keras", "tensorflow"),
        "environment": {"KERAS_BACKEND": "tensorflow"},
    },
    "keras-torch": {
        "extra": "keras-torch",
        "distributions": ("keras", "torch"),
        "environment": {"KERAS_BACKEND": "torch"},
    },
}

BACKEND = keras.backend.backend()
if os.environ.get("KERAS_BACKEND", BACKEND) != BACKEND:
    # Keras was imported before the variable was set: one backend under another's name.
    raise FrameworkUnavailable(f"keras already runs on {BACKEND}: set KERAS_BACKEND before it does")

# JAX alone makes float32 of every float64 it is not told to keep. Whatever a layer's dtype,
# Keras computes its norms in float32 on jax and torch, tanh and the attention's softmax on
# jax, matmul on torch;
# on tensorflow the constants of gelu and of the attention's scale are rounded to float32.
# Weights and most other steps do keep their float64.
Precision: TypeAlias = Callable[[bool], AbstractContextManager[Any]]
enable_x64: Precision = import_module("jax").enable_x64 if BACKEND == "jax" else nullcontext

Make: TypeAlias = Callable[..., keras.Layer]
Activation: TypeAlias = Callable[[Any], Any]

ACTIVATIONS: dict[str, Activation] = {
    "gelu": keras.activations.gelu,
    "gelu_new": partial(keras.activations.gelu, approximate=True),
    "relu": keras.activations.relu,
}

# Native name: the canonical tensor, and how it is stored.
Canonical = tuple[str, tuple[str, ...]]
PLAIN: tuple[str, ...] = ()

OUTSIDE_LAYERS: dict[str, Canonical] = {
    "word_embeddings/embeddings": ("embeddings.word_embeddings.weight", PLAIN),
    "position_embeddings/embeddings": ("embeddings.position_embeddings.weight", PLAIN),
    "token_type_embeddings/embeddings": ("embeddings.token_type_embeddings.weight", PLAIN),
    "embeddings_norm/gamma": ("embeddings.layer_norm.scale", PLAIN),
    "embeddings_norm/beta": ("embeddings.layer_norm.bias", PLAIN),
    "pooler/kernel": ("pooler.kernel", PLAIN),
    "pooler/bias": ("pooler.bias", PLAIN),
    "mlm_head/dense/kernel": ("mlm_head.dense.kernel", PLAIN),
    "mlm_head/dense/bias": ("mlm_head.dense.bias", PLAIN),
    "mlm_head/norm/gamma": ("mlm_head.layer_norm.scale", PLAIN),
    "mlm_head/norm/beta": ("mlm_head.layer_norm.bias", PLAIN),
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
    "attention/attention_output/kernel": ("attention.output.kernel", ("heads_in",)),
    "attention/attention_output/bias": ("attention.output.bias", PLAIN),
    "attention_norm/gamma": ("attention_layer_norm.scale", PLAIN),
    "attention_norm/beta": ("attention_layer_norm.bias", PLAIN),
    "intermediate/kernel": ("feed_forward.intermediate.kernel", PLAIN),
    "intermediate/bias": ("feed_forward.intermediate.bias", PLAIN),
    "output/kernel": ("feed_forward.output.kernel", PLAIN),
    "output/bias": ("feed_forward.output.bias", PLAIN),
    "feed_forward_norm/gamma": ("feed_forward_layer_norm.scale", PLAIN),
    "feed_forward_norm/beta": ("feed_forward_layer_norm.bias", PLAIN),
}


def supports(spec: EncoderSpec) -> Literal[True]:
    """Every encoder can be expressed."""
    return True


def build(
    spec: EncoderSpec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> KerasModel:
    """The encoder's shapes, or its arrays where it is to be allocated."""
    what = spec, numerics or Numerics(), dtype
    if allocate:
        return KerasModel(_encoder(enable_x64(dtype == "float64"), *what), allocated=True)
    # Keras lists the variables without a value, and the next stateless scope to end, whoever
    # opened it, allocates them all. The list is a thread's and goes when that does;
    # clear_session would empty it too, and with it the caller's dtype policy.
    scope = keras.StatelessScope(initialize_variables=False)
    with ThreadPoolExecutor(max_workers=1) as passing:
        return KerasModel(passing.submit(_encoder, scope, *what).result(), allocated=False)


def _encoder(
    scope: AbstractContextManager[Any], spec: EncoderSpec, numerics: Numerics, dtype: DType
) -> Encoder:
    with scope:
        encoder = Encoder(spec, numerics, dtype)
        encoder.build()
    return encoder


class Encoder(keras.Model):
    """BERT, post-norm, from Keras's own layers."""

    def __init__(self, spec: EncoderSpec, numerics: Numerics, dtype: DType) -> None:
        super().__init__(dtype=dtype, name="encoder")
        hidden, eps = spec.hidden_size, numerics.layer_norm_eps
        activation = ACTIVATIONS[numerics.hidden_act]
        dense = partial(keras.layers.Dense, dtype=dtype)
        norm = partial(keras.layers.LayerNormalization, epsilon=eps, dtype=dtype)
        table = partial(keras.layers.Embedding, output_dim=hidden, dtype=dtype)
        self.hidden_size = hidden
        self.word_embeddings = table(spec.vocab_size, name="word_embeddings")
        self.position_embeddings = table(spec.max_position_embeddings, name="position_embeddings")
        self.token_type_embeddings = table(spec.type_vocab_size, name="token_type_embeddings")
        self.embeddings_norm = norm(name="embeddings_norm")
        # Not `layers`: every Keras model has a property of that name.
        self.blocks = [
            Layer(spec, activation, dense, norm, dtype=dtype, name=f"layers_{index}")
            for index in range(spec.num_hidden_layers)
        ]
        self.pooler = dense(hidden, activation="tanh", name="pooler") if spec.pooler else None
        self.mlm_head = None
        if spec.mlm_head:
            self.mlm_head = MlmHead(spec, activation, dense, norm, dtype=dtype, name="mlm_head")
        self.nsp = dense(2, activation="softmax", name="nsp") if spec.nsp_head else None

    def build(self, input_shape: object = None) -> None:
        tokens, hidden = (None, None), (None, None, self.hidden_size)
        for table in self.word_embeddings, self.position_embeddings, self.token_type_embeddings:
            table.build(tokens)
        for layer in self.embeddings_norm, *self.blocks, self.mlm_head:
            if layer is not None:
                layer.build(hidden)
        for layer in self.pooler, self.nsp:
            if layer is not None:
                layer.build((None, self.hidden_size))

    # Not `mask`: Keras fills an argument of that name with a mask of its own.
    def call(self, ids: Any, types: Any, attend: Any) -> dict[str, Any]:
        positions = keras.ops.arange(ids.shape[1])
        x = self.word_embeddings(ids) + self.position_embeddings(positions)
        x = self.embeddings_norm(x + self.token_type_embeddings(types))
        for block in self.blocks:
            x = block(x, attend)
        pooled = mlm = nsp = None
        if self.pooler is not None:
            pooled = self.pooler(x[:, 0])
        if self.mlm_head is not None:
            mlm = self.mlm_head(x, self.word_embeddings.embeddings)
        if self.nsp is not None:
            nsp = self.nsp(pooled)
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class Layer(keras.Layer):
    """Self-attention and feed-forward network, each added to its input and normalised."""

    def __init__(
        self, spec: EncoderSpec, activation: Activation, dense: Make, norm: Make, **common: Any
    ) -> None:
        super().__init__(**common)
        self.intermediate_size = spec.intermediate_size
        # key_dim is the width of one head, where others take that of all heads.
        self.attention = keras.layers.MultiHeadAttention(
            spec.num_attention_heads, spec.head_size, dtype=self.dtype_policy, name="attention"
        )
        self.attention_norm = norm(name="attention_norm")
        inner = spec.intermediate_size
        self.intermediate = dense(inner, activation=activation, name="intermediate")
        # Not `output`: every Keras layer has a property of that name.
        self.output_dense = dense(spec.hidden_size, name="output")
        self.feed_forward_norm = norm(name="feed_forward_norm")

    def build(self, shape: tuple[int | None, ...]) -> None:
        self.attention.build(shape, shape)
        self.attention_norm.build(shape)
        self.intermediate.build(shape)
        self.output_dense.build((*shape[:-1], self.intermediate_size))
        self.feed_forward_norm.build(shape)

    def call(self, x: Any, attend: Any) -> Any:
        attended = self.attention(x, x, attention_mask=attend[:, None, :])
        x = self.attention_norm(x + attended)
        return self.feed_forward_norm(x + self.output_dense(self.intermediate(x)))


class MlmHead(keras.Layer):
    """Probabilities of every token; tied, it multiplies by the token table itself."""

    def __init__(
        self, spec: EncoderSpec, activation: Activation, dense: Make, norm: Make, **common: Any
    ) -> None:
        super().__init__(**common)
        self.vocab_size = spec.vocab_size
        self.dense = dense(spec.hidden_size, activation=activation, name="dense")
        self.norm = norm(name="norm")
        self.decoder = None
        if not spec.tie_word_embeddings:
            self.decoder = dense(spec.vocab_size, name="decoder")

    def build(self, shape: tuple[int | None, ...]) -> None:
        self.dense.build(shape)
        self.norm.build(shape)
        if self.decoder is None:
            self.bias = self.add_weight((self.vocab_size,), initializer="zeros", name="bias")
        else:
            self.decoder.build(shape)

    def call(self, x: Any, words: Any) -> Any:
        x = self.norm(self.dense(x))
        if self.decoder is None:
            scores = keras.ops.matmul(x, keras.ops.transpose(words)) + self.bias
        else:
            scores = self.decoder(x)
        return keras.ops.softmax(scores)


class KerasModel:
    """Any built Keras model or layer whose variables bear the names of ``Encoder``."""

    def __init__(self, encoder: keras.Layer, *, allocated: bool) -> None:
        self.encoder = encoder
        self.allocated = allocated

    def weights(self) -> list[Weight]:
        """Every weight once, by identity, with the moving statistics of a batch norm.

        The seeds of dropout and the variables of metrics are no weights and are left out,
        as in Keras's own ``weights``. A frozen one (``trainable`` False) is listed as such.
        """
        trainable = {id(variable) for variable in self.encoder.trainable_weights}
        return [
            _weight(_path(variable), tuple(variable.shape), id(variable) in trainable)
            for variable in self.encoder.weights
        ]

    @property
    def dtype(self) -> DType:
        """That of the weights, whatever the layers compute in."""
        kind: Any = self.encoder.variable_dtype
        return kind

    def read(self) -> dict[str, Array]:
        """A copy of every weight."""
        with self._precision():
            numpy = keras.ops.convert_to_numpy
            return {_path(v): numpy(v).copy() for v in self.encoder.weights}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Assign to every weight. On JAX alone a variable without a value takes one."""
        require_allocated(self.allocated or BACKEND == "jax")
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with enable_x64(self.dtype == "float64"):
            for variable in self.encoder.weights:
                # A copy: JAX may keep the array itself, PyTorch takes no negative stride.
                variable.assign(arrays[_path(variable)].copy())
        self.allocated = True

    def run(self, ids: Array, types: Array, mask: Array) -> Outputs:
        """A forward pass, in inference."""
        with self._precision():
            arrays = map(keras.ops.convert_to_tensor, (ids, types, mask))
            outputs: Any = self.encoder(*arrays, training=False)
            numpy = keras.ops.convert_to_numpy
            return Outputs(**{k: None if v is None else numpy(v) for k, v in outputs.items()})

    def gradients(
        self, ids: Array, types: Array, mask: Array, cotangents: Outputs
    ) -> dict[str, Array]:
        """The gradient of the sum of outputs times ``cotangents``, in the backend's own way."""
        tensor = keras.ops.convert_to_tensor

        def loss(outputs: dict[str, Any]) -> Any:
            pairs = ((outputs[k], v) for k, v in cotangents._asdict().items() if v is not None)
            return sum(keras.ops.sum(output * tensor(by)) for output, by in pairs)

        with self._precision():
            arrays = list(map(tensor, (ids, types, mask)))
            gradients = GRADIENTS[BACKEND](self.encoder, arrays, loss)
            pairs = zip(self.encoder.trainable_weights, gradients, strict=True)
            numpy = keras.ops.convert_to_numpy
            return {_path(k): numpy(v) for k, v in pairs if v is not None}

    def _precision(self) -> AbstractContextManager[Any]:
        require_allocated(self.allocated)
        return enable_x64(self.dtype == "float64")


def _jax_gradients(encoder: keras.Model, arrays: list[Any], loss: Callable[..., Any]) -> list[Any]:
    import jax

    def stateless(trainable: list[Any]) -> Any:
        fixed = [variable.value for variable in encoder.non_trainable_variables]
        return loss(encoder.stateless_call(trainable, fixed, *arrays)[0])

    # Not under jit: single operations are compiled once for all models of their sizes.
    return jax.grad(stateless)([v.value for v in encoder.trainable_weights])


def _tensorflow_gradients(
    encoder: keras.Model, arrays: list[Any], loss: Callable[..., Any]
) -> list[Any]:
    import tensorflow as tf

    variables = [variable.value for variable in encoder.trainable_weights]
    with tf.GradientTape() as tape:
        total = loss(encoder(*arrays, training=False))
    gradients = tape.gradient(total, variables)
    # A table's gradient is a list of its rows.
    return [None if g is None else tf.convert_to_tensor(g) for g in gradients]


def _torch_gradients(
    encoder: keras.Model, arrays: list[Any], loss: Callable[..., Any]
) -> list[Any]:
    import torch

    variables = [variable.value for variable in encoder.trainable_weights]
    total = loss(encoder(*arrays, training=False))
    return list(torch.autograd.grad(total, variables, allow_unused=True))


GRADIENTS = {
    "jax": _jax_gradients,
    "tensorflow": _tensorflow_gradients,
    "torch": _torch_gradients,
}


def _path(variable: keras.Variable) -> str:
    """Its path without the name of the model, with which it begins."""
    return variable.path.partition("/")[2]


def _weight(path: str, shape: tuple[int, ...], trainable: bool) -> Weight:
    name, table, prefix = path, OUTSIDE_LAYERS, ""
    if name.startswith("layers_"):
        layer, _, name = name.partition("/")
        table, prefix = IN_LAYER, f"layers.{layer.removeprefix('layers_')}."
    part, layout = table.get(name, ("", PLAIN))
    return Weight(path, shape, trainable, (prefix + part,) if part else (), layout)
