"""The grammar of explanations: the ways to count a model's parameters that are short to state.

Each function yields explanations of one form, with their counts. The more complex a form, the more
numbers it reaches by chance, so every form is kept narrow, and complex forms explain only large
numbers (``MIN_COUNT_BY_COMPLEXITY``). ``python -m docs.writers.explain_rate`` measures how many
numbers are still explained by chance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import combinations

from paramproof.explanation.active import active_counts
from paramproof.explanation.explanation import (
    TRAINABLE,
    Counted,
    Explanation,
    Part,
    has_usual_estimate,
    inventory_of,
    usual_estimate,
)
from paramproof.explanation.full_width import full_width
from paramproof.explanation.heads import classifiers_of, heads_of
from paramproof.explanation.tree import WHOLE, Node, Tree, inside, part_of
from paramproof.formulas import Inventory, inventory
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import PARTS, STORAGE
from paramproof.formulas.path import leaf, lies_in, parent
from paramproof.formulas.spec import Spec

MIN_COUNT_BY_COMPLEXITY = {1: 1, 2: 10**4, 3: 10**5, 4: 10**6, 5: 10**7}
"""The smallest number that an explanation of each complexity may explain."""

MAX_LEFT_OUT = 2
"""The most parts of a component that an explanation leaves out."""

MAX_ADDED = 4
"""The most parts of a component that an explanation adds up."""

MODELS_REMEMBERED = 64
"""The number of models whose explanations are cached, so that a second search is fast."""

NON_EMBEDDING = (*TRAINABLE, "without-embeddings", "without-heads")
"""Non-embedding parameters: two conventions, but one fact to state."""

WHOLE_STORAGE = frozenset((storage,) for storage in STORAGE)
"""The conventions that say only what a parameter is."""

ABOUT_HEADS = {"without-pooler", "without-heads"}
"""Conventions that leave out the heads that an explanation adds."""


def explanations(architecture: Architecture) -> Counted:
    """Yield every explanation, except those with a classifier or at other sizes, with its count."""
    tree, spec = Tree(inventory_of(architecture)), architecture.spec
    yield from components(tree)
    yield from active_counts(architecture)
    yield from with_other_heads(spec) if spec else ()
    yield from under_conventions(tree)
    yield from siblings(tree)
    yield from pairs(tree)
    yield from left_out_or_twice(tree)
    if spec:
        yield from full_width(tree, spec)
        yield from estimates(tree, spec)


def simple_explanations(architecture: Architecture, named: Inventory) -> Counted:
    """Yield the usual counts: components, the whole model, its active parameters.

    The whole model is counted under at most one convention, and with other heads. ``named`` has its
    tensors, with ints as sizes.
    """
    tree = Tree(named)
    yield from components(tree)
    yield from active_counts(architecture)
    yield from with_other_heads(architecture.spec) if architecture.spec else ()
    yield from whole_under(tree, most=2)


def whole_explanations(architecture: Architecture, named: Inventory) -> Counted:
    """Yield those of the usual counts that people round if they name no model.

    These are the whole model, its active parameters and its non-embedding parameters.
    """
    tree = Tree(named)
    yield from whole_under(tree, most=2, among=WHOLE_STORAGE)
    yield from active_counts(architecture)
    yield from with_other_heads(architecture.spec, WHOLE_STORAGE) if architecture.spec else ()
    yield from whole_under(tree, most=2, among={NON_EMBEDDING})


def components(tree: Tree) -> Counted:
    """Yield each component, of one layer or of all, under every storage convention."""
    trained = tree.counts()
    for node, count in trained.items():
        yield count, Explanation((part_of(node),), 1)
    for storage in STORAGE:
        for node, count in tree.counts((storage,)).items():
            if count != trained.get(node):
                yield count, Explanation((part_of(node, conventions=(storage,)),), 2)


def under_conventions(tree: Tree) -> Counted:
    """Yield each component under one convention, and the whole model under two."""
    for name in PARTS:
        for node, count in tree.counts((*TRAINABLE, name)).items():
            if count != tree.counts()[node]:
                yield count, Explanation((part_of(node, conventions=(*TRAINABLE, name)),), 2)
    yield from whole_under(tree, most=3)


def whole_under(tree: Tree, most: int, among: Collection[tuple[str, ...]] | None = None) -> Counted:
    """Yield the whole model under conventions that change its count, up to complexity ``most``.

    Only the conventions in ``among`` are tried, if it is given.
    """
    plainly = tree.whole(TRAINABLE)
    yield plainly, Explanation((Part(),), 1)
    for names, complexity in whole_conventions():
        if not 1 < complexity <= most or (among is not None and names not in among):
            continue
        if (count := tree.whole(names)) not in (0, plainly):
            yield count, Explanation((Part(conventions=names),), complexity)


def whole_conventions() -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the combinations of conventions for a whole model, with their complexity."""
    for storage in STORAGE:
        named = int(storage not in TRAINABLE)
        for number in range(3 - named):
            for parts in combinations(PARTS, number):
                names = (storage, *parts)
                yield names, 2 if names == NON_EMBEDDING else 1 + named + number


def siblings(tree: Tree) -> Counted:
    """Yield sums of parts of one component, and the component without some of its parts."""
    counts = tree.counts()
    for whole, parts in families(tree):
        for number in range(1, min(len(parts), MAX_ADDED + 1)):
            for chosen in combinations(parts, number):
                count = sum(counts[part] for part in chosen)
                if 1 < number <= MAX_ADDED:
                    yield count, Explanation(tuple(map(part_of, chosen)), number)
                if number <= MAX_LEFT_OUT:
                    yield counts[whole] - count, _without(whole, chosen)


def coarse_explanations(tree: Tree) -> Counted:
    """Yield the whole model under at most one convention, or without its coarse parts."""
    yield from whole_under(tree, most=2)
    parts = list(_coarse(tree, WHOLE))
    for number in range(1, MAX_LEFT_OUT + 1):
        for chosen in combinations(parts, number):
            explanation = _without(WHOLE, chosen)
            yield tree.number(explanation), explanation


def families(tree: Tree) -> Iterator[tuple[Node, list[Node]]]:
    """Yield each component with the parts that add up to it, for the whole model coarse parts."""
    counts = tree.counts()
    yield WHOLE, list(_coarse(tree, WHOLE))
    for node in counts:
        below = [part for part in counts if parent(part.component) == node.component]
        below = [part for part in below if part.one == node.one and part != node]
        if node != WHOLE and len(below) > 1:
            yield node, below


def _coarse(tree: Tree, node: Node) -> Iterator[Node]:
    """Yield the parts of the whole model, with embeddings, encoder and decoder split further."""
    for part in tree.counts():
        if part.one or parent(part.component) != node.component or part == node:
            continue
        if leaf(part.component) in ("embeddings", "encoder", "decoder"):
            yield from _coarse(tree, part)
        else:
            yield part


def pairs(tree: Tree) -> Counted:
    """Yield sums of any two components that have parts of their own."""
    counts = tree.counts()
    above = {parent(node.component) for node in counts}
    inner = [node for node in counts if node.component in above and node != WHOLE]
    for first, second in combinations(inner, 2):
        if not lies_in(second.component, first.component):
            count = counts[first] + counts[second]
            yield count, Explanation((part_of(first), part_of(second)), 3)


def left_out_or_twice(tree: Tree) -> Counted:
    """Yield each component without one of its parts, or with that part counted twice."""
    counts = tree.counts()
    for outer, whole in counts.items():
        for inner, count in counts.items():
            if inside(inner, outer):
                complexity = 2 + (inner.one and not outer.one)
                for times in (-1, 1):
                    explanation = Explanation((part_of(outer), part_of(inner, times)), complexity)
                    yield whole + times * count, explanation


def with_other_heads(spec: Spec, among: Collection[tuple[str, ...]] | None = None) -> Counted:
    """Yield the whole model with other heads, under at most one convention."""
    for heads in heads_of(spec):
        tree = Tree(heads.on(inventory(heads.spec(spec).letters())))
        for count, explanation in whole_under(tree, most=2, among=among):
            if not ABOUT_HEADS & set(explanation.parts[0].conventions):
                yield (
                    count,
                    explanation._replace(complexity=explanation.complexity + 1, heads=heads),
                )


def with_classifier(spec: Spec, number: int | None = None) -> Counted:
    """Yield the whole model with a classifier of any size, or of the size that gives ``number``."""
    for classifier, most in classifiers_of(spec):
        without, hidden = _without_classifier(classifier.spec(spec))
        each = hidden + classifier.bias
        least = classifier.labels or 1
        if number is not None:
            labels, rest = divmod(number - without, each)
            least, most = (labels, labels) if not rest and least <= labels <= most else (1, 0)
        for labels in range(least, most + 1):
            heads = classifier.with_labels(labels)
            yield without + labels * each, Explanation((Part(),), 2, heads=heads)


@lru_cache(MODELS_REMEMBERED)
def _without_classifier(spec: Spec) -> tuple[int, int]:
    """Return the count of a model, and its hidden size."""
    named = inventory(spec.letters())
    return Tree(named).whole(TRAINABLE), int(named.letter("H"))


def estimates(tree: Tree, spec: Spec) -> Counted:
    """Yield the usual estimates, 12·L·H² and L·(12·H² + 13·H) + V·H, if F is not 4·H."""
    if not has_usual_estimate(spec):
        return
    other = Tree(inventory(usual_estimate(spec).letters()))
    layers, words = Node("layers"), Node("embeddings.word_embeddings")
    for conventions in (TRAINABLE, (*TRAINABLE, "weights-only")):
        counts = other.counts(conventions)
        if counts.get(layers) in (None, tree.counts(conventions).get(layers)):
            continue
        for nodes in ([layers], [words, layers]):
            parts = tuple(part_of(node, conventions=conventions) for node in nodes)
            yield sum(counts[node] for node in nodes), Explanation(parts, 3, as_estimate=True)


def _without(whole: Node, parts: Iterable[Node]) -> Explanation:
    left_out = tuple(part_of(part, -1) for part in parts)
    return Explanation((part_of(whole), *left_out), 1 + len(left_out))
