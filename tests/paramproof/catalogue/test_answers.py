"""The answers about real configurations, kept as data: what is counted, and what is refused."""

import pytest

from tests.answers import CASES, RELEASED, SERVED, answer, counted, read


@pytest.mark.parametrize("case", read(CASES), ids=lambda case: case["why"])
def test_answer(case):
    assert answer(case) == case


@pytest.mark.parametrize("line", read(SERVED) + read(RELEASED), ids=lambda line: line["source"])
def test_count_of_a_published_model(line):
    """Each is compared with the model that is built, in ``tests/catalogue`` or for mlx-lm."""
    assert counted(line) == line
