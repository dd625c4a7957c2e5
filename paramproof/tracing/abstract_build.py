"""Make a model of any framework without its weights: shapes, for values that nobody draws.

A function is called in what each framework that is loaded has for that: PyTorch's meta device,
Keras's stateless scope, a graph of TensorFlow for tf-keras, JAX's ``eval_shape`` for Flax.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from paramproof.sources.live.readers import comes_from, is_pair, live_weights, reader
from paramproof.tracing.tensor_groups import ObservedTensor, star_numbers

FRAMEWORKS: Mapping[str, tuple[str, ...]] = {
    "keras": ("keras",),
    "tf_keras": ("tf-keras", "tensorflow"),
    "flax": ("flax", "jax"),
    "torch": ("torch",),
}
"""Packages from which a model's class may come, with the distributions that made it."""


def build_abstractly(function: Callable[..., Any], sizes: Mapping[str, int]) -> Any:
    """Return what ``function`` makes of these sizes, of arrays that have a shape and no values.

    A framework that it imports only then is not known before: it is called once more.
    """
    before = _loaded()
    model = _made(function, sizes)
    return model if _loaded() == before else _made(function, sizes)


def framework_of(model: Any) -> str:
    """Return the package of ``FRAMEWORKS`` that a model is of.

    Raises ``ValueError`` for what is no model.
    """
    reader(model)
    # Keras on PyTorch has models that are modules of PyTorch too.
    return next((name for name in FRAMEWORKS if comes_from(name, model)), "flax")


def observed_tensors(model: Any) -> Iterator[ObservedTensor]:
    """Every weight of a model that nobody traced, with ``*`` for the numbers in its path."""
    for weight in live_weights(model):
        role: Any = "trainable" if weight.trainable else "frozen"
        others = tuple(map(_unnumbered, weight.others))
        yield ObservedTensor(_unnumbered(weight.path), tuple(map(int, weight.shape)), role, others)


def _unnumbered(path: str) -> str:
    """Return a path of Keras or Flax in dots, as every layer of a stack has it.

    They number layers of one class by themselves, ``dense``, ``dense_1`` …, the first by no number,
    and Keras goes on counting in the next model.
    """
    names = path.removesuffix(":0").removeprefix("params/").split("/")
    return star_numbers(".".join(re.sub(r"(?<=\D)_\d+$", "", name) for name in names))


def _loaded() -> tuple[str, ...]:
    return tuple(name for name in FRAMEWORKS if name in sys.modules)


def _made(function: Callable[..., Any], sizes: Mapping[str, int]) -> Any:
    loaded = _loaded()
    apart: list[Any] = []

    def call() -> Any:
        with ExitStack() as scopes:
            for name in loaded:
                if name in SCOPES:
                    scopes.enter_context(SCOPES[name]())
            return function(**sizes)

    def arrays() -> Any:
        """What JAX knows of the model; the rest is set apart."""
        model = call()
        if isinstance(model, Mapping) or comes_from("flax.nnx", model):
            # What is no array is refused: a plain number would come out as one.
            live_weights(model)
            return model
        module, variables = model if is_pair(model) else (model, None)
        apart.append(module)
        return variables

    if "flax" in loaded:
        from flax import nnx

        shapes = nnx.eval_shape(arrays)
        if not apart:
            return shapes
        return apart[0] if shapes is None else (apart[0], shapes)
    if "keras" in loaded:
        # Keras lists variables without a value, and allocates them with the next scope to end. The
        # list is a thread's, and goes when that does.
        with ThreadPoolExecutor(max_workers=1) as passing:
            return passing.submit(call).result()
    return call()


def _meta() -> AbstractContextManager[Any]:
    from paramproof.builders.meta import meta

    return meta()


def _stateless() -> AbstractContextManager[Any]:
    import keras

    scope: AbstractContextManager[Any] = keras.StatelessScope(initialize_variables=False)
    return scope


def _graph() -> AbstractContextManager[Any]:
    import tensorflow as tf

    graph: AbstractContextManager[Any] = tf.Graph().as_default()
    return graph


SCOPES: Mapping[str, Callable[[], AbstractContextManager[Any]]] = {
    "torch": _meta,
    "keras": _stateless,
    "tf_keras": _graph,
}
