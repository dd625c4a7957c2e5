"""Faults planted in each framework's builder are caught by the same evidence as in PyTorch's."""

import pytest

from docs.writers import evidence
from docs.writers.blocks import AGAIN
from paramproof.builders.protocol import UnsupportedSpec
from paramproof.builders.registry import frameworks
from tests.faults.everywhere.evidence import EVIDENCE
from tests.faults.everywhere.matrix import (
    EVERYWHERE,
    catches,
    column,
    due,
    expressed,
    impossible,
    observed,
    plants,
)


@pytest.mark.parametrize("kind", EVIDENCE)
def test_the_correct_encoder_is_not_caught(framework, builder, kind):
    assert not catches(kind, framework, builder)


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_fault_is_caught_by_the_same_evidence_as_in_pytorch(framework, builder, name):
    assert due(framework, name)
    if name in expressed(framework.name):
        assert observed(framework.name, name) == due(framework, name)
    else:
        with pytest.raises(UnsupportedSpec, match=impossible(framework.name)[name]):
            observed(framework.name, name)


def test_at_least_six_faults_are_in_the_frameworks_code(framework, builder):
    assert len(set(plants(framework)).intersection(expressed(framework.name))) >= 6


def test_the_published_column_agrees_with_the_observations(framework, builder):
    assert list(evidence.everywhere()) == list(frameworks())
    assert evidence.everywhere()[framework.name] == column(framework.name), AGAIN
