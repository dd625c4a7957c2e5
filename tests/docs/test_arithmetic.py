"""Arithmetic as the sources of claims print it."""

from fractions import Fraction

import pytest

from docs.writers.claims.arithmetic import evaluate, whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12 * 768 * 12", 110_592),
        ("[768 * (768/12) * 3 * 12 + 768 * 768 ] * 12", 28_311_552),
        ("1,771,776 \N{MULTIPLICATION SIGN} 12", 21_261_312),
        ("3·(2−5)", -9),
        ("-2**3", -8),
        ("7/2", Fraction(7, 2)),
        ("768*768/12*12", 589_824),
    ],
)
def test_arithmetic(text, value):
    assert evaluate(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').getcwd()",
        "(lambda: 3)()",
        "open",
        "1.5 * 2",
        "True + 1",
        "'a' * 9",
        "2 ** 99",
        "2 ** n",
        "9 // 2",
        "9 % 2",
        "1 / 0",
        "3 +",
        "(30522+512+2)768",
        "1 if 2 else 3",
        "x := 3",
        "",
        "3(4)",
        "2 * H",
    ],
)
def test_other_text_is_refused(text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        evaluate(text)
    assert "\n" not in str(caught.value)


def test_a_count_is_whole():
    with pytest.raises(ValueError, match=r"^'7/2' comes to 7/2, which is not a whole number$"):
        whole("7/2")


def test_letters():
    assert evaluate("2·(H + 1)**2/H", {"H": Fraction(4)}) == Fraction(25, 2)
