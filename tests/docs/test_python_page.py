"""docs/python.md: its examples print what it shows, and its table has all of a count."""

import re

from docs.writers.blocks import AGAIN
from docs.writers.python_page import PAGE, rendered
from paramproof.counting.counted import Count

TEXT = PAGE.read_text("utf-8")


def test_the_examples():
    """Those that need PyTorch are run in ``tests/frameworks``."""
    assert rendered(TEXT, with_torch=False) == TEXT, AGAIN


def test_every_attribute_of_a_count_has_a_row():
    table = TEXT.partition("| attribute |")[2].partition("\n\n")[0]
    listed = re.findall(r"`([a-z_]+)(?:\(.*?\))?`", "".join(re.findall(r"^\|(.*?)\|", table, re.M)))
    public = {name for name in vars(Count) if not name.startswith("_")}
    assert set(listed) == public - {"name", "model"}


def test_another_answer_is_seen():
    text = TEXT.replace("109482240", "109482241", 1)
    assert rendered(text, with_torch=False) == TEXT
