"""Numbers as people write them: what is read, what is refused, what a rounded one stands for."""

import pytest

from paramproof.explain.number import read


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("2362368", 2_362_368),
        ("2,362,368", 2_362_368),
        ("2_362_368", 2_362_368),
        ("2 362 368", 2_362_368),
        ("2'362'368", 2_362_368),
        (" 2362368\n", 2_362_368),
        ("768", 768),
        ("110,000,000", 110_000_000),
    ],
)
def test_exact(text, exact):
    assert read(text).exact == exact


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        # Three digits, or in 2²⁰, or cut off, or two digits and a zero.
        ("110M", [109_500_000, 110_499_999, 115_343_360, 110_999_999, 105_000_000], [104_999_999]),
        ("6.7B", [6_738_415_616, 6_650_000_000, 6_799_999_999], [6_649_999_999, 7_247_757_313]),
        # The zero after the point is meant: 13.0 is not 13.
        ("13.0B", [13_015_864_320, 12_950_000_000], [12_949_999_999, 14_100_000_000]),
        ("65.2B", [65_285_660_672], [65_300_000_000, 65_149_999_999]),
        ("37.5KB", [38_400, 37_450], [37_449, 38_452]),
        ("1.5e9", [1_450_000_000, 1_557_611_200], [1_449_999_999, 1_600_000_000]),
        ("1.5 billion", [1_557_611_200], [1_400_000_000]),
        ("22.7 MiB", [23_835_648], [23_860_000]),
        ("340,000,000", [335_141_888], [334_999_999, 345_000_000]),
    ],
)
def test_rounded(text, inside, outside):
    readings = read(text).readings
    for count in inside:
        assert any(count in reading for reading in readings), count
    for count in outside:
        assert not any(count in reading for reading in readings), count


def test_the_narrowest_reading_is_first():
    says = [reading.says for reading in read("110M").readings]
    assert says == [
        "rounded to 3 significant digits",
        "rounded, in 2²⁰",
        "cut off after the last digit",
        "rounded to 2 significant digits",
    ]


def test_a_number_with_all_its_digits_is_not_rounded():
    assert read("109,482,240").readings == ()
    assert read("110M").exact is None


@pytest.mark.parametrize(
    "text",
    ["", "abc", "-5", "1,23", "12,34,567", "1.2.3", "110MM", "5ib", "1e", "0x10", "٣", "1e999"],
)
def test_nonsense(text):
    with pytest.raises(ValueError, match=r"is no number of parameters, as 2,362,368 or 110M are$"):
        read(text)


@pytest.mark.parametrize("text", ["0", "0.0M", "1e99", "9" * 31])
def test_absurd(text):
    with pytest.raises(ValueError, match=r"is no number of parameters that a model can have$"):
        read(text)


def test_a_long_mistake_is_told_shortly():
    with pytest.raises(ValueError, match="…") as caught:
        read("9" * 10_000)
    assert len(str(caught.value)) < 120
