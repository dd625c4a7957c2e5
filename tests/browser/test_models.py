"""The page of a model: Python in the browser gives the same answers as here."""

import json
import re

import pytest

from paramproof.resolver import resolve
from paramproof.views.conventions import under_every
from tests.browser.watched import folded
from tests.configs import LLAMA_3_1_8B


def test_every_named_page_has_the_number_of_the_command_line(static_page, site, paramproof):
    listed = json.loads(paramproof("models", "--json", "-").stdout)["models"]
    expected = {one["name"]: f"{one['parameters']:,}" for one in listed}
    static_page.open("index.html")
    read = """(names) => Promise.all(names.map(async (name) => {
      const text = await (await fetch(`models/${name}.html`)).text();
      const page = new DOMParser().parseFromString(text, "text/html");
      return [name, page.getElementById("total").textContent];
    }))"""
    names = [file.stem for file in (site / "models").iterdir()]
    assert dict(static_page.page.evaluate(read, names)) == expected


def test_the_tree_folds_without_a_script(no_script):
    no_script.goto("models/bert-base-uncased.html")
    query = no_script.locator("summary:has-text('query')")
    tensor = no_script.locator("[title='layers.*.attention.query.kernel']")
    assert not tensor.is_visible()
    query.focus()
    query.press("Enter")
    assert tensor.is_visible()
    no_script.locator("summary:has-text('embeddings')").first.click()
    assert not no_script.locator("[title='embeddings.word_embeddings']").is_visible()


def test_unfolded_parts_stay_unfolded_and_keep_the_focus(models):
    models.state("model.html", model="bert-base")
    models.page.locator("summary:has-text('query')").press("Enter")
    models.page.locator("summary:has-text('embeddings')").first.press("Enter")
    models.state("model.html", model="bert-base", H="1536")
    tensor = models.page.locator("li:has(> .line [title='layers.*.attention.query.kernel'])")
    assert folded(tensor.inner_text()) == (
        "kernel shape (H, H) at these sizes (1536, 1536) each 2,359,296 × 12 "
        "total 28,311,552 10.23 %"
    )
    assert not models.page.locator("[title='embeddings.word_embeddings']").is_visible()
    assert models.page.evaluate("document.activeElement.parentNode.dataset.path") == "embeddings"


@pytest.mark.parametrize("name", ["wav2vec2", "transformer-one-layer"])
def test_conventions(models, name):
    for convention, number in under_every(resolve(name).inventory()).items():
        models.state("model.html", model=name, under=convention)
        assert models.problem or models.total == number, convention
        assert bool(models.problem) is (number is None), convention


STILL = ("models/bert-base-uncased.html", "index.html#q=bert", "frameworks.html", "about.html")


@pytest.mark.parametrize("path", [*STILL, "model.html#model=deepseek-v3", "number.html#n=110M"])
def test_no_python_starts_where_the_answer_is_on_the_page(new_page, path):
    new_page.open(path)
    if "model" in path or "number" in path:
        new_page.settle()
        assert re.search(r"\d,\d{3}|110M", new_page.text("#number, #answer"))
    new_page.page.wait_for_load_state("networkidle")
    assert not any("worker.js" in url for url in new_page.asked)


def test_a_slider_starts_python_and_moves_once_the_sizes_are_known(new_page):
    new_page.open("models/gpt2.html")
    new_page.page.press("[data-letter=L]", "ArrowRight")
    new_page.settle()
    assert new_page.page.url.endswith("models/gpt2.html#L=13")
    assert new_page.total == 124_439_808 + 7_087_872


def test_letters_change_the_number(models):
    models.state("model.html", model="bert-base")
    page = models.page
    slider = page.locator("[data-letter=H]")
    slider.focus()
    slider.press("ArrowRight")
    models.settle()
    hidden = int(page.input_value("#size-H"))
    assert hidden > 768 and hidden % 12 == 0  # noqa: PT018 - one thing: a value that 12 divides
    models.asking(page.select_option, "[name=dtype]", "bfloat16")
    assert models.text("#bytes").startswith(f"bfloat16, 2 bytes each: {2 * models.total:,} bytes")
    models.asking(page.click, "button[type=reset]")
    assert models.total == 109_482_240


def test_the_picture_opens_by_click_and_by_keyboard(models):
    models.state("model.html", model="deepseek-v3")
    page = models.page
    opened = "#picture p:has(a + a)"
    page.locator("#picture a.cell[aria-label^=experts]").press("Enter")
    page.wait_for_selector(opened)
    where = page.inner_text(opened)
    assert where.startswith("total › ")
    page.locator(opened).locator("a").first.click()
    page.wait_for_selector("#picture p:not(:has(a + a))")
    page.locator("#picture a.cell[aria-label^=experts]").click()
    page.wait_for_selector(opened)
    assert page.inner_text(opened) == where
    page.go_back()
    page.wait_for_selector("#picture p:not(:has(a + a))")


def test_a_link_restores_the_whole_state(new_page):
    new_page.open("models/bert-large-uncased.html#L=12&under=layers-only&dtype=int8&at=layers")
    new_page.settle()
    assert new_page.total == 12 * 12_596_224
    assert new_page.page.input_value("#size-L") == "12"
    assert new_page.page.input_value("[name=under]") == "layers-only"
    assert new_page.text("#bytes").startswith("int8")
    assert new_page.text("#picture p") == "total › layers: 151,154,688, 100.00 %"


def test_python_starts_from_its_image(models):
    assert models.page.evaluate("document.body.dataset.image") == ""


def test_the_standard_library_comes_after_the_first_answer(new_page):
    """Until then a reader does not load it, and later a module that is new can be imported."""
    new_page.page.route("**/python_stdlib.zip", lambda route: library.append(route))
    library = []
    new_page.open("models/bert-base-uncased.html#L=13")
    new_page.settle()
    assert new_page.total == 109_482_240 + 7_087_872
    new_page.page.wait_for_timeout(0)
    assert len(library) == 1
    library[0].continue_()
    new_page.page.wait_for_selector("body[data-library]", state="attached")


def test_without_an_image_python_starts_anew(new_page):
    new_page.page.route("**/python.image", lambda route: route.fulfill(body="no image"))
    new_page.open("models/bert-base-uncased.html#L=13")
    new_page.settle()
    assert new_page.page.evaluate("document.body.dataset.image") is None
    assert new_page.total == 109_482_240 + 7_087_872


def test_a_configuration_is_pasted(models):
    models.state("model.html", model="bert-base")
    copy = "(text) => navigator.clipboard.writeText(text)"
    models.page.evaluate(copy, json.dumps(LLAMA_3_1_8B, indent=2))
    models.asking(models.page.keyboard.press, "Control+v")
    assert models.total == resolve(LLAMA_3_1_8B).inventory().total()
    # It is in the fragment, which no request contains.
    assert not any("config" in url.partition("#")[0] for url in models.asked)


def test_copied_text(models):
    models.state("model.html", model="bert-base")
    models.page.click("summary:has-text('LaTeX')")
    for what, start in (("sum", "L·(4·H²"), ("latex", r"\begin{align*}")):
        models.page.click(f"[data-copy={what}]")
        copied = models.page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(start)
