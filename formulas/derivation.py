"""What was derived: a model's tensors in letters, its formula, and where and why it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from math import prod
from typing import Literal, NamedTuple, TypeAlias

from paramproof.formulas.condition import Condition
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.impossible import (
    is_never_negative,
    require_sizes,
    require_tensor,
    value_at,
)
from paramproof.formulas.native_parts import NativeNames, NativeTensor
from paramproof.formulas.spec import Quantity, Spec
from paramproof.formulas.tensors import Inventory, Tensor

PROVED = "proved"
FITTED = "fitted"


class Outcome(Enum):
    """What happens where a condition is not met, with its words."""

    REFUSED = "the constructor refuses"
    OTHERS = "other tensors are made"
    NOT_TRIED = "not tried: no sizes were found"
    NEGATIVE = "a length is less than 0"
    OTHER_COUNT = "a kind of layer is there another number of times"


class Consequence(NamedTuple):
    """What happens where a condition is not met, and what the constructor's error says."""

    outcome: Outcome
    why: str = ""

    def __str__(self) -> str:
        return f"{self.outcome.value}: {self.why}" if self.why else self.outcome.value


Role: TypeAlias = Literal["trainable", "frozen", "buffer"]


class Kind(NamedTuple):
    """What tensors have in common that differ in a number of their path only."""

    path: str
    role: Role
    aliases: tuple[str, ...]
    rank: int


class Stored(NamedTuple):
    """A kind of tensor with its shape, in ints: what is compared with a formula."""

    kind: Kind
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DerivedTensor:
    """Tensors that differ in numbers of their path only, in letters.

    ``traced`` says whether the shape was seen where the tensor was made, or read from values;
    ``looped`` whether the loops that made them say how many there are.
    """

    path: str
    shape: tuple[Expression, ...]
    times: Expression
    role: Role
    aliases: tuple[str, ...]
    traced: bool
    looped: bool

    @property
    def kind(self) -> Kind:
        """What these tensors have in common."""
        return Kind(self.path, self.role, self.aliases, len(self.shape))

    @property
    def size(self) -> Expression:
        """Number of entries of all of them."""
        return self.times * prod(self.shape, start=Expression({(): 1}))


@dataclass(frozen=True, slots=True)
class Evidence:
    """How a formula was found, and how it was held to models."""

    traces: int
    builds: int
    held: int
    seconds: float
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StatedCondition:
    """A condition with what happens elsewhere, and the places in the code that ask."""

    condition: Condition
    consequence: Consequence
    places: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Derivation:
    """A constructor's model in letters.

    ``sizes`` are the letters with their values, ``fields`` what each letter is called in the
    constructor. ``fixed`` are letters that only hold at their value, ``inert`` those that move
    nothing; ``unread`` are inert ones that the model never read. ``unexplained`` are buffers,
    which are not counted. ``irrelevant_guards`` was asked too, and nothing was otherwise where it was not
    met: the formula is proved where it is, and fitted elsewhere. ``caveats`` are what was done
    with sizes that can decide, and cannot be followed. ``validated`` has, for each letter, the
    smallest and the largest size at which a trace or a held-out model confirmed the formula; a
    letter is absent where that is not known.
    """

    name: str
    sizes: Mapping[str, int]
    fields: Mapping[str, str]
    tensors: tuple[DerivedTensor, ...]
    conditions: tuple[StatedCondition, ...]
    fixed: tuple[str, ...]
    inert: tuple[str, ...]
    unread: tuple[str, ...]
    unexplained: tuple[str, ...]
    irrelevant_guards: tuple[Condition, ...]
    caveats: tuple[str, ...]
    evidence: Evidence
    validated: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @cached_property
    def formula(self) -> Expression:
        """The trainable parameters, tied ones once."""
        sizes = (tensor.size for tensor in self.tensors if tensor.role == "trainable")
        return sum(sizes, Expression())

    def summands(self) -> dict[Expression, list[DerivedTensor]]:
        """Return the tensors by how often they are there, in the order of the model."""
        found: dict[Expression, list[DerivedTensor]] = {}
        for tensor in self.tensors:
            found.setdefault(tensor.times, []).append(tensor)
        return found

    @property
    def buffers(self) -> tuple[str, ...]:
        """The names of its buffers, which no count has."""
        explained = (tensor.path for tensor in self.tensors if tensor.role == "buffer")
        return (*explained, *(name.removesuffix(" (buffer)") for name in self.unexplained))

    def inventory(self, sizes: Mapping[str, int] | None = None) -> Inventory:
        """Return the parameters as an inventory: in letters, or in ints at these ``sizes``.

        The paths are native. A further name of a storage is a tensor of its own, tied to the
        first one, behind all others; buffers are none of them.

        Raises ``ValueError`` for sizes, as ``count`` does.
        """
        if sizes is not None:
            self.require(sizes)
        parameters = [
            (one, NativeTensor((one.path, *one.aliases), one.shape, one.times))
            for one in self.tensors
            if one.role != "buffer"
        ]
        names = NativeNames((native for _, native in parameters), self.fields)

        def tensor(one: DerivedTensor, native: NativeTensor, alias: str | None) -> Tensor:
            lengths: list[Quantity] = [*one.shape, one.times]
            if sizes is not None:
                lengths = [_whole(value_at(length, sizes, self._in(one))) for length in lengths]
            *shape, times = lengths
            return Tensor(
                path=alias or one.path,
                shape=tuple(shape),
                source=self.name,
                trainable=one.role == "trainable",
                tied_to=one.path if alias else None,
                repeat=times,
                present=1 if times else 0,
                parts=names.parts(alias or one.path, native),
            )

        own = [tensor(one, native, None) for one, native in parameters]
        tied = [tensor(one, native, name) for one, native in parameters for name in one.aliases]
        letters = {name: letter(name) for name in self.sizes} if sizes is None else dict(sizes)
        return Inventory(letters, (*own, *tied))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is proved at no sizes; empty for a formula that is proved at some."""
        parameters = [tensor for tensor in self.tensors if tensor.role != "buffer"]
        read = sum(not tensor.traced for tensor in parameters)
        counted = sum(not tensor.looped for tensor in parameters)
        found = []
        if read:
            found.append(f"{read} of {len(parameters)} kinds of tensors were read from values")
        if counted:
            found.append(f"how many there are of {counted} kinds was read from counts")
        if self.fixed:
            found.append(f"{', '.join(self.fixed)} did not vary")
        found.extend(self.caveats)
        return tuple(found)

    @property
    def is_proved(self) -> bool:
        """Whether every shape and number was traced, and nothing was fixed.

        It is then proved where every guard of ``irrelevant_guards`` is met: see ``proved_where``.
        """
        return not self.reasons

    @property
    def proved_where(self) -> tuple[str, ...] | None:
        """The guards inside which it is proved, as text; None where it is proved nowhere.

        Empty if it is proved at every size inside its conditions.
        """
        return tuple(map(str, self.irrelevant_guards)) if self.is_proved else None

    @property
    def status(self) -> str:
        """The word for how sure it is at best: inside every guard of ``irrelevant_guards``."""
        return PROVED if self.is_proved else FITTED

    def is_proved_at(self, sizes: Mapping[str, int]) -> bool:
        """Whether it is proved at these sizes: every question has the answer it was proved for."""
        return not self.reasons_at(sizes)

    def status_at(self, sizes: Mapping[str, int]) -> str:
        """Return the word for how sure it is at these sizes, which every output has.

        Raises ``ValueError`` for a size that is none, as ``require`` does.
        """
        return PROVED if self.is_proved_at(sizes) else FITTED

    def reasons_at(self, sizes: Mapping[str, int]) -> tuple[str, ...]:
        """Return why it is not proved at these sizes; nothing where it is.

        What these sizes do stands first: a guard that they violate, and a size beyond those at
        which the formula was validated. Raises as ``status_at`` does.
        """
        self._require_sizes(sizes)
        violated = [
            one for one in self.irrelevant_guards if self.is_proved and not one.is_met(sizes)
        ]
        if self.is_proved and not violated:
            return ()
        letters = frozenset[str]().union(*(one.letters for one in violated))
        here = [f"{name} = {self.fields[name]} = {sizes[name]}" for name in sorted(letters)]
        beyond = [
            "these sizes lie beyond a guard that the proof rests on "
            f"({' and '.join(map(str, violated))}; {', '.join(here)})"
        ]
        return (*(beyond if violated else ()), *self._beyond_validated(sizes), *self.reasons)

    def _beyond_validated(self, sizes: Mapping[str, int]) -> Iterator[str]:
        """Yield a reason for each size, of those that move something, that was not tried."""
        for name, (low, high) in self.validated.items():
            if name not in self.inert and name in sizes and not low <= sizes[name] <= high:
                yield (
                    f"{name} = {sizes[name]} lies outside the sizes it was validated at "
                    f"({low} to {high})"
                )

    def count(self, sizes: Mapping[str, int]) -> int:
        """Return the trainable parameters at these sizes. Raises as ``require`` does."""
        self.require(sizes)
        return _whole(value_at(self.formula, sizes, f"{self.name}: the formula"))

    def holds_at(self, sizes: Mapping[str, int]) -> bool:
        """Whether the formula was seen to hold at these sizes."""
        try:
            self.require(sizes)
        except ValueError:
            return False
        return True

    def violated(self, sizes: Mapping[str, int]) -> StatedCondition | None:
        """Return the first condition that these sizes do not meet, None where they meet all."""
        unmet = (one for one in self.conditions if not one.condition.is_met(sizes))
        return next(unmet, None)

    def require(self, sizes: Mapping[str, int]) -> None:
        """Require that the formula holds at these sizes.

        Raises ``ValueError``, in one line, for a size below 1, for sizes at which the formula was
        not seen to hold, naming the condition, and for sizes at which a length or a number of
        tensors would be negative or a division by 0.
        """
        self._require_sizes(sizes)
        if stated := self.violated(sizes):
            raise ValueError(f"{self.name}: the formula holds where {stated.condition}")
        moved = [name for name in self.fixed if sizes[name] != self.sizes[name]]
        if moved:
            raise ValueError(
                f"{self.name}: the formula holds at {moved[0]} = {self.sizes[moved[0]]}"
            )
        for tensor in self._to_check:
            require_tensor(self._in(tensor), tensor.times, tensor.shape, sizes)

    def _require_sizes(self, sizes: Mapping[str, int]) -> None:
        try:
            require_sizes(sizes, self.sizes, self._at_zero)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    @cached_property
    def _at_zero(self) -> frozenset[str]:
        """The letters whose size may be 0: as a model confirmed, or as no model reads it."""
        confirmed = (name for name, (low, _) in self.validated.items() if low == 0)
        return frozenset((*confirmed, *self.unread))

    @cached_property
    def _to_check(self) -> tuple[DerivedTensor, ...]:
        """The parameters of which signs alone do not tell that there is no negative number."""
        return tuple(
            tensor
            for tensor in self.tensors
            if tensor.role != "buffer"
            and not all(
                is_never_negative(one, self._at_zero) for one in (tensor.times, *tensor.shape)
            )
        )

    def _in(self, tensor: DerivedTensor) -> str:
        """Return what an error calls a tensor."""
        return f"{self.name}: {tensor.path}"

    def renamed(self, letters: Mapping[str, str]) -> Derivation:
        """Return the same with other letters, ``letters`` by those that there are now.

        What is text stays as it is: the doubts.
        """
        swap = {name: letter(new) for name, new in letters.items()}

        def lettered(one: Expression) -> Expression:
            return one.substitute(swap)

        def names(old: Iterable[str]) -> tuple[str, ...]:
            return tuple(letters[name] for name in old)

        return replace(
            self,
            sizes={letters[name]: value for name, value in self.sizes.items()},
            fields={letters[name]: field for name, field in self.fields.items()},
            tensors=tuple(
                replace(t, shape=tuple(map(lettered, t.shape)), times=lettered(t.times))
                for t in self.tensors
            ),
            conditions=tuple(
                replace(stated, condition=stated.condition.substitute(swap))
                for stated in self.conditions
            ),
            irrelevant_guards=tuple(
                condition.substitute(swap) for condition in self.irrelevant_guards
            ),
            fixed=names(self.fixed),
            inert=names(self.inert),
            unread=names(self.unread),
            validated={letters[name]: sizes for name, sizes in self.validated.items()},
        )


Described: TypeAlias = Spec | Derivation
"""What a model is described by: a family's spec, or a derived formula at its own sizes."""


def expected(tensors: Iterable[DerivedTensor], sizes: Mapping[str, int]) -> Counter[Stored]:
    """Return how often each kind of tensor should be there at these sizes, with its shape."""
    found: Counter[Stored] = Counter()
    for tensor in tensors:
        lengths = [length.value(sizes) for length in tensor.shape]
        if all(lengths):
            found[Stored(tensor.kind, tuple(map(_whole, lengths)))] += _whole(
                tensor.times.value(sizes)
            )
    return found


def _whole(value: object) -> int:
    number = int(value)  # type: ignore[call-overload]
    if number != value:
        raise ValueError(f"{value} is no whole number")
    return int(number)
