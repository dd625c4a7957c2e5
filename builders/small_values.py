"""Values of small tensors on the meta device, computed when code reads them as numbers.

A constructor may compute its numbers with tensors: ``x.item() for x in torch.linspace(0, 0.1, 9)``
are the usual rates at which training skips layers. A tensor on the meta device has no values. This
module remembers how a tensor of at most one axis was computed, and runs the same functions on the
CPU once code reads a number. It changes no tensor of a model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

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
        if func in SOURCES or (self._known and func in COMPUTED):
            return self._noted(func, args, options, result)
        return result

    def _noted(self, func: Any, args: Any, options: Any, result: Any) -> Any:
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
        """Return the number or the list of numbers that the call reads.

        PyTorch calls the mode of a device last, so a tracer's mode sees this call and its result,
        but none of the computations for it.
        """
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
