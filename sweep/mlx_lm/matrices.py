"""Find what MLX packs: ``python -m sweep.mlx_lm.matrices``.

Run it in the checkout, with mlx-lm installed. ``mlx.nn.quantize`` packs linear layers, tables, and
the experts that mlx-lm stacks. transformers has some of these as mere parameters, and the names of
the two libraries differ. So the program builds each type of both at random sizes, and looks for the
parameters with which the number of weights that MLX packs is that of transformers. A type without
such a set, or with another at other sizes, is left out of ``modules.json``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from copy import deepcopy
from itertools import chain, combinations
from random import Random
from typing import Any, NamedTuple

import mlx.nn as nn
from mlx.utils import tree_flatten

from paramproof.catalogue.names import has_type, model_types
from paramproof.following.dtypes import tensors_of
from paramproof.following.stored import HEAD
from sweep.library.rows import as_rows, write_rows
from sweep.witnesses.mlx_configs import draw
from sweep.witnesses.mlx_lm import has_language_model, module_of

TRIES = 8
ENOUGH = 3
"""The configurations that are drawn of each type, and how many must agree."""


class Drawn(NamedTuple):
    """The mere parameters of a model, and each set of them that MLX packs, if that is its total."""

    head: str
    names: frozenset[str]
    sets: frozenset[frozenset[str]]


def main() -> int:
    known = {}
    for model_type in filter(has_type, model_types()):
        drawn = []
        for number in range(TRIES):
            try:
                if has_language_model(model_type):
                    drawn.append(matrices(model_type, Random(f"{model_type} {number}")))
            except Exception as error:
                print(f"{model_type}: {type(error).__name__}: {error!s:.100}", file=sys.stderr)
        # mlx-lm always ties the head of some types, and never that of others.
        heads = [
            head for head in ("own", "tied") if all(one.sets for one in drawn if one.head == head)
        ]
        drawn = [one for one in drawn if one.head in heads]
        names = frozenset[str]().union(*(one.names for one in drawn))
        every = chain(*(one.sets for one in drawn))
        sets = {one for one in every if all(one & each.names in each.sets for each in drawn)}
        if len(drawn) >= ENOUGH and len(sets) == 1:
            heads = [head for head in heads if any(one.head == head for one in drawn)]
            packed = sets.pop()
            kinds = {"packed": packed, "kept": names - packed, "heads": heads}
            known[model_type] = as_rows(kinds)
    write_rows(mlx=known)
    return 0


def matrices(model_type: str, random: Random) -> Drawn:
    """Return the sets of parameters that make up, with all linear layers, what MLX packs."""
    config, entry, _ = draw(model_type, random)
    raw: dict[str, int] = {}
    packed = sum(one.weight.size for one in packable(config))
    weights = [one for one in tensors_of(entry).weights if len(one.shape) > 1]
    for one in weights:
        if one.module.kind in ("linear", "conv1d", "embedding"):
            packed -= one.count
        elif one.module.kind == "parameter":
            names = one.path.split(".")
            end = ".".join(names[-3 if names[-1] == "weight" else -2 :])
            raw[end] = raw.get(end, 0) + one.count
    every = chain(*(combinations(raw, number) for number in range(len(raw) + 1)))
    sets = frozenset(frozenset(some) for some in every if sum(raw[one] for one in some) == packed)
    head = "own" if any(one.path == HEAD for one in weights) else "tied"
    return Drawn(head, frozenset(raw), sets)


def packable(config: Mapping[str, Any]) -> list[Any]:
    """Return the modules of mlx-lm's model that ``mlx.nn.quantize`` packs."""
    module: Any = module_of(config["model_type"], (config.get("architectures") or [""])[0])
    model = module.Model(module.ModelArgs.from_dict(deepcopy(dict(config))))
    leaves = tree_flatten(model.leaf_modules(), is_leaf=nn.Module.is_module)
    return [one for _, one in leaves if hasattr(one, "to_quantized")]


if __name__ == "__main__":
    sys.exit(main())
