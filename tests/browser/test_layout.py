"""Numbers are whole and on the screen, at the width of a desk and of a phone."""

import pytest

WIDTHS = (1280, 390, 320)

BUILT = (
    "index.html",
    "models/bert-base-uncased.html",
    "models/deepseek-v3.html",
    "models/kimi-k2.html",
    "number.html",
    "difference.html",
    "frameworks.html",
    "about.html",
)

ANSWERED = {
    "models": ("model.html", {"model": "deepseek-v3"}),
    "numbers": ("number.html", {"n": "671B"}),
    "differences": (
        "difference.html",
        {"a": "kimi-k2", "b": "deepseek-v3", "c": "gpt2", "d": "gpt-oss-120b"},
    ),
}

BROKEN = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let seen = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentNode.closest("option, script, #problem")) continue;
    for (const match of node.data.matchAll(/\\d[\\d,.]*\\d/g)) {
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const tops = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
      seen += tops.size > 0;
      if (tops.size > 1) found.push(match[0]);
    }
  }
  return [seen, found];
}"""
"""Return how many numbers are drawn, and those that are drawn in more than one line."""


def require_whole_numbers(page):
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        seen, broken = page.evaluate(BROKEN)
        assert broken == [], width
    return seen


@pytest.mark.parametrize("path", BUILT)
def test_no_number_is_broken_within_its_digits(static_page, path):
    static_page.open(path)
    seen = require_whole_numbers(static_page.page)
    assert seen > 40 or path in ("number.html", "difference.html", "about.html")


@pytest.mark.parametrize("place", ANSWERED)
def test_no_number_of_an_answer_is_broken(request, place):
    watched = request.getfixturevalue(place)
    path, state = ANSWERED[place]
    watched.state(path, **state)
    size = watched.page.viewport_size
    seen = require_whole_numbers(watched.page)
    watched.page.set_viewport_size(size)
    assert seen > 5


ON_SCREEN = """(selector) => [...document.querySelectorAll(selector)].map((one) => {
  const { left, right, height } = one.getBoundingClientRect();
  return height > 0 && left >= 0 && right <= innerWidth;
})"""

NUMBERS = {
    "index.html": ".models tbody tr > td:nth-child(2)",
    "models/deepseek-v3.html": "#total, #active, #bytes, #formula td:nth-child(3)",
    "models/bert-base-uncased.html": "#total, #conventions td:nth-child(2)",
}


@pytest.mark.parametrize("path", NUMBERS)
def test_the_numbers_are_on_the_screen_of_a_phone(static_page, path):
    static_page.page.set_viewport_size({"width": 390, "height": 844})
    static_page.open(path)
    seen = static_page.page.evaluate(ON_SCREEN, NUMBERS[path])
    assert len(seen) > 3
    assert all(seen)


def test_the_numbers_of_two_models_are_on_the_screen_of_a_phone(differences):
    differences.state("difference.html", a="llama-3.1-8b", b="qwen3-8b")
    page, size = differences.page, differences.page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    seen = page.evaluate(ON_SCREEN, "#total, #components td:nth-child(-n + 3)")
    page.set_viewport_size(size)
    assert len(seen) > 8
    assert all(seen)


HEIGHTS = {"index.html": 15_500, "frameworks.html": 2_000, "models/deepseek-v3.html": 7_300}
"""The most pixels that a page is high on a phone."""


@pytest.mark.parametrize("path", HEIGHTS)
def test_a_page_is_not_too_high_on_a_phone(static_page, path):
    static_page.page.set_viewport_size({"width": 390, "height": 844})
    static_page.open(path)
    height = static_page.page.evaluate("document.documentElement.scrollHeight")
    assert height < HEIGHTS[path]


def test_no_path_is_broken_within_a_word_on_a_phone(static_page):
    """A path may be broken after its separators, and nowhere else."""
    static_page.page.set_viewport_size({"width": 390, "height": 844})
    static_page.open("frameworks.html")
    static_page.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
    lines = static_page.page.evaluate(
        """[...document.querySelectorAll(".answers td:nth-child(3)")].flatMap((cell) => {
          const range = document.createRange(), found = [];
          const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            for (const { 0: word, index } of node.data.matchAll(/\\w+/g)) {
              range.setStart(node, index);
              range.setEnd(node, index + word.length);
              found.push([word, new Set([...range.getClientRects()].map((r) => r.top)).size]);
            }
          }
          return found;
        })"""
    )
    assert len(lines) > 300
    assert [word for word, tops in lines if tops > 1] == []
