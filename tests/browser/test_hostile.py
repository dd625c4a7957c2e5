"""Hostile input, pasted or in a link: none of it runs, and the error is one line."""

import json

import pytest

MARKUP = "<img src=x onerror=\"document.body.dataset.run=''\"><script>alert(1)</script>"


def config(text="", **keys):
    return {"config": text or json.dumps({"model_type": "qwen3", **keys})}


HUGE = '{"model_type": "qwen3", "hidden_size": 1%s}'
HOSTILE = {
    "markup in a type": (config(model_type=MARKUP), "onerror"),
    "markup in a value": (config(hidden_act=MARKUP), "onerror"),
    "markup in a class": (config(architectures=[MARKUP]), "onerror"),
    "markup in a name": ({"model": MARKUP}, "does not exist"),
    "markup in a letter": ({"model": "gpt2", MARKUP: "1"}, "is not a letter of this model"),
    "markup in a size": ({"model": "gpt2", "L": MARKUP}, "is not a positive whole number"),
    "markup in a convention": ({"model": "gpt2", "under": MARKUP}, "no convention is named"),
    "markup in a dtype": ({"model": "gpt2", "dtype": MARKUP}, "no dtype is named"),
    "a number of 400 digits": (config(HUGE % ("0" * 400)), "is not possible"),
    "5,000 digits": (config(HUGE % ("0" * 5000)), "a number has too many digits for a size"),
    "nested lists": (config("[" * 50_000), "nested deeper than 100 levels"),
    "nested objects": (config('{"a":' * 20_000), "nested deeper than 100 levels"),
    "nested in a key": (config(hidden_act=json.loads("[" * 90 + "]" * 90)), "hidden_act=[[["),
    "a key twice": (config('{"model_type": "gpt2", "model_type": "bert"}'), "appears twice"),
    "no object": (config("[1, 2]"), "is not a JSON object"),
    "a line break in a type": (config(model_type="a\nb"), "a\\nb"),
    "code beside it": (config(model_type="x", auto_map={"AutoModel": "a--b.C"}), ""),
    "a path": ({"model": "../../etc/passwd"}, "does not exist"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_runs_and_one_line_explains_it(models, name):
    state, expected = HOSTILE[name]
    models.state("model.html", **state)
    line = models.problem
    assert line
    assert expected in line
    assert len(line) <= 2000 and "\n" not in line  # noqa: PT018 - one thing: one line
    page = models.page
    assert page.locator("main img, main script:not([type])").count() == 0
    assert page.evaluate("document.body.dataset.run") is None
    # The page still works.
    models.state("model.html", model="bert-base")
    assert (models.problem, models.total) == ("", 109_482_240)


def test_a_file_that_is_too_long_is_not_read(models):
    models.state("model.html", model="bert-base")
    models.drop(" " * (2**20 + 1), "<b>config.json")
    models.page.wait_for_selector("#problem:not(:empty)")
    assert models.problem.startswith("<b>config.json has 1048577 bytes")
    models.state("model.html", model="bert-large")
    assert (models.problem, models.total) == ("", 335_141_888)
