"""Columns of text: aligned, and folded to fit a width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas.columns import NARROWEST, aligned, fitting, folded, row_lines

TABLE = [
    ("component", "what", "difference"),
    ("layers.*.feed_forward.intermediate.bias (x12)", "missing", "-36,864"),
    ("pooler", "wrong shape", "+7"),
]


def test_without_a_width_each_row_is_one_line():
    assert aligned(TABLE) == [
        "component                                      what         difference",
        "layers.*.feed_forward.intermediate.bias (x12)  missing      -36,864",
        "pooler                                         wrong shape  +7",
    ]


def test_rows_that_fit_are_unchanged():
    """70 columns are enough, 69 are too few."""
    assert aligned(TABLE, 70) == aligned(TABLE)
    assert aligned(TABLE, 69) != aligned(TABLE)


def test_the_widest_column_is_folded():
    assert aligned(TABLE, 46) == [
        "component              what         difference",
        "layers.*.feed_         missing      -36,864",
        "forward.intermediate.",
        "bias (x12)",
        "pooler                 wrong shape  +7",
    ]
    assert [len(lines) for lines in row_lines(TABLE, 46)] == [1, 3, 1]


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 8, [""]),
        ("attention", 9, ["attention"]),
        ("attention", 8, ["attentio", "n"]),
        ("a dense kernel of 4 TB", 10, ["a dense", "kernel of", "4 TB"]),
        ("keras-{jax,torch}", 11, ["keras-{jax,", "torch}"]),
        ("bert-base-uncased", 12, ["bert-base-", "uncased"]),
        ("state(module, nnx.Param)", 14, ["state(module,", "nnx.Param)"]),
        ("total 109,482,240", 12, ["total", "109,482,240"]),
        ("wrong -36,864", 8, ["wrong", "-36,864"]),
        ("(12, 768)", 8, ["(12,", "768)"]),
    ],
)
def test_where_lines_break(text, width, lines):
    assert folded(text, width) == lines


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])), st.integers(1, 30))
def test_folding_loses_no_text(text, width):
    """Only spaces may go, and no line is longer than the width."""
    lines = folded(text, width)
    assert all(len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.integers(10, 100))
def test_widths_fit_unless_all_are_narrow(widths, width):
    fitted = fitting(widths, width)
    assert all(new <= old for new, old in zip(fitted, widths, strict=True))
    # A column that is narrow already stays as it is.
    assert all(new >= min(old, NARROWEST) for new, old in zip(fitted, widths, strict=True))
    assert sum(fitted) + 2 * (len(fitted) - 1) <= width or max(fitted) <= NARROWEST
    assert fitting(widths, None) == widths
