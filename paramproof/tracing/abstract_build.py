"""Build a model of any framework without allocating its weights.

Each loaded framework has a way to do so: PyTorch's meta device, Keras's stateless scope, a
TensorFlow graph for tf-keras, JAX's ``eval_shape`` for Flax, and for a framework with
``model_packages`` in its header its own ``build_abstractly``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import cache, partial
from importlib import import_module
from typing import Any, cast

from paramproof.builders.protocol import FrameworkUnavailable, LiveReader
from paramproof.builders.registry import Framework, model_packages
from paramproof.sources.live import comes_from, framework_with_reader, is_pair, live_weights, reader
from paramproof.tracing.internal_errors import calls_constructor
from paramproof.tracing.tensor_groups import ObservedTensor, star_numbers


@cache  # Called for each value that the code of a constructor names.
def model_frameworks() -> Mapping[str, Framework]:
    """Return the packages that a model's class may come from, in the order in which to try them.

    Models of Keras on PyTorch are PyTorch modules too.
    """
    distributions = {
        "keras": ("keras",),
        "tf_keras": ("tf-keras", "tensorflow"),
        "flax": ("flax", "jax"),
        "torch": ("torch",),
    }
    return {name: Framework(name, "", of) for name, of in distributions.items()} | model_packages()


def build_abstractly(function: Callable[..., Any], sizes: Mapping[str, int]) -> Any:
    """Return the model that ``function`` builds, with shapes and without values.

    The function may import a framework, whose scope is then missing: in that case it is called
    again. Raises ``ValueError`` if it returns no model.
    """
    before = _loaded()
    model = _build(function, sizes, before)
    if (now := _loaded()) != before:
        model = _build(function, sizes, now)
    reader(model)
    return model


def observed_tensors(model: Any) -> Iterator[ObservedTensor]:
    """Yield every weight of a model, with ``*`` for the numbers in its path."""
    for weight in live_weights(model):
        role: Any = "trainable" if weight.trainable else "frozen"
        others = tuple(map(_unnumbered, weight.aliases))
        yield ObservedTensor(_unnumbered(weight.path), tuple(map(int, weight.shape)), role, others)


def _unnumbered(path: str) -> str:
    """Return a path of Keras or Flax in dots, without the numbers that they give to layers.

    Both number the layers of one class by themselves (``dense``, ``dense_1`` …), and Keras
    continues counting in the next model.
    """
    names = path.removesuffix(":0").removeprefix("params/").split("/")
    return star_numbers(".".join(re.sub(r"(?<=\D)_\d+$", "", name) for name in names))


def _loaded() -> tuple[str, ...]:
    return tuple(name for name in model_frameworks() if name in sys.modules)


def _build(function: Callable[..., Any], sizes: Mapping[str, int], loaded: Sequence[str]) -> Any:
    apart: list[Any] = []

    @calls_constructor
    def call() -> Any:
        make = partial(function, **sizes)
        with ExitStack() as scopes:
            for name in loaded:
                if name in SCOPES:
                    scopes.enter_context(SCOPES[name]())
                # Another package may have imported part of a framework that cannot build anything.
                with suppress(FrameworkUnavailable):
                    if own := model_packages().get(name):
                        make = partial(cast(LiveReader, own.load()).build_abstractly, make)
            return make()

    def arrays() -> Any:
        """Return the part of the model that consists of arrays; keep the rest in ``apart``."""
        model = call()
        is_tree = isinstance(model, Mapping) and not framework_with_reader(model)
        if is_tree or comes_from("flax.nnx", model):
            # Refuses anything but arrays; eval_shape would turn plain numbers into arrays.
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
        # Keras keeps a list, for each thread, of variables without values, and allocates them when
        # the next scope ends. In a thread of its own this never happens.
        with ThreadPoolExecutor(max_workers=1) as passing:
            return passing.submit(call).result()
    return call()


SCOPES: Mapping[str, Callable[[], AbstractContextManager[Any]]] = {
    "torch": lambda: import_module("paramproof.builders.meta").meta(),
    "keras": lambda: import_module("keras").StatelessScope(initialize_variables=False),
    "tf_keras": lambda: import_module("tensorflow").Graph().as_default(),
}
