"""The catalogue's files, one for each model type, such as ``data/bert.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

from paramproof.catalogue.value_kinds import decode_infinity
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.path import parent
from paramproof.formulas.printing import MAX_VALUE_SHOWN, shown

FORMAT = 1

FOLDER = Path(__file__).parent / "data"

INDEX = Path(__file__).parent / "index.json"
"""The classes of each model type: ``{"bert": ["BertModel", …], …}``."""


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
    in another way: a sign for each layer, or how many come first. ``joined`` has the separators of
    lists that a file may write as one text, and ``repeated`` the letters of how often a list may
    repeat a size. ``buffered`` has fields that buffers depend on.

    Parts: ``parts`` has the model type of each part, and ``given`` the defaults that differ if the
    part is given. ``fixed_parts`` have one class, whatever model type they name. ``lenient_parts``
    have it if they name no type of transformers. ``named_parts`` must name their type. ``instead``
    has other keys in which a part may be given; these win. ``flat`` has the keys at top level that
    stand for a part's if there is no such part. ``classes_of`` is the model type to which the
    classes belong, or "" for this one.

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
    buffered: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    fixed_parts: tuple[str, ...] = ()
    lenient_parts: tuple[str, ...] = ()
    named_parts: tuple[str, ...] = ()
    instead: Mapping[str, str] = field(default_factory=dict)
    flat: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    classes_of: str = ""

    @property
    def library(self) -> str:
        """The library whose models the formulas describe: transformers, or mlx-lm."""
        return library_of(self.versions)

    @cached_property
    def letter_of(self) -> dict[str, str]:
        """The letter of each size, by the path of its field."""
        return {size.path: letter for letter, size in self.letters.items()}

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


def library_of(versions: Mapping[str, str]) -> str:
    """Return the library of a formula, by the versions that it was derived from."""
    return "mlx-lm" if "mlx-lm" in versions else "transformers"


@cache
def _index() -> dict[str, list[str]]:
    index: dict[str, list[str]] = json.loads(INDEX.read_text("utf-8"))
    return index


@cache
def _types_by_class() -> dict[str, str]:
    # A class of two types belongs to the first of them by name.
    pairs = [(name, kind) for kind, names in sorted(_index().items()) for name in names]
    return dict(reversed(pairs))


@cache
def model_types() -> tuple[str, ...]:
    """Return the model types that have an entry."""
    return tuple(sorted(_index()))


def type_of_class(name: str) -> str | None:
    """Return the model type that has a class of transformers, or None."""
    return _types_by_class().get(name)


def own_classes(file: TypeFile) -> list[str]:
    """Return the classes that belong to a type, and not to another type."""
    return [] if file.classes_of else list(file.classes)


@lru_cache(maxsize=64)
def similar_types(name: str) -> list[str]:
    """Return at most three model types with a similar name."""
    return get_close_matches(name, model_types())


@cache
def read_type(model_type: str) -> TypeFile:
    """Return the contents of a model type's file.

    Raises ``NotInCatalogue`` if there is none, and ``ValueError``, with the file's name, if it is
    damaged.
    """
    if model_type not in model_types():
        near = similar_types(model_type[:MAX_VALUE_SHOWN])
        hint = f" (did you mean {', '.join(near)}?)" if near else ""
        reason = f"no entry for the model type {shown(model_type)}{hint}"
        raise NotInCatalogue(reason, model_type=model_type, key="model_type")
    name = f"{model_type}.json"
    try:
        return parse_type(json.loads((FOLDER / name).read_text("utf-8")), model_type)
    except ValueError as error:
        raise ValueError(f"{name} of the catalogue: {error}") from None


def parse_type(data: Mapping[str, Any], model_type: str) -> TypeFile:
    """Parse the JSON of a file. Raises ``ValueError`` if it does not have the format."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else data
        raise ValueError(f"its format is {shown(found)}, not {FORMAT}")
    if data.get("model_type") != model_type:
        raise ValueError(f"it describes the model type {shown(data.get('model_type'))}")
    own = {name: value for name, value in data.items() if name != "format"}
    names = ("buffered", "refused", "fixed_parts", "lenient_parts", "named_parts")
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
        raise ValueError("it does not have the keys of an entry") from None
