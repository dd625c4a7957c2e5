"""Numbers that a constructor reads back from tensors that sizes made."""

import pytest

from tests.frameworks.derive.deriving import derived

pytestmark = pytest.mark.framework("torch")


def test_rates_that_decide_nothing_leave_a_formula_proved():
    found = derived("reading_back:rates")
    assert (str(found.formula), found.status, found.caveats) == ("L·(H² + H)", "proved", ())


def test_a_threshold_on_a_number_that_was_read_back_is_a_caveat():
    found = derived("reading_back:threshold")
    assert found.caveats[0].startswith("a number that sizes decide was compared (reading_back.py:")
    assert found.status == "fitted"
