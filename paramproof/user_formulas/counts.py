"""Count what a framework has in a component, from its weights and from no formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paramproof.formulas import Family, Report, Row, Spec, Weight, inventory
from paramproof.formulas.path import LAYER, has_layer, layer_of, lies_in, stack_of, starred
from paramproof.user_formulas.signature import TOTAL, components


def compare_counts(
    expected: Mapping[str, int], weights: Iterable[Weight], layers: Mapping[str, int]
) -> Report:
    """Compare a formula's counts with a model's: a row for each component that differs.

    ``layers`` are the numbers of layers by the path of their stack. The component ``layers``
    counts every layer, ``layers.*`` one of them: of unequal ones the first that differs. Of a
    model without layers, what is in one layer cannot be asked. The totals of the report are of
    the components named that lie in no other.
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
    """Return how many layers each stack of ``spec`` has, by its path."""
    return {stack: t.repeat for t in inventory(spec.letters()) if (stack := stack_of(t.path))}


def uncounted(named: Iterable[str], family: Family) -> tuple[str, ...]:
    """Return the top-level components that a formula of ``named`` does not cover completely."""
    named = tuple(named)
    paths = [path for path in components(family) if path != TOTAL]
    tensors = [path for path in paths if not any(_inside(other, path) for other in paths)]
    left = [path for path in tensors if not any(_lies_in(path, name) for name in named)]
    return tuple(dict.fromkeys(path.split(".")[0] for path in left))


def _counts(weights: list[Weight], component: str, layers: Mapping[str, int]) -> list[int]:
    """Trainable parameters in ``component``: one number, or one for each layer."""
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
    """Entries of a weight in ``component``. Parts fused in one are taken to be equal.

    That is so of queries, keys and values, which are of one width wherever they are in one.
    """
    if component == TOTAL:
        return weight.size
    inside = sum(_lies_in(part, component) for part in weight.parts)
    return weight.size * inside // max(1, len(weight.parts))


def _stack(component: str) -> str:
    """The stack that one layer, or what lies in it, belongs to."""
    return component.partition(f".{LAYER}")[0]


def _lies_in(part: str, component: str) -> bool:
    return component == TOTAL or lies_in(starred(part), component)


def _inside(name: str, other: str) -> bool:
    return name != other and (other == TOTAL or lies_in(name, other))


def _nearest(expected: int, counts: list[int]) -> int:
    """The first count that differs; where there is none to ask, what was expected."""
    return next((count for count in counts if count != expected), expected)
