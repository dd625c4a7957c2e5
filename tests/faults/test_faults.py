"""A fault is caught by exactly the evidence that it names; nothing objects to a correct encoder."""

import pytest

from paramproof.builders.protocol import UnsupportedSpec
from tests.faults.evidence import EVIDENCE, IN_FULL, catches, kinds
from tests.faults.in_frameworks import OTHER_FIELDS, Faulty, due, faults_of, impossible, observed
from tests.faults.in_torch import FAULTS
from tests.selection import load_once, loaded, registered, selected

pytestmark = pytest.mark.shared("each fault is checked against every kind of evidence")


def pytest_generate_tests(metafunc):
    cases_of = {"kind": kinds, "planted": faults_of}
    for fixture in cases_of.keys() & {*metafunc.fixturenames}:
        cases = [
            pytest.param((name, case), id=f"{name}-{case}")
            for name in selected(metafunc.config)
            for case in cases_of[fixture](registered(name))
        ]
        metafunc.parametrize(fixture, cases, indirect=True)


@pytest.fixture
def planted(request):
    name, case = request.param
    loaded(name, request.config)
    return registered(name), case


kind = planted


def test_a_correct_encoder_is_not_caught(kind):
    framework, kind = kind
    assert not catches(kind, framework, load_once(framework.name))


def test_a_fault_is_caught_by_exactly_the_evidence_that_it_names(planted):
    framework, name = planted
    assert due(framework, name)
    if refusal := impossible(framework).get(name):
        with pytest.raises(UnsupportedSpec, match=refusal):
            observed(framework, name)
    else:
        assert observed(framework, name) == due(framework, name)


@pytest.mark.framework(IN_FULL)
@pytest.mark.parametrize("evidence", EVIDENCE)
def test_a_crash_is_not_a_catch(evidence, monkeypatch):
    def broken(spec):
        raise RuntimeError("this is no difference")

    monkeypatch.setitem(OTHER_FIELDS, "crash", broken)
    framework = registered(IN_FULL)
    with pytest.raises(RuntimeError, match="this is no difference"):
        catches(evidence, framework, Faulty(framework, "crash"))


def test_the_catalogue_names_existing_evidence():
    assert len(FAULTS) == 71
    assert {kind for one in FAULTS.values() for kind in one.caught_by} == {*EVIDENCE}
