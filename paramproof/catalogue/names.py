"""The model types and classes that there are, by name, and the keys without an effect.

``programs/`` has a file for each model type. ``names.json`` lists their classes, so that no file is
read to tell which there are: for each type those with a program, the base model first, and the
other ones of transformers. ``sweep/programs.py`` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from paramproof.catalogue.program import LAZY, Catalogue, Part
from paramproof.formulas.errors import InvalidInput, NotInCatalogue, similar_names
from paramproof.formulas.printing import shown

HERE = Path(__file__).parent
FOLDER = HERE / "programs"
TRANSFORMERS = "transformers"

QUANTIZATION = "quantization_config"
"""The key that says how a file stores weights. It changes stored shapes, not the tensors."""


class ReadPart(Part):
    """A configuration that notes the names of the keys and fields that were read."""

    def __init__(self, *made_of: Any) -> None:
        self.read = set[str]()
        super().__init__(*made_of)

    def note(self, name: str) -> str:
        self.read.add(name)
        return name

    def get(self, name: str) -> Any:
        return super().get(self.note(name))


@cache
def programs() -> Catalogue:
    read: Any = {"key": lambda name: lambda part: part.given[part.note(name(part))]}
    return Catalogue(FOLDER, lazy={**LAZY, **read}, part=ReadPart)


@cache
def _names() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "names.json").read_text("utf-8"))
    return found


@cache
def _classes() -> dict[str, tuple[list[str], list[str]]]:
    """Return the classes of each type with a program, and its other ones."""
    of = {**_names()["types"], **_names()["other libraries"]}
    return {name: (own.split(), others.split()) for name, (own, others) in of.items()}


@cache
def irrelevant_keys() -> frozenset[str]:
    """Return the keys without an effect on tensors that versions 2 to 4 wrote into every file."""
    return frozenset(json.loads((HERE / "irrelevant_keys.json").read_text("utf-8")))


def release() -> str:
    return str(_names()[TRANSFORMERS])


@cache
def model_types() -> tuple[str, ...]:
    """Return the model types that have a class with a program."""
    return tuple(sorted(name for name, (own, _) in _classes().items() if own))


def has_type(model_type: str) -> bool:
    """Return whether transformers has a configuration class for this model type."""
    return model_type in _names()["types"]


def classes_of(model_type: str) -> list[str]:
    """Return the classes of a type that have a program. Raises ``NotInCatalogue`` for none."""
    if found := _classes().get(model_type, ([], []))[0]:
        return found
    near = similar_names(model_type, model_types())
    hint = f" (did you mean {', '.join(near)}?)" if near else ""
    reason = f"there is no formula for the model type {shown(model_type)}{hint}"
    raise NotInCatalogue(reason, model_type=model_type, key="model_type")


def has_class(model_type: str, name: str) -> bool:
    return any(name in names for names in _classes().get(model_type, ()))


@lru_cache(4096)
def type_with_class(name: str) -> str | None:
    """Return the model type of a class: of several types, the one with the most classes."""
    every = enumerate(_classes().items())
    found = [
        (name in own, len(own), i, model_type)
        for i, (model_type, (own, others)) in every
        if name in own or name in others
    ]
    return max(found)[-1] if found else None


def type_of_class(name: str) -> str | None:
    """Return the model type of a class that has a program."""
    found = type_with_class(name)
    return found if found and name in _classes()[found][0] else None


def named_class(config: Mapping[str, Any]) -> str:
    """Return the class that a configuration names in ``architectures``, or "" if it names none.

    Raises ``InvalidInput`` for anything but a list of one class.
    """
    names = config.get("architectures")
    if names is None or names == []:
        return ""
    problem = f"architectures={shown(names)}"
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise InvalidInput(f"{problem} is not a list of one class", key="architectures")
    if len(names) > 1:
        problem += f" names {len(names)} classes: choose one by --class"
        raise InvalidInput(problem, key="architectures")
    return str(names[0])


def usual_class(model_type: str) -> str:
    """Return the class to assume for a configuration without ``architectures``.

    It is the model that generates: one with a decoder's head, or an encoder-decoder. A type that
    has a class for masked tokens is an encoder. Like a type without heads, it is read as its base
    model. A class of another type is not meant if the type has its own: ShieldGemma 2 can be loaded
    as a Gemma 3, but Qwen3.5's text model has a class of the whole.
    """
    every = classes_of(model_type)
    own = [one for one in every if model_type.startswith(type_with_class(one) or "-")] or every
    generating = ("ForConditionalGeneration", "ForCausalLM", "LMHeadModel")
    if any(name.endswith("ForMaskedLM") for name in own):
        return own[0]
    return next((one for end in generating for one in own if one.endswith(end)), own[0])


def find_class(model_type: str, name: str) -> str:
    """Return the class of a type by its name, whatever its case and underscores.

    LLaMAForCausalLM is an older name of LlamaForCausalLM, and KimiK25Model is Kimi_K25Model.
    """
    known = {one.replace("_", "").casefold(): one for one in classes_of(model_type)}
    if found := known.get(name.replace("_", "").casefold()):
        return found
    reason = f"{model_type}: there is no formula for the class {shown(name)}"
    if not has_class(model_type, name):
        library = library_of(model_type)
        of = f"the model type {model_type} of {library} {versions_of(model_type)[library]}"
        reason = f"{of} does not have the class {shown(name)}"
    reason += f"; there are formulas for {', '.join(known.values())}"
    raise NotInCatalogue(reason, model_type=model_type, key="architectures")


def versions_of(model_type: str) -> dict[str, str]:
    """Return the releases of the libraries whose code a type's programs come from."""
    found: dict[str, str] = programs().file(model_type)["versions"]
    return found


def library_of(model_type: str) -> str:
    """Return the library whose models the programs of a type describe."""
    return TRANSFORMERS if has_type(model_type) else "mlx-lm"
