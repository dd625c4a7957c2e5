"""Numbers as people write them: accepted forms, refused ones, and the range of a rounded one."""

import pytest

from paramproof.explanation.number import read


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
        # The zero after the point matters: 13.0 is not 13.
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


@pytest.mark.parametrize(
    ("text", "four", "two"),
    [
        ("438MB", 109_482_240, 2 * 109_482_240),
        ("438 mb", 109_482_240, 2 * 109_482_240),
        ("417.6 MiB", 109_482_240, 2 * 109_482_240),
        ("1.34GB", 335_141_888, 670_000_000),
        ("437928960 bytes", 109_482_240, 2 * 109_482_240),
        ("437,928,960 Bytes", 109_482_240, 2 * 109_482_240),
        ("26 TB", 6_500_000_000_000, 13_000_000_000_000),
    ],
)
def test_bytes(text, four, two):
    readings = read(text).bytes_readings
    assert {one.bytes_each for one in readings if four in one} == {4}
    assert {one.bytes_each for one in readings if two in one} == {2}
    assert not any(one.bytes_each for one in read(text).readings)


def test_bytes_are_named_as_bytes():
    (four, two, one) = read("437928960 bytes").bytes_readings
    assert four.of(109_482_240) == "437,928,960 bytes in float32"
    assert two.of(218_964_480) == "437,928,960 bytes in float16 or bfloat16"
    assert one.of(437_928_960) == "437,928,960 bytes in float8 or int8"
    assert 109_482_239 not in four
    assert 109_482_241 not in four
    first, *_ = read("438MB").bytes_readings
    assert first.of(109_482_240) == (
        "437,928,960 bytes in float32, rounded to 3 significant digits"
    )


@pytest.mark.parametrize("text", ["110M", "6.7B", "1.5 billion", "109482240", "22.7 Mi", "1.5e9"])
def test_other_suffixes_are_not_bytes(text):
    """A B alone means a billion."""
    assert read(text).bytes_readings == ()


def test_bytes_that_no_dtype_divides():
    assert not any(109_482_240 in one for one in read("437928961 bytes").bytes_readings)


@pytest.mark.parametrize(
    ("text", "power"),
    [
        ("131072", 17),
        ("2", 1),
        ("1", None),
        ("131,073", None),
        ("131,074", None),
        ("96", None),
        ("134,217,728", 27),
        ("110M", None),
    ],
)
def test_powers_of_two(text, power):
    assert read(text).power_of_two == power


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("117M", True),
        ("117 million", True),
        ("117,000,000", True),
        ("117000000", True),
        ("0.117B", True),
        ("117MB", False),
        ("117.1M", False),
        ("118M", False),
        ("117", False),
        ("117,000,001", False),
    ],
)
def test_the_same_rounded_number(text, same):
    assert read(text).rounds_as(read("117M")) == same
    assert read("117M").rounds_as(read(text)) == same


def test_a_number_with_all_its_digits_is_not_rounded():
    assert read("109,482,240").readings == ()
    assert read("110M").exact is None


@pytest.mark.parametrize(
    "text",
    ["", "abc", "-5", "1,23", "12,34,567", "1.2.3", "110MM", "5ib", "1e", "0x10", "٣", "1e999"],
)
def test_nonsense(text):
    with pytest.raises(ValueError, match=r"is not a number of parameters: "):
        read(text)


@pytest.mark.parametrize("text", ["0", "0.0M", "1e99", "9" * 31])
def test_absurd(text):
    with pytest.raises(ValueError, match=r"is not a number of parameters that a model can have$"):
        read(text)


def test_a_long_wrong_number_is_cut_in_the_message():
    with pytest.raises(ValueError, match="…") as caught:
        read("9" * 10_000)
    assert len(str(caught.value)) < 120
