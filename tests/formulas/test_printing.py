"""How shapes, differences, long lists and foreign text are printed."""

import pytest

from paramproof.formulas.printing import (
    MAX_PATH_SHOWN,
    and_more,
    legible,
    path_text,
    shape_text,
    shown,
    signed,
    some_of,
)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (shape_text(None), "-"),
        (shape_text(()), "()"),
        (shape_text((4,)), "(4)"),
        (shape_text((2, 3)), "(2, 3)"),
        (shape_text(range(12)), "(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)"),
        (shape_text(range(20)), "(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...)"),
        (signed(1024), "+1,024"),
        (signed(-1024), "−1,024"),
        (signed(0), "+0"),
        (and_more(["a", "b", "c", "d"], 2), ["a", "b", "and 2 more"]),
        (and_more(["a", "b"], 2), ["a", "b"]),
        (some_of(["a", "b", "c", "d"], 2), "a, b and 2 more"),
        (some_of(["a", "b"], 2), "a, b"),
        (some_of([], 3), ""),
        (legible("größe·重量"), "größe·重量"),
        (legible("\x1b[2J\x9b\n\r\t"), r"\x1b[2J\x9b\n\r\t"),
        (legible("\u202e\u200b\udcff"), r"\u202e\u200b\udcff"),
        (legible(r"\x1b"), r"\x1b"),
        (legible(3), "3"),
        (legible("x" * 80), "x" * 80),
        (legible("x" * 10**6), "x" * 77 + "..."),
        (legible("\x1b" * 80), r"\x1b" * 19 + r"\..."),
        (shown("x" * 59), repr("x" * 56)[:57] + "..."),
        (path_text("a" * MAX_PATH_SHOWN), "a" * MAX_PATH_SHOWN),
        (path_text("a" * 10**4), "a" * (MAX_PATH_SHOWN - 3) + "..."),
        (path_text("a\nb"), r"a\nb"),
    ],
)
def test_text(found, expected):
    assert found == expected
