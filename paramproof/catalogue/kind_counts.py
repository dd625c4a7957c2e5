"""Lists with a kind for each layer, for which an entry counts the layers of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from paramproof.catalogue.filled_values import is_own_list
from paramproof.catalogue.value_kinds import default_layers, equal
from paramproof.formulas.errors import Refusal
from paramproof.formulas.printing import legible, shown

MAX_DEPTH = 10_000
"""The most layers for which a list is made of a number."""

if TYPE_CHECKING:
    from paramproof.catalogue.configuration import GivenKeys


def expand_spellings(given: GivenKeys) -> None:
    """Replace each key that gives a list in another way by that list.

    Nemotron-H's ``hybrid_override_pattern`` has a character for each layer, and DeepSeek-V4's
    ``compress_ratios`` a number. Transformers cuts a list of the latter to the number of layers.
    Kimi Linear's ``first_k_dense_replace`` is the number of layers of the first kind, and LFM2's
    ``full_attn_idxs`` has the positions of those of one kind. The class looks at these two only if
    there is no list.
    """
    for path, rule in given.file.spelt.items():
        value = given.values.get(path)
        if value is None:
            continue
        into, is_signs = rule["into"], "names" in rule
        others = _list_with_positions if "inside" in rule else _list_of_first_layers
        spelt = (_list_of_signs if is_signs else others)(given, path, value)
        if given.values.get(into) and not is_signs:
            del given.values[path]
            continue
        # The class does not replace an empty list.
        if given.values.get(into) is not None and not equal(given.values[into], spelt):
            raise given.unsupported(f"{path} and {into} give different lists", path)
        del given.values[path]
        given.values[into] = spelt


def _list_of_signs(given: GivenKeys, path: str, value: Any) -> list[str]:
    """Return the list that a key gives by a sign for each layer."""
    rule = given.file.spelt[path]
    names = rule["names"]
    items = [str(one) for one in value] if isinstance(value, str | list) else []
    if not items or not all(one in names for one in items):
        problem = f"{legible(path)}={shown(value)} may contain only {', '.join(names)}"
        raise given.unsupported(problem, path, Refusal.OTHER_VALUE)
    depth = given.values.get(rule.get("cut", ""))
    return [names[one] for one in items][: depth if type(depth) is int else None]


def _list_of_first_layers(given: GivenKeys, path: str, value: Any) -> list[str]:
    """Return the list that a key gives by the number of its first layers, which have one kind."""
    rule = given.file.spelt[path]
    depth = _depth_of(given, rule["into"])
    if type(value) is not int or value < 0 or depth is None:
        problem = f"{legible(path)}={shown(value)} is not a number of layers"
        raise given.unsupported(problem, path, Refusal.OTHER_VALUE)
    if value > depth and rule.get("bounded"):
        problem = f"{legible(path)}={value}, but the model has {depth} layers"
        raise given.unsupported(problem, path, Refusal.OTHER_VALUE)
    first = min(value, depth)
    return [rule["first"]] * first + [rule["then"]] * (depth - first)


def _list_with_positions(given: GivenKeys, path: str, value: Any) -> list[str]:
    """Return the list that a key gives by the positions of the layers of one kind."""
    rule = given.file.spelt[path]
    depth = _depth_of(given, rule["into"])
    if not isinstance(value, list) or not all(type(one) is int for one in value) or depth is None:
        problem = f"{legible(path)}={shown(value)} is not a list of positions of layers"
        raise given.unsupported(problem, path, Refusal.OTHER_VALUE)
    return [rule["inside"] if i in value else rule["outside"] for i in range(depth)]


def count_kinds(given: GivenKeys, *, is_own: bool = False) -> set[str]:
    """Count the layers of each kind in lists, and return these lists.

    Counts the lists that differ from the type's own, or with ``is_own`` those that do not, and
    absent lists for which the type has a pattern. The counts become keys, such as
    ``layer_types[conv]``.
    """
    counted = set()
    for path, rule in given.file.kinds.items():
        value = given.values.get(path)
        if value is None and is_own:
            value = _own_list(given, path)
        if not isinstance(value, list):
            continue
        if (is_own_list(given, path) and not _would_be_another(given)) is not is_own:
            continue
        kinds = [rule["names"].get(one) if isinstance(one, str) else None for one in value]
        if None in kinds or (rule.get("last") and kinds[-1:] != [rule["last"]]):
            continue
        numbers = Counter(kinds)
        fields = [one for one in given.letter_of if one.startswith(f"{path}[")]
        given.values[path] = value
        given.values |= {one: numbers[one[len(path) + 1 : -1]] for one in fields}
        counted.add(path)
    return counted


def _own_list(given: GivenKeys, path: str) -> list[str] | None:
    """Return the list that the class makes by its pattern, or None if it has none."""
    rule, depth = given.file.layers.get(path, {}), _depth_of(given, path)
    return default_layers(rule, depth) if "repeats" in rule and depth else None


def _depth_of(given: GivenKeys, path: str) -> int | None:
    """Return the number of layers that a list of kinds has, or None if it is unknown."""
    letter = given.file.kinds[path].get("long")
    if not letter:
        return None
    size = given.file.letters[letter]
    own = int(size.default) if size.default.isdecimal() else None
    depth = given.values.get(size.path, own)
    return depth if type(depth) is int and 0 < depth <= MAX_DEPTH else None


def _would_be_another(given: GivenKeys) -> bool:
    """Return whether the class would compute another list from the other keys.

    A list that is given makes such keys idle: Qwen3.5 has the layers of its ``layer_types``,
    whatever its ``full_attention_interval``.
    """
    keys = (one for one in given.file.idle if given.values.get(one) is not None)
    own = given.file.fields
    return any(not equal(given.values[one], given.default(one, own.get(one))) for one in keys)


def require_length(given: GivenKeys, lists: Collection[str], sizes: Mapping[str, int]) -> None:
    """Raise ``NotInCatalogue`` for a list whose length is not the number of layers."""
    for path in sorted(lists):
        letter, number = given.file.kinds[path].get("long"), len(given.values[path])
        if letter and sizes[letter] != number:
            field = given.file.letters[letter].path
            problem = f"{path} has {number} layers, but {field} is {sizes[letter]}"
            raise given.unsupported(problem, path, Refusal.OTHER_VALUE)
