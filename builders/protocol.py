"""The contract between the project and a framework's file: two functions and a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from formulas.spec import Numerics, Spec
from formulas.weight import Weight

Array: TypeAlias = Any
"""A NumPy array; the contract itself does not need NumPy."""

DType: TypeAlias = Literal["float32", "float64"]

SHOWN = 8
"""Of the arrays that are wrong, this many are named in full; the others are counted."""


class FrameworkUnavailable(RuntimeError):
    """The framework is not installed, or this process is not set up for it."""


class UnsupportedSpec(ValueError):
    """The framework cannot express this model; the message says why."""


class Outputs(NamedTuple):
    """What a forward pass gives. B sequences of S tokens; None where there is no such head.

    ``sequence`` is (B, S, H), ``pooled`` (B, H), ``mlm`` (B, S, V) and ``nsp`` (B, 2). The
    heads give probabilities, since keras-bert's end in a softmax. Nothing is promised at
    padding.
    """

    sequence: Array
    pooled: Array | None = None
    mlm: Array | None = None
    nsp: Array | None = None
    lm: Array | None = None


class Model(Protocol):
    """A built encoder."""

    def weights(self) -> Sequence[Weight]:
        """Every stored array once, by identity, whether allocated or not."""
        ...

    @property
    def dtype(self) -> DType:
        """The type of every weight, allocated or not."""
        ...

    def read(self) -> dict[str, Array]:
        """The value of each of ``weights()``, by native path, in the native shape.

        They are of this moment: what is written later does not change them. Raises
        ``RuntimeError`` for an abstract model.
        """
        ...

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Give each of ``weights()`` a value, by native path, exact to the bit.

        Raises ``RuntimeError`` for an abstract model and ``ValueError``, before anything is
        written, where the arrays are not those of ``read`` by path, shape and dtype.
        """
        ...

    def run(self, ids: Array, types: Array, mask: Array) -> Outputs:
        """A forward pass of an allocated model, without dropout.

        ``ids`` and ``types`` are (B, S) ints, S at most P; ``mask`` is (B, S), True at
        tokens and False at padding. Raises ``RuntimeError`` for an abstract model.
        """
        ...

    def gradients(
        self, ids: Array, types: Array, mask: Array, cotangents: Outputs
    ) -> Mapping[str, Array]:
        """The gradient of the sum of outputs times ``cotangents``, as for ``run``.

        By native path, in the native shape, for each trainable weight that it reaches; a
        weight that no output depends on is zero or absent. ``cotangents`` has an array of
        the output's shape for each output that counts, and None for the others.
        """
        ...


class Builder(Protocol):
    """A framework's file, as a module: the header ``FRAMEWORKS`` and these two functions."""

    def supports(self, spec: Spec) -> Literal[True] | str:
        """True, or the reason why this framework cannot express ``spec``."""
        ...

    def build(
        self,
        spec: Spec,
        numerics: Numerics | None = None,
        *,
        allocate: bool = False,
        dtype: DType = "float32",
    ) -> Model:
        """The model of ``spec``, without allocating a weight unless ``allocate``.

        Without ``numerics`` it has its family's, or the framework's own where they are fixed.
        Raises ``UnsupportedSpec`` for what the framework cannot express.
        """
        ...


def requires(spec: Spec, *families: type[Spec]) -> Literal[True] | str:
    """True for a spec of one of ``families``, or the reason why it cannot be expressed."""
    if isinstance(spec, families):
        return True
    there = " or ".join(family.__name__ for family in families)
    return f"only {there} can be expressed here, and this is {type(spec).__name__}"


def require(supported: Literal[True] | str) -> None:
    """Raise ``UnsupportedSpec`` with the reason, if there is one."""
    if supported is not True:
        raise UnsupportedSpec(supported)


def require_allocated(allocated: bool) -> None:
    """Raise ``RuntimeError`` where there are only shapes to compute with."""
    if not allocated:
        raise RuntimeError("this model has shapes and no values: build it with allocate=True")


def require_arrays(
    shapes: Mapping[str, tuple[int, ...]], dtype: DType, arrays: Mapping[str, Array]
) -> None:
    """Raise ``ValueError`` where ``arrays`` are not of these paths, these shapes and ``dtype``."""
    require_none(misfits(shapes, dtype, arrays))


def misfits(
    shapes: Mapping[str, tuple[int, ...]], dtype: DType, arrays: Mapping[str, Array]
) -> list[str]:
    """A clause for every array that is missing, unknown, or of another shape or dtype."""
    wrong = [f"{path} is missing" for path in shapes if path not in arrays]
    for path, array in arrays.items():
        if path not in shapes:
            wrong.append(f"{path} is no weight of this model")
        elif tuple(array.shape) != shapes[path]:
            wrong.append(f"{path} has shape {tuple(array.shape)}, not {shapes[path]}")
        elif str(array.dtype) != dtype:
            wrong.append(f"{path} is {array.dtype}, not {dtype} (use .astype({dtype!r}))")
    return wrong


def require_none(wrong: Sequence[str], what: str = "the weights do not fit") -> None:
    """Raise ``ValueError`` that says what is wrong, clause by clause, a few of them in full."""
    if wrong:
        more = [f"and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
        raise ValueError(f"{what}: " + "; ".join([*wrong[:SHOWN], *more]))
