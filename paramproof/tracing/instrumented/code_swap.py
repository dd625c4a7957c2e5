"""Run the functions of packages in their instrumented form, inside a context only.

A file is read and rewritten when one of its functions is about to run: a package has hundreds of
files, and a model needs twenty. Until then each of its functions aborts the trace, which starts
again after the file was rewritten.

PyTorch's layers and the modules of other frameworks are not rewritten. They receive an ``int``, a
``range`` and NumPy's ``prod`` that keep symbolic ints symbolic: Python's own ``int(H / A)`` and
``range(L)`` return plain ints, and ``numpy.prod`` makes an array.
"""

from __future__ import annotations
import __future__

import builtins
import gc
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from paramproof.tracing.instrumented import builtin_models, calls, containers, iteration, lengths
from paramproof.tracing.instrumented.code_transform import HOOK, instrumented_code, key_of
from paramproof.tracing.instrumented.containers import forget_values
from paramproof.tracing.instrumented.iteration import symbolic_range
from paramproof.tracing.instrumented.lengths import forget_lengths
from paramproof.tracing.recorder import MODEL_FILES
from paramproof.tracing.symbolic.symfloat import SymFloat
from paramproof.tracing.symbolic.symint import SymInt, is_trusted_file


class _LikeInt(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, builtins.int)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, builtins.int)

    def __call__(cls, *args: Any, **options: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], SymInt | SymFloat):
            return args[0].__trunc__()
        return builtins.int(*args, **options)


class TracingInt(builtins.int, metaclass=_LikeInt):
    """Python's ``int``, which keeps the expression of a symbolic number."""


class _LikeRange(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, builtins.range)

    def __call__(cls, *args: Any) -> Any:
        return symbolic_range(*args)


class TracingRange(metaclass=_LikeRange):
    """Python's ``range``, which becomes a ``SymRange`` if an argument is symbolic."""


@contextmanager
def _patched_prod() -> Iterator[None]:
    """Make ``numpy.prod`` keep symbolic ints, if NumPy is loaded."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        yield
        return
    plain = numpy.prod

    def prod(values: Any, *args: Any, **options: Any) -> Any:
        if isinstance(values, list | tuple) and any(isinstance(one, SymInt) for one in values):
            return math.prod(values)
        return plain(values, *args, **options)

    setattr(numpy, "prod", prod)  # noqa: B010
    try:
        yield
    finally:
        setattr(numpy, "prod", plain)  # noqa: B010


@contextmanager
def patched_modules(packages: Iterable[str]) -> Iterator[None]:
    """Patch the modules of ``packages`` inside the context."""
    # Discard what an earlier error left behind.
    forget_lengths()
    forget_values()
    packages = tuple(packages)
    inside = tuple(f"{package}." for package in packages)
    replaced = {"int": TracingInt, "range": TracingRange}
    touched: list[tuple[ModuleType, str]] = []
    for name in [name for name in sys.modules if name.startswith(inside) or name in packages]:
        if not isinstance(module := sys.modules[name], ModuleType):
            continue
        for key, value in replaced.items():
            if key not in vars(module):
                setattr(module, key, value)
                touched.append((module, key))
    try:
        with _patched_prod():
            yield
    finally:
        for module, key in touched:
            delattr(module, key)
        # A container that a loop filled may keep a whole model alive.
        forget_lengths()
        forget_values()


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
