"""``paramproof site``: serve the built site to the browser of this machine."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click

from paramproof.cli.output import Unwrapped, console, show
from paramproof.formulas.printing import path_text

LOOPBACK = "127.0.0.1"

NEEDED = ("index.html", "paramproof.whl", "pyodide/pyodide.asm.wasm")


class _Files(SimpleHTTPRequestHandler):
    """Logs nothing, and ignores clients that close their connection early."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's
        pass

    def handle(self) -> None:
        with suppress(ConnectionError):
            super().handle()


def server_of(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of a built site on the loopback address; port 0 takes a free one."""
    if missing := [name for name in NEEDED if not (folder / name).is_file()]:
        how = "'tox run -e site' builds one in build/site"
        raise ValueError(f"{path_text(folder)} is not a built site: {missing[0]} is missing; {how}")
    try:
        return ThreadingHTTPServer((LOOPBACK, port), partial(_Files, directory=str(folder)))
    except OSError as error:
        raise ValueError(f"port {port} cannot be served: {error.strerror}") from None


@click.command("site", short_help="Serve the built site.")
@click.argument("folder", type=Path, default="build/site")
@click.option("--open", "opened", is_flag=True, help="Open the site in the browser.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to use. Default: a free one."
)
def site_command(folder: Path, opened: bool, port: int) -> None:
    """Serve FOLDER, a site built by 'tox run -e site', on this machine only.

    The site counts models, explains numbers, compares models and lists how frameworks differ, all
    in the browser. FOLDER defaults to build/site. Press Ctrl-C to stop.
    """
    with server_of(folder, port) as server:
        url = f"http://{LOOPBACK}:{server.server_port}/"
        show(console, [Unwrapped(f"{url} (press Ctrl-C to stop)")])
        if opened:
            webbrowser.open(url)
        server.serve_forever()
