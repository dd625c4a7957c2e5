"""An entry held to transformers: random configurations, in which much is absent or otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

from transformers import PreTrainedConfig

from paramproof.algebra.sampling import sample_inside
from paramproof.catalogue.configuration import GivenKeys, sizes_of
from paramproof.catalogue.derivations import Variant, computed_of, derivation_of, field_of, variants
from paramproof.catalogue.entries import entry_in, own_sizes
from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.value_kinds import ROTARY_BASES, default_layers
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.parsing import expression_in
from paramproof.formulas.path import leaf, parent
from sweep.failure import Reason, SweepError
from sweep.mismatch import Mismatch, find_mismatch
from sweep.model import Keys, part_in, remove_key, set_key
from sweep.probe import LARGE, PROBES

CONFIGS_PER_VARIANT = 5
"""Configurations that each variant is held to."""

MAX_ATTEMPTS = 12
"""To draw one that is inside the conditions."""


class MismatchError(SweepError):
    """An entry says other than transformers makes of ``config``."""

    def __init__(self, problem: Mismatch, config: Mapping[str, Any]) -> None:
        reason = Reason.CONFIG_REFUSED if problem.is_refusal else Reason.NOT_AS_BUILT
        super().__init__(reason, f"{problem}; {json.dumps(config)[:300]}")
        self.config = config


def check_variant(
    file: TypeFile,
    variant: Variant,
    config_class: type[PreTrainedConfig],
    model_class: Any,
    random: Random,
    refusals: list[Mismatch] | None = None,
) -> int:
    """Hold a variant to models of random configurations; return how many.

    Raises ``MismatchError``, in one line, for the first that has other tensors, or is refused;
    with a list of ``refusals`` these are put there, and others are drawn. Raises ``SweepError``
    if none is drawn inside the conditions.
    """
    derivation = derivation_of(file, variant, own_sizes(file, variant.data.get("absent", ())))
    held = 0
    for _ in range(CONFIGS_PER_VARIANT):
        for _ in range(MAX_ATTEMPTS):
            config = random_config(file, variant, derivation, random)
            if config is None:
                continue
            try:
                found = entry_in(file, config, variant.name)
            except ValueError:
                continue
            problem = find_mismatch(found, config_class, model_class, config)
            if problem is None:
                held += 1
                break
            if problem.may_be_of_sizes and _has_degenerate_sizes(
                file, variant.name, config_class, model_class, config
            ):
                continue
            if not problem.is_refusal or refusals is None:
                raise MismatchError(problem, config)
            refusals.append(problem)
    if not held:
        raise SweepError(Reason.NOT_DRAWN, "no configuration was drawn inside the conditions")
    return held


def _has_degenerate_sizes(
    file: TypeFile,
    name: str,
    config_class: type[PreTrainedConfig],
    model_class: Any,
    config: Mapping[str, Any],
) -> bool:
    """Whether it is the sizes of a configuration for which it is refused.

    For a head that is narrower than 1, say, or of an odd width: no key is to blame for it.
    """
    given = GivenKeys(file, config)
    sizes: dict[str, Any] = {"model_type": file.model_type}
    # How often a kind stands in a list is no key: the list itself is one.
    fields = {size.path for size in file.letters.values() if not size.is_kind}
    decides = {*fields, *file.kinds, *file.classes[name].get("decides", ())}
    for path, value in given.values.items():
        if path in decides:
            set_key(sizes, path, value)
    try:
        found = entry_in(file, sizes, name)
    except ValueError:
        return False
    problem = find_mismatch(found, config_class, model_class, sizes)
    return problem is not None and problem.may_be_of_sizes


def find_culprit(
    file: TypeFile,
    name: str,
    config_class: type[PreTrainedConfig],
    model_class: Any,
    config: Mapping[str, Any],
) -> tuple[str, Any] | None:
    """Return the key, no size, without which a configuration would be as the entry has it."""
    given = GivenKeys(file, config)
    decides = file.classes[name].get("decides", ())
    for path, value in given.values.items():
        if path not in given.letter_of and path not in decides:
            without = deepcopy(dict(given.with_parts_in_place(config)))
            remove_key(without, path)
            try:
                found = entry_in(file, without, name)
            except ValueError:
                continue
            if not find_mismatch(found, config_class, model_class, without):
                return path, value
    return None


def random_config(
    file: TypeFile, variant: Variant, derivation: Derivation, random: Random
) -> dict[str, Any] | None:
    """Return a configuration as a file has it, None where no sizes were drawn."""
    sizes = sample_inside(random, derivation)
    if sizes is None:
        return None
    config: dict[str, Any] = {"model_type": file.model_type}
    leave_out = random.choice([0.0, 0.0, 0.15, 0.5])
    always = file.parts.keys() & file.fields.keys()
    absent_parts = {path for path in file.parts if random.random() < leave_out / 2} - always
    absent_parts |= {path for path in always if variant.where.get(path) is None}
    lists: set[str] = set()
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
        set_key(config, field, sizes[letter])
    _complete_lists(file, derivation, config, sizes)
    _add_kind_lists(file, variant, derivation, config, sizes, random)
    _add_other_keys(file, variant, config, absent_parts, sizes, random)
    _move_parts_to_other_keys(file, config, random)
    _flatten_parts(file, config, random)
    for path, value in _explicit_defaults(file, variant, config):
        if random.random() < 0.2:
            set_key(config, path, value)
    # In a file no two keys have one object, in which transformers would write for the other, too.
    read: dict[str, Any] = json.loads(json.dumps(config))
    return read


def _move_parts_to_other_keys(file: TypeFile, config: dict[str, Any], random: Random) -> None:
    """Give some parts in the key that counts in place of their own."""
    for name, part in file.instead.items():
        if isinstance(there := config.get(part), dict) and random.random() < 0.3:
            config[name] = there
            beside = {
                key: value + 1 if type(value) is int else value for key, value in there.items()
            }
            config |= {part: beside} if random.random() < 0.5 else {part: None}


def _flatten_parts(file: TypeFile, config: dict[str, Any], random: Random) -> None:
    """Give some parts in keys of the whole, as far as these are known there."""
    for part, names in file.flat.items():
        if random.random() < 0.3:
            there = config.pop(part, {})
            config |= {name: there[name] for name in names if name in there}


def _complete_lists(
    file: TypeFile, derivation: Derivation, config: dict[str, Any], sizes: Mapping[str, int]
) -> None:
    """Give every size of a list, of which some are left out."""
    for letter, size in sizes.items():
        field = file.letters[letter]
        if field.is_in_list and _is_given(config, field.key):
            set_key(config, field.path, size)


def _is_given(config: Keys, path: str) -> bool:
    """Whether a key is given, whatever its value is."""
    part = part_in(config, parent(path))
    return part is not None and leaf(path) in part


def _add_other_keys(
    file: TypeFile,
    variant: Variant,
    config: dict[str, Any],
    absent_parts: set[str],
    sizes: Mapping[str, int],
    random: Random,
) -> None:
    """Add what decides, as the variant has it, and other values of what does not."""
    for path, value in _required_values(file, variant, random):
        if not (path in file.parts and _is_given(config, path)):
            set_key(config, path, value)
    for path in variant.data.get("decides", ()):
        # A part that is given may have other defaults than the variant was derived at.
        needed = path in file.given and path not in {*variant.where, *variant.sized}
        if needed and _is_given(config, path.partition(".")[0]) and path in file.fields:
            set_key(config, path, file.fields[path])
    for path, value in _accepted_values(file, variant, random):
        inside = any(path.startswith(f"{part}.") for part in absent_parts)
        if not inside and not any(_is_given(config, other) for other in _other_rope_key(path)):
            set_key(config, path, value)
    for path, rule in file.layers.items():
        is_long = _is_given(config, field_of(file, rule["long"]))
        if is_long and path not in variant.lists and random.random() < 0.4:
            set_key(config, path, _draw_layers(rule, sizes, random))
    _name_parts(file, config, random)


def _name_parts(file: TypeFile, config: dict[str, Any], random: Random) -> None:
    """Name the model type of the parts that are given, of most of those that need none."""
    for part, kind in file.parts.items():
        is_given = part_in(config, part) is not None
        if is_given and (part in file.named_parts or random.random() < 0.8):
            fixed = part in file.fixed_parts
            set_key(config, f"{part}.model_type", random.choice([kind, "any"]) if fixed else kind)


def _other_rope_key(path: str) -> set[str]:
    """Return the other name of the parameters of rotary positions: a file has one of the two."""
    names = ("rope_scaling", "rope_parameters")
    found = {path.replace(one, other) for one in names for other in names}
    return found - {path}


def _required_values(file: TypeFile, variant: Variant, random: Random) -> Iterator[tuple[str, Any]]:
    """Yield the values that a variant must have, some of them others of a sort that was tried."""
    needed = variants(file, variant.name)[0].where
    for path, value in variant.where.items():
        sorts = sorted(file.free.get(path, ())) if path in needed else []
        other = sorts and random.random() < 0.3
        yield path, _draw_value(path, random.choice(sorts), random) if other else value


def _explicit_defaults(
    file: TypeFile, variant: Variant, config: dict[str, Any]
) -> list[tuple[str, Any]]:
    """Return what decides, and what is computed of sizes, as it is where it is absent."""
    decides = variant.data.get("decides", ())
    values = {path: file.fields[path] for path in decides if path in file.fields}
    values |= variant.data.get("follows", {})
    try:
        given = GivenKeys(file, config)
        sizes = sizes_of(given, variant.sized, variant.data.get("absent", ()))
    except (ValueError, KeyError):
        return []
    for path, said in computed_of(file, variant).items():
        if said and (formula := expression_in(said)).letters <= sizes.keys():
            values[path] = formula.evaluate(sizes)
    absent = values.keys() - {*given.values, *variant.where, *variant.sized}
    absent -= {other for path in given.values for other in _other_rope_key(path)}
    return [
        (path, values[path]) for path in sorted(absent) if part_in(config, parent(path)) is not None
    ]


def _accepted_values(file: TypeFile, variant: Variant, random: Random) -> Iterator[tuple[str, Any]]:
    """Yield values of some of the fields that decide nothing."""
    decides, only = variant.data.get("decides", ()), variant.data.get("only", {})
    taken = {*decides, *variant.where, *variant.sized, *variant.lists}
    for name, sorts in file.free.items():
        for sort in sorts:
            free = name not in taken and sort in only.get(name, (sort,))
            if free and random.random() < 0.3:
                yield name, _draw_value(name, sort, random)
    for name, values in file.texts.items():
        if name not in taken and name not in only and random.random() < 0.3:
            yield name, random.choice(values)


def _draw_value(name: str, sort: str, random: Random) -> Any:
    """Return a value of a sort for a field; a base, of whose logarithm is divided, is above 1."""
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
    """Give lists of which a variant counts the kinds, with the number of their layers."""
    for path in variant.lists:
        set_key(config, path, _draw_kinds(file, path, derivation, sizes, random))
        if long := file.kinds[path].get("long"):
            set_key(config, field_of(file, long), sizes[long])


def _draw_kinds(
    file: TypeFile, path: str, derivation: Derivation, sizes: Mapping[str, int], random: Random
) -> list[str]:
    """Return a list of kinds in any order, by one of the names of each.

    Where the derivation says that there may be none of a kind, there is none of some.
    """
    rule = file.kinds[path]
    letters = {
        one.path[len(path) + 1 : -1]: letter
        for letter, one in file.letters.items()
        if one.path.startswith(f"{path}[")
    }
    numbers = {kind: sizes[letter] for kind, letter in letters.items()}
    may_lack = all(derivation.validated[letter][0] == 0 for letter in letters.values())
    # A kind that the last layer must have stands there.
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
