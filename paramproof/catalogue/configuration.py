"""A configuration's keys and sizes, read and completed as transformers does it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from paramproof.catalogue.files import TypeFile, entries_of, type_of_class
from paramproof.catalogue.names import has_type, irrelevant_keys, kinds_to_give, refused_kinds
from paramproof.catalogue.value_kinds import (
    KIND_NAMES,
    TEXT,
    decode_infinity,
    equal,
    kind_of,
    sort_of,
)
from paramproof.formulas.derivation import value_at
from paramproof.formulas.errors import InvalidInput, NotInCatalogue, Refusal
from paramproof.formulas.expression import Expression
from paramproof.formulas.notation import expression_in
from paramproof.formulas.path import parent
from paramproof.formulas.printing import legible, shown

IRRELEVANT_KEYS = irrelevant_keys("any")
"""Keys that do not affect which tensors a model has."""

LABELS = "num_labels"

QUANTIZATION = "quantization_config"
"""The key that says how a file stores weights. It changes stored shapes, not the tensors."""

NETWORK, NETWORK_OPTIONS = "backbone", "backbone_kwargs"
"""The name of the network of a backbone, and its options, as older files have them."""

TIMM = "timm_backbone"
"""The model type of such a backbone."""

MAX_SIZE = 10**9
"""The largest size that is accepted: larger than any model's."""


def named_class(config: Mapping[str, Any]) -> str:
    """Return the class that a configuration names in ``architectures``, or "" if it names none.

    Raises ``InvalidInput`` for anything but a list of one class.
    """
    names = config.get("architectures")
    if names is None or names == []:
        return ""
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise InvalidInput(
            f"architectures={shown(names)} is not a list of one class", key="architectures"
        )
    if len(names) > 1:
        problem = f"architectures={shown(names)} names {len(names)} classes: choose one by --class"
        raise InvalidInput(problem, key="architectures")
    return str(names[0])


class GivenKeys:
    """The keys of a configuration by path, such as ``vision_config.hidden_size``."""

    def __init__(self, file: TypeFile, config: Mapping[str, Any]) -> None:
        self.file = file
        self.letter_of = file.letter_of
        self.lists = {size.key for size in file.letters.values() if size.is_in_list}
        self.sized_lists: dict[str, list[Any]] = {}
        self.parts: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        self.late: dict[str, Any] = {}
        for path, value in self.walk(self.with_parts_in_place(config), ""):
            if path in file.late:
                self.late[file.late[path]] = value
                continue
            name = file.aliases.get(path, path)
            if name in self.values and not equal(self.values[name], value):
                raise InvalidInput(
                    f"{file.model_type}: {path} and {name} name the same field, but their values "
                    "differ",
                    key=path,
                )
            self.values[name] = decode_infinity(value)
        self.read_labels(config)
        self.require_one_rope()
        self.counted: set[str] = set()

    def unsupported(
        self, why: str, key: str = "", refusal: Refusal = Refusal.OTHER
    ) -> NotInCatalogue:
        """Return the error that says why the catalogue does not count this configuration."""
        model_type = self.file.model_type
        reason = f"{model_type}: {why}"
        return NotInCatalogue(reason, model_type=model_type, key=key, refusal=refusal)

    def with_parts_in_place(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a configuration in which every part is under its own key.

        CLIP's ``text_config_dict`` replaces a ``text_config`` that most files have beside it,
        except for keys of the latter that are not fields. If Qwen2-VL has no ``text_config``, its
        keys are at top level. DETR may have the name and the options of its backbone there.
        """
        placed = {name: value for name, value in config.items() if name not in self.file.instead}
        for name, part in self.file.instead.items():
            if (there := config.get(name)) is None:
                continue
            beside = config.get(part) or {}
            for key, value in ((name, there), (part, beside)):
                require_object(key, value)
            looked_at = (key for key in beside if f"{part}.{key}" in self.file.refused)
            placed[part] = {**{key: beside[key] for key in looked_at}, **there}
        for part, names in self.file.flat.items():
            if placed.get(part) is None and (given := [name for name in names if name in placed]):
                there = {name: placed.pop(name) for name in given}
                placed[part] = {"model_type": self.file.parts[part], **there}
        if part := parent(self.file.aliases.get(NETWORK, "")):
            self.place_network(placed, part)
        return placed

    def place_network(self, placed: dict[str, Any], part: str) -> None:
        """Move the name of a network and its options into the part, unless that is given."""
        network, options = placed.get(NETWORK), placed.get(NETWORK_OPTIONS)
        is_given = placed.get(part) is not None
        if is_given or network is None:
            # The class ignores the name then.
            placed.pop(NETWORK, None)
        if options and isinstance(options, dict) and not is_given:
            if not isinstance(network, str):
                # The class would build another network than its usual one.
                raise self.unsupported(f"{NETWORK_OPTIONS} without {NETWORK}", NETWORK_OPTIONS)
            there = {NETWORK: placed.pop(NETWORK), **placed.pop(NETWORK_OPTIONS)}
            placed[part] = {"model_type": TIMM, **there}

    def walk(self, config: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
        """Yield each key with its path and value, including keys of parts and sizes in lists."""
        is_object = before[:-1] in self.file.objects
        for key, value in config.items():
            path = f"{before}{key}"
            if not is_object:
                require_possible_kind(path, key, value, in_part=bool(before))
            if path in self.file.parts:
                if path in self.file.fields:
                    # Some variants are models without this part.
                    kind = self.file.parts[path]
                    yield path, None if value is None else {"model_type": kind}
                if value is None:
                    continue
                self.add_part(path, value)
                yield from self.walk(value, f"{path}.")
            elif path in self.lists:
                yield from self.list_sizes(path, value)
            elif path in self.file.objects and isinstance(value, dict):
                yield from self.walk(value, f"{path}.")
            elif key == QUANTIZATION:
                require_object(path, value)
            elif key not in IRRELEVANT_KEYS and key != "id2label":
                yield path, value

    def add_part(self, path: str, part: object) -> None:
        """Note that a part is given.

        If transformers does not have its model type, the part is read as the class in its
        ``architectures``: Kimi-K2.5's text part is a ``kimi_k2``.

        Raises ``InvalidInput`` if it is not an object, and ``NotInCatalogue`` if it is not of the
        model type that the entry needs.
        """
        require_object(path, part)
        assert isinstance(part, dict)
        if "model_type" not in part and path in self.file.named_parts:
            raise self.unsupported(f"{path} is given without a model_type", path)
        needed = self.file.parts[path]
        kind = part.get("model_type", needed)
        if kind != needed and path not in self.file.fixed_parts:
            is_unknown = isinstance(kind, str) and not has_type(kind)
            if is_unknown and type_of_class(named_class(part)) == needed:
                self.renamed[path] = kind
            elif not is_unknown or path not in self.file.lenient_parts:
                problem = f"{path}.model_type={shown(kind)} is not supported, only {needed}"
                if len(entries := entries_of(self.file.model_type)) > 1:
                    problem += f" (there are formulas for {', '.join(entries)})"
                raise self.unsupported(problem, path, Refusal.OTHER_PART)
        self.parts.add(path)

    def list_sizes(self, path: str, value: object) -> Iterator[tuple[str, Any]]:
        if type(value) is int and path in self.file.pairs:
            yield path, value
            return
        most = sum(name.startswith(f"{path}[") for name in self.letter_of)
        if not isinstance(value, list) or not 0 < len(value) <= most:
            raise self.wrong_list(path, most, value)
        self.sized_lists[path] = value
        yield from ((f"{path}[{i}]", one) for i, one in enumerate(value))

    def wrong_list(self, path: str, length: int, value: object) -> NotInCatalogue:
        """Return the error for a list that does not have ``length`` sizes."""
        return self.unsupported(f"{path}={shown(value)} is not a list of {length} sizes", path)

    def read_labels(self, config: Mapping[str, Any]) -> None:
        """Set the number of labels from their names, if no number is given.

        A given number wins: transformers replaces the names by as many others.
        """
        names, given = config.get("id2label"), self.values.get(LABELS)
        if names is None:
            self.require_two_labels(given)
            return
        try:
            number = len({int(one) for one in names}) if isinstance(names, Mapping) else 0
        except (TypeError, ValueError):
            number = 0
        if not number:
            problem = f"id2label={shown(names)} is not an object that maps numbers to labels"
            raise InvalidInput(problem, key="id2label")
        self.require_two_labels(number)
        self.values.setdefault(LABELS, number)

    def require_two_labels(self, labels: object) -> None:
        """Refuse a single label for single-label classification, as transformers does."""
        kind = self.values.get("problem_type")
        if labels == 1 and kind == "single_label_classification":
            raise self.unsupported(
                f"problem_type={kind} needs 2 labels or more, not 1", "problem_type"
            )

    def require_one_rope(self) -> None:
        """Refuse two keys for rotary positions, since transformers would ignore one of them."""
        for path in self.values:
            other = f"{path.removesuffix('scaling')}parameters"
            if path.endswith("rope_scaling") and self.values[path] and self.values.get(other):
                raise self.unsupported(f"{path} and {other} are both given", path)

    def default(self, path: str, own: Any) -> Any:
        """Return the value of an absent key. A part that is given has defaults of its own."""
        above = [p for p in self.file.parts if path.startswith(f"{p}.")]
        given = [p for p in above if p in self.parts]
        if not given or path not in self.file.given:
            return own
        if len(given) < len(above):
            raise self.unsupported(f"{path} is absent, and so is the part that contains it", path)
        return self.file.given[path]


def require_possible_kind(path: str, key: str, value: object, *, in_part: bool) -> None:
    """Raise ``InvalidInput`` for a kind of value that transformers refuses in any model type."""
    refused = refused_kinds(in_part=in_part).get(key, ())
    if kind_of(value) not in refused:
        return
    names = dict.fromkeys(KIND_NAMES[kind] for kind in kinds_to_give(key))
    needed = f"it must be {' or '.join(names)}" if names else "leave it out"
    raise InvalidInput(f"{path}={shown(value)} is not possible: {needed}", key=path)


def require_object(path: str, value: object) -> None:
    """Raise ``InvalidInput`` for a value other than an object or null."""
    if not isinstance(value, dict | None):
        raise InvalidInput(f"{path}={shown(value)} is not possible: it must be an object", key=path)


def sizes_of(
    given: GivenKeys,
    sized: Container[str] = (),
    absent: Container[str] = (),
    at_zero: Container[str] = (),
    inert: Container[str] = (),
) -> dict[str, int]:
    """Return the size of each letter: the configuration's, or the default of transformers.

    No tensor depends on the ``inert`` letters. Those ``at_zero`` may be 0, and any of them may have
    a value of a sort that was tried in place of a size.
    """
    sizes: dict[str, int] = {}
    waiting: dict[str, Any] = {}
    for letter in given.file.letters:
        if letter not in absent:
            found = _given_or_default(given, letter, sized, at_zero, is_inert=letter in inert)
            (sizes if isinstance(found, int) else waiting)[letter] = found
    while waiting:
        ready = {
            letter: formula
            for letter, text in waiting.items()
            if not (formula := expression_in(str(text))).letters & waiting.keys()
        }
        if not ready:
            raise ValueError(f"{given.file.model_type}: the defaults depend on each other")
        sizes |= {letter: _fill_in(given, letter, ready[letter], sizes) for letter in ready}
        waiting = {letter: text for letter, text in waiting.items() if letter not in ready}
    for field, value in given.late.items():
        letter = given.letter_of[field]
        sizes[letter] = _size(given, letter, value)
    return {letter: sizes[letter] for letter in given.file.letters if letter in sizes}


def _given_or_default(
    given: GivenKeys, letter: str, sized: Container[str], at_zero: Container[str], *, is_inert: bool
) -> Any:
    """Return the size that a configuration gives, or the text of the default in its place."""
    size = given.file.letters[letter]
    field, value = size.path, given.values.get(size.path)
    if is_inert and _has_another_value(given, field):
        return given.default(field, size.default) or "1"
    if value is not None:
        return _size(given, letter, value, at_zero)
    if field in given.values and field not in sized:
        if field not in given.file.null:
            remedy = "leave the key out for the default" if size.default else "give a number"
            raise given.unsupported(f"{field}=null is not a size: {remedy}", field, Refusal.NO_SIZE)
        return given.file.null[field]
    if default := given.default(field, size.default) or "1" * (is_inert and not size.is_in_list):
        return default
    raise given.unsupported(f"{field} is absent and has no default", field)


def _has_another_value(given: GivenKeys, path: str) -> bool:
    """Return whether a size on which no tensor depends has a value that was tried in its place.

    EXAONE 4 looks at its ``sliding_window_pattern`` only if there is no list of layers.
    """
    value, sorts = given.values.get(path), given.file.free.get(path, ())
    if path not in given.values or (type(value) is int and value > 0):
        return False
    if isinstance(given.values.get(given.file.beside.get(path, "")), list):
        return value is None or isinstance(value, str)
    return sort_of(value) in sorts or (TEXT in sorts and isinstance(value, str))


def _fill_in(given: GivenKeys, letter: str, formula: Expression, sizes: Mapping[str, int]) -> int:
    """Return the size that transformers computes for an absent field.

    Raises ``NotInCatalogue`` if the formula has no value, as where it divides by 0.
    """
    field = given.file.letters[letter].path
    try:
        return value_at(formula, sizes, field)
    except ValueError as error:
        raise given.unsupported(str(error), field) from None


def _size(given: GivenKeys, letter: str, value: object, at_zero: Container[str] = ()) -> int:
    """Return a size that a configuration gives.

    Raises ``InvalidInput`` for a value that can never be a size. Raises ``NotInCatalogue`` for 0,
    lists and objects, which some classes of transformers accept in place of a size.
    """
    field = given.file.letters[letter].path
    if type(value) is int and 0 < value <= MAX_SIZE:
        return value
    may_be_none = letter in at_zero or given.file.letters[letter].is_kind
    if type(value) is int and value == 0 and may_be_none:
        return 0
    given_size = f"{legible(field)}={shown(value)}"
    if type(value) is not int and not isinstance(value, list | dict):
        raise InvalidInput(f"{given_size} is not possible: it must be an int", key=field)
    if type(value) is int and value:
        problem = f"{given_size} is not possible: it must be between 1 and {MAX_SIZE:,}"
        raise InvalidInput(problem, key=field)
    raise given.unsupported(f"{given_size} is not a size of 1 or more", field)
