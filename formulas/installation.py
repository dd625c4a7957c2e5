"""What is installed: plug-ins, and the command that installs more of this project.

Plug-ins are families and frameworks that other distributions register as entry points. A broken one
must not stop those who never use it: it is left out and noted here, and raises an error only if
somebody names it.

``pip install ".[torch]"`` works only inside a clone, and ``pip install "paramproof[torch]"`` only
if an index has the project. An installer records any other origin in ``direct_url.json``, beside
the metadata of the distribution: https://packaging.python.org/specifications/direct-url/
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from os.path import exists
from typing import TYPE_CHECKING, Any

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

NAME = "paramproof"  # The name of the distribution.
PIP = "python -m pip install"  # The installer, as a command for the active environment.
_KEPT = ":/?#@&=+~%"
"""Characters that structure a URL. Others that a shell may treat as special are escaped."""

_broken: dict[tuple[str, str], InvalidInput] = {}


def entries(group: str) -> list[EntryPoint]:
    """Return the entry points registered under ``group``, sorted by name."""
    from importlib import metadata  # A count needs no plug-in.

    return sorted(metadata.entry_points(group=group))


def note_broken(entry: EntryPoint, problem: object) -> None:
    """Record that a plug-in cannot be used because of ``problem``, an exception or a text."""
    kind = f"{type(problem).__name__}: " if isinstance(problem, BaseException) else ""
    what = legible(f"{kind}{problem}", MAX_NOTE_SHOWN)
    owner = f" of {legible(entry.dist.name)}" if entry.dist else ""
    reason = f"the plug-in {legible(entry.name)}{owner} cannot be used: {what}"
    # A plug-in may be loaded several times: keep the first error.
    _broken.setdefault((entry.group, entry.name), InvalidInput(reason, where=entry.value))


def broken_plugins() -> tuple[InvalidInput, ...]:
    return tuple(_broken.values())


def require_whole(group: str, name: object) -> None:
    """Raise ``InvalidInput`` if the plug-in registered as ``name`` under ``group`` is broken."""
    for (of, registered), error in _broken.items():
        if of == group and isinstance(name, str) and registered.casefold() == name.casefold():
            raise error


def forget_broken() -> None:
    _broken.clear()


@cache
def install_command(extra: str) -> str:
    """Return the command that installs this project with ``extra`` from its origin.

    The command works in any folder. It installs a clone as editable if the present installation is
    editable. It names only the project if that came from an index, is not installed, or came from a
    file that no longer exists.
    """
    origin = _origin()
    if not (url := _url(origin)):
        return f'{PIP} "{NAME}[{extra}]"'
    match origin.get("dir_info"):
        case {"editable": True}:
            return f'{PIP} --editable "{url}[{extra}]"'
    return f'{PIP} "{NAME}[{extra}] @ {url}"'


def _origin() -> Mapping[str, Any]:
    import json  # These modules take long to import, and few commands need them.
    from importlib import metadata

    try:
        text = metadata.distribution(NAME).read_text("direct_url.json")
        found = json.loads(text or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _url(origin: Mapping[str, Any]) -> str:
    """Return the URL for ``pip``, "" if there is none or it no longer exists."""
    from urllib.parse import quote

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
    from urllib.parse import urlsplit
    from urllib.request import url2pathname  # Importing it loads HTTP.

    parts = urlsplit(url)
    return parts.scheme != "file" or exists(url2pathname(parts.path))
