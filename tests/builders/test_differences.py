"""Measure every recorded answer again; the answer names the test."""

from functools import cache

import pytest

from docs.writers.blocks import AGAIN
from paramproof.differences.answer import recorded
from paramproof.differences.ask import answers
from tests.selection import documented_keras_marker, loaded, registered, selected

VERSIONS, CELLS = recorded()


def pytest_generate_tests(metafunc):
    if "cell" in metafunc.fixturenames:
        measured = [cell for cell in CELLS if cell.framework in selected(metafunc.config)]
        # Before 3.15 Keras initialises a query kernel as in a convolution; the page has no term for
        # it.
        marked = [
            pytest.param(one, id=one.id, marks=documented_keras_marker(one.framework))
            for one in measured
        ]
        metafunc.parametrize("cell", marked)


# Not module-scoped: pytest orders tests by framework, and comes back to this module.
@pytest.fixture(scope="session")
def measured_rows(request):
    """Return what a framework does today, by row; measured only once, even if that fails."""

    @cache
    def measure(name):
        builder = loaded(name, request.config)
        try:
            return {cell.row: cell for cell in answers(registered(name), builder)}
        except Exception as error:
            return error

    def by_row(name):
        rows = measure(name)
        if isinstance(rows, Exception):
            raise rows
        return rows

    return by_row


def test_cell(measured_rows, cell):
    assert measured_rows(cell.framework).get(cell.row) == cell, AGAIN


@pytest.mark.documented
def test_no_cell_is_missing(measured_rows, framework):
    rows = [cell.row for cell in CELLS if cell.framework == framework.name]
    assert list(measured_rows(framework.name)) == rows, AGAIN


@pytest.mark.documented
def test_versions(framework):
    """The versions measured are recorded; a local version such as +cpu names a build."""
    installed = {name: (v or "").split("+")[0] for name, v in framework.versions().items()}
    assert installed == VERSIONS[framework.name]
