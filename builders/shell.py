"""The shell around every framework: a framework's own file adds its layers and its names.

``shell`` makes a framework's two functions, ``supports`` and ``build``. ``Model`` lists, reads,
writes, runs and differentiates; a framework says how it stores arrays and how it computes. No size
of a parameter is decided here: every shape comes from an array that a framework's own layer made.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, ClassVar, Literal, TypeAlias, cast

from paramproof.builders.arrays import has_family, require, require_allocated, require_arrays
from paramproof.builders.names import NUMBER, NameTable, Storage, storage_of
from paramproof.builders.protocol import Array, BuiltModel, DType, Outputs
from paramproof.formulas.layout import Weight
from paramproof.formulas.spec import Numerics, Spec

Supported: TypeAlias = Literal[True] | str
Make: TypeAlias = Callable[[Any, Spec, Numerics, bool, DType], BuiltModel]
"""Makes a model of its class, spec, numerics, whether to allocate it, and dtype."""


def shell(
    framework: str,
    models: Mapping[type[Spec], Any],
    make: Make,
    limits: Callable[[Spec], Supported] = lambda spec: True,
) -> tuple[Callable[[Spec], Supported], Callable[..., BuiltModel]]:
    """Return ``supports`` and ``build``, as in ``Builder``, of a framework with these ``models``.

    ``limits`` returns True, or why the framework cannot express a spec of a family that it has.
    """

    def supports(spec: Spec) -> Supported:
        limit = limits(spec)
        return has_family(framework, models, spec) if limit is True else limit

    def build(
        spec: Spec,
        numerics: Numerics | None = None,
        *,
        allocate: bool = False,
        dtype: DType = "float32",
    ) -> BuiltModel:
        require(supports(spec))
        kind: Any = type(spec)
        return make(models[kind], spec, numerics or kind.original_numerics, allocate, dtype)

    return supports, build


def each_once(named: Iterable[tuple[str, Any]]) -> Iterator[tuple[Any, str, tuple[str, ...]]]:
    """Yield every array once, by identity, with its first path and the others."""
    found: dict[int, tuple[Any, list[str]]] = {}
    for path, array in named:
        found.setdefault(id(array), (array, []))[1].append(path)
    for array, (first, *others) in found.values():
        yield array, first, tuple(others)


class Model(ABC):
    """A built model, as in ``BuiltModel``: ``names`` says what its arrays hold.

    ``arrays`` and ``gradient`` return the framework's own arrays by native path.
    """

    names: NameTable = {}  # noqa: RUF012  (nobody changes it)
    number: ClassVar[re.Pattern[str]] = NUMBER

    write_allocates: ClassVar[bool] = True
    """Whether a model that has only shapes takes values."""

    @abstractmethod
    def stored(self) -> Iterable[Weight]:
        """Return every stored array once, by identity, without canonical names."""

    @abstractmethod
    def arrays(self) -> dict[str, Any]:
        """Return the framework's own array of each weight."""

    @property
    @abstractmethod
    def allocated(self) -> bool:
        """Whether the arrays have values."""

    @abstractmethod
    def assign(self, arrays: Mapping[str, Array]) -> None:
        """Give every weight a value, without keeping an array that the caller has."""

    @abstractmethod
    def outputs(self, *inputs: Any) -> Mapping[str, Any]:
        """Run a forward pass, without dropout."""

    @abstractmethod
    def gradient(self, loss: Callable[[Any], Any], *inputs: Any) -> Mapping[str, Any]:
        """Return the gradient of the ``loss`` of the outputs for each weight that is trained."""

    @abstractmethod
    def tensor(self, array: Array) -> Any:
        """Return an array of the framework."""

    @abstractmethod
    def array(self, tensor: Any) -> Array:
        """Return a NumPy array that later writes do not change."""

    def computing(self) -> AbstractContextManager[Any]:
        """Return a context in which the framework reads, writes and computes."""
        return nullcontext()

    def total(self, tensor: Any) -> Any:
        return tensor.sum()

    def storage(self, path: str) -> Storage:
        return storage_of(self.names, path, self.number)

    def weights(self) -> list[Weight]:
        return list(map(self._named, self.stored()))

    def _named(self, weight: Weight) -> Weight:
        parts, layout = self.storage(weight.path)
        further = [self.storage(alias).parts or (alias,) for alias in weight.aliases]
        # A second name of the same canonical tensor is not an alias.
        aliases = tuple(name for names in further for name in names if name not in parts)
        return replace(weight, parts=parts, layout=layout, aliases=aliases)

    @property
    def dtype(self) -> DType:
        """The dtype of the first array."""
        return cast("DType", str(next(iter(self.arrays().values())).dtype).rpartition(".")[2])

    def read(self) -> dict[str, Array]:
        require_allocated(self.allocated)
        with self.computing():
            return {path: self.array(tensor) for path, tensor in self.arrays().items()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        require_allocated(self.allocated or self.write_allocates)
        require_arrays({w.path: w.shape for w in self.stored()}, self.dtype, arrays)
        with self.computing():
            self.assign(arrays)

    def run(self, *inputs: Array) -> Outputs:
        require_allocated(self.allocated)
        with self.computing():
            outputs = self.outputs(*map(self.tensor, inputs))
            return Outputs(**{k: None if v is None else self.array(v) for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        require_allocated(self.allocated)
        with self.computing():
            pairs = cotangents._asdict().items()
            wanted = {name: self.tensor(by) for name, by in pairs if by is not None}

            def loss(outputs: Mapping[str, Any]) -> Any:
                return sum(self.total(outputs[name] * by) for name, by in wanted.items())

            found = self.gradient(loss, *map(self.tensor, inputs))
            return {path: self.array(tensor) for path, tensor in found.items()}
