"""Active parameters per token of a mixture of experts, beside the total.

A router sends each token to k of E experts, so k / E of the experts' parameters are active. All
other parameters are active too: shared experts, routers, dense layers. A tensor belongs to the
experts if the letter E occurs in its symbolic shape or in its number. The same letter occurs in a
router, which has a row for each expert: ``_is_of_experts`` distinguishes the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import PARTS, Convention, Undecided, belongs, kept, trainable
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.path import leaf, parent
from paramproof.formulas.printing import legible
from paramproof.formulas.tensors import Inventory, Tensor

EXPERTS = r"(moe_)?(num_|n_)?(local_|routed_|moe_)?experts"
"""Fields for the number of experts that a router chooses from."""

PER_TOKEN = (
    r"(moe_|router_)?(num_|n_)?((active|activated|selected)_)?experts_per_tok(en)?"
    r"|(num_|n_)(active|activated|selected)_experts|(moe_)?top_?k(_experts)?|moe_k"
)
"""Fields for the number of experts per token."""

NO_SINGLE_ANSWER = {
    r"zero_expert_num": "a token may be sent to experts that have no parameters",
    r"tid2eid|num_hash_layers": "layers choose experts by a table of token ids",
}
"""Fields and buffers of models whose active parameters differ from token to token, and why."""

ROUTERS = frozenset({"router", "gate", "gates"})
EXPERTS_LEVEL = "experts"


def says_per_token(field: str) -> bool:
    return _is(PER_TOKEN, field)


def has_experts(fields: Iterable[str]) -> bool:
    """Return whether one of these fields is the number of experts."""
    return any(_is(EXPERTS, field) for field in fields)


def per_token(architecture: Architecture) -> dict[str, str]:
    """Map the letter for the number of experts to that for experts per token, if there are any."""
    parameters = [*architecture.inventory()]
    moving = {name for one in parameters for length in _lengths(one) for name in length.letters}
    fields, sizes = architecture.fields, architecture.sizes
    numbers = [name for name, field in fields.items() if _is(EXPERTS, field)]
    experts = [name for name in numbers if name in moving]
    for name in numbers:
        if name in architecture.fixed:
            given = f"{legible(fields[name])}={sizes[name]}"
            which = "does not say which tensors belong to experts"
            raise ValueError(f"active parameters: the formula holds only for {given}, and {which}")
    if not experts:
        for one in parameters:
            if EXPERTS_LEVEL in one.path.split("."):
                no = "belongs to experts, but no letter is their number"
                raise ValueError(f"active parameters: {legible(one.path)} {no}")
        return {}
    many = "active parameters have no single number"
    for name in (*fields.values(), *architecture.buffers):
        for names, why in NO_SINGLE_ANSWER.items():
            if _is(names, name):
                raise ValueError(f"{many}: {why} ({legible(name)})")
    found = {name: _chosen(architecture, name) for name in experts}
    if len({parent(fields[name]) for name in experts}) < len(experts):
        several = ", ".join(legible(fields[name]) for name in experts)
        raise ValueError(f"{many}: several numbers of experts, {several}")
    return found


def active(architecture: Architecture) -> Inventory:
    """Return the symbolic inventory of the active parameters: k experts in place of E."""
    named, chosen = architecture.inventory(), per_token(architecture)
    tensors = (
        _routed(tensor, experts, chosen[experts]) if experts else tensor
        for tensor, experts in _owners(named, chosen)
    )
    return replace(named, tensors=tuple(tensors))


def experts_of(architecture: Architecture) -> dict[str, str]:
    """Map the path of each tensor of experts to the letter for their number. Raises as above."""
    owners = _owners(architecture.inventory(), per_token(architecture))
    return {tensor.path: experts for tensor, experts in owners if experts}


def with_both(inventory: Inventory) -> Inventory:
    """All that `count` counts: with embeddings and the head, once if they are tied."""
    return trainable(inventory)


def with_head(inventory: Inventory) -> Inventory:
    """All but the embeddings: with the head, and with a table that is tied to it."""
    tied = [tensor for tensor in inventory if tensor.tied_to and tensor.present]
    heads = {tensor.tied_to for tensor in tied if belongs("head", tensor)}
    return kept(trainable(inventory), lambda one: one.path in heads or not belongs("table", one))


def with_neither(inventory: Inventory) -> Inventory:
    """Neither embeddings nor heads, as in "non-embedding parameters"."""
    return PARTS["without-heads"](PARTS["without-embeddings"](trainable(inventory)))


ACTIVE_CONVENTIONS: Mapping[str, Convention] = {
    "embedding-and-head": with_both,
    "head-only": with_head,
    "neither": with_neither,
}
"""The meanings of "active" and of the total that goes with it; tied tables are counted once.

The first counts the same tensors as ``count``. A token looks up one row of the embedding, but
multiplies with the whole head, so some leave out the embedding only: the model card of gpt-oss
(arXiv:2508.10925, table 1). "Non-embedding" leaves out both: Kaplan et al. 2020, arXiv:2001.08361,
section 2.1, and the model cards of Qwen3.
"""


def _is(names: str, field: str) -> bool:
    return re.fullmatch(names, leaf(field.partition("[")[0])) is not None


def _chosen(architecture: Architecture, experts: str) -> str:
    fields, sizes = architecture.fields, architecture.sizes
    part, field = parent(fields[experts]), legible(fields[experts])
    same = (name for name, other in fields.items() if parent(other) == part)
    found = [name for name in same if says_per_token(fields[name])]
    if len(found) != 1:
        several = ", ".join(legible(fields[name]) for name in found) + " are all numbers"
        what = several if found else "no field, such as num_experts_per_tok, is the number"
        given = f"{field}={sizes[experts]}"
        raise ValueError(f"active parameters: {given}, but {what} of experts per token")
    (chosen,) = found
    if sizes[chosen] > sizes[experts]:
        more = f"{legible(fields[chosen])}={sizes[chosen]} is more than {field}={sizes[experts]}"
        raise ValueError(f"active parameters: {more}")
    return chosen


def _routed(tensor: Tensor, experts: str, chosen: str) -> Tensor:
    whole = expression(tensor.repeat) * tensor.size
    if whole != letter(experts) * whole.substitute({experts: 1}):
        no = f"has {whole} elements, which is not the same number for each expert"
        raise Undecided(f"active parameters: {legible(tensor.path)} {no}")
    *shape, repeat = (length.substitute({experts: letter(chosen)}) for length in _lengths(tensor))
    return replace(tensor, shape=tuple(shape), repeat=repeat)


def _owners(named: Inventory, numbers: Iterable[str]) -> Iterator[tuple[Tensor, str]]:
    """Yield each tensor with the letter for the number of its experts, "" if it is of none."""
    # The modules that pack the matrices of experts in one tensor.
    packing = {e: {parent(one.path) for one in named if _is_stack(one, e)} for e in numbers}
    for tensor in named:
        mine = (e for e, modules in packing.items() if _is_of_experts(tensor, e, modules))
        yield tensor, next(mine, "")


def _is_of_experts(tensor: Tensor, experts: str, stacked: set[str]) -> bool:
    """Return whether a tensor belongs to the experts, and not to their router.

    The experts' matrices are separate tensors (a list of modules) or packed in one. A tensor with
    one row or entry for each expert belongs to the router, except for a bias in a module of packed
    experts. Raises ``Undecided`` if the name of such a tensor does not say that it is a bias.
    """
    if not any(experts in length.letters for length in _lengths(tensor)):
        return False
    if _is_stack(tensor, experts):
        return True
    if _is_router(tensor) or parent(tensor.path) not in stacked:
        return False
    if leaf(tensor.path).endswith("bias"):
        return True
    may = "may belong to the experts or to their router: its name does not say"
    raise Undecided(f"active parameters: {legible(tensor.path)} {may}")


def _is_stack(tensor: Tensor, experts: str) -> bool:
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
