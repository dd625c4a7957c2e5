"""Reject impossible numbers: a size below 1, a negative number of tensors, a division by 0."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from numbers import Integral

from paramproof.formulas.errors import InvalidInput, require_type
from paramproof.formulas.expression import Atom, DivisionByZero, Expression, Number, Quotient
from paramproof.formulas.notation import text
from paramproof.formulas.printing import shown


def require_sizes(
    sizes: Mapping[str, int], letters: Collection[str], at_zero: Collection[str] = ()
) -> None:
    """Require that the size of each of ``letters`` is 1 or more, or 0 for those ``at_zero``."""
    require_letters(sizes, letters)
    for name, size in sizes.items():
        if size < 1 and name in letters and (size or name not in at_zero):
            least = "0" if name in at_zero else "1"
            every = "it" if name in at_zero else "every size"
            raise InvalidInput(f"{name} = {text(size)}: {every} must be {least} or more", key=name)


def require_letters(sizes: Mapping[str, int], letters: Iterable[str]) -> None:
    require_type(sizes, Mapping, "sizes")
    for name in letters:
        if name not in sizes:
            raise InvalidInput(f"{name} has no size: give one for each of {', '.join(letters)}")
        if not isinstance(sizes[name], Integral):
            raise InvalidInput(f"{name} = {shown(sizes[name])} is not a whole number")


def value_at(one: Expression, sizes: Mapping[str, int], what: str) -> Number:
    """Return a value. If it divides by 0, the error names the divisor; ``what`` names the value."""
    try:
        return one.value(sizes)
    except DivisionByZero as error:
        at = values_of(error.by, sizes)
        at = "" if at == f"{error.by} = 0" else f" at {at}"
        raise InvalidInput(f"{what} divides by {error.by}, which is 0{at}") from None
    except ArithmeticError as error:
        at = values_of(one, sizes)
        raise InvalidInput(f"{what} has no value at {at}: {error}") from None


def is_never_negative(one: Expression, at_zero: Collection[str] = ()) -> bool:
    """Return True if the signs show that an expression is defined, and 0 or more, at all sizes.

    Every letter is 1 or more, except that those in ``at_zero`` may be 0.
    """
    return all(
        number > 0 and all(_is_factor(atom, power, at_zero) for atom, power in powers)
        for powers, number in one.terms.items()
    )


def _is_factor(atom: Atom, power: int, at_zero: Collection[str]) -> bool:
    if isinstance(atom, str):
        return power > 0 or atom not in at_zero
    return (
        power > 0
        and isinstance(atom, Quotient)
        and is_never_negative(atom.numerator, at_zero)
        and not atom.denominator.has_quotients
        and atom.denominator.letters.isdisjoint(at_zero)
        and is_never_negative(atom.denominator)
    )


def require_tensor(
    where: str, times: Expression, shape: Iterable[Expression], sizes: Mapping[str, int]
) -> None:
    """Require that the number of tensors and, unless it is 0, their lengths are 0 or more.

    ``where`` names the tensors in an error.
    """
    if (number := value_at(times, sizes, where)) < 0:
        at = values_of(times, sizes)
        raise InvalidInput(f"{where} would occur {text(number)} times at {at}")
    for one in shape if number else ():
        if (length := value_at(one, sizes, where)) < 0:
            at = values_of(one, sizes)
            raise InvalidInput(f"{where} would have a length of {text(length)} at {at}")


def values_of(one: Expression, sizes: Mapping[str, int]) -> str:
    """Return the sizes of the letters in an expression as text: ``L = 1, D = 3``."""
    return ", ".join(
        f"{name} = {text(size)}" for name, size in sizes.items() if name in one.letters
    )
