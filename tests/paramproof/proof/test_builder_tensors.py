"""Tensors derived from builders: what is read, what is refused, what differs from the formula."""

from dataclasses import replace

import pytest
import sympy

from paramproof.algebra.residual import lines
from paramproof.algebra.symbols import folded
from paramproof.formulas import closed_form, inventory
from paramproof.formulas.notation import text
from paramproof.proof.builder_tensors import read
from paramproof.proof.cases import known_sizes, plain
from paramproof.proof.findings import residuals
from paramproof.proof.prove import total
from tests.cases import CASES, case_of
from tests.weight_lists import Lists, added, extra

ENCODER = case_of("encoder", "pooler")
EVERY = [case for cases in CASES.values() for case in cases]


def findings(builder, case=ENCODER):
    letters = case.symbols({})
    return lines(residuals(read(builder, case).tensors, letters), inventory(letters))


def shape_of(weight_of):
    (own,) = (r for r in read(added(weight_of), ENCODER).tensors if r.path == "own")
    return ", ".join(text(folded(length)) for length in own.shape)


@pytest.mark.parametrize("case", EVERY, ids=lambda case: f"{case.family.name} {case}")
def test_the_formula_is_derived_from_its_own_tensors(case):
    reading = read(Lists(), case)
    letters = case.symbols({})
    assert residuals(reading.tensors, letters) == []
    assert total(reading.tensors) == closed_form(letters)
    assert reading.branches == ()


def test_shapes():
    assert shape_of(lambda s: extra("own", 3 * s.hidden_size, s.head_size)) == "3·H, K"
    assert shape_of(lambda s: extra("own", s.max_position_embeddings + 2)) == "P + 2"
    assert shape_of(lambda s: extra("own", s.hidden_size + 2 * s.head_size)) == "H + 2·K"
    assert shape_of(lambda s: extra("own", 7)) == "7"
    assert shape_of(lambda s: extra("own", s.num_hidden_layers, s.hidden_size)) == "L, H"
    assert shape_of(lambda s: extra("own", -(-s.vocab_size // 64) * 64)) == "64·⌈V/64⌉"
    assert shape_of(lambda s: extra("own", s.intermediate_size // 2)) == "⌊F/2⌋"


def test_unexplained():
    """A length that was computed unseen, and is not a simple combination of sizes."""
    builder = added(lambda spec: extra("own", int(spec.vocab_size) ** 2 + 1))
    with pytest.raises(ValueError, match=r"encoder: not explained: own of \("):
        read(builder, ENCODER)


def test_a_branch_on_a_size_is_found_at_any_size():
    """A model with so many tokens is built only to see what changes there."""

    def sometimes(spec):
        return extra("own", 3) if spec.vocab_size > 25_000 else None

    assert read(added(sometimes), ENCODER).branches == (
        "V ≤ 25000: else other tensors are created",
    )


def test_a_size_that_cannot_be_varied_is_reported():
    """The comparison was not seen, and every other size gives other tensors."""

    def sometimes(spec):
        return extra("own", 3) if int(spec.vocab_size) == 97 else None

    assert read(added(sometimes), ENCODER).branches == ("V = 97: else nothing was derived",)


def test_a_derivation_is_compared_with_another_model():
    reading = read(Lists(), ENCODER)
    spec = ENCODER.spec(dict.fromkeys(ENCODER.free, 3))
    right = Lists().build(spec).weights()
    assert reading.difference(spec, right) == ""
    assert reading.difference(spec, right[1:]) == (
        "differs from the derivation at V = 3, H = 9, L = 3, A = 3, F = 3, P = 3, T = 3, K = 3: "
        "0 tensors embeddings.word_embeddings.weight of (3, 9), expected 1"
    )


def test_a_name_for_different_tensors_is_noticed():
    """A native path whose layers hold other canonical tensors is noticed."""

    def swapped(weights, spec):
        other = ("layers.0.attention.value.bias",)
        path = "layers.0.attention.key.bias"
        return [replace(w, parts=other) if w.path == path else w for w in weights]

    found = residuals(read(Lists(swapped), ENCODER).tensors, ENCODER.symbols({}))
    assert {residual.what for residual in found} == {"missing", "stored too often"}


def test_generic_sizes_cannot_be_confused():
    for case in EVERY:
        sizes = case.sizes.values()
        assert all(sympy.isprime(size) for size in sizes)
        assert len(set(sizes)) == len(sizes) >= 6


def test_a_size_that_cannot_vary_is_a_number():
    fixed = {"type_vocab_size": 2, "tie_word_embeddings": True}
    known = known_sizes(fixed, ENCODER.family)
    assert known == {"type_vocab_size": 2}
    builder = Lists(refuses=lambda spec: spec.type_vocab_size != 2)
    tensors = read(builder, ENCODER, known).tensors
    assert [r.shape[0] for r in tensors if "token_type" in r.path] == [2]
    assert residuals(tensors, ENCODER.symbols(known)) == []


def changed(path, **fields):
    def change(weights, spec):
        return [replace(w, **fields) if w.path == path else w for w in weights]

    return Lists(change)


def test_findings():
    def dropped(weights, spec):
        return [w for w in weights if w.path != "layers.1.feed_forward.output.bias"]

    def twice(weights, spec):
        own = [replace(w, path="again") for w in weights if w.path == "pooler.bias"]
        return [*weights, *own]

    def transposed(weights, spec):
        name = "feed_forward.output.kernel"
        return [replace(w, shape=w.shape[::-1]) if name in w.path else w for w in weights]

    (frozen,) = findings(changed("pooler.bias", trainable=False))
    assert frozen == "actual − formula = −H   pooler.bias"
    assert findings(Lists(dropped)) == ["actual − formula = −H   layers.*.feed_forward.output.bias"]
    assert findings(Lists(twice)) == ["actual − formula = H   pooler.bias"]
    (term,) = residuals(read(Lists(transposed), ENCODER).tensors, ENCODER.symbols({}))
    assert (term.what, term.size) == ("wrong shape", 0)


def test_the_model_at_its_own_sizes_is_built_once():
    """It is examined for its kind, and the derivation is compared with the same model."""
    builder, case = Lists(), case_of("gpt", "bare")
    specs = []

    class Listing:
        supports = builder.supports

        def build(self, spec):
            specs.append(spec)
            return builder.build(spec)

    # A process builds one more model at first, to see whose functions run.
    read(builder, case)
    read(Listing(), case)
    untouched = [spec for spec in specs if type(spec.vocab_size) is int]
    assert untouched.count(plain(case.of_fields(case.in_numbers({})))) == 1
