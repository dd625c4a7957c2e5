"""The ways to count a model's parameters that are short to state, each with its number.

``describe`` adds up the shapes in letters, and counts again, tensor by tensor: no way is handed out
unless both give the same number. Adapters are those of ``following``. ``index`` stores the ways of
the named models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import NamedTuple

from paramproof.catalogue import entry
from paramproof.catalogue.names import classes_of
from paramproof.explanation.index import KNOWN, UNDER, Described, Way
from paramproof.following.adapters import usual_adapters
from paramproof.following.tensors import named_by_transformers
from paramproof.formulas import Inventory
from paramproof.formulas.active import ACTIVE_CONVENTIONS, active, per_token
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import PARTS, STORAGE, Undecided, counted, size
from paramproof.formulas.expression import Expression, expression, sum_of, text
from paramproof.formulas.notation import expression_in
from paramproof.formulas.path import (
    LAYER,
    at_layer,
    beginnings,
    has_layer,
    in_braces,
    leaf,
    lies_in,
    parent,
    starred,
    without_braces,
)
from paramproof.resolver import Model

TRAINABLE = ("trainable",)


class Part(NamedTuple):
    """A component, counted ``times`` times (negative if left out), under conventions.

    With ``one``, a component of a layer is counted in one layer only.
    """

    component: str = ""
    one: bool = False
    times: int = 1
    conventions: tuple[str, ...] = TRAINABLE


class PartCounts:
    """Counts the parts of one model in letters and in numbers, which must agree."""

    def __init__(self, architecture: Architecture) -> None:
        self.sizes, self.is_family = architecture.sizes, bool(architecture.family)
        named = architecture.inventory()
        # A stack without layers, such as the dense layers of some mixtures of experts, is absent.
        there = tuple(one for one in named if expression(one.repeat).evaluate(self.sizes))
        self.named: Inventory = replace(named, tensors=there)
        own = architecture.inventory(self.sizes)
        numbers = own.expand() if self.is_family else own
        self._lettered = cache(lambda names: tuple(counted(self.named, *names)))
        self._numbers = cache(lambda names: tuple(counted(numbers, *names)))

    def formula(self, parts: Iterable[Part]) -> Expression:
        """Return the number of parameters in ``parts`` in letters.

        Raises ``ArithmeticError`` if it does not come to what ``recount`` counts.
        """
        parts = tuple(parts)
        total = sum_of(
            expression(part.times)
            * (1 if part.one else tensor.repeat)
            * tensor.present
            * tensor.size
            for part in parts
            for tensor in self._lettered(part.conventions)
            if lies_in(tensor.path, part.component)
        )
        number, again = total.evaluate(self.sizes), self.recount(parts)
        if number != again:
            raise ArithmeticError(f"{parts} comes to {number}, and counted again to {again}")
        return total

    def recount(self, parts: Iterable[Part]) -> int:
        """Count ``parts`` from the expanded inventory in ints, tensor by tensor.

        A derived formula does not tell which layers are of which kind: its tensors have a number
        instead of a place.
        """
        total = 0
        for component, one, times, conventions in parts:
            within = at_layer(component, 0) if one and self.is_family else component
            for tensor in self._numbers(conventions):
                path = tensor.path if one or not self.is_family else starred(tensor.path)
                if lies_in(path, within):
                    layers = 1 if one or self.is_family else tensor.repeat
                    total += tensor.present * times * layers * tensor.size
        return total


def _classes_of(model: Model) -> dict[str, Architecture]:
    """Return each class of a model's type at the model's sizes, the base class first."""
    found: dict[str, Architecture] = {}
    keys, names = model.keys or {}, []
    with suppress(ValueError):
        names = classes_of(str(keys.get("model_type")))
    for name in names:
        with suppress(ValueError):  # Some classes have no formula at these sizes.
            found[name] = entry(keys, name).derivation
    return found


def describe(model: Model) -> Described:
    """Return a model with the ways to count it. Raises ``ArithmeticError`` if two counts differ."""
    architecture, asked = model.architecture, named_by_transformers(model)
    counts, sizes = PartCounts(architecture), model.architecture.sizes
    found = [*_whole(counts), *_active(architecture), *_components(counts)]
    if model.heads:
        names = " and ".join(head.path for head in model.heads)
        found.append(_way("loaded", names, model.as_loaded.formula, sizes))
    found += _known_sums(architecture)
    # A family's tensors have other names than those of the class.
    native = counts if asked is model else PartCounts(asked.architecture)
    found += [*_classes(native, _classes_of(asked), found[0].number), *_adapters(asked)]
    # Components that have the same formula are one way.
    alike: dict[tuple[object, ...], list[Way]] = {}
    for way in found:
        alike.setdefault((way.kind, way.formula, way.number, way.step), []).append(way)
    ways = [
        first._replace(equal=tuple(way.what for way in rest if not lies_in(way.what, first.what)))
        for first, *rest in alike.values()
    ]
    letters = {name: (of, sizes[name]) for name, of in architecture.fields.items()}
    name = "the model given" if model.name.startswith("{") else model.title or "the model given"
    return Described(name, tuple(ways), letters)


def parts_of_way(way: Way) -> tuple[Part, ...]:
    """Return the parts of the model that a way of kind ``under``, ``one`` or ``all`` counts."""
    path, _, names = ("", "", way.what) if way.kind == "under" else way.what.partition(UNDER)
    under = tuple(names.split(", ")) if names else ()
    under = under if under and under[0] in STORAGE else (*TRAINABLE, *under)
    return tuple(Part(one, way.kind == "one", 1, under) for one in without_braces(path))


def _way(kind: str, what: str, formula: Expression, sizes: Mapping[str, int]) -> Way:
    return Way(kind, what, formula.evaluate(sizes), text(formula))


def _counted(counts: PartCounts, kind: str, what: str) -> Iterator[Way]:
    """Yield the way of this kind, unless it counts nothing, or its conventions are undecided."""
    with suppress(Undecided):
        formula = counts.formula(parts_of_way(Way(kind, what, 0, "")))
        if what in TRAINABLE or formula.evaluate(counts.sizes):
            yield _way(kind, what, formula, counts.sizes)


def _whole(counts: PartCounts) -> Iterator[Way]:
    """Yield the whole model under each convention, and without two parts."""
    without = [name for name in PARTS if name.startswith("without")]
    pairs = (", ".join(pair) for pair in combinations(without, 2))
    seen: set[int] = set()
    for names in (*STORAGE, *PARTS, *pairs):
        for way in _counted(counts, "under", names):
            if way.number not in seen:
                seen.add(way.number)
                yield way


def _active(architecture: Architecture) -> Iterator[Way]:
    """Yield the active parameters per token of a mixture of experts, under each convention."""
    with suppress(ValueError):  # Names and shapes may not decide what is active.
        named = active(architecture) if per_token(architecture) else Inventory({}, ())
        for name, convention in ACTIVE_CONVENTIONS.items() if named.tensors else ():
            with suppress(Undecided):
                yield _way("active", name, expression(size(convention(named))), architecture.sizes)


def _components(counts: PartCounts) -> Iterator[Way]:
    """Yield each component in one layer and in all, and queries, keys and values together.

    A layer that comes in several kinds is not a component, and all layers of a stack are the stack.
    """
    kinds: dict[str, set[object]] = {}
    for tensor in counts.named:
        for component in beginnings(tensor.path) if tensor.trainable and not tensor.tied_to else ():
            kinds.setdefault(component, set()).add(tensor.repeat)
    together = [
        f"{above}.{in_braces(names)}"
        for above in dict.fromkeys(map(parent, kinds))
        for names in KNOWN["together"]
        if all(f"{above}.{name}" in kinds for name in names)
    ]
    for path in (*kinds, *together):
        repeats = set().union(*(kinds[one] for one in without_braces(path)))
        is_layer = leaf(path) == LAYER
        stack = [*_counted(counts, "all", path)] if not is_layer else []
        if has_layer(path) and len(repeats) == 1:
            same = [way.number for way in stack]
            yield from (way for way in _counted(counts, "one", path) if way.number not in same)
            for what in [f"{path}{UNDER}weights-only"] * is_layer:
                yield from _counted(counts, "one", what)
                yield from _counted(counts, "all", what.replace(f".{LAYER}", "", 1))
        yield from stack


def _classes(counts: PartCounts, classes: Mapping[str, Architecture], total: int) -> Iterator[Way]:
    """Yield the other classes of a type, with any number of labels, and what only they have."""
    parts = {leaf(component) for component in _outside_layers(counts)}
    for name, architecture in classes.items():
        own, sizes = PartCounts(architecture), architecture.sizes
        formula = own.formula((Part(),))
        way = _way("class", name, formula, sizes)
        if way.number != total:
            yield way
        for labels in (one for one, of in architecture.fields.items() if of == "num_labels"):
            none, one, two = (formula.evaluate({**sizes, labels: k}) for k in range(3))
            if one - none == two - one > 0:
                yield Way("labels", name, none, way.formula, one - none)
        for component in _outside_layers(own):
            if leaf(component) not in parts:
                parts.add(leaf(component))
                # A head may hold the first name of the table that it shares.
                tied = {one.tied_to for one in own.named if not lies_in(one.path, component)}
                shared = [path for path in tied if path and lies_in(path, component)]
                more = own.formula((Part(component), *(Part(path, times=-1) for path in shared)))
                yield _way("beside", f"{component} of {name}", more, sizes)


def _outside_layers(counts: PartCounts) -> list[str]:
    """Return the largest components that contain no layers."""
    paths = [tensor.path for tensor in counts.named]
    layered = {one for path in paths if has_layer(path) for one in beginnings(path)}
    plain = [path for path in paths if path not in layered]
    largest = (next(one for one in beginnings(path) if one not in layered) for path in plain)
    return list(dict.fromkeys(largest))


def _adapters(model: Model) -> Iterator[Way]:
    with suppress(ValueError):  # Only modules of transformers have names for targets.
        for what, unit in usual_adapters(model).items():
            yield Way("adapters", what, 0, text(unit), unit.evaluate(model.sizes))


def _known_sums(architecture: Architecture) -> Iterator[Way]:
    """Yield the usual estimates, and attention whose A heads each have matrices of H·H.

    The estimates are BERT's layers with F = 4·H, and a table of tokens: Kaplan et al. 2020,
    arXiv:2001.08361, table 1. Keras makes such heads if key_dim is H: queries, keys and values then
    have A biases each, and the output has one.
    """
    sizes = architecture.sizes
    has_heads = architecture.family and "A" in sizes and "G" not in sizes
    for kind in ("estimate", "wide") if has_heads else ("estimate",):
        for what, formula in KNOWN[kind].items():
            if expression_in(formula).letters <= sizes.keys():
                yield _way(kind, what, expression_in(formula), sizes)
