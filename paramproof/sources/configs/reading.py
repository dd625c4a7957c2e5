"""Read configurations of every format: a key is a size, is ignored, or the file is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paramproof.formulas import Spec
from paramproof.formulas.printing import path_text, shown
from paramproof.sources.configs.config_format import ConfigFormat, Keys, SpecSizes
from paramproof.sources.configs.formats import BY_KEY, BY_MODEL_TYPE, UNNAMED
from paramproof.sources.strict_json import object_in_file

MAX_FILE_BYTES = 2**20
"""Far more than the names of a thousand labels take."""

MAX_SIZE, MAX_LAYERS = 10**9, 10**5
"""More than any model has; a file with more is refused."""


class NoFamily(ValueError):
    """A configuration that can be read, of a model that no family describes."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration that was read: its spec, and the model class that it was read as."""

    spec: Spec
    format_name: str
    architecture: str
    assumed: bool
    """Whether the file names no class, so that the format's usual one was taken."""


def spec_of_config(config: str | Path | Keys) -> Spec:
    """Return the spec of a configuration: of a file's path, or of the keys in such a file.

    Raises ``ValueError``, as ``read_config`` does.
    """
    return read_config(config).spec


def read_config(config: str | Path | Keys, architecture: str = "") -> Configuration:
    """Read a configuration; ``architecture`` takes the place of the class that it names.

    Raises ``ValueError``, in one line that names file, key and value, for a file that cannot
    be read, and ``NoFamily``, which is one, for a model type or class that no family describes.
    """
    if isinstance(config, Mapping):
        return _read(config, architecture)
    found = object_in_file(Path(config), largest=MAX_FILE_BYTES)
    try:
        return _read(found, architecture)
    except ValueError as error:
        raise type(error)(f"{path_text(config)}: {error}") from None


def _read(keys: Keys, architecture: str) -> Configuration:
    read_as = _format_of(keys)
    chosen = architecture or _architecture(keys) or read_as.default
    chosen = read_as.class_aliases.get(chosen, chosen)
    if chosen not in read_as.architectures:
        known = ", ".join(read_as.architectures)
        raise NoFamily(
            f"{shown(chosen)} is no class of {read_as.name} that can be counted; to count one of "
            f"the same sizes, name it in its place: {known}"
        )
    _require_known(keys, read_as)
    # Whatever is wrong with a size, the spec says.
    sizes: dict[str, Any] = {}
    for size in read_as.sizes:
        sizes[size] = _size(keys, read_as, size, sizes)
    for key, size in read_as.must_equal.items():
        if keys.get(key, sizes[size]) not in (sizes[size], None):
            raise ValueError(
                f"{key}={shown(keys[key])} and {read_as.sizes[size][0]}={sizes[size]} differ: "
                "such a model is not counted"
            )
    parts = {"tie_word_embeddings": _tied(keys, read_as), **read_as.architectures[chosen]}
    if not parts["tie_word_embeddings"] and read_as.untied:
        raise ValueError(f"tie_word_embeddings=False is not counted for {chosen}: {read_as.untied}")
    assumed = not (architecture or _architecture(keys))
    return Configuration(read_as.spec(**sizes, **parts), read_as.name, chosen, assumed)


def _format_of(keys: Keys) -> ConfigFormat:
    """Find the format by ``model_type``, else by the model's class, else by a key of its own."""
    named = keys.get("model_type")
    if named is None:
        chosen = _architecture(keys)
        if not chosen:
            return next((read_as for key, read_as in BY_KEY.items() if key in keys), UNNAMED)
        fitting = [
            read_as
            for read_as in BY_MODEL_TYPE.values()
            if chosen in read_as.architectures or chosen in read_as.class_aliases
        ]
        if not fitting:
            raise ValueError(f"architectures=[{shown(chosen)}] is no class that is counted")
        return fitting[0]
    if not isinstance(named, str) or named not in BY_MODEL_TYPE:
        known = ", ".join(BY_MODEL_TYPE)
        raise NoFamily(f"model_type={shown(named)} is not counted; there are: {known}")
    return BY_MODEL_TYPE[named]


def _architecture(keys: Keys) -> str:
    """Return the class that the file names; "" where it names none."""
    found = keys.get("architectures")
    if found is None or found == []:
        return ""
    if not isinstance(found, list) or len(found) != 1 or not isinstance(found[0], str):
        raise ValueError(f"architectures={shown(found)} is not possible: it must be one class")
    return found[0]


def _require_known(keys: Keys, read_as: ConfigFormat) -> None:
    """Refuse a key that would change the count, and one that is not known."""
    for key, value in keys.items():
        if key not in read_as.keys:
            raise ValueError(
                f"{shown(key)} is no known key of {read_as.name}: it may change the count; "
                "if it does not, leave it out"
            )
        allowed, otherwise = read_as.accepted_only.get(key, (value, ""))
        if value is not None and (type(value), value) != (type(allowed), allowed):
            raise ValueError(f"{key}={shown(value)} is not counted: {otherwise}")


def _size(keys: Keys, read_as: ConfigFormat, size: str, before: SpecSizes) -> int | None:
    """Return the size that one or more keys give, or its default where none does."""
    said = {key: keys[key] for key in read_as.sizes[size] if keys.get(key) is not None}
    for key, value in said.items():
        if type(value) is not int:
            raise ValueError(f"{key}={shown(value)} is not possible: it must be an int")
        largest = MAX_LAYERS if size == "num_hidden_layers" else MAX_SIZE
        if value > largest:
            raise ValueError(
                f"{key}={shown(value)} is not possible: it must be {largest:,} or less"
            )
    if len(set(said.values())) > 1:
        pairs = " and ".join(f"{key}={value}" for key, value in said.items())
        raise ValueError(f"{pairs} contradict each other")
    if said:
        return int(next(iter(said.values())))
    if size in read_as.default_size:
        return read_as.default_size[size](before)
    raise ValueError(f"{read_as.sizes[size][0]} is missing, as a configuration of {read_as.name}")


def _tied(keys: Keys, read_as: ConfigFormat) -> bool:
    tied = keys.get("tie_word_embeddings")
    if tied is not None and type(tied) is not bool:
        raise ValueError(f"tie_word_embeddings={shown(tied)} is not possible: true or false")
    return read_as.tied if tied is None else tied
