"""The verdicts on published claims are computed, and follow the claimed number."""

from dataclasses import replace
from fractions import Fraction

import pytest

from docs.writers.claims import CONVENTION, EXACT, REFUTED, Entry, entries, evaluate, verdict, whole

TENSORS = [one for one in entries() if one.kind == "tensor"]


def claim(model, claimed, **about):
    return Entry(kind="claim", source="000", where="here", model=model, claimed=claimed, **about)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12 * 768 * 12", 110_592),
        ("[768 * (768/12) * 3 * 12 + 768 * 768 ] * 12", 28_311_552),
        ("1,771,776 \N{MULTIPLICATION SIGN} 12", 21_261_312),
        ("3·(2−5)", -9),
        ("-2**3", -8),
        ("7/2", Fraction(7, 2)),
    ],
)
def test_arithmetic(text, value):
    assert evaluate(text) == value


OTHER_TEXT = """
    __import__('os').getcwd() | (lambda: 3)() | open | 1.5 * 2 | True + 1 | 'a' * 9 | 2 ** 99
    | 2 ** n | 9 // 2 | 9 % 2 | 1 / 0 | 3 + | (30522+512+2)768 | 1 if 2 else 3 | x := 3 | 3(4)
    | 2 * H |
"""


@pytest.mark.parametrize("text", list(map(str.strip, OTHER_TEXT.split("|"))))
def test_other_text_is_refused(text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        evaluate(text)
    assert "\n" not in str(caught.value)


def test_a_count_is_whole_and_letters_are_values():
    with pytest.raises(ValueError, match=r"^'7/2' comes to 7/2, which is not a whole number$"):
        whole("7/2")
    assert evaluate("2·(H + 1)**2/H", {"H": Fraction(4)}) == Fraction(25, 2)


def test_every_number_has_a_verdict():
    assert {one.source for one in entries()} == {"000", "001", "002", "003", "004"}
    assert len(TENSORS) == 47 + 23 + 23 + 2
    for one in entries():
        found = verdict(one)
        assert found.kind in (EXACT, CONVENTION, REFUTED)
        assert found.what
        assert found.kind != REFUTED or all(found), one


@pytest.mark.parametrize(
    "one",
    [one for one in entries() if verdict(one).kind != REFUTED],
    ids=lambda one: one.where[:50],
)
def test_another_number_gets_another_verdict(one):
    """No verdict is stored: with the number off by one, an exact claim is no longer exact."""
    if one.kind == "formula" and not one.claimed:
        wrong = replace(one, letters=f"{one.letters} + 1")
    elif one.kind == "tensor":
        wrong = replace(one, claimed=f"{one.claimed} + 1")
    elif one.kind == "share":
        wrong = replace(one, claimed=str(int(one.claimed) + 30))
    elif one.claimed.replace(",", "").isdigit():
        wrong = replace(one, claimed=str(int(one.claimed.replace(",", "")) + 1))
    elif not one.claimed:
        wrong = replace(one, printed=f"{one.printed} + 1")
    else:
        wrong = replace(one, claimed=f"9{one.claimed}")
    assert verdict(wrong).kind == REFUTED


def test_another_shape_is_refuted():
    row = next(one for one in TENSORS if len(one.shape) == 2)
    assert verdict(row).kind == verdict(replace(row, shape=row.shape[::-1])).kind == EXACT
    assert verdict(replace(row, shape=(*row.shape, 2))).kind == REFUTED


def test_a_convention_excuses_nothing_if_every_tensor_is_listed():
    layer = claim("bert-large-uncased", "12,592,128", of="layers.*")
    assert verdict(layer).kind == CONVENTION
    assert verdict(replace(layer, complete=True)).kind == REFUTED


def test_two_conventions_excuse_nothing():
    """With fixed positions and without norms: each would pass, but together they are wrong."""
    model, norms = "transformer-one-layer", 10 * 512
    assert verdict(claim(model, "10,152,448")).kind == CONVENTION
    assert verdict(claim(model, str(10_118_656 - norms))).kind == CONVENTION
    found = verdict(claim(model, str(10_152_448 - norms)))
    assert (found.kind, found.what) == (REFUTED, "no explanation")


def test_a_convention_that_the_text_names_is_binding():
    norms = claim("bert-base-uncased", "38,400", counts="norms-only")
    assert verdict(norms).kind == CONVENTION
    assert verdict(replace(norms, claimed="109,482,240")).kind == REFUTED
    assert verdict(replace(norms, claimed="109,443,840")).kind == REFUTED


def test_an_unexplained_number_is_refuted_by_its_size():
    found = verdict(claim("bert-base-uncased", "109,482,241"))
    assert found == (REFUTED, "no explanation", "+1 = 1", "109,482,240")


def test_restored_arithmetic_differs_only_in_multiplication_signs():
    restored = [one for one in entries() if one.expression]
    assert len(restored) == 2
    signs = {ord(sign): None for sign in "*\N{MULTIPLICATION SIGN} "}
    for one in restored:
        assert one.printed.translate(signs) == one.expression.translate(signs), one.where
