"""Write the names of transformers' configuration keys and classes: ``python -m sweep.names``.

With these names the catalogue tells a key that a configuration class does not have from one that it
has, and an existing class from a name that no class has. For keys of every type, it also has the
kinds of values that transformers refuses. They are written to
``paramproof/catalogue/names.json``. ``tests/catalogue/test_names.py`` compares it with the
installed release.

The kinds are found by building models of a few types with each kind of value for each attribute of
the base class. Those of a part may differ: transformers replaces a part's _attn_implementation
by that of the whole.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig
from transformers.models.auto.configuration_auto import model_type_to_module_name

from paramproof.catalogue.files import model_types, read_type
from paramproof.catalogue.names import NAMES, known_keys
from sweep.fields.unread_fields import TYPES_OF_KIND, VALUES_OF_KIND
from sweep.library.keys import Keys
from sweep.library.model import build, config_of
from sweep.library.refusal import Attempt

VALUES: Mapping[str, Sequence[Any]] = {
    **VALUES_OF_KIND,
    "text": [*VALUES_OF_KIND["text"], "eager", "float32"],
    "texts": [*VALUES_OF_KIND["texts"], ["float32"]],
}
"""Values for each kind, including some that transformers looks up by name."""

READ_BY_ITSELF = "id2label"
"""The key whose contents the catalogue checks, which is more than their kind."""


class Sample(NamedTuple):
    """A class with few keys of a configuration, and the path of the part that is given keys."""

    model_type: str
    name: str
    keys: Keys
    part: str = ""

    def accepts(self, name: str, value: Any) -> bool:
        """Return whether transformers builds a model with this value for a key.

        Of a part only the configuration is built: whether a model of its own follows depends on
        the type.
        """
        keys: Keys = {**self.keys, name: value}
        if self.part:
            keys = {self.part: keys}
        with Attempt():
            config = config_of(CONFIG_MAPPING[self.model_type], keys)
            if not self.part:
                build(getattr(transformers, self.name), config)
            return True
        return False


ONE_LAYER: Keys = {"num_hidden_layers": 1}

WHOLE = (
    Sample("bert", "BertModel", ONE_LAYER),
    Sample("llama", "LlamaModel", ONE_LAYER),
    Sample("mpt", "MptModel", {"n_layers": 1}),
)
"""Models without and with rotary positions, and one with a class attribute of its own."""

PART = (
    Sample("clip", "CLIPModel", ONE_LAYER, "text_config"),
    Sample("llava", "LlavaModel", {"model_type": "llama", **ONE_LAYER}, "text_config"),
)


def common_names() -> list[str]:
    """Return the attributes of the base class, and the keys that its constructor looks for."""
    looked_up = PreTrainedConfig.__post_init__.__code__.co_consts
    found = {one for one in looked_up if isinstance(one, str) and one.isidentifier()}
    for name in dir(PreTrainedConfig):
        member = getattr(PreTrainedConfig, name)
        if not (name.startswith("__") or isinstance(member, types.FunctionType | types.MethodType)):
            found.add(name)
    return sorted(found - {READ_BY_ITSELF})


def common_kinds() -> dict[str, dict[str, str]]:
    """Return the kinds that a configuration and its parts refuse, and those that they declare."""
    whole, part = refused_kinds(WHOLE), refused_kinds(PART)
    names = sorted({*whole, *part})
    return {"whole": whole, "part": part, "instead": {name: kinds_to_give(name) for name in names}}


def refused_kinds(samples: Iterable[Sample]) -> dict[str, str]:
    """Return the kinds of which every value is refused by every sample, by key."""
    samples = list(samples)
    found = {}
    for name in common_names():
        kinds = [
            kind
            for kind, values in VALUES.items()
            if not any(one.accepts(name, value) for one in samples for value in values)
        ]
        if kinds:
            found[name] = " ".join(kinds)
    return found


def kinds_to_give(name: str) -> str:
    """Return the kinds of values that the base class declares for an attribute, or none."""
    setters = (getattr(vars(one).get(name), "fset", None) for one in PreTrainedConfig.__mro__)
    found = [
        one for setter in setters if setter for one in inspect.get_annotations(setter).values()
    ]
    found += [one.type for one in dataclasses.fields(PreTrainedConfig) if one.name == name]
    # What stands in brackets are the types of items.
    words = re.sub(r"\[.*\]", "", str(found[0])).split(" | ") if found else []
    return " ".join(kind for kind, types_of in TYPES_OF_KIND.items() if {*types_of} & {*words})


MODELS = Path(transformers.__file__).parent / "models"


def read_names() -> dict[str, Any]:
    """Return the names of the installed release, except those in entries."""
    common = set(config_keys(PreTrainedConfig))
    found = {
        one: (config_keys(config), exported_classes(one)) for one, config in CONFIG_MAPPING.items()
    }
    written: dict[str, list[str]] = {}
    for model_type, (keys, classes) in sorted(found.items()):
        in_entry: set[str] = set()
        if model_type in model_types():
            file = read_type(model_type)
            in_entry = known_keys(file)
            classes = classes - set(file.classes)
        of_type = " ".join(sorted(keys - common - in_entry))
        written[model_type] = [of_type, " ".join(sorted(classes))]
    return {
        "transformers": transformers.__version__,
        "keys": " ".join(sorted(common)),
        "kinds": common_kinds(),
        "types": written,
    }


def config_keys(config: type[PreTrainedConfig]) -> set[str]:
    """Return the keys that a configuration class has, or looks for while it is created."""
    found = {field.name for field in dataclasses.fields(config)} | set(config.attribute_map)
    for kind in config.__mro__:
        if not kind.__module__.startswith("transformers."):
            continue
        for name, member in vars(kind).items():
            if isinstance(member, property) and member.fset:
                found.add(name)
            if kind is not PreTrainedConfig and isinstance(member, types.FunctionType):
                found |= set(_constants(member.__code__))
    return found


def _constants(code: types.CodeType) -> Iterator[str]:
    """Yield the strings in a function that may be keys."""
    for one in code.co_consts:
        if isinstance(one, str) and re.fullmatch(r"_?[a-z][a-z0-9_]*", one):
            yield one
        elif isinstance(one, types.CodeType):
            yield from _constants(one)


def exported_classes(model_type: str) -> set[str]:
    """Return the names of the models that the modules of a type export."""
    folder = MODELS / model_type_to_module_name(model_type)
    found: set[str] = set()
    for module in folder.glob("modeling_*.py"):
        for node in ast.parse(module.read_text("utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                found |= set(ast.literal_eval(node.value))
    return {name for name in found if name[:1].isupper()}


if __name__ == "__main__":
    NAMES.write_text(json.dumps(read_names(), indent=0) + "\n", "utf-8")
