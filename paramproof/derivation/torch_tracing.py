"""The shape of each tensor of a PyTorch module in letters, seen where it is made.

A factory, ``torch.empty`` and its like, is given the sizes as the module has them: they are read
there, before they enter C++. A parameter is matched with the factory's result by its storage,
which a tensor on the meta device has too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self, TypeAlias

import torch
from torch.overrides import TorchFunctionMode

from paramproof.builders.meta import FILLS, counted
from paramproof.derivation.instruments import RUNNING
from paramproof.derivation.loops import Made
from paramproof.derivation.questions import about_a_loop
from paramproof.derivation.size import Size, made_by
from paramproof.formulas.expression import Expression, expression

Lengths: TypeAlias = tuple[Expression, ...]

SHAPED = {
    torch.empty,
    torch.zeros,
    torch.ones,
    torch.rand,
    torch.randn,
    torch.Tensor.new_empty,
    torch.Tensor.new_zeros,
    torch.Tensor.new_ones,
}
"""Factories whose arguments without a name are the shape, or have it as the first."""

SHAPE = torch.Tensor.shape.__get__


class Tracing(TorchFunctionMode):
    """Remembers, by storage, the lengths with which tensors were made inside."""

    def __init__(self) -> None:
        super().__init__()
        # By storage and shape: views of one storage differ in theirs.
        self._lengths: dict[int, dict[tuple[int, ...], Lengths]] = {}
        self._made_in: dict[int, Made] = {}
        # A storage that is gone would give its number to another.
        self._kept: list[torch.Tensor] = []

    def __enter__(self) -> Self:
        def initialized(made: torch.Tensor, *given: Any, **_: Any) -> None:
            # It takes values as well.
            if type(made) is torch.Tensor and given and all(isinstance(n, int) for n in given):
                with torch._C.DisableTorchFunction():
                    self._remember(made, tuple(map(_length, given)))

        # The old constructor, torch.Tensor(3), is in C++, and no mode is told of it.
        setattr(torch.Tensor, "__init__", initialized)  # noqa: B010
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        delattr(torch.Tensor, "__init__")

    def lengths(self, tensor: torch.Tensor) -> Lengths | None:
        """Return the shape of ``tensor`` in letters, None where nobody saw it made."""
        with torch._C.DisableTorchFunction():
            shape = tuple(tensor.shape)
            found = self._of(tensor)
        return found if found is not None else _ones(shape)

    def made(self, tensor: torch.Tensor) -> Made:
        """Return the iterations of loops in which ``tensor`` was made."""
        with torch._C.DisableTorchFunction():
            return self._made_in.get(_storage(tensor), ())

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        options = kwargs or {}
        result = func(*args, **options)
        if func is SHAPE or (func is torch.Tensor.size and isinstance(result, torch.Size)):
            with torch._C.DisableTorchFunction():
                return self._shape(args[0], result)
        if func is torch.Tensor.size:
            with torch._C.DisableTorchFunction():
                return self._shape(args[0], args[0].shape)[(*args, *options.values())[1]]
        if isinstance(result, torch.Tensor) and func not in FILLS:
            with torch._C.DisableTorchFunction():
                self._note(func, args, options, result)
        return result

    def _note(self, func: Any, args: Any, options: Any, result: torch.Tensor) -> None:
        lengths = self._shape_made(func, args, options, result)
        if lengths is not None:
            self._remember(result, lengths)

    def _remember(self, result: torch.Tensor, lengths: Lengths) -> None:
        self._lengths.setdefault(_storage(result), {}).setdefault(tuple(result.shape), lengths)
        if _storage(result) not in self._made_in:
            self._made_in[_storage(result)] = tuple(RUNNING)
            self._kept.append(result)

    def _of(self, tensor: torch.Tensor) -> Lengths | None:
        return self._lengths.get(_storage(tensor), {}).get(tuple(tensor.shape))

    def _shape_made(
        self, func: Any, args: Any, options: Any, result: torch.Tensor
    ) -> Lengths | None:
        given = _given(func, args, options)
        if given is not None:
            made = tuple(map(_length, given))
            return made if len(made) == result.dim() else None
        if func is torch.arange and 1 <= len(args) <= 3:
            return (_length(counted(*args)),)
        if func is torch.Tensor.expand:
            return _expanded(args[1:], self._of(args[0]), result)
        if func is torch.Tensor.__getitem__:
            return _with_new_axes(args[1], self._of(args[0]))
        if func is torch.norm_except_dim:
            return _kept_axes(self._of(args[0]), result)
        if func is torch.Tensor.unsqueeze:
            before = (*args, *options.values())[1] % result.dim()
            return _with_new_axes((*[slice(None)] * before, None), self._of(args[0]))
        if func is torch.cat:
            along = args[1] if len(args) > 1 else options.get("dim", 0)
            return _joined([self._of(one) for one in args[0]], along)
        # An elementwise operation: as long as what it was given.
        for tensor in _tensors((*args, *options.values())):
            found = self._of(tensor)
            if found is not None and tensor.shape == result.shape:
                return found
        # A number, however it was computed, is made here too.
        return _ones(result.shape)

    def _shape(self, tensor: torch.Tensor, shape: torch.Size) -> Any:
        found = self._of(tensor)
        if found is None:
            return shape
        return torch.Size(
            length if made.constant is not None else Size(length, made)
            for length, made in zip(shape, found, strict=True)
        )


def _ones(shape: Sequence[int]) -> Lengths | None:
    """The lengths of what has one element, None for anything else."""
    return (expression(1),) * len(shape) if set(shape) <= {1} else None


def _given(func: Any, args: Any, options: Any) -> tuple[Any, ...] | None:
    if func is torch.full:
        return tuple(args[0] if args else options["size"])
    if func is torch.normal:
        return tuple(options["size"]) if "size" in options else None
    if func not in SHAPED:
        return None
    sizes = args[1:] if args and isinstance(args[0], torch.Tensor) else args
    if not sizes:
        sizes = (options.get("size", ()),)
    return tuple(sizes[0]) if isinstance(sizes[0], tuple | list) else tuple(sizes)


def _expanded(given: Any, found: Lengths | None, result: torch.Tensor) -> Lengths | None:
    """The lengths of what was expanded: −1 stands for the length that there was."""
    sizes = tuple(given[0]) if isinstance(given[0], tuple | list) else tuple(given)
    if found is None or len(sizes) != result.dim():
        return None
    before = (expression(1),) * (len(sizes) - len(found)) + found
    pairs = zip(sizes, before, strict=True)
    return tuple(old if int(size) == -1 else _length(size) for size, old in pairs)


def _with_new_axes(index: Any, found: Lengths | None) -> Lengths | None:
    """The lengths of ``tensor[None, :]`` and its like, which adds axes and takes nothing away."""
    axes = index if isinstance(index, tuple) else (index,)
    if found is None or any(one is not None and one != slice(None) for one in axes):
        return None
    left = iter(found)
    seen = tuple(expression(1) if one is None else next(left) for one in axes)
    return seen + tuple(left)


def _joined(parts: Sequence[Lengths | None], along: int) -> Lengths | None:
    """The lengths of what was put together: they add up along one axis."""
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None
    made = list(known[0])
    made[along] = sum((one[along] for one in known[1:]), start=made[along])
    return tuple(made)


def _kept_axes(found: Lengths | None, result: torch.Tensor) -> Lengths | None:
    """The lengths of what was reduced over some axes, of which one is left."""
    if found is None or len(found) != result.dim():
        return None
    pairs = zip(found, result.shape, strict=True)
    return tuple(expression(1) if size == 1 else length for length, size in pairs)


def _length(given: Any) -> Expression:
    """The expression of a length; the index of a loop is the number that it is just then."""
    made = made_by(given)
    if made is None:
        return expression(int(given))
    if about_a_loop(made.letters):
        return expression(int(given))
    return made


def _tensors(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    return (value for value in values if isinstance(value, torch.Tensor))


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)
