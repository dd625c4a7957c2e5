"""Lists that remember of how many of each value they were made.

A configuration says which layers are sparse by ``["dense"] * D + ["sparse"] * (L − D)``, and a
model looks its layer up there. Its index is then one that is less than D, or is not.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any


class Runs(list[Any]):
    """A list of runs, each of one value.

    ``ends`` are the indices before which they end; those that were made from sizes remember how.
    """

    def __init__(self, values: list[Any], ends: tuple[int, ...]) -> None:
        super().__init__(values)
        self.ends = ends

    def __add__(self, other: Any) -> Any:
        return _joined(self, other) if isinstance(other, list) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return _joined(other, self) if isinstance(other, list) else NotImplemented

    def __getitem__(self, index: Any) -> Any:
        if hasattr(index, "expression") and self._is_as_made() and index >= 0:
            # Asked of the index: the list itself would take it for a plain int.
            any(index < end for end in self.ends[:-1])
        return super().__getitem__(index)

    def __reduce__(self) -> Any:
        return Runs, (list(self), self.ends)

    def _is_as_made(self) -> bool:
        """Whether each run is still of one value: a list may be changed after it was made."""
        edges = [0, *map(int, self.ends)]
        return edges[-1] == len(self) and all(
            one is self[start] for start, end in pairwise(edges) for one in self[start:end]
        )


def repeated(values: list[Any], times: int) -> list[Any]:
    """Return a list of one value that is there ``times`` times, which may be a size."""
    plain = values * int(times)
    return Runs(plain, (times,)) if len(values) == 1 and len(plain) == int(times) else plain


def _joined(left: list[Any], right: list[Any]) -> Runs:
    before, after = _ends(left), _ends(right)
    start = before[-1] if before else 0
    return Runs([*left, *right], (*before, *(start + end for end in after)))


def _ends(values: list[Any]) -> tuple[int, ...]:
    return values.ends if isinstance(values, Runs) else tuple(range(1, len(values) + 1))
