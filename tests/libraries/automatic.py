"""Constructors generated for any class of diffusers, and for any architecture of timm.

``tests.libraries.automatic:diffusers__DiTTransformer2DModel`` is a function whose parameters are
the positive ints among the defaults of the class, and the elements of tuples of such ints:
``block_out_channels_0``. ``timm__vit_tiny_patch16_224`` has the sizes that the architecture passes
to its class, or to the dataclass that describes it, and the defaults of those that it omits.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# Before timm, which imports torchvision.
from sweep.library import torchvision_operators  # noqa: F401

# isort: split
import diffusers
import timm
from timm.models import _builder

CONFIG = "model_cfg"
"""The name of the dataclass that describes an architecture, in timm's builder."""

_OF_THE_BUILDER = """
    cache_dir feature_cfg features_only kwargs_filter out_indices pretrained_custom_load
    pretrained_filter_fn pretrained_strict pretrained_tag
"""

OF_THE_BUILDER = frozenset(_OF_THE_BUILDER.split())
"""Arguments that the builder does not pass on."""


GIVEN_BY_THE_BUILDER = {"in_chans": 3, "num_classes": 1000}
"""Arguments that a class has no default for, because the builder always passes them."""


class _BuilderCall(Exception):
    """An architecture's call of timm's builder; raised before anything is built."""

    def __init__(self, cls: type, arguments: dict[str, Any]) -> None:
        super().__init__(cls.__name__)
        self.cls, self.arguments = cls, arguments


def __getattr__(name: str) -> Callable[..., Any]:
    library, _, what = name.partition("__")
    if library == "diffusers" and hasattr(diffusers, what):
        cls = getattr(diffusers, what)
        return _constructor(name, cls, {}, None)
    if library == "timm" and timm.is_model(what):
        return _constructor(name, *timm_call(what))
    raise AttributeError(name)


def timm_call(architecture: str) -> tuple[Callable[..., Any], dict[str, Any], Any]:
    """Return the class of an architecture, its arguments, and its dataclass or None."""
    with _recording_builder():
        try:
            timm.create_model(architecture)
        except _BuilderCall as called:
            arguments = {n: v for n, v in called.arguments.items() if n not in OF_THE_BUILDER}
            return called.cls, arguments, arguments.pop(CONFIG, None)
    raise ValueError(f"{architecture} does not ask timm's builder for a model")


@contextmanager
def _recording_builder() -> Iterator[None]:
    builder = _builder.build_model_with_cfg

    def record_call(
        model_cls: Any, variant: str, pretrained: bool, *_: Any, **arguments: Any
    ) -> None:
        arguments.pop("pretrained_cfg", None)
        arguments.pop("pretrained_cfg_overlay", None)
        raise _BuilderCall(model_cls, arguments)

    modules = [
        module
        for module in vars(timm.models).values()
        if inspect.ismodule(module) and vars(module).get(builder.__name__) is builder
    ]
    for module in modules:
        setattr(module, builder.__name__, record_call)
    try:
        yield
    finally:
        for module in modules:
            setattr(module, builder.__name__, builder)


def _constructor(
    name: str, cls: Callable[..., Any], arguments: Mapping[str, Any], config: Any
) -> Callable[..., Any]:
    parameters = inspect.signature(cls).parameters.values()
    defaults = {
        one.name: GIVEN_BY_THE_BUILDER.get(one.name) if one.default is one.empty else one.default
        for one in parameters
    }
    described = (
        {one.name: getattr(config, one.name) for one in dataclasses.fields(config)}
        if dataclasses.is_dataclass(config)
        else {}
    )
    values = {**defaults, **arguments, **described}
    sizes = dict(_sizes(values))

    def function(**given: int) -> Any:
        moved = {**sizes, **given}
        changed = {field: _with_sizes(field, value, moved) for field, value in values.items()}
        # A constructor may remove elements from the lists that it is given.
        own = copy.deepcopy(
            {field: changed[field] for field in {**arguments, **dict(_sized(defaults))}}
        )
        if config is not None:
            fields = {field: changed[field] for field, _ in _sized(described)}
            own["cfg"] = dataclasses.replace(copy.deepcopy(config), **fields) if fields else config
        return cls(**own)

    function.__name__ = function.__qualname__ = name
    keyword = inspect.Parameter.KEYWORD_ONLY
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(one, keyword, default=size) for one, size in sizes.items()]
    )
    return function


def _is_size(value: Any) -> bool:
    return type(value) is int and value > 0


def _sized(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield values that consist of sizes: an int, or a tuple or list of nothing else."""
    for field, value in values.items():
        several = isinstance(value, tuple | list) and value and all(map(_is_size, value))
        if _is_size(value) or several:
            yield field, value


def _sizes(values: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for field, value in _sized(values):
        if _is_size(value):
            yield field, value
        else:
            yield from ((f"{field}_{index}", one) for index, one in enumerate(value))


def _with_sizes(field: str, value: Any, sizes: Mapping[str, int]) -> Any:
    if field in sizes:
        return sizes[field]
    if f"{field}_0" in sizes and isinstance(value, tuple | list):
        return type(value)(sizes[f"{field}_{index}"] for index in range(len(value)))
    return value
