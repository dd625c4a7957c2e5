"""The catalogue's faults in every framework: in its own code, or in what any builder misreads.

``DROPPED`` is a table of paths, for frameworks whose encoder is a tree that can be changed once it
is there. Linen, Keras and keras-bert make layers by their names, and get other options.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial, wraps
from importlib import import_module
from typing import Any, TypeAlias
from unittest import mock

from paramproof.builders.protocol import Builder, BuiltModel
from paramproof.builders.registry import Framework
from paramproof.formulas import EncoderSpec, Numerics, Weight
from tests.faults.catalogue import drop
from tests.faults.evidence import IN_FULL, Remembering, catches, kinds
from tests.faults.in_torch import FAULTS
from tests.selection import load_once

Plant: TypeAlias = Callable[[], AbstractContextManager[Any]]
Plants: TypeAlias = dict[str, Plant]

IN_ITS_CODE = (
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
"""By framework, the parameters that the first five of ``IN_ITS_CODE`` drop."""

IMPOSSIBLE = {"keras_bert": {"decoder untied": "always ties its MLM decoder"}}
"""By framework, the faults that it cannot have, with the reason in its refusal."""


def constructed(kind: type, name: str, **options: Any) -> Plant:
    """Give other ``options`` to every ``kind`` that is constructed with a name of this pattern."""
    original: Any = kind.__init__

    @wraps(original)
    def constructor(self: Any, *args: Any, **given: Any) -> None:
        named = re.fullmatch(name, given.get("name") or "")
        original(self, *args, **(given | options if named else given))

    # Keras inspects it, to create a configuration from the arguments.
    constructor.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
    return partial(mock.patch.object, kind, "__init__", constructor)


def followed(owner: Any, name: str, edit: Callable[..., Any]) -> Plant:
    """Call ``edit`` after ``owner.name``, with the same arguments.

    These begin with the result, if there is one, and what ``edit`` returns then replaces it.
    """
    original = getattr(owner, name)

    @wraps(original)
    def replaced(*args: Any, **options: Any) -> Any:
        made = original(*args, **options)
        edited = edit(*args) if made is None else edit(made, *args)
        return made if edited is None else edited

    return partial(mock.patch.object, owner, name, replaced)


def in_tree(framework: str, owner: Any, method: str, **others: Callable[..., Any]) -> Plants:
    """Return faults that change an encoder after ``owner.method``, whose first argument it is."""
    edits = {name: partial(drop, path) for name, path in zip(IN_ITS_CODE, DROPPED[framework])}  # noqa: B905
    edits |= {name.replace("_", " "): edit for name, edit in others.items()}
    return {name: followed(owner, method, edit) for name, edit in edits.items()}


def with_final_norm(models: dict[Any, Any], annotated: bool = False) -> AbstractContextManager[Any]:
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
    from torch import nn

    from paramproof.builders.frameworks.torch import Encoder, TorchModel
    from tests.faults import layers

    def read_as(model: Any, module: Any) -> None:
        model.__class__ = getattr(module, "read_as", type(model))

    @contextmanager
    def planted(plant: Any) -> Iterator[None]:
        def edit(encoder: Any, spec: Any, *_: Any) -> None:
            plant(encoder, spec, nn, layers)

        with followed(Encoder, "__init__", edit)(), followed(TorchModel, "__init__", read_as)():
            yield

    return {name: partial(planted, fault.plant) for name, fault in FAULTS.items()}


def composed(framework: str, freeze: Callable[..., Any]) -> Plants:
    """Return the faults of a framework whose encoder is composed, and is a tree from then on."""
    models = import_module(f"paramproof.builders.frameworks.{framework}").MODULES
    tree = in_tree(framework, models[EncoderSpec], "compose", token_table_frozen=freeze)
    return tree | {"final norm added": partial(with_final_norm, models)}


def paddle() -> Plants:
    def freeze(encoder: Any, *_: Any) -> None:
        encoder.word_embeddings.weight.stop_gradient = True

    return composed("paddle", freeze)


def mlx() -> Plants:
    def freeze(encoder: Any, *_: Any) -> None:
        encoder.word_embeddings.freeze()

    return composed("mlx", freeze)


def flax_nnx() -> Plants:
    from flax import nnx

    def freeze(encoder: Any, *_: Any) -> None:
        # No gradient is taken of a variable that is not an ``nnx.Param``.
        table = encoder.word_embeddings
        table.embedding = nnx.Variable(table.embedding.get_value())

    return composed("flax_nnx", freeze)


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
        def edit(module: Any, *_: Any) -> None:
            for option, value in options.items():
                object.__setattr__(getattr(module, name), option, value)

        return followed(composition.on(Module, kind), "compose", edit)

    encoder, layer = composition.Encoder, composition.EncoderLayer
    return {
        "query bias dropped": constructed(nn.DenseGeneral, "query", use_bias=False),
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
    table = constructed(layers.Embedding, "word_embeddings", trainable=False)
    return {
        "query bias dropped": constructed(layers.EinsumDense, "query", bias_axes=None),
        "attention biases lost": constructed(attention, "attention", use_bias=False),
        "intermediate bias dropped": constructed(layers.Dense, "intermediate", use_bias=False),
        "pooler bias dropped": constructed(layers.Dense, "pooler", use_bias=False),
        "norms without parameters": constructed(
            layers.LayerNormalization, "embeddings_norm", **norm
        ),
        "final norm added": followed(Encoder, "build", add_norm),
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
        "query bias dropped": followed(MultiHeadAttention, "build", partial(without, "bq")),
        "attention biases lost": constructed(MultiHeadAttention, attention, use_bias=False),
        "intermediate bias dropped": followed(FeedForward, "build", partial(without, "b1")),
        "pooler bias dropped": constructed(dense, "NSP-Dense", use_bias=False),
        "norms without parameters": constructed(LayerNormalization, "Embedding-Norm", **norm),
        "final norm added": followed(ours, "_model", add_norm),
        "token table frozen": followed(ours, "_model", freeze),
    }


FRAMEWORKS = (torch, paddle, mlx, flax_nnx, equinox, transformers, flax_linen, keras, keras_bert)
PLANTS: dict[str, Callable[[], Plants]] = {one.__name__: one for one in FRAMEWORKS}
"""By the name of a framework's module, a function that imports it and returns its faults."""


class Misnamed:
    def __init__(self, model: BuiltModel, change: Callable[[Weight], Weight]) -> None:
        self.model = model
        self.change = change

    def weights(self) -> Sequence[Weight]:
        return [self.change(weight) for weight in self.model.weights()]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


def exchanged(first: str, second: str) -> Callable[[Weight], Weight]:
    other = {first: second, second: first}

    def change(weight: Weight) -> Weight:
        parts = (path.split(".") for path in weight.parts)
        return replace(
            weight, parts=tuple(".".join(other.get(word, word) for word in path) for path in parts)
        )

    return change


def feed_forward_biases_exchanged(weight: Weight) -> Weight:
    """Exchange only the biases: a kernel of the other shape would reveal itself."""
    path = "".join(weight.parts)
    biases = ".feed_forward." in path and path.endswith(".bias")
    return exchanged("intermediate", "output")(weight) if biases else weight


def pooler_transposed(weight: Weight) -> Weight:
    """(in, out) for (out, in), or the other way round."""
    if weight.parts != ("pooler.kernel",):
        return weight
    return replace(weight, layout=() if weight.layout else ("transposed",))


def norm_unknown(weight: Weight) -> Weight:
    return replace(weight, parts=()) if weight.parts == ("embeddings.layer_norm.scale",) else weight


OTHER_FIELDS: dict[str, Callable[[EncoderSpec], dict[str, Any]]] = {
    "last layer lost": lambda spec: {"num_hidden_layers": spec.num_hidden_layers - 1},
    "two positions more": lambda spec: {
        "max_position_embeddings": spec.max_position_embeddings + 2
    },
    "feed forward padded to 8": lambda spec: {
        "intermediate_size": -(-spec.intermediate_size // 8) * 8
    },
    # The head that uses it is missing, too.
    "pooler forgotten": lambda spec: {"pooler": False, "nsp_head": False},
    "decoder untied": lambda spec: {"tie_word_embeddings": False},
}
OTHER_WEIGHTS: dict[str, Callable[[Weight], Weight]] = {
    "norm renamed": norm_unknown,
    "feed forward biases swapped": feed_forward_biases_exchanged,
    "query and key swapped": exchanged("query", "key"),
    "square kernel transposed": pooler_transposed,
}
MISREAD = (*OTHER_FIELDS, *OTHER_WEIGHTS, "gelu by tanh")
"""Faults that a builder of any framework may have."""


def misread(name: str, build: Any, spec: EncoderSpec, numerics: Numerics | None) -> BuiltModel:
    if name == "gelu by tanh":
        return build(spec, numerics and replace(numerics, hidden_act="gelu_new"))
    if name in OTHER_WEIGHTS:
        return Misnamed(build(spec, numerics), OTHER_WEIGHTS[name])
    return build(replace(spec, **OTHER_FIELDS[name](spec)), numerics)


def faults_of(framework: Framework) -> list[str]:
    return list(FAULTS) if framework.name == IN_FULL else [*IN_ITS_CODE, *MISREAD]


def module_of(framework: Framework) -> str:
    return framework.module.rpartition(".")[2]


def impossible(framework: Framework) -> Mapping[str, str]:
    return IMPOSSIBLE.get(module_of(framework), {})


def due(framework: Framework, name: str) -> set[str]:
    return set(FAULTS[name].caught_by).intersection(kinds(framework))


class Faulty:
    def __init__(self, framework: Framework, name: str) -> None:
        self.builder: Builder = load_once(framework.name)
        self.supports = self.builder.supports
        self.own = PLANTS[module_of(framework)]().get(name)
        self.name = name

    def build(self, spec: EncoderSpec, numerics: Numerics | None = None, **how: Any) -> BuiltModel:
        build = partial(self.builder.build, **how)
        if self.own is None:
            return misread(self.name, build, spec, numerics)
        with self.own():
            return build(spec, numerics)


def observed(framework: Framework, name: str) -> set[str]:
    planted = Remembering(Faulty(framework, name))
    return {kind for kind in kinds(framework) if catches(kind, framework, planted)}
