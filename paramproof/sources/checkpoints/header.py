"""Read the tensors that a checkpoint lists in its headers: no weight is loaded.

A checkpoint is a safetensors file, or an index (JSON) that maps tensors to several such files, its
shards. Nothing is unpickled: a pickle is refused unopened.

Source: https://github.com/huggingface/safetensors, section "Format".
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import legible, path_text, shown, some_of
from paramproof.sources.checkpoints.safetensors_file import BITS, NotSafetensors, read_header
from paramproof.sources.strict_json import object_in_file, require_file
from paramproof.sources.telltale import disguise, disguises, unwrapped

MAX_INDEX_BYTES = 2**26
"""The largest index, in bytes: enough for some 500,000 names."""

PICKLED = {".bin", ".ckpt", ".pickle", ".pkl", ".pt", ".pth"}
"""Suffixes of files that ``torch.save`` and ``pickle`` write."""

MAGIC = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
"""The first bytes of such files."""

GGUF = b"GGUF"
"""The first bytes of a file of llama.cpp."""

SHARD = re.compile(r"(?P<stem>.+)-\d{5}-of-(?P<shards>\d{5})\.safetensors")
"""The file name that Hugging Face gives a shard."""

INDEX = ".safetensors.index.json"
"""How the name of an index of shards ends."""

MAX_FILES_NAMED = 4

SPEC = "spec"
"""The entry of a header's metadata that contains the spec of the weights."""

CONVERT = "it may run code, so it is never opened here: convert it to safetensors"


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """One tensor, as listed in a header."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        """Number of entries, the product of the shape."""
        return math.prod(self.shape)

    @property
    def is_float(self) -> bool:
        """Whether its entries are floating-point numbers, which can be trained."""
        return self.dtype.startswith(("F", "BF", "C"))

    @property
    def stored_bytes(self) -> int:
        """The bytes that it takes in the file."""
        return -(-BITS[self.dtype] * self.size // 8)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The tensors of a file, or of all shards of an index."""

    path: Path
    shards: int
    tensors: tuple[StoredTensor, ...]

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The types of its tensors, each once, as the format names them."""
        return tuple(dict.fromkeys(stored.dtype for stored in self.tensors))

    @property
    def wrappers(self) -> tuple[str, ...]:
        """The names of wrappers in the names of its tensors, each once."""
        found = (unwrapped(stored.name)[1] for stored in self.tensors)
        return tuple(dict.fromkeys(wrapper for wrappers in found for wrapper in wrappers))


def checkpoint(path: str | Path) -> Checkpoint:
    """Return the tensors in the checkpoint at ``path``: ``….safetensors`` or ``….index.json``.

    In a directory, that is the only index in it, or else the only safetensors file.

    Raises ``ValueError``, in one line that names the file, for a file that cannot be read, for an
    index that contradicts its shards, for a single shard, and for tensors that are not plain
    weights: those of an adapter, of a quantised model, or FSDP's flat parameters.
    """
    path = _file_in(Path(path))
    if path.suffix != ".json":
        found = Checkpoint(path, 1, tuple(_in_file(path)))
        _require_no_lone_shard(path)
    else:
        shards = _shards(path)
        tensors = [stored for shard, names in shards.items() for stored in _in_shard(shard, names)]
        found = Checkpoint(path, len(shards), tuple(tensors))
    _require_weights(found)
    return found


def _file_in(path: Path) -> Path:
    """Return the checkpoint in a directory, and the path of a file as it is."""
    if not os.path.isdir(path):  # `Path.is_dir` raises an error for a name that is too long.
        return path
    for pattern in (f"*{INDEX}", "*.safetensors"):
        found = sorted(path.glob(pattern))
        if len(found) > 1:
            names = some_of([legible(one.name) for one in found], MAX_FILES_NAMED)
            raise InvalidInput(f"has several checkpoints: name one of {names}", where=str(path))
        if found:
            return found[0]
    raise InvalidInput("is a directory without a safetensors file or an index", where=str(path))


def recorded_spec(path: str | Path) -> str:
    """Return the spec that ``save_weights`` wrote into the header of ``path``, as JSON, or ""."""
    if Path(path).suffix != ".safetensors":
        return ""
    try:
        return read_header(Path(path)).metadata.get(SPEC, "")
    except (OSError, ValueError):
        return ""


def _in_file(path: Path) -> Iterator[StoredTensor]:
    require_file(path)
    if path.suffix in PICKLED:
        raise InvalidInput(f"{path_text(path)} is a pickle by its name; {CONVERT}")
    try:
        for name, entry in read_header(path).tensors.items():
            if not name or name.startswith("."):
                reason = f"{shown(name)} is not the name of a tensor in a model"
                raise InvalidInput(reason, where=path_text(path))
            yield StoredTensor(name, entry.shape, sys.intern(entry.dtype))
    except (NotSafetensors, OSError) as error:
        where = path_text(path)
        problem = f"is not a complete safetensors file: {_why(path, error)}"
        raise InvalidInput(f"{where} {problem}") from None


def _require_no_lone_shard(path: Path) -> None:
    shard = SHARD.fullmatch(path.name)
    if shard and int(shard["shards"]) > 1:
        index = path.with_name(f"{shard['stem']}.safetensors.index.json")
        where = "" if index.exists() else ", which should be next to it"
        raise InvalidInput(
            f"{path_text(path)} is one of {int(shard['shards'])} shards: "
            f"give their index, {legible(index.name)}{where}"
        )


def _require_weights(found: Checkpoint) -> None:
    """Raise ``ValueError`` if names or types show that the tensors are not plain weights."""
    # GPT-2's old masks are bytes as well, and end in bias.
    packed = (
        (stored.name, disguises()["quantised"])
        for stored in found.tensors
        if stored.dtype[:1] in ("I", "U") and stored.name.endswith("weight")
    )
    names = (stored.name for stored in found.tensors)
    recognised = disguise(names, "adapter", "flat", "quantised") or next(packed, None)
    if recognised:
        name, kind = recognised
        where = path_text(found.path)
        raise InvalidInput(f"{where} {kind['what']} (it has {legible(name)}): {kind['file']}")


def _why(path: Path, error: NotSafetensors | OSError) -> str:
    """Return why a file is not safetensors, as far as its first bytes tell."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as denied:
        return denied.strerror or str(denied)
    if start.startswith(MAGIC):
        return f"it begins as a pickle; {CONVERT}"
    if start.startswith(GGUF):
        return (
            "it is in GGUF, llama.cpp's format, with names and packed types of its own: "
            "give the safetensors files that it was converted from"
        )
    return str(error)


def _shards(path: Path) -> dict[Path, list[str]]:
    """Return the names that an index assigns to each shard."""
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


def _in_shard(path: Path, names: list[str]) -> list[StoredTensor]:
    """Return the tensors of a shard, which must be those that the index names."""
    where = path_text(path)
    tensors = list(_in_file(path))
    found = {stored.name for stored in tensors}
    absent = [name for name in names if name not in found]
    if absent:
        raise InvalidInput(
            f"{where} does not have {shown(absent[0])}, which the index assigns to it"
        )
    surplus = sorted(found - set(names))
    if surplus:
        raise InvalidInput(
            f"{where} has {shown(surplus[0])}, which the index does not assign to it"
        )
    return tensors
