"""Constructors of libraries: functions whose parameters are sizes, for ``paramproof derive``.

``tests.libraries.constructors:peft__lora`` is an entry of constructors.toml.
``diffusers__DiTTransformer2DModel`` is made of the class itself: its sizes are the positive ints
among its defaults, and the elements of tuples of such ints, ``block_out_channels_0``.
``timm__vit_tiny_patch16_224`` has those that the architecture gives to its class, or to the
dataclass that describes it.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pkgutil
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

# Before timm and others, which import torchvision.
import sweep  # noqa: F401

# isort: split
import diffusers
import timm
import torch
from timm.models import _builder

from sweep.witnesses.keras_hub import filled, sizes_named

DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FIXED = {
    f"{library}.{name}": one
    for library, some in DATA.items()
    if library not in ("base", "defaults")
    for name, one in some.items()
}
"""The constructors of constructors.toml, by name."""

WIDEST, DEEPEST, SMALL = 9000, 128, 64
"""The largest widths, numbers of layers, and kernels, patches, ratios or numbers of groups."""

DEPTHS = re.compile(r"d\d?$|.*(layers|depth|blocks|stages)|refiners$")

ARCHITECTURES = 100
"""The minimum number of architectures of timm."""

_OF_THE_BUILDER = """
    cache_dir feature_cfg features_only kwargs_filter out_indices pretrained pretrained_custom_load
    pretrained_filter_fn pretrained_strict pretrained_tag pretrained_cfg pretrained_cfg_overlay
    variant
"""

OF_THE_BUILDER = frozenset(_OF_THE_BUILDER.split())
"""Arguments that timm's builder does not pass on."""

GIVEN_BY_THE_BUILDER = {"in_chans": 3, "num_classes": 1000}
"""Arguments that a class has no default for, because the builder always passes them."""


def largest_size(parameter: str, limits: Mapping[str, int]) -> int:
    """Return the largest size to draw for a parameter, or for an element of one: ``depths_0``."""
    if parameter in limits:
        return limits[parameter]
    if DEPTHS.match(re.sub(r"_\d+$", "", parameter)):
        return DEEPEST
    if re.search("kernel|patch|stride|ratio|mult|group|window|scale|expan", parameter):
        return SMALL
    is_length = re.search("image|img|sample|grid|frames|resolution|length", parameter)
    return 512 if is_length else WIDEST


def reference(name: str) -> str:
    return f"{__name__}:{name.replace('.', '__', 1)}"


def __getattr__(name: str) -> Callable[..., Any]:
    library, _, what = name.partition("__")
    if (one := FIXED.get(f"{library}.{what}")) is not None:
        return _fixed(library, name, one)
    if library == "diffusers" and hasattr(diffusers, what):
        return _automatic(name, getattr(diffusers, what), {}, None)
    if library == "timm" and timm.is_model(what):
        return _automatic(name, *timm_call(what))
    raise AttributeError(name)


@cache
def _find(path: str) -> Any:
    return None if path == "builtins:None" else pkgutil.resolve_name(path)


def _fixed(library: str, name: str, one: Mapping[str, Any]) -> Callable[..., Any]:
    cls = _find(one["class"])
    others = {**DATA["base"].get(library, {}), **one.get("arguments", {})}
    own = one["sizes"].keys() - sizes_named(others, one["sizes"].keys())
    arguments = {**{size: size for size in own}, **others}

    def function(**sizes: int) -> Any:
        every = {**DATA["defaults"], **one["sizes"], **sizes}
        return cls(**filled(arguments, every, _find))

    return _with_sizes(name, function, one["sizes"])


def _with_sizes(
    name: str, function: Callable[..., Any], sizes: Mapping[str, int]
) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    keyword = inspect.Parameter.KEYWORD_ONLY
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(one, keyword, default=size) for one, size in sizes.items()]
    )
    return function


def _automatic(
    name: str, cls: Callable[..., Any], arguments: Mapping[str, Any], config: Any
) -> Callable[..., Any]:
    """Return a class as a function of the ints among its arguments, or among those of ``config``.

    A dataclass that describes the model is its argument ``cfg``.
    """
    defaults = {
        one.name: GIVEN_BY_THE_BUILDER.get(one.name) if one.default is one.empty else one.default
        for one in inspect.signature(cls).parameters.values()
    }
    described = (
        {one.name: getattr(config, one.name) for one in dataclasses.fields(config)}
        if dataclasses.is_dataclass(config)
        else {}
    )
    values = {**defaults, **arguments, **described}
    sizes = {name: size for field in values for name, size in _sizes_in(field, values[field])}

    def function(**given: int) -> Any:
        moved = {
            # A constructor may remove elements from the lists that it is given.
            field: _moved(field, copy.deepcopy(value), given)
            for field, value in values.items()
            if field in arguments or [*_sizes_in(field, value)]
        }
        own = {field: value for field, value in moved.items() if field not in described}
        if config is not None and not described:
            own["cfg"] = copy.deepcopy(config)
        if described:
            fields = {field: value for field, value in moved.items() if field in described}
            own["cfg"] = dataclasses.replace(copy.deepcopy(config), **fields)
        return cls(**own)

    return _with_sizes(name, function, sizes)


def _sizes_in(field: str, value: Any) -> Iterator[tuple[str, int]]:
    every = value if isinstance(value, tuple | list) else [value]
    if every and all(type(one) is int and one > 0 for one in every):
        names = [field] if every is not value else [f"{field}_{n}" for n in range(len(every))]
        yield from zip(names, every, strict=True)


def _moved(field: str, value: Any, given: Mapping[str, int]) -> Any:
    found = [given.get(name, size) for name, size in _sizes_in(field, value)]
    if isinstance(value, tuple | list):
        return type(value)(found or value)
    return found[0] if found else value


class _BuilderCall(Exception):
    def __init__(self, cls: type, arguments: dict[str, Any]) -> None:
        super().__init__(cls.__name__)
        self.cls, self.arguments = cls, arguments


def timm_call(architecture: str) -> tuple[Callable[..., Any], dict[str, Any], Any]:
    with _recording_builder():
        try:
            timm.create_model(architecture)
        except _BuilderCall as called:
            arguments = {n: v for n, v in called.arguments.items() if n not in OF_THE_BUILDER}
            return called.cls, arguments, arguments.pop("model_cfg", None)
    raise ValueError(f"{architecture} does not ask timm's builder for a model")


@contextmanager
def _recording_builder() -> Iterator[None]:
    builder = _builder.build_model_with_cfg

    def record_call(model_cls: Any, *_: Any, **arguments: Any) -> None:
        raise _BuilderCall(model_cls, arguments)

    with ExitStack() as patched:
        for module in vars(timm.models).values():
            if inspect.ismodule(module) and vars(module).get(builder.__name__) is builder:
                patched.enter_context(patch.object(module, builder.__name__, record_call))
        yield


def names(chosen: str) -> list[str]:
    if chosen == "fixed":
        return list(FIXED)
    found = _diffusers_classes() if chosen == "diffusers" else _timm_architectures()
    return [f"{chosen}.{name}" for name in found]


def _diffusers_classes() -> Iterator[str]:
    for name in sorted(diffusers._class_to_module):
        try:
            cls = getattr(diffusers, name)
            if issubclass(cls, diffusers.ModelMixin) and cls is not diffusers.ModelMixin:
                with torch.device("meta"):
                    cls()
                yield name
        except Exception:  # A class may raise anything, and may be no class.
            continue


def _timm_architectures() -> list[str]:
    """Return the first architecture of each class of timm, then the second ones, to 100.

    The classes with most architectures give a second one first. Architectures that build a model
    without timm's builder are left out.
    """
    by_class: dict[object, list[str]] = {}
    for name in timm.list_models():
        try:
            by_class.setdefault(timm_call(name)[0], []).append(name)
        except ValueError:
            continue
    lists = sorted(by_class.values(), key=len, reverse=True)
    longest = len(lists[0])
    found = [own[place] for place in range(longest) for own in lists if len(own) > place]
    return found[: max(ARCHITECTURES, len(by_class))]
