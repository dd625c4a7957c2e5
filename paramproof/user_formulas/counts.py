"""Count the parameters in a component of a framework's model, from its weights alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paramproof.formulas import Family, Report, Row, Spec, Weight, inventory
from paramproof.formulas.path import LAYER, has_layer, layer_of, lies_in, stack_of, starred
from paramproof.user_formulas.signature import TOTAL, components


def compare_counts(
    expected: Mapping[str, int], weights: Iterable[Weight], layers: Mapping[str, int]
) -> Report:
    """Compare a formula's counts with a model's, and return a row for each that differs.

    ``layers`` maps the path of each stack to its number of layers. The component ``layers`` counts
    all layers, ``layers.*`` one of them; if layers differ, the first that does not match the
    formula is compared. In a model without layers, counts of one layer are not compared. The
    totals of the report add up the components that lie in no other component.
    """
    stored = [weight for weight in weights if weight.trainable and weight.size]
    actual = {name: _nearest(expected[name], _counts(stored, name, layers)) for name in expected}
    rows = tuple(
        Row("wrong count", name, None, None, None, actual[name] - expected[name])
        for name in expected
        if actual[name] != expected[name]
    )
    outer = [name for name in expected if not any(_inside(name, other) for other in expected)]
    times = {name: layers[_stack(name)] if has_layer(name) else 1 for name in outer}
    return Report(
        formula=sum(expected[name] * times[name] for name in outer),
        actual=sum(actual[name] * times[name] for name in outer),
        rows=rows,
    )


def layers_of(spec: Spec) -> dict[str, int]:
    """Return the number of layers of each stack of ``spec``, by the path of the stack."""
    return {stack: t.repeat for t in inventory(spec.letters()) if (stack := stack_of(t.path))}


def uncounted(named: Iterable[str], family: Family) -> tuple[str, ...]:
    """Return the top-level components that the components ``named`` do not cover completely."""
    named = tuple(named)
    paths = [path for path in components(family) if path != TOTAL]
    tensors = [path for path in paths if not any(_inside(other, path) for other in paths)]
    left = [path for path in tensors if not any(_lies_in(path, name) for name in named)]
    return tuple(dict.fromkeys(path.split(".")[0] for path in left))


def _counts(weights: list[Weight], component: str, layers: Mapping[str, int]) -> list[int]:
    """Return the trainable parameters in ``component``: one number, or one for each layer."""
    if not has_layer(component):
        return [sum(_share(weight, component) for weight in weights)]
    number = layers[_stack(component)]
    counts = [0] * number
    for weight in weights:
        share = _share(weight, component)
        if share and weight.stacked:
            counts = [count + share // number for count in counts]
        elif share:
            counts[layer_of(weight.parts[0]) or 0] += share
    return counts


def _share(weight: Weight, component: str) -> int:
    """Return the number of a weight's entries that belong to ``component``.

    Parts fused in one weight are assumed to be equal. Queries, keys and values are: where a
    framework fuses them, they have the same width.
    """
    if component == TOTAL:
        return weight.size
    inside = sum(_lies_in(part, component) for part in weight.parts)
    return weight.size * inside // max(1, len(weight.parts))


def _stack(component: str) -> str:
    """Return the path of the stack to which a layer, or a component in it, belongs."""
    return component.partition(f".{LAYER}")[0]


def _lies_in(part: str, component: str) -> bool:
    return component == TOTAL or lies_in(starred(part), component)


def _inside(name: str, other: str) -> bool:
    return name != other and (other == TOTAL or lies_in(name, other))


def _nearest(expected: int, counts: list[int]) -> int:
    """Return the first count that differs from the expected one, or the expected one."""
    return next((count for count in counts if count != expected), expected)
