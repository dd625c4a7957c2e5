"""Columns of text: aligned, and folded to fit a width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas.columns import aligned, folded

TABLE = [
    ("component", "what", "difference"),
    ("layers.*.feed_forward.intermediate.bias (x12)", "missing", "-36,864"),
    ("pooler", "wrong shape", "+7"),
]


def test_each_row_is_one_line():
    assert aligned(TABLE) == [
        "component                                      what         difference",
        "layers.*.feed_forward.intermediate.bias (x12)  missing      -36,864",
        "pooler                                         wrong shape  +7",
    ]


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
