"""Explanations by attention whose heads each have projections as wide as the hidden size."""

from __future__ import annotations

from collections.abc import Iterator

from paramproof.explanation.explanation import Counted, Explanation, number_of_heads
from paramproof.explanation.tree import WHOLE, Node, Tree, inside, part_of
from paramproof.formulas.spec import Spec


def full_width(tree: Tree, spec: Spec) -> Counted:
    """Yield attention whose A heads each have full-size matrices, and components that contain it.

    Query, key and value then have A kernels of H·H in place of one whose columns the heads share,
    and either A biases or one. The output projection, too. Keras with ``key_dim`` set to
    the hidden size has A biases for query, key and value, and one for the output.
    """
    counts, more = tree.counts(), number_of_heads(spec) - 1
    for outer, names in _widened(tree):
        for projections in _with_biases_or_not(names):
            wide = [
                Node(f"{attention}.{projection}", outer[0].one)
                for attention in _attentions(tree, outer[0])
                for projection in projections
            ]
            if all(node in counts for node in wide):
                count = sum(counts[node] for node in outer) + more * sum(
                    counts[node] for node in wide
                )
                parts = (part_of(node)._replace(per_head_full_width=True) for node in wide)
                yield count, Explanation((*map(part_of, outer), *parts), 3)


def _with_biases_or_not(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the projections with all biases, with none, and with only those of the inputs."""
    *inputs, last = names
    yield names
    yield tuple(f"{name}.kernel" for name in names)
    if inputs and last == "output":
        yield (*inputs, f"{last}.kernel")


def _widened(tree: Tree) -> Iterator[tuple[list[Node], tuple[str, ...]]]:
    """Yield components that may have full-width heads, each with the projections that do."""
    inputs, output = ("query", "key", "value"), ("output",)
    for node in tree.counts():
        if any(inside(Node(path, node.one), node) for path in _attentions(tree, WHOLE)):
            yield [node], inputs
            yield [node], (*inputs, *output)
        if node.component.endswith("attention"):
            yield [node], inputs
            yield [node], (*inputs, *output)
            yield [Node(f"{node.component}.{name}", node.one) for name in inputs], inputs
            yield [Node(f"{node.component}.output", node.one)], output


def _attentions(tree: Tree, outer: Node) -> list[str]:
    """Return the attentions that ``outer`` is, contains, or lies in."""
    paths = {node.component for node in tree.counts() if node.component.endswith("attention")}
    return [path for path in sorted(paths) if _related(f"{path}.", outer.component)]


def _related(attention: str, component: str) -> bool:
    return attention.startswith(component) or component.startswith(attention)
