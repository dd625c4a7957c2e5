"""What several models are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import keras

Make: TypeAlias = Callable[..., keras.Layer]
Activation: TypeAlias = Callable[[Any], Any]

ACTIVATIONS: dict[str, Activation] = {
    "gelu": keras.activations.gelu,
    "gelu_new": partial(keras.activations.gelu, approximate=True),
    "relu": keras.activations.relu,
}
