"""Dotted paths of tensors and components: ``layers.*.attention.query.kernel``.

A path lies in each of its prefixes: ``layers.*.attention.query`` in ``layers.*.attention``, and
that in ``layers``. A ``*`` means every layer of a stack; a number in its place means that layer
alone. Names in braces write several paths as one: ``attention.{query,key,value}.bias``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby

from paramproof.formulas.printing import some_of

LAYER = "*"
LAYER_NUMBER = re.compile(r"\d+(-\d+)?$")  # The number of a layer in a path, or a range of layers.
MAX_DIGITS = 10  # The number of digits from which a number is text.
MAX_RANGES = 8  # The most ranges of layers that a text lists.
MAX_BRACES = 8  # The most pairs of braces in a path; each multiplies the number of paths.


def lies_in(path: str, component: str) -> bool:
    """Return whether ``path`` is, or belongs to, ``component`` ("" is everything)."""
    return not component or path == component or path.startswith(f"{component}.")


def parent(path: str) -> str:
    return path.rpartition(".")[0]


def joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def leaf(path: str) -> str:
    return path.rpartition(".")[2]


def beginnings(path: str) -> tuple[str, ...]:
    names = path.split(".")
    return tuple(".".join(names[:depth]) for depth in range(1, len(names) + 1))


def shared_beginning(paths: Sequence[str]) -> str:
    shared = (one for one in beginnings(paths[0]) if all(lies_in(path, one) for path in paths))
    return max(shared, key=len, default="")


def has_layer(path: str) -> bool:
    return LAYER in path.split(".")


def stack_of(path: str) -> str | None:
    """Return the component before the ``*``, the stack of layers, or None without a ``*``."""
    before, star, _ = path.partition(f".{LAYER}.")
    return before if star else None


def at_layer(path: str, *numbers: int | str) -> str:
    """Return ``path`` with numbers in place of its ``*``, the last of them in all that remain."""
    rest = iter(numbers)
    names = path.split(".")
    return ".".join(str(next(rest, numbers[-1])) if name == LAYER else name for name in names)


def layer_of(path: str) -> int | None:
    """Return the number of the layer that contains ``path``, None if it has no number."""
    return next((int(name) for name in path.split(".") if name.isdigit()), None)


@lru_cache(maxsize=4096)
def starred(path: str) -> str:
    """Return ``path`` with a ``*`` in place of every number of a layer."""
    return ".".join(LAYER if name.isdigit() else name for name in path.split("."))


def placed(paths: Sequence[str]) -> str:
    """Return paths that differ in numbers as text: ``layers 1-3: norm.bias``, ``*`` for experts."""
    levels = list(zip(*(path.split(".") for path in paths), strict=True))
    depth = next((n for n, level in enumerate(levels) if LAYER_NUMBER.match(level[0])), None)
    if depth is None or (not depth and len(paths) == 1):
        return paths[0]
    stack = ".".join(level[0] for level in levels[:depth]) or "layers"
    inside = ".".join(_shared_name(level) for level in levels[depth + 1 :])
    return f"{stack} {ranges(levels[depth])}{': ' * bool(inside)}{inside}"


def ranges(numbers: Sequence[str]) -> str:
    """Return numbers as text, three or more in a row as a range: ``0, 4 and 7-27``."""
    small = {one for one in numbers if one.isdecimal() and len(one) < MAX_DIGITS}
    texts: list[str] = []
    # Numbers in a row are as far from their places as each other.
    for _, numbered in groupby(enumerate(sorted(map(int, small))), lambda one: one[1] - one[0]):
        run = [str(number) for _, number in numbered]
        texts += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else run
    texts += sorted({*numbers} - small)
    if len(texts) > MAX_RANGES:
        return some_of(texts, MAX_RANGES)
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def in_braces(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{','.join(names)}}}"


def without_braces(path: str) -> tuple[str, ...]:
    """Return the paths that ``path`` abbreviates, one for each choice of names in braces.

    A name with more than ``MAX_BRACES`` braces is not such a path, and is returned unchanged.
    """
    before, brace, rest = path.partition("{")
    if not brace or rest.count("{") >= MAX_BRACES:
        return (path,)
    names, _, after = rest.partition("}")
    ends = without_braces(after)
    return tuple(f"{before}{name}{end}" for name in names.split(",") for end in ends)


def shared_path(paths: Iterable[str]) -> str:
    """Return one path for several of equal depth, with the names that differ in braces.

    For example ``layers.0.attention.{query,key,value}.bias``. Numbers that differ become a ``*``,
    since they are layers. Raises ``ValueError`` if the depths differ.
    """
    return ".".join(map(_shared_name, zip(*(path.split(".") for path in paths), strict=True)))


def _shared_name(level: Sequence[str]) -> str:
    names = list(dict.fromkeys(level))
    numbers = len(names) > 1 and all(name.isdigit() for name in names)
    return LAYER if numbers else in_braces(names)


def merged(orders: Iterable[Iterable[str]]) -> list[str]:
    """Return all names, each after those before it in its order; earlier orders take precedence."""
    found: list[str] = []
    for order in orders:
        place = 0
        for name in order:
            if name not in found:
                found.insert(place, name)
            place = found.index(name) + 1
    return found
