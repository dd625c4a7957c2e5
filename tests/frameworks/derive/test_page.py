"""docs/derive.md and docs/python.md: their code, run as it is printed, prints what they show."""

import re

import pytest

from docs.writers.blocks import PAGES, ROOT, script_in
from tests.sessions import failures, printed_by

pytestmark = pytest.mark.framework("torch")

TEXT = (ROOT / "docs" / "derive.md").read_text("utf-8")


def test_as_printed(tmp_path):
    for name in ("model.py", "show.py"):
        (tmp_path / name).write_text(script_in(TEXT, name), "utf-8")
    (shown,) = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)
    assert printed_by("show.py", tmp_path) == shown


def test_the_examples_in_python(tmp_path):
    assert failures(PAGES["python"].read_text("utf-8"), tmp_path, with_torch=True) == 0
