"""The advice to install repeats what the installer recorded, and works in any folder."""

import json
import shlex

import pytest
from packaging.requirements import Requirement

from paramproof.formulas.installation import install_command

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


def test_from_an_index(installed):
    assert install_command("torch") == 'python -m pip install "paramproof[torch]"'
    assert arguments("keras-jax") == ["paramproof[keras-jax]"]


@pytest.mark.parametrize("name", ["plain", ODD])
def test_from_a_wheel(installed, tmp_path, name):
    wheel = tmp_path / name / "paramproof-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.touch()
    installed({"url": wheel.as_uri(), "archive_info": {}})
    (given,) = arguments()
    requirement = Requirement(given)
    assert (requirement.name, requirement.extras) == ("paramproof", {"torch"})
    assert requirement.url == wheel.as_uri()


@pytest.mark.parametrize("name", ["plain", ODD])
def test_from_a_clone(installed, tmp_path, name):
    (tmp_path / name).mkdir()
    installed({"url": (tmp_path / name).as_uri(), "dir_info": {}})
    (given,) = arguments()
    assert Requirement(given).url == (tmp_path / name).as_uri()
    assert Requirement(given).extras == {"torch"}


@pytest.mark.parametrize("name", ["plain", ODD])
def test_from_an_editable_clone(installed, tmp_path, name):
    """The installation stays editable."""
    (tmp_path / name).mkdir()
    installed({"url": (tmp_path / name).as_uri(), "dir_info": {"editable": True}})
    assert arguments() == ["--editable", f"{(tmp_path / name).as_uri()}[torch]"]


def test_from_git(installed):
    url = "https://example.org/paramproof.git"
    vcs = {"vcs": "git", "commit_id": "c0ffee", "requested_revision": "main"}
    installed({"url": url, "vcs_info": vcs})
    assert arguments() == [f"paramproof[torch] @ git+{url}@c0ffee"]
    installed({"url": url, "vcs_info": vcs, "subdirectory": "python/it"})
    install_command.cache_clear()
    assert arguments() == [f"paramproof[torch] @ git+{url}@c0ffee#subdirectory=python/it"]


@pytest.mark.parametrize("wrong", [{"vcs": 3}, {"commit_id": 3}])
def test_from_an_invalid_commit(installed, wrong):
    vcs = {"vcs": "git", "commit_id": "c0ffee", **wrong}
    installed({"url": "https://example.org/paramproof", "vcs_info": vcs})
    assert arguments() == ["paramproof[torch] @ https://example.org/paramproof"]


def test_from_an_archive_elsewhere(installed):
    url = "https://example.org/paramproof-1.0.zip?download=1&from=~me"
    installed({"url": url, "archive_info": {}})
    assert arguments() == [f"paramproof[torch] @ {url}"]


def test_from_a_file_that_is_gone(installed, tmp_path):
    installed({"url": (tmp_path / "gone.whl").as_uri(), "archive_info": {}})
    assert arguments() == ["paramproof[torch]"]


@pytest.mark.parametrize(
    "origin",
    ["", "no json", "[]", "{}", '{"url": 3}', '{"url": ""}', '{"url": null, "dir_info": 3}'],
)
def test_malformed_metadata(installed, origin):
    installed(origin)
    assert arguments() == ["paramproof[torch]"]


@pytest.mark.parametrize("field", ["dir_info", "vcs_info", "subdirectory"])
def test_fields_of_a_wrong_type_are_ignored(installed, tmp_path, field):
    installed({"url": tmp_path.as_uri(), field: [3]})
    assert arguments() == [f"paramproof[torch] @ {tmp_path.as_uri()}"]


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
