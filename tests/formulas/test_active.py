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


FROZEN = (("first", "frozen"), ("second", "trainable"))


def routed(*tensors, **changes):
    return replace(ROUTED, tensors=tensors, **changes)


def total(inventory):
    return expression(size(ACTIVE_CONVENTIONS["embedding-and-head"](inventory)))


def test_experts_one_by_one():
    """Half of three layers' experts are active; the router and all dense tensors fully."""
    formula = total(active(ROUTED))
    assert formula == MIXTURE.formula - (L - D) * E * F * H + (L - D) * t * F * H
    assert formula.evaluate(ROUTED.sizes) == NUMBER - 3 * 2 * 16 * 8


def test_all_experts_for_each_token():
    every = replace(ROUTED, sizes={**ROUTED.sizes, "t": 4})
    assert total(active(every)).evaluate(every.sizes) == NUMBER


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
    ],
)
def test_packed_experts(shapes):
    """The first shape is that of all experts, and the last that of the active ones."""
    named = (tensor(path, *every, times=L) for path, (every, *_) in shapes.items())
    found = [*active(routed(*named))]
    assert [one.shape for one in found] == [own[-1] for own in shapes.values()]
    assert {one.repeat for one in found} == {L}


def test_a_router_in_a_list_of_modules():
    """One row per expert, in a list of modules."""
    (found,) = active(routed(tensor("mlp.router.*.weight", H, times=E)))
    assert found.repeat == E


def test_a_tensor_that_may_be_expert_or_router_is_refused():
    beside = tensor("mlp.w", E, F, H), tensor("mlp.scale", E, F)
    with pytest.raises(Undecided, match=r"mlp\.scale may belong .* router: its name does not say$"):
        active(routed(*beside))
    named = tensor("mlp.w", E, F, H), tensor("mlp.gate", E, F), tensor("mlp.w_bias", E, F)
    assert [one.shape for one in active(routed(*named))] == [(t, F, H), (E, F), (t, F)]


def test_a_length_not_proportional_to_the_experts_is_refused():
    with pytest.raises(
        Undecided,
        match=r"mlp\.w has H·F·\(E \+ 1\) elements, which is not the same number for each expert$",
    ):
        active(routed(tensor("mlp.w", E + 1, F, H)))


def test_a_model_without_experts():
    dense = routed(tensor("a.weight", F, H), tensor("mlp.shared_experts.weight", F, H))
    assert per_token(dense) == {}
    assert active(dense) == dense.inventory()


def test_the_tensors_of_experts():
    assert experts_of(ROUTED) == {"model.layers.*.mlp.experts.*.weight": "E"}
    packed = routed(tensor("mlp.w", E, F, H), tensor("mlp.gate", E, F), tensor("mlp.w_bias", E, F))
    assert experts_of(packed) == {"mlp.w": "E", "mlp.w_bias": "E"}
    assert experts_of(routed(tensor("a.weight", F, H))) == {}
    undecided = routed(tensor("mlp.w", E, F, H), tensor("mlp.x", E, F))
    with pytest.raises(Undecided, match=r"mlp\.x may belong to the experts or to their router"):
        experts_of(undecided)


def test_a_field_is_a_number_of_experts():
    """Even if no tensor depends on it, and whatever part of the configuration has it."""
    assert has_experts(ROUTED)
    assert has_experts(replace(routed(tensor("a.weight", F, H)), fields={"E": "text.num_experts"}))
    assert not has_experts(replace(ROUTED, fields={"H": "hidden_size"}))


def test_buffers_are_not_experts():
    """A buffer that counts tokens per expert belongs to no expert."""
    counts = tensor("mlp.experts.counts", E, role="buffer")
    assert per_token(routed(tensor("a.weight", F, H), counts)) == {}


def test_an_unknown_number_of_experts_is_refused():
    """If the number of experts did not vary, no shape contains its letter."""
    unnamed = routed(tensor("mlp.experts.w", 4, F, H), fields={**ROUTED.fields, "E": "networks"})
    with pytest.raises(ValueError, match=r"mlp\.experts\.w belongs to experts, but no letter is"):
        active(unnamed)
    fixed = routed(tensor("mlp.linear.weight", 4, F, H), fixed=("A", "E"))
    with pytest.raises(ValueError, match=r"holds only for num_experts=4, and does not say which"):
        active(fixed)


@pytest.mark.parametrize(
    ("sizes", "fields", "words"),
    [
        (
            {},
            {"t": "top"},
            "num_experts=4, but no field, such as num_experts_per_tok, is the number of",
        ),
        (
            {"u": 1},
            {"u": "moe_topk[1]"},
            r"num_experts=4, but num_experts_per_tok, moe_topk\[1\] are all numbers of experts per",
        ),
        ({"u": 2}, {"t": "text.top_k", "u": "top"}, "num_experts=4, but no field, such as"),
        ({"t": 5}, {}, "num_experts_per_tok=5 is more than num_experts=4"),
        (
            {"z": 3},
            {"z": "zero_expert_num"},
            r"no single number: .* experts that have no parameters \(zero_expert_num\)",
        ),
    ],
)
def test_several_possible_answers_are_refused(sizes, fields, words):
    one = replace(ROUTED, sizes={**ROUTED.sizes, **sizes}, fields={**ROUTED.fields, **fields})
    with pytest.raises(ValueError, match=f"^active parameters.*{words}"):
        active(one)


def test_a_table_that_selects_experts():
    hashed = with_tensors(
        *ROUTED.tensors,
        tensor("mlp.gate.tid2eid", V, 2, role="buffer"),
        sizes=ROUTED.sizes,
        fields=ROUTED.fields,
    )
    with pytest.raises(ValueError, match=r"by a table of token ids \(mlp\.gate\.tid2eid\)"):
        active(hashed)


def test_experts_of_several_kinds():
    """Experts of several kinds in one part of a configuration are refused; towers may differ."""
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


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ("num_experts_per_tok", True),
        ("text_config.num_experts_per_token", True),
        ("moe_topk[3]", True),
        ("top_k_experts", True),
        ("moe_k", True),
        ("ffn_config.moe_top_k", True),
        ("num_experts", False),
        ("topk_group", False),
        ("index_topk", False),
        ("num_shared_experts", False),
    ],
)
def test_fields_of_experts_per_token(field, says):
    assert says_per_token(field) == says


@pytest.mark.parametrize("field", ["n_shared_experts", "num_experts_per_tok", "moe_intermediate"])
def test_fields_other_than_the_number_of_experts(field):
    other = routed(tensor("a.weight", E, H), fields={**ROUTED.fields, "E": field})
    assert per_token(other) == {}


def test_conventions_of_a_tied_head():
    """The only table is also the head's: without embeddings it is still active."""
    tied = with_tensors(
        tensor("model.embed_tokens.weight", V, H, aliases=("lm_head.weight",)),
        tensor("model.layers.*.weight", H, H, times=L),
    )
    untied = with_tensors(
        tensor("model.embed_tokens.weight", V, H),
        tensor("model.layers.*.weight", H, H, times=L),
        tensor("lm_head.weight", V, H),
    )
    inside = L * H * H
    found = [
        [size(convention(one.inventory())) for convention in ACTIVE_CONVENTIONS.values()]
        for one in (tied, untied)
    ]
    assert found == [
        [V * H + inside, V * H + inside, inside],
        [2 * V * H + inside, V * H + inside, inside],
    ]


def test_conventions_of_families():
    """An absent tensor, such as BERT's head here, ties nothing; frozen tensors never count."""
    bert, gpt2 = (inventory(named_model(name).spec.letters()) for name in ("bert-base", "gpt2"))
    tables = (30522 + 512 + 2) * 768
    assert size(with_head(bert)) == size(with_neither(bert)) == 109_482_240 - tables
    assert size(with_head(gpt2)) == 124_439_808 - 1024 * 768
    assert size(with_neither(gpt2)) == 124_439_808 - (1024 + 50257) * 768
    layers = [tensor(f"layers.*.{name}.weight", H, times=L, role=role) for name, role in FROZEN]
    frozen = with_tensors(*layers)
    assert {size(one(frozen.inventory())) for one in ACTIVE_CONVENTIONS.values()} == {L * H}
