"""Equinox's encoder, edited while it is constructed, since a module is frozen afterwards."""

from contextlib import AbstractContextManager
from functools import partial
from operator import attrgetter
from typing import Any
from unittest import mock

import equinox as eqx

from paramproof.builders.frameworks import equinox
from paramproof.builders.frameworks.equinox.models import Encoder
from paramproof.formulas import EncoderSpec
from tests.faults.everywhere.patches import followed

PROJECTIONS = ("query_proj", "key_proj", "value_proj", "output_proj")


def without(module: Any, *paths: str) -> Any:
    """Return ``module`` with None at these paths."""
    return eqx.tree_at(attrgetter(*paths), module, [None] * len(paths) if paths[1:] else None)


def query_bias_dropped(encoder: Any, *_: Any) -> None:
    encoder.layers = [without(layer, "attention.query_proj.bias") for layer in encoder.layers]


def attention_biases_lost(encoder: Any, *_: Any) -> None:
    paths = [f"attention.{name}.bias" for name in PROJECTIONS]
    encoder.layers = [without(layer, *paths) for layer in encoder.layers]


def intermediate_bias_dropped(encoder: Any, *_: Any) -> None:
    encoder.layers = [without(layer, "intermediate.bias") for layer in encoder.layers]


def pooler_bias_dropped(encoder: Any, *_: Any) -> None:
    encoder.pooler = without(encoder.pooler, "bias")


def norms_without_parameters(encoder: Any, *_: Any) -> None:
    encoder.embeddings_norm = without(encoder.embeddings_norm, "weight", "bias")


class WithFinalNorm(Encoder):
    """A norm after the last layer."""

    final_norm: eqx.nn.LayerNorm

    def __init__(self, spec: EncoderSpec, *how: Any) -> None:
        super().__init__(spec, *how)
        self.final_norm = eqx.nn.LayerNorm(spec.hidden_size)


class WithFrozenTable(equinox.EquinoxModel):
    """The token table is state, which Equinox keeps beside the module and does not train."""

    def __init__(self, module: Any) -> None:
        shared = isinstance(module, eqx.nn.Shared)
        table = attrgetter(f"{'pytree.' if shared else ''}word_embeddings.weight")
        stateful = eqx.tree_at(table, module, eqx.nn.StateIndex(table(module)))
        super().__init__(eqx.nn.delete_init_state(stateful))


def with_final_norm() -> AbstractContextManager[Any]:
    return mock.patch.dict(equinox.MODULES, {EncoderSpec: WithFinalNorm})


def with_frozen_table() -> AbstractContextManager[Any]:
    return mock.patch.object(equinox, "EquinoxModel", WithFrozenTable)


EDITS = (
    query_bias_dropped,
    attention_biases_lost,
    intermediate_bias_dropped,
    pooler_bias_dropped,
    norms_without_parameters,
)

PLANTS = {
    **{
        edit.__name__.replace("_", " "): partial(followed, Encoder, "__init__", edit)
        for edit in EDITS
    },
    "final norm added": with_final_norm,
    "token table frozen": with_frozen_table,
}
