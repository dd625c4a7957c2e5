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

from paramproof.builders.arrays import has_family, require
from paramproof.builders.frameworks.keras.encoder import Encoder
from paramproof.builders.frameworks.keras.encoder_decoder import EncoderDecoder
from paramproof.builders.frameworks.keras.gpt import GPT
from paramproof.builders.frameworks.keras.llama import Llama
from paramproof.builders.frameworks.keras.model import (
    BACKEND,
    GRADIENTS,
    KerasModel,
    enable_x64,
)
from paramproof.builders.protocol import DType, FrameworkUnavailable
from paramproof.builders.shell import by_family
from paramproof.formulas.spec import LlamaSpec, Numerics, Spec

__all__ = ["FRAMEWORKS", "KerasModel", "build", "supports"]

FRAMEWORKS = {
    "keras-jax": {
        "extra": "keras-jax",
        "distributions": ("keras", "jax"),
        "environment": {"KERAS_BACKEND": "jax"},
        "float32_steps": ("layer_norm", "rms_norm", "softmax", "tanh"),
    },
    "keras-tensorflow": {
        "extra": "keras-tensorflow",
        "distributions": ("keras", "tensorflow"),
        "environment": {"KERAS_BACKEND": "tensorflow"},
        "float32_steps": ("gelu", "gelu_new", "scale"),
    },
    "keras-torch": {
        "extra": "keras-torch",
        "distributions": ("keras", "torch"),
        "environment": {"KERAS_BACKEND": "torch"},
        # Its matmul returns float32, so attention is computed in float32; the projections use
        # einsum, which is not affected.
        "float32_steps": (
            "attention",
            "scale",
            "softmax",
            "decoder",
            "layer_norm",
            "linear",
            "rms_norm",
        ),
    },
}

if os.environ.get("KERAS_BACKEND", BACKEND) != BACKEND:
    # Keras was imported before the variable was set: one backend under another's name.
    raise FrameworkUnavailable(f"keras already runs on {BACKEND}: set KERAS_BACKEND before it does")
if BACKEND not in GRADIENTS:
    # NumPy's backend builds, and stores and computes nothing as a framework's does.
    backends = ", ".join(GRADIENTS)
    raise FrameworkUnavailable(f"keras runs on {BACKEND}: KERAS_BACKEND is to be one of {backends}")

MODULES = by_family(Encoder, EncoderDecoder, GPT, Llama)


def supports(spec: Spec) -> Literal[True] | str:
    """Return True for every model of these families; LLaMA's norms need Keras 3.9."""
    if isinstance(spec, LlamaSpec) and not hasattr(keras.layers, "RMSNormalization"):
        return f"Keras {keras.__version__} has no RMSNormalization, and 3.9 has one for LLaMA"
    return has_family("keras", MODULES, spec)


def build(
    spec: Spec,
    numerics: Numerics | None = None,
    *,
    allocate: bool = False,
    dtype: DType = "float32",
) -> KerasModel:
    """Build the model with shapes, or with arrays if ``allocate``."""
    require(supports(spec))
    what = spec, numerics or spec.original_numerics, dtype
    if allocate:
        return KerasModel(_built(enable_x64(dtype == "float64"), *what), allocated=True)
    # Keras lists the variables without a value, and the next stateless scope to end, whoever
    # opened it, allocates them all. The list is a thread's and goes when that does;
    # clear_session would empty it too, and with it the caller's dtype policy.
    scope = keras.StatelessScope(initialize_variables=False)
    with ThreadPoolExecutor(max_workers=1) as passing:
        return KerasModel(passing.submit(_built, scope, *what).result(), allocated=False)


def _built(
    scope: AbstractContextManager[Any], spec: Spec, numerics: Numerics, dtype: DType
) -> keras.Model:
    with scope:
        model = MODULES[type(spec)](spec, numerics, dtype)
        model.build()
    return model
