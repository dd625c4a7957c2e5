"""Active parameters per token of a mixture-of-experts model, in letters."""

from dataclasses import replace

import pytest

from paramproof.formulas.active import (
    ACTIVE_CONVENTIONS,
    active,
    experts_of,
    has_experts,
    per_token,
    says_per_token,
    with_head,
    with_neither,
)
from paramproof.formulas.conventions import Undecided, size
from paramproof.formulas.expression import expression, letter
from paramproof.formulas.families import inventory
from paramproof.formulas.models import named_model
from tests.derivations import MIXTURE, NUMBER, D, E, F, H, L, V, tensor, with_tensors

t = letter("t")
ROUTED = replace(
    MIXTURE,
    sizes={**MIXTURE.sizes, "t": 2},
    fields={**MIXTURE.fields, "E": "num_experts", "t": "num_experts_per_tok"},
)
"""The mixture with two of four experts active per token."""


def routed(*tensors, **changes):
    return replace(ROUTED, tensors=tensors, **changes)


def total(inventory):
    return expression(size(ACTIVE_CONVENTIONS["embedding-and-head"](inventory)))


def test_experts_one_by_one():
    """Half of three layers' experts are active; the router and all dense tensors fully."""
    formula = total(active(ROUTED))
    assert formula == MIXTURE.formula - (L - D) * E * F * H + (L - D) * t * F * H
    assert formula.evaluate(ROUTED.sizes) == NUMBER - 3 * 2 * 16 * 8


@pytest.mark.parametrize(
    "shapes",
    [
        # One tensor holds all experts, with biases; the router's bias has the same shape.
        {
            "mlp.experts.gate_up": [(E, 2 * F, H), (t, 2 * F, H)],
            "mlp.experts.gate_up_bias": [(E, 2 * F), (t, 2 * F)],
            "mlp.experts.w1": [(E * F, H), (t * F, H)],
            "mlp.router.weight": [(E, H)],
            "mlp.router.bias": [(E,)],
            "mlp.shared_experts.weight": [(F, H)],
        },
        # Experts are tensors of the packed experts' module; a router outside it is not one.
        {
            "attention.experts.input.weight": [(E, F, H), (t, F, H)],
            "attention.experts.router.layer.weight": [(E, H)],
            "attention.experts.bias": [(H,)],
            "attention.experts.input.bias": [(H,)],
        },
        # A gate below the experts belongs to their own feed-forward network.
        {"mlp.experts.gate": [(E, F, H), (t, F, H)], "mlp.gate.weight": [(E, H)]},
        # Beside packed experts, a bias belongs to them, and a gate to the router.
        {"mlp.w": [(E, F, H), (t, F, H)], "mlp.gate": [(E, F)], "mlp.w_bias": [(E, F), (t, F)]},
        {"a.weight": [(F, H)], "mlp.shared_experts.weight": [(F, H)]},
    ],
)
def test_packed_experts(shapes):
    """The first shape is that of all experts, and the last that of the active ones."""
    model = routed(*(tensor(path, *own[0], times=L) for path, own in shapes.items()))
    found = [*active(model)]
    assert [one.shape for one in found] == [own[-1] for own in shapes.values()]
    assert {one.repeat for one in found} == {L}
    of_experts = [path for path, own in shapes.items() if len(own) > 1]
    assert experts_of(model) == dict.fromkeys(of_experts, "E")
    assert per_token(model) == ({"E": "t"} if of_experts else {})


def test_experts_and_routers_in_lists_of_modules():
    assert experts_of(ROUTED) == {"model.layers.*.mlp.experts.*.weight": "E"}
    (found,) = active(routed(tensor("mlp.router.*.weight", H, times=E)))
    assert found.repeat == E


def at(sizes, fields):
    return replace(ROUTED, sizes={**ROUTED.sizes, **sizes}, fields={**ROUTED.fields, **fields})


UNNAMED = tensor("mlp.experts.w", 4, F, H), tensor("mlp.linear.weight", 4, F, H)


OPEN = {
    "expert or router": routed(tensor("mlp.w", E, F, H), tensor("mlp.scale", E, F)),
    "not the same for each": routed(tensor("mlp.w", E + 1, F, H)),
    # If the number of experts did not vary, no shape contains its letter.
    "no number": routed(UNNAMED[0], fields={**ROUTED.fields, "E": "networks"}),
    "a fixed number": routed(UNNAMED[1], fixed=("A", "E")),
    "a table": routed(*ROUTED.tensors, tensor("mlp.gate.tid2eid", V, 2, role="buffer")),
    "no field": at({}, {"t": "top"}),
    "several fields": at({"u": 1}, {"u": "moe_topk[1]"}),
    "no field of the same part": at({"u": 2}, {"t": "text.top_k", "u": "top"}),
    "more than there are": at({"t": 5}, {}),
    "experts without parameters": at({"z": 3}, {"z": "zero_expert_num"}),
}


def test_what_leaves_the_experts_open_is_refused(snapshot):
    said = {}
    for name, model in OPEN.items():
        with pytest.raises(ValueError, match=r"^active parameters") as refusal:
            active(model)
        said[name] = f"{refusal.type.__name__}: {refusal.value}"
    assert said == snapshot
    with pytest.raises(Undecided, match="its name does not say"):
        experts_of(OPEN["expert or router"])


def test_a_field_is_a_number_of_experts():
    """Even if no tensor depends on it, and whatever part of the configuration has it."""
    assert has_experts(ROUTED.fields.values())
    assert has_experts(["text.num_experts"])
    assert not has_experts(["hidden_size"])


def test_buffers_are_not_experts():
    counts = tensor("mlp.experts.counts", E, role="buffer")
    assert per_token(routed(tensor("a.weight", F, H), counts)) == {}


def test_experts_of_several_kinds():
    e = letter("e")
    tensors = tensor("a.experts.w", E, F, H), tensor("b.experts.w", e, F, H)
    sizes = {**ROUTED.sizes, "e": 8, "u": 3}
    same = {**ROUTED.fields, "E": "moe_num_experts[0]", "e": "moe_num_experts[1]", "u": "u"}
    with pytest.raises(
        ValueError, match=r"several numbers of experts, moe_num_experts\[0\], moe_num_experts\[1\]"
    ):
        active(routed(*tensors, sizes=sizes, fields=same))
    parts = {"E": "a.n_routed_experts", "t": "a.top_k", "e": "b.num_experts", "u": "b.moe_top_k"}
    towers = routed(*tensors, sizes=sizes, fields={**ROUTED.fields, **parts})
    assert per_token(towers) == {"E": "t", "e": "u"}
    assert total(active(towers)) == (t + letter("u")) * F * H


PER_TOKEN = """num_experts_per_tok text_config.num_experts_per_token moe_topk[3] top_k_experts moe_k
ffn_config.moe_top_k"""
OTHERS = (
    """num_experts topk_group index_topk num_shared_experts n_shared_experts moe_intermediate"""
)


def test_fields_by_their_names():
    assert all(map(says_per_token, PER_TOKEN.split()))
    assert not any(map(says_per_token, OTHERS.split()))
    for field in (*OTHERS.split()[1:], "num_experts_per_tok"):
        other = routed(tensor("a.weight", E, H), fields={**ROUTED.fields, "E": field})
        assert per_token(other) == {}


def test_conventions_of_a_tied_head():
    """The only table is also the head's: without embeddings it is still active."""
    inside = tensor("model.layers.*.weight", H, H, times=L)
    table, head = "model.embed_tokens.weight", "lm_head.weight"
    tied = with_tensors(tensor(table, V, H, aliases=(head,)), inside)
    untied = with_tensors(tensor(table, V, H), inside, tensor(head, V, H))
    for one, tables in ((tied, (1, 1, 0)), (untied, (2, 1, 0))):
        found = [size(convention(one.inventory())) for convention in ACTIVE_CONVENTIONS.values()]
        assert found == [number * V * H + L * H * H for number in tables]


ROLES = ("frozen", "trainable")


def test_conventions_of_families():
    """An absent tensor, such as BERT's head here, ties nothing; frozen tensors never count."""
    bert, gpt2 = (inventory(named_model(name).spec.letters()) for name in ("bert-base", "gpt2"))
    tables = (30522 + 512 + 2) * 768
    assert size(with_head(bert)) == size(with_neither(bert)) == 109_482_240 - tables
    assert size(with_head(gpt2)) == 124_439_808 - 1024 * 768
    assert size(with_neither(gpt2)) == 124_439_808 - (1024 + 50257) * 768
    layers = [tensor(f"layers.*.{one}.weight", H, times=L, role=one) for one in ROLES]
    frozen = with_tensors(*layers)
    assert {size(one(frozen.inventory())) for one in ACTIVE_CONVENTIONS.values()} == {L * H}
