"""The list of sampled mutants that survive, and the scope that they are drawn from."""

import inspect
import pkgutil
import re

import pytest

from docs.writers import mutation_page
from docs.writers.blocks import EVIDENCE, block
from tests.mutation import trying
from tests.mutation.survivors import EQUIVALENT_SAMPLED, equivalent
from tests.mutation.trying import suites_of
from tests.mutation.wide import files


@pytest.mark.parametrize("listed", equivalent(EQUIVALENT_SAMPLED), ids=lambda one: one.function)
def test_a_listed_survivor_is_in_the_code(listed):
    function = pkgutil.resolve_name(listed.function)
    source = " ".join(line.strip() for line in inspect.getsource(function).splitlines())
    assert listed.before in source
    assert listed.after not in source
    assert len(equivalent(EQUIVALENT_SAMPLED)[listed]) > 20, "a reason"


def test_the_pages_show_the_list_and_one_score():
    page = mutation_page.PAGE.read_text("utf-8")
    listed = equivalent(EQUIVALENT_SAMPLED)
    assert block("sampled-survivors", page) == mutation_page.survivors(listed)
    score = block("sampled-score", page)
    assert score == block("sampled-score", EVIDENCE.read_text("utf-8"))
    # A listed mutant of a file that has changed is not in the score.
    assert 0 < int(re.search(r" (\d+) survived", score)[1]) <= len(listed)


def test_files_of_the_wide_scope():
    """Every file of the packages is in one of the two scopes, and none in both."""
    found = files()
    assert {"paramproof/tracing/recorder.py", "paramproof/tracing/symbolic/symint.py"} < {*found}
    assert {"paramproof/matching/names.py", "paramproof/resolver/lookup.py"} < {*found}
    assert "paramproof/catalogue/entries.py" in found
    assert "paramproof/tracing/caveats.py" not in found
    assert not any(one.startswith(("paramproof/formulas", "paramproof/checks")) for one in found)


def test_the_tests_of_a_file():
    own = ["tests/paramproof/tracing/test_recorder.py", "tests/paramproof/tracing"]
    assert [one.tests for one in suites_of("paramproof/tracing/recorder.py", own=True)] == [own]
    first, further = suites_of("paramproof/tracing/recorder.py", own=False)
    assert first.tests == own
    assert {"tests/foolers/test_foolers.py", "tests/frameworks/derive"} <= {*further.tests}
    assert first.seconds < further.seconds
    (symbolic,) = suites_of("paramproof/tracing/symbolic/symint.py", own=True)
    assert symbolic.tests[-1] == own[-1]
    (alone,) = suites_of("paramproof/catalogue/accepts.py", own=False)
    assert alone.tests == ["tests/paramproof/catalogue"]


def test_every_named_test_exists():
    for path in files():
        for suite in suites_of(path, own=False):
            for one in suite.tests:
                assert (trying.ROOT / one).exists(), one
