"""The other views: a number, two models, the frameworks, the list of all."""

import json

from docs.writers.blocks import ROOT
from paramproof.differences.answer import Answer


def folded(text):
    return " ".join(text.split())


def test_a_number_is_explained_as_the_command_line_does(opened, paramproof):
    opened.open("number.html#n=2362368")
    opened.settle()
    for number in ("2362368", "110M", "335143938", "12345"):
        opened.state("number.html", n=number)
        said = paramproof("explain", number).stdout
        assert folded(opened.text("#answer")) == folded(said)
    opened.page.fill("[name=n]", "335141888")
    opened.page.fill("[name=model]", "bert-large")
    opened.page.press("[name=model]", "Enter")
    opened.settle()
    assert opened.page.url.endswith("number.html#n=335141888&model=bert-large")
    said = paramproof("explain", "335141888", "bert-large").stdout
    assert folded(opened.text("#answer")) == folded(said)
    opened.state("number.html", n="<b>")
    assert opened.problem == "'<b>' is no number of parameters, as 2,362,368 or 110M are"


def test_two_models_side_by_side(opened, paramproof):
    opened.open("difference.html#a=bert-base&b=gpt2")
    opened.settle()
    rows = opened.page.locator("#answer tbody tr")
    shown = [[cell.strip() for cell in row.split("\t")] for row in rows.all_inner_texts()]
    said = paramproof("diff", "bert-base", "gpt2").stdout.splitlines()
    printed = [folded(line) for line in said]
    for path, _, *cells in shown:
        assert folded(" ".join([path, *cells])) in printed
    assert opened.text("#total") == "+14,957,568"
    assert opened.page.locator("#answer svg rect.other").count() == len(shown) - 1
    opened.state("difference.html", a="bert-base", b="nope")
    assert opened.problem.startswith("no model is named 'nope'")


def test_the_frameworks_are_filtered(opened):
    data = json.loads((ROOT / "docs/framework-differences.json").read_text("utf-8"))
    cells = [Answer.from_json(cell) for cell in data["cells"]]
    rows = opened.page.locator("[data-row]:visible")
    opened.open("frameworks.html")
    everything = rows.count()
    opened.open("frameworks.html#component=pooler&framework=keras-bert")
    own = {c.row for c in cells if c.framework == "keras-bert" and "pooler" in str(c.components)}
    assert 0 < len(own) < everything
    assert {text.split()[0] for text in rows.all_inner_texts()} == own
    opened.page.select_option("[name=component]", "")
    opened.page.fill("[name=q]", "gelu tanh")
    assert rows.all_inner_texts()
    assert all("tanh" in text for text in rows.all_inner_texts())
    assert opened.page.url.endswith("#q=gelu+tanh&framework=keras-bert")


def test_the_list_leads_to_every_model(opened, site):
    opened.open("index.html")
    links = opened.page.eval_on_selector_all(
        "main a", "all => all.map((one) => one.getAttribute('href'))"
    )
    files = {f"models/{file.name}" for file in (site / "models").iterdir()}
    assert files <= set(links)
    opened.page.fill("[name=q]", "deepseek")
    shown = opened.page.locator("[data-row]:visible").all_inner_texts()
    assert shown
    assert all("deepseek" in text for text in shown)


def test_a_model_as_one_file(browser, paramproof, tmp_path):
    file = tmp_path / "page.html"
    assert paramproof("count", "mixtral-8x7b", "--html", str(file)).returncode == 0
    context = browser.new_context(offline=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert page.inner_text("#total") == "46,702,792,704"
    where = page.locator("#picture p:visible")
    assert where.inner_text() == "total"
    page.locator("#picture a.cell:visible").first.click()
    assert where.inner_text() == "total › model"
    where.locator("a").first.click()
    assert where.inner_text() == "total"
    assert {url.partition("#")[0] for url in asked} == {file.as_uri()}
    context.close()
