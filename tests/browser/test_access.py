"""Accessibility: axe-core's serious findings, the keyboard, and the width of a phone."""

import pytest

BUILT = (
    "index.html",
    "model.html",
    "models/deepseek-v3.html",
    "number.html",
    "difference.html",
    "frameworks.html#component=pooler",
    "about.html",
)
ANSWERED = {
    "models": ("model.html", {"model": "deepseek-v3", "at": "model"}),
    "numbers": ("number.html", {"n": "2362368"}),
    "differences": (
        "difference.html",
        {"a": "bert-base", "b": "gpt2", "c": "deepseek-v3", "d": "kimi-k2"},
    ),
}
SERIOUS = ("serious", "critical")
HEADINGS = (
    *("Where the parameters are", "One layer of each kind"),
    *("Formula", "Tree", "Conventions", "Evidence"),
)


def serious(watched, modules):
    """Return axe's serious findings in light, and about contrasts in dark."""
    page = watched.page
    page.evaluate((modules / "axe-core/axe.min.js").read_text("utf-8"))
    for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)
        # For passed checks a single element is enough: listing them all takes most of the time.
        found = page.evaluate("axe.run", {**rules, "resultTypes": ["violations"]})
        assert "color-contrast" in {one["id"] for one in found["passes"]}
        for one in found["violations"]:
            if one["impact"] in SERIOUS:
                yield scheme, one["id"], [node["target"] for node in one["nodes"]][:3]


@pytest.mark.parametrize("path", BUILT)
def test_axe_finds_nothing_serious(static_page, modules, path):
    static_page.open(path)
    assert [*serious(static_page, modules)] == []


@pytest.mark.parametrize("place", ANSWERED)
def test_axe_finds_nothing_serious_in_an_answer(request, modules, place):
    watched = request.getfixturevalue(place)
    path, state = ANSWERED[place]
    watched.state(path, **state)
    assert watched.problem == ""
    assert [*serious(watched, modules)] == []


@pytest.mark.parametrize("path", BUILT)
def test_a_phone_scrolls_no_page_sideways(static_page, path):
    static_page.page.set_viewport_size({"width": 360, "height": 740})
    static_page.open(path)
    assert static_page.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("place", ANSWERED)
def test_a_phone_scrolls_no_answer_sideways(request, place):
    watched = request.getfixturevalue(place)
    path, state = ANSWERED[place]
    watched.state(path, **state)
    size = watched.page.viewport_size
    watched.page.set_viewport_size({"width": 360, "height": 740})
    width = watched.page.evaluate("document.documentElement.scrollWidth")
    watched.page.set_viewport_size(size)
    assert width <= 360


def test_the_keyboard_reaches_the_content_first(static_page):
    static_page.open("index.html")
    static_page.page.keyboard.press("Tab")
    assert static_page.page.evaluate("document.activeElement.textContent") == "Skip to content"
    names = ("banner", "navigation", "main", "contentinfo", "search")
    assert all(static_page.page.get_by_role(name).count() == 1 for name in names)


def test_parts_of_a_model_are_regions_with_headings(models):
    models.state("model.html", model="bert-base")
    for name in HEADINGS:
        assert models.page.get_by_role("region", name=name, exact=True).is_visible()
        assert models.page.get_by_role("heading", name=name, exact=True).is_visible()


def test_every_field_has_a_label(models):
    models.state("model.html", model="bert-base")
    fields = models.page.locator("#fields :is(input, select)")
    assert fields.count() == 2 + 2 * 7
    named = models.page.evaluate(
        "[...document.querySelectorAll('#fields :is(input, select)')]"
        ".every((one) => one.labels.length || one.ariaLabel)"
    )
    assert named
