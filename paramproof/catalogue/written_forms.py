"""Values that a file writes in another way than the entry has them.

A text may stand for a list, a pair for a size, a number of first layers for a list of kinds. A file
may also repeat what the class fills in: LFM2's class fills in ``full_attn_idxs`` with the numbers
of all layers, and Gemma 4's fills in ``per_layer_config`` for every sixth layer. A file that has
such a value is read as one without the key. In a list with a kind for each layer, an entry counts
the layers of each kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from paramproof.catalogue.configuration import GivenKeys
from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.value_kinds import default_layers, equal
from paramproof.formulas.errors import Refusal
from paramproof.formulas.notation import expression_in
from paramproof.formulas.printing import legible, shown


def read_configuration(file: TypeFile, config: Mapping[str, Any]) -> GivenKeys:
    """Return the keys of a configuration, with each value as the entry has it."""
    given = GivenKeys(file, config)
    expand_spellings(given)
    unify_spellings(given)
    drop_filled_in(given)
    given.counted = count_kinds(given)
    return given


def unify_spellings(given: GivenKeys) -> None:
    """Replace the values that a file writes in another way by those that they mean."""
    _split_texts(given)
    _merge_repeated_sizes(given)
    _merge_pairs(given)


def _split_texts(given: GivenKeys) -> None:
    """Replace each text that the configuration class splits into a list by that list, in order.

    DeBERTa's ``pos_att_type`` is ``"p2c|c2p"`` in a file, and a list of two texts in its class,
    which only asks what is in it.
    """
    for path, separator in given.file.joined.items():
        value = given.values.get(path)
        texts = value.split(separator) if isinstance(value, str) else value
        if isinstance(texts, list) and all(isinstance(one, str) for one in texts):
            given.values[path] = sorted(texts)


def _merge_repeated_sizes(given: GivenKeys) -> None:
    """Replace each list that repeats one size for every layer by this size.

    Longformer's ``attention_window`` is a size, or a list with a size for each layer. A list of
    another length, or with different sizes, is left: it is refused as a size.
    """
    for path, depth in given.file.repeated.items():
        value, size = given.values.get(path), given.file.letters[depth]
        long = given.values.get(size.path, size.default)
        is_one = isinstance(value, list) and all(equal(one, value[0]) for one in value)
        if is_one and value and str(len(value)) == str(long):
            given.values[path] = value[0]


ANY_PAIR = "any"
"""The kind of a pair in place of a size on which no tensor depends: its two sides may differ."""


TWICE = "twice"
"""The kind of a pair of sizes in place of which a file may have one size, for both."""


def _merge_pairs(given: GivenKeys) -> None:
    """Replace a height and a width by one size, or one size by a height and a width.

    ViT's ``image_size`` may be ``[224, 224]``. No tensor of Donut's encoder depends on it, and its
    two sides differ. PVT's has two sizes, and a file may have one.
    """
    for path, which in given.file.pairs.items():
        value = given.values.get(path)
        if which == TWICE and type(value) is int:
            del given.values[path]
            given.values |= {f"{path}[{i}]": value for i in range(2)}
        elif isinstance(value, list) and len(value) == 2:
            high, wide = value
            if equal(high, wide) or (which == ANY_PAIR and type(high) is type(wide) is int):
                given.values[path] = min(value)


POSITIONS = "positions"
"""The form of a list with the numbers of some layers, such as ``moe_layers``."""

OVERRIDES = "overrides"
"""The form of an object with fields for some layers, such as ``per_layer_config``."""


def drop_filled_in(given: GivenKeys) -> None:
    """Remove each key with the value that the class fills in for the other keys."""
    for path, rule in given.file.filled.items():
        if path in given.values and _is_filled_in(given, rule, given.values[path]):
            del given.values[path]


def _is_filled_in(given: GivenKeys, rule: Mapping[str, Any], value: object) -> bool:
    if not all(equal(_value_of(given, path, own), own) for path, own in rule["at"].items()):
        return False
    if not all(is_own_list(given, path) for path in rule.get("lists", ())):
        return False
    if "value" in rule:
        return equal(value, rule["value"])
    expression = expression_in(rule["long"])
    (letter,) = expression.letters
    depth = _value_of(given, given.file.letters[letter].path, given.file.letters[letter].default)
    if isinstance(depth, str) and depth.isdecimal():
        depth = int(depth)
    if type(depth) is not int or depth < rule.get("from", 1):
        return False
    long = expression.evaluate({letter: depth})
    return equal(by_layer(value, rule.get("as", ""), long), default_layers(rule, long))


def _value_of(given: GivenKeys, path: str, own: object) -> object:
    """Return the value of a key, or ``own`` if it is absent and has no other default."""
    if path in given.late:
        return given.late[path]
    if path in given.sized_lists:
        return given.sized_lists[path]
    return given.values[path] if path in given.values else given.default(path, own)


def is_own_list(given: GivenKeys, path: str) -> bool:
    """Return whether a list is absent, or the one that the type has by default."""
    value = given.values.get(path)
    rule = given.file.layers.get(path, {})
    if isinstance(value, list) and "repeats" in rule:
        return equal(value, default_layers(rule, len(value)))
    return value is None or (path in given.file.fields and equal(value, given.file.fields[path]))


def by_layer(value: object, form: str, long: int) -> list[Any] | None:
    """Return a value as a list with an item for each of ``long`` layers, or None if it is none.

    The items are true or false for a list of positions, and null for a layer without overrides.
    """
    if form == OVERRIDES and isinstance(value, Mapping):
        found = {int(one): fields for one, fields in value.items() if one.isdecimal()}
        is_complete = len(found) == len(value) and all(one < long for one in found)
        return [found.get(one) for one in range(long)] if is_complete else None
    if not isinstance(value, list):
        return None
    if form != POSITIONS:
        return value
    is_sorted = all(type(one) is int for one in value) and value == sorted(set(value))
    inside = is_sorted and all(0 <= one < long for one in value)
    return [one in value for one in range(long)] if inside else None


MAX_DEPTH = 10_000
"""The most layers for which a list is made of a number."""


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
