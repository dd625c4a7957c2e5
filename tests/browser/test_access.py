"""For everybody: axe-core finds nothing serious, keys reach all, a phone is wide enough."""

import pytest

PAGES = (
    "index.html",
    "models/deepseek-v3.html",
    "number.html",
    "difference.html",
    "frameworks.html#component=pooler",
)
SERIOUS = ("serious", "critical")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_serious(opened, modules, path, scheme):
    opened.page.emulate_media(color_scheme=scheme)
    opened.open(path)
    opened.page.evaluate((modules / "axe-core/axe.min.js").read_text("utf-8"))
    found = opened.page.evaluate("axe.run()")
    assert len(found["passes"]) > 10
    assert [
        (one["id"], [node["target"] for node in one["nodes"]][:3])
        for one in found["violations"]
        if one["impact"] in SERIOUS
    ] == []


@pytest.mark.parametrize("path", PAGES)
def test_a_phone_scrolls_no_page_sideways(opened, path):
    opened.page.set_viewport_size({"width": 360, "height": 740})
    opened.open(path)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_keyboard_reaches_the_content_first(opened):
    opened.open("index.html")
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.textContent") == "to the content"
    names = ("banner", "navigation", "main", "contentinfo", "search")
    assert all(opened.page.get_by_role(name).count() == 1 for name in names)


def test_every_field_has_a_label(models):
    models.state("model.html", model="bert-base")
    fields = models.page.locator("#fields :is(input, select)")
    assert fields.count() == 2 + 2 * 7
    named = models.page.evaluate(
        "[...document.querySelectorAll('#fields :is(input, select)')]"
        ".every((one) => one.labels.length || one.ariaLabel)"
    )
    assert named
