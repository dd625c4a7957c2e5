"""docs/python.md: its examples print the output shown, and its table covers all of a count."""

import re

from docs.writers.blocks import AGAIN
from docs.writers.python_page import PAGE, rendered
from paramproof.views.counted import Count

TEXT = PAGE.read_text("utf-8")


def test_the_examples():
    """``tests/frameworks`` runs those that need PyTorch."""
    assert rendered(TEXT, with_torch=False) == TEXT, AGAIN


def test_every_attribute_of_a_count_has_a_row():
    table = TEXT.partition("| attribute |")[2].partition("\n\n")[0]
    listed = re.findall(r"`([a-z_]+)(?:\(.*?\))?`", "".join(re.findall(r"^\|(.*?)\|", table, re.M)))
    public = {name for name in vars(Count) if not name.startswith("_")}
    assert set(listed) == public - {"name", "model"}


def test_another_result_is_noticed():
    text = TEXT.replace("109482240", "109482241", 1)
    assert rendered(text, with_torch=False) == TEXT
