"""``paramproof site``: the built site, served to this machine's own browser."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click

from paramproof.cli.output import say
from paramproof.formulas.printing import path_text

LOOPBACK = "127.0.0.1"
FOLDER = Path("build/site")
"""Where ``tox run -e site`` builds it."""

NEEDED = ("index.html", "paramproof.whl", "pyodide/pyodide.asm.wasm")


class _Files(SimpleHTTPRequestHandler):
    """Files of a folder; nothing is logged."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    """A server whose readers may leave before they have all of a file."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server_of(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of a built site on the loopback address; port 0 takes a free one.

    Raises ``ValueError``, in one line, where there is no such site, and for a port that is taken.
    """
    if missing := [name for name in NEEDED if not (folder / name).is_file()]:
        raise ValueError(
            f"{path_text(folder)} is no built site: it has no {missing[0]}; "
            "tox run -e site builds it, in build/site"
        )
    handler: Callable[..., SimpleHTTPRequestHandler] = partial(_Files, directory=str(folder))
    try:
        return _Server((LOOPBACK, port), handler)
    except OSError as error:
        raise ValueError(f"port {port} cannot be served: {error.strerror}") from None


@click.command("site", short_help="Serve the site that was built.")
@click.argument("folder", type=Path, default=FOLDER)
@click.option("--open", "opened", is_flag=True, help="Open it in the browser.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Serve at this port.")
def site_command(folder: Path, opened: bool, port: int) -> None:
    """Serve FOLDER, the site that tox run -e site has built, to this machine alone.

    The site counts in the browser: models, numbers, differences, and how frameworks differ.
    Without FOLDER it is build/site. Ctrl-C ends it.
    """
    with server_of(folder, port) as server:
        url = f"http://{LOOPBACK}:{server.server_port}/"
        say(f"{url} (Ctrl-C ends it)")
        if opened:
            webbrowser.open(url)
        server.serve_forever()
