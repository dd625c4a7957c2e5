"""A faster context for PyTorch's meta device, where tensors have shapes but no values.

PyTorch still runs the code that fills such tensors with random or consecutive numbers. Much of it
is in Python, and it imports PyTorch's compiler, which takes seconds. This context skips it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._device import DeviceContext

from paramproof.builders.small_values import HIDDEN, SmallValues

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
        elif func is torch.arange and _counts(args, options) and self._is_meant(options):
            dtype = options.get("dtype") or torch.int64
            made = torch.empty(counted(*args), dtype=dtype, device=self.device)
            return self._values.note(func, args, {**options, "dtype": dtype}, made)
        made = super().__torch_function__(func, types, args, options)
        return self._values.note(func, args, options, made)

    def _is_meant(self, options: Any) -> bool:
        device = options.get("device")
        return device is None or torch.device(device).type == "meta"


def _counts(args: Any, options: Any) -> bool:
    whole = all(isinstance(number, int) for number in args)
    return whole and not options.keys() - {"dtype", "device"}


class _FloatTensor:
    """Replaces ``torch.FloatTensor``, which creates tensors on the CPU whatever the device is.

    It is a class, since models use ``torch.FloatTensor | None`` in annotations.
    """

    # The tracer passes symbolic sizes to classes of PyTorch.
    __module__ = "torch"
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
    # Another mode may record the guards that filling evaluates.
    if torch.overrides._get_current_function_mode() is None:
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
    """Return the length of ``torch.arange``, which is symbolic for symbolic arguments."""
    start, end = (0, first) if end is None else (first, end)
    return -((start - end) // step)
