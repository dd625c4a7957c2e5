"""Explanations in words."""

from __future__ import annotations

from collections.abc import Sequence

from paramproof.explanation.explanation import TRAINABLE, Explanation, Part
from paramproof.explanation.sizes import known
from paramproof.formulas.path import LAYER, has_layer, in_braces, leaf, lies_in, parent
from paramproof.formulas.printing import some_of

MAX_OWNERS_NAMED = 3
"""The most models that are named for a size."""


def words(explanation: Explanation) -> str:
    """Return ``explanation`` as a person would state it, without the model's name.

    ``the whole model without pooler``, ``layers.*.attention in one layer`` …
    """
    if explanation.active:
        return f"the active parameters per token ({explanation.active})"
    base, left_out, again, wide = split(explanation)
    text = " + ".join(_components(base))
    if heads := explanation.heads:
        text += f" {heads.says}, as in {heads.like}"
    if left_out:
        text += f" without {_listed(left_out, base[0])}"
    if again:
        text += f" and {_listed(again, base[0])} a second time"
    if wide:
        same = [part.component for part in wide] == [part.component for part in base]
        text += f", each head at full width{'' if same else f' in {_listed(wide, base[0])}'}"
        text += ", as with Keras's key_dim = hidden_size" if _as_in_keras(wide) else ""
    if explanation.as_estimate:
        text += ", as if these layers were BERT's at F = 4·H"
    if explanation.sizes:
        text += f", at {_sizes(explanation)}"
    return text


def split(explanation: Explanation) -> tuple[list[Part], list[Part], list[Part], list[Part]]:
    """Return the parts that are counted, left out, counted a second time, and widened."""
    first, *rest = explanation.parts
    added = [part for part in rest if part.times > 0 and not part.per_head_full_width]
    again = [part for part in added if lies_in(part.component, first.component)]
    base = [first, *(part for part in added if part not in again)]
    left_out = [part for part in rest if part.times < 0]
    return base, left_out, again, [part for part in rest if part.per_head_full_width]


def of_one(explanation: Explanation) -> bool:
    """Return whether the explanation starts from one component and is not a sum of several."""
    return len(split(explanation)[0]) == 1


def _as_in_keras(wide: Sequence[Part]) -> bool:
    """Return whether each head has biases of its own, and the widened output has one bias."""
    widened = [part.component for part in wide]
    return any(leaf(path) == "query" for path in widened) and any(
        path.endswith("output.kernel") for path in widened
    )


def _components(parts: Sequence[Part]) -> list[str]:
    """Return the names of parts; parts of one component are joined, ``attention.{query,key}``."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for part in parts:
        above = parent(part.component)
        key = (above or part.component, part.one, part.conventions)
        groups.setdefault(key, []).append(leaf(part.component))
    texts = []
    for part in parts:
        above = parent(part.component)
        if names := groups.pop((above or part.component, part.one, part.conventions), []):
            path = f"{above}.{in_braces(names)}" if above else in_braces(names)
            texts.append(_component(part._replace(component=path)))
    return texts


def _component(part: Part) -> str:
    text = part.component or "the whole model"
    if part.component.endswith(LAYER):
        text = f"one layer of {part.component.removesuffix(f'.{LAYER}')}"
    elif has_layer(part.component):
        text += " in one layer" if part.one else " in all layers"
    conventions = [name for name in part.conventions if (name,) != TRAINABLE]
    return f"{text} ({', '.join(conventions)})" if conventions else text


def _listed(parts: Sequence[Part], base: Part) -> str:
    """Return the names of parts of ``base``; those in the same layers are relative to it."""
    if has_layer(base.component) and all(part.one == base.one for part in parts):
        inner = (part.component.removeprefix(f"{base.component}.") for part in parts)
        parts = [Part(component) for component in inner]
    *most, last = _components(parts)
    return f"{', '.join(most)} and {last}" if most else last


def _sizes(explanation: Explanation) -> str:
    """Return the sizes, and the models that have them all; a shared table has one size."""
    values = {field.removeprefix("target_"): value for field, value in explanation.sizes}
    text = ", ".join(f"{field}={value}" for field, value in values.items())
    if not values.keys() <= known().keys():
        return text
    owners = [known()[field].get(value, []) for field, value in values.items()]
    names = [name for name in owners[0] if all(name in own for own in owners)]
    if not names:
        return f"{text}, which no named model has"
    return f"{text} (of {some_of(names, MAX_OWNERS_NAMED)})"
