"""The names of classes in the catalogue are those of the programs, and of transformers."""

import json

import pytest

from paramproof.catalogue.names import programs

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from sweep.programs import NAMES, names


def test_the_file_has_the_names_of_the_installed_release():
    classes = {name: [*programs().file(name)["models"]] for name in programs().types}
    assert json.loads(NAMES.read_text("utf-8")) == names(classes)
