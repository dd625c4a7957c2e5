"""Whole documents: the pages of the site, and the page of a model as a single file."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from paramproof.counting.conventions import DEFAULT
from paramproof.pages.markup import Html, joined, tag
from paramproof.pages.model import DTYPE, sections, title
from paramproof.pages.viewing import View
from paramproof.resolver import AnyModel

VIEWS = {
    "index": "Models",
    "number": "Explain a number",
    "difference": "Compare models",
    "frameworks": "Frameworks",
}
"""The pages that every page links to."""

ONLY_OURS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "worker-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)
"""The policy of all pages: load nothing from other hosts, and run no inline scripts."""


def page(name: str, view: str, body: Html, *, root: str = "", model: str = "") -> str:
    """Return a page of the site; ``root`` is the path to its folder, ``model`` the model shown."""
    head = joined(
        tag("meta", http_equiv="Content-Security-Policy", content=ONLY_OURS),
        tag("link", rel="stylesheet", href=f"{root}style.css"),
        tag("link", rel="icon", href=f"{root}icon.svg"),
        tag("script", src=f"{root}app.js", type="module"),
    )
    links = (
        tag("a", label, href=f"{root}{file}.html", aria_current="page" if file == view else None)
        for file, label in VIEWS.items()
    )
    top = tag(
        "header",
        tag("a", "Skip to content", href="#main", class_="skip"),
        tag("b", "paramproof"),
        tag("nav", *links, aria_label="Views"),
    )
    status = tag("footer", tag("p", "", id="status", role="status"))
    attributes = {"data_view": view, "data_root": root, "data_model": model}
    return _document(name, head, joined(top, body, status), **attributes)


def model_page(model: AnyModel, root: str) -> str:
    """Return the page of a named model, whose numbers can be read without a script."""
    view = View(model)
    body = main(title(model), sections(view, DTYPE, live=True))
    name = f"{title(model)}: {view.number:,} parameters"
    return page(name, "model", body, root=root, model=model.name)


def model_file(model: AnyModel, under: str = DEFAULT, dtype: str = DTYPE) -> str:
    """Return the page of a model as one file, which needs no other file, network or script."""
    view = View(model, under)
    style = files("paramproof.pages").joinpath("static/style.css").read_text("utf-8")
    policy = f"default-src 'none'; style-src '{_digest(style)}'"
    head = joined(
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("style", Html(style)),
    )
    body = main(title(model), sections(view, dtype, live=False))
    return _document(f"{title(model)}: {view.number:,} parameters", head, body)


def main(heading: str, *content: object) -> Html:
    """Return the heading and content of a page, with an element for error messages."""
    problem = tag("p", "", id="problem", role="alert")
    return tag("main", tag("h1", heading, id="title"), problem, *content, id="main")


def _document(name: str, head: Html, body: Html, **attributes: str) -> str:
    whole = tag(
        "html",
        tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("title", name),
            head,
        ),
        tag("body", body, **attributes),
        lang="en",
    )
    return f"<!doctype html>{whole}\n"


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
