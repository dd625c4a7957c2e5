"""Faults that a builder of any framework may have: each is a function of its ``build``.

They have the names of PyTorch's faults, whose docstrings describe them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from paramproof.builders.protocol import BuiltModel
from paramproof.formulas import EncoderSpec, Numerics, Weight

Build = Callable[[EncoderSpec, Numerics | None], BuiltModel]
Plant = Callable[[Build, EncoderSpec, Numerics | None], BuiltModel]


def sizes(change: Callable[[EncoderSpec], Mapping[str, Any]]) -> Plant:
    """Replace fields of the spec by those that ``change`` returns."""

    def plant(build: Build, spec: EncoderSpec, numerics: Numerics | None) -> BuiltModel:
        return build(replace(spec, **change(spec)), numerics)

    return plant


def activation(name: str) -> Plant:
    """Use another activation."""

    def plant(build: Build, spec: EncoderSpec, numerics: Numerics | None) -> BuiltModel:
        return build(spec, numerics and replace(numerics, hidden_act=name))

    return plant


def names(change: Callable[[Weight], Weight]) -> Plant:
    """Report other contents for a weight."""

    def plant(build: Build, spec: EncoderSpec, numerics: Numerics | None) -> BuiltModel:
        return Misnamed(build(spec, numerics), change)

    return plant


class Misnamed:
    """A model that reports wrong contents for its weights."""

    def __init__(self, model: BuiltModel, change: Callable[[Weight], Weight]) -> None:
        self.model = model
        self.change = change

    def weights(self) -> Sequence[Weight]:
        """Return the model's weights, altered by ``change``."""
        return [self.change(weight) for weight in self.model.weights()]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


def exchanged(first: str, second: str) -> Callable[[Weight], Weight]:
    """Return a ``change`` of names that swaps the two."""
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
    """The norm of the embeddings has a scale with an unknown name."""
    return replace(weight, parts=()) if weight.parts == ("embeddings.layer_norm.scale",) else weight


MISREAD: dict[str, Plant] = {
    "last layer lost": sizes(lambda spec: {"num_hidden_layers": spec.num_hidden_layers - 1}),
    "two positions more": sizes(
        lambda spec: {"max_position_embeddings": spec.max_position_embeddings + 2}
    ),
    "feed forward padded to 8": sizes(
        lambda spec: {"intermediate_size": -(-spec.intermediate_size // 8) * 8}
    ),
    # The head that uses it is missing, too.
    "pooler forgotten": sizes(lambda spec: {"pooler": False, "nsp_head": False}),
    "decoder untied": sizes(lambda spec: {"tie_word_embeddings": False}),
    "norm renamed": names(norm_unknown),
    "feed forward biases swapped": names(feed_forward_biases_exchanged),
    "query and key swapped": names(exchanged("query", "key")),
    "square kernel transposed": names(pooler_transposed),
    "gelu by tanh": activation("gelu_new"),
}
