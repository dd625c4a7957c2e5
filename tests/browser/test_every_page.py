"""Every page and every answer: accessible to everyone, and whole at the width of a phone."""

import pytest

BUILT = (
    *("index.html", "model.html", "models/bert-base-uncased.html", "models/deepseek-v3.html"),
    *("models/kimi-k2.html", "number.html", "difference.html", "frameworks.html"),
    *("frameworks/flax-linen-and-torch.html", "frameworks.html#component=pooler", "about.html"),
)
ANSWERED = {
    "models": ("model.html", {"model": "deepseek-v3", "at": "model"}),
    "numbers": ("number.html", {"n": "671B"}),
    "differences": (
        "difference.html",
        {"a": "kimi-k2", "b": "deepseek-v3", "c": "gpt2", "d": "gpt-oss-120b"},
    ),
}
FEW_NUMBERS = {"model.html", "number.html", "difference.html", *BUILT[-3:], *ANSWERED}
SERIOUS = ("serious", "critical")
PHONE = {"width": 390, "height": 844}


@pytest.fixture(params=[*BUILT, *ANSWERED])
def shown(request):
    """Return a page as built, or with an answer; its size is restored."""
    if request.param in BUILT:
        watched = request.getfixturevalue("static_page")
        watched.open(request.param)
    else:
        watched = request.getfixturevalue(request.param)
        path, state = ANSWERED[request.param]
        watched.state(path, **state)
        assert watched.problem == ""
    size = watched.page.viewport_size
    yield watched
    watched.page.set_viewport_size(size)


def serious(page, modules):
    """Return axe's serious findings in light, and about contrasts in dark."""
    page.evaluate((modules / "axe-core/axe.min.js").read_text("utf-8"))
    for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)
        # For passed checks a single element is enough: listing them all takes most of the time.
        found = page.evaluate("axe.run", {**rules, "resultTypes": ["violations"]})
        assert "color-contrast" in {one["id"] for one in found["passes"]}
        for one in found["violations"]:
            if one["impact"] in SERIOUS:
                yield scheme, one["id"], [node["target"] for node in one["nodes"]][:3]


def test_axe_finds_nothing_serious(shown, modules):
    assert [*serious(shown.page, modules)] == []


BROKEN = """([pattern, within]) => {
  const found = [], range = document.createRange();
  let seen = 0;
  for (const part of document.querySelectorAll(within)) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentNode.closest("option, script, #problem")) continue;
      for (const match of node.data.matchAll(new RegExp(pattern, "g"))) {
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const tops = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
        seen += tops.size > 0;
        if (tops.size > 1) found.push(match[0]);
      }
    }
  }
  return [seen, found];
}"""
"""Return how many matches are drawn, and those that are drawn in more than one line."""


def test_a_phone_scrolls_nothing_sideways_and_no_number_is_broken(shown, request):
    shown.page.set_viewport_size({"width": 360, "height": 740})
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360
    shown.page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
    for width in (1280, 390, 320):
        shown.page.set_viewport_size({"width": width, "height": 800})
        seen, broken = shown.page.evaluate(BROKEN, [r"\d[\d,.]*\d", "body"])
        assert broken == [], width
    name = request.node.callspec.params["shown"]
    assert seen > 40 or (name in FEW_NUMBERS and (seen > 5 or name not in ANSWERED))


def test_the_keyboard_reaches_the_content_first(static_page):
    static_page.open("index.html")
    static_page.page.keyboard.press("Tab")
    assert static_page.page.evaluate("document.activeElement.textContent") == "Skip to content"
    names = ("banner", "navigation", "main", "contentinfo", "search")
    assert all(static_page.page.get_by_role(name).count() == 1 for name in names)


def test_parts_of_a_model_are_regions_and_its_fields_have_labels(models):
    models.state("model.html", model="bert-base")
    for name in ("Where the parameters are", "Formula", "Tree", "Conventions", "Evidence"):
        assert models.page.get_by_role("region", name=name, exact=True).is_visible()
        assert models.page.get_by_role("heading", name=name, exact=True).is_visible()
    fields = "[...document.querySelectorAll('#fields :is(input, select)')]"
    named = f"{fields}.map((one) => Boolean(one.labels.length || one.ariaLabel))"
    assert models.page.evaluate(named) == [True] * (2 + 2 * 7)


ON_SCREEN = """(selector) => [...document.querySelectorAll(selector)].map((one) => {
  const { left, right, height } = one.getBoundingClientRect();
  return height > 0 && left >= 0 && right <= innerWidth;
})"""
NUMBERS = {
    "index.html": ".models tbody tr > td:nth-child(2)",
    "models/deepseek-v3.html": "#total, #active, #bytes, #formula td:nth-child(3)",
    "models/bert-base-uncased.html": "#total, #conventions td, .d2 > :empty + :empty + *",
    "difference.html#a=llama-3.1-8b&b=qwen3-8b": "#total, #components td:nth-child(-n + 3)",
}


@pytest.mark.parametrize("path", NUMBERS)
def test_the_numbers_are_on_the_screen_of_a_phone(new_page, path):
    new_page.page.set_viewport_size(PHONE)
    new_page.open(path)
    if "#" in path:
        new_page.settle()
    seen = new_page.page.evaluate(ON_SCREEN, NUMBERS[path])
    assert len(seen) > 3
    assert all(seen)


HEIGHTS = {"index.html": 15_500, "frameworks.html": 4_700, "models/deepseek-v3.html": 7_400}
"""The most pixels that a page is high on a phone."""


@pytest.mark.parametrize("path", HEIGHTS)
def test_a_page_is_not_too_high_on_a_phone(static_page, path):
    static_page.page.set_viewport_size(PHONE)
    static_page.open(path)
    height = static_page.page.evaluate("document.documentElement.scrollHeight")
    assert height < HEIGHTS[path]


def test_no_path_is_broken_within_a_word_on_a_phone(static_page):
    """A path may be broken after its separators, and nowhere else."""
    static_page.page.set_viewport_size(PHONE)
    static_page.open("frameworks.html")
    static_page.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
    seen, broken = static_page.page.evaluate(BROKEN, [r"\w+", ".answers td:nth-child(3)"])
    assert seen > 300
    assert broken == []
