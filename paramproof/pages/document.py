"""Whole documents: the pages of the site, and the page of a model as a single file."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from paramproof.pages.model import sections, title
from paramproof.pages.viewing import View
from paramproof.resolver import Model
from paramproof.views.conventions import DEFAULT
from paramproof.views.html import Html, joined, tag

VIEWS = {
    "index": "Models",
    "number": "Explain a number",
    "difference": "Compare models",
    "frameworks": "Frameworks",
    "about": "About",
}
"""The pages that every page links to."""

PURPOSE = (
    "paramproof counts the parameters of transformers exactly, and derives the formula behind each "
    "number. It runs in your browser: what you type, paste or drop is not sent anywhere."
)

ONLY_OURS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "worker-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)
"""The policy of all pages: load nothing from other hosts, and run no inline scripts."""


def page(
    name: str, view: str, body: Html, *, root: str = "", model: str = "", docs: str = ""
) -> str:
    """Return a page of the site.

    ``root`` is the path to its folder, ``model`` the model shown, and ``docs`` the path from the
    folder to the documentation, "" if that is not beside it.
    """
    head = joined(
        tag("meta", http_equiv="Content-Security-Policy", content=ONLY_OURS),
        tag("meta", name="description", content=PURPOSE),
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
        tag("a", "paramproof", href=f"{root}index.html", class_="brand"),
        tag("nav", *links, aria_label="Views"),
        tag("button", "Copy link", type="button", id="copy-link", hidden=True),
    )
    status = tag("p", "", id="status", role="status")
    attributes = {"data_view": view, "data_root": root, "data_model": model}
    return _document(name, head, joined(top, body, status, _footer(root, docs)), **attributes)


def _footer(root: str, docs: str) -> Html:
    """Return what the project is, with links to the documentation, the source and the licence."""
    places = {
        "How do you know?": f"{root}about.html#evidence",
        "Documentation": f"{root}{docs}index.html" if docs else f"{root}about.html#documentation",
        "Source": f"{root}about.html#source",
        "MIT licence": f"{root}licence.txt",
    }
    links = (tag("a", label, href=href) for label, href in places.items())
    return tag("footer", tag("p", PURPOSE), tag("p", *links, class_="links"))


def model_page(model: Model, root: str, docs: str = "") -> str:
    """Return the page of a named model, whose numbers can be read without a script."""
    view = View(model)
    body = main(title(model), sections(view, live=True))
    name = f"{title(model)}: {view.number:,} parameters"
    return page(name, "model", body, root=root, model=model.name, docs=docs)


def model_file(model: Model, under: str = DEFAULT, dtype: str = "") -> str:
    """Return the page of a model as one file, which needs no other file, network or script.

    ``dtype`` defaults to the precision in which the model is published.
    """
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
