"""Proofs of models by name: their combination of parts, and their own sizes."""

from dataclasses import replace

import pytest

from paramproof.builders.registry import Framework
from paramproof.formulas.models import named_model
from paramproof.proof.prove import proofs
from tests.weight_lists import Lists, extra

NOBODYS = Framework("nobodys", "nobodys", ("numpy",))
NAMED = {name: named_model(name).spec for name in ("bert-tiny", "gpt2", "llama-3-8b")}


def prove(builder, **models):
    return {proof.model: proof for proof in proofs(NOBODYS, builder, models=models)}


@pytest.mark.parametrize("name", NAMED)
def test_only_the_models_combination_of_parts_is_proved(name):
    (proof,) = proofs(NOBODYS, Lists(), models={name: NAMED[name]})
    assert (proof.status, proof.residual, proof.findings) == ("proved", "0", ())
    assert (proof.model, proof.family) == (name, NAMED[name].family)
    assert len(proof.parts) == 1


def test_the_parts_of_a_named_model():
    tiny = NAMED["bert-tiny"]
    found = prove(Lists(), pooled=tiny, bare=replace(tiny, pooler=False))
    assert {name: proof.parts for name, proof in found.items()} == {
        "pooled": ("pooler",),
        "bare": ("bare",),
    }
    assert found["pooled"].recovered.endswith(" + H² + V·H + P·H + T·H + 3·H")
    assert found["bare"].recovered.endswith(" + H·(V + P + T + 2)")


def test_the_models_own_sizes_are_compared():
    """A tensor that exists at exactly these sizes, without a visible comparison."""

    def at_its_own(weights, spec):
        own = int(spec.vocab_size) == NAMED["gpt2"].vocab_size
        return [*weights, extra("adapter", spec.hidden_size)] if own else weights

    (proof,) = prove(Lists(at_its_own), gpt2=NAMED["gpt2"]).values()
    assert (proof.status, proof.residual) == ("different", "0")
    (finding,) = proof.findings
    assert "differs from the derivation at V = 50257, " in finding
    assert finding.endswith("1 tensors adapter of (768,), expected 0")


def test_a_model_that_a_framework_does_not_support():
    refuses = Lists(refuses=lambda spec: spec.vocab_size == NAMED["bert-tiny"].vocab_size)
    found = prove(refuses, **{name: NAMED[name] for name in ("bert-tiny", "gpt2")})
    assert found["bert-tiny"].status == "not expressible"
    assert found["bert-tiny"].reason == "refused"
    assert found["gpt2"].status == "proved"


def test_a_framework_that_supports_only_the_models_sizes():
    tiny = NAMED["bert-tiny"]
    (proof,) = prove(Lists(refuses=lambda spec: spec.pooler and spec != tiny), tiny=tiny).values()
    assert proof.status == "not expressible"
    assert proof.reason == "its combination of parts cannot be expressed at other sizes"
