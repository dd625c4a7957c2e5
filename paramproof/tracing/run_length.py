"""Lists that record from which sizes they were built.

A config says which layers are sparse with ``["dense"] * D + ["sparse"] * (L − D)``, and the model
looks up its layer there. That lookup becomes a guard: the index is less than D, or not.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any


class LoopLengthList(list[Any]):
    """A list whose ``length`` is a symbolic int, because a loop over sizes filled it.

    The expression of the length is None if it could not be followed.
    """

    def __init__(self, values: Any, length: Any) -> None:
        super().__init__(values)
        self.length = length

    def __reduce__(self) -> Any:
        return LoopLengthList, (list(self), self.length)

    def __deepcopy__(self, memo: Any) -> Any:
        from copy import deepcopy

        return LoopLengthList([deepcopy(one, memo) for one in self], self.length)


class RunLengthList(list[Any]):
    """A list that consists of runs of equal values.

    ``ends`` are the indices at which runs end, symbolic ints if they were computed from sizes.
    """

    def __init__(self, values: list[Any], ends: tuple[Any, ...]) -> None:
        super().__init__(values)
        self.ends = ends

    @property
    def length(self) -> Any:
        return self.ends[-1] if self.ends and self._is_as_made() else None

    def __add__(self, other: Any) -> Any:
        return _joined(self, other) if isinstance(other, list) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return _joined(other, self) if isinstance(other, list) else NotImplemented

    def __getitem__(self, index: Any) -> Any:
        if hasattr(index, "expression") and self._is_as_made() and index >= 0:
            # Compare the symbolic index with each end; the list itself would read a plain int.
            any(index < end for end in self.ends[:-1])
            return super().__getitem__(_number(index))
        return super().__getitem__(index)

    def __reduce__(self) -> Any:
        return RunLengthList, (list(self), self.ends)

    def _is_as_made(self) -> bool:
        """Return whether each run still has one value: the list may have been changed."""
        edges = [0, *map(_number, self.ends)]
        return edges[-1] == len(self) and all(
            one is self[start] for start, end in pairwise(edges) for one in self[start:end]
        )


def repeat_list(values: list[Any], times: Any) -> list[Any]:
    """Return ``values * times``, where ``times`` is a symbolic int."""
    number = _number(times)
    plain = list(values) * number
    if len(values) == 1 and len(plain) == number:
        return RunLengthList(plain, (times,))
    return LoopLengthList(plain, len(values) * times) if number >= 0 else plain


def _joined(left: list[Any], right: list[Any]) -> list[Any]:
    lengths = [getattr(one, "length", len(one)) for one in (left, right)]
    both = [*left, *right]
    if isinstance(left, LoopLengthList) or isinstance(right, LoopLengthList):
        return LoopLengthList(both, lengths[0] + lengths[1])
    before, after = _ends(left), _ends(right)
    start = before[-1] if before else 0
    return RunLengthList(both, (*before, *(start + end for end in after)))


def _ends(values: list[Any]) -> tuple[Any, ...]:
    return values.ends if isinstance(values, RunLengthList) else tuple(range(1, len(values) + 1))


def _number(one: Any) -> int:
    return one._value if hasattr(one, "expression") else int(one)
