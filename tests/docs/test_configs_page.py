"""docs/configurations.md says what is read and refused today."""

import pytest

from docs.writers import configs_page
from docs.writers.blocks import AGAIN, block


@pytest.mark.parametrize("name", ["kinds", "refused"])
def test_the_page(name):
    text = configs_page.PAGE.read_text("utf-8")
    shown = block(name, text).strip("\n")
    assert shown == configs_page.blocks()[name], AGAIN
