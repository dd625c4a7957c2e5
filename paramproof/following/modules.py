"""Which kind of module owns a tensor, and whether the tensor has a dtype of its own.

Adapters, schemes and plans ask for modules of PyTorch, such as ``nn.Linear``, and a formula has
only the paths of tensors. ``modules.json`` has what ``sweep/modules.py`` saw in models that it
built. A row is an end of paths, as ``q_proj.weight``, with the kind that every type has there, or
with the types that have each kind. A bias belongs to the module of its weight. ``*`` stands for
numbers, and ``^`` for the start of a path. A tensor without a row is refused, never guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from paramproof.catalogue.names import type_with_class
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.path import LAYER
from paramproof.formulas.printing import legible

FILE = Path(__file__).parent / "modules.json"

START, SEVERAL = "^", "?"
"""The start of a path, and the label of a type that has several at one path."""

NORMAL = "bfloat16"
"""The dtype with which the models were built: the model's own, whatever that is."""

NUMBER = re.compile(r"(?:^|(?<=_))\d+$")

KINDS = ("linear", "conv1d", "embedding", "conv", "norm", "parameter")


class Module(NamedTuple):
    """The module that owns a tensor.

    ``kind`` is one of ``KINDS``, each with its subclasses: ``conv1d`` is the linear layer of GPT-2,
    whose weight is transposed, and the class of a ``parameter`` is any other, as that of experts in
    one tensor. ``dtype`` is that of the tensor in a model of any dtype, "" for the model's own.
    """

    kind: str
    dtype: str


def module_of(model_types: str | Iterable[str], path: str) -> Module:
    """Return the module of a parameter. A ``*`` in the path stands for every number.

    ``model_types`` is the model type or the class of a model, or its type and those of its parts:
    a name that several types use differently means what it means in the first of them that has it.

    Raises ``InvalidInput`` if no model was seen with such a name, or a ``*`` has several kinds.
    """
    types = _types(model_types)
    kind = _only(_labels("modules", types, path))
    if not kind:
        raise InvalidInput(
            f"it is not known which kind of module {legible(path)} of {legible(types[0])} is in"
        )
    dtypes = _labels("dtypes", types, path)
    if dtypes and not _only(dtypes):
        raise InvalidInput(f"{legible(path)} of {legible(types[0])} has several dtypes")
    return Module(kind, _only(dtypes))


def buffer_dtype(model_types: str | Iterable[str], path: str) -> str:
    """Return the dtype of a buffer in a model of any dtype, "" for the model's own."""
    types = _types(model_types)
    if not (found := _only(_labels("buffers", types, path))):
        raise InvalidInput(f"the dtype of the buffer {legible(path)} is not known")
    return "" if found == NORMAL else found


def matrices_of_mlx(model_type: str) -> dict[str, tuple[str, ...]]:
    """Return how mlx-lm has parameters of two axes that are in no linear layer or table.

    Those that end in one of ``packed`` are in a module that MLX packs, such as a router, and those
    of ``kept`` are not. ``heads`` says whether the head has a weight of its ``own`` or is ``tied``.
    Raises ``InvalidInput`` if mlx-lm has no such type, or another model.
    """
    if (found := read()["mlx"].get(model_type)) is None:
        raise InvalidInput(f"no model of mlx-lm is known to be that of {legible(model_type)}")
    return {what: tuple(found.get(what, "").split()) for what in ("packed", "kept", "heads")}


def kept_in_float32(model_types: Iterable[str]) -> set[str]:
    """Return the names of modules that transformers does not pack in any scheme."""
    return {name for one in model_types for name in read()["float32"].get(one, "").split()}


def backwards(path: str) -> tuple[str, ...]:
    """Return the names of a path from its end; a bias is looked up as its weight."""
    *module, name = path.split(".")
    return ("weight" if name == "bias" and module else name, *module[::-1])


def numbered(name: str) -> str:
    """Return a name with a ``*`` in place of its number: ``*`` for 3, ``expert_*`` for expert_3."""
    return NUMBER.sub(LAYER, name)


def _types(model_types: str | Iterable[str]) -> list[str]:
    named = [model_types] if isinstance(model_types, str) else [*model_types]
    return [type_with_class(one) or one for one in named]


def _only(labels: set[str]) -> str:
    return "".join(labels) if len(labels) == 1 and SEVERAL not in labels else ""


def _labels(table: str, types: list[str], path: str) -> set[str]:
    return set(_walk(_tree(table), backwards(path), types))


def _walk(node: Mapping[str, Any], names: tuple[str, ...], types: list[str]) -> Iterator[str]:
    """Yield the labels that rows have for the names, of which the first is the next one."""
    if "" in node:
        yield from _of_types(node[""], types)
    elif not names:
        if START in node:
            yield from _walk(node[START], names, types)
    elif (star := numbered(names[0])) != names[0]:
        # A row for the number itself, or else one for every number.
        own = [*_walk(node.get(names[0], {}), names[1:], types)]
        yield from own or _walk(node.get(star, {}), names[1:], types)
    else:
        for one in [one for one in node if numbered(one) == star] if LAYER in star else [star]:
            yield from _walk(node.get(one, {}), names[1:], types)


def _of_types(row: str | Mapping[str, frozenset[str]], types: list[str]) -> list[str]:
    if isinstance(row, str):
        return [row]
    for one in types:
        if found := [label for label, names in row.items() if one in names]:
            return found
    return []


@cache
def _tree(table: str) -> Mapping[str, Any]:
    """Return the rows of a table by name, from the end of the path; a row has the name ""."""
    tree: dict[str, Any] = {}
    for end, row in read()[table].items():
        node = tree
        for name in reversed(end.split(".")):
            node = node.setdefault(name, {})
        listed = isinstance(row, dict)
        node[""] = {k: frozenset(v.split()) for k, v in row.items()} if listed else row
    return tree


@cache
def read() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found
