"""Numbers as people write them: 2,362,368; 2_362_368; 110M; 6.7B; 1.5e9; 37.5KB.

A number with all its digits is meant exactly. One with a unit, a point or an exponent, or
with many zeros at its end, is rounded, and says less than it seems to: which units (10⁶ or
2²⁰), how many digits, whether rounded or cut off, is to be found out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

UNITS = {"": 0, "k": 1, "m": 2, "b": 3, "g": 3, "t": 4}
WORDS = {"thousand": "k", "million": "m", "billion": "b", "trillion": "t"}
MAX_DIGITS = 30
"""A number with more digits is refused."""

MIN_ROUNDED_ZEROS = 5
"""A number with so many zeros at its end, or more, may be a rounded one."""

_DIGITS = r"\d{1,3}(?P<separator>[,_'\u202f\u2009 ])\d{3}(?:(?P=separator)\d{3})*|\d+"
_NUMBER = re.compile(
    rf"(?P<whole>{_DIGITS})(?:\.(?P<places>\d+))?(?:e\+?(?P<exponent>\d{{1,2}}))?"
    r"\s?(?:(?P<unit>[kmgt])(?:ib?|b)?|(?P<word>b|thousand|million|billion|trillion))?",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class RoundedReading:
    """One way to read a rounded number: it stands for any number in [low, high).

    ``says`` completes "rounded …"; the narrower, the more it says.
    """

    low: Fraction
    high: Fraction
    says: str

    def __contains__(self, count: int) -> bool:
        return self.low <= count < self.high

    @property
    def middle(self) -> Fraction:
        """The number halfway."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number as it was written; ``exact`` is None where only rounded readings make sense."""

    text: str
    exact: int | None
    readings: tuple[RoundedReading, ...] = ()

    def __str__(self) -> str:
        return self.text if self.exact is None else f"{self.exact:,}"


def read(text: str) -> WrittenNumber:
    """Return the number that ``text`` writes.

    Raises ``ValueError``, in one line, for what is no number, zero or absurdly long.
    """
    match = _NUMBER.fullmatch(text.strip())
    if not match or len(text) > 2 * MAX_DIGITS:
        shown = text if len(text) < 2 * MAX_DIGITS else f"{text[:MAX_DIGITS]}…"
        raise ValueError(f"{shown!r} is no number of parameters, as 2,362,368 or 110M are")
    whole = re.sub(r"\D", "", match["whole"])
    places, exponent = match["places"] or "", int(match["exponent"] or 0)
    digits = whole + places
    if not int(digits) or len(digits) + exponent > MAX_DIGITS:
        raise ValueError(f"{text.strip()!r} is no number of parameters that a model can have")
    word = (match["unit"] or match["word"] or "").lower()
    unit = WORDS.get(word, word)
    zeros = len(digits) - len(digits.rstrip("0"))
    if not (places or exponent or unit):
        readings = _readings(int(digits), 0, "", zeros) if zeros >= MIN_ROUNDED_ZEROS else ()
        return WrittenNumber(text.strip(), int(digits), tuple(readings))
    shift = exponent - len(places)
    return WrittenNumber(text.strip(), None, tuple(_readings(int(digits), shift, unit, zeros)))


def _readings(digits: int, shift: int, unit: str, zeros: int) -> Iterator[RoundedReading]:
    """Rounded to the last digit, in either unit; cut off there; rounded to the last non-zero."""
    power = UNITS[unit]
    one, binary = (Fraction(10) ** shift * base**power for base in (1000, 1024))
    # Zeros after a point are meant; those of 110M may have been rounded away.
    coarse = zeros if shift >= 0 else 0
    figures = len(str(digits))
    if unit or not coarse:
        yield _rounded(digits, one, 0, figures)
        if unit:
            low = (digits - Fraction(1, 2)) * binary
            yield RoundedReading(low, low + binary, f"rounded, in 2{_raised(10 * power)}")
        yield RoundedReading(digits * one, (digits + 1) * one, "cut off after the last digit")
    if coarse:
        yield _rounded(digits, one, coarse, figures - coarse)


def _rounded(digits: int, one: Fraction, zeros: int, figures: int) -> RoundedReading:
    step = one * 10**zeros
    plural = "s" if figures > 1 else ""
    says = f"rounded to {figures} significant digit{plural}"
    return RoundedReading(digits * one - step / 2, digits * one + step / 2, says)


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
