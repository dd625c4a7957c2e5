"""Numbers as people write them: 2,362,368; 2_362_368; 110M; 6.7B; 1.5e9; 438MB.

A number with all its digits is exact. A number with a unit, a point or an exponent, or with many
zeros at its end, is rounded, and can be read in several ways: in units of 10⁶ or 2²⁰, with more or
fewer significant digits, rounded or cut off. A number of bytes (438MB, 418 MiB, 437928960 bytes)
stands for as many parameters as fit into it at four, two or one bytes each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.expression import SUPERSCRIPTS

UNITS = {"": 0, "k": 1, "m": 2, "b": 3, "g": 3, "t": 4}
UNITS |= {"thousand": 1, "million": 2, "billion": 3, "trillion": 4}
BYTES_EACH = {4: "float32", 2: "float16 or bfloat16", 1: "float8 or int8"}
"""Bytes of a parameter, with the types of that size."""

MAX_DIGITS = 30
MIN_ROUNDED_ZEROS = 5
"""The fewest zeros at the end of a whole number that may be rounded."""

_DIGITS = r"\d{1,3}(?P<separator>[,_'\u202f\u2009 ])\d{3}(?:(?P=separator)\d{3})*|\d+"
_NUMBER = (
    rf"(?P<whole>{_DIGITS})(?:\.(?P<places>\d+))?(?:e\+?(?P<exponent>\d{{1,2}}))?"
    r"\s?(?:(?P<unit>[kmgt])(?P<binary>i)?(?P<byte>b)?|(?P<word>b|thousand|million|billion|trillion)"
    r"|(?P<bytes>bytes?))?"
)


class RoundingMode(IntEnum):
    """How a count was rounded to the printed number, the most common way first."""

    NONE = 0
    TO_LAST_DIGIT = 1
    CUT_OFF = 2
    BINARY = 3
    TO_NONZERO_DIGIT = 4


@dataclass(frozen=True, slots=True)
class RoundedReading:
    """One way to read a rounded number: it stands for any number in [low, high).

    ``says`` is the ``rounding`` in words. For a number of bytes, ``bytes_each`` is the size of a
    parameter; for a number of parameters, it is 0.
    """

    low: Fraction
    high: Fraction
    says: str
    rounding: RoundingMode = RoundingMode.NONE
    bytes_each: int = 0

    def __contains__(self, count: int) -> bool:
        return self.low <= count < self.high

    @property
    def stated(self) -> Fraction:
        """The printed number, in parameters."""
        from_below = self.rounding in (RoundingMode.NONE, RoundingMode.CUT_OFF)
        return self.low if from_below else (self.low + self.high) / 2

    def of(self, count: int) -> str:
        """Return, in words, how ``count`` becomes the number: its bytes and its rounding."""
        if not self.bytes_each:
            return self.says
        size = f"{count * self.bytes_each:,} bytes in {BYTES_EACH[self.bytes_each]}"
        return f"{size}, {self.says}" if self.says else size


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number as it was written; ``exact`` is None if only rounded readings make sense.

    If it may be a number of bytes, ``bytes_readings`` come before ``readings``.
    """

    text: str
    exact: int | None
    readings: tuple[RoundedReading, ...] = ()
    bytes_readings: tuple[RoundedReading, ...] = ()

    @property
    def power_of_two(self) -> int | None:
        """The exponent if the number is a power of two, or else None."""
        exact = self.exact or 0
        return exact.bit_length() - 1 if exact > 1 and not exact & (exact - 1) else None

    def same_as(self, other: WrittenNumber) -> bool:
        """Return whether both are one number: 6738415616 and 6,738,415,616, 117M and 0.117B."""
        return (self.exact is not None and self.exact == other.exact) or self.rounds_as(other)

    def rounds_as(self, other: WrittenNumber) -> bool:
        """Return whether both are the same rounded number: 117M, 117,000,000 and 0.117B."""
        own, others = (
            one.readings[0].stated if one.readings and not one.bytes_readings else None
            for one in (self, other)
        )
        return own is not None and own == others

    def __str__(self) -> str:
        return self.text if self.exact is None else f"{self.exact:,}"


def read(text: str) -> WrittenNumber:
    """Return the number written in ``text``.

    Raises ``InvalidInput``, in one line, if it is not a number, is zero, or is absurdly long.
    """
    match = re.fullmatch(_NUMBER, text.strip(), re.IGNORECASE | re.ASCII)
    if not match or len(text) > 2 * MAX_DIGITS:
        shown = text if len(text) < 2 * MAX_DIGITS else f"{text[:MAX_DIGITS]}…"
        problem = "is not a number of parameters: write it as 2,362,368 or 110M"
        raise InvalidInput(f"{shown!r} {problem}")
    whole = re.sub(r"\D", "", match["whole"])
    places, exponent = match["places"] or "", int(match["exponent"] or 0)
    digits = whole + places
    if not int(digits) or len(digits) + exponent > MAX_DIGITS:
        raise InvalidInput(f"{text.strip()!r} is not a number of parameters that a model can have")
    unit = (match["unit"] or match["word"] or "").lower()
    zeros = len(digits) - len(digits.rstrip("0"))
    shift = exponent - len(places)
    if match["bytes"]:
        size = int(digits) * Fraction(10) ** shift
        exact = (RoundedReading(size, size + 1, ""),)
        return WrittenNumber(text.strip(), None, bytes_readings=tuple(in_bytes(exact)))
    if not (places or exponent or unit):
        rounded = _readings(int(digits), 0, "", zeros) if zeros >= MIN_ROUNDED_ZEROS else ()
        return WrittenNumber(text.strip(), int(digits), tuple(rounded))
    readings = tuple(_readings(int(digits), shift, unit, zeros))
    sized = tuple(in_bytes(readings)) if match["byte"] else ()
    return WrittenNumber(text.strip(), None, readings, sized)


def in_bytes(readings: Iterable[RoundedReading]) -> Iterator[RoundedReading]:
    """Yield readings as numbers of bytes: the number of parameters that take as many bytes."""
    for each in BYTES_EACH:
        for one in readings:
            low, high = one.low / each, one.high / each
            yield RoundedReading(low, high, one.says, one.rounding, each)


def _readings(digits: int, shift: int, unit: str, zeros: int) -> Iterator[RoundedReading]:
    """Yield the readings: rounded in either unit, cut off, rounded to the last non-zero digit."""
    power = UNITS[unit]
    one, binary = (Fraction(10) ** shift * base**power for base in (1000, 1024))
    # Zeros after a point are significant; that of 110M may come from rounding.
    coarse = zeros if shift >= 0 else 0
    figures = len(str(digits))
    if unit or not coarse:
        yield _rounded(digits, one, 0, figures)
        if unit:
            low = (digits - Fraction(1, 2)) * binary
            says = f"rounded, in 2{str(10 * power).translate(SUPERSCRIPTS)}"
            yield RoundedReading(low, low + binary, says, RoundingMode.BINARY)
        says = "cut off after the last digit"
        yield RoundedReading(digits * one, (digits + 1) * one, says, RoundingMode.CUT_OFF)
    if coarse:
        yield _rounded(digits, one, coarse, figures - coarse)


def _rounded(digits: int, one: Fraction, zeros: int, figures: int) -> RoundedReading:
    step = one * 10**zeros
    plural = "s" if figures > 1 else ""
    says = f"rounded to {figures} significant digit{plural}"
    rounding = RoundingMode.TO_NONZERO_DIGIT if zeros else RoundingMode.TO_LAST_DIGIT
    return RoundedReading(digits * one - step / 2, digits * one + step / 2, says, rounding)
