"""The catalogue's files, one for each model type, such as ``data/bert.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from paramproof.catalogue.value_kinds import decode_infinity
from paramproof.formulas.errors import NotInCatalogue, similar_names
from paramproof.formulas.path import parent
from paramproof.formulas.printing import shown

FORMAT = 1

FOLDER = Path(__file__).parent / "data"

JOINT = "+"
"""What stands between the types in the name of an entry with parts of other types."""

INDEX = Path(__file__).parent / "index.json"
"""The classes of each entry: ``{"bert": ["BertModel", …], …}``."""


@dataclass(frozen=True, slots=True)
class SizeField:
    """The configuration field of a letter, with its ``path``, such as ``vision_config.depths[1]``.

    ``default`` is the size if the field is absent: a number, or an expression in other letters. It
    is "" if there is no default.
    """

    path: str
    default: str = ""

    @classmethod
    def parse(cls, written: str) -> SizeField:
        """Parse what a file says about a letter: ``head_dim = ⌊H/A⌋``, or ``head_dim``."""
        path, _, default = written.partition(" = ")
        return cls(path, default)

    @property
    def is_in_list(self) -> bool:
        """Whether the field is one of the sizes in a list."""
        return "[" in self.path and not self.is_kind

    @property
    def is_kind(self) -> bool:
        """Whether the size counts the layers of a kind in a list: ``layer_types[conv]``."""
        _, bracket, inside = self.path.rpartition("[")
        return bool(bracket) and not inside[:-1].isdigit()

    @property
    def key(self) -> str:
        """The path of the configuration's key: ``vision_config.depths`` for one of its sizes."""
        return self.path.partition("[")[0]


@dataclass(frozen=True, eq=False)
class TypeFile:
    """The contents of one model type's file.

    Sizes: ``letters`` has the field of each letter, and ``null`` the size that null stands for.
    ``computed`` has formulas of fields that the configuration computes from sizes. A file may give
    such a field, but not change it. ``below`` has fields, such as token ids, that must be below
    some letters.

    Names: ``aliases`` are other names of fields. ``late`` are aliases that transformers applies
    after it has computed the defaults. ``refused`` has keys that are not fields, but that
    transformers reads all the same.

    Other fields: ``fields`` has the default of each selecting field. ``unread`` has, for fields
    that no class reads, the kinds of values that the configuration class takes. ``free`` has, for
    fields that are read, the sorts of values that gave the same tensors, and ``texts`` the strings
    that did. ``layers`` has rules for lists with a name for each layer. ``stages`` has how many
    stages each backbone has, by its part: a file may choose any. ``filled`` has the values that the
    class fills in for each layer: a file may give them. ``kinds`` has lists for which some
    variants count the layers of each kind, in any order. ``spelt`` has keys that give such a list
    in another way: a sign for each layer, how many come first, or where those of one kind are.
    ``joined`` has the separators of lists that a file may write as one text, and ``repeated`` the
    letters of how often a list may repeat a size. ``pairs`` are sizes in place of which a file may
    have a height and a width: the ``same`` twice, or ``any``; or lists of both in place of which it
    may have one size ``twice``. ``beside`` has sizes that may be null or a text beside a list of
    layers, with that list. ``buffered`` has fields that buffers depend on.

    Parts: ``parts`` has the model type of each part, and ``given`` the defaults that differ if the
    part is given. ``other_parts`` are of another type than that of an absent part. ``fixed_parts``
    have one class, whatever model type they name. ``lenient_parts`` have it if they name no type of
    transformers. ``named_parts`` must name their type. ``instead`` has other keys in which a part
    may be given; these win. ``flat`` has the keys at top level that stand for a part's if there is
    no such part. ``classes_of`` is the model type to which the classes belong, or "" for this one.

    The ``untied_on_loading`` of a class names the weights of heads that the class ties to an
    embedding although a field, such as ``tie_word_embeddings``, is false. transformers unties them
    when it loads a checkpoint that has both weights with different values.
    """

    model_type: str
    versions: Mapping[str, str]
    letters: Mapping[str, SizeField]
    classes: Mapping[str, Any]
    aliases: Mapping[str, str] = field(default_factory=dict)
    late: Mapping[str, str] = field(default_factory=dict)
    null: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    other_parts: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    computed: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, frozenset[str]] = field(default_factory=dict)
    free: Mapping[str, list[str]] = field(default_factory=dict)
    texts: Mapping[str, Any] = field(default_factory=dict)
    below: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    layers: Mapping[str, Any] = field(default_factory=dict)
    stages: Mapping[str, str] = field(default_factory=dict)
    filled: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, Any] = field(default_factory=dict)
    spelt: Mapping[str, Any] = field(default_factory=dict)
    joined: Mapping[str, str] = field(default_factory=dict)
    repeated: Mapping[str, str] = field(default_factory=dict)
    pairs: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    buffered: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    fixed_parts: tuple[str, ...] = ()
    lenient_parts: tuple[str, ...] = ()
    named_parts: tuple[str, ...] = ()
    instead: Mapping[str, str] = field(default_factory=dict)
    flat: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    classes_of: str = ""

    @cached_property
    def name(self) -> str:
        """The name of the entry: the model type, or ``llava_next+mistral``."""
        return entry_name(self.model_type, {path: self.parts[path] for path in self.other_parts})

    @property
    def library(self) -> str:
        """The library whose models the formulas describe: transformers, or mlx-lm."""
        return library_of(self.versions)

    @cached_property
    def letter_of(self) -> dict[str, str]:
        return {size.path: letter for letter, size in self.letters.items()}

    @cached_property
    def decides(self) -> frozenset[str]:
        """The fields that select a variant in some class."""
        return frozenset(path for one in self.classes.values() for path in one.get("decides", ()))

    @cached_property
    def idle(self) -> frozenset[str]:
        """The fields that change nothing where a list of layers is given."""
        variants = (one for data in self.classes.values() for one in (data, *data.get("also", ())))
        return frozenset(path for one in variants for path in one.get("idle", ()))

    @cached_property
    def objects(self) -> frozenset[str]:
        """The paths of objects that are no parts, but have older names of fields."""
        above = {parent(path) for path in (*self.aliases, *self.spelt)}
        return frozenset(above - {"", *self.parts})


def entry_name(model_type: str, other_parts: Mapping[str, str]) -> str:
    return JOINT.join([model_type, *(kind for _, kind in sorted(other_parts.items()))])


def type_of(name: str) -> str:
    return name.partition(JOINT)[0]


def library_of(versions: Mapping[str, str]) -> str:
    return "mlx-lm" if "mlx-lm" in versions else "transformers"


@cache
def _index() -> dict[str, list[str]]:
    index: dict[str, list[str]] = json.loads(INDEX.read_text("utf-8"))
    return index


@cache
def _types_by_class() -> dict[str, str]:
    # A class of two types belongs to the first of them by name.
    pairs = [(name, kind) for kind in model_types() for name in _index()[kind]]
    return dict(reversed(pairs))


@cache
def model_types() -> tuple[str, ...]:
    """Return the model types that have an entry with their usual parts."""
    return tuple(name for name in entry_names() if JOINT not in name)


@cache
def entry_names() -> tuple[str, ...]:
    """Return the names of all entries, such as ``llava_next`` and ``llava_next+mistral``."""
    return tuple(sorted(_index()))


@lru_cache(maxsize=64)
def entries_of(model_type: str) -> list[str]:
    return [one for one in entry_names() if type_of(one) == model_type]


@lru_cache(maxsize=64)
def _with_other_parts(model_type: str) -> list[tuple[str, list[str]]]:
    """Return the entries of a type with parts of other types, those with the most parts first."""
    found = [(one, one.split(JOINT)[1:]) for one in entries_of(model_type) if JOINT in one]
    return sorted(found, key=lambda pair: -len(pair[1]))


def name_for(model_type: str, config: Mapping[str, Any]) -> str:
    """Return the name of the entry for a configuration, by the types of its parts.

    A part of a type that no entry with another part has is left to the entry of the model type.
    """
    parts = (part for _, part in sorted(config.items()) if isinstance(part, Mapping))
    kinds = [part.get("model_type") for part in parts]
    for name, needed in _with_other_parts(model_type):
        left = iter(kinds)
        if all(kind in left for kind in needed):
            return name
    return model_type


def type_of_class(name: str) -> str | None:
    return _types_by_class().get(name)


def own_classes(file: TypeFile) -> list[str]:
    """Return the classes that belong to a type, and not to another type."""
    return [] if file.classes_of else list(file.classes)


@cache
def read_type(name: str) -> TypeFile:
    """Return the contents of the file of a model type, or of another entry by its name.

    Raises ``NotInCatalogue`` if there is none, and ``ValueError``, with the file's name, if it is
    damaged.
    """
    if name not in entry_names():
        raise _unknown(name)
    try:
        file = parse_type(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))
        if file.name != name:
            raise ValueError(f"it describes {shown(file.name)}")
    except ValueError as error:
        raise ValueError(f"{name}.json in the data of paramproof: {error}") from None
    return file


def read_file_for(model_type: str, config: Mapping[str, Any]) -> TypeFile:
    """Return the file for a configuration of a type, by its parts. Raises as ``read_type`` does."""
    if JOINT in model_type:
        raise _unknown(model_type)
    return read_type(name_for(model_type, config))


def keys_for(name: str) -> dict[str, Any]:
    """Return the keys of an entry's defaults: the model type, and the types of other parts."""
    model_type, *others = name.split(JOINT)
    keys: dict[str, Any] = {"model_type": model_type}
    if others:
        file = read_type(name)
        keys |= {part: {"model_type": file.parts[part]} for part in file.other_parts}
    return keys


def _unknown(model_type: str) -> NotInCatalogue:
    near = similar_names(model_type, model_types())
    hint = f" (did you mean {', '.join(near)}?)" if near else ""
    reason = f"there is no formula for the model type {shown(model_type)}{hint}"
    return NotInCatalogue(reason, model_type=model_type, key="model_type")


def parse_type(data: Mapping[str, Any]) -> TypeFile:
    """Parse the JSON of a file. Raises ``ValueError`` if it does not have the format."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else data
        raise ValueError(f"its format is {shown(found)}, not {FORMAT}")
    own = {name: value for name, value in data.items() if name != "format"}
    names = ("buffered", "refused", "other_parts", "fixed_parts", "lenient_parts", "named_parts")
    own |= {name: tuple(own.get(name, "").split()) for name in names}
    for name in ("below", "flat"):
        own[name] = {path: tuple(text.split()) for path, text in own.get(name, {}).items()}
    free: dict[str, list[str]] = {}
    for sorts, names in own.get("free", {}).items():
        for name in names.split():
            free.setdefault(name, []).extend(sorts.split())
    own["free"] = free
    unread: dict[str, frozenset[str]] = {}
    for kinds, names in own.get("unread", {}).items():
        unread |= dict.fromkeys(names.split(), frozenset(kinds.split()))
    own["unread"] = unread
    own["fields"] = decode_infinity(own.get("fields", {}))
    letters = own.get("letters")
    if not isinstance(letters, dict):
        raise ValueError("its letters are not an object")
    own["letters"] = {letter: SizeField.parse(written) for letter, written in letters.items()}
    try:
        return TypeFile(**own)
    except TypeError:
        raise ValueError("it does not have the keys of a model type") from None
