"""Write the names of the classes of each model type: ``paramproof/catalogue/names.json``.

Each type has its classes with a program, the base model first, and the others that transformers
exports: with these the catalogue tells an existing class from a name that no class has.
``python -m sweep`` writes the file after the programs.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import transformers
from transformers import CONFIG_MAPPING
from transformers.models.auto.configuration_auto import model_type_to_module_name

from paramproof.catalogue.names import HERE

NAMES = HERE / "names.json"
MODELS = Path(transformers.__file__).parent / "models"


def names(classes: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the contents of the file, for the classes with a program by their model types."""
    of_type = {}
    for one in sorted(CONFIG_MAPPING):
        others = exported_classes(one) - {*classes.get(one, ())}
        of_type[one] = [" ".join(classes.get(one, ())), " ".join(sorted(others))]
    other = {one: [" ".join(classes[one]), ""] for one in sorted(classes.keys() - {*of_type})}
    return {"transformers": transformers.__version__, "types": of_type, "other libraries": other}


def exported_classes(model_type: str) -> set[str]:
    """Return the names of the models that the modules of a type export."""
    folder = MODELS / model_type_to_module_name(model_type)
    found: set[str] = set()
    for module in folder.glob("modeling_*.py"):
        for node in ast.parse(module.read_text("utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                found |= set(ast.literal_eval(node.value))
    return {name for name in found if name[:1].isupper()}


def write_names(classes: Mapping[str, list[str]]) -> None:
    found = names(classes)
    parts = [f'"transformers": {json.dumps(found.pop("transformers"))}']
    for what, types in found.items():
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in types.items())
        parts.append(f"{json.dumps(what)}: {{\n{lines}\n}}")
    NAMES.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")
