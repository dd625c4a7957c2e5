"""How transformers maps the names of tensors in a file to their names in memory.

``conversions.json`` has the mappings of a release, from its ``conversion_mapping.py`` and
``core_model_loading.py``: lists of transforms. A renaming changes a part of a name. A converter
also computes tensors: it merges experts that are stored separately, or splits queries, keys and
values. This module maps names as ``from_pretrained`` does, without any tensor.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FORMAT = 1

FILE = Path(__file__).parent / "conversions.json"

LEGACY = "legacy"
"""The mapping that transformers applies to every model, after its own."""

GROUP = "GroupWeightRename"
"""The kind of renamings that apply only if the first of them does."""

_ANY_GROUP = re.compile(r"\\(\d+)")


class Operation(NamedTuple):
    """An operation of a converter, such as ``("Concatenate", {"dim": 1})``."""

    name: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Transform:
    """A renaming or a converter, and the part of the model to which it applies.

    ``pattern`` has a named group ``g0``, ``g1``, ... for each of ``sources``. In ``targets`` the
    text ``\\1`` stands for what the source captured. ``scope`` is None for the whole model.
    """

    kind: str
    pattern: re.Pattern[str]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    operations: tuple[Operation, ...]
    offset: int
    scope: str | None
    base: str

    def match(self, name: str) -> tuple[str, re.Match[str], int] | None:
        """Return the text before the scope, the match after it and the number of its source."""
        before = ""
        if self.scope is not None:
            scope = f"{self.scope}." if self.scope else ""
            base = f"{self.base}." if self.base else ""
            before = base + scope if name.startswith(base + scope) else scope
            if not name.startswith(before):
                return None
        found = self.pattern.search(name[len(before) :])
        if found is None:
            return None
        group = next(key for key, value in found.groupdict().items() if value is not None)
        return before, found, int(group[1:])

    def renamed(self, before: str, found: re.Match[str], source: int) -> str:
        """Return the name in which the target replaces the matched text."""
        target = self.targets[source if self.kind == GROUP else 0]
        first = self.pattern.groupindex[f"g{source}"]

        def captured(reference: re.Match[str]) -> str:
            value = found[first + int(reference[1])] or ""
            return str(int(value) + self.offset) if self.offset else value

        new = _ANY_GROUP.sub(captured, target)
        return before + found.string.replace(found[0], new, 1)


class Loaded(NamedTuple):
    """The name of a tensor in a file, and its name in memory.

    If a converter creates the tensor in memory, ``source`` is the index of the source that the
    file's name matched. ``number`` is then the number in the name, which is an expert's, or None.
    """

    stored: str
    name: str
    converter: Transform | None = None
    source: int = 0
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Conversions:
    """The transforms of a class, its prefix, and the names that loading ignores."""

    transforms: tuple[Transform, ...] = ()
    prefix: str = ""
    ignored: tuple[re.Pattern[str], ...] = ()

    def is_ignored(self, name: str) -> bool:
        """Return whether transformers ignores a stored tensor that the model does not have."""
        return any(pattern.search(name) for pattern in self.ignored)

    def load(self, stored: Sequence[str], known: Callable[[str], bool]) -> list[Loaded]:
        """Return the names that stored tensors have in memory, in the order of ``stored``.

        ``known`` says whether the model has a tensor of that name. As in ``from_pretrained``, a
        name does not change if the model has it, and does not have the converted one.
        """
        names = self._renamed(stored)
        return [self._loaded(own, name, known) for own, name in zip(stored, names, strict=True)]

    def _renamed(self, stored: Iterable[str]) -> list[str]:
        names = list(stored)
        for one in self.transforms:
            if one.operations:
                continue
            matches = [one.match(name) for name in names]
            # A group applies only if the first of its names is in the file.
            if one.kind == GROUP and not any(found and not found[2] for found in matches):
                continue
            names = [
                one.renamed(*found) if found else name
                for name, found in zip(names, matches, strict=True)
            ]
        return names

    def _loaded(self, own: str, name: str, known: Callable[[str], bool]) -> Loaded:
        for one in self.transforms:
            if one.operations and (found := one.match(name)):
                new = self._with_prefix(one.renamed(*found), known)
                if known(new):
                    # The last number between dots, or after an underscore.
                    numbers = re.findall(r"(?<=[._])\d+(?=\.|$)", found[1][0])
                    number = int(numbers[-1]) if numbers else None
                    return Loaded(own, new, one, found[2], number)
                break
        else:
            new = self._with_prefix(name, known)
        if known(new):
            return Loaded(own, new)
        plain = self._with_prefix(own, known)
        return Loaded(own, plain if known(plain) else new)

    def _with_prefix(self, name: str, known: Callable[[str], bool]) -> str:
        """Return ``name`` with or without the prefix of the base model, whichever the model has."""
        if not self.prefix:
            return name
        inside = f"{self.prefix}."
        if name.startswith(inside) and known(name.removeprefix(inside)):
            return name.removeprefix(inside)
        return inside + name if known(inside + name) else name


def conversions_of(class_name: str) -> Conversions:
    """Return the conversions of a class; an unknown class has only the legacy ones.

    Raises ``ValueError`` for a damaged file.
    """
    data = _data()
    given = data["classes"].get(class_name, {})
    prefix = given.get("prefix", "")
    scopes = [*given.get("scopes", ()), [None, LEGACY]]
    mappings = data["mappings"]
    mappings = {k: mappings[own] if isinstance(own, str) else own for k, own in mappings.items()}
    found = [_transform(one, scope, prefix) for scope, name in scopes for one in mappings[name]]
    return Conversions(tuple(found), prefix, tuple(map(re.compile, given.get("ignored", ()))))


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(FILE.read_text("utf-8"))
    if data.get("format") != FORMAT:
        raise ValueError(f"{FILE.name}: its format is not {FORMAT}")
    return data


def _transform(data: Mapping[str, Any], scope: str | None, base: str) -> Transform:
    names = tuple(data["sources"]), tuple(data["targets"])
    operations = tuple(Operation(*one) for one in data.get("operations", ()))
    pattern, offset = re.compile(data["pattern"]), data.get("offset", 0)
    return Transform(data["kind"], pattern, *names, operations, offset, scope, base)
