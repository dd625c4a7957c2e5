"""The command that installs more of this project, from where the project came.

``pip install ".[torch]"`` works only inside a clone, and ``pip install "paramproof[torch]"`` only
if an index has the project. An installer records any other origin in ``direct_url.json``, beside
the metadata of the distribution: https://packaging.python.org/specifications/direct-url/
"""

from functools import cache
from os.path import exists
from typing import Any

NAME = "paramproof"  # The name of the distribution.
PIP = "python -m pip install"  # The installer, as a command for the active environment.

_KEPT = ":/?#@&=+~%"
"""Characters that structure a URL. Others that a shell may treat as special are escaped."""


@cache
def install_command(extra: str) -> str:
    """Return the command that installs this project with ``extra`` from its origin.

    The command works in any folder. It installs a clone as editable if the present installation is
    editable. It names only the project if that came from an index, is not installed, or came from a
    file that no longer exists.
    """
    from urllib.parse import quote

    origin = _origin()
    match origin:
        case {"url": str(url)} if url and _is_there(url):
            pass
        case _:
            return f'{PIP} "{NAME}[{extra}]"'
    match origin:
        case {"vcs_info": {"vcs": str(system), "commit_id": str(commit)}}:
            url = f"{system}+{url}@{commit}"
    match origin:
        case {"subdirectory": str(folder)}:
            url = f"{url}#subdirectory={folder}"
    url = quote(url, safe=_KEPT, errors="replace")
    match origin:
        case {"dir_info": {"editable": True}}:
            return f'{PIP} --editable "{url}[{extra}]"'
    return f'{PIP} "{NAME}[{extra}] @ {url}"'


def _origin() -> Any:
    import json  # These modules take long to import, and few commands need them.
    from importlib import metadata

    try:
        return json.loads(metadata.distribution(NAME).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return {}


def _is_there(url: str) -> bool:
    from urllib.parse import urlsplit
    from urllib.request import url2pathname  # Importing it loads HTTP.

    parts = urlsplit(url)
    return parts.scheme != "file" or exists(url2pathname(parts.path))
