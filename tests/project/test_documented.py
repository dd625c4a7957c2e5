"""Tests marked as documented are skipped at another version of the library, and only then."""

import pytest

from tests import documented


def test_the_versions_are_those_of_the_constraints():
    installed = documented.documented()
    assert installed["transformers"].count(".") == 2
    assert len(installed) > 80


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (lambda: documented.version("pytest"), []),
        (lambda: "1.0", ["pytest 1.0 is documented, {} is installed"]),
    ],
)
def test_another_version(monkeypatch, version, expected):
    installed = documented.version("pytest")
    monkeypatch.setattr(documented, "documented", lambda: {"pytest": version()})
    assert documented.version_differences(["pytest"]) == [one.format(installed) for one in expected]


def test_an_absent_library(monkeypatch):
    monkeypatch.setattr(documented, "documented", lambda: {"none-such": "1.0"})
    assert documented.version_differences(["none-such"]) == [
        "none-such 1.0 is documented, none is installed"
    ]


def test_a_marked_test_is_skipped_at_another_version(monkeypatch):
    class Marked:
        def iter_markers(self, name):
            return [pytest.mark.documented("pytest").mark] if name == "documented" else []

    monkeypatch.setattr(documented, "documented", lambda: {"pytest": "1.0"})
    with pytest.raises(pytest.skip.Exception, match=r"^pytest 1\.0 is documented, "):
        documented.skip_undocumented(Marked())
