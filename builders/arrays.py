"""What every framework's file needs: refusals, and checks of values and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from paramproof.builders.protocol import Array, DType, NotAllocated, UnsupportedSpec
from paramproof.formulas.path import starred
from paramproof.formulas.printing import and_more, legible
from paramproof.formulas.spec import Spec

MAX_ARRAYS_NAMED = 40
"""The maximum number of arrays that an error names; it counts the others."""

Mismatch: TypeAlias = tuple[str, str]
"""The path of an array, and what is wrong with it."""


def has_family(framework: str, models: Mapping[type[Spec], Any], spec: Spec) -> Literal[True] | str:
    """Return True if ``models``, keyed by spec class, has this family, else a reason."""
    return type(spec) in models or f"{framework} has no such family: {spec.family}"


def require(supported: Literal[True] | str) -> None:
    """Raise ``UnsupportedSpec`` with the reason, if there is one."""
    if supported is not True:
        raise UnsupportedSpec(supported)


def require_allocated(allocated: bool) -> None:
    """Raise ``NotAllocated`` if the model has only shapes."""
    if not allocated:
        raise NotAllocated("this model has shapes and no values: build it with allocate=True")


def require_arrays(
    shapes: Mapping[str, tuple[int, ...]], dtype: DType, arrays: Mapping[str, Array]
) -> None:
    """Raise ``ValueError`` unless ``arrays`` have these paths, these shapes and this ``dtype``."""
    raise_if_any(mismatches(shapes, dtype, arrays))


def mismatches(
    shapes: Mapping[str, tuple[int, ...]], dtype: DType, arrays: Mapping[str, Array]
) -> list[Mismatch]:
    """Return every array that is missing or unknown, or has a wrong shape or dtype."""
    wrong = [(path, "is missing") for path in shapes if path not in arrays]
    for path, array in arrays.items():
        if path not in shapes:
            wrong.append((path, "is not a weight of this model"))
        elif tuple(array.shape) != shapes[path]:
            wrong.append((path, f"has shape {tuple(array.shape)}, not {shapes[path]}"))
        elif str(array.dtype) != dtype:
            wrong.append((path, f"is {array.dtype}, not {dtype} (use .astype({dtype!r}))"))
    return wrong


def raise_if_any(wrong: Sequence[Mismatch], headline: str = "the weights do not fit") -> None:
    """Raise ``ValueError`` with every mismatch; layers with the same mismatch share one entry."""
    alike: dict[Mismatch, list[str]] = {}
    for path, what in wrong:
        alike.setdefault((starred(path), what), []).append(path)
    clauses = [
        f"{legible(path)} (x{len(paths)}) {what}"
        if len(paths) > 1
        else f"{legible(paths[0])} {what}"
        for (path, what), paths in alike.items()
    ]
    if clauses:
        raise ValueError(f"{headline}: {'; '.join(and_more(clauses, MAX_ARRAYS_NAMED))}")
