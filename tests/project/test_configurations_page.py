"""docs/configurations.md says what is read and refused today."""

import pytest

from docs.writers import configs_page as configurations_page
from docs.writers.pages import CONFIGURATIONS_PAGE, block


@pytest.mark.parametrize("name", ["kinds", "refused"])
def test_the_page(name):
    text = CONFIGURATIONS_PAGE.read_text("utf-8")
    shown = block(name, text).strip("\n")
    assert shown == configurations_page.blocks()[name], "run python -m docs.writers.pages"
