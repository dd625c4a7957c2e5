"""Map the tensor names of a checkpoint to canonical tensors and their layout.

A name is Hugging Face's, as in ``builders/huggingface.toml``, or the canonical one, with or without
the names of wrappers (``module.``, ``_orig_mod.``). A tensor with any other name is extra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from paramproof.builders.huggingface import names_of
from paramproof.builders.names import NUMBER, Storage, storage_of
from paramproof.formulas import Inventory
from paramproof.formulas.path import LAYER, has_layer
from paramproof.sources.telltale import unwrapped

MAX_NAMES_TRIED = 100
"""The most names of a file that are tried to find the prefix of all of them."""

MAX_NAME = 1000
"""The longest name that is looked up, in characters: all known names are shorter."""


def shared_prefixes(names: Sequence[str]) -> Iterator[str]:
    """Yield the prefixes that all names share, each up to a dot, the shortest first."""
    first, last = min(names, default=""), max(names, default="")
    for end, (sign, other) in enumerate(zip(first, last, strict=False), 1):
        if sign != other:
            return
        if sign == ".":
            yield first[:end]


def best_prefix(names: Sequence[str], known: Callable[[Sequence[str]], int]) -> str:
    """Return the shared prefix without which the most names are ``known``, or "" if none helps."""
    tried = names[:: max(1, len(names) // MAX_NAMES_TRIED)]

    def known_without(prefix: str) -> int:
        return known([name.removeprefix(prefix) for name in tried])

    return max(("", *shared_prefixes(names)), key=known_without)


class CheckpointNames:
    """The meaning of names in the checkpoints of one family, for models of one inventory."""

    def __init__(self, family: str, inventory: Inventory) -> None:
        self.names = names_of(family)
        self.canonical = {tensor.path: Storage((tensor.path,)) for tensor in inventory}

    def is_buffer(self, name: str) -> bool:
        """Return whether ``name`` is the name of a buffer."""
        if len(name) > MAX_NAME:
            return False
        return NUMBER.sub(LAYER, self._without_prefix(unwrapped(name)[0])) in self.names.buffers

    def storage(self, name: str) -> Storage:
        """Return the canonical tensors in the tensor called ``name``, and how they are stored."""
        if len(name) > MAX_NAME or has_layer(name):
            return Storage()
        own, _ = unwrapped(name)
        found = storage_of(self.names.table, self._without_prefix(own))
        return found if found.parts else storage_of(self.canonical, own)

    def unknown_prefix(self, names: Sequence[str]) -> str:
        """Return the shared prefix without which most names are known, if none is known with it."""
        if any(map(self._is_known, names)):
            return ""
        return best_prefix(names, lambda bare: sum(map(self._is_known, bare)))

    def _is_known(self, name: str) -> bool:
        return bool(self.storage(name).parts) or self.is_buffer(name)

    def _without_prefix(self, name: str) -> str:
        prefix = next(filter(name.startswith, self.names.prefixes), "")
        return name.removeprefix(prefix)
