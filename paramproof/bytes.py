"""Bytes of a model's parameters at a dtype, in decimal and in binary units."""

from __future__ import annotations

import re

from paramproof.formulas.conventions import in_units
from paramproof.formulas.errors import UnknownName, canonical_name, no_such
from paramproof.formulas.printing import shown

BITS = {"float64": 64, "float32": 32, "bfloat16": 16, "float16": 16}
BITS |= {"float8": 8, "int8": 8, "int4": 4, "float4": 4}
"""Bits of a parameter, by dtype. The scales of quantised blocks come on top."""

OTHER_NAMES = {
    "float64": "f64 fp64 double",
    "float32": "f32 fp32 float",
    "bfloat16": "bf16",
    "float16": "f16 fp16 half",
    "float8": "f8 fp8 float8_e4m3fn float8_e5m2",
    "float4": "fp4 mxfp4 nf4 nvfp4",  # Blocks of 4 bits are counted without their scales.
}
SPELLINGS = {name: dtype for dtype, names in OTHER_NAMES.items() for name in names.split()}

GGUF = re.compile(r"[it]?q\d.*", re.IGNORECASE)
"""The names of llama.cpp's quantised files, as ``Q4_K_M`` and ``IQ2_XS``."""

DECIMAL = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3))
BINARY = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def bytes_of(number: int, dtype: str) -> int:
    """Return the bytes of ``number`` parameters: a last byte that is not full counts as one."""
    return -(-number * BITS[require_dtype(dtype)] // 8)


def bytes_text(number: int, dtype: str) -> str:
    dtype = require_dtype(dtype)
    size, bits = bytes_of(number, dtype), BITS[dtype]
    width = f"{8 // bits} in a byte" if bits < 8 else f"{bits // 8} byte{'s' * (bits > 8)} each"
    units = [_in(size, kind) for kind in (DECIMAL, BINARY)]
    return ", ".join([f"{dtype}, {width}: {size:,} bytes", *filter(None, units)])


def size_text(number: int, dtype: str) -> str:
    size = bytes_of(number, dtype)
    return _in(size, DECIMAL) or f"{size} bytes"


def require_dtype(name: str) -> str:
    """Return the dtype of ``BITS`` that ``name`` means, as ``bfloat16`` for ``BF16``.

    Raises ``UnknownName`` for a dtype that does not have one known width.
    """
    meant = canonical_name(name.removeprefix("torch."), [*BITS, *SPELLINGS])
    if meant is not None:
        return SPELLINGS.get(meant, meant)
    if GGUF.fullmatch(name):
        several = f"{shown(name)} is a GGUF type, whose blocks have several widths: "
        raise UnknownName(f"{several}give a dtype of one width, such as int4", name, "dtype")
    raise no_such("dtype", name, BITS)


def _in(size: int, units: tuple[tuple[str, int], ...]) -> str:
    """Return the size in the largest unit that is not larger than it, "" if there is none."""
    return next((f"{in_units(size, unit)} {name}" for name, unit in units if size >= unit), "")
