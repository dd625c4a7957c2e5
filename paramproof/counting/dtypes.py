"""Bytes of a model's parameters at a dtype, in decimal and in binary units."""

from __future__ import annotations

from paramproof.formulas.conventions import in_units
from paramproof.formulas.lookup import no_such

BITS = {
    "float64": 64,
    "float32": 32,
    "bfloat16": 16,
    "float16": 16,
    "float8": 8,
    "int8": 8,
    "int4": 4,
}
"""Bits of a parameter, by dtype."""

DECIMAL = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3))
BINARY = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def bytes_of(number: int, dtype: str) -> int:
    """Return the bytes of ``number`` parameters: a last byte that is not full counts as one."""
    return -(-number * BITS[dtype] // 8)


def bytes_text(number: int, dtype: str) -> str:
    """Return the bytes of ``number`` parameters in one line, with both kinds of units."""
    size = bytes_of(number, dtype)
    units = [_in(size, kind) for kind in (DECIMAL, BINARY)]
    return ", ".join([f"{dtype}, {_width(dtype)}: {size:,} bytes", *filter(None, units)])


def require_dtype(name: str) -> None:
    """Raise ``ValueError``, listing those there are, for a dtype of no known width."""
    if name not in BITS:
        raise no_such("dtype", name, BITS)


def _in(size: int, units: tuple[tuple[str, int], ...]) -> str:
    """The size in the largest unit that is not larger than it, "" where there is none."""
    return next((f"{in_units(size, unit)} {name}" for name, unit in units if size >= unit), "")


def _width(dtype: str) -> str:
    whole, rest = divmod(BITS[dtype], 8)
    return f"{8 // BITS[dtype]} in a byte" if rest else f"{whole} byte{'s' * (whole > 1)} each"
