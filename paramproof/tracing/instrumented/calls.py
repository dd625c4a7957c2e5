"""The hook for calls: pass sizes on to Python code, and observe what C code does with them.

C code asks a symbolic int for its value, which ``symint`` records. It reads symbolic
floats and strings unobserved: a call with one of them is a caveat, unless the function is known to
decide nothing by it, or has a model in ``builtin_models`` that carries the size on.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Mapping
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

from paramproof.tracing.instrumented.builtin_models import MODELS, symbolic_zip
from paramproof.tracing.instrumented.containers import get_item, record_growth, store, unknown_value
from paramproof.tracing.instrumented.iteration import (
    SymbolicIteration,
    SymRange,
    make_list,
    symbolic_iteration,
    symbolic_parts,
)
from paramproof.tracing.instrumented.lengths import known_length, loops_have_run, record_length
from paramproof.tracing.recorder import MODEL_FILES, RUNNING, record_caveat
from paramproof.tracing.symbolic.arithmetic import plain_number
from paramproof.tracing.symbolic.symfloat import NativeSymFloat, SymFloat, plain_float
from paramproof.tracing.symbolic.symint import (
    NativeSymInt,
    SymInt,
    is_asked_by_trusted_code,
    is_trusted_file,
    plain_int,
    trusting,
)
from paramproof.tracing.symbolic.symstr import SymStr, mark_parts, walk

GROWING = frozenset(
    {
        "append", "add", "extend", "insert", "add_module", "register_module", "update", "pop",
        "setdefault", "appendleft", "extendleft", "register_parameter", "register_buffer", "remove",
        "discard", "clear", "popleft", "popitem",
    }
)  # fmt: skip
"""Methods that change the number of elements of a container."""

KEEPING = GROWING | {"get", "items", "keys", "values", "copy", "sort", "reverse", "move_to_end"}
"""Methods of Python's containers that keep their arguments as they are."""

NEUTRAL: frozenset[Any] = frozenset(
    {
        issubclass, callable, setattr, hasattr, getattr, delattr, slice, staticmethod, classmethod,
        property, dict,
    }
)  # fmt: skip
"""Functions written in C that keep their arguments, or decide nothing by a number."""


def call(function: Any, /, *args: Any, **options: Any) -> Any:
    kind = type(function)
    if kind is FunctionType or kind is MethodType:
        return _call_python(function, args, options)
    try:
        model = MODELS.get(function)
    except TypeError:
        model = None
    if model is not None:
        return model(*args, **options)
    if kind in C_CALLABLES:
        return _call_builtin(function, args, options)
    if isinstance(function, type):
        return _call_class(function, args, options)
    if kind.__module__.startswith("numpy"):
        return (_call_ufunc if kind.__name__ == "ufunc" else _call_numpy)(function, args, options)
    if not _is_followed(kind):
        _record_silent_reads(function, args, options)
    return function(*args, **options)


def _is_followed(kind: type) -> bool:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    return file in MODEL_FILES or is_trusted_file(file)


def _as_json(args: Any, options: Any) -> Any:
    """Return JSON, as a symbolic string if it contains a size."""
    sized = list(symbolic_parts((args, options), 6))
    found = json.dumps(*_plain_deep(args), **_plain_deep(options))
    return SymStr(found, sized[0].expression) if sized else found


def _plain_deep(value: Any) -> Any:
    if type(value) in (SymRange, SymbolicIteration):
        value = make_list(value)
    if isinstance(value, dict):
        return {_plain_deep(key): _plain_deep(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        plain = map(_plain_deep, value)
        return type(value)(plain) if type(value) in (list, tuple) else [*plain]
    if isinstance(value, SymStr):
        return str.__str__(value)
    return plain_number(value) if isinstance(value, SymInt | SymFloat) else value


C_CALLABLES = (BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType)


def _call_python(function: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    code = getattr(function, "__code__", None)
    own: Any = getattr(function, "__self__", None)
    file = "" if code is None else code.co_filename
    if code is None and is_trusted_file(code_file(getattr(function, "__wrapped__", None))):
        # A logger that prints each message once looks up the messages it has printed.
        with trusting():
            return function(*args, **options)
    if function is json.dumps:
        return _as_json(args, options)
    # Not isinstance: it would call the object's own ``__getattribute__``, which may end up here.
    if issubclass(type(own), SymStr):
        found = function(*args, **options)
        # A separator may occur as often as a size says.
        return record_length(found) if isinstance(found, list) and not own.plain else found
    if RUNNING and own is not None and function.__name__ in GROWING:
        record_growth(own)
    if "/numpy/" in file:
        return _call_numpy(function, args, options)
    if "/torch/" in file:
        args = tuple(map(_as_float, args))
        options = {key: _as_float(one) for key, one in options.items()}
    if file in MODEL_FILES or is_trusted_file(file):
        return _call_model_code(function, own, args, options)
    _record_silent_reads(function, args, options)
    return function(*args, **options)


def _call_model_code(
    function: Any, own: Any, args: tuple[Any, ...], options: Mapping[str, Any]
) -> Any:
    """Call a function of PyTorch or the model; module listings may depend on loops."""
    found = function(*args, **options)
    if code_file(function) not in MODEL_FILES:
        if isinstance(found, str) and any(letter.isdigit() for letter in found):
            return SymStr(found, None, plain=False)
        if (
            hasattr(type(own), "named_modules")
            and function.__name__ in LISTING_METHODS
            and loops_have_run()
        ):
            values = [_named(one) for one in found]
            return SymbolicIteration(None, len(values), lambda number, _: values[number])
    return found


LISTING_METHODS = frozenset(
    {
        "named_modules", "named_parameters", "named_children", "named_buffers", "modules",
        "children", "parameters", "buffers",
    }
)  # fmt: skip
"""Methods of a module that list its parts, some of which loops over sizes may have made."""


def code_file(function: Any) -> str:
    code = getattr(function, "__code__", None)
    return "" if code is None else code.co_filename


def _named(found: Any) -> Any:
    if isinstance(found, tuple) and isinstance(found[0], str):
        name, *rest = found
        if any(letter.isdigit() for letter in name):
            return (SymStr(name, None, plain=True), *rest)
    return found


def _call_builtin(function: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    own: Any = getattr(function, "__self__", None)
    # Not isinstance, as above.
    kind = type(own)
    if issubclass(kind, list | dict | set) or hasattr(kind, "append"):
        options = _record_mutation(own, function.__name__, args, options)
        if function.__name__ in KEEPING:
            return function(*args, **options)
    if issubclass(kind, str):
        return _call_str_method(function, own, args, options)
    if is_torch_function(function, own):
        return call_torch(function, args, options)
    if str(getattr(function, "__module__", "")).startswith("numpy"):
        return _call_numpy(function, args, options)
    if RUNNING and function is next and not isinstance(args[0], SymbolicIteration):
        _record_counted("next()")
    if type(own) in SEQUENCES and function.__name__ == "__getitem__":
        return get_item(own, *args)
    if function is setattr and len(args) == 3:
        return setattr(*args[:2], store(args[2], args[0], f"{str.__str__(args[1])}"))
    if function not in NEUTRAL and function.__name__ not in NEUTRAL_METHODS:
        _record_silent_reads(function, args, options)
    return function(*args, **options)


def _record_mutation(
    own: Any, name: str, args: tuple[Any, ...], options: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Record how a method changes the length of a container; return its keyword arguments."""
    if RUNNING and name in GROWING:
        record_growth(own)
    # Not isinstance, as above.
    if RUNNING and name in ("pop", "popleft") and not issubclass(type(own), dict):
        _record_counted(f"{name}()")
    if name == "extend" and args and symbolic_iteration(args[0]) is not None:
        record_length(own)
    if RUNNING and name == "update" and options:
        return {key: store(one, own, key) for key, one in options.items()}
    return options


NEUTRAL_METHODS = frozenset({"__setattr__", "__getattribute__", "__delattr__", "__reduce_ex__"})
"""Methods of ``object`` that keep their arguments."""

SEQUENCES = (list, tuple, str, bytes)


def _record_counted(what: str) -> None:
    """Record that something other than a size may count the iterations of a loop."""
    record_caveat(RUNNING[-1].length, f" decides how often {what} was called")


def _call_str_method(
    function: Any, own: str, args: tuple[Any, ...], options: Mapping[str, Any]
) -> Any:
    if function.__name__ == "join" and not isinstance(args[0], list | tuple | str):
        args = (make_list(*args),)
    sized = list(symbolic_parts((*args, *options.values())))
    if isinstance(own, SymStr):
        found = function(*args, **options)
        return unknown_value(found) if isinstance(found, int) else found
    if not sized:
        return function(*args, **options)
    with trusting():
        found = function(*args, **options)
    plainly = all(
        one.plain if isinstance(one, SymStr) else isinstance(one, SymInt) for one in sized
    )
    if isinstance(found, str | list | tuple):
        return mark_parts(found, sized[0].expression, plainly and function.__name__ == "join")
    record_caveat(sized[0].expression, " was compared as text")
    return found


def _call_class(kind: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    if kind in NEUTRAL or issubclass(kind, BaseException):
        return kind(*args, **options)
    module = getattr(kind, "__module__", "")
    if module.startswith("torch") and not hasattr(kind, "named_modules"):
        return call_torch(kind, args, options)
    if (
        ("__init__" not in vars(kind) and "__new__" not in vars(kind) and module == "builtins")
        or kind.__flags__ & HEAP_TYPE == 0
        or not _is_followed(kind)
    ):
        _record_silent_reads(kind, args, options)
    made = kind(*args, **options)
    if hasattr(kind, "named_modules"):
        _pass_on_length(made, args)
    return made


HEAP_TYPE = 1 << 9
"""The flag of classes defined in Python."""


def _pass_on_length(made: Any, args: tuple[Any, ...]) -> None:
    """Give a list of modules the length of the list that it was made from."""
    if len(args) == 1 and hasattr(made, "__len__") and isinstance(args[0], list | tuple | dict):
        known = known_length(args[0])
        if known is not None and len(made) == len(args[0]):
            record_length(made, known.length)


def is_torch_function(function: Any, own: Any) -> bool:
    module = getattr(function, "__module__", None) or type(own).__module__
    of = getattr(function, "__objclass__", None)
    return module.startswith("torch") or (of is not None and of.__module__.startswith("torch"))


def call_torch(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """Call a function of PyTorch: its parser takes real ints, and tensors it creates are traced."""
    with trusting():
        return function(*map(_as_int, args), **{key: _as_int(one) for key, one in options.items()})


def _as_int(value: Any) -> Any:
    if isinstance(value, SymInt):
        return NativeSymInt(plain_int(value), value.expression)
    if isinstance(value, SymFloat):
        return plain_float(value) if value.is_constant else NativeSymFloat(value)
    if type(value) in (list, tuple):
        return type(value)(map(_as_int, value))
    return value


def _as_float(value: Any) -> Any:
    return _as_int(value) if isinstance(value, SymFloat) else value


def _call_numpy(function: Any, args: Any, options: Any) -> Any:
    if function.__name__ == "prod" and len(args) == 1 and not options:
        return MODELS[math.prod](args[0])
    for one in walk((args, options)):
        if isinstance(one, SymInt | SymFloat):
            record_caveat(one.expression, f" was given to numpy.{function.__name__}")
            break
    for one in args:
        if (known := known_length(one)) is not None:
            record_caveat(
                known.length, f" decides how long is what numpy.{function.__name__} is given"
            )
    return function(*_plain_deep(args), **_plain_deep(options))


def _call_ufunc(function: Any, args: Any, options: Any) -> Any:
    """Call a ufunc, with plain numbers if symbolic ones do not have its operation, as ``sqrt``."""
    try:
        return function(*args, **options)
    except TypeError:
        return _call_numpy(function, args, options)


def _record_silent_reads(function: Any, args: Any, options: Any) -> None:
    """Record a caveat for an argument that C code reads unobserved."""
    for one in (*args, *options.values()):
        if type(one) in (SymRange, SymbolicIteration) or known_length(one) is not None:
            known = known_length(one)
            length = one.length if known is None else known.length
            record_caveat(length, f" decides how long is what was given to {_name(function)}")
            return
    for one in walk((args, options)):
        if isinstance(one, SymStr) or (isinstance(one, SymFloat) and not one.is_constant):
            if not is_asked_by_trusted_code():
                record_caveat(one.expression, f" was given to {_name(function)}")
            return


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


def source_text(value: Any) -> Any:
    """Return text that is about to be compiled; sizes in it cannot be followed."""
    if isinstance(value, SymStr):
        record_caveat(value.expression, " became code")
    return value


outputs: list[Any] = []
"""The output streams when the trace began, which the model does not read."""


def _printed(*args: Any, **options: Any) -> None:
    """Print; printing to any other file is a caveat, because the model may read it."""
    file = options.get("file")
    if (sys.stdout if file is None else file) not in outputs:
        _record_written(args)
    with trusting():
        print(*args, **options)


def _record_written(args: Any) -> None:
    for one in walk(args):
        if isinstance(one, SymInt | SymStr | SymFloat):
            record_caveat(one.expression, " was written to a file")
            return


def _warned(*args: Any, **options: Any) -> None:
    options["stacklevel"] = options.get("stacklevel", 1) + 2
    warnings.warn(*args, **options)


def _map(function: Any, *iterables: Any, **options: Any) -> Any:
    found = [symbolic_iteration(one) for one in iterables]
    if not any(found):
        return (call(function, *args) for args in zip(*iterables, **options))  # noqa: B905
    return (call(function, *args) for args in symbolic_zip(*iterables, **options))


def _filter(function: Any, iterable: Any) -> Any:
    found = symbolic_iteration(iterable)
    values = iterable if found is None else found
    return (one for one in values if (one if function is None else call(function, one)))


MODELS[map] = _map
MODELS[filter] = _filter
MODELS[print] = _printed
MODELS[warnings.warn] = _warned
