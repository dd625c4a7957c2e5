"""Lists that remember of how many of each value they were made, or how long sizes made them.

A configuration says which layers are sparse by ``["dense"] * D + ["sparse"] * (L − D)``, and a
model looks its layer up there. Its index is then one that is less than D, or is not.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any


class LoopLengthList(list[Any]):
    """A list as long as a loop over sizes made it.

    ``length`` is that as a symbolic int: an unknown one where it was not followed.
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
    """A list of runs, each of one value.

    ``ends`` are the indices before which they end; those that were made from sizes remember how.
    """

    def __init__(self, values: list[Any], ends: tuple[Any, ...]) -> None:
        super().__init__(values)
        self.ends = ends

    @property
    def length(self) -> Any:
        """How long it is, a size where it was made from one."""
        return self.ends[-1] if self.ends and self._is_as_made() else None

    def __add__(self, other: Any) -> Any:
        return _joined(self, other) if isinstance(other, list) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return _joined(other, self) if isinstance(other, list) else NotImplemented

    def __getitem__(self, index: Any) -> Any:
        if hasattr(index, "expression") and self._is_as_made() and index >= 0:
            # Asked of the index: the list itself would take it for a plain int.
            any(index < end for end in self.ends[:-1])
            return super().__getitem__(_number(index))
        return super().__getitem__(index)

    def __reduce__(self) -> Any:
        return RunLengthList, (list(self), self.ends)

    def _is_as_made(self) -> bool:
        """Whether each run is still of one value: a list may be changed after it was made."""
        edges = [0, *map(_number, self.ends)]
        return edges[-1] == len(self) and all(
            one is self[start] for start, end in pairwise(edges) for one in self[start:end]
        )


def repeat_list(values: list[Any], times: Any) -> list[Any]:
    """Return a list that is there ``times`` times, which is a size."""
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
