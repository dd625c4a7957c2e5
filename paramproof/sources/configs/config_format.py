"""A format of configurations, as data that one reader interprets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paramproof.formulas import Spec

Keys = Mapping[str, Any]
"""A configuration, as its file has it."""

SpecSizes = Mapping[str, Any]
"""Sizes by field of the spec."""

EVERYWHERE = frozenset({"architectures", "model_type", "tie_word_embeddings"})
"""Keys that the reader knows by itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigFormat:
    """One format of configurations, and the spec that they are read as.

    Every key of a file stands in one of ``sizes``, ``accepted_only``, ``must_equal`` and
    ``ignored_keys``, or is one of ``EVERYWHERE``; a file with any other key is refused.
    """

    name: str
    """What the file is, in a message."""

    spec: type[Spec]
    """The family's spec."""

    sizes: Mapping[str, tuple[str, ...]]
    """Field of the spec: the keys that say it, the usual one first."""

    architectures: Mapping[str, Mapping[str, bool]]
    """Class of the model: the fields of the spec that it decides."""

    class_aliases: Mapping[str, str] = field(default_factory=dict)
    """Class by a name that it once had: the name it has now."""

    default: str
    """The class that a file without ``architectures`` is read as."""

    tied: bool
    """``tie_word_embeddings`` of a file that does not have it."""

    ignored_keys: frozenset[str]
    """Keys that do not change what there is to count."""

    default_size: Mapping[str, Callable[[SpecSizes], int | None]] = field(default_factory=dict)
    """Field of the spec: its value where the file has no such size, or null, computed from those
    that stand before it in ``sizes``."""

    accepted_only: Mapping[str, tuple[object, str]] = field(default_factory=dict)
    """Key: the one value that is accepted (null always is), and what another would mean."""

    must_equal: Mapping[str, str] = field(default_factory=dict)
    """Key: the size that it must equal, since a model where they differ is another one."""

    untied: str = ""
    """Why a head with a matrix of its own cannot be read; "" where it can."""

    @property
    def keys(self) -> frozenset[str]:
        """Every key that is known, whether it is read, refused or ignored."""
        sizes = {key for names in self.sizes.values() for key in names}
        return frozenset(
            {*EVERYWHERE, *sizes, *self.accepted_only, *self.must_equal, *self.ignored_keys}
        )
