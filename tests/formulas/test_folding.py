"""Lines of a report are folded to fit a width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas.comparison import HANGING, folded


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("attention", 9, ["attention"]),
        ("attentions of a model", 12, ["attentio", "ns of a", "model"]),
        ("a dense kernel of 4 TB", 14, ["a dense", "kernel of", "4 TB"]),
        ("keras-{jax,torch}", 15, ["keras-{jax,", "torch}"]),
        ("bert-base-uncased", 16, ["bert-base-", "uncased"]),
        ("state(module, nnx.Param)", 18, ["state(module,", "nnx.Param)"]),
        ("total 109,482,240", 16, ["total", "109,482,240"]),
        ("wrong -36,864", 12, ["wrong", "-36,864"]),
        ("no width of its own", None, ["no width of its own"]),
    ],
)
def test_where_lines_break(text, width, lines):
    first, *rest = lines
    assert folded(text, width) == [first, *(HANGING + one for one in rest)]


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])), st.integers(5, 30))
def test_folding_loses_no_text(text, width):
    """Only spaces may go, and no line is longer than the width."""
    lines = folded(text, width)
    assert all(len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
