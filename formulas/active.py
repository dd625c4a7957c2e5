"""Total and active: what a model with experts has, and what of it one token passes.

A router sends each token to k of E experts, so that of what the experts have a token passes k / E.
All else is active: shared experts, routers, dense layers. Which tensors are the experts' their
shapes in letters say: those in whose shape or number the letter of the experts is. A router
has that letter too, a row for each expert, and is told apart as ``_is_of_experts`` says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from paramproof.formulas.conventions import (
    Convention,
    Undecided,
    belongs,
    kept,
    trainable,
    without_embeddings,
    without_heads,
)
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.path import leaf, parent
from paramproof.formulas.printing import legible
from paramproof.formulas.tensors import Inventory, Tensor

EXPERTS = re.compile(r"(moe_)?(num_|n_)?(local_|routed_|moe_)?experts")
"""Fields that say how many experts there are, of which a router chooses."""

PER_TOKEN = re.compile(
    r"(moe_|router_)?(num_|n_)?((active|activated|selected)_)?experts_per_tok(en)?"
    r"|(num_|n_)(active|activated|selected)_experts|(moe_)?top_?k(_experts)?|moe_k"
)
"""Fields that say how many of them one token passes."""

NO_SINGLE_ANSWER = (
    (re.compile(r"zero_expert_num"), "a token may be sent to experts that have no parameters"),
    (re.compile(r"tid2eid|num_hash_layers"), "layers choose experts by a table of token ids"),
)
"""Fields and buffers of models in which the number differs from token to token, and why."""

ROUTERS = frozenset({"router", "gate", "gates"})
EXPERTS_LEVEL = "experts"


def part_of(field: str) -> str:
    """Return the part of a configuration that a field is in, "" for the configuration itself."""
    return parent(field)


def says_per_token(field: str) -> bool:
    """Return whether a field says how many experts a token passes, by its name."""
    return PER_TOKEN.fullmatch(_own(field)) is not None


def has_experts(derivation: Derivation) -> bool:
    """Return whether a configuration has a number of experts, whatever depends on it."""
    return any(EXPERTS.fullmatch(_own(field)) for field in derivation.fields.values())


def per_token(derivation: Derivation) -> dict[str, str]:
    """Return by the letter of a number of experts that of experts per token; {} without experts.

    Raises ``ValueError``, in one line, where a token's number of experts has no single answer.
    """
    parameters = [tensor for tensor in derivation.tensors if tensor.role != "buffer"]
    moving = frozenset[str]().union(
        *(length.letters for one in parameters for length in (*one.shape, one.times))
    )
    fields = derivation.fields
    numbers = [name for name in derivation.sizes if EXPERTS.fullmatch(_own(fields[name]))]
    experts = [name for name in numbers if name in moving]
    for name in numbers:
        if name in derivation.fixed:
            raise ValueError(
                f"active parameters: the formula is of {legible(fields[name])}="
                f"{derivation.sizes[name]} alone, and does not say which tensors are of experts"
            )
    if not experts:
        if unknown := [one for one in parameters if EXPERTS_LEVEL in one.path.split(".")]:
            raise ValueError(
                f"active parameters: {legible(unknown[0].path)} is of experts, and no letter says "
                "how many there are"
            )
        return {}
    for name in (*fields.values(), *derivation.buffers):
        for sign, why in NO_SINGLE_ANSWER:
            if sign.fullmatch(_own(name)):
                raise ValueError(
                    f"active parameters have no single number: {why} ({legible(name)})"
                )
    found = {name: _chosen(derivation, name) for name in experts}
    parts = [part_of(fields[name]) for name in experts]
    if len(set(parts)) < len(parts):
        several = ", ".join(legible(fields[name]) for name in experts)
        raise ValueError(f"active parameters have no single number: experts of kinds, {several}")
    return found


def active(derivation: Derivation) -> Inventory:
    """Return in letters what one token passes: k experts in place of E.

    Raises ``ValueError``, in one line, as ``per_token`` does, and where a tensor's name and shape
    leave open whether it is the experts'.
    """
    named = derivation.inventory()
    for experts, chosen in per_token(derivation).items():
        named = _routed(named, experts, chosen)
    return named


def with_both(inventory: Inventory) -> Inventory:
    """All that is trained: embeddings and the head, once where they are tied."""
    return trainable(inventory)


def with_head(inventory: Inventory) -> Inventory:
    """The head, and no embeddings; a table that is the head's too is counted."""
    tied = [tensor for tensor in inventory if tensor.tied_to and tensor.present]
    heads = {tensor.tied_to for tensor in tied if belongs("head", tensor)}
    return kept(
        trainable(inventory),
        lambda tensor: tensor.path in heads or not belongs("table", tensor),
    )


def with_neither(inventory: Inventory) -> Inventory:
    """Neither embeddings nor heads, as in "non-embedding parameters"."""
    return without_heads(without_embeddings(trainable(inventory)))


ACTIVE_CONVENTIONS: Mapping[str, Convention] = {
    "embedding-and-head": with_both,
    "head-only": with_head,
    "neither": with_neither,
}
"""What is meant by active, and by total beside it; tied tables are counted once.

The first is all that ``count`` counts. A token looks one row of the embedding up, so some leave it
out, and count the head, of which it passes all: the model card of gpt-oss (arXiv:2508.10925, table
1). "Non-embedding" leaves out both: Kaplan et al. 2020, arXiv:2001.08361, section 2.1, and the
model cards of Qwen3.
"""


def _own(field: str) -> str:
    """The last name of a field, without its place in a list."""
    return leaf(field.partition("[")[0])


def _chosen(derivation: Derivation, experts: str) -> str:
    """Return the letter of experts per token, which stands where that of the experts does."""
    fields, sizes = derivation.fields, derivation.sizes
    part, field = part_of(fields[experts]), legible(fields[experts])
    found = [
        name for name, other in fields.items() if part_of(other) == part and says_per_token(other)
    ]
    if len(found) != 1:
        several = ", ".join(legible(fields[name]) for name in found)
        said = f"{several} say" if found else "nothing says"
        raise ValueError(
            f"active parameters: of {field}={sizes[experts]}, {said} how many a token passes"
        )
    (chosen,) = found
    if sizes[chosen] > sizes[experts]:
        raise ValueError(
            f"active parameters: {legible(fields[chosen])}={sizes[chosen]} is more than "
            f"{field}={sizes[experts]}"
        )
    return chosen


def _routed(named: Inventory, experts: str, chosen: str) -> Inventory:
    """Return ``named`` with ``chosen`` in place of ``experts`` in what is the experts'."""
    stacked = {parent(tensor.path) for tensor in named if _is_stack(tensor, experts)}

    def of_token(tensor: Tensor) -> Tensor:
        if not _is_of_experts(tensor, experts, stacked):
            return tensor
        swap = {experts: letter(chosen)}
        whole = expression(tensor.repeat) * tensor.size
        if whole != letter(experts) * whole.substitute({experts: 1}):
            raise Undecided(
                f"active parameters: {legible(tensor.path)} has {whole}, which is no number for "
                "each expert"
            )
        lengths = [length.substitute(swap) for length in _lengths(tensor)]
        return replace(tensor, shape=tuple(lengths[:-1]), repeat=lengths[-1])

    return replace(named, tensors=tuple(map(of_token, named)))


def _is_of_experts(tensor: Tensor, experts: str, stacked: set[str]) -> bool:
    """Return whether what a tensor has of the experts' letter is experts, and no router.

    An expert's matrices are as many as there are experts (a list of modules), or packed in one
    tensor. What has but a row or an entry for each expert is a router's; in a module of packed
    experts, if it is called so, a bias of theirs.
    """
    if not any(experts in length.letters for length in _lengths(tensor)):
        return False
    if _is_stack(tensor, experts):
        return True
    if _is_router(tensor) or parent(tensor.path) not in stacked:
        return False
    if leaf(tensor.path).endswith("bias"):
        return True
    raise Undecided(
        f"active parameters: {legible(tensor.path)} may be of the experts or of their router: its "
        "name does not say"
    )


def _is_stack(tensor: Tensor, experts: str) -> bool:
    """Return whether a tensor is of a list of experts, or of matrices packed in one."""
    *shape, repeat = _lengths(tensor)
    if _is_router(tensor):
        return False
    shaped = [length for length in shape if experts in length.letters]
    packed = bool(shaped) and (len(shape) > 2 or shaped != [letter(experts)])
    return experts in repeat.letters or packed


def _is_router(tensor: Tensor) -> bool:
    names = tensor.path.split(".")
    return EXPERTS_LEVEL not in names[:-1] and not ROUTERS.isdisjoint(names)


def _lengths(tensor: Tensor) -> list[Expression]:
    return [expression(length) for length in (*tensor.shape, tensor.repeat)]
