"""Explanations by a model at another vocabulary, number of positions or number of types.

Every count is linear in these sizes, so the size is solved for: two counts give the slope. The
size of some named model makes an explanation. Solving for an arbitrary size succeeds by chance for
one in H numbers, so such matches are not explanations, and are listed last.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from paramproof.explanation.explanation import (
    ChangedSizes,
    Counted,
    Explanation,
    Part,
    with_sizes,
)
from paramproof.explanation.grammar import MODELS_REMEMBERED, coarse_explanations
from paramproof.explanation.heads import without_heads
from paramproof.explanation.tree import Tree
from paramproof.formulas import inventory
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.expression import expression
from paramproof.formulas.models import named_models
from paramproof.formulas.spec import Spec

FIELDS = {
    "vocab_size": 300_000,
    "target_vocab_size": 300_000,
    "max_position_embeddings": 2**17,
    "type_vocab_size": 16,
}
"""The sizes of embedding tables, with the largest value that is tried."""


@cache
def known() -> dict[str, dict[int, list[str]]]:
    """Return the sizes that named models have, by field, with the names of the models."""
    sizes: dict[str, dict[int, list[str]]] = {field: {} for field in FIELDS}
    for name, model in named_models().items():
        for field, owners in sizes.items():
            if value := getattr(model.spec, field, None):
                owners.setdefault(value, []).append(name)
    return sizes


def at_known_sizes(spec: Spec, *, alone: bool = False) -> Counted:
    """Yield explanations of the coarse forms at each size that another named model has.

    Unless ``spec`` is searched ``alone``, sizes that make it another named model, with or without
    its heads, are skipped: that model's own explanation is simpler.
    """
    changes: dict[ChangedSizes, list[tuple[int, ChangedSizes]]] = {}
    for sizes, explanation, count, slope in _sloped(spec):
        if sizes not in changes:
            changes[sizes] = list(_others(spec, sizes, shorter=not alone))
        for more, other in changes[sizes]:
            other_size = explanation._replace(sizes=other, complexity=explanation.complexity + 2)
            yield count + more * slope, other_size


def _others(
    spec: Spec, sizes: ChangedSizes, *, shorter: bool
) -> Iterator[tuple[int, ChangedSizes]]:
    """Yield the sizes of other named models, each as a difference and as fields."""
    (field, own), *_ = sizes
    for value in known()[field]:
        other = tuple((name, value) for name, _ in sizes)
        if value != own and (
            not shorter or without_heads(with_sizes(spec, other)) not in _named_bodies()
        ):
            yield value - own, other


@cache
def _named_bodies() -> frozenset[Spec]:
    return frozenset(without_heads(model.spec) for model in named_models().values())


LABELS, MOST_LABELS = "num_labels", 1000
"""The field for the size of a classifier in transformers, and the largest value tried."""


def with_labels(architecture: Architecture, number: int | None) -> Counted:
    """Yield a derived model with the number of labels at which it has ``number`` parameters."""
    if number is None or architecture.formula.evaluate(architecture.sizes) == number:
        return
    for labels in _solved(architecture, LABELS, number, MOST_LABELS):
        yield number, Explanation((Part(),), 2, sizes=((LABELS, labels),))


def _solved(architecture: Architecture, field: str, number: int, most: int) -> Iterator[int]:
    """Yield the value of a field that gives ``number``, if the formula is linear in the field."""
    own = next((name for name, known in architecture.fields.items() if known == field), "")
    if not own:
        return
    rest = {name: expression(size) for name, size in architecture.sizes.items() if name != own}
    terms = architecture.formula.substitute(rest).terms
    slope = int(terms.get(((own, 1),), 0))
    if slope and terms.keys() <= {(), ((own, 1),)}:
        value, left = divmod(number - int(terms.get((), 0)), slope)
        if not left and 1 <= value <= most and architecture.has({own: value}):
            yield value


def at_unnamed_sizes(architecture: Architecture, number: int) -> Iterator[Explanation]:
    """Yield explanations of ``number`` by the whole model, at a size that is solved for."""
    spec = architecture.spec
    if spec is None:
        for field, most in FIELDS.items():
            for value in _solved(architecture, field, number, most):
                yield Explanation((Part(),), 3, sizes=((field, value),))
        return
    for sizes, explanation, count, slope in _sloped(spec):
        if explanation.complexity > 1:
            continue
        field, own = sizes[0]
        value, rest = divmod(number - count, slope)
        value += own
        if not rest and 1 <= value <= FIELDS[field]:
            other = tuple((name, value) for name, _ in sizes)
            yield explanation._replace(sizes=other, complexity=explanation.complexity + 2)


@lru_cache(MODELS_REMEMBERED)
def _sloped(spec: Spec) -> tuple[tuple[ChangedSizes, Explanation, int, int], ...]:
    """Return each size with the coarse explanations that depend on it, their counts and slopes."""
    return tuple(_slopes(spec))


def _slopes(spec: Spec) -> Iterator[tuple[ChangedSizes, Explanation, int, int]]:
    tree = Tree(inventory(spec.letters()))
    for sizes in _sizes(spec):
        more = with_sizes(spec, tuple((field, size + 1) for field, size in sizes))
        larger = Tree(inventory(more.letters()))
        for count, explanation in coarse_explanations(tree):
            if slope := larger.number(explanation) - count:
                yield sizes, explanation, count, slope


def _sizes(spec: Spec) -> Iterator[ChangedSizes]:
    """Yield the sizes to change; the sizes of a shared table change together."""
    together = getattr(spec, "share_embeddings", False)
    for field in FIELDS:
        if together and field == "target_vocab_size":
            continue
        if hasattr(spec, field):
            shared = ["target_vocab_size"] if together and field == "vocab_size" else []
            yield tuple((name, getattr(spec, name)) for name in [field, *shared])
