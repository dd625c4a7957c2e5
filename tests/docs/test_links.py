"""Links between the pages have targets, and docs/README.md lists every page."""

import re

import pytest

from docs.writers.blocks import DOCS, PAGES, ROOT, TEMPLATES

FILES = [*PAGES.values(), *TEMPLATES.values()]


def links(text):
    """Return the relative links of a page; code blocks and inline code have none."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return re.findall(r"\]\((?![a-z]+:)([^)\s]+)\)", prose)


def anchors(text):
    """Return the anchors of a page's headings, as GitHub generates them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", FILES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_has_a_target(page):
    for target in links(page.read_text("utf-8")):
        path, _, anchor = target.partition("#")
        leads_to = (page.parent / path).resolve() if path else page
        assert leads_to.exists(), target
        assert not anchor or anchor in anchors(leads_to.read_text("utf-8")), target


def test_the_index_lists_every_page():
    text = PAGES["docs"].read_text("utf-8")
    listed = {(DOCS / target).resolve() for target in links(text)}
    assert {one for one in FILES if DOCS in one.parents} - {PAGES["docs"]} <= listed


def test_a_link_and_an_anchor_are_found():
    text = "# What `x` is\n[a](b.md#c) `[no](link)` [web](https://x.y)\n```\n# no\n```\n"
    assert links(text) == ["b.md#c"]
    assert anchors(text) == {"what-x-is"}
