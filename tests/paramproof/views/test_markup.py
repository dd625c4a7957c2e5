from paramproof.views.html import Html, joined, lines, tag

MARKUP = "<b>\"&'"
ESCAPED = "&lt;b&gt;&quot;&amp;&#x27;"


def test_text_is_escaped_and_markup_is_not():
    assert joined(MARKUP, tag("i", MARKUP), None, 3) == f"{ESCAPED}<i>{ESCAPED}</i>3"
    assert tag("a", href=MARKUP, title=None, hidden=True, disabled=False) == (
        f'<a href="{ESCAPED}" hidden></a>'
    )
    assert tag("input", name="n", data_of="x", class_="y") == (
        '<input name="n" data-of="x" class="y">'
    )
    assert lines([MARKUP]) == f'<ul class="lines"><li>{ESCAPED}</li></ul>'


def test_joined_markup_is_markup():
    assert isinstance(joined("a"), Html)
    assert joined(joined("&")) == "&amp;"
