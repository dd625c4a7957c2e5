"""keras-bert: that package's own ``get_model``, untouched, on tf-keras.

Built in a fresh graph, where a variable has a shape. An abstract model's variables wait for values,
and have them once it is given some. An encoder with a pooler or a head is cut out of the model for
training, which has both heads; the bare encoder is what the package returns otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import tensorflow as tf
from tensorflow import keras

from paramproof.builders.arrays import require, require_allocated, require_arrays
from paramproof.builders.protocol import (
    Array,
    DType,
    FrameworkUnavailable,
    Outputs,
    UnsupportedSpec,
)
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import EncoderSpec, Numerics, Spec

FRAMEWORKS = {
    "keras-bert": {
        "extra": "kerasbert",
        "distributions": ("keras-bert", "tensorflow", "tf-keras"),
        # Without it tensorflow.keras is Keras 3, on which keras-bert fails.
        "environment": {"TF_USE_LEGACY_KERAS": "1"},
        "fixed": {"type_vocab_size": 2, "tie_word_embeddings": True},
        "slow": True,
        "float32_steps": ("gelu",),
    }
}

if not keras.Model.__module__.startswith("tf_keras"):
    raise FrameworkUnavailable("keras-bert needs TF_USE_LEGACY_KERAS=1 before tensorflow starts")

import keras_bert  # noqa: E402  (it binds tensorflow.keras when imported)

# keras-layer-normalization adds the square of the backend's epsilon and takes no other.
LAYER_NORM_EPS = keras.backend.epsilon() ** 2
ACTIVATIONS = {
    "gelu": keras.activations.gelu,
    "gelu_new": "gelu",
    "relu": "relu",
    "silu": "swish",
}

LAYERS = {
    "Embedding-Token": "embeddings.word_embeddings",
    "Embedding-Position": "embeddings.position_embeddings",
    "Embedding-Segment": "embeddings.token_type_embeddings",
    "Embedding-Norm": "embeddings.layer_norm",
    "NSP-Dense": "pooler",
    "MLM-Dense": "mlm_head.dense",
    "MLM-Norm": "mlm_head.layer_norm",
    "MLM-Sim": "mlm_head.decoder",
    "NSP": "nsp_head.classifier",
    "MultiHeadSelfAttention-Norm": "attention_layer_norm",
    "FeedForward-Norm": "feed_forward_layer_norm",
}
KINDS = {
    "embeddings": "weight",
    "kernel": "kernel",
    "bias": "bias",
    "gamma": "scale",
    "beta": "bias",
}
IN_ATTENTION = {"q": "query", "k": "key", "v": "value", "o": "output"}
IN_FEED_FORWARD = {"1": "intermediate", "2": "output"}
NAMES = {f"{own}/{kind}": f"{of}.{KINDS[kind]}" for own, of in LAYERS.items() for kind in KINDS} | {
    f"{layer}_{letter}{end}": f"{component}.{part}.{kind}"
    for layer, component, parts in (
        ("MultiHeadSelfAttention", "attention", IN_ATTENTION),
        ("FeedForward", "feed_forward", IN_FEED_FORWARD),
    )
    for end, part in parts.items()
    for letter, kind in (("W", "kernel"), ("b", "bias"))
}


def supports(spec: Spec) -> Literal[True] | str:
    """Return True, or the reason why ``get_model`` cannot build the model."""
    if not isinstance(spec, EncoderSpec):
        return "keras-bert builds BERT's encoder and no other family of models"
    if spec.type_vocab_size != 2:
        return f"keras-bert has 2 token types, type_vocab_size={spec.type_vocab_size} is not there"
    if not spec.tie_word_embeddings:
        return "keras-bert always ties its MLM decoder to the token table"
    if spec.hidden_size == 1:
        # Its positions are tiled at run time, so a width of 1 may be broadcast, or not.
        return "keras-bert cannot build hidden_size=1: the width is unknown after its positions"
    if _is_bare(spec) and spec.num_hidden_layers == 0:
        return "keras-bert's bare encoder (training=False) raises IndexError without layers"
    return True


def build(
    spec: Spec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> KerasBertModel:
    """Build the encoder in a graph of its own, with a session if ``allocate``.

    Raises ``UnsupportedSpec`` for a norm epsilon that is not keras-bert's own.
    """
    require(supports(spec))
    numerics = numerics or Numerics(layer_norm_eps=LAYER_NORM_EPS)
    if numerics.layer_norm_eps != LAYER_NORM_EPS:
        raise UnsupportedSpec(f"keras-bert's norms have epsilon {LAYER_NORM_EPS:.0e} and no other")
    with tf.Graph().as_default(), _floatx(dtype):
        if not allocate:
            with tf.variable_creator_scope(_without_initial_value):
                model, outputs = _model(spec, ACTIVATIONS[numerics.hidden_act])
            return KerasBertModel(model, outputs, None)
        model, outputs = _model(spec, ACTIVATIONS[numerics.hidden_act])
        return KerasBertModel(model, outputs, _initialised())


def _without_initial_value(create: Any, **of: Any) -> tf.Variable:
    """Make a variable whose initial value is fed: drawing it would be a third of the graph."""
    value = tf.compat.v1.placeholder(of["dtype"], of["shape"])
    return create(**of | {"initial_value": value})


def _initialised() -> tf.compat.v1.Session:
    """Return a session of the current graph with initialised variables.

    Not an eager model: tf-keras exchanges the base classes of its layers whenever one is
    made in a graph, and every eager model made before is invalid from then on.
    """
    session = tf.compat.v1.Session()
    session.run(tf.compat.v1.global_variables_initializer())
    return session


@contextmanager
def _floatx(dtype: DType) -> Iterator[None]:
    """Set Keras's default dtype inside, since keras-bert's layers take no dtype."""
    previous = keras.backend.floatx()
    keras.backend.set_floatx(dtype)
    try:
        yield
    finally:
        keras.backend.set_floatx(previous)


def _is_bare(spec: EncoderSpec) -> bool:
    return not (spec.pooler or spec.mlm_head or spec.nsp_head)


# Nothing in the package branches on a tensor's value: rewritten, its layers make the same graph.
@tf.autograph.experimental.do_not_convert
def _model(spec: EncoderSpec, activation: Any) -> tuple[keras.Model, list[str]]:
    """Return the part of keras-bert's model that ``spec`` describes, and its outputs' names."""
    bare = _is_bare(spec)
    built = keras_bert.get_model(
        token_num=spec.vocab_size,
        pos_num=spec.max_position_embeddings,
        seq_len=None,
        embed_dim=spec.hidden_size,
        transformer_num=spec.num_hidden_layers,
        head_num=spec.num_attention_heads,
        feed_forward_dim=spec.intermediate_size,
        dropout_rate=0.0,
        feed_forward_activation=activation,
        training=not bare,
        # The default is the value of `training`: a bare encoder would be frozen throughout.
        trainable=True,
    )
    if bare:
        inputs, sequence = built
        return keras.Model(inputs, [sequence]), ["sequence"]
    last = f"Encoder-{spec.num_hidden_layers}-FeedForward-Norm"
    layers = {"sequence": last if spec.num_hidden_layers else "Embedding-Norm"}
    layers |= {"pooled": "NSP-Dense"} if spec.pooler else {}
    layers |= {"mlm": "MLM-Sim"} if spec.mlm_head else {}
    layers |= {"nsp": "NSP"} if spec.nsp_head else {}
    outputs = [built.get_layer(layer).output for layer in layers.values()]
    # The third input only masks the loss of the MLM head.
    return keras.Model(built.inputs[:2], outputs), list(layers)


class KerasBertModel:
    """A tf-keras model of keras-bert's layers, and the session that holds its values."""

    def __init__(
        self, model: keras.Model, outputs: list[str], session: tf.compat.v1.Session | None
    ) -> None:
        self.model = model
        self.outputs = outputs
        self.session = session

    def weights(self) -> list[Weight]:
        """Return every variable once. The tied decoder is data flow and has no variable."""
        trainable = {id(variable) for variable in self.model.trainable_weights}
        return [
            _weight(_path(variable), tuple(variable.shape), id(variable) in trainable)
            for variable in self.model.weights
        ]

    @property
    def dtype(self) -> DType:
        """The dtype of the first variable."""
        return self.model.weights[0].dtype.name

    def read(self) -> dict[str, Array]:
        """Return the value of every variable in the session."""
        require_allocated(self.session is not None)
        return self.session.run({_path(variable): variable for variable in self.model.weights})

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Initialise every variable again, with ``arrays`` in place of the initial values."""
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        variables = self.model.weights
        with variables[0].graph.as_default():
            session = self.session or tf.compat.v1.Session()
            # Copies: a session may keep the array itself.
            initial = {v.initial_value: arrays[_path(v)].copy() for v in variables}
            session.run([variable.initializer for variable in variables], initial)
        self.session = session

    def run(self, *inputs: Array) -> Outputs:
        """Run a forward pass. Raises ``ValueError`` if the mask is not ``ids != 0``."""
        arrays = self._run(self.model.outputs, *inputs)
        given = dict(zip(self.outputs, arrays, strict=True))
        return Outputs(**dict.fromkeys(Outputs._fields) | given)

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        outputs = dict(zip(self.outputs, self.model.outputs, strict=True))
        wanted = {k: v for k, v in cotangents._asdict().items() if v is not None}
        trainable = self.model.trainable_weights
        with self.session.graph.as_default():
            losses = [tf.reduce_sum(outputs[name] * by) for name, by in wanted.items()]
            pairs = zip(trainable, tf.gradients(losses, trainable), strict=True)
            # A table's gradient is a list of its rows.
            dense = {_path(k): tf.convert_to_tensor(v) for k, v in pairs if v is not None}
        return self._run(dense, *inputs)

    def _run(self, fetches: Any, ids: Array, types: Array, mask: Array) -> Any:
        require_allocated(self.session is not None)
        if ((ids != 0) != mask).any():
            raise ValueError("keras-bert takes no mask: token id 0, and no other, is padding")
        names = [tensor.name for tensor in self.model.inputs]
        return self.session.run(fetches, dict(zip(names, (ids, types), strict=True)))


def _path(variable: tf.Variable) -> str:
    return variable.name.removesuffix(":0")


def _weight(path: str, shape: tuple[int, ...], trainable: bool) -> Weight:
    """Return the weight at a native path, in which layers count from 1 and may be named twice."""
    if not path.startswith("Encoder-"):
        part = NAMES.get(path)
        return Weight(path, shape, trainable, (part,) if part else ())
    _, number, rest = path.split("-", 2)
    part = NAMES.get(rest if "Norm/" in rest else rest.split(f"/Encoder-{number}-")[-1])
    return Weight(path, shape, trainable, (f"layers.{int(number) - 1}.{part}",) if part else ())
