"""Write the names of transformers' configuration keys and classes: ``python -m sweep.names``.

With these names the catalogue tells a key that a configuration class does not have from one that it
has, and an existing class from a name that no class has. For keys of every type, it also has the
kinds of values that transformers refuses. They are written to
``paramproof/catalogue/names.json``. ``tests/catalogue/test_names.py`` compares it with the
installed release.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig
from transformers.models.auto.configuration_auto import model_type_to_module_name

from paramproof.catalogue.files import model_types, read_type
from paramproof.catalogue.names import NAMES, known_keys
from sweep.fields.common_keys import common_kinds

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
