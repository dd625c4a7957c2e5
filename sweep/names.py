"""Write the names of the classes of each model type: ``paramproof/catalogue/names.json``.

Each type has its classes with a program, the base model first, and the others that transformers
exports: with these the catalogue tells an existing class from a name that no class has. Types of
other libraries, which are written where transformers may be absent, stand by themselves.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paramproof.catalogue.names import HERE

NAMES = HERE / "names.json"


def names(classes: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the contents of the file, for the classes with a program by their model types."""
    import transformers

    of_type = {}
    for one in sorted(transformers.CONFIG_MAPPING):
        others = exported_classes(one) - {*classes.get(one, ())}
        of_type[one] = [" ".join(classes.get(one, ())), " ".join(sorted(others))]
    known = {"transformers": transformers.__version__, "types": of_type}
    return with_other_libraries(known, classes)


def with_other_libraries(
    known: Mapping[str, Any], classes: Mapping[str, list[str]]
) -> dict[str, Any]:
    others = {one: [" ".join(classes[one]), ""] for one in sorted({*classes} - {*known["types"]})}
    return {**known, "other libraries": others}


def exported_classes(model_type: str) -> set[str]:
    """Return the names of the models that the modules of a type export."""
    import transformers
    from transformers.models.auto.configuration_auto import model_type_to_module_name

    models = Path(transformers.__file__).parent / "models"
    found: set[str] = set()
    for module in models.joinpath(model_type_to_module_name(model_type)).glob("modeling_*.py"):
        for node in ast.parse(module.read_text("utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                found |= set(ast.literal_eval(node.value))
    return {name for name in found if name[:1].isupper()}


def read_names() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(NAMES.read_text("utf-8"))
    return found


def write_names(found: Mapping[str, Any]) -> None:
    """Write the file, a line for each type."""
    parts = [f'"transformers": {json.dumps(found["transformers"])}']
    for what in ("types", "other libraries"):
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found[what].items())
        parts.append(f"{json.dumps(what)}: {{\n{lines}\n}}")
    NAMES.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")
