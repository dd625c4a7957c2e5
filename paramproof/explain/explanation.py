"""An account of a number: which tensors of a model, how often, at which sizes.

An account is data. What finds accounts and what counts them share nothing but this file:
``recount`` walks the expanded inventory, tensor by tensor, and never believes the search.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from paramproof.formulas import EncoderSpec, Inventory, inventory
from paramproof.formulas.conventions import counted
from paramproof.formulas.path import at_layer, lies_in, starred
from paramproof.formulas.spec import Spec
from paramproof.formulas.tensors import Tensor

TRAINABLE = ("trainable",)


Sizes = tuple[tuple[str, int], ...]
"""Fields of a spec with values."""


class Part(NamedTuple):
    """A component, ``times`` times (negative: left out), under conventions.

    ``one`` is a component of one layer only, where it is one of a layer; ``heads`` counts
    it once for each head beyond the first: every head then has it at full width.
    """

    component: str = ""
    one: bool = False
    times: int = 1
    conventions: tuple[str, ...] = TRAINABLE
    heads: bool = False


class Account(NamedTuple):
    """A sum of parts, of a model that has other ``sizes`` or ``plain`` layers.

    ``length`` is how much there is to say: accounts are ranked by it. ``sizes`` are fields
    and values; ``plain`` puts in place of the model's layers those of the usual estimate,
    BERT's at four times the hidden size (Kaplan et al. 2020, arXiv:2001.08361, table 1).
    """

    parts: tuple[Part, ...]
    length: int
    sizes: Sizes = ()
    plain: bool = False


def spec_of(account: Account, spec: Spec) -> Spec:
    """The spec that ``account``, given of ``spec``, is about."""
    return plain(spec) if account.plain else with_sizes(spec, account.sizes)


def with_sizes(spec: Any, sizes: Sizes) -> Spec:
    """``spec`` with other values in some of its fields."""
    changed: Spec = replace(spec, **dict(sizes))
    return changed


def plain(spec: Any) -> EncoderSpec:
    """BERT's layers at the sizes of ``spec``, a family's of one stack, at F = 4H; its tokens."""
    return EncoderSpec(
        vocab_size=spec.vocab_size,
        hidden_size=spec.hidden_size,
        num_hidden_layers=spec.num_hidden_layers,
        num_attention_heads=spec.num_attention_heads,
        intermediate_size=4 * spec.hidden_size,
        max_position_embeddings=1,
        type_vocab_size=1,
    )


def recount(account: Account, spec: Spec) -> tuple[int, frozenset[tuple[str, int]]]:
    """The number that ``account`` comes to, and how often it counts which tensor.

    Two accounts of a model that count the same tensors are the same account.
    """
    spec = spec_of(account, spec)
    tensors = _expanded(spec)
    times: Counter[str] = Counter()
    sizes: dict[str, int] = {}
    for part in account.parts:
        weight = part.times * (spec.num_attention_heads - 1 if part.heads else 1)
        for tensor in counted(tensors, *part.conventions):
            if _counts(part, tensor):
                times[tensor.path] += weight
                sizes[tensor.path] = tensor.size
    number = sum(count * sizes[path] for path, count in times.items())
    return number, frozenset((path, count) for path, count in times.items() if count)


@lru_cache(maxsize=64)
def _expanded(spec: Spec) -> Inventory:
    return inventory(spec.letters()).expand()


def _counts(part: Part, tensor: Tensor) -> bool:
    """Whether ``part`` counts ``tensor``, whose layer is a number; the one layer is the first."""
    if part.one:
        return lies_in(tensor.path, at_layer(part.component, 0))
    return lies_in(starred(tensor.path), part.component)
