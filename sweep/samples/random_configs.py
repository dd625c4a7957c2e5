"""Random configurations of a variant, as files may have them, and what may come of comparing one.

A ``Verdict`` compares the catalogue's count of a configuration with a library's model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from random import Random
from typing import Any, NamedTuple

from paramproof.catalogue.accepts import INTERCHANGEABLE, rotated_widths
from paramproof.catalogue.configuration import sizes_of
from paramproof.catalogue.derivations import (
    Variant,
    computed_of,
    derivation_of,
    kept_variants,
    variants,
)
from paramproof.catalogue.entries import Entry, entry_in, own_sizes
from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.value_kinds import (
    ALIKE,
    FACTORS,
    LONGROPE,
    ROTARY_BASES,
    ROTARY_FACTOR,
    default_layers,
    equal,
    sort_of,
)
from paramproof.catalogue.written_forms import ANY_PAIR, TWICE, read_configuration
from paramproof.derivation.sampling import sample_inside
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.notation import expression_in
from paramproof.formulas.path import leaf, parent
from sweep.fields.probe_values import LARGE, PROBES
from sweep.library.keys import Keys, has_key, part_in, set_key

SHARES_LEFT_OUT = (0.0, 0.0, 0.15, 0.5)
"""Half of the configurations give every size."""


class Verdict(Enum):
    """The result for one configuration; without a count, some do not try if it is built."""

    NOT_COUNTED = "not counted"
    EQUAL = "equal to {}"
    REFUSED = "counted, but refused by {}"
    OTHER = "counted, but built differently"
    NOT_BUILT = "neither counted nor built"

    def text(self, library: str = "transformers") -> str:
        """Return the result in words, with the name of the library that builds the model."""
        return self.value.format(library)


JUDGED = (Verdict.NOT_COUNTED, Verdict.EQUAL, Verdict.REFUSED, Verdict.OTHER)
"""The results of those that build a model only if there is a count."""


def random_config(
    file: TypeFile,
    variant: Variant,
    derivation: Derivation,
    random: Random,
    shares_left_out: Sequence[float] = SHARES_LEFT_OUT,
    *,
    others: bool = True,
) -> dict[str, Any] | None:
    """Return a random configuration in the form of a file, or None if no sizes were found.

    One of the ``shares_left_out`` is the share of sizes with a default that are absent. Fields that
    decide nothing have other accepted values, unless there are to be no ``others``.
    """
    sizes = sample_inside(random, derivation)
    if sizes is None:
        return None
    config: dict[str, Any] = {"model_type": file.model_type}
    leave_out = random.choice(shares_left_out)
    always = file.parts.keys() & file.fields.keys()
    absent_parts = {path for path in file.parts if random.random() < leave_out / 2} - always
    absent_parts -= {*file.other_parts}
    absent_parts |= {path for path in always if variant.where.get(path) is None}
    lists: set[str] = set()
    may_be_zero = {one for one, (low, _) in derivation.validated.items() if low == 0}
    may_be_zero &= {*derivation.inert}
    for letter in derivation.sizes:
        size = file.letters[letter]
        field = size.path
        inside = any(field.startswith(f"{part}.") for part in absent_parts)
        if size.key in lists or size.is_kind:
            continue
        if size.default and (inside or random.random() < leave_out):
            if size.is_in_list:
                lists.add(size.key)
            elif field in file.null and not inside and random.random() < 0.3:
                set_key(config, field, None)
            continue
        is_zero = letter in may_be_zero and random.random() < 0.2
        set_key(config, field, 0 if is_zero else sizes[letter])
    _complete_lists(file, config, sizes)
    _add_kind_lists(file, variant, derivation, config, sizes, random)
    _add_selecting_keys(file, variant, config, random)
    if others:
        _add_other_keys(file, variant, config, absent_parts, sizes, random)
    _name_parts(file, config, random)
    _move_parts_to_other_keys(file, config, random)
    _flatten_parts(file, config, random)
    for path, value in _explicit_defaults(file, variant, config):
        if random.random() < 0.2:
            set_key(config, path, _interchanged(file, path, value, random))
    _add_pairs(file, config, random)
    fit_rotations(file, config)
    # Copy: if two keys shared one object, transformers would modify both at once.
    read: dict[str, Any] = json.loads(json.dumps(config))
    return read


def _add_pairs(file: TypeFile, config: Keys, random: Random) -> None:
    """Give a height and a width in place of some sizes, or one size in place of both."""
    for path, which in file.pairs.items():
        part = part_in(config, parent(path)) or {}
        size = part.get(leaf(path))
        if type(size) is int and random.random() < 0.2:
            part[leaf(path)] = [size, size + (which == ANY_PAIR)]
        elif isinstance(size, list) and which == TWICE and random.random() < 0.2:
            part[leaf(path)] = size[0]


def _move_parts_to_other_keys(file: TypeFile, config: dict[str, Any], random: Random) -> None:
    """Give some parts in the key that replaces their own."""
    for name, part in file.instead.items():
        if isinstance(keys := config.get(part), dict) and random.random() < 0.3:
            config[name] = keys
            beside = {
                key: value + 1 if type(value) is int else value for key, value in keys.items()
            }
            config |= {part: beside} if random.random() < 0.5 else {part: None}


def _flatten_parts(file: TypeFile, config: dict[str, Any], random: Random) -> None:
    """Give the keys of some parts at top level, if they are known there."""
    for part, names in file.flat.items():
        if random.random() < 0.3:
            keys = config.pop(part, {})
            config |= {name: keys[name] for name in names if name in keys}


def _complete_lists(file: TypeFile, config: dict[str, Any], sizes: Mapping[str, int]) -> None:
    """Give every size of a list of which some were left out."""
    for letter, size in sizes.items():
        field = file.letters[letter]
        if field.is_in_list and has_key(config, field.key):
            set_key(config, field.path, size)


def _add_selecting_keys(
    file: TypeFile, variant: Variant, config: dict[str, Any], random: Random
) -> None:
    """Add the values that select the variant."""
    for path, value in _required_values(file, variant, random):
        if path in file.joined and isinstance(value, list):
            value = random.sample(value, len(value))
            value = file.joined[path].join(value) if random.random() < 0.5 else value
        if not (path in file.parts and has_key(config, path)):
            set_key(config, path, value)
    for path in variant.data.get("decides", ()):
        # A part that is given may have other defaults than those used in the derivation.
        needed = path in file.given and path not in {*variant.where, *variant.sized}
        if needed and has_key(config, path.partition(".")[0]) and path in file.fields:
            set_key(config, path, file.fields[path])


def _add_other_keys(
    file: TypeFile,
    variant: Variant,
    config: dict[str, Any],
    absent_parts: set[str],
    sizes: Mapping[str, int],
    random: Random,
) -> None:
    """Add accepted values of fields that decide nothing."""
    for path, value in _accepted_values(file, variant, random):
        inside = any(path.startswith(f"{part}.") for part in absent_parts)
        is_free = not inside and path not in variant.sized
        if is_free and not any(has_key(config, other) for other in _other_rope_key(path)):
            set_key(config, path, value)
    for path, rule in file.layers.items():
        is_long = has_key(config, file.letters[rule["long"]].path)
        if is_long and path not in variant.lists and random.random() < 0.4:
            set_key(config, path, _draw_layers(rule, sizes, random))


def fit_rotations(file: TypeFile, config: dict[str, Any]) -> None:
    """Give the lists of rotary parameters in a configuration a number for each pair of positions.

    A width that follows from sizes which are absent is unknown: such lists stay as they are.
    """
    for path in file.free:
        part = part_in(config, parent(path)) or {}
        value = part.get(leaf(path))
        if isinstance(value, dict) and sort_of(value) == LONGROPE:
            before = f"{parent(path)}." if parent(path) else ""
            letters = {name: file.letter_of.get(f"{before}{name}") for name in part}
            sizes = {letter: part[name] for name, letter in letters.items() if letter}
            share = part.get(ROTARY_FACTOR, file.fields.get(f"{before}{ROTARY_FACTOR}"))
            for width in rotated_widths(file, path, share, sizes)[:1]:
                value |= {name: [1.0] * (width // 2) for name in FACTORS}


def _name_parts(file: TypeFile, config: dict[str, Any], random: Random) -> None:
    """Name the model type of given parts: always where required, usually elsewhere."""
    for part, kind in file.parts.items():
        is_needed = part in file.other_parts
        is_given = is_needed or part_in(config, part) is not None
        is_named = is_needed or part in file.named_parts or random.random() < 0.8
        if is_given and is_named:
            fixed = part in file.fixed_parts
            set_key(config, f"{part}.model_type", random.choice([kind, "any"]) if fixed else kind)


def _other_rope_key(path: str) -> set[str]:
    """Return the other name of the rotary parameters: a file has one of the two."""
    names = ("rope_scaling", "rope_parameters")
    found = {path.replace(one, other) for one in names for other in names}
    return found - {path}


def _required_values(file: TypeFile, variant: Variant, random: Random) -> Iterator[tuple[str, Any]]:
    """Yield the values that a variant needs, some of them replaced by accepted ones."""
    needed = variants(file, variant.name)[0].where
    for path, value in variant.where.items():
        sorts = sorted(file.free.get(path, ())) if path in needed else []
        other = sorts and random.random() < 0.3
        yield path, _draw_value(file, path, random.choice(sorts), random) if other else value


def _explicit_defaults(
    file: TypeFile, variant: Variant, config: dict[str, Any]
) -> list[tuple[str, Any]]:
    """Return selecting and computed fields that are absent, with the values that they have."""
    decides = variant.data.get("decides", ())
    values = {path: file.fields[path] for path in decides if path in file.fields}
    values |= variant.data.get("follows", {})
    try:
        given = read_configuration(file, config)
        sizes = sizes_of(given, variant.sized, variant.data.get("absent", ()))
    except (ValueError, KeyError):
        return []
    for path, text in computed_of(file, variant).items():
        if text and (formula := expression_in(text)).letters <= sizes.keys():
            values[path] = formula.evaluate(sizes)
    absent = values.keys() - {*given.values, *variant.where, *variant.sized}
    absent -= {other for path in given.values for other in _other_rope_key(path)}
    return [
        (path, values[path]) for path in sorted(absent) if part_in(config, parent(path)) is not None
    ]


def _interchanged(file: TypeFile, path: str, value: Any, random: Random) -> Any:
    """Return a default, or often another value that a file may have instead of it."""
    sort = sort_of(value)
    is_default = path in file.fields and equal(value, file.fields[path])
    is_like = is_default and sort in INTERCHANGEABLE and sort in file.free.get(path, ())
    return _draw_value(file, path, sort, random) if is_like and random.random() < 0.7 else value


def _accepted_values(file: TypeFile, variant: Variant, random: Random) -> Iterator[tuple[str, Any]]:
    decides, only = variant.data.get("decides", ()), variant.data.get("only", {})
    taken = {*decides, *variant.where, *variant.sized, *variant.lists}
    for name, sorts in file.free.items():
        for sort in sorts:
            free = name not in taken and sort in only.get(name, (sort,))
            if free and random.random() < 0.3:
                yield name, _draw_value(file, name, sort, random)
    for name, values in file.texts.items():
        if name not in taken and name not in only and random.random() < 0.3:
            yield name, random.choice(values)


def _draw_value(file: TypeFile, name: str, sort: str, random: Random) -> Any:
    """Draw a value of a sort for a field.

    A rotary base is above 1, since models divide by its logarithm.
    """
    if sort == ALIKE:
        return [0.5] * len(file.fields[name])
    return random.choice([10_000, 5e5] if leaf(name) in ROTARY_BASES else _probe_values(sort))


def _draw_layers(rule: Mapping[str, Any], sizes: Mapping[str, int], random: Random) -> list[str]:
    long = expression_in(rule["long"]).evaluate(sizes)
    if "any of" in rule:
        return random.choices(rule["any of"], k=long)
    return default_layers(rule, long) if "repeats" in rule else [f"{rule['only']}{long}"]


def _add_kind_lists(
    file: TypeFile,
    variant: Variant,
    derivation: Derivation,
    config: dict[str, Any],
    sizes: Mapping[str, int],
    random: Random,
) -> None:
    """Add the lists whose kinds a variant counts, and their numbers of layers."""
    for path in sorted(variant.lists):
        set_key(config, path, _draw_kinds(file, path, derivation, sizes, random))
        if long := file.kinds[path].get("long"):
            set_key(config, file.letters[long].path, sizes[long])


def _draw_kinds(
    file: TypeFile, path: str, derivation: Derivation, sizes: Mapping[str, int], random: Random
) -> list[str]:
    """Draw a list of kinds in any order, each by one of its names.

    If the derivation allows a kind to be absent, some of them are.
    """
    rule = file.kinds[path]
    letters = {
        one.path[len(path) + 1 : -1]: letter
        for letter, one in file.letters.items()
        if one.path.startswith(f"{path}[")
    }
    numbers = {kind: sizes[letter] for kind, letter in letters.items()}
    may_lack = all(derivation.validated[letter][0] == 0 for letter in letters.values())
    # The kind that the last layer must have is always present.
    others = sorted(numbers.keys() - {rule.get("last")})
    if may_lack and others and random.random() < 0.5:
        numbers |= dict.fromkeys(random.sample(others, random.randint(1, len(others))), 0)
    if rule.get("long"):
        (rest,) = set(rule["names"].values()) - numbers.keys()
        numbers[rest] = sizes[rule["long"]] - sum(numbers.values())
        if may_lack and random.random() < 0.2:
            kind = rule.get("last") or random.choice(sorted(numbers))
            numbers = dict.fromkeys(numbers, 0) | {kind: sizes[rule["long"]]}
    kinds = [kind for kind, number in numbers.items() for _ in range(number)]
    random.shuffle(kinds)
    if rule.get("last") in kinds:
        kinds.append(kinds.pop(kinds.index(rule["last"])))
    by_kind: dict[str, list[str]] = {}
    for name, kind in rule["names"].items():
        by_kind.setdefault(kind, []).append(name)
    return [random.choice(by_kind[kind]) for kind in kinds]


def _probe_values(sort: str) -> list[Any]:
    return [value for value in PROBES[sort] if not (value == LARGE and type(value) is int)]


MAX_DRAWS = 120
"""Attempts to draw a configuration that satisfies the guards of its variant."""


class RandomEntry(NamedTuple):
    """A class, a random configuration that satisfies the guards of a variant, and its entry."""

    architecture: str
    config: dict[str, Any]
    entry: Entry


def draw_entry(
    file: TypeFile,
    random: Random,
    classes: Sequence[str] = (),
    shares_left_out: Sequence[float] = SHARES_LEFT_OUT,
) -> RandomEntry:
    """Draw a variant of the ``classes``, by default all of a type, and a configuration of it.

    ``shares_left_out`` is that of ``random_config``. Raises ``ValueError`` if no configuration
    satisfies the guards.
    """
    variants = [
        variant for name in classes or file.classes for variant in kept_variants(file, name)
    ]
    for _ in range(MAX_DRAWS):
        variant = random.choice(variants)
        own = own_sizes(file, variant.data.get("absent", ()))
        config = random_config(
            file, variant, derivation_of(file, variant, own), random, shares_left_out
        )
        if config is None:
            continue
        try:
            return RandomEntry(variant.name, config, entry_in(file, config, variant.name))
        except ValueError:
            continue
    raise ValueError(f"{file.model_type}: no random configuration satisfies the guards")
