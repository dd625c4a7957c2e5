"""docs/types.md says what the catalogue's data say, and counts what is there."""

import re

from docs.writers.blocks import AGAIN
from docs.writers.types_page import PAGE, render
from paramproof.catalogue import entry, model_types, read_type
from sweep.store import read_failures

TEXT = PAGE.read_text("utf-8")


def test_page():
    assert render() == TEXT, AGAIN


def rows():
    found = re.findall(r"^\| (.+?) \| ([\d,]+) \|$", TEXT, re.MULTILINE)
    return {what: int(number.replace(",", "")) for what, number in found}


def test_counts():
    """Each is counted here as a reader of the page would."""
    sections = re.findall(r"^## (\S+)$", TEXT, re.MULTILINE)
    assert sections == list(model_types())
    held = r"(?:, with .* alone)?: (proved|fitted)"
    classes = re.findall(rf"^- `(\w+)`(?:{held}| (was not held))", TEXT, re.MULTILINE)
    said = rows()
    assert said["types with an entry"] == len(sections)
    assert said["types without one"] == len(set(read_failures()) - set(sections))
    for status in ("proved", "fitted"):
        assert said[f"classes, {status}"] == sum(one[1] == status for one in classes)
    assert said["classes, withdrawn"] == sum(bool(one[2]) for one in classes)
    assert len(classes) == sum(len(read_type(name).classes) for name in model_types())


def test_everything_that_failed_is_listed():
    listed = TEXT.partition("# Not derived")[2]
    for model_type, reasons in read_failures().items():
        for name in reasons:
            assert (name if name == model_type else f"{model_type}: {name}") in listed


def test_formulas_are_those_that_count():
    """DeepSeek-V3's, read off the page and worked out by Python, is its base model's count."""
    found = entry({"model_type": "deepseek_v3"}, "DeepseekV3Model")
    section = TEXT.partition("## deepseek_v3\n")[2].partition("\n## ")[0]
    formula = "".join(re.findall(r"^ {4}(.*)$", section, re.MULTILINE))
    python = formula.translate(str.maketrans({"·": "*", "×": "*", "−": "-", "²": "**2"}))
    assert eval(python.strip(), {}, dict(found.sizes)) == found.count
