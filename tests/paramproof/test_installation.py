"""The advice to install repeats what the installer recorded, and works in any folder."""

import json
import shlex

import pytest
from packaging.requirements import Requirement

from paramproof.installation import install_command

ODD = "odd $HOME 'a' (b)&c#d!é%20`e`"
"""A folder's name with characters that shells and URLs treat as special."""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install this project's metadata with the given ``direct_url.json``."""
    info = tmp_path / "site" / "paramproof-1.0.dist-info"
    info.mkdir(parents=True)
    metadata = "Metadata-Version: 2.1\nName: paramproof\nVersion: 1.0\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    monkeypatch.syspath_prepend(info.parent)
    install_command.cache_clear()

    def install(origin):
        text = origin if isinstance(origin, str) else json.dumps(origin)
        (info / "direct_url.json").write_text(text, encoding="utf-8")

    yield install
    install_command.cache_clear()


def arguments(extra="torch"):
    """Return the arguments that a shell passes on after ``python -m pip install``."""
    python, m, pip, install, *rest = shlex.split(install_command(extra))
    assert (python, m, pip, install) == ("python", "-m", "pip", "install")
    return rest


GIT = "https://example.org/paramproof.git"
COMMIT = {"vcs": "git", "commit_id": "c0ffee", "requested_revision": "main"}
ARCHIVE = "https://example.org/paramproof-1.0.zip?download=1&from=~me"


@pytest.mark.parametrize(
    ("origin", "url"),
    [
        ({"url": GIT, "vcs_info": COMMIT}, f"git+{GIT}@c0ffee"),
        (
            {"url": GIT, "vcs_info": COMMIT, "subdirectory": "python/it"},
            f"git+{GIT}@c0ffee#subdirectory=python/it",
        ),
        ({"url": ARCHIVE, "archive_info": {}}, ARCHIVE),
        # A value of the wrong type is ignored.
        ({"url": GIT, "vcs_info": COMMIT | {"vcs": 3}}, GIT),
        ({"url": GIT, "vcs_info": COMMIT | {"commit_id": 3}}, GIT),
        ({"url": GIT, "vcs_info": [3]}, GIT),
        ({"url": GIT, "dir_info": [3]}, GIT),
        ({"url": GIT, "subdirectory": [3]}, GIT),
    ],
)
def test_from_elsewhere(installed, origin, url):
    installed(origin)
    assert arguments() == [f"paramproof[torch] @ {url}"]


@pytest.mark.parametrize(
    "origin",
    ["", "no json", "[]", "{}", '{"url": 3}', '{"url": ""}', '{"url": null, "dir_info": 3}'],
)
def test_from_an_index(installed, origin):
    installed(origin)
    assert install_command("keras-jax") == 'python -m pip install "paramproof[keras-jax]"'


@pytest.mark.parametrize("name", ["plain", ODD])
@pytest.mark.parametrize("about", ["archive_info", "dir_info"])
def test_from_a_file_or_folder(installed, tmp_path, name, about):
    path = tmp_path / name
    path.mkdir()
    installed({"url": path.as_uri(), about: {}})
    (given,) = arguments()
    requirement = Requirement(given)
    assert (requirement.name, requirement.extras) == ("paramproof", {"torch"})
    assert requirement.url == path.as_uri()
    path.rmdir()
    install_command.cache_clear()
    assert arguments() == ["paramproof[torch]"], "it is gone"


@pytest.mark.parametrize("name", ["plain", ODD])
def test_from_an_editable_clone(installed, tmp_path, name):
    """The installation stays editable."""
    (tmp_path / name).mkdir()
    installed({"url": (tmp_path / name).as_uri(), "dir_info": {"editable": True}})
    assert arguments() == ["--editable", f"{(tmp_path / name).as_uri()}[torch]"]


def test_a_url_is_quoted_for_shells_and_terminals(installed):
    installed({"url": 'https://x/"; rm -rf $HOME `id` !! \x1b[2J\n\ud800'})
    command = install_command("torch")
    assert command.isascii()
    assert command.isprintable()
    inside = command.removeprefix('python -m pip install "').removesuffix('"')
    assert not set(inside) & set('"$`!\\')


def test_a_project_that_is_not_installed(monkeypatch):
    """As when a folder is put on the path, or in a browser."""
    monkeypatch.setattr("sys.path", [])
    install_command.cache_clear()
    assert arguments() == ["paramproof[torch]"]
    install_command.cache_clear()
