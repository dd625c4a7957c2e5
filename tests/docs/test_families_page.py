"""docs/families.md has the current closed forms, and its code has the stated results."""

import re

import pytest

from docs.writers.blocks import AGAIN, block
from docs.writers.families_page import PAGE, blocks

TEXT = PAGE.read_text("utf-8")


@pytest.mark.parametrize("name", ["families", "models"])
def test_the_page(name):
    assert block(name, TEXT).strip("\n") == blocks()[name], AGAIN


def test_python():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names = {}
    *statements, closed, total = code.strip().splitlines()
    exec("\n".join(statements), names)
    for line in (closed, total):
        expression, comment = line.split("  # ")
        assert eval(expression, names) == int(comment)
