"""Without any one part of the tracer, some constructors get a wrong count that were right."""

import pytest

from paramproof.derivation.pipeline import Effort
from paramproof.tracing.instrumented import code_swap
from paramproof.tracing.instrumented.code_transform import instrumented_code
from tests.foolers.entries import FOOLERS, load
from tests.foolers.judging import judge
from tests.foolers.planted_bugs import PLANTED

load()

pytestmark = [
    pytest.mark.framework("torch"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.shared("constructors are derived again for each bug of the tracer"),
]


@pytest.fixture
def fresh_instrumentation():
    """Instrument functions anew for the planted bug, and again without it afterwards."""
    yield _forget()
    _forget()


def _forget():
    instrumented_code.cache_clear()
    code_swap._scanned.clear()


def verdict(name):
    entry = FOOLERS[name]
    # Distant models would reveal the bug's effect before a fooler can.
    return judge(name, entry.function, lambda _: entry.sizes(), effort=Effort(far=False))


@pytest.mark.parametrize("bug", [pytest.param(one, id=one.name) for one in PLANTED])
def test_every_bug_is_noticed(bug, fresh_instrumentation, monkeypatch):
    bug.plant(monkeypatch)
    for name in bug.noticed_by:
        found = verdict(name)
        assert found.wrongly_proved or found.wrong_without_a_caveat, f"{name} is not fooled"


@pytest.mark.parametrize("name", sorted({one for bug in PLANTED for one in bug.noticed_by}))
def test_no_constructor_is_fooled_without_a_bug(name, fresh_instrumentation):
    found = verdict(name)
    assert found.wrongly_proved == found.wrong_without_a_caveat == []


def test_there_are_enough_bugs():
    assert len(PLANTED) >= 25
    assert len({one.name for one in PLANTED}) == len(PLANTED)
