"""The source for MkDocs has every page once, with the site's links; and the check for links."""

import re

import pytest

from docs.publish import __main__ as publish
from docs.publish.__main__ import URLS, broken, pages, relinked
from docs.writers import type_pages
from docs.writers.blocks import DOCS, PAGES, ROOT, TEMPLATES

CONFIG = (ROOT / "mkdocs.yml").read_text("utf-8")


def test_every_page_is_in_the_navigation_once():
    navigation = CONFIG.partition("\nnav:")[2]
    listed = re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", navigation, re.MULTILINE)
    assert sorted(listed) == sorted(pages().values())


def test_collected_files(tmp_path, monkeypatch):
    few = {name: TEMPLATES[name] for name in ("api", "types")}
    monkeypatch.setattr(publish, "TEMPLATES", few)
    monkeypatch.setattr(type_pages, "entries", lambda: [type_pages.type_entry("bert")])
    site = tmp_path / "site"
    site.mkdir()
    (site / "old.md").touch()
    publish.collect(site)
    found = {path.relative_to(site).as_posix() for path in site.rglob("*.md")}
    assert found == {*pages().values(), "model-types/bert.md"}
    listing = (site / "tables" / "types.md").read_text("utf-8")
    assert "[bert](../model-types/bert.md)" in listing
    assert 'href="./interactive/index.html"' in (site / "README.md").read_text("utf-8")
    assert (site / "site" / "pictures" / "first.png").is_file()
    assert (site / "publish" / "site.css").is_file()


@pytest.mark.parametrize(
    ("page", "link", "expected"),
    [
        (DOCS / "README.md", "../tests/README.md", "tests/README.md"),
        (DOCS / "README.md", "publish/json.template#count", "tables/json.md#count"),
        (PAGES["faults"], "../../docs/evidence.md", "../../evidence.md"),
        (PAGES["site"], "pictures/first.png", "pictures/first.png"),
        (TEMPLATES["types"], "../derive.md", "../derive.md"),
        (TEMPLATES["types"], URLS["Documentation"] + "a.html", "../a.html"),
        (DOCS / "README.md", "derive.md#conditions", "derive.md#conditions"),
        (ROOT / "CHANGELOG.md", "docs/derive.md", "derive.md"),
        (DOCS / "README.md", "https://pyodide.org", "https://pyodide.org"),
        (DOCS / "README.md", "#using-it", "#using-it"),
    ],
)
def test_links_lead_to_the_pages_on_the_site(page, link, expected):
    for words in ("b", "words that a line\nends in"):
        assert relinked(f"a [{words}]({link}) c", page, pages()) == f"a [{words}]({expected}) c"


def test_a_link_that_names_a_file_has_the_title_of_the_page():
    text = "see [derive.md](derive.md#conditions)"
    expected = "see [Deriving a formula from live code](derive.md#conditions)"
    assert relinked(text, DOCS / "README.md", pages()) == expected


def test_the_check_finds_dead_links_and_external_resources(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "index.html").touch()
    (tmp_path / "a.html").write_text(
        '<a href="folder">1</a> <a href="b.html#x">2</a> <a class="c" href=https://x.y/z>3</a>'
        '<a href="#a">4</a> <script src="https://x.y/s.js"></script>'
        '<link rel="next" href="a.html"> <img src="/c.png">',
        "utf-8",
    )
    assert list(broken(tmp_path)) == [
        "a.html: b.html#x leads nowhere",
        "a.html: loads https://x.y/s.js from another host",
        "a.html: /c.png leads nowhere",
    ]
