"""The contract between the project and a framework's file: two functions and a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import Numerics, Spec

Array: TypeAlias = Any
"""A NumPy array; the contract itself does not need NumPy."""

DType: TypeAlias = Literal["float32", "float64"]


class FrameworkUnavailable(RuntimeError):
    """The framework is not installed, or this process is not set up for it."""


class UnsupportedSpec(ValueError):
    """The framework cannot express this model; the message says why."""


class NotAllocated(RuntimeError):
    """The model has shapes and no values."""


class Outputs(NamedTuple):
    """What a forward pass returns. B sequences of S tokens; None where there is no such head.

    ``sequence`` is (B, S, H), ``pooled`` (B, H), ``mlm`` (B, S, V) and ``nsp`` (B, 2); ``lm``,
    of a decoder, is (B, S, V), or of the target's vocabulary. The heads give probabilities,
    since keras-bert's end in a softmax. Nothing is promised at padding.
    """

    sequence: Array
    pooled: Array | None = None
    mlm: Array | None = None
    nsp: Array | None = None
    lm: Array | None = None


class Model(Protocol):
    """A built model of any family."""

    def weights(self) -> Sequence[Weight]:
        """Return every stored array once, by identity, whether allocated or not."""
        ...

    @property
    def dtype(self) -> DType:
        """The type in which every weight is read and written, allocated or not.

        That is its own, or float32 where it is in half precision: no value is changed by it.
        """
        ...

    def read(self) -> dict[str, Array]:
        """Return the value of each of ``weights()``, by native path, in the native shape.

        They are of this moment: what is written later does not change them. Raises
        ``NotAllocated`` for an abstract model.
        """
        ...

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Give each of ``weights()`` a value, by native path, exact to the bit.

        Raises ``ValueError``, before anything is written, where the arrays are not those of
        ``read`` by path, shape and dtype, or a weight in half precision would round them;
        ``NotAllocated`` for an abstract model, unless the framework can allocate it by this.
        JAX's and keras-bert do: they spare themselves random values, and what it takes to
        make them, a compilation for every new shape or a third of a graph.
        """
        ...

    def run(self, *inputs: Array) -> Outputs:
        """Run a forward pass of an allocated model, without dropout.

        The inputs of an encoder are ``ids, types, mask``, those of a GPT or a LLaMA ``ids``,
        and those of an encoder-decoder ``source_ids, source_mask, target_ids``. Ids and types
        are (B, S) ints, S at most P; a mask is (B, S), True at tokens and False at padding.
        Raises ``NotAllocated`` for an abstract model.
        """
        ...

    def gradients(self, *inputs: Array, cotangents: Outputs) -> Mapping[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``, as for ``run``.

        By native path, in the native shape, for each trainable weight that it reaches; a
        weight that no output depends on is zero or absent. ``cotangents`` has an array of
        the output's shape for each output that counts, and None for the others.
        """
        ...


class Builder(Protocol):
    """A framework's file, as a module: the header ``FRAMEWORKS`` and these two functions."""

    def supports(self, spec: Spec) -> Literal[True] | str:
        """Return True, or the reason why this framework cannot express ``spec``."""
        ...

    def build(
        self,
        spec: Spec,
        numerics: Numerics | None = None,
        *,
        allocate: bool = False,
        dtype: DType = "float32",
    ) -> Model:
        """Build the model of ``spec``, without allocating a weight unless ``allocate``.

        Without ``numerics`` it has its family's, or the framework's own where they are fixed.
        Raises ``UnsupportedSpec`` for what the framework cannot express.
        """
        ...
