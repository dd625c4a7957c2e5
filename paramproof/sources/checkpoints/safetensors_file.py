"""Read the header of a safetensors file with the standard library, and check it strictly.

The file begins with the length of its header, as a little-endian integer of eight bytes. The header
is JSON: the type, shape and offsets of each tensor by name, and texts under ``__metadata__``. The
bytes of the tensors follow, without gaps. A test compares this reader with the reference
implementation.

Source: https://github.com/huggingface/safetensors, section "Format".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from paramproof.formulas.printing import legible, path_text, shown
from paramproof.sources.strict_json import object_in_text

MAX_HEADER_BYTES = 100_000_000
"""The limit of the reference implementation."""

LENGTH_BYTES = 8
"""The size of the header's length, in bytes."""

METADATA = "__metadata__"

BITS = {
    **{"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6},
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0"), 8),
    **dict.fromkeys(("F8_E4M3FNUZ", "F8_E5M2FNUZ"), 8),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 16),
    **dict.fromkeys(("I32", "U32", "F32"), 32),
    **dict.fromkeys(("C64", "F64", "I64", "U64"), 64),
}
"""Bits of an element, by the name of its type."""

MAX_INTEGER = 2**64 - 1
"""The largest integer that the reference implementation reads."""


class NotSafetensors(ValueError):
    """A file does not follow the format. The message says why, without the file's name."""


@dataclass(frozen=True, slots=True)
class TensorEntry:
    """A header's entry for one tensor."""

    dtype: str
    shape: tuple[int, ...]
    first: int
    """Where its bytes begin, counted from the first byte after the header."""
    last: int
    """Where its bytes end, exclusively."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header: its tensors in the order of their names, and its texts."""

    tensors: Mapping[str, TensorEntry]
    metadata: Mapping[str, str]
    start: int
    """Where in the file the bytes of the tensors begin."""


def read_header(path: Path) -> Header:
    """Return the header of the safetensors file at ``path``.

    Raises ``NotSafetensors`` if the file does not follow the format, ``ValueError``, which names
    the file, if its JSON repeats a key, and ``OSError`` if it cannot be read.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(LENGTH_BYTES)
        if len(start) < LENGTH_BYTES:
            raise NotSafetensors(
                f"it has only {size} bytes, and the length of its header takes {LENGTH_BYTES}"
            )
        length = int.from_bytes(start, "little")
        if LENGTH_BYTES + length > size:
            raise NotSafetensors(
                f"its header would have {length:,} bytes, but the file has only {size:,}"
            )
        if length > MAX_HEADER_BYTES:
            raise NotSafetensors(f"its header has more than {MAX_HEADER_BYTES:,} bytes")
        data = file.read(length)
    header = _header(_object(data, path), LENGTH_BYTES + length)
    end = header.start + max((entry.last for entry in header.tensors.values()), default=0)
    if end != size:
        raise NotSafetensors(
            f"its header describes a file of {end:,} bytes, but the file has {size:,}"
        )
    return header


def _object(data: bytes, path: Path) -> dict[str, Any]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotSafetensors("its header is not text in UTF-8") from None
    if text.startswith("\ufeff"):
        raise NotSafetensors("its header begins with a byte order mark")
    return object_in_text(text, f"the header of {path_text(path)}")


def _header(entries: Mapping[str, Any], start: int) -> Header:
    metadata = entries.get(METADATA)
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise NotSafetensors(f"{METADATA} of its header is not a table of texts")
    tensors = {name: _entry(name, entries[name]) for name in sorted(entries) if name != METADATA}
    end = 0
    for name, entry in sorted(tensors.items(), key=lambda item: (item[1].first, item[1].last)):
        if entry.first != end:
            raise NotSafetensors(
                f"the bytes of {shown(name)} begin at {entry.first:,}, not at {end:,}, "
                "where those of the tensor before it end"
            )
        end = entry.last
    return Header(tensors, metadata, start)


def _entry(name: str, found: Any) -> TensorEntry:
    where = shown(name)
    if not isinstance(found, dict):
        raise NotSafetensors(f"{where} is {shown(found)} in its header, not a table")
    dtype, shape, offsets = (found.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not isinstance(dtype, str) or dtype not in BITS:
        raise NotSafetensors(f"{where} has the dtype {shown(dtype)}, which is not in the format")
    if not _are_sizes(shape):
        raise NotSafetensors(f"{where} has the shape {shown(shape)}, which is not a list of sizes")
    if not _are_sizes(offsets) or len(offsets) != 2:
        raise NotSafetensors(f"{where} has the data_offsets {shown(offsets)}, not two offsets")
    first, last = offsets
    if 8 * (last - first) != BITS[dtype] * _elements(shape):
        kind = f"{dtype} of shape {legible(shape)}"
        raise NotSafetensors(f"{where} has {last - first:,} bytes, which do not fit {kind}")
    return TensorEntry(dtype, tuple(shape), first, last)


def _elements(shape: list[int]) -> int:
    """Return the number of elements, or if that is huge, a number larger than any file has bits."""
    elements = 1
    for length in shape:
        elements *= length
        if elements > MAX_INTEGER:  # A product of millions of lengths would take hours.
            return 8 * MAX_INTEGER + 1
    return elements


def _are_sizes(values: Any) -> TypeGuard[list[int]]:
    return isinstance(values, list) and all(
        type(value) is int and 0 <= value <= MAX_INTEGER for value in values
    )
