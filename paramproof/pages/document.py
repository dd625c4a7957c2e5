"""Whole documents: the pages of the site, and the page of a model as a single file."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from paramproof.pages.model import sections, title
from paramproof.pages.viewing import View
from paramproof.resolver import Model
from paramproof.views.conventions import DEFAULT
from paramproof.views.html import Html, filled, joined, tag

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


HEAD = (
    '<meta http-equiv="Content-Security-Policy" content="{policy}">'
    '<meta name="description" content="{purpose}">'
    '<link rel="stylesheet" href="{root}style.css"><link rel="icon" href="{root}icon.svg">'
    '<script src="{root}app.js" type="module"></script>'
)
TOP = (
    '<header><a href="#main" class="skip">Skip to content</a>'
    '<a href="{root}index.html" class="brand">paramproof</a>'
    '<nav aria-label="Views">{links}</nav>'
    '<button type="button" id="copy-link" hidden>Copy link</button></header>'
)
FOOTER = (
    '<p id="status" role="status"></p><footer><p>{purpose}</p><p class="links">'
    '<a href="{root}about.html#evidence">How do you know?</a>'
    '<a href="{root}{documentation}">Documentation</a>'
    '<a href="{root}about.html#source">Source</a><a href="{root}licence.txt">MIT licence</a>'
    "</p></footer>"
)


def page(
    name: str, view: str, body: Html, *, root: str = "", model: str = "", docs: str = ""
) -> str:
    """Return a page of the site.

    ``root`` is the path to its folder, ``model`` the model shown, and ``docs`` the path from the
    folder to the documentation, "" if that is not beside it.
    """
    links = (
        tag("a", label, href=f"{root}{file}.html", aria_current="page" if file == view else None)
        for file, label in VIEWS.items()
    )
    documentation = f"{docs}index.html" if docs else "about.html#documentation"
    head = filled(HEAD, policy=ONLY_OURS, purpose=PURPOSE, root=root)
    top = filled(TOP, root=root, links=joined(*links))
    footer = filled(FOOTER, root=root, purpose=PURPOSE, documentation=documentation)
    attributes = {"data_view": view, "data_root": root, "data_model": model}
    return _document(name, head, joined(top, body, footer), **attributes)


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
    meta = tag("meta", http_equiv="Content-Security-Policy", content=policy)
    head = joined(meta, tag("style", Html(style)))
    body = main(title(model), sections(view, dtype, live=False))
    return _document(f"{title(model)}: {view.number:,} parameters", head, body)


def main(heading: str, *content: object) -> Html:
    """Return the heading and content of a page, with an element for error messages."""
    problem = tag("p", "", id="problem", role="alert")
    return tag("main", tag("h1", heading, id="title"), problem, *content, id="main")


DOCUMENT = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name}</title>'
    "{head}</head>{body}</html>\n"
)


def _document(name: str, head: Html, body: Html, **attributes: str) -> str:
    return filled(DOCUMENT, name=name, head=head, body=tag("body", body, **attributes))


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
