"""Proofs on lists of weights: what is derived, what refutes a formula, and what no proof sees."""

from dataclasses import replace
from functools import partial

import pytest

from paramproof.algebra.residual import lines
from paramproof.algebra.symbols import folded
from paramproof.builders.registry import Framework
from paramproof.formulas import FAMILIES, inventory
from paramproof.formulas.expression import text
from paramproof.formulas.models import named_model
from paramproof.verify.proof import proofs, read, residuals
from tests.cases import CASES, case_of
from tests.weight_lists import Lists, added, extra

NOBODYS = Framework("nobodys", "nobodys", ("numpy",))
ENCODER = case_of("encoder", "pooler")
TINY = named_model("bert-tiny").spec


def prove(builder, family="encoder", chosen=NOBODYS, **models):
    (proof,) = proofs(chosen, builder, (family,), models=models)
    return proof


@pytest.mark.parametrize("family", FAMILIES)
def test_equal(family):
    proof = prove(Lists(), family)
    assert (proof.status, proof.findings, proof.family) == ("equal", (), family)
    assert len(proof.parts) == len(CASES[family])
    assert proof.tensors
    assert proof.conditions == (
        ("G divides A", "2 divides K") if family == "llama" else ("A divides H",)
    )


def shape_of(weight_of):
    (own,) = (r for r in read(added(weight_of), ENCODER).tensors if r.path == "own")
    return ", ".join(text(folded(length)) for length in own.shape)


def test_shapes():
    assert shape_of(lambda s: extra("own", 3 * s.hidden_size, s.head_size)) == "3·H, K"
    assert shape_of(lambda s: extra("own", s.hidden_size + 2 * s.head_size)) == "H + 2·K"
    assert shape_of(lambda s: extra("own", 7)) == "7"
    assert shape_of(lambda s: extra("own", s.num_hidden_layers, s.hidden_size)) == "L, H"
    assert shape_of(lambda s: extra("own", -(-s.vocab_size // 64) * 64)) == "64·⌈V/64⌉"
    assert shape_of(lambda s: extra("own", s.intermediate_size // 2)) == "⌊F/2⌋"


def each(change):
    """Return a builder that replaces each weight by ``change(weight, spec)``, or drops it."""
    return Lists(lambda weights, spec: [w for one in weights if (w := change(one, spec))])


def drop(name):
    return each(lambda w, spec: None if w.path.endswith(name) else w)


def changed(name, **fields):
    return each(lambda w, spec: replace(w, **fields) if w.path.endswith(name) else w)


def lengthen(name, by):
    """Return a builder that makes the first axis of a table longer."""

    def change(weight, spec):
        first, *others = weight.shape
        longer = replace(weight, shape=(first + by, *others))
        return longer if weight.path.endswith(name) else weight

    return each(change)


def pad(weight, spec):
    """Round the vocabulary up to a multiple of 64."""
    rows = -(-spec.vocab_size // 64) * 64
    is_table = weight.path.endswith("word_embeddings.weight")
    return replace(weight, shape=(rows, spec.hidden_size)) if is_table else weight


def add_in(stack, layers, *lengths):
    """Return a builder with an unknown tensor, whose lengths are fields, in each layer."""

    def change(weights, spec):
        shape = [getattr(spec, name) for name in lengths]
        more = range(getattr(spec, layers))
        return [*weights, *(extra(f"{stack}.{n}.gain", *shape) for n in more)]

    return Lists(change)


in_layers = partial(add_in, "layers", "num_hidden_layers")


FAULTS = {
    ("encoder", "a bias"): (drop("feed_forward.intermediate.bias"), "−L·F"),
    ("encoder", "a bias in one layer"): (drop("layers.1.feed_forward.output.bias"), "−H"),
    ("encoder", "a frozen bias"): (changed("pooler.bias", trainable=False), "−H"),
    ("encoder", "two positions"): (lengthen("position_embeddings.weight", 2), "2·H"),
    ("encoder", "padding"): (each(pad), "−V·H + 64·H·⌈V/64⌉"),
    ("encoder-decoder", "a bias in one stack"): (drop("cross_attention.key.bias"), "−M·H"),
    ("encoder-decoder", "a norm"): (
        add_in("encoder.layers", "num_encoder_layers", "hidden_size"),
        "N·H",
    ),
    ("gpt", "a gate for each head"): (in_layers("num_attention_heads"), "L·A"),
    ("gpt", "a square"): (added(lambda s: extra("square", s.vocab_size, s.vocab_size)), "V²"),
    ("llama", "a head that is tied and should not be"): (drop("lm_head.weight"), "−V·H"),
    ("llama", "a bias of the keys"): (in_layers("num_key_value_heads", "head_dim"), "L·G·K"),
}


@pytest.mark.parametrize("fault", FAULTS, ids=": ".join)
def test_a_fault_is_named_in_letters(fault):
    """For the case with all parts; a bare model has no fault in a part."""
    family, _ = fault
    builder, residual = FAULTS[fault]
    case = CASES[family][0]
    letters = case.letters
    line, *_ = lines(residuals(read(builder, case).tensors, letters), inventory(letters))
    assert line.startswith(f"actual − formula = {residual}   ")
    proof = prove(builder, family)
    assert proof.status == "different"
    assert any(f"{line}\n" in finding for finding in proof.findings)


def test_findings_name_the_tensors():
    """Two of the same size, which cancel in the total; and a transposed one."""

    def swapped(weights, spec):
        kept = [w for w in weights if w.path != "embeddings.layer_norm.bias"]
        return [*kept, extra("embeddings.offset", spec.hidden_size)]

    (finding,) = prove(Lists(swapped)).findings
    assert finding.splitlines()[1:] == [
        "actual − formula = 0",
        "  H   embeddings.offset",
        "  −H   embeddings.layer_norm.bias",
        "  unexpected: embeddings.offset",
        "  missing: embeddings.layer_norm.bias",
    ]
    name = "feed_forward.output.kernel"
    turned = each(lambda w, spec: replace(w, shape=w.shape[::-1]) if name in w.path else w)
    (term,) = residuals(read(turned, ENCODER).tensors, ENCODER.letters)
    assert (term.what, term.size) == ("wrong shape", 0)


def test_a_native_path_whose_layers_hold_other_tensors():
    builder = changed("layers.0.attention.key.bias", parts=("layers.0.attention.value.bias",))
    found = residuals(read(builder, ENCODER).tensors, ENCODER.letters)
    assert {residual.what for residual in found} == {"missing", "stored too often"}


OTHERS = {
    "holds only where V = 97: else nothing was derived": lambda spec: (
        extra("adapter", spec.hidden_size) if spec.vocab_size > 200 else None
    ),
    "encoder: at other sizes other tensors were made, and it was not found": lambda spec: (
        extra("own", 3) if int(spec.vocab_size) == 97 else None
    ),
    "encoder: not explained: own of (": lambda spec: extra("own", spec.vocab_size**3 + 1),
    "unexpected: position_ids": lambda spec: extra(
        "position_ids", spec.max_position_embeddings, trainable=False
    ),
}


@pytest.mark.parametrize("words", OTHERS)
def test_what_other_models_have(words):
    """The sizes that decide are held, unless models of other sizes are too rare."""
    proof = prove(added(OTHERS[words]))
    assert proof.status == "different"
    assert any(words in finding for finding in proof.findings)


def test_a_size_that_cannot_vary_is_a_number():
    fixed = replace(NOBODYS, fixed={"type_vocab_size": 2, "pooler": True})
    builder = Lists(refuses=lambda spec: spec.type_vocab_size != 2)
    proof = prove(builder, chosen=fixed)
    assert (proof.status, proof.known) == ("equal", {"T": 2})
    assert "H·(V + P + 4)" in proof.formula


def test_combinations_that_are_refused():
    """A part that never varies is a number in the formula."""
    proof = prove(Lists(refuses=lambda spec: spec.mlm_head or spec.nsp_head))
    assert (proof.status, proof.parts) == ("equal", ("pooler", "bare"))
    assert proof.formula.endswith("H·(V + P + T + 2) + pooler·(H² + H)")
    proof = prove(Lists(refuses=lambda spec: spec.family == "llama"), "llama")
    assert (proof.status, proof.failed, proof.reason) == ("not expressible", False, "refused")


def test_the_models_own_sizes_are_compared():
    """A tensor that exists at exactly these sizes, without a visible comparison."""

    def at_its_own(spec):
        own = int(spec.vocab_size) == TINY.vocab_size
        return extra("adapter", spec.hidden_size) if own else None

    (finding,) = prove(added(at_its_own), tiny=TINY).findings
    assert finding.startswith("pooler:\nspec = EncoderSpec(vocab_size=30522, ")
    assert "adapter is unexpected: (128)" in finding


def test_a_model_that_a_framework_does_not_support():
    refuses = Lists(refuses=lambda spec: spec == TINY)
    proof = prove(refuses, tiny=TINY)
    assert (proof.status, proof.reason) == ("not expressible", "refused")
    proof = prove(Lists(refuses=lambda spec: spec.pooler and spec != TINY), tiny=TINY)
    assert proof.reason == "its combination of parts cannot be expressed at other sizes"


@pytest.mark.parametrize("divisor", [1, 2], ids=["always", "at some sizes"])
def test_a_crash_of_the_builder_is_no_finding(divisor):
    def crash(weights, spec):
        if spec.vocab_size % divisor == 0:
            raise RuntimeError("broken")
        return weights

    with pytest.raises(RuntimeError, match=r"^broken$"):
        prove(Lists(crash))


def test_the_closed_form_is_compared_too(monkeypatch):
    own = FAMILIES["gpt"]
    wrong = replace(own, closed_form=lambda letters: own.closed_form(letters) + letters.V)
    monkeypatch.setattr("paramproof.verify.proof.closed_form", wrong.closed_form)
    (finding,) = prove(Lists(), "gpt").findings
    assert finding == "untied, bare:\nthe closed form is not the sum of the tensors"
