"""``count --html``."""

from html.parser import HTMLParser
from urllib.parse import unquote


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_a_model_as_one_file(paramproof, tmp_path):
    file = tmp_path / "bert.html"
    options = ("--dtype", "bfloat16", "--under", "without-embeddings")
    done = paramproof("count", "bert-base", "--html", str(file), *options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = file.read_text("utf-8")
    assert ">85,646,592</output>" in text
    assert "bfloat16, 2 bytes each: 171,293,184 bytes" in text
    assert "L·(4·H² + 2·H·F + 9·H + F)" in text
    # It refers to nothing, and its policy forbids loading anything.
    elements = Elements(text).found
    assert not [one for one in elements if {"src", "srcset"} & one[1].keys() or one[0] == "link"]
    (policy,) = (one["content"] for _, one in elements if one.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "<script" not in text
    # Each component's link leads to its picture on the page, and one to the evidence.
    leads = {unquote(one["href"][1:]) for one in (e[1] for e in elements) if "href" in one}
    assert {"at-", "at-layers", "at-embeddings"} < leads
    places = {unquote(one["id"]) for _, one in elements if "id" in one}
    assert leads == {one for one in places if one.startswith("at-")} | {"evidence-heading"}
    assert "evidence-heading" in places


def test_the_file_goes_to_standard_output(paramproof):
    done = paramproof("count", "gpt2", "--html", "-")
    assert done.stdout.startswith("<!doctype html><html")
