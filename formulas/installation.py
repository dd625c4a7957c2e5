"""How to install more of this project, from wherever it was installed.

``pip install ".[torch]"`` works only inside a clone, and ``pip install "paramproof[torch]"`` only
where an index has the project. An installer that took the project from elsewhere wrote down where
from: in ``direct_url.json``, beside the metadata of the distribution.

Source: https://packaging.python.org/specifications/direct-url/
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from os.path import exists
from typing import Any
from urllib.parse import quote, urlsplit

NAME = "paramproof"
"""The name of the distribution."""

PIP = "python -m pip install"
"""The installer, as a command in the environment that is active."""

_KEPT = ":/?#@&=+~%"
"""The characters that structure a URL; all others that a shell may treat as special are escaped."""


@cache
def install_command(extra: str) -> str:
    """Return the command that installs this project with ``extra``, from where it came.

    The command works in any folder. It names a clone as editable where the installation is, and the
    project alone where it came from an index, is not installed, or came from a file that is gone.
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
    """Return what the installer wrote about where this project came from, {} for nothing."""
    try:
        text = metadata.distribution(NAME).read_text("direct_url.json")
        found = json.loads(text or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _url(origin: Mapping[str, Any]) -> str:
    """Return the URL for ``pip``, "" where there is none or nothing is there any more."""
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
    """Whether a local file or folder exists; a URL elsewhere is not asked for."""
    from urllib.request import url2pathname  # It imports HTTP, for advice that few need.

    parts = urlsplit(url)
    return parts.scheme != "file" or exists(url2pathname(parts.path))
