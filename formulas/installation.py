"""The command that installs an extra of this project from where the project was installed.

``pip install ".[torch]"`` works only inside a clone, and ``pip install "paramproof[torch]"`` only
if an index has the project. An installer records any other origin in ``direct_url.json``, beside
the metadata of the distribution.

Source: https://packaging.python.org/specifications/direct-url/
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from os.path import exists
from typing import Any
from urllib.parse import quote, urlsplit

NAME = "paramproof"
"""The name of the distribution."""

PIP = "python -m pip install"
"""The installer, as a command for the active environment."""

_KEPT = ":/?#@&=+~%"
"""Characters that structure a URL. Others that a shell may treat as special are escaped."""


@cache
def install_command(extra: str) -> str:
    """Return the command that installs this project with ``extra`` from its origin.

    The command works in any folder. It installs a clone as editable if the present installation is
    editable. It names only the project if that came from an index, is not installed, or came from a
    file that no longer exists.
    """
    wanted = f"{NAME}[{extra}]"
    origin = _origin()
    url = _url(origin)
    if not url:
        return f'{PIP} "{wanted}"'
    match origin.get("dir_info"):
        case {"editable": True}:
            return f'{PIP} --editable "{url}[{extra}]"'
    return f'{PIP} "{wanted} @ {url}"'


def _origin() -> Mapping[str, Any]:
    """Return the installer's record of the origin of this project, {} if there is none."""
    from importlib import metadata  # Importing it takes long, and few commands need it.

    try:
        text = metadata.distribution(NAME).read_text("direct_url.json")
        found = json.loads(text or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _url(origin: Mapping[str, Any]) -> str:
    """Return the URL for ``pip``, "" if there is none or it no longer exists."""
    url = origin.get("url")
    if not isinstance(url, str) or not url or not _is_there(url):
        return ""
    match origin.get("vcs_info"):
        case {"vcs": str(system), "commit_id": str(commit)}:
            url = f"{system}+{url}@{commit}"
    if isinstance(folder := origin.get("subdirectory"), str):
        url = f"{url}#subdirectory={folder}"
    return quote(url, safe=_KEPT, errors="replace")


def _is_there(url: str) -> bool:
    """Return whether a local file or folder exists, and True for any other URL."""
    from urllib.request import url2pathname  # Importing it loads HTTP, which is rarely needed.

    parts = urlsplit(url)
    return parts.scheme != "file" or exists(url2pathname(parts.path))
