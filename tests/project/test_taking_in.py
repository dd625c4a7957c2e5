"""A release is taken in with the packages that its classes import."""

import configparser
from pathlib import Path

import pytest

from releases import taking_in

TOX = Path(__file__).parents[2] / "tox.ini"


def test_the_packages_are_those_of_the_lane_that_derives():
    lanes = configparser.ConfigParser(interpolation=None)
    lanes.read(TOX, "utf-8")
    assert lanes["testenv:architectures"]["deps"].split() == list(taking_in.BESIDE)


def test_a_release_that_is_not_installed_is_an_error_in_one_line(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(taking_in, "installed", lambda one, _: asked.append(one) or "not found")
    assert taking_in.main(["9.9.9"]) == 2
    assert capsys.readouterr().err == "transformers==9.9.9 was not installed: not found\n"
    (release,) = asked
    assert release.name == "transformers==9.9.9"
    assert {*release.beside} >= {*taking_in.BESIDE}


def test_uv_is_asked_for_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SystemExit, match=r"^uv is not installed; https://\S+ says how to install it$"
    ):
        taking_in.main(["5.24.0"])
