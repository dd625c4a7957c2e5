"""Every cell of docs/framework-differences.md, asked again: its test is named as it is."""

from functools import cache

import pytest

from docs.writers.blocks import AGAIN
from docs.writers.differences import reference as differences
from paramproof.differences.ask import answers
from tests.documented import documented_keras_marker
from tests.selection import loaded, registered, selected

CELLS = differences.cells()


def pytest_generate_tests(metafunc):
    if "cell" in metafunc.fixturenames:
        asked = [cell for cell in CELLS if cell.framework in selected(metafunc.config)]
        # Before 3.15 Keras draws a query's kernel as a convolution's: the page has no word for it.
        marked = [
            pytest.param(one, id=one.id, marks=documented_keras_marker(one.framework))
            for one in asked
        ]
        metafunc.parametrize("cell", marked)


# Not of the module: pytest runs by framework, and comes back to this file.
@pytest.fixture(scope="session")
def answered(request):
    """What a framework answers today, by row: it is asked once, even if that fails."""

    @cache
    def asked(name):
        builder = loaded(name, request.config)
        try:
            return {cell.row: cell for cell in answers(registered(name), builder)}
        except Exception as error:
            return error

    def by_row(name):
        rows = asked(name)
        if isinstance(rows, Exception):
            raise rows
        return rows

    return by_row


def test_cell(answered, cell):
    assert answered(cell.framework).get(cell.row) == cell, AGAIN


@pytest.mark.documented
def test_no_cell_is_missing(answered, framework):
    rows = [cell.row for cell in CELLS if cell.framework == framework.name]
    assert list(answered(framework.name)) == rows, AGAIN


@pytest.mark.documented
def test_versions(framework):
    """Answers are of the versions that the page states; a local one names a build, as +cpu."""
    stated = differences.versions()
    installed = {name: (v or "").split("+")[0] for name, v in framework.versions().items()}
    assert installed == {name: stated[name] for name in framework.distributions}
