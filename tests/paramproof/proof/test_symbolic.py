"""Reading symbols off lengths: what is read, what is refused, what differs from the formula."""

from dataclasses import replace

import pytest
import sympy

from paramproof.algebra.residual import lines
from paramproof.algebra.symbols import folded
from paramproof.formulas import closed_form
from paramproof.formulas.notation import text
from paramproof.proof import symbolic
from paramproof.proof.findings import residuals
from paramproof.proof.parts import ALL_PARTS, FIELDS, Parts, encoder_letters, known_sizes
from tests.weight_lists import Lists, added, extra

ENCODER = Parts(pooler=1)
LETTERS = encoder_letters(ENCODER)


def findings(builder, parts=ENCODER):
    letters = encoder_letters(parts)
    return lines(residuals(symbolic.read(builder, parts), letters), letters)


def shape_of(weight_of):
    (own,) = (r for r in symbolic.read(added(weight_of), ENCODER) if r.path == "own")
    return ", ".join(text(folded(length)) for length in own.shape)


@pytest.mark.parametrize("parts", ALL_PARTS, ids=str)
def test_the_formula_reads_as_itself(parts):
    tensors = symbolic.read(Lists(), parts)
    letters = encoder_letters(parts)
    assert residuals(tensors, letters) == []
    assert symbolic.total(tensors) == closed_form(letters)


def test_shapes():
    assert shape_of(lambda s: extra("own", 3 * s.hidden_size, s.head_size)) == "3·H, K"
    assert shape_of(lambda s: extra("own", s.max_position_embeddings + 2)) == "P + 2"
    assert shape_of(lambda s: extra("own", s.hidden_size + 2 * s.head_size)) == "H + 2·K"
    assert shape_of(lambda s: extra("own", 7)) == "7"
    assert shape_of(lambda s: extra("own", s.num_hidden_layers, s.hidden_size)) == "L, H"


@pytest.mark.parametrize(
    "length",
    [
        lambda s: -(-s.vocab_size // 64) * 64,
        lambda s: s.vocab_size**2 + 1,
        lambda s: s.intermediate_size // 2,
        lambda s: 100 * s.hidden_size,
    ],
)
def test_unexplained(length):
    with pytest.raises(symbolic.Unreadable, match="axis 0 of own is not explained"):
        symbolic.read(added(lambda spec: extra("own", length(spec))), ENCODER)


def test_a_tensor_that_comes_and_goes_is_unexplained():
    def sometimes(spec):
        return extra("own", 3) if spec.vocab_size > 2100 else None

    with pytest.raises(symbolic.Unreadable, match="the number of own is not explained"):
        symbolic.read(added(sometimes), ENCODER)


def test_two_builds_do_not_make_a_sum():
    """Through two lengths there is always a sum; only a third build can confirm it."""
    builder = added(lambda spec: extra("own", spec.max_position_embeddings + 2))
    with pytest.raises(symbolic.Unreadable, match="axis 0 of own is not explained"):
        symbolic.read(builder, ENCODER, points=symbolic.POINTS[:2])


def test_ambiguous():
    """Where F is always as large as P, a length is either."""
    points = [{**point, "F": point["P"]} for point in symbolic.POINTS]
    with pytest.raises(symbolic.Unreadable, match=r"is ambiguous: .* may be F or P|P or F"):
        symbolic.read(Lists(), ENCODER, points=points)


def test_points_cannot_be_confused():
    sizes = [size for point in symbolic.POINTS for size in point.values()]
    assert all(sympy.isprime(size) and size >= 5 for size in sizes)
    assert all(len(set(point.values())) == len(point) for point in symbolic.POINTS)
    for letter in FIELDS:
        assert len({point[letter] for point in symbolic.POINTS}) == len(symbolic.POINTS)


def test_what_cannot_vary_is_a_number():
    fixed = {"type_vocab_size": 2, "tie_word_embeddings": True}
    known = known_sizes(fixed)
    builder = Lists(refuses=lambda spec: spec.type_vocab_size != 2)
    tensors = symbolic.read(builder, ENCODER, known)
    assert [r.shape[0] for r in tensors if "token_type" in r.path] == [2]
    assert residuals(tensors, encoder_letters(ENCODER, known)) == []


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
    (term,) = residuals(symbolic.read(Lists(transposed), ENCODER), LETTERS)
    assert (term.what, term.size) == ("wrong shape", 0)
