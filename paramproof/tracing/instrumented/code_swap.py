"""Run the functions of packages in their instrumented form, inside a context only.

A file is read and rewritten when one of its functions is about to run: a package has hundreds of
files, and a model needs twenty. Until then each of its functions aborts the trace, which starts
again after the file was rewritten.
"""

from __future__ import annotations
import __future__

import builtins
import gc
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from paramproof.tracing.call_sites import MODEL_FILES
from paramproof.tracing.instrumented import builtin_models, calls, containers, iteration, lengths
from paramproof.tracing.instrumented.code_transform import HOOK, instrumented_code, key_of
from paramproof.tracing.symbolic.escapes import is_trusted_file


class NotRewritten(BaseException):
    """A function was about to run whose file was not rewritten yet."""


HOOKS: dict[str, Any] = {
    "call": calls.call,
    "opaque": calls.source_text,
    "text": builtin_models.format_parts,
    "percent": builtin_models.percent_format,
    "item": containers.get_item,
    "slice": containers.make_slice,
    "contains": containers.contains,
    "stored": containers.store,
    "carried": containers.carried_over,
    "counted": containers.value_after_loop,
    "starred": containers.note_starred,
    "together": containers.starred_display,
    "given": containers.starred_arguments,
    "unpacked": containers.unpack,
    "compared": containers.compare,
    "add": containers.add,
    "iadd": containers.iadd,
    "step": containers.added_value,
    "list": iteration.make_list,
    "set": builtin_models.make_set,
    "dict": builtin_models.make_dict,
    "iterate": iteration.iterate,
}
"""The hooks that instrumented code calls, by their name in ``code_transform``."""

FUTURE = __future__.annotations.compiler_flag
"""The compiler flag of code with ``from __future__ import annotations``."""

_rewritten: set[str] = set()
"""Files whose functions run in their instrumented form."""

_missed: set[str] = set()
"""Files that had to be rewritten when one of their functions was about to run."""

_scanned: dict[tuple[str, ...], tuple[int, list[FunctionType]]] = {}
"""The functions of packages, with the number of modules loaded when they were collected."""


def forget_functions() -> None:
    """Collect functions anew: a closure may be new although no module is."""
    _scanned.clear()


def run_instrumented(
    packages: Collection[str], trace: Callable[[], Any], plain: Callable[[], Any]
) -> Any:
    """Return ``trace()``, run with the functions of ``packages`` in their instrumented form.

    ``plain`` does the same with plain sizes: it tells which files are needed.
    """
    while True:
        try:
            with _swapped(tuple(packages)):
                return trace()
        except NotRewritten:
            pass
        finally:
            missed = set(_missed)
            _missed.clear()
        if missed:
            _rewritten.update(missed, _files_run(plain))


@contextmanager
def _swapped(packages: tuple[str, ...]) -> Iterator[None]:
    """Give every function of these packages its instrumented code inside the context."""
    lengths.forget_lengths()
    containers.forget_values()
    calls.outputs[:] = [sys.stdout, sys.stderr]
    own = [(function, function.__code__) for function in _functions(packages)]
    for name, hook in HOOKS.items():
        setattr(builtins, HOOK.format(name), hook)
    setattr(builtins, HOOK.format("missing"), _miss)
    try:
        for function, code in own:
            function.__code__ = _instrumented(code)
        yield
    finally:
        for function, code in own:
            function.__code__ = code
        lengths.forget_lengths()
        for name in (*HOOKS, "missing"):
            delattr(builtins, HOOK.format(name))


def _instrumented(code: CodeType) -> CodeType:
    """Return a function's instrumented code, or code that reports its file as missing."""
    if code.co_filename not in _rewritten:
        return _missing(code.co_filename, code.co_freevars)
    found = instrumented_code(code.co_filename, code.co_flags & FUTURE)
    key = key_of(code)
    if key in found:
        return found[key]
    # Another tool may have rewritten the code, so that it ends at another column.
    alike = [one for other, one in found.items() if other[:3] == key[:3]]
    return alike[0] if len(alike) == 1 else code


@cache
def _missing(file: str, free: tuple[str, ...]) -> CodeType:
    """Return code that reports that a function of ``file`` was about to run."""
    name = HOOK.format("missing")
    module = compile(f"def missing(*args, **options):\n    {name}({file!r})", file, "exec")
    (code,) = (one for one in module.co_consts if isinstance(one, CodeType))
    return code.replace(co_freevars=free)


def _miss(file: str) -> None:
    _missed.add(file)
    raise NotRewritten(file)


def _files_run(plain: Callable[[], Any]) -> set[str]:
    """Return the model files whose functions run when a model is built from plain sizes."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            found.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        plain()
    except Exception:  # The trace raises the same error.
        pass
    finally:
        sys.setprofile(before)
    return found & MODEL_FILES


def _functions(packages: tuple[str, ...]) -> list[FunctionType]:
    known = _scanned.get(packages)
    if known is not None and known[0] == len(sys.modules):
        return known[1]
    files = set(_files(packages))
    MODEL_FILES.update(files)
    found = [
        one for one in _objects() if type(one) is FunctionType and one.__code__.co_filename in files
    ]
    _scanned[packages] = len(sys.modules), found
    return found


def _objects() -> list[Any]:
    """Return all objects that the garbage collector tracks, including frozen ones."""
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
