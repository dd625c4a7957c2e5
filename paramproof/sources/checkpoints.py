"""Read the tensors that checkpoints list in their headers: no weight is loaded.

A checkpoint is a safetensors file, or an index (JSON) that maps tensors to several such files, its
shards. A file begins with the length of its header, as a little-endian integer of eight bytes. The
header is JSON: the type, shape and offsets of each tensor by name, and texts under
``__metadata__``. The bytes of the tensors follow, without gaps. Headers are read with the standard
library and checked strictly; a test compares this reader with the reference implementation.
Nothing is unpickled: a pickle is refused unopened.

Source: https://github.com/huggingface/safetensors, section "Format".
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, chain
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import legible, path_text, shown, some_of
from paramproof.sources.strict_json import object_in_file, object_in_text, require_file
from paramproof.sources.tensor_names import kind_of, require_none, signs_in, unwrapped

MAX_INDEX_BYTES = 2**26
"""The largest index, in bytes: enough for some 500,000 names."""

INDEX = ".safetensors.index.json"
"""How the name of an index of shards ends."""

SHARD = re.compile(r"(?P<stem>.+)-\d{5}-of-(?P<shards>\d{5})\.safetensors")
"""The file name that Hugging Face gives a shard."""

SPEC = "spec"
"""The entry of a header's metadata that contains the spec of the weights."""


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor in a file; its bytes are those from ``first`` to ``last``, after the header."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The tensors of a file, or of all shards of an index; ``spec`` is JSON of ``save_weights``."""

    path: Path
    shards: int
    tensors: tuple[StoredTensor, ...]
    spec: str = ""

    @property
    def dtypes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(stored.dtype for stored in self.tensors))

    @property
    def wrappers(self) -> tuple[str, ...]:
        found = (unwrapped(stored.name)[1] for stored in self.tensors)
        return tuple(dict.fromkeys(wrapper for wrappers in found for wrapper in wrappers))


def checkpoint(path: str | Path) -> Checkpoint:
    """Return the tensors in a safetensors file, in an index, or in the only one in a directory.

    Raises ``ValueError``, in one line that names the file, for a file that cannot be read, for an
    index that contradicts its shards, for a single shard, and for tensors that are not plain
    weights: those of an adapter, of a quantised model, or FSDP's flat parameters.
    """
    path = _file_in(Path(path))
    if path.suffix == ".json":
        headers = [_header(shard, names) for shard, names in _shards(path).items()]
        spec = ""
    else:
        headers = [_header(path)]
        spec = headers[0].metadata.get(SPEC, "")
        shard = SHARD.fullmatch(path.name)
        if shard and int(shard["shards"]) > 1:
            index = path.with_name(shard["stem"] + INDEX)
            where = "" if index.exists() else ", which should be next to it"
            raise InvalidInput(
                f"{path_text(path)} is one of {int(shard['shards'])} shards: "
                f"give their index, {legible(index.name)}{where}"
            )
    tensors = tuple(stored for header in headers for stored in header.tensors.values())
    # GPT-2's old masks are bytes as well, and end in bias.
    packed = (one for one in tensors if one.dtype[:1] in ("I", "U") and one.name.endswith("weight"))
    signs = signs_in((one.name for one in tensors), "adapter", "flat", "quantised")
    found = chain(signs, ((one.name, "quantised") for one in packed))
    require_none(found, path_text(path), "file")
    return Checkpoint(path, len(headers), tensors, spec)


def _file_in(path: Path) -> Path:
    if os.path.isdir(path):  # `Path.is_dir` raises an error for a name that is too long.
        found = sorted(path.glob(f"*{INDEX}")) or sorted(path.glob("*.safetensors"))
        if len(found) > 1:
            names = some_of([legible(one.name) for one in found], 4)
            raise InvalidInput(f"has several checkpoints: name one of {names}", where=str(path))
        if not found:
            problem = "is a directory without a model: name a config.json or a safetensors file"
            raise InvalidInput(problem, where=str(path))
        return found[0]
    return path


def _header(path: Path, names: Iterable[str] | None = None) -> Header:
    """Return the header of a file, or of a shard with these ``names`` in the index."""
    require_file(path)
    where = path_text(path)
    if kind := kind_of({}, path.name):
        raise InvalidInput(kind, where=where)
    try:
        header = read_header(path)
    except (NotSafetensors, OSError) as error:
        start = b""
        with suppress(OSError), path.open("rb") as file:
            start = file.read(LENGTH_BYTES)
        why = f"is not a complete safetensors file: {getattr(error, 'strerror', error)}"
        raise InvalidInput(kind_of({}, start=start) or why, where=where) from None
    for name in header.tensors:
        if not name or name.startswith("."):
            raise InvalidInput(f"{shown(name)} is not the name of a tensor in a model", where=where)
    if names is not None and (differ := {*names} ^ {*header.tensors}):
        name = min(differ)
        both = ["the shard", "the index"]
        has, lacks = both if name in header.tensors else both[::-1]
        raise InvalidInput(f"{where}: {shown(name)} is in {has}, but not in {lacks}")
    return header


def _shards(path: Path) -> dict[Path, list[str]]:
    where = path_text(path)
    found: Any = object_in_file(path, largest=MAX_INDEX_BYTES).get("weight_map")
    if not isinstance(found, dict) or not found:
        raise InvalidInput(f"{where} is not an index of shards: weight_map is missing")
    shards: dict[Path, list[str]] = {}
    for name, shard in found.items():
        if not isinstance(shard, str) or shard in ("", "..") or Path(shard).name != shard:
            raise InvalidInput(f"{where}: {shown(shard)} is not a file name, for {shown(name)}")
        shards.setdefault(path.parent / shard, []).append(name)
    for shard in shards:
        if not shard.exists():
            name = legible(shard.name)
            raise InvalidInput(f"{where} names the shard {name}, which does not exist")
    return shards


MAX_HEADER_BYTES = 100_000_000
"""The limit of the reference implementation."""

LENGTH_BYTES = 8

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


class Header(NamedTuple):
    """A header: its tensors in the order of their names, its texts, and where it ends."""

    tensors: Mapping[str, StoredTensor]
    metadata: Mapping[str, str]
    end: int


def read_header(path: Path) -> Header:
    """Read a file's header. Raises ``NotSafetensors``, or ``ValueError`` if it is not JSON."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(LENGTH_BYTES)
        length = int.from_bytes(start, "little") if len(start) == LENGTH_BYTES else 0
        if (needed := LENGTH_BYTES + length) > size:
            problem = f"its header would end at byte {needed:,}"
            raise NotSafetensors(f"{problem}, but the file has only {size:,}")
        if length > MAX_HEADER_BYTES:
            raise NotSafetensors(f"its header has more than {MAX_HEADER_BYTES:,} bytes")
        data = file.read(length)
    entries = _entries(data, path)
    if (metadata := entries.pop(METADATA, None)) is None:
        metadata = {}
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise NotSafetensors(f"{METADATA} of its header is not a table of texts")
    tensors = {name: _stored(name, entries[name]) for name in sorted(entries)}
    end = 0
    for stored in sorted(tensors.values(), key=lambda stored: (stored.first, stored.last)):
        if stored.first != end:
            raise NotSafetensors(
                f"the bytes of {shown(stored.name)} begin at {stored.first:,}, not at {end:,}, "
                "where those of the tensor before it end"
            )
        end = stored.last
    if (whole := needed + end) != size:
        problem = f"its header describes a file of {whole:,} bytes"
        raise NotSafetensors(f"{problem}, but the file has {size:,}")
    return Header(tensors, metadata, needed)


def _entries(data: bytes, path: Path) -> dict[str, Any]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotSafetensors("its header is not text in UTF-8") from None
    if text.startswith("\ufeff"):
        raise NotSafetensors("its header begins with a byte order mark")
    return object_in_text(text, f"the header of {path_text(path)}")


def _stored(name: str, found: Any) -> StoredTensor:
    where = shown(name)
    if not isinstance(found, dict):
        raise NotSafetensors(f"{where} is {shown(found)} in its header, not a table")
    entry: list[Any] = [found.get(key) for key in ("dtype", "shape", "data_offsets")]
    dtype, shape, offsets = entry
    is_known = isinstance(dtype, str) and dtype in BITS
    if not (is_known and _are_sizes(shape) and _are_sizes(offsets) and len(offsets) == 2):
        given = f"dtype {shown(dtype)}, shape {shown(shape)} and data_offsets {shown(offsets)}"
        problem = "a known dtype, a list of sizes and two offsets are needed"
        raise NotSafetensors(f"{where} has {given}: {problem}")
    first, last = offsets
    # The exact product of millions of lengths would take hours.
    is_huge = any(n > MAX_INTEGER for n in accumulate(map(float, shape), mul))
    if is_huge or 8 * (last - first) != BITS[dtype] * math.prod(shape):
        kind = f"{dtype} of shape {legible(shape)}"
        raise NotSafetensors(f"{where} has {last - first:,} bytes, which do not fit {kind}")
    return StoredTensor(name, tuple(shape), sys.intern(dtype), first, last)


def _are_sizes(values: Any) -> TypeGuard[list[int]]:
    return isinstance(values, list) and all(
        type(value) is int and 0 <= value <= MAX_INTEGER for value in values
    )
