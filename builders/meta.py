"""A faster context for PyTorch's meta device, where tensors have shapes but no values.

PyTorch still runs the code that fills such tensors with random or consecutive numbers. Much of it
is in Python, and it imports PyTorch's compiler, which takes seconds. This context skips it.

A constructor may also compute its numbers with tensors: ``x.item() for x in torch.linspace(0, 0.1,
9)`` are the usual rates at which training skips layers. So the context remembers how a tensor of at
most one axis was computed, and runs the same functions on the CPU once code reads a number. It
changes no tensor of a model.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._device import DeviceContext
from torch.utils.weak import WeakIdKeyDictionary

FILLS = frozenset(
    {
        torch.nn.init.constant_,
        torch.nn.init.normal_,
        torch.nn.init.uniform_,
        torch.nn.init.trunc_normal_,
        torch.nn.init.kaiming_normal_,
        torch.nn.init.kaiming_uniform_,
        torch.nn.init.xavier_normal_,
        torch.nn.init.xavier_uniform_,
        torch.Tensor.fill_,
        torch.Tensor.zero_,
        torch.Tensor.normal_,
        torch.Tensor.uniform_,
        torch.Tensor.log_normal_,
        torch.Tensor.exponential_,
        torch.Tensor.cauchy_,
        torch.Tensor.geometric_,
    }
)
"""Functions that fill a tensor and return it; on the meta device many are slow Python code."""

FILLED = frozenset({torch.ones, torch.zeros, torch.rand, torch.randn})
"""Factories that are equivalent to ``torch.empty`` on the meta device, but slower."""

LAYERS: tuple[Any, ...] = (
    torch.nn.Linear,
    torch.nn.Embedding,
    torch.nn.LayerNorm,
    torch.nn.GroupNorm,
    torch.nn.modules.batchnorm._NormBase,
    torch.nn.modules.conv._ConvNd,
)
"""PyTorch's layers whose ``reset_parameters`` fills their weights."""


LARGEST = 4096
"""The maximum number of elements of a tensor whose computation is recorded."""

SOURCES = frozenset({torch.arange, torch.linspace, torch.full, torch.tensor})
"""Factories whose values depend only on their arguments."""

_FUNCTIONS = """
    abs add cat ceil clamp cumprod cumsum diff div divide exp flip floor floor_divide log log2
    maximum minimum mul multiply neg pow prod reciprocal remainder round rsqrt sqrt square stack sub
    sum trunc true_divide
"""

_METHODS = """
    abs add ceil clamp clone contiguous cpu cumprod cumsum detach diff div divide double exp flatten
    flip float floor floor_divide int log log2 long max maximum min minimum mul multiply neg pow
    prod reciprocal remainder reshape round rsqrt split sqrt square squeeze sub sum trunc
    true_divide type unbind unsqueeze eq ge gt le lt ne view expand to
    __abs__ __add__ __eq__ __floordiv__ __ge__ __getitem__ __gt__ __le__ __lt__ __mod__ __mul__
    __ne__ __neg__ __pow__ __radd__ __rdiv__ __rfloordiv__ __rmul__ __rpow__ __rsub__ __rtruediv__
    __sub__ __truediv__
"""

COMPUTED = frozenset(
    [getattr(torch, name) for name in _FUNCTIONS.split()]
    + [getattr(torch.Tensor, name) for name in _METHODS.split() if hasattr(torch.Tensor, name)]
)
"""Deterministic functions that do not modify their arguments."""

ASKED = frozenset(
    getattr(torch.Tensor, name)
    for name in ("item", "tolist", "__float__", "__int__", "__bool__", "__index__")
)
"""Methods that return values as Python numbers."""

HIDDEN = frozenset({torch.Tensor.data.__get__, torch.Tensor.data.__set__})
"""Accessors that alias a tensor, so that its values may change unnoticed."""


@dataclass(slots=True, eq=False)
class _Computation:
    """A function and its arguments; ``index`` selects one of several results."""

    function: Callable[..., Any]
    given: tuple[Any, ...]
    options: dict[str, Any]
    index: int | None
    values: Any = field(default=None)

    def value(self) -> Any:
        """Return the result of the function on the CPU."""
        if self.values is None:
            options = _on_cpu(self.options)
            if self.function in SOURCES:
                options["device"] = "cpu"
            result = self.function(*_on_cpu(self.given), **options)
            self.values = result if self.index is None else result[self.index]
        return self.values


class SmallValues:
    """Records how the small tensors of one meta device were computed, as long as they live."""

    def __init__(self) -> None:
        # For each tensor, its computation and the version of the tensor at that time.
        self._known = WeakIdKeyDictionary()

    def note(self, func: Any, args: Any, options: Any, result: Any) -> Any:
        """Record how ``result`` was computed, if possible, and return it."""
        if func not in SOURCES and not (self._known and func in COMPUTED):
            return result
        several = isinstance(result, tuple | list)
        tensors = result if several else (result,)
        if not all(map(_is_small, tensors)):
            return result
        try:
            given, named = self._without_tensors(args), self._without_tensors(options)
        except LookupError:
            return result
        for index, tensor in enumerate(tensors):
            made = _Computation(func, given, named, index if several else None)
            self._known[tensor] = made, tensor._version
        return result

    def _without_tensors(self, given: Any) -> Any:
        """Return ``given`` with computations in place of tensors. Raises ``LookupError``."""
        if isinstance(given, torch.Tensor):
            return self._computation(given)
        if isinstance(given, dict):
            return {name: self._without_tensors(one) for name, one in given.items()}
        if type(given) in (tuple, list):
            return type(given)(map(self._without_tensors, given))
        return given

    def _computation(self, tensor: torch.Tensor) -> _Computation:
        made, version = self._known[tensor]
        if tensor._version != version:
            raise LookupError("it was changed")
        return made  # type: ignore[no-any-return]

    def is_asked(self, func: Any, args: Any) -> bool:
        """Return whether a call reads numbers that can be computed."""
        if func not in ASKED or not args or args[0] not in self._known:
            return False
        try:
            self._computation(args[0])
        except LookupError:
            return False
        return True

    def answer(self, func: Any, args: Any, options: Any) -> Any:
        """Return the number or the list of numbers that the call reads."""
        made = self._computation(args[0])
        return func(made.value(), *args[1:], **options)

    def forget(self, tensor: torch.Tensor) -> None:
        """Forget a tensor and all others with its storage, since their values may have changed."""
        if self._known:
            storage = tensor.untyped_storage()._cdata
            for other in list(self._known):
                if other.untyped_storage()._cdata == storage:
                    del self._known[other]


def _is_small(tensor: Any) -> bool:
    return (
        isinstance(tensor, torch.Tensor)
        and tensor.is_meta
        and tensor.dim() <= 1
        and tensor.numel() <= LARGEST
    )


def _on_cpu(given: Any) -> Any:
    if isinstance(given, _Computation):
        return given.value()
    if isinstance(given, dict):
        return {
            name: torch.device("cpu") if name == "device" else _on_cpu(one)
            for name, one in given.items()
        }
    if type(given) in (tuple, list):
        return type(given)(map(_on_cpu, given))
    return given


class _Meta(DeviceContext):
    """The meta device and its shortcuts in one mode, since each mode sees every function call."""

    def __init__(self) -> None:
        super().__init__(torch.device("meta"))
        self._values = SmallValues()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        if self._values.is_asked(func, args):
            return self._values.answer(func, args, options)
        if func in FILLS:
            tensor = args[0] if args else options["tensor"]
            if tensor.is_meta:
                self._values.forget(tensor)
                return tensor
        elif func in HIDDEN:
            self._values.forget(args[0])
        elif func in FILLED and self._is_meant(options):
            if not options.keys() & {"out", "generator"}:
                func = torch.empty
        elif func is torch.arange and self._is_meant(options) and self._counts(args, options):
            dtype = options.get("dtype") or torch.int64
            made = torch.empty(counted(*args), dtype=dtype, device=self.device)
            return self._values.note(func, args, {**options, "dtype": dtype}, made)
        made = super().__torch_function__(func, types, args, options)
        return self._values.note(func, args, options, made)

    def _is_meant(self, options: Any) -> bool:
        device = options.get("device")
        return device is None or torch.device(device).type == "meta"

    def _counts(self, args: Any, options: Any) -> bool:
        named = options.keys() - {"dtype", "device"}
        return not named and all(isinstance(number, int) for number in args)


class _FloatTensor:
    """Replaces ``torch.FloatTensor``, which creates tensors on the CPU whatever the device is.

    It is a class, since models use ``torch.FloatTensor | None`` in annotations.
    """

    values = torch.FloatTensor

    def __new__(cls, *given: Any) -> Any:
        if given and all(isinstance(number, int) for number in given):
            return torch.empty(*given, dtype=torch.float32)
        return cls.values(*given)


def _dft(size: int, scale: str | None = None) -> Any:
    """Replace SciPy's ``dft``: return shape (size, size) in the memory of one number.

    With a certain flag FNet computes two such matrices in each layer: millions of sines.
    """
    import numpy

    return numpy.broadcast_to(numpy.complex64(0), (size, size))


def _filled(layer: Any) -> Callable[[Any], None]:
    """Return a ``reset_parameters`` that skips meta tensors, which halves the time of a layer."""
    own: Callable[[Any], None] = layer.reset_parameters

    def reset_parameters(self: Any) -> None:
        if self.weight is None or not self.weight.is_meta:
            own(self)

    return reset_parameters


@contextmanager
def meta() -> Iterator[None]:
    """Make tensors on the meta device inside, unless another one is named."""
    standing: list[tuple[Any, str, Any]] = [(torch, "FloatTensor", _FloatTensor)]
    standing += [(layer, "reset_parameters", _filled(layer)) for layer in LAYERS]
    # Code that calls dft has imported it already.
    if linalg := sys.modules.get("scipy.linalg"):
        standing.append((linalg, "dft", _dft))
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in standing]
    try:
        for one in standing:
            setattr(*one)
        with _Meta():
            yield
    finally:
        for one in before:
            setattr(*one)


def counted(first: Any, end: Any = None, step: Any = 1) -> Any:
    """Return the length of ``torch.arange``."""
    start, end = (0, first) if end is None else (first, end)
    return -((start - end) // step)
