"""A derivation: a model's tensors with symbolic shapes, its formula, and where it holds and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from math import prod
from typing import Literal, NamedTuple, TypeAlias

from paramproof.formulas.architecture import Architecture
from paramproof.formulas.condition import Condition
from paramproof.formulas.errors import InvalidInput, no_such, require_type
from paramproof.formulas.expression import Expression, letter, sum_of
from paramproof.formulas.impossible import (
    is_never_negative,
    require_letters,
    require_sizes,
    require_tensor,
    value_at,
)
from paramproof.formulas.parts import NativeNames, NativeTensor, TensorParts
from paramproof.formulas.spec import Quantity
from paramproof.formulas.tensors import Inventory, Tensor

PROVED = "proved"
FITTED = "fitted"


class Outcome(Enum):
    """The reaction of the constructor if a condition is violated, in words."""

    REFUSED = "the constructor refuses"
    OTHERS = "other tensors are created"
    NOT_TRIED = "not tried"
    NEGATIVE = "a length is less than 0"
    OTHER_COUNT = "the number of layers of some kind differs"


class Consequence(NamedTuple):
    """The outcome if a condition is violated, and the message of the constructor's error."""

    outcome: Outcome
    why: str = ""

    def __str__(self) -> str:
        return f"{self.outcome.value}: {self.why}" if self.why else self.outcome.value


Role: TypeAlias = Literal["trainable", "frozen", "buffer"]


class Kind(NamedTuple):
    """The properties that the tensors of a group share. Their paths differ only in numbers."""

    path: str
    role: Role
    aliases: tuple[str, ...]
    rank: int


class Stored(NamedTuple):
    """A tensor group and one shape in ints, as it is compared with a formula."""

    kind: Kind
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DerivedTensor:
    """A tensor group: tensors whose paths differ only in numbers, with a symbolic shape.

    ``times`` is their number. ``traced`` is True if the shape was traced, and False if it was
    fitted to observed shapes. ``looped`` is True if the number follows from the loops that
    created the tensors, and False if it was fitted.
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
        """What these tensors share."""
        return Kind(self.path, self.role, self.aliases, len(self.shape))

    @property
    def size(self) -> Expression:
        """Number of entries in all these tensors: ``times`` · the product of ``shape``."""
        return self.times * prod(self.shape, start=Expression({(): 1}))


@dataclass(frozen=True, slots=True)
class Evidence:
    """How a formula was found, and how many models it was compared with.

    ``traces`` and ``builds`` count the traced and the built models, ``held`` the held-out models
    that the formula was compared with. ``versions`` are those of the packages that were installed.
    """

    traces: int
    builds: int
    held: int
    seconds: float
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StatedCondition:
    """A condition, what happens if it is violated, and the call sites that evaluate it."""

    condition: Condition
    consequence: Consequence
    places: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Derivation(Architecture):
    """The model that a constructor creates, with symbolic sizes.

    ``sizes`` maps each letter to its value, and ``fields`` to its name in the constructor. The
    formula holds where all ``conditions`` are met. ``irrelevant_guards`` were evaluated too, but
    violating them changed nothing: the formula is proved where they are met, and fitted elsewhere.

    ``fixed`` letters hold only at their value. ``inert`` letters change no tensor, and the model
    never even reads those in ``unread``. ``unexplained`` are buffers without a formula; buffers are
    not counted. ``caveats`` are uses of a size that may decide something and that the trace cannot
    follow. ``validated`` has, for each letter, the smallest and the largest size at which a trace
    or a held-out model confirmed the formula; a letter is absent if that is unknown.
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

    spec = None

    @cached_property
    def formula(self) -> Expression:
        """The number of trainable parameters, with tied ones counted once."""
        return sum_of(tensor.size for tensor in self.tensors if tensor.role == "trainable")

    def summands(self) -> dict[Expression, list[DerivedTensor]]:
        """Return the tensors by their number, in the order of the model."""
        found: dict[Expression, list[DerivedTensor]] = {}
        for tensor in self.tensors:
            found.setdefault(tensor.times, []).append(tensor)
        return found

    @property
    def bound_letters(self) -> frozenset[str]:
        """The letters of all conditions."""
        return frozenset[str]().union(*(one.condition.letters for one in self.conditions))

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of the packages from which the formula was derived."""
        return self.evidence.versions

    @property
    def held(self) -> int:
        """The number of held-out models that the formula was compared with."""
        return self.evidence.held

    @property
    def buffers(self) -> tuple[str, ...]:
        """The names of the buffers, which are never counted."""
        explained = (tensor.path for tensor in self.tensors if tensor.role == "buffer")
        return (*explained, *(name.removesuffix(" (buffer)") for name in self.unexplained))

    def inventory(self, sizes: Mapping[str, int] | None = None) -> Inventory:
        """Return the parameters as an inventory: symbolic, or in ints at these ``sizes``.

        The paths are native. Buffers are left out. Each further name of a storage is a tensor of
        its own, tied to the first name, after all others.

        Raises ``ValueError`` as ``count`` does.
        """
        if sizes is not None:
            self.require(sizes)

        def tensor(one: DerivedTensor, alias: str | None, parts: TensorParts) -> Tensor:
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
                parts=parts,
            )

        letters = {name: letter(name) for name in self.sizes} if sizes is None else dict(sizes)
        return Inventory(letters, tuple(tensor(*name) for name in self._names))

    @cached_property
    def _names(self) -> tuple[tuple[DerivedTensor, str | None, TensorParts], ...]:
        """The names in an inventory, in its order: tensor, further name of its storage, parts."""
        parameters = [
            (one, NativeTensor((one.path, *one.aliases), one.shape, one.times))
            for one in self.tensors
            if one.role != "buffer"
        ]
        names = NativeNames((native for _, native in parameters), self.fields)
        own = ((one, native, None) for one, native in parameters)
        tied = ((one, native, alias) for one, native in parameters for alias in one.aliases)
        return tuple(
            (one, alias, names.parts(alias or one.path, native))
            for one, native, alias in (*own, *tied)
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the formula is not proved at any sizes; empty if it is proved at some."""
        parameters = [tensor for tensor in self.tensors if tensor.role != "buffer"]
        read = sum(not tensor.traced for tensor in parameters)
        counted = sum(not tensor.looped for tensor in parameters)
        found = []
        if read:
            found.append(f"the shape is fitted in {read} of {len(parameters)} tensor groups")
        if counted:
            groups = "tensor group" if counted == 1 else "tensor groups"
            found.append(f"the count is fitted in {counted} {groups}")
        if self.fixed:
            found.append(f"{', '.join(self.fixed)} did not vary")
        found.extend(self.caveats)
        return tuple(found)

    @property
    def is_proved(self) -> bool:
        """Whether every shape and count was traced, nothing is fixed, and there is no caveat.

        The formula is then proved where all ``irrelevant_guards`` are met: see ``proved_where``.
        """
        return not self.reasons

    @property
    def proved_where(self) -> tuple[str, ...] | None:
        """The guards that bound the proof, as text; None if nothing is proved.

        Empty if the formula is proved wherever its conditions are met.
        """
        return tuple(map(str, self.irrelevant_guards)) if self.is_proved else None

    @property
    def status(self) -> str:
        """``proved`` or ``fitted``, where all ``irrelevant_guards`` are met."""
        return PROVED if self.is_proved else FITTED

    def is_proved_at(self, sizes: Mapping[str, int]) -> bool:
        """Return whether the formula is proved at these sizes."""
        return not self.reasons_at(sizes)

    def reasons_at(self, sizes: Mapping[str, int]) -> tuple[str, ...]:
        """Return why the formula is not proved at these sizes; empty if it is.

        Reasons that depend on the sizes come first: a guard that they violate, and a size outside
        the range at which the formula was validated. Raises ``ValueError`` for an impossible
        size, as ``require`` does.
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
            "these sizes violate a guard that the proof rests on "
            f"({' and '.join(map(str, violated))}; {', '.join(here)})"
        ]
        return (*(beyond if violated else ()), *self._beyond_validated(sizes), *self.reasons)

    def _beyond_validated(self, sizes: Mapping[str, int]) -> Iterator[str]:
        """Yield a reason for each size that matters and lies outside the validated range."""
        for name, (low, high) in self.validated.items():
            if name not in self.inert and name in sizes and not low <= sizes[name] <= high:
                yield (
                    f"{name} = {sizes[name]} lies outside the sizes it was validated at "
                    f"({low} to {high})"
                )

    def at(self, sizes: Mapping[str, int]) -> Derivation:
        """Return this derivation with other values of some letters. Raises as ``require`` does."""
        require_type(sizes, Mapping, "sizes")
        whole = {**self.sizes, **sizes}
        self.require(whole)
        return replace(self, sizes=whole)

    def at_fields(self, sizes: Mapping[str, int]) -> Derivation:
        """Return this derivation with other sizes, by field. Raises as ``require`` does."""
        require_type(sizes, Mapping, "sizes")
        letters = {field: name for name, field in self.fields.items()}
        if absent := [field for field in sizes if field not in letters]:
            raise no_such("size", absent[0], letters)
        return self.at({letters[field]: size for field, size in sizes.items()})

    def allows(self, name: str, size: int) -> bool:
        """Return whether the conditions on a letter are met where it has this value."""
        sizes = {**self.sizes, name: size}
        about = (s.condition for s in self.conditions if name in s.condition.letters)
        is_moved = name in self.fixed and size != self.sizes[name]
        return not is_moved and all(condition.is_met(sizes) for condition in about)

    def count(self, sizes: Mapping[str, int]) -> int:
        """Return the number of trainable parameters at these sizes. Raises as ``require`` does."""
        self.require(sizes)
        return _whole(value_at(self.formula, sizes, f"{self.name}: the formula"))

    def violated(self, sizes: Mapping[str, int]) -> StatedCondition | None:
        """Return the first condition that these sizes violate, None if they meet all."""
        require_letters(sizes, self.sizes)
        unmet = (one for one in self.conditions if not one.condition.is_met(sizes))
        return next(unmet, None)

    def require(self, sizes: Mapping[str, int]) -> None:
        """Require that the formula holds at these sizes.

        Raises ``ValueError``, in one line: for a size below 1, unless 0 is possible; for a violated
        condition, which the message names; for a ``fixed`` letter at another value; and for sizes
        that give a negative length, a negative number of tensors or a division by 0.
        """
        self._require_sizes(sizes)
        if stated := self.violated(sizes):
            raise InvalidInput(f"{self.name}: the formula holds where {stated.condition}")
        moved = [name for name in self.fixed if sizes[name] != self.sizes[name]]
        if moved:
            raise InvalidInput(
                f"{self.name}: the formula holds at {moved[0]} = {self.sizes[moved[0]]}"
            )
        for tensor in self._to_check:
            require_tensor(self._in(tensor), tensor.times, tensor.shape, sizes)

    def _require_sizes(self, sizes: Mapping[str, int]) -> None:
        try:
            require_sizes(sizes, self.sizes, self.at_zero)
        except ValueError as error:
            raise InvalidInput(f"{self.name}: {error}") from None

    @cached_property
    def at_zero(self) -> frozenset[str]:
        """The letters whose size may be 0: a model confirmed it, or no model reads the size."""
        confirmed = (name for name, (low, _) in self.validated.items() if low == 0)
        return frozenset((*confirmed, *self.unread))

    @cached_property
    def _to_check(self) -> tuple[DerivedTensor, ...]:
        """The parameters whose lengths or number may be negative, as far as their signs show."""
        return tuple(
            tensor
            for tensor in self.tensors
            if tensor.role != "buffer"
            and not all(
                is_never_negative(one, self.at_zero) for one in (tensor.times, *tensor.shape)
            )
        )

    def _in(self, tensor: DerivedTensor) -> str:
        """Return the name of a tensor for an error."""
        return f"{self.name}: {tensor.path}"

    def untied(self, paths: Iterable[str]) -> Derivation:
        """Return this derivation with tensors of their own under these further names."""
        own = frozenset(paths)
        tensors: list[DerivedTensor] = []
        for one in self.tensors:
            kept = tuple(name for name in one.aliases if name not in own)
            tensors.append(replace(one, aliases=kept))
            tensors += [replace(one, path=name, aliases=()) for name in one.aliases if name in own]
        return replace(self, tensors=tuple(tensors)) if own else self

    def substitute(self, values: Mapping[str, Expression]) -> Derivation:
        """Return this derivation with expressions in place of some letters in its formula."""
        return replace(
            self,
            tensors=tuple(
                replace(
                    one,
                    shape=tuple(length.substitute(values) for length in one.shape),
                    times=one.times.substitute(values),
                )
                for one in self.tensors
            ),
            conditions=tuple(
                replace(one, condition=one.condition.substitute(values)) for one in self.conditions
            ),
            irrelevant_guards=tuple(one.substitute(values) for one in self.irrelevant_guards),
        )

    def renamed(self, letters: Mapping[str, str]) -> Derivation:
        """Return this derivation with other letters; ``letters`` maps the old ones to the new.

        Text keeps the old letters: the caveats and the names of buffers.
        """

        def names(old: Iterable[str]) -> tuple[str, ...]:
            return tuple(letters[name] for name in old)

        return replace(
            self.substitute({name: letter(new) for name, new in letters.items()}),
            sizes={letters[name]: value for name, value in self.sizes.items()},
            fields={letters[name]: field for name, field in self.fields.items()},
            fixed=names(self.fixed),
            inert=names(self.inert),
            unread=names(self.unread),
            validated={letters[name]: sizes for name, sizes in self.validated.items()},
        )


def expected(tensors: Iterable[DerivedTensor], sizes: Mapping[str, int]) -> Counter[Stored]:
    """Return the expected number of tensors of each group and shape at these sizes.

    Tensors without entries, with a 0 in the shape, are left out.
    """
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
        raise InvalidInput(f"{value} is not a whole number")
    return int(number)
