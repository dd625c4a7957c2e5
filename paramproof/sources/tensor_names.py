"""What names of tensors tell: wrappers, kinds of files and models, and canonical tensors.

Names in a checkpoint are Hugging Face's (``builders/huggingface.toml``) or the canonical ones, with
or without the names of wrappers (``module.``, ``_orig_mod.``), which only add their own name.
Other names show that tensors are not plain weights: an adapter adds its tensors to weights, a
quantised model packs several weights into one number, and FSDP packs several tensors into one.
``disguises.toml`` has these kinds. A tensor with any other name is extra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from paramproof.builders.names import NUMBER, Storage, storage_of
from paramproof.formulas import Inventory
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.path import LAYER, has_layer
from paramproof.formulas.printing import legible
from paramproof.sources import data_file

MAX_NAMES_TRIED = 100
"""The most names of a file that are tried to find the prefix of all of them."""

MAX_NAME = 1000
"""The longest name that is looked up, in characters: all known names are shorter."""

WRAPPERS = {
    "module": "DataParallel",  # DeepSpeed's, too; only at the beginning of names.
    "_orig_mod": "torch.compile",
    "_fsdp_wrapped_module": "FSDP",
    "_checkpoint_wrapped_module": "activation checkpointing",
}
"""The names that wrappers give to the wrapped module, with the names of the wrappers."""


DISGUISES = "sources/disguises.toml"


def kind_of(keys: Mapping[str, Any], file: str = "", start: bytes = b"") -> str:
    """Return what a file is if it is not a configuration, and what to give instead, or ""."""
    for kind in data_file(DISGUISES)["kind"]:
        signs = (sign.split() for sign in kind.get("signs", ()))
        is_one = "vocab_size" not in keys and any(keys.keys() >= {*sign} for sign in signs)
        begins = tuple(sign.encode("latin-1") for sign in kind.get("begins", ()))
        is_one = is_one or file.endswith(tuple(kind.get("files", ()))) or start.startswith(begins)
        if is_one:
            base = keys.get(kind.get("base", ""))
            which = f" {legible(base)}" if isinstance(base, str) else ""
            return f"{kind['what']}: {kind['instead']}{which}"
    return ""


def signs_in(names: Iterable[str], *kinds: str) -> Iterator[tuple[str, str]]:
    """Yield each name with a sign of one of the ``kinds``, and the kind."""
    signs = {sign: kind for kind in kinds for sign in data_file(DISGUISES)[kind]["signs"]}
    yield from ((name, signs[part]) for name in names for part in name.split(".") if part in signs)


def require_none(found: Iterable[tuple[str, str]], where: str, of: str) -> None:
    """Refuse a ``file`` or a ``model`` in which a sign of a disguise was found."""
    for name, kind in found:
        about = data_file(DISGUISES)[kind]
        raise InvalidInput(f"{where} {about['what']} (it has {legible(name)}): {about[of]}")


def unwrapped(name: str) -> tuple[str, list[str]]:
    """Return ``name`` without the names of wrappers, and the names that were removed."""
    kept: list[str] = []
    gone: list[str] = []
    for part in name.split("."):
        wraps = part in WRAPPERS and (part != "module" or not kept)
        (gone if wraps else kept).append(part)
    return (".".join(kept), gone) if kept else (name, [])


def best_prefix(names: Sequence[str], known: Callable[[Sequence[str]], int]) -> str:
    """Return the shared prefix without which the most names are ``known``, or "" if none helps.

    A prefix ends in a dot. Of prefixes that are equally good, the shortest is returned.
    """
    tried = names[:: max(1, len(names) // MAX_NAMES_TRIED)]
    first, last = min(names, default=""), max(names, default="")
    shared = takewhile(lambda signs: signs[0] == signs[1], zip(first, last, strict=False))
    prefixes = (first[:end] for end, (sign, _) in enumerate(shared, 1) if sign == ".")
    return max(
        ("", *prefixes), key=lambda prefix: known([name.removeprefix(prefix) for name in tried])
    )


class CheckpointNames:
    """The meaning of names in the checkpoints of one family, for models of one inventory."""

    def __init__(self, family: str, inventory: Inventory) -> None:
        from paramproof.builders.huggingface import names_of  # Few files are checkpoints.

        self.names = names_of(family)
        self.canonical = {tensor.path: Storage((tensor.path,)) for tensor in inventory}

    def is_buffer(self, name: str) -> bool:
        return NUMBER.sub(LAYER, self._bare(name)) in self.names.buffers

    def storage(self, name: str) -> Storage:
        bare = self._bare(name)
        found = storage_of(self.names.table, bare)
        return found if found.parts or not bare else storage_of(self.canonical, unwrapped(name)[0])

    def unknown_prefix(self, names: Sequence[str]) -> str:
        """Return the shared prefix without which most names are known, if none is known with it."""
        if any(map(self._is_known, names)):
            return ""
        return best_prefix(names, lambda bare: sum(map(self._is_known, bare)))

    def _is_known(self, name: str) -> bool:
        return bool(self.storage(name).parts) or self.is_buffer(name)

    def _bare(self, name: str) -> str:
        """Return a name without wrappers and prefix, "" for one that no tensor can have."""
        own = unwrapped(name)[0] if len(name) <= MAX_NAME and not has_layer(name) else ""
        return own.removeprefix(next(filter(own.startswith, self.names.prefixes), ""))
