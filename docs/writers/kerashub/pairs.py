"""The pairs of backbone and model type, and how their sizes correspond, from ``backbones.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from paramproof.catalogue import entry, read_type
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.parsing import expression_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A backbone of KerasHub, and a model type of transformers.

    ``arguments`` are the backbone's: a letter of the model type or a product of several, a flag, or
    a list of them; a table is a part, made of its ``class``, or something for ``each`` layer. Those
    that ``usual`` names may be left out. ``config`` are keys of the configuration that are not the
    type's own, ``own`` letters that only the backbone has, with a size to begin with. ``equal``
    says what a letter of transformers is in the others, and ``why`` the reason of a difference, by
    the path of a tensor in it. ``presets`` are published models, with the sizes of theirs that are
    not those to begin with.
    """

    backbone: str
    type: str
    usual: Mapping[str, str]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, int] = field(default_factory=dict)
    equal: Mapping[str, str] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)
    presets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of both by letter: the type's own, and those that only the backbone has."""
        return {**entry(self.keys).sizes, **self.own}

    @property
    def keys(self) -> dict[str, Any]:
        """The configuration of the base model in transformers."""
        base = next(iter(read_type(self.type).classes))
        return {"model_type": self.type, "architectures": [base], **self.config}

    def theirs(self, letters: Mapping[str, int]) -> Derivation:
        """Return the catalogue's derivation of the base model, in the letters of this pair.

        Other letters are replaced by the expressions in ``equal``, or by their defaults if those
        use letters of this pair: ``head_dim`` is ⌊H/A⌋.
        """
        found = entry(self.keys)
        derivation = replace(found.derivation, sizes=found.sizes)
        said = {name: size.default for name, size in read_type(self.type).letters.items()}
        swap = {name: expression_in(text) for name, text in self.equal.items()}
        for name, text in said.items():
            if text and name not in {*letters, *swap} and (one := expression_in(text)).letters:
                swap[name] = one.substitute(swap)
        return derivation.substitute(swap)


@cache
def pairs() -> dict[str, Pair]:
    """Return every pair by the name of its backbone."""
    data = tomllib.loads(files(__package__).joinpath("backbones.toml").read_text("utf-8"))
    usual = data.pop("usual")
    return {
        name: Pair(backbone=name.partition("-")[0], usual=usual, **one)
        for name, one in data.items()
    }
