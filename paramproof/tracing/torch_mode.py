"""Record the symbolic shapes of PyTorch's tensors where they are created.

A factory such as ``torch.empty`` receives the sizes as the module has them; they are recorded
before they enter C++. A parameter is matched with the result of a factory by its storage, which
tensors on the meta device have, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple, Self, TypeAlias

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from paramproof.builders.meta import FILLS, counted
from paramproof.formulas.derivation import Role
from paramproof.formulas.expression import Expression, expression
from paramproof.tracing.instrumented.builtin_models import MODELS
from paramproof.tracing.instrumented.containers import unknown_value
from paramproof.tracing.instrumented.iteration import ROW_READERS, run_loop
from paramproof.tracing.instrumented.lengths import consume, known_length, record_length
from paramproof.tracing.recorder import RUNNING, has_loop_index, record_caveat
from paramproof.tracing.symbolic.arithmetic import expression_of
from paramproof.tracing.symbolic.symfloat import SymFloat
from paramproof.tracing.symbolic.symint import SymInt, is_asked_by_trusted_code, symint_or_int
from paramproof.tracing.tensor_groups import IterationStack, ObservedTensor

Lengths: TypeAlias = tuple[Expression, ...]

FACTORIES = {
    torch.empty,
    torch.zeros,
    torch.ones,
    torch.rand,
    torch.randn,
    torch.Tensor.new_empty,
    torch.Tensor.new_zeros,
    torch.Tensor.new_ones,
}
"""Factories whose positional arguments are the shape, or start with it."""

SHAPE = torch.Tensor.shape.__get__

SPLITTERS = frozenset({torch.Tensor.split, torch.split, torch.Tensor.split_with_sizes})
"""Functions that split a tensor into pieces of given lengths."""

COUNTERS = frozenset({torch.Tensor.numel, torch.Tensor.nelement, torch.numel})
"""Functions that return the number of elements of a tensor."""

READERS = COUNTERS | {
    torch.Tensor.item,
    torch.Tensor.tolist,
    torch.Tensor.__bool__,
    torch.Tensor.__contains__,
    torch.Tensor.is_nonzero,
    torch.Tensor.equal,
    torch.Tensor.allclose,
    torch.Tensor.stride,
    torch.Tensor.nbytes.__get__,
    torch.Tensor.storage_offset,
    torch.equal,
    torch.allclose,
    torch.is_nonzero,
}
"""Functions that read plain numbers from a tensor."""

PLAIN_READERS = frozenset(
    {
        torch.Tensor.__int__,
        torch.Tensor.__float__,
        torch.Tensor.__index__,
        torch.Tensor.untyped_storage,
        torch.Tensor.data_ptr,
        torch.Tensor.numpy,
        torch.Tensor.__array__,
    }
)
"""Functions whose results carry no size."""

ONE = expression(1)


class ShapeRecorder(TorchFunctionMode):
    """Records the symbolic shapes of tensors, and the iterations that created them, by storage."""

    def __init__(self) -> None:
        super().__init__()
        # By storage and shape, because views of one storage differ in their shape.
        self._lengths: dict[int, dict[tuple[int, ...], Lengths]] = {}
        self._made_in: dict[int, IterationStack] = {}
        self._valued: set[int] = set()
        self._spaced: dict[int, tuple[Linspace, Any]] = {}
        self._rows: dict[int, Any] = {}
        # Keeps tensors alive: the address of a freed storage could be used again.
        self._kept: list[torch.Tensor] = []

    def __enter__(self) -> Self:
        def initialized(made: torch.Tensor, *given: Any, **_: Any) -> None:
            # Its arguments may also be values.
            if type(made) is torch.Tensor and given and all(isinstance(n, int) for n in given):
                with torch._C.DisableTorchFunction():
                    self._remember(made, tuple(map(_length, given)))

        # The legacy constructor torch.Tensor(3) bypasses modes.
        setattr(torch.Tensor, "__init__", initialized)  # noqa: B010
        ROW_READERS.append(self.row)
        MODELS[torch.Size] = SymbolicShape
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        delattr(torch.Tensor, "__init__")
        ROW_READERS.remove(self.row)
        del MODELS[torch.Size]

    def lengths(self, tensor: torch.Tensor) -> Lengths | None:
        """Return the symbolic shape of ``tensor``, None if its creation was not observed."""
        with torch._C.DisableTorchFunction():
            shape = tuple(tensor.shape)
            found = self._of(tensor)
        return found if found is not None else _ones(shape)

    def made(self, tensor: torch.Tensor) -> IterationStack:
        with torch._C.DisableTorchFunction():
            return self._made_in.get(_storage(tensor), ())

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        options = kwargs or {}
        result = func(*args, **options)
        if func == SHAPE or (func is torch.Tensor.size and isinstance(result, torch.Size)):
            with torch._C.DisableTorchFunction():
                return self._shape(args[0], result)
        with torch._C.DisableTorchFunction():
            if func is torch.Tensor.size:
                return self._shape(args[0], args[0].shape)[(*args, *options.values())[1]]
            if func in READERS or func in PLAIN_READERS:
                return self._read(func, args, options, result)
            if isinstance(result, torch.Tensor) and func not in FILLS:
                self._note(func, args, options, result)
            elif isinstance(result, tuple | list) and self._mark(args, options, result):
                split = func in SPLITTERS and self._split(args, options, result)
                if not split:
                    record_length(result)
        return result

    def _read(self, func: Any, args: Any, options: Any, result: Any) -> Any:
        """Return numbers that are read from tensors, symbolic if the tensors depend on sizes."""
        tensors = [*_tensors((*args, *options.values()))]
        if func in COUNTERS:
            found = self._of(tensors[0])
            return result if found is None else symint_or_int(result, prod(found, start=ONE))
        if not any(map(self.is_of_sizes, tensors)):
            return result
        spaced = self._spaced.get(id(tensors[0]))
        if spaced is not None and isinstance(result, float):
            return spaced[0].at(spaced[1], result)
        if spaced is not None and isinstance(result, list):
            return consume(row_numbers(spaced[0], result))
        if isinstance(result, bool) or func in PLAIN_READERS:
            if not is_asked_by_trusted_code():
                record_caveat(None, f" was read from a tensor by {func.__name__}")
            return result
        found = self._of(tensors[0])
        return _unknown(result, found[0] if found and isinstance(result, list) else None)

    def _split(self, args: Any, options: Any, results: Sequence[torch.Tensor]) -> bool:
        """Record the lengths of the pieces of a split tensor; return whether that is possible."""
        sizes = (
            args[1]
            if len(args) > 1
            else options.get("split_size_or_sections", options.get("split_size"))
        )
        if not isinstance(sizes, list | tuple) or known_length(sizes) is not None:
            return False
        spaced, start = self._spaced.get(id(args[0])), expression(0)
        for size, result in zip(sizes, results, strict=True):
            length = _length(size)
            if result.dim() == 1:
                # The pieces are views of one storage, and may have equal shapes.
                self._rows[id(result)] = size
                self._kept.append(result)
                if spaced is not None:
                    self._spaced[id(result)] = spaced[0].part(start, size), None
            start = start + length
        return True

    def is_of_sizes(self, tensor: torch.Tensor) -> bool:
        """Return whether the values of a tensor, or their number, depend on sizes."""
        found = self._of(tensor)
        if found is not None and any(length.letters for length in found):
            return True
        return _storage(tensor) in self._valued

    def row(self, tensor: torch.Tensor, number: int, index: Expression | None) -> torch.Tensor:
        """Return ``tensor[number]`` for the iteration with this index."""
        row: torch.Tensor = tensor[number]
        spaced = self._spaced.get(id(tensor))
        if spaced is not None:
            self._spaced[id(row)] = spaced[0], index
            self._kept.append(row)
        return row

    def _mark(self, args: Any, options: Any, results: Iterable[Any]) -> bool:
        """Record which tensors have values that depend on sizes; return whether ``results`` do."""
        given = [*args, *options.values()]
        given = [
            one for part in given for one in (part if type(part) in (list, tuple) else (part,))
        ]
        if any(
            isinstance(one, SymInt | SymFloat)
            or (isinstance(one, torch.Tensor) and self.is_of_sizes(one))
            for one in given
        ):
            made = list(_tensors(results))
            self._valued.update(map(_storage, made))
            self._kept.extend(made)
            return True
        return False

    def _note(self, func: Any, args: Any, options: Any, result: torch.Tensor) -> None:
        if func not in FACTORIES:
            self._mark(args, options, (result,))
        if func is torch.linspace and (spaced := Linspace.of(args, options)):
            self._spaced[id(result)] = spaced, None
            self._kept.append(result)
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
        if func is torch.linspace and (len(args) > 2 or "steps" in options):
            return (_length(args[2] if len(args) > 2 else options["steps"]),)
        return self._shape_of_given(func, args, options, result)

    def _shape_of_given(
        self, func: Any, args: Any, options: Any, result: torch.Tensor
    ) -> Lengths | None:
        """Return the shape of a tensor that was made from other tensors."""
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
        # An elementwise operation keeps the shape of its argument.
        for tensor in _tensors((*args, *options.values())):
            found = self._of(tensor)
            if found is not None and tensor.shape == result.shape:
                return found
        # A scalar has a known shape, however it was computed.
        return _ones(result.shape)

    def _shape(self, tensor: torch.Tensor, shape: torch.Size) -> Any:
        if id(tensor) in self._rows:
            return SymbolicShape((self._rows[id(tensor)],))
        found = self._of(tensor)
        if found is None:
            return shape
        return SymbolicShape(
            length if made.constant is not None else SymInt(length, made)
            for length, made in zip(shape, found, strict=True)
        )


class SymbolicShape(tuple[Any, ...]):
    """A tensor's shape with symbolic lengths, which ``torch.Size`` cannot hold."""

    __class__ = property(lambda self: torch.Size)

    def numel(self) -> Any:
        return prod(self)

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return SymbolicShape(found) if isinstance(index, slice) else found


class Linspace(NamedTuple):
    """The result of ``torch.linspace`` from 0 to a constant, in which only the first value is 0."""

    end: float
    length: Any
    start: Expression = Expression()

    @classmethod
    def of(cls, args: Any, options: Any) -> Linspace | None:
        """Return what these arguments make, None if it does not start at 0."""
        given = [*args, *(options[name] for name in ("start", "end", "steps") if name in options)]
        if len(given) != 3 or given[0] != 0 or isinstance(given[1], SymInt | torch.Tensor):
            return None
        return cls(float(given[1]), given[2])

    def part(self, start: Expression, length: Any) -> Linspace:
        return Linspace(self.end, length, self.start + start)

    def at(self, index: Expression | None, value: float) -> Any:
        """Return the value at an index: only its sign is known."""
        if self.end == 0:
            return 0.0
        sign = None if index is None else (self.start + index) * (1 if self.end > 0 else -1)
        return SymFloat(value, None, sign=sign)


def row_numbers(spaced: Linspace, values: Sequence[float]) -> Iterator[Any]:
    for number, index in run_loop(expression_of(spaced.length), len(values), None):
        yield spaced.at(index, values[number])


def _unknown(value: Any, length: Expression | None) -> Any:
    if isinstance(value, tuple):
        return record_length(tuple(_unknown(one, None) for one in value), length)
    if isinstance(value, list):
        return record_length([_unknown(one, None) for one in value], length)
    return unknown_value(value)


def _ones(shape: Sequence[int]) -> Lengths | None:
    """Return the shape of a tensor with one element, None for any other."""
    return (expression(1),) * len(shape) if set(shape) <= {1} else None


def _given(func: Any, args: Any, options: Any) -> tuple[Any, ...] | None:
    if func is torch.full:
        return tuple(args[0] if args else options["size"])
    if func is torch.normal:
        return tuple(options["size"]) if "size" in options else None
    if func not in FACTORIES:
        return None
    sizes = args[1:] if args and isinstance(args[0], torch.Tensor) else args
    if not sizes:
        sizes = (options.get("size", ()),)
    return tuple(sizes[0]) if isinstance(sizes[0], tuple | list) else tuple(sizes)


def _expanded(given: Any, found: Lengths | None, result: torch.Tensor) -> Lengths | None:
    """Return the shape of an expanded tensor; −1 keeps a length."""
    sizes = tuple(given[0]) if isinstance(given[0], tuple | list) else tuple(given)
    if found is None or len(sizes) != result.dim():
        return None
    before = (expression(1),) * (len(sizes) - len(found)) + found
    pairs = zip(sizes, before, strict=True)
    return tuple(old if int(size) == -1 else _length(size) for size, old in pairs)


def _with_new_axes(index: Any, found: Lengths | None) -> Lengths | None:
    """Return the shape of ``tensor[None, :]`` and the like, which only adds axes."""
    axes = index if isinstance(index, tuple) else (index,)
    if found is None or any(one is not None and one != slice(None) for one in axes):
        return None
    left = iter(found)
    seen = tuple(expression(1) if one is None else next(left) for one in axes)
    return seen + tuple(left)


def _joined(parts: Sequence[Lengths | None], along: int) -> Lengths | None:
    """Return the shape of concatenated tensors: lengths add up along one axis."""
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None
    made = list(known[0])
    made[along] = sum((one[along] for one in known[1:]), start=made[along])
    return tuple(made)


def _kept_axes(found: Lengths | None, result: torch.Tensor) -> Lengths | None:
    """Return the shape of a tensor that was reduced to length 1 along some axes."""
    if found is None or len(found) != result.dim():
        return None
    pairs = zip(found, result.shape, strict=True)
    return tuple(expression(1) if size == 1 else length for length, size in pairs)


def _length(given: Any) -> Expression:
    """Return the expression of a length; a loop index counts as a plain number."""
    made = expression_of(given)
    if made is None:
        if isinstance(given, SymInt):
            record_caveat(None, " was the length of a tensor")
        return expression(int(given))
    if has_loop_index(made.letters):
        return expression(int(given))
    return made


def _tensors(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    return (value for value in values if isinstance(value, torch.Tensor))


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def observed_tensors(
    module: nn.Module, tracing: ShapeRecorder | None = None
) -> Iterator[ObservedTensor]:
    """Yield every parameter, with further names as aliases, then every buffer.

    Raises ``ValueError`` for a parameter without a shape.
    """
    names: dict[int, list[str]] = {}
    parameters: dict[int, torch.Tensor] = {}
    roles: dict[int, Role] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        if type(parameter).__name__ == "UninitializedParameter":
            raise ValueError(f"{name} has no shape yet: the module is lazy")
        names.setdefault(id(parameter), []).append(name)
        parameters[id(parameter)] = parameter
        roles[id(parameter)] = "trainable" if parameter.requires_grad else "frozen"
    for name, buffer in module.named_buffers(remove_duplicate=False):
        names.setdefault(id(buffer), []).append(name)
        parameters[id(buffer)] = buffer
        roles[id(buffer)] = "buffer"
    for key, tensor in parameters.items():
        path, *aliases = names[key]
        lengths = tracing.lengths(tensor) if tracing else None
        made = tracing.made(tensor) if tracing else ()
        yield ObservedTensor(path, tuple(tensor.shape), roles[key], tuple(aliases), lengths, made)
