"""Every planted fault is caught by the evidence it names; the right encoder by none."""

from functools import cache

import pytest

from tests.builders.test_features import SPEC
from tests.docs import FAULTS_PAGE, block
from tests.faults import matrix
from tests.faults.catalogue import FAULTS, PARITY, Fault, fault
from tests.faults.evidence import EVIDENCE, catches

pytestmark = pytest.mark.framework("torch")

PARITY_ONLY = [name for name, planted in FAULTS.items() if PARITY in planted.caught_by]


def test_the_catalogue_names_evidence_that_there_is():
    assert len(FAULTS) >= 25
    for planted in FAULTS.values():
        assert planted.about.endswith(".")
        assert planted.caught_by == (PARITY,) or set(planted.caught_by) <= set(EVIDENCE)
        assert planted.caught_by


@pytest.mark.parametrize("kind", EVIDENCE)
def test_the_right_encoder_is_not_caught(kind):
    assert not catches(kind, Fault("none", "Nothing is wrong.", (), lambda *_: None))


@pytest.mark.parametrize("name", FAULTS)
def test_caught_by_what_it_names(name):
    seen = matrix.observed(name)
    if name in PARITY_ONLY:
        assert not seen, "what shapes show is not left to parity"
    else:
        assert seen >= set(FAULTS[name].caught_by)


def test_what_a_single_kind_of_evidence_catches_alone():
    alone = {}
    for name in FAULTS:
        if len(matrix.observed(name)) == 1:
            alone.setdefault(*matrix.observed(name), []).append(name)
    assert alone == {
        "anchors": [
            "a tensor for large vocabularies",
            "a tensor for wide models",
            "a tensor for deep models",
        ]
    }


@pytest.mark.parametrize("name", PARITY_ONLY)
def test_what_is_left_to_parity_changes_the_outputs(name):
    """With the right encoder's weights."""
    assert distance(name) > 1e-3


def test_the_same_encoder_gives_the_same_outputs():
    assert distance(None) == 0


@cache
def distance(name):
    import torch

    from builders.frameworks import torch as right

    torch.manual_seed(0)
    reference = right.build(SPEC, allocate=True).module
    for parameter in reference.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    other = (FAULTS[name] if name else right).build(SPEC, allocate=True).module
    other.load_state_dict(reference.state_dict())
    ids = torch.tensor([[3, 4, 5, 6]])
    with torch.no_grad():
        outputs = [module(ids, ids * 0, ids != 0) for module in (reference, other)]
        ours, theirs = (torch.cat([o["sequence"][:, 0], o["pooled"]]) for o in outputs)
    return (ours - theirs).abs().max().item()


@pytest.mark.parametrize("kind", EVIDENCE)
def test_a_crash_is_not_a_catch(kind):
    def broken(encoder, spec, nn):
        raise RuntimeError("this is no difference")

    with pytest.raises(RuntimeError, match="this is no difference"):
        catches(kind, Fault("crash", "Fails to build.", ("examples",), broken))


def test_a_name_is_entered_once():
    with pytest.raises(ValueError, match="two faults are called 'layers shared'"):

        @fault("examples")
        def layers_shared(encoder, spec, nn):
            """Again."""


def test_the_published_matrix_is_what_is_observed():
    text = FAULTS_PAGE.read_text("utf-8")
    assert block("faults", text) == matrix.table(), "run python -m tests.docs"
    assert block("summary", text) == matrix.summary(), "run python -m tests.docs"
