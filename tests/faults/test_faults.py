"""The evidence that a planted fault names catches it; nothing objects to the correct encoder."""

import pytest

from docs.writers import evidence
from docs.writers.blocks import AGAIN, PAGES, block
from tests.faults import matrix
from tests.faults.catalogue import FAULTS, Fault, fault
from tests.faults.evidence import EVIDENCE, catches

pytestmark = [
    pytest.mark.framework("torch"),
    pytest.mark.shared("each of some 30 faults is checked against every kind of evidence"),
]


def test_the_catalogue_names_existing_evidence():
    assert len(FAULTS) >= 25
    for planted in FAULTS.values():
        assert planted.about.endswith(".")
        assert planted.caught_by
        assert set(planted.caught_by) <= set(EVIDENCE)


@pytest.mark.parametrize("kind", EVIDENCE)
def test_the_correct_encoder_is_not_caught(kind):
    assert not catches(kind, Fault("none", "Nothing is wrong.", (), lambda *_: None))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught_by_the_evidence_that_it_names(name):
    seen = matrix.observed(name)
    assert seen >= set(FAULTS[name].caught_by)
    if "parity" in FAULTS[name].caught_by:
        assert seen == {"parity"}, "what shapes show is not left to parity"


def test_faults_that_only_one_kind_of_evidence_catches():
    alone = {}
    for name in FAULTS:
        if len(matrix.observed(name)) == 1:
            alone.setdefault(*matrix.observed(name), []).append(name)
    assert alone == {
        "parity": [name for name, planted in FAULTS.items() if "parity" in planted.caught_by],
    }
    assert len(alone["parity"]) >= 12


@pytest.mark.parametrize("kind", EVIDENCE)
def test_a_crash_is_not_a_catch(kind):
    def broken(encoder, spec, nn):
        raise RuntimeError("this is no difference")

    with pytest.raises(RuntimeError, match="this is no difference"):
        catches(kind, Fault("crash", "Fails to build.", ("examples",), broken))


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="two faults are called 'layers shared'"):

        @fault("examples")
        def layers_shared(encoder, spec, nn):
            """Again."""


def test_the_published_matrix_agrees_with_the_observations():
    text = PAGES["faults"].read_text("utf-8")
    assert block("faults", text) == f"{evidence.faults()}\n", AGAIN
    assert block("summary", text) == f"{evidence.summary()}\n", AGAIN
