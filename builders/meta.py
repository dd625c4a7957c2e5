"""PyTorch's meta device, where a tensor has a shape and no values, without what is slow there.

PyTorch draws random numbers there all the same, and counts up in ``arange``: in Python, for each
tensor, and imports its compiler for that, which takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

DRAWS = frozenset(
    {
        torch.nn.init.normal_,
        torch.nn.init.uniform_,
        torch.nn.init.trunc_normal_,
        torch.nn.init.kaiming_normal_,
        torch.nn.init.kaiming_uniform_,
        torch.nn.init.xavier_normal_,
        torch.nn.init.xavier_uniform_,
        torch.Tensor.normal_,
        torch.Tensor.uniform_,
        torch.Tensor.log_normal_,
        torch.Tensor.exponential_,
        torch.Tensor.cauchy_,
        torch.Tensor.geometric_,
    }
)
"""What fills a tensor with random numbers, and is written in Python on the meta device."""


class _Shapes(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        if func in DRAWS:
            tensor = args[0] if args else options["tensor"]
            if tensor.is_meta:
                return tensor
        if func is torch.arange and not options.keys() - {"dtype", "device"}:
            device = torch.device(options.get("device") or "meta")
            if device.type == "meta" and all(isinstance(number, int) for number in args):
                return _counted(*args, dtype=options.get("dtype") or torch.int64)
        return func(*args, **options)


@contextmanager
def meta() -> Iterator[None]:
    """Make tensors on the meta device inside, unless another one is named."""
    with torch.device("meta"), _Shapes():
        yield


def _counted(first: int, end: int | None = None, step: int = 1, *, dtype: Any) -> torch.Tensor:
    """What ``torch.arange`` makes on the meta device, of a length that may remember."""
    start, end = (0, first) if end is None else (first, end)
    return torch.empty(-((start - end) // step), dtype=dtype, device="meta")
