"""The PyTorch code of the tutorial, the guides and two pages runs as it is printed."""

import re

import pytest

from docs.writers.blocks import PAGES, block, script_in, write_files
from tests.sessions import failures, printed_by

pytestmark = pytest.mark.framework("torch")


def test_the_derived_formula(paramproof, tmp_path):
    write_files(PAGES["tutorial"], tmp_path)
    command, _, *shown, _ = block("derived", PAGES["tutorial"].read_text("utf-8")).splitlines()
    # The first line has versions, and the last one seconds.
    _, *printed, _ = paramproof(*command.split()[2:]).stdout.splitlines()
    assert printed == shown


def test_the_page_of_derive(tmp_path):
    text = PAGES["derive"].read_text("utf-8")
    for name in ("model.py", "show.py"):
        (tmp_path / name).write_text(script_in(text, name), "utf-8")
    (shown,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    assert printed_by("show.py", tmp_path) == shown


def test_the_examples_in_python(tmp_path):
    assert failures(PAGES["python"].read_text("utf-8"), tmp_path, with_torch=True) == 0
