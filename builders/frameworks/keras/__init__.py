"""Keras 3, on JAX, TensorFlow or PyTorch: layers that split the heads in their kernels.

Which of the three is Keras's own choice, made once in a process from ``KERAS_BACKEND``. The
layers are built by ``build`` alone, within ``StatelessScope(initialize_variables=False)``,
where a variable has a shape and an initialiser that nobody runs, unless its value is read.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, Literal

import keras

from builders.frameworks.keras.encoder import Encoder
from builders.frameworks.keras.model import BACKEND, KerasModel, enable_x64
from builders.protocol import DType, FrameworkUnavailable, require, requires
from formulas.spec import EncoderSpec, Numerics, Spec

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

if os.environ.get("KERAS_BACKEND", BACKEND) != BACKEND:
    # Keras was imported before the variable was set: one backend under another's name.
    raise FrameworkUnavailable(f"keras already runs on {BACKEND}: set KERAS_BACKEND before it does")


def supports(spec: Spec) -> Literal[True] | str:
    """Every encoder can be expressed."""
    return requires(spec, EncoderSpec)


def build(
    spec: EncoderSpec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> KerasModel:
    """The encoder's shapes, or its arrays where it is to be allocated."""
    require(supports(spec))
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
