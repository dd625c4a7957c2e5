"""Tests of a documented version stand aside at another one, and nowhere else."""

import pytest

from tests import documented


def test_the_versions_are_those_of_the_constraints():
    there = documented.documented()
    assert there["transformers"].count(".") == 2
    assert len(there) > 80


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (lambda: documented.version("pytest"), []),
        (lambda: "1.0", ["pytest 1.0 is documented, and {} is here"]),
    ],
)
def test_another_version(monkeypatch, version, said):
    there = documented.version("pytest")
    monkeypatch.setattr(documented, "documented", lambda: {"pytest": version()})
    assert documented.others(["pytest"]) == [one.format(there) for one in said]


def test_an_absent_library(monkeypatch):
    monkeypatch.setattr(documented, "documented", lambda: {"none-such": "1.0"})
    assert documented.others(["none-such"]) == ["none-such 1.0 is documented, and none is here"]


def test_a_marked_test_is_skipped_at_another_version(monkeypatch):
    class Marked:
        def iter_markers(self, name):
            return [pytest.mark.documented("pytest").mark] if name == "documented" else []

    monkeypatch.setattr(documented, "documented", lambda: {"pytest": "1.0"})
    with pytest.raises(pytest.skip.Exception, match=r"^pytest 1\.0 is documented, and "):
        documented.stand_aside(Marked())
