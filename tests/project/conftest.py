"""The wheel of this checkout."""

import pytest

from docs.writers.blocks import ROOT
from tests.wheels import build


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))
