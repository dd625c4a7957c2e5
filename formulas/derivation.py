"""A derivation: a model's tensors with symbolic shapes, its formula, and where it holds and why.

It refuses impossible numbers: a size below 1, a negative number of tensors, a division by 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from numbers import Integral
from typing import Any, Literal, NamedTuple, TypeAlias

from paramproof.formulas.architecture import Architecture, Evidence
from paramproof.formulas.condition import Condition, StatedCondition, is_never_negative
from paramproof.formulas.errors import InvalidInput, require_type
from paramproof.formulas.expression import Expression, letter, sum_of, text
from paramproof.formulas.parts import Storage, native_tensors
from paramproof.formulas.printing import shown
from paramproof.formulas.tensors import Inventory, Tensor

PROVED = "proved"
FITTED = "fitted"

Role: TypeAlias = Literal["trainable", "frozen", "buffer"]


class Kind(NamedTuple):
    """The properties that the tensors of a group share. Their paths differ only in numbers."""

    path: str
    role: Role
    aliases: tuple[str, ...]
    rank: int


@dataclass(frozen=True, slots=True)
class DerivedTensor:
    """A tensor group: tensors whose paths differ only in numbers, with a symbolic shape.

    ``times`` is their number. The shape was read off code (``traced``), or else fitted to observed
    shapes. The number follows from the loops that create the tensors (``looped``), or was fitted.
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
        return Kind(self.path, self.role, self.aliases, len(self.shape))

    @property
    def size(self) -> Expression:
        """Number of entries in all these tensors: ``times`` · the product of ``shape``."""
        return self.times * prod(self.shape, start=Expression({(): 1}))


@dataclass(frozen=True)
class Derivation(Architecture):
    """The model that a constructor creates, with symbolic sizes.

    ``irrelevant_guards`` were evaluated like the ``conditions``, but violating them changed
    nothing: the formula is proved where they are met, and fitted elsewhere. ``inert`` letters
    change no tensor. ``unexplained`` are buffers without a formula. ``caveats`` are lines that may
    decide something and were not followed, and other doubts. ``validated`` has, for each letter,
    the smallest and the largest size at which a model confirmed the formula; a letter is absent if
    that is unknown. ``Architecture`` describes the rest.
    """

    name: str
    sizes: Mapping[str, int]
    fields: Mapping[str, str]
    tensors: tuple[DerivedTensor, ...]
    conditions: tuple[StatedCondition, ...]
    fixed: tuple[str, ...] = ()
    inert: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    irrelevant_guards: tuple[Condition, ...] = ()
    caveats: tuple[str, ...] = ()
    evidence: Evidence = field(kw_only=True)
    validated: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    spec = None

    @cached_property
    def parameters(self) -> tuple[DerivedTensor, ...]:
        return tuple(tensor for tensor in self.tensors if tensor.role != "buffer")

    @cached_property
    def formula(self) -> Expression:
        return sum_of(tensor.size for tensor in self.tensors if tensor.role == "trainable")

    def summands(self) -> dict[Expression, list[DerivedTensor]]:
        """Return the tensors by their number, in the order of the model."""
        found: dict[Expression, list[DerivedTensor]] = {}
        for tensor in self.tensors:
            found.setdefault(tensor.times, []).append(tensor)
        return found

    @property
    def buffers(self) -> tuple[str, ...]:
        explained = (tensor.path for tensor in self.tensors if tensor.role == "buffer")
        return (*explained, *(name.removesuffix(" (buffer)") for name in self.unexplained))

    def inventory(self, sizes: Mapping[str, int] | None = None) -> Inventory:
        """Return the parameters as an inventory, with native paths and without buffers.

        Each further name of a storage is a tensor of its own, tied to the first name, after all
        others. Raises ``ValueError`` as ``require`` does.
        """
        if sizes is None:
            return Inventory({name: letter(name) for name in self.sizes}, self._named)
        self.require(sizes)

        def at_sizes(one: Tensor) -> Tensor:
            where = f"{self.name}: {one.path}"
            lengths = (*one.shape, one.repeat)
            *shape, repeat = (value_at(length, sizes, where) for length in lengths)
            return replace(one, shape=tuple(shape), repeat=repeat, present=1 if repeat else 0)

        return Inventory(dict(sizes), tuple(map(at_sizes, self._named)))

    @cached_property
    def _named(self) -> tuple[Tensor, ...]:
        """The tensors of the symbolic inventory."""
        storages = [
            Storage((one.path, *one.aliases), one.shape, one.times, one.role == "trainable")
            for one in self.parameters
        ]
        named = native_tensors(storages, self.name, self.fields)
        return tuple(sorted(named, key=lambda one: one.tied_to is not None))

    @property
    def reasons(self) -> tuple[str, ...]:
        read = sum(not tensor.traced for tensor in self.parameters)
        counted = sum(not tensor.looped for tensor in self.parameters)
        found = {
            f"the shape is fitted in {read} of {len(self.parameters)} tensor groups": read,
            f"the count is fitted in {counted} tensor group{'s' * (counted != 1)}": counted,
            f"{', '.join(self.fixed)} did not vary": self.fixed,
        }
        return (*(reason for reason, applies in found.items() if applies), *self.caveats)

    @property
    def is_proved(self) -> bool:
        """Whether every shape and count was read off code, nothing is fixed or in doubt."""
        return not self.reasons

    @property
    def proved_where(self) -> tuple[str, ...] | None:
        return tuple(map(str, self.irrelevant_guards)) if self.is_proved else None

    @property
    def status(self) -> str:
        return PROVED if self.is_proved else FITTED

    def reasons_at(self, sizes: Mapping[str, int]) -> tuple[str, ...]:
        """Return why the formula is not proved at these sizes; empty if it is.

        Reasons that depend on the sizes come first: a guard that they violate, and a size outside
        the range at which the formula was validated. Raises ``ValueError`` for an impossible
        size, as ``require`` does.
        """
        self._require_sizes(sizes)
        guards = self.irrelevant_guards if self.is_proved else ()
        violated = [one for one in guards if not one.is_met(sizes)]
        if self.is_proved and not violated:
            return ()
        found = []
        if violated:
            letters = sorted(frozenset[str]().union(*(one.letters for one in violated)))
            here = ", ".join(f"{name} = {self.fields[name]} = {sizes[name]}" for name in letters)
            unmet = " and ".join(map(str, violated))
            found = [f"these sizes violate a guard that the proof rests on ({unmet}; {here})"]
        found += [
            f"{name} = {sizes[name]} lies outside the sizes it was validated at ({low} to {high})"
            for name, (low, high) in self.validated.items()
            if name not in self.inert and name in sizes and not low <= sizes[name] <= high
        ]
        return (*found, *self.reasons)

    def at(self, sizes: Mapping[str, int]) -> Derivation:
        require_type(sizes, Mapping, "sizes")
        whole = {**self.sizes, **sizes}
        self.require(whole)
        return replace(self, sizes=whole)

    def count(self, sizes: Mapping[str, int]) -> int:
        """Return the number of trainable parameters at these sizes. Raises as ``require`` does."""
        self.require(sizes)
        return value_at(self.formula, sizes, f"{self.name}: the formula")

    def violated(self, sizes: Mapping[str, int]) -> StatedCondition | None:
        """Return the first condition that these sizes violate, None if they meet all."""
        self._require_letters(sizes)
        return next((one for one in self.conditions if not one.condition.is_met(sizes)), None)

    def require(self, sizes: Mapping[str, int]) -> None:
        """Require that the formula holds at these sizes.

        Raises ``ValueError``, in one line: for a size below 1, unless 0 is possible; for a violated
        condition, which the message names; for a ``fixed`` letter at another value; and for sizes
        that give a negative length, a negative number of tensors or a division by 0.
        """
        self._require_sizes(sizes)
        if stated := self.violated(sizes):
            raise InvalidInput(f"{self.name}: the formula holds where {stated.condition}")
        for name in self.fixed:
            if sizes[name] != self.sizes[name]:
                raise InvalidInput(f"{self.name}: the formula holds at {name} = {self.sizes[name]}")
        for tensor in self._to_check:
            self._require_natural(tensor, sizes)

    def _require_letters(self, sizes: Mapping[str, int]) -> None:
        require_type(sizes, Mapping, "sizes")
        for name in self.sizes:
            given = f"{self.name}: {name}"
            if name not in sizes:
                every = ", ".join(self.sizes)
                raise InvalidInput(f"{given} has no size: give one for each of {every}")
            if not isinstance(sizes[name], Integral):
                raise InvalidInput(f"{given} = {shown(sizes[name])} is not a whole number")

    def _require_sizes(self, sizes: Mapping[str, int]) -> None:
        self._require_letters(sizes)
        for name in self.sizes:
            least, what = (0, "it") if name in self.at_zero else (1, "every size")
            if sizes[name] < least:
                given = f"{self.name}: {name} = {text(sizes[name])}"
                raise InvalidInput(f"{given}: {what} must be {least} or more")

    def _require_natural(self, tensor: DerivedTensor, sizes: Mapping[str, int]) -> None:
        """Require that the number of tensors and, unless it is 0, their lengths are 0 or more."""
        where = f"{self.name}: {tensor.path}"
        lengths = (("would have a length of {}", length) for length in tensor.shape)
        for said, one in (("would occur {} times", tensor.times), *lengths):
            if (value := value_at(one, sizes, where)) < 0:
                at = _values_of(one, sizes)
                raise InvalidInput(f"{where} {said.format(text(value))} at {at}")
            if one is tensor.times and not value:
                return

    @cached_property
    def at_zero(self) -> frozenset[str]:
        """The letters whose size may be 0, as a model confirmed."""
        return frozenset(name for name, (low, _) in self.validated.items() if low == 0)

    @cached_property
    def _to_check(self) -> tuple[DerivedTensor, ...]:
        """The parameters whose lengths or number may be negative, as far as their signs show."""
        return tuple(
            tensor
            for tensor in self.parameters
            if not all(is_never_negative(n, self.at_zero) for n in (tensor.times, *tensor.shape))
        )

    def untied(self, paths: Iterable[str]) -> Derivation:
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
        """Return this derivation with other letters, except in caveats and in names of buffers."""
        named: dict[str, Any] = {
            key: {letters[name]: value for name, value in getattr(self, key).items()}
            for key in ("sizes", "fields", "validated")
        }
        named |= {
            key: tuple(letters[name] for name in getattr(self, key)) for key in ("fixed", "inert")
        }
        new = {name: letter(to) for name, to in letters.items()}
        return replace(self.substitute(new), **named)


def value_at(one: Expression, sizes: Mapping[str, int], what: str) -> int:
    """Return the value at these sizes; the error for one that does not exist names ``what``."""
    try:
        return one.evaluate(sizes)
    except (ArithmeticError, ValueError) as error:
        why = "it divides by 0" if isinstance(error, ZeroDivisionError) else error
        at = _values_of(one, sizes)
        raise InvalidInput(f"{what} has no value at {at}: {why}") from None


def _values_of(one: Expression, sizes: Mapping[str, int]) -> str:
    """Return the sizes of the letters in an expression as text: ``L = 1, D = 3``."""
    return ", ".join(
        f"{name} = {text(size)}" for name, size in sizes.items() if name in one.letters
    )
