"""Explanations of numbers: the tensors of a model that are counted, how often, and at which sizes.

An explanation is data. The search and the recount share only this module and ``heads``:
``recount`` walks the expanded inventory, tensor by tensor, and does not trust the search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple, TypeAlias

from paramproof.explanation.heads import Heads
from paramproof.formulas import EncoderSpec, Inventory, inventory
from paramproof.formulas.active import ACTIVE_CONVENTIONS, active
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import counted
from paramproof.formulas.expression import expression
from paramproof.formulas.path import at_layer, lies_in, starred
from paramproof.formulas.spec import Spec
from paramproof.formulas.tensors import Tensor

TRAINABLE = ("trainable",)


ChangedSizes = tuple[tuple[str, int], ...]
"""Fields of a spec or of a derived formula, with their new values."""


class Part(NamedTuple):
    """A component, counted ``times`` times (negative if left out), under conventions.

    With ``one``, a component of a layer is counted in one layer only. With ``per_head_full_width``,
    it is counted once more for each head beyond the first, as if every head had it at full width.
    """

    component: str = ""
    one: bool = False
    times: int = 1
    conventions: tuple[str, ...] = TRAINABLE
    per_head_full_width: bool = False


class Explanation(NamedTuple):
    """A sum of parts of a model, perhaps at other ``sizes``, or with other ``heads``.

    Explanations are ranked by ``complexity``, the number of facts needed to state them. ``sizes``
    are fields of the spec with other values. ``as_estimate`` replaces the model's layers by those
    of the usual estimate 12·L·H², which are BERT's at an intermediate size of 4·H (Kaplan et al.
    2020, arXiv:2001.08361, table 1). ``active`` is the convention under which active parameters per
    token are counted, or "" if all parameters are.
    """

    parts: tuple[Part, ...]
    complexity: int
    sizes: ChangedSizes = ()
    as_estimate: bool = False
    heads: Heads | None = None
    active: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether this counts one component, or the whole, of the unchanged model."""
        changed = self.sizes or self.heads or self.as_estimate
        return len(self.parts) == 1 and not changed

    @property
    def is_whole(self) -> bool:
        """Whether this counts the whole unchanged model, or its active parameters."""
        return self.is_plain and not self.parts[0].component

    @property
    def is_total(self) -> bool:
        """Whether this counts the model's trainable parameters."""
        return self.is_whole and not self.active and self.parts[0].conventions == TRAINABLE


TensorCounts: TypeAlias = frozenset[tuple[str, int]]
"""How often each tensor is counted, by path."""

Counted = Iterator[tuple[int, Explanation]]
"""Explanations, each with its count."""


def spec_of(explanation: Explanation, spec: Spec) -> Spec:
    """Return ``spec`` with the changes that ``explanation`` makes to it."""
    if explanation.as_estimate:
        return usual_estimate(spec)
    if explanation.heads:
        spec = explanation.heads.spec(spec)
    return with_sizes(spec, explanation.sizes)


def with_sizes(spec: Any, sizes: ChangedSizes) -> Spec:
    """Return ``spec`` with other values in some of its fields."""
    changed: Spec = replace(spec, **dict(sizes))
    return changed


def number_of_heads(spec: Spec) -> int:
    """Return the number of attention heads, 1 for a family without heads."""
    return getattr(spec, "num_attention_heads", 1)


def has_usual_estimate(spec: Any) -> bool:
    """Return whether ``spec`` has one stack of layers, heads of size H / A, and a vocabulary."""
    sizes = ("num_hidden_layers", "num_attention_heads", "vocab_size")
    if not all(hasattr(spec, size) for size in sizes):
        return False
    return bool(spec.hidden_size % spec.num_attention_heads == 0)


def usual_estimate(spec: Any) -> EncoderSpec:
    """Return BERT's layers and token table at the sizes of ``spec``, with F = 4·H."""
    return EncoderSpec(
        vocab_size=spec.vocab_size,
        hidden_size=spec.hidden_size,
        num_hidden_layers=spec.num_hidden_layers,
        num_attention_heads=spec.num_attention_heads,
        intermediate_size=4 * spec.hidden_size,
        max_position_embeddings=1,
        type_vocab_size=1,
    )


def inventory_of(architecture: Architecture, sizes: ChangedSizes = ()) -> Inventory:
    """Return the tensors of a model, with ints as sizes and new values in some fields."""
    changed = architecture.at_fields(dict(sizes)) if sizes else architecture
    return changed.inventory(changed.sizes)


def recount(
    explanation: Explanation, architecture: Architecture, named: Inventory | None = None
) -> tuple[int, TensorCounts]:
    """Return the count of ``explanation``, and how often it counts each tensor.

    Two explanations of a model that count the same tensors are the same explanation. ``named`` has
    the tensors of a derived formula at its own sizes, if the caller knows them already.
    """
    if architecture.spec is None:
        return _recount_derived(explanation, architecture, named)
    spec = spec_of(explanation, architecture.spec)
    tensors = _expanded(spec, explanation.heads)
    times: Counter[str] = Counter()
    sizes: dict[str, int] = {}
    for part in explanation.parts:
        weight = part.times * (number_of_heads(spec) - 1 if part.per_head_full_width else 1)
        for tensor in counted(tensors, *part.conventions):
            if _counts(part, tensor):
                times[tensor.path] += weight
                sizes[tensor.path] = tensor.size
    number = sum(count * sizes[path] for path, count in times.items())
    return number, frozenset((path, count) for path, count in times.items() if count)


def _recount_derived(
    explanation: Explanation, architecture: Architecture, named: Inventory | None
) -> tuple[int, TensorCounts]:
    """Recount a derived formula, which does not tell which layers are of which kind."""
    if explanation.active:
        return _recount_active(explanation.active, architecture)
    times: Counter[Tensor] = Counter()
    if named is None or explanation.sizes:
        named = inventory_of(architecture, explanation.sizes)
    for part in explanation.parts:
        for tensor in counted(named, *part.conventions):
            if lies_in(tensor.path, part.component):
                times[tensor] += part.times * (1 if part.one else tensor.repeat)
    number = sum(count * tensor.size for tensor, count in times.items())
    counts = ((f"{tensor.path} {tensor.shape}", count) for tensor, count in times.items() if count)
    return number, frozenset(counts)


def _recount_active(convention: str, architecture: Architecture) -> tuple[int, TensorCounts]:
    """Recount active parameters, evaluating their shapes one by one."""
    total, counts = 0, []
    for tensor in ACTIVE_CONVENTIONS[convention](active(architecture)):
        lengths = [expression(one).evaluate(architecture.sizes) for one in tensor.shape]
        repeat = expression(tensor.repeat).evaluate(architecture.sizes)
        total += repeat * prod(lengths)
        counts.append((f"{tensor.path} {tuple(lengths)}", repeat))
    return total, frozenset(counts)


@lru_cache(maxsize=64)
def _expanded(spec: Spec, heads: Heads | None) -> Inventory:
    tensors = inventory(spec.letters()).expand()
    return heads.on(tensors) if heads else tensors


def _counts(part: Part, tensor: Tensor) -> bool:
    """Return whether ``part`` counts ``tensor``; a part of one layer counts the first layer."""
    if part.one:
        return lies_in(tensor.path, at_layer(part.component, 0))
    return lies_in(starred(tensor.path), part.component)
