"""KerasHub's backbones as constructors, and its presets, with workarounds for its quirks."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from math import prod
from types import ModuleType
from typing import Any

from docs.writers.kerashub.pairs import Pair
from paramproof.algebra.letters import field_names
from paramproof.derivation.pipeline import Effort, derive
from paramproof.formulas.derivation import Derivation
from paramproof.tracing.constructors import Constructor, function
from paramproof.tracing.symbolic.symint import NativeSymInt

EFFORT = Effort(deepest=5)
"""A low effort for layers: some backbones take a tenth of a second for each of equal layers."""

UNUSED = ("tensorflow", "tensorflow_text", "sentencepiece")
"""Packages that tokenizers and metrics import if installed, and no backbone needs."""


def models() -> ModuleType:
    """Import KerasHub; return the module that has its backbones."""
    # JAX imports fastest, and shapes are the same in every backend.
    os.environ.setdefault("KERAS_BACKEND", "jax")
    absent = {name: None for name in UNUSED if name not in sys.modules}
    sys.modules.update(absent)  # type: ignore[arg-type]
    try:
        import keras_hub
    finally:
        for name in absent:
            del sys.modules[name]
    from keras.src.backend.common.dtypes import PYTHON_DTYPES_MAP

    # `arange(size)` takes the type of its number for a dtype.
    PYTHON_DTYPES_MAP[NativeSymInt] = PYTHON_DTYPES_MAP[int]
    found: ModuleType = keras_hub.models
    return found


def derived(pair: Pair) -> Derivation:
    """Derive a backbone, in the letters of its pair. Raises as ``derive`` does."""
    return derive(constructor(pair), effort=EFFORT, naming=field_names)


def constructor(pair: Pair) -> Constructor:
    """Return a backbone as a constructor whose sizes are the letters of its arguments."""
    backbone = getattr(models(), pair.backbone)
    arguments = arguments_of(pair, backbone)
    sizes = pair.sizes
    names = letters_in(arguments, sizes)

    def make(**letters: int) -> Any:
        with warnings.catch_warnings():
            # T5's attention says of each layer that it takes no mask.
            warnings.simplefilter("ignore", UserWarning)
            return backbone(**filled(arguments, letters))

    keyword = inspect.Parameter.KEYWORD_ONLY
    make.__module__ = backbone.__module__
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, keyword, default=sizes[name]) for name in names]
    )
    made = function.function_constructor(backbone.__name__, make)
    return replace(made, versions={"keras-hub": version("keras-hub"), **made.versions})


def arguments_of(pair: Pair, backbone: Any) -> dict[str, Any]:
    """Return the arguments of a backbone: the usual ones that it takes, and the pair's."""
    takes, sizes = inspect.signature(backbone).parameters, pair.sizes
    usual = {name: one for name, one in pair.usual.items() if name in takes and one in sizes}
    return {**usual, **pair.arguments}


def letters_in(arguments: Mapping[str, Any], sizes: Mapping[str, int]) -> list[str]:
    """Return the letters of arguments, each once."""
    found: dict[str, None] = {}
    for value in arguments.values():
        if isinstance(value, Mapping):
            found |= dict.fromkeys(letters_in(value, sizes))
        else:
            texts = [
                one
                for one in (value if isinstance(value, list) else [value])
                if isinstance(one, str)
            ]
            found |= dict.fromkeys(
                name for one in texts for name in one.split("·") if name in sizes
            )
    return list(found)


def filled(arguments: Mapping[str, Any], letters: Mapping[str, int]) -> dict[str, Any]:
    """Return arguments with the size of each letter."""
    return {name: _filled(value, letters) for name, value in arguments.items()}


def _filled(value: Any, letters: Mapping[str, int]) -> Any:
    """Return a size, a tuple of sizes, a part, a list with an entry for each layer, or a flag."""
    if isinstance(value, str):
        return prod(letters[one] if one in letters else int(one) for one in value.split("·"))
    if isinstance(value, list):
        return tuple(_filled(one, letters) for one in value)
    if not isinstance(value, Mapping):
        return value
    if "each" in value:
        return [value["each"]] * _filled(value["times"], letters)
    own = {key: one for key, one in value.items() if key != "class"}
    return getattr(models(), value["class"])(**filled(own, letters))


def published(pair: Pair, preset: str) -> int:
    """Return the number of parameters that KerasHub publishes for a preset."""
    backbone = getattr(models(), pair.backbone)
    number: int = backbone.presets[preset]["metadata"]["params"]
    return number
