"""``python -m docs.writers`` writes every page with a generated block."""

from importlib import import_module

import pytest

from docs.writers.__main__ import PAGES, main
from docs.writers.blocks import EVIDENCE, ROOT, block, script_in, with_block

MODULES = {name: import_module(f"docs.writers.{module}") for name, module in PAGES.items()}


def pages_of(module):
    return getattr(module, "PAGES", None) or [module.PAGE]


def test_every_page_with_a_block_has_a_writer():
    pages = {ROOT / "README.md", *(ROOT / "docs").rglob("*.md")}
    with_blocks = {page for page in pages if "<!-- end -->" in page.read_text("utf-8")}
    written = {page for module in MODULES.values() for page in pages_of(module)}
    assert with_blocks <= {*written, EVIDENCE}
    assert written <= pages
    assert all(callable(module.write) for module in MODULES.values())


def test_only_the_given_pages_are_written(monkeypatch):
    called = []
    for name, module in MODULES.items():
        monkeypatch.setattr(module, "write", lambda name=name: called.append(name))
    main(["claims", "formulas"])
    assert called == ["claims", "formulas"]
    called.clear()
    main([])
    assert called == list(PAGES)


def test_an_unknown_page_is_refused_before_any_is_written(monkeypatch):
    monkeypatch.setattr(MODULES["claims"], "write", lambda: pytest.fail("written"))
    with pytest.raises(SystemExit, match="unknown page: poems; choose from formulas, "):
        main(["claims", "poems"])


def test_a_script_is_found_by_its_name():
    text = "<!-- a.py -->\n\n```python\n1\n```\n\n<!-- b.py -->\n\n```python\n2\n```\n"
    assert (script_in(text, "a.py"), script_in(text, "b.py")) == ("1\n", "2\n")
    with pytest.raises(ValueError, match="not enough values"):
        script_in(text, "c.py")


def test_a_block_is_replaced():
    text = "a\n<!-- x -->\n<!-- end -->\nb\n"
    once = with_block("x", text, "1\n  2\n")
    assert once == "a\n<!-- x -->\n\n    1\n      2\n\n<!-- end -->\nb\n"
    assert block("x", once) == "1\n  2\n"
    assert with_block("x", once, "1\n  2\n") == once
    markdown = with_block("x", once, "| a |\n", margin="")
    assert markdown == "a\n<!-- x -->\n\n| a |\n\n<!-- end -->\nb\n"
    with pytest.raises(KeyError, match="no lines <!-- y -->"):
        with_block("y", once, "1\n")
