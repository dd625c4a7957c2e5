"""The contract between the project and a framework's file: two functions and a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """The outputs of a forward pass for B sequences of S tokens; None for an absent head.

    ``sequence`` is (B, S, H), ``pooled`` (B, H), ``mlm`` (B, S, V) and ``nsp`` (B, 2). ``lm`` of a
    decoder is (B, S, V), with the target's vocabulary if there are two. Heads return
    probabilities, since those of keras-bert end in a softmax. Values at padding are undefined.
    """

    sequence: Array
    pooled: Array | None = None
    mlm: Array | None = None
    nsp: Array | None = None
    lm: Array | None = None


class BuiltModel(Protocol):
    """A built model of any family."""

    def weights(self) -> Sequence[Weight]:
        """Return every stored array once, by identity, whether allocated or not."""
        ...

    @property
    def dtype(self) -> DType:
        """The dtype in which every weight is read and written, allocated or not.

        This is the dtype of the weights, or float32 for half precision, which represents all of
        its values exactly.
        """
        ...

    def read(self) -> dict[str, Array]:
        """Return the value of each of ``weights()``, by native path, in the native shape.

        Later writes do not change the returned arrays. Raises ``NotAllocated`` for an abstract
        model.
        """
        ...

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Give each of ``weights()`` a value, by native path, exact to the bit.

        Raises ``ValueError``, before it writes anything, if paths, shapes or dtypes differ from
        those of ``read``, or if a weight in half precision would round its values. Raises
        ``NotAllocated`` for an abstract model, unless writing allocates it. It does with JAX and
        keras-bert, which saves the cost of random values: a compilation for every new shape, or a
        third of the graph.
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

        Gradients are by native path, in the native shape, for each trainable weight. A weight
        that no output depends on has a zero gradient or none. ``cotangents`` has an array of
        the output's shape for each output to include, and None for the others.
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
    ) -> BuiltModel:
        """Build the model of ``spec``, and allocate its weights only if ``allocate``.

        ``numerics`` default to those of the family, or of the framework if it fixes them.
        Raises ``UnsupportedSpec`` for a spec that the framework cannot express.
        """
        ...


class LiveReader(Protocol):
    """Two more functions of a framework's file whose header has ``model_packages``."""

    def live_weights(self, model: Any) -> Iterable[Weight]:
        """Return every stored array of a user's model once, by identity, with its aliases.

        ``parts`` and ``layout`` stay empty. Raises ``ValueError``, in one line, for an object that
        is not a model, or is not built yet.
        """
        ...

    def build_abstractly(self, make: Callable[[], Any]) -> Any:
        """Return what ``make`` returns, with shapes and without values."""
        ...
