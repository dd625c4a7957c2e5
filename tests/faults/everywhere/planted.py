"""Faults in each framework's own code, under the names of PyTorch's catalogue.

``DROPPED`` is a table of paths, for frameworks whose encoder is a tree that can be changed once it
is there. Linen, Keras and keras-bert make layers by their names, and get other options.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeAlias
from unittest import mock

from paramproof.formulas import EncoderSpec
from paramproof.formulas.path import LAYER, without_braces
from tests.faults.everywhere.patches import constructed, followed

Plant: TypeAlias = Callable[[], AbstractContextManager[Any]]
Plants: TypeAlias = dict[str, Plant]

FAULTS = (
    "query bias dropped",
    "attention biases lost",
    "intermediate bias dropped",
    "pooler bias dropped",
    "norms without parameters",
    "final norm added",
    "token table frozen",
)

BERT = "base_model.encoder.layer.*"
DROPPED: dict[str, tuple[str, ...]] = {
    "equinox": (
        "layers.*.attention.query_proj.bias",
        "layers.*.attention.{query,key,value,output}_proj.bias",
        "layers.*.intermediate.bias",
        "pooler.bias",
        "embeddings_norm.{weight,bias}",
    ),
    "flax_nnx": (
        "layers.attention.query.bias",
        "layers.attention.{query,key,value,out}.bias",
        "layers.intermediate.bias",
        "pooler.bias",
        "embeddings_norm.{scale,bias}",
    ),
    "mlx": (
        "layers.*.attention.query_proj.bias",
        # What nn.MultiHeadAttention has by default.
        "layers.*.attention.{query,key,value,out}_proj.bias",
        "layers.*.linear1.bias",
        "pooler.bias",
        "embeddings_norm.{weight,bias}",
    ),
    "paddle": (
        "layers.*.self_attn.q_proj.bias",
        "layers.*.self_attn.{q,k,v,out}_proj.bias",
        "layers.*.linear1.bias",
        "pooler.bias",
        "embeddings_norm.{weight,bias}",
    ),
    "transformers": (
        f"{BERT}.attention.self.query.bias",
        f"{BERT}.attention.{{self.query,self.key,self.value,output.dense}}.bias",
        f"{BERT}.intermediate.dense.bias",
        "base_model.pooler.dense.bias",
        "base_model.embeddings.LayerNorm.{weight,bias}",
    ),
}
"""By framework, the parameters that the first five of ``FAULTS`` drop."""

IMPOSSIBLE = {"keras_bert": {"decoder untied": "always ties its MLM decoder"}}
"""By framework, the faults that it cannot have, with the reason in its refusal."""


def drop(paths: str, encoder: Any, *_: Any) -> None:
    for path in without_braces(paths):
        drop_one(encoder, *path.split("."))


def drop_one(owner: Any, name: str, *rest: str) -> None:
    if name == LAYER:
        for layer in owner:
            drop_one(layer, *rest)
    elif rest:
        drop_one(getattr(owner, name), *rest)
    elif isinstance(owner, dict):  # A module of MLX.
        del owner[name]
    else:
        # A module of Equinox is frozen, unless it is being constructed.
        put = object.__setattr__ if hasattr(owner, "__dataclass_fields__") else setattr
        put(owner, name, None)


def in_tree(framework: str, owner: Any, method: str, **others: Callable[..., Any]) -> Plants:
    """Return faults that change an encoder after ``owner.method``, whose first argument it is."""
    edits = {name: partial(drop, path) for name, path in zip(FAULTS, DROPPED[framework])}  # noqa: B905
    edits |= {name.replace("_", " "): edit for name, edit in others.items()}
    return {name: partial(followed, owner, method, edit) for name, edit in edits.items()}


def with_final_norm(models: dict[Any, Any], annotated: bool = False) -> AbstractContextManager[Any]:
    """Put a norm after the last layer of a composed encoder."""

    class WithFinalNorm(models[EncoderSpec]):
        if annotated:  # Equinox's modules have no other attributes.
            final_norm: Any

        def compose(self, own: Any) -> None:
            super().compose(own)
            self.final_norm = own.norm()

        def run(self, *inputs: Any) -> dict[str, Any]:
            outputs = super().run(*inputs)
            return outputs | {"sequence": self.final_norm(outputs["sequence"])}

    return mock.patch.dict(models, {EncoderSpec: WithFinalNorm})


def torch() -> Plants:
    """Return all of PyTorch's own catalogue."""
    from torch import nn

    from paramproof.builders.frameworks.torch import Encoder
    from tests.faults import matrix  # noqa: F401  (it fills the catalogue)
    from tests.faults.catalogue import FAULTS as CATALOGUE

    def planted(plant: Any, encoder: Any, spec: Any, *_: Any) -> None:
        plant(encoder, spec, nn)

    return {
        name: partial(followed, Encoder, "__init__", partial(planted, fault.plant))
        for name, fault in CATALOGUE.items()
    }


def paddle() -> Plants:
    from paramproof.builders.frameworks.paddle import MODULES

    def freeze(encoder: Any, *_: Any) -> None:
        encoder.word_embeddings.weight.stop_gradient = True

    tree = in_tree("paddle", MODULES[EncoderSpec], "compose", token_table_frozen=freeze)
    return tree | {"final norm added": partial(with_final_norm, MODULES)}


def mlx() -> Plants:
    from paramproof.builders.frameworks.mlx import MODULES

    def freeze(encoder: Any, *_: Any) -> None:
        encoder.word_embeddings.freeze()

    tree = in_tree("mlx", MODULES[EncoderSpec], "compose", token_table_frozen=freeze)
    return tree | {"final norm added": partial(with_final_norm, MODULES)}


def flax_nnx() -> Plants:
    from flax import nnx

    from paramproof.builders.frameworks.flax_nnx import MODULES

    def freeze(encoder: Any, *_: Any) -> None:
        # No gradient is taken of a variable that is not an ``nnx.Param``.
        table = encoder.word_embeddings
        table.embedding = nnx.Variable(table.embedding.get_value())

    tree = in_tree("flax_nnx", MODULES[EncoderSpec], "compose", token_table_frozen=freeze)
    return tree | {"final norm added": partial(with_final_norm, MODULES)}


def equinox() -> Plants:
    import equinox as eqx

    from paramproof.builders.frameworks import equinox as ours

    class WithFrozenTable(ours.EquinoxModel):
        """The token table is state, which Equinox keeps beside the module and does not train."""

        def __init__(self, module: Any) -> None:
            def table(module: Any) -> Any:
                return getattr(module, "pytree", module).word_embeddings.weight

            stateful = eqx.tree_at(table, module, eqx.nn.StateIndex(table(module)))
            super().__init__(eqx.nn.delete_init_state(stateful))

    return in_tree("equinox", ours.MODULES[EncoderSpec], "compose") | {
        "final norm added": partial(with_final_norm, ours.MODULES, annotated=True),
        "token table frozen": partial(mock.patch.object, ours, "EquinoxModel", WithFrozenTable),
    }


def transformers() -> Plants:
    from torch import nn

    from paramproof.builders.frameworks.transformers.models import Bert

    def add_norm(model: Any, spec: Any, *_: Any) -> None:
        model.base_model.encoder.final_norm = nn.LayerNorm(spec.hidden_size)

    def freeze(model: Any, *_: Any) -> None:
        model.base_model.embeddings.word_embeddings.weight.requires_grad_(False)

    def untie(model: Any, *_: Any) -> None:
        decoder = model.cls.predictions.decoder
        decoder.weight = nn.Linear(decoder.in_features, decoder.out_features).weight

    edits = {"final_norm_added": add_norm, "token_table_frozen": freeze, "decoder_untied": untie}
    return in_tree("transformers", Bert, "made", **edits)


def flax_linen() -> Plants:
    from flax import linen as nn

    from paramproof.builders import composition
    from paramproof.builders.frameworks import flax_linen as ours
    from paramproof.builders.frameworks.flax_linen.models import Module

    class WithFrozenTable(ours.LinenModel):
        """The token table is in a separate collection, where frozen variables belong."""

        def __init__(self, module: Any, variables: Any) -> None:
            trainable = dict(variables["params"])
            frozen = {"word_embeddings": trainable.pop("word_embeddings")}
            super().__init__(module, {"params": trainable, "constants": frozen})

    def options(kind: type, name: str, **options: bool) -> Plant:
        """Give other options to a layer that a module has under this name."""

        def edit(module: Any, *_: Any) -> None:
            for option, value in options.items():
                object.__setattr__(getattr(module, name), option, value)

        return partial(followed, composition.on(Module, kind), "compose", edit)

    encoder, layer = composition.Encoder, composition.EncoderLayer
    return {
        "query bias dropped": partial(constructed, nn.DenseGeneral, "query", use_bias=False),
        "attention biases lost": options(layer, "attention", use_bias=False),
        "intermediate bias dropped": options(layer, "intermediate", use_bias=False),
        "pooler bias dropped": options(encoder, "pooler", use_bias=False),
        "norms without parameters": options(
            encoder, "embeddings_norm", use_bias=False, use_scale=False
        ),
        "final norm added": partial(with_final_norm, ours.MODULES),
        "token table frozen": partial(mock.patch.object, ours, "LinenModel", WithFrozenTable),
    }


def keras() -> Plants:
    from keras import layers

    from paramproof.builders.frameworks.keras.models import Encoder

    def add_norm(encoder: Any, *_: Any) -> None:
        encoder.final_norm = layers.LayerNormalization(name="final_norm")
        encoder.final_norm.build((None, None, encoder.hidden_size))

    attention, norm = layers.MultiHeadAttention, {"center": False, "scale": False}
    table = partial(constructed, layers.Embedding, "word_embeddings", trainable=False)
    return {
        "query bias dropped": partial(constructed, layers.EinsumDense, "query", bias_axes=None),
        "attention biases lost": partial(constructed, attention, "attention", use_bias=False),
        "intermediate bias dropped": partial(
            constructed, layers.Dense, "intermediate", use_bias=False
        ),
        "pooler bias dropped": partial(constructed, layers.Dense, "pooler", use_bias=False),
        "norms without parameters": partial(
            constructed, layers.LayerNormalization, "embeddings_norm", **norm
        ),
        "final norm added": partial(followed, Encoder, "build", add_norm),
        "token table frozen": table,
    }


def keras_bert() -> Plants:
    import tensorflow as tf
    from keras_layer_normalization import LayerNormalization
    from keras_multi_head import MultiHeadAttention
    from keras_position_wise_feed_forward import FeedForward
    from tensorflow import keras

    from paramproof.builders.frameworks import keras_bert as ours

    def without(name: str, layer: Any, *_: Any) -> None:
        """Replace a bias that the layer always has, or all its biases, by zeros."""
        zeros = tf.zeros_like(getattr(layer, name))
        delattr(layer, name)
        setattr(layer, name, zeros)

    def add_norm(made: Any, *_: Any) -> Any:
        model, outputs = made
        sequence = LayerNormalization(name="Final-Norm")(model.outputs[0])
        return keras.Model(model.inputs, [sequence, *model.outputs[1:]]), outputs

    def freeze(made: Any, *_: Any) -> None:
        made[0].get_layer("Embedding-Token").trainable = False

    attention, norm = "Encoder-.*-MultiHeadSelfAttention", {"center": False, "scale": False}
    dense = keras.layers.Dense
    return {
        "query bias dropped": partial(
            followed, MultiHeadAttention, "build", partial(without, "bq")
        ),
        "attention biases lost": partial(
            constructed, MultiHeadAttention, attention, use_bias=False
        ),
        "intermediate bias dropped": partial(
            followed, FeedForward, "build", partial(without, "b1")
        ),
        "pooler bias dropped": partial(constructed, dense, "NSP-Dense", use_bias=False),
        "norms without parameters": partial(
            constructed, LayerNormalization, "Embedding-Norm", **norm
        ),
        "final norm added": partial(followed, ours, "_model", add_norm),
        "token table frozen": partial(followed, ours, "_model", freeze),
    }


PLANTS: dict[str, Callable[[], Plants]] = {
    plants.__name__: plants
    for plants in (
        *(torch, paddle, mlx, flax_nnx, equinox, transformers, flax_linen, keras, keras_bert),
    )
}
"""By the name of a framework's module, a function that imports it and returns its faults."""
