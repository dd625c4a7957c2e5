"""Find the family spec that describes the same model as a configuration of transformers.

A family adds canonical names, and a builder for every framework. The formula and the names that a
configuration is counted with stay those of its class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from paramproof.formulas import FAMILIES, Inventory, Spec, inventory
from paramproof.formulas.architecture import Architecture


@cache
def described_types() -> dict[str, Any]:
    """Return the families of model types, with the parts of each class, from ``families.toml``."""
    import tomllib  # Most models need none of this.

    return tomllib.loads(Path(__file__).with_name("families.toml").read_text("utf-8"))


def spec_of(one: Architecture, keys: Mapping[str, Any]) -> Spec | None:
    """Return the spec of a configuration with these keys, whose class has the architecture ``one``.

    Return None if no family has the class, or if the class has other tensors.
    """
    described = described_types().get(str(keys["model_type"]), {"classes": {}})
    if one.name not in described["classes"]:
        return None
    family, names = FAMILIES[described["family"]], described.get("names", {})
    given = {names.get(field, field): one.sizes[name] for name, field in one.fields.items()}
    # n_inner of GPT-2 is null in most files.
    sizes = {"intermediate_size": 4 * given["hidden_size"], **given}
    sizes = {name: size for name, size in sizes.items() if name in family.field_names}
    try:
        spec = family.spec(**sizes, **_parts(described["classes"][one.name], keys))
    except ValueError:
        return None
    width = spec.hidden_size if "is_stacked" in described else 0
    own = _shapes(one.inventory(one.sizes), width)
    return spec if _shapes(inventory(spec.letters()), width) == own else None


def _parts(parts: Mapping[str, bool], keys: Mapping[str, Any]) -> dict[str, bool]:
    """Return the parts of a class; the configuration or the default of its type ties the head."""
    default = keys.get("model_type") != "llama"
    tied = keys.get("tie_word_embeddings")
    return {"tie_word_embeddings": default if tied is None else tied is True, **parts}


def _shapes(named: Inventory, width: int = 0) -> Counter[tuple[int, ...]]:
    """Return how many trainable tensors have each shape, whatever the order of its axes.

    If ``width`` is given, a tensor of three times that width counts as three tensors.
    """
    found: Counter[tuple[int, ...]] = Counter()
    for tensor in named:
        if tensor.trainable and not tensor.tied_to and tensor.present:
            *others, widest = sorted(map(int, tensor.shape))
            parts = 3 if width and widest == 3 * width else 1
            found[tuple(sorted((*others, widest // parts)))] += int(tensor.repeat) * parts
    return found
