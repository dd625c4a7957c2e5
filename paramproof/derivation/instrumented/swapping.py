"""Let the functions of packages run in their instrumented form, inside only."""

from __future__ import annotations

import builtins
import gc
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any

from paramproof.derivation.instrumented import calls, containers, iterating, lengths, models
from paramproof.derivation.instrumented.code import HOOK, instrumented_code, key_of
from paramproof.derivation.places import MODEL_FILES
from paramproof.derivation.symbolic.escapes import is_trusted_file

HOOKS: dict[str, Any] = {
    "call": calls.call,
    "opaque": calls.opaque,
    "text": models.text,
    "percent": models.percent,
    "item": containers.item,
    "slice": containers.sliced,
    "contains": containers.contains,
    "stored": containers.stored,
    "carried": containers.carried,
    "step": containers.step,
    "list": iterating.listed,
    "set": models.as_set,
    "dict": models.as_dict,
    "iterate": iterating.iterate,
}
"""What instrumented code calls, by the names in ``instrumented.code``."""

FUTURE = 0x1000000
"""The flag of code after ``from __future__ import annotations``."""

_scanned: dict[tuple[str, ...], tuple[int, list[tuple[FunctionType, CodeType]]]] = {}
"""The functions of packages with their instrumented code, and how many modules there were then."""


@contextmanager
def swapped(packages: Collection[str]) -> Iterator[None]:
    """Give every function of these packages its instrumented code, inside only."""
    lengths.forget_all()
    containers.forget_entered()
    calls.outputs[:] = [sys.stdout, sys.stderr]
    found = _functions(tuple(packages))
    own = [(function, function.__code__) for function, _ in found]
    for name, hook in HOOKS.items():
        setattr(builtins, HOOK.format(name), hook)
    try:
        for function, code in found:
            function.__code__ = code
        yield
    finally:
        for function, code in own:
            function.__code__ = code
        lengths.forget_all()
        for name in HOOKS:
            delattr(builtins, HOOK.format(name))


def _functions(packages: tuple[str, ...]) -> list[tuple[FunctionType, CodeType]]:
    known = _scanned.get(packages)
    if known is not None and known[0] == len(sys.modules):
        return known[1]
    files = set(_files(packages))
    MODEL_FILES.update(files)
    found = []
    for one in _objects():
        if type(one) is FunctionType and one.__code__.co_filename in files:
            code = instrumented_code(one.__code__.co_filename, one.__code__.co_flags & FUTURE)
            new = code.get(key_of(one.__code__))
            if new is not None:
                found.append((one, new))
    _scanned[packages] = len(sys.modules), found
    return found


def _objects() -> list[Any]:
    """Return all objects that the garbage collector knows; of frozen ones it tells nobody."""
    if not gc.get_freeze_count():
        return gc.get_objects()
    gc.unfreeze()
    try:
        return gc.get_objects()
    finally:
        gc.freeze()


def _files(packages: tuple[str, ...]) -> Iterator[str]:
    inside = tuple(f"{package}." for package in packages)
    for name, module in list(sys.modules.items()):
        if name in packages or name.startswith(inside):
            file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
            if file and file.endswith(".py") and not is_trusted_file(file):
                yield file
