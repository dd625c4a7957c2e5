"""Numbers as people write them: accepted forms, refused ones, and the range of a rounded one."""

import pytest

from paramproof.explanation.number import read

TOTAL = 109_482_240


@pytest.mark.parametrize(
    "text", ["2362368", "2,362,368", "2_362_368", "2 362 368", "2'362'368", " 2362368\n"]
)
def test_exact(text):
    assert (read(text).exact, read(text).readings) == (2_362_368, ())


ROUNDED = {
    # Three digits, or in 2²⁰, or cut off, or two digits and a zero.
    "110M": ([109_500_000, 110_499_999, 115_343_360, 110_999_999, 105_000_000], [104_999_999]),
    "110,000,000": ([110_000_000, 109_500_000], [104_999_999]),
    "6.7B": ([6_738_415_616, 6_650_000_000, 6_799_999_999], [6_649_999_999, 7_247_757_313]),
    # The zero after the point matters: 13.0 is not 13.
    "13.0B": ([13_015_864_320, 12_950_000_000], [12_949_999_999, 14_100_000_000]),
    "65.2B": ([65_285_660_672], [65_300_000_000, 65_149_999_999]),
    "37.5KB": ([38_400, 37_450], [37_449, 38_452]),
    "1.5e9": ([1_450_000_000, 1_557_611_200], [1_449_999_999, 1_600_000_000]),
    "1.5 billion": ([1_557_611_200], [1_400_000_000]),
    "22.7 MiB": ([23_835_648], [23_860_000]),
    "340,000,000": ([335_000_000, 344_999_999], [334_999_999, 345_000_000]),
}


@pytest.mark.parametrize("text", ROUNDED)
def test_rounded(text):
    inside, outside = ROUNDED[text]
    readings = read(text).readings
    assert all(any(count in reading for reading in readings) for count in inside)
    assert not any(count in reading for reading in readings for count in outside)


def test_the_narrowest_reading_is_first():
    assert read("110M").exact is None
    assert [reading.says for reading in read("110M").readings] == [
        "rounded to 3 significant digits",
        "rounded, in 2²⁰",
        "cut off after the last digit",
        "rounded to 2 significant digits",
    ]


BYTES = {
    "438MB": (TOTAL, 2 * TOTAL),
    "438 mb": (TOTAL, 2 * TOTAL),
    "417.6 MiB": (TOTAL, 2 * TOTAL),
    "1.34GB": (335_141_888, 670_000_000),
    "437928960 bytes": (TOTAL, 2 * TOTAL),
    "437,928,960 Bytes": (TOTAL, 2 * TOTAL),
    "26 TB": (6_500_000_000_000, 13_000_000_000_000),
}


@pytest.mark.parametrize("text", BYTES)
def test_bytes(text):
    readings = read(text).bytes_readings
    found = [{one.bytes_each for one in readings if count in one} for count in BYTES[text]]
    assert found == [{4}, {2}]
    assert not any(one.bytes_each for one in read(text).readings)


def test_bytes_are_named_as_bytes():
    (four, two, one) = read("437928960 bytes").bytes_readings
    assert four.of(TOTAL) == "437,928,960 bytes in float32"
    assert two.of(2 * TOTAL) == "437,928,960 bytes in float16 or bfloat16"
    assert one.of(4 * TOTAL) == "437,928,960 bytes in float8 or int8"
    assert TOTAL - 1 not in four
    assert TOTAL + 1 not in four
    first, *_ = read("438MB").bytes_readings
    assert first.of(TOTAL) == "437,928,960 bytes in float32, rounded to 3 significant digits"
    assert not any(TOTAL in one for one in read("437928961 bytes").bytes_readings)


@pytest.mark.parametrize("text", ["110M", "6.7B", "1.5 billion", "109482240", "22.7 Mi", "1.5e9"])
def test_other_suffixes_are_not_bytes(text):
    """A B alone means a billion."""
    assert read(text).bytes_readings == ()


def test_powers_of_two():
    powers = {"131072": 17, "2": 1, "1": None, "131,073": None, "131,074": None, "96": None}
    powers |= {"134,217,728": 27, "110M": None}
    assert {text: read(text).power_of_two for text in powers} == powers


def test_the_same_rounded_number():
    same = ["117M", "117 million", "117,000,000", "117000000", "0.117B"]
    for text in [*same, "117MB", "117.1M", "118M", "117", "117,000,001"]:
        assert read(text).rounds_as(read("117M")) == (text in same), text
        assert read("117M").rounds_as(read(text)) == (text in same), text


NONSENSE = ["", "abc", "-5", "1,23", "12,34,567", "1.2.3", "110MM", "5ib", "1e", "0x10", "٣"]


@pytest.mark.parametrize("text", [*NONSENSE, "1e999", "0", "0.0M", "1e99", "9" * 31, "9" * 10_000])
def test_refused(text):
    """In one short line; a number may be zero or absurdly large."""
    is_absurd = text in ("0", "0.0M", "1e99", "9" * 31)
    what = " that a model can have$" if is_absurd else ": "
    with pytest.raises(ValueError, match=f"is not a number of parameters{what}") as caught:
        read(text)
    assert len(str(caught.value)) < 120
