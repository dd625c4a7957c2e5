"""One reader for every kind of configuration: a key is a size, harmless, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paramproof.formulas import Spec
from paramproof.sources.configs.config_format import Keys, Kind, Sizes
from paramproof.sources.configs.formats import BY_KEY, BY_MODEL_TYPE, UNNAMED
from paramproof.sources.strict_json import object_in_file, shown

LARGEST_FILE = 2**20
"""Bytes: far more than the names of a thousand labels take."""

LARGEST_SIZE, MOST_LAYERS = 10**9, 10**5
"""More than any model has; a file that says more says nothing about a model."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration that was read: its spec, and the model class that it was read as."""

    spec: Spec
    kind: str
    architecture: str
    assumed: bool
    """Whether the file names no class, so that the kind's usual one was taken."""


def spec_of_config(config: str | Path | Keys) -> Spec:
    """The spec of a configuration: a file's path, or what stands in such a file.

    Raises ``ValueError``, as ``read_config`` does.
    """
    return read_config(config).spec


def read_config(config: str | Path | Keys, architecture: str = "") -> Configuration:
    """A configuration with its spec; ``architecture`` takes the place of the file's own.

    Raises ``ValueError``, in one line that names file, key and value, for a file that cannot
    be read, and for a model that none of the specs describes.
    """
    if isinstance(config, Mapping):
        return _read(config, architecture)
    found = object_in_file(Path(config), largest=LARGEST_FILE)
    try:
        return _read(found, architecture)
    except ValueError as error:
        raise ValueError(f"{config}: {error}") from None


def _read(keys: Keys, architecture: str) -> Configuration:
    kind = _kind(keys)
    chosen = architecture or _architecture(keys) or kind.default
    chosen = kind.renamed.get(chosen, chosen)
    if chosen not in kind.architectures:
        known = ", ".join(kind.architectures)
        raise ValueError(
            f"{shown(chosen)} is no class that is counted of {kind.name}; to count another class "
            f"of these sizes, put it in its place: {known}"
        )
    _require_known(keys, kind)
    # Whatever is wrong with a size, the spec says.
    sizes: dict[str, Any] = {}
    for size in kind.sizes:
        sizes[size] = _size(keys, kind, size, sizes)
    for key, size in kind.same.items():
        if keys.get(key, sizes[size]) not in (sizes[size], None):
            raise ValueError(
                f"{key}={shown(keys[key])} and {kind.sizes[size][0]}={sizes[size]} differ: "
                "such a model is not counted"
            )
    parts = {"tie_word_embeddings": _tied(keys, kind), **kind.architectures[chosen]}
    if not parts["tie_word_embeddings"] and kind.untied:
        raise ValueError(f"tie_word_embeddings=False is not counted for {chosen}: {kind.untied}")
    assumed = not (architecture or _architecture(keys))
    return Configuration(kind.spec(**sizes, **parts), kind.name, chosen, assumed)


def _kind(keys: Keys) -> Kind:
    """By ``model_type``, else by the model's class, else by a key that tells."""
    named = keys.get("model_type")
    if named is None:
        chosen = _architecture(keys)
        if not chosen:
            return next((kind for key, kind in BY_KEY.items() if key in keys), UNNAMED)
        kinds = [
            kind
            for kind in BY_MODEL_TYPE.values()
            if chosen in kind.architectures or chosen in kind.renamed
        ]
        if not kinds:
            raise ValueError(f"architectures=[{shown(chosen)}] is no class that is counted")
        return kinds[0]
    if not isinstance(named, str) or named not in BY_MODEL_TYPE:
        known = ", ".join(BY_MODEL_TYPE)
        raise ValueError(f"model_type={shown(named)} is not counted; there are: {known}")
    return BY_MODEL_TYPE[named]


def _architecture(keys: Keys) -> str:
    """The class that the file names; "" where it names none."""
    found = keys.get("architectures")
    if found is None or found == []:
        return ""
    if not isinstance(found, list) or len(found) != 1 or not isinstance(found[0], str):
        raise ValueError(f"architectures={shown(found)} is not possible: it must be one class")
    return found[0]


def _require_known(keys: Keys, kind: Kind) -> None:
    """Refuse what would change the count, and what nobody here has heard of."""
    for key, value in keys.items():
        if key not in kind.keys:
            raise ValueError(
                f"{shown(key)} is no key that is known of {kind.name}: it may change the count; "
                "if it does not, leave it out"
            )
        allowed, otherwise = kind.only.get(key, (value, ""))
        if value is not None and (type(value), value) != (type(allowed), allowed):
            raise ValueError(f"{key}={shown(value)} is not counted: {otherwise}")


def _size(keys: Keys, kind: Kind, size: str, before: Sizes) -> int | None:
    """The size that one or more keys say, or what it is where none does."""
    said = {key: keys[key] for key in kind.sizes[size] if keys.get(key) is not None}
    for key, value in said.items():
        if type(value) is not int:
            raise ValueError(f"{key}={shown(value)} is not possible: it must be an int")
        largest = MOST_LAYERS if size == "num_hidden_layers" else LARGEST_SIZE
        if value > largest:
            raise ValueError(
                f"{key}={shown(value)} is not possible: it must be {largest:,} or less"
            )
    if len(set(said.values())) > 1:
        pairs = " and ".join(f"{key}={value}" for key, value in said.items())
        raise ValueError(f"{pairs} contradict each other")
    if said:
        return int(next(iter(said.values())))
    if size in kind.absent:
        return kind.absent[size](before)
    raise ValueError(f"{kind.sizes[size][0]} is missing, as a configuration of {kind.name}")


def _tied(keys: Keys, kind: Kind) -> bool:
    tied = keys.get("tie_word_embeddings")
    if tied is not None and type(tied) is not bool:
        raise ValueError(f"tie_word_embeddings={shown(tied)} is not possible: true or false")
    return kind.tied if tied is None else tied
